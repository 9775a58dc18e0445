//! References to entities of other subgraphs: objects with the fields of a key.

use catalog::FieldId;
use graphql::CollectedField;
use graphql::operation::FieldRef;
use graphql::schema::TypeId;
use ir::Hop;
use response::Node;

use super::outputs::Outputs;
use super::selection::misplaced;
use super::{Context, LowerError};
use api::binding::FieldBinding;

impl<'a> Context<'a> {
    /// The object of an entity, or null where a field of its key is null.
    pub(super) fn reference(
        &mut self,
        key: &[(FieldId, bool)],
        object: TypeId,
        field: &CollectedField<'a>,
        path: &[Hop],
        outputs: &mut Outputs,
    ) -> Result<Node, LowerError> {
        let mut fields = Vec::new();
        for part in &self.collect(object, &field.selection_sets)? {
            let node = match part.field {
                FieldRef::Typename => Node::Literal(self.typename(object)),
                FieldRef::Introspection => return Err(misplaced("introspection")),
                FieldRef::Field(id) => {
                    let api = self.api;
                    let FieldBinding::ReferenceKey(index) = api.field(id) else {
                        return Err(misplaced("a field of a reference"));
                    };
                    let column = key.get(*index).map(|(column, _)| *column);
                    let bound = column.and_then(|column| Some((column, api.find_column(column)?)));
                    let Some((column, binding)) = bound else { return Err(misplaced("column")) };
                    let leaf = self.leaf(&binding.value, api.schema[id].r#type.base, part)?;
                    let output = outputs.field(self, path, column, binding.form);
                    Node::Leaf { output, leaf }
                }
            };
            fields.push(self.shape_field(part, node));
        }
        let mut node = Node::Object(self.shape.add_fields(fields));
        for (column, _) in key.iter().filter(|(_, nullable)| *nullable) {
            let present = outputs.field(self, path, *column, ir::Form::Stored);
            node = Node::Present { present, node: self.shape.add(node) };
        }
        Ok(node)
    }
}
