//! The queries: files of `fixtures/compare/queries/<set>`, each with one request or several.
//!
//! Requests are separated by lines of three dashes. In the comments of a request,
//! `# variables: {…}` gives its variables, and `# take: NAME PATH` gives it a variable out of the
//! answer to the request before, each server's own: cursors are opaque. `# claims: {…}` are those
//! of the token that the request brings; without them it brings none.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use testkit::tokens::Issuer;

/// The audience of tokens, PostGraphile's default.
const AUDIENCE: &str = "postgraphile";

/// A file.
#[derive(Debug, PartialEq)]
pub(crate) struct Query {
    /// The file's name without its ending.
    pub(crate) name: String,
    pub(crate) requests: Vec<Request>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Request {
    document: String,
    variables: Map<String, Value>,
    takes: Vec<Take>,
    /// The claims of the token; no token without them.
    claims: Option<Map<String, Value>>,
}

/// A variable out of the answer before.
#[derive(Debug, PartialEq)]
struct Take {
    variable: String,
    /// The keys and indices to its value, under `data`.
    path: Vec<String>,
}

/// The queries could not be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CorpusError {
    #[error("{}: {error}", .folder.display())]
    Files { folder: PathBuf, error: io::Error },
    #[error("{query}: the line `{line}` makes no sense")]
    Line { query: String, line: String },
}

impl Request {
    /// The body to send, given the answer to the request before.
    pub(crate) fn body(&self, before: Option<&Value>) -> Value {
        let mut variables = self.variables.clone();
        for take in &self.takes {
            let mut value = before.map_or(&Value::Null, |answer| &answer["data"]);
            for key in &take.path {
                value = match key.parse::<usize>() {
                    Ok(index) => &value[index],
                    Err(_) => &value[key.as_str()],
                };
            }
            variables.insert(take.variable.clone(), value.clone());
        }
        json!({ "query": self.document, "variables": variables })
    }

    /// The token to bring, signed with a secret.
    pub(crate) fn token(&self, secret: &str) -> Option<String> {
        let mut claims = self.claims.clone()?;
        claims.entry("aud").or_insert_with(|| AUDIENCE.into());
        Some(Issuer::secret(secret).token(&Value::Object(claims).to_string()))
    }
}

/// All queries of a folder, by name.
pub(crate) fn read(folder: &Path) -> Result<Vec<Query>, CorpusError> {
    let fail = |error| CorpusError::Files { folder: folder.to_owned(), error };
    let mut queries = Vec::new();
    for entry in fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { continue };
        let text = fs::read_to_string(&path).map_err(fail)?;
        queries.push(parse(name, &text)?);
    }
    queries.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(queries)
}

fn parse(name: &str, text: &str) -> Result<Query, CorpusError> {
    let mut requests = Vec::new();
    for document in text.split("\n---\n") {
        let (variables, takes) = (Map::new(), Vec::new());
        let mut request = Request { document: document.to_owned(), variables, takes, claims: None };
        for line in document.lines() {
            let fail = || CorpusError::Line { query: name.to_owned(), line: line.to_owned() };
            if let Some(object) = line.strip_prefix("# variables:") {
                let Ok(Value::Object(variables)) = serde_json::from_str(object) else {
                    return Err(fail());
                };
                request.variables = variables;
            } else if let Some(object) = line.strip_prefix("# claims:") {
                let Ok(Value::Object(claims)) = serde_json::from_str(object) else {
                    return Err(fail());
                };
                request.claims = Some(claims);
            } else if let Some(words) = line.strip_prefix("# take:") {
                let Some((variable, path)) = words.trim().split_once(' ') else {
                    return Err(fail());
                };
                let path = path.split('.').map(str::to_owned).collect();
                request.takes.push(Take { variable: variable.to_owned(), path });
            }
        }
        requests.push(request);
    }
    Ok(Query { name: name.to_owned(), requests })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_come_from_the_file_and_from_the_answer_before() {
        let text = "{ a }\n---\n# variables: {\"n\": 2}\n# take: after a.edges.1.cursor\n{ b }";
        let query = parse("pages", text).expect("the text is right");
        assert_eq!(query.requests[0].body(None), json!({ "query": "{ a }", "variables": {} }));
        let answer = json!({ "data": { "a": { "edges": [{}, { "cursor": "x" }] } } });
        let body = query.requests[1].body(Some(&answer));
        assert_eq!(body["variables"], json!({ "n": 2, "after": "x" }));
    }

    #[test]
    fn claims_are_those_of_a_token() {
        let query = parse("q", "{ a }\n---\n# claims: {\"role\": \"x\"}\n{ b }");
        let query = query.expect("the text is right");
        assert_eq!(query.requests[0].token("secret"), None);
        let token = query.requests[1].token("secret").expect("a token");
        assert_eq!(token.split('.').count(), 3);
        assert_eq!(query.requests[1].token("secret"), Some(token.clone()));
        assert_ne!(query.requests[1].token("other"), Some(token));
    }

    #[test]
    fn a_line_that_makes_no_sense_is_an_error() {
        let check = |text| assert!(parse("q", text).is_err(), "{text}");
        check("# variables: [1]\n{ a }");
        check("# variables: {\n{ a }");
        check("# take: after\n{ a }");
        check("# claims: 1\n{ a }");
    }
}
