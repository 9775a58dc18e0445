//! Triggers of a table, which run for each changed row.
//!
//! Where functions have the statements of triggers, there are triggers of members of groups only.
//! Elsewhere they also keep the last number of the sequence, and the tables of words and places.

use sql::own::OWN_PREFIX;
use sql::tree::definition::{
    Action, Condition, Definition, InsertedRows, Term, Trigger, TriggerBody, TriggerEvent,
};
use sql::{Identifier, KeySequence, TableName};

use super::{identifier, is_virtual, own_name, place_table, table_name};
use crate::database::Database;
use crate::tables::{Column, Index, IndexMethod, StoredValue, Table, Tables};

/// A trigger with its statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TriggerDefinition {
    name: Identifier,
    on: TableName,
    event: TriggerEvent,
    actions: Vec<Action>,
    /// The function that has the statements.
    function: Option<TableName>,
}

impl TriggerDefinition {
    /// The statements that create it.
    pub(crate) fn create(&self) -> Vec<Definition> {
        let Self { name, on, event, actions, function } = self.clone();
        let trigger = |body| Definition::CreateTrigger(Trigger { name, on, event, body });
        match function {
            Some(function) => vec![
                Definition::CreateFunction { name: function.clone(), body: actions },
                trigger(TriggerBody::Function(function)),
            ],
            None => vec![trigger(TriggerBody::Actions(actions))],
        }
    }

    /// The statements that drop it.
    pub(crate) fn drop(&self) -> Vec<Definition> {
        let Self { name, on, function, .. } = self.clone();
        let mut statements = vec![Definition::DropTrigger { name, on }];
        statements.extend(function.map(Definition::DropFunction));
        statements
    }
}

/// The group of a member, as its triggers write it.
struct Membership<'t> {
    table: TableName,
    key: &'t Column,
    member: &'t Column,
    copies: &'t [(Box<str>, Box<str>)],
}

/// The triggers of a table.
pub(crate) fn triggers(
    table: &Table,
    tables: &Tables,
    database: &Database,
) -> Vec<TriggerDefinition> {
    let Some(key) = table.number_key() else { return Vec::new() };
    let has_functions = database.flavor.definitions.trigger_functions;
    let groups: Vec<Membership<'_>> = table
        .groups
        .iter()
        .filter_map(|own| {
            let group = tables.find(&own.table)?;
            let stores =
                |wanted: &StoredValue| group.columns.iter().find(|column| column.stores == *wanted);
            Some(Membership {
                table: table_name(&own.table, database),
                key: stores(&StoredValue::MemberKey)?,
                member: stores(&StoredValue::MemberTable)?,
                copies: &own.copies,
            })
        })
        .collect();
    let in_virtual_tables: Vec<&Index> =
        table.indexes.iter().filter(|index| is_virtual(index, database)).collect();
    let (mut before, mut inserted) = (Vec::new(), Vec::new());
    if let (KeySequence::Row { table, column }, StoredValue::Sequence) =
        (database.flavor.sequence, &key.stores)
    {
        before.push(refuse_without_key(key, (table, column)));
        before.push(keep_last(key, (table, column)));
    }
    let mut deleted = Vec::new();
    let mut updated = Vec::new();
    let mut copied = vec![identifier(&key.name)];
    for group in &groups {
        inserted.push(group.insert(table, key));
        updated.push(group.update(key));
        deleted.push(group.delete(key));
        for (own, _) in group.copies {
            if !copied.iter().any(|column| column.0 == *own) {
                copied.push(identifier(own));
            }
        }
    }
    for index in &in_virtual_tables {
        inserted.extend(add_entry(table, index, key, database));
        deleted.extend(remove_entry(index, key, database));
    }
    let called = |ending: &str| [&table.name, ending].concat();
    let one = |ending: &str, event, actions| TriggerDefinition {
        name: identifier(&[OWN_PREFIX, &called(ending)].concat()),
        on: table_name(&table.name, database),
        event,
        actions,
        function: has_functions.then(|| own_name(&called(ending), database)),
    };
    let mut all = vec![
        one("_key", TriggerEvent::BeforeInsert, before),
        one("_insert", TriggerEvent::Insert, inserted),
        one("_update", TriggerEvent::Update(copied), updated),
        one("_delete", TriggerEvent::Delete, deleted),
    ];
    for index in in_virtual_tables {
        let columns = index.columns.iter().map(|column| identifier(column));
        let columns = std::iter::once(identifier(&key.name)).chain(columns).collect();
        let mut actions = remove_entry(index, key, database);
        actions.extend(add_entry(table, index, key, database));
        all.push(TriggerDefinition {
            name: identifier(&[&*index.name, "_update"].concat()),
            on: table_name(&table.name, database),
            event: TriggerEvent::Update(columns),
            actions,
            function: None,
        });
    }
    all.retain(|trigger| !trigger.actions.is_empty());
    all
}

