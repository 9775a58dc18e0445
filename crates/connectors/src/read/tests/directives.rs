//! Arguments of the directives.

use super::{invalid, invalid_in, read_schema, valid};
use crate::code::Code;
use crate::read::{read, tests::schema};

/// A query field with these arguments of `@connect`.
fn field(arguments: &str) -> String {
    format!("type Query {{ a(x: Int): String @connect({arguments}) }}")
}

#[test]
fn the_arguments_of_a_connector_are_read() {
    let schema = field(
        r#"source: "api", id: "mine", http: { POST: "/a?x={$args.x}", queryParams: "y: $args.x",
            path: "$(['b'])", body: "z: $args.x", headers: [{ name: "X-A", value: "b {$config.c}" },
            { name: "x-d", from: "X-E" }] }, selection: "$.a", errors: { message: "error.text",
            extensions: "code: $status" }, isSuccess: "$status->eq(404)""#,
    );
    let reading = read_schema("v0.3", &schema);
    assert_eq!(reading.findings, []);
    let connector = &reading.connectors[0];
    assert_eq!(connector.method, http::Method::POST);
    assert_eq!(connector.id.as_deref(), Some("mine"));
    assert_eq!(connector.source.as_ref().map(|source| &*source.name), Some("api"));
    assert_eq!(connector.http.headers.len(), 2);
    assert!(connector.body.is_some() && connector.is_success.is_some());
    assert!(connector.errors.message.is_some() && connector.errors.extensions.is_some());
    assert_eq!(connector.coordinate.to_string(), "Query.a@connect[0]");
}

#[test]
fn a_header_may_stand_without_a_list() {
    valid(&field(
        r#"http: { GET: "https://a.b/", headers: { name: "x", value: "y" } }, selection: "$""#,
    ));
}

#[test]
fn unknown_arguments_are_refused() {
    let get = r#"http: { GET: "https://a.b/" }, selection: "$""#;
    invalid(
        &field(&format!("{get}, retries: 3")),
        Code::GraphqlError,
        "there is no argument `retries`",
    );
    let http = r#"http: { GET: "https://a.b/", timeout: 3 }, selection: "$""#;
    invalid(&field(http), Code::GraphqlError, "there is no argument `http.timeout`");
    let batch = format!("{get}, batch: {{ size: 3 }}");
    let reading = read_schema("v0.3", &field(&batch));
    assert!(reading.findings.iter().any(|finding| finding.message.contains("`batch.size`")));
    let selection = r#"http: { GET: "https://a.b/" }, selection: 3"#;
    invalid(&field(selection), Code::GraphqlError, "`selection` is no string");
}

#[test]
fn arguments_have_versions() {
    let query = r#"http: { GET: "https://a.b/", queryParams: "a: $args.x" }, selection: "$""#;
    invalid_in("v0.1", &field(query), Code::GraphqlError, "`http.queryParams` needs connect/v0.2");
    let on_type = r#"type Query { a: T @connect(source: "api", http: { GET: "/" }, selection: "b") }
        type T @connect(source: "api", http: { GET: "/{$this.b}" }, selection: "b") { b: Int }"#;
    invalid_in("v0.1", on_type, Code::GraphqlError, "a connector on a type needs connect/v0.2");
    valid(on_type);
}

