//! Resolves roles: their rules and functions, inherited ones included.

use std::collections::HashSet;

use access::{Callable, GrantIndex, Role};
use catalog::FunctionId;

use super::file::{self, Functions, PolicyFile};
use super::problem::PolicyProblems;
use super::resolve::Resolver;

impl Resolver<'_> {
    pub(super) fn role(
        &mut self,
        role: &file::Role,
        file: &PolicyFile,
    ) -> Result<Role, PolicyProblems> {
        let mut inherited = Inherited::default();
        self.inherit(role, file, &mut Vec::new(), &mut inherited)?;
        let Inherited { all, rules: mut grants, functions, .. } = inherited;
        grants.sort_unstable();
        grants.dedup();
        let functions = functions.unwrap_or(Callable::All);
        Ok(Role { name: role.name.clone(), is_superuser: all, grants, functions })
    }

    /// Adds the rules of a role, and those that it inherits.
    fn inherit(
        &mut self,
        role: &file::Role,
        file: &PolicyFile,
        above: &mut Vec<Box<str>>,
        inherited: &mut Inherited,
    ) -> Result<(), PolicyProblems> {
        self.line = role.line;
        if above.contains(&role.name) {
            return self.wrong(format!("the role `{}` inherits from itself", role.name));
        }
        if !inherited.seen.insert(role.name.clone()) {
            return Ok(());
        }
        inherited.all |= role.all;
        let mut problems = PolicyProblems::default();
        for name in &role.rules {
            let place = file.rules.iter().position(|rule| rule.name == *name);
            inherited.rules.extend(place.map(GrantIndex::new));
            if place.is_none() {
                let meant = Self::suggestion(name, file.rules.iter().map(|rule| &*rule.name));
                let wrong = self.wrong::<()>(format!("there is no rule `{name}`{meant}"));
                problems.keep(wrong);
            }
        }
        match &role.functions {
            Functions::All => inherited.functions = None,
            Functions::These(names) => {
                for name in names {
                    let functions = problems.keep(self.functions(name)).unwrap_or_default();
                    if let Some(Callable::These(known)) = &mut inherited.functions {
                        known.extend(functions);
                    }
                }
            }
        }
        above.push(role.name.clone());
        for name in &role.inherits {
            let inheriting = match file.roles.iter().find(|other| other.name == *name) {
                Some(other) => self.inherit(other, file, above, inherited),
                None => {
                    let meant = Self::suggestion(name, file.roles.iter().map(|role| &*role.name));
                    self.wrong(format!("there is no role `{name}` to inherit from{meant}"))
                }
            };
            problems.keep(inheriting);
            self.line = role.line;
        }
        above.pop();
        problems.none()
    }

    /// All functions of a name, with or without its namespace.
    fn functions(&self, name: &str) -> Result<Vec<FunctionId>, PolicyProblems> {
        let named = self.catalog.functions().filter(|function| {
            *function.name == *name || self.catalog.function_name(function.id) == name
        });
        let found: Vec<FunctionId> = named.map(|function| function.id).collect();
        match found.is_empty() {
            true => {
                let known = self.catalog.functions().map(|function| &*function.name);
                let meant = Self::suggestion(name, known);
                self.wrong(format!("the source has no function `{name}`{meant}"))
            }
            false => Ok(found),
        }
    }
}

/// The rules of a role and of those that it inherits from.
#[derive(Debug)]
struct Inherited {
    seen: HashSet<Box<str>>,
    all: bool,
    rules: Vec<GrantIndex>,
    /// `None`: all.
    functions: Option<Callable>,
}

impl Default for Inherited {
    fn default() -> Self {
        let functions = Some(Callable::These(HashSet::new()));
        Self { seen: HashSet::new(), all: false, rules: Vec::new(), functions }
    }
}
