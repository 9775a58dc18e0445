//! What people see of an API: its tables, and what policies permit a role.

use dialects::{Description, describe};
use graphql::GraphQLError;
use source::Session;

use crate::engine::Engine;
use crate::policies::TableAccess;
use crate::policies::explain::tables;
use crate::withhold::session_refused;
use crate::worker::Worker;

impl Engine {
    /// The names of all roles of policies, and of permissions of metadata.
    #[must_use]
    pub fn known_roles(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.roles().into_iter().flat_map(|one| one.names()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

impl Worker {
    /// The tables that a session sees, and the fields that read and change them. A session that the
    /// policies refuse sees none, as by introspection.
    pub fn describe(&self, session: &Session) -> Result<Description, Vec<GraphQLError>> {
        let engine = &*self.engine;
        engine.access_set(session)?;
        let view = engine.view(session)?.schema;
        Ok(describe(&engine.catalog, &engine.api, view))
    }

    /// What the policies permit a session on each table, and by which rules; nothing without policies.
    pub fn explain_tables(
        &self,
        session: &Session,
    ) -> Result<Option<Vec<TableAccess>>, Vec<GraphQLError>> {
        let engine = &*self.engine;
        let (Some(rules), Some(roles)) = (&engine.access, engine.roles()) else { return Ok(None) };
        let explained = tables::explain(&engine.catalog, rules, roles, session.claims.as_deref());
        explained.map(Some).map_err(|refusal| vec![session_refused(refusal)])
    }
}
