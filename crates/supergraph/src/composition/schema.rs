//! The schema of a subgraph: its links resolved, its extensions merged, its directives with their
//! meanings.

use std::sync::Arc;

use graphql::definitions::{
    Directive, DirectiveDefinition, Literal, Named, TypeBody, TypeExpression,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::links::Links;
use super::specifications::Meaning;
use super::{Finding, Location};

/// A position in the schema of a subgraph; lines and columns are from 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct At {
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// The schema of a subgraph, without the types and directives of Federation itself.
#[derive(Clone, Debug)]
pub(crate) struct Subgraph {
    pub(crate) name: Arc<str>,
    pub(crate) url: Arc<str>,
    pub(crate) links: Links,
    /// In the order of the document. Root types have their default names.
    pub(crate) types: Vec<Type>,
    /// Indexes of [`types`](Self::types).
    by_name: FxHashMap<Arc<str>, usize>,
    /// Definitions of custom directives.
    pub(crate) directives: Vec<DirectiveDefinition>,
    /// Directives of the schema itself.
    pub(crate) applied: Vec<Applied>,
    /// Hints about the subgraph by itself.
    pub(crate) hints: Vec<Finding>,
}

/// A type with all its extensions.
#[derive(Clone, Debug)]
pub(crate) struct Type {
    pub(crate) name: Arc<str>,
    pub(crate) at: At,
    pub(crate) description: Option<Arc<str>>,
    /// Whether some part of it is a definition, and no extension.
    pub(crate) is_defined: bool,
    /// Whether some part of it is an extension.
    pub(crate) is_extended: bool,
    pub(crate) applied: Vec<Applied>,
    pub(crate) kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Scalar,
    Object(Composite),
    Interface(Composite),
    Union(Vec<Named>),
    Enum(Vec<Value>),
    Input(Vec<Input>),
}

/// Members of objects and interfaces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Composite {
    pub(crate) interfaces: Vec<Named>,
    pub(crate) fields: Vec<Field>,
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: Arc<str>,
    pub(crate) at: At,
    pub(crate) description: Option<Arc<str>>,
    pub(crate) r#type: TypeExpression,
    pub(crate) arguments: Vec<Input>,
    pub(crate) applied: Vec<Applied>,
    /// Whether an extension of the type has it.
    pub(crate) is_in_extension: bool,
    pub(crate) roles: Roles,
}

/// Roles of a field in its subgraph, by the directives of the whole schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Roles {
    /// The field or its type is external, and the field is no key field of an extension.
    pub(crate) is_external: bool,
    /// Some field of the subgraph provides it.
    pub(crate) is_provided: bool,
    /// Other subgraphs may resolve it too: by `@shareable`, in a key, or provided.
    pub(crate) is_shareable: bool,
    /// It is in a field set of the subgraph, or an interface declares it.
    pub(crate) is_used: bool,
}

impl Roles {
    /// Whether the subgraph never resolves the field.
    pub(crate) fn is_fully_external(self) -> bool {
        self.is_external && !self.is_provided
    }
}

/// An argument or a field of an input object.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) name: Arc<str>,
    pub(crate) at: At,
    pub(crate) description: Option<Arc<str>>,
    pub(crate) r#type: TypeExpression,
    pub(crate) default: Option<Literal>,
    pub(crate) applied: Vec<Applied>,
}

/// A value of an enum.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    pub(crate) name: Arc<str>,
    pub(crate) at: At,
    pub(crate) description: Option<Arc<str>>,
    pub(crate) applied: Vec<Applied>,
}

/// An applied directive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Applied {
    pub(crate) meaning: Meaning,
    pub(crate) directive: Directive,
    /// Whether it is on an extension of a type.
    pub(crate) is_in_extension: bool,
}

impl Applied {
    pub(crate) fn argument(&self, name: &str) -> Option<&Literal> {
        let argument = self.directive.arguments.iter().find(|argument| &*argument.name == name)?;
        Some(&argument.value)
    }

