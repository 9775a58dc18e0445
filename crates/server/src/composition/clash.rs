//! Names that several databases have: one error with its remedy instead of one for each field.

use std::collections::{BTreeMap, BTreeSet};

use supergraph::composition::{Code, Finding};

use crate::configuration::{SchemaPlace, SubgraphPlace};

/// The most names that an error lists.
const MOST_NAMES: usize = 8;

/// Replaces the errors of fields that several sources in this process have.
pub(super) fn summarize(errors: Vec<Finding>, subgraphs: &[SubgraphPlace]) -> Vec<Finding> {
    let is_source = |name: &str| {
        let mut sources = subgraphs.iter();
        sources.any(|location| {
            location.name == name && matches!(location.schema, SchemaPlace::Source(_))
        })
    };
    let mut clashes: BTreeMap<BTreeSet<String>, BTreeSet<String>> = BTreeMap::new();
    let mut others = Vec::new();
    for error in errors {
        let owners: BTreeSet<String> =
            error.locations.iter().map(|location| location.subgraph.clone()).collect();
        let are_sources = owners.len() > 1 && owners.iter().all(|owner| is_source(owner));
        match (error.code, are_sources) {
            (Code::InvalidFieldSharing, true) => {
                clashes.entry(owners).or_default().extend(error.coordinates);
            }
            _ => others.push(error),
        }
    }
    let clashes = clashes.into_iter().map(|(owners, names)| clash(&owners, names));
    clashes.chain(others).collect()
}

fn clash(owners: &BTreeSet<String>, names: BTreeSet<String>) -> Finding {
    let quoted: Vec<String> = owners.iter().map(|owner| format!("`{owner}`")).collect();
    let last = owners.last().map_or("", String::as_str);
    let mut shown: Vec<String> =
        names.iter().take(MOST_NAMES).map(|name| format!("`{name}`")).collect();
    if let Some(more @ 1..) = names.len().checked_sub(MOST_NAMES) {
        shown.push(format!("{more} more"));
    }
    let message = format!(
        "The databases {} have fields of the same names, which are different things: {}.",
        quoted.join(" and "),
        shown.join(", ")
    );
    let remedy = format!(
        "Give one of them a prefix, such as `federation-prefix: {last}_`; or, if the rows are the same \
         things, mark the fields `@shareable` in the files of `federation-extend`."
    );
    Finding {
        code: Code::InvalidFieldSharing,
        message,
        coordinates: names.into_iter().collect(),
        locations: Vec::new(),
        remedy: Some(remedy),
    }
}

#[cfg(test)]
mod tests {
    use supergraph::composition::Location;

    use super::*;

    fn error(field: &str, subgraphs: &[&str]) -> Finding {
        let location = |name: &&str| Location { subgraph: (*name).to_owned(), line: 1, column: 1 };
        Finding {
            code: Code::InvalidFieldSharing,
            message: "a message".to_owned(),
            coordinates: vec![field.to_owned()],
            locations: subgraphs.iter().map(location).collect(),
            remedy: None,
        }
    }

    #[test]
    fn fields_of_two_databases_are_one_error() {
        let file = std::path::Path::new("s.toml");
        let text = "[subgraphs.a]\nsource = 'a.db'\n[subgraphs.b]\nsource = 'b.db'\n\
                    [subgraphs.c]\nschema = { sdl = '' }\n";
        let parsed = crate::configuration::CompositionFile::parse(file, text, &|_| Ok(None));
        let subgraphs = parsed.unwrap().subgraphs;
        let errors = vec![
            error("Product.name", &["a", "b"]),
            error("Product.id", &["a", "c"]),
            error("Query.products", &["a", "b"]),
        ];
        let left = summarize(errors, &subgraphs);
        assert_eq!(left.len(), 2);
        assert_eq!(left[0].coordinates, ["Product.name", "Query.products"]);
        assert_eq!(
            left[0].message,
            "The databases `a` and `b` have fields of the same names, which are different things: \
             `Product.name`, `Query.products`."
        );
        assert_eq!(left[1].coordinates, ["Product.id"]);
    }
}
