//! Live queries: subscriptions whose clients receive the response to a query again when it has
//! changed.
//!
//! change feed → dirty cohorts → execution → comparison with the last response → fan-out
//!
//! Equal subscriptions (same document, variables and session) are one [`Cohort`]: it is executed once,
//! as its subscribers' session, and all subscribers receive the same bytes. A cohort depends on the
//! entities that its request reads ([`Dependencies`]); a change marks the cohorts that it concerns as
//! dirty, and only these are executed. A subscriber that reads slowly skips to the newest response.
//!
//! * [`dependencies`]: the entities that a request reads
//! * [`cohort`]: cohorts and their subscribers
//! * [`print()`]: dependencies as text
//! * `index`: cohorts by the rows that they read; `tables`: entities by the tables whose changes
//!   concern them; `value`: values as a feed prints them
//! * [`hub`]: all cohorts of an API, by key and by dependency
//! * [`watched`]: cached answers, which are cohorts without subscribers
//! * `journal`: changes since they were taken last, for a store of answers that servers share
//! * [`feed`]: the loop that reads changes of the source and marks cohorts
//!
//! Subscriptions to notifications are executed once for each of them: [`channels`]; those to changes
//! of nodes once for each change: [`events`]. `queue` are the queues of both, and
//! `published` shares responses among equal subscriptions.
//!
//! * [`written`]: the entities that a mutation may change
//!
//! The crate executes nothing: the engine drives each cohort by [`Cohort::wait`] and
//! [`Cohort::publish`].

pub mod channels;
pub mod cohort;
mod cohort_set;
pub mod dependencies;
pub mod events;
pub mod feed;
pub mod hub;
mod index;
mod journal;
mod print;
mod published;
mod queue;
mod tables;
mod value;
pub mod watched;
pub mod written;

pub use channels::{Event, Listener, ListenerPlace, Listeners, Listening, Notice, follow_channels};
pub use cohort::{Cohort, CohortKey, Invalidated, Wake};
pub use dependencies::{Dependencies, ReadClaims, ReadRows};
pub use events::{
    Change, EventListener, EventListeners, EventPlace, Publication, Subject, SubjectKind,
};
pub use feed::{FeedKind, FeedOptions, follow};
pub use hub::{Counts, FeedClaim, Hub, Joined, LiveQuery, RunningFeed};
pub use journal::{ChangeName, Journal};
pub use print::{FollowedBy, followed_tables, print, print_cached, print_tables};
pub use published::Published;
pub use queue::{ListenerCounts, ListenerEnd};
pub use value::FieldValue;
pub use watched::Watched;
pub use written::Written;
