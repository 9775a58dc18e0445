//! Benchmark of the gateway without a network: the query of the published benchmark with responses
//! of the same shape, about 80 KB of reviews.
//!
//! `cargo bench -p gateway` prints the time of each stage; `cargo bench -p gateway -- 20000` runs
//! that many iterations, for `perf stat -e instructions:u` and `perf record`. `cargo bench -p
//! gateway -- distinct` uses reviews without repetitions, which the published benchmark has.

#![allow(
    clippy::unwrap_used,
    reason = "a chore: it ends where something is not as it is made here"
)]

use std::cell::Cell;
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::FutureExt;
use gateway::execute::{
    ExecutionStatistics, FetchError, FetchRequest, FetchResponse, Inputs, Literals, Options,
    Subgraphs,
};
use gateway::{execute, outline, plan, planner};
use graphql::variables::Steering;
use response::{MemoryReservation, Sink};

const SUPERGRAPH: &str = include_str!("../src/execute/tests/shop.graphql");

const QUERY: &str = "
fragment User on User { id username name }
fragment Review on Review { id body }
fragment Product on Product { inStock name price shippingEstimate upc weight }
query {
  users { ...User reviews { ...Review product { ...Product
    reviews { ...Review author { ...User reviews { ...Review product { ...Product } } } } } } }
  topProducts { ...Product
    reviews { ...Review author { ...User reviews { ...Review product { ...Product } } } } }
}";

/// The product of each review.
const REVIEWED: [usize; 11] = [1, 1, 1, 1, 2, 2, 2, 2, 3, 4, 4];

const BODY: usize = 330;

fn main() {
    let rounds = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(2_000_u32);
    let supergraph = supergraph::read(SUPERGRAPH).unwrap();
    let schema = &supergraph.api.schema;
    let validator = graphql::Validator::new(schema);
    let limits = graphql::DocumentLimits::default();
    let operation = validator.operation(schema, QUERY, None, &limits).unwrap();
    let none = serde_json_bytes::Map::default();
    let variables = graphql::coerce_variable_values(schema, &operation, &none).unwrap();
    let begun = Instant::now();
    let steering = Steering::new(&variables);
    let root = supergraph.schema.query.unwrap();
    let mut tree = outline::outline(&supergraph, &operation, root, &steering, 10_000).unwrap();
    let limits = planner::Limits::default();
    let choice =
        planner::plan(&supergraph, &mut tree, &planner::Labels::default(), limits).unwrap();
    let sources =
        plan::PlanInputs { supergraph: &supergraph, operation: &operation, choice: &choice };
    let plan = plan::compile(sources, tree);
    let planned = begun.elapsed();

    let shop = Shop::new(&supergraph, std::env::args().any(|argument| argument == "distinct"));
    let inputs = Inputs {
        supergraph: &supergraph,
        operation: &operation,
        plan: &plan,
        variables: &variables,
    };
    let (mut executing, mut writing) = (Duration::ZERO, Duration::ZERO);
    let (mut sent, mut received, mut written) = (0, 0, 0);
    for _ in 0..rounds {
        let begun = Instant::now();
        let mut observed = ExecutionStatistics::default();
        shop.next.set([0; 4]);
        let running = execute::execute(
            inputs,
            &shop,
            Options::default(),
            MemoryReservation::default(),
            &mut observed,
        );
        let mut executed = running.now_or_never().unwrap();
        let executed_at = Instant::now();
        let sink = Sink::new(Vec::new(), u64::MAX, MemoryReservation::default())
            .expecting(executed.expected());
        let sink =
            execute::write(&supergraph, &plan, &mut executed, &Literals::new(), sink).unwrap();
        executing += executed_at - begun;
        writing += executed_at.elapsed();
        (sent, received) = (observed.sent(), executed.received());
        let (answer, _) = sink.into_parts();
        written = answer.len();
        assert!(executed.into_errors().is_empty());
    }
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "planned once in {planned:?}; of {rounds} rounds each\n\
         {sent} requests, {received} bytes received: {:?}\n{written} bytes written: {:?}",
        executing / rounds,
        writing / rounds
    )
    .unwrap();
}

/// Subgraphs that respond at once.
struct Shop {
    /// Responses by subgraph, in their order.
    answers: [Vec<Bytes>; 4],
    next: Cell<[usize; 4]>,
}

