//! Requests of connectors.

use http::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};

use crate::connector::{
    Connector, Coordinate, Errors, Header, HeaderValueSource, Http, Resolves, Source,
};
use crate::mapping::{Limits, Mapping};
use crate::request::{HttpRequest, RequestError};
use crate::template::{FillError, Template};
use crate::url::UrlTemplate;
use crate::variables::{Variable, Variables};
use crate::version::Version;

const VERSION: Version = Version::V0_3;

fn mapping(text: &str) -> Mapping {
    Mapping::parse(text, VERSION).expect("the mapping is valid")
}

fn http(url: &str) -> Http {
    let url = UrlTemplate::parse(url, VERSION).expect("the URL is valid");
    Http { url, path: None, query_params: None, headers: Vec::new() }
}

fn header(name: &'static str, value: &str) -> Header {
    let value = Template::parse(value, VERSION).expect("the template is valid");
    let name = HeaderName::from_static(name);
    Header { name, value: HeaderValueSource::Value(value) }
}

fn forwarded(name: &'static str, from: &'static str) -> Header {
    let from = HeaderName::from_static(from);
    Header { name: HeaderName::from_static(name), value: HeaderValueSource::From(from) }
}

fn connector(http: Http) -> Connector {
    Connector {
        version: VERSION,
        coordinate: Coordinate { type_name: "Query".into(), field: Some("a".into()), index: 0 },
        id: None,
        source: None,
        method: http::Method::POST,
        http,
        body: None,
        selection: mapping("$"),
        resolves: Resolves::Field,
        batch: None,
        errors: Errors::default(),
        is_success: None,
    }
}

fn source(http: Http) -> Option<std::sync::Arc<Source>> {
    let errors = Errors::default();
    Some(Source { name: "api".into(), http, errors, is_success: None }.into())
}

fn request(connector: &Connector) -> Result<HttpRequest, RequestError> {
    let args = json!({
        "id": "a/b?c#d", "n": 3, "on": true, "none": null, "ids": [1, 2, null], "path": ["x y", 2],
        "dots": "..", "o": { "t": "Hello, world!", "l": ["p", { "q": "1 2" }], "e": null }, "line": "a\nb"
    });
    let config = json!({
        "token": "secret", "base": ["v1", "é"], "url": "https://x.y:81/z?q={1}", "host": "h.i", "port": 82,
        "user": "a:b@c"
    });
    let variables = Variables::new().with(Variable::Args, &args).with(Variable::Config, &config);
    let mut client = HeaderMap::new();
    client.insert("x-client", HeaderValue::from_static("1"));
    client.append("x-client", HeaderValue::from_static("2"));
    connector.request(&variables, &client, &Limits::default())
}

#[track_caller]
fn url(url: &str, expected: &str) {
    let request = request(&connector(http(url))).expect("a request");
    assert_eq!(request.uri.to_string(), expected);
}

#[test]
fn values_are_encoded_in_urls() {
    url("https://a.b/users/{$args.id}", "https://a.b/users/a%2Fb%3Fc%23d");
    url("https://a.b:8080/x-{$args.n}-{$args.on}/y", "https://a.b:8080/x-3-true/y");
    url("https://a.b?q={$args.id}&n={$args.n}", "https://a.b/?q=a%2Fb%3Fc%23d&n=3");
    url("https://a.b/?{$args.n}={$args.id}", "https://a.b/?3=a%2Fb%3Fc%23d");
    url("https://a.b/?ids={$args.ids->joinNotNull(',')}", "https://a.b/?ids=1%2C2");
    url("https://a.b/?x=a{$args.n}b=c&y", "https://a.b/?x=a3b=c&y");
    url("https://a.b/{$args.n}?a?b", "https://a.b/3?a?b");
    url("https://a.b/é/[x]/a%20b", "https://a.b/%C3%A9/[x]/a%20b");
    url("https://a.b/{$(\"}\")}", "https://a.b/%7D");
    url("https://a.b/ c d/?e=f g", "https://a.b/%20c%20d/?e=f%20g");
}

#[test]
fn slashes_are_those_of_the_template() {
    url("https://a.b", "https://a.b/");
    url("https://a.b/", "https://a.b/");
    url("https://a.b/c/", "https://a.b/c/");
    url("https://a.b/{$args.none}/c", "https://a.b//c");
    url("https://a.b/c/{$args.none}", "https://a.b/c/");
}

#[test]
fn lines_of_a_url_are_joined() {
    url("\n  https://a.b\n  /c\n  ?d={$args.n}\n  &e={$args.n} \n", "https://a.b/c?d=3&e=3");
}

