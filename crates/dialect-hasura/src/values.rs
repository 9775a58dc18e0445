//! Values of columns in the API.

use std::sync::Arc;

use api::binding::{ColumnBinding, ValueShape};
use api::{epoch, has_extremes};
use catalog::{Catalog, Scalar, SpatialKind, Type};
use graphql::schema::is_name;
use ir::Form;
use response::{JsonForm, Leaf};

/// PostgreSQL's type of paths of labels.
pub(super) const TREE: &str = "ltree";

/// The scalars of patterns of `ltree`.
pub(super) const TREE_PATTERN: &str = "lquery";
pub(super) const TREE_QUERY: &str = "ltxtquery";

/// The scalar of values without one of their own.
pub(super) const TEXT: &str = "String";

/// The scalar of floating point numbers of 32 bits.
const FLOAT: &str = "Float";

/// Representation of a column's values, and operations on them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Values {
    /// The scalar's name.
    pub(super) scalar: Arc<str>,
    /// The number of lists around the scalar.
    pub(super) lists: usize,
    pub(super) binding: ColumnBinding,
    pub(super) operators: Operators,
    /// True if `sum` and the like accept them.
    pub(super) number: Option<Number>,
    /// The output of the largest and the smallest value, if there is one in every database.
    pub(super) extreme: Option<Leaf>,
    is_ordered: bool,
}

/// The class of a type's operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Operators {
    /// A test for null only: values cannot be compared.
    Null,
    Ordered,
    Text,
    Json,
    /// JSON that has no order.
    JsonContent,
    List,
    /// Paths of labels.
    Tree,
    /// Values of PostGIS.
    Spatial(SpatialKind),
    /// Values of an enum table.
    Enum,
}

/// The output of sums.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Number {
    pub(super) sum: Leaf,
}

impl Number {
    /// The output of averages and statistics: those of integers and decimals are decimals with all of
    /// their digits.
    pub(super) fn mean(&self) -> Leaf {
        match self.sum {
            Leaf::Number { .. } => Leaf::Number { scale: None },
            Leaf::Decimal { .. } => Leaf::Decimal { scale: None },
            ref float => float.clone(),
        }
    }
}

/// A value of a list or a column, before lists are put around it.
struct Single {
    scalar: Arc<str>,
    leaf: Leaf,
    form: Form,
    operators: Operators,
    is_ordered: bool,
    number: Option<Number>,
}

impl Values {
    /// Values of an enum table, by the name of the enum and their output.
    pub(super) fn of_enum(name: &str, leaf: Leaf) -> Self {
        let binding = ColumnBinding {
            value: ValueShape::Leaf(leaf),
            form: Form::Stored,
            json: Leaf::Text,
            node_id: Leaf::Text,
        };
        Self {
            scalar: name.into(),
            lists: 0,
            binding,
            operators: Operators::Enum,
            number: None,
            extreme: None,
            is_ordered: true,
        }
    }

    /// Rows of a table, as texts.
    pub(super) fn of_row(table: &str) -> Self {
        let scalar = format!("{table}_scalar");
        single(opaque(&named(&scalar), Leaf::Any), &Type::Scalar(Scalar::Text))
    }

    /// The representation with numbers that JavaScript may round as JSON strings.
    pub(super) fn stringified(mut self) -> Self {
        // Those of `real`, as in Hasura.
        if &*self.scalar == FLOAT {
            return self;
        }
        match &mut self.binding.value {
            ValueShape::Leaf(leaf) => *leaf = as_text(leaf),
            ValueShape::List(item) => {
                if let ValueShape::Leaf(leaf) = &mut **item {
                    *leaf = as_text(leaf);
                }
            }
            _ => {}
        }
        let is_exact = matches!(&*self.scalar, "bigint" | "numeric" | "float8");
        if let Some(number) = self.number.as_mut().filter(|_| is_exact) {
            number.sum = as_text(&number.sum);
        }
        self.extreme = self.extreme.as_ref().filter(|_| is_exact).map(as_text).or(self.extreme);
        self
    }

    /// The type as in a schema, without a list's own requirement.
    pub(super) fn text(&self) -> String {
        let mut text = self.scalar.to_string();
        for _ in 0..self.lists {
            text = format!("[{text}!]");
        }
        text
    }

    /// The input type of operators on values, or on lists of them.
    pub(super) fn comparison_type(&self, of_list: bool) -> String {
        let list = if of_list { "_array" } else { "" };
        format!("{}{list}_comparison_exp", self.scalar)
    }

