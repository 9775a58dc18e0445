//! An operation split at its deferred fragments into operations that are executed one after the
//! other: the initial one, and one for each fragment, with the path to it.
//!
//! Every object on which a deferred fragment is selected has a marker, a field with the name of its
//! type and a response name that no client can choose: in the operation around the fragment, so that
//! the fragment is known before it is executed, and in its own, so that its fields are found there.
//! `@skip`, `@include` and type conditions stay in all of them, so that no object has a marker without
//! having the fragment.

use std::collections::HashMap;

use serde_json_bytes::Value as Json;

use crate::operation::{
    ConditionValue, Defer, FieldRef, FieldSelection, Location, Operation, Selection, SelectionSet,
    SelectionSetId,
};
use crate::variables::{Path, Steering};

/// Begins the response name of a marker. No name of GraphQL has this character.
const MARKER: char = '\u{1}';

/// The most fragments of a document that are deferred, as in a gateway.
const MOST: usize = 63;

/// A selection with `@defer`: an inline fragment or a spread, by its selection set and its index
/// there. A named fragment that contains it may be spread at several positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FragmentPlace {
    set: SelectionSetId,
    index: usize,
}

/// An operation in parts.
#[derive(Clone, Debug)]
pub struct SplitOperation {
    /// The operation without its deferred fragments.
    pub initial: Operation,
    /// The deferred fragments. Each comes after those that contain it.
    pub fragments: Vec<SplitFragment>,
}

/// A deferred fragment.
#[derive(Clone, Debug)]
pub struct SplitFragment {
    pub place: FragmentPlace,
    pub label: Option<Box<str>>,
    /// The line and column of the first field in it.
    pub location: Location,
    /// The fragment with the path to it, without the deferred fragments in it.
    pub operation: Operation,
}

/// The response name of the marker of a fragment, by its index.
#[must_use]
pub fn marker(fragment: usize) -> String {
    format!("{MARKER}{fragment}")
}

/// The index of the fragment whose marker has a response name.
#[must_use]
pub fn marked_fragment(response_name: &str) -> Option<usize> {
    response_name.strip_prefix(MARKER)?.parse().ok()
}

impl Operation {
    /// The fragments whose `@defer` holds, each after those that contain it. The others belong to the
    /// part around them.
    #[must_use]
    pub fn deferred_fragments(&self, steering: &Steering<'_>) -> Vec<FragmentPlace> {
        let mut search =
            Search { operation: self, steering, visited: Vec::new(), found: Vec::new() };
        search.visited.resize(self.selection_sets.len(), false);
        search.visit(self.root);
        let mut found = search.found;
        found.reverse();
        found.truncate(MOST);
        found
    }

    /// Splits the operation at some of its deferred fragments, in the order of
    /// [`Operation::deferred_fragments`].
    #[must_use]
    pub fn split(&self, places: &[FragmentPlace]) -> SplitOperation {
        let mut initial = self.clone();
        self.mark(places, &mut initial);
        let fragments = places.iter().enumerate();
        let fragments = fragments.filter_map(|(number, place)| self.part(number, *place, places));
        SplitOperation { initial, fragments: fragments.collect() }
    }

    /// The label of a deferred fragment, and the line and column of its first field.
    #[must_use]
    pub fn describe_fragment(&self, place: FragmentPlace) -> (Option<Box<str>>, Location) {
        match self.deferred_at(place) {
            Some((defer, inner)) => {
                (defer.label.clone(), self.first_location(inner).unwrap_or_default())
            }
            None => (None, Location::default()),
        }
    }

    /// Replaces deferred fragments by their markers, in all selection sets.
    fn mark(&self, places: &[FragmentPlace], marked: &mut Operation) {
        for (number, place) in places.iter().enumerate() {
            let Some((_, inner)) = self.deferred_at(*place) else { continue };
            let set = SelectionSet {
                parent: self.selection_set(inner).parent,
                selections: vec![marker_field(number)],
            };
            let of_marker = push(marked, set);
            let set = marked.selection_sets.get_mut(place.set.0 as usize);
            let selection = set.and_then(|set| set.selections.get_mut(place.index));
            if let Some(Selection::Fragment { defer, selection_set, .. }) = selection {
                (*defer, *selection_set) = (None, of_marker);
            }
        }
    }

