//! The tools that the options name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use graphql::definitions::parse_operations;
use graphql::operation::OperationKind;
use sha2::Digest;

use super::schema_tools::SchemaTool;
use crate::failure::Failure;
use crate::http::persisted::read_manifest;
use crate::options::ServingOptions;

/// Settings of the Model Context Protocol.
#[derive(Debug)]
pub(in crate::http) struct McpSettings {
    /// Operations of documents, sorted by their names.
    pub(super) operations: Vec<OperationTool>,
    pub(super) has_schema: bool,
    pub(super) allows_mutations: bool,
}

/// An operation of a document as a tool.
#[derive(Debug)]
pub(super) struct OperationTool {
    /// The name of the operation, or a longer one if several documents have such an operation.
    pub(super) name: Box<str>,
    pub(super) operation_name: Box<str>,
    pub(super) text: Arc<str>,
    /// The comment above the operation.
    pub(super) comment: Option<Box<str>>,
}

impl McpSettings {
    /// `None` without `--mcp`.
    pub(in crate::http) fn new(options: &ServingOptions) -> Result<Option<Self>, Failure> {
        let own = &options.mcp;
        if !own.mcp {
            return Ok(None);
        }
        let allows_mutations = own.mcp_mutations;
        let operations = match own.documents(&options.persisted) {
            Some(file) => {
                let documents = read_manifest(file).map_err(Failure::other)?;
                operation_tools(documents.into_iter().map(|one| one.text), allows_mutations)
            }
            None => Vec::new(),
        };
        Ok(Some(Self { operations, has_schema: own.has_schema(), allows_mutations }))
    }

    pub(super) fn find(&self, name: &str) -> Option<&OperationTool> {
        let found = self.operations.binary_search_by(|tool| (*tool.name).cmp(name));
        self.operations.get(found.ok()?)
    }
}

/// The tools of documents, sorted by their names. Subscriptions and operations without a name are none.
fn operation_tools(
    documents: impl Iterator<Item = Arc<str>>,
    allows_mutations: bool,
) -> Vec<OperationTool> {
    // Two ids may have the same text.
    let texts: BTreeSet<Arc<str>> = documents.collect();
    let mut by_name: BTreeMap<Arc<str>, Vec<Arc<str>>> = BTreeMap::new();
    let mut unnamed = 0;
    for text in texts {
        // The check of trusted documents tells which ones are no GraphQL.
        for operation in parse_operations(&text).unwrap_or_default() {
            let is_tool = match operation.kind {
                OperationKind::Query => true,
                OperationKind::Mutation => allows_mutations,
                OperationKind::Subscription => false,
            };
            match operation.name {
                Some(name) if is_tool => by_name.entry(name).or_default().push(Arc::clone(&text)),
                None if is_tool => unnamed += 1,
                Some(_) | None => {}
            }
        }
    }
    if unnamed > 0 {
        tracing::warn!(
            unnamed,
            "operations without a name are no tools: agents call tools by name"
        );
    }
    let mut tools = Vec::new();
    for (operation_name, texts) in by_name {
        let is_taken = texts.len() > 1 || SchemaTool::find(&operation_name).is_some();
        for text in texts {
            let name = match is_taken {
                true => format!("{operation_name}-{}", fingerprint(&text)).into(),
                false => (*operation_name).into(),
            };
            let comment = comment_above(&text, &operation_name);
            tools.push(OperationTool {
                name,
                operation_name: (*operation_name).into(),
                comment,
                text,
            });
        }
    }
    tools.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    tools
}

/// The beginning of the hash of a document, which stays the same as long as the document does.
fn fingerprint(text: &str) -> String {
    let hash = sha2::Sha256::digest(text.as_bytes());
    hash.iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

/// The lines of a comment right above an operation.
fn comment_above(text: &str, name: &str) -> Option<Box<str>> {
    let mut comment: Vec<&str> = Vec::new();
    for line in text.lines().map(str::trim) {
        if let Some(words) = line.strip_prefix('#') {
            comment.push(words.trim());
            continue;
        }
        let mut words = line.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        let begins = matches!(words.next(), Some("query" | "mutation"));
        if begins && words.find(|word| !word.is_empty()) == Some(name) {
            let comment = comment.join("\n");
            let comment = comment.trim();
            return (!comment.is_empty()).then(|| comment.into());
        }
        comment.clear();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[&str], allows_mutations: bool) -> Vec<String> {
        let tools = operation_tools(texts.iter().map(|text| Arc::from(*text)), allows_mutations);
        let name = |tool: OperationTool| {
            let comment = tool.comment.map(|comment| format!(": {comment}")).unwrap_or_default();
            format!("{}{comment}", tool.name)
        };
        tools.into_iter().map(name).collect()
    }

    #[test]
    fn named_queries_are_tools_and_mutations_where_they_are_allowed() {
        let texts = [
            "# Finds one.\n#\n# By its id.\nquery One($id: Int!) { a(id: $id) }",
            "mutation Set { b }",
            "subscription Watch { c }",
            "{ a }",
            "no GraphQL",
            "query Two { a } query Three { a }",
        ];
        let read = ["One: Finds one.\n\nBy its id.", "Three", "Two"];
        assert_eq!(names(&texts, false), read);
        let all = ["One: Finds one.\n\nBy its id.", "Set", "Three", "Two"];
        assert_eq!(names(&texts, true), all);
    }

    #[test]
    fn documents_with_the_same_name_have_a_fingerprint() {
        let texts =
            ["query A { a }", "query A { b }", "query A { a }", "query search_schema { a }"];
        let found = names(&texts, false);
        assert_eq!(found.len(), 3);
        assert!(
            found.iter().all(|name| name.rsplit_once('-').is_some_and(|(_, hash)| hash.len() == 8))
        );
        assert_eq!(found, names(&texts, false));
    }

    #[test]
    fn a_comment_belongs_to_the_operation_below_it() {
        let text =
            "# Of A.\nquery A { a }\n# Lost.\n\n query Ab { a }\n  # Of B.\n mutation B { b }";
        let check = |name: &str, comment: Option<&str>| {
            assert_eq!(comment_above(text, name).as_deref(), comment, "{name}");
        };
        check("A", Some("Of A."));
        check("Ab", None);
        check("B", Some("Of B."));
        check("C", None);
    }
}
