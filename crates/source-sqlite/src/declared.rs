//! Meaning of declared column types.
//!
//! SQLite keeps the declared type as it was written and accepts any value; only the affinity rules
//! of
//! <https://www.sqlite.org/datatype3.html#determination_of_column_affinity> follow from it. The
//! usual names of SQL mean here what they mean in PostgreSQL; every other name means its affinity.

use catalog::Scalar;

/// The name of the scalar whose values print by their own storage class.
const ANY: &str = "any";

/// The type affinity: the storage class to which SQLite converts values, if it can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Affinity {
    Integer,
    Text,
    Blob,
    Real,
    Numeric,
}

/// The interpretation of a declared type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declared {
    /// A common name of SQL.
    Named(Scalar),
    /// Another name, by its affinity in SQLite.
    ByAffinity(Affinity),
    /// No type, as an expression of a view has none, or `ANY`: each value has its own.
    Untyped,
}

impl Declared {
    /// The scalar by which values are printed.
    #[must_use]
    pub fn scalar(self) -> Scalar {
        match self {
            Self::Named(scalar) => scalar,
            Self::ByAffinity(Affinity::Integer) => Scalar::Int32,
            Self::ByAffinity(Affinity::Text) => Scalar::Text,
            Self::ByAffinity(Affinity::Blob) => Scalar::Bytes,
            Self::ByAffinity(Affinity::Real) => Scalar::Float64,
            Self::ByAffinity(Affinity::Numeric) => Scalar::Decimal { precision: None, scale: None },
            Self::Untyped => Scalar::Other(ANY.into()),
        }
    }
}

/// Understands a declared type as `pragma_table_xinfo` reports it.
#[must_use]
pub fn declared(declared: &str) -> Declared {
    let (name, arguments) = split(declared);
    let scalar = match &*name {
        "" | "ANY" => return Declared::Untyped,
        "BOOLEAN" | "BOOL" => Scalar::Boolean,
        "DATE" => Scalar::Date,
        "DATETIME" | "TIMESTAMP" | "TIMESTAMP WITHOUT TIME ZONE" => Scalar::Timestamp,
        "TIMESTAMPTZ" | "TIMESTAMP WITH TIME ZONE" => Scalar::TimestampWithZone,
        "TIME" | "TIME WITHOUT TIME ZONE" => Scalar::Time,
        "TIMETZ" | "TIME WITH TIME ZONE" => Scalar::TimeWithZone,
        "DECIMAL" | "DEC" | "NUMERIC" => decimal(&arguments),
        // `NUM` is SQLite's own name for a view's expression of numeric affinity.
        "NUM" | "NUMBER" => Scalar::Decimal { precision: None, scale: None },
        // SQLite's own binary form of JSON is a BLOB that its functions read; applications read and
        // write the same JSON.
        "JSON" | "JSONB" => Scalar::Json,
        "UUID" => Scalar::Uuid,
        "BIGINT" | "INT8" | "UNSIGNED BIG INT" | "UNSIGNED BIGINT" | "BIGINT UNSIGNED" => {
            Scalar::Int64
        }
        "SMALLINT" | "INT2" | "TINYINT" => Scalar::Int16,
        "INT" | "INTEGER" | "MEDIUMINT" | "INT4" => Scalar::Int32,
        "REAL" | "DOUBLE" | "DOUBLE PRECISION" | "FLOAT" | "FLOAT4" | "FLOAT8" => Scalar::Float64,
        // Lengths are dropped: SQLite neither checks them nor fills up with spaces.
        "TEXT" | "CLOB" | "CHAR" | "CHARACTER" | "NCHAR" | "VARCHAR" | "NVARCHAR"
        | "CHARACTER VARYING" => Scalar::Text,
        "BLOB" | "BYTEA" | "VARBINARY" => Scalar::Bytes,
        _ => return Declared::ByAffinity(affinity(declared)),
    };
    Declared::Named(scalar)
}

/// SQLite's affinity of a declared type; the order of the rules decides (`FLOATING POINT` is an
/// integer, because of its `INT`).
#[must_use]
pub fn affinity(declared: &str) -> Affinity {
    let upper = declared.to_ascii_uppercase();
    let has = |part: &str| upper.contains(part);
    if has("INT") {
        Affinity::Integer
    } else if has("CHAR") || has("CLOB") || has("TEXT") {
        Affinity::Text
    } else if has("BLOB") || upper.trim().is_empty() {
        Affinity::Blob
    } else if has("REAL") || has("FLOA") || has("DOUB") {
        Affinity::Real
    } else {
        Affinity::Numeric
    }
}

