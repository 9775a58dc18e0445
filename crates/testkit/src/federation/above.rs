//! Contexts: values of objects for fields below them. <https://specs.apollo.dev/context/v0.1/>

use serde_json::{Map, Value as Json};
use supergraph::{ContextArgument, FieldSetId, SetSelection};

use super::arguments::canonical;
use super::resolver::{Resolver, Seen};
use super::world::{Identity, Value};

impl Resolver<'_> {
    /// The contextual arguments of a field.
    pub(super) fn taken(&self, seen: &Seen, name: &str) -> &[ContextArgument] {
        let supergraph = self.supergraph();
        let field = supergraph.schema.find_field(seen.r#type, name);
        let owners = field.map_or(&[][..], |field| &supergraph.field_owners(field).subgraphs);
        let own = owners.iter().find(|own| match self.subgraph {
            Some(subgraph) => own.subgraph == subgraph,
            None => !own.context.is_empty(),
        });
        own.map_or(&[], |own| &own.context)
    }

    /// The value of a contextual argument, from the nearest object above that sets it.
    pub(super) fn context_value(&self, seen: &Seen, taken: &ContextArgument) -> Option<Json> {
        let supergraph = self.supergraph();
        let mut at = seen;
        while let Some(above) = at.above.as_deref() {
            let object = above.identity.r#type;
            let is_of = |r#type| supergraph.contains(supergraph.possible(r#type), object);
            if let Some(source) = taken.sources.iter().find(|source| is_of(source.r#type)) {
                return Some(self.one_value(above.identity, source.set));
            }
            at = above;
        }
        None
    }

    /// The value that a set names of an object.
    fn one_value(&self, identity: Identity, set: FieldSetId) -> Json {
        let supergraph = self.supergraph();
        for selection in &supergraph.field_set(set).selections {
            match selection {
                SetSelection::Typename => {}
                SetSelection::Field { field, set, .. } => {
                    let name = &supergraph.schema[*field].name;
                    let own = self.world.field(identity.r#type, name).unwrap_or(*field);
                    let text = canonical(&supergraph.schema, own, &Map::new());
                    return self.plain(self.world.value(identity, name, &text), *set);
                }
                SetSelection::On(set) => {
                    let possible = supergraph.possible(supergraph.field_set(*set).parent);
                    if supergraph.contains(possible, identity.r#type) {
                        return self.one_value(identity, *set);
                    }
                }
            }
        }
        Json::Null
    }

    fn plain(&self, value: Value, set: Option<FieldSetId>) -> Json {
        match value {
            Value::Null => Json::Null,
            Value::Leaf(leaf) => leaf,
            Value::List(items) => items.into_iter().map(|item| self.plain(item, set)).collect(),
            Value::Object(identity) => set.map_or(Json::Null, |set| self.one_value(identity, set)),
        }
    }
}
