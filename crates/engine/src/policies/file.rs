//! A policy file as it is written. Its names are those of the source, and are resolved later.

use super::node::{self, Entry, Node, NodeValue};
use super::problem::PolicyProblems;
use graphql::similar_names;
use ir::{Comparison, Quantifier, TextMatch, Value};

/// The contents of a policy file.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyFile {
    /// The claim that is the role.
    pub claim_role: Box<str>,
    /// The role of requests without a role.
    pub default_role: Option<Box<str>>,
    pub rules: Vec<Rule>,
    pub roles: Vec<Role>,
}

/// The rule for one entity.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    pub name: Box<str>,
    pub line: usize,
    pub entity: Box<str>,
    pub read: Option<Read>,
    pub insert: Option<Insert>,
    pub update: Option<Update>,
    pub delete: Option<Delete>,
}

/// Permission to read: which rows, and which of their columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    pub line: usize,
    pub rows: Condition,
    pub columns: Columns,
    /// The most rows of a list.
    pub limit: Option<u64>,
}

/// Permission to insert: columns that may be set, presets, and the check of the new row.
#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    pub line: usize,
    pub columns: Columns,
    pub presets: Vec<(Box<str>, OperandValue)>,
    pub check: Option<Condition>,
}

/// Permission to update: which rows, columns that may be set, presets, and the check of the updated
/// row. Without `check` it has to fulfil `rows` again.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    pub line: usize,
    pub rows: Condition,
    pub columns: Columns,
    pub presets: Vec<(Box<str>, OperandValue)>,
    pub check: Option<Condition>,
}

/// Permission to delete: which rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Delete {
    pub line: usize,
    pub rows: Condition,
}

/// Some or all columns of an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Columns {
    All,
    These(Vec<Box<str>>),
}

/// A condition on a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    Column {
        name: Box<str>,
        test: Test,
    },
    /// A condition on the rows that a relationship leads to.
    Related {
        relationship: Box<str>,
        quantifier: Quantifier,
        condition: Box<Condition>,
    },
}

/// A condition on one value.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    Compare(Comparison, OperandValue),
    Text(TextMatch, OperandValue),
    IsNull(bool),
}

/// A value of the file: a constant, or a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperandValue {
    Value(Value),
    Claim(Box<str>),
}

/// A role with its rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Role {
    pub name: Box<str>,
    pub line: usize,
    /// Roles whose rules it inherits.
    pub inherits: Vec<Box<str>>,
    pub rules: Vec<Box<str>>,
    /// The functions that may be called.
    pub functions: Functions,
    /// Whether everything is permitted.
    pub all: bool,
}

/// Some or all functions of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Functions {
    All,
    These(Vec<Box<str>>),
}

impl PolicyFile {
    /// Reads a file's text.
    pub fn parse(text: &str) -> Result<Self, PolicyProblems> {
        let mut file = Self {
            claim_role: "role".into(),
            default_role: None,
            rules: Vec::new(),
            roles: Vec::new(),
        };
        let mut problems = PolicyProblems::default();
        for (name, value) in node::read(text)? {
            let part = match &*name {
                "claim_role" => value.text().map(|claim| file.claim_role = claim),
                "default_role" => value.text().map(|role| file.default_role = Some(role)),
                "rules" => parts(&value, rule).map(|rules| file.rules = rules),
                "roles" => parts(&value, role).map(|roles| file.roles = roles),
                _ => Err(unknown(&value, &name, "the file", &FILE_KEYS)),
            };
            problems.keep(part);
        }
        problems.none().map(|()| file)
    }
}

const FILE_KEYS: [&str; 4] = ["claim_role", "default_role", "rules", "roles"];
const RULE_KEYS: [&str; 5] = ["entity", "read", "insert", "update", "delete"];
const ROLE_KEYS: [&str; 4] = ["inherits", "rules", "functions", "all"];
const COLUMN_KEYS: [&str; 11] =
    ["eq", "ne", "lt", "le", "gt", "ge", "in", "contains", "starts_with", "ends_with", "is_null"];

/// The members of a table, each read by a function.
fn parts<T>(
    node: &Node,
    read: impl Fn(&Entry) -> Result<T, PolicyProblems>,
) -> Result<Vec<T>, PolicyProblems> {
    PolicyProblems::all(node.table()?.iter().map(read))
}

