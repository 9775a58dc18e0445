//! The API, as a handle of its threads.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use engine::{Caller, MemoryBudget, Session};
use graphql::Request;
use tokio::sync::{oneshot, watch};

use crate::answer::Answer;
use crate::claims::{ClaimsError, ClaimsMapping};
use crate::generation::{Closing, Generation, OpenError};
use crate::options::Options;
use crate::subscription::Responses;
use crate::thread::{Ended, Job, Thread};

/// A GraphQL API over a database. Clones are handles of the same API.
///
/// When the last handle is dropped, requests in flight end, and then the connections are closed;
/// [`Thalweg::close`] waits for that.
#[derive(Clone, Debug)]
pub struct Thalweg {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    threads: Box<[Thread]>,
    generations: watch::Sender<Generation>,
    options: Arc<Options>,
    mapping: ClaimsMapping,
    /// Reloads run one after another.
    reload: tokio::sync::Mutex<()>,
    /// Set when the threads should end: how long requests in flight may take.
    ending: watch::Sender<Option<Duration>>,
    ended: Mutex<Vec<Ended>>,
}

impl Thalweg {
    /// Opens a database: reads its schema, makes the API and starts the threads.
    ///
    /// # Errors
    ///
    /// The database cannot be reached or has nothing to serve, the policies do not fit it, or no thread
    /// can be started.
    pub async fn open(options: Options) -> Result<Self, OpenError> {
        let options = Arc::new(options);
        let generation = Generation::open(Arc::clone(&options)).await?;
        let (generations, newest) = watch::channel(generation);
        let (ending, end) = watch::channel(None);
        let memory = MemoryBudget::new(options.answers);
        let closing = Arc::new(Closing(newest.clone()));
        let (mut threads, mut ended) = (Vec::new(), Vec::new());
        for number in 0..options.threads.get() {
            let started = Thread::start(
                number,
                (newest.clone(), end.clone(), Arc::clone(&closing)),
                (Arc::clone(&memory), options.timeout),
            );
            let (thread, end) = started.map_err(OpenError::Thread)?;
            threads.push(thread);
            ended.push(end);
        }
        let mapping = ClaimsMapping::new(&options);
        let shared = Shared {
            threads: threads.into(),
            generations,
            options,
            mapping,
            reload: tokio::sync::Mutex::new(()),
            ending,
            ended: Mutex::new(ended),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// The session of a caller with claims: the members of a JSON object.
    ///
    /// # Errors
    ///
    /// The claims are no object, or one of them cannot be that of a session.
    pub fn session(&self, claims: &serde_json::Value) -> Result<Session, ClaimsError> {
        self.shared.mapping.session(claims)
    }

    /// The session of a caller without claims.
    #[must_use]
    pub fn anonymous(&self) -> Session {
        self.shared.mapping.anonymous()
    }

    /// Executes a query or a mutation. Dropping the future cancels it.
    pub async fn execute(&self, request: Request, session: &Session) -> Answer {
        self.run(request, session, engine::Allowed::All).await
    }

    /// Executes a query, and refuses a mutation: for requests that may be repeated, as those by GET.
    pub async fn query(&self, request: Request, session: &Session) -> Answer {
        self.run(request, session, engine::Allowed::Queries).await
    }

    async fn run(&self, request: Request, session: &Session, allowed: engine::Allowed) -> Answer {
        let (reply, answer) = oneshot::channel();
        let caller = caller(session);
        self.give(Job::Execute { request, caller, allowed, reply });
        answer.await.unwrap_or_else(|_| self.without_reply())
    }

    /// Begins a subscription, or a live query. Its responses are a stream of JSON as bytes.
    ///
    /// # Errors
    ///
    /// The request is refused: the answer has its errors.
    pub async fn subscribe(
        &self,
        request: Request,
        session: &Session,
    ) -> Result<Responses, Answer> {
        let (reply, begun) = oneshot::channel();
        let caller = caller(session);
        self.give(Job::Subscribe { request, caller, reply });
        begun.await.unwrap_or_else(|_| Err(self.without_reply()))
    }

    /// The schema of the API in GraphQL's schema definition language (SDL).
    #[must_use]
    pub fn schema(&self) -> String {
        self.engine().sdl()
    }

    /// The schema as a role sees it, as SDL; `None` if there is no such role.
    #[must_use]
    pub fn schema_of_role(&self, role: &str) -> Option<String> {
        self.engine().sdl_for_role(role)
    }

    /// Notes on parts of the source that the API omits or serves slowly, each with a remedy.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.engine().notes().map(ToString::to_string).collect()
    }

    /// Reads the schema of the database again, with the same options. If that fails, the API stays as it
    /// is.
    ///
    /// # Errors
    ///
    /// As for [`Thalweg::open`], or the API is closed, also meanwhile.
    pub async fn reload(&self) -> Result<(), OpenError> {
        let shared = &*self.shared;
        let _one = shared.reload.lock().await;
        if shared.ending.borrow().is_some() {
            return Err(OpenError::Closed);
        }
        let next = Generation::open(Arc::clone(&shared.options)).await?;
        let before = shared.generations.borrow().api();
        let mut api = next.api();
        // Subscriptions to events go on with the listeners of the engine before.
        drop(next);
        api.inherit(&before);
        let engine::Api::Source(engine) = api else { return Ok(()) };
        // While it is borrowed nobody can close the API: the threads, which end then, close the newest
        // engine.
        let ending = shared.ending.borrow();
        if ending.is_some() {
            return Err(OpenError::Closed);
        }
        shared.generations.send_replace(Generation { engine });
        Ok(())
    }

    /// Ends the API: no further request is answered, requests in flight have as long as `patience`,
    /// subscriptions end, and the connections are closed. Later requests have the outcome
    /// [`Unavailable`](crate::Outcome::Unavailable).
    pub async fn close(&self, patience: Duration) {
        self.shared.ending.send_replace(Some(patience));
        let ended =
            std::mem::take(&mut *self.shared.ended.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in ended {
            // A thread ends by dropping its sender.
            let _ = thread.await;
        }
    }

    fn engine(&self) -> Arc<engine::Engine> {
        Arc::clone(&self.shared.generations.borrow().engine)
    }

    /// Gives a job to the thread with the fewest. A closed thread drops it, and with it the sender of the
    /// reply.
    fn give(&self, job: Job) {
        let threads = self.shared.threads.iter();
        let idlest = threads.min_by_key(|thread| thread.running.load(Ordering::Relaxed));
        if let Some(thread) = idlest {
            thread.give(job);
        }
    }

    /// The answer of a request that a thread has dropped.
    fn without_reply(&self) -> Answer {
        match *self.shared.ending.borrow() {
            Some(_) => Answer::closed(),
            None => Answer::lost(),
        }
    }
}

fn caller(session: &Session) -> Caller {
    Caller { session: session.clone(), ..Caller::default() }
}