#[test]
fn null_and_missing_values_are_empty() {
    url("https://a.b/?a={$args.none}&b={$args.nope}&c=1", "https://a.b/?a=&b=&c=1");
    let request = request(&connector(http("https://a.b/{$args.nope}"))).expect("a request");
    assert_eq!(
        request.problems[0].to_string(),
        "there is no `nope` in the object (line 1, column 19)"
    );
}

#[test]
fn query_parameters_are_made_of_an_object() {
    #[track_caller]
    fn check(mapping_text: &str, expected: &str) {
        let mut http = http("https://a.b/c?x=1");
        http.query_params = Some(mapping(mapping_text));
        let request = request(&connector(http)).expect("a request");
        assert_eq!(request.uri.to_string(), expected);
    }
    check("id: $args.ids", "https://a.b/c?x=1&id=1&id=2");
    check("a: $args.none b: $args.n c: $args.nope", "https://a.b/c?x=1&b=3");
    check("$args { n 'o n': on }", "https://a.b/c?x=1&n=3&o%20n=true");
    check("$args.none", "https://a.b/c?x=1");
}

#[test]
fn parts_of_urls_are_in_the_published_order() {
    let mut base = http("https://example.com/products?availability=AVAILABLE");
    base.query_params = Some(mapping("limit: $(10)"));
    base.path = Some(mapping("$config.base"));
    let mut own = http("/more?availability=UNAVAILABLE");
    own.query_params = Some(mapping("availability: $('PREORDER')"));
    own.path = Some(mapping("$args.path"));
    let connector = Connector { source: source(base), ..connector(own) };
    let request = request(&connector).expect("a request");
    assert_eq!(
        request.uri.to_string(),
        "https://example.com/products/v1/%C3%A9/more/x%20y/2?availability=AVAILABLE&limit=10\
         &availability=UNAVAILABLE&availability=PREORDER"
    );
}

#[test]
fn relative_urls_are_joined() {
    #[track_caller]
    fn check(base: &str, own: &str, expected: &str) {
        let connector = Connector { source: source(http(base)), ..connector(http(own)) };
        assert_eq!(request(&connector).expect("a request").uri.to_string(), expected);
    }
    check("https://a.b", "/c", "https://a.b/c");
    check("https://a.b/", "/c", "https://a.b/c");
    check("https://a.b/c/", "d", "https://a.b/c/d");
    check("https://a.b/c", "/", "https://a.b/c/");
    check("https://a.b/c", "?d=1", "https://a.b/c?d=1");
    check("https://a.b/c?x=1", "/{$args.n}?y", "https://a.b/c/3?x=1&y");
    check("https://a.b/c", "{$args.n}", "https://a.b/c/3");
    let mut own = http("/");
    own.path = Some(mapping("$args.path"));
    let connector = Connector { source: source(http("https://a.b")), ..connector(own) };
    assert_eq!(request(&connector).expect("a request").uri.to_string(), "https://a.b/x%20y/2");
}

#[test]
fn the_configuration_may_make_the_url_of_a_source() {
    let with_base = |base: &str| {
        let url = UrlTemplate::parse_base(base, VERSION).expect("the URL is valid");
        let shared = Http { url, ..http("https://a.b") };
        Connector { source: source(shared), ..connector(http("/c?d={$args.n}")) }
    };
    #[track_caller]
    fn check(connector: &Connector, expected: &str) {
        assert_eq!(request(connector).expect("a request").uri.to_string(), expected);
    }
    check(&with_base("{$config.url}"), "https://x.y:81/z/c?q=%7B1%7D&d=3");
    check(&with_base("{$config.url}/more"), "https://x.y:81/z/more/c?q=%7B1%7D&d=3");
    check(&with_base("https://{$config.host}:{$config.port}"), "https://h.i:82/c?d=3");
    check(&with_base("http://{$config.host}/{$args.id}?e"), "http://h.i/a%2Fb%3Fc%23d/c?e&d=3");
    assert_eq!(
        with_base("{$config.url}").source.as_ref().map(|source| source.http.url.host()),
        Some(None)
    );
    refused(&with_base("{$config.nope}"), "it has no scheme and host");
    refused(&with_base("{$config.host}"), "it has no scheme and host");
    refused(&with_base("https://{$config.user}"), "a user or a password");
}

#[track_caller]
fn refused(connector: &Connector, expected: &str) {
    let error = request(connector).expect_err("no request");
    assert!(error.to_string().contains(expected), "{error}");
}

