//! What roles see of remote schemas, as positions of the API, and the values of inputs that they
//! cannot give.

use std::collections::BTreeMap;
use std::sync::Arc;

use api::Api;
use graphql::Position;
use graphql::schema::{FieldId, InputId, TypeId, TypeKind};
use http_resolvers::body::BodyTemplate;
use http_resolvers::preset::Presets;
use http_resolvers::remote_path::RemoteStep;
use http_resolvers::remote_schema::{RemoteInput, RemoteKind, RemoteSchema};
use rustc_hash::FxHashSet;

use super::{Remote, ServedSchema};
use crate::remote_permission::{Inputs, RemotePermission};

/// The permissions of a role by the names of remote schemas.
pub(crate) type RemotePermissions = BTreeMap<Box<str>, Arc<RemotePermission>>;

/// The parts of the API that were made for relationships.
#[derive(Debug, Default)]
pub(crate) struct Origins {
    relationships: Vec<RelationshipOrigin>,
    /// New types of inputs: the name, the index of the remote schema, and its type.
    inputs: Vec<(String, usize, Box<str>)>,
}

/// A relationship that leads to a remote schema.
#[derive(Debug)]
pub(super) struct RelationshipOrigin {
    /// The type and the field in the API.
    pub(super) object: String,
    pub(super) field: String,
    /// The index of the remote schema.
    pub(super) schema: usize,
    pub(super) steps: Vec<RemoteStep>,
    /// True if its value is asked by a document of the API, which has visible arguments only.
    pub(super) is_document: bool,
    /// The fields by which rows of another source are found, if a remote schema has them.
    pub(super) keys: Option<RelationshipKeys>,
}

/// Fields of a type of a remote schema.
#[derive(Debug)]
pub(super) struct RelationshipKeys {
    /// The name of the remote schema.
    pub(super) schema: Box<str>,
    pub(super) r#type: Box<str>,
    pub(super) fields: Vec<Box<str>>,
}

impl RelationshipKeys {
    fn are_permitted(&self, permissions: &RemotePermissions) -> bool {
        let permission = permissions.get(&self.schema);
        permission.is_some_and(|permission| {
            self.fields.iter().all(|field| permission.arguments(&self.r#type, field).is_some())
        })
    }
}

impl Origins {
    pub(super) fn add(&mut self, origin: RelationshipOrigin, derived: Vec<(String, Box<str>)>) {
        let schema = origin.schema;
        self.inputs.extend(derived.into_iter().map(|(name, own)| (name, schema, own)));
        self.relationships.push(origin);
    }
}

/// The positions of remote schemas in an API.
#[derive(Debug)]
pub(crate) struct RemoteAccess<'r> {
    api: &'r Api,
    remote: &'r Remote<'r>,
    all: FxHashSet<Position>,
    /// False if every role sees everything.
    has_permissions: bool,
}

/// What one role sees of them.
#[derive(Debug)]
pub(crate) struct RemoteView<'r> {
    access: &'r RemoteAccess<'r>,
    permitted: FxHashSet<Position>,
    /// Positions of types of several remote schemas that a permission on one of them does not have.
    denied: FxHashSet<Position>,
    /// Fields that may be null for the role although the schema says otherwise.
    nullable: FxHashSet<FieldId>,
    pub(crate) presets: Presets,
}

impl<'r> RemoteAccess<'r> {
    pub(crate) fn new(api: &'r Api, remote: &'r Remote<'r>, has_permissions: bool) -> Self {
        let mut access = Self { api, remote, all: FxHashSet::default(), has_permissions };
        let mut all = FxHashSet::default();
        access.visit(&mut |_, position, _| {
            all.insert(position);
        });
        access.all = all;
        access
    }

