//! Writes within writes: a tree of writes along relationships, as statements one after the other.
//!
//! What a row refers to is written before it, and its own statement stores the keys that came back.
//! Everything else is written after it: each statement takes the keys of the rows above from what
//! their statement gave. PostgreSQL takes those of all rows as arrays, SQLite runs a statement for
//! each row.

mod choose;
mod insert;
mod link;
mod outer;
mod require;
mod update;

use catalog::FieldId;
use ir::{
    ChildWrite, HopDirection, Insert, InsertedRows, Otherwise, OtherwiseKind, Step, StepId, Write,
    WriteKind,
};
use response::LevelId;
use source::CompileError;

use super::super::compile::Compiler;
use super::super::level::{Requirement, Test, Unit};
use super::returned::Wanted;
use insert::{Supplied, is_of_each, may_be_left};
use outer::{Link, Outer};

/// The place of a write in its tree.
struct Node<'r> {
    step: StepId,
    write: &'r Write,
    /// The rows above, unless it is the root or is written before them.
    link: Option<Link<'r>>,
    wanted: Wanted<'r>,
    /// The level to whose rows its own are added.
    of: Option<LevelId>,
}

/// Fields that take what another statement gave, by the place of the row.
type SuppliedFields<'r> = Vec<(FieldId, Vec<Option<Supplied<'r>>>)>;

