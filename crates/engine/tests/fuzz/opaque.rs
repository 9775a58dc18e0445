//! Cursors and node ids that nobody gave out: texts that the API makes and takes back, changed.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use graphql::Request;
use graphql::schema::{FieldId, InputId, Schema, TypeKind, TypeRef};
use libtest_mimic::{Failed, Trial};
use serde_json::Value as Json;
use testkit::fuzz::{self, Choices, mutate};
use tokio::runtime::Runtime;

use super::properties::Attack;
use super::runtime;
use super::target::{Database, Style, Target, Targets, fixtures};

/// What means something in JSON, in such texts, or to the databases that compare with it.
const PIECES: [&[u8]; 34] = [
    b"[",
    b"]",
    b"[]",
    b"{",
    b"}",
    b",",
    b",,",
    b"\"",
    b"null",
    b"true",
    b"0",
    b"-1",
    b"1.5",
    b"1e400",
    b"9223372036854775807",
    b"-9223372036854775809",
    b"99999999999999999999999999999999999999999",
    b"\"primary_key_asc\"",
    b"\"natural\"",
    b"\"query\"",
    b"\"tracks\"",
    b"\"albums\"",
    b"\"NaN\"",
    b"\"infinity\"",
    b"\"\"",
    b"\"'\"",
    b"\"\\u0000\"",
    b"\"\\ud800\"",
    b"\"2020-01-01T00:00:00\"",
    b"\"{}\"",
    b"\"(,)\"",
    b"\"empty\"",
    b"\xff",
    b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
];

/// At each root field, so that all fields get their turn.
const MOST_ORDERS: usize = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Cursor,
    NodeId,
}

/// An operation that takes such a text as its variable.
#[derive(Debug)]
struct Question {
    document: String,
    /// What its own texts say of it, in lower case.
    order: String,
}

struct Asked {
    attack: Attack,
    questions: Vec<Question>,
    /// Operations whose answers have such texts.
    sources: Vec<String>,
    name: String,
}

pub(crate) fn trials(targets: &Arc<Targets>, all: &[Target]) -> Vec<Trial> {
    let kinds = [("cursor", Kind::Cursor), ("node_id", Kind::NodeId)];
    let trials = kinds.map(|(name, kind)| {
        let targets = Arc::clone(targets);
        let all: Vec<Target> = all.iter().copied().filter(is_asked).collect();
        Trial::test(format!("fuzz::{name}"), move || run(name, kind, &targets, &all))
    });
    trials.into()
}

/// The dialect with such texts, over databases with keys and values of all types.
fn is_asked(target: &Target) -> bool {
    target.style == Style::PostGraphile
        && matches!(target.database, Database::SmallShop | Database::Kinds)
}

fn run(name: &str, kind: Kind, targets: &Targets, all: &[Target]) -> Result<(), Failed> {
    let runtime = Rc::new(runtime()?);
    let mut asked = Vec::new();
    for target in all {
        let opened = targets.open(*target)?;
        let attack = runtime.block_on(Attack::on(&opened))?;
        let questions = kind.questions(&opened.schema);
        let sources = kind.sources(&opened.schema, &questions);
        asked.push(Asked { attack, questions, sources, name: target.to_string() });
    }
    let given = given(&runtime, &asked)?;
    if given.len() < 10 {
        return Err(format!("the APIs give only {given:?}").into());
    }
    let make = |choices: &mut Choices<'_>, seeds: &[Vec<u8>]| {
        let from = if choices.below(4) == 0 { seeds } else { &given };
        let mut text = choices.pick(from).cloned().unwrap_or_default();
        match STANDARD.decode(&text) {
            Ok(mut inner) if choices.below(4) > 0 => {
                mutate::mutate(&mut inner, &PIECES, choices);
                STANDARD.encode(inner).into_bytes()
            }
            Ok(_) | Err(_) => {
                mutate::mutate(&mut text, &PIECES, choices);
                text
            }
        }
    };
    let check = |input: &[u8]| {
        let text = String::from_utf8_lossy(input);
        asked.iter().try_for_each(|asked| asked.check(&text, &runtime))
    };
    let target = fuzz::Target { name, cases: 150, make: &make, check: &check };
    Ok(target.run(&fixtures())?)
}

/// The texts that the APIs themselves give out.
fn given(runtime: &Runtime, asked: &[Asked]) -> Result<Vec<Vec<u8>>, Failed> {
    let mut given = BTreeSet::new();
    for asked in asked {
        for document in &asked.sources {
            let request = request(document, Json::Null);
            let outcome = runtime.block_on(asked.attack.send(&request))?;
            find_texts(&outcome.data.unwrap_or_default(), &mut given);
        }
    }
    Ok(given.into_iter().map(String::into_bytes).collect())
}

