//! A policy file as it is written. Its names are those of the source, and are resolved later.

use super::node::{self, Entry, Node, NodeValue};
use ir::{Comparison, Quantifier, TextMatch, Value};

/// What a policy file says.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyFile {
    /// The claim that is the role.
    pub claim_role: Box<str>,
    /// The role of who brings none.
    pub default_role: Option<Box<str>>,
    pub rules: Vec<Rule>,
    pub roles: Vec<Role>,
}

/// What is wrong with a policy file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct PolicyProblem {
    /// From 1.
    pub line: usize,
    pub message: Box<str>,
}

/// What may be done with the rows of one entity.
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

/// Which rows may be read, and what of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    pub line: usize,
    pub rows: Condition,
    pub columns: Columns,
}

/// What may be said of a new row, what is said in any case, and what the row has to be then.
#[derive(Clone, Debug, PartialEq)]
pub struct Insert {
    pub line: usize,
    pub columns: Columns,
    pub presets: Vec<(Box<str>, Said)>,
    pub check: Option<Condition>,
}

/// Which rows may be changed, what of them, what is changed in any case, and what they have to be
/// then. Without `check` they have to be such rows still.
#[derive(Clone, Debug, PartialEq)]
pub struct Update {
    pub line: usize,
    pub rows: Condition,
    pub columns: Columns,
    pub presets: Vec<(Box<str>, Said)>,
    pub check: Option<Condition>,
}

/// Which rows may be deleted.
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
    Compare(Comparison, Said),
    Text(TextMatch, Said),
    IsNull(bool),
}

/// A value that the file says, or names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    Value(Value),
    Claim(Box<str>),
}

/// Who has which rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Role {
    pub name: Box<str>,
    pub line: usize,
    /// Roles whose rules it has, too.
    pub inherits: Vec<Box<str>>,
    pub rules: Vec<Box<str>>,
    /// The functions that may be called.
    pub functions: Functions,
    /// Whether everything is let.
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
    pub fn parse(text: &str) -> Result<Self, PolicyProblem> {
        let mut file = Self {
            claim_role: "role".into(),
            default_role: None,
            rules: Vec::new(),
            roles: Vec::new(),
        };
        for (name, value) in node::read(text)? {
            match &*name {
                "claim_role" => file.claim_role = value.text()?,
                "default_role" => file.default_role = Some(value.text()?),
                "rules" => {
                    file.rules = value.table()?.iter().map(rule).collect::<Result<_, _>>()?;
                }
                "roles" => {
                    file.roles = value.table()?.iter().map(role).collect::<Result<_, _>>()?;
                }
                _ => {
                    let known = "claim_role, default_role, rules and roles";
                    return Err(unknown(&value, &name, "the file", known));
                }
            }
        }
        Ok(file)
    }
}

fn unknown(node: &Node, name: &str, within: &str, known: &str) -> PolicyProblem {
    let name = name.escape_debug();
    node.wrong(format!("`{name}` is nothing that {within} has; it may have {known}"))
}

fn rule((name, node): &Entry) -> Result<Rule, PolicyProblem> {
    let mut entity = None;
    let (mut read, mut insert, mut update, mut delete) = (None, None, None, None);
    for (key, value) in node.table()? {
        match &**key {
            "entity" => entity = Some(value.text()?),
            "read" => read = Some(read_grant(value)?),
            "insert" => insert = Some(insert_grant(value)?),
            "update" => update = Some(update_grant(value)?),
            "delete" => delete = Some(delete_grant(value)?),
            _ => {
                let known = "entity, read, insert, update and delete";
                return Err(unknown(value, key, "a rule", known));
            }
        }
    }
    let missing = || node.wrong("a rule names its `entity`: a table or a view of the source");
    let entity = entity.ok_or_else(missing)?;
    Ok(Rule { name: name.clone(), line: node.line, entity, read, insert, update, delete })
}

