//! Responses that caches may keep: queries of Dgraph's dialect with `@cacheControl(maxAge:)`.

use std::fs;

use serde_json::json;
use testkit::http::{HttpServer, Reply};
use testkit::postgres::{required_installations, shared};

use crate::program::{Answer, Folder, Server};

const CACHED: &str = "query @cacheControl(maxAge: 60) { me { name } }";

/// The headers `Cache-Control` and `Vary`, without the values of `Vary` that all responses have.
fn caching(answer: &Answer) -> (Option<&str>, Vec<&str>) {
    let own = |(name, value): &(String, String)| name == "vary" && !value.starts_with("accept");
    let varies = answer.headers.iter().filter(|header| own(header));
    (answer.header("cache-control"), varies.map(|(_, value)| value.as_str()).collect())
}

/// Starts a server of these type definitions.
fn start(folder: &Folder, types: &str, data: &str, options: &[&str]) -> Server {
    let file = folder.file("schema.graphql");
    fs::write(&file, types).unwrap();
    let words =
        ["serve", file.to_str().unwrap(), "--data", data, "--listen", "127.0.0.1:0", "--batching"];
    Server::start(&[&words[..], options].concat())
}

#[test]
fn caches_distinguish_headers_that_other_servers_receive() {
    let other = HttpServer::start(|received| {
        let token = received.headers.get("authorization").cloned();
        Reply::Json(json!({ "name": token.unwrap_or_default() }))
    });
    let types = format!(
        "type Film {{ name: String }}
         type User @remote {{ name: String }}
         type Query {{
           me: User @custom(http: {{
             url: \"http://{}/\", method: GET, forwardHeaders: [\"Authorization\", \"X-Tenant\"]
           }})
         }}",
        other.address
    );
    let folder = Folder::new();
    let data = folder.file("shop.db");
    let hosts = ["--custom-hosts", "127.0.0.1", "--custom-networks", "127.0.0.0/8"];
    let server = start(&folder, &types, data.to_str().unwrap(), &hosts);
    let varies = vec!["authorization", "x-tenant"];
    let public = server.query("", CACHED);
    assert_eq!(public.body, r#"{"data":{"me":{"name":""}}}"#);
    assert_eq!(caching(&public), (Some("public,max-age=60"), varies.clone()));
    let private = server.query("Authorization: ann\r\n", CACHED);
    assert_eq!(private.body, r#"{"data":{"me":{"name":"ann"}}}"#);
    assert_eq!(caching(&private), (Some("private,max-age=60"), varies.clone()));
    let other_header = server.query("X-Other: ann\r\n", CACHED);
    assert_eq!(caching(&other_header), (Some("public,max-age=60"), varies));
    let batch = server.post("", &json!([{ "query": CACHED }]).to_string());
    assert!(batch.body.starts_with("[{\"data\""), "{batch:?}");
    assert_eq!(caching(&batch), (Some("no-store"), vec![]));
}

#[test]
fn caches_distinguish_headers_that_become_settings() {
    let folder = Folder::new();
    for installation in required_installations().unwrap() {
        let postgres = shared(&installation).unwrap();
        postgres.create_database("cache_control").unwrap();
        let options = ["--pg-setting-header", "X-Tenant=app.tenant"];
        let types = "type User { name: String! }";
        let server = start(&folder, types, &postgres.url("cache_control"), &options);
        let query = CACHED.replace("me {", "me: queryUser {");
        let public = server.query("", &query);
        assert_eq!(caching(&public), (Some("public,max-age=60"), vec!["x-tenant"]), "{public:?}");
        let private = server.query("X-Tenant: 7\r\n", &query);
        assert_eq!(caching(&private), (Some("private,max-age=60"), vec!["x-tenant"]));
    }
}
