//! An API: a GraphQL schema with a binding for each of its positions.

use std::sync::{Arc, LazyLock};

use catalog::{EntityId, FieldId, FunctionId, Note, RelationshipId};
use graphql::SharedArena;
use graphql::schema::{EnumValueId, InputId, Schema, TypeId, TypeRef};
use http_resolvers::HttpResolver;
use http_resolvers::projection::Keys;
use http_resolvers::related_field::RelatedField;
use ir::ValueForm;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::binding::{
    BoundInput, CallBinding, ColumnBinding, EntityBinding, FieldBinding, NamedValue, RelatedRows,
    RelatedRowsId, RelationshipVariant, RelationshipVariantsId, ResolverId, RowsForm, RowsFrom,
    ValueBinding, ValuePlace, VariantBinding, VariantsId,
};
use crate::input_checks::InputChecks;
use crate::role_views::RoleViews;
use crate::uninherited::Uninherited;

/// The result of a root field that reads a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TableRows {
    /// A list of its rows.
    List,
    /// Aggregates of them.
    Aggregates,
}

/// The API that a dialect makes of a catalog.
#[derive(Clone, Debug, Default)]
pub struct Api {
    pub schema: Schema,
    pub(crate) fields: SharedArena<FieldBinding>,
    pub(crate) inputs: SharedArena<BoundInput>,
    pub(crate) values: SharedArena<ValueBinding>,
    /// Few columns have bindings of their own: there is one for each type.
    pub(crate) columns: FxHashMap<FieldId, Arc<ColumnBinding>>,
    /// Replacements of null values.
    pub(crate) absent: FxHashMap<FieldId, Absent>,
    /// Fields by the field that holds the same value.
    pub(crate) duplicates: FxHashMap<FieldId, FieldId>,
    /// The entities of the properties of a graph's relationships.
    pub(crate) edges: FxHashMap<RelationshipId, EntityId>,
    pub(crate) entities: FxHashMap<EntityId, EntityBinding>,
    /// Conversions of values of input types, where they are not plain.
    pub(crate) forms: FxHashMap<TypeId, Arc<ValueForm>>,
    pub(crate) calls: FxHashMap<FunctionId, CallBinding>,
    /// Entities by the prefix of their opaque ids.
    pub(crate) prefixes: FxHashMap<Box<str>, EntityId>,
    pub(crate) nesting: Option<Nesting>,
    pub(crate) variants: Vec<Vec<VariantBinding>>,
    pub(crate) relationship_variants: Vec<Vec<Vec<RelationshipVariant>>>,
    pub(crate) resolvers: FxHashMap<ResolverId, Resolver>,
    /// Keys of fields in answers of other servers, where these are not their names.
    pub(crate) answer_keys: AnswerKeys,
    /// Types that only other servers have.
    pub(crate) remote_types: FxHashSet<TypeId>,
    /// The directive of fields whose rows must have all selected fields.
    pub(crate) cascade: Option<Box<str>>,
    /// Rows that changes write together with those of their relations, by their ids.
    pub(crate) related_rows: FxHashMap<RelatedRowsId, RelatedRows>,
    /// The scope of a mutation's transactions.
    pub transactions: Transactions,
    /// The schema as a subgraph of a federated graph, if the API is one.
    pub subgraph_sdl: Option<Box<str>>,
    /// Visibility of the schema by role.
    pub role_views: RoleViews,
    pub input_checks: InputChecks,
    /// The deliveries of asynchronous actions.
    pub async_actions: Vec<AsyncAction>,
    /// Permissions that roles do not inherit.
    pub uninherited: Vec<Uninherited>,
    /// Collisions of names and other parts that the API lacks.
    pub notes: Vec<Note>,
}

/// An asynchronous action: its calls are recorded, and delivered to its handler by a server.
#[derive(Clone, Debug)]
pub struct AsyncAction {
    /// The request to the handler.
    pub delivery: Arc<HttpResolver>,
    /// The field that has the value of the handler.
    pub output: graphql::schema::FieldId,
}

/// A resolver of the API.
#[derive(Clone, Debug)]
pub struct Resolver {
    /// The field, and the type that has it.
    pub field: graphql::schema::FieldId,
    pub parent: TypeId,
    pub definition: Arc<HttpResolver>,
}

/// Keys of fields in answers of other servers, where these are not their names.
#[derive(Clone, Debug, Default)]
pub struct AnswerKeys {
    pub(crate) keys: FxHashMap<graphql::schema::FieldId, Box<str>>,
    /// Names of fields at other servers.
    pub(crate) names: FxHashMap<graphql::schema::FieldId, Box<str>>,
    /// Names of types at other servers.
    pub(crate) types: FxHashMap<TypeId, Box<str>>,
    /// Rows of the source that are values of fields of remote types.
    pub(crate) related: FxHashMap<graphql::schema::FieldId, Arc<RelatedField>>,
}

