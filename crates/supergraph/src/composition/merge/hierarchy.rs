//! Members of unions and implementations of interfaces over all subgraphs.

use std::sync::Arc;

use graphql::definitions::TypeExpression;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::composition::schema::{Kind, Subgraph};

/// The members of all unions and interfaces.
#[derive(Debug, Default)]
pub(super) struct Hierarchy<'s> {
    /// Pairs of a union or interface and a type that belongs to it in some subgraph.
    pairs: FxHashSet<(&'s str, &'s str)>,
    /// Object types by their interfaces.
    objects: FxHashMap<&'s str, Vec<&'s Arc<str>>>,
}

impl<'s> Hierarchy<'s> {
    pub(super) fn new(subgraphs: &[&'s Subgraph]) -> Self {
        let mut hierarchy = Self::default();
        for r#type in subgraphs.iter().flat_map(|subgraph| &subgraph.types) {
            match &r#type.kind {
                Kind::Object(composite) | Kind::Interface(composite) => {
                    for interface in &composite.interfaces {
                        let is_new = hierarchy.pairs.insert((&*interface.name, &*r#type.name));
                        if is_new && matches!(r#type.kind, Kind::Object(_)) {
                            let objects = hierarchy.objects.entry(&*interface.name);
                            objects.or_default().push(&r#type.name);
                        }
                    }
                }
                Kind::Union(members) => {
                    let members = members.iter();
                    hierarchy.pairs.extend(members.map(|it| (&*r#type.name, &*it.name)));
                }
                Kind::Scalar | Kind::Enum(_) | Kind::Input(_) => {}
            }
        }
        hierarchy
    }

    /// Returns the object types that implement an interface in some subgraph.
    pub(super) fn objects(&self, interface: &str) -> &[&'s Arc<str>] {
        self.objects.get(interface).map_or(&[], Vec::as_slice)
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
                own == of || self.pairs.contains(&(&**of, &**own))
            }
            (List { of: own, .. }, List { of, .. }) => self.is_sub_type(own, of),
            (Named { .. }, List { .. }) | (List { .. }, Named { .. }) => false,
        }
    }
}
