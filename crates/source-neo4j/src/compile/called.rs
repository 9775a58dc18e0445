//! Results of the schema author's own statements (`@cypher`): rows, and values of rows.

use catalog::{EntityKind, FieldId, FunctionResult, Statement as Text, StatementPart, Type};
use cypher::{
    Case, Clause, Expression, Function, Labels, Name, Projection, ProjectionItem, Query, Variable,
};
use ir::{Call, Filter, From, Operand, Rows, ValueRef, Variant};
use source::CompileError;

use super::super::program::ParameterType;
use super::listed::Start;
use super::place::{Kind, Scope, is_variant};
use super::required::keep_if;
use super::rows::{call as subquery, returning};
use super::statement::Statement;
use super::{Compiler, refused};

impl Compiler<'_> {
    /// Whether reading rows may change the graph.
    pub(super) fn changes(&self, rows: &Rows) -> bool {
        match &rows.from {
            From::Function(call) | From::FunctionOfVariants { call, .. } => {
                !self.catalog[call.function].only_reads()
            }
            _ => false,
        }
    }

    /// The clauses that find the rows of a statement, or those that a map contains. Below a row,
    /// nulls are left out.
    pub(super) fn found_given<'r>(
        &self,
        rows: &'r Rows,
        start: Start<'_, 'r>,
        statement: &mut Statement,
    ) -> Result<(Vec<Clause>, Scope<'r>), CompileError> {
        let near = match start {
            Start::Near(near) => Some(near),
            Start::Root | Start::Listed(_) => None,
        };
        let mut clauses = guard(near);
        let variable = match (&rows.from, near) {
            (From::Function(call) | From::FunctionOfVariants { call, .. }, _) => {
                let row = near.map(|near| near.node);
                let (clause, variable) = self.given(call, row, statement)?;
                clauses.push(clause);
                match self.catalog[call.function].result {
                    FunctionResult::Values(_) => {
                        let list = Expression::Variable(variable);
                        let variable = statement.item();
                        clauses.push(Clause::Unwind { list, variable });
                        variable
                    }
                    _ => variable,
                }
            }
            (From::Value(field), Some(near)) => {
                let list = self.property(near.node, *field);
                let variable = statement.element();
                clauses.push(Clause::Unwind { list, variable });
                variable
            }
            _ => return Err(refused("these rows")),
        };
        if let From::FunctionOfVariants { variants, .. } = &rows.from {
            let scope = self.classify(variable, variants, statement, &mut clauses)?;
            return Ok((clauses, scope));
        }
        let scope = Scope::of(variable, None);
        let mut conditions = Vec::new();
        if near.is_some() {
            conditions.push(Expression::IsNotNull(Box::new(Expression::Variable(variable))));
        }
        let mut required = None;
        if rows.filter != Filter::all() {
            let own = self.conditions(&rows.filter, &scope, statement)?;
            required = own.required([variable]);
            conditions.extend(own.passes);
        }
        if let Some(filter) = Expression::condition(conditions) {
            let filter = Some(filter);
            clauses.push(Clause::With(Projection { filter, ..Projection::of([variable]) }));
        }
        clauses.extend(required);
        Ok((clauses, scope))
    }

    /// Adds the clauses that determine the entity of each node: the first of several whose labels
    /// it has and whose condition it passes. Requirements of an entity apply to its nodes only.
    fn classify<'r>(
        &self,
        node: Variable,
        variants: &'r [Variant],
        statement: &mut Statement,
        clauses: &mut Vec<Clause>,
    ) -> Result<Scope<'r>, CompileError> {
        let number = statement.column();
        let mut branches = Vec::with_capacity(variants.len());
        let mut required = Vec::new();
        for (variant, place) in variants.iter().zip(0_u32..) {
            let labels = Labels::all(self.labels(variant.entity)?);
            let mut conditions = vec![Expression::HasLabels { node, labels }];
            if !variant.filter.is_all() {
                let scope = Scope { node, edge: None, kind: Kind::Variant(variant) };
                let own = self.conditions(&variant.filter, &scope, statement)?;
                required.extend(own.holds().map(|holds| (is_variant(number, place), holds)));
                conditions.extend(own.passes);
            }
            branches.push((Expression::all(conditions), Expression::Integer(place)));
        }
        let case = Case { branches, otherwise: None };
        let is_one = Expression::IsNotNull(Box::new(Expression::Variable(number)));
        let mut with = Projection { filter: Some(is_one), ..Projection::of([node]) };
        with.items.push(ProjectionItem::named(Expression::Case(case), number));
        clauses.push(Clause::With(with));
        if !required.is_empty() {
            let otherwise = Some(Box::new(Expression::Boolean(true)));
            let holds = Expression::Case(Case { branches: required, otherwise });
            clauses.push(keep_if([node, number], holds, statement.column()));
        }
        let kind = Kind::Variants { variants, number };
        Ok(Scope { node, edge: None, kind })
    }

    /// The subquery of a row's value, and the value's variable. It returns one row, whatever its
    /// statement returns.
    pub(super) fn given_value(
        &self,
        call: &Call,
        scope: &Scope<'_>,
        statement: &mut Statement,
    ) -> Result<(Clause, Variable), CompileError> {
        let (_, body, name) = self.value_body(call, scope, statement)?;
        Ok((subquery(scope.variables(), body), name))
    }

    /// The value of a place, which may be computed by an author's statement.
    pub(super) fn value_of(
        &self,
        place: &ValueRef,
        scope: &Scope<'_>,
        statement: &mut Statement,
    ) -> Result<(FieldId, Expression), CompileError> {
        let ValueRef::Computed(call) = place else { return self.place(place, scope) };
        if !self.flavor.collect_subqueries {
            return Err(refused("a statement's value in conditions on this version of the server"));
        }
        let (field, body, _) = self.value_body(call, scope, statement)?;
        let value = Expression::Element {
            list: Box::new(Expression::Collect(Box::new(Query::of(body)))),
            place: Box::new(Expression::Integer(0)),
        };
        Ok((field, value))
    }

    /// The clauses that give one row of one value: the first, or all of a list, without nulls.
    fn value_body(
        &self,
        call: &Call,
        scope: &Scope<'_>,
        statement: &mut Statement,
    ) -> Result<(FieldId, Vec<Clause>, Variable), CompileError> {
        let FunctionResult::Value(field) = self.catalog[call.function].result else {
            return Err(refused("rows in the place of a value"));
        };
        let mut clauses = guard(Some(scope));
        let (clause, variable) = self.given(call, Some(scope.node), statement)?;
        clauses.push(clause);
        let collected =
            |variable| Expression::call(Function::Collect, vec![Expression::Variable(variable)]);
        let value = match self.catalog[field].r#type {
            Type::List(_) => {
                let list = Expression::Variable(variable);
                let item = statement.item();
                clauses.push(Clause::Unwind { list, variable: item });
                collected(item)
            }
            _ => Expression::Element {
                list: Box::new(collected(variable)),
                place: Box::new(Expression::Integer(0)),
            },
        };
        let name = statement.column();
        clauses.push(returning(value, name));
        Ok((field, clauses, name))
    }

    /// The clause that returns the results of a statement, a row for each of its own.
    fn given(
        &self,
        call: &Call,
        row: Option<Variable>,
        statement: &mut Statement,
    ) -> Result<(Clause, Variable), CompileError> {
        let function = &self.catalog[call.function];
        let Some(Text { row: name, parts, column, only_first }) = &function.statement else {
            return Err(refused("a function of the server"));
        };
        let row = match (&call.of_row, name, row) {
            (None, None, _) => None,
            (Some(path), Some(name), Some(row)) if path.is_empty() => {
                Some((row, Name(name.clone())))
            }
            _ => return Err(refused("a statement of another row")),
        };
        let mut own = Vec::with_capacity(parts.len());
        for part in parts {
            own.push(match part {
                StatementPart::Text(text) => cypher::StatementPart::Text(text.clone()),
                StatementPart::Argument(place) => {
                    cypher::StatementPart::Value(self.argument(call, *place, statement)?)
                }
                StatementPart::Claims => cypher::StatementPart::Value(
                    statement.parameter(Operand::Claims, ParameterType::Any),
                ),
                StatementPart::Name(name) => cypher::StatementPart::Name(Name(name.clone())),
                StatementPart::Nothing(name) => cypher::StatementPart::Nothing(Name(name.clone())),
            });
        }
        let variable = statement.element();
        let (parts, column) = (own, Name(column.clone()));
        let only_first = *only_first;
        let text = cypher::Statement { row, parts, column, variable, only_first };
        Ok((Clause::Statement(text), variable))
    }

    /// The value of an argument: null where it is absent.
    fn argument(
        &self,
        call: &Call,
        place: u16,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let given = call.arguments.iter().find(|(given, _)| *given == place);
        let Some((_, operand)) = given else { return Ok(Expression::Null) };
        let arguments = &self.catalog[call.function].arguments;
        let argument = arguments.get(usize::from(place)).map(|argument| &argument.r#type);
        let Some(catalog::ArgumentType::Value(r#type)) = argument else {
            return Err(refused("a row as an argument"));
        };
        let r#type = self.argument_type(r#type)?;
        Ok(statement.parameter(operand.clone(), r#type))
    }

    /// Whether a row is a value: then it is the only field that it has.
    pub(super) fn is_value(&self, field: FieldId) -> bool {
        self.catalog[self.catalog[field].entity].kind == EntityKind::ValueSet
    }
}

/// The condition under which the row around is used at all, before its statement runs.
fn guard(near: Option<&Scope<'_>>) -> Vec<Clause> {
    let filter = near.and_then(Scope::guard);
    let with = filter.map(|filter| {
        Clause::With(Projection {
            items: Vec::<ProjectionItem>::new(),
            filter: Some(filter),
            ..Projection::default()
        })
    });
    with.into_iter().collect()
}
