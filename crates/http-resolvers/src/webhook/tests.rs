//! Requests to webhooks, and their answers.

use expect_test::{Expect, expect};
use http::HeaderMap;
use serde_json::{Map, Value, json};

use super::{
    BodyTexts, ClientHeaders, QueryTexts, RequestTexts, RequestTransform, ResponseTransform,
    Webhook, WebhookCall, WebhookClient,
};

const BASE: &str = "https://example.com/hook?key=1";

fn webhook() -> Webhook {
    Webhook {
        base_url: BASE.into(),
        headers: vec![("x-key".parse().unwrap(), "secret".parse().unwrap())],
        client_headers: None,
        request: None,
        response: None,
    }
}

fn session() -> Map<String, Value> {
    json!({"x-hasura-role": "editor", "x-hasura-user-id": "7"}).as_object().unwrap().clone()
}

fn call(webhook: &Webhook, client: &HeaderMap) -> Result<WebhookCall, String> {
    let payload = json!({"action": {"name": "greet"}, "input": {"name": "A&B", "none": null}});
    let client = WebhookClient { session: &session(), headers: Some(client) };
    let call = webhook.call(&BASE.parse().unwrap(), &payload, client);
    call.map_err(|error| error.to_string())
}

fn print(call: &WebhookCall) -> String {
    let mut text = format!("{} {}\n", call.call.method, call.call.url);
    for (name, value) in &call.call.headers {
        text.push_str(&format!("{name}: {}\n", value.to_str().unwrap()));
    }
    text.push_str(std::str::from_utf8(&call.call.body).unwrap());
    text
}

fn check(texts: &RequestTexts<'_>, expected: &Expect) {
    let request = match RequestTransform::new(texts) {
        Ok(request) => request,
        Err(error) => return expected.assert_eq(&format!("not read: {error}")),
    };
    let webhook = Webhook { request: Some(request), ..webhook() };
    let text = call(&webhook, &HeaderMap::new()).map(|call| print(&call));
    expected.assert_eq(&text.unwrap_or_else(|error| error));
}

