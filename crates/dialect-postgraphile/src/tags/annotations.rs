//! The tags and descriptions of a catalog: those of the comments, overridden by those of the tags
//! file.

use catalog::{
    Catalog, CompositeId, DomainId, EntityId, EnumId, FieldId, FunctionId, Note, NoteKind,
    RelationshipId,
};

use super::file::{Kind, Rule, TagsFile};
use super::{Annotated, messages, omit, parse};

/// By the ids of their catalog.
#[derive(Debug, Default)]
pub(crate) struct Annotations {
    entities: Vec<Annotated>,
    fields: Vec<Annotated>,
    /// By entity, then in the order of its keys.
    keys: Vec<Vec<Annotated>>,
    relationships: Vec<Annotated>,
    enums: Vec<Annotated>,
    composites: Vec<Annotated>,
    /// By composite, then in the order of its attributes.
    attributes: Vec<Vec<Annotated>>,
    domains: Vec<Annotated>,
    functions: Vec<Annotated>,
}

impl Annotations {
    /// Reads all comments and applies the file. The notes report the errors of both.
    pub(crate) fn new(catalog: &Catalog, file: &TagsFile) -> (Self, Vec<Note>) {
        let comment =
            |comment: &Option<Box<str>>| comment.as_deref().map(parse).unwrap_or_default();
        let mut annotations = Self::default();
        for entity in catalog.entities() {
            annotations.entities.push(comment(&entity.description));
            let keys = entity.keys.iter().map(|key| comment(&key.description));
            annotations.keys.push(keys.collect());
        }
        annotations.fields = catalog.fields().map(|field| comment(&field.description)).collect();
        annotations.relationships =
            catalog.relationships().map(|one| comment(&one.description)).collect();
        annotations.enums = catalog.enums().map(|one| comment(&one.description)).collect();
        for composite in catalog.composites() {
            annotations.composites.push(comment(&composite.description));
            let attributes = composite.attributes.iter().map(|one| comment(&one.description));
            annotations.attributes.push(attributes.collect());
        }
        annotations.domains = catalog.domains().map(|one| comment(&one.description)).collect();
        annotations.functions = catalog.functions().map(|one| comment(&one.description)).collect();
        let mut notes: Vec<Note> =
            file.rules.iter().filter_map(|rule| annotations.apply(catalog, rule)).collect();
        annotations.add_rows_of_composites(catalog);
        annotations.note_problems(catalog, &mut notes);
        (annotations, notes)
    }

    /// The entity of a composite has the composite's annotations.
    fn add_rows_of_composites(&mut self, catalog: &Catalog) {
        for composite in catalog.composites().filter(|composite| composite.is_decomposed) {
            let Some(rows) = composite.rows.map(EntityId::index) else { continue };
            if self.entities.len() <= rows {
                self.entities.resize_with(rows + 1, Annotated::default);
            }
            self.entities[rows] = self.composites[composite.id.index()].clone();
        }
    }

    pub(crate) fn entity(&self, id: EntityId) -> &Annotated {
        &self.entities[id.index()]
    }

    pub(crate) fn field(&self, id: FieldId) -> &Annotated {
        &self.fields[id.index()]
    }

    /// A key by its index in its entity.
    pub(crate) fn key(&self, entity: EntityId, place: usize) -> &Annotated {
        &self.keys[entity.index()][place]
    }

    pub(crate) fn relationship(&self, id: RelationshipId) -> &Annotated {
        &self.relationships[id.index()]
    }

