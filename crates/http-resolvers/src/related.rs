//! Values that belong to objects of other servers: rows of the source, and fields of remote schemas.
//!
//! The completed value of a resolver has a placeholder for such a value, with the number of its
//! selection and the values of its keys. A query of the same API gives the value: its document is the
//! same for all objects, and all values are variables, so that it is planned once.

use std::collections::BTreeMap;

use graphql::ExactNumbers;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::answer::members;
use crate::call::path_body;
use crate::complete::Completion;
use crate::exact_number;
use crate::inputs::Inputs;
use crate::projection::{Member, ObjectProjection, ProjectedField, Projection};
use crate::related_field::{RelatedField, RelatedForm, RelatedRemote, RelatedRows, RelatedSource};
use crate::remote_path::RemotePath;
use crate::resolver::AnswerRules;
use crate::splice::{MARK, Position, exact};

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
    /// The numbers of the variables that doubles round.
    pub numbers: ExactNumbers,
}

/// The response name of the first field.
const ROWS: &str = "rows";

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
                Member::Related { number, related, .. } if *number == wanted => {
                    return Some(RelatedSelection { field, related });
                }
                Member::Typename => {}
                Member::Related { .. } | Member::Field { .. } => {
                    if let Some(found) = field.projection.find_related(wanted) {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    /// The selections of rows of other sources, each with the type of the object that has it. Those
    /// of the rows themselves come after them.
    #[must_use]
    pub fn related_sources(&self) -> Vec<(&str, SourceSelection<'_>)> {
        let mut found = Vec::new();
        for object in self.objects() {
            for field in &object.fields {
                match &field.member {
                    Member::Related { related, .. } => match &**related {
                        RelatedField::Source(related) => {
                            found.push((&*object.r#type, SourceSelection { field, related }));
                            found.append(&mut field.projection.related_sources());
                        }
                        // A query gives the whole value.
                        RelatedField::Rows(_) | RelatedField::Remote(_) => {}
                    },
                    Member::Field { .. } => found.append(&mut field.projection.related_sources()),
                    Member::Typename => {}
                }
            }
        }
        found
    }

    /// The places of related rows in the completed value; below a depth of others that are known, which
    /// is 0 at first.
    #[must_use]
    pub fn related_positions(&self, depth: usize) -> Vec<Position> {
        let mut positions: Vec<Position> = Vec::new();
        for field in self.objects().iter().flat_map(|object| &object.fields) {
            let is_resolved = matches!(field.member, Member::Related { .. }) && depth == 0;
            let children = match &field.member {
                Member::Related { .. } if depth == 0 => Vec::new(),
                Member::Related { related, .. } => match **related {
                    RelatedField::Source(_) => field.projection.related_positions(depth - 1),
                    // A query gives the whole value.
                    RelatedField::Rows(_) | RelatedField::Remote(_) => Vec::new(),
                },
                Member::Field { .. } | Member::Typename => {
                    field.projection.related_positions(depth)
                }
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
            Member::Field { .. } | Member::Typename => {}
        }
        number(&mut field.projection, next);
    }
}

/// A selection of rows of another source.
#[derive(Clone, Copy, Debug)]
pub struct SourceSelection<'p> {
    field: &'p ProjectedField,
    related: &'p RelatedSource,
}

impl<'p> SourceSelection<'p> {
    #[must_use]
    pub fn path(self) -> &'p RemotePath {
        &self.related.path
    }

    /// The name of the field.
    #[must_use]
    pub fn name(self) -> &'p str {
        match &self.field.member {
            Member::Related { name, .. } | Member::Field { name, .. } => name,
            Member::Typename => "__typename",
        }
    }

    /// The arguments of each step for the object of a placeholder.
    #[must_use]
    pub fn inputs(self, placeholder: &[u8]) -> Inputs {
        let placeholder: BTreeMap<String, &RawValue> =
            serde_json::from_slice(placeholder).unwrap_or_default();
        let members = self.related.members.iter().enumerate().map(|(number, member)| {
            let value = placeholder.get(&format!("{MARK}{number}"));
            (String::from(&**member), value.map(|value| exact(value)).unwrap_or_default())
        });
        let row = Inputs::of(Value::Object(members.collect()));
        let of_client = self.field.arguments.iter();
        let of_client = of_client.map(|one| (String::from(&*one.name), one.value.clone()));
        let client = Inputs::of(Value::Object(of_client.collect()));
        let steps = self.related.path.arguments(&row, &client).into_iter().enumerate();
        let steps = steps.map(|(number, given)| (number.to_string(), Value::Object(given)));
        Inputs::of(Value::Object(steps.collect()))
    }

    /// The request for the rows of several objects.
    #[must_use]
    pub fn body(self, objects: &[Inputs]) -> Vec<u8> {
        let body = path_body(&self.related.path, (objects, true), &self.field.projection);
        exact_number::text(&body).into()
    }

    /// Completes the rows of one object.
    #[must_use]
    pub fn completion(self, most: usize) -> Completion<'p> {
        Completion {
            projection: &self.field.projection,
            r#type: self.field.r#type,
            type_text: &self.field.type_text,
            field: &self.field.response_name,
            has_aliases: true,
            rules: AnswerRules::Strict,
            most,
        }
    }
}

