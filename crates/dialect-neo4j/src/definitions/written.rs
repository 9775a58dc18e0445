//! Definitions and their extensions as one type of each name, as the library merges them.
//!
//! Two definitions of one name are merged too, if they are of one kind: that is how type
//! definitions in several files come together.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use graphql::definitions::{
    Composite, Definitions, Directive, EnumValueDefinition, FieldDefinition, InputDefinition,
    Literal, Named, TypeBody, TypeDefinition,
};

use super::problem::{At, Problems};

/// A type, with everything that extensions add to it.
#[derive(Debug)]
pub(super) struct Written<'d> {
    pub(super) name: &'d Arc<str>,
    /// Where it is defined.
    pub(super) line: usize,
    pub(super) description: Option<&'d Arc<str>>,
    pub(super) directives: Vec<&'d Directive>,
    pub(super) body: WrittenBody<'d>,
    is_defined: bool,
}

#[derive(Debug)]
pub(super) enum WrittenBody<'d> {
    Scalar,
    Object(Parts<'d>),
    Interface(Parts<'d>),
    Union(Vec<&'d Named>),
    Enum(Vec<&'d EnumValueDefinition>),
    InputObject(Vec<InputDefinition>),
}

/// What objects and interfaces have.
#[derive(Debug, Default)]
pub(super) struct Parts<'d> {
    pub(super) interfaces: Vec<&'d Named>,
    pub(super) fields: Vec<WrittenField<'d>>,
}

#[derive(Debug)]
pub(super) struct WrittenField<'d> {
    pub(super) definition: &'d FieldDefinition,
    /// Those of all places where the field is defined.
    pub(super) directives: Vec<&'d Directive>,
}

impl<'d> Written<'d> {
    pub(super) fn at(&self) -> At<'d> {
        At::r#type(self.line, self.name)
    }

    /// What objects and interfaces have.
    pub(super) fn parts(&self) -> Option<&Parts<'d>> {
        match &self.body {
            WrittenBody::Object(parts) | WrittenBody::Interface(parts) => Some(parts),
            WrittenBody::Scalar
            | WrittenBody::Union(_)
            | WrittenBody::Enum(_)
            | WrittenBody::InputObject(_) => None,
        }
    }
}

impl WrittenBody<'_> {
    /// The keyword of such types.
    pub(super) fn keyword(&self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Object(_) => "type",
            Self::Interface(_) => "interface",
            Self::Union(_) => "union",
            Self::Enum(_) => "enum",
            Self::InputObject(_) => "input",
        }
    }
}

/// Leaves out what is said by directives that the document defines itself: these are refused once,
/// where they are defined.
pub(super) fn forget_own_directives(definitions: &mut Definitions) {
    let Definitions { types, schemas, directives } = definitions;
    if directives.is_empty() {
        return;
    }
    let own: HashSet<&str> = directives.iter().map(|directive| &*directive.name).collect();
    let forget = |said: &mut Vec<Directive>| said.retain(|one| !own.contains(&*one.name));
    for schema in schemas {
        forget(&mut schema.directives);
    }
    for r#type in types {
        forget(&mut r#type.directives);
        match &mut r#type.body {
            TypeBody::Object(composite) | TypeBody::Interface(composite) => {
                for field in &mut composite.fields {
                    forget(&mut field.directives);
                }
            }
            TypeBody::Enum(values) => {
                for value in values {
                    forget(&mut value.directives);
                }
            }
            TypeBody::Scalar | TypeBody::Union(_) | TypeBody::InputObject(_) => {}
        }
    }
}

/// The types in the order of their first mention.
pub(super) fn merge<'d>(definitions: &'d Definitions, problems: &mut Problems) -> Vec<Written<'d>> {
    let mut merged: Vec<Written<'d>> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for definition in &definitions.types {
        let known = places.get(&*definition.name).and_then(|place| merged.get_mut(*place));
        match known {
            Some(written) => extend(written, definition, problems),
            None => {
                places.insert(&definition.name, merged.len());
                let mut written = begin(definition);
                extend(&mut written, definition, problems);
                merged.push(written);
            }
        }
    }
    for written in &merged {
        if !written.is_defined {
            let keyword = written.body.keyword();
            let message = format!(
                "it is extended, but not defined: write `{keyword} {}` without `extend`",
                written.name
            );
            problems.wrong(written.at(), message);
        }
    }
    merged
}

/// A type of the kind of the definition that has nothing yet.
fn begin(definition: &TypeDefinition) -> Written<'_> {
    Written {
        name: &definition.name,
        line: definition.line,
        description: None,
        directives: Vec::new(),
        body: match definition.body {
            TypeBody::Scalar => WrittenBody::Scalar,
            TypeBody::Object(_) => WrittenBody::Object(Parts::default()),
            TypeBody::Interface(_) => WrittenBody::Interface(Parts::default()),
            TypeBody::Union(_) => WrittenBody::Union(Vec::new()),
            TypeBody::Enum(_) => WrittenBody::Enum(Vec::new()),
            TypeBody::InputObject(_) => WrittenBody::InputObject(Vec::new()),
        },
        is_defined: false,
    }
}

