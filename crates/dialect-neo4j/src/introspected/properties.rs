//! The fields of properties: their names, their types, and which have none.

use std::collections::{BTreeMap, BTreeSet};

use catalog::{GraphProperty, GraphSummary, GraphType, GraphValue};

use super::constraints::Owner;
use super::names::{self, Taken};

/// A property as a field.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PropertyField<'s> {
    pub(super) property: &'s str,
    pub(super) name: String,
    pub(super) scalar: &'static str,
    pub(super) is_list: bool,
    pub(super) is_always: bool,
    pub(super) is_unique: bool,
}

/// A property that no field can have.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unfit<'s> {
    pub(super) property: &'s str,
    pub(super) reason: Reason,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// The names of the types of its values.
    SeveralTypes(Vec<String>),
    /// The name of the type.
    UnknownType(String),
    OnlyEmptyLists,
}

/// The properties of a type.
#[derive(Debug, Default)]
pub(super) struct Properties<'s> {
    /// What is unique comes first, then in the order of names.
    pub(super) fields: Vec<PropertyField<'s>>,
    pub(super) unfit: Vec<Unfit<'s>>,
}

/// What was found of a property in all groups.
#[derive(Debug, Default)]
struct Merged<'s> {
    types: BTreeSet<&'s GraphType>,
    /// In how many groups all have it.
    always: usize,
}

impl<'s> Properties<'s> {
    /// The properties of what is in these groups. Names that `is_reserved` are not used as they
    /// are.
    pub(super) fn of(
        summary: &'s GraphSummary,
        owner: Owner<'_>,
        groups: &[&'s [GraphProperty]],
        is_reserved: impl Fn(&str, &[&str]) -> bool,
    ) -> Self {
        let mut merged: BTreeMap<&'s str, Merged<'s>> = BTreeMap::new();
        for property in groups.iter().copied().flatten() {
            let found = merged.entry(&property.name).or_default();
            found.types.extend(&property.types);
            found.always += usize::from(property.always);
        }
        for (property, types) in owner.types(summary) {
            // What is there is what counts: the constraint is told of values that nobody saw.
            let found = merged.entry(property).or_default();
            if found.types.is_empty() {
                found.types.extend(types);
            }
        }
        let mut properties = Self::default();
        for (property, found) in merged {
            let is_unique = owner.is_unique(summary, property);
            match scalar(&found.types) {
                Ok((scalar, is_list)) => properties.fields.push(PropertyField {
                    property,
                    name: String::new(),
                    scalar: if is_unique && !is_list { of_key(scalar, property) } else { scalar },
                    is_list,
                    is_always: found.always == groups.len() && !groups.is_empty()
                        || owner.is_always(summary, property),
                    is_unique,
                }),
                Err(reason) => properties.unfit.push(Unfit { property, reason }),
            }
        }
        properties.name(is_reserved);
        properties.fields.sort_by(|a, b| (!a.is_unique, &a.name).cmp(&(!b.is_unique, &b.name)));
        properties
    }

    /// The field of a property.
    pub(super) fn find(&self, property: &str) -> Option<&PropertyField<'s>> {
        self.fields.iter().find(|field| field.property == property)
    }

    /// Those come first that keep their names, so that another name is never given to one of them.
    fn name(&mut self, is_reserved: impl Fn(&str, &[&str]) -> bool) {
        let all: Vec<&str> = self.fields.iter().map(|field| field.property).collect();
        let mut taken = Taken::default();
        let keeps = |property: &str| {
            names::property_name(property) == property && !is_reserved(property, &all)
        };
        for field in self.fields.iter_mut().filter(|field| keeps(field.property)) {
            field.name = taken.take(field.property);
        }
        for field in self.fields.iter_mut().filter(|field| field.name.is_empty()) {
            let mut name = names::spelled_property_name(field.property);
            if is_reserved(&name, &[]) {
                name.push_str("Property");
            }
            field.name = taken.take(&name);
        }
    }
}

impl PropertyField<'_> {
    /// As a definition says it. Stored lists have no nulls.
    pub(super) fn r#type(&self) -> String {
        let mark = if self.is_always { "!" } else { "" };
        match self.is_list {
            true => ["[", self.scalar, "!]", mark].concat(),
            false => [self.scalar, mark].concat(),
        }
    }

    /// Whether it is one text.
    pub(super) fn is_text(&self) -> bool {
        !self.is_list && matches!(self.scalar, "String" | "ID")
    }

    /// Whether it may be what a vector index is over.
    pub(super) fn is_vector(&self) -> bool {
        self.is_list && self.scalar == "Float"
    }
}

