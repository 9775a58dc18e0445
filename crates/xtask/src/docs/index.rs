//! The index of all cases by feature, across dialects: `docs/cases.md`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Areas;

/// Features in the order of the page, each with the areas that belong to it. An area that is named
/// nowhere is a feature of its own, at the end.
const FEATURES: [(&str, &[&str]); 19] = [
    (
        "read",
        &["read", "cascade", "fragment", "fragments", "variables", "directives", "union", "unions"],
    ),
    ("filter", &["filter", "condition", "conditions", "where", "search"]),
    ("order", &["order", "sort"]),
    ("page", &["page", "paging", "cursor", "connection"]),
    ("aggregate", &["aggregate", "group"]),
    ("relation", &["relation", "nest", "many_to_many"]),
    ("mutate", &["mutate", "mutation", "mutations", "add", "upsert", "update", "delete"]),
    ("error", &["error", "refused", "faults"]),
    ("access", &["policies", "rights", "rules", "guards"]),
    ("federation", &["federation", "keys", "provides", "requires", "override", "shared"]),
    ("planning", &["contexts", "inputs", "interface_objects", "reuse"]),
    ("cost and limits", &["cost", "limits"]),
    ("introspection", &["introspection", "schema"]),
    ("names", &["names", "tags", "notes", "options"]),
    ("node ids", &["nodeid"]),
    ("interfaces", &["interface"]),
    ("functions", &["function", "statement"]),
    ("types", &["types", "geometry", "network", "dynamicjson", "structured", "stored", "held"]),
    ("older versions", &["version_3"]),
];

/// A row for each feature, with the areas of each dialect and the number of their cases.
pub(super) fn print(dialects: &BTreeMap<String, Areas>) -> String {
    let mut text = String::from(
        "# All cases by feature\n\n\
         Made by `cargo xtask docs` from the folders of `fixtures/cases`: each area of a dialect, with the \
         number of its cases, leads to their list.\n\n| feature | cases |",
    );
    for dialect in dialects.keys() {
        let _ = write!(text, " {dialect} |");
    }
    let _ = writeln!(text, "\n|---|---|{}", "---|".repeat(dialects.len()));
    for (feature, areas) in features(dialects) {
        let counts =
            dialects.values().flat_map(|all| areas.iter().filter_map(|area| all.get(*area)));
        let count: usize = counts.map(Vec::len).sum();
        if count == 0 {
            continue;
        }
        let _ = write!(text, "| {feature} | {count} |");
        for (dialect, all) in dialects {
            let links = areas.iter().filter_map(|area| {
                let cases = all.get(*area)?;
                Some(format!("[{area}]({dialect}-cases.md#{area}) {}", cases.len()))
            });
            let _ = write!(text, " {} |", links.collect::<Vec<_>>().join(", "));
        }
        text.push('\n');
    }
    text
}

/// The features, and the areas that belong to none of them.
fn features(dialects: &BTreeMap<String, Areas>) -> Vec<(&str, Vec<&str>)> {
    let mut features: Vec<(&str, Vec<&str>)> =
        FEATURES.iter().map(|(feature, areas)| (*feature, areas.to_vec())).collect();
    for area in dialects.values().flat_map(BTreeMap::keys) {
        if !features.iter().any(|(_, areas)| areas.contains(&area.as_str())) {
            features.push((area, vec![area]));
        }
    }
    features
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn areas_of_all_dialects_are_found_by_their_feature() {
        let areas = |names: &[&str]| -> Areas {
            let case = || parse("a/b.case", "# A sentence.\n");
            names.iter().map(|name| ((*name).to_owned(), vec![case(), case()])).collect()
        };
        let dialects = BTreeMap::from([
            ("one".to_owned(), areas(&["sort", "other"])),
            ("two".to_owned(), areas(&["order", "sort"])),
        ]);
        let text = print(&dialects);
        let (_, table) = text.split_once("\n\n| ").expect("a table");
        assert_eq!(
            table,
            "feature | cases | one | two |\n\
             |---|---|---|---|\n\
             | order | 6 | [sort](one-cases.md#sort) 2 | [order](two-cases.md#order) 2, \
             [sort](two-cases.md#sort) 2 |\n\
             | other | 2 | [other](one-cases.md#other) 2 |  |\n"
        );
    }
}
