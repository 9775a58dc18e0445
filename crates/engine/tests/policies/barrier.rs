//! A policy is a barrier: nothing that a client says is evaluated on rows and values that a role may
//! not see.
//!
//! Two databases agree in what may be seen and differ in the rest: in what hidden rows hold, and in
//! how many there are. Whatever is asked, their answers are equal, errors among them. And what can
//! watch its arguments is given nothing that is hidden: on PostgreSQL functions and operators of the
//! test's own, on SQLite columns that a function of the test computes whenever they are read.

mod lists;
mod made;
mod operations;
mod watched;

use engine::{Session, Worker};
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngSeed, TestRunner};
use serde_json_bytes::json;
use testkit::postgres::{required_installations, shared};

use self::made::{Policy, Variant};
use self::operations::{changes, reads, written};
use self::watched::Watcher;
use crate::choices::Choices;
use crate::policies::places::{Database, Place};
use crate::policies::{answer, session};

const DIALECT: &str = "postgraphile simple-collections=both aggregates many-to-many bulk-mutations=99 \
    connection-filter connection-filter-relations";
const PHRAG: &str = "phrag default-limit=9";

/// How many policies are tried on each source, and how many operations with each.
const POLICIES: usize = 5;
const OPERATIONS: usize = 30;
const CHANGES: usize = 8;

/// Enough choices for the largest operation, and for a policy.
const CHOICES: usize = 200;

/// Both databases under one policy.
struct Pair {
    workers: [Worker; 2],
    phrag: Worker,
    watchers: [Watcher; 2],
    rules: String,
    // Removed last.
    _databases: [Database; 2],
}

impl Pair {
    async fn new(place: &Place, policy: &Policy) -> Self {
        let rules = policy.text(place);
        let databases = [Variant::Quiet, Variant::Loud].map(|variant| {
            let sql = policy.sql(place, variant);
            place.empty_database("barrier", &sql)
        });
        let [quiet, loud] = &databases;
        let workers =
            [quiet.worker(DIALECT, Some(&rules)).await, loud.worker(DIALECT, Some(&rules)).await];
        let phrag = loud.worker(PHRAG, Some(&rules)).await;
        let watchers = [Watcher::of(place, quiet), Watcher::of(place, loud)];
        for worker in &workers {
            // What is seen is the same, and there is something.
            let own = answer(worker, &who(), "{ allPostsList { id } allAuthorsList { id } }").await;
            assert!(own.contains("\"id\"") && !own.contains("\"errors\""), "{own}\n{rules}");
        }
        Self { workers, phrag, watchers, rules, _databases: databases }
    }

    /// Both answers, which are equal, and no hidden value was looked at.
    async fn check(&self, query: &str) -> String {
        let [quiet, loud] = &self.workers;
        let [of_quiet, of_loud] = &self.watchers;
        of_quiet.read();
        let quiet = answer(quiet, &who(), query).await;
        let read = of_quiet.read();
        let loud = answer(loud, &who(), query).await;
        let context = || format!("{query}\n{}", self.rules);
        // The same of what may be seen, too, such as of a row that hidden ones refer to.
        assert_eq!(read, of_loud.read(), "other values are looked at\n{}", context());
        assert_eq!(without_ids(&quiet), without_ids(&loud), "{}", context());
        for watcher in &self.watchers {
            assert_eq!(watcher.hidden(), 0, "hidden values are looked at\n{}\n{loud}", context());
        }
        assert!(!loud.contains("LOUD") && !loud.contains("QUIET"), "{loud}\n{}", context());
        loud
    }
}

fn who() -> Session {
    session(json!({ "role": "member", "team": 1 }))
}

/// An error of the source has an id of its own.
fn without_ids(answer: &str) -> String {
    let mut parts = answer.split("\"errorId\":\"");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once('"').map_or(part, |(_, rest)| rest))
}

/// SQLite, and all PostgreSQL there are: each plans in its own way.
fn all_places() -> Vec<Place> {
    let postgres = required_installations().unwrap().into_iter().map(|installation| {
        // A server lives as long as the process.
        let installation = Box::leak(Box::new(installation));
        Place::Postgres(shared(installation).unwrap())
    });
    std::iter::once(Place::Sqlite).chain(postgres).collect()
}

/// One after the other: SQLite tells what is read in all databases of the process.
#[tokio::test]
async fn a_policy_is_a_barrier() {
    watched::register();
    a_pattern_that_fails_tells_nothing_of_hidden_rows().await;
    nothing_of_a_client_is_evaluated_on_hidden_rows().await;
}

