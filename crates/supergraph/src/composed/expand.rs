//! Expansion of connectors: each is a subgraph of its own, for plans and for satisfiability.
//!
//! A connector resolves what its mapping selects, and needs what its request uses. So it becomes a
//! subgraph for each of its entries:
//!
//! * a root field, which provides the mapped fields
//! * a field of another type, with a key of the fields of `$this` that the request uses
//! * a type, with a key of the used fields of `$this` or `$batch`; with `entity: true`, the type of a
//!   root field with a key of the used arguments
//!
//! What is entered by a key also requires its fields (`@requires`), so that no plan expects it of the
//! same type elsewhere in the mapping. Mapped fields below the first level are provided at their
//! position only (`@provides`): a type may have different fields at each position.

use std::fmt::Write as _;
use std::sync::Arc;

use graphql::schema::{FieldId, TypeId, TypeKind};
use rustc_hash::FxHashMap;

use super::connector::{Connector, ConnectorId, Entry, Part};
use super::join::Joined;
use super::{FieldIn, FieldSetId, Key, Subgraph, SubgraphId, TypeIn};

/// Fields that a mapping selects, or that a request uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    pub fields: Vec<(Arc<str>, Tree)>,
    /// Fields of objects of one type, for values of an interface or a union.
    pub on: Vec<(Arc<str>, Tree)>,
}

/// A connector as read, with its line in the document.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) connector: Connector,
    pub(super) line: usize,
    /// The fields of the mapping.
    pub(super) mapped: Tree,
}

/// Fields of connector subgraphs as the schema has them, by the index of the field.
type Declared = FxHashMap<(usize, SubgraphId), FieldIn>;

impl Tree {
    /// Adds a field with those below it, or those below a known one. Recursion is bounded by the
    /// nesting of mappings.
    pub(crate) fn unite(&mut self, name: &str, below: Self) {
        match self.fields.iter_mut().find(|(known, _)| **known == *name) {
            Some((_, known)) => known.unite_all(below),
            None => self.fields.push((name.into(), below)),
        }
    }

    fn unite_all(&mut self, other: Self) {
        for (name, below) in other.fields {
            self.unite(&name, below);
        }
        for (name, below) in other.on {
            self.unite_on(&name, below);
        }
    }

    /// Adds fields of objects of a type.
    pub(crate) fn unite_on(&mut self, r#type: &str, fields: Self) {
        match self.on.iter_mut().find(|(known, _)| **known == *r#type) {
            Some((_, known)) => known.unite_all(fields),
            None => self.on.push((r#type.into(), fields)),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.fields.is_empty() && self.on.is_empty()
    }

    /// Returns the fields of an object of a type.
    fn of(&self, r#type: &str) -> Self {
        let mut fields = Self { fields: self.fields.clone(), on: Vec::new() };
        if let Some((_, own)) = self.on.iter().find(|(known, _)| **known == *r#type) {
            fields.unite_all(own.clone());
        }
        fields
    }

    /// Returns the text of a field set of objects. Recursion is bounded by the nesting of mappings.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for (name, below) in &self.fields {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(name);
            if !below.is_empty() {
                // Writing to a string cannot fail.
                let _ = write!(text, " {{ {} }}", below.text());
            }
        }
        text
    }
}

impl Joined<'_, '_> {
    /// Replaces the subgraphs with connectors by one for each connector.
    pub(super) fn expand(&mut self, written: Vec<Written>) -> Vec<Connector> {
        let mut graphs: Vec<SubgraphId> =
            written.iter().map(|one| one.connector.subgraph).collect();
        graphs.sort_unstable();
        graphs.dedup();
        let declared = self.leave(&graphs);
        let mut connectors = Vec::with_capacity(written.len());
        for one in written {
            let id = ConnectorId::new(connectors.len());
            for entry in one.connector.entries() {
                self.add_part(id, &one, *entry, &declared);
            }
            connectors.push(one.connector);
        }
        connectors
    }

