//! Answers that servers share in a Redis.

use serde_json::json;
use testkit::broker::{Broker, Kind, redis};
use testkit::random::Random;

use super::{NOTES, SONGS, Site, TABLES, WHOLE_ROWS};
use crate::databases::{Database, File};
use crate::program::{PATIENCE, run};
use crate::served::happens_within;
use crate::subscriptions::site::{Client, subscribe};

fn broker() -> Option<Broker> {
    Kind::Redis.is_installed().then(|| Broker::start(Kind::Redis, &[]).unwrap())
}

fn command(broker: &Broker, words: &[&str]) -> Vec<String> {
    redis::Client::connect(broker).unwrap().command(words).unwrap()
}

/// A server whose feed streams changes.
fn start(database: &Database, broker: &Broker, more: &[&str]) -> Site {
    let url = broker.url();
    let store = ["--cache", "*=1h", "--cache-store", &url, "--cache-store-timeout", "10s"];
    Site::start(&database.url(), &[&store[..], &["--live-directive"], more].concat())
}

fn two_servers(database: &Database, broker: &Broker) -> [Site; 2] {
    let sites = [start(database, broker, &[]), start(database, broker, &[])];
    for site in &sites {
        site.warm_streamed(SONGS);
    }
    sites
}

/// A client of a server that receives the notes whenever the feed of the server has told of a change. By
/// then the server knows of everything in the same transaction.
struct ChangeListener(Client);

impl ChangeListener {
    fn by(site: &Site) -> Self {
        let mut client =
            Client::connect_at(site.served.address, "graphql-transport-ws", &json!({}));
        client.send(&subscribe("1", "query @live { allNotes { nodes { id } } }"));
        Self(client)
    }

    /// Waits for a note.
    fn wait(&mut self, number: u32) {
        let id = format!("{{\"id\":{number}}}");
        while !self.0.receive().to_string().contains(&id) {}
    }
}

fn is_hit(site: &Site, query: &str) -> bool {
    site.query("", query).header("age").is_some()
}

/// Has a server make an answer, and waits until it is in the store: the response does not.
fn put(site: &Site, query: &str) {
    let stores = || site.metric("thalweg_answer_cache_stores_total");
    let before = stores();
    site.query("Cache-Control: no-cache\r\n", query);
    assert!(happens_within(PATIENCE, || stores() > before));
}

