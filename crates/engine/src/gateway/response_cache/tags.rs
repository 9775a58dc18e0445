//! Tags of cached responses: what invalidates them.

use std::collections::BTreeMap;

use clients::byte_cache::CacheTag;
use gateway::outline::{ItemKind, Tree};
use gateway::plan::{Fetch, Plan, Selection};
use graphql::schema::TypeId;
use rustc_hash::FxHashSet;
use serde_json::{Map, Value};
use supergraph::{FieldSetId, SetSelection, SubgraphId, Supergraph};

/// The most types that an entry has tags of; with more, it has the tag of any type.
const MOST_TYPES: usize = 200;

const TYPENAME: &str = "__typename";

/// The tags of the responses to a fetch.
pub(super) struct Tags<'p> {
    supergraph: &'p Supergraph,
    subgraph: &'p str,
    /// Of the subgraph and of the types of selected objects.
    common: Vec<CacheTag>,
    /// Of the `@cacheTag`s of selected root fields.
    of_fields: Vec<CacheTag>,
}

pub(super) fn of_subgraph(subgraph: &str) -> CacheTag {
    CacheTag::of(&[b"subgraph", subgraph.as_bytes()])
}

pub(super) fn of_type(subgraph: &str, name: &str) -> CacheTag {
    CacheTag::of(&[b"type", subgraph.as_bytes(), name.as_bytes()])
}

/// The tag of responses with more types than they have tags of.
pub(super) fn of_any_type(subgraph: &str) -> CacheTag {
    // No type has this name.
    of_type(subgraph, "*")
}

/// The tag of a `@cacheTag` with its values.
pub(super) fn of_cache_tag(subgraph: &str, text: &str) -> CacheTag {
    CacheTag::of(&[b"tag", subgraph.as_bytes(), text.as_bytes()])
}

/// The tag of all responses with a `@cacheTag` whose values are not known here.
pub(super) fn of_format(subgraph: &str, format: &str) -> CacheTag {
    CacheTag::of(&[b"format", subgraph.as_bytes(), format.as_bytes()])
}

/// Whether a text may be the tag of a format.
pub(super) fn may_be(format: &str, text: &str) -> bool {
    let mut rest = text;
    for (place, part) in format.split('{').enumerate() {
        let (placeholder, literal) = part.split_once('}').unwrap_or(("", part));
        match (place, placeholder) {
            (0, _) => match rest.strip_prefix(literal) {
                Some(after) => rest = after,
                None => return false,
            },
            _ if literal.is_empty() => {}
            _ => match rest.find(literal) {
                Some(at) => rest = &rest[at + literal.len()..],
                None => return false,
            },
        }
    }
    format.ends_with('}')
        || rest.is_empty()
        || format.rsplit('}').next().is_some_and(|end| text.ends_with(end))
}

/// The text of a format for an entity; `None` if the representation lacks a value.
fn render(format: &str, representation: &Value) -> Option<String> {
    let mut text = String::new();
    for (place, part) in format.split('{').enumerate() {
        if place == 0 {
            text.push_str(part);
            continue;
        }
        let (placeholder, literal) = part.split_once('}')?;
        let path = placeholder.trim().strip_prefix("$key.")?;
        match path.split('.').try_fold(representation, |value, name| value.get(name))? {
            Value::String(value) => text.push_str(value),
            value @ (Value::Number(_) | Value::Bool(_)) => text.push_str(&value.to_string()),
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
        }
        text.push_str(literal);
    }
    Some(text)
}

/// The tag of an entity: its type and the fields of one of its keys.
pub(super) fn of_key(subgraph: &str, name: &str, key: &BTreeMap<&str, &Value>) -> CacheTag {
    // Maps of the library keep the order of the text, which may be any.
    let key = key
        .iter()
        .filter(|(name, _)| **name != TYPENAME)
        .map(|(name, value)| (*name, sorted(value)));
    let key = serde_json::to_vec(&key.collect::<BTreeMap<_, _>>()).unwrap_or_default();
    CacheTag::of(&[b"key", subgraph.as_bytes(), name.as_bytes(), &key])
}

/// A value whose objects have their members in the order of names, without their types: representations
/// have these, and requests to invalidate need not.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members: BTreeMap<&String, Value> =
                members.iter().map(|(name, value)| (name, sorted(value))).collect();
            let members = members.into_iter().filter(|(name, _)| *name != TYPENAME);
            members.map(|(name, value)| (name.clone(), value)).collect()
        }
        Value::Array(elements) => elements.iter().map(sorted).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

