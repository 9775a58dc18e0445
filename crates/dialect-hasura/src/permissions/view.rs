//! The visible part of the schema for each role.
//!
//! A position is visible if the role has the permission that its binding needs: a column of a type
//! needs permission to read it, a member of `T_set_input` to update it, a relationship to read rows
//! of the other table. What a binding does not name follows: a type without visible members is
//! hidden, and so is a field whose required argument is ([`graphql::Visibility`]). Bindings that are not known
//! here are hidden.

use api::binding::{
    AggregateField, ArgumentRole, Change, ConnectionField, FieldBinding, FilterRole, InputRole,
    OrderRole, RowsForm, RowsFrom, TreeRole, ValueBinding, WriteRole,
};
use api::{Api, RoleViews};
use catalog::{Catalog, EntityId, FieldId, FunctionId, FunctionResult};
use graphql::schema::{EnumValueId, FieldId as SchemaFieldId, InputId, TypeId, TypeKind};
use graphql::{Position, PositionIndex};
use hasura_metadata::shares::in_shares;
use http_resolvers::HttpResolver;
use http_resolvers::projection::Keys;
use http_resolvers::related_field::RelatedField;
use ir::{Hop, HopDirection, ValueRef};
use rustc_hash::{FxHashMap, FxHashSet};

use super::ADMIN;
use super::roles::{RolePermissions, view_name};
use super::table::RootFields;
use crate::remote::access::{RemoteAccess, RemoteView};

/// Makes the view of each role.
pub(super) fn views(
    api: &Api,
    catalog: &Catalog,
    roles: &[RolePermissions],
    remote: &RemoteAccess<'_>,
) -> RoleViews {
    let (known, index) = (Known::new(api, catalog), PositionIndex::new(&api.schema));
    let mut views = RoleViews::default();
    let has_texts = !known.literals.is_empty() && roles.iter().any(RolePermissions::has_queries);
    // Texts in the place of queries and of columns are for roles without any.
    if has_texts || !known.placeholders.is_empty() {
        let is_allowed = |position| match position {
            Position::Field(id) => !has_texts || !known.literals.contains(&id),
            Position::EnumValue(id) => !known.placeholders.contains_key(&id),
            Position::Input(_) => true,
        };
        views.insert(ADMIN, index.visibility(is_allowed, |_| false, |_| false));
    }
    let of_role = |role: &RolePermissions| {
        let (bits, has_queries) = (RoleBits::new(catalog, role), role.has_queries());
        let remote = remote.view(&role.remote);
        let view = View { api, catalog, known: &known, role: bits, has_queries, remote: &remote };
        let visibility = index.visibility(
            |position| view.is_allowed(position),
            |field| view.is_nullable(field),
            |input| remote.presets.contains_key(&input),
        );
        (visibility, remote.presets)
    };
    // With thousands of tables they take a fifth of the start.
    let made = in_shares(roles, |_, roles| roles.iter().map(of_role).collect::<Vec<_>>());
    for (role, (visibility, presets)) in roles.iter().zip(made.into_iter().flatten()) {
        let name = view_name(&role.name, role.is_of_backends);
        views.insert(&name, visibility);
        views.insert_presets(&name, presets);
    }
    views
}

/// Positions whose meaning depends on where they are.
struct Known {
    /// Fields of the type of subscriptions.
    subscriptions: FxHashSet<SchemaFieldId>,
    /// Constant fields of the type of queries.
    literals: FxHashSet<SchemaFieldId>,
    /// Values of enums of columns that an upsert updates.
    updated: FxHashSet<EnumValueId>,
    /// Values of these enums in the place of columns, with the entity.
    placeholders: FxHashMap<EnumValueId, EntityId>,
    /// The entities of the inputs of conflicts, by the type.
    conflicts: FxHashMap<TypeId, EntityId>,
    /// The connections of the Relay API.
    connections: FxHashSet<TypeId>,
}

