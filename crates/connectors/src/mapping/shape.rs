//! What a mapping makes, as far as its text says it.

use serde_json::Value;

use super::methods::Method;
use super::tree::{Coalesce, Entry, Expression, Path, Root, Start, StepKind};
use crate::location::Location;

/// What a mapping makes.
///
/// Members of a list's objects are selected as those of one object: whether a path leads to a list is
/// known only of the response. [`Object`](Self::Object) then stands for a list of such objects, too.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Whatever the response or a variable has there.
    Any,
    /// A literal scalar.
    Literal(Value),
    /// A scalar that a method makes.
    Scalar(Scalar),
    /// A list with items of this shape.
    List(Box<Self>),
    Object(Vec<Member>),
    /// One of several, as a match or an alternative has it.
    OneOf(Vec<Self>),
}

/// The type of a scalar that a method makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    Boolean,
    Number,
    String,
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    pub name: Box<str>,
    pub place: Location,
    pub shape: Shape,
}

impl Shape {
    /// The shapes of which a value has one, without lists around them.
    pub fn alternatives<'s>(&'s self, visit: &mut impl FnMut(&'s Self)) {
        match self {
            Self::OneOf(shapes) => shapes.iter().for_each(|shape| shape.alternatives(visit)),
            Self::List(items) => items.alternatives(visit),
            other => visit(other),
        }
    }
}

/// How many shapes a mapping's shape may consist of. Methods can repeat what they are called on; what is
/// beyond is [`Shape::Any`].
const MAX_SHAPES: usize = 100_000;

pub(super) fn of(root: &Root, text: &str) -> Shape {
    let mut infer = Infer { text, left: MAX_SHAPES };
    let scope = Scope { selected: &Shape::Any, current: &Shape::Any };
    match root {
        Root::Entries(entries) => infer.object(entries, scope),
        Root::Expression(expression) => infer.expression(expression, scope),
    }
}

#[derive(Clone, Copy)]
struct Scope<'s> {
    selected: &'s Shape,
    current: &'s Shape,
}

struct Infer<'t> {
    text: &'t str,
    left: usize,
}