#[test]
fn a_connector_has_one_method() {
    invalid(&field(r#"selection: "$""#), Code::MissingHttpMethod, "`http` is missing");
    invalid(&field(r#"http: {}, selection: "$""#), Code::MissingHttpMethod, "has no method");
    let two = r#"http: { GET: "https://a.b/", POST: "https://a.b/" }, selection: "$""#;
    invalid(&field(two), Code::MultipleHttpMethods, "several methods");
}

#[test]
fn sources_are_found() {
    let other = r#"source: "other", http: { GET: "/" }, selection: "$""#;
    invalid(&field(other), Code::SourceNameMismatch, "there is no source `other`: there are `api`");
    let reading = read(&schema::definitions("v0.3", &field(other)));
    assert_eq!(reading.findings[0].code, Code::NoSourcesDefined);
    let absolute = r#"source: "api", http: { GET: "https://a.b/" }, selection: "$""#;
    invalid(&field(absolute), Code::AbsoluteConnectUrlWithSource, "leave out `source`");
    let relative = r#"http: { GET: "/a" }, selection: "$""#;
    invalid(&field(relative), Code::RelativeConnectUrlWithoutSource, "name a `source`");
}

#[test]
fn sources_are_checked() {
    #[track_caller]
    fn check(sources: &str, code: Code, message: &str) {
        let query =
            r#"type Query { a: String @connect(http: { GET: "https://a.b/" }, selection: "$") }"#;
        let reading =
            read(&schema::definitions("v0.3", &format!("extend schema {sources} {query}")));
        assert_eq!(reading.findings.len(), 1, "{:?}", reading.findings);
        assert_eq!(reading.findings[0].code, code, "{:?}", reading.findings);
        assert!(reading.findings[0].message.contains(message), "{:?}", reading.findings);
    }
    let url = r#"http: { baseURL: "https://a.b" }"#;
    check(&format!("@source({url})"), Code::EmptySourceName, "needs a `name`");
    check(
        &format!(r#"@source(name: "1a", {url})"#),
        Code::InvalidSourceName,
        "begins with a letter",
    );
    let long = "a".repeat(64);
    check(&format!(r#"@source(name: "{long}", {url})"#), Code::InvalidSourceName, "at most 63");
    let twice = format!(r#"@source(name: "a", {url}) @source(name: "a", {url})"#);
    check(&twice, Code::DuplicateSourceName, "another source");
    check(r#"@source(name: "a")"#, Code::GraphqlError, "`http` is missing");
    let ftp = r#"@source(name: "a", http: { baseURL: "ftp://a.b" })"#;
    check(ftp, Code::InvalidUrlScheme, "`ftp`");
    let dynamic =
        r#"@source(name: "a", http: { baseURL: "https://{$request.headers.x->first}/" })"#;
    check(dynamic, Code::InvalidUrl, "have `$config` and `$env` only");
    let dynamic = r#"@source(name: "a", http: { baseURL: "{$context.url}" })"#;
    check(dynamic, Code::InvalidUrl, "have `$config` and `$env` only");
    let relative = r#"@source(name: "a", http: { baseURL: "/a" })"#;
    check(relative, Code::InvalidUrl, "no URL with a scheme");
    let args = r#"@source(name: "a", http: { baseURL: "https://a.b", queryParams: "a: $args.b" })"#;
    check(args, Code::UndefinedArgument, "no `$args` of a source");
    let this = r#"@source(name: "a", http: { baseURL: "https://a.b", headers: [{ name: "x", value: "{$this.b}" }] })"#;
    check(this, Code::UndefinedField, "no `$this` of a source");
    let status = r#"@source(name: "a", http: { baseURL: "https://a.b", path: "$([$status])" })"#;
    check(status, Code::InvalidUrl, "no `$status` before the response");
}

#[test]
fn the_configuration_may_say_the_url_of_a_source() {
    for url in ["{$env.BASE}", "https://{$config.host}:{$env.PORT}/a", "https://a.b/{$config.c}"] {
        let schema = format!(
            r#"extend schema @source(name: "a", http: {{ baseURL: "{url}" }})
            type Query {{ a: String @connect(source: "a", http: {{ GET: "/" }}, selection: "$") }}"#
        );
        assert_eq!(read(&schema::definitions("v0.3", &schema)).findings, [], "{url}");
    }
}

#[test]
fn urls_are_checked() {
    #[track_caller]
    fn check(url: &str, code: Code, message: &str) {
        let url = url.replace('"', "\\\"");
        invalid(&field(&format!(r#"http: {{ GET: "{url}" }}, selection: "$""#)), code, message);
    }
    check("https://{$args.x}/", Code::InvalidUrl, "could lead to any server");
    check("https://a.{$args.x}.b/", Code::InvalidUrl, "could lead to any server");
    check("{$args.x}://a/", Code::InvalidUrl, "could lead to any server");
    check("https://a:b@c/", Code::InvalidUrl, "a user or a password");
    check("https://a.b:x/", Code::InvalidUrl, "no host");
    check("https:///", Code::InvalidUrl, "no host");
    check("file:///etc/passwd", Code::InvalidUrlScheme, "`file`");
    check("https://a.b/#c", Code::InvalidUrl, "fragment");
    check("https://a.b/}", Code::InvalidUrl, "`}` has no `{`");
    check("https://a.b/{$args.x", Code::InvalidUrl, "expected `}`");
    check("https://a.b/{$args.x->nope}", Code::InvalidUrl, "there is no method `->nope`");
    check("https://a.b/{id}", Code::InvalidUrl, "which there is not yet");
    check("https://a.b/{$status}", Code::InvalidUrl, "no `$status` before the response");
    check("https://a.b/{$([1])}", Code::InvalidUrl, "it makes a list, and has to make a scalar");
    check("https://a.b/{$args}", Code::InvalidUrl, "`$args` is an object");
}

#[test]
fn headers_are_checked() {
    #[track_caller]
    fn check(headers: &str, code: Code, message: &str) {
        let http =
            format!(r#"http: {{ GET: "https://a.b/", headers: [{headers}] }}, selection: "$""#);
        invalid(&field(&http), code, message);
    }
    check(r#"{ name: "a b", value: "c" }"#, Code::InvalidHeader, "no name of a header");
    check(r#"{ name: "a" }"#, Code::InvalidHeader, "either `from` or `value`");
    check(
        r#"{ name: "a", value: "b", from: "c" }"#,
        Code::InvalidHeader,
        "either `from` or `value`",
    );
    check(r#"{ value: "c" }"#, Code::InvalidHeader, "no `name`");
    check(
        r#"{ name: "Transfer-Encoding", value: "c" }"#,
        Code::InvalidHeader,
        "belongs to the connection",
    );
    check(r#"{ name: "host", from: "host" }"#, Code::InvalidHeader, "write a `value`");
    check(r#"{ name: "a", value: "b\nc" }"#, Code::InvalidHeader, "line break");
    check(r#"{ name: "a", value: "{$args.y}" }"#, Code::UndefinedArgument, "no `y` in `$args`");
    let twice = r#"{ name: "a", value: "b" }, { name: "A", value: "b" }"#;
    check(twice, Code::HttpHeaderNameCollision, "`a` twice");
}

#[test]
fn places_of_findings_are_those_of_the_directive_and_of_the_text() {
    let schema = "type Query {\n  a: String @connect(source: \"api\", http: { GET: \"/\" }, selection: \"a:\\n  !\")\n}";
    let reading = read_schema("v0.3", schema);
    let finding = &reading.findings[0];
    assert_eq!((finding.place.line, finding.place.column), (3, 14));
    assert!(
        finding.message.contains("`selection`, line 2, column 3: expected a value"),
        "{finding:?}"
    );
}

#[test]
fn roots_need_connectors() {
    let query = r#"type Query { a: String }"#;
    invalid(query, Code::QueryFieldMissingConnect, "`Query.a` has no `@connect`");
    let mutation = r#"type Query { a: String @connect(source: "api", http: { GET: "/" }, selection: "$") }
        type Mutation { b: Int }"#;
    invalid(mutation, Code::MutationFieldMissingConnect, "`Mutation.b`");
    let subscription = r#"type Query { a: String @connect(source: "api", http: { GET: "/" }, selection: "$") }
        type Subscription { b: Int }"#;
    invalid(subscription, Code::SubscriptionInConnectors, "do not resolve subscriptions");
}

#[test]
fn ids_are_names() {
    let id = |id: &str| {
        field(&format!(r#"id: "{id}", http: {{ GET: "https://a.b/" }}, selection: "$""#))
    };
    valid(&id("_a1"));
    invalid(&id("a-b"), Code::GraphqlError, "letters, digits and `_` only");
    let twice = r#"type Query {
        a: String @connect(id: "x", source: "api", http: { GET: "/" }, selection: "$")
        b: String @connect(id: "x", source: "api", http: { GET: "/" }, selection: "$")
    }"#;
    invalid(twice, Code::GraphqlError, "the connector `Query.a@connect[0]` has the `id` `x`, too");
}

#[test]
fn connectors_on_types_are_on_those_of_entities() {
    let root = r#"type Query @connect(source: "api", http: { GET: "/" }, selection: "a") {
        a: String @connect(source: "api", http: { GET: "/" }, selection: "$") }"#;
    let reading = read_schema("v0.3", root);
    assert!(
        reading.findings[0].message.contains("the type is that of a root"),
        "{:?}",
        reading.findings
    );
    let of_type = |entity: &str| {
        format!(
            r#"type Query {{ a: T @connect(source: "api", http: {{ GET: "/" }}, selection: "b") }}
        type T @connect(source: "api", http: {{ GET: "/{{$this.b}}" }}, selection: "b", entity: {entity}) {{ b: Int }}"#
        )
    };
    valid(&of_type("true"));
    invalid(&of_type("false"), Code::GraphqlError, "leave out `entity: false`");
}