fn extend<'d>(written: &mut Written<'d>, definition: &'d TypeDefinition, problems: &mut Problems) {
    let at = written.at().on_line(definition.line);
    let keyword = written.body.keyword();
    match (&mut written.body, &definition.body) {
        (WrittenBody::Scalar, TypeBody::Scalar) => {}
        (WrittenBody::InputObject(inputs), TypeBody::InputObject(more)) => {
            inputs.extend(more.iter().cloned());
        }
        (WrittenBody::Object(parts), TypeBody::Object(composite))
        | (WrittenBody::Interface(parts), TypeBody::Interface(composite)) => {
            extend_parts(parts, composite, at, problems);
        }
        (WrittenBody::Union(members), TypeBody::Union(more)) => {
            add_names(members, more, at, "is a member of it twice", problems);
        }
        (WrittenBody::Enum(values), TypeBody::Enum(more)) => {
            for value in more {
                match values.iter().find(|known| known.name == value.name) {
                    Some(known) => {
                        let message = format!("it is a value on line {} already", known.line);
                        problems.wrong(at.member(value.line, &value.name), message);
                    }
                    None => values.push(value),
                }
            }
        }
        _ => {
            let message = format!("on line {} there is a `{keyword}` of its name", written.line);
            problems.wrong(at, message);
            return;
        }
    }
    add_directives(&mut written.directives, &definition.directives, at, problems);
    if !definition.is_extension {
        if !written.is_defined {
            written.line = definition.line;
            written.is_defined = true;
        }
        written.description = written.description.or(definition.description.as_ref());
    }
}

fn extend_parts<'d>(
    parts: &mut Parts<'d>,
    composite: &'d Composite,
    at: At<'d>,
    problems: &mut Problems,
) {
    add_names(&mut parts.interfaces, &composite.interfaces, at, "is implemented twice", problems);
    // Those of definitions before may be said again, those of this one may not.
    let before = parts.fields.len();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (place, field) in parts.fields.iter().enumerate() {
        places.insert(&field.definition.name, place);
    }
    for definition in &composite.fields {
        let at = at.member(definition.line, &definition.name);
        let place = places.get(&*definition.name).copied();
        let Some(known) = place.and_then(|place| parts.fields.get_mut(place)) else {
            places.insert(&definition.name, parts.fields.len());
            let mut directives = Vec::new();
            add_directives(&mut directives, &definition.directives, at, problems);
            parts.fields.push(WrittenField { definition, directives });
            continue;
        };
        let line = known.definition.line;
        if place.is_some_and(|place| place >= before) {
            problems.wrong(at, format!("it is a field on line {line} already"));
        } else if known.definition.r#type == definition.r#type {
            add_directives(&mut known.directives, &definition.directives, at, problems);
        } else {
            let (first, second) = (&known.definition.r#type, &definition.r#type);
            let message = format!("it is {second}, but {first} on line {line}");
            problems.wrong(at, message);
        }
    }
}

fn add_names<'d>(
    names: &mut Vec<&'d Named>,
    more: &'d [Named],
    at: At<'_>,
    twice: &str,
    problems: &mut Problems,
) {
    for name in more {
        if names.iter().any(|known| known.name == name.name) {
            problems.wrong(at.on_line(name.line), format!("`{}` {twice}", name.name));
        } else {
            names.push(name);
        }
    }
}

/// In another place the same may be said again, and more, and something else: then the later holds.
/// Lists of both would be put together, which nobody means.
pub(super) fn add_directives<'d>(
    directives: &mut Vec<&'d Directive>,
    more: &'d [Directive],
    at: At<'_>,
    problems: &mut Problems,
) {
    let before = directives.len();
    for directive in more {
        let found = directives.iter().position(|known| known.name == directive.name);
        let known = found.and_then(|place| Some((place, *directives.get(place)?)));
        match known {
            None => directives.push(directive),
            // Federation's may stand several times in one place.
            Some(_) if matches!(&*directive.name, "key" | "link") => directives.push(directive),
            Some((place, known)) if place < before && says(known, directive) => {}
            Some((place, known)) if place < before && replaces(directive, known) => {
                if let Some(known) = directives.get_mut(place) {
                    *known = directive;
                }
            }
            Some((_, known)) => {
                let message =
                    format!("`@{}` stands on line {} already", directive.name, known.line);
                problems.wrong(at.on_line(directive.line), message);
            }
        }
    }
}

/// Whether the first says all that the second says.
fn says(first: &Directive, second: &Directive) -> bool {
    second.arguments.iter().all(|argument| said(first, &argument.name) == Some(&argument.value))
}

/// Whether the later holds alone, whatever the earlier says.
fn replaces(later: &Directive, earlier: &Directive) -> bool {
    earlier.arguments.iter().all(|argument| match said(later, &argument.name) {
        Some(value) => *value == argument.value || !matches!(value, Literal::List(_)),
        None => false,
    })
}

fn said<'d>(directive: &'d Directive, argument: &str) -> Option<&'d Literal> {
    let mut arguments = directive.arguments.iter();
    arguments.find(|one| &*one.name == argument).map(|one| &one.value)
}