fn read_grant(node: &Node) -> Result<Read, PolicyProblem> {
    let (mut rows, mut named) = (Condition::All(Vec::new()), Columns::These(Vec::new()));
    for (key, value) in node.table()? {
        match &**key {
            "rows" => rows = condition(value)?,
            "columns" => named = columns(value)?,
            _ => return Err(unknown(value, key, "`read`", "rows and columns")),
        }
    }
    Ok(Read { line: node.line, rows, columns: named })
}

fn insert_grant(node: &Node) -> Result<Insert, PolicyProblem> {
    let (mut named, mut preset) = (Columns::These(Vec::new()), Vec::new());
    let mut check = None;
    for (key, value) in node.table()? {
        match &**key {
            "columns" => named = columns(value)?,
            "presets" => preset = presets(value)?,
            "check" => check = Some(condition(value)?),
            _ => return Err(unknown(value, key, "`insert`", "columns, presets and check")),
        }
    }
    Ok(Insert { line: node.line, columns: named, presets: preset, check })
}

fn update_grant(node: &Node) -> Result<Update, PolicyProblem> {
    let (mut rows, mut named) = (Condition::All(Vec::new()), Columns::These(Vec::new()));
    let (mut preset, mut check) = (Vec::new(), None);
    for (key, value) in node.table()? {
        match &**key {
            "rows" => rows = condition(value)?,
            "columns" => named = columns(value)?,
            "presets" => preset = presets(value)?,
            "check" => check = Some(condition(value)?),
            _ => return Err(unknown(value, key, "`update`", "rows, columns, presets and check")),
        }
    }
    Ok(Update { line: node.line, rows, columns: named, presets: preset, check })
}

fn delete_grant(node: &Node) -> Result<Delete, PolicyProblem> {
    let mut rows = Condition::All(Vec::new());
    for (key, value) in node.table()? {
        match &**key {
            "rows" => rows = condition(value)?,
            _ => return Err(unknown(value, key, "`delete`", "rows")),
        }
    }
    Ok(Delete { line: node.line, rows })
}

fn columns(node: &Node) -> Result<Columns, PolicyProblem> {
    match &node.value {
        NodeValue::Text(text) if &**text == "*" => Ok(Columns::All),
        NodeValue::List(_) => Ok(Columns::These(node.texts()?)),
        _ => Err(node.wrong("columns are a list of names, or `\"*\"`")),
    }
}

fn presets(node: &Node) -> Result<Vec<(Box<str>, Said)>, PolicyProblem> {
    let preset = |(name, value): &Entry| Ok((name.clone(), said(value)?));
    node.table()?.iter().map(preset).collect()
}

fn role((name, node): &Entry) -> Result<Role, PolicyProblem> {
    let mut role = Role {
        name: name.clone(),
        line: node.line,
        inherits: Vec::new(),
        rules: Vec::new(),
        functions: Functions::These(Vec::new()),
        all: false,
    };
    for (key, value) in node.table()? {
        match &**key {
            "inherits" => role.inherits = value.texts()?,
            "rules" => role.rules = value.texts()?,
            "functions" => role.functions = functions(value)?,
            "all" => role.all = value.boolean()?,
            _ => {
                let known = "inherits, rules, functions and all";
                return Err(unknown(value, key, "a role", known));
            }
        }
    }
    Ok(role)
}

fn functions(node: &Node) -> Result<Functions, PolicyProblem> {
    match &node.value {
        NodeValue::Text(text) if &**text == "*" => Ok(Functions::All),
        NodeValue::List(_) => Ok(Functions::These(node.texts()?)),
        _ => Err(node.wrong("functions are a list of names, or `\"*\"`")),
    }
}

