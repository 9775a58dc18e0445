//! Types of nodes.

use std::collections::HashMap;
use std::sync::Arc;

use super::directives::{Known, Said};
use super::field::{self, Owner};
use super::offers::{self, events, limit};
use super::problem::{At, Problems};
use super::searches;
use super::types::{Meaning, Type, Types};
use crate::model::{
    ApiVersion, FieldKind, ModelDirection, ModelField, NodeType, Offers, Property, Target,
};

/// All types of nodes, in the order of the definitions.
pub(super) fn nodes(types: &Types<'_>, problems: &mut Problems) -> Vec<NodeType> {
    types.nodes.iter().map(|r#type| node(types, r#type, problems)).collect()
}

fn node(types: &Types<'_>, r#type: &Type<'_>, problems: &mut Problems) -> NodeType {
    let (said, at) = (&r#type.said, r#type.at());
    let fields = field::fields(types, Owner::Node, r#type, problems);
    check_global_id(at, r#type, &fields, problems);
    if types.version == ApiVersion::V7 {
        check_repeated(at, &fields, problems);
        check_declared(types, r#type, problems);
    }
    let (labels, claimed_labels) = labels(r#type, problems);
    NodeType {
        name: r#type.name().clone(),
        description: r#type.written.description.cloned(),
        labels,
        claimed_labels,
        plural: plural(said, at, problems),
        interfaces: r#type.interfaces().iter().map(|named| named.name.clone()).collect(),
        fields,
        offers: node_offers(types, r#type, problems),
        events: events(types.version, said, types.schema()),
        limit: limit(said, at, problems),
        fulltext: searches::fulltext(types.version, r#type, problems),
        vector: searches::vectors(r#type, problems),
        deprecated: None,
    }
}

/// A plural that is said, of anything that can have one.
pub(super) fn plural(said: &Said<'_>, at: At<'_>, problems: &mut Problems) -> Option<Arc<str>> {
    let said = match said.find(Known::Plural) {
        Some(plural) => plural.text("value").map(|text| (text, plural.line())),
        // version 3 says it so, too.
        None => {
            let node = said.find(Known::Node)?;
            node.text("plural").map(|text| (text, node.line()))
        }
    };
    let (plural, line) = said?;
    // It is written in camel case, without what stands between its words.
    let mut letters = plural.chars().filter(|one| !matches!(one, '_' | '-' | '.' | ' '));
    let begins = letters.next().is_some_and(|first| first.is_ascii_alphabetic());
    if !begins || !letters.all(|one| one.is_ascii_alphanumeric()) {
        let message = format!("of its plural {plural:?} no name of a field can be made");
        problems.wrong(at.on_line(line), message);
    }
    Some(plural.clone())
}

/// The labels of a type, and the claims that are labels.
fn labels(r#type: &Type<'_>, problems: &mut Problems) -> (Vec<Arc<str>>, Vec<Arc<str>>) {
    let own = r#type.name().clone();
    let Some(node) = r#type.said.find(Known::Node) else { return (vec![own], Vec::new()) };
    let mut said: Vec<Arc<str>> = Vec::new();
    match node.words("labels").filter(|labels| !labels.is_empty()) {
        Some(labels) => said.extend(labels.into_iter().cloned()),
        // version 3 says them so, too.
        None => {
            said.push(node.text("label").cloned().unwrap_or(own));
            let additional = node.words("additionalLabels").unwrap_or_default();
            said.extend(additional.into_iter().cloned());
        }
    }
    let at = r#type.at().on_line(node.line());
    let (mut labels, mut claims): (Vec<Arc<str>>, Vec<Arc<str>>) = (Vec::new(), Vec::new());
    for label in said {
        let known = match label.strip_prefix('$') {
            None => {
                problems.check_name(at, "one of its labels", &label);
                if label.is_empty() {
                    problems.wrong(at, "one of its labels is empty");
                }
                Some((&mut labels, label.clone()))
            }
            Some(name) => claim(name, &label, at, problems).map(|claim| (&mut claims, claim)),
        };
        if let Some((all, label)) = known
            && !all.contains(&label)
        {
            all.push(label);
        }
    }
    (labels, claims)
}

/// The claim that a label is: what else a request's context holds, only a program knows.
fn claim(name: &str, label: &str, at: At<'_>, problems: &mut Problems) -> Option<Arc<str>> {
    if let Some(claim) = name.strip_prefix("jwt.").filter(|claim| !claim.is_empty()) {
        return Some(claim.into());
    }
    match name {
        "jwt" | "jwt." => {
            problems.wrong(at, format!("the label {label:?} names no claim: write \"$jwt.name\""));
        }
        _ => {
            let subject = format!("the label {label:?}");
            problems.needs_javascript(at, subject, "let a claim say it: \"$jwt.name\"");
        }
    }
    None
}

/// version 3 takes `@exclude` from an interface where the type has none.
fn node_offers(types: &Types<'_>, r#type: &Type<'_>, problems: &mut Problems) -> Offers {
    let own = offers::offers(types.version, Some(&r#type.said), types.schema());
    if types.version == ApiVersion::V7 || r#type.said.has(Known::Exclude) {
        return own;
    }
    let interfaces = r#type.interfaces().iter().filter_map(|named| {
        let Some(Meaning::Interface(place)) = types.meaning(&named.name) else { return None };
        types.interfaces.get(place).filter(|interface| interface.said.has(Known::Exclude))
    });
    let excluding: Vec<&Type<'_>> = interfaces.collect();
    if let [first, ..] = excluding.as_slice()
        && (r#type.said.has(Known::Query) || r#type.said.has(Known::Mutation))
    {
        let message = format!(
            "it has `@exclude` from `{}`, which excludes `@query` and `@mutation`",
            first.name()
        );
        problems.wrong(r#type.at(), message);
    }
    match excluding.as_slice() {
        [] => own,
        [interface] => offers::offers(types.version, Some(&interface.said), types.schema()),
        [first, second, ..] => {
            let message = format!(
                "`{}` and `{}` both have `@exclude`: say which holds by one of its own",
                first.name(),
                second.name()
            );
            problems.wrong(r#type.at(), message);
            own
        }
    }
}

fn check_global_id(at: At<'_>, r#type: &Type<'_>, fields: &[ModelField], problems: &mut Problems) {
    let is_global = |field: &&ModelField| {
        matches!(field.kind, FieldKind::Property(Property { is_relay_id: true, .. }))
    };
    let mut global = fields.iter().filter(is_global);
    let Some(first) = global.next() else { return };
    for other in global {
        let message = format!("`{}` is its global id already: it has one only", first.name);
        problems.wrong(at.on_line(other.line), message);
    }
    let clash = r#type.fields().iter().find(|field| &*field.definition.name == "id");
    if let Some(clash) = clash
        && !clash.directives.iter().any(|directive| &*directive.name == "alias")
    {
        let message = "with a global id the field `id` is that: rename this one, and keep the \
                       property's name by `@alias(property: \"id\")`";
        problems.wrong(at.on_line(clash.definition.line), message);
    }
}

/// What leads the same way to the same nodes leads there once; deprecated fields may repeat it.
fn check_repeated(at: At<'_>, fields: &[ModelField], problems: &mut Problems) {
    let mut known: HashMap<(Target, &str, bool), &ModelField> = HashMap::new();
    for field in fields.iter().filter(|field| field.deprecated.is_none()) {
        let FieldKind::Relationship(way) = &field.kind else { continue };
        let key = (way.target, &*way.r#type, way.direction == ModelDirection::In);
        if let Some(first) = known.get(&key) {
            let message = format!(
                "`{}` and `{}` are the same relationship: of one type, in one direction, to the \
                 same nodes",
                first.name, field.name
            );
            problems.wrong(at.on_line(field.line), message);
        } else {
            known.insert(key, field);
        }
    }
}

/// What an interface declares as a relationship has to be one.
fn check_declared(types: &Types<'_>, r#type: &Type<'_>, problems: &mut Problems) {
    for named in r#type.interfaces() {
        let Some(Meaning::Interface(place)) = types.meaning(&named.name) else { continue };
        let Some(interface) = types.interfaces.get(place) else { continue };
        for declared in interface.fields() {
            let mut directives = declared.directives.iter();
            if !directives.any(|directive| &*directive.name == "declareRelationship") {
                continue;
            }
            let name = &declared.definition.name;
            let mut fields = r#type.fields().iter();
            // That there is no such field was told.
            let Some(own) = fields.find(|field| field.definition.name == *name) else { continue };
            let mut directives = own.directives.iter();
            if !directives.any(|directive| &*directive.name == "relationship") {
                let at = r#type.at().member(own.definition.line, &own.definition.name);
                let message = format!(
                    "`{}` declares it as a relationship: add `@relationship(type:, direction:)`",
                    named.name
                );
                problems.wrong(at, message);
            }
        }
    }
}
