//! Values, compared with the types that are expected of them.

use apollo_compiler::ast;

use super::given::InputValue;
use super::walk::{Stop, Walk};
use super::{Expected, Problem, Step};
use crate::BUILT_IN_SCALARS;
use crate::leniency::Leniency;
use crate::schema::{InputDefinition, InputId, TypeId, TypeKind, TypeRef};
use crate::text_inputs::value_of_text;

/// The place of a value.
#[derive(Clone, Copy)]
pub(super) struct ExpectedInput {
    expected: TypeRef,
    has_default: bool,
    refuses_null: bool,
    is_count: bool,
    /// True if a text of a number or a boolean is that value.
    reads_texts: bool,
}

impl<'d> Walk<'d> {
    /// The arguments of a field, or the fields of an input object: unknown ones first, then all known
    /// ones in the order of their definitions.
    pub(super) fn inputs(
        &mut self,
        inputs: &'d [InputId],
        given: &[(&'d str, InputValue<'d>)],
        object: Option<&str>,
    ) -> Result<(), Stop> {
        let schema = self.schema;
        for id in schema.inputs(inputs) {
            let definition = &schema.whole[id];
            let own = given.iter().find(|(name, _)| *name == &*definition.name);
            self.path.push(Step::Key((&*definition.name).into()));
            match own {
                Some((_, value)) => {
                    let place = ExpectedInput {
                        expected: definition.r#type,
                        has_default: definition.default.is_some(),
                        refuses_null: object.is_some_and(|object| {
                            (self.rules.refuses_null)(object, &definition.name)
                        }),
                        is_count: object.is_none() && (self.rules.is_count)(&definition.name),
                        reads_texts: schema.whole.text_inputs.contains(id),
                    };
                    self.value(place, *value)?;
                }
                None if is_required(definition) => {
                    return Err(Stop::of(Problem::MissingInput {
                        name: (&*definition.name).into(),
                    }));
                }
                None => {}
            }
            self.path.pop();
        }
        Ok(())
    }

    fn value(&mut self, place: ExpectedInput, given: InputValue<'d>) -> Result<(), Stop> {
        self.step()?;
        let InputValue::Literal(ast::Value::Variable(name)) = given else {
            return self.given(place, given);
        };
        let Some(definition) = self.variables.iter().find(|one| one.name == *name) else {
            let name = name.as_str().into();
            return Err(Stop::at_root(Problem::UndefinedVariable { name }));
        };
        let has_default = place.has_default
            || definition.default_value.as_deref().is_some_and(|value| !value.is_null());
        let expected = self.print(place.expected);
        let leniency = self.schema.whole.leniency;
        if !is_compatible(&definition.ty, &expected, has_default, leniency) {
            return Err(Stop::of(Problem::VariableType {
                name: name.as_str().into(),
                declared: definition.ty.to_string().into(),
                expected: expected.into(),
            }));
        }
        match self.values.get(name.as_str()) {
            // A null is no value of the variable, where its place may be null or not.
            Some(value) if definition.ty.is_non_null() => {
                let place = ExpectedInput { expected: place.expected.non_null(), ..place };
                self.given(place, InputValue::Json(value))
            }
            Some(value) => self.given(place, InputValue::Json(value)),
            None => match definition.default_value.as_deref() {
                Some(value) => self.given(place, InputValue::Literal(value)),
                None => Ok(()),
            },
        }
    }

