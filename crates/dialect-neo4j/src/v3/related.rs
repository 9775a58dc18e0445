//! Relationships to nodes of one type: the fields that show them, and the conditions on them.

use ir::Comparison;

use super::aggregate_conditions::add_aggregate_conditions;
use super::aggregates::add_related_aggregates;
use super::descriptions::use_instead;
use super::roles::{counted, directed, filter, related, together};
use super::unserved;
use crate::model::Target;
use crate::shared::builder::{Builder, Owner};
use crate::shared::draft::{DraftField, DraftInput};
use crate::shared::link::Link;
use crate::shared::objects::in_interface;
use crate::shared::operators::ORDERED;
use crate::shared::quantifier::{Many, QUANTIFIERS, description};
use crate::shared::rows;
use api::binding::{ArgumentRole, FieldBinding, Meaning, RowsBinding, RowsForm, RowsFrom};
use api::plural::VERSION_8;
use graphql::value::Const;

/// Adds the fields that show the nodes on the other side, and their aggregates.
pub(super) fn add_related_fields<'m>(build: &mut Builder<'m>, link: &Link<'m>) {
    if !link.field.offers.on_read {
        return;
    }
    let target = link.target();
    let r#where = rows::filter(build, target);
    let options = match target {
        Target::Union(_) => "QueryOptions".into(),
        Target::Node(_) | Target::Interface(_) => format!("{}Options", build.name(target)),
    };
    let options = DraftInput::lenient("options", &options, ArgumentRole::Options);
    let arguments = match target {
        Target::Node(_) => [r#where.clone(), options],
        Target::Interface(_) | Target::Union(_) => [options, r#where.clone()],
    };
    let form = if link.is_list() { RowsForm::List } else { RowsForm::First };
    let binding = rows(build, link, form);
    let mut field = DraftField::of(link.field, &shown_type(build, link), binding);
    field.arguments.extend(arguments);
    field.arguments.extend(directed_argument(link));
    build.draft.add_field(link.source, field);

    let (Owner::Node(_), Target::Node(_)) = (link.owner, target) else { return };
    if !link.relationship.is_aggregated {
        return;
    }
    let r#type = add_related_aggregates(build, link);
    let binding = rows(build, link, RowsForm::Aggregate);
    let mut field = DraftField::new(&format!("{}Aggregate", link.name()), &r#type, binding)
        .deprecated(link.field.deprecated.as_ref())
        .argument(r#where);
    field.arguments.extend(directed_argument(link));
    build.draft.add_field(link.source, field);
}

/// The type of the field that shows the other side.
pub(super) fn shown_type(build: &Builder<'_>, link: &Link<'_>) -> String {
    let name = build.name(link.target());
    match (link.is_list(), link.relationship.is_required) {
        (true, _) => format!("[{name}!]!"),
        (false, true) => format!("{name}!"),
        (false, false) => name.into(),
    }
}

/// The rows on the other side.
pub(super) fn rows(build: &Builder<'_>, link: &Link<'_>, form: RowsForm) -> FieldBinding {
    match (link.owner, link.path(), link.target()) {
        (Owner::Interface(_), _, _) => in_interface(),
        (Owner::Node(_), Some(path), Target::Node(node)) => FieldBinding::Rows(RowsBinding {
            from: RowsFrom::Relation(path.hop),
            entity: path.entity,
            form,
            default_limit: default_limit(build, node, form),
        }),
        (Owner::Node(_), _, _) => match (link.variants, form) {
            (Some(variants), RowsForm::List | RowsForm::Connection | RowsForm::First) => {
                variants.rows(form, false, None)
            }
            _ => unserved("What is made of nodes of several types"),
        },
    }
}

/// The number of rows of a list of nodes where a request does not limit it.
pub(super) fn default_limit(build: &Builder<'_>, node: usize, form: RowsForm) -> Option<u64> {
    match form {
        RowsForm::List | RowsForm::Connection => rows::default_limit(build, Target::Node(node)),
        RowsForm::Single
        | RowsForm::First
        | RowsForm::Keyed
        | RowsForm::Aggregate
        | RowsForm::Stream => None,
    }
}

/// The conditions on the nodes on the other side.
pub(super) fn add_related_conditions<'m>(build: &mut Builder<'m>, link: &Link<'m>) {
    let r#where = format!("{}Where", link.source);
    let name = build.name(link.target());
    let r#type = format!("{name}Where");
    add_any(build, &r#where, link.name(), &r#type, link, Meaning::Unrelated);

    let aggregate = link.own("AggregateInput");
    add_aggregate_input(build, link, &aggregate);
    let field = format!("{}Aggregate", link.name());
    build.put_for(&r#where, &field, &aggregate, together(link), link.reason());
    add_quantities(build, &r#where, link.name(), (name, &r#type), link, true);
}

/// The condition that some of them pass, and its opposite.
pub(super) fn add_any<'m>(
    build: &mut Builder<'m>,
    r#where: &str,
    name: &str,
    r#type: &str,
    link: &Link<'m>,
    null: Meaning,
) {
    let is_list = link.is_list();
    // One that there must be is that one, however many are there against the definitions.
    let any = match is_list || link.relationship.is_required {
        true => Many::Some,
        false => Many::Single,
    };
    let none = Many::None;
    let null_of_not = match null {
        Meaning::Unrelated => Meaning::Related,
        _ => null.clone(),
    };
    let conditions =
        [(name.to_owned(), any, null, "SOME"), (format!("{name}_NOT"), none, null_of_not, "NONE")];
    for (field, many, null, instead) in conditions {
        let binding = related(link, many, null);
        let reason = is_list.then(|| use_instead(&format!("{name}_{instead}")));
        build.put_for(r#where, &field, r#type, binding, reason.as_deref());
    }
}

/// Adds the quantified conditions on a list. `shown` is the word for the nodes in descriptions.
pub(super) fn add_quantities<'m>(
    build: &mut Builder<'m>,
    r#where: &str,
    name: &str,
    (shown, r#type): (&str, &str),
    link: &Link<'m>,
    of_nodes: bool,
) {
    if !link.is_list() {
        return;
    }
    let (sources, targets) = (VERSION_8.pluralize(link.source), VERSION_8.pluralize(shown));
    for (suffix, quantity, many) in QUANTIFIERS {
        let null = if of_nodes { Meaning::Unrelated } else { null_connection() };
        let name = format!("{name}_{}", suffix.to_ascii_uppercase());
        let input = DraftInput::new(&name, r#type, related(link, many, null))
            .described(&description(&sources, quantity, &targets))
            .deprecated(link.field.deprecated.as_ref());
        build.draft.add_input(r#where, input);
    }
}

/// Adds the conditions on the number of related nodes, and on their aggregates.
fn add_aggregate_input<'m>(build: &mut Builder<'m>, link: &Link<'m>, name: &str) {
    build.put(name, "count", "Int", counted(Comparison::Equal));
    for (suffix, _, comparison) in ORDERED {
        build.put(name, &format!("count_{suffix}"), "Int", counted(comparison));
    }
    build.put_logic(name, ["AND", "OR", "NOT"]);
    for (field, r#type) in add_aggregate_conditions(build, link) {
        build.put(name, field, &r#type, filter());
    }
}

/// The argument that chooses the direction of a relationship.
pub(super) fn directed_argument(link: &Link<'_>) -> Option<DraftInput> {
    let default = link.directed()?;
    let argument = DraftInput::new("directed", "Boolean", directed(link));
    Some(argument.defaulted(Const::Boolean(default)))
}

/// The meaning of null as a condition on a connection.
pub(super) fn null_connection() -> Meaning {
    Meaning::refuse("A condition on a connection cannot be null.")
}
