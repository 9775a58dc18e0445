//! Each limit, just below and just above, against the built program.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Map, Value, json};

use crate::program::{Answer, Folder, Server, outcome, thalweg};

const ACCEPT: &str = "Accept: application/graphql-response+json\r\n";

fn repeated(count: usize, one: impl Fn(usize) -> String) -> String {
    (0..count).map(one).collect()
}

/// The message of the first error, which must have the code.
fn message<'a>(answer: &'a Answer, code: &str) -> &'a str {
    assert!(answer.body.contains(&format!("\"code\":\"{code}\"")), "{}", answer.body);
    let (_, rest) = answer.body.split_once("\"message\":\"").unwrap();
    rest.split_once("\",").unwrap().0
}

/// That a document is answered with `most`, and refused with one more.
fn check(server: &Server, most: usize, text: impl Fn(usize) -> String, code: &str, error: &str) {
    let answer = server.post(ACCEPT, &body(&text(most)));
    assert_eq!(answer.status, 200, "{code}: {}", answer.body);
    assert!(answer.body.starts_with("{\"data\":{"), "{code}: {}", answer.body);
    let answer = server.post(ACCEPT, &body(&text(most + 1)));
    assert_eq!(answer.status, 400, "{code}: {}", answer.body);
    assert_eq!(message(&answer, code), error);
}

/// A request for the operation `A`, if there are several.
fn body(document: &str) -> String {
    let name = if document.contains("query A") { ",\"operationName\":\"A\"" } else { "" };
    format!("{{\"query\":\"{document}\"{name}}}")
}

#[test]
fn documents_are_limited_by_default() {
    let server = Server::sample();
    let aliases = |count| {
        let aliases = repeated(count, |index| format!("a{index}:id "));
        format!("{{ artistById(id: 127) {{ {aliases} }} }}")
    };
    let error = "The document has 251 aliases; 250 are allowed (--max-aliases).";
    check(&server, 250, aliases, "TOO_MANY_ALIASES", error);
    let answer = server.post(ACCEPT, &body(&aliases(10_000)));
    let error = "The document has 10000 aliases; 250 are allowed (--max-aliases).";
    assert_eq!(message(&answer, "TOO_MANY_ALIASES"), error);

    let root_fields = |count| repeated(count, |index| format!("a{index}:nodeId "));
    let root_fields = |count| format!("{{ {} }}", root_fields(count));
    let error = "The operation has 101 root fields; 100 are allowed (--max-root-fields).";
    check(&server, 100, root_fields, "TOO_MANY_ROOT_FIELDS", error);

    // A hundred places of a field, a fragment and 198 fields.
    let fields = |count: usize| {
        let places = repeated(100, |index| format!("a{index}: query {{ ...F }} "));
        let last = "nodeId ".repeat(count - 20_000);
        format!("{{ {places} {last} }} fragment F on Query {{ {} }}", "nodeId ".repeat(198))
    };
    let error = "The operation has more than 20000 fields; 20000 are allowed (--max-fields).";
    let raised = Server::start_sample(&["--max-root-fields", "101"]);
    check(&raised, 20_000, fields, "QUERY_TOO_COMPLEX", error);

    let directives = |count| format!("{{ {} }}", "nodeId @skip(if: false) ".repeat(count));
    let error = "The document has 251 directives; 250 are allowed (--max-directives).";
    check(&server, 250, directives, "TOO_MANY_DIRECTIVES", error);

    let fragments =
        |count| format!("{{ {} }} fragment F on Query {{ nodeId }}", "...F ".repeat(count - 1));
    let error = "The document has 1001 fragments, definitions and spreads counted; 1000 are \
                 allowed (--max-fragments).";
    check(&server, 1_000, fragments, "TOO_MANY_FRAGMENTS", error);

    let variables = |count| {
        let variables = repeated(count, |index| format!("$v{index}: Boolean = true "));
        let uses = repeated(count, |index| format!("nodeId @include(if: $v{index}) "));
        format!("query A({variables}) {{ {uses} }}")
    };
    let error = "The operation has 251 variables; 250 are allowed (--max-variables).";
    let raised = Server::start_sample(&["--max-directives", "251"]);
    check(&raised, 250, variables, "TOO_MANY_VARIABLES", error);

    let operations = |count| {
        let others = repeated(count - 1, |index| format!("query B{index} {{ nodeId }} "));
        format!("query A {{ nodeId }} {others}")
    };
    let error = "The document has 101 operations; 100 are allowed (--max-operations).";
    check(&server, 100, operations, "TOO_MANY_OPERATIONS", error);

    // Words and the spaces between them.
    let tokens = |count: usize| format!("{{{}}}", " nodeId".repeat((count - 1) / 2));
    let error = "The document has more than 10000 tokens (--max-tokens).";
    check(
        &server,
        9_998,
        |count| tokens(count + usize::from(count > 9_998) * 3),
        "QUERY_TOO_LARGE",
        error,
    );

    let depth =
        |count: usize| format!("{}nodeId{}", "{ query ".repeat(count - 1) + "{", "}".repeat(count));
    let error = "The document is nested deeper than 64 levels (--max-depth).";
    check(&server, 64, depth, "QUERY_TOO_DEEP", error);
}

