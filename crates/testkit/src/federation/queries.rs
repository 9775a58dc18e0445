//! Operations over an API, by decisions read from a tape.

use std::collections::BTreeSet;

use graphql::does_fragment_type_apply;
use graphql::schema::{FieldId, InputId, Schema, TypeId, TypeKind, TypeRef};
use serde_json::{Map, Value as Json, json};

use crate::fuzz::Choices;

/// Selections of one operation, about.
const MOST: usize = 50;
const DEEPEST: usize = 6;

/// An operation and its variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    pub text: String,
    /// A JSON object.
    pub variables: String,
}

/// Makes an operation. With names of their own all fields stand side by side; without, some may not,
/// and the operation is not always a valid one.
pub fn make(schema: &Schema, choices: &mut Choices<'_>, own_names: bool) -> Made {
    let mut maker = Maker {
        schema,
        choices,
        own_names,
        left: MOST,
        names: 0,
        text: String::new(),
        definitions: Vec::new(),
        values: Map::new(),
    };
    let mutation = schema.mutation.filter(|_| maker.choices.chance(15));
    let keyword = if mutation.is_some() { "mutation" } else { "query" };
    if let Some(root) = mutation.or(schema.query) {
        maker.selection_set(root, 0);
    }
    let name = if maker.choices.chance(50) { " Made" } else { "" };
    let Maker { text, definitions, values, .. } = maker;
    let variables = Json::Object(values).to_string();
    let definitions = match definitions.is_empty() {
        true => String::new(),
        false => format!("({})", definitions.join(", ")),
    };
    Made { text: [keyword, name, &definitions, &text].concat(), variables }
}

struct Maker<'m, 't> {
    schema: &'m Schema,
    choices: &'m mut Choices<'t>,
    own_names: bool,
    left: usize,
    names: usize,
    text: String,
    /// Definitions of variables.
    definitions: Vec<String>,
    values: Map<String, Json>,
}

impl Maker<'_, '_> {
    fn selection_set(&mut self, parent: TypeId, depth: usize) {
        self.text.push('{');
        let fields = self.fields(parent, depth);
        let start = self.text.len();
        let few = 1 + self.choices.below(if depth < 2 { 5 } else { 4 });
        for _ in 0..few {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            match self.choices.below(10) {
                0 => self.typename(),
                1 | 2 => self.fragment(parent, depth, &fields),
                3 if fields.is_empty() => self.typename(),
                _ if fields.is_empty() => self.fragment(parent, depth, &fields),
                _ => {
                    if let Some(field) = self.choices.pick(&fields).copied() {
                        self.field(field, depth);
                    }
                }
            }
        }
        if self.text.len() == start {
            self.text.push_str(" __typename");
        }
        self.text.push('}');
    }

    /// The fields that can be selected at a depth.
    fn fields(&self, parent: TypeId, depth: usize) -> Vec<FieldId> {
        let (TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. }) =
            &self.schema[parent].kind
        else {
            return Vec::new();
        };
        let is_asked =
            |field: &&FieldId| depth < DEEPEST || !self.is_composite(self.schema[**field].r#type);
        fields.iter().filter(is_asked).copied().collect()
    }