    /// The names of all types for such values, beside their scalar.
    pub(super) fn types(&self) -> Vec<String> {
        let scalar = &self.scalar;
        let mut names = vec![self.comparison_type(false), self.comparison_type(true)];
        match self.operators {
            Operators::Json | Operators::JsonContent => {
                names.extend([format!("{scalar}_cast_exp"), format!("{TEXT}_comparison_exp")]);
            }
            Operators::Tree => names.extend([TREE_PATTERN, TREE_QUERY].map(str::to_owned)),
            Operators::Spatial(kind) => names.extend(spatial_types(kind)),
            Operators::Null
            | Operators::Ordered
            | Operators::Text
            | Operators::List
            | Operators::Enum => {}
        }
        names
    }

    /// True if a value can be compared with an operand.
    pub(super) fn is_comparable(&self) -> bool {
        match self.operators {
            Operators::Null | Operators::JsonContent => false,
            Operators::Ordered
            | Operators::Text
            | Operators::Json
            | Operators::List
            | Operators::Tree
            | Operators::Spatial(_)
            | Operators::Enum => true,
        }
    }

    /// True if operators change parts of a value: of JSON whose content is known.
    pub(super) fn has_parts(&self) -> bool {
        matches!(self.operators, Operators::Json | Operators::JsonContent)
    }

    pub(super) fn is_ordered(&self) -> bool {
        self.is_ordered
    }
}