#[test]
fn directives_at_one_place_are_limited() {
    let server = Server::start_sample(&["--max-directives-per-place", "1"]);
    let text = |count| {
        let directives = ["@skip(if: false)", "@include(if: true)"][..count].join(" ");
        format!("{{ nodeId {directives} }}")
    };
    let error = "The document has 2 directives at one place; 1 are allowed \
                 (--max-directives-per-place).";
    check(&server, 1, text, "TOO_MANY_DIRECTIVES", error);
}

#[test]
fn limits_can_be_lowered_and_raised() {
    let server = Server::start_sample(&[
        "--max-aliases=300",
        "--max-root-fields=300",
        "--max-fields=400",
        "--max-directives=5",
        "--max-fragments=5",
        "--max-variables=2",
        "--max-operations=2",
        "--max-depth=3",
        "--max-tokens=2000",
    ]);
    let aliases = |count| format!("{{ {} }}", repeated(count, |index| format!("a{index}:nodeId ")));
    let error = "The document has 301 aliases; 300 are allowed (--max-aliases).";
    check(&server, 300, aliases, "TOO_MANY_ALIASES", error);
    let depth =
        |count: usize| format!("{}nodeId{}", "{ query ".repeat(count - 1) + "{", "}".repeat(count));
    check(
        &server,
        3,
        depth,
        "QUERY_TOO_DEEP",
        "The document is nested deeper than 3 levels (--max-depth).",
    );
    let fields = |count| format!("{{ {} }}", "nodeId ".repeat(count));
    let error = "The operation has more than 400 fields; 400 are allowed (--max-fields).";
    check(&server, 400, fields, "QUERY_TOO_COMPLEX", error);
    let directives = |count| format!("{{ {} }}", "nodeId @skip(if: false) ".repeat(count));
    let error = "The document has 6 directives; 5 are allowed (--max-directives).";
    check(&server, 5, directives, "TOO_MANY_DIRECTIVES", error);
}

#[test]
fn the_estimated_cost_is_limited() {
    let server = Server::sample();
    // The list itself costs one.
    let list = |count| format!("{{ allArtistsList(first: {}) {{ id }} }}", count - 1);
    let error = "The operation is estimated to cost 1000001; 1000000 is allowed (--max-cost). Ask \
                 for smaller pages, or for fewer lists in lists.";
    check(&server, 1_000_000, list, "COST_TOO_HIGH", error);
    // The size of the page may come by a variable; the statement is the same.
    let query = "query($n: Int!) { allArtistsList(first: $n) { id } }";
    for (rows, status) in [(999_999, 200), (1_000_000, 400), (2_147_483_647, 400), (5, 200)] {
        let body = format!("{{\"query\":\"{query}\",\"variables\":{{\"n\":{rows}}}}}");
        assert_eq!(server.post(ACCEPT, &body).status, status, "{rows}");
    }
}