/// Names that a person may try, with those of policy files.
const SYNONYMS: [(&str, &str); 18] = [
    ("table", "entity"),
    ("view", "entity"),
    ("select", "read"),
    ("create", "insert"),
    ("modify", "update"),
    ("remove", "delete"),
    ("where", "rows"),
    ("filter", "rows"),
    ("fields", "columns"),
    ("set", "presets"),
    ("permissions", "rules"),
    ("equals", "eq"),
    ("equal", "eq"),
    ("not_equal", "ne"),
    ("neq", "ne"),
    ("gte", "ge"),
    ("lte", "le"),
    ("like", "contains"),
];

fn unknown(node: &Node, name: &str, within: &str, known: &[&str]) -> PolicyProblems {
    let plain = name.to_ascii_lowercase();
    let plain = plain.trim_start_matches('_');
    let synonym = SYNONYMS.iter().find(|(other, own)| *other == plain && known.contains(own));
    let similar = similar_names(name, known.iter().copied());
    let meant = synonym.map(|(_, own)| own).or(similar.first());
    let name = name.escape_debug();
    node.wrong(match (meant, known) {
        (Some(meant), _) => format!("{within} has no `{name}`; did you mean `{meant}`?"),
        (None, [first @ .., last]) if !first.is_empty() => {
            format!("{within} has no `{name}`; it may have {} and {last}", first.join(", "))
        }
        (None, known) => format!("{within} has no `{name}`; it may have {}", known.concat()),
    })
}

fn rule((name, node): &Entry) -> Result<Rule, PolicyProblems> {
    let mut entity = None;
    let (mut read, mut insert, mut update, mut delete) = (None, None, None, None);
    let mut problems = PolicyProblems::default();
    for (key, value) in node.table()? {
        let part = match &**key {
            "entity" => value.text().map(|name| entity = Some(name)),
            "read" => read_grant(value).map(|grant| read = Some(grant)),
            "insert" => insert_grant(value).map(|grant| insert = Some(grant)),
            "update" => update_grant(value).map(|grant| update = Some(grant)),
            "delete" => delete_grant(value).map(|grant| delete = Some(grant)),
            _ => Err(unknown(value, key, "a rule", &RULE_KEYS)),
        };
        problems.keep(part);
    }
    if !node.table()?.iter().any(|(key, _)| &**key == "entity") {
        let missing = node.wrong("a rule names its `entity`: a table or a view of the source");
        problems.keep(Err::<(), _>(missing));
    }
    problems.none()?;
    let entity = entity.unwrap_or_default();
    Ok(Rule { name: name.clone(), line: node.line, entity, read, insert, update, delete })
}

fn read_grant(node: &Node) -> Result<Read, PolicyProblems> {
    let (mut rows, mut named) = (Condition::All(Vec::new()), Columns::These(Vec::new()));
    let mut limit = None;
    let mut problems = PolicyProblems::default();
    for (key, value) in node.table()? {
        let part = match &**key {
            "rows" => condition(value).map(|condition| rows = condition),
            "columns" => columns(value).map(|columns| named = columns),
            "limit" => row_limit(value).map(|most| limit = Some(most)),
            _ => Err(unknown(value, key, "`read`", &["rows", "columns", "limit"])),
        };
        problems.keep(part);
    }
    problems.none().map(|()| Read { line: node.line, rows, columns: named, limit })
}

fn insert_grant(node: &Node) -> Result<Insert, PolicyProblems> {
    let (mut named, mut preset) = (Columns::These(Vec::new()), Vec::new());
    let mut check = None;
    let mut problems = PolicyProblems::default();
    for (key, value) in node.table()? {
        let part = match &**key {
            "columns" => columns(value).map(|columns| named = columns),
            "presets" => presets(value).map(|presets| preset = presets),
            "check" => condition(value).map(|condition| check = Some(condition)),
            _ => Err(unknown(value, key, "`insert`", &["columns", "presets", "check"])),
        };
        problems.keep(part);
    }
    problems.none()?;
    Ok(Insert { line: node.line, columns: named, presets: preset, check })
}

