//! Answers of any document: each text is compiled once.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::document::{Document, Selection, What};
use super::program::Program;
use super::shop::{Data, Subgraph};

/// So many texts are kept; a gateway sends a handful.
const DOCUMENTS: usize = 1_000;

/// Compiled programs.
#[derive(Debug, Default)]
pub(super) struct Live {
    data: Data,
    documents: HashMap<Subgraph, HashMap<String, Known>>,
}

#[derive(Debug)]
struct Known {
    document: Document,
    has_conditions: bool,
    /// Programs by the name of the operation, and by the variables where conditions may use them.
    programs: HashMap<(Option<String>, String), Program>,
}

/// The body of a request.
#[derive(Debug, Deserialize)]
struct Asked<'a> {
    #[serde(borrow)]
    query: Cow<'a, str>,
    #[serde(default)]
    variables: Option<Map<String, Value>>,
    #[serde(default, rename = "operationName")]
    operation: Option<String>,
}

impl Live {
    pub(super) fn new(data: Data) -> Self {
        Self { data, documents: HashMap::new() }
    }

    /// The body of the answer, which tells what is wrong with a request that is.
    pub(super) fn answer(&mut self, subgraph: Subgraph, body: &[u8]) -> Vec<u8> {
        self.answered(subgraph, body).unwrap_or_else(|message| {
            json!({ "errors": [{ "message": message }] }).to_string().into_bytes()
        })
    }

    fn answered(&mut self, subgraph: Subgraph, body: &[u8]) -> Result<Vec<u8>, String> {
        let asked: Asked<'_> = serde_json::from_slice(body).map_err(|error| error.to_string())?;
        let of = (subgraph, self.data);
        let documents = self.documents.entry(subgraph).or_default();
        if !documents.contains_key(asked.query.as_ref()) {
            let document = Document::parse(&asked.query).map_err(|error| error.to_string())?;
            if documents.len() >= DOCUMENTS {
                documents.clear();
            }
            let known = Known {
                has_conditions: has_conditions(&document),
                document,
                programs: HashMap::new(),
            };
            documents.insert(asked.query.clone().into_owned(), known);
        }
        let known = documents.get_mut(asked.query.as_ref()).ok_or("it was just put there")?;
        let operation = asked.operation;
        let mut variables = known.defaults(operation.as_deref());
        variables.extend(asked.variables.unwrap_or_default());
        let steered =
            if known.has_conditions { json!(variables).to_string() } else { String::new() };
        let key = (operation, steered);
        if !known.programs.contains_key(&key) {
            let program = Program::compile(of, &known.document, key.0.as_deref(), &variables);
            let program = program.map_err(|error| error.to_string())?;
            if known.programs.len() >= DOCUMENTS {
                known.programs.clear();
            }
            known.programs.insert(key.clone(), program);
        }
        let program = known.programs.get(&key).ok_or("it was just put there")?;
        Ok(program.answer(&variables))
    }
}

impl Known {
    fn defaults(&self, operation: Option<&str>) -> Map<String, Value> {
        let mut operations = self.document.operations.iter();
        let wanted = operations.find(|one| operation.is_none() || one.name.as_deref() == operation);
        wanted.map(|one| one.defaults.clone()).unwrap_or_default()
    }
}

/// Whether any selection stands under a condition.
fn has_conditions(document: &Document) -> bool {
    let operations = document.operations.iter().map(|one| &one.selections);
    let fragments = document.fragments.values().map(|one| &one.selections);
    operations.chain(fragments).any(|selections| is_conditional(selections))
}

fn is_conditional(selections: &[Selection]) -> bool {
    selections.iter().any(|selection| {
        let beneath = match &selection.what {
            What::Field { selections, .. } | What::Inline { selections, .. } => selections,
            What::Spread(_) => return !selection.conditions.is_empty(),
        };
        !selection.conditions.is_empty() || is_conditional(beneath)
    })
}