impl Infer<'_> {
    /// A copy of a shape, or `Any` if it has too many parts.
    fn copy(&mut self, shape: &Shape) -> Shape {
        if self.take(shape) { shape.clone() } else { Shape::Any }
    }

    fn take(&mut self, shape: &Shape) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return false };
        self.left = left;
        match shape {
            Shape::Any | Shape::Literal(_) | Shape::Scalar(_) => true,
            Shape::List(items) => self.take(items),
            Shape::Object(members) => members.iter().all(|member| self.take(&member.shape)),
            Shape::OneOf(shapes) => shapes.iter().all(|shape| self.take(shape)),
        }
    }

    fn object(&mut self, entries: &[Entry], scope: Scope<'_>) -> Shape {
        let mut objects = vec![Vec::new()];
        for entry in entries {
            let shape = self.expression(&entry.value, scope);
            let place = Location::of(self.text, entry.at);
            match &entry.name {
                Some(name) => {
                    for members in &mut objects {
                        let shape = self.copy(&shape);
                        put(members, Member { name: name.clone(), place, shape });
                    }
                }
                None => match self.merged(&objects, &shape, entry.is_spread) {
                    Some(merged) => objects = merged,
                    None => return Shape::Any,
                },
            }
        }
        let mut shapes: Vec<_> = objects.into_iter().map(Shape::Object).collect();
        match shapes.len() {
            1 => shapes.remove(0),
            _ => Shape::OneOf(shapes),
        }
    }

    /// Each of the objects with the members of each alternative of a shape; `None` if the members are
    /// not known, or the objects are too many.
    fn merged(
        &mut self,
        objects: &[Vec<Member>],
        shape: &Shape,
        is_spread: bool,
    ) -> Option<Vec<Vec<Member>>> {
        let mut cases: Vec<&[Member]> = Vec::new();
        let mut is_known = true;
        let whole = shape;
        shape.alternatives(&mut |shape| match shape {
            Shape::Object(members) => cases.push(members),
            // A spread null makes the whole object null, whose members do not matter.
            Shape::Literal(Value::Null) if is_spread && *whole != Shape::Literal(Value::Null) => {}
            Shape::Literal(Value::Null) => cases.push(&[]),
            Shape::Any | Shape::Literal(_) | Shape::Scalar(_) => is_known = false,
            Shape::List(_) | Shape::OneOf(_) => {}
        });
        if !is_known {
            return None;
        }
        let mut merged: Vec<Vec<Member>> = Vec::new();
        for case in cases {
            for members in objects {
                self.left = self.left.checked_sub(members.len() + case.len() + 1)?;
                let mut members = members.clone();
                // An object of another type has not matched this case.
                if have_one_type(&members, case) {
                    for member in case {
                        let shape = self.merged_member(&members, member);
                        put(&mut members, Member { shape, ..member.clone() });
                    }
                }
                if !merged.contains(&members) {
                    merged.push(members);
                }
            }
        }
        Some(merged)
    }

    fn merged_member(&mut self, members: &[Member], member: &Member) -> Shape {
        let shape = self.copy(&member.shape);
        match members.iter().find(|known| known.name == member.name) {
            // What is merged may be null or missing: then the member before stays.
            Some(known) => one_of(vec![known.shape.clone(), shape]),
            None => shape,
        }
    }

    fn expression(&mut self, expression: &Expression, scope: Scope<'_>) -> Shape {
        match expression {
            Expression::Literal(value) => Shape::Literal(value.clone()),
            Expression::Object(entries) => self.object(entries, scope),
            Expression::List(items) => {
                let items = items.iter().map(|item| self.expression(item, scope)).collect();
                Shape::List(Box::new(one_of(items)))
            }
            Expression::Path(path) => self.path(path, scope),
            Expression::Coalesce(first, rest) => {
                let mut shapes = vec![self.expression(first, scope)];
                for (operator, operand) in rest {
                    if *operator == Coalesce::Null {
                        shapes.retain(|shape| *shape != Shape::Literal(Value::Null));
                    }
                    shapes.push(self.expression(operand, scope));
                }
                one_of(shapes)
            }
        }
    }

    fn path(&mut self, path: &Path, scope: Scope<'_>) -> Shape {
        let mut shape = match &path.start {
            Start::Selected => self.copy(scope.selected),
            Start::Current => self.copy(scope.current),
            Start::Variable(_) => Shape::Any,
            Start::Key(name) => self.member(scope.selected, name),
            Start::Expression(expression) => self.expression(expression, scope),
        };
        for step in &path.steps {
            shape = match &step.kind {
                StepKind::Key(name) => self.member(&shape, name),
                StepKind::Optional => shape,
                StepKind::Call(method, arguments) => self.call(*method, arguments, shape, scope),
            };
        }
        match &path.selection {
            Some(entries) => self.select(entries, &shape),
            None => shape,
        }
    }

    fn select(&mut self, entries: &[Entry], shape: &Shape) -> Shape {
        match shape {
            Shape::List(items) => Shape::List(Box::new(self.select(entries, items))),
            Shape::OneOf(shapes) => {
                one_of(shapes.iter().map(|shape| self.select(entries, shape)).collect())
            }
            Shape::Literal(Value::Null) => Shape::Literal(Value::Null),
            Shape::Any | Shape::Literal(_) | Shape::Scalar(_) | Shape::Object(_) => {
                if self.left == 0 {
                    return Shape::Any;
                }
                self.object(entries, Scope { selected: shape, current: shape })
            }
        }
    }

    fn member(&mut self, shape: &Shape, name: &str) -> Shape {
        match shape {
            Shape::List(items) => Shape::List(Box::new(self.member(items, name))),
            Shape::OneOf(shapes) => {
                one_of(shapes.iter().map(|shape| self.member(shape, name)).collect())
            }
            Shape::Object(members) => {
                match members.iter().find(|member| &*member.name == name) {
                    Some(member) => self.copy(&member.shape),
                    // It is missing.
                    None => Shape::Literal(Value::Null),
                }
            }
            Shape::Any => Shape::Any,
            Shape::Literal(_) | Shape::Scalar(_) => Shape::Literal(Value::Null),
        }
    }

    fn call(
        &mut self,
        method: Method,
        arguments: &[Expression],
        shape: Shape,
        scope: Scope<'_>,
    ) -> Shape {
        match method {
            Method::Echo => match arguments.first() {
                Some(argument) => {
                    self.expression(argument, Scope { selected: scope.selected, current: &shape })
                }
                None => Shape::Any,
            },
            Method::Map => {
                let item = item_of(&shape);
                let scope = Scope { selected: scope.selected, current: item };
                match arguments.first() {
                    Some(argument) => Shape::List(Box::new(self.expression(argument, scope))),
                    None => Shape::Any,
                }
            }
            Method::Match => {
                let scope = Scope { selected: scope.selected, current: &shape };
                let mut shapes = Vec::new();
                for argument in arguments {
                    if let Expression::List(pair) = argument
                        && let [_, result] = &pair[..]
                    {
                        shapes.push(self.expression(result, scope));
                    }
                }
                one_of(shapes)
            }
            Method::Filter => match shape {
                Shape::List(_) => shape,
                other => Shape::List(Box::new(other)),
            },
            Method::Find => item_of(&shape).clone(),
            Method::First | Method::Last => part_of(item_of(&shape)),
            Method::Slice => part_of(&shape),
            Method::Get => match (&shape, arguments.first()) {
                (Shape::Object(_), Some(Expression::Literal(Value::String(name)))) => {
                    self.member(&shape, name)
                }
                (Shape::List(_), _) => item_of(&shape).clone(),
                _ => Shape::Any,
            },
            Method::Entries => {
                let member = |name: &str, shape| Member {
                    name: name.into(),
                    place: Location::default(),
                    shape,
                };
                let entry = Shape::Object(vec![
                    member("key", Shape::Scalar(Scalar::String)),
                    member("value", Shape::Any),
                ]);
                Shape::List(Box::new(entry))
            }
            Method::And
            | Method::Contains
            | Method::Eq
            | Method::Gt
            | Method::Gte
            | Method::In
            | Method::Lt
            | Method::Lte
            | Method::Ne
            | Method::Not
            | Method::Or => Shape::Scalar(Scalar::Boolean),
            Method::Add
            | Method::Div
            | Method::Mod
            | Method::Mul
            | Method::ParseInt
            | Method::Size
            | Method::Sub => Shape::Scalar(Scalar::Number),
            Method::JoinNotNull
            | Method::JsonStringify
            | Method::ToString
            | Method::Trim
            | Method::TrimEnd
            | Method::TrimStart => Shape::Scalar(Scalar::String),
            Method::Split => Shape::List(Box::new(Shape::Scalar(Scalar::String))),
            Method::JsonParse | Method::KeysToCamelCase | Method::KeysToCamelCaseDeep => Shape::Any,
        }
    }
}

