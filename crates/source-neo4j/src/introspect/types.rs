//! The types of stored values, by the names that servers have for them.

use catalog::{GraphType, GraphValue};

/// The type of a procedure's or a constraint's name: `LongArray`, `LIST<STRING NOT NULL>`. Integers
/// are those of 32 bits, and points geographic, until a value shows otherwise.
pub(super) fn named(name: &str) -> GraphType {
    let name = name.trim().trim_end_matches(" NOT NULL");
    if let Some(element) = name.strip_prefix("LIST<").and_then(|rest| rest.strip_suffix('>')) {
        return GraphType::list(value(element.trim_end_matches(" NOT NULL")));
    }
    match name.strip_suffix("Array") {
        Some("") => GraphType::list(GraphValue::Nothing),
        // It is one value for the server, too.
        Some("Byte") => GraphType::scalar(GraphValue::Bytes),
        Some(element) => GraphType::list(value(element)),
        None => GraphType::scalar(value(name)),
    }
}

/// The types of a constraint, of which values may have any.
pub(super) fn alternatives(names: &str) -> Vec<GraphType> {
    let mut types: Vec<GraphType> = names.split('|').map(named).collect();
    types.sort();
    types.dedup();
    types
}

fn value(name: &str) -> GraphValue {
    match name {
        "Boolean" | "BOOLEAN" => GraphValue::Boolean,
        "Long" | "Integer" | "INTEGER" => GraphValue::Integer,
        "Double" | "Float" | "FLOAT" => GraphValue::Float,
        "String" | "STRING" => GraphValue::Text,
        "Date" | "DATE" => GraphValue::Date,
        "Time" | "ZONED TIME" => GraphValue::Time,
        "LocalTime" | "LOCAL TIME" => GraphValue::LocalTime,
        "DateTime" | "ZONED DATETIME" => GraphValue::DateTime,
        "LocalDateTime" | "LOCAL DATETIME" => GraphValue::LocalDateTime,
        "Duration" | "DURATION" => GraphValue::Duration,
        "Point" | "POINT" => GraphValue::GeographicPoint,
        "NOTHING" | "NULL" => GraphValue::Nothing,
        other => GraphValue::Other(other.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, expected: &GraphType) {
        assert_eq!(named(name), *expected, "{name}");
    }

    #[test]
    fn names_of_old_and_new_servers_are_known() {
        for name in ["Long", "INTEGER", "INTEGER NOT NULL"] {
            check(name, &GraphType::scalar(GraphValue::Integer));
        }
        for name in ["StringArray", "LIST<STRING NOT NULL>", "LIST<STRING NOT NULL> NOT NULL"] {
            check(name, &GraphType::list(GraphValue::Text));
        }
        check("LocalDateTimeArray", &GraphType::list(GraphValue::LocalDateTime));
        check("ZONED DATETIME NOT NULL", &GraphType::scalar(GraphValue::DateTime));
        check("LIST<NOTHING> NOT NULL", &GraphType::list(GraphValue::Nothing));
        check("ByteArray", &GraphType::scalar(GraphValue::Bytes));
    }

    #[test]
    fn a_name_that_is_not_known_stays() {
        let vector = "VECTOR<FLOAT32 NOT NULL>(3)";
        check(vector, &GraphType::scalar(GraphValue::Other(vector.into())));
        check("Array", &GraphType::list(GraphValue::Nothing));
    }

    #[test]
    fn a_constraint_names_several() {
        let expected = [GraphType::scalar(GraphValue::Float), GraphType::scalar(GraphValue::Text)];
        assert_eq!(alternatives("STRING | FLOAT"), expected);
        let expected =
            [GraphType::scalar(GraphValue::Integer), GraphType::list(GraphValue::Integer)];
        assert_eq!(alternatives("INTEGER | LIST<INTEGER NOT NULL>"), expected);
    }
}
