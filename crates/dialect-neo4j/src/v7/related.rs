//! Conditions on the nodes that a relationship leads to, and on the relationships themselves.

use std::sync::Arc;

use ir::Quantifier;

use super::build::Build;
use super::conditions::{of_member, several};
use super::declared;
use super::link::Link;
use crate::model::Target;
use crate::shared::draft::DraftInput;
use api::binding::{DeclaredRole, FilterRole, InputBinding, InputRole, Meaning, RowsRole};
use api::plural::VERSION_8;

/// How many of the nodes pass, as it is called, and as descriptions say it.
const QUANTIFIERS: [(&str, &str, Many); 4] = [
    ("all", "all", Many::All),
    ("none", "none", Many::None),
    ("single", "one", Many::Single),
    ("some", "some", Many::Some),
];

#[derive(Clone, Copy)]
enum Many {
    All,
    None,
    Single,
    Some,
}

impl Many {
    /// What it means of nodes and of the relationships to them together.
    fn role(self) -> RowsRole {
        self.role_of(false)
    }

    /// What it means of nodes, each type of which is asked by itself.
    fn role_of_nodes(self) -> RowsRole {
        self.role_of(true)
    }

    fn role_of(self, apart: bool) -> RowsRole {
        match self {
            Self::All => RowsRole::All { apart },
            Self::None => RowsRole::Quantified(Quantifier::None),
            Self::Single => RowsRole::Quantified(Quantifier::Single),
            Self::Some => RowsRole::Quantified(Quantifier::Some),
        }
    }

    /// A condition on nodes. One that says nothing holds for any nodes; null asks whether there are
    /// some.
    fn of_nodes(self, role: impl Into<InputRole>) -> InputBinding {
        let null = match self {
            Self::Some => Meaning::Related,
            Self::None => Meaning::Unrelated,
            Self::All | Self::Single => Meaning::Ignore,
        };
        InputBinding { role: role.into(), null, empty: Meaning::Ignore }
    }
}

