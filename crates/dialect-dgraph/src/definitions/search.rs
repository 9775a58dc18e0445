//! `@search`: the indexes of a field.

use graphql::definitions::problem::{At, Problems, alternatives};
use graphql::definitions::{Directive, Literal};

use super::directives::{Applied, Known, find_argument};
use crate::model::{Base, Candidates, FieldType, Metric, Scalar, Search};

/// Dgraph's number of candidates for the neighbors of a new vector, for each digit of the expected
/// number of vectors.
const CANDIDATES_OF_DIGIT: u32 = 50;

/// Dgraph's number of vectors that a search visits, for each such digit.
const VISITED_OF_DIGIT: u32 = 30;

/// The least and the greatest `ef_construction` of pgvector's indexes with its default of 16
/// neighbors: <https://github.com/pgvector/pgvector#hnsw>.
const LEAST_CANDIDATES: u32 = 32;
const MOST_CANDIDATES: u32 = 1_000;

/// The indexes of a field, by name. An `@id` text always has one for equality.
pub(super) fn read(
    at: At<'_>,
    r#type: FieldType,
    applied: &Applied<'_>,
    problems: &mut Problems,
) -> Vec<Search> {
    let is_id = applied.has(Known::Id);
    let mut search = match applied.find(Known::Search) {
        Some(directive) => written(at, r#type, directive, applied, problems),
        None if is_id && r#type.base == Base::Scalar(Scalar::String) => vec![Search::Hash],
        None if is_id => default_index(r#type.base).into_iter().collect(),
        None => return Vec::new(),
    };
    let is_compared = search.iter().any(|search| matches!(search, Search::Hash | Search::Exact));
    let is_default = |directive: &Directive| elements(directive).is_none_or(|all| all.is_empty());
    let has_names = applied.find(Known::Search).is_some_and(|directive| !is_default(directive));
    if is_id && has_names && !is_compared && r#type.base == Base::Scalar(Scalar::String) {
        search.push(Search::Hash);
    }
    search.sort_unstable();
    search
}

fn written(
    at: At<'_>,
    r#type: FieldType,
    directive: &Directive,
    applied: &Applied<'_>,
    problems: &mut Problems,
) -> Vec<Search> {
    let at = at.directive(directive);
    let names = names(r#type.base);
    if names.is_empty() {
        let message = "`@search` applies to scalars but ID, and to enums: remove it";
        problems.refuse(at, message);
        return Vec::new();
    }
    let Some(elements) = elements(directive) else {
        let message = "`by` of `@search` is no list: write `@search(by: [hash])`";
        problems.refuse(at, message);
        return Vec::new();
    };
    if elements.is_empty() {
        return default_index(r#type.base).into_iter().collect();
    }
    let mut found: Vec<(Search, &str)> = Vec::new();
    for element in elements {
        let text = match element {
            Literal::String(text) | Literal::Enum(text) => text.trim(),
            _ => "",
        };
        let name = text.split_once('(').map_or(text, |(name, _)| name.trim_end());
        if !names.contains(&name) {
            let message =
                format!("there is no search by `{name}` of this type: use {}", alternatives(names));
            problems.refuse(at, message);
            continue;
        }
        let Some(search) = index(name, text) else {
            let message = format!(
                "the options of `{text}` are malformed: write \
                 \"hnsw(metric: euclidean, exponent: 4)\", with euclidean, cosine or dotproduct"
            );
            problems.refuse(at, message);
            continue;
        };
        if matches!(search, Search::Hnsw(..)) && !applied.has(Known::Embedding) {
            problems.refuse(at, "search by `hnsw` needs an embedding: add `@embedding`");
        }
        match found.iter().find(|(known, _)| filter(*known) == filter(search)) {
            Some((_, other)) => {
                let message =
                    format!("searches by `{other}` and `{name}` exclude each other: keep one");
                problems.refuse(at, message);
            }
            None => found.push((search, name)),
        }
    }
    found.into_iter().map(|(search, _)| search).collect()
}

/// The elements of `by`, or no ones without it; `None` if it is no list.
fn elements(directive: &Directive) -> Option<&[Literal]> {
    match find_argument(directive, "by").map(|argument| &argument.value) {
        None | Some(Literal::Null) => Some(&[]),
        Some(Literal::List(elements)) => Some(elements),
        Some(_) => None,
    }
}

fn names(base: Base) -> &'static [&'static str] {
    match base {
        Base::Scalar(Scalar::Boolean) => &["bool"],
        Base::Scalar(Scalar::Int) => &["int"],
        Base::Scalar(Scalar::Int64) => &["int64"],
        Base::Scalar(Scalar::Float) => &["float", "hnsw"],
        Base::Scalar(Scalar::String) => {
            &["exact", "fulltext", "hash", "ngram", "regexp", "term", "trigram"]
        }
        Base::Scalar(Scalar::DateTime) => &["year", "month", "day", "hour"],
        Base::Scalar(Scalar::Point) => &["point"],
        Base::Scalar(Scalar::Polygon) => &["polygon"],
        Base::Scalar(Scalar::MultiPolygon) => &["multiPolygon"],
        Base::Enum(_) => &["exact", "hash", "ngram", "regexp", "trigram"],
        Base::Scalar(Scalar::Id) | Base::Type(_) | Base::Union(_) | Base::Input(_) => &[],
    }
}

fn default_index(base: Base) -> Option<Search> {
    Some(match base {
        Base::Scalar(Scalar::Boolean) => Search::Bool,
        Base::Scalar(Scalar::Int) => Search::Int,
        Base::Scalar(Scalar::Int64) => Search::Int64,
        Base::Scalar(Scalar::Float) => Search::Float,
        Base::Scalar(Scalar::String) => Search::Term,
        Base::Scalar(Scalar::DateTime) => Search::Year,
        Base::Scalar(Scalar::Point | Scalar::Polygon | Scalar::MultiPolygon) => Search::Geo,
        Base::Enum(_) => Search::Hash,
        Base::Scalar(Scalar::Id) | Base::Type(_) | Base::Union(_) | Base::Input(_) => return None,
    })
}

/// `text` has the options of `hnsw`; without a metric it is Euclidean.
fn index(name: &str, text: &str) -> Option<Search> {
    Some(match name {
        "bool" => Search::Bool,
        "day" => Search::Day,
        "exact" => Search::Exact,
        "float" => Search::Float,
        "fulltext" => Search::Fulltext,
        "hash" => Search::Hash,
        "hour" => Search::Hour,
        "int" => Search::Int,
        "int64" => Search::Int64,
        "month" => Search::Month,
        "ngram" => Search::Ngram,
        "regexp" => Search::Regexp,
        "term" => Search::Term,
        "trigram" => Search::Trigram,
        "year" => Search::Year,
        "point" | "polygon" | "multiPolygon" => Search::Geo,
        "hnsw" => hnsw(text)?,
        _ => return None,
    })
}

/// An index of vectors. `exponent` is the number of digits of the number of vectors, by which Dgraph
/// chooses the numbers of candidates; `maxLevels` has no meaning for the index.
fn hnsw(text: &str) -> Option<Search> {
    let mut metric = Metric::Euclidean;
    let (mut exponent, mut construction, mut search) = (None, None, None);
    let options = match text.split_once('(') {
        Some((_, options)) => options.strip_suffix(')')?.split(',').collect(),
        None => Vec::new(),
    };
    for option in options {
        // The space is needed, as in YAML.
        let (name, value) = option.split_once(": ")?;
        let value = value.trim().trim_matches(['"', '\'']);
        let number = || value.parse::<u32>().ok();
        match name.trim() {
            "metric" => {
                metric = match value {
                    "euclidean" => Metric::Euclidean,
                    "cosine" => Metric::Cosine,
                    "dotproduct" => Metric::DotProduct,
                    _ => return None,
                }
            }
            "exponent" => exponent = Some(number()?),
            "efConstruction" => construction = Some(number()?),
            "efSearch" => search = Some(number()?),
            "maxLevels" => {
                number()?;
            }
            _ => return None,
        }
    }
    let by_exponent = |of_digit| exponent.map(|exponent: u32| exponent.saturating_mul(of_digit));
    let construction = construction.or_else(|| by_exponent(CANDIDATES_OF_DIGIT));
    let construction = construction.map(|count| count.clamp(LEAST_CANDIDATES, MOST_CANDIDATES));
    let search = search.or_else(|| by_exponent(VISITED_OF_DIGIT));
    let small = |count: u32| u16::try_from(count).unwrap_or(u16::MAX);
    let candidates = Candidates {
        construction: construction.map(small),
        search: search.map(|count| small(count.max(1))),
    };
    Some(Search::Hnsw(metric, candidates))
}

/// Indexes with the same filter exclude each other, and so do `hash` and `exact`.
fn filter(search: Search) -> &'static str {
    match search {
        Search::Bool => "Boolean",
        Search::Day | Search::Hour | Search::Month | Search::Year => "DateTimeFilter",
        Search::Exact | Search::Hash => "equality",
        Search::Float => "FloatFilter",
        Search::Fulltext => "StringFullTextFilter",
        Search::Geo => "geo",
        Search::Hnsw(..) => "hnsw",
        Search::Int => "IntFilter",
        Search::Int64 => "Int64Filter",
        Search::Ngram => "StringNgramFilter",
        Search::Regexp | Search::Trigram => "StringRegExpFilter",
        Search::Term => "StringTermFilter",
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::tests::{check, refused};
    use crate::model::{Candidates, Metric, Model, Search};

    fn searches(model: &Model) -> Vec<String> {
        let fields = model.types.iter().flat_map(|r#type| &r#type.fields);
        fields.map(|field| format!("{}: {:?}", field.name, field.search)).collect()
    }

    #[test]
    fn each_type_has_a_default_index() {
        let text = "type A { none: String a: String @search b: Int @search(by: []) c: Int64 @search\n\
                    d: Float @search e: Boolean @search f: DateTime @search g: Point @search\n\
                    h: Polygon @search i: MultiPolygon @search j: E @search k: [String!]! @search }\n\
                    enum E { F }";
        check(
            text,
            searches,
            &expect![[r#"
            [
                "none: []",
                "a: [Term]",
                "b: [Int]",
                "c: [Int64]",
                "d: [Float]",
                "e: [Bool]",
                "f: [Year]",
                "g: [Geo]",
                "h: [Geo]",
                "i: [Geo]",
                "j: [Hash]",
                "k: [Term]",
            ]
        "#]],
        );
    }

    #[test]
    fn an_index_of_vectors_has_as_many_candidates_as_postgresql_permits() {
        let check = |options: &str, construction: Option<u16>, search: Option<u16>| {
            let found = super::hnsw(&format!("hnsw({options})"));
            let expected = Search::Hnsw(Metric::Cosine, Candidates { construction, search });
            assert_eq!(found, Some(expected), "{options}");
        };
        check("metric: cosine", None, None);
        check("metric: cosine, maxLevels: 3, efSearch: 90", None, Some(90));
        check("metric: cosine, exponent: 4", Some(200), Some(120));
        check("metric: cosine, exponent: 4, efSearch: 50", Some(200), Some(50));
        check("exponent: 4, efConstruction: 120, metric: cosine", Some(120), Some(120));
        check("metric: cosine, efConstruction: 1", Some(32), None);
        check("metric: cosine, exponent: \"30\"", Some(1_000), Some(900));
        check("metric: cosine, exponent: 4294967295", Some(1_000), Some(65_535));
        assert_eq!(super::hnsw("hnsw(exponent: -1)"), None);
        assert_eq!(super::hnsw("hnsw(efSearch: many)"), None);
    }

    #[test]
    fn indexes_are_named_with_and_without_quotes() {
        let text = "type A { a: String @search(by: [trigram, \"term\", hash, fulltext, ngram])\n\
                    b: DateTime @search(by: [hour]) c: E @search(by: [\"exact\", regexp])\n\
                    d: Point @search(by: [point]) e: [Float!] @embedding @search(by: [\"hnsw\"])\n\
                    f: [Float!] @embedding @search(by: [\"hnsw(metric: dotproduct, exponent: 6)\"])\n\
                    g: [Float!] @embedding @search(by: [\"hnsw (metric: cosine)\"]) }\n\
                    enum E { F }";
        check(
            text,
            searches,
            &expect![[r#"
                [
                    "a: [Fulltext, Hash, Ngram, Term, Trigram]",
                    "b: [Hour]",
                    "c: [Exact, Regexp]",
                    "d: [Geo]",
                    "e: [Hnsw(Euclidean, Candidates { construction: None, search: None })]",
                    "f: [Hnsw(DotProduct, Candidates { construction: Some(300), search: Some(180) })]",
                    "g: [Hnsw(Cosine, Candidates { construction: None, search: None })]",
                ]
            "#]],
        );
    }

    #[test]
    fn external_keys_have_an_index_for_equality() {
        let text = "type A { a: String! @id b: Int! @id c: Int64! @id d: String! @id @search\n\
                    e: String! @id @search(by: [regexp]) f: String! @id @search(by: [exact])\n\
                    g: Int! @id @search(by: [int]) }";
        check(
            text,
            searches,
            &expect![[r#"
            [
                "a: [Hash]",
                "b: [Int]",
                "c: [Int64]",
                "d: [Term]",
                "e: [Hash, Regexp]",
                "f: [Exact]",
                "g: [Int]",
            ]
        "#]],
        );
    }

    #[test]
    fn wrong_indexes_are_refused() {
        let text = "type A {\n a: String @search(by: [day, term])\n b: Int @search(by: [\"bogus\"])\n\
                    c: String @search(by: hash)\n d: A @search\n id: ID! @search\n\
                    e: String @search(by: [hash, exact])\n f: String @search(by: [regexp, trigram])\n\
                    g: DateTime @search(by: [hour, year])\n h: E @search(by: [term])\n\
                    i: [Float!] @search(by: [hnsw])\n\
                    j: [Float!] @embedding @search(by: [\"hnsw(metric:cosine)\", \"hnsw()\"])\n\
                    k: [Float!] @embedding @search(by: [\"hnsw(metric: manhattan)\", \"hnsw(a: 1)\"])\n\
                    l: Int64 @search(by: [int])\n}\nenum E { F }";
        refused(
            text,
            &expect![[r#"
            line 2, column 13: A.a: there is no search by `day` of this type: use exact, fulltext, hash, ngram, regexp, term or trigram
            line 3, column 10: A.b: there is no search by `bogus` of this type: use int
            line 4, column 12: A.c: `by` of `@search` is no list: write `@search(by: [hash])`
            line 5, column 8: A.d: `@search` applies to scalars but ID, and to enums: remove it
            line 6, column 11: A.id: `@search` applies to scalars but ID, and to enums: remove it
            line 7, column 12: A.e: searches by `hash` and `exact` exclude each other: keep one
            line 8, column 13: A.f: searches by `regexp` and `trigram` exclude each other: keep one
            line 9, column 14: A.g: searches by `hour` and `year` exclude each other: keep one
            line 10, column 8: A.h: there is no search by `term` of this type: use exact, hash, ngram, regexp or trigram
            line 11, column 14: A.i: search by `hnsw` needs an embedding: add `@embedding`
            line 12, column 25: A.j: the options of `hnsw(metric:cosine)` are malformed: write "hnsw(metric: euclidean, exponent: 4)", with euclidean, cosine or dotproduct
            line 12, column 25: A.j: the options of `hnsw()` are malformed: write "hnsw(metric: euclidean, exponent: 4)", with euclidean, cosine or dotproduct
            line 13, column 25: A.k: the options of `hnsw(metric: manhattan)` are malformed: write "hnsw(metric: euclidean, exponent: 4)", with euclidean, cosine or dotproduct
            line 13, column 25: A.k: the options of `hnsw(a: 1)` are malformed: write "hnsw(metric: euclidean, exponent: 4)", with euclidean, cosine or dotproduct
            line 14, column 11: A.l: there is no search by `int` of this type: use int64
        "#]],
        );
    }
}
