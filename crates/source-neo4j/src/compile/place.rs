//! Values of a row that are compared, sorted by and shown.

use catalog::FieldId;
use cypher::{Case, Comparison, Expression, Function, Variable};
use ir::{Form, Operand, ValueRef, Variant};
use source::CompileError;

use super::statement::Statement;
use super::{Compiler, refused};

/// The variables of a row whose values are used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scope<'r> {
    pub(super) node: Variable,
    /// The relationship that led to it, where it has a name; of a row that was searched for its
    /// score.
    pub(super) edge: Option<Variable>,
    pub(super) kind: Kind<'r>,
}

/// The kind of a row, by the way in which it was found.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind<'r> {
    /// Of a single entity.
    One,
    /// The row was found by an index.
    Found,
    /// The row was found by a key of a list, at the place in the variable.
    Keyed { place: Variable },
    /// Of a known one of several entities.
    Variant(&'r Variant),
    /// The entity of the row is one of these, by its number in the variable.
    Variants { variants: &'r [Variant], number: Variable },
    /// The row is of the variant only if the variable has the variant's number.
    IfVariant { variant: &'r Variant, number: Variable, place: u32 },
}

impl<'r> Scope<'r> {
    pub(super) fn of(node: Variable, edge: Option<Variable>) -> Self {
        Self { node, edge, kind: Kind::One }
    }

    /// The variables of the row that a subquery imports.
    pub(super) fn variables(&self) -> Vec<Variable> {
        match self.kind {
            Kind::One
            | Kind::Found
            | Kind::Keyed { .. }
            | Kind::Variant(_)
            | Kind::Variants { .. } => vec![self.node],
            Kind::IfVariant { number, .. } => vec![self.node, number],
        }
    }

    /// All variables of the row.
    pub(super) fn own_variables(&self) -> Vec<Variable> {
        let number = match self.kind {
            Kind::Variants { number, .. } => Some(number),
            Kind::Keyed { place } => Some(place),
            Kind::One | Kind::Found | Kind::Variant(_) | Kind::IfVariant { .. } => None,
        };
        [self.node].into_iter().chain(self.edge).chain(number).collect()
    }

    /// The condition under which the row is used at all.
    pub(super) fn guard(&self) -> Option<Expression> {
        match self.kind {
            Kind::One
            | Kind::Found
            | Kind::Keyed { .. }
            | Kind::Variant(_)
            | Kind::Variants { .. } => None,
            Kind::IfVariant { number, place, .. } => Some(is_variant(number, place)),
        }
    }
}

impl Compiler<'_> {
    /// The value of a place.
    pub(super) fn place(
        &self,
        place: &ValueRef,
        scope: &Scope<'_>,
    ) -> Result<(FieldId, Expression), CompileError> {
        match place {
            ValueRef::Field { path, field } if path.is_empty() => {
                Ok((*field, self.property(scope.node, *field)))
            }
            ValueRef::Field { .. } => Err(refused("a field of a row referred to")),
            ValueRef::Edge(field) => {
                let edge = scope.edge.ok_or(refused("a property of a relationship"))?;
                let value = match scope.kind {
                    Kind::Found => Expression::Variable(edge),
                    _ => self.property(edge, *field),
                };
                Ok((*field, value))
            }
            ValueRef::Outer { .. } => Err(refused("a value of an outer row")),
            ValueRef::Common(place) => self.common(*place, scope),
            ValueRef::Computed(_) => Err(refused("the value of a function")),
            ValueRef::Distance(_) => Err(refused("the distance of a vector")),
            ValueRef::Attribute { .. } => Err(refused("a part of a value")),
            ValueRef::Truncated { .. } => Err(refused("the beginning of a unit of time")),
            ValueRef::Spatial { .. } => Err(refused("a value of PostGIS")),
            ValueRef::Aggregated { .. } | ValueRef::Counted { .. } => {
                Err(refused("an aggregate in this place"))
            }
            ValueRef::If { .. } => Err(refused("a field that may be withheld")),
            ValueRef::Coalesce(_) => Err(refused("the first of several values")),
            ValueRef::Distinct(_) => Err(refused("an aggregate of distinct values")),
            ValueRef::Together(_) => Err(refused("several values as one")),
            ValueRef::OrElse { .. } => Err(refused("a value in the place of null")),
        }
    }

    /// A value that is compared: then another one may stand for null.
    pub(super) fn compared_place(
        &self,
        place: &ValueRef,
        scope: &Scope<'_>,
        statement: &mut Statement,
    ) -> Result<(FieldId, Expression), CompileError> {
        let ValueRef::OrElse { place, value } = place else {
            return self.value_of(place, scope, statement);
        };
        let (field, stored) = self.place(place, scope)?;
        let value = Operand::Constant((**value).clone());
        let value = statement.parameter(value, self.field_type(field)?);
        Ok((field, Expression::call(Function::Coalesce, vec![stored, value])))
    }

    pub(super) fn property(&self, of: Variable, field: FieldId) -> Expression {
        if self.is_value(field) {
            return Expression::Variable(of);
        }
        Expression::property(of, &self.catalog[field].name)
    }

    /// A field that several entities have. Where they call it alike it is one property.
    fn common(&self, place: u16, scope: &Scope<'_>) -> Result<(FieldId, Expression), CompileError> {
        let unknown = || refused("a field that not all entities have");
        let field =
            |variant: &Variant| variant.common.get(usize::from(place)).copied().ok_or_else(unknown);
        let (variants, number) = match scope.kind {
            Kind::One | Kind::Found | Kind::Keyed { .. } => return Err(unknown()),
            Kind::Variant(variant) | Kind::IfVariant { variant, .. } => {
                let field = field(variant)?;
                return Ok((field, self.property(scope.node, field)));
            }
            Kind::Variants { variants, number } => (variants, number),
        };
        let fields = variants.iter().map(field).collect::<Result<Vec<_>, _>>()?;
        let first = *fields.first().ok_or_else(unknown)?;
        let name = |field: FieldId| &self.catalog[field].name;
        if fields.iter().all(|field| name(*field) == name(first)) {
            return Ok((first, self.property(scope.node, first)));
        }
        let branches = fields.iter().zip(0_u32..).map(|(field, variant)| {
            (is_variant(number, variant), self.property(scope.node, *field))
        });
        let case = Case { branches: branches.collect(), otherwise: None };
        Ok((first, Expression::Case(case)))
    }
}

/// Whether a row is of the entity with this number.
pub(super) fn is_variant(number: Variable, place: u32) -> Expression {
    Expression::Variable(number).compare(Comparison::Equal, Expression::Integer(place))
}

/// A value in the requested form.
pub(super) fn formed(value: Expression, form: Form) -> Result<Expression, CompileError> {
    match form {
        Form::Stored => Ok(value),
        Form::OrEmpty => {
            Ok(Expression::call(Function::Coalesce, vec![value, Expression::List(Vec::new())]))
        }
        Form::Number | Form::Text | Form::Numbers | Form::Texts | Form::GeoJson | Form::Json => {
            Err(refused("a value in this form"))
        }
    }
}
