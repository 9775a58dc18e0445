//! Indexes by which nodes are searched for: `@fulltext` and `@vector`.

use std::collections::HashMap;
use std::sync::Arc;

use graphql::definitions::{Literal, TypeExpression};
use graphql::schema::is_name;

use super::directives::{Arguments, Known};
use super::problem::{At, Problems, Unserved};
use super::types::{Type, Types};
use crate::model::{ApiVersion, FulltextIndex, NodeType, VectorIndex};
use crate::shared::naming::{TypeNames, upper_first};

/// One object of the argument `indexes`, whose members were checked.
#[derive(Clone, Copy)]
struct Index<'d>(&'d [(Arc<str>, Literal)]);

impl<'d> Index<'d> {
    fn value(self, name: &str) -> Option<&'d Literal> {
        self.0.iter().find(|(known, _)| &**known == name).map(|(_, value)| value)
    }

    fn text(self, name: &str) -> Option<&'d Arc<str>> {
        match self.value(name)? {
            Literal::String(text) => Some(text),
            _ => None,
        }
    }

    fn texts(self, name: &str) -> Vec<&'d Arc<str>> {
        let text = |literal: &'d Literal| match literal {
            Literal::String(text) => Some(text),
            _ => None,
        };
        match self.value(name) {
            Some(Literal::List(items)) => items.iter().filter_map(text).collect(),
            one => one.and_then(text).into_iter().collect(),
        }
    }
}

/// The full-text indexes of a type.
pub(super) fn fulltext(
    version: ApiVersion,
    r#type: &Type<'_>,
    problems: &mut Problems,
) -> Vec<FulltextIndex> {
    let Some(said) = r#type.said.find(Known::Fulltext) else { return Vec::new() };
    let at = r#type.at().on_line(said.line());
    let mut indexes: Vec<FulltextIndex> = Vec::new();
    for index in all(said) {
        let named = match version {
            ApiVersion::V3 => named_in_v3(r#type, index, at, problems),
            ApiVersion::V7 => named(index, at, problems).map(|(name, query)| (name, query.clone())),
        };
        let Some((name, query)) = named else { continue };
        let fields: Vec<Arc<str>> = index.texts("fields").into_iter().cloned().collect();
        if fields.is_empty() {
            problems.wrong(at, format!("the index {name:?} of `@fulltext` is over no fields"));
        }
        for field in &fields {
            if !is_text(r#type, field) {
                let message = format!(
                    "the index {name:?} of `@fulltext` is over `{field}`, and that is no field of \
                     the type `String` or `ID`"
                );
                problems.wrong(at, message);
            }
        }
        if indexes.iter().any(|known| known.index == *name) {
            problems.wrong(at, format!("`@fulltext` has two indexes of the name {name:?}"));
        }
        indexes.push(FulltextIndex { index: name.clone(), query: Some(query), fields });
    }
    indexes
}

/// The indexes of vectors of a type.
pub(super) fn vectors(r#type: &Type<'_>, problems: &mut Problems) -> Vec<VectorIndex> {
    let Some(said) = r#type.said.find(Known::Vector) else { return Vec::new() };
    let at = r#type.at().on_line(said.line());
    let mut indexes = Vec::new();
    for index in all(said) {
        let Some((name, query)) = named(index, at, problems) else { continue };
        let has_provider = index.value("provider").is_some_and(|value| *value != Literal::Null);
        if has_provider {
            let subject = format!("`provider` of the index {name:?}");
            problems.not_served(at, subject, Unserved::Phrases);
        }
        match index.value("maxPhraseLength") {
            None | Some(Literal::Null) => {}
            Some(_) if has_provider => {}
            Some(_) => {
                let message = format!(
                    "`maxPhraseLength` of the index {name:?} is of phrases: without a `provider` \
                     it is searched by vectors alone"
                );
                problems.wrong(at, message);
            }
        }
        let Some(property) = index.text("embeddingProperty") else { continue };
        problems.check_name(at, "`embeddingProperty`", property);
        let (index, query) = (name.clone(), query.clone());
        indexes.push(VectorIndex { index, query, property: property.clone() });
    }
    indexes
}

fn all<'d>(said: Arguments<'d>) -> impl Iterator<Item = Index<'d>> {
    let value = said.value("indexes");
    let items = value.map_or(&[][..], |value| match value {
        Literal::List(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    });
    items.iter().filter_map(|item| match item {
        Literal::Object(members) => Some(Index(members)),
        _ => None,
    })
}

