//! Calls of functions: as values, as rows, and as rows for each parent.
//!
//! A function of a row is called in a lateral join with the parents' rows. Where these stand in a
//! table with a key, they are read again by it; where they do not, such as the rows of a view or
//! those that another function gave, they are sent back as they came.

use catalog::{
    Argument, ArgumentType, EntityId, EntityKind, Field, FieldId, FunctionId, FunctionResult, Type,
};
use ir::{Call, Filter, Form, Hop, Operand, OutputKind, Rows};
use source::CompileError;
use sql::{
    Alias, CallArgument, Expression, FromItem, Identifier, Join, JoinKind, Select, SelectItem,
    SqlType, TableName,
};

use super::compile::Compiler;
use super::items::is_made;
use super::level::{ParameterSource, Parents};
use super::parents::{Above, LinkedScope};
use super::row_set::Scope;
use super::statement::Statement;
use super::value::ParameterKind;

/// What a function is called with beside what the request gives.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Row<'a> {
    /// Where its row stands, if it is of one.
    alias: Option<Alias>,
    /// What was told beside the key that found the row.
    external: &'a [Expression],
}

/// How the rows that a function is called with are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowIdentity<'a> {
    /// They stand in the entity's table, by these fields.
    Key(EntityId, &'a [FieldId]),
    /// By everything that they hold.
    Whole(EntityId),
}

