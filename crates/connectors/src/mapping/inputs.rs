//! What a mapping needs: members of variables, and the response.

use std::collections::BTreeMap;

use serde_json::Value;

use super::methods::Method;
use super::tree::{Entry, Expression, Offset, Path, Root, Start, StepKind};
use crate::location::Location;
use crate::variables::Variable;

/// What a mapping needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    pub variables: BTreeMap<Variable, Members>,
    /// The first place that reads `$` of the response.
    pub response: Option<Location>,
}

/// Members that are needed of a value; those of a list are those of its items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Members {
    /// The first place that needs it.
    pub place: Location,
    /// Whether the value is needed as it is, whatever its members are.
    pub is_whole: bool,
    /// Members by name, in the order of their first use.
    pub members: Vec<(Box<str>, Self)>,
}

impl Inputs {
    /// The members that are needed of a variable.
    #[must_use]
    pub fn of(&self, variable: Variable) -> Option<&Members> {
        self.variables.get(&variable)
    }

    /// Adds what another mapping needs.
    pub fn add(&mut self, other: &Self) {
        for (variable, members) in &other.variables {
            self.variables
                .entry(*variable)
                .or_insert_with(|| Members::at(members.place))
                .add(members);
        }
        self.response = self.response.or(other.response);
    }

    fn need(&mut self, variable: Variable, path: &[Box<str>], place: Location) -> &mut Members {
        let mut members = self.variables.entry(variable).or_insert_with(|| Members::at(place));
        for name in path {
            members = members.member(name, place);
        }
        members
    }
}

impl Members {
    fn at(place: Location) -> Self {
        Self { place, is_whole: false, members: Vec::new() }
    }

    /// The members of a member.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Self> {
        self.members.iter().find(|(known, _)| &**known == name).map(|(_, members)| members)
    }

    fn member(&mut self, name: &str, place: Location) -> &mut Self {
        let known = self.members.iter().position(|(known, _)| &**known == name);
        let idx = known.unwrap_or(self.members.len());
        if known.is_none() {
            self.members.push((name.into(), Self::at(place)));
        }
        &mut self.members[idx].1
    }

    /// Adds other members.
    pub fn add(&mut self, other: &Self) {
        self.is_whole |= other.is_whole;
        for (name, members) in &other.members {
            self.member(name, members.place).add(members);
        }
    }

    /// The paths of all members that have no members themselves.
    #[must_use]
    pub fn paths(&self) -> Vec<Vec<&str>> {
        let mut paths = Vec::new();
        for (name, members) in &self.members {
            if members.members.is_empty() {
                paths.push(vec![&**name]);
                continue;
            }
            for path in members.paths() {
                paths.push(std::iter::once(&**name).chain(path).collect());
            }
        }
        paths
    }

    /// The members as the text of a GraphQL selection, such as `id organization { id }`.
    #[must_use]
    pub fn field_set(&self) -> String {
        let mut text = String::new();
        self.print(&mut text);
        text
    }

    fn print(&self, text: &mut String) {
        for (idx, (name, members)) in self.members.iter().enumerate() {
            if idx > 0 {
                text.push(' ');
            }
            text.push_str(name);
            if !members.members.is_empty() {
                text.push_str(" { ");
                members.print(text);
                text.push_str(" }");
            }
        }
    }
}

/// What a mapping needs, whose text is `text`.
pub(super) fn of(root: &Root, text: &str) -> Inputs {
    let mut trace = Trace { text, inputs: Inputs::default() };
    let scope = Scope { selected: &Origin::Response, current: &Origin::Response };
    match root {
        Root::Entries(entries) => trace.entries(entries, scope),
        Root::Expression(expression) => trace.whole(expression, scope),
    }
    trace.inputs
}

/// Where a value comes from.
#[derive(Clone, Debug)]
enum Origin {
    Response,
    Variable(Variable, Vec<Box<str>>),
    /// A value that the mapping makes: what it is made of is known to be needed.
    Made,
}

#[derive(Clone, Copy)]
struct Scope<'s> {
    selected: &'s Origin,
    current: &'s Origin,
}

struct Trace<'t> {
    text: &'t str,
    inputs: Inputs,
}

