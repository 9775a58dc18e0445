//! Operators on texts that the library adds by its setting `features.filters`.

use std::fmt;
use std::str::FromStr;

use ir::Comparison;

use crate::model::ApiVersion;

/// One such operator, for values of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextFilter {
    pub r#type: TextType,
    pub operator: TextOperator,
}

/// A type whose values are texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextType {
    String,
    Id,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextOperator {
    /// By the letters' places in Unicode.
    Ordered(TextOrder),
    /// With a regular expression.
    Matches,
    /// All operators once more, to which large and small letters are the same.
    CaseInsensitive,
}

/// Comparison of two texts by their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextOrder {
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

impl TextType {
    const ALL: [Self; 2] = [Self::String, Self::Id];

    /// Its name in GraphQL, and in the library's setting.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::String => "String",
            Self::Id => "ID",
        }
    }
}

impl TextOrder {
    pub(crate) fn comparison(self) -> Comparison {
        match self {
            Self::Greater => Comparison::Greater,
            Self::GreaterOrEqual => Comparison::GreaterOrEqual,
            Self::Less => Comparison::Less,
            Self::LessOrEqual => Comparison::LessOrEqual,
        }
    }
}

impl TextOperator {
    const ALL: [Self; 6] = [
        Self::Matches,
        Self::Ordered(TextOrder::Greater),
        Self::Ordered(TextOrder::GreaterOrEqual),
        Self::Ordered(TextOrder::Less),
        Self::Ordered(TextOrder::LessOrEqual),
        Self::CaseInsensitive,
    ];

    /// Its name in the library's setting, and the end of the names of inputs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Matches => "MATCHES",
            Self::Ordered(TextOrder::Greater) => "GT",
            Self::Ordered(TextOrder::GreaterOrEqual) => "GTE",
            Self::Ordered(TextOrder::Less) => "LT",
            Self::Ordered(TextOrder::LessOrEqual) => "LTE",
            Self::CaseInsensitive => "CASE_INSENSITIVE",
        }
    }
}

/// The operators that options add to a type, each once, in the order of the options: the library
/// prints them so.
pub(crate) fn operators_of(
    filters: &[TextFilter],
    r#type: TextType,
) -> impl Iterator<Item = TextOperator> {
    let is_first = |(place, filter): &(usize, &TextFilter)| {
        filters.iter().take(*place).all(|before| before != *filter)
    };
    let own = filters.iter().enumerate().filter(is_first).map(|(_, filter)| filter);
    own.filter(move |filter| filter.r#type == r#type).map(|filter| filter.operator)
}

impl TextFilter {
    /// Why a version does not have it, if so: the library takes it there and does nothing.
    #[must_use]
    pub fn refused_in(self, version: ApiVersion) -> Option<&'static str> {
        match (version, self.r#type, self.operator) {
            (ApiVersion::V7, TextType::Id, TextOperator::CaseInsensitive) => {
                Some("the library has it for String only")
            }
            (ApiVersion::V3, TextType::Id, TextOperator::Ordered(_)) => {
                Some("version 3 of the library takes String's for ID, too")
            }
            (ApiVersion::V3, _, TextOperator::CaseInsensitive) => {
                Some("version 3 of the library does not have it")
            }
            (ApiVersion::V7, ..)
            | (ApiVersion::V3, TextType::String, TextOperator::Ordered(_))
            | (ApiVersion::V3, _, TextOperator::Matches) => None,
        }
    }
}

impl fmt::Display for TextFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.r#type.name(), self.operator.name())
    }
}

/// `String.MATCHES`; large and small letters are the same.
impl FromStr for TextFilter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = TextType::ALL.into_iter().flat_map(|r#type| {
            TextOperator::ALL.into_iter().map(move |operator| Self { r#type, operator })
        });
        let mut known = known.filter(|filter| filter.refused_in(ApiVersion::V7).is_none());
        known.find(|filter| filter.to_string().eq_ignore_ascii_case(text)).ok_or_else(|| {
            "wanted is `String` or `ID` with MATCHES, GT, GTE, LT or LTE, as in \
             `String.MATCHES`, or `String.CASE_INSENSITIVE`"
                .into()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_read_as_they_are_written() {
        let check = |text: &str, expected: &str| {
            assert_eq!(
                text.parse::<TextFilter>().map(|filter| filter.to_string()),
                Ok(expected.into())
            );
        };
        check("String.MATCHES", "String.MATCHES");
        check("string.case_insensitive", "String.CASE_INSENSITIVE");
        check("ID.gte", "ID.GTE");
        for wrong in ["", "String", "String.", "String.MATCH", "ID.CASE_INSENSITIVE", "Int.GT"] {
            assert!(wrong.parse::<TextFilter>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn operators_keep_their_order_and_come_once() {
        let filters = ["String.LT", "ID.MATCHES", "String.GT", "String.LT"];
        let filters: Vec<TextFilter> = filters.iter().map(|text| text.parse().unwrap()).collect();
        let names = |r#type| -> Vec<&str> {
            operators_of(&filters, r#type).map(TextOperator::name).collect()
        };
        assert_eq!(names(TextType::String), ["LT", "GT"]);
        assert_eq!(names(TextType::Id), ["MATCHES"]);
    }

    #[test]
    fn what_a_form_does_not_have_is_told() {
        let refused = |text: &str, version| text.parse::<TextFilter>().unwrap().refused_in(version);
        assert_eq!(refused("ID.GT", ApiVersion::V7), None);
        assert!(refused("ID.GT", ApiVersion::V3).is_some());
        assert!(refused("String.CASE_INSENSITIVE", ApiVersion::V3).is_some());
        assert_eq!(refused("String.GT", ApiVersion::V3), None);
        assert_eq!(refused("ID.MATCHES", ApiVersion::V3), None);
    }
}