impl Shop {
    fn new(supergraph: &supergraph::Supergraph, is_distinct: bool) -> Self {
        let mut answers = [const { Vec::new() }; 4];
        for id in supergraph.subgraph_ids() {
            let texts = match &*supergraph.subgraph(id).name {
                "accounts" => vec![users()],
                "products" => vec![products()],
                "inventory" => vec![inventory()],
                _ if is_distinct => vec![distinct(&reviews())],
                _ => vec![reviews()],
            };
            answers[usize::from(id.0)] = texts.into_iter().map(Bytes::from).collect();
        }
        Self { answers, next: Cell::default() }
    }
}

impl Subgraphs for Shop {
    async fn fetch(&self, request: FetchRequest<'_>) -> Result<FetchResponse, FetchError> {
        let subgraph = usize::from(request.subgraph.0);
        let mut next = self.next.get();
        let answer = self.answers[subgraph].get(next[subgraph]);
        next[subgraph] += 1;
        self.next.set(next);
        answer.cloned().map(FetchResponse::from).ok_or(FetchError::Unavailable)
    }
}

fn list(length: usize, element: impl Fn(usize) -> String) -> String {
    let elements: Vec<_> = (1..=length).map(element).collect();
    format!("[{}]", elements.join(","))
}

fn users() -> String {
    let user = |id| format!(r#"{{"id":"{id}","username":"user{id}","name":"Somebody Else"}}"#);
    format!(r#"{{"data":{{"users":{}}}}}"#, list(6, user))
}

fn products() -> String {
    let product = |upc| format!(r#"{{"upc":"{upc}","name":"Thing","price":{upc}99,"weight":100}}"#);
    format!(r#"{{"data":{{"topProducts":{}}}}}"#, list(5, product))
}

fn inventory() -> String {
    let known = |upc| format!(r#"{{"inStock":true,"shippingEstimate":{upc}0}}"#);
    format!(r#"{{"data":{{"_entities":{}}}}}"#, list(5, known))
}

/// The start of a review.
fn review(id: usize) -> String {
    let mut text = format!(r#""id":"{id}","body":""#);
    for word in (0..).map(|place| ["lorem", "ipsum", "dolor,", "sit"][place % 4]) {
        if text.len() >= BODY {
            break;
        }
        write!(text, "{word} ").unwrap();
    }
    text.push('"');
    text
}

/// The first two reviews of each user.
fn written() -> String {
    list(2, |id| format!(r#"{{{},"product":{{"upc":"{}"}}}}"#, review(id), REVIEWED[id - 1]))
}

/// The reviews of a product.
fn of_product(upc: usize) -> String {
    let of = (1..=REVIEWED.len()).filter(|id| REVIEWED[id - 1] == upc);
    let reviews = of.map(|id| {
        let review = review(id);
        let author = format!(r#"{{"id":"1","username":"user1","reviews":{}}}"#, written());
        format!(r#"{{{review},"author":{author}}}"#)
    });
    format!("[{}]", reviews.collect::<Vec<_>>().join(","))
}

/// The response for six users and five products.
fn reviews() -> String {
    let users = list(6, |_| {
        let reviews = list(2, |id| {
            let (review, upc) = (review(id), REVIEWED[id - 1]);
            let product = format!(r#"{{"upc":"{upc}","reviews":{}}}"#, of_product(upc));
            format!(r#"{{{review},"product":{product}}}"#)
        });
        format!(r#"{{"reviews":{reviews}}}"#)
    });
    let products = list(5, |upc| format!(r#"{{"reviews":{}}}"#, of_product(upc)));
    let users = users.strip_suffix(']').unwrap();
    let products = products.strip_prefix('[').unwrap();
    // Entities of different types are fetched in the order of the plan.
    let both = format!("{users},{products}");
    format!(r#"{{"data":{{"_entities":{both}}}}}"#)
}

/// The same reviews with distinct ids.
fn distinct(reviews: &str) -> String {
    let parts = reviews.split(r#"","body""#).enumerate();
    let parts = parts.map(|(place, part)| match place {
        0 => part.to_owned(),
        _ => format!(r#"-{place}","body"{part}"#),
    });
    parts.collect()
}