fn update_grant(node: &Node) -> Result<Update, PolicyProblems> {
    let (mut rows, mut named) = (Condition::All(Vec::new()), Columns::These(Vec::new()));
    let (mut preset, mut check) = (Vec::new(), None);
    let mut problems = PolicyProblems::default();
    for (key, value) in node.table()? {
        let part = match &**key {
            "rows" => condition(value).map(|condition| rows = condition),
            "columns" => columns(value).map(|columns| named = columns),
            "presets" => presets(value).map(|presets| preset = presets),
            "check" => condition(value).map(|condition| check = Some(condition)),
            _ => Err(unknown(value, key, "`update`", &["rows", "columns", "presets", "check"])),
        };
        problems.keep(part);
    }
    problems.none()?;
    Ok(Update { line: node.line, rows, columns: named, presets: preset, check })
}

fn delete_grant(node: &Node) -> Result<Delete, PolicyProblems> {
    let mut rows = Condition::All(Vec::new());
    let mut problems = PolicyProblems::default();
    for (key, value) in node.table()? {
        let part = match &**key {
            "rows" => condition(value).map(|condition| rows = condition),
            _ => Err(unknown(value, key, "`delete`", &["rows"])),
        };
        problems.keep(part);
    }
    problems.none().map(|()| Delete { line: node.line, rows })
}

fn row_limit(node: &Node) -> Result<u64, PolicyProblems> {
    let limit = match node.value {
        NodeValue::Integer(limit) => u64::try_from(limit).ok().filter(|limit| *limit > 0),
        _ => None,
    };
    limit.ok_or_else(|| node.wrong("a limit is a whole number of rows, 1 or more"))
}

fn columns(node: &Node) -> Result<Columns, PolicyProblems> {
    match &node.value {
        NodeValue::Text(text) if &**text == "*" => Ok(Columns::All),
        NodeValue::List(_) => Ok(Columns::These(node.texts()?)),
        _ => Err(node.wrong("columns are a list of names, or `\"*\"`")),
    }
}

fn presets(node: &Node) -> Result<Vec<(Box<str>, OperandValue)>, PolicyProblems> {
    let preset = |(name, value): &Entry| Ok((name.clone(), operand_value(value)?));
    parts(node, preset)
}

fn role((name, node): &Entry) -> Result<Role, PolicyProblems> {
    let mut role = Role {
        name: name.clone(),
        line: node.line,
        inherits: Vec::new(),
        rules: Vec::new(),
        functions: Functions::These(Vec::new()),
        all: false,
    };
    let mut problems = PolicyProblems::default();
    for (key, value) in node.table()? {
        let part = match &**key {
            "inherits" => value.texts().map(|roles| role.inherits = roles),
            "rules" => value.texts().map(|rules| role.rules = rules),
            "functions" => functions(value).map(|functions| role.functions = functions),
            "all" => value.boolean().map(|all| role.all = all),
            _ => Err(unknown(value, key, "a role", &ROLE_KEYS)),
        };
        problems.keep(part);
    }
    problems.none().map(|()| role)
}

fn functions(node: &Node) -> Result<Functions, PolicyProblems> {
    match &node.value {
        NodeValue::Text(text) if &**text == "*" => Ok(Functions::All),
        NodeValue::List(_) => Ok(Functions::These(node.texts()?)),
        _ => Err(node.wrong("functions are a list of names, or `\"*\"`")),
    }
}

/// A table: its conditions on columns and on other rows are joined by `and`.
fn condition(node: &Node) -> Result<Condition, PolicyProblems> {
    let mut all = Vec::new();
    let mut problems = PolicyProblems::default();
    for (key, value) in node.table()? {
        let part = match &**key {
            "all" => conditions(value).map(|conditions| all.push(Condition::All(conditions))),
            "any" => conditions(value).map(|conditions| all.push(Condition::Any(conditions))),
            "not" => condition(value).map(|not| all.push(Condition::Not(Box::new(not)))),
            "some" => related(value, Quantifier::Some, &mut all),
            "none" => related(value, Quantifier::None, &mut all),
            "every" => related(value, Quantifier::Every, &mut all),
            _ => column(key, value, &mut all),
        };
        problems.keep(part);
    }
    problems.none()?;
    Ok(match all.len() {
        1 => all.swap_remove(0),
        _ => Condition::All(all),
    })
}

