//! Content negotiation by `Accept` and `Content-Type`:
//! <https://graphql.github.io/graphql-over-http/draft/#sec-Media-Types>.

use engine::ErrorForm;

/// A media type of responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MediaType {
    /// The legacy media type: a well-formed request always has status 200.
    Json,
    /// The status shows whether the request was executed.
    GraphQLResponse,
}

/// Specificity of a range of `Accept`, from the lowest to the highest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Specificity {
    /// `*/*`
    Any,
    /// `application/*`
    Application,
    /// The type by name.
    Exact,
}

/// The preference of a client for one media type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Preference {
    /// Quality in thousandths; 0 is a refusal.
    quality: u16,
    specificity: Specificity,
}

impl MediaType {
    pub(super) fn content_type(self) -> &'static str {
        match self {
            Self::Json => "application/json; charset=utf-8",
            Self::GraphQLResponse => "application/graphql-response+json; charset=utf-8",
        }
    }

    fn essence(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::GraphQLResponse => "application/graphql-response+json",
        }
    }
}

/// Negotiates the media type from `Accept` headers; `None` if the client accepts neither.
pub(super) fn negotiate<'a>(accept: impl Iterator<Item = &'a str>) -> Option<MediaType> {
    let ranges = accept.flat_map(|header| split(header, ',')).map(str::trim);
    let ranges: Vec<&str> = ranges.filter(|range| !range.is_empty()).collect();
    if ranges.is_empty() {
        return Some(MediaType::Json);
    }
    let json = preference(&ranges, MediaType::Json);
    let graphql = preference(&ranges, MediaType::GraphQLResponse);
    match (json, graphql) {
        (None, None) => None,
        (Some(_), None) => Some(MediaType::Json),
        (None, Some(_)) => Some(MediaType::GraphQLResponse),
        (Some(json), Some(graphql)) => Some(choose(json, graphql)),
    }
}

/// The same by the form of an API: clients of Hasura receive JSON if they accept it, whatever they
/// prefer, since its status says nothing about errors.
pub(super) fn negotiate_in<'a>(
    form: ErrorForm,
    accept: impl Iterator<Item = &'a str>,
) -> Option<MediaType> {
    match form {
        ErrorForm::GraphQL | ErrorForm::Prisma => negotiate(accept),
        ErrorForm::Hasura => {
            let ranges: Vec<&str> = accept.collect();
            let accepted = negotiate(ranges.iter().copied())?;
            let all = ranges.iter().flat_map(|header| split(header, ',')).map(str::trim);
            let all: Vec<&str> = all.filter(|range| !range.is_empty()).collect();
            let accepts_json = all.is_empty() || preference(&all, MediaType::Json).is_some();
            Some(if accepts_json { MediaType::Json } else { accepted })
        }
    }
}

/// Whether a body of this `Content-Type` can be read. Without a charset, JSON is UTF-8.
pub(super) fn is_readable(content_type: &str) -> bool {
    let mut parts = split(content_type, ';');
    let essence = parts.next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case(MediaType::Json.essence()) && parts.all(is_utf8_or_no_charset)
}

/// Prefers the newer type if the client names both alike; with only a wildcard it may be an old client.
fn choose(json: Preference, graphql: Preference) -> MediaType {
    let rank = |preference: Preference| (preference.quality, preference.specificity);
    if rank(graphql) > rank(json) {
        return MediaType::GraphQLResponse;
    }
    match rank(graphql) == rank(json) && graphql.specificity == Specificity::Exact {
        true => MediaType::GraphQLResponse,
        false => MediaType::Json,
    }
}

/// The preference by the most specific range: <https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1>.
fn preference(ranges: &[&str], media_type: MediaType) -> Option<Preference> {
    ranges
        .iter()
        .filter_map(|range| fit(range, media_type))
        .max_by_key(|preference| (preference.specificity, preference.quality))
        .filter(|preference| preference.quality > 0)
}

/// Matches a range with a media type; `None` if it does not match, or is malformed.
fn fit(range: &str, media_type: MediaType) -> Option<Preference> {
    let mut parts = split(range, ';');
    let essence = parts.next()?.trim();
    let specificity = match essence {
        "*/*" => Specificity::Any,
        essence if essence.eq_ignore_ascii_case("application/*") => Specificity::Application,
        essence if essence.eq_ignore_ascii_case(media_type.essence()) => Specificity::Exact,
        _ => return None,
    };
    let mut quality = 1000;
    for parameter in parts {
        match name_and_value(parameter) {
            Some(("q" | "Q", value)) => quality = thousandths(value)?,
            Some(_) | None if is_utf8_or_no_charset(parameter) => {}
            Some(_) | None => return None,
        }
    }
    Some(Preference { quality, specificity })
}

