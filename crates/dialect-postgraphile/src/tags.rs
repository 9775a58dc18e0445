//! Smart tags: comments of the database, or a file beside it, that configure the API.
//!
//! * [`Tags`], [`parse`]: the tags of one object, in a comment
//! * [`omit`]: omitted operations
//! * [`file`](self::file): tags for objects without a comment
//! * [`identifier`]: names within tags
//! * [`annotations`]: the tags and descriptions of a catalog
//! * [`declared`]: keys and foreign keys that tags declare
//! * [`messages`]: error texts of constraints

pub(super) mod annotations;
pub(super) mod declared;
pub(super) mod file;
mod identifier;
pub(super) mod messages;
pub(super) mod omit;

use graphql::schema::Deprecation;

/// The tags of one object, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tags(Vec<Tag>);

/// A tag with all its values; one without a value is a mere flag.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Tag {
    name: Box<str>,
    values: Values,
}

/// The values of a tag; `None` is one without a text.
type Values = Vec<Option<Box<str>>>;

/// A parsed comment: tags, and a description for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Annotated {
    pub(super) tags: Tags,
    pub(super) description: Option<Box<str>>,
}

impl Tags {
    pub(super) fn has(&self, name: &str) -> bool {
        !self.values(name).is_empty()
    }

    /// The values of a tag; empty if it is absent.
    pub(super) fn values(&self, name: &str) -> &[Option<Box<str>>] {
        self.0.iter().find(|tag| &*tag.name == name).map_or(&[], |tag| &tag.values)
    }

    /// The first value of a tag that is a text.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.values(name).iter().find_map(|value| value.as_deref())
    }

    /// Adds a value.
    fn push(&mut self, name: &str, value: Option<Box<str>>) {
        match self.0.iter_mut().find(|tag| &*tag.name == name) {
            Some(tag) => tag.values.push(value),
            None => self.0.push(Tag { name: name.into(), values: vec![value] }),
        }
    }

    /// Replaces the values of a tag; without values the tag is removed.
    pub(super) fn set(&mut self, name: &str, values: &[Option<Box<str>>]) {
        self.0.retain(|tag| &*tag.name != name);
        if !values.is_empty() {
            self.0.push(Tag { name: name.into(), values: values.to_vec() });
        }
    }

    /// The lines of a comment with these tags.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        self.0.iter().flat_map(|tag| {
            tag.values.iter().map(|value| match value {
                Some(value) => format!("@{} {value}", tag.name),
                None => format!("@{}", tag.name),
            })
        })
    }
}

/// The reason for the deprecation of the object.
pub(super) fn deprecation(tags: &Tags) -> Option<Deprecation> {
    let reasons = tags.values("deprecated");
    // As in PostGraphile, whose clients may compare schemas by their text.
    let reasons = reasons.iter().map(|reason| reason.as_deref().unwrap_or("true"));
    let reasons: Vec<_> = reasons.collect();
    (!reasons.is_empty()).then(|| reasons.join("\n").into())
}

/// Parses a comment: lines that begin with `@` and a name are tags, up to the first other line. The
/// description begins there.
pub(super) fn parse(comment: &str) -> Annotated {
    let mut tags = Tags::default();
    let mut description = String::new();
    for line in comment.split('\n') {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if !description.is_empty() {
            description.push('\n');
            description.push_str(line);
        } else if let Some((name, value)) = tag(line) {
            tags.push(name, value.map(Into::into));
        } else {
            description.push_str(line);
        }
    }
    Annotated { tags, description: (!description.is_empty()).then(|| description.into()) }
}

/// The name of a tag and the text after the following blank.
fn tag(line: &str) -> Option<(&str, Option<&str>)> {
    let rest = line
        .strip_prefix('@')
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))?;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    match rest.chars().next() {
        None => Some((name, None)),
        Some(blank) if blank.is_whitespace() => {
            let value = &rest[blank.len_utf8()..];
            Some((name, (!value.is_empty()).then_some(value)))
        }
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(comment: &str, lines: &[&str], description: Option<&str>) {
        let Annotated { tags, description: found } = parse(comment);
        assert_eq!(tags.lines().collect::<Vec<_>>(), lines, "{comment:?}");
        assert_eq!(found.as_deref(), description, "{comment:?}");
    }

    #[test]
    fn comments_are_tags_and_then_a_description() {
        check("A human", &[], Some("A human"));
        check("@omit\nA human", &["@omit"], Some("A human"));
        check(
            "@omit create,update\r\n@name x y\r\nA\r\nB",
            &["@omit create,update", "@name x y"],
            Some("A\nB"),
        );
        check("@unique a\n@unique b,c", &["@unique a", "@unique b,c"], None);
        check("\n@omit", &["@omit"], None);
        check("A\n@omit", &[], Some("A\n@omit"));
        check("@omit ", &["@omit"], None);
        check("@1st", &[], Some("@1st"));
        check("@me@example.com", &[], Some("@me@example.com"));
        check("", &[], None);
    }
}
