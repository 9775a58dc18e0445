//! A compiled request of any driver.

use std::borrow::Cow;
use std::sync::Arc;

use relational::Level;
use response::Shape;
use source::{Observed, Variables};
use source_neo4j::program::GraphProgram;
use source_postgres::PostgresPlan;
use source_sqlite::SqlitePlan;

/// A compiled request with the shape of its answer.
#[derive(Clone, Debug)]
pub enum Plan {
    Sqlite(Arc<SqlitePlan>),
    Postgres(Arc<PostgresPlan>),
    Neo4j(Arc<source::Plan<GraphProgram>>),
}

impl Plan {
    /// Whether the source decides by the role of a session which rows the plan reads.
    #[must_use]
    pub fn has_roles(&self) -> bool {
        match self {
            Self::Postgres(_) => true,
            Self::Sqlite(_) | Self::Neo4j(_) => false,
        }
    }

    /// The name of the source's system in traces.
    /// <https://opentelemetry.io/docs/specs/semconv/database/>
    #[must_use]
    pub fn system(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "sqlite",
            Self::Postgres(_) => "postgresql",
            Self::Neo4j(_) => "neo4j",
        }
    }

    /// The shape of the answer.
    #[must_use]
    pub fn shape(&self) -> &Arc<Shape> {
        match self {
            Self::Sqlite(plan) => &plan.shape,
            Self::Postgres(plan) => &plan.shape,
            Self::Neo4j(plan) => &plan.shape,
        }
    }

    /// The program of a graph, whose levels are not those of tables.
    #[must_use]
    pub fn graph(&self) -> Option<&GraphProgram> {
        match self {
            Self::Neo4j(plan) => Some(&plan.program),
            Self::Sqlite(_) | Self::Postgres(_) => None,
        }
    }

    /// The levels of tables that the next request will have, in the order of the tree.
    #[must_use]
    pub fn levels(&self) -> &[Level] {
        match self {
            Self::Sqlite(plan) => &plan.program.program.levels,
            Self::Postgres(plan) => plan.program.current_levels(),
            Self::Neo4j(_) => &[],
        }
    }

    /// The reason for which the plan is never executed in batches; `None` if it may be.
    #[must_use]
    pub fn batch_obstacle(&self) -> Option<&'static str> {
        match self {
            Self::Postgres(plan) => plan.program.batch_obstacle(),
            Self::Sqlite(_) | Self::Neo4j(_) => Some("only PostgreSQL has batches"),
        }
    }

    /// The sizes of the pages of a request, which are equal in a batch; `None` if the request is
    /// executed by itself.
    #[must_use]
    pub fn page_sizes(&self, variables: Variables<'_>) -> Option<Box<[Option<u64>]>> {
        match self {
            Self::Postgres(plan) => plan.program.page_sizes(variables),
            Self::Sqlite(_) | Self::Neo4j(_) => None,
        }
    }

    /// Changes whenever the program keeps more than before.
    #[must_use]
    pub fn made(&self) -> u32 {
        match self {
            Self::Postgres(plan) => plan.program.made(),
            Self::Sqlite(_) | Self::Neo4j(_) => 0,
        }
    }

    /// Number of levels, or of statements of a graph, in the form in which the program was read.
    #[must_use]
    pub fn places(&self, observed: &Observed) -> usize {
        match self {
            Self::Sqlite(plan) => plan.program.program.levels.len(),
            Self::Postgres(plan) => plan.program.levels(observed.form).len(),
            Self::Neo4j(plan) => plan.program.statements().count(),
        }
    }

    /// The text of a statement as it was sent.
    #[must_use]
    pub fn text(&self, place: usize, observed: &Observed) -> Option<Cow<'_, str>> {
        let bounding = observed.boundings.get(place).copied().flatten();
        let levels = match self {
            Self::Sqlite(plan) => &plan.program.program.levels,
            Self::Postgres(plan) => plan.program.levels(observed.form),
            Self::Neo4j(plan) => {
                let statement = plan.program.statements().nth(place);
                return statement.map(|statement| Cow::Borrowed(&*statement.text));
            }
        };
        let level = levels.get(place).filter(|level| level.has_statement());
        level.map(|level| level.bounded_text(bounding))
    }
}
