//! All types but those of nodes.

use std::collections::HashMap;

use super::directives::{self, Known, Place};
use super::field::{self, Owner};
use super::node::plural;
use super::offers::{limit, offers_of_abstract};
use super::problem::Problems;
use super::shown;
use super::types::{Meaning, Types};
use super::written::WrittenBody;
use crate::model::{EnumType, EnumTypeValue, InterfaceType, PropertiesType, ScalarType, UnionType};

/// The types of the properties of relationships.
pub(super) fn properties(types: &Types<'_>, problems: &mut Problems) -> Vec<PropertiesType> {
    let all = types.properties.iter().map(|r#type| PropertiesType {
        name: r#type.name().clone(),
        description: r#type.written.description.cloned(),
        fields: field::fields(types, Owner::Properties, r#type, problems),
    });
    all.collect()
}

pub(super) fn interfaces(types: &Types<'_>, problems: &mut Problems) -> Vec<InterfaceType> {
    let mut implementations: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, node) in types.nodes.iter().enumerate() {
        for named in node.interfaces() {
            implementations.entry(&named.name).or_default().push(place);
        }
    }
    let all = types.interfaces.iter().map(|r#type| InterfaceType {
        name: r#type.name().clone(),
        description: r#type.written.description.cloned(),
        plural: plural(&r#type.said, r#type.at(), problems),
        interfaces: r#type.interfaces().iter().map(|named| named.name.clone()).collect(),
        implementations: implementations.remove(&**r#type.name()).unwrap_or_default(),
        fields: field::fields(types, Owner::Interface, r#type, problems),
        shown: shown::fields(types, r#type),
        offers: offers_of_abstract(types.version, &r#type.said, types.schema()),
        limit: limit(&r#type.said, r#type.at(), problems),
    });
    all.collect()
}

pub(super) fn unions(types: &Types<'_>, problems: &mut Problems) -> Vec<UnionType> {
    let all = types.unions.iter().map(|r#type| {
        let members = match &r#type.written.body {
            WrittenBody::Union(members) => members.as_slice(),
            _ => &[],
        };
        let place = |name: &str| match types.meaning(name) {
            Some(Meaning::Node(place)) => Some(place),
            // What is none was told.
            _ => None,
        };
        UnionType {
            name: r#type.name().clone(),
            description: r#type.written.description.cloned(),
            plural: plural(&r#type.said, r#type.at(), problems),
            members: members.iter().filter_map(|member| place(&member.name)).collect(),
            offers: offers_of_abstract(types.version, &r#type.said, types.schema()),
        }
    });
    all.collect()
}

pub(super) fn enums(types: &Types<'_>, problems: &mut Problems) -> Vec<EnumType> {
    let mut enums = Vec::new();
    for r#type in &types.enums {
        let WrittenBody::Enum(written) = &r#type.written.body else { continue };
        if written.is_empty() {
            problems.wrong(r#type.at(), "an enum has one value at least");
        }
        let mut values = Vec::new();
        for value in written {
            let at = r#type.at().member(value.line, &value.name);
            if value.name.starts_with("__") || matches!(&*value.name, "true" | "false" | "null") {
                problems.wrong(at, "it cannot be the name of a value: rename it");
            }
            let all: Vec<_> = value.directives.iter().collect();
            let said = directives::check(types.version, Place::EnumValue, at, &all, problems);
            values.push(EnumTypeValue {
                name: value.name.clone(),
                description: value.description.clone(),
                deprecated: field::deprecated(&said),
            });
        }
        enums.push(EnumType {
            name: r#type.name().clone(),
            description: r#type.written.description.cloned(),
            values,
        });
    }
    enums
}

pub(super) fn scalars(types: &Types<'_>) -> Vec<ScalarType> {
    let all = types.scalars.iter().map(|r#type| {
        let specified = r#type.said.find(Known::SpecifiedBy);
        ScalarType {
            name: r#type.name().clone(),
            description: r#type.written.description.cloned(),
            specified_by: specified.and_then(|one| one.text("url")).cloned(),
        }
    });
    all.collect()
}
