//! What a role may do with the rows of a table.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::json::Json;
use crate::location::{Location, Mark, Segment};
use crate::node::{Node, Value};
use crate::primitive::Write;
use crate::reader::{Read, Reader};
use crate::types::expression::{BooleanExpression, SessionVariable};
use crate::types::name::Name;
use crate::types::webhook::Header;

object! {
    /// What a role may insert.
    InsertPermissionEntry {
        required role: Name = "role",
        required permission: InsertPermission = "permission",
        optional comment: String = "comment",
    }
}

object! {
    /// What a role may read.
    SelectPermissionEntry {
        required role: Name = "role",
        required permission: SelectPermission = "permission",
        optional comment: String = "comment",
    }
}

object! {
    /// What a role may update.
    UpdatePermissionEntry {
        required role: Name = "role",
        required permission: UpdatePermission = "permission",
        optional comment: String = "comment",
    }
}

object! {
    /// What a role may delete.
    DeletePermissionEntry {
        required role: Name = "role",
        required permission: DeletePermission = "permission",
        optional comment: String = "comment",
    }
}

keyed!(InsertPermissionEntry, "role of insert permissions", |entry| entry.role.text.clone());
keyed!(SelectPermissionEntry, "role of select permissions", |entry| entry.role.text.clone());
keyed!(UpdatePermissionEntry, "role of update permissions", |entry| entry.role.text.clone());
keyed!(DeletePermissionEntry, "role of delete permissions", |entry| entry.role.text.clone());

/// The permissions on a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TablePermissions {
    pub insert: Vec<InsertPermissionEntry>,
    pub select: Vec<SelectPermissionEntry>,
    pub update: Vec<UpdatePermissionEntry>,
    pub delete: Vec<DeletePermissionEntry>,
}

object! {
    /// Conditions and columns of inserts.
    InsertPermission {
        /// Holds for each inserted row.
        required check: BooleanExpression = "check",
        default set: ColumnPresets = "set",
        /// Absent: all columns.
        optional columns: Columns = "columns",
        omitted backend_only: bool = "backend_only" (false),
        optional validate_input: InputValidation = "validate_input",
    }
}

object! {
    /// Conditions and columns of queries.
    SelectPermission {
        required columns: Columns = "columns",
        default computed_fields: Vec<Name> = "computed_fields",
        /// Holds for each visible row.
        required filter: BooleanExpression = "filter",
        /// The most rows of a query.
        optional limit: u64 = "limit",
        omitted allow_aggregations: bool = "allow_aggregations" (false),
        /// Absent: all; an empty list: none.
        optional query_root_fields: Vec<QueryRootField> = "query_root_fields",
        /// Absent: all; an empty list: none.
        optional subscription_root_fields: Vec<SubscriptionRootField> = "subscription_root_fields",
    }
}

object! {
    /// Conditions and columns of updates.
    UpdatePermission {
        required columns: Columns = "columns",
        /// Holds for each row before the update.
        required filter: BooleanExpression = "filter",
        /// Holds for each row after the update.
        nullable check: BooleanExpression = "check",
        default set: ColumnPresets = "set",
        omitted backend_only: bool = "backend_only" (false),
        optional validate_input: InputValidation = "validate_input",
    }
}

object! {
    /// The condition of deletes.
    DeletePermission {
        required filter: BooleanExpression = "filter",
        omitted backend_only: bool = "backend_only" (false),
        optional validate_input: InputValidation = "validate_input",
    }
}

choice! {
    /// A root field of queries.
    QueryRootField {
        Select = "select",
        SelectByPk = "select_by_pk",
        SelectAggregate = "select_aggregate",
    }
}

choice! {
    /// A root field of subscriptions.
    SubscriptionRootField {
        Select = "select",
        SelectByPk = "select_by_pk",
        SelectAggregate = "select_aggregate",
        SelectStream = "select_stream",
    }
}