#[test]
fn what_is_not_bounded_has_the_size_that_an_option_says() {
    let options = ["--max-cost=1000", "--default-list-size=100"];
    let server = Server::start_sample(&options);
    let cost = |text: &str| server.post(ACCEPT, &body(text));
    // 1 + 100, then 100 lists of 8 or 9: 100 + 100 * 8.
    let text = "{ allArtistsList { albumsByArtistIdList(first: 7) { title } } }";
    assert_eq!(cost(text).status, 200);
    let answer = cost(&text.replace('7', "8"));
    let error = "The operation is estimated to cost 1001; 1000 is allowed (--max-cost). Ask for \
                 smaller pages, or for fewer lists in lists.";
    assert_eq!((answer.status, message(&answer, "COST_TOO_HIGH")), (400, error));
    // A number that does not fit.
    let text = format!("{{ allArtistsList(first: 2147483647) {{ {} }} }}", {
        let nested = "albumsByArtistIdList(first: 2147483647) { artistByArtistId { ";
        format!("{}id{}", nested.repeat(8), " } }".repeat(8))
    });
    assert!(message(&cost(&text), "COST_TOO_HIGH").contains(&u64::MAX.to_string()));
}

#[test]
fn a_high_cost_is_only_measured_on_demand() {
    let mut server = Server::start_sample(&["--max-cost=10", "--cost-mode=measure"]);
    let headers = "apollographql-client-name: shop\r\napollographql-client-version: 1.2\r\n";
    let query = "query Many { allArtistsList(first: 20) { id } }";
    assert_eq!(server.query(headers, query).status, 200);
    assert_eq!(server.query("", "{ allArtistsList(first: 2) { id } }").status, 200);
    server.signal("TERM");
    let log = server.rest_of_log();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("costs more than")).collect();
    let fields = "operation=\"Many\" client=\"shop\" client_version=\"1.2\" cost=21 most=10";
    assert!(lines.len() == 1 && lines[0].contains(fields), "{log}");
}