    fn is_composite(&self, r#type: TypeRef) -> bool {
        matches!(
            self.schema[r#type.base].kind,
            TypeKind::Object { .. } | TypeKind::Interface { .. } | TypeKind::Union { .. }
        )
    }

    fn typename(&mut self) {
        self.text.push(' ');
        self.alias("__typename", 20);
        self.text.push_str("__typename");
    }

    /// A name of its own for a field, always or now and then.
    fn alias(&mut self, name: &str, percent: usize) {
        if self.own_names || self.choices.chance(percent) {
            self.names += 1;
            // Names that others have, too, so that merging is tried.
            let name = match self.own_names || self.choices.chance(50) {
                true => format!("a{}: ", self.names),
                false => format!("{}_: ", name.trim_start_matches('_')),
            };
            self.text.push_str(&name);
        }
    }

    fn field(&mut self, field: FieldId, depth: usize) {
        let schema = self.schema;
        let definition = &schema[field];
        self.text.push(' ');
        let has_arguments = !definition.arguments.is_empty();
        self.alias(&definition.name, if has_arguments { 60 } else { 10 });
        self.text.push_str(&definition.name);
        let mut separator = '(';
        for argument in &definition.arguments {
            if self.argument(*argument, separator) {
                separator = ',';
            }
        }
        if separator == ',' {
            self.text.push(')');
        }
        self.directive();
        if self.is_composite(definition.r#type) {
            self.selection_set(definition.r#type.base, depth + 1);
        }
    }

    fn argument(&mut self, argument: InputId, separator: char) -> bool {
        let definition = &self.schema[argument];
        let is_required = definition.r#type.is_non_null() && definition.default.is_none();
        if !is_required && self.choices.chance(50) {
            return false;
        }
        let value = self.value(definition.r#type, 0);
        let value = if self.choices.chance(30) {
            self.variable(definition.r#type, value)
        } else {
            literal(self.schema, definition.r#type, &value)
        };
        self.text.push(separator);
        self.text.push_str(&definition.name);
        self.text.push_str(": ");
        self.text.push_str(&value);
        true
    }

    /// Gives a value by a variable; where a value may be absent, sometimes it is.
    fn variable(&mut self, r#type: TypeRef, value: Json) -> String {
        let name = format!("v{}", self.definitions.len());
        let printed = graphql::print_type(self.schema, r#type);
        let mut definition = format!("${name}: {printed}");
        match self.choices.below(8) {
            0 if !r#type.is_non_null() => {}
            1 => {
                definition.push_str(" = ");
                definition.push_str(&literal(self.schema, r#type, &value));
            }
            _ => {
                self.values.insert(name.clone(), value);
            }
        }
        self.definitions.push(definition);
        format!("${name}")
    }

    fn directive(&mut self) {
        if !self.choices.chance(8) {
            return;
        }
        let directive = if self.choices.chance(50) { " @skip(if: " } else { " @include(if: " };
        let value = self.choices.chance(50);
        self.text.push_str(directive);
        if self.choices.chance(50) {
            let name = format!("v{}", self.definitions.len());
            self.definitions.push(format!("${name}: Boolean!"));
            self.values.insert(name.clone(), value.into());
            self.text.push('$');
            self.text.push_str(&name);
        } else {
            self.text.push_str(if value { "true" } else { "false" });
        }
        self.text.push(')');
    }

    /// A fragment on a type that some objects of the parent have.
    fn fragment(&mut self, parent: TypeId, depth: usize, fields: &[FieldId]) {
        let own = self.objects(parent);
        let types = self.schema.types().map(|(id, _)| id);
        let common = types.filter(|id| !self.objects(*id).is_disjoint(&own));
        let mut common: Vec<TypeId> = common.collect();
        // Of an object there is little but itself.
        if own.len() == 1 && !fields.is_empty() && self.choices.chance(60) {
            common = vec![parent];
        }
        let Some(on) = self.choices.pick(&common).copied() else { return self.typename() };
        if depth > DEEPEST + 2 {
            return self.typename();
        }
        self.text.push_str(" ... on ");
        self.text.push_str(&self.schema[on].name);
        self.directive();
        self.selection_set(on, depth + 1);
    }

    fn objects(&self, r#type: TypeId) -> BTreeSet<TypeId> {
        let all = self.schema.types().filter(|(id, definition)| {
            matches!(definition.kind, TypeKind::Object { .. })
                && does_fragment_type_apply(self.schema, *id, r#type)
        });
        all.map(|(id, _)| id).collect()
    }

    fn value(&mut self, r#type: TypeRef, depth: usize) -> Json {
        if !r#type.is_non_null() && self.choices.chance(10) {
            return Json::Null;
        }
        if let Some(item) = r#type.item() {
            let length = self.choices.below(3);
            return (0..length).map(|_| self.value(item, depth)).collect();
        }
        let schema = self.schema;
        let definition = &schema[r#type.base];
        match (&definition.kind, &*definition.name) {
            (TypeKind::Enum { values }, _) => {
                let value = self.choices.pick(values);
                value.map_or(Json::Null, |value| (&*schema[*value].name).into())
            }
            (TypeKind::InputObject { fields }, _) => {
                let mut members = Map::new();
                for field in fields {
                    let field = &schema[*field];
                    let is_required = field.r#type.is_non_null() && field.default.is_none();
                    if is_required || (depth < 3 && self.choices.chance(50)) {
                        members.insert(field.name.to_string(), self.value(field.r#type, depth + 1));
                    }
                }
                Json::Object(members)
            }
            (_, "Int") => self.choices.below(5).into(),
            (_, "Float") => [json!(0.5), json!(2), json!(1e3)][self.choices.below(3)].clone(),
            (_, "Boolean") => self.choices.chance(50).into(),
            (_, _) => ["s", "\"ä\\ \n", "1"][self.choices.below(3)].into(),
        }
    }
}

/// JSON in the notation of a document.
fn literal(schema: &Schema, r#type: TypeRef, value: &Json) -> String {
    let definition = &schema[r#type.base];
    match value {
        Json::Array(items) => {
            let item = r#type.item().unwrap_or(r#type);
            let items: Vec<String> = items.iter().map(|one| literal(schema, item, one)).collect();
            format!("[{}]", items.join(", "))
        }
        Json::Object(members) => {
            let members = members.iter().map(|(name, value)| {
                let field = schema.find_input_field(r#type.base, name);
                let r#type = field.map_or(r#type, |field| schema[field].r#type);
                format!("{name}: {}", literal(schema, r#type, value))
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        }
        Json::String(name) if matches!(definition.kind, TypeKind::Enum { .. }) => name.clone(),
        value => value.to_string(),
    }
}