/// A text that tells its node from all others and says so in its name is an ID.
fn of_key(scalar: &'static str, property: &str) -> &'static str {
    let lower = property.to_ascii_lowercase();
    let is_whole = matches!(&*lower, "id" | "uuid" | "guid");
    let is_last =
        ["Id", "ID", "_id", "Uuid", "UUID", "_uuid"].iter().any(|end| property.ends_with(end));
    if scalar == "String" && (is_whole || is_last) { "ID" } else { scalar }
}

/// The scalar that has values of all of these types, and whether they are lists of it.
fn scalar(types: &BTreeSet<&GraphType>) -> Result<(&'static str, bool), Reason> {
    let some = |r#type: &&&GraphType| r#type.value != GraphValue::Nothing;
    let values: BTreeSet<&GraphValue> =
        types.iter().filter(some).map(|r#type| &r#type.value).collect();
    let several = || Reason::SeveralTypes(types.iter().map(|r#type| shown(r#type)).collect());
    let is_list = types.iter().all(|r#type| r#type.is_list);
    if !is_list && types.iter().any(|r#type| r#type.is_list) {
        return Err(several());
    }
    let scalar = match *values.into_iter().collect::<Vec<_>>() {
        [] => return Err(Reason::OnlyEmptyLists),
        [GraphValue::Boolean] => "Boolean",
        [GraphValue::Integer] => "Int",
        [GraphValue::WideInteger] | [GraphValue::Integer, GraphValue::WideInteger] => "BigInt",
        // A whole number is one of them too, for the database as for GraphQL.
        [.., GraphValue::Float] if types.iter().all(|r#type| is_number(&r#type.value)) => "Float",
        [GraphValue::Text] => "String",
        [GraphValue::Date] => "Date",
        [GraphValue::Time] => "Time",
        [GraphValue::LocalTime] => "LocalTime",
        [GraphValue::DateTime] => "DateTime",
        [GraphValue::LocalDateTime] => "LocalDateTime",
        [GraphValue::Duration] => "Duration",
        [GraphValue::GeographicPoint] => "Point",
        [GraphValue::CartesianPoint] => "CartesianPoint",
        [value @ (GraphValue::Bytes | GraphValue::Other(_))] => {
            return Err(Reason::UnknownType(name(value).to_owned()));
        }
        [..] => return Err(several()),
    };
    Ok((scalar, is_list))
}

/// Empty lists are of any type.
fn is_number(value: &GraphValue) -> bool {
    match value {
        GraphValue::Integer | GraphValue::WideInteger | GraphValue::Float | GraphValue::Nothing => {
            true
        }
        GraphValue::Boolean
        | GraphValue::Text
        | GraphValue::Date
        | GraphValue::Time
        | GraphValue::LocalTime
        | GraphValue::DateTime
        | GraphValue::LocalDateTime
        | GraphValue::Duration
        | GraphValue::GeographicPoint
        | GraphValue::CartesianPoint
        | GraphValue::Bytes
        | GraphValue::Other(_) => false,
    }
}

fn shown(r#type: &GraphType) -> String {
    let name = name(&r#type.value);
    if r#type.is_list { ["list of ", name].concat() } else { name.to_owned() }
}

/// What somebody who stores values calls their type.
fn name(value: &GraphValue) -> &str {
    match value {
        GraphValue::Boolean => "Boolean",
        GraphValue::Integer | GraphValue::WideInteger => "Integer",
        GraphValue::Float => "Float",
        GraphValue::Text => "String",
        GraphValue::Date => "Date",
        GraphValue::Time => "Time",
        GraphValue::LocalTime => "LocalTime",
        GraphValue::DateTime => "DateTime",
        GraphValue::LocalDateTime => "LocalDateTime",
        GraphValue::Duration => "Duration",
        GraphValue::GeographicPoint => "Point",
        GraphValue::CartesianPoint => "cartesian Point",
        GraphValue::Bytes => "ByteArray",
        GraphValue::Nothing => "nothing",
        GraphValue::Other(name) => name,
    }
}
