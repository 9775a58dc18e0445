//! Values of other servers in answers.

use expect_test::expect;
use serde_json::{Value, json};
use testkit::http::{HttpServer, Received, Reply};

use super::{Database, ask, block_on, check, local, open};

const TYPES: &str = r#"
    type Film @remote { name: String! year: Int stars: [Star!] next: Film }
    type Star @remote { name: String @remoteResponse(name: "starName") }
    type Person {
        id: ID!
        name: String! @id
        age: Int
        friends: [Person]
        bio: String @custom(http: {url: "http://SERVER/bio/$id?n=$name", method: GET})
        films: [Film] @custom(http: {
            url: "http://SERVER/films", method: POST, mode: BATCH, body: "{of: $id, who: {n: $name, a: $age}}"
        })
        code: Int! @custom(http: {url: "http://SERVER/code", method: POST, body: "{id: $id}", mode: BATCH})
    }
    type Query {
        film(name: String!, year: Int, tags: [String]): Film
            @custom(http: {url: "http://SERVER/film/$name?year=$year&tag=$tags", method: GET})
        people(first: Int): [Person] @custom(http: {url: "http://SERVER/people", method: POST, body: "{n: [$first]}"})
        word: String @custom(http: {url: "http://SERVER/word", method: GET})
    }
    type Mutation {
        rate(name: String!, stars: Float): Film
            @custom(http: {url: "http://SERVER/rate", method: PUT, body: "{name: $name, stars: $stars}"})
    }
"#;

const ROWS: &str = r#"mutation { addPerson(input: [
    {name: "ann", age: 30, friends: [{name: "bob", friends: [{name: "cy/d"}]}]}
]) { numUids } }"#;

fn reply(received: &Received) -> Reply {
    let path = received.target.split('?').next().unwrap_or_default();
    let body: Value = serde_json::from_str(&received.body).unwrap_or_default();
    match path {
        "/films" => Reply::Json(body.as_array().unwrap().iter().map(|one| {
            let name = one["who"]["n"].as_str().unwrap();
            json!([{ "name": format!("{name} 1"), "stars": [{ "starName": "s" }], "year": "1990" }, null])
        }).collect()),
        "/code" => Reply::Json(body.as_array().unwrap().iter().map(|one| {
            if one["id"] == "0x3" { Value::Null } else { json!(7) }
        }).collect()),
        "/people" => Reply::Json(json!([{ "id": "0x9", "name": "zoe", "age": 5.0, "bio": "of the answer" }])),
        "/word" => Reply::Json(json!("word")),
        "/rate" => Reply::Json(json!({ "name": body["name"], "next": { "name": body["stars"] } })),
        _ if path.starts_with("/bio") => Reply::Json(json!(format!("of {}", received.target))),
        _ => Reply::Json(json!({ "name": received.target, "year": 1990.0, "more": [1, 2] })),
    }
}

