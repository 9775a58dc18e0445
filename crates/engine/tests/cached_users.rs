//! Random row security: what the cache answers to a user is what the database shows to this user, in
//! the memory of a server and in a Redis that two servers share.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use clients::byte_cache::ByteCache;
use clients::redis_client::RedisClient;
use dialects::{Dialect, postgraphile};
use engine::{
    Allowed, CacheField, CacheOptions, CacheUse, Caller, Delivery, Engine, Options, Report,
    SourceAddress, Worker,
};
use graphql::Request;
use source::{Session, Settings};
use testkit::broker::{Broker, Kind};
use testkit::random::Random;
use tokio::task::spawn_local;
use tokio::time::sleep;

use crate::dgraph::{on_each, options, run_sql};
use crate::live_postgraphile::is_postgres;

const TABLES: &str = "
    DO $$ BEGIN CREATE ROLE cached_reader; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;
    CREATE TABLE song (id INT PRIMARY KEY, title TEXT NOT NULL, owner TEXT, team TEXT, level INT);
    CREATE TABLE note (id INT PRIMARY KEY, song_id INT REFERENCES song, text TEXT, team TEXT);
    INSERT INTO song SELECT id, 'song ' || id, (ARRAY['ann', 'bob', 'eve'])[id % 3 + 1],
        (ARRAY['red', 'blue'])[id % 2 + 1], id % 4 FROM generate_series(1, 12) AS s (id);
    INSERT INTO note SELECT id, id % 12 + 1, 'note ' || id, (ARRAY['red', 'blue'])[id % 2 + 1]
        FROM generate_series(1, 30) AS s (id);
    CREATE FUNCTION own_level() RETURNS INT LANGUAGE sql STABLE AS
        $$ SELECT coalesce(nullif(current_setting('jwt.claims.level', true), ''), '0')::int $$;
    GRANT SELECT ON song, note TO cached_reader;
    ALTER TABLE song ENABLE ROW LEVEL SECURITY;
    ALTER TABLE note ENABLE ROW LEVEL SECURITY;";

const QUERIES: [&str; 6] = [
    "{ allSongs(orderBy: ID_ASC) { nodes { id title } } }",
    "{ allSongs { totalCount } allNotes { totalCount } }",
    "{ songById(id: 5) { title notesBySongId(orderBy: ID_ASC) { nodes { text } } } }",
    "{ allNotes(orderBy: ID_ASC, first: 8) { nodes { id songBySongId { title owner } } } }",
    "{ allSongs(condition: { team: \"red\" }, orderBy: ID_DESC) { nodes { id level } } }",
    "{ noteById(id: 7) { text songBySongId { id } } }",
];

/// A condition that reads claims, directly, by a function, or by rows of the other table.
fn condition(random: &mut Random, table: &str, depth: usize) -> String {
    if depth > 0 && random.below(2) == 0 {
        let word = random.one_of(&["AND", "OR"]);
        let [one, other] = [(); 2].map(|()| condition(random, table, depth - 1));
        return format!("({one} {word} {other})");
    }
    let is_song = table == "song";
    match random.below(6) {
        0 if is_song => "owner = current_setting('jwt.claims.name', true)".to_owned(),
        1 if is_song => "level <= own_level()".to_owned(),
        2 => "team = current_setting('jwt.claims.team', true)".to_owned(),
        3 => format!("id % 3 = {}", random.below(3)),
        4 if !is_song => "EXISTS (SELECT FROM song WHERE song.id = song_id)".to_owned(),
        _ => {
            "id % 4 < length(coalesce(current_setting('jwt.claims.name', true), '')) - 2".to_owned()
        }
    }
}

fn policies(random: &mut Random) -> String {
    let policy = |(table, condition)| {
        format!("CREATE POLICY own ON {table} TO cached_reader USING ({condition});")
    };
    let made = ["song", "note"].map(|table| (table, condition(random, table, 2)));
    made.map(policy).concat()
}

