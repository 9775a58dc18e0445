//! The objects of a type with their links, in the order of the ids.

use storage::bulk;
use storage::tables::{Column, Side, Table};
use transfer::Mapping;
use transfer::ValueRef;
use transfer::mapping::{Holds, RelationStorage};
use transfer::value::{Row, RowBuffer, StoredColumn};

use super::{Stream, Transfer, TransferError};

/// The rows of a type, with the other ends of their links.
#[derive(Debug)]
pub struct Objects {
    rows: Stream,
    buffer: RowBuffer,
    members: Vec<Member>,
    key: usize,
}

/// The links of a member.
#[derive(Debug)]
enum Member {
    None,
    /// The row has the id.
    Column(usize),
    /// Rows of other tables have it, in the order of the ids.
    Links(Vec<Links>),
}

#[derive(Debug)]
struct Links {
    stream: Stream,
    buffer: RowBuffer,
    next: usize,
}

impl Objects {
    /// Begins to read the objects of a type.
    pub async fn open(
        transfer: &mut Transfer,
        mapping: &Mapping,
        object: usize,
    ) -> Result<Self, TransferError> {
        let r#type = &mapping.objects[object];
        let table = &mapping.tables.tables[r#type.table];
        let rows = transfer.rows(table).await?;
        let mut members = Vec::with_capacity(r#type.members.len());
        for member in &r#type.members {
            let Holds::Objects { relation, side, .. } = member.holds else {
                members.push(Member::None);
                continue;
            };
            members.push(match &mapping.relations[relation].place {
                RelationStorage::Columns { side: holder, columns } if *holder == side => {
                    let column = columns.iter().find(|(of, _)| *of == r#type.table);
                    column.map_or(Member::None, |(_, column)| Member::Column(*column))
                }
                RelationStorage::Columns { columns, .. } => {
                    let mut links = Vec::with_capacity(columns.len());
                    for (of, column) in columns {
                        let holder = &mapping.tables.tables[*of];
                        let own = &*holder.columns[*column].name;
                        let key = holder.number_key().map_or("", |key| &*key.name);
                        links.push(Links::open(transfer, holder, [own, key]).await?);
                    }
                    Member::Links(links)
                }
                RelationStorage::Pairs { table, near, far } => {
                    let pairs = &mapping.tables.tables[*table];
                    let (own, other) = match side {
                        Side::Near => (near, far),
                        Side::Far => (far, near),
                    };
                    let names = [&*pairs.columns[*own].name, &*pairs.columns[*other].name];
                    Member::Links(vec![Links::open(transfer, pairs, names).await?])
                }
            });
        }
        Ok(Self { rows, buffer: RowBuffer::default(), members, key: r#type.key })
    }

    /// Reads the next objects, and passes each to a function: its row, and the ids of each member.
    /// Returns false at the end.
    pub async fn next(
        &mut self,
        transfer: &Transfer,
        mut write: impl FnMut(Row<'_>, &[Vec<u64>]),
    ) -> Result<bool, TransferError> {
        transfer.fetch(&mut self.rows, &mut self.buffer).await?;
        let mut links: Vec<Vec<u64>> = vec![Vec::new(); self.members.len()];
        for index in 0..self.buffer.len() {
            let row = self.buffer.row(index);
            let id = row.clone().nth(self.key).and_then(id_of).unwrap_or_default();
            for (member, ids) in self.members.iter_mut().zip(&mut links) {
                ids.clear();
                match member {
                    Member::None => {}
                    Member::Column(column) => ids.extend(row.clone().nth(*column).and_then(id_of)),
                    Member::Links(several) => {
                        for links in several.iter_mut() {
                            links.take(transfer, id, ids).await?;
                        }
                        if several.len() > 1 {
                            ids.sort_unstable();
                        }
                    }
                }
            }
            write(row, &links);
        }
        Ok(!self.buffer.is_empty())
    }
}

impl Links {
    async fn open(
        transfer: &mut Transfer,
        table: &Table,
        names: [&str; 2],
    ) -> Result<Self, TransferError> {
        let rows = bulk::rows_by(table, &names, &transfer.database);
        let columns = names.iter().filter_map(|name| table.find_column(name)).map(stored);
        let stream = transfer.stream(rows, columns.collect()).await?;
        Ok(Self { stream, buffer: RowBuffer::default(), next: 0 })
    }

    /// Adds the other ends of an id. Ids are asked for in their order.
    async fn take(
        &mut self,
        transfer: &Transfer,
        id: u64,
        out: &mut Vec<u64>,
    ) -> Result<(), TransferError> {
        loop {
            if self.next >= self.buffer.len() {
                transfer.fetch(&mut self.stream, &mut self.buffer).await?;
                self.next = 0;
                if self.buffer.is_empty() {
                    return Ok(());
                }
            }
            let mut row = self.buffer.row(self.next);
            let own = row.next().and_then(id_of).unwrap_or_default();
            if own > id {
                return Ok(());
            }
            if own == id {
                out.extend(row.next().and_then(id_of));
            }
            self.next += 1;
        }
    }
}

impl Transfer {
    /// All rows of a table, in the order of its key.
    pub(super) async fn rows(&mut self, table: &Table) -> Result<Stream, TransferError> {
        let rows = bulk::rows(table, &self.database);
        let columns = table.columns.iter().map(stored).collect();
        self.stream(rows, columns).await
    }
}

/// A column as a read returns it.
pub(super) fn stored(column: &Column) -> StoredColumn {
    StoredColumn {
        name: column.name.clone(),
        r#type: column.r#type.clone(),
        is_list: column.is_list,
    }
}

fn id_of(value: ValueRef<'_>) -> Option<u64> {
    match value {
        ValueRef::Integer(id) => u64::try_from(id).ok(),
        _ => None,
    }
}
