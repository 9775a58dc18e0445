//! Conditions on the nodes that a relationship leads to, and on the relationships themselves.

use std::sync::Arc;

use super::conditions::several;
use crate::model::Target;
use crate::shared::builder::Builder;
use crate::shared::draft::DraftInput;
use crate::shared::link::Link;
use crate::shared::quantifier::{Many, QUANTIFIERS, description};
use crate::shared::variants::of_member;
use api::binding::{DeclaredRole, FilterRole, InputBinding, InputRole, Meaning, RowsRole};
use api::plural::VERSION_8;

/// A condition on nodes. An empty one passes any nodes; null tests whether there are some.
fn of_many(many: Many, role: impl Into<InputRole>) -> InputBinding {
    let null = match many {
        Many::Some => Meaning::Related,
        Many::None => Meaning::Unrelated,
        Many::All | Many::Single => Meaning::Ignore,
    };
    InputBinding { role: role.into(), null, empty: Meaning::Ignore }
}

/// Adds the conditions of a link to those of its owner.
pub(super) fn conditions(build: &mut Builder<'_>, link: &Link<'_>) {
    if !link.is_list() {
        return of_one(build, link);
    }
    if !link.is_filtered() && !link.is_filtered_by_aggregate() {
        return;
    }
    let owner = format!("{}Where", build.name(link.owner.into()));
    if link.is_filtered() {
        of_nodes(build, link, &owner);
        if !build.options.exclude_deprecated {
            of_nodes_by_suffix(build, link, &owner);
            of_relationships_by_suffix(build, link, &owner);
        }
    }
    of_relationships(build, link, &owner);
    connection_where(build, link);
}