impl Known {
    fn new(api: &Api, catalog: &Catalog) -> Self {
        let schema = &api.schema;
        let mut known = Self {
            subscriptions: FxHashSet::default(),
            literals: FxHashSet::default(),
            updated: FxHashSet::default(),
            placeholders: FxHashMap::default(),
            conflicts: FxHashMap::default(),
            connections: FxHashSet::default(),
        };
        if let Some(subscription) = schema.subscription
            && let TypeKind::Object { fields, .. } = &schema[subscription].kind
        {
            known.subscriptions.extend(fields.iter().copied());
        }
        if let Some(query) = schema.query
            && let TypeKind::Object { fields, .. } = &schema[query].kind
        {
            let is_literal =
                |field: &&SchemaFieldId| matches!(api.field(**field), FieldBinding::Literal(_));
            known.literals.extend(fields.iter().filter(is_literal).copied());
        }
        for (r#type, definition) in schema.types() {
            if let TypeKind::Object { fields, .. } = &definition.kind {
                let page = FieldBinding::Connection(ConnectionField::PageInfo);
                if fields.iter().any(|field| *api.field(*field) == page) {
                    known.connections.insert(r#type);
                }
            }
            let TypeKind::InputObject { fields } = &definition.kind else { continue };
            for input in fields {
                let InputRole::Write(WriteRole::Tree(TreeRole::ConflictColumns)) =
                    &api.input(*input).role
                else {
                    continue;
                };
                let columns = schema[*input].r#type.base;
                let TypeKind::Enum { values } = &schema[columns].kind else { continue };
                known.updated.extend(values.iter().copied());
                let entity = values.iter().find_map(|value| match api.value(*value) {
                    ValueBinding::Column(field) => Some(catalog[*field].entity),
                    _ => None,
                });
                let Some(entity) = entity else { continue };
                known.conflicts.insert(r#type, entity);
                let refused = values
                    .iter()
                    .filter(|value| matches!(api.value(**value), ValueBinding::Refused(_)));
                known.placeholders.extend(refused.map(|value| (*value, entity)));
            }
        }
        known
    }
}

/// A set of ids.
struct Bits(Vec<u64>);

impl Bits {
    fn new(size: usize) -> Self {
        Self(vec![0; size.div_ceil(64)])
    }

    fn insert(&mut self, index: usize) {
        if let Some(word) = self.0.get_mut(index / 64) {
            *word |= 1 << (index % 64);
        }
    }

    fn has(&self, index: usize) -> bool {
        self.0.get(index / 64).is_some_and(|word| word & (1 << (index % 64)) != 0)
    }
}

/// The permissions of a role by ids.
struct RoleBits<'r> {
    /// Readable fields.
    read: Bits,
    /// Readable fields that are null in some rows.
    masked: Bits,
    inserted: Bits,
    updated: Bits,
    /// By the entity.
    tables: Vec<TableBits>,
    functions: &'r FxHashSet<FunctionId>,
    actions: &'r FxHashSet<(&'static str, Box<str>)>,
}

/// The permissions of a role on a table.
#[derive(Clone, Copy, Default)]
struct TableBits {
    reads: bool,
    reads_all: bool,
    aggregates: bool,
    inserts: bool,
    updates: bool,
    updates_columns: bool,
    deletes: bool,
    query: RootFields,
    subscription: RootFields,
}

impl<'r> RoleBits<'r> {
    fn new(catalog: &Catalog, role: &'r RolePermissions) -> Self {
        let fields = catalog.fields().count();
        let [mut read, mut masked, mut inserted, mut updated] = [(); 4].map(|()| Bits::new(fields));
        // Entities of logical models come after those of tables.
        let most = role.tables.keys().map(|entity| entity.index() + 1).max();
        let mut tables = vec![TableBits::default(); most.unwrap_or_default()];
        for (entity, table) in &role.tables {
            let Some(bits) = tables.get_mut(entity.index()) else { continue };
            for (_, select) in &table.select {
                bits.reads = true;
                bits.reads_all |= *select.permission.rows == access::Condition::always();
                bits.aggregates |= select.allows_aggregates;
                bits.query = bits.query.or(select.query);
                bits.subscription = bits.subscription.or(select.subscription);
                for field in select.seen.iter() {
                    read.insert(field.index());
                    let all = table.select.iter();
                    if !all.map(|(_, one)| one).all(|one| one.seen.contains(field)) {
                        masked.insert(field.index());
                    }
                }
            }
            let is_used = |is_for_backends: bool| role.is_of_backends || !is_for_backends;
            for (change, bits, all) in [
                (&table.insert, &mut bits.inserts, &mut inserted),
                (&table.update, &mut bits.updates, &mut updated),
            ] {
                let Some((_, change)) = change else { continue };
                if !is_used(change.is_for_backends) {
                    continue;
                }
                *bits = true;
                change.assigned().for_each(|field| all.insert(field.index()));
            }
            bits.updates_columns = bits.updates && table.updates_columns();
            bits.deletes =
                table.delete.as_ref().is_some_and(|(_, change)| is_used(change.is_for_backends));
        }
        Self {
            read,
            masked,
            inserted,
            updated,
            tables,
            functions: &role.functions,
            actions: &role.actions,
        }
    }

