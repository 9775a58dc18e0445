//! The walk over a request: levels in the order of the tree.

use std::cell::RefCell;

use catalog::{Catalog, FieldId};
use ir::{Form, Hop, OutputKind, Rows, RowsId, StepId};
use response::{ColumnRef, Layout, LevelId};
use rustc_hash::FxHashMap;
use source::CompileError;
use sql::{Expression, Flavor, Select, SelectItem, SqlType};

use super::bounding::BoundedPages;
use super::function::RowIdentity;
use super::items::{Items, Known, numbered};
use super::joined::Joined;
pub use super::key_types::{KeyTypes, Length};
use super::level::{Level, LevelKind, Link, ParameterSource, Parents, Program, Unit, When};
use super::parents::{Above, LinkedScope, join_page};
use super::row_set::{Scope, page_bounds, turn_back};
use super::statement::Statement;
use super::value::ParameterKind;
use super::write::{ObjectTable, Returned};

/// How a level finds the rows that belong to its parents.
#[derive(Clone, Copy, Debug)]
pub enum Strategy<'a> {
    /// A statement for each parent: in-process, where a round trip costs nothing.
    Nested,
    /// A statement for all parents, with what is known of the fields' types.
    Levels(&'a dyn KeyTypes),
}

/// Compiles a request.
pub fn compile(
    catalog: &Catalog,
    request: &ir::Request,
    flavor: Flavor,
    strategy: Strategy<'_>,
) -> Result<Program, CompileError> {
    compile_from(catalog, request, flavor, strategy, RowsId(request.rows))
}

/// Compiles a request whose rows from a number on are found by arrays of keys, whatever their
/// parents cost.
pub(super) fn compile_from(
    catalog: &Catalog,
    request: &ir::Request,
    flavor: Flavor,
    strategy: Strategy<'_>,
    first_apart: RowsId,
) -> Result<Program, CompileError> {
    let layout = Layout {
        outputs: vec![ColumnRef::Unused; request.outputs as usize],
        affected: Vec::new(),
        rows: vec![None; request.rows as usize],
    };
    let mut compiler = Compiler {
        catalog,
        flavor,
        strategy,
        first_apart,
        levels: Vec::new(),
        layout,
        units: Vec::new(),
        root: 0,
        round: 0,
        returned: FxHashMap::default(),
        changes: FxHashMap::default(),
        counts_affected: false,
        read: FxHashMap::default(),
        when: Vec::new(),
        inner: 0,
        object_table: RefCell::default(),
    };
    for transaction in &request.transactions {
        compiler.transaction(transaction)?;
    }
    let Compiler { levels, layout, mut units, .. } = compiler;
    if !units.iter().any(|unit| unit.writes) {
        units.clear();
    }
    Ok(Program { levels, layout, units })
}

#[derive(Debug)]
pub(super) struct Compiler<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) flavor: Flavor,
    pub(super) strategy: Strategy<'a>,
    /// Rows with this number and those behind it are read apart.
    first_apart: RowsId,
    pub(super) levels: Vec<Level>,
    pub(super) layout: Layout,
    pub(super) units: Vec<Unit>,
    pub(super) root: u32,
    /// The first round in which what comes now may run: that of the last write before it.
    pub(super) round: u16,
    /// What the steps that change something gave.
    pub(super) returned: FxHashMap<StepId, Returned>,
    /// The levels with the rows that these steps changed.
    pub(super) changes: FxHashMap<StepId, Vec<LevelId>>,
    /// True if each write gives a row for each that it changes.
    pub(super) counts_affected: bool,
    /// The levels of the steps that read, for those after them.
    pub(super) read: FxHashMap<StepId, LevelId>,
    /// What has to be so for what is being compiled to be done.
    pub(super) when: Vec<When>,
    /// How many writes within writes there were: they have no steps of their own.
    pub(super) inner: u32,
    /// The table of the last list of objects: the lists of one change have the same.
    pub(super) object_table: RefCell<Option<ObjectTable>>,
}

