//! Executable documents, read as far as gateways write them for subgraphs: queries with fragments,
//! aliases, variables and conditions.
//!
//! No validation: what a subgraph does not have is told when the document is compiled.

mod words;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use words::{Word, words};

/// A document as it stands there.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) operations: Vec<Operation>,
    pub(super) fragments: BTreeMap<String, Fragment>,
}

#[derive(Debug)]
pub(super) struct Operation {
    pub(super) name: Option<String>,
    /// Default values of variables.
    pub(super) defaults: Map<String, Value>,
    pub(super) selections: Vec<Selection>,
}

#[derive(Debug)]
pub(super) struct Fragment {
    pub(super) on: String,
    pub(super) selections: Vec<Selection>,
}

#[derive(Debug)]
pub(super) struct Selection {
    pub(super) what: What,
    pub(super) conditions: Vec<Condition>,
}

#[derive(Debug)]
pub(super) enum What {
    Field {
        key: String,
        name: String,
        arguments: BTreeMap<String, Given>,
        selections: Vec<Selection>,
    },
    Inline {
        on: Option<String>,
        selections: Vec<Selection>,
    },
    Spread(String),
}

/// `@include`, or `@skip`, which is its opposite.
#[derive(Debug)]
pub(super) struct Condition {
    pub(super) given: Given,
    pub(super) wanted: bool,
}

/// The value of an argument.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Given {
    Variable(String),
    /// Without any variable in it; an enumeration's value is a text.
    Constant(Value),
    List(Vec<Given>),
    Object(Vec<(String, Given)>),
}

/// A document that is none, or that no gateway writes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum DocumentError {
    #[error("`{0}` stands where nothing begins with it")]
    Letter(char),
    #[error("the document ends too early")]
    End,
    #[error("block strings are not read")]
    Block,
    #[error("{0} stands where something else is expected")]
    Unexpected(String),
    #[error("only queries are answered")]
    Kind,
}

impl Given {
    /// Its value in a request; a variable that is not given is null.
    pub(super) fn resolve(&self, variables: &Map<String, Value>) -> Value {
        match self {
            Self::Variable(name) => variables.get(name).cloned().unwrap_or_default(),
            Self::Constant(value) => value.clone(),
            Self::List(all) => all.iter().map(|one| one.resolve(variables)).collect(),
            Self::Object(members) => {
                let members = members.iter();
                members.map(|(name, given)| (name.clone(), given.resolve(variables))).collect()
            }
        }
    }
}

impl Document {
    pub(super) fn parse(text: &str) -> Result<Self, DocumentError> {
        let mut reader = Reader { words: words(text)?, next: 0 };
        let mut document = Self { operations: Vec::new(), fragments: BTreeMap::new() };
        while let Some(word) = reader.peek() {
            match word {
                Word::Name("fragment") => {
                    reader.next += 1;
                    let name = reader.name()?;
                    reader.keyword("on")?;
                    let on = reader.name()?;
                    reader.skip_directives()?;
                    let selections = reader.selections()?;
                    document.fragments.insert(name, Fragment { on, selections });
                }
                Word::Name("mutation" | "subscription") => return Err(DocumentError::Kind),
                _ => document.operations.push(reader.operation()?),
            }
        }
        Ok(document)
    }
}

/// Goes through the words.
#[derive(Debug)]
struct Reader<'t> {
    words: Vec<Word<'t>>,
    next: usize,
}

