//! The fields of nodes, of interfaces and of the properties of relationships.

use std::sync::Arc;

use graphql::definitions::Directive;

use super::directives::{self, Known, Place, Said};
use super::offers::field_offers;
use super::problem::{At, Problems, Unserved};
use super::statement::Of;
use super::types::{Meaning, Type, Types};
use super::written::WrittenField;
use super::{property, relationship, shown, statement};
use crate::model::{ApiVersion, FieldKind, Given, ModelField, PropertyType};
use crate::shared::kinds::Kind;

/// Whose fields are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Node,
    Interface,
    Properties,
}

/// A field, and everything that is known of it but its kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context<'a, 'd> {
    pub(super) types: &'a Types<'d>,
    pub(super) owner: Owner,
    pub(super) at: At<'d>,
    pub(super) written: &'d WrittenField<'d>,
    pub(super) said: &'a Said<'d>,
}

impl Context<'_, '_> {
    /// The place of one of its directives.
    pub(super) fn at_directive(&self, known: Known) -> At<'_> {
        let line = self.said.find(known).map_or(self.at.line, |arguments| arguments.line());
        self.at.on_line(line)
    }
}

/// The reason of `@deprecated` where none is given.
/// <https://spec.graphql.org/draft/#sec--deprecated>
pub(super) const NO_REASON: &str = "No longer supported";