impl Compiler<'_> {
    /// Compiles a write with the writes below it.
    pub(super) fn nested(
        &mut self,
        step: &Step,
        write: &Write,
        wanted: &Wanted<'_>,
        unit: &mut Unit,
    ) -> Result<(), CompileError> {
        let (link, of) = (None, None);
        self.tree(Node { step: step.id, write, link, wanted: wanted.clone(), of }, unit)?;
        Ok(())
    }

    /// A write below another one.
    fn inner<'r>(
        &mut self,
        write: &'r Write,
        link: Option<Link<'r>>,
        keys: Vec<FieldId>,
    ) -> Node<'r> {
        // Below the steps of the request, which are counted from 0.
        let step = StepId(u32::MAX - self.inner);
        self.inner += 1;
        Node { step, write, link, wanted: Wanted::keys(keys), of: None }
    }

    fn tree(&mut self, mut node: Node<'_>, unit: &mut Unit) -> Result<Outer, CompileError> {
        let write = node.write;
        if let WriteKind::Choose { filter, found, missing } = &write.kind {
            return self.choose(&node, (filter, found, missing), unit);
        }
        if let Some(rows) = each_row(&node) {
            let mut last = None;
            for (write, link) in &rows {
                let node = self.inner(write, Some(*link), node.wanted.keys.clone());
                last = Some(self.tree(node, unit)?);
            }
            return last.ok_or(CompileError::not_built("an insert of no rows"));
        }
        self.add_keys(write, &mut node.wanted)?;
        let supplied = self.before(write, unit)?;
        let outer = self.own(&node, &supplied, unit)?;
        self.after(write, &outer, unit)?;
        Ok(outer)
    }

    /// Adds the fields by which the writes below find the rows.
    fn add_keys(&self, write: &Write, wanted: &mut Wanted<'_>) -> Result<(), CompileError> {
        let mut keys: Vec<FieldId> = Vec::new();
        for child in &write.children {
            keys.extend(self.hop_fields(child.hop).0);
            if changes_outer(child) {
                keys.extend(self.key_of(write)?);
            }
        }
        if !write.check.is_all() {
            keys.extend(self.key_of(write)?);
        }
        for key in keys {
            if !wanted.keys.contains(&key) {
                wanted.keys.push(key);
            }
        }
        Ok(())
    }

    fn key_of(&self, write: &Write) -> Result<&[FieldId], CompileError> {
        let key = self.catalog[write.entity].primary_key();
        let key = key.ok_or(CompileError::not_built("writes below rows without a key"))?;
        Ok(&key.fields)
    }

    /// Writes what the rows refer to, and says which fields take the keys of it.
    fn before<'r>(
        &mut self,
        write: &'r Write,
        unit: &mut Unit,
    ) -> Result<SuppliedFields<'r>, CompileError> {
        let (count, is_insert) = match &write.kind {
            WriteKind::Insert(insert)
            | WriteKind::Upsert { insert, .. }
            | WriteKind::LinkOrInsert { insert, .. } => (each(insert)?.len(), true),
            _ => (1, false),
        };
        let mut supplied: SuppliedFields<'r> = Vec::new();
        for child in &write.children {
            if !child.edge.is_empty() {
                return Err(CompileError::not_built("properties of a relationship"));
            }
            if child.hop.direction != HopDirection::Forward {
                continue;
            }
            let (near, far) = self.hop_fields(child.hop);
            let (near, far) = (near.to_vec(), far.to_vec());
            let rows = match &child.write.kind {
                WriteKind::Insert(insert)
                | WriteKind::Upsert { insert, .. }
                | WriteKind::LinkOrInsert { insert, .. } => {
                    let places = places(&child.parents, each(insert)?.len(), count)?;
                    let node = self.inner(&child.write, None, far.clone());
                    let outer = self.tree(node, unit)?;
                    let columns = outer.columns(&far)?;
                    let given = |column: &u16| {
                        let given = |row: &Option<u32>| {
                            let level = outer.level;
                            row.map(|row| Supplied::Given { level, row, column: *column })
                        };
                        places.iter().map(given).collect()
                    };
                    columns.iter().map(given).collect::<Vec<Vec<_>>>()
                }
                WriteKind::Link { filter, .. } if is_insert => {
                    refuse_below(&child.write)?;
                    let entity = child.write.entity;
                    let is_linked = |row: usize| {
                        let row = u32::try_from(row).unwrap_or(u32::MAX);
                        child.parents.is_empty() || child.parents.contains(&row)
                    };
                    let found = |field: &FieldId| {
                        let found = Supplied::Found { entity, field: *field, filter };
                        (0..count).map(|row| is_linked(row).then_some(found)).collect()
                    };
                    far.iter().map(found).collect()
                }
                _ => continue,
            };
            for (field, rows) in near.into_iter().zip(rows) {
                // Other rows refer by the same fields to rows of another write.
                match supplied.iter_mut().find(|(known, _)| *known == field) {
                    Some((_, known)) => {
                        for (known, row) in known.iter_mut().zip(rows) {
                            *known = known.or(row);
                        }
                    }
                    None => supplied.push((field, rows)),
                }
            }
        }
        Ok(supplied)
    }

    /// The statements of a write itself.
    fn own(
        &mut self,
        node: &Node<'_>,
        supplied: &SuppliedFields<'_>,
        unit: &mut Unit,
    ) -> Result<Outer, CompileError> {
        match &node.write.kind {
            WriteKind::Insert(insert) => self.nested_insert(node, insert, None, supplied),
            WriteKind::Upsert { insert, conflict } => {
                self.nested_insert(node, insert, Some(conflict), supplied)
            }
            WriteKind::LinkOrInsert { insert, conflict } => {
                let conflict = self.linking(node, conflict)?;
                self.nested_insert(node, insert, Some(&conflict), supplied)
            }
            WriteKind::Update(update) => {
                let outer = self.nested_update(node, update, supplied)?;
                if !supplied.is_empty() {
                    // What it was to refer to is there already.
                    let message = "A row that others are to be connected with is not there.";
                    let otherwise = Otherwise::new(OtherwiseKind::Missing, message);
                    self.require_of(outer.level, Test::RowThere, otherwise, unit)?;
                }
                if let Some(at_most) = &update.at_most {
                    self.require_at_most(at_most, outer.level, unit);
                }
                Ok(outer)
            }
            WriteKind::Delete { filter, at_most } => {
                if !node.write.children.is_empty() || !node.write.check.is_all() {
                    return Err(CompileError::not_built("writes below a delete"));
                }
                let outer = self.nested_delete(node, filter, at_most.as_ref())?;
                if let Some(at_most) = at_most {
                    self.require_at_most(at_most, outer.level, unit);
                }
                Ok(outer)
            }
            WriteKind::Link { .. }
            | WriteKind::Unlink { .. }
            | WriteKind::SetLinks { .. }
            | WriteKind::Expect { .. } => {
                Err(CompileError::not_built("a change of a relationship of no row"))
            }
            WriteKind::Choose { .. } => Err(CompileError::not_built("a choice within a choice")),
        }
    }

    /// Writes what comes after the rows themselves, and checks them.
    fn after(&mut self, write: &Write, outer: &Outer, unit: &mut Unit) -> Result<(), CompileError> {
        let is_insert = matches!(
            write.kind,
            WriteKind::Insert(_) | WriteKind::Upsert { .. } | WriteKind::LinkOrInsert { .. }
        );
        for child in &write.children {
            let is_forward = child.hop.direction == HopDirection::Forward;
            match &child.write.kind {
                // They were written before.
                WriteKind::Insert(_)
                | WriteKind::Upsert { .. }
                | WriteKind::LinkOrInsert { .. }
                    if is_forward => {}
                WriteKind::Link { .. } if is_forward && is_insert => {}
                WriteKind::Choose { .. } if is_forward => {
                    return Err(CompileError::not_built("a choice of what a row refers to"));
                }
                WriteKind::Link { .. } | WriteKind::Unlink { .. } | WriteKind::SetLinks { .. } => {
                    self.relink(child, outer, unit)?
                }
                WriteKind::Expect { links, otherwise } => {
                    self.expect(child, outer, (*links, otherwise), unit)?;
                }
                WriteKind::Insert(_)
                | WriteKind::Upsert { .. }
                | WriteKind::LinkOrInsert { .. }
                | WriteKind::Update(_)
                | WriteKind::Delete { .. }
                | WriteKind::Choose { .. } => {
                    let link = Link { outer, hop: child.hop, parents: &child.parents };
                    let node = self.inner(&child.write, Some(link), Vec::new());
                    self.tree(node, unit)?;
                }
            }
        }
        self.check(write, outer, unit)
    }

    fn require_of(
        &self,
        after: LevelId,
        test: Test,
        otherwise: Otherwise,
        unit: &mut Unit,
    ) -> Result<(), CompileError> {
        let when = self.when.as_slice().into();
        let gaps = self.gaps(&otherwise)?;
        unit.requirements.push(Requirement { after, test, root: self.root, otherwise, gaps, when });
        Ok(())
    }
}

