//! The fields by which nodes lead to others: both ends of a relationship have one.

use std::collections::BTreeMap;

use catalog::{End, GraphSummary};

use super::classes::Classes;
use super::cover::Tie;
use super::definition::{Argument, Directive, FieldDefinition};
use super::names::{self, Taken};
use crate::model::ApiVersion;

/// How many nodes must have one relationship each before it is said that none has two: of fewer it
/// would be chance.
const ENOUGH: u64 = 20;

/// What fields of relationships are made from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Graph<'a> {
    pub(super) summary: &'a GraphSummary,
    pub(super) classes: &'a Classes<'a>,
    /// By the places of the classes.
    pub(super) type_names: &'a [String],
    pub(super) ties: &'a [Tie<'a>],
    /// The types of properties of relationships, by the type of these.
    pub(super) properties: &'a BTreeMap<&'a str, String>,
    pub(super) version: ApiVersion,
}

/// A tie as one of its ends sees it.
struct Way<'a> {
    name: String,
    tie: &'a Tie<'a>,
    end: End,
    is_list: bool,
}

/// The fields of a class, in the order of their names, none of which is `taken`.
pub(super) fn fields(graph: Graph<'_>, class: usize, taken: &mut Taken) -> Vec<FieldDefinition> {
    let mut ways: Vec<Way<'_>> = Vec::new();
    for tie in graph.ties {
        for end in [End::From, End::To] {
            if leads(graph, class, tie, end) {
                ways.extend(way(graph, tie, end));
            }
        }
    }
    ways.sort_by(|a, b| {
        (&a.name, a.tie.r#type, a.end, a.tie.from, a.tie.to).cmp(&(
            &b.name,
            b.tie.r#type,
            b.end,
            b.tie.from,
            b.tie.to,
        ))
    });
    // Beside each field two others are made.
    let endings = ["Connection", "Aggregate"];
    let named = ways.iter().map(|way| {
        let name = taken.take_with(&way.name, &endings);
        field(graph, way, name)
    });
    named.collect()
}

/// Whether the nodes of a class are at an end of the relationships: all that are, or some of them
/// together with others of a class above it.
fn leads(graph: Graph<'_>, class: usize, tie: &Tie<'_>, end: End) -> bool {
    let at_end = match end {
        End::From => tie.from,
        End::To => tie.to,
    };
    if class == at_end {
        return true;
    }
    let groups = graph.classes.all.get(class).map_or(&[][..], |class| &*class.groups);
    graph.classes.is_below(class, at_end) && tie.at(end).any(|group| groups.contains(&group))
}

fn way<'a>(graph: Graph<'a>, tie: &'a Tie<'a>, end: End) -> Option<Way<'a>> {
    let is_list = graph.version == ApiVersion::V7 || !is_single(graph.summary, tie, end);
    let name = match end {
        End::From => names::outgoing(tie.r#type, graph.type_names.get(tie.to)?, is_list),
        End::To => names::incoming(tie.r#type, graph.type_names.get(tie.from)?, is_list),
    };
    Some(Way { name, tie, end, is_list })
}

fn field(graph: Graph<'_>, way: &Way<'_>, name: String) -> FieldDefinition {
    let Way { tie, end, is_list, .. } = way;
    let (other, direction) = match end {
        End::From => (tie.to, "OUT"),
        End::To => (tie.from, "IN"),
    };
    let other = graph.type_names.get(other).map_or("", String::as_str);
    let mut arguments = vec![
        ("type", Argument::Text(tie.r#type.to_owned())),
        ("direction", Argument::Word(direction)),
    ];
    if let Some(properties) = graph.properties.get(tie.r#type) {
        arguments.push(("properties", Argument::Text(properties.clone())));
    }
    // Where a field cannot say so, a comment does.
    let is_said = *is_list && is_single(graph.summary, tie, *end);
    FieldDefinition {
        comments: if is_said { vec!["One at most.".to_owned()] } else { Vec::new() },
        name,
        r#type: if *is_list { ["[", other, "!]!"].concat() } else { other.to_owned() },
        directives: vec![Directive::with("relationship", arguments)],
    }
}

/// Whether no node at this end has two relationships of the type, and enough have one.
fn is_single(summary: &GraphSummary, tie: &Tie<'_>, end: End) -> bool {
    let mut nodes = 0_u64;
    let mut groups: Vec<usize> = tie.at(end).collect();
    groups.sort_unstable();
    groups.dedup();
    for group in groups {
        let Some(group) = summary.nodes.get(group) else { return false };
        let found = summary.degrees.iter().find(|degree| {
            degree.end == end && *degree.r#type == *tie.r#type && degree.labels == group.labels
        });
        match found {
            Some(degree) if degree.most <= 1 => nodes = nodes.saturating_add(degree.nodes),
            Some(_) | None => return false,
        }
    }
    nodes >= ENOUGH
}
