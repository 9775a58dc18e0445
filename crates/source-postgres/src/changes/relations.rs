//! The relations that decide what a session reads of tables and views: their partitions, the relations
//! of views, and those of row security.

use std::collections::{BTreeMap, BTreeSet};

use ahash::AHashSet;
use source::changes::{Columns, Coverage, CoveredRelation, Dependence, TableName};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Error, Row};

/// Relations by their numbers in the database.
#[derive(Debug)]
pub(super) struct Relations {
    relations: BTreeMap<u32, Relation>,
    /// Differs after a change of the definitions.
    definitions: String,
}

/// The coverage of a stream, with the definitions on which it depends.
#[derive(Debug)]
pub(super) struct Covered {
    pub(super) definitions: Relations,
    pub(super) coverage: Coverage,
}

/// Tables under whose names changes of a table are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reporting {
    /// The table that has the rows.
    Stored,
    /// The table that the statement names: the table that has the rows, or one that it is a part of.
    Named,
}

#[derive(Debug)]
struct Relation {
    name: TableName,
    kind: Kind,
    is_wanted: bool,
    is_sound: bool,
    is_known: bool,
    /// Partitions, and tables that inherit from it.
    children: Vec<u32>,
    /// The tables that it is a part of.
    parents: Vec<u32>,
    /// Columns that decide who may read one of its rows.
    row_security: Columns,
    reads: Vec<Read>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A table that has rows.
    Stored,
    Partitioned,
    View,
    Other,
}

/// A relation that a view, or row security, reads.
#[derive(Debug)]
struct Read {
    relation: u32,
    columns: Columns,
}

/// A relation that cannot be covered.
struct NotCovered;

impl Relations {
    /// Reads the relations of these tables and views, all at one moment.
    pub(super) async fn read(client: &Client, wanted: &[TableName]) -> Result<Self, Error> {
        client.batch_execute(include_str!("begin.sql")).await?;
        let namespaces: Vec<&str> =
            wanted.iter().map(|table| table.namespace.as_deref().unwrap_or_default()).collect();
        let names: Vec<&str> = wanted.iter().map(|table| &*table.name).collect();
        let parameters: [(&(dyn ToSql + Sync), Type); 2] =
            [(&namespaces, Type::TEXT_ARRAY), (&names, Type::TEXT_ARRAY)];
        let rows = client.query_typed(include_str!("relations.sql"), &parameters).await?;
        let mut relations = BTreeMap::new();
        for row in &rows {
            relations.insert(row.try_get(0)?, Relation::from_row(row)?);
        }
        let numbers: Vec<u32> = relations.keys().copied().collect();
        let parameters: [(&(dyn ToSql + Sync), Type); 1] = [(&numbers, Type::OID_ARRAY)];
        for row in &client.query_typed(include_str!("reads.sql"), &parameters).await? {
            let (oid, relation, is_own) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
            let columns = match row.try_get::<_, Option<Vec<String>>>(3)? {
                Some(names) => Columns::Only(names.into_iter().map(String::into).collect()),
                None => Columns::All,
            };
            if let Some(known) = relations.get_mut(&oid) {
                match is_own {
                    true => known.row_security.add(&columns),
                    false => known.reads.push(Read { relation, columns }),
                }
            }
        }
        let definitions = definitions(client, &numbers).await?;
        client.batch_execute(include_str!("commit.sql")).await?;
        let edges: Vec<(u32, u32)> = relations
            .iter()
            .flat_map(|(oid, relation)| relation.children.iter().map(|child| (*child, *oid)))
            .collect();
        for (child, parent) in edges {
            if let Some(child) = relations.get_mut(&child) {
                child.parents.push(parent);
            }
        }
        Ok(Self { relations, definitions })
    }

    /// Returns true if the definitions are the same as when they were read.
    pub(super) async fn is_current(&self, client: &Client) -> Result<bool, Error> {
        let numbers: Vec<u32> = self.relations.keys().copied().collect();
        Ok(definitions(client, &numbers).await? == self.definitions)
    }

    /// The tables whose changes are needed, of all relations that can be covered.
    pub(super) fn needed(&self, reporting: Reporting) -> Vec<u32> {
        let is_possible = |oid: u32| match reporting {
            Reporting::Stored => self.relations.get(&oid).is_some_and(|table| table.is_sound),
            Reporting::Named => self
                .relations
                .get(&oid)
                .is_some_and(|table| table.is_sound || table.kind == Kind::Partitioned),
        };
        let coverage = self.coverage(reporting, is_possible);
        let tables = coverage.relations.iter().flat_map(|relation| {
            let depends_on = relation.depends_on.iter().map(|dependence| &dependence.table);
            relation.stored_in.iter().chain(depends_on)
        });
        let tables: AHashSet<&TableName> = tables.collect();
        let needed = self.relations.iter().filter(|(_, table)| tables.contains(&table.name));
        needed.map(|(oid, _)| *oid).collect()
    }

