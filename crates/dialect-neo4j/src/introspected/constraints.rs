//! What the constraints of a graph say of the properties of a type.

use catalog::{GraphConstraint, GraphConstraintKind, GraphPart, GraphSummary, GraphType};

/// Whose properties are asked about.
#[derive(Clone, Copy, Debug)]
pub(super) enum Owner<'a> {
    /// Nodes that have all of these labels.
    Nodes(&'a [&'a str]),
    /// Relationships of a type.
    Relationships(&'a str),
}

impl Owner<'_> {
    fn is_bound_by(self, constraint: &GraphConstraint) -> bool {
        match (self, &constraint.of) {
            (Self::Nodes(labels), GraphPart::Nodes(bound)) => {
                bound.iter().any(|label| labels.contains(&&**label))
            }
            (Self::Relationships(r#type), GraphPart::Relationships(bound)) => {
                bound.iter().any(|other| **other == *r#type)
            }
            (Self::Nodes(_), GraphPart::Relationships(_))
            | (Self::Relationships(_), GraphPart::Nodes(_)) => false,
        }
    }

    fn constraints(self, summary: &GraphSummary) -> impl Iterator<Item = &GraphConstraint> {
        summary.constraints.iter().filter(move |constraint| self.is_bound_by(constraint))
    }

    /// Whether no two have the same value of a property.
    pub(super) fn is_unique(self, summary: &GraphSummary, property: &str) -> bool {
        self.constraints(summary).any(|constraint| {
            constraint.is_unique()
                && matches!(&*constraint.properties, [only] if **only == *property)
        })
    }

    /// The sets of properties of which no two have the same values together.
    pub(super) fn unique_together(
        self,
        summary: &GraphSummary,
    ) -> impl Iterator<Item = &[Box<str>]> {
        self.constraints(summary)
            .filter(|constraint| constraint.is_unique() && constraint.properties.len() > 1)
            .map(|constraint| &*constraint.properties)
    }

    /// Whether all have a property, whatever becomes of the graph.
    pub(super) fn is_always(self, summary: &GraphSummary, property: &str) -> bool {
        self.constraints(summary).any(|constraint| {
            let requires = match constraint.kind {
                GraphConstraintKind::Key | GraphConstraintKind::Exists => true,
                GraphConstraintKind::Unique
                | GraphConstraintKind::Types(_)
                | GraphConstraintKind::Other(_) => false,
            };
            requires && constraint.properties.iter().any(|other| **other == *property)
        })
    }

    /// The types that properties must have, by their names.
    pub(super) fn types(
        self,
        summary: &GraphSummary,
    ) -> impl Iterator<Item = (&str, &[GraphType])> {
        self.constraints(summary).filter_map(|constraint| match &constraint.kind {
            GraphConstraintKind::Types(types) => {
                constraint.properties.first().map(|property| (&**property, &**types))
            }
            GraphConstraintKind::Unique
            | GraphConstraintKind::Key
            | GraphConstraintKind::Exists
            | GraphConstraintKind::Other(_) => None,
        })
    }
}
