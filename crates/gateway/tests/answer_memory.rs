//! The gateway reserves memory for subgraph responses before it allocates it: peak memory is
//! compared with the reservation, and budgets that are too small are tried.

use std::fmt::Write;

use bytes::Bytes;
use futures_util::FutureExt;
use gateway::execute::{
    ExecutionStatistics, FetchError, FetchRequest, FetchResponse, Inputs, Literals, Options,
    Subgraphs,
};
use gateway::{execute, outline, plan, planner};
use graphql::variables::Steering;
use response::{MemoryBudget, MemoryReservation, Sink};
use testkit::allocation;
use testkit::alone::alone;

const SUPERGRAPH: &str = include_str!("../src/execute/tests/shop.graphql");

/// Memory without a reservation: small parts, and at most a hundred errors.
const CONSTANT: isize = 512 << 10;

/// Subgraphs with canned responses, by their names.
struct Canned<'c> {
    supergraph: &'c supergraph::Supergraph,
    answers: &'c [(&'static str, Bytes)],
}

impl Subgraphs for Canned<'_> {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<FetchResponse, FetchError> {
        let name = &*self.supergraph.subgraph(request.subgraph).name;
        let answer = self.answers.iter().find(|(of, _)| *of == name);
        Ok(FetchResponse::from(answer.ok_or(FetchError::Unavailable)?.1.clone()))
    }
}

/// A list with elements computed from their index.
fn list(before: &str, count: usize, element: impl Fn(usize) -> String, after: &str) -> Bytes {
    let mut text = String::from(before);
    for number in 0..count {
        let comma = if number > 0 { "," } else { "" };
        write!(text, "{comma}{}", element(number)).unwrap();
    }
    (text + after).into()
}

type Answers = Vec<(&'static str, Bytes)>;

/// Queries with subgraph responses of up to some tens of megabytes.
fn shapes() -> Vec<(&'static str, &'static str, Answers)> {
    let users = "{\"data\":{\"users\":[";
    let user = |number| format!(r#"{{"id":"{number}","name":"n{number}","username":null}}"#);
    let no_names = |_| String::from(r#"{"id":"","name":null,"username":null}"#);
    let long = "x".repeat(6 << 20);
    let product = |number| format!(r#"{{"__typename":"Product","upc":"{number}","name":"p"}}"#);
    let reviews = |number: usize| {
        let review = |place| format!(r#"{{"id":"{number}-{place}","body":"b"}}"#);
        format!("{{\"reviews\":[{}]}}", [review(1), review(2)].join(","))
    };
    let no_reviews = |_| String::from("{\"reviews\":[]}");
    vec![
        (
            "nulls",
            "{ users { id } }",
            vec![("accounts", list(users, 2_000_000, |_| "null".into(), "]}}"))],
        ),
        (
            "objects",
            "{ users { id name username } }",
            vec![("accounts", list(users, 100_000, user, "]}}"))],
        ),
        (
            "objects of nulls",
            "{ users { id name username } }",
            vec![("accounts", list(users, 100_000, no_names, "]}}"))],
        ),
        (
            "long text",
            "{ users { name } }",
            vec![("accounts", list(users, 1, |_| format!("{{\"name\":\"{long}\"}}"), "]}}"))],
        ),
        (
            "entities",
            "{ topProducts { name reviews { id body } } }",
            vec![
                ("products", list("{\"data\":{\"topProducts\":[", 9_000, product, "]}}")),
                ("reviews", list("{\"data\":{\"_entities\":[", 9_000, reviews, "]}}")),
            ],
        ),
        // A request has at most ten thousand of them.
        (
            "many keys",
            "{ topProducts { name reviews { id body } } }",
            vec![
                ("products", list("{\"data\":{\"topProducts\":[", 120_000, product, "]}}")),
                ("reviews", list("{\"data\":{\"_entities\":[", 10_000, no_reviews, "]}}")),
            ],
        ),
    ]
}

fn check(name: &str, query: &str, answers: &[(&'static str, Bytes)]) {
    let supergraph = supergraph::read(SUPERGRAPH).unwrap();
    let schema = &supergraph.api.schema;
    let validator = graphql::Validator::new(schema);
    let limits = graphql::DocumentLimits::default();
    let operation = validator.operation(schema, query, None, &limits).unwrap();
    let none = serde_json_bytes::Map::default();
    let variables = graphql::coerce_variable_values(schema, &operation, &none).unwrap();
    let steering = Steering::new(&variables);
    let root = supergraph.schema.query.unwrap();
    let mut tree = outline::outline(&supergraph, &operation, root, &steering, 10_000).unwrap();
    let limits = planner::Limits::default();
    let labels = planner::Labels::default();
    let choice = planner::plan(&supergraph, &mut tree, &labels, limits).unwrap();
    let sources =
        plan::PlanInputs { supergraph: &supergraph, operation: &operation, choice: &choice };
    let plan = plan::compile(sources, tree);
    let (supergraph, operation, plan) = (&supergraph, &operation, &plan);
    let inputs = Inputs { supergraph, operation, plan, variables: &variables };
    let canned = Canned { supergraph, answers };
    let mut most = u64::MAX;
    let mut refused = 0;
    while most > 256 << 10 {
        let memory = MemoryBudget::new(most);
        let live = allocation::begin();
        let length = {
            let mut observed = ExecutionStatistics::default();
            let held = MemoryReservation::of(&memory);
            let running =
                execute::execute(inputs, &canned, Options::default(), held, &mut observed);
            let mut executed = running.now_or_never().unwrap();
            let sink = Sink::new(Vec::new(), u64::MAX, MemoryReservation::of(&memory));
            let sink = sink.expecting(executed.expected());
            let sink = execute::write(supergraph, plan, &mut executed, &Literals::new(), sink);
            let errors = executed.into_errors();
            let has_failed = sink.is_err() || !errors.is_empty();
            refused += u32::from(has_failed);
            assert!(!has_failed || most < u64::MAX, "{name}: {:?}", errors.first());
            sink.map_or(0, |sink| sink.into_parts().0.len())
        };
        let peak = allocation::peak_since(live);
        let reserved = memory.most_held();
        let bound = isize::try_from(reserved / 4 * 5).unwrap() + CONSTANT;
        assert!(
            peak <= bound,
            "{name}: {peak} bytes are live where {reserved} of {most} are reserved for {length}"
        );
        assert!(reserved <= most && memory.held() == 0, "{name}");
        most = most.min(reserved.max(1)) / 3 * 2;
    }
    assert!(refused > 0, "{name}");
}

/// The name of the test.
pub(crate) const NAME: &str =
    "answer_memory::the_memory_of_what_subgraphs_answer_is_reserved_before_it_is_taken";

pub(crate) fn test() {
    alone(NAME, || {
        for (name, query, answers) in shapes() {
            check(name, query, &answers);
        }
    });
}
