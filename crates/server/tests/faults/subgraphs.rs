//! The gateway while a subgraph is slow, breaks off, or answers with what is no answer: the others'
//! data are there, one error says what is missing, and everything that was taken is back.

use std::fs;
use std::net::{Ipv4Addr, TcpStream};
use std::path::Path;

use serde_json::{Value, json};

use crate::faults::subgraph::{Fault, Subgraph};
use crate::program::Folder;
use crate::served::{SOON, Served, code, happens_within};

const QUERY: &str = "{ books { id title stars } mood }";

/// Three subgraphs, a gateway before them, and its supergraph.
struct Site {
    books: Subgraph,
    reviews: Subgraph,
    moods: Subgraph,
    served: Served,
    _folder: Folder,
}

impl Site {
    fn start(options: &[&str]) -> Self {
        let books = Subgraph::start(
            r#"{"data":{"books":[{"__typename":"Book","id":"1","title":"A"},{"__typename":"Book","id":"2","title":"B"}]}}"#,
        );
        let reviews = Subgraph::start(
            r#"{"data":{"_entities":[{"__typename":"Book","stars":5},{"__typename":"Book","stars":3}]}}"#,
        );
        let moods = Subgraph::start(r#"{"data":{"mood":"fine"}}"#);
        let folder = Folder::new();
        let file = folder.file("supergraph.graphql");
        fs::write(&file, supergraph([&books, &reviews, &moods])).unwrap();
        let served = Served::gateway(Path::new(&file), options);
        Self { books, reviews, moods, served, _folder: folder }
    }

    fn ask(&self) -> Value {
        self.served.ask(QUERY)
    }
}

fn supergraph([books, reviews, moods]: [&Subgraph; 3]) -> String {
    let url = |subgraph: &Subgraph| format!("http://127.0.0.1:{}/graphql", subgraph.port);
    include_str!("supergraph.graphql")
        .replace("BOOKS_URL", &url(books))
        .replace("REVIEWS_URL", &url(reviews))
        .replace("MOODS_URL", &url(moods))
}

fn whole() -> Value {
    json!({ "data": {
        "books": [
            { "id": "1", "title": "A", "stars": 5 },
            { "id": "2", "title": "B", "stars": 3 },
        ],
        "mood": "fine",
    } })
}

/// What there is without reviews, and without books.
fn without_reviews() -> Value {
    json!({
        "books": [
            { "id": "1", "title": "A", "stars": null },
            { "id": "2", "title": "B", "stars": null },
        ],
        "mood": "fine",
    })
}

fn without_books() -> Value {
    json!({ "books": null, "mood": "fine" })
}

const INVALID: &str = "SUBGRAPH_RESPONSE_INVALID";
const UNAVAILABLE: &str = "SUBGRAPH_UNAVAILABLE";
const TIMEOUT: &str = "SUBGRAPH_TIMEOUT";

/// What every subgraph may do wrong, and how it is told.
const OF_ALL: [(Fault, &str); 12] = [
    (Fault::Silence, TIMEOUT),
    (Fault::Close, UNAVAILABLE),
    (Fault::Half, INVALID),
    (Fault::Page("502 Bad Gateway"), UNAVAILABLE),
    (Fault::Page("404 Not Found"), INVALID),
    (Fault::Page("200 OK"), INVALID),
    (Fault::Body(""), INVALID),
    (Fault::Body(r#"{"data":{"#), INVALID),
    (Fault::Body(r#"{"data":{"books":[{"id":"1"}]}}}"#), INVALID),
    (Fault::Body(r#"[{"data":null}]"#), INVALID),
    (Fault::Body("{}"), INVALID),
    (Fault::Blanks(100 << 20), INVALID),
];

fn assert_one_error(answer: &Value, expected: (&Value, &str), of: Fault) {
    let (data, expected_code) = expected;
    assert_eq!(&answer["data"], data, "{of:?} {answer}");
    assert_eq!(answer["errors"].as_array().map(Vec::len), Some(1), "{of:?} {answer}");
    assert_eq!(code(answer), expected_code, "{of:?} {answer}");
}

#[test]
fn whatever_a_subgraph_does_the_data_of_the_others_are_there() {
    let site = Site::start(&["--threads", "1", "--subgraph-timeout", "1s"]);
    assert_eq!(site.ask(), whole());
    for (fault, expected) in OF_ALL {
        site.reviews.set(fault);
        assert_one_error(&site.ask(), (&without_reviews(), expected), fault);
        site.reviews.set(Fault::None);
        assert_eq!(site.ask(), whole(), "after {fault:?}");
        site.books.set(fault);
        assert_one_error(&site.ask(), (&without_books(), expected), fault);
        site.books.set(Fault::None);
        assert_eq!(site.ask(), whole(), "after {fault:?}");
    }
}

#[test]
fn entities_that_are_not_those_that_were_asked_for_are_told() {
    let mut site = Site::start(&["--threads", "1"]);
    for text in [
        r#"{"data":{"_entities":[{"stars":5}]}}"#,
        r#"{"data":{"_entities":[{"stars":5},{"stars":3},{"stars":1}]}}"#,
        r#"{"data":{"_entities":[]}}"#,
        r#"{"data":{"_entities":{"stars":5}}}"#,
        r#"{"data":{"_entities":"none"}}"#,
        r#"{"data":{"_entities":[{"stars":5,"stars":4},{"stars":3}]}}"#,
        r#"{"data":{"_entities":[{"stars":5},{"stars":3}]},"data":null}"#,
    ] {
        let fault = Fault::Body(text);
        site.reviews.set(fault);
        assert_one_error(&site.ask(), (&without_reviews(), INVALID), fault);
    }
    site.reviews.set(Fault::None);
    assert_eq!(site.ask(), whole());
    site.served.assert_lives();
}

#[test]
fn what_is_wrong_with_one_entity_leaves_the_others() {
    let site = Site::start(&["--threads", "1"]);
    let first_without_stars = json!({
        "books": [
            { "id": "1", "title": "A", "stars": null },
            { "id": "2", "title": "B", "stars": 3 },
        ],
        "mood": "fine",
    });
    for text in [
        r#"{"data":{"_entities":[{"stars":"five"},{"stars":3}]}}"#,
        r#"{"data":{"_entities":[{"stars":{"of":"five"}},{"stars":3}]}}"#,
    ] {
        let fault = Fault::Body(text);
        site.reviews.set(fault);
        let answer = site.ask();
        assert_one_error(&answer, (&first_without_stars, "INVALID_VALUE"), fault);
    }
    let fault = Fault::Body(r#"{"data":{"_entities":[5,{"stars":3}]}}"#);
    site.reviews.set(fault);
    assert_one_error(&site.ask(), (&first_without_stars, INVALID), fault);
    let fault = Fault::Body(r#"{"data":{"_entities":[5,"three"]}}"#);
    site.reviews.set(fault);
    let answer = site.ask();
    assert_one_error(&answer, (&without_reviews(), INVALID), fault);
    assert_eq!(answer["errors"][0]["path"], json!(["books", 0, "stars"]));
}

#[test]
fn a_null_key_leaves_its_entity_without_what_others_know_of_it() {
    let site = Site::start(&["--threads", "1"]);
    let fault = Fault::Body(
        r#"{"data":{"books":[{"__typename":"Book","id":null,"title":"A"},{"__typename":"Book","id":"2","title":"B"}]}}"#,
    );
    site.books.set(fault);
    site.reviews.set(Fault::Body(r#"{"data":{"_entities":[{"__typename":"Book","stars":3}]}}"#));
    assert_one_error(&site.ask(), (&without_books(), "INVALID_VALUE"), fault);
    // Whoever does not ask for the key gets what does not need it.
    let answer = site.served.ask("{ books { title stars } mood }");
    let books = json!([{ "title": "A", "stars": null }, { "title": "B", "stars": 3 }]);
    let data = json!({ "books": books, "mood": "fine" });
    assert_one_error(&answer, (&data, "INVALID_VALUE"), fault);
    assert_eq!(answer["errors"][0]["path"], json!(["books", 0, "stars"]));
}

#[test]
fn of_a_change_that_was_not_answered_nobody_knows_whether_it_was_made() {
    const MUTATION: &str = "mutation { cheer }";
    let mut site = Site::start(&["--threads", "1", "--subgraph-timeout", "1s"]);
    site.moods.set(Fault::Body(r#"{"data":{"cheer":"up"}}"#));
    assert_eq!(site.served.ask(MUTATION), json!({ "data": { "cheer": "up" } }));
    for (fault, expected) in [
        (Fault::Silence, "OUTCOME_UNKNOWN"),
        (Fault::Close, "OUTCOME_UNKNOWN"),
        (Fault::Half, "OUTCOME_UNKNOWN"),
        (Fault::Page("504 Gateway Timeout"), "OUTCOME_UNKNOWN"),
        (Fault::Page("503 Service Unavailable"), UNAVAILABLE),
        (Fault::Page("404 Not Found"), INVALID),
    ] {
        site.moods.set(fault);
        let before = site.moods.requests();
        let answer = site.served.ask(MUTATION);
        assert_one_error(&answer, (&json!({ "cheer": null }), expected), fault);
        let message = answer["errors"][0]["message"].as_str().unwrap();
        assert_eq!(
            message.contains("look before you send it again"),
            expected == "OUTCOME_UNKNOWN"
        );
        assert_eq!(site.moods.requests(), before + 1, "no change is sent twice: {fault:?}");
    }
    // Nobody is there: it was surely not made.
    let fault = Fault::Close;
    site.moods.set(fault);
    site.served.ask(MUTATION);
    let port = site.moods.port;
    site.moods = Subgraph::start("");
    let is_gone = || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err();
    assert!(happens_within(SOON, is_gone));
    assert_one_error(&site.served.ask(MUTATION), (&json!({ "cheer": null }), UNAVAILABLE), fault);
}

#[test]
fn a_subgraph_that_fails_too_often_is_left_alone_for_a_while() {
    let folder = Folder::new();
    let file = folder.file("subgraphs.toml");
    let breaker = "[subgraphs.reviews]\nretries = 0\nbreaker = { errors = \"50%\", of = 4, pause = \"1s\" }\n";
    fs::write(&file, breaker).unwrap();
    let site = Site::start(&["--threads", "1", "--subgraphs", file.to_str().unwrap()]);
    let fault = Fault::Page("500 Internal Server Error");
    site.reviews.set(fault);
    for _ in 0..4 {
        assert_one_error(&site.ask(), (&without_reviews(), INVALID), fault);
    }
    let asked = site.reviews.requests();
    assert_one_error(&site.ask(), (&without_reviews(), UNAVAILABLE), fault);
    assert_eq!(site.reviews.requests(), asked, "it is left alone");
    site.reviews.set(Fault::None);
    assert!(happens_within(SOON, || site.ask() == whole()));
    assert_eq!(site.ask(), whole());
}

#[test]
fn nothing_is_lost_in_hundreds_of_faults() {
    let mut site = Site::start(&["--threads", "1", "--subgraph-timeout", "200ms"]);
    assert_eq!(site.ask(), whole());
    let files = site.served.open_files();
    for round in 0..100 {
        let (fault, _) = OF_ALL[round % (OF_ALL.len() - 1)];
        site.reviews.set(fault);
        let leaving: Vec<_> = (0..4).map(|_| site.served.send(QUERY)).collect();
        if round % 3 == 0 {
            drop(leaving);
        } else {
            for stream in leaving {
                assert_eq!(crate::served::receive(stream)["data"], without_reviews(), "{fault:?}");
            }
        }
        site.reviews.set(Fault::None);
    }
    assert!(happens_within(SOON * 2, || site.ask() == whole()));
    // Those that are kept to each subgraph, and what has just been closed.
    assert!(happens_within(SOON, || site.served.open_files() <= files + 12), "{files}");
    site.served.assert_rests();
    site.served.assert_lives();
}
