//! Documents that are large, deep, or larger and deeper than they look.

use std::fmt::Write as _;

use graphql::ErrorCode;

use super::{Expected, Hostile, ask};
use crate::fuzz::target::Style;

pub(super) const ALL: &[Hostile] = &[
    Hostile {
        name: "fragments_doubling_30_times",
        style: Style::PostGraphile,
        body: || ask(&doubling(30, "allArtistsList(first: 1)", "Artist", "...F", "...F", "id")),
        expected: Expected::Data,
    },
    Hostile {
        name: "inline_fragments_doubling_12_times",
        style: Style::PostGraphile,
        body: || ask(&["{ allArtistsList(first: 1) ", &doubling_inline(12), " }"].concat()),
        expected: Expected::Refused(ErrorCode::TooManyFragments),
    },
    Hostile {
        name: "fragments_doubling_through_fields",
        style: Style::PostGraphile,
        body: || {
            ask(&doubling(
                14,
                "allArtistsList(first: 1)",
                "Artist",
                "a: albumsByArtistIdList(first: 1) { x: artistByArtistId { ...F",
                "b: albumsByArtistIdList(first: 1) { x: artistByArtistId { ...F",
                "id",
            ))
        },
        expected: Expected::Refused(ErrorCode::QueryTooComplex),
    },
    Hostile {
        name: "fragments_doubling_through_fields_of_phrag",
        style: Style::Phrag,
        body: || {
            ask(&doubling(
                14,
                "artists(limit: 1)",
                "Artist",
                "a: albums(limit: 1) { x: artist { ...F",
                "b: albums(limit: 1) { x: artist { ...F",
                "id",
            ))
        },
        expected: Expected::Refused(ErrorCode::QueryTooComplex),
    },
    Hostile {
        name: "fragments_of_one_response_name_doubling",
        style: Style::PostGraphile,
        body: || {
            ask(&doubling(
                14,
                "allArtistsList(first: 1)",
                "Artist",
                "albumsByArtistIdList(first: 1) { artistByArtistId { ...F",
                "albumsByArtistIdList(first: 1) { artistByArtistId { ...F",
                "id",
            ))
        },
        expected: Expected::Data,
    },
    Hostile {
        name: "a_fragment_in_itself",
        style: Style::PostGraphile,
        body: || ask("{ ...F } fragment F on Query { ...F }"),
        expected: Expected::Refused(ErrorCode::ValidationFailed),
    },
    Hostile {
        name: "a_long_cycle_of_fragments",
        style: Style::PostGraphile,
        body: || {
            let mut text = String::from("{ ...F0 }");
            for index in 0..40 {
                let next = (index + 1) % 40;
                let _ = write!(text, " fragment F{index} on Query {{ query {{ ...F{next} }} }}");
            }
            ask(&text)
        },
        expected: Expected::Refused(ErrorCode::ValidationFailed),
    },
    Hostile {
        name: "a_cycle_of_fragments_nobody_uses",
        style: Style::PostGraphile,
        body: || ask("{ nodeId } fragment A on Query { ...B } fragment B on Query { ...A }"),
        expected: Expected::Refused(ErrorCode::ValidationFailed),
    },
    Hostile {
        name: "a_chain_of_1000_fragments",
        style: Style::PostGraphile,
        body: || {
            let mut text = String::from("{ ...F0 } fragment F1000 on Query { nodeId }");
            for index in 0..1_000 {
                let _ = write!(text, " fragment F{index} on Query{{...F{}}}", index + 1);
            }
            ask(&text)
        },
        expected: Expected::Refused(ErrorCode::TooManyFragments),
    },
    Hostile {
        name: "a_chain_of_500_fragments",
        style: Style::PostGraphile,
        body: || {
            let mut text = String::from("{...F0}fragment F500 on Query{nodeId}");
            for index in 0..500 {
                let _ = write!(text, "fragment F{index} on Query{{...F{}}}", index + 1);
            }
            ask(&text)
        },
        expected: Expected::Refused(ErrorCode::QueryTooDeep),
    },
    Hostile {
        name: "10000_aliases",
        style: Style::PostGraphile,
        body: || ask(&aliases(10_000, "nodeId")),
        expected: Expected::Refused(ErrorCode::TooManyAliases),
    },
    Hostile {
        name: "2400_aliases_of_a_scalar",
        style: Style::PostGraphile,
        body: || ask(&aliases(2_400, "nodeId")),
        expected: Expected::Data,
    },
    Hostile {
        name: "600_aliases_of_a_row",
        style: Style::PostGraphile,
        body: || ask(&aliases(600, "artistById(id:1){id}")),
        expected: Expected::Data,
    },
    Hostile {
        name: "600_aliases_of_a_list",
        style: Style::Phrag,
        body: || ask(&aliases(600, "genres(limit:1){name}")),
        expected: Expected::Data,
    },
    Hostile {
        name: "1000_aliases_of_a_to_one_relation",
        style: Style::PostGraphile,
        body: || {
            let aliases = aliases(1_000, "artistByArtistId{id}");
            ask(&["{ albumByAlbumId(albumId: 1) ", &aliases, " }"].concat())
        },
        expected: Expected::Data,
    },
    Hostile {
        name: "the_same_field_3000_times",
        style: Style::PostGraphile,
        body: || ask(&["{ artistById(id: 1) { ", &"name ".repeat(3_000), "} }"].concat()),
        expected: Expected::Data,
    },
    Hostile {
        name: "the_same_object_700_times",
        style: Style::PostGraphile,
        body: || ask(&["{", &"artistById(id:1){id}".repeat(700), "}"].concat()),
        expected: Expected::Data,
    },
    Hostile {
        name: "relations_beyond_the_depth_limit",
        style: Style::PostGraphile,
        body: || {
            ask(&there_and_back(
                40,
                "allArtistsList(first: 1)",
                "albumsByArtistIdList",
                "artistByArtistId",
            ))
        },
        expected: Expected::Refused(ErrorCode::QueryTooDeep),
    },
    Hostile {
        name: "relations_beyond_the_depth_limit_of_phrag",
        style: Style::Phrag,
        body: || ask(&there_and_back(40, "artists(limit: 1)", "albums(limit: 1)", "artist")),
        expected: Expected::Refused(ErrorCode::QueryTooDeep),
    },
    Hostile {
        name: "relations_within_the_depth_limit",
        style: Style::PostGraphile,
        body: || {
            ask(&there_and_back(
                31,
                "artistById(id: 3)",
                "albumsByArtistIdList(first: 1)",
                "artistByArtistId",
            ))
        },
        expected: Expected::Data,
    },
    Hostile {
        name: "relations_within_the_depth_limit_of_phrag",
        style: Style::Phrag,
        body: || ask(&there_and_back(31, "artists(limit: 1)", "albums(limit: 1)", "artist")),
        expected: Expected::Data,
    },
    Hostile {
        name: "braces_4000_levels_deep",
        style: Style::PostGraphile,
        body: || ask(&"{query".repeat(4_000)),
        expected: Expected::Refused(ErrorCode::QueryTooDeep),
    },
    Hostile {
        name: "lists_9000_levels_deep",
        style: Style::PostGraphile,
        body: || ask(&["{ allArtists(first: ", &"[".repeat(9_000)].concat()),
        expected: Expected::Refused(ErrorCode::QueryTooDeep),
    },
    Hostile {
        name: "list_types_9000_levels_deep",
        style: Style::PostGraphile,
        body: || ask(&["query ($v: ", &"[".repeat(9_000)].concat()),
        expected: Expected::Refused(ErrorCode::QueryTooDeep),
    },
    Hostile {
        name: "a_list_type_of_20_levels",
        style: Style::PostGraphile,
        body: || {
            let text = ["query($v:", &"[".repeat(20), "Int", &"]".repeat(20), "){nodeId}"];
            ask(&text.concat())
        },
        expected: Expected::Refused(ErrorCode::ValidationFailed),
    },
    Hostile {
        name: "a_name_of_a_megabyte",
        style: Style::PostGraphile,
        body: || ask(&["{ ", &"n".repeat(1 << 20), " }"].concat()),
        expected: Expected::Refused(ErrorCode::ValidationFailed),
    },
    Hostile {
        name: "an_alias_of_a_megabyte",
        style: Style::PostGraphile,
        body: || ask(&["{ ", &"n".repeat(1 << 20), ": nodeId }"].concat()),
        expected: Expected::Data,
    },
    Hostile {
        name: "a_megabyte_of_comment",
        style: Style::PostGraphile,
        body: || ask(&["{ nodeId } #", &"c".repeat(1 << 20)].concat()),
        expected: Expected::Data,
    },
    Hostile {
        name: "a_megabyte_of_commas",
        style: Style::PostGraphile,
        body: || ask(&["{ nodeId ", &",".repeat(1 << 20), " }"].concat()),
        expected: Expected::Refused(ErrorCode::QueryTooLarge),
    },
    Hostile {
        name: "a_megabyte_of_fields",
        style: Style::PostGraphile,
        body: || ask(&["{ ", &"nodeId ".repeat(150_000), "}"].concat()),
        expected: Expected::Refused(ErrorCode::QueryTooLarge),
    },
    Hostile {
        name: "a_megabyte_that_is_no_token",
        style: Style::PostGraphile,
        body: || ask(&"%".repeat(1 << 20)),
        expected: Expected::Refused(ErrorCode::QueryTooLarge),
    },
    Hostile {
        name: "a_megabyte_of_an_open_string",
        style: Style::PostGraphile,
        body: || ask(&["{ artistById(id: \"", &"s".repeat(1 << 20)].concat()),
        expected: Expected::Refused(ErrorCode::ParseFailed),
    },
    Hostile {
        name: "900_operations_and_no_name",
        style: Style::PostGraphile,
        body: || {
            let mut text = String::new();
            for index in 0..900 {
                let _ = write!(text, "query Q{index}{{nodeId}}");
            }
            ask(&text)
        },
        expected: Expected::Refused(ErrorCode::OperationResolutionFailure),
    },
    Hostile {
        name: "no_operation",
        style: Style::PostGraphile,
        body: || ask("fragment F on Query { nodeId }"),
        expected: Expected::Refused(ErrorCode::ValidationFailed),
    },
    Hostile {
        name: "a_document_of_types",
        style: Style::PostGraphile,
        body: || ask("type Query { a: Int } schema { query: Query } { nodeId }"),
        expected: Expected::Refused(ErrorCode::ValidationFailed),
    },
    Hostile {
        name: "a_mutation_and_a_subscription",
        style: Style::PostGraphile,
        body: || ask("mutation { createArtist { id } }"),
        expected: Expected::Refused(ErrorCode::ValidationFailed),
    },
    Hostile {
        name: "a_byte_order_mark_in_the_document",
        style: Style::PostGraphile,
        body: || ask("\u{feff}{ nodeId }"),
        expected: Expected::Data,
    },
    Hostile {
        name: "introspection_in_introspection",
        style: Style::PostGraphile,
        body: || {
            let (open, close) = ("fields{type{".repeat(14), "}}".repeat(14));
            ask(&["{__schema{types{", &open, "name", &close, "}}}"].concat())
        },
        expected: Expected::Refused(ErrorCode::QueryTooDeep),
    },
    Hostile {
        name: "300_introspections",
        style: Style::PostGraphile,
        body: || ask(&aliases(300, "__schema{types{name fields{name}}}")),
        expected: Expected::Refused(ErrorCode::QueryTooComplex),
    },
];