impl Keys for AnswerKeys {
    fn find(&self, field: graphql::schema::FieldId) -> Option<&str> {
        self.keys.get(&field).map(|key| &**key)
    }

    fn find_name(&self, field: graphql::schema::FieldId) -> Option<&str> {
        self.names.get(&field).map(|name| &**name)
    }

    fn find_type(&self, r#type: TypeId) -> Option<&str> {
        self.types.get(&r#type).map(|name| &**name)
    }

    fn find_related(&self, field: graphql::schema::FieldId) -> Option<&Arc<RelatedField>> {
        self.related.get(&field)
    }
}

/// The replacement of a field's null, in the response, in comparisons, or in both.
#[derive(Clone, Debug, PartialEq)]
pub struct Absent {
    /// The value, if null is replaced in comparisons.
    pub value: Option<ir::Value>,
    /// The value as JSON, if null is replaced in the response: version 3 of a graph's API replaces it
    /// in comparisons only.
    pub json: Option<Box<[u8]>>,
}

/// Scopes of transactions of a mutation's root fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transactions {
    /// One transaction for each root field.
    #[default]
    Each,
    /// One transaction for all of them.
    Request,
}

/// Depth limit of relationships below a root field.
#[derive(Clone, Debug)]
pub struct Nesting {
    pub most: usize,
    /// The error of a field that exceeds it.
    pub message: Box<str>,
}

