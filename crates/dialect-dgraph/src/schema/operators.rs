//! Operators of filters: the input types that conditions on one value have.

use ir::{Comparison, TextMatch};

use super::section::{Draft, Section};
use crate::model::{Metric, Search};
use api::binding::{FilterRole, InputBinding, InputRole, Meaning, OperatorRole};
use api::draft::{DraftInput, DraftKind};

/// The refusal of a field that no table of the database stores.
pub(super) const MISSING: &str = "The database does not store this.";

/// The suffixes of filters on an enum, behind its name.
pub(super) const ENUM_HASH: &str = "_hash";
pub(super) const ENUM_EXACT: &str = "_exact";

/// The comparisons of values that have an order, in the order of the schema.
const COMPARED: [(&str, Comparison); 4] = [
    ("le", Comparison::LessOrEqual),
    ("lt", Comparison::Less),
    ("ge", Comparison::GreaterOrEqual),
    ("gt", Comparison::Greater),
];

/// The types of values that have an order, with the names of their filters and their ranges.
const ORDERED: [(&str, &str, &str); 5] = [
    ("Int", "IntFilter", "IntRange"),
    ("Int64", "Int64Filter", "Int64Range"),
    ("Float", "FloatFilter", "FloatRange"),
    ("DateTime", "DateTimeFilter", "DateTimeRange"),
    ("String", "StringExactFilter", "StringRange"),
];

/// The ranges of `between`.
pub(super) fn add_ranges(draft: &mut Draft) {
    // The order of the published schema.
    for name in ["Int", "Float", "Int64", "DateTime", "String"] {
        let Some((r#type, _, range)) = ORDERED.iter().find(|(known, ..)| *known == name) else {
            continue;
        };
        let bound = |name, comparison| {
            let role = OperatorRole::Compare(comparison);
            DraftInput::new(name, &format!("{type}!"), InputBinding::lenient(role))
        };
        let members =
            vec![bound("min", Comparison::GreaterOrEqual), bound("max", Comparison::LessOrEqual)];
        draft.add_plain(Section::Base, range, DraftKind::input(members));
    }
}

/// The filters that every schema has.
pub(super) fn add_filters(draft: &mut Draft) {
    let mut add = |name, members| {
        draft.add_plain(Section::Base, name, DraftKind::input(members));
    };
    for (r#type, filter, range) in &ORDERED[..4] {
        add(filter, ordered(r#type, between(range)));
    }
    add(
        "StringTermFilter",
        vec![
            searched("allofterms", TextMatch::AllTerms),
            searched("anyofterms", TextMatch::AnyTerm),
        ],
    );
    add("StringRegExpFilter", vec![searched("regexp", TextMatch::Re2)]);
    add("StringNgramFilter", vec![searched("ngram", TextMatch::AnyStemSequence)]);
    add(
        "StringFullTextFilter",
        vec![searched("alloftext", TextMatch::AllStems), searched("anyoftext", TextMatch::AnyStem)],
    );
    add("StringExactFilter", ordered("String", between("StringRange")));
    add("StringHashFilter", equality("String"));
}

/// The members of the filter on an enum of a `hash` index.
pub(super) fn enum_hash(name: &str) -> Vec<DraftInput> {
    equality(name)
}

/// The members of the filter on an enum of an `exact` index. The bounds of its `between` are one
/// value in Dgraph's schema, so that it has no meaning.
pub(super) fn enum_exact(name: &str) -> Vec<DraftInput> {
    let text = "`between` of an enum has one bound only; use `ge` and `le`.";
    let between = DraftInput::new("between", name, refused(text));
    ordered(name, between)
}

/// The name of the filter of an index on values that are no enum; `None` if the index has none.
pub(super) fn filter_of(search: Search) -> Option<&'static str> {
    Some(match search {
        Search::Bool => "Boolean",
        Search::Int => "IntFilter",
        Search::Int64 => "Int64Filter",
        Search::Float => "FloatFilter",
        Search::Year | Search::Month | Search::Day | Search::Hour => "DateTimeFilter",
        Search::Term => "StringTermFilter",
        Search::Trigram | Search::Regexp => "StringRegExpFilter",
        Search::Ngram => "StringNgramFilter",
        Search::Fulltext => "StringFullTextFilter",
        Search::Exact => "StringExactFilter",
        Search::Hash => "StringHashFilter",
        Search::Geo => "PolygonGeoFilter",
        Search::Hnsw(Metric::Euclidean | Metric::Cosine | Metric::DotProduct, _) => return None,
    })
}

/// A binding that refuses values.
pub(super) fn refused(text: &str) -> InputBinding {
    InputBinding::lenient(InputRole::Refused(text.into()))
}

fn equality(r#type: &str) -> Vec<DraftInput> {
    // Null equals the absence of a value here, and nowhere else.
    let equal = InputBinding {
        role: OperatorRole::Compare(Comparison::Equal).into(),
        null: Meaning::IsNull,
        empty: Meaning::Ignore,
    };
    let among = InputBinding {
        role: OperatorRole::Compare(Comparison::In).into(),
        null: Meaning::Ignore,
        empty: Meaning::False,
    };
    vec![DraftInput::new("eq", r#type, equal), DraftInput::new("in", &format!("[{type}]"), among)]
}

fn ordered(r#type: &str, between: DraftInput) -> Vec<DraftInput> {
    let mut members = equality(r#type);
    members.extend(COMPARED.map(|(name, comparison)| {
        let role = OperatorRole::Compare(comparison);
        DraftInput::new(name, r#type, InputBinding::lenient(role))
    }));
    members.push(between);
    members
}

fn between(range: &str) -> DraftInput {
    DraftInput::new("between", range, InputBinding::lenient(OperatorRole::All))
}

/// A search in texts, each of which has a case of its own.
fn searched(name: &str, r#match: TextMatch) -> DraftInput {
    let role = FilterRole::Operator(OperatorRole::Match { r#match, ignore_case: false });
    DraftInput::new(name, "String", InputBinding::lenient(role))
}
