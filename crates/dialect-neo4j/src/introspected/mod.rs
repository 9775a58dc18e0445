//! Type definitions for what is in a graph, as a person would have written them.
//!
//! * [`classes`]: which types there are, by the labels of nodes
//! * [`properties`]: their properties as fields
//! * [`cover`], [`ways`]: between which types there are relationships, and the fields for these
//! * [`constraints`], [`search`]: what constraints and indexes say of them
//! * [`names`], [`reserved`]: what types and fields are called
//! * [`definition`], [`text`]: the definitions as a tree and as a text
//! * [`findings`]: what they cannot say
//!
//! Names are the same whenever the same is in the graph, and those of a relationship's fields
//! depend on nothing but its type and its ends: another label in the graph leaves them alone.
//! Whatever is in the graph and in no definition is said by a comment and a note.

mod classes;
mod constraints;
mod cover;
mod definition;
mod findings;
mod names;
mod properties;
mod reserved;
mod search;
#[cfg(test)]
mod tests;
mod text;
mod ways;

use std::collections::BTreeMap;

use catalog::{Coverage, GraphProperty, GraphSummary, Note};

use self::classes::{Class, Classes};
use self::constraints::Owner;
use self::definition::{Argument, Directive, FieldDefinition, Keyword, TypeDefinition};
use self::findings::Finding;
use self::names::Taken;
use self::properties::{Properties, PropertyField};
pub use self::search::Indexes;
use self::text::quoted;
use self::ways::Graph;
use crate::model::ApiVersion;

/// Type definitions, and what they leave out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Introspected {
    /// In GraphQL's schema language; empty if there is nothing that a type could be made of.
    pub text: String,
    pub notes: Vec<Note>,
}

/// Writes type definitions for what is in a graph.
#[must_use]
pub fn definitions(summary: &GraphSummary, version: ApiVersion, indexes: Indexes) -> Introspected {
    let classes = Classes::of(summary);
    let mut findings = Vec::new();
    let ties = cover::ties(summary, &classes);
    loose_ends(summary, &mut findings);

    let mut types = Taken::default();
    let type_names = type_names(&classes, &mut types);
    let properties: Vec<Properties<'_>> =
        classes.all.iter().map(|class| node_properties(summary, class)).collect();
    let (edge_names, edges) = edge_types(summary, version, &mut types);

    let mut queries = Taken::default();
    let plurals = plurals(&type_names, &mut queries);
    let searches = search::searches(
        summary,
        &classes,
        &properties,
        &plurals,
        (version, indexes),
        &mut queries,
        &mut findings,
    );

    let graph = Graph {
        summary,
        classes: &classes,
        type_names: &type_names,
        ties: &ties,
        properties: &edge_names,
        version,
    };
    let mut notes = Vec::new();
    let mut definitions = Vec::new();
    let parts = classes.all.iter().zip(&type_names).zip(&properties).zip(plurals).zip(searches);
    for (place, ((((class, name), properties), plural), searches)) in parts.enumerate() {
        let mut taken = Taken::default();
        let mut fields: Vec<FieldDefinition> = properties
            .fields
            .iter()
            .map(|field| property_field(field, version, &mut taken))
            .collect();
        fields.extend(ways::fields(graph, place, &mut taken));
        if fields.is_empty() {
            findings.push(Finding::NoField { label: class.label.into() });
            continue;
        }
        notes.extend(properties.unfit.iter().map(|unfit| findings::note_of(name, unfit)));
        let usual = names::plural(name);
        definitions.push(TypeDefinition {
            comments: comments(summary, Owner::Nodes(&class.labels), properties, searches.comments),
            keyword: Keyword::Type,
            name: name.clone(),
            directives: directives(class, name, (plural != usual).then_some(plural), version)
                .chain(searches.directives)
                .collect(),
            fields,
        });
    }
    definitions.sort_by(|a, b| a.name.cmp(&b.name));
    for (definition, properties) in edges {
        notes.extend(
            properties.unfit.iter().map(|unfit| findings::note_of(&definition.name, unfit)),
        );
        if !definition.fields.is_empty() {
            definitions.push(definition);
        }
    }
    notes.extend(findings.iter().map(Finding::note));
    let head = head(summary, &findings);
    let text =
        if definitions.is_empty() { String::new() } else { text::print(&head, &definitions) };
    Introspected { text, notes }
}

/// What is said above everything else.
fn head(summary: &GraphSummary, findings: &[Finding]) -> Vec<String> {
    let sample = match summary.coverage {
        Coverage::Whole => None,
        Coverage::Sample { most } => Some(format!(
            "Written from a part of the graph: {most} nodes of each label and relationships of \
             each type at most."
        )),
    };
    sample.into_iter().chain(findings.iter().map(Finding::line)).collect()
}

