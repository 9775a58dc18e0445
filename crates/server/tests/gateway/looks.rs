//! `schema`, `explain` and `check` of a supergraph.

use std::fs;

use crate::gateway::site::{Site, prepare, refused};
use crate::gateway::stubs::Stubs;
use crate::program::{Folder, outcome, run, thalweg};

fn printed(folder: &Folder, arguments: &[&str]) -> String {
    let supergraph = folder.file("supergraph.graphql");
    let (command, rest) = arguments.split_first().unwrap();
    let all = [&[*command, supergraph.to_str().unwrap()], rest].concat();
    let (code, output, error) = outcome(&run(&all));
    assert_eq!((code, error.as_str()), (Some(0), ""), "{all:?}");
    output
}

fn start() -> (Folder, Stubs) {
    let (folder, stubs) = prepare("[[all.headers]]\ninsert = 'x-from'\nvalue = 'explain'\n");
    fs::write(folder.file("query.graphql"), "{ products { name inStock } }").unwrap();
    (folder, stubs)
}

#[test]
fn the_schema_is_what_clients_see() {
    let (folder, _stubs) = start();
    let schema = printed(&folder, &["schema"]);
    assert!(schema.contains("type Product {\n  upc: ID!\n  name: String\n"), "{schema}");
    assert!(!schema.contains("join__"), "{schema}");
}

#[test]
fn a_plan_is_explained_and_nobody_is_asked() {
    let (folder, stubs) = start();
    let query = folder.file("query.graphql");
    let plan = printed(&folder, &["explain", query.to_str().unwrap()]);
    let expected = "-- plan\n1. shop: {products{name upc}}\n2. stock after 1: ";
    assert!(plan.starts_with(expected), "{plan}");
    let end = "\n   Product { upc } at products[]\n\n-- cost\n10, of 1000000 that are allowed\n";
    assert!(plan.ends_with(end), "{plan}");
    assert!(stubs.asked().is_empty());
}

#[test]
fn what_became_of_each_request_is_told() {
    let (folder, stubs) = start();
    let (query, subgraphs) = (folder.file("query.graphql"), folder.file("subgraphs.toml"));
    let options = ["--analyze", "--subgraphs", subgraphs.to_str().unwrap()];
    let arguments = [&["explain", query.to_str().unwrap()], &options[..]].concat();
    let told = printed(&folder, &arguments);
    let (_, requests) = told.split_once("\n-- requests\n").unwrap();
    let lines: Vec<&str> = requests.lines().collect();
    assert!(lines[0].starts_with("1. shop: sent after "), "{told}");
    assert!(lines[1].starts_with("2. stock: sent after "), "{told}");
    assert!(lines[1].ends_with("2 objects, 2 different, 0 known"), "{told}");
    assert_eq!(lines.len(), 2, "{told}");
    for asked in stubs.asked() {
        assert_eq!(asked.headers["x-from"], "explain");
    }
}

#[test]
fn what_is_wrong_is_named_with_its_lines() {
    let (folder, stubs) = start();
    let checked = printed(&folder, &["check"]);
    assert!(checked.ends_with("Its subgraphs: shop, stock.\n"), "{checked}");
    let wrong = stubs.supergraph().replace("key: \"upc\"", "key: \"upd\"");
    let supergraph = folder.file("supergraph.graphql");
    fs::write(&supergraph, wrong).unwrap();
    let error = refused(&["check", supergraph.to_str().unwrap()]);
    assert_eq!(error.matches("supergraph.graphql:").count(), 2, "{error}");
    assert!(error.contains("upd"), "{error}");
    fs::write(&supergraph, stubs.supergraph()).unwrap();
    let subgraphs = folder.file("subgraphs.toml");
    fs::write(&subgraphs, "[subgraphs.shops]\n[all]\nretries = 99\n").unwrap();
    let arguments =
        ["check", supergraph.to_str().unwrap(), "--subgraphs", subgraphs.to_str().unwrap()];
    let error = refused(&arguments);
    assert!(error.contains("subgraphs.toml:3:11: `retries`"), "{error}");
    fs::write(&subgraphs, "[subgraphs.shops]\n").unwrap();
    let error = refused(&arguments);
    assert!(error.contains("has no subgraph `shops`; `shop` is one"), "{error}");
}

