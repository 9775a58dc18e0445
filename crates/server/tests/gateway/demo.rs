//! `thalweg demo --gateway`: what it prints is what its gateway plans and answers.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::gateway::site::refused;
use crate::program::{Folder, PATIENCE, outcome, post, read_answer, run, thalweg};

/// The last line that it prints before it serves on.
const END: &str = "thalweg gateway ";

/// A demo that is ended in the end.
struct Demo {
    child: Child,
    output: BufReader<ChildStdout>,
    /// All that it printed.
    printed: String,
}

impl Demo {
    fn start(folder: &Path) -> Self {
        let folder = folder.to_str().unwrap();
        let arguments = ["demo", "--gateway", "--folder", folder, "--listen", "127.0.0.1:0"];
        let mut child =
            thalweg(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut printed = String::new();
        while !printed.lines().last().is_some_and(|line| line.starts_with(END)) {
            if output.read_line(&mut printed).unwrap() == 0 {
                let mut error = String::new();
                child.stderr.take().unwrap().read_to_string(&mut error).unwrap();
                panic!("{printed}\n{error}");
            }
        }
        Self { child, output, printed }
    }

    /// What is printed between two texts.
    fn between(&self, from: &str, to: &str) -> &str {
        let (_, rest) = self.printed.split_once(from).unwrap();
        rest.split_once(to).unwrap().0.trim()
    }

    fn address(&self) -> SocketAddr {
        self.between("GraphQL is at http://", "/graphql;").parse().unwrap()
    }

    /// Ends it, with a signal as a person would, and gives its exit code.
    fn end(mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        let kill = std::process::Command::new("kill").args(["-s", "INT", &id]).status().unwrap();
        assert!(kill.success());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
        self.child.wait().unwrap().code()
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The answer to its query, as its rows say it.
fn expected() -> Value {
    let by = |name: &str, country: &str| json!({ "name": name, "country": country });
    let (bruno, dara) = (by("Bruno Falk", "Germany"), by("Dara Quinn", "Ireland"));
    let review = |stars: u8, text: &str, author: &Value| json!({ "stars": stars, "text": text, "author": author });
    json!({ "data": { "products": [
        {
            "name": "Kayak",
            "price": 1150,
            "units": 0,
            "warehouse": "North",
            "shipping_days": 12,
            "reviews": [
                review(5, "The best one that I ever had.", &by("Chiara Rossi", "Italy")),
                review(3, "Narrow for tall people.", &bruno),
            ]
        },
        {
            "name": "Canoe",
            "price": 890,
            "units": 3,
            "warehouse": "North",
            "shipping_days": 9,
            "reviews": [
                review(5, "Runs true, even in wind.", &bruno),
                review(4, "Heavier than it looks.", &dara),
            ]
        },
        {
            "name": "Raft",
            "price": 640,
            "units": 7,
            "warehouse": "North",
            "shipping_days": 6,
            "reviews": [
                review(4, "Room for five and a dog.", &by("Fatima Noor", "Morocco")),
                review(5, "Patched twice, still tight.", &by("Emil Strand", "Norway")),
            ]
        },
    ] } })
}

#[test]
fn one_query_runs_across_four_databases_and_a_server() {
    let folder = Folder::new();
    let shop = folder.file("shop of \"$5\"");
    let demo = Demo::start(&shop);
    let made =
        format!("Writing the federated shop into {} ... 56 rows in 7 tables", shop.display());
    assert!(demo.printed.starts_with(&made), "{}", demo.printed);

    let answer: Value =
        serde_json::from_str(demo.between("# Its response:\n", "\nGraphQL is at")).unwrap();
    assert_eq!(answer, expected());

    let plan = demo.between("-- plan\n", "\n-- cost").to_owned();
    let fetches: Vec<&str> = plan.lines().filter(|line| !line.starts_with(' ')).collect();
    let of: Vec<&str> = fetches.iter().map(|line| line.split_once(':').unwrap().0).collect();
    assert_eq!(
        of,
        [
            "1. products",
            "2. inventory after 1",
            "3. reviews after 1",
            "4. shipping after 1",
            "5. accounts after 3"
        ]
    );
    for (place, name) in ["products", "inventory", "reviews", "accounts"].iter().enumerate() {
        let place = if *name == "accounts" { 5 } else { place + 1 };
        let own = format!("-- statements of {place}. {name}, in this process\nSELECT ");
        assert!(demo.printed.contains(&own), "{own}{}", demo.printed);
    }
    let requests = demo.between("-- requests\n", "# Its response:");
    assert_eq!(requests.matches(": sent after ").count(), 5, "{requests}");
    assert!(requests.contains("3 objects, 3 different, 0 known"), "{requests}");

    // It goes on serving the same.
    let query = fs::read_to_string(shop.join("query.graphql")).unwrap();
    let body = json!({ "query": query }).to_string();
    let mut stream = TcpStream::connect(demo.address()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(post("application/json", "", &body).as_bytes()).unwrap();
    let again = read_answer(&mut BufReader::new(stream), true).body;
    assert_eq!(serde_json::from_str::<Value>(&again).unwrap(), expected());
    assert_eq!(demo.end(), Some(0));

    let demo = Demo::start(&shop);
    let used = format!("Using the federated shop in {}.\n", shop.display());
    assert!(demo.printed.starts_with(&used), "{}", demo.printed);
    let explain = demo.between("it is executed:\n", "\n\n");
    assert!(explain.starts_with("thalweg explain "), "{explain}");
    let file = |name: &str| shop.join(name).to_str().unwrap().to_owned();
    let (supergraph, query, subgraphs) =
        (file("supergraph.graphql"), file("query.graphql"), file("subgraphs.toml"));
    let arguments = ["explain", &supergraph, &query, "--subgraphs", &subgraphs];
    let (code, told, error) = outcome(&run(&arguments));
    assert_eq!((code, error.as_str()), (Some(0), ""));
    assert_eq!(
        told.split_once("\n-- cost").unwrap().0.trim_end(),
        ["-- plan\n", plan.as_str()].concat()
    );
}

#[test]
fn folders_of_others_are_left_as_they_are() {
    let folder = Folder::new();
    let foreign = folder.file("mine");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("letter.txt"), "Dear Ada").unwrap();
    for place in [foreign.clone(), foreign.join("letter.txt")] {
        let shown = place.to_str().unwrap();
        let error = refused(&["demo", "--gateway", "--folder", shown, "--listen", "127.0.0.1:0"]);
        let expected = format!(
            "error: {shown} exists and is not the federated shop; name another folder with --folder\n"
        );
        assert_eq!(error, expected);
    }
    assert_eq!(fs::read_dir(&foreign).unwrap().count(), 1);
    let nowhere = folder.file("no/folder");
    let nowhere = nowhere.to_str().unwrap();
    let error = refused(&["demo", "--gateway", "--folder", nowhere, "--listen", "127.0.0.1:0"]);
    assert!(error.ends_with("name another folder with --folder\n"), "{error}");
    let error = refused(&["demo", "--folder", nowhere]);
    assert!(error.contains("`--folder` needs `--gateway`"), "{error}");
}