impl Compiler<'_> {
    /// The entity of the rows that a function gives.
    pub(super) fn rows_of_function(&self, function: FunctionId) -> Result<EntityId, CompileError> {
        match &self.catalog[function].result {
            FunctionResult::Row(entity)
            | FunctionResult::Rows(entity)
            | FunctionResult::RowArray(entity) => Ok(*entity),
            FunctionResult::Values(field) => Ok(self.catalog[*field].entity),
            FunctionResult::Nothing | FunctionResult::Value(_) => {
                Err(CompileError::not_built("a value as rows"))
            }
        }
    }

    /// A function's rows as an item of FROM. The row it is called with stands in `row`.
    pub(super) fn function_item(
        &self,
        call: &Call,
        row: Row<'_>,
        alias: Alias,
        statement: &mut Statement,
    ) -> Result<FromItem, CompileError> {
        if let Some(written) = &self.catalog[call.function].statement {
            return self.written_item(written, call, call.function, alias, statement);
        }
        let result = &self.catalog[call.function].result;
        let column = match result {
            FunctionResult::Values(field) | FunctionResult::Value(field)
                if !self.is_whole_row(&self.catalog[*field]) =>
            {
                Some(Identifier(self.catalog[*field].name.clone()))
            }
            _ => None,
        };
        statement.sent.push(alias);
        let unnest = matches!(result, FunctionResult::RowArray(_));
        let call = self.function_call(call, row, statement)?;
        Ok(FromItem::Function { call, unnest, alias, column })
    }

    /// Whether the field is all that its row is: a set of values of a composite type.
    pub(super) fn is_whole_row(&self, field: &Field) -> bool {
        self.catalog[field.entity].kind == EntityKind::ValueSet
            && matches!(self.catalog.base_type(&field.r#type), Type::Composite(_))
    }

    /// The value of a call. A composite whose attributes are all null is null.
    pub(super) fn computed(
        &self,
        call: &Call,
        form: Form,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        if scope.is_within && call.of_row.as_ref().is_some_and(Vec::is_empty) {
            return Err(CompileError::not_built("functions of distinct rows and of pages' rows"));
        }
        let alias = call.of_row.as_ref().map(|path| self.joined(scope, statement, path));
        let row = Row { alias, external: &scope.external };
        let value = match &self.catalog[call.function].result {
            FunctionResult::Value(field) => {
                match self.catalog.base_type(&self.catalog[*field].r#type) {
                    Type::Composite(_) => {
                        let alias = statement.alias();
                        let item = self.function_item(call, row, alias, statement)?;
                        let mut select = Select::from(item);
                        let expression = row_as_value(alias);
                        select.items.push(SelectItem { expression, name: None });
                        Expression::Subquery(Box::new(select))
                    }
                    Type::Scalar(_)
                    | Type::Enum(_)
                    | Type::Domain(_)
                    | Type::Range(_)
                    | Type::Row(_)
                    | Type::List(_) => Expression::Call(self.function_call(call, row, statement)?),
                }
            }
            FunctionResult::Nothing => Expression::Call(self.function_call(call, row, statement)?),
            FunctionResult::Row(_)
            | FunctionResult::Rows(_)
            | FunctionResult::RowArray(_)
            | FunctionResult::Values(_) => {
                return Err(CompileError::not_built("rows as one value"));
            }
        };
        let value = match self.catalog[call.function].result {
            FunctionResult::Value(field) => self.formed(field, value, form),
            _ => in_form(value, form),
        };
        let path = call.of_row.as_deref().unwrap_or_default();
        let Some(marker) = self.marker(path) else { return Ok(value) };
        // Where no row was joined, the function is not called: it could fail.
        let marker = self.column(scope, statement, path, marker);
        let is_there = Expression::Not(Box::new(Expression::IsNull(Box::new(marker))));
        let is_there = match self.condition_of_joined(scope, path, statement)? {
            Some(passes) => Expression::all(vec![is_there, passes]),
            None => is_there,
        };
        Ok(Expression::When { condition: Box::new(is_there), then: Box::new(value) })
    }

    /// The value of a call, with the field that says what kind of value it is.
    pub(super) fn computed_place(
        &self,
        call: &Call,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<(FieldId, Expression), CompileError> {
        let FunctionResult::Value(field) = self.catalog[call.function].result else {
            return Err(CompileError::not_built("a comparison of rows"));
        };
        Ok((field, self.computed(call, Form::Stored, scope, statement)?))
    }

    /// A call with the row of a scope, whatever it gives.
    pub(super) fn call_of_row(
        &self,
        call: &Call,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let alias = call.of_row.as_ref().map(|path| self.joined(scope, statement, path));
        let row = Row { alias, external: &scope.external };
        Ok(Expression::Call(self.function_call(call, row, statement)?))
    }

    /// Whether one of the rows that a function of a scope's row returns passes a filter.
    pub(super) fn has_function_row(
        &self,
        call: &Call,
        filter: &Filter,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<Expression, CompileError> {
        let rows = self.function_rows(call, filter, scope, statement)?;
        Ok(Expression::Exists(Box::new(rows.select)))
    }

    /// The rows that a function of the row returns and that pass.
    pub(super) fn function_rows(
        &self,
        call: &Call,
        filter: &Filter,
        scope: &mut Scope,
        statement: &mut Statement,
    ) -> Result<Scope, CompileError> {
        if scope.is_within {
            return Err(CompileError::not_built("functions of distinct rows and of pages' rows"));
        }
        self.rows_of_function(call.function)?;
        let near = scope.alias;
        let row = call.of_row.as_ref().map(|path| self.joined(scope, statement, path));
        let row = Row { alias: row, external: &scope.external };
        let alias = statement.alias();
        let item = self.function_item(call, row, alias, statement)?;
        let mut rows = Scope::new(Select::from(item), alias);
        // What a function returns stands in no table.
        rows.guards.made = true;
        statement.nested += 1;
        let passes = self.filter_within(near, filter, &mut rows, statement)?;
        statement.nested -= 1;
        rows.select.and_where(passes);
        Ok(rows)
    }

    /// The call itself, with the arguments that the request gives.
    pub(super) fn plain_call(
        &self,
        call: &Call,
        statement: &mut Statement,
    ) -> Result<sql::Call, CompileError> {
        self.function_call(call, Row::default(), statement)
    }

    /// The call itself: by place up to the first argument that is left out, by name after it.
    fn function_call(
        &self,
        call: &Call,
        row: Row<'_>,
        statement: &mut Statement,
    ) -> Result<sql::Call, CompileError> {
        let function = &self.catalog[call.function];
        statement.calls = true;
        let by_place = |value| CallArgument { name: None, value };
        let mut values = Vec::with_capacity(call.arguments.len() + 1);
        // The row stands in the place of the first argument that is one.
        if let Some(alias) = row.alias {
            let is_row = |argument: &Argument| matches!(argument.r#type, ArgumentType::Row(_));
            let place = function.arguments.iter().position(is_row).unwrap_or_default();
            let argument = function.arguments.get(place).map(|argument| &argument.r#type);
            let value = match argument {
                Some(ArgumentType::Row(entity)) => self.row_argument(*entity, alias, statement),
                _ => Expression::Row(alias),
            };
            values.push((place, value));
        }
        for (place, operand) in &call.arguments {
            let value = match operand {
                Operand::External(number) => {
                    let external = row.external.get(usize::from(*number)).cloned();
                    external.ok_or(CompileError::not_built("an argument that nobody tells"))?
                }
                _ => {
                    let source = ParameterSource::Operand(operand.clone());
                    let kind = ParameterKind::Argument { function: call.function, place: *place };
                    Expression::Parameter(statement.parameter(source, kind))
                }
            };
            values.push((usize::from(*place), value));
        }
        values.sort_by_key(|(place, _)| *place);
        let mut arguments = Vec::with_capacity(values.len());
        let mut next = 0;
        for (place, value) in values {
            if place == next {
                arguments.push(by_place(value));
                next += 1;
                continue;
            }
            let name = function.arguments.get(place).and_then(|argument| argument.name.clone());
            let name = name.ok_or(CompileError::not_built("a gap before an unnamed argument"))?;
            arguments.push(CallArgument { name: Some(Identifier(name)), value });
        }
        let schema = function.namespace.clone().map(Identifier);
        let name = TableName { schema, name: Identifier(function.name.clone()) };
        Ok(sql::Call { function: name, arguments })
    }

    /// How the rows at the end of a path of `rows` are told apart.
    pub(super) fn row_identity(
        &self,
        rows: &Rows,
        path: &[Hop],
    ) -> Result<RowIdentity<'_>, CompileError> {
        let (entity, is_stored) = match path.last() {
            Some(hop) => (self.target(*hop), true),
            None => (self.entity(rows)?, !is_made(&rows.from)),
        };
        let definition = &self.catalog[entity];
        let is_external = |key: &&catalog::Key| {
            let mut fields = key.fields.iter();
            key.enforced && fields.all(|field| !self.catalog[*field].nullable)
        };
        let key = definition.keys.iter().find(is_external);
        Ok(match key {
            Some(key) if is_stored && definition.kind == EntityKind::Table => {
                RowIdentity::Key(entity, &key.fields)
            }
            Some(_) | None => RowIdentity::Whole(entity),
        })
    }

    /// The rows of a function of each row above, without items, order and page.
    pub(super) fn function_scope(
        &self,
        rows: &Rows,
        call: &Call,
        above: &Above<'_>,
        path: &[Hop],
        key_columns: &[u16],
        statement: &mut Statement,
    ) -> Result<LinkedScope, CompileError> {
        let (parents, row, link, how) = match self.row_identity(above.rows, path)? {
            RowIdentity::Key(entity, key) => {
                let (item, how) = self.parents(above, path, key, key_columns, statement)?;
                let keys = item.alias();
                let alias = statement.alias();
                let numbered = key.iter().zip(0_u16..);
                let on = numbered.clone().map(|(field, number)| {
                    self.field(alias, *field).equals(Expression::numbered(keys, number))
                });
                // The rows are looked up before or after those that are wanted of them are known.
                let passes = match passes_first(above.rows, path) {
                    Some(filter) => Some(self.decided_alone(filter, alias, statement)?),
                    None => None,
                };
                let on = Expression::all(on.chain(passes).collect());
                let mut select = Select::from(item);
                let item = self.table(entity, alias);
                select.joins.push(Join { kind: JoinKind::Inner(on), item });
                let link = numbered.map(|(_, number)| Expression::numbered(keys, number));
                (select, alias, link.collect(), how)
            }
            RowIdentity::Whole(entity) => {
                let (select, alias) = sent_rows(entity, above, key_columns, statement);
                (select, alias, vec![row_as_text(alias)], Parents::Arrays)
            }
        };
        let alias = statement.alias();
        let row = Row { alias: Some(row), external: &[] };
        let item = self.function_item(call, row, alias, statement)?;
        let mut scope = Scope::new(Select::from(item), alias);
        scope.keeps_order = rows.order.is_empty();
        self.restrict(rows, &mut scope, statement)?;
        Ok(LinkedScope { scope, lateral: Some(parents), link, how, numbered: false })
    }
}

/// What the rows at the end of a path have to pass before anything is evaluated on them.
fn passes_first<'r>(rows: &'r Rows, path: &[Hop]) -> Option<&'r Filter> {
    if path.is_empty() {
        return rows.filter.first();
    }
    rows.outputs.iter().find_map(|output| match &output.kind {
        OutputKind::PresentIf { path: own, filter } if own == path => Some(filter),
        _ => None,
    })
}

/// The rows that a column of the level above holds, sent back as they came.
pub(super) fn sent_rows(
    entity: EntityId,
    above: &Above<'_>,
    key_columns: &[u16],
    statement: &mut Statement,
) -> (Select, Alias) {
    let column = key_columns.first().copied().unwrap_or_default();
    let source = ParameterSource::Keys { level: above.level, column };
    let parameter = statement.parameter(source, ParameterKind::RowArray { entity });
    statement.round = statement.round.max(above.round + 1);
    let alias = statement.alias();
    statement.sent.push(alias);
    (Select::from(FromItem::RowArray { parameter, has_places: false, alias }), alias)
}

/// A row as PostgreSQL writes it.
pub(super) fn row_as_text(alias: Alias) -> Expression {
    Expression::Cast { expression: Box::new(Expression::Row(alias)), r#type: SqlType::Text }
}

/// The same, or null if all its fields are null.
pub(super) fn row_as_value(alias: Alias) -> Expression {
    Expression::When {
        condition: Box::new(Expression::is_a_row(alias)),
        then: Box::new(row_as_text(alias)),
    }
}

/// A value in the form that is asked for, where the database has types for all values.
pub(super) fn in_form(value: Expression, form: Form) -> Expression {
    let cast = |value, r#type| Expression::Cast { expression: Box::new(value), r#type };
    match form {
        Form::Stored => value,
        Form::Number => cast(value, SqlType::Numeric),
        Form::Text => cast(value, SqlType::Text),
        Form::Numbers => cast(value, SqlType::NumericArray),
        Form::Texts => cast(value, SqlType::TextArray),
        Form::OrEmpty => Expression::OrEmptyArray(Box::new(value)),
        // Made where the type is known.
        Form::GeoJson => value,
        Form::Json => {
            let arguments = vec![CallArgument { name: None, value }];
            let [schema, name] = ["pg_catalog", "to_json"].map(|name| Identifier(name.into()));
            let function = TableName { schema: Some(schema), name };
            cast(Expression::Call(sql::Call { function, arguments }), SqlType::Text)
        }
    }
}