    fn table(&self, entity: EntityId) -> TableBits {
        self.tables.get(entity.index()).copied().unwrap_or_default()
    }
}

/// The view of one role.
struct View<'v> {
    api: &'v Api,
    catalog: &'v Catalog,
    known: &'v Known,
    role: RoleBits<'v>,
    has_queries: bool,
    remote: &'v RemoteView<'v>,
}

impl View<'_> {
    fn is_allowed(&self, position: Position) -> bool {
        if let Some(is_allowed) = self.remote.allows(position) {
            return is_allowed && self.reads_keys(position);
        }
        match position {
            Position::Field(id) => self.field(id),
            Position::Input(id) => self.input(id),
            Position::EnumValue(id) => self.value(id),
        }
    }

    /// True if the role sees the columns by which a field of another source is found.
    fn reads_keys(&self, position: Position) -> bool {
        let Position::Field(id) = position else { return true };
        let Some(resolver) = self.api.resolver_of(id) else { return true };
        if resolver.definition.remote().is_none_or(|path| path.source().is_none()) {
            return true;
        }
        let schema = &self.api.schema;
        let keys = resolver.definition.input_fields().iter();
        keys.map(|name| schema.find_field(resolver.parent, name))
            .all(|key| key.is_some_and(|key| self.field(key)))
    }

    fn reads(&self, field: FieldId) -> bool {
        self.role.read.has(field.index())
    }

    /// The permissions on the rows that a relationship leads to, if the role may read the rows at
    /// both ends.
    fn along(&self, hop: Hop) -> Option<TableBits> {
        let relationship = &self.catalog[hop.relationship];
        let (near, far) = match hop.direction {
            HopDirection::Forward => (relationship.from, relationship.to),
            HopDirection::Backward => (relationship.to, relationship.from),
        };
        let far = self.role.table(far);
        (self.role.table(near).reads && far.reads).then_some(far)
    }

    fn follows(&self, hop: Hop) -> bool {
        self.along(hop).is_some()
    }

    fn aggregates(&self, hop: Hop) -> bool {
        self.along(hop).is_some_and(|far| far.aggregates)
    }

    fn aggregates_rows_of(&self, function: FunctionId) -> bool {
        match self.catalog[function].result {
            FunctionResult::Row(entity)
            | FunctionResult::Rows(entity)
            | FunctionResult::RowArray(entity) => {
                let returned = self.role.table(entity);
                returned.reads && returned.aggregates
            }
            FunctionResult::Values(_) | FunctionResult::Value(_) | FunctionResult::Nothing => false,
        }
    }

    /// True for a connection of the Relay API.
    fn is_relay(&self, id: SchemaFieldId) -> bool {
        self.known.connections.contains(&self.api.schema[id].r#type.base)
    }

    fn field(&self, id: SchemaFieldId) -> bool {
        match self.api.field(id) {
            FieldBinding::Column(field) => self.reads(*field),
            FieldBinding::Rows(rows) => {
                let table = self.role.table(rows.entity);
                table.reads
                    && match rows.from {
                        RowsFrom::Entity => {
                            let fields = match self.known.subscriptions.contains(&id) {
                                true => table.subscription,
                                false => table.query,
                            };
                            match rows.form {
                                RowsForm::List => fields.select,
                                RowsForm::Single => fields.by_key,
                                RowsForm::Connection if self.is_relay(id) => fields.select,
                                RowsForm::Connection => fields.aggregate && table.aggregates,
                                RowsForm::Stream => fields.stream,
                                RowsForm::Aggregate | RowsForm::First | RowsForm::Keyed => false,
                            }
                        }
                        RowsFrom::Relation(hop) => match rows.form {
                            RowsForm::Connection if !self.is_relay(id) => self.aggregates(hop),
                            _ => self.follows(hop),
                        },
                        RowsFrom::Effect(function) => self.role.functions.contains(&function),
                        RowsFrom::Function { function, .. } => {
                            self.role.functions.contains(&function)
                                && (rows.form != RowsForm::Connection
                                    || table.aggregates
                                    || self.is_relay(id))
                        }
                        _ => false,
                    }
            }
            FieldBinding::Resolved(id) => self.api.find_resolver(*id).is_some_and(|resolver| {
                let HttpResolver { parent, field, .. } = &*resolver.definition;
                let mut actions = self.role.actions.iter();
                let definition = &resolver.definition;
                (definition.webhook().is_some() || definition.logged().is_some())
                    && actions.any(|(root, name)| **root == **parent && name == field)
            }),
            // Fields of results of actions: those of types to which a visible position leads, and rows
            // that a visible root field gives.
            FieldBinding::Refused(_) => self.has_related_root(id),
            FieldBinding::Computed(computed) => self.role.functions.contains(&computed.function),
            FieldBinding::Aggregate(AggregateField::FieldValue { field, .. }) => self.reads(*field),
            FieldBinding::Aggregate(AggregateField::Counted | AggregateField::Function(_))
            | FieldBinding::Connection(_)
            | FieldBinding::Edge(_)
            | FieldBinding::PageInfo(_)
            | FieldBinding::Payload(_)
            | FieldBinding::Same
            | FieldBinding::Constants
            | FieldBinding::Lookup { .. } => true,
            FieldBinding::Literal(_) => !self.has_queries && self.known.literals.contains(&id),
            // Rows of the other types are not found.
            FieldBinding::Entities(entities) => entities.types.iter().any(|one| {
                let mut key = one.keys.iter().flatten();
                self.role.table(one.entity).reads && key.all(|field| self.reads(*field))
            }),
            FieldBinding::NodeId { key, .. } => {
                key.first().is_some_and(|field| self.role.table(self.catalog[*field].entity).reads)
            }
            FieldBinding::Mutation(mutation) => match &mutation.change {
                Change::InsertTree(entity) => self.role.table(*entity).inserts,
                Change::UpdateAll(entity) | Change::UpdateEach(entity) => {
                    self.role.table(*entity).updates
                }
                Change::DeleteAll(entity) => self.role.table(*entity).deletes,
                Change::Call(function) => self.role.functions.contains(function),
                _ => false,
            },
            _ => false,
        }
    }

    /// True unless the field has rows of a root field that the role does not see, or by columns that
    /// it cannot compare.
    fn has_related_root(&self, id: SchemaFieldId) -> bool {
        let schema = &self.api.schema;
        let Some(RelatedField::Rows(rows)) =
            self.api.answer_keys().find_related(id).map(|related| &**related)
        else {
            return true;
        };
        let mut found = (schema.query, None);
        for name in &rows.path {
            let field = found.0.and_then(|parent| schema.find_field(parent, name));
            found = (field.map(|field| schema[field].r#type.base), field);
        }
        found.1.is_some_and(|root| {
            self.is_allowed(Position::Field(root))
                && rows.keys.iter().all(|key| self.compares(root, &key.column))
        })
    }

    /// True if the conditions of a field's rows have a column.
    fn compares(&self, root: SchemaFieldId, column: &str) -> bool {
        let schema = &self.api.schema;
        let mut conditions = schema[root].arguments.iter().map(|input| &schema[*input]);
        let conditions = conditions.find(|input| &*input.name == "where");
        let column =
            conditions.and_then(|input| schema.find_input_field(input.r#type.base, column));
        column.is_some_and(|column| self.is_allowed(Position::Input(column)))
    }

    fn input(&self, id: InputId) -> bool {
        match &self.api.input(id).role {
            InputRole::Argument(
                ArgumentRole::Options
                | ArgumentRole::Limit
                | ArgumentRole::Offset
                | ArgumentRole::Last
                | ArgumentRole::After
                | ArgumentRole::AfterMembers
                | ArgumentRole::BeforeMembers
                | ArgumentRole::VersionedNodeId
                | ArgumentRole::Before
                | ArgumentRole::Sort
                | ArgumentRole::DistinctOn
                | ArgumentRole::CountedColumns
                | ArgumentRole::CountsDistinct
                | ArgumentRole::NodeId
                | ArgumentRole::JsonPath
                | ArgumentRole::Stream
                | ArgumentRole::StreamStart
                | ArgumentRole::StreamDirection
                | ArgumentRole::Call(_),
            )
            | InputRole::Member
            | InputRole::Representations
            // Inputs of actions.
            | InputRole::Ignored
            | InputRole::Refused(_) => true,
            InputRole::Argument(ArgumentRole::StreamFrom(field)) => self.reads(*field),
            InputRole::Filter(role) => self.filter(role),
            InputRole::Order(role) => match role {
                OrderRole::Sort
                | OrderRole::Then
                | OrderRole::RelatedCount
                | OrderRole::Aggregates(_) => true,
                OrderRole::Related(hop) => self.follows(*hop),
                OrderRole::RelatedAggregates(hop) => self.aggregates(*hop),
                OrderRole::FunctionAggregates(function) => {
                    self.role.functions.contains(function) && self.aggregates_rows_of(*function)
                }
                OrderRole::Field(field) => self.reads(*field),
                OrderRole::Computed(function) => self.role.functions.contains(function),
                _ => false,
            },
            InputRole::Write(role) => match role {
                WriteRole::Inputs | WriteRole::Updates => true,
                WriteRole::Stored(field) => self.role.inserted.has(field.index()),
                WriteRole::Assign { field, .. } => self.role.updated.has(field.index()),
                WriteRole::Tree(tree) => match tree {
                    TreeRole::Rows
                    | TreeRole::Data
                    | TreeRole::ConflictKey
                    | TreeRole::ConflictColumns => true,
                    TreeRole::Related(relation) => self.role.table(relation.entity).inserts,
                    TreeRole::OnConflict => {
                        let r#type = self.api.schema[id].r#type.base;
                        let entity = self.known.conflicts.get(&r#type);
                        entity.is_some_and(|entity| self.role.table(*entity).inserts)
                    }
                },
                _ => false,
            },
            _ => false,
        }
    }

    fn filter(&self, role: &FilterRole) -> bool {
        match role {
            FilterRole::Conditions
            | FilterRole::And { .. }
            | FilterRole::Or { .. }
            | FilterRole::Operator(_)
            | FilterRole::Rows(_)
            | FilterRole::GroupFilter
            | FilterRole::AggregatedColumns
            | FilterRole::AggregatedPair
            | FilterRole::AggregatesDistinct
            | FilterRole::AggregateIs => true,
            FilterRole::Negated(role) => self.filter(role),
            FilterRole::Equal(field) => self.reads(*field),
            FilterRole::Operators(subject) => self.place(&subject.place),
            FilterRole::FunctionRows(function) => self.role.functions.contains(function),
            FilterRole::Related(hop) | FilterRole::RelatedBy { hop, .. } => self.follows(*hop),
            FilterRole::RelatedMany(hop) => self.aggregates(*hop),
            _ => false,
        }
    }

    fn place(&self, place: &ValueRef) -> bool {
        match place {
            ValueRef::Field { path, field } => {
                path.iter().all(|hop| self.follows(*hop)) && self.reads(*field)
            }
            ValueRef::Computed(call) => self.role.functions.contains(&call.function),
            _ => false,
        }
    }

    fn value(&self, id: EnumValueId) -> bool {
        match self.api.value(id) {
            ValueBinding::Column(field) => match self.known.updated.contains(&id) {
                true => self.role.updated.has(field.index()),
                false => self.reads(*field),
            },
            ValueBinding::Placed { .. }
            | ValueBinding::Direction(_)
            | ValueBinding::Key(_)
            | ValueBinding::Label(_) => true,
            ValueBinding::Refused(_) => {
                let entity = self.known.placeholders.get(&id);
                entity.is_some_and(|entity| !self.role.table(*entity).updates_columns)
            }
            _ => false,
        }
    }

    /// Returns true for a value that the schema says is there, and that the role may not read in all
    /// rows.
    fn is_nullable(&self, id: SchemaFieldId) -> bool {
        match self.api.field(id) {
            FieldBinding::Column(field) => self.role.masked.has(field.index()),
            FieldBinding::Rows(rows) => {
                rows.form == RowsForm::Single
                    && matches!(rows.from, RowsFrom::Relation(_))
                    && !self.role.table(rows.entity).reads_all
            }
            // A further source gives it.
            FieldBinding::Refused(_) | FieldBinding::Resolved(_) => self.remote.is_nullable(id),
            _ => false,
        }
    }
}