/// The fields of a type that can be served; what is wrong with the others is reported.
pub(super) fn fields<'d>(
    types: &Types<'d>,
    owner: Owner,
    r#type: &Type<'d>,
    problems: &mut Problems,
) -> Vec<ModelField> {
    let inherited = Inherited::new(types, owner, r#type);
    if r#type.fields().is_empty() {
        problems.wrong(r#type.at(), "it has no fields: it wants one at least");
    }
    let mut fields = Vec::new();
    for written in r#type.fields() {
        let definition = written.definition;
        let at = r#type.at().member(definition.line, &definition.name);
        check_name(owner, at, &definition.name, problems);
        let directives = inherited.directives(written);
        let before = problems.count();
        let said = directives::check(types.version, Place::Field, at, &directives, problems);
        if let (Some(argument), false, true) =
            (definition.arguments.first(), said.has(Known::Statement), problems.count() == before)
        {
            let subject = format!("the argument `{}` of one's own", argument.name);
            problems.needs_javascript(at.on_line(argument.line), subject, "leave it out");
        }
        if problems.count() == before {
            let context = Context { types, owner, at, written, said: &said };
            let is_shown =
                owner == Owner::Interface && shown::target(types, written, &said).is_some();
            if !is_shown {
                fields.extend(field(context, problems));
            }
        }
    }
    let is_private = |field: &ModelField| {
        types.version == ApiVersion::V3 && !field.offers.on_read && !field.offers.by_value
    };
    if !fields.is_empty() && fields.iter().all(is_private) {
        problems.wrong(r#type.at(), "all of its fields are `@private`: it wants one that is not");
    }
    fields
}

fn field(context: Context<'_, '_>, problems: &mut Problems) -> Option<ModelField> {
    let Context { written, said, at, .. } = context;
    let definition = written.definition;
    let kind = if said.has(Known::Relationship) {
        FieldKind::Relationship(relationship::relationship(context, problems)?)
    } else if said.has(Known::DeclareRelationship) {
        FieldKind::Relationship(relationship::declared(context, problems)?)
    } else if said.has(Known::Statement) {
        check_statement_owner(context, problems)?;
        let asked = (Of::Node, definition);
        FieldKind::Statement(statement::statement(context.types, at, asked, said, problems)?)
    } else if property::is_part(context) {
        FieldKind::Part(property::part(context, problems)?)
    } else {
        FieldKind::Property(property::property(context, problems)?)
    };
    let alias = said.find(Known::Alias).and_then(|alias| alias.text("property"));
    let property = alias.unwrap_or(&definition.name);
    if said.has(Known::GroupBy) {
        check_groups(context, &kind, problems);
    }
    if property.is_empty() {
        problems.wrong(at, "`@alias(property:)` is empty: a property has a name");
    }
    problems.check_name(at, "`@alias(property:)`", property);
    Some(ModelField {
        name: definition.name.clone(),
        description: definition.description.clone(),
        property: property.clone(),
        kind,
        offers: field_offers(said),
        deprecated: deprecated(said),
        line: definition.line,
    })
}

/// Statements belong to nodes: there is nothing else that they could be asked of. version 3 takes those
/// of an interface for its types.
fn check_statement_owner(context: Context<'_, '_>, problems: &mut Problems) -> Option<()> {
    let at = context.at_directive(Known::Statement);
    match (context.owner, context.types.version) {
        (Owner::Node, _) | (Owner::Interface, ApiVersion::V3) => return Some(()),
        (Owner::Properties, ApiVersion::V3) => {
            problems.wrong(at, "`@cypher` belongs to nodes, not to properties of relationships");
        }
        (Owner::Interface, ApiVersion::V7) => {
            let message = "`@cypher` belongs to the types that implement the interface";
            problems.wrong(at, message);
        }
        (Owner::Properties, ApiVersion::V7) => {
            problems.not_served(at, "`@cypher`", Unserved::StatementsOfProperties);
        }
    }
    None
}

/// Nodes are put in groups by single values that GraphQL itself has.
fn check_groups(context: Context<'_, '_>, kind: &FieldKind, problems: &mut Problems) {
    let value = match kind {
        FieldKind::Property(property) => Some(property),
        FieldKind::Statement(field) => match &field.result {
            Given::Value(property) => Some(property),
            Given::Node(..) | Given::Object(..) | Given::Several(..) => None,
        },
        FieldKind::Relationship(_) | FieldKind::Part(_) => None,
    };
    let message = match value {
        _ if context.owner != Owner::Node => "`@groupBy` belongs to the fields of nodes",
        Some(property) if property.is_list => "`@groupBy` takes no lists",
        Some(property) if is_built_in(&property.r#type) => return,
        Some(_) | None => "`@groupBy` takes values of type Boolean, Float, ID, Int and String",
    };
    problems.wrong(context.at_directive(Known::GroupBy), message);
}

fn is_built_in(r#type: &PropertyType) -> bool {
    match r#type.kind() {
        Kind::Boolean | Kind::Float | Kind::Id | Kind::String => true,
        Kind::Integer => *r#type == PropertyType::Int,
        Kind::Date | Kind::Time | Kind::Duration | Kind::Point | Kind::Enum | Kind::Scalar => false,
    }
}

/// The reason of `@deprecated`.
pub(super) fn deprecated(said: &Said<'_>) -> Option<Arc<str>> {
    let deprecated = said.find(Known::Deprecated)?;
    Some(deprecated.text("reason").cloned().unwrap_or_else(|| NO_REASON.into()))
}

fn check_name(owner: Owner, at: At<'_>, name: &str, problems: &mut Problems) {
    if name.starts_with("__") {
        let message = "names that begin with two underscores belong to introspection: rename it";
        problems.wrong(at, message);
    } else if owner == Owner::Properties && matches!(name, "node" | "cursor") {
        let message = "an edge of a connection has `node` and `cursor`: rename it, and keep the \
                       property's name by `@alias(property:)`";
        problems.wrong(at, message);
    }
}

/// What fields have from interfaces: version 3 adds the directives that they do not have themselves.
pub(super) struct Inherited<'a, 'd> {
    interfaces: Vec<&'a Type<'d>>,
}

impl<'a, 'd> Inherited<'a, 'd> {
    pub(super) fn new(types: &'a Types<'d>, owner: Owner, r#type: &Type<'d>) -> Self {
        if types.version == ApiVersion::V7 || owner != Owner::Node {
            return Self { interfaces: Vec::new() };
        }
        let mut places: Vec<usize> = Vec::new();
        for named in r#type.interfaces() {
            if let Some(Meaning::Interface(place)) = types.meaning(&named.name) {
                places.push(place);
            }
        }
        // The first in the order of the definitions is the one that counts.
        places.sort_unstable();
        Self {
            interfaces: places.iter().filter_map(|place| types.interfaces.get(*place)).collect(),
        }
    }

    pub(super) fn directives(&self, written: &WrittenField<'d>) -> Vec<&'d Directive> {
        let mut directives = written.directives.clone();
        let name = &written.definition.name;
        let mut found = self.interfaces.iter().filter_map(|interface| {
            interface.fields().iter().find(|field| field.definition.name == *name)
        });
        let inherited = found.next().map_or(&[][..], |field| field.directives.as_slice());
        for directive in inherited {
            if !written.directives.iter().any(|own| own.name == directive.name) {
                directives.push(*directive);
            }
        }
        directives
    }
}