/// Columns: all, or those of a list.
#[derive(Clone, Debug, PartialEq)]
pub enum Columns {
    /// `*`
    All,
    Listed(ColumnList),
}

/// Names of columns. Permissions consist of these for the most part: a [`Name`] each would take five times
/// the memory.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnList {
    place: Location,
    names: Box<[ListedColumn]>,
}

#[derive(Clone, Debug)]
struct ListedColumn {
    name: Arc<str>,
    line: u32,
    column: u32,
}

/// Positions take no part in comparisons, as locations.
impl PartialEq for ListedColumn {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl ColumnList {
    /// The names, each with a function for its place.
    pub fn iter(&self) -> impl Iterator<Item = (&str, impl Fn() -> Location)> {
        self.names.iter().enumerate().map(move |(index, listed)| {
            let place = move || {
                let ListedColumn { line, column, .. } = *listed;
                let file = Arc::clone(&self.place.mark.file);
                let path = self.place.path.step(Segment::Index(index));
                Location { mark: Mark { file, line, column }, path }
            };
            (&*listed.name, place)
        })
    }
}

impl Read for ColumnList {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Value::List(nodes) = &node.value else { return reader.expected(node, "a list") };
        let mut names = Some(Vec::with_capacity(nodes.len()));
        for (index, node) in nodes.iter().enumerate() {
            let name = reader.at(Segment::Index(index), |reader| match &node.value {
                Value::String(text) if !text.is_empty() => Some(reader.name(text)),
                // With its problem.
                _ => Name::read(node, reader).map(|name| name.text.into()),
            });
            let Mark { line, column, .. } = node.mark;
            let listed = name.map(|name| ListedColumn { name, line, column });
            match (&mut names, listed) {
                (Some(names), Some(listed)) => names.push(listed),
                (_, None) => names = None,
                (None, Some(_)) => {}
            }
        }
        Some(Self { place: reader.place(&node.mark), names: names?.into() })
    }
}

impl Write for ColumnList {
    fn write(&self) -> Json {
        Json::Array(self.iter().map(|(name, _)| Json::String(name.to_owned())).collect())
    }
}

impl Read for Columns {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.value {
            Value::String(text) if text == "*" => Some(Self::All),
            Value::List(_) => ColumnList::read(node, reader).map(Self::Listed),
            _ => reader.expected(node, "a list of columns, or \"*\","),
        }
    }
}

impl Write for Columns {
    fn write(&self) -> Json {
        match self {
            Self::All => Json::String("*".to_owned()),
            Self::Listed(columns) => columns.write(),
        }
    }
}

/// Values of columns that clients cannot choose, by the name of the column.
pub type ColumnPresets = BTreeMap<String, ColumnPreset>;

/// The value of a column that clients cannot choose.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnPreset {
    Session(SessionVariable),
    Literal(Json),
}

impl Read for ColumnPreset {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        Some(match SessionVariable::find(node, reader) {
            Some(variable) => Self::Session(variable),
            None => Self::Literal(node.to_json()),
        })
    }
}

impl Write for ColumnPreset {
    fn write(&self) -> Json {
        match self {
            Self::Session(variable) => variable.write(),
            Self::Literal(json) => json.clone(),
        }
    }
}

object! {
    /// A server that checks the input of mutations before they begin.
    InputValidation {
        required definition: InputValidationDefinition = "definition",
        always r#type: InputValidationType = "type" (InputValidationType::Http),
    }
}

object! {
    /// The request to the server that checks inputs.
    InputValidationDefinition {
        always forward_client_headers: bool = "forward_client_headers" (false),
        always headers: Vec<Header> = "headers" (Vec::new()),
        /// Seconds.
        always timeout: u64 = "timeout" (10),
        /// A template over environment variables.
        required url: String = "url",
    }
}

choice! {
    /// The protocol of the server that checks inputs.
    InputValidationType { Http = "http" }
}
