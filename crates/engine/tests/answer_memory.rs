//! What answers take is reserved before it is taken: of answers of many shapes the memory that is live
//! at the worst moment is compared with what was reserved, and with budgets that are too small.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engine::{Allowed, Delivery, Engine, MemoryBudget, Report, Session, Worker};
use graphql::Request;
use testkit::allocation;
use testkit::alone::alone;
use tokio::task::LocalSet;
use tokio::time::sleep;

use crate::sources::Sources;

/// What a request takes that is not reserved: the parts that are too small to be counted, one or two
/// for each level, the pieces of a streamed answer, and what a connection keeps for itself.
const CONSTANT: isize = 2 << 20;

/// Time for threads of an answer to end, on a machine that is busy.
const SOON: Duration = Duration::from_secs(60);

/// Answers of many shapes, of up to some tens of megabytes.
fn shapes() -> Vec<(&'static str, String)> {
    let aliases: Vec<String> = (0..40).map(|number| format!("a{number}: name")).collect();
    let aliases = aliases.join(" ");
    let shape = |name: &'static str, query: &str| (name, query.to_owned());
    vec![
        shape(
            "wide",
            "{ allTracksList { trackId name composer milliseconds bytes unitPrice nodeId } }",
        ),
        shape("nulls", "{ allTracksList { composer a: composer b: composer c: composer } }"),
        ("texts", format!("{{ allTracksList {{ {aliases} }} }}")),
        shape(
            "to-one",
            "{ allInvoiceLinesList { trackByTrackId { name albumByAlbumId { title
                artistByArtistId { name } } genreByGenreId { name } } invoiceByInvoiceId {
                customerByCustomerId { firstName lastName email } } } }",
        ),
        shape("edges", "{ allTracks { totalCount edges { cursor node { name } } } }"),
        shape(
            "deep",
            "{ allAlbumsList { title tracksByAlbumIdList { name genreByGenreId { name
                tracksByGenreIdList(first: 100) { name albumByAlbumId { title } } } } } }",
        ),
        shape(
            "six lists",
            "{ allGenresList(first: 2) { tracksByGenreIdList(first: 20) { albumByAlbumId {
                tracksByAlbumIdList { genreByGenreId { tracksByGenreIdList(first: 20) {
                albumByAlbumId { artistByArtistId { albumsByArtistIdList { title
                tracksByAlbumIdList(first: 5) { name } } } } } } } } } } }",
        ),
        shape("many rows", "{ allPlaylistTracksList { trackByTrackId { name } } }"),
        shape("counts", "{ allTracksList { albumByAlbumId { tracksByAlbumId { totalCount } } } }"),
    ]
}

/// What became of a request.
#[derive(Debug)]
struct Answered {
    bytes: usize,
    /// The beginning of the answer, if it is not one with data.
    refusal: Option<String>,
}

/// Reads an answer as a client does that is as fast as it can.
async fn ask(worker: &Worker, query: &str, delivery: Delivery) -> Answered {
    let request = Request { query: query.to_owned(), ..Request::default() };
    let (session, mut report) = (Session::default(), Report::default());
    let allowed = Allowed::Queries;
    let response =
        worker.deliver_reported(&request, &session, allowed, delivery, &mut report).await;
    let engine::Response { body, rest, held: _held, .. } = response;
    let text = String::from_utf8_lossy(&body[..body.len().min(300)]).into_owned();
    let mut refusal =
        (text.starts_with("{\"errors\"") || text.starts_with("{\"data\":null")).then_some(text);
    let mut bytes = body.len();
    if let Some(mut rest) = rest {
        drop(body);
        let mut codes = Vec::new();
        while let Some(part) = poll_fn(|context| rest.poll_next(context, &mut codes)).await {
            match part {
                Ok(part) => bytes += part.bytes.len(),
                Err(broken) => refusal = Some(broken.to_string()),
            }
        }
    }
    Answered { bytes, refusal }
}

/// Asks until the plan is made and in the form in which it stays.
async fn warm(engine: &Arc<Engine>, query: &str, delivery: Delivery) -> Worker {
    let worker = Worker::sharing(Arc::clone(engine), MemoryBudget::new(u64::MAX));
    for _ in 0..3 {
        let answered = ask(&worker, query, delivery).await;
        assert_eq!(answered.refusal, None);
    }
    worker
}

/// Whether all memory is given back, at once or when the threads that wrote the answer have ended:
/// they may still hold its last rows when the client has its last bytes.
async fn is_given_back(memory: &MemoryBudget) -> bool {
    let begun = Instant::now();
    while memory.held() > 0 && begun.elapsed() < SOON {
        sleep(Duration::from_millis(1)).await;
    }
    memory.held() == 0
}

async fn check(source: &str, engine: &Arc<Engine>, name: &str, query: &str, delivery: Delivery) {
    let mut worker = warm(engine, query, delivery).await;
    let what = format!("{source}, {name}, {delivery:?}");
    let mut most = u64::MAX;
    while most > 1 << 20 {
        // A connection of its own has no buffer that another answer has left.
        drop(worker);
        let memory = MemoryBudget::new(most);
        worker = Worker::sharing(Arc::clone(engine), Arc::clone(&memory));
        ask(&worker, "{ allGenresList(first: 1) { name } }", Delivery::Whole).await;
        let live = allocation::begin();
        let answered = ask(&worker, query, delivery).await;
        let peak = allocation::peak_since(live);
        let reserved = memory.most_held();
        let bound = reserved.cast_signed() as isize / 4 * 5 + CONSTANT;
        assert!(
            peak <= bound,
            "{what}: {peak} bytes are live where {reserved} are reserved of {most}; {answered:?}"
        );
        assert!(reserved <= most, "{what}: {reserved} of {most}");
        assert!(is_given_back(&memory).await, "{what}: {} are kept", memory.held());
        match &answered.refusal {
            None => assert!(answered.bytes > 10_000, "{what}: {answered:?}"),
            Some(refusal) => assert!(
                refusal.contains("RESPONSE_MEMORY_EXHAUSTED"),
                "{what} of {most}: {refusal}"
            ),
        }
        // The next has less than this one took.
        most = most.min(reserved.max(1)) / 3 * 2;
    }
}

/// The name of the test.
pub(crate) const NAME: &str =
    "answer_memory::the_memory_of_an_answer_is_reserved_before_it_is_taken";

pub(crate) fn the_memory_of_an_answer_is_reserved_before_it_is_taken(sources: &Sources) {
    alone(NAME, || check_all(sources));
}

fn check_all(sources: &Sources) {
    let all: Vec<_> = sources.all().collect();
    // One version of PostgreSQL sends what the others send.
    for source in all.iter().take(2) {
        let dialect = "postgraphile simple-collections=both";
        let engine = sources.engine(source, "shop", dialect).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        for (name, query) in shapes() {
            for delivery in [Delivery::Whole, Delivery::Streamed] {
                LocalSet::new().block_on(
                    &runtime,
                    check(&source.to_string(), &engine, name, &query, delivery),
                );
            }
        }
    }
}