impl<'p> RelatedSelection<'p> {
    /// The selection, if another source gives the rows.
    #[must_use]
    pub fn of_source(&self) -> Option<SourceSelection<'p>> {
        match self.related {
            RelatedField::Source(related) => Some(SourceSelection { field: self.field, related }),
            RelatedField::Rows(_) | RelatedField::Remote(_) => None,
        }
    }
}

impl RelatedSelection<'_> {
    /// The value of an object without keys.
    #[must_use]
    pub fn absent(&self) -> Option<Vec<u8>> {
        self.is_list().then(|| b"[]".to_vec())
    }

    fn is_list(&self) -> bool {
        matches!(self.related, RelatedField::Rows(RelatedRows { form: RelatedForm::All, .. }))
    }

    fn is_aggregate(&self) -> bool {
        let form = RelatedForm::Aggregate;
        matches!(self.related, RelatedField::Rows(rows) if rows.form == form)
    }

    /// The query for the value of a placeholder; `None` if one of its keys is null, unless the value is
    /// one of no rows: aggregates are never null.
    #[must_use]
    pub fn query(&self, placeholder: &[u8]) -> Option<RelatedQuery> {
        let placeholder: BTreeMap<String, &RawValue> = serde_json::from_slice(placeholder).ok()?;
        let members = self.related.members().enumerate();
        let values = members.map(|(number, _)| {
            let value = placeholder.get(&format!("{MARK}{number}"))?;
            Some(exact_number::json(value.get()))
        });
        let values: Vec<Value> = values.collect::<Option<_>>()?;
        if values.iter().any(Value::is_null) && !self.is_aggregate() {
            return None;
        }
        let mut query = Query { declared: String::new(), variables: Map::new() };
        let value = match self.related {
            RelatedField::Rows(rows) => self.rows(rows, values, &mut query),
            RelatedField::Remote(remote) => self.remote(remote, values, &mut query),
            // Those of all objects are asked at once.
            RelatedField::Source(_) => return None,
        };
        let declared = match query.declared.as_str() {
            "" => String::new(),
            declared => format!("({declared})"),
        };
        let document = format!("query{declared} {{ {ROWS}: {value} }}");
        Some(query.finish(document))
    }

    /// The fields that give rows.
    fn rows(&self, related: &RelatedRows, values: Vec<Value>, query: &mut Query) -> String {
        let mut condition = String::from("{");
        for (key, value) in related.keys.iter().zip(values) {
            if value.is_null() {
                condition.push_str(&format!("{}: {{_in: []}} ", key.column));
                continue;
            }
            let name = query.variable(&format!("{}!", key.r#type), &value);
            condition.push_str(&format!("{}: {{_eq: ${name}}} ", key.column));
        }
        condition.push('}');
        let mut arguments = String::new();
        for argument in &self.field.arguments {
            let is_condition = &*argument.name == "where";
            match (&argument.value, is_condition, argument.exact_literal()) {
                (Value::Null, true, _) => {}
                (_, true, Some(literal)) => {
                    condition.push_str(&format!(", {literal}"));
                }
                (_, false, Some(literal)) => {
                    arguments.push_str(&format!(", {}: {literal}", argument.name));
                }
                (value, true, None) => {
                    let r#type = format!("{}!", argument.r#type.trim_end_matches('!'));
                    let name = query.variable(&r#type, value);
                    condition.push_str(&format!(", ${name}"));
                }
                (value, false, None) => {
                    let name = query.variable(&argument.r#type, value);
                    arguments.push_str(&format!(", {}: ${name}", argument.name));
                }
            }
        }
        if related.form == RelatedForm::One {
            arguments.push_str(", limit: 1");
        }
        let mut text = related.path.join(" { ");
        text.push_str(&format!("(where: {{_and: [{condition}]}}{arguments})"));
        query.selection(&self.field.projection, &mut text);
        text.push_str(&" }".repeat(related.path.len().saturating_sub(1)));
        text
    }

    /// The fields of a remote schema.
    fn remote(&self, related: &RelatedRemote, values: Vec<Value>, query: &mut Query) -> String {
        let names = related.members.iter().map(|member| String::from(&**member));
        let row = Inputs::of(Value::Object(names.zip(values).collect()));
        let of_client = self.field.arguments.iter();
        let of_client = of_client.map(|one| (String::from(&*one.name), one.value.clone()));
        let client = Inputs::of(Value::Object(of_client.collect()));
        let mut text = String::new();
        if let Some(namespace) = &related.namespace {
            text.push_str(&format!("{namespace} {{ "));
        }
        let arguments = related.path.arguments(&row, &client);
        for (number, (step, given)) in related.path.steps.iter().zip(arguments).enumerate() {
            text.push_str(if number == 0 { "" } else { " { " });
            text.push_str(&step.place.1);
            let known = related.arguments.get(number).into_iter().flatten();
            let known = known.filter_map(|(name, r#type)| {
                let value = given.get(&**name)?;
                let variable = query.variable(r#type, value);
                Some(format!("{name}: ${variable}"))
            });
            let known: Vec<_> = known.collect();
            if !known.is_empty() {
                text.push_str(&format!("({})", known.join(", ")));
            }
        }
        query.selection(&self.field.projection, &mut text);
        let below = related.path.steps.len().saturating_sub(1);
        text.push_str(&" }".repeat(below + usize::from(related.namespace.is_some())));
        text
    }

    /// The value in the data of the query's response; `None` for null.
    #[must_use]
    pub fn value(&self, data: &str) -> Option<Vec<u8>> {
        let path: Vec<&str> = match self.related {
            RelatedField::Rows(rows) => rows.path.iter().skip(1).map(|name| &**name).collect(),
            RelatedField::Remote(remote) => {
                let steps = remote.path.steps.iter().map(|step| &*step.place.1);
                steps.skip(usize::from(remote.namespace.is_none())).collect()
            }
            RelatedField::Source(_) => return None,
        };
        let mut value = data;
        for name in std::iter::once(ROWS).chain(path) {
            let members = members(value).ok()?;
            value = members.into_iter().find(|(known, _)| known == name)?.1.get();
        }
        let is_one =
            matches!(self.related, RelatedField::Rows(RelatedRows { form: RelatedForm::One, .. }));
        if value == "null" {
            return None;
        }
        if !is_one {
            return Some(value.as_bytes().to_vec());
        }
        let rows: Vec<&RawValue> = serde_json::from_str(value).ok()?;
        rows.first().map(|row| row.get().as_bytes().to_vec())
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
    fn variable(&mut self, r#type: &str, value: &Value) -> String {
        let name = format!("v{}", self.variables.len());
        self.declared.push_str(&format!("${name}: {type} ", r#type = r#type));
        self.variables.insert(name.clone(), value.clone());
        name
    }

    fn finish(self, document: String) -> RelatedQuery {
        let variables = Value::Object(self.variables);
        let numbers = match exact_number::is_within(&variables) {
            true => ExactNumbers::read(exact_number::text(&variables).as_bytes()),
            false => ExactNumbers::default(),
        };
        let variables = match exact_number::rounded(&variables) {
            Value::Object(variables) => variables,
            _ => Map::new(),
        };
        RelatedQuery { document, variables, numbers }
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
                Member::Field { name, .. } | Member::Related { name, .. } => name,
            };
            text.push_str(&format!(" {}: {name}", field.response_name));
            for (number, argument) in field.arguments.iter().enumerate() {
                let separator = if number == 0 { '(' } else { ' ' };
                text.push_str(&format!("{separator}{}: ", argument.name));
                if let Some(literal) = argument.exact_literal() {
                    text.push_str(literal);
                    continue;
                }
                let variable = self.variable(&argument.r#type, &argument.value);
                text.push_str(&format!("${variable}"));
            }
            if !field.arguments.is_empty() {
                text.push(')');
            }
            self.selection(&field.projection, text);
        }
    }
}
