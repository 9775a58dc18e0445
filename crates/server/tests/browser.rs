//! GraphiQL in Chromium, against the built program, without a network.
//!
//! The pictures that it takes are in `target/browser`.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};

use crate::program::{Folder, Server, thalweg};

/// The federated shop, ended in the end.
pub(crate) struct FederatedShop {
    child: Child,
    pub(crate) address: String,
    _folder: Folder,
}

impl FederatedShop {
    pub(crate) fn start() -> Self {
        let folder = Folder::new();
        let shop = folder.file("shop");
        let place = ["--folder", shop.to_str().unwrap(), "--listen", "127.0.0.1:0"];
        let mut command = thalweg(&[&["demo", "--gateway"], &place[..]].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines.find(|line| line.as_ref().unwrap().contains("GraphQL is at http://"));
        let line = line.unwrap().unwrap();
        let (_, rest) = line.split_once("GraphQL is at ").unwrap();
        let (address, _) = rest.split_once("graphql;").unwrap();
        // The pipe is read to its end: the program would wait where it is full.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, address: address.to_owned(), _folder: folder }
    }
}

impl Drop for FederatedShop {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_person_asks_and_sees_the_answer_and_the_statements() {
    let Some(chromium) = testkit::script::chromium().unwrap() else { return };
    let server = Server::sample();
    let address = format!("http://{}/", server.address);
    let gateway = FederatedShop::start();
    let pictures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/browser");
    let query = include_str!("../src/demo/federated/query.graphql");
    let places = [chromium.to_str().unwrap(), pictures.to_str().unwrap()];
    let folder = Folder::new();
    let file = folder.file("live.db");
    // The demo makes the file.
    drop(Server::demo(&file));
    let live = ["serve", file.to_str().unwrap(), "--live", "--listen", "127.0.0.1:0"];
    let live = Server::start(&live);
    let live_address = format!("http://{}/", live.address);
    let arguments = [&address, places[0], places[1], &gateway.address, query, &live_address];
    if let Some(printed) = crate::script::run("browser.mjs", &arguments) {
        assert_eq!(printed, "seen\n");
    }
}
