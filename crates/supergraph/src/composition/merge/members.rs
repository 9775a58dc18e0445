//! Members of elements by name: fields of types, arguments of fields, input fields, enum values.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Source;
use crate::composition::schema::{Field, Input, Value};

/// An element with a name of its own within its parent.
pub(super) trait Named {
    fn name(&self) -> &Arc<str>;
}

/// The members of one name.
#[derive(Debug)]
pub(super) struct Member<'s, P, M> {
    pub(super) name: &'s Arc<str>,
    /// In the order of the subgraphs.
    pub(super) sources: Vec<Source<'s, M>>,
    /// Parents in subgraphs without the member.
    pub(super) lacking: Vec<Source<'s, P>>,
}

/// Returns the members of all parents, in the order of their first source.
pub(super) fn members<'s, P, M: Named>(
    parents: &[Source<'s, P>],
    list: impl Fn(&'s P) -> &'s [M],
) -> Vec<Member<'s, P, M>> {
    let mut members: Vec<Member<'s, P, M>> = Vec::new();
    let mut by_name: FxHashMap<&'s str, usize> = FxHashMap::default();
    for parent in parents {
        for element in list(parent.element) {
            let source = Source { graph: parent.graph, element };
            match by_name.get(&**element.name()) {
                Some(index) => members[*index].sources.push(source),
                None => {
                    by_name.insert(element.name(), members.len());
                    let (name, sources) = (element.name(), vec![source]);
                    members.push(Member { name, sources, lacking: Vec::new() });
                }
            }
        }
    }
    for Member { sources, lacking, .. } in &mut members {
        if sources.len() < parents.len() {
            let has = |graph| sources.iter().any(|source| source.graph == graph);
            lacking.extend(parents.iter().filter(|parent| !has(parent.graph)));
        }
    }
    members
}

impl Named for Field {
    fn name(&self) -> &Arc<str> {
        &self.name
    }
}

impl Named for Input {
    fn name(&self) -> &Arc<str> {
        &self.name
    }
}

impl Named for Value {
    fn name(&self) -> &Arc<str> {
        &self.name
    }
}
