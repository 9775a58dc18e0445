//! Relationships between the tables of a source.

use std::collections::BTreeMap;

use crate::json::Json;
use crate::node::{Node, Value};
use crate::primitive::Write;
use crate::reader::{Description, Read, Reader};
use crate::types::name::{Name, QualifiedName};

object! {
    /// A relationship to at most one row.
    ObjectRelationship {
        required name: Name = "name",
        required using: RelationshipUsing = "using",
        optional comment: String = "comment",
    }
}

object! {
    /// A relationship to several rows.
    ArrayRelationship, then check_array {
        required name: Name = "name",
        required using: RelationshipUsing = "using",
        optional comment: String = "comment",
    }
}

keyed!(ObjectRelationship, "object relationship", |relationship| relationship.name.text.clone());
keyed!(ArrayRelationship, "array relationship", |relationship| relationship.name.text.clone());

/// An array relationship has its foreign key in the other table.
fn check_array(relationship: &mut ArrayRelationship, reader: &mut Reader) -> Option<()> {
    match &relationship.using {
        RelationshipUsing::ForeignKey(ForeignKeyColumns::Own(_)) => {
            let message = "The foreign key of an array relationship is in the other table: write \
                           `foreign_key_constraint_on` with the keys `table` and `column`.";
            reader.report(
                crate::problem::ProblemKind::WrongValue,
                &relationship.place.mark,
                message.into(),
            );
            None
        }
        RelationshipUsing::ForeignKey(ForeignKeyColumns::Other { .. })
        | RelationshipUsing::Manual(_) => Some(()),
    }
}

one_of! {
    /// How rows of a relationship are found.
    RelationshipUsing {
        ForeignKey(ForeignKeyColumns) = "foreign_key_constraint_on",
        Manual(ManualConfiguration) = "manual_configuration",
    }
}

/// The columns of a foreign key.
#[derive(Clone, Debug, PartialEq)]
pub enum ForeignKeyColumns {
    /// Columns of the table of the relationship.
    Own(Vec<Name>),
    /// Columns of the other table.
    Other { table: QualifiedName, columns: Vec<Name> },
}

impl ForeignKeyColumns {
    const KEYS: &'static [&'static str] = &["column", "columns", "table"];
}

impl Read for ForeignKeyColumns {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.value {
            Value::String(_) | Value::List(_) => Some(Self::Own(read_columns(node, reader)?)),
            Value::Object(_) => {
                let object = reader.object(node, "ForeignKeyColumns", Self::KEYS)?;
                let table = reader.required(object, "table");
                let columns = match (object.find("column"), object.find("columns")) {
                    (Some(_), None) => reader.required::<ColumnNames>(object, "column"),
                    (None, Some(_)) => reader.required::<ColumnNames>(object, "columns"),
                    _ => reader.wrong(node, "One of the keys column and columns is wanted.".into()),
                };
                Some(Self::Other { table: table?, columns: columns?.0 })
            }
            _ => reader.expected(node, "a column, a list of columns, or an object with a table,"),
        }
    }

    fn describe(description: &mut Description) {
        description.add("ForeignKeyColumns", Self::KEYS);
        QualifiedName::describe(description);
    }
}

/// One column or a list of them.
struct ColumnNames(Vec<Name>);

impl Read for ColumnNames {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        read_columns(node, reader).map(Self)
    }
}

fn read_columns(node: &Node, reader: &mut Reader) -> Option<Vec<Name>> {
    if matches!(node.value, Value::String(_)) {
        return Some(vec![Name::read(node, reader)?]);
    }
    let columns = Vec::<Name>::read(node, reader)?;
    if columns.is_empty() {
        return reader.wrong(node, "The list has no column.".into());
    }
    Some(columns)
}

impl Write for ForeignKeyColumns {
    fn write(&self) -> Json {
        match self {
            Self::Own(columns) => match &columns[..] {
                [column] => column.write(),
                columns => Json::Array(columns.iter().map(Write::write).collect()),
            },
            Self::Other { table, columns } => {
                let columns = match &columns[..] {
                    [column] => ("column".to_owned(), column.write()),
                    _ => ("columns".to_owned(), columns.write()),
                };
                Json::Object(vec![columns, ("table".to_owned(), table.write())])
            }
        }
    }
}

object! {
    /// A relationship without a foreign key.
    ManualConfiguration, then check_manual {
        /// Columns of this table with those of the other one.
        required column_mapping: BTreeMap<String, Name> = "column_mapping",
        nullable insertion_order: InsertionOrder = "insertion_order",
        optional remote_native_query: Name = "remote_native_query",
        optional remote_table: QualifiedName = "remote_table",
    }
}

/// A manual relationship has one target.
fn check_manual(manual: &mut ManualConfiguration, reader: &mut Reader) -> Option<()> {
    if manual.remote_table.is_some() != manual.remote_native_query.is_some() {
        return Some(());
    }
    let message = "One of the keys remote_table and remote_native_query is wanted.";
    reader.report(crate::problem::ProblemKind::WrongValue, &manual.place.mark, message.into());
    None
}

choice! {
    /// Whether a nested insert inserts the related row before or after the row itself.
    InsertionOrder { BeforeParent = "before_parent", AfterParent = "after_parent" }
}