fn find_texts(value: &Json, found: &mut BTreeSet<String>) {
    match value {
        Json::String(text) => drop(found.insert(text.clone())),
        Json::Array(items) => items.iter().for_each(|item| find_texts(item, found)),
        Json::Object(entries) => entries.values().for_each(|entry| find_texts(entry, found)),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

fn request(document: &str, text: Json) -> Request {
    let variables = [("o".into(), serde_json_bytes::Value::from(text))];
    Request {
        query: document.to_owned(),
        variables: variables.into_iter().collect(),
        ..Request::default()
    }
}

impl Asked {
    /// Asks what the text seems to be for, and something else.
    fn check(&self, text: &str, runtime: &Runtime) -> Result<(), String> {
        let inner = STANDARD.decode(text).unwrap_or_default();
        let inner = String::from_utf8_lossy(&inner).to_lowercase();
        let fitting = self.questions.iter().filter(|question| inner.contains(&question.order));
        let other = text.bytes().map(usize::from).sum::<usize>() % self.questions.len().max(1);
        for question in fitting.take(3).chain(self.questions.get(other)) {
            let request = request(&question.document, Json::from(text));
            runtime
                .block_on(self.attack.send(&request))
                .map_err(|reason| format!("{}: {}: {reason}", self.name, question.document))?;
        }
        Ok(())
    }
}

impl Kind {
    /// What gives cursors also takes them; ids are taken elsewhere than they are given.
    fn sources(self, schema: &Schema, questions: &[Question]) -> Vec<String> {
        match self {
            Self::Cursor => questions.iter().map(|question| question.document.clone()).collect(),
            Self::NodeId => {
                let documents = root_fields(schema).iter().filter_map(|field| {
                    let definition = &schema[*field];
                    let nodes = schema.find_field(definition.r#type.base, "nodes")?;
                    schema.find_field(schema[nodes].r#type.base, "nodeId")?;
                    let name = &definition.name;
                    Some(format!("{{ {name}(first: 2) {{ nodes {{ nodeId }} }} }}"))
                });
                documents.collect()
            }
        }
    }

    fn questions(self, schema: &Schema) -> Vec<Question> {
        let fields = root_fields(schema).iter();
        fields.flat_map(|field| self.questions_of(schema, *field)).collect()
    }

    fn questions_of(self, schema: &Schema, field: FieldId) -> Vec<Question> {
        let definition = &schema[field];
        let name = &definition.name;
        let argument = |name: &str| schema.find_argument(field, name);
        let is_wanted = |id: InputId| schema[id].r#type.is_non_null();
        let base = |r#type: TypeRef| schema[r#type.base].name.clone();
        match self {
            Self::NodeId => {
                let Some(id) = argument("nodeId") else { return Vec::new() };
                let r#type = base(schema[id].r#type);
                let document = format!("query ($o: {type}!) {{ {name}(nodeId: $o) {{ nodeId }} }}");
                let order = name.to_lowercase();
                vec![Question { document, order }]
            }
            Self::Cursor => {
                let (Some(after), Some(order_by)) = (argument("after"), argument("orderBy")) else {
                    return Vec::new();
                };
                // A simple list has no cursors, and a function has arguments of its own.
                let has_edges = schema.find_field(definition.r#type.base, "edges").is_some();
                if !has_edges || definition.arguments.iter().any(|id| is_wanted(*id)) {
                    return Vec::new();
                }
                let r#type = base(schema[after].r#type);
                let TypeKind::Enum { values } = &schema[schema[order_by].r#type.base].kind else {
                    return Vec::new();
                };
                let values = values.iter().map(|value| &schema[*value].name).take(MOST_ORDERS);
                let question = |value: &Arc<str>| Question {
                    document: format!(
                        "query ($o: {type}) {{ {name}(first: 2, orderBy: [{value}], after: $o) \
                         {{ totalCount edges {{ cursor }} pageInfo {{ hasPreviousPage }} }} }}"
                    ),
                    order: value.to_lowercase(),
                };
                values.map(question).collect()
            }
        }
    }
}

fn root_fields(schema: &Schema) -> &[FieldId] {
    match schema.query.map(|query| &schema[query].kind) {
        Some(TypeKind::Object { fields, .. }) => fields,
        _ => &[],
    }
}