fn is_utf8_or_no_charset(parameter: &str) -> bool {
    match name_and_value(parameter) {
        Some((name, value)) if name.eq_ignore_ascii_case("charset") => {
            value.eq_ignore_ascii_case("utf-8")
        }
        Some(_) | None => true,
    }
}

pub(super) fn name_and_value(parameter: &str) -> Option<(&str, &str)> {
    let (name, value) = parameter.split_once('=')?;
    Some((name.trim(), value.trim().trim_matches('"')))
}

/// Parses `0.5`, with at most three digits after the point.
pub(super) fn thousandths(quality: &str) -> Option<u16> {
    let (whole, fraction) = quality.split_once('.').unwrap_or((quality, ""));
    if fraction.len() > 3 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let fraction: u16 = format!("{fraction:0<3}").parse().ok()?;
    match (whole, fraction) {
        ("0", fraction) => Some(fraction),
        ("1", 0) => Some(1000),
        _ => None,
    }
}

/// Splits a text at separators outside quoted strings.
pub(super) fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    text.split(move |c| {
        let separates = c == separator && !quoted;
        if c == '"' && !escaped {
            quoted = !quoted;
        }
        escaped = quoted && c == '\\' && !escaped;
        separates
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: &str = "application/graphql-response+json, application/json";

    fn check(accept: &str, expected: Option<MediaType>) {
        assert_eq!(negotiate([accept].into_iter()), expected, "{accept}");
    }

    #[test]
    fn no_header_and_wildcards_mean_json() {
        assert_eq!(negotiate(std::iter::empty()), Some(MediaType::Json));
        check("", Some(MediaType::Json));
        check("*/*", Some(MediaType::Json));
        check("application/*", Some(MediaType::Json));
        check("Application/*", Some(MediaType::Json));
        check("text/html, */*;q=0.8", Some(MediaType::Json));
    }

    #[test]
    fn a_type_by_its_name_is_taken() {
        check("application/json", Some(MediaType::Json));
        check("Application/GraphQL-Response+JSON", Some(MediaType::GraphQLResponse));
        check("application/json;charset=UTF-8", Some(MediaType::Json));
        check(
            "application/graphql-response+json; charset=\"utf-8\"",
            Some(MediaType::GraphQLResponse),
        );
        check("*/*, application/graphql-response+json", Some(MediaType::GraphQLResponse));
    }

    #[test]
    fn qualities_decide_and_a_tie_goes_to_the_newer_type() {
        check(BOTH, Some(MediaType::GraphQLResponse));
        check(
            "application/json, application/graphql-response+json",
            Some(MediaType::GraphQLResponse),
        );
        check("application/graphql-response+json;q=0.9, application/json", Some(MediaType::Json));
        check(
            "application/json;q=0.1,application/graphql-response+json;Q=0.11",
            Some(MediaType::GraphQLResponse),
        );
        check("*/*;q=0.5, application/graphql-response+json;q=0.1", Some(MediaType::Json));
        check("application/json;q=0, */*", Some(MediaType::GraphQLResponse));
    }

    #[test]
    fn neither_is_none() {
        check("text/html", None);
        check("application/json;q=0", None);
        check("application/json;charset=utf-16", None);
        check("application/json;q=2", None);
        check("application/json;q=0.1234", None);
        check("application/json;q=+.1", None);
        check("text/plain;a=\",application/json\"", None);
    }

    #[test]
    fn several_headers_count_as_one() {
        let accept = ["text/html", "application/graphql-response+json;q=0.1"];
        assert_eq!(negotiate(accept.into_iter()), Some(MediaType::GraphQLResponse));
    }

    #[test]
    fn only_json_in_utf8_is_read() {
        assert!(is_readable("application/json"));
        assert!(is_readable("Application/JSON ; charset=\"UTF-8\""));
        assert!(!is_readable("application/json; charset=latin1"));
        assert!(!is_readable("application/graphql"));
        assert!(!is_readable("text/plain"));
        assert!(!is_readable(""));
    }
}