/// The rows of an insert one by one, each with its link, where each has writes below it, and it hangs
/// on rows whose number is not known, or may be left as it is.
fn each_row<'r>(node: &Node<'r>) -> Option<Vec<(Write, Link<'r>)>> {
    let link = node.link.as_ref()?;
    let Write { kind, children, check, .. } = node.write;
    let (insert, is_each) = match kind {
        WriteKind::Insert(insert) => (insert, !children.is_empty() && is_of_each(link)),
        WriteKind::Upsert { insert, conflict } => {
            let has_below = !children.is_empty() || !check.is_all();
            (insert, has_below && (is_of_each(link) || may_be_left(conflict)))
        }
        _ => return None,
    };
    let count = each(insert).ok()?.len();
    if count < 2 || !is_each {
        return None;
    }
    let one = |row: usize| {
        let mut write = node.write.clone();
        let kept: Vec<Option<u32>> = (0..count).map(|place| (place == row).then_some(0)).collect();
        keep_rows(&mut write, &kept);
        (write, Link { parents: link.parents.get(row..=row).unwrap_or_default(), ..*link })
    };
    Some((0..count).map(one).collect())
}

/// Keeps some rows of an insert, and what hangs on them: `kept` says their new places.
fn keep_rows(write: &mut Write, kept: &[Option<u32>]) {
    let rows = match &mut write.kind {
        WriteKind::Insert(insert)
        | WriteKind::Upsert { insert, .. }
        | WriteKind::LinkOrInsert { insert, .. } => &mut insert.rows,
        _ => return,
    };
    if let InsertedRows::Each(rows) = rows {
        let mut kept = kept.iter();
        rows.retain(|_| kept.next().is_some_and(Option::is_some));
    }
    write.children.retain_mut(|child| keep_child(child, kept));
}

/// The same of what hangs on them; whether something is left of it.
fn keep_child(child: &mut ChildWrite, kept: &[Option<u32>]) -> bool {
    if child.parents.is_empty() {
        return true;
    }
    let parents = child.parents.iter().map(|row| kept.get(*row as usize).copied().flatten());
    let parents: Vec<Option<u32>> = parents.collect();
    let mut next = 0_u32..;
    let places: Vec<_> = parents.iter().map(|parent| parent.and_then(|_| next.next())).collect();
    child.parents = parents.into_iter().flatten().collect();
    keep_rows(&mut child.write, &places);
    !child.parents.is_empty()
}

/// Whether a child changes the rows above it.
fn changes_outer(child: &ChildWrite) -> bool {
    child.hop.direction == HopDirection::Forward
        && matches!(
            child.write.kind,
            WriteKind::Link { .. } | WriteKind::Unlink { .. } | WriteKind::SetLinks { .. }
        )
}

fn each(insert: &Insert) -> Result<&[Vec<Option<ir::Operand>>], CompileError> {
    match &insert.rows {
        InsertedRows::Each(rows) => Ok(rows),
        InsertedRows::Columns(_) | InsertedRows::ForEach { .. } => {
            Err(CompileError::not_built("writes below lists of rows"))
        }
    }
}

/// For each row above, the place of the row that it refers to.
fn places(parents: &[u32], rows: usize, above: usize) -> Result<Vec<Option<u32>>, CompileError> {
    if parents.is_empty() && rows == 1 {
        return Ok(vec![Some(0); above]);
    }
    let mut places = vec![None; above];
    for (place, parent) in (0..).zip(parents) {
        match places.get_mut(*parent as usize) {
            Some(free @ None) => *free = Some(place),
            Some(Some(_)) | None => {
                return Err(CompileError::not_built("several rows that one row refers to"));
            }
        }
    }
    match parents.len() == rows {
        true => Ok(places),
        false => Err(CompileError::not_built("rows that no row refers to")),
    }
}

fn refuse_below(write: &Write) -> Result<(), CompileError> {
    match write.children.is_empty() && write.check.is_all() {
        true => Ok(()),
        false => Err(CompileError::not_built("writes below a change of a relationship")),
    }
}