#[test]
fn without_a_transform_the_payload_is_posted() {
    expect![[r#"
        POST https://example.com/hook?key=1
        content-type: application/json
        accept: application/json
        x-key: secret
        {"action":{"name":"greet"},"input":{"name":"A&B","none":null}}"#]]
    .assert_eq(&print(&call(&webhook(), &HeaderMap::new()).unwrap()));
}

#[test]
fn every_part_of_a_request_is_changed() {
    check(
        &RequestTexts {
            method: Some("put"),
            url: Some("https://example.com/{{escapeUri($body.input.name)}}?a=1"),
            query: None,
            added_headers: vec![("x-user", "{{$session_variables['x-hasura-user-id']}}")],
            removed_headers: vec!["X-Key"],
            body: Some(BodyTexts::Json(
                r#"{"n": {{$body.input.name}}, "q": {{$query_params}}, "u": {{$base_url}},
                    "r": {{getSessionVariable("x-hasura-role")}}}"#,
            )),
        },
        &expect![[r#"
            PUT https://example.com/A%26B?a=1
            content-type: application/json
            accept: application/json
            x-user: 7
            {"n":"A&B","q":[["key","1"]],"u":"https://example.com/hook?key=1","r":"editor"}"#]],
    );
}

#[test]
fn parameters_replace_those_of_the_address() {
    let pairs = vec![
        ("name", Some("{{$body.input.name}}")),
        ("none", Some("{{$body.input.none}}")),
        ("{{$body?.nothing}}", Some("1")),
        ("flag", None),
    ];
    let query = Some(QueryTexts::Pairs(pairs));
    check(
        &RequestTexts { query, body: Some(BodyTexts::Remove), ..RequestTexts::default() },
        &expect![[r#"
            POST https://example.com/hook?name=A%26B&flag
            content-type: application/json
            accept: application/json
            x-key: secret
        "#]],
    );
    let query = Some(QueryTexts::Whole("?a={{$body.action.name}}&b=2 3"));
    check(
        &RequestTexts { query, body: Some(BodyTexts::Remove), ..RequestTexts::default() },
        &expect![[r#"
            POST https://example.com/hook?a=greet&b=2+3
            content-type: application/json
            accept: application/json
            x-key: secret
        "#]],
    );
}

#[test]
fn a_form_has_its_media_type() {
    let pairs = vec![("name", "{{$body.input.name}}"), ("a b", "x")];
    check(
        &RequestTexts { body: Some(BodyTexts::Form(pairs)), ..RequestTexts::default() },
        &expect![[r#"
            POST https://example.com/hook?key=1
            content-type: application/x-www-form-urlencoded
            accept: application/json
            x-key: secret
            name=A%26B&a+b=x"#]],
    );
}

#[test]
fn mistakes_are_told_by_their_keys() {
    let url = |url| RequestTexts { url: Some(url), ..RequestTexts::default() };
    check(
        &url("{{$base}}"),
        &expect![
            "not read: url: line 1, column 3: there is no variable `$base` here, only $body, $session_variables, $query_params, $base_url"
        ],
    );
    check(
        &url("ftp://example.com"),
        &expect![
            "the template of the address makes no address that begins with `http://` or `https://`"
        ],
    );
    check(
        &url("https://{{$body.input.none}}@example.com/"),
        &expect![
            "the template of the address makes no address that begins with `http://` or `https://`"
        ],
    );
    check(
        &url("{{$body.nothing}}"),
        &expect!["the template of url: line 1, column 8: the object has no member `nothing`"],
    );
    let method = RequestTexts { method: Some("G ET"), ..RequestTexts::default() };
    check(&method, &expect!["not read: method: it is no method of HTTP"]);
    let header = |name, value| RequestTexts {
        added_headers: vec![(name, value)],
        ..RequestTexts::default()
    };
    check(
        &header("Host", "x"),
        &expect![
            "not read: request_headers.add_headers.Host: the header belongs to the connection, and is made by the server"
        ],
    );
    check(
        &header("x y", "x"),
        &expect!["not read: request_headers.add_headers.x y: it is no name of a header"],
    );
    check(
        &header("x-a", "a\\nb"),
        &expect!["the template of the header `x-a` makes no value of a header"],
    );
}

#[test]
fn headers_of_the_client_are_forwarded_without_its_own() {
    let mut client = HeaderMap::new();
    for (name, value) in [
        ("authorization", "Bearer x"),
        ("cookie", "a=1"),
        ("cookie", "b=2"),
        ("host", "api.example"),
        ("user-agent", "curl"),
        ("x-hasura-role", "admin"),
        ("content-length", "5"),
        ("x-key", "of the client"),
        ("accept-language", "de"),
    ] {
        client.append(name, value.parse().unwrap());
    }
    let webhook = |ignored: Option<&[String]>| Webhook {
        client_headers: Some(ClientHeaders::except(ignored)),
        ..webhook()
    };
    let headers = |webhook: &Webhook| {
        let text = print(&call(webhook, &client).unwrap());
        let mut lines: Vec<&str> = text.lines().filter(|line| line.contains(": ")).collect();
        lines.sort_unstable();
        lines.join("\n")
    };
    expect![[r#"
        accept: application/json
        authorization: Bearer x
        content-type: application/json
        cookie: a=1
        cookie: b=2
        x-forwarded-host: api.example
        x-forwarded-user-agent: curl
        x-key: secret"#]]
    .assert_eq(&headers(&webhook(None)));
    expect![[r#"
        accept-language: de
        accept: application/json
        authorization: Bearer x
        content-type: application/json
        user-agent: curl
        x-forwarded-host: api.example
        x-forwarded-user-agent: curl
        x-key: secret"#]]
    .assert_eq(&headers(&webhook(Some(&["Cookie".to_owned()]))));
}

#[test]
fn answers_are_changed_before_they_are_read() {
    let answer = |texts: &BodyTexts<'_>, has_request: bool, status: u16, body: &'static str| {
        let response = Some(ResponseTransform::new(texts).unwrap());
        let request = has_request.then(|| RequestTransform::new(&RequestTexts::default()).unwrap());
        let webhook = Webhook { request, response, ..webhook() };
        let call = call(&webhook, &HeaderMap::new()).unwrap();
        match webhook.answer(&call, &session(), status, body.into()) {
            Ok(body) => String::from_utf8(body.to_vec()).unwrap(),
            Err(error) => error.to_string(),
        }
    };
    let template = BodyTexts::Json(
        r#"{{ if $response.status == 200 }} {"x": {{$body.a}}} {{ else }}
            {"message": "no {{$request.body.body.input.name}}"} {{ end }}"#,
    );
    assert_eq!(answer(&template, true, 200, r#"{"a": [1]}"#), r#"{"x":[1]}"#);
    assert_eq!(answer(&template, true, 400, "no JSON"), r#"{"message":"no A&B"}"#);
    assert_eq!(
        answer(&template, false, 400, "{}"),
        "the template of body: line 2, column 39: null has no member \"body\", only an object has"
    );
    assert_eq!(answer(&BodyTexts::Remove, true, 200, "{}"), "null");
    let form = BodyTexts::Form(vec![("a", "{{$body.a}}")]);
    assert_eq!(answer(&form, true, 200, r#"{"a": "&"}"#), r#""a=%26""#);
    assert!(ResponseTransform::new(&BodyTexts::Json("{{$base_url}}")).is_err());
}
