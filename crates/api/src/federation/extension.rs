//! Subgraph extensions: extensions of the API's types in SDL, whose directives are added to the
//! subgraph's definitions.
//!
//! Each is checked against the API, so that routers can rely on it: keys find rows, fields exist.

use catalog::Catalog;
use graphql::definitions::{
    Composite, Definitions, Directive, FieldDefinition, FieldSetSelection, Literal, Named,
    SchemaDefinition, TypeBody, TypeDefinition, parse_definitions, parse_field_set,
};
use graphql::operation::Location;
use graphql::schema::{Schema, TypeId, TypeKind, TypeRef};
use graphql::{Applied, ErrorCode, GraphQLError, print_type};
use rustc_hash::FxHashMap;

use super::applied::AppliedDirectives;
use super::custom::{CustomDirectives, check_said};
use super::directives::{KNOWN, Place};
use super::foreign::{external, is_other, other_types};
use super::keys::{Entity, NoKey, say};
use super::name_of;
use super::references::{REFERENCES, Reference, agree};
use super::required::{Required, Requiring};
use super::retyped::{Retyped, change, is_id};
use crate::api::Api;

/// Changes of the API by an extension.
#[derive(Debug, Default)]
pub(super) struct Extended {
    /// Fields whose types change.
    pub(super) retyped: Vec<Retyped>,
    /// Fields that require values of representations.
    pub(super) required: Vec<Required>,
    /// Fields that refer to entities of other subgraphs.
    pub(super) references: Vec<Reference>,
}

/// Adds the directives of an extension, and returns its changes of the API, or all errors.
pub(super) fn apply(
    text: &str,
    (api, catalog): (&Api, &Catalog),
    entities: &mut Vec<Entity>,
    applied: &mut Applied,
) -> Result<Extended, Vec<GraphQLError>> {
    let schema = &api.schema;
    let Definitions { types, schemas, directives } = parse_definitions(text)?;
    let own = CustomDirectives::new(&directives, &schemas);
    let mut reading = Reading::new((api, catalog), entities, applied, own);
    for definition in &directives {
        if let Err(message) = own.check(definition, schema) {
            reading.refuse(definition.line, message);
        }
    }
    for definition in &schemas {
        reading.schema(definition);
    }
    for (line, message) in other_types(schema, &types, reading.applied) {
        reading.refuse(line, message);
    }
    for definition in types.iter().filter(|own| !is_other(schema, own)) {
        reading.definition(definition);
    }
    reading.required();
    reading.applied.definitions.extend_from_slice(&directives);
    reading.finish()
}

/// The same for directives of the API itself, which do not change it.
pub(super) fn apply_own(
    own: &[AppliedDirectives],
    (api, catalog): (&Api, &Catalog),
    entities: &mut Vec<Entity>,
    applied: &mut Applied,
) -> Result<(), Vec<GraphQLError>> {
    let mut reading =
        Reading::new((api, catalog), entities, applied, CustomDirectives::new(&[], &[]));
    for said in own {
        reading.own(said);
    }
    reading.required();
    reading.finish().map(|_| ())
}

struct Reading<'a> {
    api: &'a Api,
    catalog: &'a Catalog,
    schema: &'a Schema,
    entities: &'a mut Vec<Entity>,
    applied: &'a mut Applied,
    own: CustomDirectives<'a>,
    /// The number of keys of a type so far.
    keys: FxHashMap<TypeId, usize>,
    /// Fields with requirements, which may be defined later.
    requires: Vec<(TypeId, Box<str>, Directive)>,
    said: Extended,
    errors: Vec<GraphQLError>,
}

impl<'a> Reading<'a> {
    fn new(
        (api, catalog): (&'a Api, &'a Catalog),
        entities: &'a mut Vec<Entity>,
        applied: &'a mut Applied,
        own: CustomDirectives<'a>,
    ) -> Self {
        let (keys, requires, said, errors) =
            (FxHashMap::default(), Vec::new(), Extended::default(), Vec::new());
        let schema = &api.schema;
        Self { api, catalog, schema, entities, applied, own, keys, requires, said, errors }
    }