/// A table: what it says of columns and of other rows holds together.
fn condition(node: &Node) -> Result<Condition, PolicyProblem> {
    let mut all = Vec::new();
    for (key, value) in node.table()? {
        match &**key {
            "all" => all.push(Condition::All(conditions(value)?)),
            "any" => all.push(Condition::Any(conditions(value)?)),
            "not" => all.push(Condition::Not(Box::new(condition(value)?))),
            "some" => related(value, Quantifier::Some, &mut all)?,
            "none" => related(value, Quantifier::None, &mut all)?,
            "every" => related(value, Quantifier::Every, &mut all)?,
            _ => column(key, value, &mut all)?,
        }
    }
    Ok(match all.len() {
        1 => all.swap_remove(0),
        _ => Condition::All(all),
    })
}

fn conditions(node: &Node) -> Result<Vec<Condition>, PolicyProblem> {
    node.list()?.iter().map(condition).collect()
}

fn related(
    node: &Node,
    quantifier: Quantifier,
    all: &mut Vec<Condition>,
) -> Result<(), PolicyProblem> {
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

fn column(name: &str, node: &Node, all: &mut Vec<Condition>) -> Result<(), PolicyProblem> {
    let NodeValue::Table(tests) = &node.value else {
        let message = "what is compared with a column stands in a table, such as `{ eq = 1 }`";
        return Err(node.wrong(message));
    };
    if tests.is_empty() {
        return Err(node.wrong("a condition on a column is missing, such as `{ eq = 1 }`"));
    }
    for (operator, value) in tests {
        let compare = |comparison| Ok(Test::Compare(comparison, said(value)?));
        let test = match &**operator {
            "eq" => compare(Comparison::Equal)?,
            "ne" => compare(Comparison::NotEqual)?,
            "lt" => compare(Comparison::Less)?,
            "le" => compare(Comparison::LessOrEqual)?,
            "gt" => compare(Comparison::Greater)?,
            "ge" => compare(Comparison::GreaterOrEqual)?,
            "in" => Test::Compare(Comparison::In, list(value)?),
            "contains" => Test::Text(TextMatch::Includes, said(value)?),
            "starts_with" => Test::Text(TextMatch::StartsWith, said(value)?),
            "ends_with" => Test::Text(TextMatch::EndsWith, said(value)?),
            "is_null" => Test::IsNull(value.boolean()?),
            _ => {
                let known =
                    "eq, ne, lt, le, gt, ge, in, contains, starts_with, ends_with and is_null";
                return Err(unknown(value, operator, "a condition on a column", known));
            }
        };
        all.push(Condition::Column { name: name.into(), test });
    }
    Ok(())
}

fn said(node: &Node) -> Result<Said, PolicyProblem> {
    Ok(match &node.value {
        NodeValue::Text(text) => Said::Value(Value::Text(text.clone())),
        NodeValue::Integer(number) => Said::Value(Value::Integer(*number)),
        NodeValue::Number(number) => Said::Value(Value::Number(number.clone())),
        NodeValue::Boolean(value) => Said::Value(Value::Boolean(*value)),
        NodeValue::Table(entries) => match entries.as_slice() {
            [(key, value)] if &**key == "claim" => claim(value)?,
            [(key, value)] if &**key == "value" => said(value)?,
            _ => return Err(node.wrong("a value is wanted, or `{ claim = \"name\" }`")),
        },
        NodeValue::List(_) => return Err(node.wrong("one value is wanted, not a list")),
    })
}

fn claim(node: &Node) -> Result<Said, PolicyProblem> {
    match node.text()? {
        name if name.is_empty() => Err(node.wrong("the name of the claim is missing")),
        name => Ok(Said::Claim(name)),
    }
}

fn list(node: &Node) -> Result<Said, PolicyProblem> {
    if let NodeValue::List(items) = &node.value {
        let value = |item: &Node| match said(item)? {
            Said::Value(value) => Ok(value),
            Said::Claim(_) => Err(item.wrong("a claim that is a list stands for the whole list")),
        };
        let values = items.iter().map(value).collect::<Result<_, _>>()?;
        return Ok(Said::Value(Value::List(values)));
    }
    match said(node)? {
        Said::Claim(name) => Ok(Said::Claim(name)),
        Said::Value(_) => Err(node.wrong("a list is wanted, or a claim that is one")),
    }
}
