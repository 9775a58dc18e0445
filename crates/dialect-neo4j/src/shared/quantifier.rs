//! Quantifiers of conditions on related nodes.

use ir::Quantifier;

use super::link::Link;
use api::binding::{DeclaredRole, FilterRole, RowsRole};

/// Quantifiers: their names, which version 3 and deprecated inputs of version 7 have as suffixes,
/// and their words in descriptions.
pub(crate) const QUANTIFIERS: [(&str, &str, Many); 4] = [
    ("all", "all", Many::All),
    ("none", "none", Many::None),
    ("single", "one", Many::Single),
    ("some", "some", Many::Some),
];

/// Number of the related nodes that must pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Many {
    All,
    None,
    Single,
    Some,
}

impl Many {
    /// Its role for nodes and the relationships to them together.
    pub(crate) fn role(self) -> RowsRole {
        self.role_of(false)
    }

    /// Its role for nodes, each type of which is tested by itself.
    pub(crate) fn role_of_nodes(self) -> RowsRole {
        self.role_of(true)
    }

    fn role_of(self, apart: bool) -> RowsRole {
        match self {
            Self::All => RowsRole::All { apart },
            Self::None => RowsRole::Quantified(Quantifier::None),
            Self::Single => RowsRole::Quantified(Quantifier::Single),
            Self::Some => RowsRole::Quantified(Quantifier::Some),
        }
    }
}

impl Link<'_> {
    /// A condition on the nodes that the relationship leads to, or that it is declared to lead to.
    pub(crate) fn condition(&self, role: RowsRole) -> Option<FilterRole> {
        match (self.hop(), self.variants) {
            (Some(hop), _) => Some(FilterRole::RelatedBy { hop, role: Box::new(role) }),
            (None, Some(variants)) => {
                Some(FilterRole::RelatedVariantsBy { variants: variants.id, role })
            }
            (None, None) => {
                let role = |place| DeclaredRole::By { place, role: Box::new(role) };
                self.declared.map(|place| FilterRole::Declared(role(place)))
            }
        }
    }
}

/// The description of a condition on related rows.
pub(crate) fn description(sources: &str, many: &str, targets: &str) -> String {
    format!("Return {sources} where {many} of the related {targets} match this filter")
}
