//! The columns of a level.

use catalog::FieldId;
use ir::{Form, Hop, OutputKind, Rows};
use rustc_hash::FxHashMap;
use source::CompileError;
use sql::{Expression, SelectItem};

use super::compile::Compiler;
use super::function::{in_form, row_as_text};
use super::row_set::Scope;
use super::statement::Statement;
use super::value::ValueKind;

/// The columns of a level, each once.
#[derive(Default)]
pub(super) struct Items {
    /// Where the outputs stand.
    pub(super) places: Vec<(ir::OutputId, u16)>,
    pub(super) expressions: Vec<Expression>,
    pub(super) known: Known,
    /// The same of each entity, where the rows are of several.
    pub(super) variants: Vec<Known>,
}

/// The columns that levels below may ask for.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub(super) fields: FxHashMap<(Vec<Hop>, FieldId, Form), u16>,
    /// Whole rows, by the path to them.
    pub(super) rows: FxHashMap<Vec<Hop>, u16>,
    /// The key of the parent that the rows are joined to.
    pub(super) parent_key: Vec<u16>,
}

impl Compiler<'_> {
    /// The columns that the outputs and the levels below need.
    pub(super) fn items(
        &self,
        rows: &Rows,
        scope: &mut Scope,
        statement: &mut Statement,
        items: &mut Items,
    ) -> Result<(), CompileError> {
        for output in &rows.outputs {
            match &output.kind {
                OutputKind::Field { path, field, form } => {
                    let column = self.item(path, *field, *form, scope, statement, items);
                    items.places.push((output.id, column));
                }
                OutputKind::FieldIf { path, field, form, filter } => {
                    let alias = self.joined(scope, statement, path);
                    let condition = Box::new(self.condition_on(filter, alias, statement)?);
                    let value = self.formed(*field, self.field(alias, *field), *form);
                    // It is not known to the levels below: a key that may be seen or not would
                    // lead to other rows for some.
                    let column = items.push(Expression::When { condition, then: Box::new(value) });
                    items.places.push((output.id, column));
                }
                OutputKind::Present { path } => {
                    // Without rows as values, what a query gives is one, whatever its fields are.
                    let is_row = is_made(&rows.from) && !self.flavor.row_values;
                    if path.is_empty() && (is_row || self.is_of_change(&rows.from)) {
                        // A row was changed, whatever its fields are.
                        let column = items.push(Expression::Boolean(true));
                        items.places.push((output.id, column));
                    } else if path.is_empty() && is_made(&rows.from) {
                        let expression = Expression::When {
                            condition: Box::new(Expression::is_a_row(scope.alias)),
                            then: Box::new(Expression::Boolean(true)),
                        };
                        let column = items.push(expression);
                        items.places.push((output.id, column));
                    } else if let Some(field) = self.marker(path) {
                        let form = Form::Stored;
                        let column = self.item(path, field, form, scope, statement, items);
                        items.places.push((output.id, column));
                    }
                }
                OutputKind::Related { path, rows: related } => {
                    match self.near_fields(rows, path, related)? {
                        Some(near) => {
                            for field in near {
                                self.item(path, field, Form::Stored, scope, statement, items);
                            }
                            let joins = matches!(related.from, ir::From::Joining { .. });
                            if joins && items.known.parent_key.is_empty() {
                                for key in scope.parent_key.clone() {
                                    let column = items.push(key);
                                    items.known.parent_key.push(column);
                                }
                            }
                        }
                        None if items.known.rows.contains_key(path) => {}
                        None => {
                            let alias = self.joined(scope, statement, path);
                            let column = items.push(row_as_text(alias));
                            items.known.rows.insert(path.clone(), column);
                        }
                    }
                }
                OutputKind::Count | OutputKind::Aggregate(_) => {}
                OutputKind::OrderValue(key) => {
                    let value = match key {
                        ir::OrderKey::Relation { path, hop, filter, aggregate } => {
                            let related = (*hop, filter, aggregate);
                            let near = self.joined(scope, statement, path);
                            self.related_aggregate(related, false, (near, scope), statement)?
                        }
                        ir::OrderKey::Value(ir::ValueRef::Computed(call))
                        | ir::OrderKey::Call(call) => {
                            self.computed_place(call, scope, statement)?.1
                        }
                        ir::OrderKey::FunctionRows { call, filter, aggregate } => {
                            let rows = (call, filter, aggregate);
                            self.function_aggregate(rows, false, scope, statement)?
                        }
                        ir::OrderKey::Value(ir::ValueRef::Distance(distance)) => {
                            self.distance(distance, scope, statement)?
                        }
                        ir::OrderKey::Value(place @ ir::ValueRef::Coalesce(_)) => {
                            self.place(place, scope, statement)?.1
                        }
                        ir::OrderKey::Value(_) => {
                            return Err(CompileError::not_built("this order as a value"));
                        }
                    };
                    let column = items.push(value);
                    items.places.push((output.id, column));
                }
                OutputKind::Edge { field, form } => {
                    let Some(edge) = scope.edge else {
                        return Err(CompileError::not_built("a relationship's own property"));
                    };
                    let value = self.formed(*field, self.field(edge, *field), *form);
                    let column = items.push(value);
                    items.places.push((output.id, column));
                }
                OutputKind::Computed { call, form } => {
                    let value = self.computed(call, *form, scope, statement)?;
                    let column = items.push(value);
                    items.places.push((output.id, column));
                }
                OutputKind::Counter { .. } => return Err(CompileError::not_built("a counter")),
                // The condition stands where the row is joined.
                OutputKind::PresentIf { path, .. } => {
                    if let Some(field) = self.marker(path) {
                        let form = Form::Stored;
                        let column = self.item(path, field, form, scope, statement, items);
                        items.places.push((output.id, column));
                    }
                }
                OutputKind::Common { place, form } => {
                    let (field, column) = scope.common(*place)?;
                    let column = items.push(self.formed(field, column, *form));
                    items.places.push((output.id, column));
                }
                OutputKind::Variant => {
                    let column = items.push(scope.variant_number()?);
                    items.places.push((output.id, column));
                }
                OutputKind::Ordinal => {
                    let Some(ordinal) = scope.ordinal.clone() else {
                        return Err(CompileError::not_built("the place of a key of no list"));
                    };
                    let column = items.push(ordinal);
                    items.places.push((output.id, column));
                }
                OutputKind::Groups(_) => {
                    return Err(CompileError::not_built("groups with their rows"));
                }
            }
        }
        items.add_variants(scope);
        Ok(())
    }

    /// A field's value, or what was made of its values, in the form asked for.
    pub(super) fn formed(&self, field: FieldId, value: Expression, form: Form) -> Expression {
        match form {
            Form::Text if !self.flavor.typed_text => match ValueKind::of(self.catalog, field) {
                ValueKind::Boolean => Expression::TruthText(Box::new(value)),
                // The others are texts, or have one text only.
                _ => value,
            },
            Form::GeoJson => self.as_geojson(field, value),
            _ => in_form(value, form),
        }
    }

    /// The field that is null only if there is no row at the end of the path: a hop equates it.
    pub(super) fn marker(&self, path: &[Hop]) -> Option<FieldId> {
        let hop = path.last()?;
        self.hop_fields(*hop).1.first().copied()
    }

    pub(super) fn item(
        &self,
        path: &[Hop],
        field: FieldId,
        form: Form,
        scope: &mut Scope,
        statement: &mut Statement,
        items: &mut Items,
    ) -> u16 {
        if let Some(known) = items.known.fields.get(&(path.to_vec(), field, form)) {
            return *known;
        }
        let column = self.column(scope, statement, path, field);
        let number = items.push(self.formed(field, column, form));
        items.known.fields.insert((path.to_vec(), field, form), number);
        number
    }
}

/// Whether the rows need not stand anywhere: a function gave them, a field holds them, or a change
/// gave them, after which they may be gone or different.
pub(super) fn is_made(from: &ir::From) -> bool {
    matches!(from, ir::From::Function(_) | ir::From::Value(_) | ir::From::Returned { .. })
}

/// Expressions with their places as their names.
pub(super) fn numbered(expressions: impl Iterator<Item = Expression>) -> Vec<SelectItem> {
    let named = expressions.zip(0_u16..);
    named.map(|(expression, number)| SelectItem { expression, name: Some(number) }).collect()
}

impl Items {
    /// Items that stand behind others.
    pub(super) fn behind(expressions: &[Expression]) -> Self {
        Self { expressions: expressions.to_vec(), ..Self::default() }
    }

    pub(super) fn push(&mut self, expression: Expression) -> u16 {
        // A statement of more columns than can be numbered is refused when it is done.
        let number = u16::try_from(self.expressions.len()).unwrap_or(u16::MAX);
        self.expressions.push(expression);
        number
    }
}
