//! The cache of documents and plans takes what it says, whatever is asked: the requests of all case
//! files are planned for each source, and the bytes that the cache counts are compared with those of
//! the allocator.

use std::collections::BTreeMap;
use std::sync::Arc;

use engine::{Engine, Report, Session, Worker};
use graphql::Request;
use testkit::allocation;
use testkit::cases::{self, CaseFile, Header};

use crate::sources::{Sources, TestSource};

/// How many documents are planned between two looks, and how often. What grows with the number of
/// documents, as tables do, shows in one of them.
const DOCUMENTS: usize = 3;
const LOOKS: usize = 5;

/// How many bytes more or less a document may take: tables of the cache grow by steps, and connections
/// to PostgreSQL take and give back some memory of their own meanwhile.
const STEPS: f64 = 400.0;

/// How often a request is measured that seems wrong. The tables of the cache's shards grow at about
/// the same number of documents, so that most looks of one measurement may have such a step; a wrong
/// sum shows in all measurements.
const ATTEMPTS: usize = 3;

/// Before more is planned than fits into the cache, another engine is asked.
const MOST_BYTES: u64 = 24 << 20;

/// A request of a case, with who asks.
struct CaseRequest {
    name: String,
    request: Request,
    session: Session,
}

/// What the cache says that a document takes, and what it does take.
struct Sizes {
    name: String,
    said: f64,
    taken: f64,
}

impl Sizes {
    fn are_wrong(&self) -> bool {
        (self.said - self.taken).abs() > self.taken / 5.0 + STEPS
    }
}

/// The requests of the cases of one database, dialect, and policies.
type Group = (String, String, String);

fn groups(source: &TestSource) -> BTreeMap<Group, Vec<CaseFile>> {
    let mut files = cases::find(&crate::sources::fixtures().join("cases")).unwrap();
    files.retain(|file| {
        let Header { dialect, options, .. } = &file.case.header;
        let is_here = !dialect.starts_with("neo4j") && !file.case.is_of_gateway();
        is_here && options.is_empty() && file.case.find_skip(source.family()).is_none()
    });
    let mut groups: BTreeMap<Group, Vec<CaseFile>> = BTreeMap::new();
    for file in files {
        let Header { database, dialect, policies, .. } = &file.case.header;
        let group = (database.clone(), dialect.clone(), policies.clone());
        groups.entry(group).or_default().push(file);
    }
    groups
}

fn requests(file: &CaseFile) -> Vec<CaseRequest> {
    let steps = file.case.steps.iter().enumerate();
    let case = steps.filter_map(|(number, step)| {
        let request = crate::steps::request(step).ok().flatten()?;
        let session = crate::asker::session(&file.case, number).ok()?;
        Some(CaseRequest { name: format!("{} {number}", file.name), request, session })
    });
    case.collect()
}

fn numbered(request: &Request, number: usize) -> Request {
    Request { query: format!("{}\n# {number:06}", request.query), ..request.clone() }
}

/// None where the request is refused, or nothing is kept of it.
fn sizes(
    worker: &Worker,
    engine: &Engine,
    case: &CaseRequest,
    documents: &mut usize,
) -> Option<Sizes> {
    // Several steps of a case may ask the same with other variables.
    let mut plan = || {
        *documents += 1;
        let request = numbered(&case.request, *documents);
        worker.prepare_for(&request, &case.session, &mut Report::default()).is_ok()
    };
    if !plan() {
        return None;
    }
    let looks = (0..LOOKS).map(|_| {
        let (held, cached) = (allocation::held(), engine.cached());
        for _ in 0..DOCUMENTS {
            plan();
        }
        let (taken, now) = (allocation::held() - held, engine.cached());
        assert_eq!(now.documents - cached.documents, DOCUMENTS, "{}", case.name);
        (taken, now.bytes - cached.bytes)
    });
    let mut looks: Vec<(isize, u64)> = looks.collect();
    looks.sort_unstable();
    let (taken, said) = looks[LOOKS / 2];
    let a_document = |bytes: f64| bytes / DOCUMENTS as f64;
    Some(Sizes {
        name: case.name.clone(),
        said: a_document(said as f64),
        taken: a_document(taken as f64),
    })
}

pub(crate) fn plans_of_all_cases_take_what_the_cache_says(sources: &Sources) {
    let (mut all, mut documents) = (Vec::new(), 0);
    // Versions of PostgreSQL are compiled for alike.
    for source in sources.all().take(2) {
        for ((database, dialect, policies), files) in groups(&source) {
            let open = || sources.open(&source, &database, &dialect, &policies).unwrap();
            let mut engine = open();
            let mut worker = Worker::new(Arc::clone(&engine));
            for case in files.iter().flat_map(requests) {
                if engine.cached().bytes > MOST_BYTES {
                    engine = open();
                    worker = Worker::new(Arc::clone(&engine));
                }
                let mut measured = sizes(&worker, &engine, &case, &mut documents);
                for _ in 1..ATTEMPTS {
                    if measured.as_ref().is_some_and(Sizes::are_wrong) {
                        measured = sizes(&worker, &engine, &case, &mut documents);
                    }
                }
                all.extend(measured.map(|sizes| {
                    let name = format!("{} on {source}", sizes.name);
                    Sizes { name, ..sizes }
                }));
            }
        }
    }
    assert!(all.len() > 500, "only {} requests were planned", all.len());
    let ratio = |sizes: &Sizes| sizes.said / sizes.taken;
    all.sort_by(|one, other| ratio(one).total_cmp(&ratio(other)));
    let wrong = all.iter().filter(|sizes| sizes.are_wrong());
    let lines = wrong.map(|sizes| {
        let Sizes { name, said, taken } = sizes;
        format!("{:.2}: {said:.0} bytes are said, {taken:.0} taken: {name}", ratio(sizes))
    });
    let lines: Vec<String> = lines.collect();
    assert!(lines.is_empty(), "{} of {}:\n{}", lines.len(), all.len(), lines.join("\n"));
}
