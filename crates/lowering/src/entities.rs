//! Federation's entities: rows by their representations.
//!
//! The rows of each selected type are read by each of its keys. The given keys are known when
//! values are bound: keys without values are skipped. Values that the selected fields require of
//! representations come with the keys.
//!
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec>

use std::sync::Arc;

use graphql::CollectedField;
use graphql::operation::FieldRef;
use ir::{
    ExternalArgument, Filter, Operand, Representations, Represented, RepresentedPart, Rows, Value,
};
use response::{Branch, BranchRows, Node};
use serde_json_bytes::Value as Json;

use super::input::Input;
use super::selection::misplaced;
use super::{Context, Echoed, LowerError, Outputs};
use api::binding::{EntitiesBinding, EntityType, InputRole};

impl Context<'_> {
    /// The node of an entity field; adds its reads.
    pub(super) fn entities(
        &mut self,
        binding: &EntitiesBinding,
        field: &CollectedField<'_>,
    ) -> Result<Node, LowerError> {
        let [(id, value)] = field.arguments else { return Err(misplaced("entities")) };
        if self.api.input(*id).role != InputRole::Representations {
            return Err(misplaced("an argument of entities"));
        }
        let list = opened(self.operand(&Input::new(value), self.api.schema[*id].r#type));
        let mut branches = Vec::new();
        let mut types = binding.represented.to_vec();
        for (one, of) in binding.types.iter().zip(&mut types) {
            let selected = self.collect(one.r#type, &field.selection_sets)?;
            if selected.is_empty() {
                continue;
            }
            if selected.iter().all(|field| field.field == FieldRef::Typename) {
                self.named_entities(one, of, field, &mut branches)?;
                continue;
            }
            for (key, number) in (0_u16..).zip(of.first..).take(one.keys.len()) {
                let branch = self.entities_by_key((one, of), (key, number), &list, field)?;
                branches.push(branch);
            }
        }
        let echo = u16::try_from(self.echoes.len()).unwrap_or(u16::MAX);
        self.echoes.push(Echoed::Sorted { list, types: types.into() });
        Ok(Node::Representations { echo, branches: branches.into() })
    }

    /// Entities of which only the name of the type is selected: their existence is not checked.
    fn named_entities(
        &mut self,
        one: &EntityType,
        of: &Represented,
        field: &CollectedField<'_>,
        branches: &mut Vec<Branch>,
    ) -> Result<(), LowerError> {
        let sets = &field.selection_sets;
        let fields = self.row_fields(one.r#type, sets, &[], &mut Outputs::default())?;
        let node = self.shape.add(Node::Object(fields));
        let numbers = (of.first..).take(one.keys.len());
        branches.extend(numbers.map(|key| Branch { key, rows: None, node }));
        Ok(())
    }

    /// The entities of a type that are found by one of its keys. Values that their fields require
    /// are noted in `of`.
    fn entities_by_key(
        &mut self,
        (one, of): (&EntityType, &mut Arc<Represented>),
        (key, number): (u16, u16),
        list: &Operand,
        field: &CollectedField<'_>,
    ) -> Result<Branch, LowerError> {
        let id = self.rows_id();
        let mut outputs = Outputs::of_represented();
        let ordinal = outputs.ordinal(self);
        let fields = self.row_fields(one.r#type, &field.selection_sets, &[], &mut outputs)?;
        let node = self.shape.add(Node::Object(fields));
        let external = outputs.take_external();
        if !external.is_empty() {
            let inputs = external.iter().map(|external| external.argument.input.clone()).collect();
            *of = Arc::new(Represented { inputs, ..Represented::clone(of) });
        }
        let given = |part| {
            let (list, of) = (Box::new(list.clone()), Arc::clone(of));
            Operand::Representations(Representations { list, of, key, part })
        };
        let own = one.keys.get(usize::from(key)).map(Vec::as_slice).unwrap_or_default();
        let keys = own.iter().zip(0..);
        let keys = keys.map(|(field, place)| (*field, given(RepresentedPart::Key(place))));
        let external = external.iter().zip(0..).map(|(external, place)| {
            let values = given(RepresentedPart::Input(place));
            ExternalArgument { function: external.function, place: external.argument.place, values }
        });
        let (keys, external) = (keys.collect(), external.collect());
        self.add_read(Rows::unordered(
            id,
            ir::From::Keys { entity: one.entity, keys, external },
            Filter::all(),
            outputs.into_list(),
        ));
        let rows = Some(BranchRows { rows: response::RowsId(id.0), ordinal });
        Ok(Branch { key: number, rows, node })
    }
}

/// Literal representations in the form of a variable: without a variable in it, a literal would be
/// a single text, being of a custom scalar.
fn opened(operand: Operand) -> Operand {
    match operand {
        Operand::Constant(value) => Operand::Constant(opened_value(value)),
        Operand::List(items) => Operand::List(items.into_iter().map(opened).collect()),
        Operand::Object(members) => {
            let members = members.into_iter();
            Operand::Object(members.map(|(name, value)| (name, opened(value))).collect())
        }
        other => other,
    }
}

fn opened_value(value: Value) -> Value {
    match value {
        Value::Json(text) => match serde_json::from_str(&text) {
            Ok(json) => of_json(&json),
            Err(_) => Value::Json(text),
        },
        Value::List(items) => Value::List(items.into_iter().map(opened_value).collect()),
        Value::Object(members) => {
            let members = members.into_iter();
            Value::Object(members.map(|(name, value)| (name, opened_value(value))).collect())
        }
        other => other,
    }
}

/// Recursion is bounded by the depth of a document.
fn of_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Boolean(*value),
        Json::Number(number) => match number.as_i64() {
            Some(number) => Value::Integer(number),
            None => Value::Number(number.to_string().into()),
        },
        Json::String(text) => Value::Text(text.as_str().into()),
        Json::Array(items) => Value::List(items.iter().map(of_json).collect()),
        Json::Object(members) => {
            let members = members.iter();
            Value::Object(
                members.map(|(name, value)| (name.as_str().into(), of_json(value))).collect(),
            )
        }
    }
}