    /// Returns a string argument.
    pub(crate) fn text(&self, name: &str) -> Option<&Arc<str>> {
        match self.argument(name)? {
            Literal::String(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn at(&self) -> At {
        At { line: self.directive.line, column: self.directive.column }
    }
}

/// Returns the first directive with a meaning.
pub(crate) fn find(applied: &[Applied], meaning: Meaning) -> Option<&Applied> {
    applied.iter().find(|one| one.meaning == meaning)
}

/// Returns the directives with a meaning.
pub(crate) fn all(applied: &[Applied], meaning: Meaning) -> impl Iterator<Item = &Applied> {
    applied.iter().filter(move |one| one.meaning == meaning)
}

/// Whether a directive with a meaning is applied.
pub(crate) fn has(applied: &[Applied], meaning: Meaning) -> bool {
    find(applied, meaning).is_some()
}

impl Subgraph {
    pub(crate) fn new(name: &str, url: &str, links: Links) -> Self {
        Self {
            name: name.into(),
            url: url.into(),
            links,
            types: Vec::new(),
            by_name: FxHashMap::default(),
            directives: Vec::new(),
            applied: Vec::new(),
            hints: Vec::new(),
        }
    }

    pub(crate) fn find_type(&self, name: &str) -> Option<&Type> {
        self.by_name.get(name).map(|index| &self.types[*index])
    }

    pub(crate) fn find_type_mut(&mut self, name: &str) -> Option<&mut Type> {
        self.by_name.get(name).map(|index| &mut self.types[*index])
    }

    pub(crate) fn find_field(&self, parent: &str, name: &str) -> Option<&Field> {
        self.find_type(parent)?.find_field(name)
    }

    pub(crate) fn add_type(&mut self, r#type: Type) {
        self.by_name.insert(r#type.name.clone(), self.types.len());
        self.types.push(r#type);
    }

    /// Removes types.
    pub(crate) fn retain_types(&mut self, keep: impl FnMut(&Type) -> bool) {
        self.types.retain(keep);
        let names = self.types.iter().enumerate();
        self.by_name = names.map(|(index, r#type)| (r#type.name.clone(), index)).collect();
    }

    pub(crate) fn location(&self, at: At) -> Location {
        let number = |number| u32::try_from(number).unwrap_or(u32::MAX);
        Location {
            subgraph: self.name.as_ref().to_owned(),
            line: number(at.line),
            column: number(at.column),
        }
    }

    /// Returns the meanings of all directives that the schema applies.
    pub(crate) fn applied_meanings(&self) -> FxHashSet<Meaning> {
        let mut meanings = FxHashSet::default();
        self.for_each_applied(|applied| {
            meanings.insert(applied.meaning);
        });
        meanings
    }

    /// Calls a function with each directive that the schema applies.
    pub(crate) fn for_each_applied<'s>(&'s self, mut found: impl FnMut(&'s Applied)) {
        let mut add = |applied: &'s [Applied]| applied.iter().for_each(&mut found);
        add(&self.applied);
        for r#type in &self.types {
            add(&r#type.applied);
            for field in r#type.fields() {
                add(&field.applied);
                field.arguments.iter().for_each(|argument| add(&argument.applied));
            }
            match &r#type.kind {
                Kind::Enum(values) => values.iter().for_each(|value| add(&value.applied)),
                Kind::Input(inputs) => inputs.iter().for_each(|input| add(&input.applied)),
                Kind::Scalar | Kind::Object(_) | Kind::Interface(_) | Kind::Union(_) => {}
            }
        }
    }

    /// Whether a field of a type is external; that of an interface is if it is in an implementation.
    pub(crate) fn is_external_in(&self, parent: &Type, field: &Field) -> bool {
        let is_in = |object: &Arc<str>| {
            self.find_field(object, &field.name).is_some_and(|own| own.roles.is_external)
        };
        field.roles.is_external
            || (matches!(parent.kind, Kind::Interface(_))
                && self.objects_of(&parent.name).into_iter().any(is_in))
    }

    /// Returns the names of the object types that a type may be.
    pub(crate) fn objects_of(&self, name: &str) -> Vec<&Arc<str>> {
        match self.find_type(name) {
            Some(Type { kind: Kind::Object(_), name, .. }) => vec![name],
            Some(Type { kind: Kind::Union(members), .. }) => {
                members.iter().map(|member| &member.name).collect()
            }
            Some(Type { kind: Kind::Interface(_), .. }) => self
                .types
                .iter()
                .filter(|r#type| match &r#type.kind {
                    Kind::Object(composite) => {
                        composite.interfaces.iter().any(|interface| &*interface.name == name)
                    }
                    Kind::Scalar
                    | Kind::Interface(_)
                    | Kind::Union(_)
                    | Kind::Enum(_)
                    | Kind::Input(_) => false,
                })
                .map(|r#type| &r#type.name)
                .collect(),
            _ => Vec::new(),
        }
    }
}

impl Type {
    /// Returns the members of an object or interface.
    pub(crate) fn composite(&self) -> Option<&Composite> {
        match &self.kind {
            Kind::Object(composite) | Kind::Interface(composite) => Some(composite),
            Kind::Scalar | Kind::Union(_) | Kind::Enum(_) | Kind::Input(_) => None,
        }
    }

    pub(crate) fn composite_mut(&mut self) -> Option<&mut Composite> {
        match &mut self.kind {
            Kind::Object(composite) | Kind::Interface(composite) => Some(composite),
            Kind::Scalar | Kind::Union(_) | Kind::Enum(_) | Kind::Input(_) => None,
        }
    }

    /// Returns the fields of an object or interface; other types have none.
    pub(crate) fn fields(&self) -> &[Field] {
        self.composite().map_or(&[], |composite| &composite.fields)
    }

    pub(crate) fn find_field(&self, name: &str) -> Option<&Field> {
        self.fields().iter().find(|field| &*field.name == name)
    }

    pub(crate) fn is_interface_object(&self) -> bool {
        matches!(self.kind, Kind::Object(_)) && has(&self.applied, Meaning::InterfaceObject)
    }

    /// Whether it is the root type of an operation.
    pub(crate) fn is_root(&self) -> bool {
        matches!(&*self.name, "Query" | "Mutation" | "Subscription")
    }
}

impl Kind {
    /// Returns the word of the kind, as in messages.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Object(_) => "object type",
            Self::Interface(_) => "interface",
            Self::Union(_) => "union",
            Self::Enum(_) => "enum",
            Self::Input(_) => "input object type",
        }
    }

    /// Whether a part of a type has the same kind.
    pub(crate) fn is(&self, body: &TypeBody) -> bool {
        matches!(
            (self, body),
            (Self::Scalar, TypeBody::Scalar)
                | (Self::Object(_), TypeBody::Object(_))
                | (Self::Interface(_), TypeBody::Interface(_))
                | (Self::Union(_), TypeBody::Union(_))
                | (Self::Enum(_), TypeBody::Enum(_))
                | (Self::Input(_), TypeBody::InputObject(_))
        )
    }
}

impl Input {
    /// Whether a value must be given.
    pub(crate) fn is_required(&self) -> bool {
        self.r#type.is_required() && self.default.is_none()
    }
}
