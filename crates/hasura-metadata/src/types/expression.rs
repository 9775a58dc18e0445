//! Boolean expressions of permissions.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::json::Json;
use crate::location::{Location, Segment};
use crate::node::{Entry, Node, Value};
use crate::primitive::Write;
use crate::reader::{Description, Read, Reader};
use crate::types::name::QualifiedName;
use crate::types::operator::{OperandKind, Operator};

/// A conjunction of conditions; without any it is true.
#[derive(Clone, Debug, PartialEq)]
pub struct BooleanExpression {
    pub place: Location,
    /// One for each key, sorted by the keys, as Hasura stores them.
    pub conditions: Vec<Condition>,
}

/// The condition of one key.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// `_and`: all hold; without any it is true.
    And(Vec<BooleanExpression>),
    /// `_or`: one holds; without any it is false.
    Or(Vec<BooleanExpression>),
    /// `_not`
    Not(Box<BooleanExpression>),
    /// `_exists`: another table has such a row.
    Exists(Box<Exists>),
    /// A column, computed field or relationship.
    Field(FieldCondition),
}

object! {
    /// Whether a table, which need not be related, has a row.
    Exists {
        required table: QualifiedName = "_table",
        required r#where: BooleanExpression = "_where",
    }
}

/// The condition of a column, computed field or relationship.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldCondition {
    pub place: Location,
    pub name: Arc<str>,
    pub test: FieldTest,
}

/// What is tested of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldTest {
    /// `{}`: true of a column; of a relationship, that there is a related row. The text alone does
    /// not say which of them the field is.
    Empty,
    /// A value without an operator, which the field equals.
    Equals(Operand),
    /// Comparisons of a column or scalar computed field; all hold.
    Comparisons(Vec<Comparison>),
    /// A related row, or a row of a computed field, for which the expression holds.
    Related(BooleanExpression),
}

/// A comparison of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    pub place: Location,
    pub operator: Operator,
    /// The key as written: Hasura stores `$eq` for `$eq`.
    pub key: Arc<str>,
    pub operand: Operand,
}

/// What a column is compared with.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    Literal(Json),
    /// A list with session variables among its items.
    List(Vec<Operand>),
    Session(SessionVariable),
    Column(Box<ColumnReference>),
    /// Comparisons of the value in other types, by the name of the type.
    Cast(BTreeMap<String, Vec<Comparison>>),
}

/// A session variable, as in `X-Hasura-User-Id`.
#[derive(Clone, Debug)]
pub struct SessionVariable {
    /// The name as written; case does not count.
    pub text: String,
}

impl PartialEq for SessionVariable {
    fn eq(&self, other: &Self) -> bool {
        self.text.eq_ignore_ascii_case(&other.text)
    }
}

impl SessionVariable {
    const PREFIX: &'static str = "x-hasura-";

    /// True for a text that begins with `x-hasura-`, in any case.
    #[must_use]
    pub fn is_name(text: &str) -> bool {
        text.get(..Self::PREFIX.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(Self::PREFIX))
    }

    /// The name in lower case, by which sessions are asked.
    #[must_use]
    pub fn name(&self) -> String {
        self.text.to_ascii_lowercase()
    }

    pub(crate) fn find(node: &Node, reader: &mut Reader) -> Option<Self> {
        match &node.value {
            Value::String(text) if Self::is_name(text) => {
                reader.note_unserved(&node.mark, "BooleanExpression", "X-Hasura-*");
                Some(Self { text: text.clone() })
            }
            _ => None,
        }
    }
}

impl Write for SessionVariable {
    fn write(&self) -> Json {
        self.text.write()
    }
}

/// Another column with which a column is compared.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnReference {
    pub place: Location,
    /// True for a column of the table that has the permission (`["$", "column"]`), false for one of
    /// the table that is compared.
    pub is_root: bool,
    /// Names of relationships, and of the column.
    pub path: Vec<String>,
    /// True if a text alone was written.
    is_plain: bool,
}

/// The keys that the report knows of expressions, beside the operators.
const KEYS: &[&str] = &["_and", "_or", "_not", "_exists", "relationship", "column", "X-Hasura-*"];

