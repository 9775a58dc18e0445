//! Supergraphs of registries, by a stand-in for each of them.

mod stand_in;

use std::fs;
use std::io::BufRead;
use std::process::Output;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::gateway::site::{PRODUCTS, QUERY, prepare};
use crate::gateway::stubs::Stubs;
use crate::gateway::watched::{check, scrape};
use crate::program::{Folder, PATIENCE, Server, outcome, thalweg};
use stand_in::{
    ACCESS_KEY_ID, GRAPH_REF, HIVE_KEY, OBJECT, REGION, SECRET_ACCESS_KEY, Says, StandIn, TARGET,
    UPLINK_KEY, document,
};

/// The registries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Registry {
    Uplink,
    Hive,
    S3,
}

const REGISTRIES: [Registry; 3] = [Registry::Uplink, Registry::Hive, Registry::S3];

const FIELDS: &str = r#"{ __type(name: "Product") { fields { name } } }"#;

type Variables = Vec<(&'static str, String)>;

impl Registry {
    /// The supergraph, and the variables with the addresses and the keys.
    fn at(self, stand_ins: &[&StandIn]) -> (String, Variables) {
        let urls =
            |path: &str| stand_ins.iter().map(|one| one.url(path)).collect::<Vec<_>>().join(",");
        match self {
            Self::Uplink => (
                format!("uplink:{GRAPH_REF}"),
                vec![("APOLLO_KEY", UPLINK_KEY.into()), ("APOLLO_UPLINK_ENDPOINTS", urls("/"))],
            ),
            Self::Hive => (
                "hive:".into(),
                vec![("HIVE_CDN_KEY", HIVE_KEY.into()), ("HIVE_CDN_ENDPOINT", urls(TARGET))],
            ),
            Self::S3 => (
                format!("s3://{OBJECT}"),
                vec![
                    ("AWS_ACCESS_KEY_ID", ACCESS_KEY_ID.into()),
                    ("AWS_SECRET_ACCESS_KEY", SECRET_ACCESS_KEY.into()),
                    ("AWS_REGION", REGION.into()),
                    ("AWS_ENDPOINT_URL", urls("")),
                ],
            ),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Uplink => "uplink",
            Self::Hive => "hive",
            Self::S3 => "s3",
        }
    }
}

/// A gateway of a registry, with its subgraphs.
struct Gateway {
    server: Server,
    registry: StandIn,
    stubs: Stubs,
    folder: Folder,
}

/// A supergraph with a further field.
fn changed(stubs: &Stubs, field: &str) -> String {
    let line = format!("  {field}: Int @join__field(graph: STOCK)\n  inStock:");
    stubs.supergraph().replace("  inStock:", &line)
}

fn borrowed(variables: &Variables) -> Vec<(&str, &str)> {
    variables.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

fn start_at(supergraph: &str, variables: &Variables, options: &[&str]) -> Server {
    let usual = ["gateway", supergraph, "--listen", "127.0.0.1:0", "--supergraph-poll", "50ms"];
    Server::start_in(&borrowed(variables), &[&usual, options].concat())
}

fn refused_at(words: &[&str], variables: &Variables) -> String {
    let (code, _, error) = outcome(&output(words, variables));
    assert!(code.is_some_and(|code| code != 0), "{words:?}: {error}");
    assert!(!error.contains("Zx7"), "{error}");
    error
}

fn output(words: &[&str], variables: &Variables) -> Output {
    thalweg(words).envs(borrowed(variables)).output().unwrap()
}

impl Gateway {
    fn start(registry: Registry, options: &[&str]) -> Self {
        let (folder, stubs) = prepare("");
        let stand_in = StandIn::start(document(&stubs.supergraph(), "1"));
        let (supergraph, variables) = registry.at(&[&stand_in]);
        let server = start_at(&supergraph, &variables, options);
        Self { server, registry: stand_in, stubs, folder }
    }

    fn fields(&self) -> String {
        self.server.query("", FIELDS).body
    }

    fn wait_for_field(&self, field: &str) {
        wait_for_field(&self.server, field);
    }

    /// Reads the log on until it says something.
    fn wait_for(&mut self, text: &str) -> String {
        loop {
            let mut line = String::new();
            assert!(self.server.log.read_line(&mut line).unwrap() > 0, "no {text} in the log");
            self.server.said.push_str(&line);
            if line.contains(text) {
                return line;
            }
        }
    }

    /// The whole log of a server that ends, which has no key.
    fn end(mut self) -> String {
        self.server.signal("TERM");
        let log = [self.server.said.clone(), self.server.rest_of_log()].concat();
        assert!(!log.contains("Zx7"), "{log}");
        log
    }
}

fn wait_for_field(server: &Server, field: &str) {
    let started = Instant::now();
    while !server.query("", FIELDS).body.contains(&format!("\"{field}\"")) {
        assert!(started.elapsed() < PATIENCE, "no {field}");
        sleep(Duration::from_millis(10));
    }
}

fn wait_until(is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "it never happens");
        sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_supergraph_is_fetched_and_its_changes_are_followed() {
    for registry in REGISTRIES {
        let options = ["--metrics-listen", "127.0.0.1:0", "--log", "trace"];
        let gateway = Gateway::start(registry, &options);
        assert_eq!(gateway.server.query("", QUERY).body, PRODUCTS, "{registry:?}");
        wait_until(|| gateway.registry.asked().len() > 3);
        let known = if registry == Registry::Uplink { 200 } else { 304 };
        for asked in &gateway.registry.asked()[1..] {
            assert_eq!((asked.status, asked.has_document), (known, false), "{registry:?}");
        }
        gateway.registry.publish(&changed(&gateway.stubs, "left"), "2");
        gateway.wait_for_field("left");
        // The document of the poll is served, and not fetched once more.
        let documents = gateway.registry.asked().iter().filter(|asked| asked.has_document).count();
        assert_eq!(documents, 2, "{registry:?}");
        let metrics = scrape(&gateway.server);
        let name = registry.name();
        let line = |outcome: &str| {
            format!("thalweg_supergraph_fetches_total{{source=\"{name}\",outcome=\"{outcome}\"}} ")
        };
        check(
            &metrics,
            &[&[line("fetched"), "2".into()].concat(), &[line("failed"), "0".into()].concat()],
        );
        let value = |begin: &str| -> f64 {
            let found = metrics.lines().find_map(|line| line.strip_prefix(begin));
            found.unwrap_or_else(|| panic!("no {begin} in {metrics}")).parse().unwrap()
        };
        assert!(value(&line("unchanged")) >= 2.0, "{metrics}");
        let age = format!("thalweg_supergraph_fetch_age_seconds{{source=\"{name}\"}} ");
        assert!((0.0..5.0).contains(&value(&age)), "{metrics}");
        let log = gateway.end();
        let version = if registry == Registry::Uplink { "\"2\"" } else { r#""\"2\"""# };
        let change = format!("version={version}");
        assert!(log.contains("there is a new supergraph") && log.contains(&change), "{log}");
        assert!(log.contains("coordinate=\"Product.left\" criticality=\"NON_BREAKING\""), "{log}");
    }
}

#[test]
fn a_registry_that_fails_changes_nothing_and_is_asked_again() {
    for registry in REGISTRIES {
        let mut gateway = Gateway::start(registry, &["--metrics-listen", "127.0.0.1:0"]);
        gateway.registry.says(Says::Status(500, "", "<Error><Code>InternalError</Code>".into()));
        let line = gateway.wait_for("the supergraph cannot be fetched; it is as it was");
        assert!(line.contains("500 Internal Server Error"), "{line}");
        wait_until(|| gateway.registry.asked().iter().filter(|one| one.status == 500).count() > 2);
        assert_eq!(gateway.server.query("", QUERY).body, PRODUCTS);
        assert_eq!(gateway.server.get("/health/ready", "").status, 200);
        let failed = format!(
            "thalweg_supergraph_fetches_total{{source=\"{}\",outcome=\"failed\"}} ",
            registry.name()
        );
        let metrics = scrape(&gateway.server);
        let count = metrics.lines().find_map(|line| line.strip_prefix(&*failed)).unwrap();
        assert!(count.parse::<u32>().unwrap() >= 2, "{metrics}");
        // Each pause is longer than the one before, in spite of its random part.
        let failures: Vec<Instant> = gateway
            .registry
            .asked()
            .iter()
            .filter(|one| one.status == 500)
            .map(|one| one.at)
            .collect();
        assert!(failures[2] - failures[1] > failures[1] - failures[0], "{failures:?}");
        gateway.registry.publish(&changed(&gateway.stubs, "left"), "2");
        gateway.wait_for("the supergraph can be fetched again");
        gateway.wait_for_field("left");
        let log = gateway.end();
        assert_eq!(
            log.matches("the supergraph cannot be fetched; it is as it was").count(),
            1,
            "{log}"
        );
    }
}

#[test]
fn a_broken_document_changes_nothing() {
    for registry in REGISTRIES {
        let mut gateway = Gateway::start(registry, &[]);
        let before = gateway.fields();
        gateway.registry.publish("type Query { join__Graph", "2");
        let line = gateway.wait_for("not reloaded; everything is as it was");
        assert!(line.contains("1:"), "{line}");
        assert_eq!(gateway.fields(), before);
        gateway.registry.publish(&changed(&gateway.stubs, "left"), "3");
        gateway.wait_for_field("left");
        gateway.end();
    }
}

#[test]
fn a_refusal_ends_the_start_with_a_remedy() {
    let (_folder, stubs) = prepare("");
    let stand_in = StandIn::start(document(&stubs.supergraph(), "1"));
    let check =
        |registry: Registry, change: &dyn Fn(&mut String, &mut Variables), expected: &str| {
            let (mut supergraph, mut variables) = registry.at(&[&stand_in]);
            change(&mut supergraph, &mut variables);
            for words in [
                &["gateway", &supergraph, "--listen", "127.0.0.1:0"][..],
                &["check", &supergraph],
                &["schema", &supergraph],
            ] {
                let error = refused_at(words, &variables);
                assert!(error.contains(expected), "{words:?}: {error}");
            }
        };
    let key = |registry: Registry, name: &str, expected: &str| {
        let other = |_: &mut String, variables: &mut Variables| {
            let variable = variables.iter_mut().find(|(known, _)| *known == name).unwrap();
            variable.1 = "other-Zx7".into();
        };
        check(registry, &other, expected);
    };
    key(Registry::Uplink, "APOLLO_KEY", "Uplink does not know the key: `APOLLO_KEY`");
    key(Registry::Hive, "HIVE_CDN_KEY", "the server says 403 Forbidden: Hive refuses the key");
    key(Registry::S3, "AWS_ACCESS_KEY_ID", "the storage does not know the access key id");
    key(
        Registry::S3,
        "AWS_SECRET_ACCESS_KEY",
        "the secret access key is not that of the access key",
    );
    let other = |supergraph: &mut String, _: &mut Variables| *supergraph = "uplink:a@b".into();
    check(Registry::Uplink, &other, "Uplink has no supergraph of `a@b`");
    let same = |_: &mut String, _: &mut Variables| {};
    stand_in.says(Says::FetchError("ACCESS_DENIED"));
    check(Registry::Uplink, &same, "the key has no access to `shop@current`");
    stand_in.says(Says::FetchError("RETRY_LATER"));
    check(Registry::Uplink, &same, "Uplink asks to retry later");
    stand_in.says(Says::Status(404, "", "<Error><Code>NoSuchKey</Code>".into()));
    check(Registry::Hive, &same, "404 Not Found: Hive has no supergraph there");
    check(Registry::S3, &same, "the bucket `schemas` has no object `shop graph.graphql`");
    let skewed = "<Error><Code>RequestTimeTooSkewed</Code></Error>";
    stand_in.says(Says::Status(403, "Date: Sun, 01 Mar 2020 12:00:00 GMT\r\n", skewed.into()));
    check(Registry::S3, &same, "the clock of this machine differs from that of the storage by ");
    stand_in.says(Says::Status(301, "x-amz-bucket-region: us-west-2\r\n", String::new()));
    check(Registry::S3, &same, "the bucket is in the region `us-west-2`, not in `eu-central-1`");
    stand_in.publish("type Query {", "1");
    for registry in REGISTRIES {
        check(registry, &same, "1:");
    }
}

#[test]
fn another_address_answers_for_one_that_fails() {
    for registry in [Registry::Uplink, Registry::Hive] {
        let (_folder, stubs) = prepare("");
        let failing = Says::Status(503, "", String::new());
        let (first, second) =
            (StandIn::start(failing), StandIn::start(document(&stubs.supergraph(), "1")));
        let (supergraph, variables) = registry.at(&[&first, &second]);
        let mut server = start_at(&supergraph, &variables, &[]);
        assert_eq!(server.query("", QUERY).body, PRODUCTS, "{registry:?}");
        assert!(server.said.contains("another address has answered"), "{}", server.said);
        assert!(server.said.contains("503 Service Unavailable"), "{}", server.said);
        // Polls begin with the one that has answered.
        wait_until(|| second.asked().len() > 3);
        assert_eq!(first.asked().len(), 1, "{registry:?}");
        // When that one is gone, the first one is asked again.
        first.publish(&changed(&stubs, "left"), "2");
        second.says(Says::Status(500, "", String::new()));
        wait_for_field(&server, "left");
        server.signal("TERM");
        let log = [server.said.clone(), server.rest_of_log()].concat();
        assert!(!log.contains("Zx7"), "{log}");
    }
}

#[test]
fn an_address_where_nobody_listens_is_passed_over() {
    let (_folder, stubs) = prepare("");
    let stand_in = StandIn::start(document(&stubs.supergraph(), "1"));
    let (supergraph, mut variables) = Registry::Uplink.at(&[&stand_in]);
    let nobody = ["http://127.0.0.1:1/,", &variables[1].1].concat();
    variables[1].1 = nobody;
    let server = start_at(&supergraph, &variables, &[]);
    assert_eq!(server.query("", QUERY).body, PRODUCTS);
    variables[1].1 = "http://127.0.0.1:1/,http://127.0.0.1:2/".into();
    let error = refused_at(&["gateway", &supergraph, "--listen", "127.0.0.1:0"], &variables);
    for part in
        ["uplink:shop@current: http://127.0.0.1:1/: the server cannot be", "http://127.0.0.1:2/: "]
    {
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn no_other_address_is_asked_after_a_final_refusal() {
    let denied = || StandIn::start(Says::FetchError("ACCESS_DENIED"));
    let (first, second) = (denied(), denied());
    let (supergraph, variables) = Registry::Uplink.at(&[&first, &second]);
    refused_at(&["check", &supergraph], &variables);
    assert_eq!((first.asked().len(), second.asked().len()), (1, 0));
}

#[test]
fn a_start_without_the_registry_uses_the_last_good_copy() {
    for registry in REGISTRIES {
        let folder = Folder::new();
        let copy = folder.file("copy.graphql");
        let options = ["--supergraph-copy", copy.to_str().unwrap()];
        let gateway = Gateway::start(registry, &options);
        gateway.registry.publish(&changed(&gateway.stubs, "left"), "2");
        gateway.wait_for_field("left");
        let Gateway { server, registry: stand_in, stubs, folder: _folder } = gateway;
        drop(server);
        stand_in.says(Says::Status(503, "", String::new()));
        let (supergraph, variables) = registry.at(&[&stand_in]);
        let server = start_at(&supergraph, &variables, &options);
        let said = &server.said;
        assert!(said.contains("the supergraph is read from its last good copy"), "{said}");
        assert!(said.contains("503 Service Unavailable") && !said.contains("Zx7"), "{said}");
        assert!(server.query("", FIELDS).body.contains("left"), "{registry:?}");
        assert!(!fs::read_to_string(&copy).unwrap().contains("Zx7"));
        // Polls go on, and find the next version.
        stand_in.publish(&changed(&stubs, "right"), "3");
        wait_for_field(&server, "right");
    }
}

#[test]
fn uplink_is_asked_no_sooner_than_it_allows() {
    let (_folder, stubs) = prepare("");
    let says = |text: String, version: &str| Says::Document {
        text,
        version: version.into(),
        min_delay: 0.7,
    };
    let stand_in = StandIn::start(says(stubs.supergraph(), "1"));
    let (supergraph, variables) = Registry::Uplink.at(&[&stand_in]);
    let server = start_at(&supergraph, &variables, &[]);
    wait_until(|| stand_in.asked().len() > 1);
    // A reload waits as well, and so does the poll after it.
    server.signal("HUP");
    stand_in.says(says(changed(&stubs, "left"), "2"));
    wait_for_field(&server, "left");
    wait_until(|| stand_in.asked().len() > 3);
    let asked = stand_in.asked();
    for pair in asked.windows(2) {
        let pause = pair[1].at - pair[0].at;
        // The second of two requests may be on its way for a shorter time.
        assert!(pause >= Duration::from_millis(500), "{pause:?}");
    }
}

#[test]
fn options_and_a_file_name_a_registry_as_variables_do() {
    let (folder, stubs) = prepare("");
    let stand_in = StandIn::start(document(&stubs.supergraph(), "1"));
    let (uplink, hive, s3) = (stand_in.url("/"), stand_in.url(TARGET), stand_in.url(""));
    let object = format!("s3://{OBJECT}");
    let check = |words: &[&str]| {
        let (code, told, error) = outcome(&output(&[&["check"], words].concat(), &Vec::new()));
        assert_eq!((code, error.as_str()), (Some(0), ""), "{words:?}");
        assert!(told.ends_with("Its subgraphs: shop, stock.\n") && !told.contains("Zx7"), "{told}");
    };
    check(&["uplink:shop@current", "--uplink-key", UPLINK_KEY, "--uplink-endpoints", &uplink]);
    check(&["hive:", "--hive-key", HIVE_KEY, "--hive-endpoints", &hive]);
    let keys = ["--s3-access-key-id", ACCESS_KEY_ID, "--s3-secret-access-key", SECRET_ACCESS_KEY];
    let place = ["--s3-endpoint", &s3, "--s3-region", REGION, "--s3-session-token", "Zx7-session"];
    check(&[&[object.as_str()][..], &keys, &place].concat());
    // Of a file, the keys are variables.
    let file = format!(
        "supergraph = 'uplink:shop@current'\nuplink-key = '${{GRAPH_KEY}}'\nuplink-endpoints = ['{uplink}']\n"
    );
    fs::write(folder.file("thalweg.toml"), &file).unwrap();
    let in_folder = |words: &[&str], key: &str| {
        let mut command = thalweg(words);
        outcome(&command.current_dir(&folder.0).env("GRAPH_KEY", key).output().unwrap())
    };
    assert_eq!(in_folder(&["check"], UPLINK_KEY).0, Some(0));
    let (code, _, error) = in_folder(&["check"], "Zx7-other");
    assert_eq!(code, Some(1));
    assert!(error.contains("Uplink does not know the key") && !error.contains("Zx7"), "{error}");
    fs::write(folder.file("query.graphql"), "{ products { name } }").unwrap();
    let (code, plan, error) = in_folder(&["explain", "query.graphql"], UPLINK_KEY);
    assert_eq!((code, error.as_str()), (Some(0), ""), "{plan}");
    assert!(plan.starts_with("-- plan\n1. shop: {products{name}}"), "{plan}");
    fs::write(folder.file("thalweg.toml"), file + "hive-key = 'Zx7'\n").unwrap();
    let (code, _, error) = in_folder(&["check"], UPLINK_KEY);
    assert_eq!(code, Some(1));
    assert!(
        error.contains("thalweg.toml:4:1: `--hive-key` is for a supergraph of Hive"),
        "{error}"
    );
}

#[test]
fn a_supergraph_of_a_registry_is_compared_with_a_file() {
    let (folder, stubs) = prepare("");
    let stand_in = StandIn::start(document(&changed(&stubs, "left"), "1"));
    let file = folder.file("supergraph.graphql");
    for registry in REGISTRIES {
        let (supergraph, variables) = registry.at(&[&stand_in]);
        let (code, told, _) =
            outcome(&output(&["check", &supergraph, file.to_str().unwrap()], &variables));
        assert_eq!(code, Some(1), "{told}");
        assert!(told.contains("Product.left"), "{told}");
    }
}

#[test]
fn a_registry_is_polled_by_default_unless_never_is_said() {
    let (folder, stubs) = prepare("");
    let stand_in = StandIn::start(document(&stubs.supergraph(), "1"));
    let (supergraph, mut variables) = Registry::Uplink.at(&[&stand_in]);
    let start = |variables: &Variables, options: &[&str]| {
        let usual = ["gateway", &supergraph, "--listen", "127.0.0.1:0"];
        Server::start_in(&borrowed(variables), &[&usual, options].concat())
    };
    variables.push(("APOLLO_UPLINK_POLL_INTERVAL", "50ms".into()));
    let server = start(&variables, &[]);
    wait_until(|| stand_in.asked().len() > 2);
    drop(server);
    let never = start(&variables, &["--supergraph-poll", "never"]);
    let count = stand_in.asked().len();
    sleep(Duration::from_millis(400));
    assert_eq!(stand_in.asked().len(), count);
    // A signal still reads it again.
    stand_in.publish(&changed(&stubs, "left"), "2");
    never.signal("HUP");
    wait_for_field(&never, "left");
    variables.pop();
    variables.push(("APOLLO_UPLINK_POLL_INTERVAL", "often".into()));
    let error = refused_at(&["gateway", &supergraph], &variables);
    assert!(
        error.contains("the environment variable `APOLLO_UPLINK_POLL_INTERVAL`: a time"),
        "{error}"
    );
    let file = folder.file("supergraph.graphql");
    let error =
        refused_at(&["gateway", file.to_str().unwrap(), "--supergraph-poll", "5s"], &Vec::new());
    assert!(error.contains("`--watch` follows a file"), "{error}");
}
