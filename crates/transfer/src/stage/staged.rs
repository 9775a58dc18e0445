//! The rows of each table in a file, ready to be inserted.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use storage::tables::{Stored, StoredValue};

use super::assemble::{Node, broken};
use super::facts::{NEW, NewIds};
use super::report::{Counts, Rejections};
use super::resolve::{ResolvedLink, Slot};
use super::{StageError, path};
use crate::mapping::Mapping;
use crate::spill::Sorted;
use crate::value::{Row, ValueRef};

/// Rows that are ready to be inserted.
#[derive(Debug)]
pub struct Staged {
    /// In the order in which they are inserted.
    pub tables: Vec<StagedTable>,
    pub counts: Counts,
    pub rejections: Rejections,
    /// The last id: the next one of the sequence comes after it.
    pub last_id: u64,
}

/// The rows of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StagedTable {
    /// The index of the table.
    pub table: usize,
    pub path: PathBuf,
    pub rows: u64,
    /// True if triggers of other tables would insert these rows.
    pub is_group: bool,
}

/// Reads the rows of a table.
#[derive(Debug)]
pub struct TableRows {
    reader: BufReader<File>,
    offset: u64,
    buffer: Vec<u8>,
}

pub(super) struct Writers<'w> {
    mapping: &'w Mapping,
    /// The last id before those of new objects, and their numbers.
    new: (u64, NewIds),
    files: Vec<Output>,
    /// Of each object: the tables of its groups, with the meaning of their columns.
    groups: Vec<Vec<(usize, Vec<GroupColumn>)>>,
    buffer: Vec<u8>,
}

struct Output {
    path: PathBuf,
    writer: BufWriter<File>,
    rows: u64,
}

/// A column of the table of a group.
enum GroupColumn {
    Key,
    Table,
    Copy(usize),
}

impl TableRows {
    /// Opens the rows of a table, from an offset on.
    pub fn open(path: &Path, offset: u64) -> io::Result<Self> {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(offset))?;
        Ok(Self { reader: BufReader::with_capacity(1 << 20, file), offset, buffer: Vec::new() })
    }

    /// The next row.
    pub fn next_row(&mut self) -> io::Result<Option<Row<'_>>> {
        let mut head = [0; 4];
        match self.reader.read_exact(&mut head) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error),
        }
        let length = u32::from_le_bytes(head);
        self.buffer.resize(usize::try_from(length).unwrap_or_default(), 0);
        self.reader.read_exact(&mut self.buffer)?;
        self.offset += u64::from(length) + 4;
        Ok(Some(Row::new(&self.buffer)))
    }

    /// The offset of the next row.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

/// Reads a row of a file of rows.
pub(super) fn read_row(reader: &mut impl Read, out: &mut Vec<u8>) -> Result<(), StageError> {
    let mut head = [0; 4];
    reader.read_exact(&mut head)?;
    out.resize(usize::try_from(u32::from_le_bytes(head)).map_err(|_| broken())?, 0);
    Ok(reader.read_exact(out)?)
}

impl<'w> Writers<'w> {
    pub(super) fn new(
        mapping: &'w Mapping,
        folder: &Path,
        new: (u64, NewIds),
    ) -> Result<Self, StageError> {
        let files = (0..mapping.tables.tables.len()).map(|index| {
            let path = path(folder, "table", index);
            let writer = BufWriter::with_capacity(256 << 10, File::create(&path)?);
            Ok(Output { path, writer, rows: 0 })
        });
        let files = files.collect::<io::Result<_>>()?;
        let objects = 0..mapping.objects.len();
        let groups = objects.map(|object| groups(mapping, object)).collect();
        Ok(Self { mapping, new, files, groups, buffer: Vec::new() })
    }