#[test]
fn queries_have_arguments_and_selections() {
    check(
        reply,
        TYPES,
        "",
        &[
            r#"{ film(name: "a b/c?d", year: 3, tags: ["x", "y&z"]) { __typename n: name year stars { name } next { name } } }"#,
            r#"query ($skip: Boolean = true) { a: film(name: "x") { name year @skip(if: $skip) ...F } b: film(name: "x") { name } word __typename } fragment F on Film { year }"#,
            r"{ people(first: 2) { id name age bio friends { name } code } queryPerson { name } }",
        ],
        &expect![[r#"
            {"data":{"film":{"__typename":"Film","n":"/film/a%20b%2Fc%3Fd?tag=x&tag=y%26z&year=3","year":1990,"stars":[],"next":null}}}
              GET /film/a%20b%2Fc%3Fd?tag=x&tag=y%26z&year=3 
            {"data":{"a":{"name":"/film/x","year":1990},"b":{"name":"/film/x"},"word":"word","__typename":"Query"}}
              GET /film/x 
              GET /word 
            {"data":{"people":[null],"queryPerson":[]},"errors":[{"message":"Non-nullable field 'code' (type Int!) was not present in result from Dgraph.  GraphQL error propagation triggered.","locations":[{"line":1,"column":3}],"path":["people",0,"code"],"extensions":{"code":"RESOLVER_RESPONSE_INVALID"}}]}
              POST /people {"n":[2]}
        "#]],
    );
}

#[test]
fn fields_of_rows_have_one_request_each_or_one_for_all() {
    check(
        reply,
        TYPES,
        ROWS,
        &[
            "{ queryPerson(order: {asc: name}) { name bio } }",
            "{ queryPerson(order: {asc: name}) { films { n: name year stars { name } } friends { name films { name } } } }",
            "{ queryPerson(order: {asc: name}) { name friends { name code } } getPerson(name: \"ann\") { code bio b: bio } }",
            "{ queryPerson(filter: {name: {eq: \"nobody\"}}) { bio films { name } } aggregatePerson { count } }",
        ],
        &expect![[r#"
            {"data":{"queryPerson":[{"name":"ann","bio":"of /bio/0x1?n=ann"},{"name":"bob","bio":"of /bio/0x2?n=bob"},{"name":"cy/d","bio":"of /bio/0x3?n=cy%2Fd"}]}}
              GET /bio/0x1?n=ann 
              GET /bio/0x2?n=bob 
              GET /bio/0x3?n=cy%2Fd 
            {"data":{"queryPerson":[{"films":[{"n":"ann 1","year":1990,"stars":[{"name":"s"}]},null],"friends":[{"name":"bob","films":[{"name":"bob 1"},null]}]},{"films":[{"n":"bob 1","year":1990,"stars":[{"name":"s"}]},null],"friends":[{"name":"cy/d","films":[{"name":"cy/d 1"},null]}]},{"films":[{"n":"cy/d 1","year":1990,"stars":[{"name":"s"}]},null],"friends":[]}]}}
              POST /films [{"of":"0x1","who":{"a":30,"n":"ann"}},{"of":"0x2","who":{"a":null,"n":"bob"}},{"of":"0x3","who":{"a":null,"n":"cy/d"}}]
            {"data":{"queryPerson":[{"name":"ann","friends":[{"name":"bob","code":7}]},{"name":"bob","friends":[null]},{"name":"cy/d","friends":[]}],"getPerson":{"code":7,"bio":"of /bio/0x1?n=ann","b":"of /bio/0x1?n=ann"}},"errors":[{"message":"Non-nullable field 'code' (type Int!) was not present in result from Dgraph.  GraphQL error propagation triggered.","locations":[{"line":1,"column":57}],"path":["queryPerson",1,"friends",0,"code"],"extensions":{"code":"RESOLVER_RESPONSE_INVALID"}}]}
              GET /bio/0x1?n=ann 
              POST /code [{"id":"0x2"},{"id":"0x3"},{"id":"0x1"}]
            {"data":{"queryPerson":[],"aggregatePerson":{"count":3}}}
        "#]],
    );
}

#[test]
fn mutations_run_in_their_order() {
    check(
        reply,
        TYPES,
        ROWS,
        &[
            r#"mutation { addPerson(input: [{name: "dan"}]) { person { name bio } } rate(name: "x", stars: 4.5) { name next { name } } b: rate(name: "x", stars: 4.5) { name } deletePerson(filter: {name: {eq: "dan"}}) { msg person { name bio } } c: rate(name: "y") { name } }"#,
            r#"mutation { rate(name: "x") { name } addPerson(input: [{name: "ann"}]) { numUids } }"#,
        ],
        &expect![[r#"
            {"data":{"addPerson":{"person":[{"name":"dan","bio":"of /bio/0x4?n=dan"}]},"rate":{"name":"x","next":{"name":"4.5"}},"b":{"name":"x"},"deletePerson":{"msg":"Deleted","person":[{"name":"dan","bio":"of /bio/0x4?n=dan"}]},"c":{"name":"y"}}}
              GET /bio/0x4?n=dan 
              GET /bio/0x4?n=dan 
              PUT /rate {"name":"x","stars":4.5}
              PUT /rate {"name":"x","stars":4.5}
              PUT /rate {"name":"y"}
            {"data":{"rate":{"name":"x"},"addPerson":null},"errors":[{"message":"id ann already exists for field name inside type Person","locations":[{"line":1,"column":37}],"path":["addPerson"],"extensions":{"code":"BAD_USER_INPUT"}}]}
              PUT /rate {"name":"x"}
        "#]],
    );
}

const GRAPHQL: &str = r#"
    type Country @remote { code: String name(lang: Language): String states: [State] best: State! }
    type State @remote { code: String! }
    enum Language @remote { en de }
    type City {
        id: ID!
        name: String! @id
        country: Country @custom(http: {
            url: "http://SERVER/graphql", method: POST, skipIntrospection: true,
            graphql: "query($name: String!) { country(of: $name) }"
        })
        twin: Country @custom(http: {
            url: "http://SERVER/graphql", method: POST, mode: BATCH, skipIntrospection: true,
            graphql: "query($input: [CityInput]) { twins(cities: $input) }", body: "{name: $name}"
        })
    }
    type Query {
        country(code: ID!, other: String): Country @custom(http: {
            url: "http://SERVER/graphql", method: POST, skipIntrospection: true,
            graphql: "query($code: ID!) { country(code: $code) }"
        })
    }
"#;

fn graphql(received: &Received) -> Reply {
    let body: Value = serde_json::from_str(&received.body).unwrap();
    let country = json!({ "code": "IN", "name": "India", "de": "Indien", "states": [{ "code": "KA" }], "best": { "code": "KA" } });
    match body["variables"]["input"].as_array() {
        Some(cities) => {
            let twins: Vec<Value> =
                cities.iter().map(|city| json!({ "code": city["name"] })).collect();
            Reply::Json(json!({ "data": { "twins": twins } }))
        }
        None if body["variables"]["code"] == "none" => {
            Reply::Json(json!({ "data": null, "errors": [{ "message": "no such country" }] }))
        }
        None => Reply::Json(
            json!({ "data": { "country": country }, "errors": [{ "message": "a warning" }] }),
        ),
    }
}

#[test]
fn graphql_servers_receive_the_selections() {
    check(
        graphql,
        GRAPHQL,
        r#"mutation { addCity(input: [{name: "Pune"}, {name: "Goa"}]) { numUids } }"#,
        &[
            r#"{ country(code: "IN") { code name de: name(lang: de) states { code } } }"#,
            r#"{ country(code: "none", other: "x") { code } }"#,
            "{ queryCity(order: {asc: name}) { name twin { code } } }",
            r#"{ getCity(name: "Goa") { country { code ...B } } } fragment B on Country { best { code } __typename }"#,
        ],
        &expect![[r#"
            {"data":{"country":{"code":"IN","name":"India","de":"Indien","states":[{"code":"KA"}]}},"errors":[{"message":"a warning","locations":[{"line":1,"column":3}],"path":["country"],"extensions":{"code":"RESOLVER_ERROR"}}]}
              POST /graphql {"query":"query($code: ID!) { country(code: $code) {\ncode\nname\nde: name(lang: de)\nstates{\ncode\n}\n}}","variables":{"code":"IN"}}
            {"data":{"country":null},"errors":[{"message":"no such country","locations":[{"line":1,"column":3}],"path":["country"],"extensions":{"code":"RESOLVER_ERROR"}}]}
              POST /graphql {"query":"query($code: ID!) { country(code: $code) {\ncode\n}}","variables":{"code":"none","other":"x"}}
            {"data":{"queryCity":[{"name":"Goa","twin":{"code":"Goa"}},{"name":"Pune","twin":{"code":"Pune"}}]}}
              POST /graphql {"query":"query($input: [CityInput]) { twins(cities: $input) {\ncode\n}}","variables":{"input":[{"name":"Goa"},{"name":"Pune"}]}}
            {"data":{"getCity":{"country":{"code":"IN","best":{"code":"KA"},"__typename":"Country"}}},"errors":[{"message":"a warning","locations":[{"line":1,"column":26}],"path":["getCity","country"],"extensions":{"code":"RESOLVER_ERROR"}}]}
              POST /graphql {"query":"query($name: String!) { country(of: $name) {\ncode\nbest{\ncode\n}\n__typename\n}}","variables":{"name":"Goa"}}
        "#]],
    );
}

#[test]
fn headers_are_forwarded_by_a_list_and_secrets_are_sent() {
    const TYPES: &str = r#"
        type A { id: ID! name: String }
        type Query { a: String @custom(http: {
            url: "http://SERVER/a", method: GET,
            forwardHeaders: ["X-App-Token", "Authorization:X-Token"], secretHeaders: ["X-Key:key"]
        }) }
        # Dgraph.Secret key "a secret word"
    "#;
    let server = HttpServer::start(|_| Reply::Json(json!("a")));
    let definitions = TYPES.replace("SERVER", &server.address.to_string());
    let database = Database::new();
    let answer = block_on(async {
        let worker = open(&database, &definitions, local()).await.unwrap();
        let headers =
            [("x-app-token", "t"), ("x-token", "Bearer b"), ("cookie", "c"), ("x-key", "mine")];
        ask(&worker, "{ a }", "{}", &headers).await
    });
    assert_eq!(answer, r#"{"data":{"a":"a"}}"#);
    let headers = &server.received()[0].headers;
    let header = |name: &str| headers.get(name).map(String::as_str);
    assert_eq!(header("x-app-token"), Some("t"));
    assert_eq!(header("authorization"), Some("Bearer b"));
    assert_eq!(header("x-key"), Some("a secret word"));
    assert_eq!((header("cookie"), header("x-token")), (None, None));
    assert_eq!(header("content-type"), Some("application/json"));
}

#[test]
fn requests_have_the_trace_context_of_the_client() {
    const TYPES: &str = r#"
        type A { id: ID! name: String }
        type Query { a: String @custom(http: {url: "http://SERVER/a", method: GET}) }
    "#;
    let server = HttpServer::start(|_| Reply::Json(json!("a")));
    let definitions = TYPES.replace("SERVER", &server.address.to_string());
    let database = Database::new();
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    block_on(async {
        let worker = open(&database, &definitions, local()).await.unwrap();
        let headers = [("traceparent", parent), ("tracestate", "a=b"), ("x-request-id", "7")];
        for headers in [&headers[..], &[], &headers[1..]] {
            ask(&worker, "{ a }", "{}", headers).await;
        }
        let [field] = &worker.engine().resolver_statistics()[..] else { panic!("one field") };
        assert_eq!((&*field.field, &*field.host), ("Query.a", "127.0.0.1"));
        assert_eq!(field.statistics.outcomes[0], 3);
        assert_eq!((field.statistics.bytes_out, field.statistics.bytes_in), (0, 9));
    });
    let received = server.received();
    let sent = |number: usize, name: &str| received[number].headers.get(name).map(String::as_str);
    assert_eq!((sent(0, "traceparent"), sent(0, "tracestate")), (Some(parent), Some("a=b")));
    // The state has no meaning without the parent, and the id is not part of the trace.
    for number in 0..3 {
        assert_eq!(sent(number, "x-request-id"), None);
    }
    assert_eq!((sent(1, "traceparent"), sent(2, "tracestate")), (None, None));
}

#[test]
fn answers_are_limited_in_bytes_and_memory() {
    const TYPES: &str = r#"
        type Item @remote { text: String }
        type Row { id: ID! name: String! text: String @custom(http: {url: "http://SERVER/$id", method: GET}) }
        type Query { items: [Item] @custom(http: {url: "http://SERVER/items", method: GET}) }
    "#;
    let server = HttpServer::start(|received| {
        let text = "x".repeat(100_000);
        match received.target.as_str() {
            "/items" => Reply::Json(vec![json!({ "text": text }); 5].into()),
            _ => Reply::Json(json!(text)),
        }
    });
    let definitions = TYPES.replace("SERVER", &server.address.to_string());
    let database = Database::new();
    let many: String = (0..30).map(|number| format!("i{number}: items {{ text }} ")).collect();
    let rows: Vec<String> = (0..20).map(|number| format!("{{name: \"{number}\"}}")).collect();
    let codes = block_on(async {
        let worker = open(&database, &definitions, local()).await.unwrap();
        let add = format!("mutation {{ addRow(input: [{}]) {{ numUids }} }}", rows.join(", "));
        ask(&worker, &add, "{}", &[]).await;
        let engine = super::reopened(&database, &definitions, 3 << 20).await;
        let mut codes = Vec::new();
        for memory in [u64::MAX, 1 << 20] {
            let worker =
                super::Worker::sharing(engine.clone(), response::MemoryBudget::new(memory));
            for request in ["{ queryRow { text } }", &format!("{{ {many} }}")] {
                let answer = ask(&worker, request, "{}", &[]).await;
                let answer: Value = serde_json::from_str(&answer).unwrap();
                let errors = answer["errors"].as_array().cloned().unwrap_or_default();
                let codes_of = errors.iter().map(|error| error["extensions"]["code"].to_string());
                // The field of one request may fail, or the response as a whole.
                let mut codes_of: Vec<_> = codes_of.collect();
                codes_of.dedup();
                codes.push(codes_of.join(" "));
            }
            codes.push("-".to_owned());
        }
        codes.join("\n")
    });
    expect![[r#"

        "RESPONSE_TOO_LARGE"
        -
        "RESPONSE_MEMORY_EXHAUSTED"
        "RESPONSE_MEMORY_EXHAUSTED"
        -"#]]
    .assert_eq(&codes);
}

#[test]
fn hidden_rows_and_fields_are_not_sent() {
    let server = HttpServer::start(reply);
    let definitions = TYPES.replace("SERVER", &server.address.to_string());
    let database = Database::new();
    let text = block_on(async {
        let worker = open(&database, &definitions, local()).await.unwrap();
        ask(&worker, ROWS, "{}", &[]).await;
        drop(server.received());
        let engine = super::restricted(&database, &definitions).await;
        let worker = super::Worker::new(engine);
        let mut text = String::new();
        for request in [
            "{ queryPerson(order: {asc: name}) { name bio } }",
            "{ queryPerson { films { name } } }",
        ] {
            text.push_str(&ask(&worker, request, "{}", &[]).await);
            text.push('\n');
            let mut received: Vec<String> = server.received().iter().map(super::shown).collect();
            received.sort();
            text.extend(received);
        }
        text
    });
    expect![[r#"
        {"data":{"queryPerson":[{"name":"ann","bio":"of /bio/0x1?n=ann"},{"name":"cy/d","bio":"of /bio/0x3?n=cy%2Fd"}]}}
          GET /bio/0x1?n=ann 
          GET /bio/0x3?n=cy%2Fd 
        {"data":{"queryPerson":[{"films":[{"name":"ann 1"},null]},{"films":[{"name":"cy/d 1"},null]}]},"errors":[{"message":"You may not read `Person.age`.","locations":[{"line":1,"column":17}],"path":["queryPerson",0,"films"],"extensions":{"code":"PERMISSION_DENIED","field":"Person.age"}}]}
          POST /films [{"of":"0x1","who":{"a":null,"n":"ann"}},{"of":"0x3","who":{"a":null,"n":"cy/d"}}]
    "#]]
    .assert_eq(&text);
}

const ABSTRACT: &str = r#"
    interface Named @remote { name: String! }
    type Cat implements Named @remote { lives: Int }
    type Dog implements Named @remote { barks: Boolean }
    union Pet @remote = Cat | Dog
    type Row { id: ID! name: String }
    type Query {
        named(of: String!): [Named] @custom(http: {url: "http://SERVER/named/$of", method: GET})
        pet: Pet @custom(http: {
            url: "http://SERVER/graphql", method: POST, skipIntrospection: true, graphql: "query { pet }"
        })
    }
"#;

#[test]
fn objects_of_several_types_have_the_fields_of_their_own() {
    check(
        |received| match received.target.as_str() {
            "/named/known" => Reply::Json(json!([
                { "__typename": "Cat", "name": "tom", "lives": 9, "barks": true },
                { "__typename": "Dog", "name": "rex", "lives": 1, "barks": true },
                { "__typename": "Row", "name": "no pet" },
            ])),
            "/graphql" => {
                Reply::Json(json!({ "data": { "pet": { "__typename": "Dog", "barks": false } } }))
            }
            _ => Reply::Json(json!([{ "name": "somebody" }])),
        },
        ABSTRACT,
        "",
        &[
            r#"{ named(of: "known") { __typename name ... on Cat { lives } ... on Dog { barks } } }"#,
            r#"{ named(of: "unknown") { name } }"#,
            r#"{ named(of: "unknown") { name ... on Cat { lives } } }"#,
            "{ pet { ... on Named { name } ... on Dog { barks } __typename } }",
        ],
        &expect![[r#"
            {"data":{"named":[{"__typename":"Cat","name":"tom","lives":9},{"__typename":"Dog","name":"rex","barks":true},null]},"errors":[{"message":"The type of an object is unknown: its `__typename` is missing.","locations":[{"line":1,"column":3}],"path":["named",2],"extensions":{"code":"RESOLVER_RESPONSE_INVALID"}}]}
              GET /named/known 
            {"data":{"named":[{"name":"somebody"}]}}
              GET /named/unknown 
            {"data":{"named":[null]},"errors":[{"message":"The type of an object is unknown: its `__typename` is missing.","locations":[{"line":1,"column":3}],"path":["named",0],"extensions":{"code":"RESOLVER_RESPONSE_INVALID"}}]}
              GET /named/unknown 
            {"data":{"pet":null},"errors":[{"message":"Non-nullable field 'name' (type String!) was not present in result from Dgraph.  GraphQL error propagation triggered.","locations":[{"line":1,"column":3}],"path":["pet","name"],"extensions":{"code":"RESOLVER_RESPONSE_INVALID"}}]}
              POST /graphql {"query":"query { pet {\n__typename\n... on Cat{\nname\n__typename\n}\n... on Dog{\nname\nbarks\n__typename\n}\n}}","variables":{}}
        "#]],
    );
}