impl<'t> Reader<'t> {
    fn peek(&self) -> Option<&Word<'t>> {
        self.words.get(self.next)
    }

    fn take(&mut self) -> Result<Word<'t>, DocumentError> {
        let word = self.words.get(self.next).cloned().ok_or(DocumentError::End)?;
        self.next += 1;
        Ok(word)
    }

    fn name(&mut self) -> Result<String, DocumentError> {
        match self.take()? {
            Word::Name(name) => Ok(name.to_owned()),
            other => Err(unexpected(&other)),
        }
    }

    fn keyword(&mut self, expected: &str) -> Result<(), DocumentError> {
        match self.take()? {
            Word::Name(name) if name == expected => Ok(()),
            other => Err(unexpected(&other)),
        }
    }

    fn mark(&mut self, expected: char) -> Result<(), DocumentError> {
        match self.take()? {
            Word::Mark(mark) if mark == expected => Ok(()),
            other => Err(unexpected(&other)),
        }
    }

    /// Whether it stands there; then it is taken.
    fn has(&mut self, mark: char) -> bool {
        let has = self.peek() == Some(&Word::Mark(mark));
        self.next += usize::from(has);
        has
    }

    fn operation(&mut self) -> Result<Operation, DocumentError> {
        let mut operation = Operation { name: None, defaults: Map::new(), selections: Vec::new() };
        if self.peek() == Some(&Word::Name("query")) {
            self.next += 1;
            if let Some(Word::Name(_)) = self.peek() {
                operation.name = Some(self.name()?);
            }
            if self.has('(') {
                while !self.has(')') {
                    self.variable_definition(&mut operation.defaults)?;
                }
            }
            self.skip_directives()?;
        }
        operation.selections = self.selections()?;
        Ok(operation)
    }

    fn variable_definition(
        &mut self,
        defaults: &mut Map<String, Value>,
    ) -> Result<(), DocumentError> {
        self.mark('$')?;
        let name = self.name()?;
        self.mark(':')?;
        // The type says nothing to who does not validate.
        let mut depth = 0_usize;
        loop {
            match self.take()? {
                Word::Mark('[') => depth += 1,
                Word::Mark(']') => depth = depth.saturating_sub(1),
                Word::Name(_) => {}
                other => return Err(unexpected(&other)),
            }
            self.has('!');
            if depth == 0 {
                break;
            }
        }
        if self.has('=') {
            let default = self.given()?;
            defaults.insert(name, default.resolve(&Map::new()));
        }
        self.skip_directives()
    }

    fn selections(&mut self) -> Result<Vec<Selection>, DocumentError> {
        self.mark('{')?;
        let mut selections = Vec::new();
        while !self.has('}') {
            selections.push(self.selection()?);
        }
        Ok(selections)
    }

    fn selection(&mut self) -> Result<Selection, DocumentError> {
        if self.peek() != Some(&Word::Dots) {
            return self.field();
        }
        self.next += 1;
        if let Some(Word::Name(name)) = self.peek()
            && *name != "on"
        {
            let name = self.name()?;
            return Ok(Selection { what: What::Spread(name), conditions: self.conditions()? });
        }
        let on = match self.peek() {
            Some(Word::Name(_)) => {
                self.next += 1;
                Some(self.name()?)
            }
            _ => None,
        };
        let conditions = self.conditions()?;
        let selections = self.selections()?;
        Ok(Selection { what: What::Inline { on, selections }, conditions })
    }

    fn field(&mut self) -> Result<Selection, DocumentError> {
        let key = self.name()?;
        let name = if self.has(':') { self.name()? } else { key.clone() };
        let arguments = self.arguments()?;
        let conditions = self.conditions()?;
        let selections = match self.peek() {
            Some(Word::Mark('{')) => self.selections()?,
            _ => Vec::new(),
        };
        Ok(Selection { what: What::Field { key, name, arguments, selections }, conditions })
    }

    fn arguments(&mut self) -> Result<BTreeMap<String, Given>, DocumentError> {
        let mut arguments = BTreeMap::new();
        if self.has('(') {
            while !self.has(')') {
                let name = self.name()?;
                self.mark(':')?;
                arguments.insert(name, self.given()?);
            }
        }
        Ok(arguments)
    }

    fn conditions(&mut self) -> Result<Vec<Condition>, DocumentError> {
        let mut conditions = Vec::new();
        while self.has('@') {
            let name = self.name()?;
            let given = self.arguments()?.remove("if");
            let wanted = name == "include";
            if wanted || name == "skip" {
                let given = given.ok_or(DocumentError::End)?;
                conditions.push(Condition { given, wanted });
            }
        }
        Ok(conditions)
    }

    fn skip_directives(&mut self) -> Result<(), DocumentError> {
        self.conditions().map(drop)
    }

    fn given(&mut self) -> Result<Given, DocumentError> {
        let constant = |value| Ok(Given::Constant(value));
        match self.take()? {
            Word::Mark('$') => Ok(Given::Variable(self.name()?)),
            Word::Text(text) => constant(Value::String(text)),
            Word::Name("true") => constant(Value::Bool(true)),
            Word::Name("false") => constant(Value::Bool(false)),
            Word::Name("null") => constant(Value::Null),
            Word::Name(name) => constant(Value::String(name.to_owned())),
            Word::Number(number) => match serde_json::from_str(number) {
                Ok(number) => constant(number),
                Err(_) => Err(unexpected(&Word::Number(number))),
            },
            Word::Mark('[') => {
                let mut all = Vec::new();
                while !self.has(']') {
                    all.push(self.given()?);
                }
                Ok(Given::List(all))
            }
            Word::Mark('{') => {
                let mut members = Vec::new();
                while !self.has('}') {
                    let name = self.name()?;
                    self.mark(':')?;
                    members.push((name, self.given()?));
                }
                Ok(Given::Object(members))
            }
            other => Err(unexpected(&other)),
        }
    }
}

fn unexpected(word: &Word<'_>) -> DocumentError {
    DocumentError::Unexpected(match word {
        Word::Name(name) => format!("`{name}`"),
        Word::Number(number) => format!("`{number}`"),
        Word::Text(_) => "a string".to_owned(),
        Word::Mark(mark) => format!("`{mark}`"),
        Word::Dots => "`...`".to_owned(),
    })
}