    /// The operation of a fragment.
    fn part(
        &self,
        number: usize,
        place: FragmentPlace,
        places: &[FragmentPlace],
    ) -> Option<SplitFragment> {
        let (_, inner) = self.deferred_at(place)?;
        let (label, location) = self.describe_fragment(place);
        let mut operation = self.clone();
        self.mark(places, &mut operation);
        let mut own = operation.selection_set(inner).clone();
        own.selections.insert(0, marker_field(number));
        let own = push(&mut operation, own);
        let mut paths = Paths { original: self, place, own, known: HashMap::new() };
        operation.root = paths.filter(self.root, &mut operation)?;
        Some(SplitFragment { place, label, location, operation })
    }

    fn deferred_at(&self, place: FragmentPlace) -> Option<(&Defer, SelectionSetId)> {
        let set = self.selection_sets.get(place.set.0 as usize)?;
        match set.selections.get(place.index)? {
            Selection::Fragment { defer: Some(defer), selection_set, .. } => {
                Some((defer, *selection_set))
            }
            Selection::Fragment { defer: None, .. } | Selection::Field(_) => None,
        }
    }

    /// Recursion is bounded: fragments contain no cycles, and validation limits their nesting.
    fn first_location(&self, set: SelectionSetId) -> Option<Location> {
        self.selection_set(set).selections.iter().find_map(|selection| match selection {
            Selection::Field(field) => Some(field.location),
            Selection::Fragment { selection_set, .. } => self.first_location(*selection_set),
        })
    }
}

/// A search for deferred fragments, depth first. A fragment is found after those in it, so the
/// reversed order begins with the outer ones.
struct Search<'o, 's> {
    operation: &'o Operation,
    steering: &'s Steering<'s>,
    visited: Vec<bool>,
    found: Vec<FragmentPlace>,
}

impl Search<'_, '_> {
    /// Recursion is bounded: validation limits the depth of selections. The last selections come
    /// first, so that the reversed order is that of the document.
    fn visit(&mut self, set: SelectionSetId) {
        match self.visited.get_mut(set.0 as usize) {
            Some(visited @ false) => *visited = true,
            Some(true) | None => return,
        }
        let operation = self.operation;
        for (index, selection) in operation.selection_set(set).selections.iter().enumerate().rev() {
            match selection {
                Selection::Field(field) => {
                    if let Some(below) = field.selection_set {
                        self.visit(below);
                    }
                }
                Selection::Fragment { defer, selection_set, .. } => {
                    self.visit(*selection_set);
                    if defer.as_ref().is_some_and(|defer| self.holds(defer.condition)) {
                        self.found.push(FragmentPlace { set, index });
                    }
                }
            }
        }
    }

    /// Without a value the condition has its default, which is true.
    fn holds(&self, condition: ConditionValue) -> bool {
        match condition {
            ConditionValue::Constant(is_deferred) => is_deferred,
            ConditionValue::Variable(slot) => {
                let value = self.steering.value(slot, &Path::default());
                value.is_none_or(|value| *value == Json::Bool(true))
            }
        }
    }
}

/// Selection sets with only what leads to a fragment.
struct Paths<'o> {
    original: &'o Operation,
    place: FragmentPlace,
    /// The fragment's own selection set, with its marker.
    own: SelectionSetId,
    known: HashMap<SelectionSetId, Option<SelectionSetId>>,
}

impl Paths<'_> {
    /// The filtered set; `None` if nothing of it leads to the fragment. Recursion is bounded:
    /// validation limits the depth of selections.
    fn filter(&mut self, set: SelectionSetId, operation: &mut Operation) -> Option<SelectionSetId> {
        if let Some(known) = self.known.get(&set) {
            return *known;
        }
        let original = self.original.selection_set(set);
        let mut selections = Vec::new();
        for (index, selection) in original.selections.iter().enumerate() {
            match selection {
                Selection::Field(field) => {
                    let below = field.selection_set.and_then(|set| self.filter(set, operation));
                    if below.is_some() {
                        let field = FieldSelection { selection_set: below, ..field.clone() };
                        selections.push(Selection::Field(field));
                    }
                }
                Selection::Fragment { conditions, directives, on, selection_set, .. } => {
                    let below = match (FragmentPlace { set, index }) == self.place {
                        true => Some(self.own),
                        false => self.filter(*selection_set, operation),
                    };
                    if let Some(selection_set) = below {
                        selections.push(Selection::Fragment {
                            conditions: conditions.clone(),
                            directives: directives.clone(),
                            defer: None,
                            on: *on,
                            selection_set,
                        });
                    }
                }
            }
        }
        let parent = original.parent;
        let is_empty = selections.is_empty();
        let filtered = (!is_empty).then(|| push(operation, SelectionSet { parent, selections }));
        self.known.insert(set, filtered);
        filtered
    }
}

