//! Conditions in the form of a query: the rows that pass are those that it finds, where every row,
//! selected and nested, has a value for each selected field.

use catalog::EntityId;
use graphql::operation::{Operation, OperationKind, Selection, VariableDefinition};
use graphql::schema::{TypeKind, TypeRef};
use graphql::variables::{Aspect, Steering, Variables};
use graphql::{DocumentLimits, Validator};
use ir::{Filter, From, Page, StepKind};
use serde_json_bytes::Value as Json;

use super::super::{Context, Introspection, LowerError};
use super::claimed;
use api::Api;
use api::binding::{FilterRole, InputRole};

/// Limit of selections of one rule.
const MOST_SELECTIONS: usize = 1_000;

/// The rows that a query finds.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundRows {
    /// The condition on the rows of each entity, with variables as claims.
    pub filters: Vec<(EntityId, Filter)>,
    /// The variables of the query, with their types.
    pub variables: Vec<(Box<str>, TypeRef)>,
}

/// The condition of a query with one root field. `claim` resolves the name of a variable to the path
/// of a claim.
///
/// Returns the mistake if the query is invalid, selects no rows, or has more than conditions.
pub fn rows(
    api: &Api,
    validator: &Validator,
    document: &str,
    claim: &dyn Fn(&str) -> Box<str>,
) -> Result<FoundRows, String> {
    let operation = validator.operation(&api.schema, document, None, &DocumentLimits::default());
    let operation = operation.map_err(|errors| {
        let messages = errors.into_iter().map(|error| error.message);
        messages.collect::<Vec<_>>().join(" ")
    })?;
    if operation.kind != OperationKind::Query {
        return Err("it is no query".to_owned());
    }
    check_arguments(api, &operation)?;
    let is_object = |variable: &&VariableDefinition| {
        matches!(api.schema[variable.r#type.base].kind, TypeKind::InputObject { .. })
    };
    if let Some(variable) = operation.variables.iter().find(is_object) {
        return Err(format!(
            "`${}` is an object: claims are single values or lists",
            variable.name
        ));
    }
    let variables = operation.variables.iter();
    let variables: Vec<_> =
        variables.map(|variable| (claim(&variable.name), variable.r#type)).collect();
    let claims: Vec<Box<str>> = variables.iter().map(|(claim, _)| claim.clone()).collect();
    let values = claims.iter().map(|_| Some(Json::String("".into()))).collect();
    let values = Variables { values, ..Variables::default() };
    let steering = Steering::new(&values);
    let introspection = Introspection::new();
    let mut filters = found(api, &operation, &steering, &introspection)?;
    let observed = steering.into_structure().observations;
    if observed.iter().any(|observation| observation.aspect != Aspect::Present) {
        return Err("a variable stands where only a value can that is written down".to_owned());
    }
    for (_, filter) in &mut filters {
        claimed(filter, &claims)?;
    }
    Ok(FoundRows { filters, variables })
}

fn found(
    api: &Api,
    operation: &Operation,
    steering: &Steering<'_>,
    introspection: &Introspection,
) -> Result<Vec<(EntityId, Filter)>, String> {
    let query = api.schema.query.ok_or("there are no queries")?;
    let mut context = Context::new(api, operation, steering, introspection, MOST_SELECTIONS);
    context.is_cascading = true;
    context.root_fields(query, &[operation.root], true).map_err(message)?;
    if context
        .patterns
        .borrow()
        .iter()
        .any(|pattern| !matches!(pattern.operand, ir::Operand::Constant(_)))
    {
        return Err("a pattern has to be written down: it cannot be a variable".to_owned());
    }
    let mut steps = context.steps.into_iter();
    let (Some(step), None) = (steps.next(), steps.next()) else {
        return Err("it has to select rows by one field".to_owned());
    };
    let StepKind::Read(rows) = step.kind else {
        return Err("it selects no rows".to_owned());
    };
    if rows.page != Page::All {
        return Err("it selects a page: a condition has filters only".to_owned());
    }
    match rows.from {
        From::Entity(entity) => Ok(vec![(entity, rows.filter)]),
        From::Variants(variants) if rows.filter.is_all() => {
            Ok(variants.into_iter().map(|variant| (variant.entity, variant.filter)).collect())
        }
        _ => Err("it selects no rows of a type".to_owned()),
    }
}

/// Refuses arguments that are no conditions: pages and orders.
fn check_arguments(api: &Api, operation: &Operation) -> Result<(), String> {
    let selections = operation.selection_sets.iter().flat_map(|set| &set.selections);
    for selection in selections {
        let Selection::Field(field) = selection else { continue };
        for (id, _) in &field.arguments {
            if !matches!(api.input(*id).role, InputRole::Filter(FilterRole::Conditions)) {
                let name = &api.schema[*id].name;
                return Err(format!("the argument `{name}` is no condition: remove it"));
            }
        }
    }
    Ok(())
}

fn message(error: LowerError) -> String {
    match error {
        LowerError::Refused { message, .. } => message.into(),
        error => error.to_string(),
    }
}
