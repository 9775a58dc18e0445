//! Declarations: facts about a source that introspection cannot find, such as keys and foreign keys
//! of views, and the rows of tables that an API is made from.

use crate::builder::NewRelationship;
use crate::catalog::Catalog;
use crate::entity::{Key, Relationship, RelationshipKind};
use crate::function::{Argument, ArgumentType, Function, FunctionResult, RelatedRows};
use crate::ids::{CompositeId, EntityId, FieldId, FunctionId, RelationshipId};
use crate::known_rows::KnownRows;
use crate::note::Note;
use crate::types::{Composite, Type};

impl Catalog {
    /// Adds a key that the source does not enforce. Only features that ask for declared keys rely
    /// on it.
    pub fn declare_key(&mut self, entity: EntityId, key: Key) {
        self.entities[entity.index()].keys.push(Key { enforced: false, ..key });
    }

    /// Adds a relationship that the source does not enforce.
    pub fn declare_relationship(&mut self, new: NewRelationship) -> RelationshipId {
        let id = RelationshipId::new(self.relationships.len());
        let from = &mut self.entities[new.from.index()];
        from.outgoing.push(id);
        let (one_to_one, indexed) =
            (from.is_unique(&new.from_fields), from.is_indexed(&new.from_fields));
        // Values of a composite type are not stored as rows, so no reverse relationship leads to
        // them.
        if self.entities[new.from.index()].kind.is_stored() {
            self.entities[new.to.index()].incoming.push(id);
        }
        self.relationships.push(Relationship {
            id,
            kind: RelationshipKind::ForeignKey,
            name: new.name,
            from: new.from,
            from_fields: new.from_fields,
            to: new.to,
            to_fields: new.to_fields,
            one_to_one,
            indexed,
            enforced: false,
            always_found: false,
            edge: None,
            description: new.description,
        });
        id
    }

    /// Adds a function that returns the rows of another one that agree in `fields` with a row of
    /// `near`. Its last argument is that row, those before it are the other function's.
    pub fn declare_related_rows(
        &mut self,
        name: Box<str>,
        near: EntityId,
        related: RelatedRows,
    ) -> FunctionId {
        let id = FunctionId::new(self.functions.len());
        let of = &self.functions[related.of.index()];
        let row = Argument { name: None, r#type: ArgumentType::Row(near), has_default: false };
        let arguments = of.arguments.iter().cloned().chain([row]).collect();
        self.functions.push(Function {
            id,
            name,
            arguments,
            statement: None,
            related: Some(related),
            ..of.clone()
        });
        id
    }

    /// Declares a relationship, or renames the equal one that the source has and does not enforce:
    /// a foreign key of one partition stands for that of the table.
    pub fn redeclare_relationship(&mut self, new: NewRelationship) -> RelationshipId {
        let is_same = |known: &&mut Relationship| {
            let ends = (&known.from, &known.from_fields, &known.to, &known.to_fields);
            !known.enforced
                && !known.name.starts_with('@')
                && ends == (&new.from, &new.from_fields, &new.to, &new.to_fields)
        };
        match self.relationships.iter_mut().find(is_same) {
            Some(known) => {
                known.name = new.name;
                known.description = new.description;
                known.id
            }
            None => self.declare_relationship(new),
        }
    }

    /// Makes a field optional in inserts: its value is filled in elsewhere.
    pub fn declare_default(&mut self, field: FieldId) {
        self.fields[field.index()].has_default = true;
    }

    /// Decomposes the values of a composite into rows wherever they occur, with relationships that
    /// lead from them. So are those of all composites that contain such values. Composites that are
    /// `whole` stay values.
    pub fn decompose(&mut self, composite: CompositeId, whole: impl Fn(&Composite) -> bool) {
        let mut found = vec![composite];
        while let Some(composite) = found.pop() {
            let known = &self[composite];
            if known.rows.is_none() || known.is_decomposed || whole(known) {
                continue;
            }
            self.composites[composite.index()].is_decomposed = true;
            let holds = |r#type: &Type| *r#type == Type::Composite(composite);
            for other in &self.composites {
                let mut attributes = other.attributes.iter();
                let holding = |r#type: &Type| match self.base_type(r#type) {
                    Type::List(element) => holds(element),
                    _ => holds(r#type),
                };
                if attributes.any(|attribute| holding(&attribute.r#type)) {
                    found.push(other.id);
                }
            }
        }
        for place in 0..self.functions.len() {
            let taken = match &self.functions[place].result {
                FunctionResult::Value(field) => {
                    self.find_rows(&self[*field].r#type).map(|(entity, is_list)| match is_list {
                        true => FunctionResult::RowArray(entity),
                        false => FunctionResult::Row(entity),
                    })
                }
                FunctionResult::Values(field) => match self.find_rows(&self[*field].r#type) {
                    Some((entity, false)) => Some(FunctionResult::Rows(entity)),
                    Some((_, true)) | None => None,
                },
                FunctionResult::Nothing
                | FunctionResult::Row(_)
                | FunctionResult::Rows(_)
                | FunctionResult::RowArray(_) => None,
            };
            if let Some(taken) = taken {
                self.functions[place].result = taken;
            }
        }
    }

    /// The entity of the rows that values of the type are, and true if a value is a list of them.
    #[must_use]
    pub fn find_rows(&self, r#type: &Type) -> Option<(EntityId, bool)> {
        let row = |r#type: &Type| match r#type {
            Type::Row(entity) => Some(*entity),
            Type::Composite(id) if self[*id].is_decomposed => self[*id].rows,
            _ => None,
        };
        match self.base_type(r#type) {
            Type::List(element) => row(element).map(|entity| (entity, true)),
            // A domain over a composite is a type of its own.
            _ => row(r#type).map(|entity| (entity, false)),
        }
    }

    /// Keeps the rows of an entity.
    pub fn set_known_rows(&mut self, entity: EntityId, rows: KnownRows) {
        self.known_rows.insert(entity, rows);
    }

    /// The rows of an entity, if they were read with the catalog.
    #[must_use]
    pub fn known_rows(&self, entity: EntityId) -> Option<&KnownRows> {
        self.known_rows.get(&entity)
    }

    pub fn note(&mut self, note: Note) {
        self.notes.push(note);
    }
}
