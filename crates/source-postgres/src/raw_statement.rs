//! Statements that clients send, each on a connection of its own.

use std::pin::pin;
use std::time::Duration;

use futures_util::TryStreamExt;
use source::Timeouts;
use source::raw_statement::{RawStatementError, RowsWriter, write_number, write_text};
use tokio_postgres::types::{Kind, Type};
use tokio_postgres::{Client, SimpleQueryMessage};

use super::wire::{Config, connect_simple};

/// The code of errors: PostgreSQL's are texts, for which its driver of Java has this number.
const CODE: i32 = 0;

/// Executes a statement, whose tables without a schema are in this one. The result is JSON: a list of
/// its rows, or the number of changed rows.
pub async fn execute_raw(
    (url, schema): (&str, &str),
    timeouts: Timeouts,
    time_limit: Option<Duration>,
    statement: &str,
    most_bytes: u64,
) -> Result<String, RawStatementError> {
    let unreachable =
        |error: &dyn std::fmt::Display| RawStatementError::Unreachable(error.to_string());
    let config = Config::from_url(url).map_err(|error| unreachable(&error))?;
    let config = config.with_default_connect_timeout(timeouts.connect);
    let client = connect_simple(&config).await.map_err(|error| unreachable(&error))?;
    begin(&client, schema, time_limit).await.map_err(|error| refused(&error))?;
    // The types of the columns; the statement is executed once, below.
    let described = client.prepare(statement).await.map_err(|error| refused(&error))?;
    let columns = described.columns();
    let names: Vec<&str> = columns.iter().map(tokio_postgres::Column::name).collect();
    let mut writer = RowsWriter::new(&names, most_bytes);
    let stream = client.simple_query_raw(statement).await.map_err(|error| refused(&error))?;
    let mut stream = pin!(stream);
    let mut changed = 0;
    while let Some(message) = stream.try_next().await.map_err(|error| refused(&error))? {
        match message {
            SimpleQueryMessage::Row(row) => writer.row(|place, out| {
                match row.try_get(place).map_err(|error| refused(&error))? {
                    None => out.push_str("null"),
                    Some(text) => write(text, columns[place].type_(), out),
                }
                Ok(())
            })?,
            SimpleQueryMessage::CommandComplete(rows) => changed = rows,
            _ => {}
        }
    }
    Ok(if columns.is_empty() { changed.to_string() } else { writer.finish() })
}

async fn begin(
    client: &Client,
    schema: &str,
    time_limit: Option<Duration>,
) -> Result<(), tokio_postgres::Error> {
    client.batch_execute(include_str!("raw_statement/settings.sql")).await?;
    let limit = time_limit.map_or(0, |limit| limit.as_millis()).to_string();
    let settings = include_str!("raw_statement/limits.sql");
    client.query_typed(settings, &[(&schema, Type::TEXT), (&limit, Type::TEXT)]).await.map(drop)
}

/// Appends a value as JSON.
fn write(text: &str, r#type: &Type, out: &mut String) {
    match *r#type {
        Type::BOOL => out.push_str(if text == "t" { "true" } else { "false" }),
        Type::INT2 | Type::INT4 | Type::INT8 | Type::OID => out.push_str(text),
        Type::FLOAT4 | Type::FLOAT8 | Type::NUMERIC => write_number(text, out),
        Type::JSON | Type::JSONB => out.push_str(text),
        _ => match r#type.kind() {
            Kind::Array(element) => match Array::new(text) {
                Some(mut array) => array.write(element, out),
                None => write_text(text, out),
            },
            Kind::Domain(base) => write(text, base, out),
            _ => write_text(text, out),
        },
    }
}

/// The text of an array: `{1,NULL,"a b"}`, and `{{1},{2}}` of several dimensions.
struct Array<'t> {
    rest: &'t str,
}

impl<'t> Array<'t> {
    /// Bounds other than the usual ones stand before it: `[0:1]={1,2}`.
    fn new(text: &'t str) -> Option<Self> {
        let rest = match text.strip_prefix('[') {
            Some(bounds) => bounds.split_once('=')?.1,
            None => text,
        };
        rest.starts_with('{').then_some(Self { rest })
    }

    fn write(&mut self, element: &Type, out: &mut String) {
        self.rest = self.rest.strip_prefix('{').unwrap_or(self.rest);
        out.push('[');
        let mut is_first = true;
        while !self.rest.is_empty() && !self.rest.starts_with('}') {
            if !is_first {
                out.push(',');
            }
            is_first = false;
            if self.rest.starts_with('{') {
                self.write(element, out);
            } else {
                match self.element() {
                    (text, false) if text == "NULL" => out.push_str("null"),
                    (text, _) => write(&text, element, out),
                }
            }
            self.rest = self.rest.strip_prefix(',').unwrap_or(self.rest);
        }
        self.rest = self.rest.strip_prefix('}').unwrap_or(self.rest);
        out.push(']');
    }

    /// An element, and whether it was in quotes.
    fn element(&mut self) -> (String, bool) {
        let mut text = String::new();
        let is_quoted = self.rest.starts_with('"');
        let mut letters = self.rest.char_indices().skip(usize::from(is_quoted));
        let mut end = self.rest.len();
        while let Some((place, letter)) = letters.next() {
            match letter {
                '\\' => text.extend(letters.next().map(|(_, letter)| letter)),
                '"' if is_quoted => {
                    end = place + 1;
                    break;
                }
                ',' | '}' if !is_quoted => {
                    end = place;
                    break;
                }
                letter => text.push(letter),
            }
        }
        self.rest = &self.rest[end..];
        (text, is_quoted)
    }
}

fn refused(error: &tokio_postgres::Error) -> RawStatementError {
    let Some(database) = error.as_db_error() else {
        return RawStatementError::Unreachable(error.to_string());
    };
    let mut message = format!("{}: {}", database.severity(), database.message());
    if let Some(detail) = database.detail() {
        message.push_str(&format!("\n  Detail: {detail}"));
    }
    RawStatementError::Refused { code: CODE, message }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_types_of_json() {
        let check = |text: &str, r#type: &Type, expected: &str| {
            let mut out = String::new();
            write(text, r#type, &mut out);
            assert_eq!(out, expected, "{text}");
        };
        check("t", &Type::BOOL, "true");
        check("-7", &Type::INT8, "-7");
        check("1.50", &Type::NUMERIC, "1.50");
        check("NaN", &Type::FLOAT8, "\"NaN\"");
        check("a\"b", &Type::TEXT, r#""a\"b""#);
        check(r#"{"a": 1}"#, &Type::JSONB, r#"{"a": 1}"#);
        check("{1,NULL,3}", &Type::INT4_ARRAY, "[1,null,3]");
        check(
            r#"{a,"b,\"c}",NULL,"NULL",""}"#,
            &Type::TEXT_ARRAY,
            r#"["a","b,\"c}",null,"NULL",""]"#,
        );
        check("{{t,f},{f,t}}", &Type::BOOL_ARRAY, "[[true,false],[false,true]]");
        check("[0:1]={1,2}", &Type::INT8_ARRAY, "[1,2]");
        check("{}", &Type::TEXT_ARRAY, "[]");
    }
}
