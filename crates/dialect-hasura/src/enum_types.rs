//! Enums whose values are the rows of tables (`is_enum`), and the columns that refer to them.

use std::sync::Arc;

use catalog::{Catalog, FieldId};
use graphql::schema::is_name;
use hasura_metadata::{Problem, ProblemKind};
use response::{EnumNames, Leaf};
use rustc_hash::FxHashMap;

use super::naming::TableNames;
use super::tracking::Tracking;
use super::values::Values;

/// Names that GraphQL reserves for other values.
const RESERVED: [&str; 3] = ["true", "false", "null"];

/// An enum.
#[derive(Debug)]
pub(super) struct EnumType {
    pub(super) name: String,
    pub(super) values: Vec<EnumValue>,
}

/// A value of an enum.
#[derive(Debug)]
pub(super) struct EnumValue {
    pub(super) name: String,
    pub(super) label: Box<str>,
    pub(super) description: Option<Box<str>>,
}

/// All enums, and the values of the columns that refer to their tables.
#[derive(Debug, Default)]
pub(super) struct EnumTypes {
    pub(super) types: Vec<EnumType>,
    columns: FxHashMap<FieldId, Values>,
}

impl EnumTypes {
    /// Makes the enums of the rows that the catalog knows.
    pub(super) fn new(
        catalog: &Catalog,
        tracking: &Tracking<'_>,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let mut types = Self::default();
        for tracked in tracking.tables.iter().flat_map(|tables| tables.values()) {
            let Some(source) = tracked.enum_source else { continue };
            let place = &tracked.table.table.place;
            let mut report = |message: String| {
                let (kind, place) = (ProblemKind::WrongValue, place.clone());
                problems.push(Problem { kind, place, message });
            };
            let entity = &catalog[source.entity];
            let configuration = &tracked.table.configuration;
            let namespace = entity.namespace.as_deref();
            let (given, known) = (catalog.given().entity(entity.id), (namespace, &*entity.name));
            let names = TableNames::new(tracking.naming, known, given, configuration);
            // The problem of the name is that of the table.
            let Some(name) = names.map(|names| names.r#type("enum")) else { continue };
            let rows = catalog.known_rows(source.entity).cloned().unwrap_or_default();
            let descriptions: Vec<Option<&str>> = match source.description {
                Some(field) => rows.values(field).collect(),
                None => vec![None; rows.rows.len()],
            };
            let labels = rows.values(source.key).zip(descriptions);
            let values = labels.filter_map(|(label, description)| {
                let label = label?;
                let (name, description) = (tracking.naming.enum_value(label), description);
                Some(EnumValue {
                    name,
                    label: label.into(),
                    description: description.map(Into::into),
                })
            });
            let values: Vec<EnumValue> = values.collect();
            let subject = catalog.qualified_name(entity.id);
            if values.is_empty() {
                report(format!("The enum table {subject} has no row. Insert the values."));
                continue;
            }
            let is_wrong = |value: &&EnumValue| {
                !is_name(&value.name) || RESERVED.contains(&value.name.as_str())
            };
            if let Some(wrong) = values.iter().find(is_wrong) {
                report(format!(
                    "The value {:?} of the enum table {subject} is no name of GraphQL. Change it.",
                    wrong.label
                ));
                continue;
            }
            let mut sorted: Vec<&str> = values.iter().map(|value| value.name.as_str()).collect();
            sorted.sort_unstable();
            if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                report(format!(
                    "Two values of the enum table {subject} are named {}. Change one of them.",
                    pair[0]
                ));
                continue;
            }
            let pairs =
                values.iter().map(|value| (value.label.clone(), value.name.as_str().into()));
            let leaf = Leaf::Enum(Arc::new(EnumNames::new(pairs)));
            for id in &entity.incoming {
                let relationship = &catalog[*id];
                if let ([from], [to]) = (&*relationship.from_fields, &*relationship.to_fields)
                    && relationship.enforced
                    && *to == source.key
                {
                    types.columns.insert(*from, Values::of_enum(&name, leaf.clone()));
                }
            }
            types.types.push(EnumType { name, values });
        }
        types
    }

    /// The values of a column that refers to an enum table.
    pub(super) fn find(&self, field: FieldId) -> Option<&Values> {
        self.columns.get(&field)
    }
}
