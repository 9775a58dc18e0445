//! Clients of other projects, in Node.js: those of `tests/clients`.

use std::fs;
use std::time::Duration;

use super::credentials::token;
use super::site::{SECRET, Site, TYPES};
use crate::program::{outcome, run};

#[test]
fn clients_of_other_projects_subscribe() {
    let site = Site::start(&["--threads", "2"]);
    let address = site.server.address.to_string();
    let types = site.folder.file("types.graphql");
    fs::write(&types, TYPES).unwrap();
    let data = site.folder.file("notes.db");
    let schema = ["schema", types.to_str().unwrap(), "--data", data.to_str().unwrap()];
    let (code, sdl, error) = outcome(&run(&schema));
    assert_eq!((code, error.as_str()), (Some(0), ""));
    let (schema, folder) = (site.folder.file("sdl.graphql"), site.folder.file("relay"));
    fs::write(&schema, sdl).unwrap();
    let arguments = [&address, schema.to_str().unwrap(), folder.to_str().unwrap()];
    if let Some(printed) = crate::script::run("subscriptions.mjs", &arguments) {
        let clients = [
            "graphql-ws",
            "Apollo Client",
            "Apollo Client, multipart",
            "urql",
            "urql, stream",
            "Relay",
            "subscriptions-transport-ws",
            "graphql-sse",
            "graphql-sse, single connection",
        ];
        assert_eq!(printed.lines().collect::<Vec<_>>(), clients);
    }
}

#[test]
fn clients_of_other_projects_see_the_codes_of_closed_sockets() {
    let site =
        Site::start(&["--jwt-secret", SECRET, "--require-token", "--socket-init-timeout", "500ms"]);
    let address = site.server.address.to_string();
    let token = token(Duration::from_secs(600));
    if let Some(printed) = crate::script::run("close_codes.mjs", &[&address, &token]) {
        let codes = ["4400", "4401", "4403", "4403", "4408", "4409", "4429", "4406"];
        assert_eq!(printed.lines().collect::<Vec<_>>(), codes);
    }
}
