//! The walk over an operation, in the order of its selections.

use apollo_compiler::parser::Parser;
use apollo_compiler::{Node, ast};
use serde_json_bytes::{ByteString, Map, Value as Json};

use super::given::InputValue;
use super::{InputRules, Located, Problem, Step};
use crate::document::DocumentLimits;
use crate::operation::{Location, OperationKind};
use crate::print_type::print_type;
use crate::request::Request;
use crate::schema::{TypeId, TypeKind, TypeRef};
use crate::visibility::View;

/// The most steps of a walk: fragments may be spread often, and an error is not worth more.
const MOST_STEPS: usize = 200_000;

/// The deepest nesting of selections, fragments expanded.
const MOST_LEVELS: usize = 200;

pub(super) struct Walk<'d> {
    pub(super) schema: View<'d>,
    pub(super) rules: InputRules,
    pub(super) variables: &'d [Node<ast::VariableDefinition>],
    pub(super) values: &'d Map<ByteString, Json>,
    pub(super) path: Vec<Step>,
    document: &'d ast::Document,
    /// The byte whose place is wanted.
    offset: Option<usize>,
    nearest: Vec<Step>,
    /// The fragments around, each with the length of the path where it is spread.
    spreads: Vec<(&'d str, usize)>,
    steps: usize,
    levels: usize,
}

/// The end of a walk: a problem at the present path, or at the root; or too many steps.
pub(super) enum Stop {
    Here(Box<Problem>),
    AtRoot(Box<Problem>),
    Tired,
}

impl Stop {
    pub(super) fn of(problem: Problem) -> Self {
        Self::Here(Box::new(problem))
    }

    pub(super) fn at_root(problem: Problem) -> Self {
        Self::AtRoot(Box::new(problem))
    }
}

pub(super) fn locate(
    schema: View<'_>,
    request: &Request,
    limits: &DocumentLimits,
    rules: InputRules,
    location: Option<Location>,
) -> Located {
    let mut parser = Parser::new().token_limit(limits.tokens).recursion_limit(limits.recursion);
    let Ok(document) = parser.parse_ast(request.query.as_str(), "document.graphql") else {
        return Located::default();
    };
    let operation = match operation(&document, request.operation_name.as_deref()) {
        Ok(operation) => operation,
        Err(problem) => {
            return Located { problem: Some((Vec::new(), problem)), nearest: Vec::new() };
        }
    };
    let mut walk = Walk {
        schema,
        rules,
        variables: &operation.variables,
        values: &request.variables,
        path: Vec::new(),
        document: &document,
        offset: location.and_then(|location| offset_of(&request.query, location)),
        nearest: Vec::new(),
        spreads: Vec::new(),
        steps: 0,
        levels: 0,
    };
    let problem = match walk.operation(operation) {
        Ok(()) | Err(Stop::Tired) => None,
        Err(Stop::Here(problem)) => Some((std::mem::take(&mut walk.path), *problem)),
        Err(Stop::AtRoot(problem)) => Some((Vec::new(), *problem)),
    };
    Located { problem, nearest: walk.nearest }
}

/// <https://spec.graphql.org/draft/#GetOperation()>
fn operation<'d>(
    document: &'d ast::Document,
    name: Option<&str>,
) -> Result<&'d ast::OperationDefinition, Problem> {
    let mut operations = document.definitions.iter().filter_map(|definition| match definition {
        ast::Definition::OperationDefinition(operation) => Some(&**operation),
        _ => None,
    });
    match name {
        Some(name) => operations
            .find(|one| one.name.as_ref().is_some_and(|own| own == name))
            .ok_or_else(|| Problem::UnknownOperation { name: name.into() }),
        None => match (operations.next(), operations.next()) {
            (Some(only), None) => Ok(only),
            (None, _) | (Some(_), Some(_)) => Err(Problem::NoSingleOperation),
        },
    }
}

/// The byte of a line and a column, which counts characters.
fn offset_of(text: &str, location: Location) -> Option<usize> {
    let (mut line, mut column) = (1, 1);
    let mut characters = text.char_indices().peekable();
    while let Some((offset, character)) = characters.next() {
        if (line, column) == (location.line, location.column) {
            return Some(offset);
        }
        let is_end = character == '\n'
            || (character == '\r' && characters.peek().is_none_or(|(_, next)| *next != '\n'));
        (line, column) = if is_end { (line + 1, 1) } else { (line, column + 1) };
    }
    None
}

