//! Models and views.

use super::arguments::Arguments;
use super::names::Types;
use super::{fields, keys};
use crate::mistake::Collected;
use crate::model::{Model, ModelKind};
use crate::syntax::{Block, BlockKind};

/// Attributes of blocks that describe indexes, which only the database reads.
const OF_DATABASE: [&str; 3] = ["index", "fulltext", "shardKey"];

pub(super) fn models(blocks: &[&Block], types: &Types<'_>, mistakes: &mut Collected) -> Vec<Model> {
    let mut models: Vec<Model> = Vec::new();
    for block in blocks {
        let model = model(block, types, mistakes);
        let is_same = |own: &&Model| own.table == model.table && own.schema == model.schema;
        // Models with equal names have a mistake already.
        let first = models.iter().find(is_same).filter(|own| own.name != model.name);
        if let Some(first) = first {
            let message = format!(
                "{} has the table \"{}\" as {} does: correct one @@map.",
                model.name, model.table, first.name
            );
            mistakes.add(model.at, message);
        }
        models.push(model);
    }
    models
}

fn model(block: &Block, types: &Types<'_>, mistakes: &mut Collected) -> Model {
    let mut model = Model {
        at: block.name.at,
        kind: match block.kind {
            BlockKind::View => ModelKind::View,
            _ => ModelKind::Table,
        },
        name: block.name.text.as_str().into(),
        documentation: block.documentation.as_deref().map(Into::into),
        table: block.name.text.as_str().into(),
        schema: None,
        is_ignored: false,
        fields: Vec::new(),
        keys: Vec::new(),
    };
    model.fields = fields::fields(block, types, mistakes);
    if model.fields.is_empty() {
        let message = format!("{} has no fields: write one at least.", model.name);
        mistakes.add(model.at, message);
    }
    keys::of_fields(block, &mut model, mistakes);
    for attribute in &block.attributes {
        let mut arguments = Arguments::of_block(attribute);
        match &*attribute.name.text {
            "map" => {
                if let Some(name) = arguments.first_text("name", mistakes) {
                    model.table = name.into();
                }
            }
            "schema" => {
                model.schema = arguments.first_text("map", mistakes).map(Into::into);
            }
            "ignore" => model.is_ignored = true,
            "id" | "unique" => {
                keys::of_block(attribute, &mut arguments, &mut model, mistakes);
            }
            name if OF_DATABASE.contains(&name) => {
                let value = arguments.first("fields");
                keys::check_index(value, attribute, &model, mistakes);
                arguments.of_database(&[
                    "name",
                    "map",
                    "type",
                    "length",
                    "sort",
                    "clustered",
                    "ops",
                ]);
            }
            other => {
                let message = format!(
                    "a model has no attribute @@{other}: it has @@map, @@schema, @@ignore, @@id, \
                     @@unique, @@index and @@fulltext."
                );
                mistakes.add(attribute.name.at, message);
                continue;
            }
        }
        arguments.finish(mistakes);
    }
    model
}