impl Membership<'_> {
    fn insert(&self, table: &Table, key: &Column) -> Action {
        let mut columns = vec![identifier(&self.key.name), identifier(&self.member.name)];
        let mut terms = vec![Term::New(identifier(&key.name)), Term::Text(table.name.clone())];
        for (own, of_group) in self.copies {
            columns.push(identifier(of_group));
            terms.push(Term::New(identifier(own)));
        }
        Action::Insert { into: self.table.clone(), columns, rows: InsertedRows::One(terms) }
    }

    fn update(&self, key: &Column) -> Action {
        let mut sets = vec![(identifier(&self.key.name), Term::New(identifier(&key.name)))];
        let copies = self.copies.iter();
        sets.extend(
            copies.map(|(own, of_group)| (identifier(of_group), Term::New(identifier(own)))),
        );
        Action::Update { table: self.table.clone(), sets, filter: Some(self.is_of_old(key)) }
    }

    fn delete(&self, key: &Column) -> Action {
        Action::Delete { from: self.table.clone(), filter: Some(self.is_of_old(key)) }
    }

    fn is_of_old(&self, key: &Column) -> Condition {
        let own = Term::Column(identifier(&self.key.name));
        Condition::Equal(own, Term::Old(identifier(&key.name)))
    }
}

/// Refuses a row to which no key was given: SQLite would give it one that another table may have.
fn refuse_without_key(key: &Column, (table, column): (&str, &str)) -> Action {
    // SQLite has -1 here as long as there is no key.
    let given = Term::New(identifier(&key.name));
    let message = format!(
        "give the row a new {}: ids are unique in the whole database; UPDATE {table} SET {column} = \
         {column} + 1 RETURNING {column} takes the next one",
        key.name
    );
    Action::Refuse { message: message.into(), when: Condition::AtMost(given, Term::Number(0)) }
}

/// Keeps the sequence above a key that was not taken from it.
fn keep_last(key: &Column, (table, column): (&str, &str)) -> Action {
    let given = Term::New(identifier(&key.name));
    let is_above = Condition::More(given.clone(), Term::Column(identifier(column)));
    Action::Update {
        table: TableName { schema: None, name: identifier(table) },
        sets: vec![(identifier(column), given)],
        filter: Some(is_above),
    }
}

/// The statements that add a row to a virtual table.
fn add_entry(table: &Table, index: &Index, key: &Column, database: &Database) -> Vec<Action> {
    if index.method == IndexMethod::Places {
        return place_table(table, index, database).map(Action::InsertPlace).into_iter().collect();
    }
    let columns = index.columns.iter().map(|column| identifier(column));
    let terms = index.columns.iter().map(|column| Term::New(identifier(column)));
    vec![Action::Insert {
        into: table_name(&index.name, database),
        columns: std::iter::once(identifier("rowid")).chain(columns).collect(),
        rows: InsertedRows::One(
            std::iter::once(Term::New(identifier(&key.name))).chain(terms).collect(),
        ),
    }]
}

/// The statements that remove a row from a virtual table. FTS5 has a command for it, and computes the
/// words to remove from the old texts.
fn remove_entry(index: &Index, key: &Column, database: &Database) -> Vec<Action> {
    if index.method == IndexMethod::Places {
        let is_own =
            Condition::Equal(Term::Column(identifier("id")), Term::Old(identifier(&key.name)));
        let from = table_name(&index.name, database);
        return vec![Action::Delete { from, filter: Some(is_own) }];
    }
    let mut columns = vec![identifier(&index.name), identifier("rowid")];
    columns.extend(index.columns.iter().map(|column| identifier(column)));
    let mut terms = vec![Term::Text("delete".into()), Term::Old(identifier(&key.name))];
    terms.extend(index.columns.iter().map(|column| Term::Old(identifier(column))));
    let into = table_name(&index.name, database);
    vec![Action::Insert { into, columns, rows: InsertedRows::One(terms) }]
}
