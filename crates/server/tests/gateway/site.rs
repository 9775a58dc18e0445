//! A gateway over stubs, with its files in a folder.

use std::fs;
use std::io::BufRead;
use std::path::PathBuf;

use crate::gateway::stubs::Stubs;
use crate::program::{Folder, Server, outcome, run};

/// A gateway with all that it needs.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) server: Server,
    pub(crate) stubs: Stubs,
    pub(crate) folder: Folder,
}

/// Its products, of both subgraphs.
pub(crate) const QUERY: &str = "{ products { upc name inStock } }";

pub(crate) const PRODUCTS: &str = r#"{"data":{"products":[{"upc":"1","name":"Product 1","inStock":true},{"upc":"2","name":"Product 2","inStock":false}]}}"#;

impl Site {
    /// With further options.
    pub(crate) fn start(options: &[&str]) -> Self {
        Self::start_with("", options)
    }

    /// With a subgraphs file.
    pub(crate) fn start_with(subgraphs: &str, options: &[&str]) -> Self {
        let (folder, stubs) = prepare(subgraphs);
        let supergraph = folder.file("supergraph.graphql");
        let subgraphs_file = folder.file("subgraphs.toml");
        let usual = [
            "gateway",
            supergraph.to_str().unwrap(),
            "--listen",
            "127.0.0.1:0",
            "--subgraphs",
            subgraphs_file.to_str().unwrap(),
        ];
        let server = Server::start(&[&usual, options].concat());
        Self { server, stubs, folder }
    }

    pub(crate) fn supergraph(&self) -> PathBuf {
        self.folder.file("supergraph.graphql")
    }

    /// Another supergraph, of which something differs.
    pub(crate) fn replace(&self, from: &str, to: &str) {
        let text = self.stubs.supergraph();
        assert!(text.contains(from), "{from}");
        fs::write(self.supergraph(), text.replace(from, to)).unwrap();
    }

    /// Reads the log on until it says something.
    pub(crate) fn wait_for(&mut self, text: &str) -> String {
        loop {
            let mut line = String::new();
            assert!(self.server.log.read_line(&mut line).unwrap() > 0, "no {text} in the log");
            if line.contains(text) {
                return line;
            }
        }
    }

    pub(crate) fn query(&self, query: &str) -> String {
        self.server.query("", query).body
    }
}

/// A folder with a supergraph and a subgraphs file, and what they are about.
pub(crate) fn prepare(subgraphs: &str) -> (Folder, Stubs) {
    let (folder, stubs) = (Folder::new(), Stubs::start());
    fs::write(folder.file("supergraph.graphql"), stubs.supergraph()).unwrap();
    fs::write(folder.file("subgraphs.toml"), subgraphs).unwrap();
    (folder, stubs)
}

/// The error stream of a program that refuses to do what it is asked.
pub(crate) fn refused(arguments: &[&str]) -> String {
    let (code, _, error) = outcome(&run(arguments));
    assert!(code.is_some_and(|code| code != 0), "{error}");
    error
}
