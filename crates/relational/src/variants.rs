//! Rows of several entities in one list.
//!
//! A query for each entity gives its number, the common fields and the columns of its own outputs;
//! UNION ALL joins them, with nulls where a column is another entity's. Order and page are those of
//! the union. The rows below those of an entity hang on the union by columns that are null in all
//! other rows, to which none belong.

use catalog::{FieldId, Scalar, Type};
use ir::{From, Hop, Rows, Variant};
use response::LevelId;
use source::CompileError;
use sql::{Expression, FromItem, Select, SelectItem};

use super::compile::{Compiler, Parent, Strategy};
use super::items::{Items, Known, numbered};
use super::level::{ParameterSource, Parents};
use super::parents::LinkedScope;
use super::row_set::{Scope, turned};
use super::statement::Statement;
use super::value::ParameterKind;

/// The columns of rows of several entities.
#[derive(Debug)]
pub(super) struct VariantColumns {
    /// Which of the entities it is, from 0.
    number: Expression,
    commons: Vec<(FieldId, Expression)>,
    own: Vec<OwnColumns>,
}

/// The columns of one of the entities, behind those before it.
#[derive(Debug)]
struct OwnColumns {
    columns: Vec<Expression>,
    places: Vec<(ir::OutputId, u16)>,
    known: Known,
}

/// The query of one entity before its columns are known.
struct Branch {
    select: Select,
    commons: Vec<Expression>,
    own: Items,
}

