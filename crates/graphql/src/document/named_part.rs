//! The part of a schema that a document names.
//!
//! The walk is linear in the length of the document, independent of the size of the schema.

use std::collections::{BTreeSet, HashMap, HashSet};

use apollo_compiler::{Node, ast};

use super::field_index::FieldIndex;
use crate::schema::{EnumValueId, FieldId, InputId, TypeId, TypeKind};
use crate::visibility::View;

/// Types by their ids, with their named members.
#[derive(Default)]
pub(super) struct NamedPart {
    pub(super) types: HashMap<TypeId, NamedType>,
    /// By their indices in the schema.
    pub(super) directives: BTreeSet<usize>,
}

#[derive(Default)]
pub(super) struct NamedType {
    pub(super) fields: HashSet<FieldId>,
    pub(super) values: HashSet<EnumValueId>,
    /// True for an input object with a literal, which needs its required fields.
    pub(super) with_input_fields: bool,
}

pub(super) fn named_part(
    schema: View<'_>,
    index: &FieldIndex,
    document: &ast::Document,
) -> NamedPart {
    let conditions = document.definitions.iter().filter_map(|definition| match definition {
        ast::Definition::FragmentDefinition(fragment) => {
            let condition = schema.find_type(&fragment.type_condition)?;
            Some((fragment.name.as_str(), condition))
        }
        _ => None,
    });
    let mut walk = Walk {
        schema,
        index,
        conditions: conditions.collect(),
        overlaps: HashSet::new(),
        part: NamedPart::default(),
    };
    let roots = [schema.query(), schema.mutation(), schema.subscription()];
    for root in roots.into_iter().flatten() {
        walk.add(root);
    }
    for definition in &document.definitions {
        match definition {
            ast::Definition::OperationDefinition(operation) => walk.operation(operation),
            ast::Definition::FragmentDefinition(fragment) => {
                walk.directives(&fragment.directives);
                if let Some(condition) = schema.find_type(&fragment.type_condition) {
                    walk.add(condition);
                    walk.selections(condition, &fragment.selection_set);
                }
            }
            // Validation rejects definitions of types.
            _ => {}
        }
    }
    walk.part
}

/// Recursion is bounded by the parser's limit: spreads are not followed.
struct Walk<'d> {
    schema: View<'d>,
    index: &'d FieldIndex,
    /// Type conditions by the names of their fragments.
    conditions: HashMap<&'d str, TypeId>,
    /// Compared pairs of abstract types.
    overlaps: HashSet<(TypeId, TypeId)>,
    part: NamedPart,
}

impl<'d> Walk<'d> {
    fn operation(&mut self, operation: &'d ast::OperationDefinition) {
        self.directives(&operation.directives);
        for variable in &operation.variables {
            self.directives(&variable.directives);
            if let Some(base) = self.schema.find_type(variable.ty.inner_named_type()) {
                self.add(base);
                if let Some(default) = &variable.default_value {
                    self.value(base, default);
                }
            }
        }
        let root = match operation.operation_type {
            ast::OperationType::Query => self.schema.query(),
            ast::OperationType::Mutation => self.schema.mutation(),
            ast::OperationType::Subscription => self.schema.subscription(),
        };
        if let Some(root) = root {
            self.selections(root, &operation.selection_set);
        }
    }

    fn selections(&mut self, parent: TypeId, selections: &'d [ast::Selection]) {
        for selection in selections {
            match selection {
                ast::Selection::Field(field) => self.field(parent, field),
                ast::Selection::InlineFragment(fragment) => {
                    self.directives(&fragment.directives);
                    let condition = match &fragment.type_condition {
                        Some(name) => self.schema.find_type(name),
                        None => Some(parent),
                    };
                    if let Some(condition) = condition {
                        self.add(condition);
                        self.overlap(parent, condition);
                        self.selections(condition, &fragment.selection_set);
                    }
                }
                ast::Selection::FragmentSpread(spread) => {
                    self.directives(&spread.directives);
                    if let Some(condition) = self.conditions.get(spread.fragment_name.as_str()) {
                        self.overlap(parent, *condition);
                    }
                }
            }
        }
    }