/// The name of the index, and that of its root field.
fn named<'d>(
    index: Index<'d>,
    at: At<'_>,
    problems: &mut Problems,
) -> Option<(&'d Arc<str>, &'d Arc<str>)> {
    let (name, query) = (index.text("indexName")?, index.text("queryName")?);
    problems.check_name(at, "`indexName`", name);
    check_query(query, at, problems);
    Some((name, query))
}

/// The same in version 3, which has an older name for the first, and makes the second if it is not
/// said. Types and members are named by the index, too.
fn named_in_v3<'d>(
    r#type: &Type<'d>,
    index: Index<'d>,
    at: At<'_>,
    problems: &mut Problems,
) -> Option<(&'d Arc<str>, Arc<str>)> {
    let name = index.text("indexName").or_else(|| index.text("name"));
    let Some(name) = name.filter(|name| is_name(name)) else {
        let message = match name {
            Some(name) => format!("{name:?} is no name that a part of the API can have"),
            None => "an index of `@fulltext` wants `indexName`".to_owned(),
        };
        problems.wrong(at, message);
        return None;
    };
    let query = match index.text("queryName").filter(|query| !query.is_empty()) {
        Some(query) => {
            check_query(query, at, problems);
            query.clone()
        }
        None => format!("{}Fulltext{}", plural(r#type), upper_first(name)).into(),
    };
    Some((name, query))
}

fn check_query(query: &str, at: At<'_>, problems: &mut Problems) {
    if !is_name(query) || query.starts_with("__") {
        problems.wrong(at, format!("{query:?} is no name that a query can have"));
    }
}

/// What the lists of a type are called.
fn plural(r#type: &Type<'_>) -> String {
    let said = r#type.said.find(Known::Plural).and_then(|plural| plural.text("value"));
    // version 3 says it so, too.
    let said = said.or_else(|| r#type.said.find(Known::Node)?.text("plural"));
    TypeNames::new(r#type.name(), said.map(|said| &**said)).plural
}

fn is_text(r#type: &Type<'_>, field: &str) -> bool {
    let mut fields = r#type.fields().iter();
    let found = fields.find(|known| *known.definition.name == *field);
    found.is_some_and(|known| match &known.definition.r#type {
        TypeExpression::Named { name, .. } => matches!(&**name, "String" | "ID"),
        TypeExpression::List { .. } => false,
    })
}

/// Reports searches that would have the name of another root field: the library shows one of them.
pub(super) fn check_queries(types: &Types<'_>, nodes: &[NodeType], problems: &mut Problems) {
    if nodes.iter().all(|node| node.fulltext.is_empty() && node.vector.is_empty()) {
        return;
    }
    let mut taken: HashMap<String, String> = HashMap::new();
    for r#type in types.nodes.iter().chain(&types.interfaces).chain(&types.unions) {
        let plural = plural(r#type);
        let list = format!("the list of `{}`", r#type.name());
        taken.insert(format!("{plural}Connection"), list.clone());
        if types.version == ApiVersion::V3 {
            taken.insert(format!("{plural}Aggregate"), list.clone());
        }
        taken.insert(plural, list);
    }
    for (node, r#type) in nodes.iter().zip(&types.nodes) {
        let fulltext = node.fulltext.iter().filter_map(|index| {
            index.query.as_ref().map(|query| (Known::Fulltext, &index.index, query))
        });
        let vectors = node.vector.iter();
        let vectors = vectors.map(|index| (Known::Vector, &index.index, &index.query));
        for (known, index, query) in fulltext.chain(vectors) {
            let own = format!("the index {index:?} of `{}`", node.name);
            if let Some(other) = taken.get(&**query) {
                let line = r#type.said.find(known).map_or(r#type.at().line, Arguments::line);
                let message =
                    format!("`{query}` is the query of {other} too: say another `queryName`");
                problems.wrong(r#type.at().on_line(line), message);
            } else {
                taken.insert((&**query).into(), own);
            }
        }
    }
}