    /// The changes of the API, or all errors.
    fn finish(self) -> Result<Extended, Vec<GraphQLError>> {
        let Self { mut errors, said, .. } = self;
        errors.sort_by_key(|error| error.locations.first().map(|location| location.line));
        match errors.is_empty() {
            true => Ok(said),
            false => Err(errors),
        }
    }

    fn refuse(&mut self, line: usize, message: String) {
        let location = Location { line: u32::try_from(line).unwrap_or(u32::MAX), column: 1 };
        self.errors.push(GraphQLError::new(ErrorCode::ParseFailed, message).at(location));
    }

    /// Directives of the schema: links and composed directives.
    fn schema(&mut self, definition: &SchemaDefinition) {
        if let Some((_, root)) = definition.operations.first() {
            self.refuse(root.line, "The types of operations are those of the API.".into());
        }
        for directive in &definition.directives {
            match self.own.check_schema(directive) {
                Ok(()) => self.applied.schema.push(directive.clone()),
                Err(message) => self.refuse(directive.line, message),
            }
        }
    }

    /// Directives of the API itself on a type or on a member of it.
    fn own(&mut self, AppliedDirectives { r#type: name, member, directives }: &AppliedDirectives) {
        let line = directives.first().map_or(0, |directive| directive.line);
        let schema = self.schema;
        let Some(id) = schema.find_type(name) else {
            return self.refuse(line, format!("The API has no type `{name}`."));
        };
        let (of_type, of_member) = match &schema[id].kind {
            TypeKind::Scalar => (Place::Scalar, None),
            TypeKind::Object { .. } => (Place::Object, Some(Place::Field)),
            TypeKind::Interface { .. } => (Place::Interface, Some(Place::InterfaceField)),
            TypeKind::Union { .. } => (Place::Union, None),
            TypeKind::Enum { .. } => (Place::Enum, Some(Place::EnumValue)),
            TypeKind::InputObject { .. } => (Place::InputObject, Some(Place::InputField)),
        };
        let Some(member) = member.as_deref() else {
            return self.directives(id, None, directives, of_type);
        };
        let is_there = schema.find_field(id, member).is_some()
            || schema.find_enum_value(id, member).is_some()
            || schema.find_input_field(id, member).is_some();
        match of_member.filter(|_| is_there) {
            Some(place) => self.directives(id, Some(member), directives, place),
            None => self.refuse(line, format!("The API has no `{member}` of `{name}`.")),
        }
    }

    fn definition(&mut self, definition: &TypeDefinition) {
        let (name, line) = (&definition.name, definition.line);
        if !definition.is_extension {
            return self.refuse(line, format!("`{name}` is defined: say `extend` before it."));
        }
        let Some(id) = self.schema.find_type(name) else {
            return self.refuse(line, format!("The API has no type `{name}`."));
        };
        let schema = self.schema;
        let place = match (&definition.body, &schema[id].kind) {
            (TypeBody::Scalar, TypeKind::Scalar) => Place::Scalar,
            (TypeBody::Object(body), TypeKind::Object { .. }) => {
                self.fields(id, body, Place::Field);
                Place::Object
            }
            (TypeBody::Interface(body), TypeKind::Interface { .. }) => {
                self.fields(id, body, Place::InterfaceField);
                Place::Interface
            }
            (TypeBody::Union(members), TypeKind::Union { .. }) => {
                if let Some(Named { name, line, .. }) = members.first() {
                    self.refuse(*line, format!("`{name}` cannot be added to a union of the API."));
                }
                Place::Union
            }
            (TypeBody::Enum(values), TypeKind::Enum { .. }) => {
                for value in values {
                    if schema.find_enum_value(id, &value.name).is_none() {
                        let missing = format!("The API has no value `{}` of `{name}`.", value.name);
                        self.refuse(value.line, missing);
                    }
                    self.directives(id, Some(&value.name), &value.directives, Place::EnumValue);
                }
                Place::Enum
            }
            (TypeBody::InputObject(fields), TypeKind::InputObject { .. }) => {
                for field in fields {
                    match schema.find_input_field(id, &field.name) {
                        Some(own) => {
                            let r#type = field.r#type.to_string();
                            self.same_type(field.line, &field.name, &r#type, schema[own].r#type);
                        }
                        None => {
                            let missing =
                                format!("The API has no field `{}` of `{name}`.", field.name);
                            self.refuse(field.line, missing);
                        }
                    }
                    self.directives(id, Some(&field.name), &field.directives, Place::InputField);
                }
                Place::InputObject
            }
            _ => {
                return self
                    .refuse(line, format!("`{name}` is a type of another kind in the API."));
            }
        };
        self.directives(id, None, &definition.directives, place);
    }

    fn fields(&mut self, id: TypeId, body: &Composite, place: Place) {
        if let Some(Named { name, line, .. }) = body.interfaces.first() {
            self.refuse(*line, format!("`{name}` cannot be added to the interfaces of a type."));
        }
        for field in &body.fields {
            self.field(id, field, place);
        }
    }

    fn field(&mut self, id: TypeId, field: &FieldDefinition, place: Place) {
        let (name, line) = (&field.name, field.line);
        let schema = self.schema;
        let Some(own) = schema.find_field(id, name) else {
            if let Some(said) = field.directives.iter().find(|said| &*said.name == REFERENCES) {
                return self.reference(id, field, said, place);
            }
            match external(schema, self.applied, (id, place), field) {
                Ok(()) => self.directives(id, Some(name), &field.directives, place),
                Err(message) => self.refuse(line, message),
            }
            return;
        };
        let said = field.r#type.to_string();
        let change = change(self.api, self.catalog, (id, own), &said);
        if change.is_none() {
            self.same_type(line, name, &said, schema[own].r#type);
        }
        let mut ids = Vec::new();
        for argument in &field.arguments {
            if let Some(directive) = argument.directives.first() {
                let message = format!("`@{}` on an argument is not served.", directive.name);
                self.refuse(directive.line, message);
            }
            let (name, line) = (&argument.name, argument.line);
            match schema.find_argument(own, name) {
                None => {
                    let field = &field.name;
                    self.refuse(line, format!("The API has no argument `{name}` of `{field}`."));
                }
                Some(argument_of_api) => {
                    let said = argument.r#type.to_string();
                    if is_id(self.api, argument_of_api, &said) {
                        ids.push((&**name).into());
                    } else {
                        self.same_type(line, name, &said, schema[argument_of_api].r#type);
                    }
                }
            }
        }
        if change.is_some() || !ids.is_empty() {
            let name = (&**name).into();
            self.said.retyped.push(Retyped { parent: id, name, change, ids });
        }
        self.directives(id, Some(name), &field.directives, place);
    }

    /// A field that refers to an entity of another subgraph.
    fn reference(&mut self, id: TypeId, field: &FieldDefinition, said: &Directive, place: Place) {
        let read = match place {
            Place::Field => Reference::read((self.api, self.catalog), id, field, said),
            _ => Err(format!("`@{REFERENCES}` cannot stand here.")),
        };
        match read {
            Ok(read) => {
                let known = &self.said.references;
                if known.iter().any(|known| known.is_of(id, &field.name)) {
                    return self.refuse(field.line, format!("`{}` is said twice.", field.name));
                }
                if !known.iter().all(|known| agree(self.api, known, &read)) {
                    let message = format!(
                        "`{}` refers to its entity by another key than a field before.",
                        field.name
                    );
                    return self.refuse(field.line, message);
                }
                self.said.references.push(read);
                let others = field.directives.iter().filter(|said| &*said.name != REFERENCES);
                let others: Vec<Directive> = others.cloned().collect();
                self.directives(id, Some(&field.name), &others, place);
            }
            Err(message) => self.refuse(field.line, message),
        }
    }

    fn same_type(&mut self, line: usize, name: &str, said: &str, own: TypeRef) {
        let own = print_type(self.schema, own);
        if said != own {
            self.refuse(line, format!("`{name}` has the type `{own}` in the API, not `{said}`."));
        }
    }

    /// Adds the directives of a type, or of a member of it.
    fn directives(&mut self, id: TypeId, member: Option<&str>, said: &[Directive], place: Place) {
        // Keys are checked elsewhere.
        let is_key = |directive: &&Directive| &*directive.name == "key";
        let others = said.iter().filter(|directive| !is_key(directive));
        for directive in said.iter().filter(is_key).chain(others) {
            if let Err(message) = self.check(id, member, directive, place) {
                self.refuse(directive.line, message);
                continue;
            }
            let known = match member {
                None => self.applied.types.entry(id).or_default(),
                Some(member) => self.applied.members.entry((id, member.into())).or_default(),
            };
            let is_same =
                |one: &Directive| one.name == directive.name && values(one).eq(values(directive));
            if is_key(&directive) {
                // Directives of the extension precede derived ones: some consumers take the first.
                known.retain(|one| !is_same(one));
                let said = self.keys.entry(id).or_default();
                known.insert((*said).min(known.len()), directive.clone());
                *said += 1;
            } else if !known.iter().any(is_same) {
                known.push(directive.clone());
            }
        }
    }

    fn check(
        &mut self,
        id: TypeId,
        member: Option<&str>,
        directive: &Directive,
        place: Place,
    ) -> Result<(), String> {
        let name = &*directive.name;
        if let Some(definition) = self.own.find(name) {
            let known = match member {
                None => self.applied.types.get(&id),
                Some(member) => self.applied.members.get(&(id, member.into())),
            };
            let known = known.map_or(&[][..], Vec::as_slice);
            return check_said(definition, directive, place, known);
        }
        let Some(known) = KNOWN.iter().find(|known| known.name == name) else {
            return Err(format!("`@{name}` is no directive of federation."));
        };
        if !known.may_stand(place) {
            return Err(format!("`@{name}` cannot stand here."));
        }
        known.check_arguments(directive)?;
        match name {
            "key" => self.check_key(id, directive),
            "interfaceObject" => self.check_found(id),
            "provides" => self.check_provided(id, member.unwrap_or_default(), directive),
            "requires" => {
                let member = member.unwrap_or_default().into();
                self.requires.push((id, member, directive.clone()));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Resolves required fields, once all fields are defined.
    fn required(&mut self) {
        for (id, member, directive) in std::mem::take(&mut self.requires) {
            let (api, catalog, applied) = (self.api, self.catalog, &*self.applied);
            let is_found = self.entities.iter().any(|entity| entity.r#type == id);
            let requiring = Requiring { api, catalog, applied, r#type: id, member: &member };
            let required = field_set(&directive).and_then(|set| requiring.read(is_found, &set));
            match required {
                Ok(_) if self.said.required.iter().any(|known| known.is_of(id, &member)) => {
                    self.refuse(directive.line, format!("`{member}` says `@requires` twice."));
                }
                Ok(required) => self.said.required.push(required),
                Err(message) => self.refuse(directive.line, message),
            }
        }
    }

    /// Rows must be found by a resolvable key.
    fn check_key(&mut self, id: TypeId, directive: &Directive) -> Result<(), String> {
        let fields = field_set(directive)?;
        self.check_fields(id, &fields)?;
        let resolvable = directive.arguments.iter().find(|one| &*one.name == "resolvable");
        match resolvable.map(|argument| &argument.value) {
            Some(Literal::Boolean(false)) => return Ok(()),
            Some(Literal::Boolean(true)) | None => {}
            Some(_) => return Err("`resolvable` is true or false.".into()),
        }
        let mut said = Vec::new();
        for field in &fields {
            match field {
                FieldSetSelection::Field { name, selections, .. } if selections.is_empty() => {
                    said.push(&**name);
                }
                FieldSetSelection::Field { .. } | FieldSetSelection::Fragment { .. } => {}
            }
        }
        said.sort_unstable();
        let own = self.entities.iter().filter(|entity| entity.r#type == id);
        let is_known = own.flat_map(Entity::field_sets).any(|set| {
            let mut names: Vec<&str> = set.split(' ').collect();
            names.sort_unstable();
            fields.len() == names.len() && names == said
        });
        if is_known {
            return Ok(());
        }
        let name = name_of(self.schema, id);
        say(self.entities, (self.api, self.catalog), id, &fields).map_err(|why| match why {
            NoKey::Keys => format!(
                "No rows of `{name}` are found by this key: it is no primary or unique key of \
                 integers, texts or UUIDs. `resolvable: false` says so to routers."
            ),
            NoKey::Values => format!(
                "No nodes of `{name}` are found by this key: its fields are integers or texts, \
                 each of them said once. `resolvable: false` says so to routers."
            ),
            NoKey::Columns => format!(
                "No rows of `{name}` are found by this key: its fields are columns, or the key of \
                 a row to which the row refers. `resolvable: false` says so to routers."
            ),
        })
    }

    /// A table with data of an interface's objects needs a key that all of them have.
    fn check_found(&self, id: TypeId) -> Result<(), String> {
        match self.entities.iter().any(|entity| entity.r#type == id) {
            true => Ok(()),
            false => Err(format!(
                "No rows of `{}` are found by a key, which `@interfaceObject` needs.",
                name_of(self.schema, id)
            )),
        }
    }

    fn check_provided(
        &self,
        id: TypeId,
        member: &str,
        directive: &Directive,
    ) -> Result<(), String> {
        let fields = field_set(directive)?;
        let Some(field) = self.schema.find_field(id, member) else { return Ok(()) };
        self.check_fields(self.schema[field].r#type.base, &fields)
    }

    /// Recursion is bounded: a field set has a limit of depth.
    fn check_fields(&self, id: TypeId, fields: &[FieldSetSelection]) -> Result<(), String> {
        let schema = self.schema;
        for field in fields {
            match field {
                FieldSetSelection::Field { name, selections, .. } => {
                    if &**name == "__typename" {
                        continue;
                    }
                    let Some(own) = schema.find_field(id, name) else {
                        let r#type = name_of(schema, id);
                        return Err(format!("The API has no field `{name}` of `{type}`."));
                    };
                    self.check_fields(schema[own].r#type.base, selections)?;
                }
                FieldSetSelection::Fragment { on, selections } => {
                    let on = match on {
                        None => id,
                        Some(name) => schema
                            .find_type(name)
                            .ok_or_else(|| format!("The API has no type `{name}`."))?,
                    };
                    self.check_fields(on, selections)?;
                }
            }
        }
        Ok(())
    }
}

fn values(directive: &Directive) -> impl Iterator<Item = (&str, &Literal)> {
    directive.arguments.iter().map(|argument| (&*argument.name, &argument.value))
}

fn field_set(directive: &Directive) -> Result<Vec<FieldSetSelection>, String> {
    let argument = directive.arguments.iter().find(|argument| &*argument.name == "fields");
    match argument.map(|argument| &argument.value) {
        Some(Literal::String(text)) => parse_field_set(text)
            .map_err(|error| format!("This is no set of fields: {}", error.message)),
        _ => Err("`fields` is a text.".into()),
    }
}
