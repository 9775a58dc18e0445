use super::*;

#[test]
fn places_are_grouped_by_key_and_cut_off() {
    use crate::location::{Location, Mark};

    let unserved: Vec<Unserved> = [("Table", "is_enum", 3), ("Table", "event_triggers", 4)]
        .into_iter()
        .chain([("Table", "is_enum", 5), ("Table", "is_enum", 9)])
        .map(|(object, key, line)| Unserved {
            place: Location {
                mark: Mark { file: "a.yaml".into(), line, column: 1 },
                path: Default::default(),
            },
            object,
            key,
            support: match key {
                "is_enum" => Support::NotYet,
                _ => Support::NotServed("a reason"),
            },
        })
        .collect();
    assert_eq!(
        lines(&unserved, 2),
        [
            "Table.is_enum: not served yet (a.yaml:3:1, a.yaml:5:1, and 1 more)",
            "Table.event_triggers: not served: a reason (a.yaml:4:1)",
        ]
    );
}

/// Rewrites the table with `UPDATE_EXPECT=1`.
#[test]
fn the_manual_has_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/hasura-metadata.md");
    let page = std::fs::read_to_string(path).unwrap();
    let (begin, end) = ("<!-- keys -->\n", "<!-- end of keys -->\n");
    let (before, rest) = page.split_once(begin).unwrap();
    let (_, after) = rest.split_once(end).unwrap();
    let expected = [before, begin, &markdown(), end, after].concat();
    expect_test::expect_file![path].assert_eq(&expected);
}