fn conditions(node: &Node) -> Result<Vec<Condition>, PolicyProblems> {
    PolicyProblems::all(node.list()?.iter().map(condition))
}

fn related(
    node: &Node,
    quantifier: Quantifier,
    all: &mut Vec<Condition>,
) -> Result<(), PolicyProblems> {
    let named = node.table()?;
    if named.is_empty() {
        return Err(node.wrong("the related table is missing, such as in `some = { post = {} }`"));
    }
    for (relationship, value) in named {
        let condition = Box::new(condition(value)?);
        let relationship = relationship.clone();
        all.push(Condition::Related { relationship, quantifier, condition });
    }
    Ok(())
}

fn column(name: &str, node: &Node, all: &mut Vec<Condition>) -> Result<(), PolicyProblems> {
    let NodeValue::Table(tests) = &node.value else {
        let message = "what is compared with a column stands in a table, such as `{ eq = 1 }`";
        return Err(node.wrong(message));
    };
    if tests.is_empty() {
        return Err(node.wrong("a condition on a column is missing, such as `{ eq = 1 }`"));
    }
    let mut problems = PolicyProblems::default();
    for (operator, value) in tests {
        let compare = |comparison| Ok(Test::Compare(comparison, operand_value(value)?));
        let test = match &**operator {
            "eq" => compare(Comparison::Equal),
            "ne" => compare(Comparison::NotEqual),
            "lt" => compare(Comparison::Less),
            "le" => compare(Comparison::LessOrEqual),
            "gt" => compare(Comparison::Greater),
            "ge" => compare(Comparison::GreaterOrEqual),
            "in" => list(value).map(|list| Test::Compare(Comparison::In, list)),
            "contains" => operand_value(value).map(|text| Test::Text(TextMatch::Includes, text)),
            "starts_with" => {
                operand_value(value).map(|text| Test::Text(TextMatch::StartsWith, text))
            }
            "ends_with" => operand_value(value).map(|text| Test::Text(TextMatch::EndsWith, text)),
            "is_null" => value.boolean().map(Test::IsNull),
            _ => Err(unknown(value, operator, "a condition on a column", &COLUMN_KEYS)),
        };
        let test = problems.keep(test);
        all.extend(test.map(|test| Condition::Column { name: name.into(), test }));
    }
    problems.none()
}

fn operand_value(node: &Node) -> Result<OperandValue, PolicyProblems> {
    Ok(match &node.value {
        NodeValue::Text(text) => OperandValue::Value(Value::Text(text.clone())),
        NodeValue::Integer(number) => OperandValue::Value(Value::Integer(*number)),
        NodeValue::Number(number) => OperandValue::Value(Value::Number(number.clone())),
        NodeValue::Boolean(value) => OperandValue::Value(Value::Boolean(*value)),
        NodeValue::Table(entries) => match entries.as_slice() {
            [(key, value)] if &**key == "claim" => claim(value)?,
            [(key, value)] if &**key == "value" => operand_value(value)?,
            _ => return Err(node.wrong("a value is wanted, or `{ claim = \"name\" }`")),
        },
        NodeValue::List(_) => return Err(node.wrong("one value is wanted, not a list")),
    })
}

fn claim(node: &Node) -> Result<OperandValue, PolicyProblems> {
    match node.text()? {
        name if name.is_empty() => Err(node.wrong("the name of the claim is missing")),
        name => Ok(OperandValue::Claim(name)),
    }
}

fn list(node: &Node) -> Result<OperandValue, PolicyProblems> {
    if let NodeValue::List(items) = &node.value {
        let value = |item: &Node| match operand_value(item)? {
            OperandValue::Value(value) => Ok(value),
            OperandValue::Claim(_) => {
                Err(item.wrong("a claim that is a list stands for the whole list"))
            }
        };
        let values = PolicyProblems::all(items.iter().map(value))?;
        return Ok(OperandValue::Value(Value::List(values)));
    }
    match operand_value(node)? {
        OperandValue::Claim(name) => Ok(OperandValue::Claim(name)),
        OperandValue::Value(_) => Err(node.wrong("a list is wanted, or a claim that is one")),
    }
}
