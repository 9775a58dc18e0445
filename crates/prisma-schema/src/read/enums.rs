//! Enums.

use super::arguments::Arguments;
use super::names::check_name;
use crate::mistake::Collected;
use crate::model::{Enum, EnumValue};
use crate::syntax::{Block, Line};

/// Values that GraphQL does not have.
const RESERVED: [&str; 3] = ["true", "false", "null"];

pub(super) fn enums(blocks: &[&Block], mistakes: &mut Collected) -> Vec<Enum> {
    blocks.iter().map(|block| r#enum(block, mistakes)).collect()
}

fn r#enum(block: &Block, mistakes: &mut Collected) -> Enum {
    let mut stored: Box<str> = block.name.text.as_str().into();
    let mut schema = None;
    for attribute in &block.attributes {
        let mut arguments = Arguments::of_block(attribute);
        match &*attribute.name.text {
            "map" => {
                stored = arguments.first_text("name", mistakes).map_or(stored, Into::into);
            }
            "schema" => schema = arguments.first_text("map", mistakes).map(Into::into),
            other => {
                let message =
                    format!("an enum has no attribute @@{other}: it has @@map and @@schema.");
                mistakes.add(attribute.name.at, message);
                continue;
            }
        }
        arguments.finish(mistakes);
    }
    if block.lines.is_empty() {
        let message = format!("the enum {} has no values: write one at least.", block.name.text);
        mistakes.add(block.name.at, message);
    }
    let mut values: Vec<EnumValue> = Vec::new();
    for line in &block.lines {
        let value = value(line, mistakes);
        let earlier = |own: &EnumValue| own.name == value.name || own.stored == value.stored;
        if let Some(first) = values.iter().find(|own| earlier(own)) {
            let message = format!(
                "the value {} has the name of {} or is stored as that is: rename one.",
                value.name, first.name
            );
            mistakes.add(value.at, message);
        }
        values.push(value);
    }
    Enum {
        at: block.name.at,
        name: block.name.text.as_str().into(),
        documentation: block.documentation.as_deref().map(Into::into),
        stored,
        schema,
        values,
    }
}

fn value(line: &Line, mistakes: &mut Collected) -> EnumValue {
    let name = &line.name;
    check_name(&name.text, name.at, mistakes);
    if RESERVED.contains(&&*name.text) {
        let message = format!("GraphQL has no enum value {}: rename it, with @map.", name.text);
        mistakes.add(name.at, message);
    }
    let mut stored: Box<str> = name.text.as_str().into();
    for attribute in &line.attributes {
        if attribute.name.text != "map" {
            let message =
                format!("a value has no attribute @{}: it has @map.", attribute.name.text);
            mistakes.add(attribute.name.at, message);
            continue;
        }
        let mut arguments = Arguments::of_field(attribute);
        stored = arguments.first_text("name", mistakes).map_or(stored, Into::into);
        arguments.finish(mistakes);
    }
    EnumValue {
        at: name.at,
        name: name.text.as_str().into(),
        documentation: line.documentation.as_deref().map(Into::into),
        stored,
    }
}
