//! Rows that are changed together are as if each were changed by itself, one after the other; and
//! where one of these changes fails, nothing was done.
//!
//! The changes are made up, the same in each run; `THALWEG_CASES=500` makes so many, and others each
//! time.

mod made;

use std::sync::Arc;

use crate::choices::Choices;
use crate::sources::{OwnEngine, Sources, TestSource};
use engine::{Allowed, Delivery, Engine, Report, Session, Worker};
use graphql::Request;
use made::Made;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngSeed, TestRunner};
use tokio::runtime::Runtime;

const DIALECT: &str = "postgraphile nested-mutations=1000 bulk-mutations=1000";

/// How many changes are tried on each source.
const CHANGES: u32 = 30;

/// Enough choices for the largest change.
const CHOICES: usize = 200;

const STATE: &str = "{
    allBeds(orderBy: ID_ASC) { nodes { id name parentId plants country regionCode } }
    allPlants(orderBy: ID_ASC) { nodes { id name sownIn movedTo } }
    allLabels(orderBy: ID_ASC) { nodes { id words bedId } }
    allRegions(orderBy: PRIMARY_KEY_ASC) { nodes { country code name } }
}";

/// One test, since both parts make the same databases.
pub(crate) fn rows_are_changed_together(sources: &Sources) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    many_rows_are_made_and_connected_at_once(sources, &runtime);
    many_rows_are_set_at_once(sources, &runtime);
    a_change_of_rows_together_is_the_changes_of_each(sources, &runtime);
}

fn a_change_of_rows_together_is_the_changes_of_each(sources: &Sources, runtime: &Runtime) {
    let (changes, rng_seed) = match std::env::var("THALWEG_CASES") {
        Ok(cases) => (cases.parse().unwrap(), RngSeed::Random),
        Err(_) => (CHANGES, RngSeed::Fixed(1)),
    };
    // SQLite and the first PostgreSQL.
    for source in sources.all().take(2) {
        let mut runner = TestRunner::new(Config { rng_seed, ..Config::default() });
        let mut numbers = || vec(any::<u16>(), CHOICES).new_tree(&mut runner).unwrap().current();
        let (mut together, mut apart) = (open(sources, &source), open(sources, &source));
        let (mut done, mut refused) = (0, 0);
        for number in 0..changes {
            let made = Made::new(number, &mut Choices::new(&numbers()));
            let before = runtime.block_on(answer(&together.engine, STATE));
            let whole = runtime.block_on(answer(&together.engine, &made.whole));
            let after = runtime.block_on(answer(&together.engine, STATE));
            let mut fails = false;
            for part in &made.parts {
                let answer = runtime.block_on(answer(&apart.engine, part));
                if answer.contains("\"errors\"") || answer.contains("\"affectedCount\":0") {
                    assert!(!answer.contains("VALIDATION"), "{part}\n{answer}");
                    fails = true;
                    break;
                }
            }
            assert!(!whole.contains("VALIDATION"), "{}\n{whole}", made.whole);
            let said = || format!("{source}\n{}\n{}\n{whole}", made.whole, made.parts.join("\n"));
            assert_eq!(whole.contains("\"errors\""), fails, "{}", said());
            if fails {
                refused += 1;
                assert_eq!(after, before, "{}", said());
                (together, apart) = (open(sources, &source), open(sources, &source));
            } else {
                done += 1;
                let expected = runtime.block_on(answer(&apart.engine, STATE));
                assert_eq!(after, expected, "{}", said());
            }
        }
        // Otherwise little was compared.
        assert!(done * 4 > changes && refused * 10 > changes, "{source}: {done}, {refused}");
    }
}

fn many_rows_are_made_and_connected_at_once(sources: &Sources, runtime: &Runtime) {
    for source in sources.all().take(2) {
        let own = open(sources, &source);
        let alike = (0..250).map(|number| format!("{{ name: \"a{number}\" }}"));
        let moved = (0..200).map(|number| {
            format!("{{ name: \"m{number}\", bedByMovedTo: {{ connect: {{ id: 4 }} }} }}")
        });
        let rows: Vec<String> = alike.chain(moved).collect();
        let mutation = format!(
            "mutation {{ createBedNested(input: {{ bed: {{ name: \"Field\", plantsBySownIn: \
             {{ create: [{}] }} }} }}) {{ bed {{ plants plantsBySownIn(condition: {{ movedTo: 4 }}) \
             {{ totalCount }} }} }} }}",
            rows.join(", ")
        );
        let expected = r#"{"data":{"createBedNested":{"bed":{"plants":450,"plantsBySownIn":{"totalCount":200}}}}}"#;
        assert_eq!(runtime.block_on(answer(&own.engine, &mutation)), expected, "{source}");
    }
}

/// What a relation is set to is left out of what it lets go of, row by row: SQLite reads no
/// expression that is deeper than 1,000.
fn many_rows_are_set_at_once(sources: &Sources, runtime: &Runtime) {
    for source in sources.all().take(2) {
        let own = open(sources, &source);
        // Without commas, since these are counted with all tokens.
        let rows: String = (1_001..2_000).map(|id| format!("{{id:{id}}}")).collect();
        let made = format!(
            "mutation {{ updateBedByIdNested(input: {{ id: 1, bedPatch: {{ plantsBySownIn: \
             {{ create: [{rows}] }} }} }}) {{ bed {{ id }} }} }}"
        );
        let expected = r#"{"data":{"updateBedByIdNested":{"bed":{"id":1}}}}"#;
        assert_eq!(runtime.block_on(answer(&own.engine, &made)), expected, "{source}");
        let set = format!(
            "mutation {{ updateBedByIdNested(input: {{ id: 4, bedPatch: {{ plantsByMovedTo: \
             {{ set: [{rows}] }} }} }}) {{ bed {{ plantsByMovedTo {{ totalCount }} }} }} }}"
        );
        let expected =
            r#"{"data":{"updateBedByIdNested":{"bed":{"plantsByMovedTo":{"totalCount":999}}}}}"#;
        assert_eq!(runtime.block_on(answer(&own.engine, &set)), expected, "{source}");
    }
}

fn open(sources: &Sources, source: &TestSource) -> OwnEngine {
    sources.open_copy(source, "garden", DIALECT, |_| {}).unwrap()
}

async fn answer(engine: &Arc<Engine>, query: &str) -> String {
    let worker = Worker::new(Arc::clone(engine));
    let request = Request { query: query.to_owned(), ..Request::default() };
    let (allowed, delivery) = (Allowed::All, Delivery::Whole);
    let (session, report) = (Session::default(), &mut Report::default());
    let response = worker.deliver_reported(&request, &session, allowed, delivery, report).await;
    String::from_utf8(response.body.into()).unwrap()
}