impl Read for BooleanExpression {
    fn read(node: &Node, reader: &mut Reader) -> Option<Self> {
        let Value::Object(entries) = &node.value else { return reader.expected(node, "an object") };
        let mut conditions = Some(Vec::with_capacity(entries.len()));
        let mut entries: Vec<&Entry> = entries.iter().collect();
        entries.sort_by(|one, other| one.key.cmp(&other.key));
        for entry in entries {
            let segment = Segment::Name(reader.name(&entry.key));
            let condition = reader.at(segment, |reader| read_condition(entry, reader));
            match (&mut conditions, condition) {
                (Some(conditions), Some(condition)) => conditions.push(condition),
                (_, None) => conditions = None,
                (None, Some(_)) => {}
            }
        }
        Some(Self { place: reader.place(&node.mark), conditions: conditions? })
    }

    fn describe(description: &mut Description) {
        if description.add("BooleanExpression", KEYS) {
            Operator::describe(description);
            Exists::describe(description);
        }
    }
}

fn read_condition(entry: &Entry, reader: &mut Reader) -> Option<Condition> {
    let Entry { key, mark, node } = entry;
    let mut note = |key| reader.note_unserved(mark, "BooleanExpression", key);
    match key.as_str() {
        "_and" | "$and" => {
            note("_and");
            Vec::read(node, reader).map(Condition::And)
        }
        "_or" | "$or" => {
            note("_or");
            Vec::read(node, reader).map(Condition::Or)
        }
        "_not" | "$not" => {
            note("_not");
            Box::read(node, reader).map(Condition::Not)
        }
        "_exists" | "$exists" => {
            note("_exists");
            Box::read(node, reader).map(Condition::Exists)
        }
        name => {
            if Operator::of_key(name).is_some() {
                let message = format!(
                    "The operator `{name}` stands where a column is wanted: write \
                     `column: {{{name}: …}}`."
                );
                return reader.wrong(node, message);
            }
            let (key, test) = read_test(node, reader)?;
            reader.note_unserved(mark, "BooleanExpression", key);
            let place = reader.place(mark);
            Some(Condition::Field(FieldCondition { place, name: reader.name(name), test }))
        }
    }
}

/// Reads what is tested of a field, and the key of the report.
fn read_test(node: &Node, reader: &mut Reader) -> Option<(&'static str, FieldTest)> {
    let Value::Object(entries) = &node.value else {
        return Some(("column", FieldTest::Equals(read_value(node, reader))));
    };
    if entries.is_empty() {
        return Some(("relationship", FieldTest::Empty));
    }
    if entries.iter().any(|entry| Operator::of_key(&entry.key).is_some()) {
        return Some(("column", FieldTest::Comparisons(read_comparisons(node, reader)?)));
    }
    // An unknown operator has a value; a column of a related row has an object, or a value.
    let unknown = entries.iter().find(|entry| {
        entry.key.starts_with(['_', '$'])
            && !is_connective(&entry.key)
            && !matches!(entry.node.value, Value::Object(_))
    });
    if let Some(entry) = unknown {
        reader.unknown_key(entry, "comparisons", Operator::TEXTS);
        return None;
    }
    Some(("relationship", FieldTest::Related(BooleanExpression::read(node, reader)?)))
}

fn is_connective(key: &str) -> bool {
    matches!(key.trim_start_matches(['_', '$']), "and" | "or" | "not" | "exists")
}

/// Reads an object whose keys are operators.
fn read_comparisons(node: &Node, reader: &mut Reader) -> Option<Vec<Comparison>> {
    let Value::Object(entries) = &node.value else { return reader.expected(node, "an object") };
    let mut entries: Vec<&Entry> = entries.iter().collect();
    entries.sort_by(|one, other| one.key.cmp(&other.key));
    let mut comparisons = Some(Vec::with_capacity(entries.len()));
    for entry in entries {
        let Some(operator) = Operator::of_key(&entry.key) else {
            reader.unknown_key(entry, "comparisons", Operator::TEXTS);
            comparisons = None;
            continue;
        };
        reader.note_unserved(&entry.mark, "Operator", operator.as_str());
        let segment = Segment::Name(reader.name(&entry.key));
        let operand = reader.at(segment, |reader| read_operand(operator, &entry.node, reader));
        let place = reader.place(&entry.mark);
        match (&mut comparisons, operand) {
            (Some(comparisons), Some(operand)) => {
                let key = reader.name(&entry.key);
                comparisons.push(Comparison { place, operator, key, operand });
            }
            (_, None) => comparisons = None,
            (None, Some(_)) => {}
        }
    }
    comparisons
}

