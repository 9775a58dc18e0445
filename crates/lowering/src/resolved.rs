//! Fields whose values other servers give.
//!
//! The source writes a placeholder for such a value: an object with the number of the selection, and
//! with the fields of the row that the resolver needs, which are read and authorized like selected
//! ones. The placeholders of a response are replaced after it is written.

use std::ops::Range;

use graphql::operation::{FieldRef, Location, Operation, OperationKind, SelectionSetId};
use graphql::schema::{FieldId, InputId, TypeId, TypeKind};
use graphql::value::Value;
use graphql::variables::{Steering, Variables};
use graphql::{Budget, CollectedField, collect_fields, does_fragment_type_apply};
use http_resolvers::splice::{MARK, Position};
use ir::Hop;
use response::{Node, ShapeField};

use super::selection::misplaced;
use super::{Context, LowerError, Outputs, root_type};
use api::Api;
use api::binding::{FieldBinding, ResolverId};

/// One selection of a field with a resolver.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedSelection {
    pub resolver: ResolverId,
    pub field: FieldId,
    pub arguments: Vec<(InputId, Value)>,
    pub selection_sets: Vec<SelectionSetId>,
    pub location: Location,
}

/// All root fields of an operation, by their indexes.
pub const ALL_ROOTS: Range<usize> = 0..usize::MAX;

/// The root fields of an operation in parts that are executed one after the other, by the indexes
/// of the selected fields. A part of a mutation has fields of the source, then those of other
/// servers; every other operation is one part.
pub fn parts(
    api: &Api,
    operation: &Operation,
    variables: &Variables,
    most_selections: usize,
) -> Result<Vec<Range<usize>>, LowerError> {
    if operation.kind != OperationKind::Mutation || !api.has_resolvers() {
        return Ok(vec![ALL_ROOTS]);
    }
    let object = root_type(api, operation.kind)?;
    let steering = Steering::new(variables);
    let budget = &mut Budget::new(most_selections);
    let sets = [operation.root];
    let fields = collect_fields(operation, &api.schema, object, &sets, &steering, budget)?;
    let mut parts = Vec::new();
    let (mut start, mut is_resolving) = (0, false);
    for (place, field) in fields.iter().enumerate() {
        match field.field {
            FieldRef::Field(id) => {
                let is_resolved = is_of_others(api, id);
                if is_resolving && !is_resolved {
                    parts.push(start..place);
                    start = place;
                }
                is_resolving = is_resolved;
            }
            FieldRef::Typename | FieldRef::Introspection => {}
        }
    }
    parts.push(start..usize::MAX);
    Ok(parts)
}

/// True for a field that another server gives, and for an object of constants with such fields.
fn is_of_others(api: &Api, id: FieldId) -> bool {
    let is_resolved = |id: &FieldId| matches!(api.field(*id), FieldBinding::Resolved(_));
    match (api.field(id), &api.schema[api.schema[id].r#type.base].kind) {
        (FieldBinding::Constants, TypeKind::Object { fields, .. }) => {
            fields.iter().any(is_resolved)
        }
        _ => is_resolved(&id),
    }
}

impl<'a> Context<'a> {
    /// The text of the placeholder for a field of the root.
    pub(super) fn placeholder(
        &mut self,
        resolver: ResolverId,
        id: FieldId,
        field: &CollectedField<'a>,
    ) -> Vec<u8> {
        let number = self.select(resolver, id, field);
        format!("{{\"{MARK}\":{number}}}").into_bytes()
    }

    /// The placeholder for a field of a row. `of` is the object type and its field.
    pub(super) fn resolved(
        &mut self,
        resolver: ResolverId,
        of: (TypeId, FieldId),
        field: &CollectedField<'a>,
        path: &[Hop],
        outputs: &mut Outputs,
    ) -> Result<Node, LowerError> {
        let (object, id) = of;
        let api = self.api;
        let known = api.find_resolver(resolver).ok_or_else(|| misplaced("a resolver"))?;
        let number = self.select(resolver, id, field);
        let number = self.shape.add(Node::Literal(number.to_string().into_bytes().into()));
        let mut fields = vec![ShapeField::new(MARK, number, false)];
        let is_of_source = known.definition.remote().is_some_and(|path| path.source().is_some());
        for name in known.definition.input_fields() {
            let Some(input) = api.schema.find_field(object, name) else {
                return Err(misplaced("an input of a resolver"));
            };
            let selected = CollectedField {
                response_name: name,
                field: FieldRef::Field(input),
                arguments: &[],
                directives: &[],
                selection_sets: Vec::new(),
                location: field.location,
            };
            let node = self.row_field(input, &selected, path, outputs)?;
            let node = self.shape.add(node);
            // A key that a role does not see has no rows in another source.
            let is_nullable = is_of_source || !api.schema[input].r#type.is_non_null();
            let Location { line, column } = field.location;
            let key = [MARK, name].concat();
            fields.push(ShapeField::new(&key, node, is_nullable).at(line, column));
        }
        Ok(Node::Object(self.shape.add_fields(fields)))
    }

    fn select(&mut self, resolver: ResolverId, id: FieldId, field: &CollectedField<'a>) -> usize {
        self.resolved.push(ResolvedSelection {
            resolver,
            field: id,
            arguments: field.arguments.to_vec(),
            selection_sets: field.selection_sets.clone(),
            location: field.location,
        });
        self.resolved.len() - 1
    }

    /// The positions of placeholders in the response.
    pub(super) fn positions(&mut self, root: TypeId) -> Result<Vec<Position>, LowerError> {
        match self.resolved.is_empty() {
            true => Ok(Vec::new()),
            false => self.positions_below(root, &[self.operation.root]),
        }
    }

    /// Recursion is bounded: validation limits the depth of selections.
    fn positions_below(
        &mut self,
        base: TypeId,
        sets: &[SelectionSetId],
    ) -> Result<Vec<Position>, LowerError> {
        let schema = &self.api.schema;
        let mut positions: Vec<Position> = Vec::new();
        for (object, definition) in schema.types() {
            let is_object = matches!(definition.kind, TypeKind::Object { .. });
            if !is_object || !does_fragment_type_apply(schema, object, base) {
                continue;
            }
            for field in self.collect(object, sets)? {
                let FieldRef::Field(id) = field.field else { continue };
                let is_resolved = matches!(self.api.field(id), FieldBinding::Resolved(_));
                let children = match is_resolved || field.selection_sets.is_empty() {
                    true => Vec::new(),
                    false => self.positions_below(schema[id].r#type.base, &field.selection_sets)?,
                };
                if is_resolved || !children.is_empty() {
                    let response_name = field.response_name.into();
                    let r#type = schema[id].r#type;
                    add(&mut positions, Position { response_name, r#type, is_resolved, children });
                }
            }
        }
        Ok(positions)
    }
}

/// Adds a position, which the same field of another type may have, too.
fn add(positions: &mut Vec<Position>, position: Position) {
    let same = |known: &&mut Position| known.response_name == position.response_name;
    match positions.iter_mut().find(same) {
        Some(known) => {
            known.is_resolved |= position.is_resolved;
            for child in position.children {
                add(&mut known.children, child);
            }
        }
        None => positions.push(position),
    }
}
