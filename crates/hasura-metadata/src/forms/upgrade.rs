//! Metadata of versions 1 and 2, which have one database, as that of version 3.
//!
//! Version 1 has no key `version`, and its functions are names without configuration.
//! <https://hasura.io/docs/2.0/migrations-metadata-seeds/metadata-format/>

use crate::location::Mark;
use crate::node::{Entry, Node, Value};
use crate::problem::ProblemKind;
use crate::reader::Reader;
use crate::types::metadata::Metadata;

/// The variable in which Hasura's servers of these versions find their database.
const DATABASE_VARIABLE: &str = "HASURA_GRAPHQL_DATABASE_URL";

/// Converts the root; metadata of version 3 stays as it is. `None` if a problem was reported.
pub(super) fn to_version_3(root: Node, reader: &mut Reader) -> Option<Node> {
    let Value::Object(_) = &root.value else { return reader.expected(&root, "an object") };
    let version = match root.find("version") {
        None if root.find("tables").is_some() && root.find("sources").is_none() => 1,
        None => return Some(root),
        Some(Node { value: Value::Number(number), .. }) => match number.as_u64() {
            Some(version @ (1 | 2)) => version,
            _ => return Some(root),
        },
        Some(_) => return Some(root),
    };
    let mark = root.mark.clone();
    reader.report(
        ProblemKind::Notice,
        &mark,
        format!(
            "Metadata of version {version} is read as version 3: its tables and functions are \
             those of the source `default`, at the address in {DATABASE_VARIABLE}."
        ),
    );
    let (mut tables, mut functions, mut others) = (None, None, Vec::new());
    for entry in root.into_entries() {
        match entry.key.as_str() {
            "version" => {}
            "tables" => tables = Some(entry),
            "functions" => functions = Some(entry),
            "sources" => {
                let message = "The key `sources` is one of version 3: remove it, or write \
                               `version: 3`.";
                reader.report(ProblemKind::UnknownKey, &entry.mark, message.into());
            }
            key if Metadata::keys().contains(&key) => others.push(entry),
            key => {
                let message = format!("The key `{key}` of metadata is unknown. Remove it.");
                reader.report(ProblemKind::UnknownKey, &entry.mark, message);
            }
        }
    }
    let Some(tables) = tables else {
        reader.report(ProblemKind::MissingKey, &mark, "The key `tables` is missing.".into());
        return None;
    };
    let mut source = vec![text("name", "default", &mark), text("kind", "postgres", &mark), tables];
    if let Some(mut functions) = functions {
        if version == 1
            && let Value::List(items) = &mut functions.node.value
        {
            items.iter_mut().for_each(name_function);
        }
        source.push(functions);
    }
    source.push(configuration(&mark));
    let source = Node { mark: mark.clone(), value: Value::Object(source) };
    let version = Node { mark: mark.clone(), value: Value::Number(3.into()) };
    let sources = Node { mark: mark.clone(), value: Value::List(vec![source]) };
    let mut root = vec![
        Entry::new("version", mark.clone(), version),
        Entry::new("sources", mark.clone(), sources),
    ];
    root.append(&mut others);
    Some(Node { mark, value: Value::Object(root) })
}

/// Makes the name of a function an object with the key `function`.
fn name_function(node: &mut Node) {
    if node.find("function").is_none() {
        let mark = node.mark.clone();
        let name = std::mem::replace(node, Node { mark: mark.clone(), value: Value::Null });
        node.value = Value::Object(vec![Entry::new("function", mark, name)]);
    }
}

fn configuration(mark: &Mark) -> Entry {
    let object = |key, entry| {
        let node = Node { mark: mark.clone(), value: Value::Object(vec![entry]) };
        Entry::new(key, mark.clone(), node)
    };
    let variable = text("from_env", DATABASE_VARIABLE, mark);
    object("configuration", object("connection_info", object("database_url", variable)))
}

fn text(key: &str, value: &str, mark: &Mark) -> Entry {
    Entry::new(key, mark.clone(), Node::text(mark.clone(), value))
}
