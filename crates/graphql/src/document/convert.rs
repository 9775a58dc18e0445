//! A validated operation in the schema's ids.

use std::collections::HashMap;

use apollo_compiler::executable::{self, OperationType};
use apollo_compiler::{Node, ast};

use super::ValidDocument;
use super::field_index::FieldIndex;
use super::literal::{Literals, ValuePosition};
use crate::defer::{DEFER, IF, LABEL};
use crate::error::{ErrorCode, GraphQLError};
use crate::operation::{
    AppliedDirective, Condition, ConditionValue, Defer, FieldRef, FieldSelection, Operation,
    OperationKind, Selection, SelectionSet, SelectionSetId, VariableDefinition,
};
use crate::schema::{InputId, TypeId, TypeRef};
use crate::value::{Slot, Value};
use crate::visibility::View;

/// The capacity of a type reference, beyond any use by clients.
const MAX_WRAPPERS: usize = 8;

/// Resolves names; checks what validation omits: variables inside of literals, and types that
/// validation knows but the schema does not use.
pub(super) fn convert_operation(
    schema: View<'_>,
    index: &FieldIndex,
    valid: &ValidDocument,
    operation: &executable::Operation,
) -> Result<Operation, Vec<GraphQLError>> {
    let mut converter = Converter {
        schema,
        index,
        valid,
        literals: Literals {
            schema,
            positions: &valid.positions,
            slots: HashMap::new(),
            variables: Vec::new(),
            errors: Vec::new(),
        },
        sets: Vec::new(),
        nullable: Vec::new(),
        fragments: HashMap::new(),
    };
    let (kind, root) = match operation.operation_type {
        OperationType::Query => (OperationKind::Query, schema.query()),
        OperationType::Mutation => (OperationKind::Mutation, schema.mutation()),
        OperationType::Subscription => (OperationKind::Subscription, schema.subscription()),
    };
    let Some(root) = root else {
        // Validation rejects operations without a root type.
        let message = "The schema has no root type for this operation.";
        return Err(vec![GraphQLError::new(ErrorCode::ValidationFailed, message)]);
    };
    for variable in &operation.variables {
        converter.variable(variable);
    }
    let directives = converter.directives(&operation.directives);
    let root = converter.selection_set(root, &operation.selection_set);
    let Literals { variables, errors, .. } = converter.literals;
    if !errors.is_empty() {
        return Err(errors);
    }
    let name = operation.name.as_ref().map(|name| name.as_str().into());
    let (selection_sets, nullable) = (converter.sets, converter.nullable);
    Ok(Operation { kind, name, variables, directives, root, selection_sets, nullable })
}

/// Recursion is bounded by the limit of nesting.
struct Converter<'d> {
    schema: View<'d>,
    index: &'d FieldIndex,
    valid: &'d ValidDocument,
    literals: Literals<'d>,
    sets: Vec<SelectionSet>,
    nullable: Vec<crate::schema::FieldId>,
    /// Converted fragments, by name.
    fragments: HashMap<&'d str, (TypeId, SelectionSetId)>,
}

