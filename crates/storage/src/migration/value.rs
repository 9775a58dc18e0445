//! The value of a column of a new table, made of the row of the old one.

use sql::tree::definition::{Condition, Numeral, Term};

use crate::definition::{identifier, value_type};
use crate::tables::{Column, ColumnType, Fill, Table};

/// The conversion of the values of a column to its new type.
pub(super) enum Conversion {
    /// The values stay.
    None,
    /// Every value has a new form.
    Every(Term),
    /// Values that satisfy the condition have no new form: they become null, or lists lose
    /// elements.
    Some { term: Term, lost: Condition, loses_elements: bool },
    /// No value has a new form.
    Nothing,
}

/// The value of rows that have none in a required column.
pub(super) fn fill(table: &Table, column: &Column) -> Option<Term> {
    let is_unique = table.unique.iter().any(|unique| *unique.columns == [column.name.clone()]);
    let fill = column.fill.as_ref().filter(|_| column.is_required && !is_unique)?;
    let value = match fill {
        Fill::Now if column.r#type == ColumnType::Timestamp => Term::NowInUtc,
        Fill::Now => Term::Now,
        Fill::Text(text) | Fill::Stopgap(text) => {
            Term::Literal(text.clone(), value_type(&column.r#type))
        }
    };
    Some(match column.is_list {
        true => Term::ListOf(Box::new(value), value_type(&column.r#type)),
        false => value,
    })
}

/// The value of a required column that rows get although the definitions have none.
pub(super) fn stopgap<'c>(table: &Table, column: &'c Column) -> Option<&'c str> {
    match &column.fill {
        Some(Fill::Stopgap(text)) => fill(table, column).map(|_| &**text),
        Some(Fill::Now | Fill::Text(_)) | None => None,
    }
}

/// A value, or what rows get in its place.
pub(super) fn or_stopgap(table: &Table, column: &Column, term: Term) -> Term {
    match (stopgap(table, column), fill(table, column)) {
        (Some(_), Some(fill)) => match term {
            Term::Null(_) => fill,
            term => Term::OrElse(Box::new(term), Box::new(fill)),
        },
        _ => term,
    }
}

/// The conversion between two types.
pub(super) fn conversion(old: &Column, new: &Column) -> Conversion {
    let own = || Term::Column(identifier(&old.name));
    match (old.is_list, new.is_list) {
        (false, true) if old.r#type == new.r#type => {
            Conversion::Every(Term::ListOf(Box::new(own()), value_type(&old.r#type)))
        }
        (true, false) if old.r#type == new.r#type => Conversion::Some {
            term: Term::FirstElement(Box::new(own())),
            lost: Condition::More(Term::ListLength(Box::new(own())), Term::Number(1)),
            loses_elements: true,
        },
        (false, true) | (true, false) => Conversion::Nothing,
        (true, true) if value_type(&old.r#type) == value_type(&new.r#type) => Conversion::None,
        (true, true) => Conversion::Nothing,
        (false, false) => scalar(own, &old.r#type, &new.r#type),
    }
}

/// `f64` represents every integer from -2^53 to 2^53 exactly.
const MOST_EXACT: i64 = 1 << 53;

/// The longest text of a number that floating point numbers can have.
const MOST_CHARACTERS: u16 = 300;

/// The least and the greatest integer of a type of numbers without fractions.
fn integers(r#type: &ColumnType) -> Option<(i64, i64)> {
    match r#type {
        ColumnType::Int32 => Some((i64::from(i32::MIN), i64::from(i32::MAX))),
        ColumnType::Int64 => Some((i64::MIN, i64::MAX)),
        _ => None,
    }
}

fn scalar(own: impl Fn() -> Term, old: &ColumnType, new: &ColumnType) -> Conversion {
    let cast = |term| Term::Cast(Box::new(term), value_type(new));
    let where_it_fits = |fits: Condition| Conversion::Some {
        term: Term::When(Box::new(fits.clone()), Box::new(cast(own()))),
        lost: Condition::All(vec![Condition::IsNotNull(own()), Condition::Not(Box::new(fits))]),
        loses_elements: false,
    };
    match (old, new) {
        (old, new) if old == new => Conversion::None,
        (ColumnType::Enum(old), ColumnType::Enum(new))
            if old.iter().all(|label| new.contains(label)) =>
        {
            Conversion::None
        }
        (ColumnType::Enum(_), ColumnType::Text) => Conversion::None,
        (ColumnType::Enum(_) | ColumnType::Text, ColumnType::Enum(labels)) => Conversion::Some {
            term: Term::When(Box::new(Condition::OneOf(own(), labels.clone())), Box::new(own())),
            lost: Condition::NotOneOf(own(), labels.clone()),
            loses_elements: false,
        },
        // A sequence keeps its name when its table gets another one.
        (ColumnType::Int32 | ColumnType::Serial { .. }, ColumnType::Serial { .. })
        | (ColumnType::Serial { .. }, ColumnType::Int32)
        | (ColumnType::JsonText, ColumnType::Text) => Conversion::None,
        (
            ColumnType::Int32 | ColumnType::Serial { .. },
            ColumnType::Int64 | ColumnType::Float64 | ColumnType::Decimal,
        )
        | (
            ColumnType::Int32
            | ColumnType::Int64
            | ColumnType::Float64
            | ColumnType::Serial { .. }
            | ColumnType::Decimal
            | ColumnType::Identifier
            | ColumnType::Uuid,
            ColumnType::Text,
        ) => Conversion::Every(cast(own())),
        (ColumnType::Int64, ColumnType::Int32) => {
            let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
            Conversion::Some {
                term: Term::When(
                    Box::new(Condition::Within(own(), least, most)),
                    Box::new(cast(own())),
                ),
                lost: Condition::Outside(own(), least, most),
                loses_elements: false,
            }
        }
        (ColumnType::Int64, ColumnType::Float64) => Conversion::Some {
            term: cast(own()),
            lost: Condition::Outside(own(), -MOST_EXACT, MOST_EXACT),
            loses_elements: false,
        },
        (ColumnType::Point | ColumnType::Polygon | ColumnType::MultiPolygon, ColumnType::Json) => {
            Conversion::None
        }
        (ColumnType::Text, new) if let Some((least, most)) = integers(new) => {
            where_it_fits(Condition::IsNumeral(own(), Numeral::Integer { least, most }))
        }
        (ColumnType::Text, ColumnType::Float64) => {
            let most = MOST_CHARACTERS;
            let is_number = Condition::IsNumeral(own(), Numeral::Decimal { most });
            let keeps_digits = Numeral::Float { most, whole_digits: 15, digits: 17 };
            let keeps_digits = Condition::IsNumeral(own(), keeps_digits);
            Conversion::Some {
                term: Term::When(Box::new(is_number), Box::new(cast(own()))),
                // As of 64-bit integers: longer numbers are rounded, and count as lost.
                lost: Condition::All(vec![
                    Condition::IsNotNull(own()),
                    Condition::Not(Box::new(keeps_digits)),
                ]),
                loses_elements: false,
            }
        }
        // The length is one that the type can have.
        (ColumnType::Text, ColumnType::Decimal) => {
            where_it_fits(Condition::IsNumeral(own(), Numeral::Decimal { most: 30 }))
        }
        (ColumnType::Float64 | ColumnType::Decimal, new)
            if let Some((least, most)) = integers(new) =>
        {
            let (least, most) = (least.max(-MOST_EXACT), most.min(MOST_EXACT));
            where_it_fits(Condition::IsWhole(own(), least, most))
        }
        // A password is not to be read, and a text is no hash.
        (_, _) => Conversion::Nothing,
    }
}