fn read_operand(operator: Operator, node: &Node, reader: &mut Reader) -> Option<Operand> {
    match (operator.operand_kind(), operator) {
        (OperandKind::Column, _) => {
            read_column(node, reader).map(|column| Operand::Column(Box::new(column)))
        }
        (OperandKind::Cast, _) => {
            let Value::Object(types) = &node.value else {
                return reader.expected(node, "an object with the name of a type");
            };
            let mut casts = BTreeMap::new();
            for entry in types {
                let segment = Segment::Name(reader.name(&entry.key));
                let comparisons =
                    reader.at(segment, |reader| read_comparisons(&entry.node, reader))?;
                casts.insert(entry.key.clone(), comparisons);
            }
            Some(Operand::Cast(casts))
        }
        (OperandKind::Value, Operator::IsNull) => {
            bool::read(node, reader).map(|value| Operand::Literal(Json::Bool(value)))
        }
        (OperandKind::Value, Operator::In | Operator::NotIn) => match &node.value {
            Value::List(_) => Some(read_value(node, reader)),
            Value::String(text) if SessionVariable::is_name(text) => Some(read_value(node, reader)),
            _ => reader.expected(node, "a list, or a session variable,"),
        },
        (OperandKind::Value, _) => Some(read_value(node, reader)),
    }
}

/// Reads a value, or a list of values. Objects are values of JSON as a whole.
fn read_value(node: &Node, reader: &mut Reader) -> Operand {
    if let Some(variable) = SessionVariable::find(node, reader) {
        return Operand::Session(variable);
    }
    match &node.value {
        Value::List(items) if items.iter().any(has_session_variable) => {
            Operand::List(items.iter().map(|item| read_value(item, reader)).collect())
        }
        _ => Operand::Literal(node.to_json()),
    }
}

fn has_session_variable(node: &Node) -> bool {
    match &node.value {
        Value::String(text) => SessionVariable::is_name(text),
        Value::List(items) => items.iter().any(has_session_variable),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) | Value::Deferred(_) => {
            false
        }
    }
}

fn read_column(node: &Node, reader: &mut Reader) -> Option<ColumnReference> {
    let (path, is_plain) = match &node.value {
        Value::String(name) => (vec![name.clone()], true),
        Value::List(_) => (Vec::<String>::read(node, reader)?, false),
        _ => return reader.expected(node, "a column, or a list as in [\"$\", \"column\"],"),
    };
    let is_root = !is_plain && path.first().is_some_and(|first| first == "$");
    let path = path.into_iter().skip(usize::from(is_root)).collect::<Vec<_>>();
    if path.is_empty() || path.iter().any(String::is_empty) {
        return reader.wrong(node, "The list names no column, as in [\"$\", \"column\"].".into());
    }
    Some(ColumnReference { place: reader.place(&node.mark), is_root, path, is_plain })
}

impl Write for BooleanExpression {
    fn write(&self) -> Json {
        Json::Object(self.conditions.iter().map(Condition::member).collect())
    }
}

impl Condition {
    fn member(&self) -> (String, Json) {
        let (key, value) = match self {
            Self::And(expressions) => ("_and", expressions.write()),
            Self::Or(expressions) => ("_or", expressions.write()),
            Self::Not(expression) => ("_not", expression.write()),
            Self::Exists(exists) => ("_exists", exists.write()),
            Self::Field(field) => (&*field.name, field.test.write()),
        };
        (key.to_owned(), value)
    }
}

impl Write for FieldTest {
    fn write(&self) -> Json {
        match self {
            Self::Empty => Json::Object(Vec::new()),
            Self::Equals(operand) => operand.write(),
            Self::Comparisons(comparisons) => write_comparisons(comparisons),
            Self::Related(expression) => expression.write(),
        }
    }
}

fn write_comparisons(comparisons: &[Comparison]) -> Json {
    let members = comparisons.iter();
    Json::Object(members.map(|one| (one.key.to_string(), one.operand.write())).collect())
}

impl Write for Operand {
    fn write(&self) -> Json {
        match self {
            Self::Literal(json) => json.clone(),
            Self::List(items) => items.write(),
            Self::Session(variable) => variable.write(),
            Self::Column(column) => column.write(),
            Self::Cast(types) => {
                let members = types.iter();
                Json::Object(
                    members.map(|(name, inner)| (name.clone(), write_comparisons(inner))).collect(),
                )
            }
        }
    }
}

impl Write for ColumnReference {
    fn write(&self) -> Json {
        match (&self.path[..], self.is_plain) {
            ([column], true) => column.write(),
            (path, _) => {
                let root = self.is_root.then(|| "$".to_owned());
                root.into_iter().chain(path.iter().cloned()).collect::<Vec<_>>().write()
            }
        }
    }
}

#[cfg(test)]
mod tests;
