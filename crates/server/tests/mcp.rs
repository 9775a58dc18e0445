//! The Model Context Protocol, against the built program.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};
use testkit::tokens::Issuer;

use crate::program::{Answer, Folder, Server, outcome, run};

const SECRET: &str = "a secret of more than thirty-two bytes";

const DOCUMENTS: &str = r##"{
    "1": "# Finds an artist with the first albums.\nquery ArtistAlbums($id: Int!, $first: Int = 3) { artistById(id: $id) { name albumsByArtistId(first: $first) { nodes { title } } } }",
    "2": "query Artists($condition: ArtistCondition, $order: [ArtistsOrderBy!]) { allArtists(condition: $condition, orderBy: $order, first: 2) { nodes { id name } } }",
    "3": "mutation RenameArtist($id: Int!, $name: String!) { updateArtistById(input: {id: $id, artistPatch: {name: $name}}) { artist { name } } }",
    "4": "query Gone { noSuchField }"
}"##;

const POLICIES: &str = r#"
claim_role = "role"
default_role = "anonymous"
[rules.artists]
entity = "artist"
read = { columns = ["id", "name"] }
[roles.anonymous]
rules = ["artists"]
[roles.owner]
all = true
"#;

/// A server of the sample with the documents as tools.
fn start(options: &[&str]) -> (Folder, Server) {
    let folder = Folder::new();
    let (file, documents) = (folder.file("shop.db"), folder.file("tools.json"));
    fs::write(&documents, DOCUMENTS).unwrap();
    let usual = ["demo", "--listen", "127.0.0.1:0", "--file", file.to_str().unwrap(), "--mcp"];
    let own = ["--mcp-documents", documents.to_str().unwrap()];
    let server = Server::start(&[&usual[..], &own, options].concat());
    (folder, server)
}

fn post(server: &Server, headers: &str, body: &str) -> Answer {
    let length = body.len();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
    );
    server.send(request.as_bytes())
}

/// Sends a request as clients with a handshake do.
fn ask_as(server: &Server, headers: &str, method: &str, params: &Value) -> Value {
    let request = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
    let answer = post(server, headers, &request.to_string());
    let reply: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!((answer.status, &reply["id"]), (200, &json!(7)), "{reply}");
    reply
}

fn ask(server: &Server, method: &str, params: &Value) -> Value {
    ask_as(server, "", method, params)
}

fn call(server: &Server, name: &str, arguments: &Value) -> Value {
    ask(server, "tools/call", &json!({ "name": name, "arguments": arguments }))["result"].clone()
}

fn names(reply: &Value) -> Vec<&str> {
    let tools = reply["result"]["tools"].as_array().unwrap();
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

/// The parameters and the headers of a request without a handshake.
fn stateless(method: &str, mut params: Value) -> (String, String) {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mut headers = format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n");
    if let Some(name) = params["name"].as_str() {
        write!(headers, "Mcp-Name: {name}\r\n").unwrap();
    }
    let body = json!({ "jsonrpc": "2.0", "id": "a", "method": method, "params": params });
    (headers, body.to_string())
}

#[test]
fn the_official_clients_list_and_call_tools() {
    let (_folder, server) = start(&["--mcp-tools", "trusted,schema"]);
    let url = format!("http://{}/mcp", server.address);
    let Some(printed) = crate::script::run("mcp.mjs", &[&url]) else { return };
    let line = "search_schema introspect_type execute_operation ArtistAlbums Artists\n";
    assert_eq!(printed, line.repeat(4));
}

#[test]
fn a_request_without_a_handshake_has_its_version_in_headers_and_body() {
    let (_folder, server) = start(&[]);
    let send = |(headers, body): &(String, String)| {
        let answer = post(&server, headers, body);
        (answer.status, serde_json::from_str::<Value>(&answer.body).unwrap())
    };
    let discover = stateless("server/discover", json!({}));
    let (status, reply) = send(&discover);
    assert_eq!(status, 200);
    let result = &reply["result"];
    let supported = json!(["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"]);
    assert_eq!(
        (&result["supportedVersions"], &result["resultType"]),
        (&supported, &json!("complete"))
    );
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "thalweg");
    assert_eq!(result["cacheScope"], "private");

    let listed = send(&stateless("tools/list", json!({}))).1;
    assert_eq!(names(&listed), ["ArtistAlbums", "Artists"]);
    assert_eq!(listed["result"]["cacheScope"], "private");
    let called =
        stateless("tools/call", json!({ "name": "ArtistAlbums", "arguments": { "id": 1 } }));
    let reply = send(&called).1;
    assert_eq!(reply["id"], "a");
    assert_eq!(reply["result"]["resultType"], "complete");
    let text = reply["result"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), reply["result"]["structuredContent"]);

    let code = |request: &(String, String), status: u16| {
        let (found, reply) = send(request);
        assert_eq!(found, status, "{reply}");
        reply["error"]["code"].as_i64().unwrap()
    };
    let without = |name: &str| {
        let lines = called.0.lines().filter(|line| !line.starts_with(name));
        (lines.map(|line| format!("{line}\r\n")).collect(), called.1.clone())
    };
    for name in ["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"] {
        assert_eq!(code(&without(name), 400), -32020, "{name}");
    }
    let other = (called.0.replace("ArtistAlbums", "Artists"), called.1.clone());
    assert_eq!(code(&other, 400), -32020);
    assert_eq!(code(&(called.0.clone(), called.1.replace("/clientCap", "/x")), 400), -32602);
    assert_eq!(code(&stateless("resources/list", json!({})), 404), -32601);
    assert_eq!(code(&stateless("initialize", json!({})), 404), -32601);
    let newer = (
        called.0.replace("2026-07-28", "2999-01-01"),
        called.1.replace("2026-07-28", "2999-01-01"),
    );
    assert_eq!(code(&newer, 400), -32022);
    assert_eq!(send(&newer).1["error"]["data"]["supported"], supported);
    assert_eq!(code(&stateless("tools/call", json!({ "name": "Gone" })), 200), -32602);
}