    fn field(&mut self, parent: TypeId, field: &'d ast::Field) {
        self.directives(&field.directives);
        let schema = self.schema;
        let Some(id) = self.index.find_field(schema, parent, &field.name) else { return };
        self.part.types.entry(parent).or_default().fields.insert(id);
        let definition = &schema.whole[id];
        self.add(definition.r#type.base);
        for argument in schema.inputs(&definition.arguments) {
            self.add(schema[argument].r#type.base);
        }
        for argument in &field.arguments {
            if let Some(input) = schema.find_argument(id, &argument.name) {
                self.value(schema[input].r#type.base, &argument.value);
            }
        }
        self.selections(definition.r#type.base, &field.selection_set);
    }

    /// Those of the specification are always included.
    fn directives(&mut self, directives: &'d ast::DirectiveList) {
        let schema = self.schema;
        for applied in directives.iter() {
            let mut own = schema.whole.directives.iter();
            let Some(place) = own.position(|own| *own.name == *applied.name) else { continue };
            let definition = &schema.whole.directives[place];
            self.part.directives.insert(place);
            for argument in schema.inputs(&definition.arguments) {
                self.add(schema[argument].r#type.base);
            }
            for argument in &applied.arguments {
                let mut inputs = schema.inputs(&definition.arguments);
                if let Some(input) = inputs.find(|input| *schema[*input].name == *argument.name) {
                    self.value(schema[input].r#type.base, &argument.value);
                }
            }
        }
    }

    fn value(&mut self, base: TypeId, value: &Node<ast::Value>) {
        match &**value {
            ast::Value::Enum(name) => {
                if let Some(id) = self.schema.find_enum_value(base, name) {
                    self.part.types.entry(base).or_default().values.insert(id);
                }
            }
            ast::Value::List(items) => {
                for item in items {
                    self.value(base, item);
                }
            }
            ast::Value::Object(fields) => {
                self.add_input_fields(base);
                for (name, value) in fields {
                    if let Some(input) = self.schema.find_input_field(base, name) {
                        self.value(self.base_of(input), value);
                    }
                }
            }
            ast::Value::Null
            | ast::Value::Variable(_)
            | ast::Value::String(_)
            | ast::Value::Float(_)
            | ast::Value::Int(_)
            | ast::Value::Boolean(_) => {}
        }
    }

    fn add(&mut self, id: TypeId) {
        self.part.types.entry(id).or_default();
    }

    fn add_input_fields(&mut self, id: TypeId) {
        let TypeKind::InputObject { fields } = &self.schema.whole[id].kind else { return };
        let named = self.part.types.entry(id).or_default();
        if !std::mem::replace(&mut named.with_input_fields, true) {
            for input in self.schema.inputs(fields) {
                let base = self.base_of(input);
                self.add(base);
            }
        }
    }

    fn base_of(&self, input: InputId) -> TypeId {
        self.schema[input].r#type.base
    }

    /// Adds an object type that implements both abstract types, so that validation finds that a
    /// fragment on the one may be spread in the other.
    fn overlap(&mut self, parent: TypeId, condition: TypeId) {
        if parent == condition || !self.overlaps.insert((parent, condition)) {
            return;
        }
        let schema = self.schema;
        let is_abstract = |id: TypeId| {
            matches!(schema[id].kind, TypeKind::Interface { .. } | TypeKind::Union { .. })
        };
        if !is_abstract(parent) || !is_abstract(condition) {
            return;
        }
        let applies =
            |object, r#type| crate::does_fragment_type_apply(schema.whole, object, r#type);
        let common = schema.types().find(|(id, definition)| {
            matches!(definition.kind, TypeKind::Object { .. })
                && applies(*id, parent)
                && applies(*id, condition)
        });
        if let Some((common, _)) = common {
            self.add(common);
        }
    }
}
