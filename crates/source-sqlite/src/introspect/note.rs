//! Notes about omitted objects, and about types without a meaning.

use catalog::{Note, NoteKind};

use super::foreign_key::Refusal;
use super::read::{BrokenView, TableKind, TextRow};
use super::unknown::Unknown;

pub(super) fn virtual_table(name: &str) -> Note {
    Note {
        kind: NoteKind::LeftOut,
        subject: name.into(),
        message: "a virtual table is not served.".into(),
        remedy: format!("create a view over {name}.").into(),
    }
}

pub(super) fn broken_view(view: &BrokenView) -> Note {
    // The message alone: the code and the statement are those of introspection.
    let error = match &view.error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        other => other.to_string(),
    };
    Note {
        kind: NoteKind::LeftOut,
        subject: view.name.clone(),
        message: format!("SQLite cannot read the view: {error}.").into(),
        remedy: "create what the view refers to, or drop the view.".into(),
    }
}

/// An object that needs a function, collation or module of another program.
pub(super) fn unknown_name(row: &TextRow, unknown: &Unknown) -> Note {
    let TextRow { kind, name, table, .. } = row;
    let (named, noun) = match unknown {
        Unknown::Collation(name) => (name, "collation"),
        Unknown::Function(name) => (name, "function"),
    };
    let fails = match (&**kind, unknown) {
        ("table", Unknown::Collation(_)) => "filters and orders by its columns, and changes, fail",
        ("index", Unknown::Collation(_)) => {
            "changes of the table fail, and reads that would use it"
        }
        ("view", _) => "reads of it fail",
        ("trigger", _) => "changes that run it fail",
        (_, _) => "changes of the table fail, and reads that compute it",
    };
    let subject = match &**kind {
        "table" | "view" => name.clone(),
        kind => format!("{table} ({kind} {name})").into(),
    };
    Note {
        kind: NoteKind::UnknownName,
        subject,
        message: format!("it uses the {noun} {named}, which this process does not have: {fails}.")
            .into(),
        remedy: format!("serve a copy without the {noun} {named}, or leave out what needs it.")
            .into(),
    }
}

/// A column whose values may be of any type.
pub(super) fn untyped(table: &str, column: &str, kind: TableKind) -> Note {
    let (message, remedy) = match kind {
        TableKind::View => (
            "SQLite tells no type of the view's column; its values are served as text.",
            "write CAST(… AS type) around it in the view, with TEXT, INTEGER, REAL or NUMERIC.",
        ),
        TableKind::Table | TableKind::Virtual | TableKind::Shadow => (
            "the column is declared without a type; its values are served as text.",
            "declare a type.",
        ),
    };
    Note {
        kind: NoteKind::UnmappedType,
        subject: format!("{table}.{column}").into(),
        message: message.into(),
        remedy: remedy.into(),
    }
}

/// A column whose declared type has numeric affinity, perhaps against its author's intention.
pub(super) fn numeric_by_affinity(table: &str, column: &str, declared: &str) -> Note {
    Note {
        kind: NoteKind::UnmappedType,
        subject: format!("{table}.{column}").into(),
        message: format!(
            "the type {declared} is not known; by SQLite's affinity rules it is a decimal number."
        )
        .into(),
        remedy: "declare one of the usual types, such as TEXT or NUMERIC.".into(),
    }
}

/// A foreign key that is declared twice.
pub(super) fn repeated(table: &str, columns: &str, first: &str) -> Note {
    Note {
        kind: NoteKind::LeftOut,
        subject: format!("{table} ({columns})").into(),
        message: format!("the foreign key says what {first} says.").into(),
        remedy: "declare one of the two only.".into(),
    }
}

pub(super) fn foreign_key(table: &str, columns: &str, parent: &str, refusal: &Refusal) -> Note {
    let (message, remedy) = match refusal {
        Refusal::NoTable => (
            format!("the foreign key refers to {parent}, which is not there."),
            format!("create {parent}, or drop the foreign key."),
        ),
        Refusal::NotServed => (
            format!("the foreign key refers to {parent}, which is not a table that is served."),
            String::from("let the foreign key refer to a table."),
        ),
        Refusal::NoColumn(column) => (
            format!("the foreign key refers to {parent}.{column}, which is not there."),
            format!("let the foreign key refer to a key of {parent}."),
        ),
        Refusal::NoPrimaryKey => (
            format!("the foreign key means the primary key of {parent}, which has none."),
            format!("name the columns of {parent} that it refers to, or declare its primary key."),
        ),
        Refusal::ColumnCount => (
            format!("the primary key of {parent} has another number of columns."),
            format!("let the foreign key refer to a key of {parent}."),
        ),
        Refusal::NoKey(columns) => (
            format!("the foreign key refers to {parent} ({columns}), which is no key."),
            format!("create a unique index on {parent} ({columns})."),
        ),
    };
    Note {
        kind: NoteKind::LeftOut,
        subject: format!("{table} ({columns})").into(),
        message: message.into(),
        remedy: remedy.into(),
    }
}
