//! Members of unions and implementations of interfaces over all subgraphs.

use graphql::definitions::TypeExpression;
use rustc_hash::FxHashSet;

use crate::composition::schema::{Kind, Subgraph};

/// Pairs of a union or interface and a type that belongs to it in some subgraph.
#[derive(Debug)]
pub(super) struct Hierarchy<'s>(FxHashSet<(&'s str, &'s str)>);

impl<'s> Hierarchy<'s> {
    pub(super) fn new(subgraphs: &[&'s Subgraph]) -> Self {
        let mut pairs = FxHashSet::default();
        for r#type in subgraphs.iter().flat_map(|subgraph| &subgraph.types) {
            match &r#type.kind {
                Kind::Object(composite) | Kind::Interface(composite) => {
                    let interfaces = composite.interfaces.iter();
                    pairs.extend(interfaces.map(|interface| (&*interface.name, &*r#type.name)));
                }
                Kind::Union(members) => {
                    pairs.extend(members.iter().map(|member| (&*r#type.name, &*member.name)));
                }
                Kind::Scalar | Kind::Enum(_) | Kind::Input(_) => {}
            }
        }
        Self(pairs)
    }

    /// Whether each value of a type is one of another type.
    /// <https://spec.graphql.org/draft/#IsSubType()>
    pub(super) fn is_sub_type(&self, own: &TypeExpression, of: &TypeExpression) -> bool {
        use TypeExpression::{List, Named};
        if of.is_required() && !own.is_required() {
            return false;
        }
        match (own, of) {
            (Named { name: own, .. }, Named { name: of, .. }) => {
                own == of || self.0.contains(&(&**of, &**own))
            }
            (List { of: own, .. }, List { of, .. }) => self.is_sub_type(own, of),
            (Named { .. }, List { .. }) | (List { .. }, Named { .. }) => false,
        }
    }
}