/// Adds the conditions of a link to those of its owner.
pub(super) fn conditions(build: &mut Build<'_>, link: &Link<'_>) {
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

/// `director: …` and `directorConnection: …`: there is such a node. Null asks for none.
fn of_one(build: &mut Build<'_>, link: &Link<'_>) {
    let owner = format!("{}Where", build.name(link.owner.into()));
    let some = by(build, link, Many::Some.role());
    let connection = some.clone().map_or_else(several, InputBinding::lenient);
    let node = some.map_or_else(several, |role| InputBinding {
        role: role.into(),
        null: Meaning::Unrelated,
        empty: Meaning::Ignore,
    });
    let r#type = format!("{}Where", build.name(link.target()));
    build.draft.add_input(&owner, DraftInput::new(link.name(), &r#type, node));
    let r#type = link.connection_where(None);
    build.draft.add_input(&owner, DraftInput::new(&link.connection_name(), &r#type, connection));
    connection_where(build, link);
}

/// What names the condition, for whoever follows one relationship.
fn many(build: &Build<'_>, link: &Link<'_>) -> InputBinding {
    match (link.hop(), link.variants) {
        (Some(hop), _) => InputBinding::lenient(FilterRole::RelatedMany(hop)),
        (None, Some(variants)) => InputBinding::lenient(FilterRole::RelatedVariants(variants.id)),
        (None, None) => declared::condition(build, link, DeclaredRole::Many)
            .map_or_else(several, InputBinding::lenient),
    }
}

/// The role of one condition on them, for whoever follows one relationship.
fn by(build: &Build<'_>, link: &Link<'_>, role: RowsRole) -> Option<FilterRole> {
    match (link.hop(), link.variants) {
        (Some(hop), _) => Some(FilterRole::RelatedBy { hop, role }),
        (None, Some(variants)) => {
            Some(FilterRole::RelatedVariantsBy { variants: variants.id, role })
        }
        (None, None) => declared::condition(build, link, |place| DeclaredRole::By { place, role }),
    }
}

/// `actors: {some: …}`.
fn of_nodes(build: &mut Build<'_>, link: &Link<'_>, owner: &str) {
    let name = quantified(build, link.target(), link.field.deprecated.as_ref());
    let many = many(build, link);
    build.draft.add_input(owner, DraftInput::new(link.name(), &name, many));
}

/// The conditions on how many of some nodes pass, by their name. `deprecated` holds where they are
/// not there yet.
pub(super) fn quantified(
    build: &mut Build<'_>,
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
            let binding = many.of_nodes(many.role_of_nodes());
            let input = DraftInput::new(name_of, &format!("{own}Where"), binding);
            let input = input.described(&text).deprecated(deprecated);
            build.draft.add_input(&name, input);
        }
    }
    name
}

/// `actors_SOME: …`.
fn of_nodes_by_suffix(build: &mut Build<'_>, link: &Link<'_>, owner: &str) {
    let own = link.name();
    let sources = build.names(link.owner.into()).several.clone();
    let targets = build.names(link.target()).several.clone();
    let r#type = format!("{}Where", build.name(link.target()));
    for (generic, text, many) in QUANTIFIERS {
        let text =
            format!("Return {sources} where {text} of the related {targets} match this filter");
        // Two of the reasons have a second space there.
        let space = match many {
            Many::All | Many::None => "",
            Many::Single | Many::Some => " ",
        };
        let reason = format!(
            "Please use the relevant generic filter '{own}: {{ {space}{generic}: ... }}' instead."
        );
        let binding = by(build, link, many.role_of_nodes());
        let binding = binding.map_or_else(several, |role| many.of_nodes(role));
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
fn of_relationships_by_suffix(build: &mut Build<'_>, link: &Link<'_>, owner: &str) {
    let own = link.connection_name();
    let r#type = link.connection_where(None);
    for (generic, text, many) in QUANTIFIERS {
        let text = relationships_text(build, link, text);
        let reason = format!(
            "Please use the relevant generic filter '{own}: {{ {generic}: {{ node: ... }} }} }}' \
             instead."
        );
        let binding = by(build, link, many.role()).map_or_else(several, InputBinding::lenient);
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
fn of_relationships(build: &mut Build<'_>, link: &Link<'_>, owner: &str) {
    let name = format!("{}ConnectionFilters", link.prefix);
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
        let r#type = format!("{}ConnectionAggregateInput", link.prefix);
        let input = DraftInput::new("aggregate", &r#type, binding).described(&text);
        let input = input.deprecated(link.field.deprecated.as_ref());
        build.draft.add_input(&name, input);
    }
    let input = DraftInput::new(&link.connection_name(), &name, many(build, link));
    build.draft.add_input(owner, input);
}

fn relationships_text(build: &Build<'_>, link: &Link<'_>, many: &str) -> String {
    let sources = &build.names(link.owner.into()).several;
    let connections = VERSION_8.pluralize(&link.connection_type());
    format!("Return {sources} where {many} of the related {connections} match this filter")
}

/// Adds a condition that is deprecated by the field, or by the library.
fn add_deprecated(
    build: &mut Build<'_>,
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
pub(super) fn connection_where(build: &mut Build<'_>, link: &Link<'_>) {
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

fn one_connection_where(build: &mut Build<'_>, link: &Link<'_>, name: &str, node: &str) {
    if build.draft.has(name) {
        return;
    }
    build.draft.input(name);
    build.add_logic(name, ["AND", "OR", "NOT"]);
    let filter = || InputBinding::lenient(FilterRole::Conditions);
    build.draft.add_input(name, DraftInput::new("node", &format!("{node}Where"), filter()));
    if link.has_properties() {
        let edge = format!("{}Where", link.edge);
        build.draft.add_input(name, DraftInput::new("edge", &edge, filter()));
    }
}
