//! Values of columns in the API.

use catalog::{Catalog, Scalar, Type};
use ir::Form;
use response::{JsonForm, Leaf};

use super::BigIntegers;
use api::binding::{ColumnBinding, ValueShape};
use api::epoch;

/// A scalar of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ApiScalar {
    Int,
    BigInt,
    Float,
    String,
    Boolean,
    Json,
}

/// Representation of a column's values, and operations on them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Values {
    pub(super) scalar: ApiScalar,
    /// The number of lists around the scalar.
    pub(super) lists: usize,
    pub(super) binding: ColumnBinding,
    /// True if operands can be compared with them.
    pub(super) comparable: bool,
    /// True if they have an order.
    pub(super) ordered: bool,
}

/// A value of a list or a column, before lists are put around it.
struct Single {
    scalar: ApiScalar,
    leaf: Leaf,
    form: Form,
    comparable: bool,
    ordered: bool,
}

/// The representation of a type's values.
pub(super) fn values(catalog: &Catalog, r#type: &Type, big_integers: BigIntegers) -> Values {
    match catalog.base_type(r#type) {
        Type::List(item) => list(values(catalog, item, big_integers)),
        Type::Scalar(scalar) => single(scalar_value(scalar, big_integers)),
        // Labels are unchanged: Phrag has no enums.
        Type::Enum(_) => single(text(Leaf::Text)),
        Type::Range(_) => single(Single { comparable: false, ..text(Leaf::Any) }),
        Type::Composite(_) | Type::Domain(_) | Type::Row(_) => single(opaque(Leaf::Any)),
    }
}

fn list(item: Values) -> Values {
    let ColumnBinding { value, form, json, .. } = item.binding;
    let binding = ColumnBinding {
        value: ValueShape::List(Box::new(value)),
        form,
        node_id: Leaf::List(Box::new(json.clone())),
        json: Leaf::List(Box::new(json)),
    };
    Values { lists: item.lists + 1, binding, comparable: false, ..item }
}

fn single(value: Single) -> Values {
    let Single { scalar, leaf, form, comparable, ordered } = value;
    let value = ValueShape::Leaf(leaf.clone());
    let binding = ColumnBinding { value, form, node_id: leaf.clone(), json: leaf };
    Values { scalar, lists: 0, binding, comparable, ordered }
}

fn scalar_value(scalar: &Scalar, big_integers: BigIntegers) -> Single {
    match scalar {
        Scalar::Boolean => plain(ApiScalar::Boolean, Leaf::Boolean),
        Scalar::Int16 | Scalar::Int32 => plain(ApiScalar::Int, Leaf::Int),
        Scalar::Int64 => match big_integers {
            BigIntegers::Int => plain(ApiScalar::Int, Leaf::Int),
            BigIntegers::String => plain(ApiScalar::BigInt, Leaf::BigInt),
        },
        Scalar::Float32 | Scalar::Float64 => plain(ApiScalar::Float, Leaf::Float),
        // A decimal keeps its digits, which a float would lose.
        Scalar::Decimal { scale, .. } => plain(ApiScalar::Float, Leaf::Number { scale: *scale }),
        Scalar::Money => {
            let number = plain(ApiScalar::Float, Leaf::Number { scale: None });
            Single { form: Form::Number, ..number }
        }
        Scalar::Date => text(Leaf::Date),
        Scalar::Time => text(Leaf::Time),
        Scalar::TimeWithZone => text(Leaf::TimeWithZone),
        Scalar::Timestamp => text(Leaf::Timestamp),
        Scalar::TimestampWithZone => text(Leaf::TimestampWithZone),
        Scalar::Epoch(unit) => text(Leaf::Epoch(epoch(*unit))),
        Scalar::Uuid => text(Leaf::Uuid),
        Scalar::Text
        | Scalar::Character { .. }
        | Scalar::CaseInsensitiveText
        | Scalar::Interval
        | Scalar::Inet
        | Scalar::Cidr
        | Scalar::MacAddress
        | Scalar::MacAddress8
        | Scalar::Bit
        | Scalar::ObjectId => text(Leaf::Text),
        Scalar::Bytes => Single { comparable: false, ..text(Leaf::Bytes) },
        Scalar::Xml => opaque(Leaf::Text),
        Scalar::Point
        | Scalar::GeographicPoint
        | Scalar::CartesianPoint
        | Scalar::Spatial(_)
        | Scalar::Other(_) => opaque(Leaf::Any),
        Scalar::Json => json(Leaf::Json(JsonForm::Embedded)),
        Scalar::Jsonb => Single { ordered: true, ..json(Leaf::Json(JsonForm::Embedded)) },
        Scalar::KeyValue => json(Leaf::KeyValue),
    }
}

fn plain(scalar: ApiScalar, leaf: Leaf) -> Single {
    Single { scalar, leaf, form: Form::Stored, comparable: true, ordered: true }
}

fn text(leaf: Leaf) -> Single {
    plain(ApiScalar::String, leaf)
}

/// Read-only text.
fn opaque(leaf: Leaf) -> Single {
    Single { comparable: false, ordered: false, ..text(leaf) }
}

fn json(leaf: Leaf) -> Single {
    Single { comparable: false, ordered: false, ..plain(ApiScalar::Json, leaf) }
}
