//! Statements of SQL, as the tests build them with a library.

use super::calls::Arguments;
use super::{Evaluated, Program, host};
use crate::value::{Host, Value};

impl Program<'_> {
    /// `name(…)`, `table(…)` and `field(…)`.
    pub(super) fn sql_function(name: &str, arguments: &Arguments) -> Evaluated {
        let parts = arguments.positional.iter().map(|part| match part {
            Value::Host(Host::Sql(text)) => text.to_string(),
            text if name == "name" => quoted(&text.to_text()),
            text => text.to_text(),
        });
        sql(&parts.collect::<Vec<_>>().join("."))
    }

    /// The next part of a statement.
    pub(super) fn sql_method(text: &str, name: &str, arguments: &Arguments) -> Evaluated {
        let parts = || {
            let parts = arguments.positional.iter().map(|part| match part {
                Value::Host(Host::Sql(text)) => text.to_string(),
                other => other.to_text(),
            });
            parts.collect::<Vec<_>>().join(", ")
        };
        let literals = || {
            let literals = arguments.positional.iter().map(|value| match value {
                Value::Text(text) => format!("'{}'", text.replace('\'', "''")),
                other => other.to_text(),
            });
            literals.collect::<Vec<_>>().join(", ")
        };
        match name {
            "select" if arguments.positional.is_empty() => sql("select *"),
            "select" => sql(&format!("select {}", parts())),
            "from" => sql(&format!("{text} from {}", parts())),
            "as" => sql(&format!("{text} as {}", quoted(&parts()))),
            "insertInto" => sql(&format!("insert into {}", parts())),
            "columns" => sql(&format!("{text} ({})", parts())),
            "values" if text.contains(" values (") => sql(&format!("{text}, ({})", literals())),
            "values" => sql(&format!("{text} values ({})", literals())),
            "getSQL" => Ok(Value::text(text)),
            _ => Err(Self::not_understood(format!("the {name} of a statement"))),
        }
    }
}

fn sql(text: &str) -> Evaluated {
    Ok(host(Host::Sql(text.into())))
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_built_part_by_part() {
        let text = |values: &[&str]| Arguments {
            positional: values.iter().map(|value| Value::text(*value)).collect(),
            named: Vec::new(),
        };
        let of = |value: Evaluated| match value {
            Ok(value @ Value::Host(Host::Sql(_))) => value,
            other => panic!("{other:?}"),
        };
        let table = of(Program::sql_function("name", &text(&["main", "A\"B"])));
        let one = |value: &Value| Arguments { positional: vec![value.clone()], named: Vec::new() };
        let next = |value: &Value, name: &str, arguments: &Arguments| match value {
            Value::Host(Host::Sql(text)) => of(Program::sql_method(text, name, arguments)),
            other => panic!("{other:?}"),
        };
        let start = Value::Host(Host::Sql("".into()));
        let insert = next(&start, "insertInto", &one(&table));
        let insert = next(&insert, "columns", &text(&["a", "b"]));
        let insert = next(&insert, "values", &text(&["x", "it's"]));
        let insert = next(&insert, "values", &text(&["y", "z"]));
        let expected = r#"insert into "main"."A""B" (a, b) values ('x', 'it''s'), ('y', 'z')"#;
        assert_eq!(insert_text(&insert), expected);
        let column = next(&of(Program::sql_function("field", &text(&["a"]))), "as", &text(&["X"]));
        let select = next(&next(&start, "select", &one(&column)), "from", &one(&table));
        assert_eq!(insert_text(&select), r#"select a as "X" from "main"."A""B""#);
        assert!(Program::sql_method("", "join", &Arguments::default()).is_err());
    }

    fn insert_text(value: &Value) -> &str {
        match value {
            Value::Host(Host::Sql(text)) => text,
            other => panic!("{other:?}"),
        }
    }
}
