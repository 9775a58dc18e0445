//! The document of a fetch, resolved by the composed schema with `_entities`.

use graphql::operation::{FieldRef, Operation, OperationKind};
use graphql::schema::{
    FieldDefinition, FieldId, InputDefinition, Schema, TypeDefinition, TypeId, TypeKind, TypeRef,
};
use graphql::variables::{Steering, Variables};
use graphql::{
    Budget, CollectedField, DocumentLimits, GraphQLError, TooManyFields, Validator, collect_fields,
};
use serde_json_bytes::Value as Json;
use supergraph::Supergraph;

/// The schema of all connectors.
#[derive(Debug)]
pub struct ConnectorSchema {
    pub(super) schema: Schema,
    /// `Query._entities`.
    pub(super) entities: FieldId,
    validator: Validator,
}

/// The resolved document of a fetch.
#[derive(Clone, Debug)]
pub struct ConnectorFetch {
    pub(super) operation: Operation,
}

graphql::heap_size!(struct ConnectorFetch { operation });

/// Limits of documents that the gateway has printed: those of client requests bound them.
const UNLIMITED: usize = usize::MAX;

impl ConnectorSchema {
    /// `None` for a supergraph without connectors.
    #[must_use]
    pub fn new(supergraph: &Supergraph) -> Option<Self> {
        if supergraph.connectors.is_empty() {
            return None;
        }
        let mut schema = supergraph.schema.clone();
        let named = |schema: &mut Schema, name: &str, kind| {
            schema.add_type(TypeDefinition { name: name.into(), description: None, kind })
        };
        let objects = schema.types().filter(|(id, definition)| {
            let is_root = [schema.query, schema.mutation, schema.subscription].contains(&Some(*id));
            matches!(definition.kind, TypeKind::Object { .. }) && !is_root
        });
        let members: Vec<TypeId> = objects.map(|(id, _)| id).collect();
        let any = named(&mut schema, "_Any", TypeKind::Scalar)?;
        let entity = named(&mut schema, "_Entity", TypeKind::Union { members })?;
        let r#type = TypeRef::named(entity).list().non_null();
        let field = FieldDefinition::new("_entities", r#type);
        let entities = schema.add_field(schema.query?, field);
        let representations = TypeRef::named(any).non_null().list().non_null();
        schema.add_argument(entities, InputDefinition::new("representations", representations));
        let validator = Validator::new(&schema);
        Some(Self { schema, entities, validator })
    }

    /// Resolves the document of a fetch.
    pub fn fetch(&self, text: &str) -> Result<ConnectorFetch, Vec<GraphQLError>> {
        let limits = DocumentLimits {
            tokens: UNLIMITED,
            depth: UNLIMITED,
            aliases: UNLIMITED,
            root_fields: UNLIMITED,
            fields: UNLIMITED,
            directives: UNLIMITED,
            directives_per_place: UNLIMITED,
            fragments: UNLIMITED,
            variables: UNLIMITED,
            ..DocumentLimits::default()
        };
        let operation = self.validator.operation(&self.schema, text, None, &limits)?;
        Ok(ConnectorFetch { operation })
    }
}

impl ConnectorFetch {
    /// Returns the variables of a request body, `{"query": …, "variables": {…}}`.
    pub(super) fn variables(&self, body: &[u8]) -> Variables {
        let body: Json = serde_json_bytes::serde_json::from_slice(body).unwrap_or_default();
        let values = match body {
            Json::Object(mut members) => members.remove("variables").unwrap_or_default(),
            _ => Json::Null,
        };
        let find = |name: &str| values.as_object().and_then(|values| values.get(name)).cloned();
        let values = self.operation.variables.iter().map(|one| find(&one.name)).collect();
        Variables { values, ..Variables::default() }
    }

    /// Returns the fields of the root type.
    pub(super) fn roots(
        &self,
        schema: &Schema,
        steering: &Steering<'_>,
    ) -> Result<Vec<CollectedField<'_>>, TooManyFields> {
        let root = match self.operation.kind {
            OperationKind::Query => schema.query,
            OperationKind::Mutation => schema.mutation,
            OperationKind::Subscription => schema.subscription,
        };
        let Some(root) = root else { return Ok(Vec::new()) };
        let mut budget = Budget::new(UNLIMITED);
        collect_fields(&self.operation, schema, root, &[self.operation.root], steering, &mut budget)
    }
}

/// Returns the id of a field of the schema; `None` for `__typename`.
pub(super) fn field_id(field: &CollectedField<'_>) -> Option<FieldId> {
    match field.field {
        FieldRef::Field(id) => Some(id),
        FieldRef::Typename | FieldRef::Introspection => None,
    }
}
