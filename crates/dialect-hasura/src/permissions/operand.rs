//! Values of permissions: literals, session variables, and both in lists.

use std::sync::{Arc, LazyLock};

use catalog::{Catalog, Scalar, SpatialKind, Type};
use geojson::{Geometry, check_raster};
use hasura_metadata::types::expression::{Operand, SessionVariable};
use hasura_metadata::types::permission::ColumnPreset;
use hasura_metadata::{Json, Location, Problem};
use ir::{TextValue, Value, ValueForm};

use super::tables::problem;

/// The type of the values that a value is compared with, or stored in.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueType<'c> {
    catalog: &'c Catalog,
    r#type: &'c Type,
}

impl<'c> ValueType<'c> {
    pub(super) fn new(catalog: &'c Catalog, r#type: &'c Type) -> Self {
        Self { catalog, r#type: catalog.base_type(r#type) }
    }

    /// The type of keys of JSON.
    pub(super) fn text_type(self) -> Self {
        static TEXT: Type = Type::Scalar(Scalar::Text);
        Self { r#type: &TEXT, ..self }
    }

    fn element(self) -> Option<Self> {
        match self.r#type {
            Type::List(element) => Some(Self::new(self.catalog, element)),
            _ => None,
        }
    }

    /// The type of a value that a text of a session variable is.
    fn of_text(self) -> TextValue {
        match self.r#type {
            Type::Scalar(Scalar::Boolean) => TextValue::Boolean,
            Type::Scalar(Scalar::Int16 | Scalar::Int32 | Scalar::Int64) => TextValue::Integer,
            Type::Scalar(Scalar::Float32 | Scalar::Float64 | Scalar::Decimal { .. }) => {
                TextValue::Number
            }
            Type::Scalar(Scalar::Json | Scalar::Jsonb) => TextValue::Json,
            _ => TextValue::Text,
        }
    }

    /// The value of an operand.
    pub(super) fn value(self, operand: &Operand, place: &Location) -> Result<ir::Operand, Problem> {
        match operand {
            Operand::Session(variable) => Ok(self.session(variable)),
            Operand::Literal(Json::Null) => Err(problem(
                place,
                "A value is compared with null, which is never true: write `_is_null`.",
            )),
            Operand::Literal(json) => self.literal(json, place),
            Operand::List(items) => match self.element() {
                Some(element) => element.list(items, place),
                None => Err(problem(place, "A single value is wanted, not a list.")),
            },
            Operand::Column(_) | Operand::Cast(_) => Err(problem(place, "A value is wanted here.")),
        }
    }

    /// A list of values, of which one is compared.
    pub(super) fn values(
        self,
        operand: &Operand,
        place: &Location,
    ) -> Result<ir::Operand, Problem> {
        match operand {
            Operand::Session(variable) => Ok(self.session_list(variable)),
            Operand::Literal(Json::Array(items)) => {
                let items = items.iter().map(|item| match item {
                    Json::Null => Err(problem(place, "A list of compared values has a null.")),
                    item => self.literal(item, place),
                });
                Ok(ir::Operand::List(items.collect::<Result<_, _>>()?))
            }
            Operand::List(items) => self.list(items, place),
            Operand::Literal(_) | Operand::Column(_) | Operand::Cast(_) => {
                Err(problem(place, "A list, or a session variable, is wanted."))
            }
        }
    }

    fn list(self, items: &[Operand], place: &Location) -> Result<ir::Operand, Problem> {
        let items = items.iter().map(|item| self.value(item, place));
        Ok(ir::Operand::List(items.collect::<Result<_, _>>()?))
    }

    /// The value of a preset.
    pub(super) fn preset(
        self,
        preset: &ColumnPreset,
        place: &Location,
    ) -> Result<ir::Operand, Problem> {
        match preset {
            ColumnPreset::Session(variable) => Ok(self.session(variable)),
            ColumnPreset::Literal(Json::Null) => Ok(ir::Operand::Constant(Value::Null)),
            ColumnPreset::Literal(json) => self.literal(json, place),
        }
    }

    fn session(self, variable: &SessionVariable) -> ir::Operand {
        match (self.element(), self.spatial()) {
            (Some(element), _) => element.session_list(variable),
            (None, Some(kind)) => formed(claim(variable), ValueForm::Spatial(kind)),
            (None, None) => formed(claim(variable), ValueForm::Text(self.of_text())),
        }
    }

    fn session_list(self, variable: &SessionVariable) -> ir::Operand {
        formed(claim(variable), ValueForm::TextArray(self.of_text()))
    }