#[test]
fn a_configuration_file_of_a_gateway_is_checked_as_one() {
    let (folder, _stubs) = start();
    let check = |text: &str| {
        fs::write(folder.file("thalweg.toml"), text).unwrap();
        outcome(&thalweg(&["check"]).current_dir(&folder.0).output().unwrap())
    };
    let right = "supergraph = 'supergraph.graphql'\nsubgraphs = 'subgraphs.toml'\n";
    let (code, output, error) = check(right);
    assert_eq!((code, error.as_str()), (Some(0), ""), "{output}");
    let (code, _, error) = check(&[right, "subgraph-errors = 'none'\n"].concat());
    assert!(code == Some(1) && error.contains("thalweg.toml:3:"), "{error}");
    let (code, _, error) = check(&[right, "connections = 3\npg-setting = 'a.b=c'\n"].concat());
    assert!(code == Some(1) && error.contains("thalweg.toml:3:1: `--connections` is"), "{error}");
    assert!(error.contains("thalweg.toml:4:1: `--pg-setting` is"), "{error}");
    let (code, _, error) = check("supergraph = 'none.graphql'\n");
    assert!(code == Some(1) && error.contains("none.graphql"), "{error}");
}

#[test]
fn what_a_configuration_file_names_is_looked_at() {
    let (folder, _stubs) = start();
    fs::write(folder.file("thalweg.toml"), "supergraph = 'supergraph.graphql'\n").unwrap();
    let look = |words: &[&str]| {
        let (code, output, error) =
            outcome(&thalweg(words).current_dir(&folder.0).output().unwrap());
        assert_eq!((code, error.as_str()), (Some(0), ""), "{words:?}");
        output
    };
    assert_eq!(look(&["schema"]), printed(&folder, &["schema"]));
    assert!(look(&["explain", "query.graphql"]).starts_with("-- plan\n1. shop: "));
}

#[test]
fn a_supergraph_is_served_by_its_own_command() {
    let (folder, _stubs) = start();
    let supergraph = folder.file("supergraph.graphql");
    let error = refused(&["serve", supergraph.to_str().unwrap()]);
    assert!(error.contains("which `thalweg gateway` serves"), "{error}");
    let supergraph = supergraph.to_str().unwrap();
    let error = refused(&["gateway", supergraph, "--supergraph-poll", "5s"]);
    assert!(error.contains("`--supergraph-poll` is for a supergraph at an address"), "{error}");
    let error = refused(&["gateway", supergraph, "--supergraph-header", "a=b"]);
    assert!(error.contains("`--supergraph-header` is for a supergraph at an address"), "{error}");
    let error = refused(&["gateway", supergraph, "--pg-setting", "a.b=c"]);
    assert!(error.contains("`--pg-setting` is for PostgreSQL"), "{error}");
    // Options of databases in the process are refused where there is none, with those of servers.
    for (option, value, instead) in [
        ("--connections", "3", "`--subgraph-connections`"),
        ("--acquire-timeout", "1s", "leave it out"),
        ("--connect-timeout", "1s", "`--subgraph-connect-timeout`"),
        ("--max-pattern-length", "9", "servers limit the patterns"),
        ("--extended-errors", "hint", "`--subgraph-errors`"),
    ] {
        let error = refused(&["gateway", supergraph, option, value]);
        assert!(error.contains(&format!("`{option}` is for databases")), "{error}");
        assert!(error.contains(instead), "{error}");
    }
    let error = refused(&["explain", supergraph, "query.graphql", "--role", "a"]);
    assert!(error.contains("`--role` needs a `source` of `--subgraphs`"), "{error}");
    let error = refused(&["gateway", "http://supergraphs.example/shop"]);
    assert!(error.contains("only for addresses of this machine"), "{error}");
}

#[test]
fn everything_that_is_wrong_with_a_file_of_subgraphs_is_told_at_once() {
    let (folder, _stubs) = start();
    let (supergraph, subgraphs) = (folder.file("supergraph.graphql"), folder.file("wrong.toml"));
    let text =
        "[all]\ntimout = \"3s\"\n[subgraphs.shpo]\ntimeout = \"3s\"\n[subgraphs.stock]\nurl = 5\n";
    fs::write(&subgraphs, text).unwrap();
    let (supergraph, subgraphs) = (supergraph.to_str().unwrap(), subgraphs.to_str().unwrap());
    for command in ["check", "gateway"] {
        let (code, _, error) = outcome(&run(&[command, supergraph, "--subgraphs", subgraphs]));
        assert_eq!(code, Some(1), "{error}");
        let lines =
            ["wrong.toml:2:1: `all` has no `timout`", "wrong.toml:3:12: ", "wrong.toml:6:7: "];
        for line in lines {
            assert!(error.contains(line), "{command}: {line} is missing in {error}");
        }
        assert!(error.contains("no subgraph `shpo`; `shop` is one"), "{error}");
    }
}