impl<'p> Tags<'p> {
    pub(super) fn new(supergraph: &'p Supergraph, plan: &Plan, fetch: &Fetch) -> Self {
        let mut types = FxHashSet::default();
        let mut walk = Walk { supergraph, tree: &plan.tree, types: &mut types };
        if let Some(root) = &fetch.root {
            walk.add(plan.tree.position(root.position).r#type);
            walk.selection(&root.selection);
        }
        for (r#type, selection) in fetch.entities.iter().flat_map(|list| &list.types) {
            walk.add(*r#type);
            walk.selection(selection);
        }
        let subgraph = &*supergraph.subgraph(fetch.subgraph).name;
        let mut common = vec![of_subgraph(subgraph)];
        if types.len() <= MOST_TYPES {
            let names = types.iter().map(|id| &*supergraph.schema[*id].name);
            common.extend(names.map(|name| of_type(subgraph, name)));
        } else {
            common.push(of_any_type(subgraph));
        }
        let mut of_fields = Vec::new();
        for tag in supergraph.cache_tags.iter().filter(|tag| tag.subgraph == fetch.subgraph) {
            let Some(root) = &fetch.root else { continue };
            let is_selected = root.selection.fields.iter().any(|selected| {
                matches!(plan.tree.item(selected.item).kind, ItemKind::Field { field, .. } if tag.field == Some(field))
            });
            if is_selected {
                // Arguments are not evaluated: their place takes any value.
                of_fields.push(match tag.format.contains('{') {
                    true => of_format(subgraph, &tag.format),
                    false => of_cache_tag(subgraph, &tag.format),
                });
            }
        }
        Self { supergraph, subgraph, common, of_fields }
    }

    pub(super) fn of_root(&self) -> Vec<CacheTag> {
        self.common.iter().chain(&self.of_fields).copied().collect()
    }

    /// The tags of an entity, also by each of its keys that the representation has.
    pub(super) fn of_entity(&self, subgraph: SubgraphId, representation: &str) -> Vec<CacheTag> {
        let mut tags = self.common.clone();
        let Ok(representation) = serde_json::from_str::<Value>(representation) else { return tags };
        let Some(name) = representation.get("__typename").and_then(Value::as_str) else {
            return tags;
        };
        let Some(id) = self.supergraph.schema.find_type(name) else { return tags };
        tags.push(of_type(self.subgraph, name));
        let formats = self
            .supergraph
            .cache_tags
            .iter()
            .filter(|tag| tag.subgraph == subgraph && tag.parent == id && tag.field.is_none());
        tags.extend(formats.map(|tag| match render(&tag.format, &representation) {
            Some(text) => of_cache_tag(self.subgraph, &text),
            None => of_format(self.subgraph, &tag.format),
        }));
        for key in self.supergraph.type_in(id, subgraph).map_or(&[][..], |own| &own.keys) {
            if let Some(Value::Object(fields)) =
                project(self.supergraph, key.fields, &representation)
            {
                let fields = fields.iter().map(|(name, value)| (&**name, value)).collect();
                tags.push(of_key(self.subgraph, name, &fields));
            }
        }
        tags
    }
}

/// The part of a value that a field set selects: representations also have fields that others need.
/// `None` if a field is missing.
fn project(supergraph: &Supergraph, set: FieldSetId, value: &Value) -> Option<Value> {
    match value {
        Value::Object(members) => {
            let mut selected = Map::new();
            add_selected(supergraph, set, members, &mut selected)?;
            Some(Value::Object(selected))
        }
        Value::Array(elements) => {
            elements.iter().map(|element| project(supergraph, set, element)).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Some(value.clone()),
    }
}

fn add_selected(
    supergraph: &Supergraph,
    set: FieldSetId,
    members: &Map<String, Value>,
    selected: &mut Map<String, Value>,
) -> Option<()> {
    for selection in &supergraph.field_set(set).selections {
        match selection {
            SetSelection::Typename => {}
            SetSelection::Field { field, set, .. } => {
                let name = &*supergraph.schema[*field].name;
                let value = members.get(name)?;
                let value = match set {
                    Some(set) => project(supergraph, *set, value)?,
                    None => value.clone(),
                };
                selected.insert(name.to_owned(), value);
            }
            // Objects of other types lack its fields.
            SetSelection::On(set) => {
                let _ = add_selected(supergraph, *set, members, selected);
            }
        }
    }
    Some(())
}

/// A walk over the types of selected objects.
struct Walk<'w> {
    supergraph: &'w Supergraph,
    tree: &'w Tree,
    types: &'w mut FxHashSet<TypeId>,
}

impl Walk<'_> {
    /// Adds a type, and the objects that may be there.
    fn add(&mut self, id: TypeId) {
        if self.types.insert(id) && !self.supergraph.is_object(id) {
            self.types.extend(self.supergraph.members(self.supergraph.possible(id)));
        }
    }

    fn selection(&mut self, selection: &Selection) {
        for field in &selection.fields {
            let Some(below) = &field.below else { continue };
            if let Some(child) = self.tree.item(field.item).child {
                self.add(self.tree.position(child).r#type);
            }
            self.selection(below);
        }
        for (on, below) in &selection.fragments {
            self.add(*on);
            self.selection(below);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SUPERGRAPH: &str = r#"
schema
  @link(url: "https://specs.apollo.dev/link/v1.0")
  @link(url: "https://specs.apollo.dev/join/v0.3", for: EXECUTION) { query: Query }
directive @join__field(graph: join__Graph, requires: join__FieldSet, external: Boolean) repeatable on FIELD_DEFINITION
directive @join__graph(name: String!, url: String!) on ENUM_VALUE
directive @join__type(graph: join__Graph!, key: join__FieldSet) repeatable on OBJECT | SCALAR
directive @link(url: String, for: link__Purpose) repeatable on SCHEMA
scalar join__FieldSet
enum link__Purpose { EXECUTION }
enum join__Graph {
  A @join__graph(name: "a", url: "http://a")
  B @join__graph(name: "b", url: "http://b")
}
type Query @join__type(graph: A) @join__type(graph: B) { part: Part @join__field(graph: A) }
type Part @join__type(graph: A, key: "maker { id } no") @join__type(graph: B, key: "maker { id } no") {
  no: Int
  maker: Maker
  price: Int @join__field(graph: B, requires: "maker { name }")
}
type Maker @join__type(graph: A) @join__type(graph: B) {
  id: ID
  name: String @join__field(graph: A) @join__field(graph: B, external: true)
}
"#;

    #[test]
    fn tags_of_entities_have_their_keys_alone() {
        let supergraph = supergraph::read(SUPERGRAPH).unwrap();
        let ids = supergraph.subgraph_ids();
        let b = ids.into_iter().find(|id| *supergraph.subgraph(*id).name == *"b").unwrap();
        let tags = Tags {
            supergraph: &supergraph,
            subgraph: "b",
            common: Vec::new(),
            of_fields: Vec::new(),
        };
        let is_of = |representation: &Value, key: &Value| {
            let key = key.as_object().unwrap().iter();
            let key = key.map(|(name, value)| (&**name, value)).collect();
            tags.of_entity(b, &representation.to_string()).contains(&of_key("b", "Part", &key))
        };
        let key = json!({ "no": 1, "maker": { "id": "x" } });
        let maker = json!({ "name": "X", "__typename": "Maker", "id": "x" });
        let of_maker = |maker| json!({ "__typename": "Part", "maker": maker, "no": 1 });
        assert!(is_of(&of_maker(maker), &key));
        let typed = json!({ "__typename": "Maker", "id": "x" });
        let named = json!({ "__typename": "Part", "maker": typed, "no": 1 });
        assert!(is_of(&of_maker(json!({ "id": "x" })), &named));
        assert!(!is_of(&of_maker(json!({ "id": "y", "name": "X" })), &key));
        assert!(is_of(&of_maker(Value::Null), &json!({ "no": 1, "maker": null })));
        // Without a field of the key there is no tag of it.
        assert!(!is_of(&of_maker(json!({ "name": "X" })), &json!({ "no": 1, "maker": {} })));
    }

    #[test]
    fn formats_have_values_of_keys() {
        let entity = json!({ "__typename": "P", "id": "a", "at": { "n": 7 } });
        let check = |format: &str, expected: Option<&str>| {
            assert_eq!(render(format, &entity).as_deref(), expected, "{format}");
        };
        check("all", Some("all"));
        check("p-{$key.id}-{$key.at.n}!", Some("p-a-7!"));
        check("p-{$key.at}", None);
        check("p-{$key.other}", None);
        check("p-{$args.id}", None);
    }

    #[test]
    fn a_text_may_be_of_a_format() {
        let check = |format: &str, text: &str, expected: bool| {
            assert_eq!(may_be(format, text), expected, "{format} {text}");
        };
        check("user-{$args.id}", "user-7", true);
        check("user-{$args.id}", "users-7", false);
        check("user-{$args.id}", "user", false);
        check("{$args.a}-{$args.b}-x", "1-2-x", true);
        check("{$args.a}-{$args.b}-x", "1-x-2-x", true);
        check("{$args.a}-{$args.b}-x", "1-2-y", false);
        check("all", "all", true);
        check("all", "all-x", false);
        check("{$args.a}-x", "1-x-2", false);
    }
}