impl Api {
    /// True if the query type has neither rows nor values: then the API is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let is_of_source = |field: &FieldBinding| {
            matches!(
                field,
                FieldBinding::Rows(_)
                    | FieldBinding::Computed(_)
                    | FieldBinding::Mutation(_)
                    | FieldBinding::Resolved(_)
            )
        };
        !self.fields.elements().any(is_of_source)
    }

    #[must_use]
    pub fn field(&self, id: graphql::schema::FieldId) -> &FieldBinding {
        &self.fields[id.index()]
    }

    #[must_use]
    pub fn input(&self, id: InputId) -> &BoundInput {
        &self.inputs[id.index()]
    }

    #[must_use]
    pub fn value(&self, id: EnumValueId) -> &ValueBinding {
        &self.values[id.index()]
    }

    /// The output of an entity's field, if the API has it.
    #[must_use]
    pub fn find_column(&self, field: FieldId) -> Option<&ColumnBinding> {
        self.columns.get(&field).map(|column| &**column)
    }

    /// The replacement of a field's null, if there is one.
    #[must_use]
    pub fn find_absent(&self, field: FieldId) -> Option<&Absent> {
        self.absent.get(&field)
    }

    /// True if a change of one of two fields changes the other.
    #[must_use]
    pub fn hold_one_value(&self, field: FieldId, other: FieldId) -> bool {
        let first = |field: FieldId| self.duplicates.get(&field).copied().unwrap_or(field);
        first(field) == first(other)
    }

    /// The entity of a graph relationship's properties, if conditions depend on the relationship.
    #[must_use]
    pub fn find_edge(&self, relationship: RelationshipId) -> Option<EntityId> {
        self.edges.get(&relationship).copied()
    }

    /// The entity whose opaque ids begin with `prefix`.
    #[must_use]
    pub fn find_entity_by_prefix(&self, prefix: &str) -> Option<EntityId> {
        self.prefixes.get(prefix).copied()
    }

    /// Entities whose rows form one list.
    #[must_use]
    pub fn variants(&self, id: VariantsId) -> &[VariantBinding] {
        self.variants.get(id.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// For each entity at this end of a relationship, its relationships to the entities at the
    /// other end.
    #[must_use]
    pub fn relationship_variants(&self, id: RelationshipVariantsId) -> &[Vec<RelationshipVariant>] {
        self.relationship_variants.get(id.0 as usize).map_or(&[], Vec::as_slice)
    }

    /// True if the API has subscriptions to events of rows.
    #[must_use]
    pub fn has_row_events(&self) -> bool {
        !self.related_rows.is_empty()
    }

    /// Rows that changes write together with those of their relations.
    #[must_use]
    pub fn related_rows(&self, id: RelatedRowsId) -> Option<&RelatedRows> {
        self.related_rows.get(&id)
    }

    /// The names of an entity and a field of it in errors of changes, if the API has some for them.
    #[must_use]
    pub fn names_in_errors(
        &self,
        entity: EntityId,
        field: Option<FieldId>,
    ) -> Option<(&str, Option<&str>)> {
        let rows = self.related_rows.values().find(|rows| rows.entity == entity)?;
        let is_it = |own: &&NamedValue| field.map(ValuePlace::Field) == Some(own.place.clone());
        let value = rows.values.iter().find(is_it).map(|value| &*value.name);
        Some((&*rows.name, value))
    }

    /// A resolver of the API.
    #[must_use]
    pub fn find_resolver(&self, id: ResolverId) -> Option<&Resolver> {
        self.resolvers.get(&id)
    }

    /// The column of a field that is one.
    #[must_use]
    pub fn column_of(&self, field: graphql::schema::FieldId) -> Option<catalog::FieldId> {
        match self.field(field) {
            FieldBinding::Column(column) => Some(*column),
            _ => None,
        }
    }

    /// The table whose rows a field gives without a row around it, in one of these forms.
    #[must_use]
    pub fn table_rows_of(
        &self,
        field: graphql::schema::FieldId,
    ) -> Option<(catalog::EntityId, TableRows)> {
        let FieldBinding::Rows(rows) = self.field(field) else { return None };
        let form = match rows.form {
            RowsForm::List => TableRows::List,
            RowsForm::Connection => TableRows::Aggregates,
            _ => return None,
        };
        (rows.from == RowsFrom::Entity).then_some((rows.entity, form))
    }

    /// The resolver of a field, if another server gives its value.
    #[must_use]
    pub fn resolver_of(&self, field: graphql::schema::FieldId) -> Option<&Resolver> {
        match self.field(field) {
            FieldBinding::Resolved(id) => self.find_resolver(*id),
            _ => None,
        }
    }

    /// All resolvers of the API, by their ids.
    #[must_use]
    pub fn resolvers(&self) -> Vec<&Resolver> {
        let mut resolvers: Vec<_> = self.resolvers.iter().collect();
        resolvers.sort_by_key(|(id, _)| id.0);
        resolvers.into_iter().map(|(_, resolver)| resolver).collect()
    }

    /// True if other servers give values of some fields.
    #[must_use]
    pub fn has_resolvers(&self) -> bool {
        !self.resolvers.is_empty()
    }

    #[must_use]
    pub fn answer_keys(&self) -> &AnswerKeys {
        &self.answer_keys
    }

    /// Types that only other servers have.
    #[must_use]
    pub fn remote_types(&self) -> &FxHashSet<TypeId> {
        &self.remote_types
    }

    /// The name of the directive by which rows that lack a selected field are left out, with the
    /// rows below them. Its only argument lists the names of the fields; without it all selected
    /// ones must have a value.
    #[must_use]
    pub fn cascade(&self) -> Option<&str> {
        self.cascade.as_deref()
    }

    /// The depth limit of relationships, if there is one.
    #[must_use]
    pub fn nesting(&self) -> Option<&Nesting> {
        self.nesting.as_ref()
    }

    /// The conversion of values of an input type; `None` for plain values.
    #[must_use]
    pub fn find_form(&self, r#type: TypeRef) -> Option<Arc<ValueForm>> {
        listed(self.forms.get(&r#type.base).cloned(), r#type)
    }

    /// True if values of an input type are converted.
    pub(crate) fn has_form(&self, r#type: TypeId) -> bool {
        self.forms.contains_key(&r#type)
    }

    /// The call of a function, if the API has it.
    #[must_use]
    pub fn find_call(&self, function: FunctionId) -> Option<&CallBinding> {
        self.calls.get(&function)
    }

    /// Common settings of an entity's lists, if the API has it.
    #[must_use]
    pub fn find_entity(&self, entity: EntityId) -> Option<&EntityBinding> {
        self.entities.get(&entity)
    }
}

/// A form within as many lists as the type has. A list of plain values needs none.
pub(crate) fn listed(base: Option<Arc<ValueForm>>, r#type: TypeRef) -> Option<Arc<ValueForm>> {
    let Some(item) = r#type.item() else { return base };
    match listed(base, item) {
        Some(element) => Some(Arc::new(ValueForm::List(element))),
        // Lists of lists differ from lists of values that are lists.
        None if item.is_list() => {
            Some(Arc::new(ValueForm::List(Arc::new(ValueForm::List(plain())))))
        }
        None => None,
    }
}

/// The form of plain values, shared by nearly all members.
pub(crate) fn plain() -> Arc<ValueForm> {
    static PLAIN: LazyLock<Arc<ValueForm>> = LazyLock::new(|| Arc::new(ValueForm::Plain));
    Arc::clone(&PLAIN)
}