#[test]
fn a_handshake_agrees_on_a_version() {
    let (_folder, server) = start(&[]);
    let agreed = |wanted: &str| {
        let reply = ask(&server, "initialize", &json!({ "protocolVersion": wanted }));
        reply["result"]["protocolVersion"].as_str().unwrap().to_owned()
    };
    assert_eq!(agreed("2025-06-18"), "2025-06-18");
    assert_eq!(agreed("2024-11-05"), "2025-11-25");
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let answer = post(&server, "MCP-Protocol-Version: 2025-06-18\r\n", initialized);
    assert_eq!((answer.status, answer.body.as_str()), (202, ""));
    assert_eq!(ask(&server, "ping", &json!({}))["result"], json!({}));
    // There are no sessions and no streams.
    for method in ["GET", "DELETE"] {
        let answer =
            server.send(format!("{method} /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes());
        assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")));
    }
}

#[test]
fn messages_that_are_none_are_refused() {
    let (_folder, server) = start(&[]);
    let check = |headers: &str, body: &str, status: u16, code: i64| {
        let answer = post(&server, headers, body);
        let reply: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(
            (answer.status, &reply["error"]["code"]),
            (status, &json!(code)),
            "{body}: {reply}"
        );
    };
    check("", "{", 400, -32700);
    check("", "7", 400, -32600);
    check("", r#"{"id":1,"method":"ping"}"#, 400, -32600);
    check("", r#"{"jsonrpc":"2.0","id":1}"#, 400, -32600);
    check("", r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, 400, -32600);
    check("", r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, 400, -32600);
    check("", r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, 400, -32600);
    check("", r#"{"jsonrpc":"2.0","method":"tools/list"}"#, 400, -32600);
    check("", r#"{"jsonrpc":"2.0","id":1,"method":"prompts/list"}"#, 200, -32601);
    check(
        "",
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}"#,
        200,
        -32602,
    );
    check(
        "",
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":7}}"#,
        200,
        -32602,
    );
    check(
        "",
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{}}}"#,
        200,
        -32602,
    );
    let array = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Artists","arguments":[]}}"#;
    check("", array, 200, -32602);
    check("Origin: https://evil.example\r\n", array, 403, 403);
    check("", &format!("[{}]", "7,".repeat(30).trim_end_matches(',')), 400, -32600);
    check("MCP-Protocol-Version: 2025-06-18\r\n", "[7]", 400, -32600);
    check("", "[]", 400, -32600);
    let large = "x".repeat(4 << 20);
    check("", &large, 413, 413);
}

#[test]
fn the_oldest_revision_has_batches() {
    let (_folder, server) = start(&[]);
    let batch = json!([
        { "jsonrpc": "2.0", "id": 1, "method": "ping" },
        { "jsonrpc": "2.0", "method": "notifications/initialized" },
        7,
        { "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": { "name": "Artists" } },
    ]);
    let answer = post(&server, "", &batch.to_string());
    let replies: Value = serde_json::from_str(&answer.body).unwrap();
    let replies = replies.as_array().unwrap();
    assert_eq!(replies.len(), 3);
    assert_eq!(replies[1]["error"]["code"], -32600);
    let nodes = &replies[2]["result"]["structuredContent"]["data"]["allArtists"]["nodes"];
    assert_eq!(nodes.as_array().unwrap().len(), 2);
    let none = post(&server, "", r#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#);
    assert_eq!((none.status, none.body.as_str()), (202, ""));
}

#[test]
fn tools_describe_their_inputs_and_outputs() {
    let (_folder, server) = start(&["--mcp-mutations"]);
    let reply = ask(&server, "tools/list", &json!({}));
    assert_eq!(names(&reply), ["ArtistAlbums", "Artists", "RenameArtist"]);
    let tools = reply["result"]["tools"].as_array().unwrap();
    assert_eq!(tools[0]["title"], "Artist albums");
    assert_eq!(tools[0]["description"], "Finds an artist with the first albums.");
    let first = json!({
        "type": "object", "additionalProperties": false, "required": ["id"],
        "properties": {
            "id": { "type": "integer" },
            "first": { "type": ["integer", "null"], "default": 3 },
        },
    });
    assert_eq!(tools[0]["inputSchema"], first);
    let data = &tools[0]["outputSchema"]["properties"]["data"]["properties"];
    assert_eq!(data["artistById"]["properties"]["name"]["type"], json!(["string", "null"]));
    let inputs = &tools[1]["inputSchema"];
    let condition = json!([{ "$ref": "#/$defs/ArtistCondition" }, { "type": "null" }]);
    assert_eq!(inputs["properties"]["condition"]["anyOf"], condition);
    let of_condition = &inputs["$defs"]["ArtistCondition"]["properties"];
    assert_eq!(of_condition["id"]["type"], json!(["integer", "null"]));
    let order = inputs["properties"]["order"]["items"]["enum"].as_array().unwrap();
    assert!(order.contains(&json!("NAME_DESC")));
    let hints = |tool: &Value| {
        [&tool["annotations"]["readOnlyHint"], &tool["annotations"]["destructiveHint"]]
            .map(|hint| hint.as_bool().unwrap())
    };
    assert_eq!((hints(&tools[0]), hints(&tools[2])), ([true, false], [false, true]));
}

#[test]
fn errors_of_operations_are_those_of_the_tool() {
    let (_folder, server) = start(&[]);
    for (arguments, wanted) in [
        (json!({ "id": "one" }), "Variable"),
        (json!({}), "Variable"),
        (
            json!({ "id": 1, "more": 2 }),
            "There is no argument \\\"more\\\"; the tool has: id, first.",
        ),
    ] {
        let result = call(&server, "ArtistAlbums", &arguments);
        assert_eq!(result["isError"], true, "{result}");
        assert!(result["content"][0]["text"].to_string().contains(wanted), "{result}");
    }
    let none = call(&server, "ArtistAlbums", &json!({ "id": 999_999 }));
    assert_eq!(none["isError"], false);
    assert_eq!(none["structuredContent"], json!({ "data": { "artistById": null } }));
}

#[test]
fn mutations_are_no_tools_unless_they_are_allowed() {
    let rename = json!({ "id": 1, "name": "Renamed" });
    let mutation =
        json!({ "query": "mutation { deleteArtistById(input: {id: 2}) { artist { id } } }" });
    let (_folder, server) = start(&["--mcp-tools", "trusted,schema"]);
    let refused = json!({ "name": "RenameArtist", "arguments": rename });
    assert_eq!(
        ask(&server, "tools/call", &refused)["error"]["message"],
        "Unknown tool: RenameArtist"
    );
    let result = call(&server, "execute_operation", &mutation);
    assert_eq!(result["isError"], true);
    let error = &result["structuredContent"]["errors"][0];
    assert_eq!(error["extensions"]["code"], "METHOD_NOT_ALLOWED");
    assert!(error["message"].as_str().unwrap().contains("--mcp-mutations"));
    let name = |server: &Server| server.query("", "{ artistById(id: 1) { name } }").body;
    assert!(!name(&server).contains("Renamed"));

    let (_folder, server) = start(&["--mcp-tools", "trusted,schema", "--mcp-mutations"]);
    assert_eq!(call(&server, "RenameArtist", &rename)["isError"], false);
    assert!(name(&server).contains("Renamed"));
    let result = call(&server, "execute_operation", &mutation);
    assert!(!result["content"][0]["text"].to_string().contains("--mcp-mutations"), "{result}");
}

#[test]
fn a_role_has_the_tools_that_it_may_execute() {
    let folder = Folder::new();
    let policies = folder.file("policies.toml");
    fs::write(&policies, POLICIES).unwrap();
    let options = [
        "--policies",
        policies.to_str().unwrap(),
        "--jwt-secret",
        SECRET,
        "--mcp-tools",
        "trusted,schema",
    ];
    let (shop, _server) = start(&[]);
    let (file, documents) = (shop.file("shop.db"), shop.file("tools.json"));
    let usual = ["serve", file.to_str().unwrap(), "--listen", "127.0.0.1:0", "--mcp"];
    let own = ["--mcp-documents", documents.to_str().unwrap()];
    let server = Server::start(&[&usual[..], &own, &options].concat());
    let token = |claims: &str| {
        let claims = format!(r#"{{"aud":"postgraphile",{claims}}}"#);
        format!("Authorization: Bearer {}\r\n", Issuer::secret(SECRET).token(&claims))
    };
    let owner = token(r#""role":"owner""#);
    let all = ["search_schema", "introspect_type", "execute_operation", "ArtistAlbums", "Artists"];
    assert_eq!(names(&ask_as(&server, &owner, "tools/list", &json!({}))), all);
    let anonymous = ask(&server, "tools/list", &json!({}));
    assert_eq!(names(&anonymous), [&all[..3], &["Artists"]].concat());
    let albums = json!({ "name": "ArtistAlbums", "arguments": { "id": 1 } });
    assert_eq!(
        ask(&server, "tools/call", &albums)["error"]["message"],
        "Unknown tool: ArtistAlbums"
    );
    let reply = ask_as(&server, &owner, "tools/call", &albums);
    assert_eq!(reply["result"]["isError"], false, "{reply}");
    // An operation of its own is refused as over GraphQL.
    let query = json!({ "query": "{ allAlbums { totalCount } }" });
    let refused = call(&server, "execute_operation", &query);
    assert_eq!(
        refused["structuredContent"]["errors"][0]["extensions"]["code"],
        "PERMISSION_DENIED"
    );
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let answer = post(&server, "Authorization: Bearer a.b.c\r\n", body);
    assert_eq!((answer.status, answer.header("www-authenticate").is_some()), (401, true));
    assert!(answer.body.contains(r#""code":401"#), "{}", answer.body);
}

#[test]
fn limits_apply_as_over_graphql() {
    let (_folder, server) = start(&[
        "--mcp-tools",
        "trusted,schema",
        "--rate-limit",
        "address=3/1h",
        "--max-depth",
        "4",
    ]);
    let deep =
        json!({ "query": "{ allArtists { nodes { albumsByArtistId { nodes { title } } } } }" });
    let result = call(&server, "execute_operation", &deep);
    assert_eq!(result["structuredContent"]["errors"][0]["extensions"]["code"], "QUERY_TOO_DEEP");
    for _ in 0..2 {
        assert_eq!(call(&server, "Artists", &json!({}))["isError"], false);
    }
    // Lists and descriptions are no operations.
    assert_eq!(call(&server, "search_schema", &json!({ "words": "artist" }))["isError"], false);
    assert_eq!(
        ask(&server, "tools/list", &json!({}))["result"]["tools"].as_array().unwrap().len(),
        5
    );
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"Artists"}}"#;
    let answer = post(&server, "", request);
    assert!(answer.body.contains(r#"\"code\":\"RATE_LIMITED\""#), "{}", answer.body);
    assert_eq!(answer.header("ratelimit").unwrap().split(';').nth(1), Some("r=0"));
    assert_eq!(server.query("", "{ __typename }").status, 429);
}

#[test]
fn the_schema_is_searched_by_words_and_read_by_types() {
    let (_folder, server) = start(&["--mcp-tools", "trusted,schema"]);
    let search = |words: &str, limit: u32| {
        call(&server, "search_schema", &json!({ "words": words, "limit": limit }))["structuredContent"].clone()
    };
    let found = search("Artist id", 50);
    let artist = json!({
        "coordinate": "Query.artistById", "kind": "field",
        "definition": "artistById(id: Int!): Artist",
        "description": "Reads a single `Artist` by its key.",
    });
    let matches = found["matches"].as_array().unwrap();
    let own = matches.iter().find(|one| one["coordinate"] == "Query.artistById").unwrap();
    assert_eq!((&own["kind"], &own["definition"]), (&artist["kind"], &artist["definition"]));
    let few = search("artist", 2);
    assert_eq!(few["matches"].as_array().unwrap().len(), 2);
    assert!(few["found"].as_u64().unwrap() > 2);
    assert_eq!(few["matches"][0]["coordinate"], "Query.artist");
    assert_eq!(few["matches"][1]["coordinate"], "Artist");
    assert_eq!(search("no such words", 5)["found"], 0);

    let text = |result: Value| result["content"][0]["text"].as_str().unwrap().to_owned();
    let unknown = call(&server, "introspect_type", &json!({ "name": "Artst" }));
    assert_eq!(unknown["isError"], true);
    assert!(text(unknown).contains("Artist"));
    // The type of queries is longer than an agent reads at once.
    let query = call(&server, "introspect_type", &json!({ "name": "Query" }));
    assert!(query["structuredContent"]["definition"].as_str().unwrap().len() <= 20_000);
    for (tool, arguments, wanted) in [
        ("search_schema", json!({}), "\"words\" must be a string"),
        ("search_schema", json!({ "words": "--" }), "from 1 to 8 words"),
        ("search_schema", json!({ "words": "a", "limit": 51 }), "from 1 to 50"),
        ("search_schema", json!({ "word": "a" }), "There is no argument \"word\""),
        ("introspect_type", json!({ "name": 7 }), "\"name\" must be a string"),
        (
            "execute_operation",
            json!({ "query": "{ a }", "id": "1" }),
            "There is no argument \"id\"",
        ),
        ("execute_operation", json!({ "query": "{ a }", "variables": 7 }), "variables"),
    ] {
        let result = call(&server, tool, &arguments);
        assert_eq!(result["isError"], true, "{result}");
        let found = text(result);
        assert!(found.contains(wanted), "{found}");
    }
}

#[test]
fn many_tools_come_in_pages() {
    let folder = Folder::new();
    let (file, documents) = (folder.file("shop.db"), folder.file("tools.json"));
    let all: serde_json::Map<String, Value> = (0..120)
        .map(|number| {
            (number.to_string(), format!("query Tool{number:03} {{ __typename }}").into())
        })
        .collect();
    fs::write(&documents, Value::Object(all).to_string()).unwrap();
    let usual = ["demo", "--listen", "127.0.0.1:0", "--file", file.to_str().unwrap(), "--mcp"];
    let trusted = ["--trusted-documents", documents.to_str().unwrap()];
    let server = Server::start(&[&usual[..], &trusted].concat());
    let mut params = json!({});
    let mut seen: Vec<String> = Vec::new();
    let mut pages = 0;
    loop {
        let reply = ask(&server, "tools/list", &params);
        seen.extend(names(&reply).into_iter().map(str::to_owned));
        pages += 1;
        match &reply["result"]["nextCursor"] {
            Value::Null => break,
            next => params = json!({ "cursor": next }),
        }
    }
    let expected: Vec<String> = (0..120).map(|number| format!("Tool{number:03}")).collect();
    assert_eq!((pages, seen), (3, expected));
}

#[test]
fn operations_of_tools_have_records_as_others() {
    let (_folder, mut server) = start(&["--log-requests", "all"]);
    call(&server, "Artists", &json!({}));
    server.signal("TERM");
    let log = server.rest_of_log();
    let line = log.lines().find(|line| line.contains("operation=\"Artists\"")).unwrap();
    assert!(line.contains("request answered") && line.contains("kind=\"query\""), "{line}");
}

#[test]
fn contradictory_options_are_refused() {
    let check = |options: &[&str], wanted: &str| {
        let usual = ["demo", "--listen", "127.0.0.1:0"];
        let (code, _, error) = outcome(&run(&[&usual[..], options].concat()));
        assert_eq!(code, Some(2), "{options:?}: {error}");
        assert!(error.contains(wanted), "{options:?}: {error}");
    };
    check(&["--mcp"], "`--mcp` has no tools");
    check(&["--mcp-mutations"], "`--mcp-mutations` needs `--mcp`");
    check(&["--mcp-tools", "schema"], "`--mcp-tools` needs `--mcp`");
    let schema = ["--mcp", "--mcp-tools", "schema"];
    check(&[&schema[..], &["--introspection", "off"]].concat(), "`--introspection off` forbids");
    check(&[&schema[..], &["--mcp-documents", "a.json"]].concat(), "`--mcp-documents` needs");
    let only = ["--only-trusted", "--trusted-documents", "a.json"];
    check(&[&schema[..], &only].concat(), "`--only-trusted` forbids");
    check(&["--mcp", "--mcp-tools", "all"], "possible values: trusted, schema");
}

#[test]
fn without_the_option_there_is_no_endpoint() {
    let server = Server::sample();
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    assert_eq!(post(&server, "", body).status, 404);
}
