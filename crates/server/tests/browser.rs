//! GraphiQL in Chromium, against the built program, without a network.
//!
//! The pictures that it takes are in `target/browser`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends where it cannot go on")]

mod program;
mod script;

use std::path::Path;

use crate::program::Server;

#[test]
fn a_person_asks_and_sees_the_answer_and_the_statements() {
    let Some(chromium) = testkit::script::chromium().unwrap() else { return };
    let server = Server::sample();
    let address = format!("http://{}/", server.address);
    let pictures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/browser");
    let arguments = [&address, chromium.to_str().unwrap(), pictures.to_str().unwrap()];
    if let Some(printed) = script::run("browser.mjs", &arguments) {
        assert_eq!(printed, "seen\n");
    }
}
