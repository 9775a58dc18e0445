//! The cache of a gateway's documents and plans takes what it says, and keeps to its bound.

use std::sync::Arc;
use std::time::Duration;

use clients::subgraph::{Http2, Settings, Shared, SubscriptionProtocol, SubscriptionSettings};
use engine::gateway::{
    Caller, Gateway, GatewayOptions, GatewayWorker, Remote, SubgraphTransport, headers,
};
use engine::{Allowed, Report};
use graphql::Request;
use response::MemoryBudget;
use supergraph::read;
use testkit::allocation;
use tokio::runtime::{Builder, Runtime};
use tokio::task::LocalSet;

/// How many documents of one form are sent, before those whose bytes are counted and as these.
const DOCUMENTS: usize = 10;

/// The same of documents of more than 2,000 characters: all of them fit into one shard of the
/// cache, so that none is evicted wherever their hashes put them.
const LARGE_DOCUMENTS: usize = 2;

/// What the cache may take.
const CACHE_BYTES: u64 = 64 << 20;

/// Three subgraphs, each of which knows something of every thing and leads to more of them.
const SUPERGRAPH: &str = r#"
schema
  @link(url: "https://specs.apollo.dev/link/v1.0")
  @link(url: "https://specs.apollo.dev/join/v0.3", for: EXECUTION) { query: Query }
enum join__Graph {
  A @join__graph(name: "a", url: "http://a")
  B @join__graph(name: "b", url: "http://b")
  C @join__graph(name: "c", url: "http://c")
}
type Query @join__type(graph: A) @join__type(graph: B) @join__type(graph: C) {
  thing(id: ID, n: Int, words: [String!]): Thing @join__field(graph: A)
  any: [Any!] @join__field(graph: A)
}
interface Any @join__type(graph: A) { id: ID! as: Thing }
type Thing implements Any
  @join__implements(graph: A, interface: "Any")
  @join__type(graph: A, key: "id")
  @join__type(graph: B, key: "id")
  @join__type(graph: C, key: "id") {
  id: ID!
  name: String @join__field(graph: A)
  title(n: Int): String @join__field(graph: B)
  text: String @join__field(graph: C, requires: "name")
    @join__field(graph: A, external: true)
  as: Thing @join__field(graph: A)
  bs: Thing @join__field(graph: B)
  cs: Thing @join__field(graph: C)
}
type Other implements Any
  @join__implements(graph: A, interface: "Any")
  @join__type(graph: A, key: "id")
  @join__type(graph: B, key: "id") {
  id: ID!
  as: Thing @join__field(graph: A)
  more: Thing @join__field(graph: B)
}
"#;

fn documents() -> Vec<String> {
    let mut all = vec![
        "{ xNUMBER: __typename }".to_owned(),
        "{ xNUMBER: thing { id name } }".to_owned(),
        // Of several types, by an interface.
        "{ xNUMBER: any { id __typename as { title } ... on Thing { title bs { name } }
           ... on Other { more { text } } } }"
            .to_owned(),
        // Fragments.
        "{ xNUMBER: thing { ...A bs { ...A cs { ...A } } } } fragment A on Thing { id ...B }
         fragment B on Thing { name title text }"
            .to_owned(),
    ];
    // Many variables.
    let variables = (0..30).map(|place| format!("$v{place}: Int = {place}"));
    let fields = (0..30).map(|place| format!("t{place}: title(n: $v{place})"));
    let variables: Vec<String> = variables.collect();
    let fields: Vec<String> = fields.collect();
    let (variables, fields) = (variables.join(", "), fields.join(" "));
    all.push(format!("query ({variables}) {{ xNUMBER: thing {{ {fields} }} }}"));
    // Wide.
    let fields: Vec<String> = (0..100).map(|place| format!("f{place}: name")).collect();
    all.push(format!("{{ xNUMBER: thing {{ {} }} }}", fields.join(" ")));
    // Deep, and where the same is asked again and again.
    for length in [1_000, 6_000] {
        let mut text = String::from("{ xNUMBER: thing {");
        nest(9, length, &mut text);
        all.push(text + "} }");
    }
    all
}

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

