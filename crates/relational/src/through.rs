//! Rows that another table joins to their parents.

use catalog::FieldId;
use ir::{Filter, Hop, Rows};
use source::CompileError;
use sql::{Alias, Expression, Join, JoinKind, Select};

use super::compile::Compiler;
use super::row_set::Scope;
use super::statement::Statement;

impl Compiler<'_> {
    /// The fields by which related rows and their parents find each other: those of the parents,
    /// and the rows' own.
    pub(super) fn link_fields(
        &self,
        rows: &Rows,
    ) -> Result<(Vec<FieldId>, Vec<FieldId>), CompileError> {
        match &rows.from {
            ir::From::Relation(hop) => {
                let (near, far) = self.hop_fields(*hop);
                Ok((near.to_vec(), far.to_vec()))
            }
            ir::From::Through { near, .. } => {
                let (near, own) = self.hop_fields(*near);
                Ok((near.to_vec(), own.to_vec()))
            }
            // The row that is joined comes first, then the one that it is joined to.
            ir::From::Joining { near, far } => {
                let (one, to_one) = self.hop_fields(*near);
                let (to_other, other) = self.hop_fields(*far);
                Ok(([other, one].concat(), [to_other, to_one].concat()))
            }
            ir::From::Function(call) if self.is_related(call) => {
                let related = self.catalog[call.function].related.as_ref();
                Ok(related
                    .map(|related| related.fields.iter().copied().unzip())
                    .unwrap_or_default())
            }
            ir::From::Variants(variants) => Ok((self.variants_near(variants)?, Vec::new())),
            ir::From::Entity(_)
            | ir::From::FunctionOfVariants { .. }
            | ir::From::Function(_)
            | ir::From::Value(_)
            | ir::From::Search { .. }
            | ir::From::Once
            | ir::From::Event(_)
            | ir::From::List { .. }
            | ir::From::Keys { .. }
            | ir::From::Returned { .. } => {
                Err(CompileError::not_built("unrelated rows below rows"))
            }
        }
    }

    /// The rows that are joined to the parent with this key, each once.
    pub(super) fn through(
        &self,
        (near, joining, far): (Hop, &Filter, Hop),
        keys: Vec<Expression>,
        statement: &mut Statement,
    ) -> Result<Scope, CompileError> {
        let alias = statement.alias();
        let edge = statement.alias();
        let joins = match joining.is_all() {
            true => None,
            false => Some(self.decided_alone(joining, edge, statement)?),
        };
        let mut select = Select::from(self.table(self.target(far), alias));
        let once = self.join_to_parent((near, far), (alias, edge), &keys, joins, &mut select);
        let mut scope = Scope::new(select, alias);
        scope.edge = once.then_some(edge);
        scope.parent_key = keys;
        Ok(scope)
    }

    /// Keeps the rows that are joined to the parent with this key, each once.
    pub(super) fn join_through(
        &self,
        hops: (Hop, Hop),
        alias: Alias,
        keys: &[Expression],
        select: &mut Select,
        statement: &mut Statement,
    ) {
        let edge = statement.alias();
        self.join_to_parent(hops, (alias, edge), keys, None, select);
    }

    /// Joins the rows at `alias` by those at `edge`, or only tests for these if one parent may have
    /// several for one row. Returns true if they are joined.
    fn join_to_parent(
        &self,
        (near, far): (Hop, Hop),
        (alias, edge): (Alias, Alias),
        keys: &[Expression],
        condition: Option<Expression>,
        select: &mut Select,
    ) -> bool {
        let (_, to_parent) = self.hop_fields(near);
        let (to_row, of_row) = self.hop_fields(far);
        let junction = self.target(near);
        let table = self.table(junction, edge);
        let leads = to_row.iter().zip(of_row);
        let leads = leads.map(|(to, of)| self.field(edge, *to).equals(self.field(alias, *of)));
        let leads: Vec<Expression> = leads.collect();
        let belongs = to_parent.iter().zip(keys);
        let belongs = belongs.map(|(to, key)| self.field(edge, *to).equals(key.clone()));
        let once = self.catalog[junction].is_unique(&[to_parent, to_row].concat());
        if once {
            let kind = JoinKind::Inner(Expression::all(leads));
            select.joins.push(Join { kind, item: table });
            belongs.chain(condition).for_each(|condition| select.and_where(condition));
        } else {
            let mut rows = Select::from(table);
            let conditions = leads.into_iter().chain(belongs).chain(condition);
            conditions.for_each(|condition| rows.and_where(condition));
            select.and_where(Expression::Exists(Box::new(rows)));
        }
        once
    }
}
