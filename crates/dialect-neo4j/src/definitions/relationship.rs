//! Fields that lead to other nodes.

use std::sync::Arc;

use graphql::definitions::TypeExpression;

use super::directives::{Arguments, Known, UPDATE};
use super::field::{Context, Owner};
use super::problem::Problems;
use super::types::{Meaning, built_in};
use crate::model::{
    ApiVersion, ModelDirection, NestedOperations, QueryDirection, RelationshipField, Target,
};

/// The field of a `@relationship`.
pub(super) fn relationship(
    context: Context<'_, '_>,
    problems: &mut Problems,
) -> Option<RelationshipField> {
    let arguments = context.said.find(Known::Relationship)?;
    let at = context.at_directive(Known::Relationship);
    match (context.owner, context.types.version) {
        (Owner::Node, _) | (Owner::Interface, ApiVersion::V3) => {}
        (Owner::Interface, ApiVersion::V7) => {
            let message = "`@relationship` belongs to types of nodes: say \
                           `@declareRelationship` here, and this in the types that implement it";
            problems.wrong(at, message);
            return None;
        }
        (Owner::Properties, _) => {
            problems.wrong(at, "properties of relationships have no relationships themselves");
            return None;
        }
    }
    let shape = shape(context, problems);
    let target = target(context, problems);
    let r#type = arguments.text("type")?;
    if r#type.is_empty() {
        problems.wrong(at, "`@relationship(type:)` is empty: a relationship has a type");
    }
    problems.check_name(at, "`@relationship(type:)`", r#type);
    let properties = match arguments.text("properties") {
        Some(name) => Some(properties(context, name, problems)?),
        None => None,
    };
    let (shape, target) = (shape?, target?);
    Some(RelationshipField {
        r#type: r#type.clone(),
        direction: match arguments.word("direction")? {
            "IN" => ModelDirection::In,
            _ => ModelDirection::Out,
        },
        query_direction: match arguments.word("queryDirection") {
            Some("UNDIRECTED") => QueryDirection::Undirected,
            Some("DEFAULT_UNDIRECTED") => QueryDirection::UndirectedByDefault,
            Some("DIRECTED_ONLY") => QueryDirection::DirectedOnly,
            Some("UNDIRECTED_ONLY") => QueryDirection::UndirectedOnly,
            _ => QueryDirection::Directed,
        },
        target,
        is_list: shape.is_list,
        is_required: shape.is_required,
        properties,
        nested: nested(arguments),
        is_aggregated: arguments.boolean("aggregate").unwrap_or(true),
        is_declared: false,
    })
}

/// The field of a `@declareRelationship`.
pub(super) fn declared(
    context: Context<'_, '_>,
    problems: &mut Problems,
) -> Option<RelationshipField> {
    let arguments = context.said.find(Known::DeclareRelationship)?;
    if context.owner != Owner::Interface {
        let message = "`@declareRelationship` belongs to fields of interfaces: say \
                       `@relationship(type:, direction:)` here";
        problems.wrong(context.at_directive(Known::DeclareRelationship), message);
        return None;
    }
    let shape = shape(context, problems);
    let target = target(context, problems);
    let (shape, target) = (shape?, target?);
    Some(RelationshipField {
        // The types that implement the interface say these.
        r#type: "".into(),
        direction: ModelDirection::Out,
        query_direction: QueryDirection::Directed,
        properties: None,
        target,
        is_list: shape.is_list,
        is_required: shape.is_required,
        nested: nested(arguments),
        is_aggregated: arguments.boolean("aggregate").unwrap_or(true),
        is_declared: true,
    })
}

struct Shape {
    is_list: bool,
    is_required: bool,
}

fn shape(context: Context<'_, '_>, problems: &mut Problems) -> Option<Shape> {
    let r#type = &context.written.definition.r#type;
    let name = r#type.base();
    match r#type {
        TypeExpression::Named { is_required, .. }
            if !is_required || context.types.version == ApiVersion::V3 =>
        {
            Some(Shape { is_list: false, is_required: *is_required })
        }
        TypeExpression::List { of, is_required: true }
            if matches!(**of, TypeExpression::Named { is_required: true, .. }) =>
        {
            Some(Shape { is_list: true, is_required: true })
        }
        TypeExpression::Named { .. } => {
            let message = format!(
                "nothing sees to it that there is one: write `{name}`, which may be null, or \
                 `[{name}!]!`"
            );
            problems.wrong(context.at, message);
            None
        }
        TypeExpression::List { .. } => {
            let message =
                format!("a relationship leads to lists without nulls: write `[{name}!]!`");
            problems.wrong(context.at, message);
            None
        }
    }
}

fn target(context: Context<'_, '_>, problems: &mut Problems) -> Option<Target> {
    let name = context.written.definition.r#type.base();
    let wrong = match context.types.meaning(name) {
        Some(Meaning::Node(place)) => return Some(Target::Node(place)),
        Some(Meaning::Interface(place)) => return Some(Target::Interface(place)),
        Some(Meaning::Union(place)) => return Some(Target::Union(place)),
        Some(Meaning::Refused) => return None,
        Some(Meaning::Enum(_) | Meaning::Scalar(_)) => {
            format!("`{name}` is of values, and relationships lead to nodes")
        }
        Some(Meaning::Object(_)) => {
            format!("`{name}` has no `@node`, and relationships lead to nodes: add that")
        }
        Some(Meaning::Input(_)) => {
            format!("`{name}` is what requests give, and relationships lead to nodes")
        }
        Some(Meaning::Claims) => {
            format!("`{name}` is of claims of tokens, and relationships lead to nodes")
        }
        Some(Meaning::Properties(_)) => {
            format!("`{name}` is of properties of relationships, which lead to nodes")
        }
        None if built_in(name).is_some() => {
            format!("`{name}` is of values, and relationships lead to nodes")
        }
        None => format!("there is no type `{name}`"),
    };
    problems.wrong(context.at, wrong);
    None
}

fn properties(context: Context<'_, '_>, name: &Arc<str>, problems: &mut Problems) -> Option<usize> {
    let at = context.at_directive(Known::Relationship);
    let keyword = match context.types.version {
        ApiVersion::V3 => "interface",
        ApiVersion::V7 => "type",
    };
    match context.types.meaning(name) {
        Some(Meaning::Properties(place)) => return Some(place),
        Some(Meaning::Refused) => {}
        Some(_) => {
            let message = format!(
                "`@relationship(properties:)` names `{name}`, which is no `{keyword}` with \
                 `@relationshipProperties`"
            );
            problems.wrong(at, message);
        }
        None => {
            let message = format!(
                "`@relationship(properties:)` names `{name}`, which is not defined: write \
                 `{keyword} {name} @relationshipProperties`"
            );
            problems.wrong(at, message);
        }
    }
    None
}

fn nested(arguments: Arguments<'_>) -> NestedOperations {
    let Some(words) = arguments.words("nestedOperations") else { return NestedOperations::ALL };
    let has = |word: &str| words.iter().any(|one| &***one == word);
    NestedOperations {
        create: has("CREATE"),
        update: has(UPDATE),
        delete: has("DELETE"),
        connect: has("CONNECT"),
        disconnect: has("DISCONNECT"),
        connect_or_create: has("CONNECT_OR_CREATE"),
    }
}