impl<'d> Walk<'d> {
    /// Counts a step.
    pub(super) fn step(&mut self) -> Result<(), Stop> {
        self.steps += 1;
        match self.steps > MOST_STEPS {
            true => Err(Stop::Tired),
            false => Ok(()),
        }
    }

    pub(super) fn print(&self, r#type: TypeRef) -> String {
        print_type(self.schema.whole, r#type)
    }

    fn operation(&mut self, operation: &'d ast::OperationDefinition) -> Result<(), Stop> {
        for variable in self.variables {
            let value = self.values.get(variable.name.as_str());
            if value.is_some_and(|value| value.is_null()) && variable.ty.is_non_null() {
                let r#type = variable.ty.to_string().into();
                return Err(Stop::at_root(Problem::NullVariable { r#type }));
            }
            if value.is_none() && variable.default_value.is_none() && variable.ty.is_non_null() {
                let name = variable.name.as_str().into();
                return Err(Stop::at_root(Problem::MissingVariable { name }));
            }
        }
        self.directives(&operation.directives)?;
        let (kind, root) = match operation.operation_type {
            ast::OperationType::Query => (OperationKind::Query, self.schema.query()),
            ast::OperationType::Mutation => (OperationKind::Mutation, self.schema.mutation()),
            ast::OperationType::Subscription => {
                (OperationKind::Subscription, self.schema.subscription())
            }
        };
        let root = root.ok_or_else(|| Stop::at_root(Problem::NoRootType { kind }))?;
        self.path.push(Step::SelectionSet);
        self.selections(root, &operation.selection_set)?;
        if operation.operation_type == ast::OperationType::Subscription
            && operation.selection_set.len() > 1
        {
            return Err(Stop::at_root(Problem::SeveralRootFields));
        }
        Ok(())
    }

    fn selections(&mut self, parent: TypeId, selections: &'d [ast::Selection]) -> Result<(), Stop> {
        self.levels += 1;
        if self.levels > MOST_LEVELS {
            return Err(Stop::Tired);
        }
        for selection in selections {
            self.step()?;
            match selection {
                ast::Selection::Field(field) => self.field(parent, field)?,
                ast::Selection::InlineFragment(fragment) => {
                    self.directives(&fragment.directives)?;
                    let condition = fragment.type_condition.as_ref();
                    let within = match condition {
                        Some(name) => self.schema.find_type(name),
                        None => Some(parent),
                    };
                    if let Some(within) = within {
                        self.selections(within, &fragment.selection_set)?;
                    }
                }
                ast::Selection::FragmentSpread(spread) => {
                    self.directives(&spread.directives)?;
                    self.end_of_cycle(&spread.fragment_name)?;
                    let Some(fragment) = self.fragment(&spread.fragment_name) else {
                        let name = spread.fragment_name.as_str().into();
                        return Err(Stop::at_root(Problem::UndefinedFragment { name }));
                    };
                    if let Some(within) = self.schema.find_type(&fragment.type_condition) {
                        self.spreads.push((fragment.name.as_str(), self.path.len()));
                        self.selections(within, &fragment.selection_set)?;
                        self.spreads.pop();
                    }
                }
            }
        }
        self.levels -= 1;
        Ok(())
    }

    /// An error if a fragment is spread within itself.
    fn end_of_cycle(&mut self, name: &str) -> Result<(), Stop> {
        let Some(first) = self.spreads.iter().position(|(known, _)| *known == name) else {
            return Ok(());
        };
        let names = self.spreads[first..].iter().map(|(name, _)| (*name).into()).collect();
        for (fragment, place) in self.spreads.drain(..).rev() {
            self.path.splice(place..place, [Step::Key(fragment.into()), Step::SelectionSet]);
        }
        Err(Stop::of(Problem::FragmentCycle { names }))
    }

    fn fragment(&self, name: &str) -> Option<&'d ast::FragmentDefinition> {
        let mut fragments =
            self.document.definitions.iter().filter_map(|definition| match definition {
                ast::Definition::FragmentDefinition(fragment) => Some(&**fragment),
                _ => None,
            });
        fragments.find(|fragment| fragment.name == name)
    }

    fn field(&mut self, parent: TypeId, field: &'d Node<ast::Field>) -> Result<(), Stop> {
        let name = field.name.as_str();
        if name == "__typename" {
            return self.directives(&field.directives);
        }
        let (schema, definition) = (self.schema, &self.schema.whole[parent]);
        self.path.push(Step::Key(name.into()));
        if let (Some(offset), Some(span)) = (self.offset, field.location())
            && (span.offset()..span.end_offset()).contains(&offset)
        {
            self.nearest.clone_from(&self.path);
            self.add_argument(field, offset);
        }
        let is_root = schema.query() == Some(parent);
        if is_root && matches!(name, "__schema" | "__type") {
            // The types of the schema itself are the library's.
            self.path.pop();
            return self.directives(&field.directives);
        }
        let Some(id) = schema.find_field(parent, name) else {
            let (name, r#type) = (name.into(), (&*definition.name).into());
            return Err(Stop::of(Problem::UnknownField { name, r#type }));
        };
        let of_type = schema.whole[id].r#type.base;
        let is_leaf = matches!(
            schema.whole[of_type].kind,
            TypeKind::Scalar | TypeKind::Enum { .. } | TypeKind::InputObject { .. }
        );
        if is_leaf && !field.selection_set.is_empty() {
            return Err(Stop::of(Problem::UnexpectedSelectionSet));
        }
        for argument in &field.arguments {
            if schema.find_argument(id, &argument.name).is_none() {
                let (field, name) = (name.into(), argument.name.as_str().into());
                return Err(Stop::of(Problem::UnknownArgument { field, name }));
            }
        }
        let given = field.arguments.iter();
        let given: Vec<_> = given
            .map(|argument| (argument.name.as_str(), InputValue::Literal(&argument.value)))
            .collect();
        self.path.push(Step::Arguments);
        self.inputs(&schema.whole[id].arguments, &given, None)?;
        self.path.pop();
        if !is_leaf {
            self.path.push(Step::SelectionSet);
            if field.selection_set.is_empty() {
                let r#type = (&*schema.whole[of_type].name).into();
                return Err(Stop::of(Problem::MissingSelectionSet { r#type }));
            }
            self.selections(of_type, &field.selection_set)?;
            self.path.pop();
        }
        self.path.pop();
        self.directives(&field.directives)
    }

    /// Adds the argument with the wanted byte, and the place within its value, to the nearest path.
    fn add_argument(&mut self, field: &'d ast::Field, offset: usize) {
        let has_byte = |argument: &&Node<ast::Argument>| {
            let span = argument.location();
            span.is_some_and(|span| (span.offset()..span.end_offset()).contains(&offset))
        };
        let Some(argument) = field.arguments.iter().find(has_byte) else { return };
        self.nearest.extend([Step::Arguments, Step::Key(argument.name.as_str().into())]);
        add_place(&argument.value, offset, &mut self.nearest);
    }

    /// Directives that the schema does not have.
    fn directives(&mut self, directives: &'d ast::DirectiveList) -> Result<(), Stop> {
        for directive in directives.iter() {
            let name = directive.name.as_str();
            let is_known = matches!(name, "skip" | "include" | "deprecated" | "specifiedBy")
                || self.schema.find_directive(name).is_some();
            if !is_known {
                return Err(Stop::of(Problem::UnknownDirective { name: name.into() }));
            }
        }
        Ok(())
    }
}

/// Adds the path to the innermost part of a literal that has a byte.
fn add_place(value: &Node<ast::Value>, offset: usize, path: &mut Vec<Step>) {
    let has_byte = |value: &Node<ast::Value>| {
        let span = value.location();
        span.is_some_and(|span| (span.offset()..span.end_offset()).contains(&offset))
    };
    match &**value {
        ast::Value::List(items) => {
            let found = items.iter().enumerate().find(|(_, item)| has_byte(item));
            if let Some((index, item)) = found {
                path.push(Step::Index(index));
                add_place(item, offset, path);
            }
        }
        ast::Value::Object(fields) => {
            if let Some((name, field)) = fields.iter().find(|(_, field)| has_byte(field)) {
                path.push(Step::Key(name.as_str().into()));
                add_place(field, offset, path);
            }
        }
        ast::Value::Null
        | ast::Value::Enum(_)
        | ast::Value::Variable(_)
        | ast::Value::String(_)
        | ast::Value::Float(_)
        | ast::Value::Int(_)
        | ast::Value::Boolean(_) => {}
    }
}
