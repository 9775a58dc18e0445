//! Terms, conditions and literals of definitions.

use std::fmt::{self, Write as _};

use super::Printer;
use crate::tree::definition::{Condition, DataType, Numeral, TableRows, Term};

impl Printer<'_> {
    pub(super) fn filter(&mut self, filter: Option<&Condition>) -> fmt::Result {
        let Some(condition) = filter else { return Ok(()) };
        self.out.push_str(" WHERE ");
        self.condition(condition)
    }

    pub(super) fn terms(&mut self, terms: &[Term]) -> fmt::Result {
        for (index, term) in terms.iter().enumerate() {
            self.comma(index);
            self.term(term)?;
        }
        Ok(())
    }

    pub(super) fn term(&mut self, term: &Term) -> fmt::Result {
        match term {
            Term::Null(data_type) => {
                self.out.push_str("CAST(NULL AS ");
                self.data_type(data_type);
                self.out.push(')');
            }
            Term::Text(text) => self.literal(text),
            Term::Number(number) => write!(self.out, "{number}")?,
            Term::Literal(text, data_type) => self.typed_literal(text, data_type),
            Term::Now => self.out.push_str(match self.flavor.typed_text {
                true => "now()",
                false => "strftime('%Y-%m-%d %H:%M:%f', 'now') || '+00:00'",
            }),
            Term::NowInUtc => self.out.push_str(match self.flavor.typed_text {
                true => "now() AT TIME ZONE 'UTC'",
                false => "strftime('%Y-%m-%d %H:%M:%f', 'now')",
            }),
            Term::OrElse(term, other) => {
                self.applied("coalesce(", term, ", ")?;
                self.applied("", other, ")")?;
            }
            Term::Column(name) => self.identifier(name),
            Term::Of(table, column) => {
                self.table_name(table);
                self.out.push('.');
                self.identifier(column);
            }
            Term::New(column) => {
                self.out.push_str("NEW.");
                self.identifier(column);
            }
            Term::Old(column) => {
                self.out.push_str("OLD.");
                self.identifier(column);
            }
            Term::Cast(term, data_type) => {
                self.out.push_str("CAST(");
                self.term(term)?;
                self.out.push_str(" AS ");
                self.data_type(data_type);
                self.out.push(')');
            }
            Term::When(condition, term) => {
                self.out.push_str("CASE WHEN ");
                self.condition(condition)?;
                self.out.push_str(" THEN ");
                self.term(term)?;
                self.out.push_str(" END");
            }
            Term::ListOf(term, data_type) => self.list_of(term, data_type)?,
            Term::FirstElement(list) => match self.flavor.definitions.arrays {
                true => {
                    self.out.push('(');
                    self.term(list)?;
                    self.out.push_str(")[1]");
                }
                false => self.applied("json_extract(", list, ", '$[0]')")?,
            },
            Term::ListLength(list) => match self.flavor.definitions.arrays {
                true => self.applied("cardinality(", list, ")")?,
                false => self.applied("json_array_length(", list, ")")?,
            },
            Term::CountRows => self.out.push_str("count(*)"),
            Term::Surplus(column) => {
                let column = Term::Column(column.clone());
                self.applied("count(", &column, ")")?;
                self.applied(" - count(DISTINCT ", &column, ")")?;
            }
            Term::Minimum(term) => self.applied("min(", term, ")")?,
            Term::Query(rows) => {
                self.out.push('(');
                self.table_rows(rows)?;
                self.out.push(')');
            }
        }
        Ok(())
    }

    fn applied(&mut self, before: &str, term: &Term, after: &str) -> fmt::Result {
        self.out.push_str(before);
        self.term(term)?;
        self.out.push_str(after);
        Ok(())
    }

    /// PostgreSQL has regular expressions, and casts that fail; SQLite neither. Zeros at both ends of
    /// a number are no digits that can get lost.
    fn is_numeral(&mut self, term: &Term, numeral: Numeral) -> fmt::Result {
        match (numeral, self.flavor.definitions.arrays) {
            (Numeral::Integer { least, most }, true) => {
                self.applied("CASE WHEN ", term, " ~ '^(0|-?[1-9][0-9]{0,18})$' THEN ")?;
                self.applied("CAST(", term, " AS NUMERIC)")?;
                write!(self.out, " BETWEEN {least} AND {most} ELSE FALSE END")
            }
            (Numeral::Integer { least, most }, false) => {
                self.applied("CAST(CAST(", term, " AS INTEGER) AS TEXT) = ")?;
                self.applied("", term, " AND ")?;
                self.applied("CAST(", term, " AS INTEGER)")?;
                write!(self.out, " BETWEEN {least} AND {most}")
            }
            (Numeral::Float { most, whole_digits, digits }, _) => {
                self.is_numeral(term, Numeral::Decimal { most })?;
                self.applied(" AND length(ltrim(rtrim(replace(replace(", term, ", '-', ''), ")?;
                self.out.push_str("'.', ''), '0'), '0')) <= CASE WHEN ");
                self.term(term)?;
                write!(self.out, " LIKE '%.%' THEN {digits} ELSE {whole_digits} END")
            }
            (Numeral::Decimal { most }, true) => {
                self.applied("", term, " ~ '^-?[0-9]+([.][0-9]+)?$'")?;
                self.applied(" AND length(", term, ")")?;
                write!(self.out, " <= {most}")
            }
            (Numeral::Decimal { most }, false) => {
                self.applied("(", term, " GLOB '[0-9]*'")?;
                self.applied(" OR ", term, " GLOB '-[0-9]*')")?;
                self.applied(" AND ", term, " GLOB '*[0-9]'")?;
                self.applied(" AND substr(", term, ", 2) NOT GLOB '*[^0-9.]*'")?;
                self.applied(" AND ", term, " NOT GLOB '*.*.*'")?;
                self.applied(" AND length(", term, ")")?;
                write!(self.out, " <= {most}")
            }
        }
    }

    /// Booleans are numbers where there are no arrays, and not so in JSON.
    fn list_of(&mut self, term: &Term, data_type: &DataType) -> fmt::Result {
        self.out.push_str("CASE WHEN ");
        self.term(term)?;
        match (self.flavor.definitions.arrays, data_type) {
            (true, _) => self.applied(" IS NOT NULL THEN ARRAY[", term, "] END"),
            (false, DataType::Boolean) => {
                self.out.push_str(" THEN '[true]' WHEN NOT ");
                self.term(term)?;
                self.out.push_str(" THEN '[false]' END");
                Ok(())
            }
            (false, _) => self.applied(" IS NOT NULL THEN json_array(", term, ") END"),
        }
    }

    pub(super) fn condition(&mut self, condition: &Condition) -> fmt::Result {
        match condition {
            Condition::Equal(left, right) => self.compared(left, " = ", right),
            Condition::NotEqual(left, right) => self.compared(left, " <> ", right),
            Condition::AtMost(left, right) => self.compared(left, " <= ", right),
            Condition::More(left, right) => self.compared(left, " > ", right),
            Condition::Within(term, least, most) => {
                self.term(term)?;
                write!(self.out, " BETWEEN {least} AND {most}")
            }
            Condition::Outside(term, least, most) => {
                self.term(term)?;
                write!(self.out, " NOT BETWEEN {least} AND {most}")
            }
            Condition::IsWhole(term, least, most) => {
                self.term(term)?;
                write!(self.out, " BETWEEN {least} AND {most} AND ")?;
                match self.flavor.definitions.arrays {
                    true => self.applied("trunc(", term, ") = ")?,
                    false => self.applied("CAST(", term, " AS INTEGER) = ")?,
                }
                self.term(term)
            }
            Condition::IsNumeral(term, numeral) => self.is_numeral(term, *numeral),
            Condition::IsNull(term) => self.applied("", term, " IS NULL"),
            Condition::IsNotNull(term) => self.applied("", term, " IS NOT NULL"),
            Condition::OneOf(term, texts) => self.one_of(term, " IN (", texts),
            Condition::NotOneOf(term, texts) => self.one_of(term, " NOT IN (", texts),
            Condition::ElementsOneOf(column, texts) => {
                if !self.flavor.definitions.arrays {
                    self.out.push_str("TRUE");
                    return Ok(());
                }
                self.identifier(column);
                self.out.push_str(" <@ ARRAY[");
                self.literals(texts);
                self.out.push_str("]::text[]");
                Ok(())
            }
            Condition::IsJsonArray(column) => {
                self.out.push_str("json_valid(");
                self.identifier(column);
                self.out.push_str(") AND json_type(");
                self.identifier(column);
                self.out.push_str(") = 'array'");
                Ok(())
            }
            Condition::Among(term, rows) => self.among(term, " IN (", rows),
            Condition::NotAmong(term, rows) => self.among(term, " NOT IN (", rows),
            Condition::Not(condition) => {
                self.out.push_str("NOT (");
                self.condition(condition)?;
                self.out.push(')');
                Ok(())
            }
            Condition::All(conditions) => {
                for (index, condition) in conditions.iter().enumerate() {
                    if index > 0 {
                        self.out.push_str(" AND ");
                    }
                    self.condition(condition)?;
                }
                Ok(())
            }
        }
    }

    fn compared(&mut self, left: &Term, operator: &str, right: &Term) -> fmt::Result {
        self.term(left)?;
        self.out.push_str(operator);
        self.term(right)
    }

    fn one_of(&mut self, term: &Term, operator: &str, texts: &[Box<str>]) -> fmt::Result {
        self.term(term)?;
        self.out.push_str(operator);
        self.literals(texts);
        self.out.push(')');
        Ok(())
    }

    fn among(&mut self, term: &Term, operator: &str, rows: &TableRows) -> fmt::Result {
        self.term(term)?;
        self.out.push_str(operator);
        self.table_rows(rows)?;
        self.out.push(')');
        Ok(())
    }

    fn literals(&mut self, texts: &[Box<str>]) {
        for (index, text) in texts.iter().enumerate() {
            self.comma(index);
            self.literal(text);
        }
    }

    fn typed_literal(&mut self, text: &str, data_type: &DataType) {
        let is_cast = match data_type {
            DataType::Boolean => {
                self.out.push_str(if text == "true" { "TRUE" } else { "FALSE" });
                return;
            }
            DataType::Text | DataType::Varchar(_) => false,
            DataType::Integer
            | DataType::BigInteger
            | DataType::Double
            | DataType::Decimal { .. } => true,
            // Where texts have no types, a cast makes a number of one.
            DataType::TimestampWithZone
            | DataType::Timestamp
            | DataType::Uuid
            | DataType::Json
            | DataType::Array(_) => self.flavor.typed_text,
        };
        if !is_cast {
            return self.literal(text);
        }
        self.out.push_str("CAST(");
        self.literal(text);
        self.out.push_str(" AS ");
        self.data_type(data_type);
        self.out.push(')');
    }
}
