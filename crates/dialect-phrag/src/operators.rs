//! The types that are independent of the source, and the operators of `where` and `sort`.

use graphql::schema::{
    EnumValueDefinition, InputDefinition, TypeDefinition, TypeId, TypeKind, TypeRef,
};
use ir::{Comparison, Direction, JsonTexts, TextMatch, ValueForm};

use super::values::{ApiScalar, Values};
use api::ApiBuilder;
use api::binding::{InputBinding, Meaning, OperatorRole, ValueBinding};

/// The scalars of the API.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scalars {
    pub(super) int: TypeId,
    float: TypeId,
    string: TypeId,
    pub(super) boolean: TypeId,
    big_int: TypeId,
    json: TypeId,
}

/// The inputs for operands, and for directions.
#[derive(Clone, Copy, Debug)]
pub(super) struct OperatorTypes {
    int: TypeId,
    float: TypeId,
    string: TypeId,
    boolean: TypeId,
    big_int: TypeId,
    pub(super) direction: TypeId,
}

/// The custom scalars of the schema.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extras {
    pub(super) big_int: bool,
    pub(super) json: bool,
}

/// The operators on values of a scalar.
#[derive(Clone, Copy, Debug)]
enum Operators {
    Equality,
    Order,
    Text,
}

impl Scalars {
    /// Adds the scalars. An unneeded one is set to String, and then not used.
    pub(super) fn add(builder: &mut ApiBuilder, extras: Extras) -> Self {
        let [int, float, string, boolean] = ["Int", "Float", "String", "Boolean"]
            .map(|name| add_type(builder, name, None, TypeKind::Scalar));
        let mut extra = |needed: bool, name: &str, description: &str| {
            if needed {
                add_type(builder, name, Some(description), TypeKind::Scalar)
            } else {
                string
            }
        };
        let big_int = extra(extras.big_int, "BigInt", "A 64-bit integer, as a string.");
        let json = extra(extras.json, "JSON", "Any JSON value, as it is.");
        if extras.json {
            builder.bind_form(json, ValueForm::Json(JsonTexts::Strings));
        }
        Self { int, float, string, boolean, big_int, json }
    }

    /// The type of a column's values, which may be null.
    pub(super) fn of(&self, values: &Values) -> TypeRef {
        let scalar = TypeRef::named(self.get(values.scalar));
        (0..values.lists).fold(scalar, |r#type, _| r#type.list())
    }

    pub(super) fn get(&self, scalar: ApiScalar) -> TypeId {
        match scalar {
            ApiScalar::Int => self.int,
            ApiScalar::BigInt => self.big_int,
            ApiScalar::Float => self.float,
            ApiScalar::String => self.string,
            ApiScalar::Boolean => self.boolean,
            ApiScalar::Json => self.json,
        }
    }
}

impl OperatorTypes {
    /// Adds the inputs with their fields. All of Phrag's are always there: clients name them in
    /// the definitions of their variables.
    pub(super) fn add(builder: &mut ApiBuilder, scalars: &Scalars, extras: Extras) -> Self {
        let direction = add_directions(builder);
        let int = add_operators(builder, "IntWhere", scalars.int, Operators::Order);
        let float = add_operators(builder, "FloatWhere", scalars.float, Operators::Order);
        let string = add_operators(builder, "StrWhere", scalars.string, Operators::Text);
        let boolean = add_operators(builder, "BoolWhere", scalars.boolean, Operators::Equality);
        let big_int = if extras.big_int {
            add_operators(builder, "BigIntWhere", scalars.big_int, Operators::Order)
        } else {
            string
        };
        Self { int, float, string, boolean, big_int, direction }
    }

    /// The input for operands on values of a scalar; JSON has none.
    pub(super) fn find(&self, scalar: ApiScalar) -> Option<TypeId> {
        match scalar {
            ApiScalar::Int => Some(self.int),
            ApiScalar::BigInt => Some(self.big_int),
            ApiScalar::Float => Some(self.float),
            ApiScalar::String => Some(self.string),
            ApiScalar::Boolean => Some(self.boolean),
            ApiScalar::Json => None,
        }
    }
}

/// Adds a type whose name the plan has reserved.
pub(super) fn add_type(
    builder: &mut ApiBuilder,
    name: &str,
    description: Option<&str>,
    kind: TypeKind,
) -> TypeId {
    let description = description.map(Into::into);
    let added = builder.add_type(TypeDefinition { name: name.into(), description, kind });
    debug_assert!(added.is_some(), "two types have the name {name}");
    added.unwrap_or(TypeId::new(0))
}

/// An object type without fields.
pub(super) fn object() -> TypeKind {
    TypeKind::Object { fields: Vec::new(), interfaces: Default::default() }
}

fn add_directions(builder: &mut ApiBuilder) -> TypeId {
    let kind = TypeKind::Enum { values: Vec::new() };
    let r#type = add_type(builder, "SortOperator", None, kind);
    for (name, direction) in [("asc", Direction::Ascending), ("desc", Direction::Descending)] {
        let binding = ValueBinding::Direction(direction);
        builder.add_enum_value(r#type, EnumValueDefinition::new(name), binding);
    }
    r#type
}

fn add_operators(
    builder: &mut ApiBuilder,
    name: &str,
    scalar: TypeId,
    operators: Operators,
) -> TypeId {
    let kind = TypeKind::InputObject { fields: Vec::new() };
    let r#type = add_type(builder, name, None, kind);
    for (name, role) in operators.list() {
        let operand = TypeRef::named(scalar);
        let is_list = matches!(role, OperatorRole::Compare(Comparison::In));
        let text = format!("`{name}` cannot be null; leave it out or use another operator.");
        let binding = InputBinding {
            role: (*role).into(),
            null: Meaning::refuse(text),
            // Only lists can be empty, and nothing is in an empty list.
            empty: if is_list { Meaning::False } else { Meaning::Ignore },
        };
        let operand = if is_list { operand.list() } else { operand };
        builder.add_input_field(r#type, InputDefinition::new(name, operand), binding);
    }
    r#type
}

impl Operators {
    /// In Phrag's order, with what Phrag lacks where it belongs.
    fn list(self) -> &'static [(&'static str, OperatorRole)] {
        use Comparison::{Equal, Greater, GreaterOrEqual, In, Less, LessOrEqual, NotEqual};
        use OperatorRole::Compare;
        match self {
            Self::Equality => &[("eq", Compare(Equal)), ("ne", Compare(NotEqual))],
            Self::Order => &[
                ("in", Compare(In)),
                ("eq", Compare(Equal)),
                ("ne", Compare(NotEqual)),
                ("gt", Compare(Greater)),
                ("lt", Compare(Less)),
                ("gte", Compare(GreaterOrEqual)),
                ("lte", Compare(LessOrEqual)),
            ],
            Self::Text => &[
                ("in", Compare(In)),
                ("eq", Compare(Equal)),
                ("ne", Compare(NotEqual)),
                ("like", OperatorRole::Match { r#match: TextMatch::Like, ignore_case: false }),
                ("gt", Compare(Greater)),
                ("lt", Compare(Less)),
                ("gte", Compare(GreaterOrEqual)),
                ("lte", Compare(LessOrEqual)),
            ],
        }
    }
}