impl Compiler<'_> {
    /// The fields of the row above by which all variants find it.
    pub(super) fn variants_near(&self, variants: &[Variant]) -> Result<Vec<FieldId>, CompileError> {
        let mut hops = variants.iter().map(|variant| variant.through.or(variant.hop));
        let first = hops.next().flatten();
        let unrelated = CompileError::not_built("unrelated rows of several entities below rows");
        let near = self.hop_fields(first.ok_or(unrelated)?).0;
        let is_same = |hop: Option<Hop>| hop.is_some_and(|hop| self.hop_fields(hop).0 == near);
        match hops.all(is_same) {
            true => Ok(near.to_vec()),
            false => Err(CompileError::not_built("related rows by fields that differ by entity")),
        }
    }

    /// The union of the variants with the parents that they belong to, without items, order and
    /// page.
    pub(super) fn variants_scope(
        &self,
        rows: &Rows,
        variants: &[Variant],
        parent: Option<&Parent<'_>>,
        statement: &mut Statement,
    ) -> Result<LinkedScope, CompileError> {
        if !rows.filter.is_all() {
            return Err(CompileError::not_built("one condition on rows of several entities"));
        }
        self.check_commons(variants)?;
        let (keys, lateral, how) = match parent {
            None => (Vec::new(), None, Parents::Top),
            Some(parent) => self.variants_parents(variants, parent, statement)?,
        };
        let mut branches = Vec::with_capacity(variants.len());
        for variant in variants {
            branches.push(self.branch(rows, variant, &keys, statement)?);
        }
        let fields = variants.first().map_or(&[][..], |variant| &variant.common);
        let mut selects = Vec::with_capacity(branches.len());
        for (number, branch) in branches.iter().enumerate() {
            let mut select = branch.select.clone();
            let number = u16::try_from(number).unwrap_or(u16::MAX);
            let mut columns = vec![Expression::Number(number)];
            columns.extend(branch.commons.iter().cloned());
            for (place, other) in branches.iter().enumerate() {
                let is_own = place == usize::from(number);
                let own = other.own.expressions.iter();
                columns.extend(own.map(|own| if is_own { own.clone() } else { other.null(own) }));
            }
            select.items = numbered(columns.into_iter());
            selects.push(self.cut(rows, (fields, &branch.commons), select, statement)?);
        }
        let alias = statement.alias();
        let union = FromItem::Union { selects, alias };
        let mut next = 0_u16;
        let mut column = || {
            next = next.saturating_add(1);
            Expression::numbered(alias, next - 1)
        };
        let number = column();
        let commons = fields.iter().map(|field| (*field, column())).collect();
        let own = branches.into_iter().map(|branch| OwnColumns {
            columns: branch.own.expressions.iter().map(|_| column()).collect(),
            places: branch.own.places,
            known: branch.own.known,
        });
        let own = own.collect();
        let mut scope = Scope::new(Select::from(union), alias);
        scope.variants = Some(VariantColumns { number, commons, own });
        self.restrict(rows, &mut scope, statement)?;
        let link = if lateral.is_some() { keys } else { Vec::new() };
        Ok(LinkedScope { scope, lateral, link, how, numbered: false })
    }

    /// The keys of the parents, with a query of them where one statement serves them all.
    fn variants_parents(
        &self,
        variants: &[Variant],
        parent: &Parent<'_>,
        statement: &mut Statement,
    ) -> Result<(Vec<Expression>, Option<Select>, Parents), CompileError> {
        let near = self.variants_near(variants)?;
        let Parent { above, path, key_columns } = parent;
        match self.strategy {
            Strategy::Nested => {
                let keys = near.iter().zip(key_columns).map(|(near, column)| {
                    let source = ParameterSource::Parent { column: *column };
                    let kind = ParameterKind::Key { field: *near };
                    Expression::Parameter(statement.parameter(source, kind))
                });
                Ok((keys.collect(), None, Parents::Bound))
            }
            Strategy::Levels(_) => {
                let (item, how) = self.parents(above, path, &near, key_columns, statement)?;
                let numbers = (0_u16..).take(near.len());
                let alias = item.alias();
                let keys = numbers.map(|number| Expression::numbered(alias, number)).collect();
                Ok((keys, Some(Select::from(item)), how))
            }
        }
    }

    /// The query of one variant.
    fn branch(
        &self,
        rows: &Rows,
        variant: &Variant,
        keys: &[Expression],
        statement: &mut Statement,
    ) -> Result<Branch, CompileError> {
        let rows = rows_of(rows, variant);
        let alias = statement.alias();
        let mut select = Select::from(self.table(variant.entity, alias));
        match (variant.through, variant.hop) {
            (Some(near), Some(far)) => {
                self.join_through((near, far), alias, keys, &mut select, statement);
            }
            (_, hop) => {
                let far = hop.map_or(&[][..], |hop| self.hop_fields(hop).1);
                for (far, key) in far.iter().zip(keys) {
                    select.and_where(self.field(alias, *far).equals(key.clone()));
                }
            }
        }
        let mut scope = Scope::new(select, alias);
        self.restrict(&rows, &mut scope, statement)?;
        let mut own = Items::default();
        self.items(&rows, &mut scope, statement, &mut own)?;
        let commons = variant.common.iter().map(|field| self.field(alias, *field)).collect();
        Ok(Branch { select: scope.select, commons, own })
    }

    /// Cuts the rows of one variant off, where the page is of the first or of the last rows of all: so
    /// an index can give those that may be among them.
    fn cut(
        &self,
        rows: &Rows,
        (fields, commons): (&[FieldId], &[Expression]),
        mut select: Select,
        statement: &mut Statement,
    ) -> Result<Select, CompileError> {
        let (limit, look_ahead, from_end) = match &rows.page {
            ir::Page::Offset { limit: Some(limit), offset: None, look_ahead } => {
                (limit, *look_ahead, false)
            }
            ir::Page::Keyset(ir::Keyset {
                after: None,
                before: None,
                limit: Some(limit),
                offset: None,
                from_end,
                look_ahead,
            }) => (limit, *look_ahead, *from_end),
            _ => return Ok(select),
        };
        let mut scope = Scope::new(Select::once(), statement.alias());
        let commons = fields.iter().copied().zip(commons.iter().cloned()).collect();
        let number = Expression::Number(0);
        scope.variants = Some(VariantColumns { number, commons, own: Vec::new() });
        for term in &rows.order {
            let item = self.order_item(term, &mut scope, statement)?;
            select.order_by.push(if from_end { turned(item) } else { item });
        }
        let source = ParameterSource::Operand(limit.clone());
        let kind = ParameterKind::Limit { look_ahead };
        select.limit = Some(Expression::Parameter(statement.parameter(source, kind)));
        let (alias, count) = (statement.alias(), select.items.len());
        let mut cut = Select::from(FromItem::Subquery { select: Box::new(select), alias });
        let columns = (0_u16..).take(count).map(|number| Expression::numbered(alias, number));
        cut.items = numbered(columns);
        Ok(cut)
    }

    /// Compiles the relations below the rows of each variant.
    pub(super) fn children_of_variants(
        &mut self,
        rows: &Rows,
        level: LevelId,
        parent: Option<&Parent<'_>>,
        known: &[Known],
    ) -> Result<(), CompileError> {
        let From::Variants(variants) = &rows.from else { return Ok(()) };
        for (variant, known) in variants.iter().zip(known) {
            self.children(&rows_of(rows, variant), level, parent, known, None)?;
        }
        Ok(())
    }

    /// Refuses common fields that are of different types: a union has one for each column.
    fn check_commons(&self, variants: &[Variant]) -> Result<(), CompileError> {
        let Some((first, others)) = variants.split_first() else {
            return Err(CompileError::not_built("rows of no entity"));
        };
        let is_like = |(one, other): (&FieldId, &FieldId)| {
            let base = |field: &FieldId| self.catalog.base_type(&self.catalog[*field].r#type);
            match (base(one), base(other)) {
                (Type::Scalar(one), Type::Scalar(other)) if is_integer(one) => is_integer(other),
                (one, other) => one == other,
            }
        };
        let are_like = |other: &Variant| {
            other.common.len() == first.common.len()
                && first.common.iter().zip(&other.common).all(is_like)
        };
        match others.iter().all(are_like) {
            true => Ok(()),
            false => Err(CompileError::not_built("a common field of different types")),
        }
    }
}

