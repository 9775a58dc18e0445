//! Syntax trees.

use std::rc::Rc;

/// A class, trait or object.
#[derive(Debug)]
pub(crate) struct Template {
    pub(crate) kind: TemplateKind,
    pub(crate) name: String,
    /// The parameters of a class.
    pub(crate) parameters: Vec<Parameter>,
    /// The names of what it extends, in their order.
    pub(crate) parents: Vec<String>,
    pub(crate) members: Vec<Statement>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TemplateKind {
    Class,
    CaseClass,
    Trait,
    Object,
}

#[derive(Debug, Clone)]
pub(crate) enum Statement {
    Value(Definition),
    Function(Rc<Function>),
    Template(Rc<Template>),
    Expression(Expression),
}

/// `val`, `var` or `lazy val`.
#[derive(Debug, Clone)]
pub(crate) struct Definition {
    pub(crate) pattern: Pattern,
    pub(crate) is_lazy: bool,
    pub(crate) value: Expression,
}

/// `def`
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// All lists of parameters, joined.
    pub(crate) parameters: Vec<Parameter>,
    /// None is abstract.
    pub(crate) body: Option<Expression>,
}

#[derive(Debug, Clone)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    /// The first name of its type.
    pub(crate) type_name: String,
    /// Takes all arguments that are left.
    pub(crate) is_repeated: bool,
    pub(crate) default: Option<Expression>,
}

#[derive(Debug, Clone)]
pub(crate) struct Argument {
    pub(crate) name: Option<String>,
    pub(crate) value: Expression,
    /// `: _*`
    pub(crate) is_spread: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum TextPart {
    Text(String),
    Value(Expression),
}

#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) pattern: Pattern,
    pub(crate) guard: Option<Expression>,
    pub(crate) body: Expression,
}

#[derive(Debug, Clone)]
pub(crate) enum Pattern {
    Any,
    Name(String),
    /// A constant, by an expression that has its value.
    Value(Expression),
    Tuple(Vec<Pattern>),
    /// `Name(patterns)`
    Extract(String, Vec<Pattern>),
    /// `name: Type`; the type's first name.
    Typed(Box<Pattern>, String),
    Alternatives(Vec<Pattern>),
}

/// A line of a `for`.
#[derive(Debug, Clone)]
pub(crate) enum Enumerator {
    Generator(Pattern, Expression),
    Definition(Pattern, Expression),
    Guard(Expression),
}

#[derive(Debug, Clone)]
pub(crate) enum Expression {
    Unit,
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Rc<str>),
    Interpolated(Vec<TextPart>),
    Name(String),
    Member(Box<Expression>, String),
    Call(Box<Expression>, Vec<Argument>),
    /// `left operator right`, whose operator may be a name.
    Infix(Box<Expression>, String, Box<Expression>),
    Not(Box<Expression>),
    Negative(Box<Expression>),
    Block(Vec<Statement>),
    Lambda(Rc<(Vec<Pattern>, Expression)>),
    /// `{ case … => … }`
    Cases(Rc<Vec<Case>>),
    If(Box<(Expression, Expression, Option<Expression>)>),
    Match(Box<Expression>, Rc<Vec<Case>>),
    For(Vec<Enumerator>, Box<Expression>, bool),
    New(String, Vec<Argument>),
    Tuple(Vec<Expression>),
    Assign(Box<Expression>, Box<Expression>),
    /// What the reader does not know, with its text.
    Unknown(String),
}
