//! Names of the database within tags and within the tags file.

use catalog::{Catalog, Entity, EntityId, FieldId};

/// A name in tags: PostgreSQL folds unquoted ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) text: String,
    quoted: bool,
}

/// A parsed `@foreignKey`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reference {
    pub(super) columns: Vec<Name>,
    pub(super) namespace: Option<Name>,
    pub(super) table: Name,
    /// `None` for the primary key.
    pub(super) target_columns: Option<Vec<Name>>,
}

impl Name {
    fn parse(text: &str) -> Option<Self> {
        let trimmed = text.trim();
        match trimmed.strip_prefix('"') {
            Some(rest) => {
                rest.strip_suffix('"').map(|text| Self { text: text.into(), quoted: true })
            }
            None if trimmed.is_empty() => None,
            None => Some(Self { text: trimmed.to_lowercase(), quoted: false }),
        }
    }

    /// Unquoted names match in any case if there is no exact match.
    fn is_alike(&self, name: &str) -> bool {
        !self.quoted && self.text.eq_ignore_ascii_case(name)
    }
}

/// `a, "B"`
pub(super) fn names(text: &str) -> Option<Vec<Name>> {
    text.split(',').map(Name::parse).collect()
}

/// `(a, b) references schema.table (x, y)`
pub(super) fn reference(text: &str) -> Option<Reference> {
    let (columns, rest) = text.strip_prefix('(')?.split_once(')')?;
    const WORD: &str = " references ";
    let rest = match (rest.get(..WORD.len()), rest.get(WORD.len()..)) {
        (Some(word), Some(rest)) if word.eq_ignore_ascii_case(WORD) => rest,
        _ => return None,
    };
    let (target, target_columns) = match rest.split_once('(') {
        Some((target, columns)) => (target, Some(names(columns.strip_suffix(')')?)?)),
        None => (rest, None),
    };
    if target.contains([')', '(']) || columns.contains('(') {
        return None;
    }
    let (namespace, table) = match target.split_once('.') {
        Some((namespace, table)) => (Some(Name::parse(namespace)?), table),
        None => (None, target),
    };
    if table.contains('.') {
        return None;
    }
    Some(Reference {
        columns: names(columns)?,
        namespace,
        table: Name::parse(table)?,
        target_columns,
    })
}

pub(super) fn find_field(catalog: &Catalog, entity: EntityId, name: &Name) -> Option<FieldId> {
    let exact = catalog.find_field(entity, &name.text);
    let found =
        exact.or_else(|| catalog.fields_of(entity).find(|field| name.is_alike(&field.name)));
    found.map(|field| field.id)
}

/// An entity of the namespace, or of the same one as `beside`.
pub(super) fn find_entity(
    catalog: &Catalog,
    beside: EntityId,
    namespace: Option<&Name>,
    table: &Name,
) -> Option<EntityId> {
    let in_namespace = |found: Option<&str>| match namespace {
        Some(namespace) => found == Some(&namespace.text),
        None => found == catalog[beside].namespace.as_deref(),
    };
    let within: Vec<&Entity> =
        catalog.entities().filter(|entity| in_namespace(entity.namespace.as_deref())).collect();
    let exact = within.iter().find(|entity| *entity.name == *table.text);
    let found = exact.or_else(|| within.iter().find(|entity| table.is_alike(&entity.name)));
    found.map(|entity| entity.id)
}

/// The parts of `schema.table.column`; a quoted part may contain dots.
pub(super) fn parts(identifier: &str) -> Option<Vec<Box<str>>> {
    let mut parts: Vec<Box<str>> = Vec::new();
    let mut current = String::new();
    let mut letters = identifier.chars().peekable();
    // True if a quoted text has begun, and true if one has ended, in the current part.
    let (mut inside, mut ended) = (false, false);
    while let Some(letter) = letters.next() {
        match letter {
            '"' if inside && letters.peek() == Some(&'"') => {
                letters.next();
                current.push('"');
            }
            '"' if inside => (inside, ended) = (false, true),
            '"' if current.is_empty() && !ended => inside = true,
            '.' if !inside => {
                parts.push(std::mem::take(&mut current).into());
                ended = false;
            }
            _ if letter == '"' || (ended && !inside) => return None,
            _ => current.push(letter),
        }
    }
    parts.push(current.into());
    let complete = !inside && parts.iter().all(|part| !part.is_empty());
    complete.then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_read_as_postgraphile_reads_them() {
        let check = |text: &str, expected: Option<(&str, Option<&str>, &str, Option<&str>)>| {
            let joined = |names: &[Name]| {
                names.iter().map(|name| name.text.as_str()).collect::<Vec<_>>().join(",")
            };
            let found = reference(text).map(|reference| {
                (
                    joined(&reference.columns),
                    reference.namespace.map(|name| name.text),
                    reference.table.text,
                    reference.target_columns.as_deref().map(joined),
                )
            });
            let expected = expected.map(|(columns, namespace, table, target)| {
                (columns.into(), namespace.map(Into::into), table.into(), target.map(Into::into))
            });
            assert_eq!(found, expected, "{text}");
        };
        check("(a) references b", Some(("a", None, "b", None)));
        check("(a,B) references s.T (x, Y)", Some(("a,b", Some("s"), "t", Some("x,y"))));
        check("(\"A\") REFERENCES \"S\".\"T\"(\"X\")", Some(("A", Some("S"), "T", Some("X"))));
        check("(a) references a.b.c", None);
        check("a references b", None);
        check("(a) refers b", None);
        check("() references b", None);
        check("(a) references b (", None);
        check("(a) references b (x) y", None);
        check("(ä) references", None);
    }

    #[test]
    fn identifiers_have_parts() {
        let check = |identifier: &str, expected: Option<&[&str]>| {
            let found = parts(identifier);
            let found: Option<Vec<&str>> =
                found.as_ref().map(|parts| parts.iter().map(|part| &**part).collect());
            assert_eq!(found.as_deref(), expected, "{identifier}");
        };
        check("a", Some(&["a"]));
        check("s.t.c", Some(&["s", "t", "c"]));
        check("\"My.Table\".c", Some(&["My.Table", "c"]));
        check("\"a\"\"b\"", Some(&["a\"b"]));
        check("a\"b\"", None);
        check("\"a\"b", None);
        check("\"a", None);
        check("a..b", None);
        check("", None);
    }
}