#[test]
fn values_do_not_lead_elsewhere() {
    refused(
        &connector(http("https://a.b/{$args.dots}/c")),
        "`..`, which would lead to another path",
    );
    let mut with_path = http("https://a.b/");
    with_path.path = Some(mapping("$(['a', '.'])"));
    refused(&connector(with_path), "`.`, which would lead");
}

#[test]
fn values_of_other_kinds_are_refused() {
    refused(
        &connector(http("https://a.b/{$args.o}")),
        "an expression of the URL makes a list or an object",
    );
    let mut with_query = http("https://a.b/");
    with_query.query_params = Some(mapping("$args.n"));
    refused(&connector(with_query.clone()), "`queryParams` makes a number, and no object");
    with_query.query_params = Some(mapping("a: $args.o"));
    refused(&connector(with_query), "the query parameter `a` is an object");
    let mut with_path = http("https://a.b/");
    with_path.path = Some(mapping("$args.n"));
    refused(&connector(with_path.clone()), "`path` makes a number, and no list");
    with_path.path = Some(mapping("$args.ids"));
    refused(&connector(with_path), "a list with other items");
    let mut with_header = http("https://a.b/");
    with_header.headers = vec![header("x-a", "{$args.line}")];
    refused(&connector(with_header), "the value for the header `x-a` is no value of a header");
    let limited = connector(http("https://a.b/{$args.n}"));
    let limits = Limits { steps: 0, bytes: 0 };
    let error = limited.request(&Variables::new(), &HeaderMap::new(), &limits);
    assert!(matches!(error, Err(RequestError::Fill(FillError::Exceeded(_)))), "{error:?}");
}

#[test]
fn headers_are_filled_and_forwarded() {
    let mut base = http("https://a.b");
    base.headers = vec![
        header("authorization", "Bearer {$config.token}"),
        header("x-both", "source"),
        header("x-lost", "source"),
        forwarded("x-two", "x-client"),
    ];
    let mut own = http("/");
    own.headers = vec![
        header("x-both", "own {$args.n}"),
        forwarded("x-lost", "x-not-sent"),
        header("x-none", "{$args.none}"),
        header("x-empty", "a{$args.none}"),
    ];
    let connector = Connector { source: source(base), ..connector(own) };
    let request = request(&connector).expect("a request");
    let all = |name: &str| -> Vec<_> {
        request.headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).collect()
    };
    assert_eq!(all("authorization"), ["Bearer secret"]);
    assert!(request.headers["authorization"].is_sensitive());
    assert_eq!(all("x-both"), ["own 3"]);
    // A header of the connector replaces that of the source, also if the client does not send it.
    assert_eq!(all("x-lost"), [""; 0]);
    assert_eq!(all("x-two"), ["1", "2"]);
    assert_eq!(all("x-none"), [""; 0]);
    assert_eq!(all("x-empty"), ["a"]);
    assert_eq!(all("accept"), ["application/json"]);
    assert_eq!(request.body, None);
}

fn body(text: &str, headers: Vec<Header>) -> (String, String) {
    let mut http = http("https://a.b");
    http.headers = headers;
    let connector = Connector { body: Some(mapping(text)), ..connector(http) };
    let request = request(&connector).expect("a request");
    let content_type = request.headers["content-type"].to_str().unwrap_or_default().to_owned();
    (content_type, String::from_utf8(request.body.unwrap_or_default()).unwrap_or_default())
}

#[test]
fn bodies_are_json() {
    let json = "application/json".to_owned();
    let expected = r#"{"z":3,"a":{"t":"Hello, world!"}}"#.to_owned();
    assert_eq!(body("z: $args.n a: $args.o { t }", Vec::new()), (json.clone(), expected));
    let expected = r#"{"ids":[1,2,null]}"#.to_owned();
    assert_eq!(body("$({ ids: $args.ids })", Vec::new()), (json.clone(), expected));
    assert_eq!(body("$args.none", Vec::new()), (json, "null".to_owned()));
    let own = vec![header("content-type", "application/vnd.x+json")];
    assert_eq!(body("a: $args.n", own).0, "application/vnd.x+json");
}

#[test]
fn bodies_may_be_forms() {
    let form = || vec![header("content-type", "application/x-www-form-urlencoded")];
    let (_, text) = body("$args.o { t l e }", form());
    assert_eq!(text, "t=Hello%2C+world%21&l[0]=p&l[1][q]=1+2&e=");
    let mut http = http("https://a.b");
    http.headers = form();
    refused(
        &Connector { body: Some(mapping("$args.n")), ..connector(http) },
        "a form is made of an object",
    );
}

