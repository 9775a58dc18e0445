//! Arguments and variables that are large, deep, at their bounds or of no type.

use graphql::ErrorCode;

use super::{Expected, Hostile, ask, ask_with};
use crate::fuzz::target::Style;

const TRACKS: &str = "query ($where: TrackClauses) { tracks(where: $where, limit: 1) { name } }";
const LIST: &str =
    "query ($ids: [Int]) { tracks(where: { track_id: { in: $ids } }, limit: 1) { name } }";

pub(super) const ALL: &[Hostile] = &[
    Hostile {
        name: "1500_levels_of_or_in_the_document",
        style: Style::Phrag,
        body: || {
            let deep = deep_clauses(1_500, "or:{", "track_id:{eq:1}", "}");
            ask(&["{tracks(where:{", &deep, "}){name}}"].concat())
        },
        expected: Expected::Refused(ErrorCode::QueryTooDeep),
    },
    Hostile {
        name: "90_levels_of_and_in_the_document",
        style: Style::Phrag,
        body: || {
            let deep = deep_clauses(90, "and:{", "track_id:{eq:1}", "}");
            ask(&["{tracks(where:{", &deep, "}){name}}"].concat())
        },
        expected: Expected::Partial(ErrorCode::QueryTooDeep),
    },
    Hostile {
        name: "60_levels_of_and_in_the_document",
        style: Style::Phrag,
        body: || {
            let deep = deep_clauses(60, "and:{", "track_id:{eq:1}", "}");
            ask(&["{tracks(where:{", &deep, "}){name}}"].concat())
        },
        expected: Expected::Data,
    },
    Hostile {
        name: "60_levels_of_or_in_variables",
        style: Style::Phrag,
        body: || {
            let deep = deep_clauses(60, "{\"or\":", "{\"track_id\":{\"eq\":1}}", "}");
            ask_with(TRACKS, &["{\"where\":", &deep, "}"].concat())
        },
        expected: Expected::Data,
    },
    Hostile {
        name: "5000_levels_of_or_in_variables",
        style: Style::Phrag,
        body: || {
            let deep = deep_clauses(5_000, "{\"or\":", "{\"track_id\":{\"eq\":1}}", "}");
            ask_with(TRACKS, &["{\"where\":", &deep, "}"].concat())
        },
        expected: Expected::Refused(ErrorCode::JsonTooDeep),
    },
    Hostile {
        name: "120_levels_of_or_in_variables",
        style: Style::Phrag,
        body: || {
            let deep = deep_clauses(120, "{\"or\":", "{\"track_id\":{\"eq\":1}}", "}");
            ask_with(TRACKS, &["{\"where\":", &deep, "}"].concat())
        },
        expected: Expected::Refused(ErrorCode::JsonTooDeep),
    },
    Hostile {
        name: "1000_clauses_of_or_in_the_document",
        style: Style::Phrag,
        body: || {
            let clauses = "{track_id:{eq:1}}".repeat(1_000);
            ask(&["{tracks(where:{or:[", &clauses, "]}){name}}"].concat())
        },
        expected: Expected::Data,
    },
    Hostile {
        name: "800_different_clauses_of_or_in_the_document",
        style: Style::Phrag,
        body: || {
            let clauses: String = (0..800).map(|id| format!("{{track_id:{{eq:{id}}}}}")).collect();
            ask(&["{tracks(where:{or:[", &clauses, "]}){name}}"].concat())
        },
        expected: Expected::Data,
    },
    Hostile {
        name: "20000_clauses_of_or_in_variables",
        style: Style::Phrag,
        body: || {
            let clauses = many(20_000, |id| format!("{{\"track_id\":{{\"eq\":{id}}}}}"));
            ask_with(TRACKS, &["{\"where\":{\"or\":[", &clauses, "]}}"].concat())
        },
        expected: Expected::Refused(ErrorCode::QueryTooComplex),
    },
    Hostile {
        name: "20000_empty_clauses_of_and_in_variables",
        style: Style::Phrag,
        body: || {
            let clauses = many(20_000, |_| "{}".into());
            ask_with(TRACKS, &["{\"where\":{\"and\":[", &clauses, "]}}"].concat())
        },
        expected: Expected::Refused(ErrorCode::QueryTooComplex),
    },
    Hostile {
        name: "a_list_of_100000_integers_in_variables",
        style: Style::Phrag,
        body: || {
            let items = many(100_000, |id| id.to_string());
            ask_with(LIST, &["{\"ids\":[", &items, "]}"].concat())
        },
        expected: Expected::Data,
    },
    Hostile {
        name: "a_list_of_4000_integers_in_the_document",
        style: Style::Phrag,
        body: || {
            let items: String = (0..4_000).map(|id| format!("{id} ")).collect();
            ask(&["{tracks(where:{track_id:{in:[", &items, "]}},limit:1){name}}"].concat())
        },
        expected: Expected::Data,
    },
    Hostile {
        name: "a_list_of_100000_nulls",
        style: Style::Phrag,
        body: || {
            let items = many(100_000, |_| "null".into());
            ask_with(LIST, &["{\"ids\":[", &items, "]}"].concat())
        },
        expected: Expected::Data,
    },
    Hostile {
        name: "a_list_of_100000_texts_for_integers",
        style: Style::Phrag,
        body: || {
            let items = many(100_000, |_| "\"x\"".into());
            ask_with(LIST, &["{\"ids\":[", &items, "]}"].concat())
        },
        expected: Expected::Refused(ErrorCode::BadUserInput),
    },
    Hostile {
        name: "20000_orders",
        style: Style::PostGraphile,
        body: || {
            let items = many(20_000, |_| "\"NAME_ASC\"".into());
            ask_with(
                "query ($o: [TracksOrderBy!]) { allTracks(orderBy: $o, first: 1) { edges { cursor } } }",
                &["{\"o\":[", &items, "]}"].concat(),
            )
        },
        expected: Expected::Refused(ErrorCode::QueryTooComplex),
    },
    Hostile {
        name: "3000_orders_in_the_document",
        style: Style::PostGraphile,
        body: || {
            let items = "NAME_ASC ".repeat(3_000);
            ask(&["{allTracks(orderBy:[", &items, "]first:1){edges{cursor}}}"].concat())
        },
        expected: Expected::Partial(ErrorCode::BadUserInput),
    },
    Hostile {
        name: "a_text_of_a_megabyte",
        style: Style::PostGraphile,
        body: || {
            let text = "x".repeat(1 << 20);
            ask_with(
                "query ($n: String) { allTracksList(condition: { name: $n }) { name } }",
                &["{\"n\":\"", &text, "\"}"].concat(),
            )
        },
        expected: Expected::Data,
    },
    Hostile {
        name: "a_pattern_of_10000_wildcards",
        style: Style::Phrag,
        body: || {
            let pattern = "%a".repeat(10_000);
            ask(&["{tracks(where:{name:{like:\"", &pattern, "\"}}){name}}"].concat())
        },
        expected: Expected::Refused(ErrorCode::PatternTooComplex),
    },
    Hostile {
        name: "variables_10000_levels_deep",
        style: Style::PostGraphile,
        body: || {
            let deep = ["[".repeat(10_000), "]".repeat(10_000)].concat();
            ask_with("{ nodeId }", &["{\"v\":", &deep, "}"].concat())
        },
        expected: Expected::Refused(ErrorCode::JsonTooDeep),
    },
    Hostile {
        name: "100000_variables_nobody_declares",
        style: Style::PostGraphile,
        body: || {
            let entries = many(100_000, |index| format!("\"v{index}\":{index}"));
            ask_with("{ nodeId }", &["{", &entries, "}"].concat())
        },
        expected: Expected::Data,
    },
    Hostile {
        name: "900_variables_nobody_uses",
        style: Style::PostGraphile,
        body: || {
            let definitions: String = (0..900).map(|index| format!("$v{index}:Int")).collect();
            ask(&["query(", &definitions, "){nodeId}"].concat())
        },
        expected: Expected::Refused(ErrorCode::ValidationFailed),
    },
    Hostile {
        name: "500_variables_that_steer",
        style: Style::PostGraphile,
        body: || {
            let definitions: String =
                (0..500).map(|index| format!("$v{index}:Boolean=true")).collect();
            let fields: String =
                (0..500).map(|index| format!("a{index}:nodeId@skip(if:$v{index})")).collect();
            ask(&["query(", &definitions, "){nodeId ", &fields, "}"].concat())
        },
        expected: Expected::Data,
    },
    Hostile {
        name: "the_largest_page",
        style: Style::PostGraphile,
        body: || {
            ask("{ allGenres(first: 2147483647) { nodes { name } pageInfo { hasNextPage } } }")
        },
        expected: Expected::Data,
    },
    Hostile {
        name: "the_largest_page_below_rows",
        style: Style::PostGraphile,
        body: || {
            ask(
                "{ allGenresList(first: 2) { tracksByGenreId(first: 2147483647, offset: 2147483647) { totalCount pageInfo { hasNextPage hasPreviousPage } } } }",
            )
        },
        expected: Expected::Data,
    },
    Hostile {
        name: "the_largest_offset",
        style: Style::Phrag,
        body: || ask("{ genres(limit: 2147483647, offset: 2147483647) { name } }"),
        expected: Expected::Data,
    },
    Hostile {
        name: "a_page_beyond_32_bits",
        style: Style::PostGraphile,
        body: || ask("{ allGenres(first: 2147483648) { nodes { name } } }"),
        expected: Expected::Refused(ErrorCode::ValidationFailed),
    },
    Hostile {
        name: "a_page_beyond_32_bits_in_variables",
        style: Style::PostGraphile,
        body: || {
            ask_with(
                "query ($n: Int) { allGenres(first: $n) { nodes { name } } }",
                "{\"n\":2147483648}",
            )
        },
        expected: Expected::Refused(ErrorCode::BadUserInput),
    },
    Hostile {
        name: "a_negative_page",
        style: Style::PostGraphile,
        body: || ask("{ allGenres(first: -1) { nodes { name } } }"),
        expected: Expected::Partial(ErrorCode::BadUserInput),
    },
    Hostile {
        name: "a_number_beyond_double_precision",
        style: Style::Phrag,
        body: || ask("{ tracks(where: { unit_price: { eq: 1e400 } }) { name } }"),
        expected: Expected::Refused(ErrorCode::ValidationFailed),
    },
    Hostile {
        name: "an_integer_of_100000_digits",
        style: Style::PostGraphile,
        body: || ask(&["{ artistById(id: ", &"9".repeat(100_000), ") { id } }"].concat()),
        expected: Expected::Refused(ErrorCode::ValidationFailed),
    },
    Hostile {
        name: "a_decimal_of_300_digits",
        style: Style::PostGraphile,
        body: || {
            let digits = "9".repeat(300);
            ask(&["{ allTracksList(condition: { unitPrice: \"", &digits, "\" }) { name } }"]
                .concat())
        },
        expected: Expected::Data,
    },
    Hostile {
        name: "a_zero_byte",
        style: Style::PostGraphile,
        body: || ask("{ allTracksList(condition: { name: \"a\\u0000b\" }) { name } }"),
        expected: Expected::Partial(ErrorCode::BadUserInput),
    },
    Hostile {
        name: "a_lone_surrogate",
        style: Style::PostGraphile,
        body: || ask("{ allTracksList(condition: { name: \"\\uD800\" }) { name } }"),
        expected: Expected::Refused(ErrorCode::ParseFailed),
    },
    Hostile {
        name: "the_same_argument_twice",
        style: Style::PostGraphile,
        body: || ask("{ artistById(id: 1, id: 2) { id } }"),
        expected: Expected::Refused(ErrorCode::ValidationFailed),
    },
    Hostile {
        name: "the_same_input_field_twice",
        style: Style::PostGraphile,
        body: || ask("{ allTracksList(condition: { trackId: 1, trackId: 2 }) { name } }"),
        expected: Expected::Refused(ErrorCode::ValidationFailed),
    },
];

fn deep_clauses(levels: usize, open: &str, inner: &str, close: &str) -> String {
    [&open.repeat(levels), inner, &close.repeat(levels)].concat()
}

fn many(number: usize, item: impl FnMut(usize) -> String) -> String {
    (0..number).map(item).collect::<Vec<_>>().join(",")
}