/// The level that a child's rows belong to.
pub(super) struct Parent<'r> {
    pub(super) above: &'r Above<'r>,
    pub(super) path: &'r [Hop],
    pub(super) key_columns: Vec<u16>,
}

impl Compiler<'_> {
    pub(super) fn identity_is_text(&self, field: FieldId) -> bool {
        match self.strategy {
            Strategy::Nested => true,
            Strategy::Levels(types) => types.identity_is_text(field),
        }
    }

    pub(super) fn print_alike(&self, one: FieldId, other: FieldId) -> bool {
        match self.strategy {
            // Each parent's own key is bound, whatever the fields of its rows print.
            Strategy::Nested => false,
            Strategy::Levels(types) => types.print_alike(one, other),
        }
    }

    fn inlines_parents(&self) -> bool {
        match self.strategy {
            Strategy::Nested => true,
            Strategy::Levels(types) => types.inlines_parents(),
        }
    }

    /// Compiles rows, their counts and everything below them.
    pub(super) fn rows(
        &mut self,
        rows: &Rows,
        parent: Option<&Parent<'_>>,
    ) -> Result<(), CompileError> {
        self.aggregates(rows, parent)?;
        if !rows.shown {
            return Ok(());
        }
        let mut statement = Statement::default();
        let linked = self.scope(rows, parent, &mut statement)?;
        let LinkedScope { mut scope, lateral, link, how, numbered: is_numbered } = linked;
        let mut items = Items::default();
        self.items(rows, &mut scope, &mut statement, &mut items)?;
        let sorted_by = match how {
            Parents::Arrays => self.sorting_field(rows),
            _ => None,
        };
        let sorted_by = match sorted_by {
            Some(field) => {
                let form = ir::Form::Stored;
                Some(self.item(&[], field, form, &mut scope, &mut statement, &mut items))
            }
            None => {
                self.order(rows, &mut scope, &mut statement)?;
                self.keep_order(rows, &items, &mut scope);
                None
            }
        };
        let below = match lateral {
            None if !is_numbered => {
                self.join_below(rows, parent, &mut scope, &mut statement, &mut items)?
            }
            None | Some(_) => None,
        };
        self.page(rows, true, &mut scope, &mut statement)?;
        let item = |expression| SelectItem { expression, name: None };
        let bounds = page_bounds(rows)?;
        let columns = items.expressions.into_iter();
        let select = match lateral {
            None if is_numbered => {
                let partition = self.partition(rows, (scope.alias, &link))?;
                scope.select.items = numbered(columns.chain(link));
                let count = scope.select.items.len();
                let cut = self.cut_numbered(rows, scope.select, partition, &mut statement)?;
                let (mut select, alias) = cut;
                let numbers = (0_u16..).take(count);
                select.items =
                    numbers.map(|number| item(Expression::numbered(alias, number))).collect();
                select
            }
            None if bounds.from_end => {
                // What is read from its end is a page, and a page below parents is lateral: no
                // parent's key is among these columns.
                scope.select.items = numbered(columns);
                turn_back(scope.select, false, &mut statement)
            }
            None => {
                scope.select.items = columns.chain(link).map(item).collect();
                scope.select
            }
            Some(parents) => {
                scope.select.items = numbered(columns);
                let count = scope.select.items.len();
                let page = match bounds.from_end {
                    true => turn_back(scope.select, true, &mut statement),
                    false => scope.select,
                };
                let (mut select, alias) = join_page(parents, page, &mut statement);
                let columns = (0_u16..).take(count);
                let columns = columns.map(|number| Expression::numbered(alias, number));
                select.items = columns.chain(link).map(item).collect();
                select
            }
        };
        let kind = LevelKind::Rows(bounds);
        let level = self.push(rows, parent, &select, statement, kind, how)?;
        self.levels[usize::from(level.0)].repeats =
            below.as_ref().map(|below| below.repeats.clone());
        self.levels[usize::from(level.0)].sorted_by = sorted_by;
        self.stand(rows, level, items.places);
        self.children(rows, level, parent, &items.known, below)?;
        self.children_of_variants(rows, level, parent, &items.variants)?;
        self.close(level)
    }

    /// Compiles rows that stand in those above, their counts and everything below them.
    fn joined_rows(
        &mut self,
        rows: &Rows,
        parent: &Parent<'_>,
        joined: Joined,
    ) -> Result<(), CompileError> {
        self.aggregates(rows, Some(parent))?;
        let id = u16::try_from(self.levels.len()).map_err(|_| CompileError::TooManyLevels)?;
        let level = LevelId(id);
        self.levels.push(Level {
            id: level,
            root: self.root,
            name: self.name(rows)?.into(),
            kind: LevelKind::Rows(page_bounds(rows)?),
            parent: Some(parent.above.level),
            end: level,
            text: Box::default(),
            columns: 0,
            bounded: None,
            parameters: Vec::new(),
            parents: Parents::Joined { present: joined.present },
            repeats: None,
            apart: Vec::new(),
            link: None,
            sorted_by: None,
            round: parent.above.round,
            calls: false,
            when: Box::default(),
        });
        self.stand(rows, level, joined.items.places);
        self.children(rows, level, Some(parent), &joined.items.known, None)?;
        self.close(level)
    }

    /// Says where rows and their outputs stand.
    pub(super) fn stand(&mut self, rows: &Rows, level: LevelId, places: Vec<(ir::OutputId, u16)>) {
        self.layout.rows[rows.id.0 as usize] = Some(level);
        for (output, column) in places {
            self.layout.outputs[output.0 as usize] = ColumnRef::Column(column);
        }
    }

    /// Compiles the relations below rows.
    pub(super) fn children(
        &mut self,
        rows: &Rows,
        level: LevelId,
        parent: Option<&Parent<'_>>,
        known: &Known,
        mut joined: Option<Joined>,
    ) -> Result<(), CompileError> {
        let above_parent = parent.map(|parent| parent.above);
        let above = Above {
            level,
            rows,
            above: above_parent,
            path: parent.map_or(&[], |parent| parent.path),
            key_columns: parent.map_or(&[], |parent| &parent.key_columns),
            round: self.levels[usize::from(level.0)].round,
            inlinable: self.inlines_parents() && self.is_inlinable(rows, above_parent),
            implies: false,
        };
        for output in &rows.outputs {
            let OutputKind::Related { path, rows: related } = &output.kind else { continue };
            let key =
                |field: &FieldId| known.fields.get(&(path.clone(), *field, Form::Stored)).copied();
            let near = self.near_fields(rows, path, related)?;
            let key_columns = match &near {
                Some(near) if matches!(related.from, ir::From::Joining { .. }) => {
                    let own = near.iter().filter_map(key);
                    own.chain(known.parent_key.iter().copied()).collect()
                }
                Some(near) => near.iter().filter_map(key).collect(),
                None => known.rows.get(path).copied().into_iter().collect(),
            };
            let near = near.unwrap_or_default();
            // Without an array type the parents are said again, whatever that costs.
            let arrays = match self.strategy {
                Strategy::Nested => true,
                Strategy::Levels(types) => {
                    matches!(related.from, ir::From::Value(_))
                        || near.iter().all(|field| types.has_array(*field))
                }
            };
            if !arrays && matches!(related.from, ir::From::Joining { .. }) {
                return Err(CompileError::not_built("joining rows by keys without an array type"));
            }
            let is_apart = related.id >= self.first_apart;
            let implies = (above.inlinable && !is_apart) || !arrays;
            let inlinable = (implies && self.is_inlined_here(rows, related)) || !arrays;
            let above = Above { inlinable, implies, ..above };
            let parent = Parent { above: &above, path, key_columns };
            match joined.take_if(|joined| joined.rows == related.id) {
                Some(joined) => self.joined_rows(related, &parent, joined)?,
                None => self.rows(related, Some(&parent))?,
            }
        }
        Ok(())
    }

    /// The fields by which related rows find the rows at the end of a path; `None` if they need
    /// the whole row.
    pub(super) fn near_fields(
        &self,
        rows: &Rows,
        path: &[Hop],
        related: &Rows,
    ) -> Result<Option<Vec<FieldId>>, CompileError> {
        match &related.from {
            ir::From::Function(call) if call.of_row.is_some() && !self.is_related(call) => {
                Ok(match self.row_identity(rows, path)? {
                    RowIdentity::Key(_, key) => Some(key.to_vec()),
                    RowIdentity::Whole(_) => None,
                })
            }
            ir::From::Value(field) => Ok(Some(vec![*field])),
            // The key of the row that it is joined to is not one of its fields.
            ir::From::Joining { far, .. } => Ok(Some(self.hop_fields(*far).1.to_vec())),
            _ => Ok(Some(self.link_fields(related)?.0)),
        }
    }

    /// Says where an output stands.
    pub(super) fn place_output(&mut self, output: ir::OutputId, place: ColumnRef) {
        self.layout.outputs[output.0 as usize] = place;
    }

    /// The rows of a level with their parents.
    pub(super) fn scope(
        &self,
        rows: &Rows,
        parent: Option<&Parent<'_>>,
        statement: &mut Statement,
    ) -> Result<LinkedScope, CompileError> {
        if let ir::From::Variants(variants) = &rows.from {
            return self.variants_scope(rows, variants, parent, statement);
        }
        match (parent, self.strategy) {
            (None, _) => self.top_scope(rows, statement),
            (Some(parent), Strategy::Nested) => self.bound_scope(rows, parent, statement),
            (Some(Parent { above, path, key_columns }), Strategy::Levels(_)) => {
                self.child_scope(rows, above, path, key_columns, statement)
            }
        }
    }

    /// The parents' keys, by which rows are counted. Where equal keys may print differently, each
    /// text is a group of its own, since each parent looks for its own text.
    pub(super) fn group_by(
        &self,
        rows: &Rows,
        mut link: Vec<Expression>,
    ) -> Result<Vec<Expression>, CompileError> {
        if link.is_empty() {
            return Ok(link);
        }
        let near = self.link_fields(rows)?.0;
        let texts = link.iter().zip(near).filter(|(_, field)| !self.identity_is_text(*field));
        let text = |(expression, _): (&Expression, _)| Expression::Cast {
            expression: Box::new(expression.clone()),
            r#type: SqlType::Text,
        };
        let texts: Vec<_> = texts.map(text).collect();
        link.extend(texts);
        Ok(link)
    }

    /// The rows of one parent, whose key is bound.
    fn bound_scope(
        &self,
        rows: &Rows,
        parent: &Parent<'_>,
        statement: &mut Statement,
    ) -> Result<LinkedScope, CompileError> {
        let (near, far) = self.link_fields(rows)?;
        let mut keys = Vec::with_capacity(near.len());
        for (near, column) in near.iter().zip(&parent.key_columns) {
            let source = ParameterSource::Parent { column: *column };
            let key = statement.parameter(source, ParameterKind::Key { field: *near });
            keys.push(Expression::Parameter(key));
        }
        if let ir::From::Through { near, joining, far } = &rows.from {
            let mut scope = self.through((*near, joining, *far), keys, statement)?;
            self.restrict(rows, &mut scope, statement)?;
            let how = Parents::Bound;
            return Ok(LinkedScope {
                scope,
                lateral: None,
                link: Vec::new(),
                how,
                numbered: false,
            });
        }
        let alias = statement.alias();
        let item = self.rows_item(rows, alias, statement)?;
        let mut scope = Scope::new(Select::from(item), alias);
        for (far, key) in far.iter().zip(keys) {
            scope.select.and_where(self.field(alias, *far).equals(key));
        }
        self.restrict(rows, &mut scope, statement)?;
        Ok(LinkedScope {
            scope,
            lateral: None,
            link: Vec::new(),
            how: Parents::Bound,
            numbered: false,
        })
    }

    pub(super) fn push(
        &mut self,
        rows: &Rows,
        parent: Option<&Parent<'_>>,
        select: &Select,
        statement: Statement,
        kind: LevelKind,
        how: Parents,
    ) -> Result<LevelId, CompileError> {
        let id = self.next_level((select.tables(), select.items.len()), &statement)?;
        let link = parent.filter(|_| how != Parents::Bound).map(|parent| {
            let keys = parent.key_columns.len();
            let first = select.items.len().saturating_sub(keys);
            let columns = (first..select.items.len()).filter_map(|column| column.try_into().ok());
            Link { parent_columns: parent.key_columns.clone(), columns: columns.collect() }
        });
        let bounded = self.flavor.plans_for_values
            && !statement.depends_on_values
            && !statement.pages.is_empty();
        let text = self.text(select, &statement).into();
        let bounded = bounded.then(|| {
            let text = sql::print_bounded(select, &self.flavor);
            Box::new(BoundedPages::new(text, statement.pages))
        });
        self.levels.push(Level {
            id,
            root: self.root,
            name: self.name(rows)?.into(),
            kind,
            parent: parent.map(|parent| parent.above.level),
            end: id,
            text,
            columns: width(select.columns())?,
            bounded,
            parameters: statement.parameters,
            parents: how,
            repeats: None,
            apart: Vec::new(),
            link,
            sorted_by: None,
            round: statement.round.max(self.round),
            calls: statement.calls,
            when: self.when.as_slice().into(),
        });
        Ok(id)
    }

    /// The text of a query; of a batch, that of its member.
    fn text(&self, select: &Select, statement: &Statement) -> String {
        let is_batch = match self.strategy {
            Strategy::Nested => false,
            Strategy::Levels(types) => types.is_batch(),
        };
        if !is_batch {
            return sql::print(select, &self.flavor);
        }
        let parameters = (0..).map(sql::Parameter).zip(&statement.parameters);
        let batched = parameters.filter(|(_, parameter)| parameter.is_batched());
        let batched: Vec<_> = batched.map(|(place, _)| place).collect();
        sql::print_batch_member(select, &batched, &self.flavor)
    }

    /// The place of a level whose statement has so many tables and columns.
    pub(super) fn next_level(
        &self,
        (tables, columns): (usize, usize),
        statement: &Statement,
    ) -> Result<LevelId, CompileError> {
        let Flavor { most_parameters, most_tables, most_columns, .. } = self.flavor;
        if tables > most_tables {
            return Err(CompileError::TooManyTables { most: most_tables });
        }
        if statement.parameters.len() > most_parameters {
            return Err(CompileError::TooManyParameters { most: most_parameters });
        }
        if columns > most_columns {
            return Err(CompileError::TooManyColumns { most: most_columns });
        }
        let index = u16::try_from(self.levels.len()).map_err(|_| CompileError::TooManyLevels)?;
        Ok(LevelId(index))
    }

    /// What the rows are, as a person would name it.
    fn name(&self, rows: &Rows) -> Result<String, CompileError> {
        let called = rows.outputs.iter().find_map(|output| match &output.kind {
            OutputKind::Computed { call, .. } => Some(call),
            _ => None,
        });
        Ok(match (&rows.from, called) {
            (ir::From::Function(call), _) | (ir::From::Once, Some(call)) => {
                format!("{}()", self.catalog.function_name(call.function))
            }
            (ir::From::Variants(variants), _) => {
                let name = |variant: &ir::Variant| self.catalog.qualified_name(variant.entity);
                variants.iter().map(name).collect::<Vec<_>>().join(" or ")
            }
            (ir::From::List { .. }, _) => "keys".to_owned(),
            _ => self.catalog.qualified_name(self.entity(rows)?),
        })
    }

    /// Marks the end of the levels below a level.
    pub(super) fn close(&mut self, level: LevelId) -> Result<(), CompileError> {
        let end = u16::try_from(self.levels.len()).map_err(|_| CompileError::TooManyLevels)?;
        self.levels[usize::from(level.0)].end = LevelId(end);
        Ok(())
    }
}

/// The number of columns of a level, which [`Compiler::next_level`] has checked.
pub(super) fn width(columns: usize) -> Result<u16, CompileError> {
    let most = usize::from(u16::MAX);
    u16::try_from(columns).map_err(|_| CompileError::TooManyColumns { most })
}