impl Branch {
    /// Null, of the type of one of its columns.
    fn null(&self, column: &Expression) -> Expression {
        let mut select = self.select.clone();
        select.items = vec![SelectItem { expression: column.clone(), name: None }];
        select.filter = Some(Expression::Boolean(false));
        Expression::Subquery(Box::new(select))
    }
}

impl Scope {
    /// A common field of rows of several entities.
    pub(super) fn common(&self, place: u16) -> Result<(FieldId, Expression), CompileError> {
        let variants = self.variants.as_ref();
        let common = variants.and_then(|variants| variants.commons.get(usize::from(place)));
        common.cloned().ok_or(CompileError::not_built("a common field of one entity"))
    }

    /// The number of the entity that a row is of.
    pub(super) fn variant_number(&self) -> Result<Expression, CompileError> {
        let variants = self.variants.as_ref();
        let number = variants.map(|variants| variants.number.clone());
        number.ok_or(CompileError::not_built("the entity of rows of one"))
    }

    /// Makes a subquery of a page of rows of several entities.
    pub(super) fn within_union(&mut self, statement: &mut Statement) {
        let Some(VariantColumns { number, commons, .. }) = self.variants.take() else { return };
        let columns: Vec<Expression> = std::iter::once(number)
            .chain(commons.iter().map(|(_, column)| column.clone()))
            .collect();
        let mut within = std::mem::replace(&mut self.select, Select::once());
        within.items = numbered(columns.into_iter());
        let alias = statement.alias();
        let select = Select::from(FromItem::Subquery { select: Box::new(within), alias });
        *self = Self::new(select, alias);
        let column = |place| Expression::numbered(alias, place);
        let commons =
            commons.into_iter().zip(1..).map(|((field, _), place)| (field, column(place)));
        let commons = commons.collect();
        self.variants = Some(VariantColumns { number: column(0), commons, own: Vec::new() });
    }
}

impl Items {
    /// Adds the columns of each entity of a scope's rows, where they are of several.
    pub(super) fn add_variants(&mut self, scope: &Scope) {
        let Some(variants) = &scope.variants else { return };
        for OwnColumns { columns, places, known } in &variants.own {
            let first = u16::try_from(self.expressions.len()).unwrap_or(u16::MAX);
            self.expressions.extend(columns.iter().cloned());
            let moved = |column: &u16| column.saturating_add(first);
            self.places.extend(places.iter().map(|(output, column)| (*output, moved(column))));
            let mut known = known.clone();
            known.fields.values_mut().for_each(|column| *column = moved(column));
            known.rows.values_mut().for_each(|column| *column = moved(column));
            self.variants.push(known);
        }
    }
}

fn is_integer(scalar: &Scalar) -> bool {
    matches!(scalar, Scalar::Int16 | Scalar::Int32 | Scalar::Int64)
}

/// The rows of one of the entities, by themselves.
fn rows_of(rows: &Rows, variant: &Variant) -> Rows {
    Rows::unordered(
        rows.id,
        From::Variants(vec![variant.clone()]),
        variant.filter.clone(),
        variant.outputs.clone(),
    )
}