fn user(random: &mut Random) -> Caller {
    let pair = |name: &str, value: &str| (name.into(), value.into());
    let level = random.below(4).to_string();
    let settings = vec![
        pair("role", "cached_reader"),
        pair("jwt.claims.name", random.one_of::<&str>(&["ann", "bobby", "eve"])),
        pair("jwt.claims.team", random.one_of::<&str>(&["red", "blue"])),
        pair("jwt.claims.level", &level),
    ];
    let session = Session { settings: Some(Arc::new(Settings::new(settings))), claims: None };
    Caller { session, ..Caller::default() }
}

async fn ask(worker: &Worker, query: &str, caller: &Caller) -> (String, bool) {
    let request = Request { query: query.to_owned(), ..Request::default() };
    let (mut report, allowed) = (Report::default(), Allowed::All);
    let response =
        worker.deliver_for(&request, caller, allowed, Delivery::Streamed, &mut report).await;
    for feed in worker.engine().cache_feeds() {
        spawn_local(feed.run());
    }
    let is_hit = report.cache.is_some_and(|used| used.is_hit);
    (String::from_utf8(response.body.to_vec()).unwrap(), is_hit)
}

async fn open(address: &SourceAddress, store: Option<Arc<ByteCache>>) -> Worker {
    let all = CacheField { name: "*".into(), ttl: Duration::from_secs(600) };
    let cache =
        CacheOptions { bytes: 1 << 20, fields: [all].into(), store, ..CacheOptions::default() };
    let dialect = Dialect::PostGraphile(postgraphile::Options::default());
    let usual = options(Default::default(), false);
    let options = Options { dialect, cache, schema_first: None, ..usual };
    let worker = Worker::new(Engine::open(address, &options).await.unwrap());
    // From now on changes are followed, and no stream begins later, which would drop all answers.
    let owner = Caller::default();
    while !ask(&worker, QUERIES[0], &owner).await.1 {
        sleep(Duration::from_millis(20)).await;
    }
    worker
}

/// Asks random users at random workers. Returns the numbers of hits, and of questions to which two
/// users had different answers.
async fn compare(workers: &[Worker], random: &mut Random, hits: &mut usize, differing: &mut usize) {
    let users = [user(random), user(random)];
    for _ in 0..40 {
        let (query, one) = (*random.one_of(&QUERIES), random.below(2));
        let mut shown = Vec::new();
        for place in [one, 1 - one] {
            let (worker, caller) = (random.one_of(workers), &users[place]);
            let (answer, is_hit) = ask(worker, query, caller).await;
            let bypassing = Caller { cache: CacheUse::Bypass, ..caller.clone() };
            let current = ask(worker, query, &bypassing).await.0;
            assert_eq!(answer, current, "{query} of {:?}", caller.session);
            *hits += usize::from(is_hit);
            shown.push(answer);
        }
        *differing += usize::from(shown[0] != shown[1]);
    }
}

#[test]
fn no_user_gets_the_answer_of_another() {
    let broker = Kind::Redis.is_installed().then(|| Broker::start(Kind::Redis, &[]).unwrap());
    let (total, skipped) = (&Cell::new(0), &Cell::new(true));
    for round in 0..6 {
        let broker = broker.as_ref();
        on_each(|address| async move {
            if !is_postgres(&address) {
                return;
            }
            skipped.set(false);
            let mut random = Random::new(round);
            run_sql(&address, TABLES).await;
            run_sql(&address, &policies(&mut random)).await;
            let store = broker.map(|broker| {
                let url = broker.url().parse().unwrap();
                let client = RedisClient::open(url, "answers", Duration::from_secs(10));
                Arc::new(ByteCache::shared(client, "thalweg:answers:"))
            });
            let (mut hits, mut differing) = (0, 0);
            let alone = [open(&address, None).await];
            compare(&alone, &mut random, &mut hits, &mut differing).await;
            if store.is_some() {
                let shared = [open(&address, store.clone()).await, open(&address, store).await];
                compare(&shared, &mut random, &mut hits, &mut differing).await;
            }
            assert!(hits > 40, "{round}: {hits}");
            total.set(total.get() + differing);
        });
    }
    // Policies show other rows to other users.
    assert!(total.get() > 40 || skipped.get(), "{}", total.get());
}