    fn id(&self, id: u64) -> ValueRef<'static> {
        let (base, numbers) = &self.new;
        let id = if id & NEW == 0 { id } else { base + numbers.number(id) + 1 };
        ValueRef::Integer(i64::try_from(id).unwrap_or(i64::MAX))
    }

    /// Writes the row of an object, and those of its groups.
    pub(super) fn write(
        &mut self,
        node: &Node,
        values: &[u8],
        held: &[ResolvedLink],
        slots: &[Slot],
    ) -> Result<(), StageError> {
        let object = &self.mapping.objects[node.object];
        let mut row = std::mem::take(&mut self.buffer);
        row.clear();
        for (column, value) in Row::new(values).enumerate() {
            let slot = slots.iter().find(|slot| slot.column == Some(column));
            let other = slot.and_then(|slot| held.iter().find(|held| held.slot == slot.number));
            match other {
                _ if column == object.key => self.id(node.id).write(&mut row),
                Some(held) => self.id(held.other).write(&mut row),
                None => value.write(&mut row),
            }
        }
        self.files[object.table].write(&row)?;
        for (table, columns) in &self.groups[node.object] {
            row.clear();
            for column in columns {
                match column {
                    GroupColumn::Key => self.id(node.id).write(&mut row),
                    GroupColumn::Table => {
                        let name = &self.mapping.tables.tables[object.table].name;
                        ValueRef::Text(name).write(&mut row);
                    }
                    GroupColumn::Copy(own) => {
                        let value = Row::new(values).nth(*own).unwrap_or(ValueRef::Null);
                        value.write(&mut row);
                    }
                }
            }
            self.files[*table].write(&row)?;
        }
        self.buffer = row;
        Ok(())
    }

    /// Writes the pairs of a relation, each once.
    pub(super) fn write_pairs(
        &mut self,
        table: usize,
        is_near_first: bool,
        pairs: &Sorted,
    ) -> Result<(), StageError> {
        let mut entries = pairs.entries()?;
        let mut last = None;
        while let Some((pair, _)) = entries.next_entry()? {
            if last == Some(pair) {
                continue;
            }
            last = Some(pair);
            let (near, far) = (self.id(pair.0), self.id(pair.1));
            let (first, second) = if is_near_first { (near, far) } else { (far, near) };
            self.buffer.clear();
            first.write(&mut self.buffer);
            second.write(&mut self.buffer);
            self.files[table].write(&self.buffer)?;
        }
        Ok(())
    }

    pub(super) fn finish(
        self,
        counts: Counts,
        rejections: Rejections,
        last_id: u64,
    ) -> Result<Staged, StageError> {
        let mut tables = Vec::with_capacity(self.files.len());
        for (table, output) in self.files.into_iter().enumerate() {
            let Output { path, writer, rows } = output;
            // A kill after this finds whole files.
            writer.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
            let stores = &self.mapping.tables.tables[table].stores;
            let is_group = matches!(stores, Stored::Group(_));
            tables.push(StagedTable { table, path, rows, is_group });
        }
        Ok(Staged { tables, counts, rejections, last_id })
    }
}

impl Output {
    fn write(&mut self, row: &[u8]) -> io::Result<()> {
        let length =
            u32::try_from(row.len()).map_err(|_| io::Error::other("a row beyond 4 GiB"))?;
        self.rows += 1;
        self.writer.write_all(&length.to_le_bytes())?;
        self.writer.write_all(row)
    }
}

fn groups(mapping: &Mapping, object: usize) -> Vec<(usize, Vec<GroupColumn>)> {
    let tables = &mapping.tables.tables;
    let own = &tables[mapping.objects[object].table];
    let found = own.groups.iter().filter_map(|membership| {
        let index = tables.iter().position(|table| table.name == membership.table)?;
        let columns = tables[index].columns.iter().filter_map(|column| match &column.stores {
            StoredValue::MemberKey => Some(GroupColumn::Key),
            StoredValue::MemberTable => Some(GroupColumn::Table),
            _ => {
                let copy = membership.copies.iter().find(|(_, copy)| *copy == column.name)?;
                let own = own.columns.iter().position(|column| column.name == copy.0)?;
                Some(GroupColumn::Copy(own))
            }
        });
        Some((index, columns.collect()))
    });
    found.collect()
}
