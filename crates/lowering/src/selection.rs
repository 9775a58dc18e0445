//! Fields of objects: the root's, and those of rows.

use graphql::opaque::{OpaqueKind, OpaqueValues};
use graphql::operation::{FieldRef, OperationKind, SelectionSetId};
use graphql::schema::{FieldId, InputId, TypeId, TypeKind};
use graphql::value::Value;
use graphql::{CollectedField, collect_fields};
use ir::{Filter, Hop, Rows};
use response::{Fields, Item, Node, NodeId, ShapeField};

use super::arguments::{Arguments, NOTHING_SEARCHED, Opaque};
use super::call::RowForm;
use super::common_fields::name_common_fields;
use super::filter::FilterContext;
use super::input::Input;
use super::order::{ListOrder, order_by_distinct};
use super::paging::{Paging, page};
use super::required_fields::RequiredFields;
use super::{Context, LowerError, Outputs};
use api::binding::{
    ArgumentRole, Cursors, EdgeField, FieldBinding, INVALID_NODE_ID, InputRole, NodeIdBinding,
    OrderBy, PageInfoField, RowsBinding, RowsForm, RowsFrom,
};
use api::check::{Position, position_of_arguments};

impl<'a> Context<'a> {
    /// The merged fields of an object type in the selection sets.
    pub(super) fn collect(
        &mut self,
        object: TypeId,
        sets: &[SelectionSetId],
    ) -> Result<Vec<CollectedField<'a>>, LowerError> {
        let schema = &self.api.schema;
        let budget = &mut self.budget;
        let mut collected =
            collect_fields(self.operation, schema, object, sets, self.steering, budget)?;
        for field in &mut collected {
            if let FieldRef::Field(id) = &mut field.field {
                *id = self.own_field(object, *id);
                let is_read =
                    |(id, _): &(InputId, Value)| self.api.input(*id).role != InputRole::Ignored;
                let has_arguments = field.arguments.iter().any(is_read);
                if has_arguments && position_of_arguments(self.api.field(*id)) == Position::Nothing
                {
                    return Err(misplaced("an argument of a field that has none"));
                }
                self.check_cascade(*id, field.directives, field.location)?;
            }
        }
        Ok(collected)
    }

    /// The object's own field for one on an interface: only objects' fields have bindings.
    pub(super) fn own_field(&self, object: TypeId, field: FieldId) -> FieldId {
        let schema = &self.api.schema;
        match &schema[object].kind {
            TypeKind::Object { fields, interfaces }
                if !interfaces.is_empty() && !fields.contains(&field) =>
            {
                schema.find_field(object, &schema[field].name).unwrap_or(field)
            }
            _ => field,
        }
    }

    /// The fields of the root object. At the top level each is a root field of its own.
    pub(super) fn root_fields(
        &mut self,
        object: TypeId,
        sets: &[SelectionSetId],
        top: bool,
    ) -> Result<Fields, LowerError> {
        let mut fields = Vec::new();
        let collected = self.collect(object, sets)?;
        self.check_stream_alone(&collected)?;
        for (place, field) in collected.iter().enumerate() {
            if top {
                if !self.roots.contains(&place) {
                    continue;
                }
                self.root = u32::try_from(fields.len()).unwrap_or(u32::MAX);
            }
            let node = match field.field {
                FieldRef::Typename => Node::Literal(self.typename(object)),
                FieldRef::Introspection if !top => {
                    return Err(LowerError::Refused {
                        message: "__schema and __type stand at the top of a query only.".into(),
                        location: field.location,
                    });
                }
                FieldRef::Introspection => {
                    let answer = self.introspection.get(field.response_name);
                    Node::Literal(answer.map_or_else(|| b"null"[..].into(), Clone::clone))
                }
                FieldRef::Field(id) => match self.api.field(id) {
                    FieldBinding::Same => {
                        Node::Object(self.root_fields(object, &field.selection_sets, false)?)
                    }
                    FieldBinding::Literal(text) => Node::Literal(text.clone()),
                    // The source of a stream cannot be created. GraphQL specification, 6.2.3.1.
                    FieldBinding::Refused(text)
                        if self.operation.kind == OperationKind::Subscription =>
                    {
                        return Err(LowerError::refused(text, field.location));
                    }
                    FieldBinding::Refused(text) => Node::Refused(text.clone()),
                    FieldBinding::Rows(binding @ RowsBinding { from: RowsFrom::Effect(_), .. }) => {
                        self.called_for_effect(binding, field)?
                    }
                    FieldBinding::Rows(binding) => {
                        match (binding.form, self.rows(binding, field)) {
                            // As above: without a position there is nothing to stream.
                            (RowsForm::Stream, Err(error)) => return Err(error),
                            (_, found) => self.read(found)?,
                        }
                    }
                    FieldBinding::Computed(binding) => {
                        let r#type = self.api.schema[id].r#type.base;
                        let found = self.called(binding, r#type, field);
                        self.read(found.map(Some))?
                    }
                    FieldBinding::Constants => {
                        let object = self.api.schema[id].r#type.base;
                        Node::Object(self.root_fields(object, &field.selection_sets, false)?)
                    }
                    FieldBinding::Entities(binding) => {
                        let found = self.entities(binding, field);
                        match found {
                            Ok(node) => node,
                            Err(error) => self.failed(error)?,
                        }
                    }
                    FieldBinding::Lookup { root: Some(root) } if self.is_root(field, root) => {
                        match self.lookup_arguments(field) {
                            Ok(_) => {
                                let sets = &field.selection_sets;
                                Node::Object(self.root_fields(object, sets, false)?)
                            }
                            Err(error) => self.failed(error)?,
                        }
                    }
                    FieldBinding::Lookup { .. } => {
                        let found = self.lookup(field);
                        self.read(found)?
                    }
                    FieldBinding::Resolved(resolver) => {
                        Node::Literal(self.placeholder(*resolver, id, field).into())
                    }
                    FieldBinding::Mutation(binding) => self.mutation(binding, field)?,
                    FieldBinding::Listen(binding) if top => {
                        let object = self.api.schema[id].r#type.base;
                        self.listened(binding, (object, field))?
                    }
                    FieldBinding::RelatedNode => {
                        let found = self.related_node(field);
                        self.read(found)?
                    }
                    FieldBinding::RelatedNodeId => self.related_node_id(),
                    FieldBinding::EventTime => self.event_time(),
                    FieldBinding::EventMember(name) => self.event_member(name),
                    FieldBinding::RowEvent(rows) if top => {
                        let object = self.api.schema[id].r#type.base;
                        // As above, an error of it is one of the request.
                        self.row_event(*rows, (object, field))?
                    }
                    FieldBinding::Listen(_)
                    | FieldBinding::RowEvent(_)
                    | FieldBinding::EventPart(_)
                    | FieldBinding::Payload(_)
                    | FieldBinding::Reference(_)
                    | FieldBinding::ReferenceKey(_)
                    | FieldBinding::Column(_)
                    | FieldBinding::Coalesce(_)
                    | FieldBinding::Distance
                    | FieldBinding::NodeId { .. }
                    | FieldBinding::GlobalId { .. }
                    | FieldBinding::Connection(_)
                    | FieldBinding::Edge(_)
                    | FieldBinding::PageInfo(_)
                    | FieldBinding::Aggregate(_)
                    | FieldBinding::Part { .. } => return Err(misplaced("root")),
                },
            };
            fields.push(self.shape_field(field, node));
        }
        Ok(self.shape.add_fields(fields))
    }

    /// The fields of a row, or of the row at the end of a path of to-one hops.
    pub(super) fn row_fields(
        &mut self,
        object: TypeId,
        sets: &[SelectionSetId],
        path: &[Hop],
        outputs: &mut Outputs,
    ) -> Result<Fields, LowerError> {
        let mut fields = Vec::new();
        for field in &self.collect(object, sets)? {
            let node = match field.field {
                FieldRef::Typename => Node::Literal(self.typename(object)),
                FieldRef::Introspection => return Err(misplaced("introspection")),
                FieldRef::Field(id) => match self.api.field(id) {
                    FieldBinding::Resolved(resolver) => {
                        self.resolved(*resolver, (object, id), field, path, outputs)?
                    }
                    _ => self.row_field(id, field, path, outputs)?,
                },
            };
            fields.push(self.shape_field(field, node));
        }
        Ok(self.shape.add_fields(fields))
    }

    pub(super) fn row_field(
        &mut self,
        id: graphql::schema::FieldId,
        field: &CollectedField<'a>,
        path: &[Hop],
        outputs: &mut Outputs,
    ) -> Result<Node, LowerError> {
        let api = self.api;
        match api.field(id) {
            FieldBinding::Literal(text) => Ok(Node::Literal(text.clone())),
            FieldBinding::Refused(text) => Ok(Node::Refused(text.clone())),
            FieldBinding::EventTime => Ok(self.event_time()),
            FieldBinding::Reference(key) => {
                self.reference(key, api.schema[id].r#type.base, field, path, outputs)
            }
            FieldBinding::Column(column) => {
                let Some(binding) = api.find_column(*column) else {
                    return Err(misplaced("column"));
                };
                let leaf = self.leaf(&binding.value, api.schema[id].r#type.base, field)?;
                let leaf = self.leaf_at_path(leaf, field)?;
                let output = outputs.field(self, path, *column, binding.form);
                Ok(self.or_absent(*column, output, leaf))
            }
            FieldBinding::Coalesce(fields) => {
                let own = |field: &catalog::FieldId| ir::ValueRef::Field {
                    path: path.to_vec(),
                    field: *field,
                };
                let place = ir::ValueRef::Coalesce(fields.iter().map(own).collect());
                let output = outputs.order_value(self, &ir::OrderKey::Value(place));
                Ok(Node::Leaf { output, leaf: response::Leaf::Text })
            }
            FieldBinding::Distance => Ok(match self.distance.clone().filter(|_| path.is_empty()) {
                Some(distance) => {
                    let place = ir::ValueRef::Distance(Box::new(distance));
                    let output = outputs.order_value(self, &ir::OrderKey::Value(place));
                    Node::Leaf { output, leaf: response::Leaf::Float }
                }
                None => null(),
            }),
            FieldBinding::NodeId { prefix, key, form } => {
                let pieces = self.node_id_pieces(path, (prefix, *form), key, outputs);
                Ok(Node::Base64(pieces))
            }
            FieldBinding::GlobalId { prefix, field } => {
                Ok(Node::Base64(self.global_id_pieces(path, prefix, *field, outputs)))
            }
            FieldBinding::Computed(binding) => {
                self.computed(binding, api.schema[id].r#type.base, field, path, outputs)
            }
            FieldBinding::Rows(binding) => {
                self.enter_level()?;
                let node = match (binding.form, binding.from) {
                    // Without conditions, which only rows of their own have.
                    (RowsForm::Single, RowsFrom::Relation(hop))
                        if field.arguments.is_empty() && !self.has_cascade(field) =>
                    {
                        let mut path = path.to_vec();
                        path.push(hop);
                        let present = outputs.present(self, &path);
                        let object = api.schema[id].r#type.base;
                        let sets = &field.selection_sets;
                        let fields = self.row_fields(object, sets, &path, outputs)?;
                        Node::Joined { present, fields }
                    }
                    _ => match self.rows(binding, field)? {
                        Some((node, rows)) => {
                            outputs.related(self, path, rows);
                            match (binding.form, binding.from) {
                                // A null array is no list.
                                (RowsForm::List, RowsFrom::Value(field)) => {
                                    let form = ir::Form::Stored;
                                    let present = outputs.field(self, path, field, form);
                                    Node::Present { present, node: self.shape.add(node) }
                                }
                                _ => node,
                            }
                        }
                        None => null(),
                    },
                };
                self.level -= 1;
                Ok(node)
            }
            // A list may consist of edges, without a connection around them.
            FieldBinding::Edge(EdgeField::Column(column)) => {
                self.edge_column(*column, api.schema[id].r#type.base, field, outputs)
            }
            FieldBinding::Edge(EdgeField::Node) if path.is_empty() => {
                self.row_node(RowForm::Object, api.schema[id].r#type.base, field, outputs)
            }
            FieldBinding::Same
            | FieldBinding::ReferenceKey(_)
            | FieldBinding::Constants
            | FieldBinding::Entities(_)
            | FieldBinding::Lookup { .. }
            | FieldBinding::Connection(_)
            | FieldBinding::Edge(_)
            | FieldBinding::PageInfo(_)
            | FieldBinding::Aggregate(_)
            | FieldBinding::Mutation(_)
            | FieldBinding::Payload(_)
            | FieldBinding::Resolved(_)
            | FieldBinding::Listen(_)
            | FieldBinding::RelatedNode
            | FieldBinding::RelatedNodeId
            | FieldBinding::EventMember(_)
            | FieldBinding::RowEvent(_)
            | FieldBinding::EventPart(_)
            | FieldBinding::Part { .. } => Err(misplaced("row")),
        }
    }

    /// Enters a level of relationships.
    pub(super) fn enter_level(&mut self) -> Result<(), LowerError> {
        self.level += 1;
        match self.api.nesting() {
            Some(nesting) if self.level > nesting.most => Err(LowerError::NestedTooDeep),
            _ => Ok(()),
        }
    }

    /// True if the given opaque id is the word for the root object.
    fn is_root(&self, field: &CollectedField<'a>, word: &'static str) -> bool {
        field.arguments.iter().any(|(id, value)| {
            self.api.input(*id).role == InputRole::Argument(ArgumentRole::NodeId)
                && self.opaque(&Input::new(value), OpaqueKind::Word(word)).is_some()
        })
    }

    /// The row of any entity with the given opaque id; `None` if no row can have it.
    fn lookup(&mut self, field: &CollectedField<'a>) -> Result<Option<(Node, Rows)>, LowerError> {
        match self.lookup_arguments(field)?.node_id {
            Some(Some(id)) => {
                if let Some(reason) = self.invalid_id(&id) {
                    let message = format!("{INVALID_NODE_ID}{reason}");
                    return Err(LowerError::refused(&message, field.location));
                }
                self.looked_up(&id, field)
            }
            Some(None) | None => Ok(None),
        }
    }

    /// The reason why an id is invalid, where its form has reasons.
    fn invalid_id(&self, id: &Opaque) -> Option<String> {
        let nulls = match (id.kind, &id.shape.values) {
            (OpaqueKind::VersionedNodeId, OpaqueValues::Invalid(reason)) => {
                return Some(format!("Error in $: {reason}"));
            }
            (OpaqueKind::VersionedNodeId, OpaqueValues::Nulls(nulls)) => nulls,
            _ => return None,
        };
        let prefix = id.shape.tags.first().map_or("", |tag| &**tag);
        let entity = self.api.find_entity_by_prefix(prefix);
        let Some(binding) = entity.and_then(|entity| self.api.find_entity(entity)) else {
            return Some("no such table found".into());
        };
        let names = &binding.cursor_members;
        let missing = names.get(nulls.len()..).unwrap_or_default();
        if !missing.is_empty() {
            let names: Vec<String> = missing.iter().map(|name| format!("'{name}'")).collect();
            return Some(format!("primary key columns [{}] are missing", names.join(", ")));
        }
        (nulls.len() > names.len()).then(|| "unexpected column values".to_owned())
    }

    /// The row of any entity with an opaque id.
    pub(super) fn looked_up(
        &mut self,
        id: &Opaque,
        field: &CollectedField<'_>,
    ) -> Result<Option<(Node, Rows)>, LowerError> {
        let api = self.api;
        let prefix = id.shape.tags.first().map_or("", |tag| &**tag);
        let Some(entity) = api.find_entity_by_prefix(prefix) else { return Ok(None) };
        let Some(binding) = api.find_entity(entity).and_then(|entity| entity.node_id.as_ref())
        else {
            return Ok(None);
        };
        let Some(filter) = node_filter(id, binding) else { return Ok(None) };
        let rows_id = self.rows_id();
        let mut outputs = Outputs::default();
        let sets = &field.selection_sets;
        let fields = self.row_fields(binding.r#type, sets, &[], &mut outputs)?;
        let node = self.shape.add(Node::Object(fields));
        let node = Node::Single { rows: response::RowsId(rows_id.0), node };
        let rows = Rows { single: binding.enforced, ..single(rows_id, entity, filter, outputs) };
        Ok(Some((node, rows)))
    }

    fn lookup_arguments(&self, field: &CollectedField<'a>) -> Result<Arguments, LowerError> {
        let is_id = |role: &ArgumentRole| {
            matches!(
                role,
                ArgumentRole::NodeId | ArgumentRole::VersionedNodeId | ArgumentRole::GlobalId
            )
        };
        self.require_arguments(field, is_id)?;
        self.arguments(field)
    }

    /// Adds a read of the root field being lowered.
    pub(super) fn add_read(&mut self, rows: Rows) {
        let id = ir::StepId(u32::try_from(self.steps.len()).unwrap_or(u32::MAX));
        self.steps.push(ir::Step::new(id, self.root, ir::StepKind::Read(rows)));
    }

    /// The node of a root field; adds its read. An error of the field alone, wherever below it,
    /// makes it null, and leaves the other fields unchanged.
    fn read(
        &mut self,
        found: Result<Option<(Node, Rows)>, LowerError>,
    ) -> Result<Node, LowerError> {
        match found {
            Ok(Some((node, rows))) => {
                self.add_read(rows);
                Ok(node)
            }
            Ok(None) => Ok(null()),
            Err(error) => self.failed(error),
        }
    }

    /// The node of a root field that cannot be lowered; the error itself if it is not the field's
    /// alone.
    pub(super) fn failed(&mut self, error: LowerError) -> Result<Node, LowerError> {
        let node = match error {
            LowerError::NestedTooDeep => {
                let nesting = self.api.nesting();
                let message = nesting.map(|nesting| nesting.message.clone()).unwrap_or_default();
                Node::TooDeep(message)
            }
            LowerError::ConditionsTooDeep { .. } => Node::TooDeep(error.to_string().into()),
            LowerError::Refused { message, .. } => Node::Refused(message),
            error => return Err(error),
        };
        self.level = 0;
        Ok(node)
    }

    /// The rows of a field, and their node; `None` if no row can have the given opaque id.
    pub(super) fn rows(
        &mut self,
        binding: &RowsBinding,
        field: &CollectedField<'a>,
    ) -> Result<Option<(Node, Rows)>, LowerError> {
        let cascade = match binding.form {
            RowsForm::Aggregate => None,
            RowsForm::List
            | RowsForm::Connection
            | RowsForm::Single
            | RowsForm::First
            | RowsForm::Keyed
            | RowsForm::Stream => self.cascade(field)?,
        };
        let around = std::mem::replace(
            &mut self.is_cascading,
            RequiredFields::reach_below(cascade.as_ref()),
        );
        let distance = self.distance.take();
        let found = self.complete_rows(binding, field, cascade.as_ref());
        self.distance = distance;
        self.is_cascading = around;
        found
    }

    /// The same of rows that have the required fields.
    fn complete_rows(
        &mut self,
        binding: &RowsBinding,
        field: &CollectedField<'a>,
        cascade: Option<&RequiredFields>,
    ) -> Result<Option<(Node, Rows)>, LowerError> {
        let FieldRef::Field(id) = field.field else { return Err(misplaced("rows")) };
        let r#type = self.api.schema[id].r#type;
        self.check_stream_arguments(field, binding.form == RowsForm::Stream)?;
        let rows_id = self.rows_id();
        let shape_rows = response::RowsId(rows_id.0);
        let mut arguments = match binding.from {
            RowsFrom::Variants { variants, .. } | RowsFrom::NearestVariants(variants) => {
                self.arguments_of_variants(variants, field)?
            }
            RowsFrom::Relation(hop) => self.arguments_of(field, FilterContext::along(hop))?,
            _ => self.arguments(field)?,
        };
        arguments.require_read(binding.from)?;
        if let Some(id) = arguments.node_id.take() {
            let binding = self.api.find_entity(binding.entity);
            let binding = binding.and_then(|entity| entity.node_id.as_ref());
            let filter = id.zip(binding).and_then(|(id, binding)| node_filter(&id, binding));
            let Some(filter) = filter else { return Ok(None) };
            arguments.filters.push(filter);
        }
        let mut nearest = Vec::new();
        let distance = match binding.from {
            RowsFrom::Nearest => {
                let given = std::mem::take(&mut arguments.nearest);
                let (distance, filter) = self.nearest(binding.entity, given)?;
                arguments.filters.push(filter);
                Some(distance)
            }
            RowsFrom::NearestVariants(variants) => {
                let given = std::mem::take(&mut arguments.nearest);
                let (distance, filters) = self.nearest_of_variants(variants, given)?;
                nearest = filters;
                Some(distance)
            }
            _ => None,
        };
        if let Some(distance) = distance {
            let place = ir::ValueRef::Distance(Box::new(distance.clone()));
            let direction = ir::Direction::Ascending;
            arguments.orders = vec![OrderBy::Value { place: Box::new(place), direction }];
            self.distance = Some(distance);
        }
        if let Some((stored, given)) = arguments.password.take() {
            let (place, filters) = ((binding.entity, stored), &arguments.filters);
            let filter = self.has_password(place, given, filters, field.location)?;
            arguments.filters.push(filter);
        }
        let streamed = match (binding.form, arguments.stream.take()) {
            (RowsForm::Stream, Some(start)) => {
                Some(self.begin_stream(start, &mut arguments, field))
            }
            (RowsForm::Stream, None) => return Err(misplaced("a stream without a position")),
            (_, Some(_)) => return Err(misplaced("the position of a stream")),
            (_, None) => None,
        };
        let distinct = std::mem::take(&mut arguments.distinct);
        order_by_distinct(&distinct, &mut arguments.orders, field.location)?;
        let distinct: Vec<catalog::FieldId> =
            distinct.into_iter().map(|(field, _)| field).collect();
        let order = match binding.from {
            RowsFrom::Function { .. }
            | RowsFrom::Effect(_)
            | RowsFrom::FunctionOfVariants { .. }
            | RowsFrom::Value(_)
                if arguments.orders.is_empty() && !self.is_by_members(binding) =>
            {
                ListOrder::of_function()
            }
            _ => self.list_order(binding.entity, &arguments.orders),
        };
        let row = self.row_form(binding);
        if binding.form == RowsForm::Keyed && arguments.filters.is_empty() {
            return Ok(None);
        }
        if let (Some(cascade), false) = (cascade, is_of_variants(binding.from)) {
            let sets = &field.selection_sets;
            arguments.filters.push(self.has_fields(r#type.base, sets, cascade)?);
        }
        if let RowsForm::First | RowsForm::Keyed = binding.form {
            arguments.limit = Some(ir::Operand::Constant(ir::Value::Integer(1)));
        }
        if let (None, None, Some(limit)) =
            (&arguments.limit, &arguments.last, binding.default_limit)
        {
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            arguments.limit = Some(ir::Operand::Constant(ir::Value::Integer(limit)));
        }
        let mut outputs = Outputs::default();
        let sets = &field.selection_sets;
        let mut look_ahead = false;
        let mut shown = true;
        let node = match binding.form {
            RowsForm::List | RowsForm::Stream => {
                let node = self.row_node(row, r#type.base, field, &mut outputs)?;
                let nullable = r#type.item().is_some_and(|item| !item.is_non_null());
                let item = Item { node: self.shape.add(node), nullable };
                let list = Node::List { rows: shape_rows, item };
                match streamed {
                    Some(column) => self.streamed(list, (shape_rows, column), &mut outputs)?,
                    None => list,
                }
            }
            RowsForm::Single | RowsForm::First | RowsForm::Keyed => {
                let node = self.row_node(row, r#type.base, field, &mut outputs)?;
                Node::Single { rows: shape_rows, node: self.shape.add(node) }
            }
            RowsForm::Aggregate => {
                shown = false;
                let whole = self.whole(r#type.base, sets)?;
                let output = outputs.aggregate(self, whole.aggregate);
                Node::Aggregate { output, fields: whole.fields }
            }
            RowsForm::Connection => {
                let paging = Paging {
                    rows: shape_rows,
                    first: arguments.limit.is_some(),
                    last: arguments.last.is_some(),
                    offset: arguments.offset.is_some() && order.key().is_none(),
                    after: arguments.after.is_some(),
                    before: arguments.before.is_some(),
                    by_number: order.is_by_number(),
                    by_key: order.key().is_some(),
                };
                let connection =
                    self.connection(r#type.base, sets, paging, &order, row, &mut outputs)?;
                look_ahead = connection.look_ahead;
                shown = connection.shown;
                Node::Object(connection.fields)
            }
        };
        let single = binding.form == RowsForm::Single;
        let filter = match binding.from {
            // Each variant has a filter of its own.
            RowsFrom::Variants { .. } | RowsFrom::NearestVariants(_) => Filter::all(),
            _ => Filter::and(std::mem::take(&mut arguments.filters)),
        };
        let common_password = arguments.common_password.take();
        let given = std::mem::take(&mut arguments.given);
        let searched = arguments.searched.take();
        let search = match binding.from {
            RowsFrom::Search(search) => Some(search),
            _ => arguments.search.take(),
        };
        let other_way = arguments.hop;
        let other_ways = arguments.variants;
        let page = page(arguments, &order, look_ahead, field.location)?;
        let mut rows = Rows {
            id: rows_id,
            from: match binding.from {
                RowsFrom::Nearest => ir::From::Entity(binding.entity),
                RowsFrom::Entity | RowsFrom::Search(_) | RowsFrom::Changed => match search {
                    Some(search) => {
                        let refused = || LowerError::refused(NOTHING_SEARCHED, field.location);
                        ir::From::Search { search, operand: searched.ok_or_else(refused)? }
                    }
                    None => ir::From::Entity(binding.entity),
                },
                RowsFrom::Variants { variants, .. } => {
                    let variants = other_ways.unwrap_or(variants);
                    let mut found = self.variants(variants, field, cascade, &mut outputs)?;
                    if let Some((stored, given)) = common_password {
                        self.have_password(&stored, given, &mut found, field.location)?;
                    }
                    ir::From::Variants(found)
                }
                RowsFrom::NearestVariants(variants) => {
                    let mut found = self.variants(variants, field, cascade, &mut outputs)?;
                    for (variant, nearest) in found.iter_mut().zip(nearest) {
                        let own = std::mem::replace(&mut variant.filter, Filter::all());
                        variant.filter = Filter::and(vec![own, nearest]);
                    }
                    ir::From::Variants(found)
                }
                RowsFrom::Relation(hop) | RowsFrom::Nodes(hop) => {
                    ir::From::Relation(other_way.unwrap_or(hop))
                }
                RowsFrom::Through { near, far } => {
                    ir::From::Through { near, joining: ir::Filter::all(), far }
                }
                RowsFrom::Joining { near, far } => ir::From::Joining { near, far },
                RowsFrom::Event(kind) => {
                    ir::From::Event(self.event_node((binding.entity, kind), field))
                }
                RowsFrom::EventState(state) => {
                    ir::From::Event(self.event_state(binding.entity, state))
                }
                RowsFrom::Value(field) => ir::From::Value(field),
                RowsFrom::FunctionOfVariants { function, of_row, variants } => {
                    ir::From::FunctionOfVariants {
                        call: self.call(function, of_row.then(Vec::new), given, field.location)?,
                        variants: self.variants(variants, field, cascade, &mut outputs)?,
                    }
                }
                RowsFrom::Effect(function) => {
                    let call = self.call(function, None, given, field.location)?;
                    let step = self.add_step(ir::StepKind::Call(call));
                    ir::From::Returned { step, state: ir::State::After }
                }
                RowsFrom::Function { function, of_row } => ir::From::Function(self.call(
                    function,
                    of_row.then(Vec::new),
                    given,
                    field.location,
                )?),
            },
            filter,
            order: if single { Vec::new() } else { order.terms },
            page,
            distinct,
            single,
            once: match binding.from {
                RowsFrom::Nodes(_) => true,
                RowsFrom::Variants { once, .. } => once,
                _ => false,
            },
            shown,
            outputs: outputs.into_list(),
        };
        name_common_fields(&mut rows);
        Ok(Some((node, rows)))
    }

    /// True for a connection whose cursors are objects: whatever the rows are of, they are in an order
    /// of values.
    fn is_by_members(&self, binding: &RowsBinding) -> bool {
        let entity = self.api.find_entity(binding.entity);
        binding.form == RowsForm::Connection
            && entity.is_some_and(|entity| entity.cursors == Cursors::Members)
    }

    /// A field of the shape, nullable as in the schema that the client sees.
    pub(super) fn shape_field(&mut self, field: &CollectedField<'_>, node: Node) -> ShapeField {
        let nullable = match field.field {
            // An event that no condition permits is null, and not sent.
            FieldRef::Field(id) if is_event(self.api.field(id)) => true,
            // A page without rows has none, whatever the type promises.
            FieldRef::Field(id) if is_page_cursor(self.api.field(id)) => true,
            // If one change of a request fails, all of them do: the first null must not hide why.
            FieldRef::Field(id) if is_effect(self.api.field(id)) => {
                self.api.transactions == api::Transactions::Request
                    || !self.api.schema[id].r#type.is_non_null()
            }
            FieldRef::Field(id) => {
                !self.api.schema[id].r#type.is_non_null() || self.operation.nullable.contains(&id)
            }
            FieldRef::Typename => false,
            FieldRef::Introspection => true,
        };
        let node: NodeId = self.shape.add(node);
        let location = field.location;
        ShapeField::new(field.response_name, node, nullable).at(location.line, location.column)
    }
}

/// True if each entity of the rows has conditions of its own.
fn is_of_variants(from: RowsFrom) -> bool {
    matches!(
        from,
        RowsFrom::Variants { .. }
            | RowsFrom::NearestVariants(_)
            | RowsFrom::FunctionOfVariants { .. }
    )
}

fn is_effect(binding: &FieldBinding) -> bool {
    matches!(binding, FieldBinding::Rows(RowsBinding { from: RowsFrom::Effect(_), .. }))
}

fn is_page_cursor(binding: &FieldBinding) -> bool {
    let FieldBinding::PageInfo(field) = binding else { return false };
    matches!(field, PageInfoField::StartCursor | PageInfoField::EndCursor)
}

fn is_event(binding: &FieldBinding) -> bool {
    matches!(
        binding,
        FieldBinding::RowEvent(_)
            | FieldBinding::Rows(RowsBinding { from: RowsFrom::Event(_), .. })
    )
}

/// A binding at an invalid position.
pub(super) fn misplaced(what: &'static str) -> LowerError {
    LowerError::Misplaced { what }
}

pub(super) fn null() -> Node {
    Node::Literal(b"null"[..].into())
}

/// At most one row of an entity.
fn single(id: ir::RowsId, entity: catalog::EntityId, filter: Filter, outputs: Outputs) -> Rows {
    Rows {
        single: true,
        ..Rows::unordered(id, ir::From::Entity(entity), filter, outputs.into_list())
    }
}

/// The condition that a row has the opaque id; `None` if no row can have it.
fn node_filter(id: &Opaque, binding: &NodeIdBinding) -> Option<Filter> {
    id.filter(binding).filter(|filter| *filter != Filter::Or(Vec::new()))
}