#[test]
fn options_of_databases_are_refused_for_supergraphs_and_the_other_way_round() {
    let (folder, _stubs) = start();
    let (supergraph, query) = (folder.file("supergraph.graphql"), folder.file("query.graphql"));
    let (supergraph, query) = (supergraph.to_str().unwrap(), query.to_str().unwrap());
    for words in [
        &["schema", supergraph, "--aggregates"][..],
        &["check", supergraph, "--schema", "app"],
        &["explain", supergraph, query, "--policies", "policies.toml"],
    ] {
        let error = refused(words);
        assert!(error.contains("is for a database, and the source is a supergraph"), "{error}");
    }
    for words in [
        &["check", "shop.db", "--subgraph-timeout", "3s"][..],
        &["explain", "shop.db", query, "--override-labels", "a"],
        &["explain", "shop.db", query, "--scope-claim", "scope"],
    ] {
        let error = refused(words);
        assert!(error.contains("is for a supergraph, and the source is a database"), "{error}");
    }
    let error = refused(&["explain", "shop.db", query, "--analyze"]);
    assert!(error.contains("`--analyze` is for PostgreSQL and graphs"), "{error}");
}

#[test]
fn a_check_and_the_start_accept_subscriptions() {
    let mut site = Site::start(&[]);
    let text = site.stubs.supergraph();
    let text =
        text.replace("  mutation: Mutation\n", "  mutation: Mutation\n  subscription: Ticks\n");
    let more = "type Ticks @join__type(graph: SHOP) { tick: Int @join__field(graph: SHOP) }\n";
    let file = site.supergraph();
    fs::write(&file, text + more).unwrap();
    let (code, told, _) = outcome(&run(&["check", file.to_str().unwrap()]));
    assert_eq!(code, Some(0), "{told}");
    assert!(!told.contains("subscriptions"), "{told}");
    site.server.signal("HUP");
    site.wait_for("reloaded");
}

#[test]
fn no_mistyped_address_shows_a_password() {
    let addresses = [
        "postgres//u:SECRET@h/d",
        "postgres:/u:SECRET@h/d",
        "postgres://u:SEC@RET@127.0.0.1:1/d",
        "postgre://u:SECRET@h/d",
        "postgresql:u:SECRET@h",
        "u:SECRET@h/d",
        "neo4j//u:SECRET@h",
        "sqlite://u:SECRET@h/d",
        "https://u:SECRET@127.0.0.1:1/s.graphql",
        "https//u:SECRET@127.0.0.1:1/s.graphql",
        "http://u:SECRET@127.0.0.1:1/s.graphql?token=SECRET",
        "ftp://u:SECRET@h/s.graphql",
    ];
    let (folder, _stubs) = prepare("");
    let (supergraph, file) = (folder.file("supergraph.graphql"), folder.file("subgraphs.toml"));
    let (supergraph, file) = (supergraph.to_str().unwrap(), file.to_str().unwrap());
    let text = fs::read_to_string(supergraph).unwrap();
    let mut shown = Vec::new();
    let mut hides = |arguments: &[&str]| {
        let (code, out, error) = outcome(&run(arguments));
        let told = [out, error].concat();
        if code == Some(0) || told.contains("SEC") || told.contains("RET") {
            shown.push(format!("{arguments:?}: {told}"));
        }
    };
    for address in addresses {
        for command in ["serve", "check", "schema", "gateway"] {
            hides(&[command, address]);
        }
        hides(&["explain", address, "{ a }"]);
        // As the address of a subgraph, said by the file and by the supergraph, and as a source.
        for said in ["url", "source"] {
            fs::write(file, format!("[subgraphs.shop]\n{said} = \"{address}\"\n")).unwrap();
            // A path may be a source, which is not there.
            hides(&["gateway", supergraph, "--subgraphs", file, "--listen", "127.0.0.1:0"]);
        }
    }
    for address in addresses {
        let start = text.find("http://").unwrap();
        let end = start + text[start..].find('"').unwrap();
        let other = [&text[..start], address, &text[end..]].concat();
        fs::write(supergraph, other).unwrap();
        hides(&["gateway", supergraph, "--listen", "127.0.0.1:0"]);
        hides(&["check", supergraph]);
    }
    assert!(shown.is_empty(), "{}", shown.join("\n"));
}
