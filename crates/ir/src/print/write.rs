//! Writes: a line for each, its rows and assignments below, then its children.

use catalog::{EntityId, FieldId};

use super::Printer;
use crate::filter::Filter;
use crate::operand::Operand;
use crate::write::{
    Assignment, ChildWrite, Conflict, ExistingLink, ExpectedLinks, Insert, InsertedRows, Update,
    Write, WriteKind,
};

impl Printer<'_> {
    pub(super) fn write(&mut self, lead: &str, write: &Write) {
        let entity = write.entity;
        match &write.kind {
            WriteKind::Insert(insert) => self.insert(lead, "insert", entity, insert, None),
            WriteKind::Update(Update { filter, assignments, at_most }) => {
                self.found(lead, "update", entity, filter, at_most.as_ref());
                self.indented(|printer| printer.assignments(assignments));
            }
            WriteKind::Delete { filter, at_most } => {
                self.found(lead, "delete", entity, filter, at_most.as_ref());
            }
            WriteKind::Upsert { insert, conflict } => {
                self.insert(lead, "upsert", entity, insert, Some(conflict));
            }
            WriteKind::Link { filter, existing } => self.link(lead, entity, filter, existing),
            WriteKind::Unlink { filter } => self.found(lead, "unlink", entity, filter, None),
            WriteKind::SetLinks { filter } => self.found(lead, "set links", entity, filter, None),
            WriteKind::LinkOrInsert { insert, conflict } => {
                self.insert(lead, "link or insert", entity, insert, Some(conflict));
            }
            WriteKind::Choose { filter, found, missing } => {
                self.found(lead, "choose", entity, filter, None);
                self.indented(|printer| {
                    printer.write("found: ", found);
                    printer.write("missing: ", missing);
                });
            }
            WriteKind::Expect { links, otherwise } => {
                let links = match links {
                    ExpectedLinks::None => "no",
                    ExpectedLinks::OneOrNone => "one or no",
                    ExpectedLinks::One => "one",
                };
                let otherwise = self.otherwise(otherwise);
                self.line(format!("{lead}expect {links} {}{otherwise}", self.entity(entity)));
            }
        }
        self.indented(|printer| {
            for child in &write.children {
                printer.child(child);
            }
            if !write.check.is_all() {
                let check = printer.filter(&write.check);
                printer.line(format!("then each has {check}"));
            }
        });
    }

    fn link(&mut self, lead: &str, entity: EntityId, filter: &Filter, existing: &ExistingLink) {
        match existing {
            ExistingLink::Link => self.found(lead, "link", entity, filter, None),
            ExistingLink::Keep => self.found(lead, "link once", entity, filter, None),
            ExistingLink::Refuse(otherwise) => {
                self.found(lead, "link new", entity, filter, None);
                let otherwise = self.otherwise(otherwise);
                self.indented(|printer| printer.line(format!("linked already{otherwise}")));
            }
        }
    }

    /// The first line of a write of rows that a filter finds.
    fn found(
        &mut self,
        lead: &str,
        verb: &str,
        entity: EntityId,
        filter: &Filter,
        at_most: Option<&Operand>,
    ) {
        let mut text = format!("{lead}{verb} {}", self.entity(entity));
        if !filter.is_all() {
            text.push_str(&format!(", filter {}", self.filter(filter)));
        }
        if let Some(at_most) = at_most {
            text.push_str(&format!(", at most {}", self.operand(at_most)));
        }
        self.line(text);
    }

    fn insert(
        &mut self,
        lead: &str,
        verb: &str,
        entity: EntityId,
        insert: &Insert,
        conflict: Option<&Conflict>,
    ) {
        let (entity, fields) = (self.entity(entity), self.fields(&insert.fields));
        let mut text = format!("{lead}{verb} {entity} {fields}");
        if let Some(conflict) = conflict {
            text.push_str(&format!(", same if equal in {}", self.fields(&conflict.key)));
        }
        self.line(text);
        self.indented(|printer| {
            match &insert.rows {
                InsertedRows::Each(rows) => {
                    for row in rows {
                        printer.line(format!("row {}", printer.cells(row)));
                    }
                }
                InsertedRows::Columns(columns) => {
                    printer.line(format!("columns {}", printer.operands(columns)));
                }
                InsertedRows::ForEach { list, columns } => {
                    let (list, columns) = (printer.operand(list), printer.operands(columns));
                    printer.line(format!("for each of {list}: columns {columns}"));
                }
            }
            if let Some(conflict) = conflict {
                printer.conflict(conflict);
            }
        });
    }

    fn cells(&self, row: &[Option<Operand>]) -> String {
        let cell = |cell: &Option<Operand>| match cell {
            Some(operand) => self.operand(operand),
            None => "default".to_owned(),
        };
        row.iter().map(cell).collect::<Vec<_>>().join(", ")
    }

    fn conflict(&mut self, conflict: &Conflict) {
        if conflict.assignments.is_empty() {
            self.line("the same row stays as it is");
            return;
        }
        if conflict.filter.is_all() {
            self.line("the same row is updated");
        } else {
            let filter = self.filter(&conflict.filter);
            self.line(format!("the same row is updated if {filter}"));
        }
        self.indented(|printer| printer.assignments(&conflict.assignments));
    }

    fn child(&mut self, child: &ChildWrite) {
        let mut lead = format!("along {}", self.hop(child.hop));
        if !child.parents.is_empty() {
            let parents: Vec<String> = child.parents.iter().map(u32::to_string).collect();
            lead.push_str(&format!(" of rows {}", parents.join(", ")));
        }
        self.write(&format!("{lead}: "), &child.write);
        self.indented(|printer| {
            for (field, assignment) in &child.edge {
                let assignment = printer.assignment(*field, assignment);
                printer.line(format!("edge {assignment}"));
            }
        });
    }

    fn assignments(&mut self, assignments: &[(FieldId, Assignment)]) {
        for (field, assignment) in assignments {
            self.line(self.assignment(*field, assignment));
        }
    }

    fn assignment(&self, field: FieldId, assignment: &Assignment) -> String {
        let field = self.field(field);
        let (verb, operand) = match assignment {
            Assignment::Set(operand) => ("=", operand),
            Assignment::Add(operand) => ("+=", operand),
            Assignment::AddWithin(operand) => ("+= within its type", operand),
            Assignment::Subtract(operand) => ("-=", operand),
            Assignment::Multiply(operand) => ("*=", operand),
            Assignment::Divide(operand) => ("/=", operand),
            Assignment::Push(operand) => ("push", operand),
            Assignment::Pop(operand) => ("pop", operand),
            Assignment::Merge(operand) => ("merge", operand),
            Assignment::Prepend(operand) => ("prepend", operand),
            Assignment::DeleteKey(operand) => ("delete key", operand),
            Assignment::DeleteElement(operand) => ("delete element", operand),
            Assignment::DeletePath(operand) => ("delete path", operand),
            Assignment::Inserted => return format!("{field} = inserted"),
        };
        format!("{field} {verb} {}", self.operand(operand))
    }
}
