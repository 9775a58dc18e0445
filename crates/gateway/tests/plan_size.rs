//! The accounted memory of plans equals what they allocate, and is small.

use std::fs;
use std::path::Path;

use gateway::cost::Cost;
use gateway::plan::Plan;
use gateway::planner::Labels;
use graphql::Validator;
use graphql::heap::HeapSize;
use graphql::operation::Operation;
use serde_json_bytes::{ByteString, Map, Value as Json, serde_json};
use supergraph::{Supergraph, read};
use testkit::allocation;
use testkit::federation::question::Planned;
use testkit::federation::{Question, make};
use testkit::fuzz::Choices;

/// The tests, by their names.
pub(crate) const TESTS: [(&str, fn()); 2] = [
    ("plan_size::plans_take_what_is_accounted", plans_take_what_is_accounted),
    (
        "plan_size::a_plan_grows_with_its_document_and_not_faster",
        a_plan_grows_with_its_document_and_not_faster,
    ),
];

/// Number of random operations over each supergraph of the fixtures.
const OPERATIONS: u64 = 40;

/// Far below the size with a plan for each pair of equal selections, which is hundreds of times
/// larger with hundreds of selections.
const MOST_BYTES_AN_ITEM: usize = 1_500;

/// Objects that three subgraphs have fields of, each with links to more objects.
const NODES: &str = r#"
schema
  @link(url: "https://specs.apollo.dev/link/v1.0")
  @link(url: "https://specs.apollo.dev/join/v0.3", for: EXECUTION) { query: Query }
enum join__Graph {
  A @join__graph(name: "a", url: "http://a")
  B @join__graph(name: "b", url: "http://b")
  C @join__graph(name: "c", url: "http://c")
}
type Query @join__type(graph: A) @join__type(graph: B) @join__type(graph: C) {
  node: Node @join__field(graph: A)
}
type Node
  @join__type(graph: A, key: "id")
  @join__type(graph: B, key: "id")
  @join__type(graph: C, key: "id") {
  id: ID!
  name: String @join__field(graph: A)
  title: String @join__field(graph: B)
  text: String @join__field(graph: C)
  as: [Node] @join__field(graph: A)
  bs: [Node] @join__field(graph: B)
  cs: [Node] @join__field(graph: C)
}
"#;

/// Selects the fields of all subgraphs on nodes, until the document has this length.
fn nest(depth: usize, length: usize, text: &mut String) {
    text.push_str(" id name title text");
    for field in ["as", "bs", "cs"] {
        if depth == 0 || text.len() > length {
            return;
        }
        text.push_str(&[" ", field, " {"].concat());
        nest(depth - 1, length, text);
        text.push_str(" }");
    }
}

fn planned(supergraph: &Supergraph, text: &str, variables: &str) -> Option<Planned> {
    let validator = Validator::new(&supergraph.api.schema);
    let variables: Map<ByteString, Json> = serde_json::from_str(variables).unwrap();
    let labels = Labels::default();
    let question = Question { text, variables: &variables, labels: &labels, access: None };
    // Some random operations are invalid or too large.
    Planned::new(supergraph, &validator, question).ok()
}

/// Number of bytes freed with a value.
fn taken<T>(value: T) -> usize {
    let held = allocation::held();
    drop(value);
    usize::try_from(held - allocation::held()).unwrap()
}

/// Accounted and allocated bytes of an operation and its plan.
fn sizes(supergraph: &Supergraph, planned: Planned) -> [(usize, usize); 3] {
    let Planned { operation, plan, .. } = planned;
    let cost = Cost::new(supergraph, &operation, &plan, 10);
    [
        (Operation::heap_size(&operation), taken(operation)),
        (Plan::heap_size(&plan), taken(plan)),
        (Cost::heap_size(&cost), taken(cost)),
    ]
}

fn check(name: &str, sizes: [(usize, usize); 3]) {
    for (part, (accounted, taken)) in ["operation", "plan", "cost"].iter().zip(sizes) {
        assert!(
            accounted * 50 <= taken * 51 && taken * 50 <= accounted * 51,
            "{name}: {accounted} bytes are accounted for a {part} that takes {taken}"
        );
    }
}

fn plans_take_what_is_accounted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/supergraphs");
    let mut plans = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let supergraph = read(&fs::read_to_string(path.join("supergraph.graphql")).unwrap());
        let supergraph = supergraph.unwrap();
        let mut sums = [(0, 0); 3];
        for seed in 0..OPERATIONS {
            // Any bytes will do; these come from a Lehmer generator.
            let mut state = seed * 48_271 + 1;
            let mut next = || {
                state = state * 48_271 % 0x7fff_ffff;
                (state >> 16) as u8
            };
            let tape: Vec<u8> = (0..20 + 20 * seed).map(|_| next()).collect();
            let made = make(&supergraph.api.schema, &mut Choices::new(&tape), true);
            let Some(planned) = planned(&supergraph, &made.text, &made.variables) else { continue };
            plans += 1;
            for (sum, size) in sums.iter_mut().zip(sizes(&supergraph, planned)) {
                *sum = (sum.0 + size.0, sum.1 + size.1);
            }
        }
        check(&name, sums);
    }
    assert!(plans > 300, "{plans} operations could be planned");
}

fn a_plan_grows_with_its_document_and_not_faster() {
    let supergraph = read(NODES).unwrap();
    for length in [1_000, 4_000, 16_000] {
        let mut text = String::from("{ node {");
        nest(9, length, &mut text);
        text.push_str("} }");
        let planned = planned(&supergraph, &text, "{}").unwrap();
        let entries = planned.plan.fetches.iter().flat_map(|fetch| &fetch.entities);
        let mut entries = entries.flat_map(|list| &list.entries);
        assert!(entries.any(|entry| !entry.reuse.is_empty()), "nothing is known twice");
        let items = planned.plan.tree.items.len();
        let sizes = sizes(&supergraph, planned);
        check(&text, sizes);
        let taken: usize = sizes.iter().map(|(_, taken)| taken).sum();
        assert!(
            taken < items * MOST_BYTES_AN_ITEM,
            "{taken} bytes for {items} items of {} bytes",
            text.len()
        );
    }
}