/// `director: …` and `directorConnection: …`: there is such a node. Null tests that there is none.
fn of_one(build: &mut Builder<'_>, link: &Link<'_>) {
    let owner = format!("{}Where", build.name(link.owner.into()));
    let some = link.condition(Many::Some.role());
    let connection = some.clone().map_or_else(several, InputBinding::lenient);
    let node = some.map_or_else(several, |role| InputBinding {
        role: role.into(),
        null: Meaning::Unrelated,
        empty: Meaning::Ignore,
    });
    let r#type = format!("{}Where", build.name(link.target()));
    build.put(&owner, link.name(), &r#type, node);
    let r#type = link.connection_where(None);
    build.put(&owner, &link.connection_name(), &r#type, connection);
    connection_where(build, link);
}

/// The object of conditions along one relationship.
fn many(link: &Link<'_>) -> InputBinding {
    let role = match (link.hop(), link.variants) {
        (Some(hop), _) => Some(FilterRole::RelatedMany(hop)),
        (None, Some(variants)) => Some(FilterRole::RelatedVariants(variants.id)),
        (None, None) => link.declared.map(|place| FilterRole::Declared(DeclaredRole::Many(place))),
    };
    role.map_or_else(several, InputBinding::lenient)
}

/// `actors: {some: …}`.
fn of_nodes(build: &mut Builder<'_>, link: &Link<'_>, owner: &str) {
    let name = quantified(build, link.target(), link.field.deprecated.as_ref());
    let many = many(link);
    build.put(owner, link.name(), &name, many);
}

/// The conditions on how many of some nodes pass, by their name. `deprecated` holds where they are
/// not there yet.
pub(super) fn quantified(
    build: &mut Builder<'_>,
    target: Target,
    deprecated: Option<&Arc<str>>,
) -> String {
    let own = build.name(target);
    let name = format!("{own}RelationshipFilters");
    if !build.draft.has(&name) {
        let plural = build.names(target).several.clone();
        for (name_of, text, many) in QUANTIFIERS {
            let text =
                format!("Filter type where {text} of the related {plural} match this filter");
            let binding = of_many(many, many.role_of_nodes());
            let input = DraftInput::new(name_of, &format!("{own}Where"), binding);
            let input = input.described(&text).deprecated(deprecated);
            build.draft.add_input(&name, input);
        }
    }
    name
}

/// `actors_SOME: …`.
fn of_nodes_by_suffix(build: &mut Builder<'_>, link: &Link<'_>, owner: &str) {
    let own = link.name();
    let sources = build.names(link.owner.into()).several.clone();
    let targets = build.names(link.target()).several.clone();
    let r#type = format!("{}Where", build.name(link.target()));
    for (generic, text, many) in QUANTIFIERS {
        let text = description(&sources, text, &targets);
        // Two of the reasons have a second space there.
        let space = match many {
            Many::All | Many::None => "",
            Many::Single | Many::Some => " ",
        };
        let reason = format!(
            "Please use the relevant generic filter '{own}: {{ {space}{generic}: ... }}' instead."
        );
        let binding = link.condition(many.role_of_nodes());
        let binding = binding.map_or_else(several, |role| of_many(many, role));
        let name = format!("{own}_{}", generic.to_ascii_uppercase());
        add_deprecated(
            build,
            link,
            owner,
            DraftInput::new(&name, &r#type, binding).described(&text),
            &reason,
        );
    }
}

/// `actorsConnection_SOME: …`.
fn of_relationships_by_suffix(build: &mut Builder<'_>, link: &Link<'_>, owner: &str) {
    let own = link.connection_name();
    let r#type = link.connection_where(None);
    for (generic, text, many) in QUANTIFIERS {
        let text = relationships_text(build, link, text);
        let reason = format!(
            "Please use the relevant generic filter '{own}: {{ {generic}: {{ node: ... }} }} }}' \
             instead."
        );
        let binding = link.condition(many.role()).map_or_else(several, InputBinding::lenient);
        let name = format!("{own}_{}", generic.to_ascii_uppercase());
        add_deprecated(
            build,
            link,
            owner,
            DraftInput::new(&name, &r#type, binding).described(&text),
            &reason,
        );
    }
}

/// `actorsConnection: {some: …, aggregate: …}`.
fn of_relationships(build: &mut Builder<'_>, link: &Link<'_>, owner: &str) {
    let name = format!("{}ConnectionFilters", link.own);
    if link.is_filtered() {
        let r#type = link.connection_where(None);
        for (generic, text, many) in QUANTIFIERS {
            let text = relationships_text(build, link, text);
            let binding = InputBinding::lenient(many.role());
            let input = DraftInput::new(generic, &r#type, binding).described(&text);
            let input = input.deprecated(link.field.deprecated.as_ref());
            build.draft.add_input(&name, input);
        }
    }
    if link.is_filtered_by_aggregate() {
        let sources = &build.names(link.owner.into()).several;
        let connections = VERSION_8.pluralize(&link.connection_type());
        let text = format!("Filter {sources} by aggregating results on related {connections}");
        let binding = InputBinding::lenient(RowsRole::Together { once: true });
        let r#type = format!("{}ConnectionAggregateInput", link.own);
        let input = DraftInput::new("aggregate", &r#type, binding).described(&text);
        let input = input.deprecated(link.field.deprecated.as_ref());
        build.draft.add_input(&name, input);
    }
    let input = DraftInput::new(&link.connection_name(), &name, many(link));
    build.draft.add_input(owner, input);
}

fn relationships_text(build: &Builder<'_>, link: &Link<'_>, many: &str) -> String {
    let sources = &build.names(link.owner.into()).several;
    description(sources, many, &VERSION_8.pluralize(&link.connection_type()))
}

/// Adds a condition that is deprecated by the field, or by the library.
fn add_deprecated(
    build: &mut Builder<'_>,
    link: &Link<'_>,
    owner: &str,
    input: DraftInput,
    reason: &str,
) {
    let input = match &link.field.deprecated {
        Some(_) => input.deprecated(link.field.deprecated.as_ref()),
        None => input.because(reason),
    };
    build.draft.add_input(owner, input);
}

/// Conditions on a node and on the relationship to it; of a union those of each member.
pub(super) fn connection_where(build: &mut Builder<'_>, link: &Link<'_>) {
    match link.target() {
        Target::Node(_) | Target::Interface(_) => {
            let node = build.name(link.target());
            one_connection_where(build, link, &link.connection_where(None), node);
        }
        Target::Union(union) => {
            let name = link.connection_where(None);
            build.draft.input(&name);
            for (number, member) in build.members(union).iter().enumerate() {
                let member = build.name(Target::Node(*member));
                let own = link.connection_where(Some(member));
                one_connection_where(build, link, &own, member);
                let input = DraftInput::new(member, &own, of_member(number));
                build.draft.add_input(&name, input);
            }
        }
    }
}

fn one_connection_where(build: &mut Builder<'_>, link: &Link<'_>, name: &str, node: &str) {
    if build.draft.has(name) {
        return;
    }
    build.draft.input(name);
    build.put_logic(name, ["AND", "OR", "NOT"]);
    let filter = || InputBinding::lenient(FilterRole::Conditions);
    build.put(name, "node", &format!("{node}Where"), filter());
    if link.has_properties() {
        let edge = format!("{}Where", link.edge);
        build.put(name, "edge", &edge, filter());
    }
}