    /// The wanted relations that are covered if changes of some tables are reported.
    pub(super) fn coverage(
        &self,
        reporting: Reporting,
        is_reported: impl Fn(u32) -> bool,
    ) -> Coverage {
        let wanted = self.relations.iter().filter(|(_, relation)| relation.is_wanted);
        let covered = wanted.filter_map(|(oid, relation)| {
            self.covered(*oid, relation, reporting, &is_reported).ok()
        });
        Coverage { relations: covered.collect() }
    }

    fn covered(
        &self,
        oid: u32,
        relation: &Relation,
        reporting: Reporting,
        is_reported: &impl Fn(u32) -> bool,
    ) -> Result<CoveredRelation, NotCovered> {
        let mut depends_on: BTreeMap<u32, Columns> = BTreeMap::new();
        let (mut reached, mut next) = (BTreeSet::from([oid]), vec![relation]);
        while let Some(reading) = next.pop() {
            if !reading.is_known {
                return Err(NotCovered);
            }
            for Read { relation: oid, columns } in &reading.reads {
                let read = self.relations.get(oid).ok_or(NotCovered)?;
                for table in self.reported(*oid, reporting, is_reported)? {
                    let known = depends_on.entry(table).or_default();
                    known.add(columns);
                    known.add(&read.row_security);
                }
                if reached.insert(*oid) {
                    next.push(read);
                }
            }
        }
        let name = |oid: &u32| self.relations.get(oid).map(|table| table.name.clone());
        let stored_in = self.reported(oid, reporting, is_reported)?;
        let dependence = |(oid, columns): (u32, Columns)| {
            let table = name(&oid)?;
            Some(Dependence { table, columns })
        };
        Ok(CoveredRelation {
            name: relation.name.clone(),
            stored_in: stored_in.iter().filter_map(name).collect(),
            row_security: relation.row_security.clone(),
            depends_on: depends_on.into_iter().filter_map(dependence).collect(),
        })
    }

    /// The tables under whose names changes of a relation's rows are reported; none for a view.
    fn reported(
        &self,
        oid: u32,
        reporting: Reporting,
        is_reported: &impl Fn(u32) -> bool,
    ) -> Result<BTreeSet<u32>, NotCovered> {
        let (mut tables, mut reached, mut next) = (BTreeSet::new(), BTreeSet::new(), vec![oid]);
        while let Some(oid) = next.pop() {
            if !reached.insert(oid) {
                continue;
            }
            let relation = self.relations.get(&oid).ok_or(NotCovered)?;
            match relation.kind {
                Kind::View => {}
                Kind::Stored if !relation.is_sound => return Err(NotCovered),
                Kind::Stored => match reporting {
                    Reporting::Stored => {
                        tables.insert(oid);
                    }
                    Reporting::Named => tables.extend(self.containing(oid)),
                },
                Kind::Partitioned => {}
                Kind::Other => return Err(NotCovered),
            }
            next.extend(&relation.children);
        }
        match tables.iter().all(|table| is_reported(*table)) {
            true => Ok(tables),
            false => Err(NotCovered),
        }
    }

    /// A table, and those that it is a part of.
    fn containing(&self, oid: u32) -> BTreeSet<u32> {
        let (mut tables, mut next) = (BTreeSet::new(), vec![oid]);
        while let Some(oid) = next.pop() {
            if tables.insert(oid)
                && let Some(relation) = self.relations.get(&oid)
            {
                next.extend(&relation.parents);
            }
        }
        tables
    }
}

impl Relation {
    fn from_row(row: &Row) -> Result<Self, Error> {
        let (namespace, name): (String, String) = (row.try_get(1)?, row.try_get(2)?);
        Ok(Self {
            name: TableName { namespace: Some(namespace.into()), name: name.into() },
            kind: match row.try_get(3)? {
                "r" => Kind::Stored,
                "p" => Kind::Partitioned,
                "v" => Kind::View,
                _ => Kind::Other,
            },
            is_wanted: row.try_get(4)?,
            is_sound: row.try_get(5)?,
            is_known: row.try_get(6)?,
            children: row.try_get(7)?,
            parents: Vec::new(),
            row_security: Columns::default(),
            reads: Vec::new(),
        })
    }
}

async fn definitions(client: &Client, relations: &[u32]) -> Result<String, Error> {
    let parameters: [(&(dyn ToSql + Sync), Type); 1] = [(&relations, Type::OID_ARRAY)];
    let rows = client.query_typed(include_str!("definitions.sql"), &parameters).await?;
    let text: Option<String> = rows.first().map(|row| row.try_get(0)).transpose()?.flatten();
    Ok(text.unwrap_or_default())
}
