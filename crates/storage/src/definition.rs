//! Tables → statements that create them, for one database.
//!
//! * `table`: CREATE TABLE and its parts
//! * `trigger`: triggers that maintain the tables of groups, the sequence and tables of words

mod table;
mod trigger;

use sql::own::{own_object, prefixed};
use sql::tree::definition::{
    Constraint, Definition, DeleteAction, IndexDefinition, PlaceTable, Tokens, WordForm, WordTable,
};
use sql::{Identifier, TableName, VectorOperator, WordIndexes};

pub(crate) use self::table::{add_column, check, create_table, data_type, value_type};
pub(crate) use self::trigger::{TriggerDefinition, triggers};
use crate::database::Database;
use crate::tables::{Index, IndexMethod, Metric, OnDelete, Reference, Stored, Table};

pub(crate) fn identifier(name: &str) -> Identifier {
    Identifier(name.into())
}

pub(crate) fn identifiers(names: &[Box<str>]) -> Vec<Identifier> {
    names.iter().cloned().map(Identifier).collect()
}

/// A table of the database by its name.
pub(crate) fn table_name(name: &str, database: &Database) -> TableName {
    TableName { schema: database.schema.clone().map(Identifier), name: identifier(name) }
}

/// An object of Thalweg's own.
pub(crate) fn own_name(name: &str, database: &Database) -> TableName {
    match database.flavor.definitions.schemas {
        true => own_object(database.schema.as_deref(), name),
        false => prefixed(name),
    }
}

/// The constraint of a foreign key.
pub(crate) fn reference(reference: &Reference, to: &Table, database: &Database) -> Constraint {
    Constraint::Reference {
        name: identifier(&reference.name),
        columns: identifiers(&reference.columns),
        to: table_name(&reference.to, database),
        target_columns: identifiers(&reference.target_columns),
        on_delete: match reference.on_delete {
            OnDelete::SetNull => DeleteAction::SetNull,
            OnDelete::Cascade => DeleteAction::Cascade,
            OnDelete::Restrict => DeleteAction::Restrict,
        },
        // Triggers write the table of a group after the rows of a statement, and a row may refer to
        // a later one.
        is_deferred: matches!(to.stores, Stored::Group(_))
            && !database.flavor.definitions.references_after_triggers,
    }
}

/// The statements that create an index.
pub(crate) fn create_index(table: &Table, index: &Index, database: &Database) -> Vec<Definition> {
    let in_virtual_table = database.flavor.definitions.words == WordIndexes::VirtualTables;
    let (method, tokens) = match index.method {
        IndexMethod::Tree => (sql::tree::definition::IndexMethod::Tree, None),
        IndexMethod::Hash => (sql::tree::definition::IndexMethod::Hash, None),
        IndexMethod::Elements => (sql::tree::definition::IndexMethod::Elements, None),
        IndexMethod::Places => (sql::tree::definition::IndexMethod::Places, None),
        IndexMethod::Vectors { dimensions, metric, candidates } => {
            let operator = match metric {
                Metric::Euclidean => VectorOperator::Euclidean,
                Metric::Cosine => VectorOperator::Cosine,
                Metric::DotProduct => VectorOperator::DotProduct,
            };
            let method = sql::tree::definition::IndexMethod::Vectors {
                dimensions,
                operator,
                construction: candidates,
            };
            (method, None)
        }
        IndexMethod::Words => words(WordForm::Plain),
        IndexMethod::Stems => words(WordForm::Stemmed),
        IndexMethod::Trigrams => {
            (sql::tree::definition::IndexMethod::Trigrams, Some(Tokens::Trigrams))
        }
    };
    let key = table.number_key().map(|column| &*column.name);
    if let (IndexMethod::Places, true) = (index.method, in_virtual_table) {
        let places = place_table(table, index, database).into_iter();
        return places
            .flat_map(|places| {
                [Definition::CreatePlaceTable(places.clone()), Definition::FillPlaceTable(places)]
            })
            .collect();
    }
    match (tokens.filter(|_| in_virtual_table), key, index.columns.first()) {
        (Some(tokens), Some(key), Some(column)) => {
            let name = table_name(&index.name, database);
            let words = WordTable {
                name: name.clone(),
                content: identifier(&table.name),
                key: identifier(key),
                column: identifier(column),
                tokens,
            };
            vec![Definition::CreateWordTable(words), Definition::FillWordTable(name)]
        }
        _ => vec![Definition::CreateIndex(IndexDefinition {
            name: identifier(&index.name),
            on: table_name(&table.name, database),
            columns: identifiers(&index.columns),
            method,
        })],
    }
}

/// The statement that drops an index.
pub(crate) fn drop_index(index: &Index, database: &Database) -> Definition {
    let name = table_name(&index.name, database);
    match is_virtual(index, database) {
        true => Definition::DropTable(name),
        false => Definition::DropIndex(name),
    }
}

/// The virtual table of an index of places.
pub(crate) fn place_table(table: &Table, index: &Index, database: &Database) -> Option<PlaceTable> {
    Some(PlaceTable {
        name: table_name(&index.name, database),
        content: table_name(&table.name, database),
        key: identifier(&table.number_key()?.name),
        column: identifier(index.columns.first()?),
    })
}

/// Whether an index is a virtual table.
pub(crate) fn is_virtual(index: &Index, database: &Database) -> bool {
    let may_be = match index.method {
        IndexMethod::Tree
        | IndexMethod::Hash
        | IndexMethod::Elements
        | IndexMethod::Vectors { .. } => false,
        IndexMethod::Words | IndexMethod::Stems | IndexMethod::Trigrams | IndexMethod::Places => {
            true
        }
    };
    may_be && database.flavor.definitions.words == WordIndexes::VirtualTables
}

fn words(form: WordForm) -> (sql::tree::definition::IndexMethod, Option<Tokens>) {
    (sql::tree::definition::IndexMethod::Words(form), Some(Tokens::Words(form)))
}