struct Asking {
    gateway: Arc<Gateway>,
    worker: GatewayWorker,
    runtime: Runtime,
    local: LocalSet,
}

impl Asking {
    /// A gateway whose subgraphs cannot be reached: plans are made all the same.
    fn new() -> Self {
        let supergraph = read(SUPERGRAPH).unwrap();
        let transports = supergraph.subgraphs.iter().map(|subgraph| {
            let settings = Settings {
                name: Arc::clone(&subgraph.name),
                // Nobody listens there.
                endpoint: "http://127.0.0.1:1/graphql".parse().unwrap(),
                connect_timeout: Duration::from_secs(5),
                timeout: Duration::from_secs(5),
                most_bytes: 1 << 20,
                retries: 0,
                http2: Http2::Never,
                connections: 1,
                most_requests: None,
                idle: Duration::from_secs(5),
                compression: None,
                breaker: None,
                deduplicate: false,
                tls: None,
            };
            let shared = Arc::new(Shared::new(&settings));
            let rules = headers::Rules::new(Vec::new());
            let settings = Arc::new(settings);
            let subscriptions = Arc::new(SubscriptionSettings {
                protocol: SubscriptionProtocol::TransportWs,
                connection: Arc::clone(&settings),
                deduplicate: true,
                live: false,
                ping: Duration::from_secs(5),
                reconnects: 0,
                most_operations: 1,
                callback_url: None,
                heartbeat: Duration::from_secs(5),
            });
            SubgraphTransport::Remote(Remote {
                settings,
                subscriptions,
                shared,
                running: Arc::default(),
                rules,
                cache: None,
                address: "".into(),
            })
        });
        let transports = transports.collect();
        let gateway = Gateway::new(supergraph, transports, GatewayOptions::default());
        let worker = GatewayWorker::sharing(Arc::clone(&gateway), MemoryBudget::new(u64::MAX));
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        Self { gateway, worker, runtime, local: LocalSet::new() }
    }

    fn ask(&self, document: &str, number: usize) {
        let document = document.replace("NUMBER", &format!("{number:06}"));
        let body = serde_json::json!({ "query": document }).to_string();
        let request = Request::from_json(body.as_bytes()).unwrap();
        let (caller, mut report) = (Caller::default(), Report::default());
        let answer = self.worker.deliver_reported(&request, &caller, Allowed::All, &mut report);
        let response = self.local.block_on(&self.runtime, answer);
        let answer = String::from_utf8_lossy(&response.body);
        assert!(answer.contains("\"data\":"), "{answer}");
    }

    fn cached(&self) -> engine::documents::Cached {
        self.gateway.cached()
    }
}

#[test]
fn a_plan_takes_what_the_cache_says() {
    for document in documents() {
        let count = if document.len() > 2_000 { LARGE_DOCUMENTS } else { DOCUMENTS };
        let asking = Asking::new();
        for number in 0..count {
            asking.ask(&document, number);
        }
        let (held, cached) = (allocation::held(), asking.cached());
        for number in count..2 * count {
            asking.ask(&document, number);
        }
        let taken = (allocation::held() - held) as f64;
        let now = asking.cached();
        assert_eq!(now.documents - cached.documents, count, "{document}");
        let said = (now.bytes - cached.bytes) as f64;
        assert!(
            (0.8..=1.2).contains(&(said / taken)),
            "the cache says {said:.0} bytes where {taken:.0} are taken: {document}"
        );
    }
}

#[test]
fn the_cache_keeps_to_its_bound_whatever_documents_come() {
    let asking = Asking::new();
    let mut document = String::from("{ xNUMBER: thing {");
    nest(9, 15_000, &mut document);
    document.push_str("} }");
    asking.ask(&document, 0);
    let held = allocation::held();
    for number in 1..=30 {
        asking.ask(&document, number);
    }
    let (taken, cached) = (allocation::held() - held, asking.cached());
    assert!(cached.bytes <= CACHE_BYTES, "{cached:?}");
    assert!(taken < CACHE_BYTES as isize * 6 / 5, "{taken} bytes are taken: {cached:?}");
}