/// The names of the types for values of PostGIS, beside those of all values.
fn spatial_types(kind: SpatialKind) -> Vec<String> {
    let names: &[&str] = match kind {
        SpatialKind::Geometry | SpatialKind::Geography => &[
            "geography",
            "geography_cast_exp",
            "geography_comparison_exp",
            "geometry",
            "geometry_cast_exp",
            "geometry_comparison_exp",
            "st_d_within_geography_input",
            "st_d_within_input",
        ],
        SpatialKind::Raster => {
            &["geometry", "st_intersects_geom_nband_input", "st_intersects_nband_geom_input"]
        }
    };
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// The representation of a type's values.
pub(super) fn values(catalog: &Catalog, r#type: &Type) -> Values {
    let base = catalog.base_type(r#type);
    match base {
        Type::List(item) => list(catalog, values(catalog, item)),
        Type::Scalar(scalar) => single(scalar_value(catalog, scalar), base),
        Type::Enum(id) => {
            let name = catalog.given().r#enum(*id).unwrap_or(&catalog[*id].name);
            single(plain(&named(name), Leaf::Text), base)
        }
        Type::Range(id) => single(opaque(&named(&catalog[*id].name), Leaf::Any), base),
        Type::Composite(id) => {
            let leaf = Leaf::Json(JsonForm::Embedded);
            let object = opaque(&named(&catalog[*id].name), leaf);
            single(Single { form: Form::Json, ..object }, base)
        }
        Type::Domain(_) | Type::Row(_) => single(opaque(TEXT, Leaf::Any), base),
    }
}

/// The output form of a number as a JSON string, if JavaScript may round it.
fn as_text(leaf: &Leaf) -> Leaf {
    match leaf {
        Leaf::LongNumber => Leaf::BigInt,
        Leaf::Number { scale } => Leaf::Decimal { scale: *scale },
        Leaf::Float => Leaf::FloatText,
        other => other.clone(),
    }
}

/// The name of a type of the source, if it is one of GraphQL.
fn named(name: &str) -> String {
    if is_name(name) { name.to_owned() } else { TEXT.to_owned() }
}

fn list(catalog: &Catalog, item: Values) -> Values {
    let ColumnBinding { value, form, json, .. } = item.binding;
    let (value, form, json) = match item.operators {
        // Elements are not converted one by one: they are as stored.
        Operators::Spatial(_) => (ValueShape::Leaf(Leaf::Any), Form::Stored, Leaf::Any),
        _ => (value, form, json),
    };
    let binding = match form {
        // The JSON of the source has the list, too.
        Form::Json => ColumnBinding { value, form, node_id: json.clone(), json },
        form => ColumnBinding {
            value: ValueShape::List(Box::new(value)),
            form,
            node_id: Leaf::List(Box::new(json.clone())),
            json: Leaf::List(Box::new(json)),
        },
    };
    // Only sources with arrays have lists of values that can be compared.
    let is_compared = item.lists == 0
        && matches!(item.operators, Operators::Ordered | Operators::Text)
        && catalog.capabilities().namespaces;
    Values {
        lists: item.lists + 1,
        binding,
        operators: if is_compared { Operators::List } else { Operators::Null },
        number: None,
        extreme: None,
        is_ordered: false,
        scalar: item.scalar,
    }
}

fn single(value: Single, base: &Type) -> Values {
    let Single { scalar, leaf, form, operators, is_ordered, number } = value;
    let has_extreme = has_extremes(base) || number.is_some();
    let binding = ColumnBinding {
        value: ValueShape::Leaf(leaf.clone()),
        form,
        node_id: leaf.clone(),
        json: leaf.clone(),
    };
    let extreme = has_extreme.then_some(leaf);
    Values { scalar, lists: 0, binding, operators, number, extreme, is_ordered }
}

fn scalar_value(catalog: &Catalog, scalar: &Scalar) -> Single {
    // The sum of integers may exceed their type.
    let exact = |scale| Some(Number { sum: Leaf::Number { scale } });
    let float = || Some(Number { sum: Leaf::Float });
    match scalar {
        Scalar::Boolean => plain("Boolean", Leaf::Boolean),
        Scalar::Int16 => Single { number: exact(None), ..plain("smallint", Leaf::Int) },
        Scalar::Int32 => Single { number: exact(None), ..plain("Int", Leaf::Int) },
        Scalar::Int64 => Single { number: exact(None), ..plain("bigint", Leaf::LongNumber) },
        Scalar::Float32 => Single { number: float(), ..plain(FLOAT, Leaf::Float) },
        Scalar::Float64 => Single { number: float(), ..plain("float8", Leaf::Float) },
        Scalar::Decimal { scale, .. } => {
            Single { number: exact(*scale), ..plain("numeric", Leaf::Number { scale: *scale }) }
        }
        Scalar::Money => Single { form: Form::Text, ..opaque("money", Leaf::Text) },
        Scalar::Text => text(TEXT, Leaf::Text),
        Scalar::Character { .. } => text("bpchar", Leaf::Text),
        Scalar::CaseInsensitiveText => text("citext", Leaf::Text),
        Scalar::Date => plain("date", Leaf::Date),
        Scalar::Time => plain("time", Leaf::Time),
        Scalar::TimeWithZone => plain("timetz", Leaf::TimeWithZone),
        Scalar::Timestamp => plain("timestamp", Leaf::Timestamp),
        Scalar::TimestampWithZone => plain("timestamptz", Leaf::TimestampWithZone),
        Scalar::Epoch(unit) => plain("timestamptz", Leaf::Epoch(epoch(*unit))),
        Scalar::Uuid => plain("uuid", Leaf::Uuid),
        Scalar::Interval => plain("interval", Leaf::Text),
        Scalar::Inet => plain("inet", Leaf::Text),
        Scalar::Cidr => plain("cidr", Leaf::Text),
        Scalar::MacAddress => plain("macaddr", Leaf::Text),
        Scalar::MacAddress8 => plain("macaddr8", Leaf::Text),
        Scalar::Bit => plain("bit", Leaf::Text),
        Scalar::ObjectId => plain("oid", Leaf::Text),
        Scalar::Bytes => plain("bytea", Leaf::Bytes),
        Scalar::Xml => opaque("xml", Leaf::Text),
        Scalar::Point => opaque("point", Leaf::Any),
        Scalar::GeographicPoint => opaque("geography", Leaf::Any),
        Scalar::CartesianPoint => opaque("geometry", Leaf::Any),
        Scalar::Spatial(r#type) => spatial(r#type.kind),
        Scalar::Other(name) if &**name == TREE => {
            Single { operators: Operators::Tree, ..plain(TREE, Leaf::Text) }
        }
        Scalar::Other(name) => opaque(&named(name), Leaf::Any),
        Scalar::Json if !catalog.capabilities().json_content => {
            opaque("json", Leaf::Json(JsonForm::Embedded))
        }
        Scalar::Json | Scalar::Jsonb => {
            let capabilities = catalog.capabilities();
            let operators = match (capabilities.json_equality, capabilities.json_content) {
                (true, _) => Operators::Json,
                (false, true) => Operators::JsonContent,
                (false, false) => Operators::Null,
            };
            let is_ordered = capabilities.json_equality;
            Single { operators, is_ordered, ..opaque("jsonb", Leaf::Json(JsonForm::Embedded)) }
        }
        Scalar::KeyValue => opaque("hstore", Leaf::KeyValue),
    }
}

fn plain(scalar: &str, leaf: Leaf) -> Single {
    Single {
        scalar: scalar.into(),
        leaf,
        form: Form::Stored,
        operators: Operators::Ordered,
        is_ordered: true,
        number: None,
    }
}

fn text(scalar: &str, leaf: Leaf) -> Single {
    Single { operators: Operators::Text, ..plain(scalar, leaf) }
}

/// Values of PostGIS: rasters as their hexadecimal text, others as GeoJSON.
fn spatial(kind: SpatialKind) -> Single {
    let (leaf, form) = match kind {
        SpatialKind::Geometry | SpatialKind::Geography => {
            (Leaf::Json(JsonForm::Embedded), Form::GeoJson)
        }
        SpatialKind::Raster => (Leaf::Any, Form::Stored),
    };
    let is_ordered = kind != SpatialKind::Raster;
    Single { operators: Operators::Spatial(kind), form, is_ordered, ..plain(kind.name(), leaf) }
}

/// Values that cannot be compared.
fn opaque(scalar: &str, leaf: Leaf) -> Single {
    Single { operators: Operators::Null, is_ordered: false, ..plain(scalar, leaf) }
}