    fn given(&mut self, place: ExpectedInput, given: InputValue<'d>) -> Result<(), Stop> {
        let expected = place.expected;
        if let Some(item) = expected.item() {
            if given.is_null() {
                return match expected.is_non_null() || place.refuses_null {
                    true => Err(Stop::of(Problem::NullList)),
                    false => Ok(()),
                };
            }
            let place = ExpectedInput { expected: item, has_default: false, ..place };
            let elements = given.elements().unwrap_or_else(|| vec![given]);
            for (index, element) in elements.into_iter().enumerate() {
                self.path.push(Step::Index(index));
                self.value(place, element)?;
                self.path.pop();
            }
            return Ok(());
        }
        if given.is_null() && !expected.is_non_null() {
            let r#type = (&*self.schema.whole[expected.base].name).into();
            return match place.refuses_null {
                true => Err(Stop::of(Problem::UnexpectedNull { r#type })),
                false => Ok(()),
            };
        }
        self.named(expected.base, place, given)
    }

    fn named(
        &mut self,
        id: TypeId,
        place: ExpectedInput,
        given: InputValue<'d>,
    ) -> Result<(), Stop> {
        let schema = self.schema;
        let definition = &schema.whole[id];
        let name = &*definition.name;
        match &definition.kind {
            TypeKind::Scalar => {
                let text = given.text().filter(|_| place.reads_texts);
                if text.and_then(|text| value_of_text(name, text)).is_some() {
                    return Ok(());
                }
                scalar(name, place.is_count, given)?;
                self.custom(name, given)
            }
            TypeKind::Enum { values } => {
                let Some(found) = given.enum_value() else {
                    return wrong(Expected::Enum, name, given);
                };
                if schema.find_enum_value(id, found).is_some() {
                    return Ok(());
                }
                let known = schema.values(values);
                let known = known.map(|value| (&*schema.whole[value].name).into()).collect();
                let (r#type, found) = (name.into(), found.into());
                Err(Stop::of(Problem::UnknownEnumValue { name: found, r#type, known }))
            }
            TypeKind::InputObject { fields } => {
                let Some(given) = given.fields() else {
                    return wrong(Expected::Object, name, given);
                };
                for (field, _) in &given {
                    if schema.find_input_field(id, field).is_none() {
                        self.path.push(Step::Key((*field).into()));
                        let (field, r#type) = ((*field).into(), name.into());
                        return Err(Stop::of(Problem::UnknownInputField { name: field, r#type }));
                    }
                }
                self.inputs(fields, &given, Some(name))
            }
            // Validation rejects variables and inputs of output types.
            TypeKind::Object { .. } | TypeKind::Interface { .. } | TypeKind::Union { .. } => Ok(()),
        }
    }
}

impl Walk<'_> {
    /// A value of a custom scalar, which the dialect reads.
    fn custom(&self, name: &str, given: InputValue<'_>) -> Result<(), Stop> {
        if BUILT_IN_SCALARS.contains(&name) {
            return Ok(());
        }
        let json = given.json(self.values).to_string();
        match (self.rules.unreadable)(name, &json) {
            Some(message) => Err(Stop::of(Problem::Unreadable { message: message.into() })),
            None => Ok(()),
        }
    }
}

fn is_required(definition: &InputDefinition) -> bool {
    definition.r#type.is_non_null() && definition.default.is_none()
}

fn wrong(expected: Expected, r#type: &str, given: InputValue<'_>) -> Result<(), Stop> {
    let (r#type, found) = (r#type.into(), given.found());
    Err(Stop::of(Problem::WrongValue { expected, r#type, found }))
}

/// A value of a built-in scalar; custom ones accept any value until it is used. A null is no value of
/// a custom scalar either.
fn scalar(name: &str, is_count: bool, given: InputValue<'_>) -> Result<(), Stop> {
    use super::ValueKind;
    let found = given.found();
    let (expected, is_right) = match (name, found) {
        ("Boolean", found) => (Expected::Boolean, found == ValueKind::Boolean),
        ("String", found) => (Expected::String, found == ValueKind::String),
        ("Float", found) => (
            Expected::Float,
            matches!(found, ValueKind::Integer | ValueKind::Float | ValueKind::Number),
        ),
        ("ID", found) => (
            Expected::Identifier,
            matches!(found, ValueKind::String | ValueKind::Integer | ValueKind::Number),
        ),
        ("Int", ValueKind::Integer | ValueKind::Number) => return integer(name, is_count, given),
        ("Int", _) => (if is_count { Expected::Count } else { Expected::Integer }, false),
        (_, ValueKind::Null) => {
            return Err(Stop::of(Problem::UnexpectedNull { r#type: name.into() }));
        }
        _ => return Ok(()),
    };
    match is_right {
        true => Ok(()),
        false => wrong(expected, name, given),
    }
}

fn integer(name: &str, is_count: bool, given: InputValue<'_>) -> Result<(), Stop> {
    let number = given.number().unwrap_or_default();
    // Every integer of 32 bits is exact as a floating point number, and others compare as such.
    let value = number.parse::<f64>().unwrap_or(f64::NAN);
    if is_count && value < 0.0 {
        return wrong(Expected::Count, name, given);
    }
    let is_integer =
        value.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&value);
    match is_integer {
        true => Ok(()),
        false => Err(Stop::of(Problem::NoInteger { number: number.into() })),
    }
}

/// <https://spec.graphql.org/draft/#IsVariableUsageAllowed()>, on the texts of the types: those of a
/// document need not be in the schema.
fn is_compatible(
    declared: &ast::Type,
    expected: &str,
    has_default: bool,
    leniency: Leniency,
) -> bool {
    let declared = declared.to_string();
    let fits = |expected| fits(&declared, expected, leniency);
    fits(expected) || (has_default && fits(expected.trim_end_matches('!')))
}

/// <https://spec.graphql.org/draft/#AreTypesCompatible()>
fn fits(declared: &str, expected: &str, leniency: Leniency) -> bool {
    match (declared.strip_suffix('!'), expected.strip_suffix('!')) {
        (Some(declared), Some(expected)) => fits(declared, expected, leniency),
        (Some(declared), None) => fits(declared, expected, leniency),
        (None, Some(_)) => false,
        (None, None) => match (within_list(declared), within_list(expected)) {
            (Some(declared), Some(expected)) if leniency.nullable_items => {
                fits(declared, expected.trim_end_matches('!'), leniency)
            }
            (Some(declared), Some(expected)) => fits(declared, expected, leniency),
            (None, None) => declared == expected,
            (Some(_), None) | (None, Some(_)) => false,
        },
    }
}

fn within_list(text: &str) -> Option<&str> {
    text.strip_prefix('[')?.strip_suffix(']')
}
