//! A rule of `@auth` as it is written.

use std::sync::Arc;

use graphql::definitions::{Directive, Literal};

use super::super::directives::UPDATE;
use super::super::problem::{At, Problems};
use super::super::types::Types;
use super::wanted::Conditions;
use crate::model::NodeType;
use crate::model::rules::ClaimNames;
use crate::model::wanted::Wanted;

/// What is done, in the words of `@auth`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Create,
    Read,
    Update,
    Delete,
    Connect,
    Disconnect,
}

impl Operation {
    const ALL: [Self; 6] =
        [Self::Create, Self::Read, Self::Update, Self::Delete, Self::Connect, Self::Disconnect];

    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "CREATE" => Self::Create,
            "READ" => Self::Read,
            UPDATE => Self::Update,
            "DELETE" => Self::Delete,
            "CONNECT" => Self::Connect,
            "DISCONNECT" => Self::Disconnect,
            _ => return None,
        })
    }
}

/// One of several rules, of which one has to pass.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) operations: Vec<Operation>,
    pub(super) parts: Parts,
}

/// What a rule says, all of which has to pass.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// One of these.
    pub(super) roles: Option<Vec<Arc<str>>>,
    /// Whether who asks has to be known, or must not be.
    pub(super) is_authenticated: Option<bool>,
    /// Whether a claim that is missing is only different from everything.
    pub(super) allows_unauthenticated: bool,
    pub(super) r#where: Option<Wanted>,
    pub(super) allow: Option<Wanted>,
    pub(super) bind: Option<Wanted>,
    pub(super) all: Vec<Parts>,
    pub(super) any: Vec<Parts>,
}

/// Reads the rules of a type of nodes, by its place, of its fields, or of a root's fields.
pub(super) struct Reader<'r, 'd> {
    pub(super) types: &'r Types<'d>,
    pub(super) nodes: &'r [NodeType],
    pub(super) names: &'r ClaimNames,
    pub(super) node: usize,
    /// Whether they are of a statement of a root, which is asked of no nodes.
    pub(super) is_root: bool,
    pub(super) problems: &'r mut Problems,
}

impl Reader<'_, '_> {
    pub(super) fn rules(&mut self, at: At<'_>, directive: &Directive) -> Vec<Rule> {
        let mut arguments = directive.arguments.iter();
        let said = arguments.find(|argument| &*argument.name == "rules");
        // That there are none was told.
        let Some(said) = said else { return Vec::new() };
        let Literal::List(rules) = &said.value else {
            self.wrong(at, "`rules` is a list: `[{…}]`");
            return Vec::new();
        };
        if rules.is_empty() {
            self.wrong(at, "an empty list of rules says nothing: leave `@auth` out");
        }
        rules.iter().filter_map(|said| self.rule(at, said)).collect()
    }

    fn rule(&mut self, at: At<'_>, said: &Literal) -> Option<Rule> {
        let mut operations = Operation::ALL.to_vec();
        if let Literal::Object(members) = said
            && let Some((_, said)) = members.iter().find(|(name, _)| &**name == "operations")
        {
            operations = self.operations(at, said)?;
        }
        Some(Rule { operations, parts: self.parts(at, said, false)? })
    }

    fn operations(&mut self, at: At<'_>, said: &Literal) -> Option<Vec<Operation>> {
        let Literal::List(items) = said else {
            self.wrong(at, "`operations` is a list");
            return None;
        };
        let mut operations = Vec::new();
        for item in items {
            match item {
                // There are no subscriptions.
                Literal::Enum(word) if &**word == "SUBSCRIBE" => {}
                Literal::Enum(word) if Operation::of(word).is_some() => {
                    operations.extend(Operation::of(word));
                }
                item => self.wrong(at, &format!("`operations` has {item:?}, which is none")),
            }
        }
        Some(operations)
    }

    /// Recursion is bounded by the parser of the definitions.
    fn parts(&mut self, at: At<'_>, said: &Literal, is_within: bool) -> Option<Parts> {
        let Literal::Object(members) = said else {
            self.wrong(at, "a rule is an object: `{allow: {…}}`");
            return None;
        };
        let before = self.problems.count();
        let mut parts = Parts::default();
        let mut says = false;
        for (name, value) in members {
            says |= !matches!(&**name, "operations" | "allowUnauthenticated");
            match (&**name, value) {
                ("operations", _) if !is_within => {}
                ("operations", _) => {
                    self.wrong(at, "`operations` of a rule within another: say them outside");
                }
                ("isAuthenticated", Literal::Boolean(said)) => parts.is_authenticated = Some(*said),
                ("allowUnauthenticated", Literal::Boolean(said)) => {
                    parts.allows_unauthenticated = *said;
                }
                ("roles", said) => parts.roles = self.roles(at, said),
                ("where" | "allow" | "bind", _) if self.is_root => {
                    let message = format!(
                        "`{name}` is asked of nodes, and a root field is of none: say `roles` or \
                         `isAuthenticated`"
                    );
                    self.wrong(at, &message);
                }
                ("where", said) => parts.r#where = self.wanted(at, name, said, true),
                ("allow", said) => parts.allow = self.wanted(at, name, said, false),
                ("bind", said) => parts.bind = self.wanted(at, name, said, true),
                ("AND", Literal::List(said)) if !said.is_empty() => {
                    parts.all = said.iter().filter_map(|one| self.parts(at, one, true)).collect();
                }
                ("OR", Literal::List(said)) if !said.is_empty() => {
                    parts.any = said.iter().filter_map(|one| self.parts(at, one, true)).collect();
                }
                ("AND" | "OR", _) => {
                    self.wrong(at, &format!("`{name}` is a list of rules that has one at least"));
                }
                ("isAuthenticated" | "allowUnauthenticated", _) => {
                    self.wrong(at, &format!("`{name}` is `true` or `false`"));
                }
                (name, _) => {
                    let message = format!(
                        "a rule has `operations`, `isAuthenticated`, `allowUnauthenticated`, \
                         `roles`, `where`, `allow`, `bind`, `AND` and `OR`, no `{name}`"
                    );
                    self.wrong(at, &message);
                }
            }
        }
        if !says {
            self.wrong(at, "a rule that asks for nothing lets everything: leave it out");
        }
        (self.problems.count() == before).then_some(parts)
    }

    fn roles(&mut self, at: At<'_>, said: &Literal) -> Option<Vec<Arc<str>>> {
        let role = |said: &Literal| match said {
            Literal::String(role) => Some(role.clone()),
            _ => None,
        };
        let roles = match said {
            Literal::List(roles) => roles.iter().map(role).collect::<Option<Vec<_>>>(),
            _ => None,
        };
        if roles.is_none() {
            self.wrong(at, "`roles` is a list of texts");
        }
        roles
    }

    fn wanted(&mut self, at: At<'_>, part: &str, said: &Literal, every: bool) -> Option<Wanted> {
        let Self { types, nodes, names, node, .. } = *self;
        let conditions = Conditions { types, nodes, names, every };
        match conditions.of_node(node, said) {
            Ok(wanted) => Some(wanted),
            Err(message) => {
                self.wrong(at, &format!("`{part}`: {message}"));
                None
            }
        }
    }

    fn wrong(&mut self, at: At<'_>, message: &str) {
        self.problems.wrong(at, format!("`@auth`: {message}"));
    }
}