impl<'d> Converter<'d> {
    fn variable(&mut self, variable: &'d Node<ast::VariableDefinition>) {
        let location = self.valid.positions.location(variable.location());
        let Some(r#type) = self.type_reference(&variable.ty) else {
            let message = format!("No variable can be of the type \"{}\".", variable.ty);
            self.literals.fail(message, location);
            return;
        };
        let Ok(slot) = u16::try_from(self.literals.variables.len()) else {
            self.literals.fail("The operation has too many variables.".into(), location);
            return;
        };
        let default = variable.default_value.as_ref();
        let default = default.map(|default| self.literals.constant(default));
        let name = variable.name.as_str();
        // Until a place is found that takes no texts.
        let reads_texts = !self.schema.whole.text_inputs.is_empty();
        let definition = VariableDefinition { name: name.into(), r#type, default, reads_texts };
        self.literals.variables.push(definition);
        self.literals.slots.insert(name, Slot(slot));
    }

    /// `None` for a type that the schema lacks (validation knows every built-in scalar) and for too
    /// deeply nested lists.
    fn type_reference(&self, r#type: &ast::Type) -> Option<TypeRef> {
        let base = TypeRef::named(self.schema.find_type(r#type.inner_named_type())?);
        let mut outer_to_inner = Vec::new();
        let mut rest = r#type;
        loop {
            let inner = match rest {
                ast::Type::Named(_) | ast::Type::NonNullNamed(_) => None,
                ast::Type::List(inner) | ast::Type::NonNullList(inner) => Some(inner),
            };
            outer_to_inner.push((inner.is_some(), rest.is_non_null()));
            match inner {
                Some(inner) => rest = inner,
                None => break,
            }
        }
        let wrappers = outer_to_inner
            .iter()
            .map(|(list, non_null)| usize::from(*list) + usize::from(*non_null));
        if wrappers.sum::<usize>() > MAX_WRAPPERS {
            return None;
        }
        Some(outer_to_inner.iter().rev().fold(base, |inner, (list, non_null)| {
            let nullable = if *list { inner.list() } else { inner };
            nullable.non_null_if(*non_null)
        }))
    }

    fn selection_set(
        &mut self,
        parent: TypeId,
        set: &'d executable::SelectionSet,
    ) -> SelectionSetId {
        let mut selections = Vec::with_capacity(set.selections.len());
        for selection in &set.selections {
            match selection {
                executable::Selection::Field(field) => {
                    selections.extend(self.field(parent, field).map(Selection::Field));
                }
                executable::Selection::InlineFragment(fragment) => {
                    let condition = fragment.type_condition.as_ref();
                    let condition =
                        condition.map_or(Some(parent), |name| self.schema.find_type(name));
                    if let Some(on) = condition {
                        let (conditions, defer, directives) = self.applied(&fragment.directives);
                        let selection_set = self.selection_set(on, &fragment.selection_set);
                        selections.push(Selection::Fragment {
                            conditions,
                            directives,
                            defer,
                            on,
                            selection_set,
                        });
                    }
                }
                executable::Selection::FragmentSpread(spread) => {
                    if let Some((on, selection_set)) = self.fragment(&spread.fragment_name) {
                        let (conditions, defer, directives) = self.applied(&spread.directives);
                        selections.push(Selection::Fragment {
                            conditions,
                            directives,
                            defer,
                            on,
                            selection_set,
                        });
                    }
                }
            }
        }
        // The sets of fields precede the set of their parent: an id is assigned when its set is
        // complete.
        let id = SelectionSetId(u32::try_from(self.sets.len()).unwrap_or(u32::MAX));
        self.sets.push(SelectionSet { parent, selections });
        id
    }

    /// The directives of a fragment.
    fn applied(
        &mut self,
        applied: &'d executable::DirectiveList,
    ) -> (Vec<Condition>, Option<Box<Defer>>, Vec<AppliedDirective>) {
        let conditions = self.conditions(applied);
        let defer = self.defer(applied).map(Box::new);
        (conditions, defer, self.directives(applied))
    }

    /// The directive `@defer`, unless its condition is false.
    fn defer(&mut self, directives: &'d executable::DirectiveList) -> Option<Defer> {
        let defer = directives.get(DEFER)?;
        let condition = defer.specified_argument_by_name(IF);
        let condition = condition.and_then(|value| self.literals.condition(value, true));
        let condition = condition.unwrap_or(ConditionValue::Constant(true));
        let label = defer.specified_argument_by_name(LABEL);
        let label = label.and_then(|label| label.as_str()).map(Into::into);
        (condition != ConditionValue::Constant(false)).then_some(Defer { condition, label })
    }

    fn fragment(&mut self, name: &'d str) -> Option<(TypeId, SelectionSetId)> {
        if let Some(converted) = self.fragments.get(name) {
            return Some(*converted);
        }
        let fragment = self.valid.document.fragments.get(name)?;
        let on = self.schema.find_type(fragment.type_condition())?;
        let set = self.selection_set(on, &fragment.selection_set);
        self.fragments.insert(name, (on, set));
        Some((on, set))
    }

    fn field(
        &mut self,
        parent: TypeId,
        field: &'d Node<executable::Field>,
    ) -> Option<FieldSelection> {
        let conditions = self.conditions(&field.directives);
        let directives = self.directives(&field.directives);
        let response_name = field.response_key().as_str().into();
        let location = self.valid.positions.location(field.location());
        let meta = |field| FieldSelection {
            response_name,
            field,
            conditions,
            directives,
            arguments: Vec::new(),
            selection_set: None,
            location,
        };
        match field.name.as_str() {
            "__typename" => Some(meta(FieldRef::Typename)),
            // The library reads their arguments and selections.
            "__schema" | "__type" => Some(meta(FieldRef::Introspection)),
            name => {
                let Some(id) = self.index.find_field(self.schema, parent, name) else {
                    self.literals.fail(format!("Unknown field \"{name}\"."), location);
                    return None;
                };
                let selection = meta(FieldRef::Field(id));
                if self.schema.type_of(id) != self.schema.whole[id].r#type
                    && !self.nullable.contains(&id)
                {
                    self.nullable.push(id);
                }
                let arguments = self.arguments(&self.schema.whole[id].arguments, &field.arguments);
                let base = self.schema[id].r#type.base;
                let below = &field.selection_set;
                let selection_set = (!below.is_empty()).then(|| self.selection_set(base, below));
                Some(FieldSelection { arguments, selection_set, ..selection })
            }
        }
    }

    /// Custom directives; those of the specification are fields of their own.
    fn directives(&mut self, directives: &'d executable::DirectiveList) -> Vec<AppliedDirective> {
        let schema = self.schema;
        let custom = directives.iter().filter(|applied| applied.name != DEFER);
        let own = custom.filter_map(|applied| {
            let definition = schema.find_directive(&applied.name)?;
            let arguments = self.arguments(&definition.arguments, &applied.arguments);
            Some(AppliedDirective { name: applied.name.as_str().into(), arguments })
        });
        own.collect()
    }

    fn arguments(
        &mut self,
        inputs: &'d [InputId],
        arguments: &'d [Node<ast::Argument>],
    ) -> Vec<(InputId, Value)> {
        let mut converted = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let mut inputs = self.schema.inputs(inputs);
            let named = |input: &InputId| *self.schema[*input].name == *argument.name;
            if let Some(input) = inputs.find(named) {
                let value = self.literals.input(input, &argument.value);
                converted.push((input, value));
            }
        }
        converted
    }

    fn conditions(&mut self, directives: &'d executable::DirectiveList) -> Vec<Condition> {
        let mut conditions = Vec::new();
        for directive in directives.iter() {
            let expected = match directive.name.as_str() {
                "skip" => false,
                "include" => true,
                // Validation rejects undefined directives.
                _ => continue,
            };
            let value = directive.specified_argument_by_name("if");
            let value = value.and_then(|value| self.literals.condition(value, false));
            conditions.extend(value.map(|value| Condition { value, expected }));
        }
        conditions
    }
}

impl Literals<'_> {
    /// The `if` of a directive, which may have a default.
    fn condition(&mut self, value: &Node<ast::Value>, has_default: bool) -> Option<ConditionValue> {
        match &**value {
            ast::Value::Boolean(value) => Some(ConditionValue::Constant(*value)),
            ast::Value::Variable(name) => {
                let slot = *self.slots.get(name.as_str())?;
                if let Some(boolean) = self.schema.find_type("Boolean") {
                    let expected = TypeRef::named(boolean).non_null();
                    let place = ValuePosition { has_default, reads_texts: false };
                    self.check_variable(slot, expected, place, value.location());
                }
                Some(ConditionValue::Variable(slot))
            }
            // Validation rejects other values.
            _ => None,
        }
    }
}