/// A scale that is not a plain number, such as a negative one, keeps the digits of the value.
fn decimal(arguments: &[Option<u32>]) -> Scalar {
    match *arguments {
        [precision] => Scalar::Decimal { precision, scale: precision.map(|_| 0) },
        [precision, scale] => Scalar::Decimal { precision, scale },
        _ => Scalar::Decimal { precision: None, scale: None },
    }
}

/// The name in upper case with single spaces, and the arguments in parentheses. SQLite keeps the
/// quotation marks of `[decimal](10,2)` and `"text"`, which other tools write.
fn split(declared: &str) -> (String, Vec<Option<u32>>) {
    let unquoted = declared.replace(['"', '[', ']', '`'], "");
    let (name, arguments) = match unquoted.split_once('(') {
        Some((name, arguments)) => (name, arguments.trim_end().trim_end_matches(')')),
        None => (&*unquoted, ""),
    };
    let name = name.split_ascii_whitespace().collect::<Vec<_>>().join(" ").to_ascii_uppercase();
    if arguments.trim().is_empty() {
        return (name, Vec::new());
    }
    (name, arguments.split(',').map(|argument| argument.trim().parse().ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::{Affinity, affinity, declared};

    fn check(types: &[&str], expected: &[&str]) {
        let lines: Vec<String> =
            types.iter().map(|name| format!("{name} -> {:?}", declared(name))).collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn usual_names_mean_what_they_mean_in_postgresql() {
        for (types, scalar) in [
            ("BOOLEAN bool", "Boolean"),
            ("DATE", "Date"),
            ("DATETIME TIMESTAMP timestamp(6)", "Timestamp"),
            ("TIMESTAMPTZ timestamptz(3)", "TimestampWithZone"),
            ("TIME time(0)", "Time"),
            ("TIMETZ", "TimeWithZone"),
            ("JSON Jsonb", "Json"),
            ("UUID", "Uuid"),
            ("BIGINT int8 BIGINT(20)", "Int64"),
            ("SMALLINT INT2 TINYINT tinyint(1)", "Int16"),
            ("INT INTEGER integer MEDIUMINT INT4 INT(11)", "Int32"),
            ("REAL DOUBLE FLOAT FLOAT4 FLOAT8", "Float64"),
            ("TEXT VARCHAR(30) CHAR(3) CHARACTER(20) CLOB NCHAR(55) NVARCHAR(100)", "Text"),
            ("BLOB BYTEA VARBINARY(16)", "Bytes"),
        ] {
            for name in types.split(' ') {
                check(&[name], &[&*format!("{name} -> Named({scalar})")]);
            }
        }
    }

    #[test]
    fn names_of_several_words_are_read_whatever_their_spaces() {
        check(
            &[
                "timestamp with  time zone",
                "TIMESTAMP WITHOUT TIME ZONE",
                "TIME WITH TIME ZONE",
                "TIME WITHOUT TIME ZONE",
                "UNSIGNED BIG\tINT",
                "BIGINT UNSIGNED",
                " Double\nPrecision ",
                "character varying (20)",
            ],
            &[
                "timestamp with  time zone -> Named(TimestampWithZone)",
                "TIMESTAMP WITHOUT TIME ZONE -> Named(Timestamp)",
                "TIME WITH TIME ZONE -> Named(TimeWithZone)",
                "TIME WITHOUT TIME ZONE -> Named(Time)",
                "UNSIGNED BIG\tINT -> Named(Int64)",
                "BIGINT UNSIGNED -> Named(Int64)",
                " Double\nPrecision  -> Named(Float64)",
                "character varying (20) -> Named(Text)",
            ],
        );
    }

    #[test]
    fn decimals_take_precision_and_scale() {
        check(
            &[
                "DECIMAL",
                "NUMERIC",
                "NUM",
                "DECIMAL(10)",
                "numeric (10, 2)",
                "DEC( +7 , 0 )",
                "DECIMAL(10,-2)",
                "DECIMAL(x)",
                "DECIMAL()",
            ],
            &[
                "DECIMAL -> Named(Decimal { precision: None, scale: None })",
                "NUMERIC -> Named(Decimal { precision: None, scale: None })",
                "NUM -> Named(Decimal { precision: None, scale: None })",
                "DECIMAL(10) -> Named(Decimal { precision: Some(10), scale: Some(0) })",
                "numeric (10, 2) -> Named(Decimal { precision: Some(10), scale: Some(2) })",
                "DEC( +7 , 0 ) -> Named(Decimal { precision: Some(7), scale: Some(0) })",
                "DECIMAL(10,-2) -> Named(Decimal { precision: Some(10), scale: None })",
                "DECIMAL(x) -> Named(Decimal { precision: None, scale: None })",
                "DECIMAL() -> Named(Decimal { precision: None, scale: None })",
            ],
        );
    }

    #[test]
    fn quotation_marks_around_a_type_are_not_part_of_it() {
        check(
            &["[decimal](10,2)", "\"text\"", "`int`", "\"numeric(8,3)\""],
            &[
                "[decimal](10,2) -> Named(Decimal { precision: Some(10), scale: Some(2) })",
                "\"text\" -> Named(Text)",
                "`int` -> Named(Int32)",
                "\"numeric(8,3)\" -> Named(Decimal { precision: Some(8), scale: Some(3) })",
            ],
        );
    }

    #[test]
    fn other_names_are_understood_by_affinity() {
        check(
            &[
                "POINT",
                "FLOATING POINT",
                "INT UNSIGNED",
                "CHARINT",
                "NATIVE CHARACTER(70)",
                "LONGTEXT",
                "xBLOBx",
                "DOUBLED",
                "STRING",
                "MONEY",
            ],
            &[
                "POINT -> ByAffinity(Integer)",
                "FLOATING POINT -> ByAffinity(Integer)",
                "INT UNSIGNED -> ByAffinity(Integer)",
                "CHARINT -> ByAffinity(Integer)",
                "NATIVE CHARACTER(70) -> ByAffinity(Text)",
                "LONGTEXT -> ByAffinity(Text)",
                "xBLOBx -> ByAffinity(Blob)",
                "DOUBLED -> ByAffinity(Real)",
                "STRING -> ByAffinity(Numeric)",
                "MONEY -> ByAffinity(Numeric)",
            ],
        );
    }

    #[test]
    fn no_type_and_any_are_untyped() {
        check(
            &["", "  ", "any", "ANY"],
            &[" -> Untyped", "   -> Untyped", "any -> Untyped", "ANY -> Untyped"],
        );
    }

    #[test]
    fn each_affinity_has_a_scalar() {
        let scalars: Vec<String> = ["POINT", "LONGTEXT", "xBLOBx", "DOUBLED", "STRING", "ANY"]
            .iter()
            .map(|name| format!("{:?}", declared(name).scalar()))
            .collect();
        assert_eq!(
            scalars,
            [
                "Int32",
                "Text",
                "Bytes",
                "Float64",
                "Decimal { precision: None, scale: None }",
                "Other(\"any\")"
            ]
        );
    }

    /// SQLite's answer is the storage class that text takes in a column of that type.
    #[test]
    fn affinity_is_that_of_sqlite() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        for name in [
            "INT",
            "POINT",
            "FLOATING POINT",
            "CHARINT",
            "TINYTEXT",
            "clob",
            "VARCHAR(3)",
            "BLOB",
            "",
            "REAL",
            "FLOAT",
            "DOUBLE PRECISION",
            "NUMERIC",
            "DECIMAL(10,2)",
            "BOOLEAN",
            "DATE",
            "STRING",
            "ANY",
        ] {
            let create = format!("CREATE TABLE t (v {name}); INSERT INTO t VALUES ('1.0'), ('1');");
            connection.execute_batch(&create).unwrap();
            let expression = "SELECT group_concat(typeof(v), ' ') FROM t";
            let classes: String = connection.query_row(expression, [], |row| row.get(0)).unwrap();
            connection.execute_batch("DROP TABLE t").unwrap();
            let expected = match affinity(name) {
                // The two differ in CAST only.
                Affinity::Integer | Affinity::Numeric => "integer integer",
                Affinity::Text | Affinity::Blob => "text text",
                Affinity::Real => "real real",
            };
            assert_eq!(classes, expected, "{name}");
        }
    }
}
