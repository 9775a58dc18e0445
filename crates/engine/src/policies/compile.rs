//! Compiles a policy file: the grants of each role, in a catalog.

use access::Roles;
use catalog::Catalog;
use graphql::similar_names;

use super::file::PolicyFile;
use super::problem::{PolicyProblem, PolicyProblems};
use super::resolve::Resolver;

/// Resolves the names of a file. All mistakes are reported at once.
pub(crate) fn compile(file: &PolicyFile, catalog: &Catalog) -> Result<Roles, PolicyProblems> {
    let mut resolver = Resolver { catalog, line: 0 };
    let mut problems = PolicyProblems::default();
    let grants = PolicyProblems::all(file.rules.iter().map(|rule| resolver.rule(rule)));
    let grants = problems.keep(grants).unwrap_or_default();
    let roles = file.roles.iter().map(|role| resolver.role(role, file));
    let roles = problems.keep(PolicyProblems::all(roles)).unwrap_or_default();
    if let Some(default) = &file.default_role
        && !file.roles.iter().any(|role| role.name == *default)
    {
        let roles = file.roles.iter().map(|role| &*role.name);
        let meant = match similar_names(default, roles).first() {
            Some(meant) => format!(" (did you mean `{meant}`?)"),
            None => format!("; `[roles.{default}]` defines one"),
        };
        let message = format!("`default_role`: there is no role `{default}`{meant}").into();
        problems.keep(Err::<(), _>(PolicyProblem { line: 1, message }.into()));
    }
    problems.none()?;
    Ok(Roles::new(file.claim_role.clone(), file.default_role.clone(), grants, roles))
}
