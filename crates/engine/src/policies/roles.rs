//! What each role has, and what it inherits.

use std::collections::HashSet;

use catalog::FunctionId;

use super::super::file::{self, Functions, PolicyFile};
use super::super::problem::PolicyProblems;
use super::super::set::Callable;
use super::resolve::Resolver;
use super::{Check, Role, Rule};

impl Resolver<'_> {
    pub(super) fn role(
        &mut self,
        role: &file::Role,
        file: &PolicyFile,
        resolved: &[Rule],
    ) -> Result<Role, PolicyProblems> {
        let mut inherited = Inherited::default();
        self.inherit(role, file, &mut Vec::new(), &mut inherited)?;
        let Inherited { all, mut rules, functions, .. } = inherited;
        rules.sort_unstable();
        rules.dedup();
        let mut claims = Vec::new();
        for rule in rules.iter().filter_map(|rule| resolved.get(*rule)) {
            let ways = [&rule.read, &rule.insert, &rule.update, &rule.delete];
            for way in ways.into_iter().flatten() {
                way.rows.claims(&mut claims);
                if let Check::Said(condition) = &way.check {
                    condition.claims(&mut claims);
                }
                claims.extend(way.presets.iter().filter_map(|(_, _, claim)| *claim));
            }
        }
        claims.sort_unstable();
        claims.dedup();
        let functions = functions.unwrap_or(Callable::All);
        Ok(Role { name: role.name.clone(), all, rules, functions, claims })
    }

    /// Adds what a role has itself, and what it inherits.
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
            inherited.rules.extend(place);
            if place.is_none() {
                let meant = Self::meant(name, file.rules.iter().map(|rule| &*rule.name));
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
                    let meant = Self::meant(name, file.roles.iter().map(|role| &*role.name));
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
                let meant = Self::meant(name, known);
                self.wrong(format!("the source has no function `{name}`{meant}"))
            }
            false => Ok(found),
        }
    }
}

/// What a role and those that it inherits from have.
#[derive(Debug)]
struct Inherited {
    seen: HashSet<Box<str>>,
    all: bool,
    rules: Vec<usize>,
    /// `None`: all.
    functions: Option<Callable>,
}

impl Default for Inherited {
    fn default() -> Self {
        let functions = Some(Callable::These(HashSet::new()));
        Self { seen: HashSet::new(), all: false, rules: Vec::new(), functions }
    }
}
