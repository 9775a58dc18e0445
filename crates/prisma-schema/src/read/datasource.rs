//! The database of a schema.

use crate::mistake::Collected;
use crate::model::{Datasource, Provider, RelationMode};
use crate::syntax::{Block, Expression, ExpressionKind, Setting};

/// Settings without a meaning for names: addresses, and what Prisma Migrate reads.
const OF_PRISMA: [&str; 4] = ["url", "directUrl", "shadowDatabaseUrl", "extensions"];

/// Settings with a meaning.
const OWN: [&str; 4] = ["provider", "relationMode", "referentialIntegrity", "schemas"];

pub(super) fn datasource(blocks: &[&Block], mistakes: &mut Collected) -> Option<Datasource> {
    for block in blocks.iter().skip(1) {
        mistakes.add(block.name.at, "there is a datasource already: a schema has one. Remove it.");
    }
    let block = blocks.first()?;
    let mut provider = None;
    let mut relation_mode = RelationMode::default();
    let mut schemas = Vec::new();
    for attribute in &block.attributes {
        mistakes.add(attribute.name.at, "a datasource has no attributes: remove it.");
    }
    for (index, setting) in block.settings.iter().enumerate() {
        let earlier = block.settings.iter().take(index);
        if earlier.into_iter().any(|other| other.name.text == setting.name.text) {
            mistakes.add(setting.name.at, "the setting is there twice: remove one.");
        }
        match &*setting.name.text {
            "provider" => provider = find_provider(setting, mistakes),
            "relationMode" | "referentialIntegrity" => {
                relation_mode = find_mode(setting, mistakes).unwrap_or_default();
            }
            "schemas" => schemas = names(&setting.value, mistakes),
            known if OF_PRISMA.contains(&known) => {}
            unknown => {
                let known = OWN.iter().chain(&OF_PRISMA).copied().collect::<Vec<_>>();
                let message =
                    format!("there is no setting `{unknown}`: it is one of {}.", known.join(", "));
                mistakes.add(setting.name.at, message);
            }
        }
    }
    let is_given = block.settings.iter().any(|setting| setting.name.text == "provider");
    if !is_given {
        mistakes.add(block.name.at, "the datasource has no provider: write provider = \"…\".");
    }
    Some(Datasource {
        at: block.name.at,
        name: block.name.text.as_str().into(),
        provider: provider?,
        relation_mode,
        schemas,
    })
}

fn find_provider(setting: &Setting, mistakes: &mut Collected) -> Option<Provider> {
    let message = match setting.value.text() {
        Some("postgresql" | "postgres" | "cockroachdb") => return Some(Provider::Postgres),
        Some("sqlite") => return Some(Provider::Sqlite),
        Some(other @ ("mysql" | "sqlserver" | "mongodb")) => format!(
            "databases of the provider {other} are not served: only postgresql, cockroachdb and \
             sqlite are."
        ),
        Some(other) => {
            format!("there is no provider \"{other}\": it is postgresql, cockroachdb or sqlite.")
        }
        None => "the provider is a string: postgresql, cockroachdb or sqlite.".to_owned(),
    };
    mistakes.add(setting.value.at, message);
    None
}

fn find_mode(setting: &Setting, mistakes: &mut Collected) -> Option<RelationMode> {
    match setting.value.text() {
        Some("foreignKeys") => Some(RelationMode::ForeignKeys),
        Some("prisma") => Some(RelationMode::Prisma),
        _ => {
            mistakes.add(setting.value.at, "it is \"foreignKeys\" or \"prisma\".");
            None
        }
    }
}

fn names(value: &Expression, mistakes: &mut Collected) -> Vec<Box<str>> {
    let ExpressionKind::List(values) = &value.kind else {
        mistakes.add(value.at, "write a list of schemas: [\"public\"].");
        return Vec::new();
    };
    let mut names = Vec::new();
    for value in values {
        match value.text() {
            Some(text) => names.push(text.into()),
            None => mistakes.add(value.at, "the name of a schema is a string."),
        }
    }
    names
}