    pub(crate) fn r#enum(&self, id: EnumId) -> &Annotated {
        &self.enums[id.index()]
    }

    pub(crate) fn composite(&self, id: CompositeId) -> &Annotated {
        &self.composites[id.index()]
    }

    /// An attribute by its index in its composite.
    pub(crate) fn attribute(&self, id: CompositeId, place: usize) -> &Annotated {
        &self.attributes[id.index()][place]
    }

    pub(crate) fn domain(&self, id: DomainId) -> &Annotated {
        &self.domains[id.index()]
    }

    pub(crate) fn function(&self, id: FunctionId) -> &Annotated {
        &self.functions[id.index()]
    }

    /// Applies a rule of the file to all matching objects; a note if there are none.
    fn apply(&mut self, catalog: &Catalog, rule: &Rule) -> Option<Note> {
        let hits = match rule.kind {
            Kind::Class => self.apply_to_classes(catalog, rule),
            Kind::Attribute => self.apply_to_attributes(catalog, rule),
            Kind::Constraint => self.apply_to_constraints(catalog, rule),
            Kind::Type => self.apply_to_types(catalog, rule),
            Kind::Procedure => self.apply_to_functions(catalog, rule),
        };
        (hits == 0 && !messages::is_message(rule)).then(|| Note {
            kind: NoteKind::Declaration,
            subject: rule.parts.join(".").into(),
            message: format!("the tags file names this {}, which is not there.", rule.kind.label())
                .into(),
            remedy: "correct the name in the tags file, or take it out.".into(),
        })
    }

    fn apply_to_classes(&mut self, catalog: &Catalog, rule: &Rule) -> usize {
        let mut hits = 0;
        for entity in catalog.entities() {
            if is_named(rule, &[entity.namespace.as_deref(), Some(&entity.name)]) {
                hits += overwrite(&mut self.entities[entity.id.index()], rule);
            }
        }
        for composite in catalog.composites() {
            if is_named(rule, &[composite.namespace.as_deref(), Some(&composite.name)]) {
                hits += overwrite(&mut self.composites[composite.id.index()], rule);
            }
        }
        hits
    }

    fn apply_to_attributes(&mut self, catalog: &Catalog, rule: &Rule) -> usize {
        let mut hits = 0;
        for field in catalog.fields() {
            let entity = &catalog[field.entity];
            let names = [entity.namespace.as_deref(), Some(&*entity.name), Some(&*field.name)];
            if is_named(rule, &names) {
                hits += overwrite(&mut self.fields[field.id.index()], rule);
            }
        }
        for composite in catalog.composites() {
            for (place, attribute) in composite.attributes.iter().enumerate() {
                let names = [
                    composite.namespace.as_deref(),
                    Some(&*composite.name),
                    Some(&*attribute.name),
                ];
                if is_named(rule, &names) {
                    hits += overwrite(&mut self.attributes[composite.id.index()][place], rule);
                }
            }
        }
        hits
    }

    fn apply_to_constraints(&mut self, catalog: &Catalog, rule: &Rule) -> usize {
        let mut hits = 0;
        for entity in catalog.entities() {
            let named = |name| {
                is_named(rule, &[entity.namespace.as_deref(), Some(&*entity.name), Some(name)])
            };
            for (place, key) in entity.keys.iter().enumerate() {
                if named(&key.name) {
                    hits += overwrite(&mut self.keys[entity.id.index()][place], rule);
                }
            }
            for id in &entity.outgoing {
                if named(&catalog[*id].name) {
                    hits += overwrite(&mut self.relationships[id.index()], rule);
                }
            }
        }
        hits
    }

    fn apply_to_types(&mut self, catalog: &Catalog, rule: &Rule) -> usize {
        let mut hits = 0;
        for one in catalog.enums() {
            if is_named(rule, &[one.namespace.as_deref(), Some(&one.name)]) {
                hits += overwrite(&mut self.enums[one.id.index()], rule);
            }
        }
        for domain in catalog.domains() {
            if is_named(rule, &[domain.namespace.as_deref(), Some(&domain.name)]) {
                hits += overwrite(&mut self.domains[domain.id.index()], rule);
            }
        }
        hits
    }

    fn apply_to_functions(&mut self, catalog: &Catalog, rule: &Rule) -> usize {
        let mut hits = 0;
        for function in catalog.functions() {
            if is_named(rule, &[function.namespace.as_deref(), Some(&function.name)]) {
                hits += overwrite(&mut self.functions[function.id.index()], rule);
            }
        }
        hits
    }

    /// Adds notes on invalid tags of any object.
    fn note_problems(&self, catalog: &Catalog, notes: &mut Vec<Note>) {
        let mut check = |annotated: &Annotated, subject: &dyn Fn() -> String| {
            if let Some(message) = omit::problem(&annotated.tags) {
                notes.push(Note {
                    kind: NoteKind::Declaration,
                    subject: subject().into(),
                    message: message.into(),
                    remedy: "write @omit alone, or actions as in @omit filter,order.".into(),
                });
            }
        };
        for entity in catalog.entities() {
            let table = || catalog.qualified_name(entity.id);
            check(self.entity(entity.id), &table);
            for field in catalog.fields_of(entity.id) {
                check(self.field(field.id), &|| format!("{}.{}", table(), field.name));
            }
            for (place, key) in entity.keys.iter().enumerate() {
                check(self.key(entity.id, place), &|| format!("{} {}", table(), key.name));
            }
            for id in &entity.outgoing {
                let name = &catalog[*id].name;
                check(self.relationship(*id), &|| format!("{} {name}", table()));
            }
        }
        for function in catalog.functions() {
            let name = || format!("{}()", catalog.function_name(function.id));
            check(self.function(function.id), &name);
        }
    }
}

/// True if the rule's parts are the last of the names.
fn is_named(rule: &Rule, names: &[Option<&str>]) -> bool {
    let skipped = names.len().checked_sub(rule.parts.len());
    let Some(names) = skipped.and_then(|skipped| names.get(skipped..)) else { return false };
    rule.parts.iter().zip(names).all(|(part, name)| *name == Some(&**part))
}

/// Overrides the annotations by the rule's.
fn overwrite(annotated: &mut Annotated, rule: &Rule) -> usize {
    for (name, values) in &rule.tags {
        annotated.tags.set(name, values);
    }
    if let Some(description) = &rule.description {
        annotated.description = (!description.is_empty()).then(|| description.clone());
    }
    1
}
