//! The part of a remote schema that a role sees: type definitions, a subset of those of the server, in
//! which `@preset` gives values of inputs.
//! <https://hasura.io/docs/2.0/remote-schemas/auth/remote-schema-permissions/>
//!
//! The texts of errors are those of Hasura.

use std::collections::{BTreeMap, BTreeSet};

use graphql::BUILT_IN_SCALARS;
use graphql::definitions::{
    Composite, Definitions, Directive, FieldDefinition, InputDefinition, Literal, Named, TypeBody,
    TypeDefinition, TypeExpression, parse_definitions,
};
use http_resolvers::preset::{Preset, SessionForm};
use http_resolvers::remote_schema::{RemoteField, RemoteInput, RemoteKind, RemoteSchema};

/// The beginning of the names of session variables.
const SESSION: &str = "x-hasura-";

/// What a role may use, by the names of the server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RemotePermission {
    types: BTreeMap<Box<str>, Permitted>,
    /// Types with fields that may be null for the role although the schema says otherwise.
    nullable: BTreeSet<(Box<str>, Box<str>)>,
}

/// The part of a type.
#[derive(Clone, Debug, PartialEq)]
enum Permitted {
    /// A scalar or a union.
    Whole,
    Enum(BTreeSet<Box<str>>),
    /// Fields of an object or an interface, with their arguments.
    Fields(BTreeMap<Box<str>, Inputs>),
    Input(Inputs),
}

/// Inputs with their presets.
pub(crate) type Inputs = BTreeMap<Box<str>, Option<Preset>>;

impl RemotePermission {
    /// Reads definitions, and checks them against the schema of the server. The error is a sentence.
    pub(crate) fn read(text: &str, upstream: &RemoteSchema) -> Result<Self, String> {
        let document = parse_definitions(text).map_err(|errors| {
            let messages = errors.into_iter().map(|error| {
                let place = error.locations.first();
                let line = place.map(|place| format!("line {}: ", place.line)).unwrap_or_default();
                line + &error.message
            });
            let messages: Vec<_> = messages.collect();
            format!("the schema of the role cannot be read: {}", messages.join("; "))
        })?;
        let mut check = Check { document: &document, upstream, errors: Vec::new() };
        let types = check.types();
        let failed = "validation for the given role-based schema failed";
        match (types, check.errors.as_slice()) {
            (Ok(types), []) => Ok(Self { types, nullable: BTreeSet::new() }),
            (_, [only]) => Err(format!("{failed} because {only}")),
            (_, several) => {
                let lines = several.iter().map(|error| format!(" • {error}\n"));
                Err(format!("{failed} for the following reasons:\n{}", lines.collect::<String>()))
            }
        }
    }