impl Trace<'_> {
    fn entries(&mut self, entries: &[Entry], scope: Scope<'_>) {
        for entry in entries {
            self.whole(&entry.value, scope);
        }
    }

    /// An expression whose value is needed as it is.
    fn whole(&mut self, expression: &Expression, scope: Scope<'_>) {
        let at = match expression {
            Expression::Path(path) => path.at,
            _ => 0,
        };
        let origin = self.expression(expression, scope);
        self.consume(&origin, at);
    }

    fn consume(&mut self, origin: &Origin, at: Offset) {
        if let Origin::Variable(variable, path) = origin {
            let place = Location::of(self.text, at);
            self.inputs.need(*variable, path, place).is_whole = true;
        }
    }

    fn expression(&mut self, expression: &Expression, scope: Scope<'_>) -> Origin {
        match expression {
            Expression::Literal(_) => {}
            Expression::Object(entries) => self.entries(entries, scope),
            Expression::List(items) => items.iter().for_each(|item| self.whole(item, scope)),
            Expression::Path(path) => return self.path(path, scope),
            Expression::Coalesce(first, rest) => {
                self.whole(first, scope);
                rest.iter().for_each(|(_, operand)| self.whole(operand, scope));
            }
        }
        Origin::Made
    }

    fn path(&mut self, path: &Path, scope: Scope<'_>) -> Origin {
        let mut origin = match &path.start {
            Start::Selected => self.read(scope.selected, path.at),
            Start::Current => self.read(scope.current, path.at),
            Start::Key(name) => self.read(scope.selected, path.at).member(name),
            Start::Variable(variable) => {
                self.inputs.need(*variable, &[], Location::of(self.text, path.at));
                Origin::Variable(*variable, Vec::new())
            }
            Start::Expression(expression) => self.expression(expression, scope),
        };
        for step in &path.steps {
            origin = match &step.kind {
                StepKind::Key(name) => origin.member(name),
                StepKind::Optional => origin,
                StepKind::Call(method, arguments) => {
                    self.call(*method, arguments, &origin, scope, path.at)
                }
            };
        }
        let Some(entries) = &path.selection else { return origin };
        if let Origin::Variable(variable, names) = &origin {
            self.inputs.need(*variable, names, Location::of(self.text, path.at));
        }
        self.entries(entries, Scope { selected: &origin, current: &origin });
        Origin::Made
    }

    fn read(&mut self, origin: &Origin, at: Offset) -> Origin {
        if matches!(origin, Origin::Response) && self.inputs.response.is_none() {
            self.inputs.response = Some(Location::of(self.text, at));
        }
        origin.clone()
    }

    fn call(
        &mut self,
        method: Method,
        arguments: &[Expression],
        origin: &Origin,
        scope: Scope<'_>,
        at: Offset,
    ) -> Origin {
        let within = Scope { selected: scope.selected, current: origin };
        if let (Method::Echo, Some(argument)) = (method, arguments.first()) {
            return self.expression(argument, within);
        }
        arguments.iter().for_each(|argument| self.whole(argument, within));
        match method {
            // Items, whose members may be selected.
            Method::Filter | Method::Find | Method::First | Method::Last | Method::Slice => {
                origin.clone()
            }
            Method::Get => match arguments.first() {
                Some(Expression::Literal(Value::String(name))) => origin.member(name),
                Some(Expression::Literal(Value::Number(_))) => origin.clone(),
                _ => {
                    self.consume(origin, at);
                    Origin::Made
                }
            },
            // The argument says what is needed of each item.
            Method::Map => Origin::Made,
            Method::Add
            | Method::And
            | Method::Contains
            | Method::Div
            | Method::Echo
            | Method::Entries
            | Method::Eq
            | Method::Gt
            | Method::Gte
            | Method::In
            | Method::JoinNotNull
            | Method::JsonParse
            | Method::JsonStringify
            | Method::KeysToCamelCase
            | Method::KeysToCamelCaseDeep
            | Method::Lt
            | Method::Lte
            | Method::Match
            | Method::Mod
            | Method::Mul
            | Method::Ne
            | Method::Not
            | Method::Or
            | Method::ParseInt
            | Method::Size
            | Method::Split
            | Method::Sub
            | Method::ToString
            | Method::Trim
            | Method::TrimEnd
            | Method::TrimStart => {
                self.consume(origin, at);
                Origin::Made
            }
        }
    }
}

impl Origin {
    fn member(&self, name: &str) -> Self {
        match self {
            Self::Variable(variable, path) => {
                let mut path = path.clone();
                path.push(name.into());
                Self::Variable(*variable, path)
            }
            Self::Response => Self::Response,
            Self::Made => Self::Made,
        }
    }
}
