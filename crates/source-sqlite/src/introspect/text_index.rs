//! Virtual tables of FTS5 that Thalweg has made become indexes of texts: triggers keep them equal to
//! the tables that have the texts, which is not known of others.

use catalog::{Builder, TextIndex, TextIndexKind};
use sql::own::OWN_PREFIX;

use super::fill::Tables;
use super::read::TextRow;

/// Adds the indexes, by the statements that made the tables.
pub(super) fn add(builder: &mut Builder, tables: &Tables, texts: &[TextRow]) {
    for row in texts.iter().filter(|row| row.name.starts_with(OWN_PREFIX)) {
        let Some(arguments) = arguments(&row.text) else { continue };
        if let Some((entity, index)) = text_index(&row.name, &arguments, tables) {
            builder.text_index(entity, index);
        }
    }
}

fn text_index(
    name: &str,
    arguments: &[String],
    tables: &Tables,
) -> Option<(catalog::EntityId, TextIndex)> {
    let option = |name: &str| {
        let mut options = arguments.iter().filter_map(|argument| argument.split_once('='));
        options.find(|(own, _)| own.trim() == name).map(|(_, value)| unquoted(value.trim()))
    };
    let kind = match option("tokenize")?.as_str() {
        "unicode61" => TextIndexKind::Terms,
        "porter unicode61" => TextIndexKind::Stems,
        "trigram" => TextIndexKind::Trigrams,
        _ => return None,
    };
    let table = tables.find(&option("content")?)?;
    let row_number = table.find_field(&option("content_rowid")?)?;
    let field = table.find_field(&unquoted(arguments.first()?.trim()))?;
    let index = TextIndex { name: name.into(), field, kind, row_number: Some(row_number) };
    Some((table.entity, index))
}

/// The arguments of the module FTS5 in a statement that makes a virtual table.
fn arguments(statement: &str) -> Option<Vec<String>> {
    let start = statement.to_ascii_lowercase().find(" using fts5(")? + " using fts5(".len();
    let text = statement.get(start..)?.trim_end().strip_suffix(')')?;
    let mut arguments = vec![String::new()];
    let mut quote = None;
    for letter in text.chars() {
        quote = match quote {
            None if matches!(letter, '"' | '\'') => Some(letter),
            Some(open) if open == letter => None,
            quote => quote,
        };
        match arguments.last_mut() {
            Some(argument) if letter != ',' || quote.is_some() => argument.push(letter),
            _ => arguments.push(String::new()),
        }
    }
    Some(arguments)
}

/// A name or a text without its quotes.
fn unquoted(text: &str) -> String {
    for quote in ['"', '\''] {
        let inside = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote));
        if let Some(inside) = inside {
            return inside.replace(&format!("{quote}{quote}"), &quote.to_string());
        }
    }
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::{arguments, unquoted};

    #[test]
    fn arguments_are_read_with_their_quotes() {
        let statement = "CREATE VIRTUAL TABLE \"t\" USING fts5(\"a,\"\"b\", content='It''s', \
                         tokenize='porter unicode61')";
        let arguments = arguments(statement).unwrap();
        assert_eq!(arguments, ["\"a,\"\"b\"", " content='It''s'", " tokenize='porter unicode61'"]);
        assert_eq!(unquoted(&arguments[0]), "a,\"b");
        assert_eq!(unquoted("'It''s'"), "It's");
    }
}