    /// All of a schema, which is what a role sees of a source; `whole` is the administrator's.
    pub(crate) fn of_view(view: &RemoteSchema, whole: &RemoteSchema) -> Self {
        let inputs = |all: &[RemoteInput]| -> Inputs {
            all.iter().map(|one| (one.name.clone(), None)).collect()
        };
        let permitted = |kind: &RemoteKind| match kind {
            RemoteKind::Scalar | RemoteKind::Union { .. } => Permitted::Whole,
            RemoteKind::Enum { values } => {
                Permitted::Enum(values.iter().map(|one| one.name.clone()).collect())
            }
            RemoteKind::Object { fields, .. } | RemoteKind::Interface { fields, .. } => {
                let field = |one: &RemoteField| (one.name.clone(), inputs(&one.arguments));
                Permitted::Fields(fields.iter().map(field).collect())
            }
            RemoteKind::Input { fields } => Permitted::Input(inputs(fields)),
        };
        let mut nullable = BTreeSet::new();
        for r#type in view.types.keys() {
            for field in view.fields(r#type).iter().filter(|field| !field.r#type.is_required()) {
                let known = whole.fields(r#type).iter().find(|known| known.name == field.name);
                if known.is_some_and(|known| known.r#type.is_required()) {
                    nullable.insert((r#type.clone(), field.name.clone()));
                }
            }
        }
        let types = view.types.iter();
        let types = types.map(|(name, known)| (name.clone(), permitted(&known.kind))).collect();
        Self { types, nullable }
    }

    /// True for a field that may be null for the role although the schema says otherwise.
    pub(crate) fn is_nullable(&self, r#type: &str, field: &str) -> bool {
        !self.nullable.is_empty() && self.nullable.contains(&(r#type.into(), field.into()))
    }

    /// The arguments of a field, if the role may select it.
    pub(crate) fn arguments(&self, r#type: &str, field: &str) -> Option<&Inputs> {
        match self.types.get(r#type)? {
            Permitted::Fields(fields) => fields.get(field),
            Permitted::Whole | Permitted::Enum(_) | Permitted::Input(_) => None,
        }
    }

    /// The fields of an input object type.
    pub(crate) fn input_fields(&self, r#type: &str) -> Option<&Inputs> {
        match self.types.get(r#type)? {
            Permitted::Input(inputs) => Some(inputs),
            Permitted::Whole | Permitted::Enum(_) | Permitted::Fields(_) => None,
        }
    }

    pub(crate) fn has_value(&self, r#type: &str, value: &str) -> bool {
        match self.types.get(r#type) {
            Some(Permitted::Enum(values)) => values.contains(value),
            Some(Permitted::Whole | Permitted::Fields(_) | Permitted::Input(_)) | None => false,
        }
    }

    /// True if a field of queries is permitted.
    pub(crate) fn has_queries(&self, upstream: &RemoteSchema) -> bool {
        matches!(self.types.get(&upstream.query), Some(Permitted::Fields(fields)) if !fields.is_empty())
    }

    /// The value of an input that the role cannot give: its preset, or an object of presets, if its
    /// type has nothing else.
    pub(crate) fn given(&self, preset: Option<&Preset>, r#type: &str) -> Option<Preset> {
        if preset.is_some() {
            return preset.cloned();
        }
        let members = self.input_fields(r#type).filter(|members| !members.is_empty())?;
        let members = members
            .iter()
            .map(|(name, preset)| Some((name.clone(), preset.clone()?)))
            .collect::<Option<Vec<_>>>()?;
        Some(Preset::Object(members))
    }
}

/// The check ends here: what follows would have no meaning.
struct Stop;

struct Check<'c> {
    document: &'c Definitions,
    upstream: &'c RemoteSchema,
    errors: Vec<String>,
}

impl Check<'_> {
    fn refuse<T>(&mut self, message: String) -> Result<T, Stop> {
        self.errors.push(message);
        Err(Stop)
    }

    fn types(&mut self) -> Result<BTreeMap<Box<str>, Permitted>, Stop> {
        let types = &self.document.types;
        if types.iter().any(|known| known.is_extension) {
            return self.refuse("extensions of types are not supported".to_owned());
        }
        if let Some(names) = repeated(types.iter().map(|known| &*known.name)) {
            return self.refuse(format!("duplicate type names found: {names}"));
        }
        if self.document.schemas.len() > 1 {
            return self.refuse("multiple schema definitions found".to_owned());
        }
        let mut permitted = BTreeMap::new();
        for definition in types {
            permitted.insert((&*definition.name).into(), self.r#type(definition)?);
        }
        self.roots(&mut permitted)?;
        Ok(permitted)
    }

    /// Leaves out the root types that the schema does not name.
    fn roots(&mut self, types: &mut BTreeMap<Box<str>, Permitted>) -> Result<(), Stop> {
        let named = |kind: &str| {
            let operations = self.document.schemas.first().map(|schema| &schema.operations)?;
            operations.iter().find(|(known, _)| *known == kind).map(|(_, named)| &*named.name)
        };
        let (query, mutation) = (named("query").unwrap_or("Query"), named("mutation"));
        let mutation = mutation.unwrap_or("Mutation");
        if *self.upstream.query != *query || !types.contains_key(query) {
            return self.refuse(format!("\"{query}\" has to be an object type"));
        }
        if let Some(own) = self.upstream.mutation.as_deref().filter(|own| *own != mutation) {
            types.remove(own);
        }
        Ok(())
    }

    fn r#type(&mut self, definition: &TypeDefinition) -> Result<Permitted, Stop> {
        let (name, upstream) = (&*definition.name, self.upstream);
        let known = upstream.types.get(name).map(|known| &known.kind);
        let (kind, permitted) = match (&definition.body, known) {
            (TypeBody::Scalar, _) if BUILT_IN_SCALARS.contains(&name) => {
                return Ok(Permitted::Whole);
            }
            (TypeBody::Scalar, Some(RemoteKind::Scalar)) => ("Scalar", Permitted::Whole),
            (TypeBody::Interface(own), Some(RemoteKind::Interface { fields, .. })) => {
                self.directives(&definition.directives, ("Interface", name), false)?;
                let fields = self.fields(own, fields, ("Interface", name))?;
                return Ok(Permitted::Fields(fields));
            }
            (TypeBody::Object(own), Some(RemoteKind::Object { fields, interfaces })) => {
                self.directives(&definition.directives, ("Object", name), false)?;
                self.interfaces(name, &own.interfaces, interfaces);
                let fields = self.fields(own, fields, ("Object", name))?;
                return Ok(Permitted::Fields(fields));
            }
            (TypeBody::Union(own), Some(RemoteKind::Union { members })) => {
                self.directives(&definition.directives, ("Union", name), false)?;
                if let Some(names) = beyond(own.iter().map(|one| &*one.name), members) {
                    return self.refuse(format!(
                        "union \"{name}\" contains members which do not exist in the members of \
                         the remote schema union :{names}"
                    ));
                }
                return Ok(Permitted::Whole);
            }
            (TypeBody::Enum(own), Some(RemoteKind::Enum { values })) => {
                self.directives(&definition.directives, ("Enum", name), false)?;
                if let Some(names) = repeated(own.iter().map(|value| &*value.name)) {
                    return self.refuse(format!(
                        "duplicate enum values: {names} found in the \"{name}\" enum"
                    ));
                }
                let known: Vec<Box<str>> = values.iter().map(|value| value.name.clone()).collect();
                if let Some(names) = beyond(own.iter().map(|value| &*value.name), &known) {
                    self.errors.push(format!(
                        "enum \"{name}\" contains the following enum values that do not exist in \
                         the corresponding upstream remote enum: {names}"
                    ));
                }
                return Ok(Permitted::Enum(own.iter().map(|one| (&*one.name).into()).collect()));
            }
            (TypeBody::InputObject(own), Some(RemoteKind::Input { fields })) => {
                self.directives(&definition.directives, ("Input object", name), false)?;
                return Ok(Permitted::Input(self.inputs(own, fields, name)?));
            }
            (body, _) => {
                let kind = match body {
                    TypeBody::Scalar => "Scalar",
                    TypeBody::Object(_) => "Object",
                    TypeBody::Interface(_) => "Interface",
                    TypeBody::Union(_) => "Union",
                    TypeBody::Enum(_) => "Enum",
                    TypeBody::InputObject(_) => "Input object",
                };
                return self.refuse(format!(
                    "\"{kind}\": \"{name}\" does not exist in the upstream remote schema"
                ));
            }
        };
        self.directives(&definition.directives, (kind, name), false)?;
        Ok(permitted)
    }

    fn interfaces(&mut self, name: &str, own: &[Named], known: &[Box<str>]) {
        let is_declared = |one: &&Named| {
            let is_interface = |known: &&TypeDefinition| {
                known.name == one.name && matches!(known.body, TypeBody::Interface(_))
            };
            self.document.types.iter().any(|known| is_interface(&known))
        };
        let unknown = own.iter().filter(|one| !known.contains(&Box::from(&*one.name)));
        let (declared, others): (Vec<_>, Vec<_>) = unknown.partition(is_declared);
        if let Some(names) = english_list(declared.iter().map(|one| &*one.name)) {
            self.errors.push(format!(
                "custom interfaces are not supported. Object\"{name}\" implements the following \
                 custom interfaces: {names}"
            ));
        }
        if let Some(names) = english_list(others.iter().map(|one| &*one.name)) {
            self.errors.push(format!(
                "object \"{name}\" is trying to implement the following interfaces that do not \
                 exist in the corresponding upstream remote object: {names}"
            ));
        }
    }

    fn fields(
        &mut self,
        own: &Composite,
        known: &[RemoteField],
        (kind, name): (&str, &str),
    ) -> Result<BTreeMap<Box<str>, Inputs>, Stop> {
        if let Some(names) = repeated(own.fields.iter().map(|field| &*field.name)) {
            return self
                .refuse(format!("duplicate fields: {names}found in the \"{kind}\" \"{name}\""));
        }
        let mut permitted = BTreeMap::new();
        for field in &own.fields {
            let Some(upstream) = known.iter().find(|known| *known.name == *field.name) else {
                return self.refuse(format!(
                    "field \"{}\" does not exist in the \"{kind}\": \"{name}\"",
                    field.name
                ));
            };
            let inputs = self.field(field, upstream, (kind, name))?;
            permitted.insert((&*field.name).into(), inputs);
        }
        Ok(permitted)
    }

    fn field(
        &mut self,
        field: &FieldDefinition,
        upstream: &RemoteField,
        (kind, parent): (&str, &str),
    ) -> Result<Inputs, Stop> {
        let place = format!("{kind} field");
        self.directives(&field.directives, (&place, parent), false)?;
        self.same_type(&field.name, &place, &field.r#type, &upstream.r#type.to_string());
        self.inputs(&field.arguments, &upstream.arguments, &field.name)
    }

    fn same_type(&mut self, name: &str, place: &str, own: &TypeExpression, upstream: &str) {
        let own = own.to_string();
        if own != upstream {
            self.errors.push(format!(
                "expected type of \"{name}\"(\"{place}\") to be {upstream} but received {own}"
            ));
        }
    }

    /// The arguments of a field, or the fields of an input object type.
    fn inputs(
        &mut self,
        own: &[InputDefinition],
        known: &[RemoteInput],
        parent: &str,
    ) -> Result<Inputs, Stop> {
        if let Some(names) = repeated(own.iter().map(|input| &*input.name)) {
            return self
                .refuse(format!("duplicate arguments: {names}found in the field: \"{parent}\""));
        }
        let is_given =
            |name: &str| own.iter().any(|input| *input.name == *name && input.r#type.is_required());
        let missing = known.iter().filter(|one| one.r#type.is_required() && !is_given(&one.name));
        if let Some(names) = english_list(missing.map(|input| &*input.name)) {
            return self.refuse(format!(
                "field: \"{parent}\" expects the following non nullable arguments to be present: \
                 {names}"
            ));
        }
        let mut permitted = Inputs::new();
        for input in own {
            let Some(upstream) = known.iter().find(|known| *known.name == *input.name) else {
                return self.refuse(format!(
                    "input argument \"{}\" does not exist in the input object:\"{parent}\"",
                    input.name
                ));
            };
            permitted.insert((&*input.name).into(), self.input(input, upstream, parent)?);
        }
        Ok(permitted)
    }

    fn input(
        &mut self,
        input: &InputDefinition,
        upstream: &RemoteInput,
        parent: &str,
    ) -> Result<Option<Preset>, Stop> {
        let place = "Input object argument";
        let preset = self.directives(&input.directives, (place, parent), true)?;
        self.same_type(&input.name, place, &input.r#type, &upstream.r#type.to_string());
        let default = input.default.as_ref().map(Literal::constant);
        if default != upstream.default {
            let expected = upstream.default.as_ref().map(graphql::print_const).unwrap_or_default();
            let received = input.default.as_ref().map(shown).unwrap_or_default();
            self.errors.push(format!(
                "expected default value of input value: \"{}\"of input object \"{parent}\" to be \
                 {expected} but received {received}",
                input.name
            ));
        }
        match preset {
            Some(preset) => self.preset_of(preset, input).map(Some),
            None => Ok(None),
        }
    }

    /// The preset among directives, of which the server has no others.
    fn directives<'d>(
        &mut self,
        directives: &'d [Directive],
        (kind, name): (&str, &str),
        is_input: bool,
    ) -> Result<Option<&'d Directive>, Stop> {
        let (presets, others): (Vec<_>, Vec<_>) =
            directives.iter().partition(|directive| &*directive.name == "preset");
        if let Some(other) = others.first() {
            return self.refuse(format!(
                "\"Directive\": \"{}\" does not exist in the upstream remote schema",
                other.name
            ));
        }
        match presets.as_slice() {
            [] => Ok(None),
            [_] if !is_input => {
                self.errors.push(
                    "Preset directives can be defined only on INPUT_FIELD_DEFINITION or \
                     ARGUMENT_DEFINITION"
                        .to_owned(),
                );
                Ok(None)
            }
            [preset] => Ok(Some(preset)),
            [_, ..] => {
                self.refuse(format!("found multiple preset directives at \"{kind}\" \"{name}\""))
            }
        }
    }

    fn preset_of(
        &mut self,
        directive: &Directive,
        input: &InputDefinition,
    ) -> Result<Preset, Stop> {
        let find = |name: &str| {
            let mut arguments = directive.arguments.iter();
            arguments.find(|argument| &*argument.name == name).map(|argument| &argument.value)
        };
        if directive.arguments.is_empty() {
            return self.refuse("no arguments found in the preset directive".to_owned());
        }
        let Some(value) = find("value") else {
            return self
                .refuse(format!("preset argument \"value\" not found at \"{}\"", input.name));
        };
        let is_static = match find("static") {
            None => false,
            Some(Literal::Boolean(is_static)) => *is_static,
            Some(_) => {
                return self
                    .refuse("expected preset static value to be a Boolean value".to_owned());
            }
        };
        self.preset(&input.r#type, &input.name, is_static, value)
    }

    /// Recursion is bounded by the parser's limit.
    fn preset(
        &mut self,
        r#type: &TypeExpression,
        name: &str,
        is_static: bool,
        value: &Literal,
    ) -> Result<Preset, Stop> {
        let base = match (r#type, value) {
            (TypeExpression::Named { name, .. }, _) => &**name,
            (TypeExpression::List { of, .. }, Literal::List(items)) => {
                let items = items.iter().map(|item| self.preset(of, name, is_static, item));
                return Ok(Preset::List(items.collect::<Result<_, _>>()?));
            }
            (TypeExpression::List { .. }, Literal::String(text)) if is_session(text) => {
                return self.refuse(format!(
                    "illegal preset value at \"{name}\". Session arguments can only be set for \
                     singleton values"
                ));
            }
            (TypeExpression::List { of, .. }, _) => return self.preset(of, name, is_static, value),
        };
        let document = self.document;
        let definition = document.types.iter().find(|known| *known.name == *base);
        match definition.map(|known| &known.body) {
            None if BUILT_IN_SCALARS.contains(&base) => self.scalar_preset(base, is_static, value),
            Some(TypeBody::Scalar) => self.scalar_preset(base, is_static, value),
            Some(TypeBody::Enum(values)) => match value {
                Literal::Enum(one) if values.iter().any(|known| known.name == *one) => {
                    Ok(Preset::of_literal(value))
                }
                Literal::Enum(one) => {
                    self.refuse(format!("\"{one}\" not found in the enum: \"{base}\""))
                }
                Literal::String(text) if is_session(text) => {
                    let values = values.iter().map(|value| (&*value.name).into()).collect();
                    Ok(session(text, SessionForm::Enum(values)))
                }
                _ => self.refuse(expected(value, base, "an enum value")),
            },
            Some(TypeBody::InputObject(fields)) => {
                let Literal::Object(members) = value else {
                    return self.refuse(expected(value, base, "an input object value"));
                };
                let mut presets = Vec::with_capacity(members.len());
                for (name, value) in members {
                    let Some(field) = fields.iter().find(|field| field.name == *name) else {
                        return self.refuse(format!(
                            "\"{name}\" does not exist in the input object \"{base}\""
                        ));
                    };
                    let preset = self.preset(&field.r#type, name, is_static, value)?;
                    presets.push(((&**name).into(), preset));
                }
                Ok(Preset::Object(presets))
            }
            Some(TypeBody::Object(_) | TypeBody::Interface(_) | TypeBody::Union(_)) | None => self
                .refuse(format!(
                    "expected \"{base}\" to be an input type, but it's an output type"
                )),
        }
    }

    fn scalar_preset(
        &mut self,
        r#type: &str,
        is_static: bool,
        value: &Literal,
    ) -> Result<Preset, Stop> {
        match value {
            Literal::Enum(_) | Literal::List(_) | Literal::Object(_) => {
                self.refuse(expected(value, r#type, "a scalar value"))
            }
            Literal::String(text) if !is_static && is_session(text) => {
                let form = match r#type {
                    "Int" => SessionForm::Int,
                    "Float" => SessionForm::Float,
                    "Boolean" => SessionForm::Boolean,
                    _ => SessionForm::Text,
                };
                Ok(session(text, form))
            }
            _ => Ok(Preset::of_literal(value)),
        }
    }
}

fn expected(value: &Literal, r#type: &str, what: &str) -> String {
    format!("expected preset value \"{}\" of type \"{type}\" to be {what}", shown(value))
}

fn is_session(text: &str) -> bool {
    text.get(..SESSION.len()).is_some_and(|start| start.eq_ignore_ascii_case(SESSION))
}

fn session(variable: &str, form: SessionForm) -> Preset {
    Preset::Session { variable: variable.to_ascii_lowercase().into(), form }
}

fn shown(value: &Literal) -> String {
    graphql::print_const(&value.constant())
}

/// The names that are there several times, if there are some.
fn repeated<'n>(names: impl Iterator<Item = &'n str>) -> Option<String> {
    let (mut seen, mut found) = (BTreeSet::new(), BTreeSet::new());
    for name in names {
        if !seen.insert(name) {
            found.insert(name);
        }
    }
    english_list(found.into_iter())
}

/// The names that are not known, if there are some.
fn beyond<'n>(names: impl Iterator<Item = &'n str>, known: &[Box<str>]) -> Option<String> {
    english_list(names.filter(|name| !known.iter().any(|known| **known == **name)))
}

/// `"a"`, `"a" and "b"`, `"a", "b", and "c"`; `None` for no names.
fn english_list<'n>(names: impl Iterator<Item = &'n str>) -> Option<String> {
    let names: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
    match names.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        [one, two] => Some(format!("{one} and {two}")),
        [first @ .., last] => Some(format!("{}, and {last}", first.join(", "))),
    }
}