/// Nodes and ends of relationships that no type can have.
fn loose_ends(summary: &GraphSummary, findings: &mut Vec<Finding>) {
    let unlabelled = summary.nodes.iter().filter(|group| group.labels.is_empty());
    let count = unlabelled.fold(0, |sum: u64, group| sum.saturating_add(group.count));
    if count > 0 {
        findings.push(Finding::Unlabelled { count });
    }
    let loose =
        summary.triples.iter().filter(|triple| triple.from.is_empty() || triple.to.is_empty());
    let mut types: Vec<&str> = loose.map(|triple| &*triple.r#type).collect();
    types.sort_unstable();
    types.dedup();
    findings.extend(types.into_iter().map(|name| Finding::LooseEnds { r#type: name.into() }));
}

/// The names of the types, by the places of the classes. Labels that are names keep them.
fn type_names(classes: &Classes<'_>, taken: &mut Taken) -> Vec<String> {
    let wanted: Vec<String> =
        classes.all.iter().map(|class| names::type_name(class.label)).collect();
    let plurals: Vec<String> =
        wanted.iter().map(|name| names::type_name(&names::plural(name))).collect();
    let is_reserved = |name: &str| {
        let others = wanted.iter().chain(&plurals).map(String::as_str);
        reserved::is_type(name, others.filter(|other| *other != name))
    };
    let mut named: Vec<String> = vec![String::new(); wanted.len()];
    for keeps in [true, false] {
        for ((class, name), named) in classes.all.iter().zip(&wanted).zip(&mut named) {
            let is_kept = class.label == name && !is_reserved(name);
            if is_kept == keeps {
                let name = if is_reserved(name) { [name, "Entity"].concat() } else { name.clone() };
                *named = taken.take(&name);
            }
        }
    }
    named
}

/// What lists of each type are called, by the places of the classes. Of `Movie` and `MOVIE` the
/// first is what people would ask for.
fn plurals(type_names: &[String], queries: &mut Taken) -> Vec<String> {
    let made = ["Connection", "Aggregate"];
    let is_loud = |name: &String| !name.contains(|letter: char| letter.is_ascii_lowercase());
    let mut order: Vec<(usize, &String)> = type_names.iter().enumerate().collect();
    order.sort_by_key(|(_, name)| (is_loud(name), *name));
    let mut plurals = vec![String::new(); type_names.len()];
    for (place, name) in order {
        if let Some(plural) = plurals.get_mut(place) {
            *plural = queries.take_with(&names::plural(name), &made);
        }
    }
    plurals
}

fn node_properties<'s>(summary: &'s GraphSummary, class: &Class<'_>) -> Properties<'s> {
    let groups: Vec<&[GraphProperty]> = class
        .groups
        .iter()
        .filter_map(|group| summary.nodes.get(*group))
        .map(|group| &*group.properties)
        .collect();
    let is_reserved = |name: &str, others: &[&str]| reserved::is_field(name, others.iter());
    Properties::of(summary, Owner::Nodes(&class.labels), &groups, is_reserved)
}

/// The types of properties of relationships: their names by the types of these, and what they are.
fn edge_types<'s>(
    summary: &'s GraphSummary,
    version: ApiVersion,
    taken: &mut Taken,
) -> (BTreeMap<&'s str, String>, Vec<(TypeDefinition, Properties<'s>)>) {
    let mut names = BTreeMap::new();
    let mut found = Vec::new();
    let mut groups: Vec<_> = summary.relationships.iter().collect();
    groups.sort_by(|a, b| a.r#type.cmp(&b.r#type));
    for group in groups {
        let owner = Owner::Relationships(&group.r#type);
        let is_reserved =
            |name: &str, others: &[&str]| reserved::is_edge_field(name, others.iter());
        let properties = Properties::of(summary, owner, &[&*group.properties], is_reserved);
        if properties.fields.is_empty() && properties.unfit.is_empty() {
            continue;
        }
        let name = taken.take(&names::properties_type_name(&group.r#type));
        if !properties.fields.is_empty() {
            names.insert(&*group.r#type, name.clone());
        }
        let mut taken = Taken::default();
        let fields = properties.fields.iter().map(|field| edge_field(field, &mut taken)).collect();
        let definition = TypeDefinition {
            comments: comments(summary, owner, &properties, Vec::new()),
            keyword: match version {
                ApiVersion::V3 => Keyword::Interface,
                ApiVersion::V7 => Keyword::Type,
            },
            name,
            directives: vec![Directive::plain("relationshipProperties")],
            fields,
        };
        found.push((definition, properties));
    }
    found.sort_by(|(a, _), (b, _)| a.name.cmp(&b.name));
    (names, found)
}

/// What is said above a type.
fn comments(
    summary: &GraphSummary,
    owner: Owner<'_>,
    properties: &Properties<'_>,
    others: Vec<String>,
) -> Vec<String> {
    let together = owner.unique_together(summary).map(|together| {
        let names: Vec<String> = together.iter().map(|property| quoted(property)).collect();
        ["Unique together: ", &names.join(", "), "."].concat()
    });
    together.chain(others).chain(properties.unfit.iter().map(findings::line_of)).collect()
}

fn directives(
    class: &Class<'_>,
    name: &str,
    plural: Option<String>,
    version: ApiVersion,
) -> impl Iterator<Item = Directive> {
    let labels = Argument::texts(class.labels.iter().copied());
    let node = match (&*class.labels, version) {
        ([label], ApiVersion::V7) if *label == name => Some(Directive::plain("node")),
        ([label], ApiVersion::V3) if *label == name => None,
        _ => Some(Directive::with("node", [("labels", labels)])),
    };
    let plural =
        plural.map(|plural| Directive::with("plural", [("value", Argument::Text(plural))]));
    node.into_iter().chain(plural)
}

fn property_field(
    field: &PropertyField<'_>,
    version: ApiVersion,
    taken: &mut Taken,
) -> FieldDefinition {
    let mut definition = edge_field(field, taken);
    if field.is_unique && version == ApiVersion::V3 {
        definition.comments.clear();
        definition.directives.push(Directive::plain("unique"));
    }
    definition
}

/// What has no directive of its own is said by a comment.
fn edge_field(field: &PropertyField<'_>, taken: &mut Taken) -> FieldDefinition {
    let alias = (field.name != field.property).then(|| {
        Directive::with("alias", [("property", Argument::Text(field.property.to_owned()))])
    });
    FieldDefinition {
        comments: if field.is_unique { vec!["Unique.".to_owned()] } else { Vec::new() },
        name: taken.take(&field.name),
        r#type: field.r#type(),
        directives: alias.into_iter().collect(),
    }
}
