//! Requests that change a SQLite file, from the request tree to the answer and the file.

#![allow(clippy::unwrap_used, reason = "all of this crate is tests, which may panic")]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use catalog::{Catalog, EntityId, FieldId};
use ir::{
    Assignment, Comparison, Filter, From, Hop, HopDirection, Insert, InsertedRows, Isolation,
    Operand, Otherwise, OtherwiseKind, Output, OutputId, OutputKind, Page, Request, Require, Rows,
    RowsId, State, Step, StepId, StepKind, Transaction, Update, Value, ValueRef, Write, WriteKind,
};
use response::{Leaf, MemoryReservation, Node, NodeId, Shape, ShapeField, Sink, Written};
use source::{
    Connections as _, ExecuteParams, Observed, PoolLimits, Session, SourceError, Variables,
};
use source_sqlite::{SqliteOptions, SqlitePlan, SqliteSource};

/// A file of its own, which is gone with this.
struct File {
    folder: PathBuf,
    source: SqliteSource,
    catalog: Catalog,
}

/// A mutation whose root fields are added one after the other.
struct Mutation<'f> {
    file: &'f File,
    shape: Shape,
    roots: Vec<ShapeField>,
    transactions: Vec<Transaction>,
    steps: u32,
    outputs: u32,
    rows: u32,
}