fn marker_field(number: usize) -> Selection {
    Selection::Field(FieldSelection {
        response_name: marker(number).into(),
        field: FieldRef::Typename,
        conditions: Vec::new(),
        directives: Vec::new(),
        arguments: Vec::new(),
        selection_set: None,
        location: Location::default(),
    })
}

fn push(operation: &mut Operation, set: SelectionSet) -> SelectionSetId {
    let id = SelectionSetId(u32::try_from(operation.selection_sets.len()).unwrap_or(u32::MAX));
    operation.selection_sets.push(set);
    id
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use serde_json_bytes::Map;

    use super::*;
    use crate::test_schema::test_schema;
    use crate::{DocumentLimits, Validator};

    /// A selection set in one line.
    fn print(operation: &Operation, set: SelectionSetId) -> String {
        let print_one = |selection: &Selection| match selection {
            Selection::Field(field) => {
                let name = field.response_name.replace(MARKER, "#");
                let below = field.selection_set.map(|set| print(operation, set));
                name + &below.unwrap_or_default()
            }
            Selection::Fragment { conditions, defer, selection_set, .. } => {
                let conditions = if conditions.is_empty() { "" } else { "?" };
                let defer = if defer.is_some() { "@" } else { "" };
                format!("...{conditions}{defer}{}", print(operation, *selection_set))
            }
        };
        let selections = operation.selection_set(set).selections.iter().map(print_one);
        format!("{{{}}}", selections.collect::<Vec<_>>().join(" "))
    }

    fn check(text: &str, variables: &str, expected: &Expect) {
        let mut schema = test_schema();
        schema.add_defer();
        let validator = Validator::new(&schema);
        let limits = DocumentLimits::default();
        let operation = validator.operation(&schema, text, None, &limits).unwrap();
        let given: Map<_, _> = match serde_json::from_str(variables).unwrap() {
            Json::Object(object) => object,
            _ => panic!("no object"),
        };
        let variables = crate::coerce_variable_values(&schema, &operation, &given).unwrap();
        let steering = Steering::new(&variables);
        let split = operation.split(&operation.deferred_fragments(&steering));
        let mut lines = vec![print(&split.initial, split.initial.root)];
        for fragment in &split.fragments {
            let label = fragment.label.as_deref().unwrap_or("-");
            lines.push(format!("{label}: {}", print(&fragment.operation, fragment.operation.root)));
        }
        expected.assert_eq(&lines.join("\n"));
    }

    #[test]
    fn a_fragment_has_the_path_to_it() {
        check(
            "{ albums { id artist { name ... @defer(label: \"a\") { id albums { id } } } } n: albums { id } }",
            "{}",
            &expect![[r#"
                {albums{id artist{name ...{#0}}} n{id}}
                a: {albums{artist{...{#0 id albums{id}}}}}"#]],
        );
    }

    #[test]
    fn outer_fragments_come_first() {
        check(
            "{ albums { ...F ... @defer(label: \"b\") { title ...F } } }
             fragment F on Album { id ... @defer(label: \"a\") { price } }",
            "{}",
            &expect![[r#"
                {albums{...{id ...{#1}} ...{#0}}}
                b: {albums{...{#0 title ...{id ...{#1}}}}}
                a: {albums{...{...{#1 price}} ...{...{...{#1 price}}}}}"#]],
        );
        check(
            "{ albums { ... @defer(label: \"a\") { title ... @defer(label: \"b\") { price } }
               ... @defer(label: \"c\") { plays } } }",
            "{}",
            &expect![[r#"
                {albums{...{#0} ...{#2}}}
                a: {albums{...{#0 title ...{#1}}}}
                b: {albums{...{...{#1 price}}}}
                c: {albums{...{#2 plays}}}"#]],
        );
    }

    #[test]
    fn conditions_stay() {
        let text = "query ($a: Boolean, $b: Boolean!) { albums { id
            ... @defer(if: $a, label: \"a\") @include(if: $b) { title } } }";
        check(text, r#"{"a":false,"b":true}"#, &expect!["{albums{id ...?@{title}}}"]);
        check(
            text,
            r#"{"b":true}"#,
            &expect![[r#"
            {albums{id ...?{#0}}}
            a: {albums{...?{#0 title}}}"#]],
        );
    }

    #[test]
    fn markers_name_their_fragments() {
        assert_eq!(marked_fragment(&marker(12)), Some(12));
        assert_eq!(marked_fragment("12"), None);
    }
}