    /// Removes objects and fields from the subgraphs; returns the fields.
    fn leave(&mut self, graphs: &[SubgraphId]) -> Declared {
        let schema = &self.reader.schema;
        for (id, definition) in schema.types() {
            if matches!(
                definition.kind,
                TypeKind::Object { .. } | TypeKind::Interface { .. } | TypeKind::Union { .. }
            ) {
                let owners = &mut self.owners.types[id.index()];
                owners.subgraphs.retain(|owner| !graphs.contains(&owner.subgraph));
                owners.implements.retain(|(subgraph, _)| !graphs.contains(subgraph));
                owners.members.retain(|(subgraph, _)| !graphs.contains(subgraph));
            }
        }
        let mut declared = Declared::default();
        for (index, owners) in self.owners.fields.iter_mut().enumerate() {
            for own in owners.subgraphs.extract_if(.., |own| graphs.contains(&own.subgraph)) {
                declared.insert((index, own.subgraph), own);
            }
        }
        declared
    }

    /// Adds the subgraph of an entry of a connector.
    fn add_part(&mut self, id: ConnectorId, written: &Written, entry: Entry, declared: &Declared) {
        let Ok(index) = u16::try_from(self.reader.subgraphs.len()) else {
            return self.reader.problem(written.line, "there are too many connectors");
        };
        let connector = &written.connector;
        let of = connector.subgraph;
        let url = self.reader.subgraphs[usize::from(of.0)].url.clone();
        let part = Some(Part { of, connector: id, entry });
        let name = match (entry, connector.uses_arguments()) {
            // Beside the root field of the connector.
            (Entry::Entity(_), true) => [&*connector.coordinate, " (entity)"].concat().into(),
            _ => connector.coordinate.clone(),
        };
        self.reader.subgraphs.push(Subgraph { name, url, part });
        let mut adding =
            Adding { subgraph: SubgraphId(index), of, line: written.line, key: None, declared };
        match entry {
            Entry::Root { root, field } => {
                self.part_type(root, adding.subgraph);
                self.own_field(&mut adding, field, &written.mapped);
            }
            Entry::Field { parent, field } => {
                self.own_key(&mut adding, parent, written.connector.used());
                self.own_field(&mut adding, field, &written.mapped);
            }
            Entry::Entity(parent) => {
                self.own_key(&mut adding, parent, written.connector.used());
                self.own_members(&mut adding, parent, &written.mapped);
            }
        }
    }

    fn part_type(&mut self, id: TypeId, subgraph: SubgraphId) -> &mut TypeIn {
        let known = &mut self.owners.types[id.index()].subgraphs;
        let place = match known.iter().position(|owner| owner.subgraph == subgraph) {
            Some(place) => place,
            None => {
                known.push(TypeIn { subgraph, keys: Vec::new(), is_interface_object: false });
                known.len() - 1
            }
        };
        &mut known[place]
    }

    /// Adds a key; the subgraph knows its fields by representations only.
    fn own_key(&mut self, adding: &mut Adding<'_>, parent: TypeId, used: &Tree) {
        let text = match used.is_empty() {
            // An object of which no value is needed.
            true => "__typename".to_owned(),
            false => used.text(),
        };
        let Some(fields) = self.field_set(parent, &text, adding.line) else { return };
        self.part_type(parent, adding.subgraph).keys.push(Key { fields, is_resolvable: true });
        self.declare(adding, parent, used);
        adding.key = Some(fields);
    }

    /// Adds the fields that a subgraph resolves for an object.
    fn own_members(&mut self, adding: &mut Adding<'_>, parent: TypeId, mapped: &Tree) {
        let mapped = mapped.of(&self.reader.schema[parent].name);
        for (name, below) in &mapped.fields {
            match self.reader.schema.find_field(parent, name) {
                Some(field) => self.own_field(adding, field, below),
                None if &**name == "__typename" => {}
                None => self.unknown(adding, parent, name),
            }
        }
    }

    /// Adds a field that a subgraph resolves. Another one may have taken it over (`@override`).
    fn own_field(&mut self, adding: &mut Adding<'_>, field: FieldId, mapped: &Tree) {
        let declared = adding.declared.get(&(field.index(), adding.of));
        if declared.is_none_or(|declared| declared.is_external) {
            return;
        }
        let base = self.reader.schema[field].r#type.base;
        self.declare(adding, base, mapped);
        let provided = self.provided_text(adding, base, mapped);
        let provides = match provided.is_empty() {
            true => None,
            false => self.field_set(base, &provided, adding.line),
        };
        let own = FieldIn {
            provides,
            requires: adding.key,
            is_external: false,
            ..self.external(adding, field)
        };
        let known = &mut self.owners.fields[field.index()].subgraphs;
        match known.iter_mut().find(|known| known.subgraph == adding.subgraph) {
            Some(known) => *known = own,
            None => known.push(own),
        }
    }