#[test]
fn servers_share_answers_and_see_mutations_of_one_another_at_once() {
    let Some(broker) = broker() else { return };
    for database in Database::on_each(&[TABLES, WHOLE_ROWS].concat()) {
        let [one, other] = two_servers(&database, &broker);
        let query = "{ songById(id: 1) { title plays } }";
        assert!(!is_hit(&one, query));
        // An equal request waits until the answer is in the store.
        assert!(is_hit(&one, query));
        let executions = other.executions();
        let shared = other.query("", query);
        assert!(shared.header("age").is_some());
        assert_eq!(shared.body, r#"{"data":{"songById":{"title":"a","plays":1}}}"#);
        assert_eq!(other.executions(), executions);
        // The response of a mutation comes after all servers know of it.
        for number in 0..20 {
            let (changing, reading) = if number % 2 == 0 { (&one, &other) } else { (&other, &one) };
            for site in [changing, reading] {
                site.query("", query);
            }
            let update = format!(
                "mutation {{ updateSongById(input: {{ id: 1, songPatch: {{ title: \"n{number}\" }} \
                 }}) {{ song {{ title }} }} }}"
            );
            changing.query("", &update);
            let seen = reading.query("", query).body;
            assert!(seen.contains(&format!("\"n{number}\"")), "{number}: {seen}");
        }
        // A change of another row, and of a column that is not read, leaves the answer. The stream may
        // still report a mutation from above, which both servers know of already: then the answer is
        // made once more.
        let mut listeners = [ChangeListener::by(&one), ChangeListener::by(&other)];
        let mut number = 100;
        let mut is_left = |query: &str, change: &dyn Fn(u32) -> String| {
            happens_within(PATIENCE, || {
                number += 1;
                one.query("", query);
                let insert = format!("INSERT INTO note VALUES ({number})");
                database.execute(&format!("{}; {insert}", change(number)));
                listeners.iter_mut().for_each(|listener| listener.wait(number));
                [&one, &other].into_iter().all(|site| is_hit(site, query))
            })
        };
        let title = |number| format!("UPDATE song SET title = 'z{number}' WHERE id = 2");
        let plays = |number| format!("UPDATE song SET plays = {number} WHERE id = 1");
        assert!(is_left(query, &title));
        assert!(is_left("{ songById(id: 1) { title } }", &plays));
        let current = database.texts("SELECT plays::text FROM song WHERE id = 1");
        let seen = format!("\"plays\":{}", current[0]);
        assert!([&one, &other].into_iter().all(|site| site.query("", query).body.contains(&seen)));
        // Keys are hashes, and expire.
        for key in command(&broker, &["KEYS", "*"]) {
            assert!(key.starts_with("thalweg:answers:") && !key.contains("song"), "{key}");
        }
        let lasting = "local count = 0
            for _, key in ipairs(redis.call('KEYS', '*')) do
                if redis.call('PTTL', key) < 0 then count = count + 1 end
            end
            return count";
        assert_eq!(command(&broker, &["EVAL", lasting, "0"]), ["0"]);
        assert_eq!(one.metric("thalweg_answer_cache_failures_total"), 0);
    }
}

const QUERIES: [&str; 7] = [
    SONGS,
    NOTES,
    "{ allSongs(orderBy: ID_ASC) { nodes { id plays } } }",
    "{ songById(id: 1) { title plays } }",
    "{ songById(id: 2) { title } }",
    "{ allSongs(condition: { plays: 3 }, orderBy: ID_ASC) { totalCount nodes { title } } }",
    "{ songById(id: 3) { id } allNotes { totalCount } }",
];

/// A statement, or the mutation that does the same.
fn change(random: &mut Random, through_server: bool) -> String {
    let (id, value) = (random.below(4) + 1, random.below(5));
    let kind = random.below(4);
    if through_server {
        let field = match kind {
            0 => format!("updateSongById(input: {{ id: {id}, songPatch: {{ plays: {value} }} }})"),
            1 => format!(
                "updateSongById(input: {{ id: {id}, songPatch: {{ title: \"t{value}\" }} }})"
            ),
            2 => format!("deleteSongById(input: {{ id: {id} }})"),
            _ => format!(
                "createSong(input: {{ song: {{ id: {id}, title: \"c{value}\", plays: {value} }} }})"
            ),
        };
        return format!("mutation {{ {field} {{ song {{ id }} }} }}");
    }
    match kind {
        0 => format!("UPDATE song SET plays = {value} WHERE id = {id}"),
        1 => format!("UPDATE song SET title = 't{value}' WHERE id = {id}"),
        2 => format!("DELETE FROM song WHERE id = {id}"),
        _ => format!(
            "INSERT INTO song VALUES ({id}, 'c{value}', {value}) ON CONFLICT (id) DO NOTHING"
        ),
    }
}

/// Random changes through both servers, and by another program. A server that has been told of a
/// change, and one of which a client has changed something, gives no older answer.
#[test]
fn no_answer_is_older_than_what_a_server_knows() {
    let Some(broker) = broker() else { return };
    let Some(database) = Database::on_one(&[TABLES, WHOLE_ROWS].concat()) else { return };
    let sites = two_servers(&database, &broker);
    let mut listeners = sites.each_ref().map(ChangeListener::by);
    let mut random = Random::new(29);
    let mut hits = 0;
    for number in 100..250 {
        // Answers that may become stale.
        for _ in 0..4 {
            let site = &sites[random.below(2)];
            hits += usize::from(is_hit(site, QUERIES[random.below(QUERIES.len())]));
        }
        let through_server = random.below(3) > 0;
        let change = change(&mut random, through_server);
        if through_server {
            sites[random.below(2)].query("", &change);
        } else {
            database.execute(&format!("{change}; INSERT INTO note VALUES ({number})"));
        }
        for (site, listener) in sites.iter().zip(&mut listeners) {
            if !through_server {
                listener.wait(number);
            }
            for query in QUERIES {
                let answered = site.query("", query).body;
                let current = site.query("Cache-Control: no-store\r\n", query).body;
                assert_eq!(answered, current, "{number}: {query} after {change}");
            }
        }
    }
    assert!(hits > 100, "{hits}");
}

#[test]
fn a_redis_that_dies_or_comes_back_with_old_data_gives_no_old_answer() {
    let Some(mut broker) = broker() else { return };
    let Some(database) = Database::on_one(&[TABLES, WHOLE_ROWS].concat()) else { return };
    let site = start(&database, &broker, &[]);
    site.warm_streamed(SONGS);
    let old = site.warm(SONGS).body;
    command(&broker, &["SAVE"]);
    database.execute("UPDATE song SET title = 'new' WHERE id = 1");
    site.await_text(SONGS, r#"{"title":"new"}"#);
    broker.kill();
    let current = site.query("", SONGS);
    assert_eq!((current.status, current.header("age")), (200, None));
    assert!(current.body.contains(r#"{"title":"new"}"#));
    // The snapshot has the old answer, and not the change of its rows.
    broker.restart().unwrap();
    let warm = site.warm(SONGS).body;
    assert_eq!(warm, current.body);
    assert_ne!(warm, old);
    let is_logged = || site.served.log().contains("Redis is available again");
    assert!(happens_within(PATIENCE, is_logged), "{}", site.served.log());
    assert!(site.metric("thalweg_answer_cache_failures_total") > 0);
}

#[test]
fn large_answers_are_neither_put_nor_fetched() {
    let Some(broker) = broker() else { return };
    let Some(database) = Database::on_one(&[TABLES, WHOLE_ROWS].concat()) else { return };
    database.execute("UPDATE song SET title = repeat('a', 200) WHERE id = 1");
    // An answer may have 64 bytes.
    let small = start(&database, &broker, &["--cache-size", "1KiB"]);
    small.warm_streamed("{ songById(id: 1) { id } }");
    let entries = || command(&broker, &["KEYS", "thalweg:answers:entry:*"]).len();
    let before = entries();
    for _ in 0..3 {
        assert!(!is_hit(&small, SONGS));
    }
    assert_eq!(entries(), before);
    let large = start(&database, &broker, &[]);
    large.warm_streamed(SONGS);
    assert!(entries() > before);
    assert!(!is_hit(&small, SONGS));
    assert!(is_hit(&large, SONGS));
}

#[test]
fn changes_are_written_while_nobody_asks() {
    let Some(broker) = broker() else { return };
    let Some(database) = Database::on_one(&[TABLES, WHOLE_ROWS].concat()) else { return };
    let site = start(&database, &broker, &[]);
    site.warm_streamed(SONGS);
    let tags = || command(&broker, &["KEYS", "thalweg:answers:tag:*"]).len();
    let before = tags();
    database.execute("INSERT INTO note VALUES (77)");
    assert!(happens_within(PATIENCE, || tags() > before));
}

#[test]
fn a_server_without_its_redis_answers() {
    let Some(database) = Database::on_one(TABLES) else { return };
    let unreachable = ["--cache", "*=1h", "--cache-store", "redis://127.0.0.1:1"];
    let site = Site::start(&database.url(), &unreachable);
    let answer = site.query("", SONGS);
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(site.served.log().contains("cache of answers"), "{}", site.served.log());
}

/// Servers whose connections have other settings share nothing.
#[test]
fn answers_of_other_settings_are_not_shared() {
    let Some(broker) = broker() else { return };
    let Some(database) = Database::on_one(&[TABLES, WHOLE_ROWS].concat()) else { return };
    let query = "{ songById(id: 1) { title } }";
    let [one, other] = two_servers(&database, &broker);
    put(&one, query);
    assert!(is_hit(&other, query));
    // The plan is the same, and so is the answer: with other options, too.
    let secret = ["--jwt-secret", "a secret of at least 32 bytes, for tests"];
    let options = [&secret[..], &["--simple-collections", "both"]].concat();
    let further = start(&database, &broker, &options);
    further.warm_streamed(SONGS);
    // It is younger than that server.
    put(&one, query);
    assert!(is_hit(&further, query));
    let url = format!("{}&options=-c%20TimeZone%3DAsia/Tokyo", database.url());
    let options = ["--cache", "*=1h", "--cache-store", &broker.url()];
    let elsewhere = Site::start(&url, &options);
    elsewhere.warm_streamed(SONGS);
    put(&one, query);
    assert!(!is_hit(&elsewhere, query));
}

#[test]
fn wrong_options_are_refused() {
    let file = File::new(TABLES);
    let refused = |source: &str, options: &[&str], wanted: &str| {
        let arguments = ["serve", source, "--listen", "127.0.0.1:0"];
        let output = run(&[&arguments, options].concat());
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && text.contains(wanted), "{options:?}: {text}");
    };
    let store = ["--cache-store", "redis://127.0.0.1:1"];
    refused(file.source(), &store, "answers of other sources stay in the memory of the server");
    let postgres = "postgres://127.0.0.1:1/shop";
    refused(postgres, &["--cache-store", "http://127.0.0.1"], "redis");
    refused(postgres, &["--cache-store-timeout", "1s"], "`--cache-store`");
    refused(postgres, &[&store[..], &["--cache-size", "0"]].concat(), "`--cache-size 0` disables");
}
