//! Names that a schema made of type definitions has already.
//!
//! Of each type others are made, named by it and an ending: `MovieWhere`, `MoviesConnection`. A
//! label called so must become a type of another name.

/// Types that every schema may have.
const TYPES: &[&str] = &[
    "Boolean",
    "BigInt",
    "CartesianPoint",
    "CartesianPointDistance",
    "CartesianPointInput",
    "Count",
    "CountConnection",
    "CreateInfo",
    "Date",
    "DateTime",
    "DeleteInfo",
    "Duration",
    "EventType",
    "Float",
    "FloatWhere",
    "ID",
    "Int",
    "LocalDateTime",
    "LocalTime",
    "Mutation",
    "Node",
    "PageInfo",
    "Point",
    "PointDistance",
    "PointInput",
    "Query",
    "QueryOptions",
    "SortDirection",
    "String",
    "Subscription",
    "Time",
    "UpdateInfo",
];

/// What names begin with that are made of the name of a type.
const BEGINNINGS: &[&str] = &["", "Create", "Update", "Delete", "List"];

/// What names end in that are made of the name of a type.
const ENDINGS: &[&str] = &[
    "Aggregate",
    "AggregateNode",
    "AggregateSelection",
    "AggregateSelectionNonNullable",
    "AggregateSelectionNullable",
    "AggregationFilters",
    "CreatedEvent",
    "DeletedEvent",
    "Edge",
    "EventPayload",
    "Filters",
    "FulltextResult",
    "Input",
    "Mutations",
    "MutationResponse",
    "Options",
    "Relationship",
    "RelationshipProperties",
    "Sort",
    "UpdatedEvent",
    "Where",
];

/// What properties of nodes cannot be called: these stand beside them in filters.
const FIELDS: &[&str] = &["AND", "OR", "NOT", "_on"];

/// What properties of relationships cannot be called: these stand beside them in edges.
const EDGE_FIELDS: &[&str] = &["cursor", "node"];

/// Whether a type of this name would be one of those that are made, of no type or of one of
/// `others`, by their names and plurals.
pub(super) fn is_type<'n>(name: &str, mut others: impl Iterator<Item = &'n str>) -> bool {
    let is_paged = name.strip_suffix("Connection").is_some_and(|before| !before.is_empty());
    if is_paged || TYPES.contains(&name) {
        return true;
    }
    let ends = |middle: &str| ENDINGS.iter().any(|ending| middle.ends_with(ending));
    if !ends(name) {
        return false;
    }
    let is_made_of = |other: &str| {
        BEGINNINGS.iter().any(|beginning| {
            let rest = name.strip_prefix(beginning).and_then(|rest| rest.strip_prefix(other));
            // A field stands between these two.
            rest.is_some_and(|rest| ends(rest) && rest != "Relationship")
        })
    };
    TYPES.iter().any(|other| is_made_of(other)) || others.any(is_made_of)
}

/// Whether a property of nodes cannot have this name as a field. That one which begins like
/// another and goes on in capital letters is taken for a filter of that: `title_NOT`.
pub(super) fn is_field(name: &str, mut others: impl Iterator<Item = impl AsRef<str>>) -> bool {
    FIELDS.contains(&name)
        || others.any(|other| {
            let rest = name.strip_prefix(other.as_ref()).and_then(|rest| rest.strip_prefix('_'));
            rest.is_some_and(|rest| {
                !rest.is_empty()
                    && rest.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
            })
        })
}

/// The same for properties of relationships.
pub(super) fn is_edge_field(name: &str, others: impl Iterator<Item = impl AsRef<str>>) -> bool {
    EDGE_FIELDS.contains(&name) || is_field(name, others)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_are_made_are_known() {
        let others = ["Movie", "Movies", "Person", "People"];
        for name in [
            "Query",
            "Node",
            "PageInfo",
            "BusConnection",
            "MovieWhere",
            "MovieActorsFieldInput",
            "CreateMoviesMutationResponse",
            "ListStringMutations",
            "IntScalarFilters",
            "PersonEdge",
        ] {
            assert!(is_type(name, others.into_iter()), "{name}");
        }
        for name in [
            "Connection",
            "Edge",
            "Somewhere",
            "BusEdge",
            "MovieTheater",
            "Input",
            "PersonEvent",
            "MovieRelationship",
        ] {
            assert!(!is_type(name, others.into_iter()), "{name}");
        }
    }

    #[test]
    fn fields_that_would_be_filters_are_known() {
        let others = ["title", "a"];
        for name in ["AND", "title_NOT", "title_NOT_IN", "a_B"] {
            assert!(is_field(name, others.into_iter()), "{name}");
        }
        for name in ["and", "title", "title_", "title_not", "titleNOT", "cursor"] {
            assert!(!is_field(name, others.into_iter()), "{name}");
        }
        assert!(is_edge_field("cursor", others.into_iter()));
        assert!(is_edge_field("OR", others.into_iter()));
    }
}