    /// Declares the fields of an object that are provided, or known by a representation. Recursion is
    /// bounded by the nesting of mappings.
    fn declare(&mut self, adding: &Adding<'_>, parent: TypeId, tree: &Tree) {
        if tree.is_empty() {
            return;
        }
        self.part_type(parent, adding.subgraph);
        if !matches!(self.reader.schema[parent].kind, TypeKind::Object { .. }) {
            return self.declare_objects(adding, parent, tree);
        }
        let tree = tree.of(&self.reader.schema[parent].name);
        for (name, below) in &tree.fields {
            let Some(field) = self.reader.schema.find_field(parent, name) else {
                if &**name != "__typename" {
                    self.unknown(adding, parent, name);
                }
                continue;
            };
            if !adding.declares(field) {
                continue;
            }
            let own = self.external(adding, field);
            let known = &mut self.owners.fields[field.index()].subgraphs;
            if known.iter().all(|known| known.subgraph != adding.subgraph) {
                known.push(own);
            }
            self.declare(adding, self.reader.schema[field].r#type.base, below);
        }
    }

    /// Declares the objects of an interface or a union.
    fn declare_objects(&mut self, adding: &Adding<'_>, parent: TypeId, tree: &Tree) {
        for (name, fields) in &tree.on {
            let Some(object) = self.reader.find(name, adding.line) else { continue };
            let (owner, pair) = match self.reader.schema[parent].kind {
                TypeKind::Union { .. } => {
                    (&mut self.owners.types[parent.index()].members, (adding.subgraph, object))
                }
                _ => (&mut self.owners.types[object.index()].implements, (adding.subgraph, parent)),
            };
            if !owner.contains(&pair) {
                owner.push(pair);
            }
            self.part_type(object, adding.subgraph);
            self.declare(adding, object, fields);
        }
    }

    /// Returns the provided fields as a field set. Recursion is bounded by the nesting of mappings.
    fn provided_text(&self, adding: &Adding<'_>, parent: TypeId, tree: &Tree) -> String {
        let schema = &self.reader.schema;
        let mut parts = Vec::new();
        if !matches!(schema[parent].kind, TypeKind::Object { .. }) {
            for (name, fields) in &tree.on {
                let object = schema.find_type(name);
                let below = object.map(|id| self.provided_text(adding, id, fields));
                if let Some(below) = below.filter(|below| !below.is_empty()) {
                    parts.push(format!("... on {name} {{ {below} }}"));
                }
            }
            return parts.join(" ");
        }
        for (name, below) in tree.of(&schema[parent].name).fields {
            let field = schema.find_field(parent, &name);
            if field.is_some_and(|field| !adding.declares(field)) {
                continue;
            }
            let base = field.map(|field| schema[field].r#type.base);
            match base.filter(|_| !below.is_empty()) {
                Some(base) => {
                    let below = self.provided_text(adding, base, &below);
                    let below = if below.is_empty() { "__typename".to_owned() } else { below };
                    parts.push(format!("{name} {{ {below} }}"));
                }
                None if &*name == "__typename" => {}
                None => parts.push(name.as_ref().to_owned()),
            }
        }
        parts.join(" ")
    }

    /// Returns a field that a subgraph only declares, with its type there.
    fn external(&self, adding: &Adding<'_>, field: FieldId) -> FieldIn {
        let mut own = FieldIn::plain(adding.subgraph, self.reader.schema[field].r#type);
        if let Some(declared) = adding.declared.get(&(field.index(), adding.of)) {
            own.r#type = declared.r#type;
            own.when = declared.when.clone();
        }
        own.is_external = true;
        own
    }

    fn unknown(&mut self, adding: &Adding<'_>, parent: TypeId, name: &str) {
        let parent = &self.reader.schema[parent].name;
        let message = format!("a connector uses `{name}`, which `{parent}` does not have");
        self.reader.problem(adding.line, message);
    }
}

/// The subgraph that is being added.
struct Adding<'a> {
    subgraph: SubgraphId,
    /// The subgraph whose schema has the connector.
    of: SubgraphId,
    line: usize,
    /// The fields of its key, which every field requires.
    key: Option<FieldSetId>,
    declared: &'a Declared,
}

impl Adding<'_> {
    /// Whether the subgraph has a field: another one may have taken it over.
    fn declares(&self, field: FieldId) -> bool {
        self.declared.contains_key(&(field.index(), self.of))
    }
}
