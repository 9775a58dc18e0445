//! Full-text and vector indexes, by which nodes are searched for.

use std::collections::BTreeMap;

use catalog::{GraphIndex, GraphIndexKind, GraphPart, GraphSummary};

use super::classes::Classes;
use super::definition::{Argument, Directive};
use super::findings::Finding;
use super::names::{self, Taken};
use super::properties::Properties;
use super::text::quoted;
use crate::model::ApiVersion;

/// How the definitions say that there are indexes to search by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indexes {
    /// By `@fulltext` and, in version 7, `@vector`.
    Directives,
    /// By comments, for an API without searches.
    Comments,
}

impl Indexes {
    /// As a version of the API can search by them.
    #[must_use]
    pub fn served(version: ApiVersion) -> Self {
        match version {
            ApiVersion::V3 => Self::Comments,
            ApiVersion::V7 => Self::Directives,
        }
    }
}

/// What the indexes of one type say.
#[derive(Debug, Default)]
pub(super) struct Searches {
    pub(super) directives: Vec<Directive>,
    /// What no directive of the version says.
    pub(super) comments: Vec<String>,
}

/// An index of a class, as far as the class has what it is over.
struct Use<'s> {
    index: &'s GraphIndex,
    form: Form,
}

enum Form {
    /// The names of the fields.
    Fulltext(Vec<String>),
    Vector,
}

/// What the indexes of each class say, by the places of these; what nothing can be said of is
/// found. Queries get names that are not `taken`.
pub(super) fn searches(
    summary: &GraphSummary,
    classes: &Classes<'_>,
    properties: &[Properties<'_>],
    plurals: &[String],
    (version, indexes): (ApiVersion, Indexes),
    taken: &mut Taken,
    findings: &mut Vec<Finding>,
) -> Vec<Searches> {
    let mut uses: BTreeMap<usize, Vec<Use<'_>>> = BTreeMap::new();
    for index in &summary.indexes {
        let labels = match (&index.kind, &index.of) {
            (GraphIndexKind::Range | GraphIndexKind::Other(_), _)
            | (_, GraphPart::Relationships(_)) => continue,
            (
                GraphIndexKind::Fulltext | GraphIndexKind::Vector { .. },
                GraphPart::Nodes(labels),
            ) => labels,
        };
        for label in labels {
            let Some(class) = classes.find(label) else {
                findings.push(Finding::IndexOfNothing {
                    index: index.name.clone(),
                    label: label.clone(),
                });
                continue;
            };
            match properties.get(class).and_then(|properties| found(index, properties)) {
                Some(form) => uses.entry(class).or_default().push(Use { index, form }),
                None => findings.push(Finding::IndexOfNoField {
                    index: index.name.clone(),
                    label: label.clone(),
                }),
            }
        }
    }
    let classes = 0..classes.all.len();
    classes
        .map(|class| {
            let uses = uses.remove(&class).unwrap_or_default();
            let plural = plurals.get(class).map_or("", String::as_str);
            match indexes {
                Indexes::Directives => said(&uses, plural, version, taken),
                Indexes::Comments => commented(&uses),
            }
        })
        .collect()
}

fn found(index: &GraphIndex, properties: &Properties<'_>) -> Option<Form> {
    let mut fields = index.properties.iter().filter_map(|property| properties.find(property));
    match index.kind {
        GraphIndexKind::Fulltext => {
            let fields: Vec<String> =
                fields.filter(|field| field.is_text()).map(|field| field.name.clone()).collect();
            (!fields.is_empty()).then_some(Form::Fulltext(fields))
        }
        GraphIndexKind::Vector { .. } => {
            fields.any(|field| field.is_vector()).then_some(Form::Vector)
        }
        GraphIndexKind::Range | GraphIndexKind::Other(_) => None,
    }
}

fn said(uses: &[Use<'_>], plural: &str, version: ApiVersion, taken: &mut Taken) -> Searches {
    let count = |fulltext: bool| {
        uses.iter().filter(|found| matches!(found.form, Form::Fulltext(_)) == fulltext).count()
    };
    let (texts, vectors) = (count(true), count(false));
    let mut searches = Searches::default();
    let (mut of_texts, mut of_vectors) = (Vec::new(), Vec::new());
    for Use { index, form: used } in uses {
        let name = ("indexName", Argument::Text(index.name.to_string()));
        let named = |several: usize| (several > 1).then_some(&*index.name);
        match used {
            Form::Fulltext(fields) => {
                let query = taken.take(&names::query_name("search", plural, named(texts)));
                let query = ("queryName", Argument::Text(query));
                let fields = ("fields", Argument::texts(fields.iter().map(String::as_str)));
                of_texts.push(Argument::Object(vec![name, query, fields]));
            }
            Form::Vector => match (version, &*index.properties) {
                (ApiVersion::V7, [property, ..]) => {
                    let query = taken.take(&names::query_name("similar", plural, named(vectors)));
                    let query = ("queryName", Argument::Text(query));
                    let over = ("embeddingProperty", Argument::Text(property.to_string()));
                    of_vectors.push(Argument::Object(vec![name, over, query]));
                }
                (ApiVersion::V7 | ApiVersion::V3, _) => {
                    searches.comments.push(comment(index, used))
                }
            },
        }
    }
    for (name, indexes) in [("fulltext", of_texts), ("vector", of_vectors)] {
        if !indexes.is_empty() {
            let indexes = Argument::List(indexes);
            searches.directives.push(Directive::with(name, [("indexes", indexes)]));
        }
    }
    searches
}

fn commented(uses: &[Use<'_>]) -> Searches {
    let comments = uses.iter().map(|found| comment(found.index, &found.form));
    Searches { directives: Vec::new(), comments: comments.collect() }
}

fn comment(index: &GraphIndex, form: &Form) -> String {
    let kind = match form {
        Form::Fulltext(_) => "full-text",
        Form::Vector => "vector",
    };
    let over: Vec<String> = index.properties.iter().map(|property| quoted(property)).collect();
    format!("There is a {kind} index {} over {}.", quoted(&index.name), over.join(", "))
}
