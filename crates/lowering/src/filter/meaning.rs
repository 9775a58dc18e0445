//! Meanings of null and of empty values in conditions.

use api::binding::Meaning;
use graphql::operation::Location;
use ir::{Filter, ValueRef};

use super::super::LowerError;

/// True if a null or an empty value restricts the rows.
pub(super) fn is_condition(meaning: &Meaning) -> bool {
    match meaning {
        Meaning::IsNull
        | Meaning::IsNotNull
        | Meaning::Related
        | Meaning::Unrelated
        | Meaning::False => true,
        Meaning::Ignore | Meaning::True | Meaning::Refuse(_) => false,
    }
}

/// The meaning of a null or an empty value.
pub(in super::super) fn meaning(
    meaning: &Meaning,
    place: Option<&ValueRef>,
    location: Location,
) -> Result<Option<Filter>, LowerError> {
    match meaning {
        Meaning::Ignore => Ok(None),
        Meaning::True => Ok(Some(Filter::all())),
        Meaning::False => Ok(Some(Filter::none())),
        Meaning::IsNull => Ok(place.map(|place| Filter::IsNull(place.stored().clone()))),
        Meaning::IsNotNull => {
            let is_null = |place: &ValueRef| Box::new(Filter::IsNull(place.stored().clone()));
            Ok(place.map(|place| Filter::Not(is_null(place))))
        }
        Meaning::Related | Meaning::Unrelated => Ok(None),
        Meaning::Refuse(text) => {
            Err(LowerError::Refused { message: text.as_ref().clone(), location })
        }
    }
}