#[test]
fn explain_tells_the_cost() {
    let server = Server::sample();
    let file = server.folder.as_ref().unwrap().file("shop.db");
    let cost = |query: &str, options: &[&str]| {
        let usual = ["explain", file.to_str().unwrap(), "-"];
        let mut child = thalweg(&[&usual, options].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(query.as_bytes()).unwrap();
        let (code, output, error) = outcome(&child.wait_with_output().unwrap());
        assert_eq!((code, error.as_str()), (Some(0), ""));
        output.split("-- cost\n").nth(1).unwrap().lines().next().unwrap().to_owned()
    };
    let both = "--simple-collections=both";
    let query = "{ allArtists(first: 10) { totalCount nodes { name albumsByArtistId(first: 5) { \
                 nodes { title artistByArtistId { name } } } } } }";
    // 1 + 1 for the count + 10 artists, 10 lists, and 50 albums with as many artists.
    assert_eq!(cost(query, &[]), "122, of 1000000 that are allowed");
    let list = "query($n: Int) { allArtistsList(first: $n) { id } }";
    assert_eq!(cost(list, &[both]), "11, of 1000000 that are allowed");
    let options = [both, "--default-list-size=3", "--max-cost=2"];
    assert_eq!(cost(list, &options), "4, of 2 that are allowed");
    assert_eq!(cost(list, &[both, "--variables={\"n\":7}"]), "8, of 1000000 that are allowed");
    assert_eq!(cost("{ artistById(id: 1) { id } }", &[]), "2, of 1000000 that are allowed");
    // The last rows, and a page whose size comes by a variable, below rows that have none.
    let last = "query($n: Int) { allArtists { nodes { albumsByArtistId(last: $n) { nodes { title } } } } }";
    assert_eq!(cost(last, &["--variables={\"n\":3}"]), "51, of 1000000 that are allowed");
    assert_eq!(cost(last, &[]), "121, of 1000000 that are allowed");
    // What is counted and not shown, with a size that shows it.
    let counted = "{ allArtists { totalCount } }";
    assert_eq!(cost(counted, &["--default-list-size=95"]), "11, of 1000000 that are allowed");
    let phrag = ["--dialect=phrag", "--default-limit=5"];
    assert_eq!(cost("{ artists { name } }", &phrag), "6, of 1000000 that are allowed");
    let nested = "{ artists(limit: 2) { albums { title } } }";
    assert_eq!(cost(nested, &phrag[..1]), "25, of 1000000 that are allowed");
    assert_eq!(cost("{ __typename }", &[]), "0, of 1000000 that are allowed");
}

/// Lists in which the same rows come again and again.
const REPEATED: &str = "{ allTracksList { albumByAlbumId { tracksByAlbumIdList { genreByGenreId { \
                        tracksByGenreIdList { mediaTypeByMediaTypeId { \
                        tracksByMediaTypeIdList { name } } } } } } } }";

#[test]
fn lists_of_repeated_rows_cost_what_the_source_knows_unless_rows_are_hidden() {
    let server = Server::sample();
    let answer = server.post(ACCEPT, &body(REPEATED));
    // A genre has 140 tracks on average, a media type 700, and an album ten.
    let error = "The operation is estimated to cost 1030331; 1000000 is allowed (--max-cost). Ask \
                 for smaller pages, or for fewer lists in lists.";
    assert_eq!((answer.status, message(&answer, "COST_TOO_HIGH")), (400, error));
    // Pages say how many there are, whatever the source knows.
    let paged = REPEATED.replace("allTracksList", "allTracksList(first: 1)");
    let paged = paged.replace("GenreIdList", "GenreIdList(first: 2)");
    let paged = paged.replace("MediaTypeIdList", "MediaTypeIdList(first: 2)");
    assert_eq!(server.post(ACCEPT, &body(&paged)).status, 200);
    // Each row once, however many there are.
    let file = server.folder.as_ref().unwrap().file("shop.db");
    let folder = Folder::new();
    let cost = |query: &str, policies: Option<&str>| {
        let mut options = vec!["explain", file.to_str().unwrap(), "-", "--simple-collections=both"];
        let path = folder.file("policies.toml");
        if let Some(policies) = policies {
            std::fs::write(&path, policies).unwrap();
            options.extend(["--policies", path.to_str().unwrap(), "--role", "one"]);
        }
        let mut child = thalweg(&options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(query.as_bytes()).unwrap();
        let (code, output, error) = outcome(&child.wait_with_output().unwrap());
        assert_eq!((code, error.as_str()), (Some(0), ""));
        output.split("-- cost\n").nth(1).unwrap().split(',').next().unwrap().to_owned()
    };
    let once =
        "{ allGenresList { tracksByGenreIdList { invoiceLinesByTrackIdList { quantity } } } }";
    assert_eq!(cost(once, None), (1 + 10 + 10 + 100 + 100 + 1000).to_string());
    // Of a list with conditions a tenth: of 700 tracks not a hundred.
    let filtered = "tracksByMediaTypeIdList(condition: { composer: null })";
    let filtered = REPEATED.replace("tracksByMediaTypeIdList", filtered);
    assert_eq!(cost(&filtered, None), "130331");
    let rules = |rows: &str| {
        let read = |entity: &str, rows: &str| {
            format!("[rules.{entity}]\nentity = \"{entity}\"\nread = {{ {rows}columns = \"*\" }}\n")
        };
        let others = ["album", "genre", "media_type"].map(|entity| read(entity, "")).concat();
        let role = "[roles.one]\nrules = [\"track\", \"album\", \"genre\", \"media_type\"]\n";
        read("track", rows) + &others + role
    };
    assert_eq!(cost(REPEATED, Some(&rules(""))), "1030331");
    // Nobody learns how many rows are hidden, however many they are.
    assert_eq!(cost(REPEATED, Some(&rules("rows = { track_id = { gt = 0 } }, "))), "13331");
    assert_eq!(cost(REPEATED, Some(&rules("rows = { track_id = { gt = 3000 } }, "))), "13331");
}

#[test]
fn variables_are_limited_whether_they_are_used_or_not() {
    let server = Server::sample();
    let send = |variables: &str| {
        let body = format!("{{\"query\":\"{{__typename}}\",\"variables\":{variables}}}");
        server.post(ACCEPT, &body)
    };
    // The body and the object of variables are levels too.
    let deep =
        |levels: usize| format!("{{\"a\":{}{}}}", "[".repeat(levels - 2), "]".repeat(levels - 2));
    assert_eq!(send(&deep(64)).status, 200);
    for levels in [65, 100_000] {
        let answer = send(&deep(levels));
        let error = "The request body has lists and objects deeper than 64 (--max-json-depth).";
        assert_eq!((answer.status, message(&answer, "JSON_TOO_DEEP")), (400, error));
    }
    // The body, the document, the variables, and the list itself.
    let wide = |values: usize| format!("{{\"a\":[{}0]}}", "0,".repeat(values - 5));
    assert_eq!(send(&wide(200_000)).status, 200);
    for values in [200_001, 400_000] {
        let answer = send(&wide(values));
        let error = "The request body has more than 200000 values (--max-json-values).";
        assert_eq!((answer.status, message(&answer, "JSON_TOO_LARGE")), (400, error));
    }
    let objects = format!("{{{}\"z\":0}}", repeated(50_000, |index| format!("\"{index}\":{{}},")));
    assert_eq!(send(&objects).status, 200);
    let many = format!("{{\"a\":[{}0]}}", "{\"b\":{}},".repeat(100_000));
    message(&send(&many), "JSON_TOO_LARGE");
    let target =
        format!("/graphql?query=%7B__typename%7D&variables=%7B%22a%22:{}", "%5B".repeat(70));
    let error = "\\\"variables\\\" has lists and objects deeper than 64 (--max-json-depth).";
    assert_eq!(message(&server.get(&target, ACCEPT), "JSON_TOO_DEEP"), error);
}

#[test]
fn one_field_stores_as_many_values_as_a_statement_takes() {
    let folder = Folder::new();
    let path = folder.file("values.db");
    let columns: Vec<String> = (0..22).map(|column| format!("c{column} integer")).collect();
    let schema = format!("CREATE TABLE line (id integer PRIMARY KEY, {})", columns.join(", "));
    rusqlite::Connection::open(&path).unwrap().execute_batch(&schema).unwrap();
    let server = Server::start(&[
        "serve",
        path.to_str().unwrap(),
        "--listen",
        "127.0.0.1:0",
        "--bulk-mutations",
        "--max-bulk-rows",
        "4000",
        "--max-cost",
        "100000",
    ]);
    let create = |rows: usize| {
        let row: Map<String, Value> =
            (0..22).map(|column| (format!("c{column}"), json!(column))).collect();
        let query = "mutation ($lines: [LineInput!]!) {
            createLines(input: { lines: $lines }) { affectedCount }
        }";
        let variables = json!({ "lines": vec![row; rows] });
        server.post("", &json!({ "query": query, "variables": variables }).to_string())
    };
    // The second needs more than one statement of SQLite.
    for rows in [1_000, 2_000] {
        let made = format!("{{\"data\":{{\"createLines\":{{\"affectedCount\":{rows}}}}}}}");
        assert_eq!(create(rows).body, made);
    }
    let refused = create(2_979);
    let error = "The operation has more than 65535 values to store.";
    assert_eq!(message(&refused, "QUERY_TOO_COMPLEX"), error);
}
