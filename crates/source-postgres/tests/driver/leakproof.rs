//! The operators that a client's conditions may use on rows before a policy is decided are those that
//! PostgreSQL itself calls leakproof, in each version that is tried.

#![allow(clippy::unwrap_used, reason = "a test ends where it cannot go on")]

use catalog::Scalar;
use relational::is_leakproof;
use testkit::postgres::{required_installations, shared};

/// The types as PostgreSQL calls those whose operators compare values of a scalar.
fn operators_of() -> Vec<(Scalar, &'static str)> {
    let decimal = Scalar::Decimal { precision: None, scale: None };
    vec![
        (Scalar::Boolean, "boolean"),
        (Scalar::Int16, "smallint"),
        (Scalar::Int32, "integer"),
        (Scalar::Int64, "bigint"),
        (Scalar::Float32, "real"),
        (Scalar::Float64, "double precision"),
        (decimal, "numeric"),
        (Scalar::Money, "money"),
        (Scalar::Text, "text"),
        (Scalar::Character { length: 3 }, "bpchar"),
        (Scalar::Uuid, "uuid"),
        (Scalar::Jsonb, "jsonb"),
        (Scalar::Date, "date"),
        (Scalar::Time, "time"),
        (Scalar::TimeWithZone, "timetz"),
        (Scalar::Timestamp, "timestamp"),
        (Scalar::TimestampWithZone, "timestamptz"),
        (Scalar::Interval, "interval"),
        (Scalar::Bytes, "bytea"),
        (Scalar::Inet, "inet"),
        // A network is compared as an address.
        (Scalar::Cidr, "inet"),
        (Scalar::MacAddress, "macaddr"),
        (Scalar::MacAddress8, "macaddr8"),
        (Scalar::Bit, "bit"),
        (Scalar::Bit, "varbit"),
        (Scalar::ObjectId, "oid"),
    ]
}

#[test]
fn operators_are_leakproof_where_postgresql_says_so() {
    for installation in required_installations().unwrap() {
        let server = shared(&installation).unwrap();
        for (scalar, name) in operators_of() {
            let sql = "SELECT count(*), bool_and(proleakproof) FROM pg_operator JOIN pg_proc p ON p.oid = oprcode
                WHERE oprname IN ('=', '<>', '<', '<=', '>', '>=')
                AND oprleft = oprright AND oprleft = 'TYPE'::regtype"
                .replace("TYPE", name);
            let rows = server.query("postgres", &sql).unwrap();
            assert_eq!(rows[0][0].as_deref(), Some("6"), "{name}");
            let is_marked = rows[0][1].as_deref() == Some("t");
            let version = installation.version;
            assert_eq!(is_leakproof(&scalar), is_marked, "{name} on PostgreSQL {version}");
        }
    }
}

/// Types without such operators, and those of extensions and users, of which nothing is known.
#[test]
fn other_types_are_not_leakproof() {
    for scalar in [
        Scalar::CaseInsensitiveText,
        Scalar::Json,
        Scalar::Xml,
        Scalar::Point,
        Scalar::KeyValue,
        Scalar::Other("fruit".into()),
    ] {
        assert!(!is_leakproof(&scalar), "{scalar:?}");
    }
}
