//! Rows of the source that belong to objects of other servers.
//!
//! The completed value of a resolver has a placeholder for such rows, with the number of their
//! selection and the values of their keys. A query of the same API gives the rows: its document is the
//! same for all objects, and all values are variables, so that it is planned once.

use serde_json::{Map, Value};

use crate::projection::{Member, ObjectProjection, ProjectedField, Projection};
use crate::related_field::RelatedField;
use crate::splice::{MARK, Position};

/// One selection of such a field.
#[derive(Debug)]
pub struct RelatedSelection<'p> {
    field: &'p ProjectedField,
    related: &'p RelatedField,
}

/// A query for related rows.
#[derive(Clone, Debug, PartialEq)]
pub struct RelatedQuery {
    pub document: String,
    pub variables: Map<String, Value>,
}

/// The response name of the rows.
pub const ROWS: &str = "rows";

/// The most fields of one selection with related rows.
const MOST_RELATED: usize = 1 << 16;

impl Projection {
    /// Gives the selections of related rows their numbers, which begin at one of the selection.
    pub(crate) fn number_related(&mut self, selection: usize) {
        let mut next = selection.saturating_mul(MOST_RELATED);
        number(self, &mut next);
    }

    /// The selection of related rows with a number.
    #[must_use]
    pub fn find_related(&self, wanted: usize) -> Option<RelatedSelection<'_>> {
        let fields = self.objects().iter().flat_map(|object| &object.fields);
        for field in fields {
            match &field.member {
                Member::Related { number, related } if *number == wanted => {
                    return Some(RelatedSelection { field, related });
                }
                Member::Related { .. } | Member::Typename => {}
                Member::Field { .. } => {
                    if let Some(found) = field.projection.find_related(wanted) {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    /// The places of related rows in the completed value.
    #[must_use]
    pub fn related_positions(&self) -> Vec<Position> {
        let mut positions: Vec<Position> = Vec::new();
        for field in self.objects().iter().flat_map(|object| &object.fields) {
            let is_resolved = matches!(field.member, Member::Related { .. });
            let children = match is_resolved {
                true => Vec::new(),
                false => field.projection.related_positions(),
            };
            if is_resolved || !children.is_empty() {
                let response_name = field.response_name.clone();
                let r#type = field.r#type;
                positions.push(Position { response_name, r#type, is_resolved, children });
            }
        }
        positions
    }
}

/// The index of the selection of a resolver that has the number of related rows.
#[must_use]
pub fn selection_of(number: usize) -> usize {
    number / MOST_RELATED
}

/// Recursion is bounded by the depth of selections.
fn number(projection: &mut Projection, next: &mut usize) {
    let Projection::Objects(objects) = projection else { return };
    for field in objects.iter_mut().flat_map(|object| &mut object.fields) {
        match &mut field.member {
            Member::Related { number, .. } => {
                *number = *next;
                *next = next.saturating_add(1);
            }
            Member::Field { .. } => number(&mut field.projection, next),
            Member::Typename => {}
        }
    }
}

impl RelatedSelection<'_> {
    /// True if the field has several rows.
    #[must_use]
    pub fn is_list(&self) -> bool {
        self.related.is_list
    }

    /// The query for the rows of a placeholder; `None` if one of its keys is null: no row equals it.
    #[must_use]
    pub fn query(&self, placeholder: &[u8]) -> Option<RelatedQuery> {
        let placeholder: Value = serde_json::from_slice(placeholder).ok()?;
        let mut query = Query { declared: String::new(), variables: Map::new() };
        let mut condition = String::from("{");
        for (number, key) in self.related.keys.iter().enumerate() {
            let value = placeholder.get(format!("{MARK}{number}"))?;
            if value.is_null() {
                return None;
            }
            let name = query.variable(&format!("{}!", key.r#type), value.clone());
            condition.push_str(&format!("{}: {{_eq: ${name}}} ", key.column));
        }
        condition.push('}');
        let mut arguments = String::new();
        for argument in &self.field.arguments {
            let is_condition = &*argument.name == "where";
            match (&argument.value, is_condition) {
                (Value::Null, true) => {}
                (value, true) => {
                    let r#type = format!("{}!", argument.r#type.trim_end_matches('!'));
                    let name = query.variable(&r#type, value.clone());
                    condition.push_str(&format!(", ${name}"));
                }
                (value, false) => {
                    let name = query.variable(&argument.r#type, value.clone());
                    arguments.push_str(&format!(", {}: ${name}", argument.name));
                }
            }
        }
        if !self.related.is_list {
            arguments.push_str(", limit: 1");
        }
        let mut rows = format!("{ROWS}: {}", self.related.root);
        rows.push_str(&format!("(where: {{_and: [{condition}]}}{arguments})"));
        query.selection(&self.field.projection, &mut rows);
        let document = format!("query({}) {{ {rows} }}", query.declared);
        Some(RelatedQuery { document, variables: query.variables })
    }
}

/// A query so far.
struct Query {
    /// Definitions of the variables.
    declared: String,
    variables: Map<String, Value>,
}

impl Query {
    /// Adds a variable. Returns its name.
    fn variable(&mut self, r#type: &str, value: Value) -> String {
        let name = format!("v{}", self.variables.len());
        self.declared.push_str(&format!("${name}: {type} ", r#type = r#type));
        self.variables.insert(name.clone(), value);
        name
    }

    /// Writes the selection set, in which each field has its response name.
    ///
    /// Recursion is bounded by the depth of selections.
    fn selection(&mut self, projection: &Projection, text: &mut String) {
        let objects = projection.objects();
        if objects.is_empty() {
            return;
        }
        text.push_str(" {");
        for object in objects {
            if objects.len() > 1 {
                text.push_str(&format!(" ... on {} {{", object.r#type));
            }
            self.fields(object, text);
            if objects.len() > 1 {
                text.push('}');
            }
        }
        text.push_str(" }");
    }

    fn fields(&mut self, object: &ObjectProjection, text: &mut String) {
        if object.fields.is_empty() {
            text.push_str(" __typename");
        }
        for field in &object.fields {
            let name = match &field.member {
                Member::Typename => "__typename",
                Member::Field { name, .. } => name,
                // Rows have no related rows of this kind.
                Member::Related { .. } => continue,
            };
            text.push_str(&format!(" {}: {name}", field.response_name));
            for (number, argument) in field.arguments.iter().enumerate() {
                let variable = self.variable(&argument.r#type, argument.value.clone());
                let separator = if number == 0 { '(' } else { ' ' };
                text.push_str(&format!("{separator}{}: ${variable}", argument.name));
            }
            if !field.arguments.is_empty() {
                text.push(')');
            }
            self.selection(&field.projection, text);
        }
    }
}