impl File {
    fn new(schema: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = format!("thalweg-sqlite-writes-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(folder);
        std::fs::create_dir(&folder).unwrap();
        let path = folder.join("t.db");
        rusqlite::Connection::open(&path).unwrap().execute_batch(schema).unwrap();
        let opened = SqliteSource::open(&path, &SqliteOptions::default());
        let (source, catalog) = opened.unwrap();
        Self { folder, source, catalog }
    }

    fn entity(&self, name: &str) -> EntityId {
        self.catalog.entities().find(|entity| &*entity.name == name).unwrap().id
    }

    fn field(&self, entity: &str, name: &str) -> FieldId {
        let mut fields = self.catalog.fields_of(self.entity(entity));
        fields.find(|field| &*field.name == name).unwrap().id
    }

    fn read(&self, query: &str) -> String {
        let connection = rusqlite::Connection::open(self.folder.join("t.db")).unwrap();
        let mut statement = connection.prepare(query).unwrap();
        let texts = statement.query_map((), |row| row.get::<_, String>(0)).unwrap();
        texts.collect::<Result<Vec<_>, _>>().unwrap().join(" ")
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn text(text: &str) -> Operand {
    Operand::Constant(Value::Text(text.into()))
}

fn number(number: i64) -> Operand {
    Operand::Constant(Value::Integer(number))
}

impl<'f> Mutation<'f> {
    fn of(file: &'f File) -> Self {
        let (shape, roots, transactions) = (Shape::default(), Vec::new(), Vec::new());
        Self { file, shape, roots, transactions, steps: 0, outputs: 0, rows: 0 }
    }

    fn step(&mut self, root: u32, kind: StepKind) -> Step {
        self.steps += 1;
        Step::new(StepId(self.steps - 1), root, kind)
    }

    /// Rows with the fields that are shown of them.
    fn shown(
        &mut self,
        from: From,
        entity: &str,
        fields: &[&str],
        related: Vec<(Rows, ShapeField)>,
    ) -> (Rows, NodeId) {
        let mut outputs = Vec::new();
        let mut shown = Vec::new();
        for name in fields {
            let id = self.outputs;
            self.outputs += 1;
            let field = self.file.field(entity, name);
            let kind = OutputKind::Field { path: Vec::new(), field, form: ir::Form::Stored };
            outputs.push(Output { id: OutputId(id), kind });
            let output = response::OutputId(id);
            let node = self.shape.add(Node::Leaf { output, leaf: Leaf::Any });
            shown.push(ShapeField::new(name, node, true));
        }
        for (rows, field) in related {
            let id = self.outputs;
            self.outputs += 1;
            let kind = OutputKind::Related { path: Vec::new(), rows: Box::new(rows) };
            outputs.push(Output { id: OutputId(id), kind });
            shown.push(field);
        }
        let shown = self.shape.add_fields(shown);
        let object = self.shape.add(Node::Object(shown));
        self.rows += 1;
        let rows = Rows {
            id: RowsId(self.rows - 1),
            from,
            filter: Filter::all(),
            order: Vec::new(),
            page: Page::All,
            distinct: Vec::new(),
            single: false,
            once: false,
            shown: true,
            outputs,
        };
        (rows, object)
    }

    /// A root field that changes rows of an entity, and shows fields of them and, of the rows that
    /// refer to them, the texts.
    fn root(&mut self, entity: &str, kind: WriteKind, missing: bool, fields: &[&str], notes: bool) {
        let root = u32::try_from(self.roots.len()).unwrap();
        let id = self.file.entity(entity);
        let write = Write { entity: id, kind, children: Vec::new(), check: Filter::all() };
        let mut steps = vec![self.step(root, StepKind::Write(write))];
        let from = From::Returned { step: steps[0].id, state: State::After };
        if missing {
            let (rows, _) = self.shown(from.clone(), entity, &[], Vec::new());
            let otherwise = Otherwise::new(OtherwiseKind::Missing, "There is none.");
            let require = Require { rows, filter: Filter::all(), exists: true, otherwise };
            let require = self.step(root, StepKind::Require(require));
            steps.push(require);
        }
        let related = if notes { vec![self.notes(id)] } else { Vec::new() };
        let (rows, node) = self.shown(from, entity, fields, related);
        let list = Node::List {
            rows: response::RowsId(rows.id.0),
            item: response::Item { node, nullable: false },
        };
        let list = self.shape.add(list);
        self.roots.push(ShapeField::new(&format!("r{root}"), list, true));
        let read = self.step(root, StepKind::Read(rows));
        steps.push(read);
        self.transactions.push(Transaction { isolation: Isolation::ReadCommitted, steps });
    }

    fn notes(&mut self, entity: EntityId) -> (Rows, ShapeField) {
        let relationship = self.file.catalog[entity].incoming[0];
        let hop = Hop { relationship, direction: HopDirection::Backward };
        let (rows, node) = self.shown(From::Relation(hop), "note", &["text"], Vec::new());
        let list = Node::List {
            rows: response::RowsId(rows.id.0),
            item: response::Item { node, nullable: false },
        };
        let list = self.shape.add(list);
        (rows, ShapeField::new("notes", list, true))
    }

    async fn run(mut self) -> Written<SourceError> {
        self.shape.root = Some(self.shape.add_fields(self.roots));
        let Self { file, shape, transactions, outputs, rows, .. } = self;
        let request = Request { transactions, outputs, rows, claimed_names: Vec::new() };
        let program = file.source.compile(&file.catalog, &request).unwrap();
        let plan = Arc::new(SqlitePlan { program, shape: shape.into() });
        let connections = file.source.connections(PoolLimits::unshared(2));
        let session = Session::default();
        let asked = ExecuteParams {
            variables: Variables::of(&[]),
            session: &session,
            freshness: source::Freshness::Newest,
            echoes: &[],
            cost: 1,
            time_limit: None,
            recorders: None,
        };
        let sink = Sink::new(Vec::new(), 1 << 20, MemoryReservation::default());
        connections.answer(&plan, asked, sink, &mut Observed::default()).await.unwrap()
    }
}

fn insert(file: &File, entity: &str, values: &[(&str, Operand)]) -> WriteKind {
    let fields = values.iter().map(|(name, _)| file.field(entity, name)).collect();
    let row = values.iter().map(|(_, operand)| operand.clone()).collect();
    WriteKind::Insert(Insert { fields, rows: InsertedRows::each(vec![row]) })
}

fn equal(file: &File, entity: &str, name: &str, operand: Operand) -> Filter {
    let place = ValueRef::field(file.field(entity, name));
    Filter::Compare { place, comparison: Comparison::Equal, operand }
}

fn answer(written: &Written<SourceError>) -> String {
    let mut lines = vec![String::from_utf8(written.data.clone()).unwrap()];
    for error in &written.errors {
        let response::Failure::Source(source) = &error.failure else { panic!("{error:?}") };
        lines.push(format!("{:?} {:?}: {source}", error.path[0], source.kind));
    }
    lines.join("\n")
}

const NOTES: &str = "
    CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT UNIQUE, born TIMESTAMPTZ);
    CREATE TABLE note (
        id INTEGER PRIMARY KEY,
        person INTEGER REFERENCES person (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
        text TEXT
    );
    INSERT INTO person (id, name) VALUES (1, 'Ada'), (2, 'Bob');
    INSERT INTO note (person, text) VALUES (1, 'a'), (1, 'b'), (2, 'c');";

#[tokio::test]
async fn a_change_gives_its_row_and_what_belongs_to_it_afterwards() {
    let file = File::new(NOTES);
    let mut mutation = Mutation::of(&file);
    let born = ("born", text("2020-01-02T03:04:05+01:00"));
    let kind = insert(&file, "person", &[("name", text("Cy")), born]);
    mutation.root("person", kind, false, &["id", "name", "born"], false);
    let kind = insert(&file, "note", &[("person", number(3)), ("text", text("d"))]);
    mutation.root("note", kind, false, &["id"], false);
    let rename = WriteKind::Update(Update {
        filter: equal(&file, "person", "id", number(3)),
        assignments: vec![(file.field("person", "name"), Assignment::Set(text("Cyd")))],
        at_most: None,
    });
    mutation.root("person", rename, true, &["name"], true);
    let filter = equal(&file, "person", "name", text("Ada"));
    let delete = WriteKind::Delete { filter, at_most: None };
    mutation.root("person", delete, true, &["name"], true);
    let expect = "{\"r0\":[{\"id\":\"3\",\"name\":\"Cy\",\"born\":\"2020-01-02 02:04:05+00:00\"}],\
                  \"r1\":[{\"id\":\"4\"}],\"r2\":[{\"name\":\"Cyd\",\"notes\":[{\"text\":\"d\"}]}],\
                  \"r3\":[{\"name\":\"Ada\",\"notes\":[]}]}";
    assert_eq!(answer(&mutation.run().await), expect);
    assert_eq!(file.read("SELECT name FROM person ORDER BY id"), "Bob Cyd");
    assert_eq!(file.read("SELECT text FROM note ORDER BY id"), "c d");
}

#[tokio::test]
async fn what_fails_is_taken_back_and_the_others_are_there() {
    let file = File::new(NOTES);
    let mut mutation = Mutation::of(&file);
    let kind = insert(&file, "person", &[("name", text("Cy"))]);
    mutation.root("person", kind, false, &["name"], true);
    // The foreign key is looked at when the transaction ends.
    let kind = insert(&file, "note", &[("person", number(99)), ("text", text("lost"))]);
    mutation.root("note", kind, false, &["text"], false);
    let kind = insert(&file, "person", &[("name", text("Ada"))]);
    mutation.root("person", kind, false, &["name"], true);
    let filter = equal(&file, "person", "id", number(99));
    let delete = WriteKind::Delete { filter, at_most: None };
    mutation.root("person", delete, true, &["name"], false);
    let kind = insert(&file, "person", &[("id", text("not a number"))]);
    mutation.root("person", kind, false, &["name"], false);
    let kind = insert(&file, "person", &[]);
    mutation.root("person", kind, false, &["id"], false);
    let answer = answer(&mutation.run().await);
    let lines: Vec<&str> = answer.lines().collect();
    let data = "{\"r0\":[{\"name\":\"Cy\",\"notes\":[]}],\"r1\":null,\"r2\":null,\"r3\":null,\
                \"r4\":null,\"r5\":[{\"id\":\"4\"}]}";
    assert_eq!(lines[0], data);
    for (line, expect) in lines[1..].iter().zip([
        "Name(\"r1\") ForeignKeyViolation: ",
        "Name(\"r2\") UniqueViolation: ",
        "Name(\"r3\") Missing: There is none.",
        "Name(\"r4\") Input: invalid input syntax for type integer: \"not a number\"",
    ]) {
        assert!(line.starts_with(expect), "{line}");
    }
    assert_eq!(lines.len(), 5);
    assert_eq!(
        file.read("SELECT coalesce(name, id || '') FROM person ORDER BY id"),
        "Ada Bob Cy 4"
    );
    assert_eq!(file.read("SELECT text FROM note ORDER BY id"), "a b c");
}

#[tokio::test]
async fn a_view_is_changed_by_its_triggers() {
    let file = File::new(
        "CREATE TABLE stored (id INTEGER PRIMARY KEY, name TEXT);
         CREATE VIEW person AS SELECT id, name FROM stored;
         CREATE VIEW plain AS SELECT id FROM stored;
         CREATE TRIGGER made INSTEAD OF INSERT ON person
            BEGIN INSERT INTO stored VALUES (new.id, upper(new.name)); END;
         CREATE TRIGGER changed INSTEAD OF UPDATE ON person
            BEGIN UPDATE stored SET name = new.name || '!' WHERE id = old.id; END;
         CREATE TRIGGER gone INSTEAD OF DELETE ON person
            BEGIN DELETE FROM stored WHERE id = old.id; END;",
    );
    let offered = |name| file.catalog[file.entity(name)].access;
    let person = offered("person");
    assert_eq!((person.insert, person.update, person.delete), (true, true, true));
    assert_eq!(offered("plain"), catalog::WriteAccess::NONE);
    assert_eq!(offered("stored"), catalog::WriteAccess::ALL);
    let mut mutation = Mutation::of(&file);
    for (id, name) in [(1, "a"), (2, "b")] {
        let kind = insert(&file, "person", &[("id", number(id)), ("name", text(name))]);
        mutation.root("person", kind, true, &["id"], false);
    }
    let filter = equal(&file, "person", "id", number(1));
    let delete = WriteKind::Delete { filter, at_most: None };
    mutation.root("person", delete, true, &["name"], false);
    let rename = WriteKind::Update(Update {
        filter: equal(&file, "person", "id", number(2)),
        assignments: vec![(file.field("person", "name"), Assignment::Set(text("c")))],
        at_most: None,
    });
    mutation.root("person", rename, true, &["id", "name"], false);
    let written = answer(&mutation.run().await);
    assert_eq!(
        written,
        "{\"r0\":[{\"id\":\"1\"}],\"r1\":[{\"id\":\"2\"}],\"r2\":[{\"name\":\"A\"}],\
         \"r3\":[{\"id\":\"2\",\"name\":\"c\"}]}"
    );
    assert_eq!(file.read("SELECT name FROM stored"), "c!");
}

#[tokio::test]
async fn a_row_that_triggers_change_is_read_once_more() {
    let file = File::new(
        "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT, changes INTEGER DEFAULT 0);
         CREATE TABLE note (person INTEGER REFERENCES person (id), text TEXT);
         CREATE TRIGGER made AFTER INSERT ON person BEGIN
            UPDATE person SET name = upper(name) WHERE id = new.id;
            INSERT INTO note VALUES (new.id, 'made');
         END;
         CREATE TRIGGER changed AFTER UPDATE OF name ON person
            BEGIN UPDATE person SET changes = changes + 1 WHERE id = new.id; END;",
    );
    assert!(file.catalog[file.entity("person")].rewritten);
    assert!(!file.catalog[file.entity("note")].rewritten);
    assert!(file.catalog[file.entity("person")].triggered);
    assert!(!file.catalog[file.entity("note")].triggered);
    let mut mutation = Mutation::of(&file);
    let kind = insert(&file, "person", &[("name", text("a"))]);
    mutation.root("person", kind, true, &["id", "name", "changes"], true);
    let rename = WriteKind::Update(Update {
        filter: equal(&file, "person", "id", number(1)),
        assignments: vec![(file.field("person", "name"), Assignment::Set(text("b")))],
        at_most: None,
    });
    mutation.root("person", rename, true, &["name", "changes"], false);
    let filter = equal(&file, "person", "id", number(1));
    let delete = WriteKind::Delete { filter, at_most: None };
    mutation.root("note", insert(&file, "note", &[("text", text("c"))]), false, &["text"], false);
    let written = answer(&mutation.run().await);
    let expect = "{\"r0\":[{\"id\":\"1\",\"name\":\"A\",\"changes\":\"1\",\"notes\":\
                  [{\"text\":\"made\"}]}],\"r1\":[{\"name\":\"b\",\"changes\":\"2\"}],\
                  \"r2\":[{\"text\":\"c\"}]}";
    assert_eq!(written, expect);
    // What is gone cannot be read again.
    let mut mutation = Mutation::of(&file);
    let all = WriteKind::Delete { filter: Filter::all(), at_most: Some(number(2)) };
    mutation.root("note", all, true, &[], false);
    mutation.root("person", delete, true, &["name", "changes"], false);
    let written = answer(&mutation.run().await);
    assert_eq!(written, "{\"r0\":[{},{}],\"r1\":[{\"name\":\"b\",\"changes\":\"2\"}]}");
}

#[tokio::test]
async fn many_rows_are_changed_and_shown() {
    let file = File::new(
        "CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);
         WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
         INSERT INTO note SELECT i, 'note ' || i FROM n;",
    );
    let mut mutation = Mutation::of(&file);
    let all = WriteKind::Delete { filter: Filter::all(), at_most: Some(number(4_999)) };
    mutation.root("note", all, true, &["text"], false);
    let all = WriteKind::Delete { filter: Filter::all(), at_most: Some(number(5_000)) };
    mutation.root("note", all, true, &["text"], false);
    let written = mutation.run().await;
    assert_eq!(written.errors.len(), 1);
    let answer = String::from_utf8(written.data).unwrap();
    let shown: Vec<String> =
        (1..=5_000).map(|number| format!("{{\"text\":\"note {number}\"}}")).collect();
    assert_eq!(answer, format!("{{\"r0\":null,\"r1\":[{}]}}", shown.join(",")));
    assert_eq!(file.read("SELECT count(*) || '' FROM note"), "0");
}