#[test]
fn a_missing_body_is_none() {
    let connector =
        Connector { body: Some(mapping("$args.nope")), ..connector(http("https://a.b")) };
    let request = request(&connector).expect("a request");
    assert_eq!((request.body, request.headers.get("content-type")), (None, None));
}

#[test]
fn inputs_are_those_of_all_parts() {
    let mut base = http("https://a.b");
    base.headers = vec![header("x", "{$config.token}")];
    let mut own =
        http("/{$this.id}?a={$this.o { k }->size}".replace(" { k }->size", ".k").as_str());
    own.query_params = Some(mapping("b: $args.b c: $this.l->map(@.m)"));
    let connector = Connector {
        source: source(base),
        body: Some(mapping("$args { d e: f.g }")),
        selection: mapping("id h: $this.i { j }"),
        is_success: Some(mapping("$status->eq(200)")),
        ..connector(own)
    };
    let inputs = connector.inputs();
    let set = |variable| inputs.of(variable).map(crate::mapping::Members::field_set);
    assert_eq!(set(Variable::This).as_deref(), Some("id o { k } l { m } i { j }"));
    assert_eq!(set(Variable::Args).as_deref(), Some("b d f { g }"));
    assert_eq!(set(Variable::Config).as_deref(), Some("token"));
    assert!(inputs.of(Variable::Status).is_some_and(|status| status.is_whole));
    assert!(inputs.of(Variable::Env).is_none());
    assert!(connector.request_inputs().response.is_none() && inputs.response.is_some());
}

#[test]
fn responses_are_read_by_their_type() {
    use crate::response::read_body;
    let read = |content_type, body: &str| read_body(content_type, body.as_bytes()).ok();
    assert_eq!(read(Some("application/json; charset=utf-8"), "[1]"), Some(json!([1])));
    assert_eq!(read(Some("application/problem+JSON"), "{}"), Some(json!({})));
    assert_eq!(read(None, "{}"), Some(json!({})));
    assert_eq!(read(None, ""), Some(Value::Null));
    assert_eq!(read(Some("text/plain"), "[1]"), Some(json!("[1]")));
    assert_eq!(read(Some("text/html"), "<a>"), Some(Value::Null));
    assert_eq!(read(Some("application/json"), "<a>"), None);
    let deep = "[".repeat(100_000);
    assert_eq!(read(None, &deep), None);
}

#[test]
fn success_and_failure_are_mapped() {
    let errors = |message: Option<&str>, extensions: Option<&str>| Errors {
        message: message.map(mapping),
        extensions: extensions.map(mapping),
    };
    let mut connector = connector(http("/"));
    let status = json!(404);
    let variables = Variables::new().with(Variable::Status, &status);
    let limits = Limits::default();
    let code = http::StatusCode::NOT_FOUND;
    let body = json!({ "error": { "text": "no such user", "code": "E1" }, "ok": "yes" });
    let is_success = |connector: &Connector| {
        connector.is_success(code, &body, &variables, &limits).expect("within limits")
    };
    assert!(!is_success(&connector));
    assert!(
        connector
            .is_success(http::StatusCode::CREATED, &body, &variables, &limits)
            .expect("within")
    );
    connector.is_success = Some(mapping("$status->match([404, true], [@, false])"));
    assert!(is_success(&connector));
    // What is neither true nor false is no success.
    connector.is_success = Some(mapping("$.ok"));
    assert!(!is_success(&connector));
    connector.is_success = None;
    let shared = Source {
        name: "api".into(),
        http: http("https://a.b"),
        errors: errors(
            Some("$('shared')"),
            Some("code: error.code http: { a: $(1) } kept: $(true)"),
        ),
        is_success: Some(mapping("$(true)")),
    };
    connector.source = Some(shared.into());
    assert!(is_success(&connector));
    connector.errors =
        errors(Some("error.text"), Some("code: $('mine') http: { status: $status }"));
    let failure = connector.failure(&body, &variables, &limits).expect("within limits");
    assert_eq!(failure.message.as_deref(), Some("no such user"));
    let expected = json!({ "code": "mine", "http": { "a": 1, "status": 404 }, "kept": true });
    assert_eq!(Value::Object(failure.extensions), expected);
    connector.errors = errors(Some("$status"), None);
    let failure = connector.failure(&body, &variables, &limits).expect("within limits");
    assert_eq!(failure.message.as_deref(), Some("shared"));
}