    /// The type of PostGIS, if it is one.
    fn spatial(self) -> Option<SpatialKind> {
        match self.r#type {
            Type::Scalar(Scalar::Spatial(own)) => Some(own.kind),
            _ => None,
        }
    }

    fn literal(self, json: &Json, place: &Location) -> Result<ir::Operand, Problem> {
        if let Some(kind) = self.spatial() {
            return spatial(kind, json, place);
        }
        let wanted = self.of_text();
        let constant = |value| Ok(ir::Operand::Constant(value));
        if wanted == TextValue::Json {
            return constant(Value::Json(json.compact().into()));
        }
        if let Some(element) = self.element() {
            return match json {
                Json::Array(items) => {
                    let items = items.iter().map(|item| element.literal(item, place));
                    Ok(ir::Operand::List(items.collect::<Result<_, _>>()?))
                }
                Json::String(text) => {
                    let text = ir::Operand::Constant(Value::Text(text.as_str().into()));
                    Ok(formed(text, ValueForm::TextArray(element.of_text())))
                }
                _ => Err(self.unfit(json, place)),
            };
        }
        match (json, wanted) {
            (Json::Null, _) => constant(Value::Null),
            (Json::Bool(value), TextValue::Boolean) => constant(Value::Boolean(*value)),
            (Json::Number(number), TextValue::Integer) => match number.as_i64() {
                Some(number) => constant(Value::Integer(number)),
                None => Err(self.unfit(json, place)),
            },
            (Json::Number(number), TextValue::Number) => constant(match number.as_i64() {
                Some(number) => Value::Integer(number),
                None => Value::Number(number.to_string().into()),
            }),
            (Json::Number(number), TextValue::Text) => {
                constant(Value::Text(number.to_string().into()))
            }
            (Json::Bool(value), TextValue::Text) => constant(Value::Text(value.to_string().into())),
            (Json::String(text), TextValue::Text) => constant(Value::Text(text.as_str().into())),
            (Json::String(text), _) if self.is_read(text, wanted) => {
                let text = ir::Operand::Constant(Value::Text(text.as_str().into()));
                Ok(formed(text, ValueForm::Text(wanted)))
            }
            (Json::Object(_), TextValue::Text) if matches!(self.r#type, Type::Scalar(_)) => {
                constant(Value::Json(json.compact().into()))
            }
            _ => Err(self.unfit(json, place)),
        }
    }

    /// True if a text is a value of the type.
    fn is_read(self, text: &str, wanted: TextValue) -> bool {
        let text = text.trim();
        match wanted {
            TextValue::Integer => text.parse::<i64>().is_ok(),
            TextValue::Number => text.parse::<f64>().is_ok_and(f64::is_finite),
            TextValue::Boolean => {
                ["true", "false", "t", "f"].iter().any(|word| text.eq_ignore_ascii_case(word))
            }
            TextValue::Text | TextValue::Json => true,
        }
    }

    fn unfit(self, json: &Json, place: &Location) -> Problem {
        let wanted = match self.element().unwrap_or(self).of_text() {
            TextValue::Boolean => "a boolean",
            TextValue::Integer => "an integer",
            TextValue::Number => "a number",
            TextValue::Text => "a text",
            TextValue::Json => "JSON",
        };
        let list = if self.element().is_some() { "a list of values, each " } else { "" };
        let message = format!(
            "{} is no value of the column: {list}{wanted}, or a session variable, is wanted.",
            json.compact()
        );
        problem(place, message)
    }
}

/// A value of PostGIS, which is checked when the metadata is read.
fn spatial(kind: SpatialKind, json: &Json, place: &Location) -> Result<ir::Operand, Problem> {
    let wrong = |error: &dyn std::error::Error| problem(place, format!("{error}."));
    match (json, kind) {
        (Json::String(text), SpatialKind::Raster) => {
            check_raster(text).map_err(|error| wrong(&error))?;
        }
        (Json::String(_), SpatialKind::Geometry | SpatialKind::Geography) => {}
        (_, SpatialKind::Raster) => {
            return Err(problem(place, "The hexadecimal text of a raster is wanted."));
        }
        (_, SpatialKind::Geometry | SpatialKind::Geography) => {
            let value = serde_json::from_str(&json.compact()).map_err(|error| wrong(&error))?;
            Geometry::read(&value).map_err(|error| wrong(&error))?;
        }
    }
    let value = match json {
        Json::String(text) => Value::Text(text.as_str().into()),
        json => Value::Json(json.compact().into()),
    };
    Ok(formed(ir::Operand::Constant(value), ValueForm::Spatial(kind)))
}

fn claim(variable: &SessionVariable) -> ir::Operand {
    ir::Operand::Claim(variable.name().into())
}

fn formed(operand: ir::Operand, form: ValueForm) -> ir::Operand {
    ir::Operand::Formed { operand: Box::new(operand), form: shared(form) }
}

/// A form that all operands share: large metadata has hundreds of thousands of them.
fn shared(form: ValueForm) -> Arc<ValueForm> {
    static FORMS: LazyLock<Vec<Arc<ValueForm>>> = LazyLock::new(|| {
        let values = [
            TextValue::Boolean,
            TextValue::Integer,
            TextValue::Number,
            TextValue::Text,
            TextValue::Json,
        ];
        let both = |value| [ValueForm::Text(value), ValueForm::TextArray(value)];
        values.into_iter().flat_map(both).map(Arc::new).collect()
    });
    let known = FORMS.iter().find(|known| ***known == form);
    known.map_or_else(|| Arc::new(form), Arc::clone)
}