/// Whether members of two objects may be of one object: their types, if both are known, are the same.
fn have_one_type(one: &[Member], other: &[Member]) -> bool {
    match (type_of(one), type_of(other)) {
        (Some(one), Some(other)) => one == other,
        (_, Some(_) | None) => true,
    }
}

fn type_of(members: &[Member]) -> Option<&str> {
    let member = members.iter().find(|member| &*member.name == "__typename")?;
    match &member.shape {
        Shape::Literal(Value::String(name)) => Some(name),
        _ => None,
    }
}

/// Adds a member, or replaces the one of its name.
fn put(members: &mut Vec<Member>, member: Member) {
    match members.iter_mut().find(|known| known.name == member.name) {
        Some(known) => *known = member,
        None => members.push(member),
    }
}

/// The shape of a part of a value: parts of a text are other texts.
fn part_of(shape: &Shape) -> Shape {
    match shape {
        Shape::Literal(Value::String(_)) => Shape::Scalar(Scalar::String),
        Shape::OneOf(shapes) => one_of(shapes.iter().map(part_of).collect()),
        other => other.clone(),
    }
}

fn item_of(shape: &Shape) -> &Shape {
    match shape {
        Shape::List(items) => items,
        other => other,
    }
}

/// One of several shapes, each of which is listed once.
fn one_of(shapes: Vec<Shape>) -> Shape {
    let mut different: Vec<Shape> = Vec::new();
    for shape in shapes {
        if !different.contains(&shape) {
            different.push(shape);
        }
    }
    match different.len() {
        0 => Shape::Any,
        1 => different.remove(0),
        _ => Shape::OneOf(different),
    }
}