    /// The view of a role with these permissions.
    pub(crate) fn view(&'r self, permissions: &RemotePermissions) -> RemoteView<'r> {
        let mut presets = Presets::default();
        let (mut permitted, mut denied) = (FxHashSet::default(), FxHashSet::default());
        let mut nullable = FxHashSet::default();
        self.visit(&mut |served, position, origin| {
            // What roles see of a source is always decided.
            if !self.has_permissions && served.source.is_none() {
                permitted.insert(position);
                return;
            }
            let permission = permissions.get(&*served.definition.name.text);
            let Some(permission) = permission else { return };
            if let (Position::Field(id), Origin::Field { r#type, field }) = (position, &origin)
                && permission.is_nullable(r#type, field)
            {
                nullable.insert(id);
            }
            let is_allowed = match origin {
                Origin::Field { r#type, field } => permission.arguments(r#type, field).is_some(),
                Origin::Path(origin) => {
                    is_permitted(permission, served.schema, origin)
                        && origin.keys.iter().all(|keys| keys.are_permitted(permissions))
                }
                Origin::Input { inputs, input } => {
                    let inputs = match inputs {
                        InputsOf::Field { r#type, field } => permission.arguments(r#type, field),
                        InputsOf::Type(r#type) => permission.input_fields(r#type),
                    };
                    let preset = inputs.and_then(|known| known.get(&*input.name));
                    let given = preset
                        .and_then(|preset| permission.given(preset.as_ref(), &input.r#type.name));
                    if let (Position::Input(id), Some(given)) = (position, given) {
                        presets.insert(id, given);
                    }
                    preset.is_some()
                }
                Origin::Value { r#type, value } => permission.has_value(r#type, value),
            };
            match (is_allowed, served.source) {
                (true, _) => permitted.insert(position),
                (false, None) => denied.insert(position),
                // The inputs that sources share are those of all of them.
                (false, Some(_)) => false,
            };
        });
        RemoteView { access: self, permitted, denied, nullable, presets }
    }

    /// Visits all positions with their origins.
    fn visit(&self, visit: &mut impl FnMut(&ServedSchema<'_>, Position, Origin<'_>)) {
        let schema = &self.api.schema;
        for served in &self.remote.served {
            let names = served.names;
            for (own_type, known) in served.visible_types() {
                if served.shared.contains(&**own_type) {
                    continue;
                }
                let Some(id) = schema.find_type(&names.r#type(own_type)) else { continue };
                match &known.kind {
                    RemoteKind::Scalar | RemoteKind::Union { .. } => {}
                    RemoteKind::Enum { values } => {
                        for value in values {
                            if let Some(found) = schema.find_enum_value(id, &value.name) {
                                let origin = Origin::Value { r#type: own_type, value: &value.name };
                                visit(served, Position::EnumValue(found), origin);
                            }
                        }
                    }
                    RemoteKind::Input { fields } => {
                        self.visit_type(served, id, (own_type, fields), visit);
                    }
                    RemoteKind::Object { fields, .. } | RemoteKind::Interface { fields, .. } => {
                        for field in fields {
                            let name = names.field(own_type, &field.name);
                            let Some(found) = schema.find_field(id, &name) else { continue };
                            let (r#type, field_name) = (own_type, &field.name);
                            let origin = Origin::Field { r#type, field: field_name };
                            visit(served, Position::Field(found), origin);
                            for input in &field.arguments {
                                let Some(found) = schema.find_argument(found, &input.name) else {
                                    continue;
                                };
                                let inputs = InputsOf::Field { r#type, field: field_name };
                                let origin = Origin::Input { inputs, input };
                                visit(served, Position::Input(found), origin);
                            }
                        }
                    }
                }
            }
        }
        self.visit_relationships(visit);
    }

    fn visit_relationships(&self, visit: &mut impl FnMut(&ServedSchema<'_>, Position, Origin<'_>)) {
        let schema = &self.api.schema;
        for origin in &self.remote.origins.relationships {
            let Some(served) = self.remote.served.get(origin.schema) else { continue };
            let object = schema.find_type(&origin.object);
            let field = object.and_then(|object| schema.find_field(object, &origin.field));
            let (Some(field), Some(last)) = (field, origin.steps.last()) else { continue };
            visit(served, Position::Field(field), Origin::Path(origin));
            let known = served.schema.fields(&last.r#type).iter();
            let known = known.filter(|known| known.name == last.field);
            for input in known.flat_map(|known| &known.arguments) {
                let Some(found) = schema.find_argument(field, &input.name) else { continue };
                let inputs = InputsOf::Field { r#type: &last.r#type, field: &last.field };
                visit(served, Position::Input(found), Origin::Input { inputs, input });
            }
        }
        for (name, number, own) in &self.remote.origins.inputs {
            let Some(served) = self.remote.served.get(*number) else { continue };
            let kind = served.schema.types.get(own).map(|known| &known.kind);
            if let (Some(id), Some(RemoteKind::Input { fields })) = (schema.find_type(name), kind) {
                self.visit_type(served, id, (own, fields), visit);
            }
        }
    }

    fn visit_type(
        &self,
        served: &ServedSchema<'_>,
        id: TypeId,
        (own, inputs): (&str, &[RemoteInput]),
        visit: &mut impl FnMut(&ServedSchema<'_>, Position, Origin<'_>),
    ) {
        let schema = &self.api.schema;
        if !matches!(schema[id].kind, TypeKind::InputObject { .. }) {
            return;
        }
        for input in inputs {
            if let Some(found) = schema.find_input_field(id, &input.name) {
                let origin = Origin::Input { inputs: InputsOf::Type(own), input };
                visit(served, Position::Input(found), origin);
            }
        }
    }
}

impl RemoteView<'_> {
    /// True for a field that may be null for the role although the schema says otherwise.
    pub(crate) fn is_nullable(&self, id: FieldId) -> bool {
        self.nullable.contains(&id)
    }

    /// True if the role sees a position; `None` if it is none of a remote schema.
    pub(crate) fn allows(&self, position: Position) -> Option<bool> {
        let is_preset = |id: InputId| self.access.has_permissions && self.presets.contains_key(&id);
        self.access.all.contains(&position).then(|| match position {
            Position::Input(id) if is_preset(id) => false,
            _ if self.denied.contains(&position) => false,
            _ => self.permitted.contains(&position),
        })
    }
}

/// What a position is at its server.
enum Origin<'o> {
    Field { r#type: &'o str, field: &'o str },
    Path(&'o RelationshipOrigin),
    Input { inputs: InputsOf<'o>, input: &'o RemoteInput },
    Value { r#type: &'o str, value: &'o str },
}

#[derive(Clone, Copy)]
enum InputsOf<'o> {
    Field { r#type: &'o str, field: &'o str },
    Type(&'o str),
}

/// True if a role may use all fields of a path, with the arguments that the relationship gives.
fn is_permitted(
    permission: &RemotePermission,
    schema: &RemoteSchema,
    origin: &RelationshipOrigin,
) -> bool {
    origin.steps.iter().all(|step| {
        let known = schema.fields(&step.r#type).iter().find(|known| known.name == step.field);
        let arguments = permission.arguments(&step.r#type, &step.field);
        let (Some(known), Some(permitted)) = (known, arguments) else { return false };
        let of_role = OfRole { permission, schema, may_be_preset: !origin.is_document };
        of_role.permits(&step.given, permitted, &known.arguments)
    })
}

/// The check of given values.
struct OfRole<'p> {
    permission: &'p RemotePermission,
    schema: &'p RemoteSchema,
    may_be_preset: bool,
}

impl OfRole<'_> {
    /// Recursion is bounded by the depth of metadata.
    fn permits(&self, given: &BodyTemplate, permitted: &Inputs, known: &[RemoteInput]) -> bool {
        let BodyTemplate::Object(members) = given else { return true };
        members.iter().all(|(name, value)| {
            let input = known.iter().find(|input| input.name == *name);
            let (Some(preset), Some(input)) = (permitted.get(name), input) else { return false };
            (preset.is_none() || self.may_be_preset) && self.permits_value(value, input)
        })
    }

    fn permits_value(&self, value: &BodyTemplate, input: &RemoteInput) -> bool {
        match value {
            BodyTemplate::Input(_) | BodyTemplate::Value(_) => true,
            BodyTemplate::List(items) => items.iter().all(|item| self.permits_value(item, input)),
            BodyTemplate::Object(_) => {
                let r#type = &input.r#type.name;
                let known = self.schema.types.get(r#type).map(|known| &known.kind);
                // Any JSON.
                if known == Some(&RemoteKind::Scalar) {
                    return true;
                }
                let (Some(permitted), Some(RemoteKind::Input { fields })) =
                    (self.permission.input_fields(r#type), known)
                else {
                    return false;
                };
                self.permits(value, permitted, fields)
            }
        }
    }
}