/// `{ root { ...F0 } }`, where each fragment has the next one twice.
fn doubling(levels: usize, root: &str, on: &str, left: &str, right: &str, last: &str) -> String {
    let mut text = format!("{{ {root} {{ ...F0 }} }}");
    let close = |opening: &str| "}".repeat(opening.matches('{').count());
    for level in 0..levels {
        let next = level + 1;
        let (left_end, right_end) = (close(left), close(right));
        let _ = write!(
            text,
            " fragment F{level} on {on} {{ {left}{next} {left_end} {right}{next} {right_end} }}"
        );
    }
    let _ = write!(text, " fragment F{levels} on {on} {{ {last} }}");
    text
}

fn doubling_inline(levels: usize) -> String {
    match levels {
        0 => "{ id }".into(),
        _ => {
            let below = doubling_inline(levels - 1);
            ["{ ... ", &below, " ... ", &below, " }"].concat()
        }
    }
}

fn aliases(number: usize, field: &str) -> String {
    let mut text = String::from("{");
    for index in 0..number {
        let _ = write!(text, "a{index}:{field} ");
    }
    text.push('}');
    text
}

/// Rows of rows of rows: a relation and the way back, so many times.
fn there_and_back(times: usize, root: &str, there: &str, back: &str) -> String {
    let mut text = format!("{{ {root} {{");
    for _ in 0..times {
        let _ = write!(text, " {there} {{ {back} {{");
    }
    text.push_str(" __typename");
    text.push_str(&"}".repeat(2 * times + 2));
    text
}
