//! R-trees that Thalweg has made become indexes of places: triggers keep them equal to the tables that
//! have the places, which is not known of others. An R-tree does not name its table and its column, but
//! the trigger of its updates does.

use catalog::{Builder, EntityId, PlaceIndex};
use sql::own::OWN_PREFIX;

use super::fill::Tables;
use super::read::TextRow;
use super::writable::{Word, Words};

/// Adds the indexes, by the statements that made the R-trees and the triggers.
pub(super) fn add(builder: &mut Builder, tables: &Tables, texts: &[TextRow]) {
    let is_tree = |row: &&TextRow| {
        row.name.starts_with(OWN_PREFIX) && row.text.to_ascii_lowercase().contains(" using rtree(")
    };
    for row in texts.iter().filter(is_tree) {
        let update = format!("{}_update", row.name);
        let trigger = texts.iter().find(|own| &*own.kind == "trigger" && *own.name == *update);
        let found = trigger.and_then(|trigger| place_index(&row.name, trigger, tables));
        if let Some((entity, index)) = found {
            builder.place_index(entity, index);
        }
    }
}

fn place_index(name: &str, trigger: &TextRow, tables: &Tables) -> Option<(EntityId, PlaceIndex)> {
    let table = tables.find(&trigger.table)?;
    let [key, column] = updated_columns(&trigger.text)?;
    let (row_number, field) = (table.find_field(&key)?, table.find_field(&column)?);
    Some((table.entity, PlaceIndex { name: name.into(), field, row_number }))
}

/// The two columns whose updates fire a trigger.
fn updated_columns(statement: &str) -> Option<[String; 2]> {
    let mut words = Words { rest: statement };
    while !words.next()?.is("OF") {}
    let mut columns = Vec::new();
    loop {
        match words.next()? {
            Word::Quoted(name) => columns.push(name.replace("\"\"", "\"")),
            Word::Sign(',') => {}
            word if word.is("ON") => break,
            Word::Plain(_) | Word::Sign(_) => return None,
        }
    }
    columns.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::updated_columns;

    #[test]
    fn a_trigger_names_the_key_and_the_column() {
        let of = |columns: &str| {
            format!("CREATE TRIGGER \"t_update\" AFTER UPDATE OF {columns} ON \"City\" BEGIN END")
        };
        let named = |columns: [&str; 2]| Some(columns.map(str::to_owned));
        assert_eq!(updated_columns(&of("\"id\", \"at\"")), named(["id", "at"]));
        assert_eq!(updated_columns(&of("\"id\", \"a\"\" on b\"")), named(["id", "a\" on b"]));
        assert_eq!(updated_columns(&of("\"id\"")), None);
        assert_eq!(updated_columns("CREATE TRIGGER t AFTER UPDATE ON a BEGIN END"), None);
    }
}
