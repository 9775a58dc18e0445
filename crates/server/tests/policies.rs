//! Policies over HTTP: a token says who asks, and what of the sample is let follows from that.

use std::fs;

use testkit::postgres::{required_installations, shared};
use testkit::tokens::Issuer;

use crate::program::{Folder, Server, post};

const SECRET: &str = "a secret of more than thirty-two bytes";

const POLICIES: &str = r#"
claim_role = "app.role"
default_role = "anonymous"
[rules.artists]
entity = "artist"
read = { columns = ["id", "name"] }
[rules.own_data]
entity = "customer"
read = { rows = { customer_id = { eq = { claim = "app.customer" } } }, columns = "*" }
[rules.own_invoices]
entity = "invoice"
read = { rows = { some = { customer = { customer_id = { eq = { claim = "app.customer" } } } } }, columns = "*" }
[roles.anonymous]
rules = ["artists"]
[roles.customer]
inherits = ["anonymous"]
rules = ["own_data", "own_invoices"]
"#;

const OWN: &str = "{ allCustomers { totalCount nodes { customerId } } allInvoices { totalCount } }";

fn token(claims: &str) -> String {
    let claims = format!(r#"{{"aud":"postgraphile","app":{claims}}}"#);
    format!("Authorization: Bearer {}\r\n", Issuer::secret(SECRET).token(&claims))
}

#[test]
fn a_token_decides_which_rows_are_seen() {
    let folder = Folder::new();
    let file = folder.file("policies.toml");
    fs::write(&file, POLICIES).unwrap();
    let shop = folder.file("shop.db");
    drop(Server::demo(&shop));
    let source = ["serve", shop.to_str().unwrap(), "--listen", "127.0.0.1:0"];
    let access = ["--policies", file.to_str().unwrap(), "--jwt-secret", SECRET];
    let server = Server::start(&[source, access].concat());
    let of = |customer: u32| token(&format!(r#"{{"role":"customer","customer":{customer}}}"#));
    // One document by turns: what is kept of one is of no use to another.
    for customer in (1..=20).chain(1..=20) {
        let answer = server.query(&of(customer), OWN);
        let expected = format!(r#"{{"totalCount":1,"nodes":[{{"customerId":{customer}}}]}}"#);
        assert!(answer.body.contains(&expected), "{}", answer.body);
        let nobody = server.query("", OWN);
        assert!(nobody.body.contains("PERMISSION_DENIED"), "{}", nobody.body);
        let nothing = r#"{"data":{"allCustomers":null,"allInvoices":null},"errors":"#;
        assert!(nobody.body.starts_with(nothing), "{}", nobody.body);
    }
    let artists = "{ allArtists(first: 1) { nodes { name albumsByArtistId { totalCount } } } }";
    let names = "{ allArtists(first: 1) { nodes { name } } }";
    for who in [String::new(), of(1)] {
        assert!(server.query(&who, names).body.contains("\"name\":"));
        let refused = server.query(&who, artists).body;
        assert!(refused.contains("You may not read rows of `album`."), "{refused}");
    }
    for claims in ["{}", r#"{"role":"admin"}"#, r#"{"role":7}"#, r#"{"role":["customer"]}"#, "7"] {
        let refused = server.query(&token(claims), OWN).body;
        assert!(refused.contains("PERMISSION_DENIED"), "{refused}");
        assert!(!refused.contains("totalCount") && !refused.contains("customerId"), "{refused}");
    }
    let none = r#""allCustomers":{"totalCount":0,"nodes":[]},"allInvoices":{"totalCount":0}"#;
    for claims in [r#"{"role":"customer"}"#, r#"{"role":"customer","customer":null}"#] {
        let answer = server.query(&token(claims), OWN);
        assert!(answer.body.contains(none), "{}", answer.body);
    }
    // Nobody is told the schema less than others.
    assert!(server.query("", "{ __type(name: \"Customer\") { name } }").body.contains("Customer"));
}

#[test]
fn that_strangers_may_change_all_is_said_only_where_they_may() {
    let folder = Folder::new();
    let (file, policies) = (folder.file("shop.db"), folder.file("policies.toml"));
    drop(Server::demo(&file));
    fs::write(&policies, "default_role = \"anybody\"\n[roles.anybody]\nall = true\n").unwrap();
    let serve = ["serve", file.to_str().unwrap(), "--listen", "0.0.0.0:0"];
    let access = ["--policies", policies.to_str().unwrap()];
    let told = |options: &[&str]| {
        let server = Server::start(&[&serve[..], options].concat());
        let said = &server.said;
        let lines = said.lines().filter(|line| line.contains("everybody who reaches this address"));
        let lines: Vec<String> = lines.map(ToOwned::to_owned).collect();
        let [line] = &lines[..] else { panic!("{said}") };
        line.clone()
    };
    let open = told(&[]);
    assert!(open.contains(" WARN ") && open.contains("all that the API exposes"), "{open}");
    let bounded = told(&access);
    assert!(bounded.contains(" INFO ") && bounded.contains("what the policies allow"), "{bounded}");
}

/// Everything of the sample that a plan could count.
const PRIVATE: &str = "
    create table note (id serial primary key, owner text not null, body text not null);
    insert into note (owner, body)
        select case when n % 100 = 0 then 'a' else 'b' end, 'note ' || n from generate_series(1, 5000) n;
    analyze note;";

const OWN_NOTES: &str = r#"
claim_role = "role"
default_role = "anonymous"
[rules.notes]
entity = "note"
read = { rows = { owner = { eq = "a" } }, columns = "*" }
[roles.anonymous]
rules = ["notes"]
"#;

/// The database's estimates count hidden rows.
#[test]
fn plans_have_no_figures_for_whom_rows_are_hidden() {
    let Some(installation) = required_installations().unwrap().into_iter().next() else { return };
    let database = shared(&installation).unwrap();
    database.create_database("estimates").unwrap();
    database.execute("estimates", PRIVATE).unwrap();
    let url = database.url("estimates");
    let folder = Folder::new();
    let file = folder.file("policies.toml");
    fs::write(&file, OWN_NOTES).unwrap();
    let plan = |options: &[&str], headers: &str| {
        let serve = ["serve", &url, "--listen", "127.0.0.1:0"];
        let server = Server::start(&[&serve[..], options].concat());
        let body = r#"{"query":"{ allNotes(condition: {owner: \"b\"}) { nodes { body } } }"}"#;
        let request = post("application/json", headers, body);
        let request = request.replacen("POST /graphql", "POST /explain", 1);
        let answer = server.send(request.as_bytes());
        let answer: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
        answer["statements"][0]["plan"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    };
    let has_figures = |plan: &str| {
        assert!(plan.contains("Scan"), "{plan}");
        plan.contains("rows=") || plan.contains("cost=") || plan.contains("width=")
    };
    let all = plan(&[], "");
    assert!(has_figures(&all), "{all}");
    let own = plan(&["--policies", file.to_str().unwrap()], "");
    assert!(!has_figures(&own), "{own}");
    // What PostgreSQL hides itself it counts just as well.
    let role = plan(&["--jwt-secret", SECRET, "--default-role", "postgres"], "");
    assert!(!has_figures(&role), "{role}");
    let claims = token("{}");
    let somebody = plan(&["--jwt-secret", SECRET], &claims);
    assert!(!has_figures(&somebody), "{somebody}");
}

/// A child for each of six hundred numbers, of three parents; and what decides who sees which.
const FAMILY: &str = "create table parent (id int primary key);
    create table child (id int primary key, parent int not null references parent);
    create index on child (parent);
    insert into parent select generate_series(1, 3);
    insert into child select id, id % 3 + 1 from generate_series(1, 600) as id;
    analyze parent, child;";

/// The children of the parent of each child.
const SIBLINGS: &str =
    "{ allChildren { nodes { parentByParent { childrenByParent { nodes { id } } } } } }";

/// A cost is read by whoever asks, so that it must not tell how many rows are hidden.
#[test]
fn costs_tell_statistics_of_what_everybody_may_see() {
    let Some(installation) = required_installations().unwrap().into_iter().next() else { return };
    let database = shared(&installation).unwrap();
    database.create_database("family").unwrap();
    database.execute("family", FAMILY).unwrap();
    let url = database.url("family");
    let folder = Folder::new();
    let file = folder.file("policies.toml");
    let cost = |options: &[&str], headers: &str| {
        let serve = ["serve", &url, "--listen", "127.0.0.1:0"];
        let server = Server::start(&[&serve[..], options].concat());
        let request = post("application/json", headers, &format!("{{\"query\":\"{SIBLINGS}\"}}"));
        let request = request.replacen("POST /graphql", "POST /explain", 1);
        let answer = server.send(request.as_bytes());
        let answer: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
        answer["cost"].as_u64().unwrap_or_else(|| panic!("{answer}"))
    };
    let (fixed, known) = (1 + 10 * 2 + 10 + 10 * 10, 1 + 10 * 2 + 10 + 10 * 100);
    assert_eq!(cost(&[], ""), known);
    let policies = ["--policies", file.to_str().unwrap()];
    let rules = |rows: &str| {
        format!(
            "default_role = \"anonymous\"\n\
             [rules.parents]\nentity = \"parent\"\nread = {{ columns = \"*\" }}\n\
             [rules.children]\nentity = \"child\"\nread = {{ {rows}columns = \"*\" }}\n\
             [roles.anonymous]\nrules = [\"parents\", \"children\"]\n"
        )
    };
    fs::write(&file, rules("")).unwrap();
    assert_eq!(cost(&policies, ""), known);
    fs::write(&file, rules("rows = { id = { le = 300 } }, ")).unwrap();
    assert_eq!(cost(&policies, ""), fixed);
    // Which tables a role may read is known to PostgreSQL alone.
    assert_eq!(cost(&["--jwt-secret", SECRET, "--default-role", "postgres"], ""), fixed);
    assert_eq!(cost(&["--jwt-secret", SECRET], &token("{}")), fixed);
    database.execute("family", "alter table child enable row level security").unwrap();
    assert_eq!(cost(&[], ""), fixed);
}