async fn nothing_of_a_client_is_evaluated_on_hidden_rows() {
    let (times, rng_seed) = match std::env::var("THALWEG_CASES") {
        Ok(cases) => (cases.parse::<usize>().unwrap().div_ceil(OPERATIONS), RngSeed::Random),
        Err(_) => (1, RngSeed::Fixed(1)),
    };
    for place in all_places() {
        let mut runner = TestRunner::new(Config { rng_seed, ..Config::default() });
        let mut numbers = || vec(any::<u16>(), CHOICES).new_tree(&mut runner).unwrap().current();
        let (mut asked, mut refused, mut failed) = (0, 0, 0);
        for number in 0..POLICIES * times {
            let policy = Policy::made(number, &mut Choices::new(&numbers()));
            let pair = Pair::new(&place, &policy).await;
            let mut queries: Vec<String> = written(&place);
            queries.extend((0..OPERATIONS).map(|_| reads(&place, &mut Choices::new(&numbers()))));
            queries.extend((0..CHANGES).map(|_| changes(&place, &mut Choices::new(&numbers()))));
            queries.push("{ allPostsList(orderBy: ID_ASC) { id digits } }".to_owned());
            for query in &queries {
                let answer = pair.check(query).await;
                asked += 1;
                assert!(!answer.contains("GRAPHQL_VALIDATION_FAILED"), "{answer}\n{query}");
                refused += usize::from(answer.contains("PERMISSION_DENIED"));
                failed += usize::from(answer.contains("\"errors\""));
            }
            let phrag = operations::phrag();
            for query in phrag {
                let answer = answer(&pair.phrag, &who(), query).await;
                assert!(!answer.contains("LOUD"), "{answer}");
                assert_eq!(pair.watchers[1].hidden(), 0, "{query}\n{}", pair.rules);
            }
            assert!(pair.watchers.iter().all(Watcher::saw), "{place}: nothing is watched");
        }
        // Otherwise little was tried.
        assert!(refused * 10 < asked, "{place}: {refused} of {asked} are refused");
        assert!(failed * 2 < asked, "{place}: {failed} of {asked} fail");
    }
}

/// A planner may look the rows up that a function takes before it knows which of them are wanted: so
/// the statement asks for the policy where it does.
#[tokio::test]
async fn functions_of_rows_take_rows_that_pass() {
    for place in all_places() {
        if matches!(place, Place::Sqlite) {
            continue;
        }
        let policy = Policy::plain();
        let database = place.empty_database("barrier", &policy.sql(&place, Variant::Quiet));
        let worker = database.worker(DIALECT, Some(&policy.text(&place))).await;
        let query = "{ allAuthorsList { bestList { id } } }".to_owned();
        let request = graphql::Request { query, ..graphql::Request::default() };
        let explained = worker.prepare_for(&request, &who(), &mut engine::Report::default());
        let statements = explained.unwrap().statements;
        let of_function = statements.iter().find(|one| one.text.contains("author_best")).unwrap();
        // Beside the key by which the row is looked up.
        let is_asked = of_function.text.contains(r#".c0 AND t1."team" = $"#);
        assert!(is_asked, "{}", of_function.text);
    }
}

const OWN: &str = r#"
[rules.authors]
entity = "author"
read = { rows = { team = { eq = { claim = "team" } } }, columns = "*" }
[roles.member]
rules = ["authors"]
"#;

/// A pattern that ends in its escape fails on a row that matched so far; a text that only hidden rows
/// begin with made that visible, a letter at a time.
async fn a_pattern_that_fails_tells_nothing_of_hidden_rows() {
    for place in all_places() {
        let policy = Policy::plain();
        let database = place.empty_database("barrier", &policy.sql(&place, Variant::Loud));
        let worker = database.worker(DIALECT, Some(OWN)).await;
        let of = |pattern: &str| {
            let query = "{ allAuthors(filter: {name: {like: \"PATTERN\"}}) { totalCount } }";
            query.replace("PATTERN", pattern)
        };
        let missing = answer(&worker, &who(), &of("nobody\\\\")).await;
        let hidden = answer(&worker, &who(), &of("LOUD\\\\")).await;
        assert_eq!(without_ids(&missing), without_ids(&hidden), "{place}");
        let long = "_".repeat(60_000);
        let of = |begins: &str| {
            format!(
                "{{ allAuthors(filter: {{and: [{{name: {{startsWith: \"{begins}\"}}}}, \
                 {{note: {{like: \"{long}\"}}}}, {{note: {{likeInsensitive: \"{long}\"}}}}]}}) \
                 {{ totalCount }} }}"
            )
        };
        let missing = answer(&worker, &who(), &of("nobody")).await;
        let hidden = answer(&worker, &who(), &of("LOUD")).await;
        assert_eq!(without_ids(&missing), without_ids(&hidden), "{place}");
        assert_eq!(Watcher::of(&place, &database).hidden(), 0, "{place}");
    }
}
