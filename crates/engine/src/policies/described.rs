//! What a role has, for whoever asks why something is let or not.

use catalog::{Catalog, EntityId};
use sources::Claims;

use super::super::denial::Refusal;
use super::super::problem::PolicyProblems;
use super::resolve::Resolver;
use super::{Policies, Rule};

/// What a role has, with the claims of who has it.
#[derive(Debug)]
pub(in crate::authorize) struct RoleRules<'p> {
    pub(in crate::authorize) name: &'p str,
    /// Everything is let.
    pub(in crate::authorize) all: bool,
    pub(in crate::authorize) rules: Vec<&'p Rule>,
    /// Those that any rule names.
    claims: &'p [Box<str>],
    missing: Vec<usize>,
}

impl Policies {
    /// The rules of the role, for whoever asks why something is let or not.
    pub(in crate::authorize) fn described(
        &self,
        claims: Option<&Claims>,
    ) -> Result<RoleRules<'_>, Refusal> {
        let role = self.roles.get(self.place(claims)?).ok_or(Refusal::UnknownRole)?;
        let rules = role.rules.iter().filter_map(|rule| self.rules.get(*rule)).collect();
        let missing = self.missing(role, claims);
        Ok(RoleRules { name: &role.name, all: role.all, rules, claims: &self.claims, missing })
    }

    /// The entity that a name means, as in a file.
    pub(in crate::authorize) fn find_entity(
        catalog: &Catalog,
        name: &str,
    ) -> Result<EntityId, Box<str>> {
        let resolver = Resolver { catalog, claims: Vec::new(), line: 0 };
        resolver.entity(name).map_err(PolicyProblems::into_message)
    }
}

impl RoleRules<'_> {
    /// Whether a claim is missing, by its place.
    pub(in crate::authorize) fn is_missing(&self, claim: usize) -> bool {
        self.missing.contains(&claim)
    }

    /// The name of a claim.
    pub(in crate::authorize) fn claim(&self, claim: usize) -> &str {
        self.claims.get(claim).map_or("", |name| name)
    }

    /// The claims that the rules about an entity name, by their places.
    pub(in crate::authorize) fn claims_about(&self, entity: EntityId) -> Vec<usize> {
        let mut claims = Vec::new();
        for rule in self.rules.iter().filter(|rule| rule.entity == entity) {
            let ways = [&rule.read, &rule.update, &rule.delete];
            for way in ways.into_iter().flatten() {
                way.rows.claims(&mut claims);
                claims.extend(way.presets.iter().filter_map(|(_, _, claim)| *claim));
            }
        }
        claims.sort_unstable();
        claims.dedup();
        claims
    }
}
