use hasura_metadata::read_text;
use hyper::Method;
use serde_json::{Value, json};

use super::variables::{self, Declared, GivenValue, RestVariables};
use super::{Matched, RestEndpoints};

/// Metadata with an operation for each REST endpoint: its address, its methods, its text.
fn endpoints(all: &[(&str, &[&str], &str)]) -> Result<RestEndpoints, Vec<String>> {
    let queries = all.iter().enumerate();
    let queries: Vec<Value> = queries
        .map(|(index, (.., text))| json!({ "name": format!("q{index}"), "query": text }))
        .collect();
    let rest = all.iter().enumerate().map(|(index, (url, methods, _))| {
        let query = json!({ "collection_name": "all", "query_name": format!("q{index}") });
        json!({
            "name": format!("e{index}"),
            "url": url,
            "methods": methods,
            "definition": { "query": query },
        })
    });
    let metadata = json!({
        "version": 3,
        "sources": [],
        "query_collections": [{ "name": "all", "definition": { "queries": queries } }],
        "rest_endpoints": rest.collect::<Vec<_>>(),
    });
    let reading = read_text("metadata.json", &metadata.to_string());
    let problems: Vec<_> = reading.problems.iter().map(ToString::to_string).collect();
    let metadata = reading.metadata.unwrap_or_else(|| panic!("{problems:?}"));
    let mut problems = Vec::new();
    let endpoints = RestEndpoints::new(Some(&metadata), &mut problems);
    if problems.is_empty() { Ok(endpoints) } else { Err(problems) }
}

const ANY: &str = "query ($id: Int) { artist(where: {id: {_eq: $id}}) { name } }";

fn found(endpoints: &RestEndpoints, method: &Method, path: &str) -> String {
    match endpoints.find(method, path) {
        Matched::One(endpoint, parameters) => {
            format!("{} {parameters:?}", endpoint.template.text())
        }
        Matched::None => "none".into(),
        Matched::Several => "several".into(),
        Matched::Methods(methods) => format!("{methods:?}"),
    }
}

#[test]
fn addresses_have_parameters() {
    let all = endpoints(&[
        ("artists", &["GET", "POST"], ANY),
        ("artists/:id", &["GET"], ANY),
        ("artists/:id/albums/:album", &["GET"], ANY),
        (":kind/count", &["GET"], ANY),
    ]);
    let all = all.unwrap();
    let get = |path: &str| found(&all, &Method::GET, path);
    assert_eq!(get("artists"), "artists []");
    assert_eq!(get("artists/7"), r#"artists/:id [("id", "7")]"#);
    assert_eq!(get("artists/a%2Fb%20c"), r#"artists/:id [("id", "a/b c")]"#);
    assert_eq!(
        get("artists/7/albums/8"),
        r#"artists/:id/albums/:album [("id", "7"), ("album", "8")]"#
    );
    assert_eq!(get("albums/count"), r#":kind/count [("kind", "albums")]"#);
    assert_eq!(get("artists/count"), "several");
    assert_eq!(get("artists/"), r#"artists/:id [("id", "")]"#);
    assert_eq!(get("nothing"), "none");
    assert_eq!(get("artists/%ff"), "none");
    assert_eq!(found(&all, &Method::DELETE, "artists"), "[GET, POST]");
}

#[test]
fn endpoints_that_cannot_be_served_are_problems() {
    let check = |all: &[(&str, &[&str], &str)], expected: &[&str]| {
        assert_eq!(endpoints(all).err().unwrap(), expected);
    };
    check(
        &[("a/", &["GET"], ANY), ("a/:", &["GET"], ANY), (":a/:a", &["GET"], ANY)],
        &[
            "the REST endpoint `e0` cannot be served: Empty segments or unnamed variables are not \
             allowed: a/",
            "the REST endpoint `e1` cannot be served: Empty segments or unnamed variables are not \
             allowed: a/:",
            "the REST endpoint `e2` cannot be served: `:a/:a` has a parameter twice",
        ],
    );
    check(
        &[("a", &["GET"], "subscription { artist { name } }")],
        &["the REST endpoint `e0` cannot be served: `q0` is a subscription"],
    );
    check(
        &[("a", &["GET"], "{ artist { ...F } } fragment F on artist { name }")],
        &["the REST endpoint `e0` cannot be served: `q0` must have one operation and nothing else"],
    );
    check(
        &[("a/:b", &["GET"], ANY), ("a/:c", &["GET", "PUT"], ANY)],
        &["the REST endpoints `a/:b` and `a/:c` have the same address for a method"],
    );
    assert!(endpoints(&[("a/:b", &["GET"], ANY), ("a/:c", &["PUT"], ANY)]).is_ok());
}

#[test]
fn texts_become_values_by_the_type_of_their_variable() {
    let text = "query ($int: Int!, $float: float8, $text: String, $flag: Boolean, $id: uuid!, \
                $list: [Int!]) { a }";
    let document = graphql::parse_executable(text).unwrap();
    let declared: Vec<_> = document.operations[0].variables.iter().map(Declared::new).collect();
    let check = |name: &str, given: GivenValue, expected: Result<Option<Value>, &str>| {
        let mut all = RestVariables::new();
        all.insert(name.into(), given);
        let resolved = variables::resolve(&declared, all, graphql::JsonLimits::default());
        let resolved = resolved.map(|variables| {
            let text = serde_json_bytes::Value::Object(variables).to_string();
            serde_json::from_str::<Value>(&text).unwrap().get(name).cloned()
        });
        assert_eq!(resolved, expected.map_err(ToOwned::to_owned), "{name}");
    };
    let text = |text: &str| GivenValue::Text(text.into());
    check("int", text("7"), Ok(Some(json!(7))));
    check("int", text("x"), Ok(Some(json!("x"))));
    check("int", text(""), Ok(Some(json!(""))));
    check("float", text("1.5"), Ok(Some(json!(1.5))));
    check("float", text(""), Ok(None));
    check("text", text("7"), Ok(Some(json!("7"))));
    check("flag", text(""), Ok(Some(json!(true))));
    check("flag", text("false"), Ok(Some(json!(false))));
    check("id", text("7"), Ok(Some(json!("7"))));
    check("list", GivenValue::Json(json!([1])), Ok(Some(json!([1]))));
    check(
        "list",
        text("1"),
        Err(
            "List variables are not currently supported in URL or Query parameters. (Variable list, \
             with value \"1\")",
        ),
    );
    check("other", text("1"), Err("Unexpected variable other"));
}
