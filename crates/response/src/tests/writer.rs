//! The writer over rows in memory: whole answers and their errors.

#[path = "writer/memory.rs"]
mod memory;

use std::sync::Arc;

use self::memory::{Broken, Cell, Level, Memory};
use response::{
    Bounds, ColumnRef, Failure, Fields, Item, Layout, Leaf, LevelId, Node, NodeId, NotRead,
    OutputId, Piece, RowsId, Shape, ShapeField, Writer,
};
use response::{
    MemoryReservation, Output, Recorded, Segment, Sink, Stopped, Tape, TokenKind, TooLarge,
    WriteError,
};

/// A shape under construction, with its rows.
#[derive(Default)]
struct Answer {
    shape: Shape,
    layout: Layout,
    levels: Vec<Level>,
    failed: Vec<(usize, Broken)>,
    budget: Option<u64>,
}

impl Answer {
    /// A level whose rows belong to the rows of another one by their first column, or to the top.
    fn level(&mut self, rows: Vec<(i64, Vec<Cell>)>) -> RowsId {
        let level = LevelId(u16::try_from(self.levels.len()).expect("few levels"));
        self.levels.push(Level { rows, ..Level::default() });
        self.layout.rows.push(Some(level));
        RowsId(u32::from(level.0))
    }

    fn column(&mut self, column: u16) -> OutputId {
        self.output(ColumnRef::Column(column))
    }

    fn output(&mut self, place: ColumnRef) -> OutputId {
        let id = OutputId(u32::try_from(self.layout.outputs.len()).expect("few outputs"));
        self.layout.outputs.push(place);
        id
    }

    fn leaf(&mut self, column: u16, leaf: Leaf) -> NodeId {
        let output = self.column(column);
        self.shape.add(Node::Leaf { output, leaf })
    }

    fn fields(&mut self, fields: &[(&str, NodeId, bool)]) -> Fields {
        let fields =
            fields.iter().map(|(name, node, nullable)| ShapeField::new(name, *node, *nullable));
        self.shape.add_fields(fields.collect::<Vec<_>>())
    }

    fn object(&mut self, fields: &[(&str, NodeId, bool)]) -> NodeId {
        let fields = self.fields(fields);
        self.shape.add(Node::Object(fields))
    }

    fn list(&mut self, rows: RowsId, node: NodeId, nullable: bool) -> NodeId {
        self.shape.add(Node::List { rows, item: Item { node, nullable } })
    }

    fn root(&mut self, fields: &[(&str, NodeId, bool)]) {
        self.shape.root = Some(self.fields(fields));
    }

    /// Writes the response; on a tape it is the same.
    fn write(&mut self) -> Result<(String, Vec<String>), Stopped<Broken>> {
        const BEGIN: &[u8] = b"{\"data\":";
        let budget = self.budget.unwrap_or(1_000_000);
        let recorded = self.write_into(Tape::new(
            budget.saturating_sub(BEGIN.len() as u64),
            MemoryReservation::default(),
        ));
        self.levels.iter().for_each(|level| level.read.set(0));
        let written =
            self.write_into(Sink::new(BEGIN.to_vec(), budget, MemoryReservation::default()));
        assert_eq!(recorded.is_ok(), written.is_ok(), "{recorded:?} and {written:?}");
        match (recorded, &written) {
            (Ok((recorded, told)), Ok((written, errors))) => {
                let data = str::from_utf8(&written[BEGIN.len()..]).expect("an answer is UTF-8");
                assert_eq!(print(&recorded, &self.shape), data);
                assert_eq!((recorded.length, &told), (data.len() as u64, errors));
            }
            (recorded, written) => {
                let why = |stopped| std::mem::discriminant(stopped);
                assert_eq!(recorded.as_ref().err().map(why), written.as_ref().err().map(why));
            }
        }
        let (data, errors) = written?;
        Ok((String::from_utf8(data).expect("an answer is UTF-8"), errors))
    }

    fn write_into<O: Output>(&self, output: O) -> Result<(O::Data, Vec<String>), Stopped<Broken>> {
        let mut writer = Writer::new(&self.shape, &self.layout, output);
        for (field, error) in &self.failed {
            writer.fail_root(*field, *error);
        }
        let written = writer.write(&mut Memory::top(&self.levels))?;
        let errors = written.errors.iter().map(|error: &WriteError<Broken>| {
            let path = error.path.iter().map(|segment| match segment {
                Segment::Name(name) => name.to_string(),
                Segment::Index(index) => index.to_string(),
            });
            let message = match &error.failure {
                Failure::Leaf(error) => error.to_string(),
                Failure::Null => "null".to_owned(),
                Failure::Source(Broken(level)) => format!("level {level} is broken"),
                Failure::TooDeep(message) | Failure::Refused(message) => message.to_string(),
                Failure::NotRead(why) => format!("{why:?}"),
            };
            format!("{}: {message}", path.collect::<Vec<_>>().join("."))
        });
        let errors = errors.collect();
        Ok((written.data, errors))
    }

    #[track_caller]
    fn check(mut self, data: &str, errors: &[&str]) {
        let (written, found) = self.write().expect("the budget is large");
        assert_eq!(
            (written, found),
            (
                format!("{{\"data\":{data}"),
                errors.iter().map(|error| (*error).to_owned()).collect()
            )
        );
    }
}

/// The JSON of a tape.
fn print(recorded: &Recorded, shape: &Shape) -> String {
    let mut text = Vec::new();
    // For each open container: true for objects.
    let mut open: Vec<bool> = Vec::new();
    for token in &recorded.tokens {
        if token.kind == TokenKind::End {
            text.push(if open.pop() == Some(true) { b'}' } else { b']' });
            continue;
        }
        if !matches!(text.last(), None | Some(b'{' | b'[')) {
            text.push(b',');
        }
        if open.last() == Some(&true) {
            text.extend_from_slice(shape.fields[token.field as usize].key());
        }
        match token.kind {
            TokenKind::Null => text.extend_from_slice(b"null"),
            TokenKind::Leaf { first, start, end } => {
                let leaf = &recorded.texts[start as usize..end as usize];
                assert_eq!(leaf.first(), Some(&first));
                text.extend_from_slice(leaf);
            }
            TokenKind::Object => {
                text.push(b'{');
                open.push(true);
            }
            TokenKind::List => {
                text.push(b'[');
                open.push(false);
            }
            TokenKind::End => {}
        }
    }
    String::from_utf8(text).expect("an answer is UTF-8")
}

use Cell::{Integer, Null, Text};

fn artists() -> Vec<(i64, Vec<Cell>)> {
    vec![
        (0, vec![Integer(1), Text("AC/DC"), Text("Angus"), Integer(1973)]),
        (0, vec![Integer(2), Text("Accept"), Null, Null]),
        (0, vec![Integer(3), Text("Aerosmith"), Text("Joe"), Integer(1970)]),
    ]
}

fn albums() -> Vec<(i64, Vec<Cell>)> {
    vec![
        (1, vec![Integer(10), Text("Let There Be Rock")]),
        (3, vec![Integer(30), Text("Big Ones")]),
        (1, vec![Integer(11), Text("Powerage")]),
        (3, vec![Integer(31), Null]),
    ]
}

/// `{ artists { name albums { title } } }`, with a choice of nullability.
fn nested(artist_nullable: bool, albums_nullable: bool, album_nullable: bool) -> Answer {
    let mut answer = Answer::default();
    let artist_rows = answer.level(artists());
    let album_rows = answer.level(albums());
    let title = answer.leaf(1, Leaf::Text);
    let album = answer.object(&[("title", title, false)]);
    let album_list = answer.list(album_rows, album, album_nullable);
    let name = answer.leaf(1, Leaf::Text);
    let artist = answer.object(&[("name", name, true), ("albums", album_list, albums_nullable)]);
    let artist_list = answer.list(artist_rows, artist, artist_nullable);
    answer.root(&[("artists", artist_list, false)]);
    answer
}

#[test]
fn rows_are_written_below_the_row_they_belong_to() {
    let mut answer = nested(false, false, false);
    answer.levels[1].rows.pop();
    answer.check(
        concat!(
            r#"{"artists":[{"name":"AC/DC","albums":[{"title":"Let There Be Rock"},{"title":"Powerage"}]},"#,
            r#"{"name":"Accept","albums":[]},"#,
            r#"{"name":"Aerosmith","albums":[{"title":"Big Ones"}]}]}"#,
        ),
        &[],
    );
}

/// `{ artists { from albums { title } name } }` of three artists with one key.
fn alike(names: [Cell; 3], albums: Vec<(i64, Vec<Cell>)>) -> Answer {
    let mut answer = Answer::default();
    let from = ["A", "a city whose name is longer than a list of two albums", "B"];
    let artist_rows =
        std::array::from_fn::<_, 3, _>(|row| (0, vec![Integer(1), names[row], Text(from[row])]));
    let artist_rows = answer.level(artist_rows.into());
    let album_rows = answer.level(albums);
    let title = answer.leaf(1, Leaf::Text);
    let album = answer.object(&[("title", title, false)]);
    let album_list = answer.list(album_rows, album, true);
    let name = answer.leaf(1, Leaf::Text);
    let from = answer.leaf(2, Leaf::Text);
    let fields = [("from", from, true), ("albums", album_list, false), ("name", name, false)];
    let artist = answer.object(&fields);
    let artist_list = answer.list(artist_rows, artist, true);
    answer.root(&[("artists", artist_list, false)]);
    answer
}

/// The texts of the three artists.
fn alike_text(albums: &str) -> [String; 3] {
    let artist = |from, name| format!(r#"{{"from":"{from}","albums":{albums},"name":"{name}"}}"#);
    let city = "a city whose name is longer than a list of two albums";
    [artist("A", "x"), artist(city, "y"), artist("B", "z")]
}

#[test]
fn a_list_that_comes_again_is_read_once() {
    let two = vec![(1, vec![Integer(10), Text("a")]), (1, vec![Integer(11), Text("b")])];
    let expect = alike_text(r#"[{"title":"a"},{"title":"b"}]"#);
    let mut answer = alike([Text("x"), Text("y"), Text("z")], two.clone());
    let written = answer.write().expect("the budget is large").0;
    assert_eq!(written, format!(r#"{{"data":{{"artists":[{}]}}"#, expect.join(",")));
    assert_eq!(answer.levels[1].read.get(), 2);

    // A rolled-back list is not copied.
    let mut answer = alike([Null, Text("y"), Text("z")], two);
    let (written, errors) = answer.write().expect("the budget is large");
    assert_eq!(errors, ["artists.0.name: null"]);
    let expect = format!(r#"{{"data":{{"artists":[null,{},{}]}}"#, expect[1], expect[2]);
    assert_eq!(written, expect);
    assert_eq!(answer.levels[1].read.get(), 4);
}

#[test]
fn a_list_that_comes_again_has_its_errors_again() {
    let two = vec![(1, vec![Integer(10), Text("a")]), (1, vec![Integer(11), Null])];
    let expect = alike_text(r#"[{"title":"a"},null]"#);
    let errors = [0, 1, 2].map(|artist| format!("artists.{artist}.albums.1.title: null"));
    alike([Text("x"), Text("y"), Text("z")], two).check(
        &format!(r#"{{"artists":[{}]}}"#, expect.join(",")),
        &errors.each_ref().map(String::as_str),
    );
}

#[test]
fn a_list_that_comes_again_counts_for_the_budget() {
    let one = vec![(1, vec![Integer(10), Text("a title of forty letters, or just about")])];
    let mut answer = alike([Text("x"), Text("y"), Text("z")], one);
    answer.budget = Some(200);
    let stopped = answer.write().unwrap_err();
    assert!(matches!(stopped, Stopped::TooLarge(TooLarge::Answer { budget: 200 })));
}

#[test]
fn an_element_that_fails_its_list_is_named_and_the_list_is_null() {
    let check = |nullable, data, path| {
        let mut answer = Answer::default();
        let rows = answer.level(vec![(0, vec![Integer(1), Cell::Packed(b"\x92\x01\x81a")])]);
        let years = answer.leaf(1, Leaf::List(Box::new(Leaf::Date)));
        let movie = answer.object(&[("years", years, nullable)]);
        let movies = answer.list(rows, movie, true);
        answer.root(&[("movies", movies, false)]);
        let message = "Date cannot represent a value that is not a date: 1";
        answer.check(data, &[&[path, ": ", message].concat()]);
    };
    check(true, r#"{"movies":[{"years":null}]}"#, "movies.0.years.0");
    check(false, r#"{"movies":[null]}"#, "movies.0.years.0");
}

const FIRST_TWO: &str = concat!(
    r#"{"name":"AC/DC","albums":[{"title":"Let There Be Rock"},{"title":"Powerage"}]},"#,
    r#"{"name":"Accept","albums":[]},"#,
);

#[test]
fn a_forbidden_null_makes_the_nearest_nullable_position_null() {
    let error = "artists.2.albums.1.title: null";
    nested(true, true, true).check(
        &format!(r#"{{"artists":[{FIRST_TWO}{{"name":"Aerosmith","albums":[{{"title":"Big Ones"}},null]}}]}}"#),
        &[error],
    );
    nested(true, true, false).check(
        &format!(r#"{{"artists":[{FIRST_TWO}{{"name":"Aerosmith","albums":null}}]}}"#),
        &[error],
    );
    nested(true, false, false).check(&format!(r#"{{"artists":[{FIRST_TWO}null]}}"#), &[error]);
    nested(false, false, false).check("null", &[error]);
}

#[test]
fn a_null_item_is_an_error_at_its_index() {
    let build = |nullable| {
        let mut answer = Answer::default();
        let rows = answer.level(artists());
        let since = answer.leaf(3, Leaf::Int);
        let list = answer.list(rows, since, nullable);
        answer.root(&[("years", list, true)]);
        answer
    };
    build(true).check(r#"{"years":[1973,null,1970]}"#, &[]);
    build(false).check(r#"{"years":null}"#, &["years.1: null"]);
}

#[test]
fn a_value_that_cannot_be_written_is_an_error_at_its_path() {
    let build = |nullable| {
        let mut answer = Answer::default();
        let rows = answer.level(artists());
        let id = answer.leaf(0, Leaf::Int);
        let name = answer.leaf(1, Leaf::Date);
        let artist = answer.object(&[("id", id, false), ("name", name, nullable)]);
        let list = answer.list(rows, artist, true);
        answer.root(&[("all", list, true)]);
        answer.levels[0].rows[1].1[1] = Text("2020-02-29");
        answer
    };
    let errors = [
        "all.0.name: Date cannot represent a value that is not a date: \"AC/DC\"",
        "all.2.name: Date cannot represent a value that is not a date: \"Aerosmith\"",
    ];
    build(true).check(
        r#"{"all":[{"id":1,"name":null},{"id":2,"name":"2020-02-29"},{"id":3,"name":null}]}"#,
        &errors,
    );
    build(false).check(r#"{"all":[null,{"id":2,"name":"2020-02-29"},null]}"#, &errors);
}

#[test]
fn json_null_in_a_position_that_must_not_be_null_is_an_error() {
    let mut answer = Answer::default();
    let rows = answer.level(vec![(0, vec![Text(" null ")]), (0, vec![Text("1")])]);
    let json = answer.leaf(0, Leaf::Json(response::JsonForm::Embedded));
    let list = answer.list(rows, json, false);
    answer.root(&[("all", list, true)]);
    answer.check(r#"{"all":null}"#, &["all.0: null"]);
}

#[test]
fn a_joined_object_is_null_where_its_marker_is() {
    let mut answer = Answer::default();
    let rows = answer.level(artists());
    let present = answer.column(2);
    let name = answer.leaf(2, Leaf::Text);
    let since = answer.leaf(3, Leaf::Int);
    let fields = answer.fields(&[("name", name, false), ("since", since, true)]);
    let leader = answer.shape.add(Node::Joined { present, fields });
    let literal = answer.shape.add(Node::Literal(b"\"Artist\"".as_slice().into()));
    let artist = answer.object(&[("__typename", literal, false), ("leader", leader, true)]);
    let list = answer.list(rows, artist, false);
    answer.root(&[("all", list, true)]);
    answer.check(
        concat!(
            r#"{"all":[{"__typename":"Artist","leader":{"name":"Angus","since":1973}},"#,
            r#"{"__typename":"Artist","leader":null},"#,
            r#"{"__typename":"Artist","leader":{"name":"Joe","since":1970}}]}"#,
        ),
        &[],
    );
}

#[test]
fn a_node_is_null_where_its_marker_is() {
    let mut answer = Answer::default();
    let rows = answer.level(artists());
    let present = answer.column(2);
    let since = answer.leaf(3, Leaf::Int);
    let since = answer.shape.add(Node::Only(response::Item { node: since, nullable: true }));
    let since = answer.shape.add(Node::Present { present, node: since });
    let artist = answer.object(&[("since", since, true)]);
    let list = answer.list(rows, artist, false);
    answer.root(&[("all", list, true)]);
    answer.check(r#"{"all":[{"since":[1973]},{"since":null},{"since":[1970]}]}"#, &[]);
}

#[test]
fn a_single_row_is_an_object_or_null() {
    let mut answer = Answer::default();
    let found = answer.level(artists());
    let missing = answer.level(Vec::new());
    let name = answer.leaf(1, Leaf::Text);
    let artist = answer.object(&[("name", name, true)]);
    let found = answer.shape.add(Node::Single { rows: found, node: artist });
    let missing = answer.shape.add(Node::Single { rows: missing, node: artist });
    answer.root(&[("found", found, true), ("missing", missing, true)]);
    answer.check(r#"{"found":{"name":"AC/DC"},"missing":null}"#, &[]);
}

/// `["artists",ID]` and `["natural",NUMBER]` in base64.
fn base64(answer: &mut Answer) -> (NodeId, NodeId) {
    let literal = |text: &str| Piece::Literal(text.as_bytes().into());
    let output = answer.column(0);
    let id = Piece::Leaf { output, leaf: Leaf::Int };
    let name = Piece::Leaf { output: answer.column(2), leaf: Leaf::Text };
    let pieces = vec![literal("[\"artists\","), id, literal(","), name, literal("]")];
    let id = answer.shape.add(Node::Base64(pieces));
    let pieces = vec![literal("[\"natural\","), Piece::RowNumber, literal("]")];
    (id, answer.shape.add(Node::Base64(pieces)))
}

#[test]
fn pieces_are_written_in_base64() {
    let mut answer = Answer::default();
    let rows = answer.level(artists());
    answer.levels[0].bounds.offset = 8;
    let (id, cursor) = base64(&mut answer);
    let artist = answer.object(&[("id", id, false), ("cursor", cursor, false)]);
    let list = answer.list(rows, artist, false);
    answer.root(&[("all", list, true)]);
    answer.check(
        concat!(
            // ["artists",1,"Angus"] ["natural",9], ["artists",2,null] ["natural",10] and so on.
            r#"{"all":[{"id":"WyJhcnRpc3RzIiwxLCJBbmd1cyJd","cursor":"WyJuYXR1cmFsIiw5XQ=="},"#,
            r#"{"id":"WyJhcnRpc3RzIiwyLG51bGxd","cursor":"WyJuYXR1cmFsIiwxMF0="},"#,
            r#"{"id":"WyJhcnRpc3RzIiwzLCJKb2UiXQ==","cursor":"WyJuYXR1cmFsIiwxMV0="}]}"#,
        ),
        &[],
    );
}

#[test]
fn a_text_of_a_value_is_in_base64_without_marks_and_null_without_a_value() {
    let mut answer = Answer::default();
    let rows = answer.level(artists());
    let output = answer.column(2);
    let pieces = vec![
        Piece::Literal(b"Artist:since:".as_slice().into()),
        Piece::Text { output, leaf: Leaf::Text },
    ];
    let id = answer.shape.add(Node::Base64(pieces));
    let artist = answer.object(&[("id", id, true)]);
    let list = answer.list(rows, artist, false);
    answer.root(&[("all", list, true)]);
    answer.check(
        concat!(
            // Artist:since:Angus, none, Artist:since:Joe
            r#"{"all":[{"id":"QXJ0aXN0OnNpbmNlOkFuZ3Vz"},{"id":null},"#,
            r#"{"id":"QXJ0aXN0OnNpbmNlOkpvZQ=="}]}"#,
        ),
        &[],
    );
}

#[test]
fn a_piece_that_cannot_be_written_fails_the_text() {
    let mut answer = Answer::default();
    let rows = answer.level(artists());
    let output = answer.column(1);
    let piece = Piece::Leaf { output, leaf: Leaf::Int };
    let node = answer.shape.add(Node::Base64(vec![piece]));
    let single = answer.shape.add(Node::Single { rows, node });
    answer.root(&[("id", single, true)]);
    answer.check(r#"{"id":null}"#, &["id: Int cannot represent a non-integer value: \"AC/DC\""]);
}

#[test]
fn edges_are_the_first_and_the_last_row() {
    let build = |rows| {
        let mut answer = Answer::default();
        let rows = answer.level(rows);
        let id = answer.leaf(0, Leaf::Int);
        let first = answer.shape.add(Node::Edge { rows, last: false, node: id });
        let last = answer.shape.add(Node::Edge { rows, last: true, node: id });
        answer.root(&[("first", first, true), ("last", last, true)]);
        answer
    };
    build(artists()).check(r#"{"first":1,"last":3}"#, &[]);
    build(Vec::new()).check(r#"{"first":null,"last":null}"#, &[]);
}

#[test]
fn rows_before_the_last_one_leave_no_errors() {
    let mut answer = Answer::default();
    let rows = answer.level(vec![(0, vec![Text("x")]), (0, vec![Text("2")])]);
    let id = answer.leaf(0, Leaf::Int);
    let last = answer.shape.add(Node::Edge { rows, last: true, node: id });
    answer.root(&[("last", last, true)]);
    answer.check(r#"{"last":2}"#, &[]);
}

#[test]
fn counts_come_from_a_column_or_from_a_level_of_their_own() {
    let mut answer = Answer::default();
    let rows = answer.level(artists());
    let counts = answer.level(vec![(1, vec![Text("12")]), (2, vec![Integer(3_000_000_000)])]);
    let level = LevelId(u16::try_from(counts.0).unwrap());
    let output = answer.output(ColumnRef::Level(level));
    let own = answer.shape.add(Node::Count { output });
    let output = answer.column(3);
    let column = answer.shape.add(Node::Count { output });
    let artist = answer.object(&[("own", own, true), ("column", column, true)]);
    let list = answer.list(rows, artist, true);
    answer.root(&[("all", list, true)]);
    answer.check(
        r#"{"all":[{"own":12,"column":1973},{"own":null,"column":null},{"own":0,"column":1970}]}"#,
        &["all.1.own: Int cannot represent a value beyond 32 bits: 3000000000"],
    );
}

#[test]
fn aggregates_are_there_without_a_row() {
    let mut answer = Answer::default();
    let rows = answer.level(artists());
    let sums = answer.level(vec![(1, vec![Text("12"), Null]), (2, vec![Text("x"), Null])]);
    let output = answer.output(ColumnRef::Level(LevelId(u16::try_from(sums.0).unwrap())));
    let sum = answer.leaf(0, Leaf::Int);
    let counted = answer.column(1);
    let absent = b"0".as_slice().into();
    let count = answer.shape.add(Node::LeafOr { output: counted, leaf: Leaf::Int, absent });
    let fields = answer.fields(&[("sum", sum, true), ("count", count, false)]);
    let aggregate = answer.shape.add(Node::Aggregate { output, fields });
    let artist = answer.object(&[("aggregate", aggregate, true)]);
    let list = answer.list(rows, artist, true);
    answer.root(&[("all", list, true)]);
    answer.check(
        r#"{"all":[{"aggregate":{"sum":12,"count":0}},{"aggregate":{"sum":null,"count":0}},{"aggregate":{"sum":null,"count":0}}]}"#,
        &["all.1.aggregate.sum: Int cannot represent a non-integer value: \"x\""],
    );
}

#[test]
fn groups_show_their_keys_none_of_which_may_be_null() {
    let mut answer = Answer::default();
    let groups = vec![(0, vec![Text("a"), Text("1")]), (0, vec![Null, Text("2")])];
    let groups = answer.level(groups);
    let output = answer.output(ColumnRef::Level(LevelId(u16::try_from(groups.0).unwrap())));
    let (first, second) = (answer.column(0), answer.column(1));
    let leaves = vec![(first, Leaf::Text), (second, Leaf::Text)];
    let keys = answer.shape.add(Node::Leaves(leaves));
    let group = answer.object(&[("keys", keys, true)]);
    let item = Item { node: group, nullable: false };
    let groups = answer.shape.add(Node::Groups { output, item });
    answer.root(&[("groups", groups, true)]);
    answer.check(r#"{"groups":[{"keys":["a","1"]},{"keys":null}]}"#, &["groups.1.keys.0: null"]);
}

#[test]
fn a_field_that_goes_too_deep_or_is_refused_says_so() {
    let mut answer = Answer::default();
    let deep = answer.shape.add(Node::TooDeep("too deep".into()));
    let one = answer.shape.add(Node::Literal(b"1".as_slice().into()));
    let only = answer.shape.add(Node::Only(Item { node: one, nullable: false }));
    let refused = answer.shape.add(Node::Refused("no".into()));
    answer.root(&[("deep", deep, true), ("only", only, true), ("refused", refused, true)]);
    answer.check(r#"{"deep":null,"only":[1],"refused":null}"#, &["deep: too deep", "refused: no"]);
}

#[test]
fn what_was_not_read_is_null_everywhere_and_told_once() {
    let build = |nullable| {
        let mut answer = Answer::default();
        let rows = answer.level(artists());
        let (id, name) = (answer.column(0), answer.column(1));
        let id = answer.shape.add(Node::Leaf { output: id, leaf: Leaf::Text });
        let hidden = answer.shape.add(Node::Leaf { output: name, leaf: Leaf::Text });
        let artist = answer.object(&[("id", id, false), ("name", hidden, nullable)]);
        let item = Item { node: artist, nullable: true };
        let list = answer.shape.add(Node::List { rows, item });
        let length = answer.shape.add(Node::Length { rows });
        answer.root(&[("artists", list, true), ("number", length, true)]);
        let why = Arc::new(NotRead::Undone);
        answer.shape.mark_not_read(|node| match node {
            Node::Leaf { output, .. } if *output == name => Some(&why),
            _ => None,
        });
        answer
    };
    let told = ["artists.0.name: Undone"];
    build(false).check(r#"{"artists":[null,null,null],"number":3}"#, &told);
    let members = r#"{"artists":[{"id":"1","name":null},{"id":"2","name":null},{"id":"3","name":null}],"number":3}"#;
    build(true).check(members, &told);
    let mut without = build(true);
    without.shape.mark_root_not_read(0, &Arc::new(NotRead::Undone));
    without.check(r#"{"artists":null,"number":3}"#, &["artists: Undone"]);
}

/// Errors of rows before the last one are discarded, so that the last one reports them.
#[test]
fn what_was_not_read_of_the_last_row_is_told_once_for_each_name() {
    let mut answer = Answer::default();
    let rows = answer.level(artists());
    let names: Vec<String> = (0..130).map(|number| format!("n{number}")).collect();
    let why = Arc::new(NotRead::Undone);
    let mut hidden = Vec::new();
    for name in &names {
        hidden.push((name.as_str(), answer.shape.add(Node::NotRead(Arc::clone(&why))), true));
    }
    let artist = answer.object(&hidden);
    let last = answer.shape.add(Node::Edge { rows, last: true, node: artist });
    let list = answer.list(rows, artist, true);
    answer.root(&[("last", last, true), ("all", list, true)]);
    let (data, errors) = answer.write().expect("the budget is large");
    assert_eq!(data.matches("null").count(), 4 * names.len());
    let expected: Vec<String> = names.iter().map(|name| format!("last.{name}: Undone")).collect();
    assert_eq!(errors, expected);
}

#[test]
fn pages_know_whether_rows_stand_around_them() {
    let build = |bounds, has_more| {
        let mut answer = Answer::default();
        let rows = answer.level(artists());
        answer.levels[0].bounds = bounds;
        answer.levels[0].has_more = has_more;
        let next = answer.shape.add(Node::HasMore { rows });
        let previous = answer.shape.add(Node::HasOutside { rows, beyond_cursor: false });
        let info =
            answer.object(&[("hasNextPage", next, false), ("hasPreviousPage", previous, false)]);
        answer.root(&[("pageInfo", info, false)]);
        answer
    };
    let expect = |next: bool, previous: bool| {
        format!(r#"{{"pageInfo":{{"hasNextPage":{next},"hasPreviousPage":{previous}}}}}"#)
    };
    build(Bounds::default(), false).check(&expect(false, false), &[]);
    build(Bounds { limit: Some(3), offset: 0 }, true).check(&expect(true, false), &[]);
    build(Bounds { limit: Some(3), offset: 2 }, false).check(&expect(false, true), &[]);
    build(Bounds { limit: None, offset: 2 }, false).check(&expect(false, true), &[]);
    build(Bounds { limit: Some(0), offset: 2 }, false).check(&expect(false, false), &[]);
}

#[test]
fn a_root_field_that_failed_before_is_null_or_the_end() {
    let build = |nullable| {
        let mut answer = Answer::default();
        let rows = answer.level(artists());
        let id = answer.leaf(0, Leaf::Int);
        let list = answer.list(rows, id, false);
        answer.root(&[("a", list, false), ("b", list, nullable), ("c", list, false)]);
        answer.failed.push((1, Broken(7)));
        answer
    };
    build(true).check(r#"{"a":[1,2,3],"b":null,"c":[1,2,3]}"#, &["b: level 7 is broken"]);
    build(false).check("null", &["b: level 7 is broken"]);
}

#[test]
fn a_row_that_cannot_be_read_is_an_error_at_its_list() {
    let mut answer = nested(false, true, false);
    answer.levels[1].broken_at = Some(1);
    answer.check(
        concat!(
            r#"{"artists":[{"name":"AC/DC","albums":null},{"name":"Accept","albums":[]},"#,
            r#"{"name":"Aerosmith","albums":null}]}"#,
        ),
        &["artists.0.albums: level 1 is broken", "artists.2.albums: level 1 is broken"],
    );
    let mut answer = nested(false, true, false);
    answer.levels[0].broken_at = Some(2);
    answer.levels[1].rows.clear();
    answer.check("null", &["artists: level 0 is broken"]);
}

#[test]
fn a_level_that_is_not_there_is_null() {
    let mut answer = nested(true, true, true);
    answer.layout.rows[1] = None;
    answer.check(
        concat!(
            r#"{"artists":[{"name":"AC/DC","albums":null},{"name":"Accept","albums":null},"#,
            r#"{"name":"Aerosmith","albums":null}]}"#,
        ),
        &[],
    );
}

#[test]
fn an_answer_beyond_its_budget_is_refused() {
    let length = |mut answer: Answer| answer.write().unwrap().0.len();
    let exact = length(nested(true, true, true)) as u64;
    let mut answer = nested(true, true, true);
    answer.budget = Some(exact);
    assert_eq!(length(answer) as u64, exact);
    for budget in [0, 20, 60, exact - 1] {
        let mut answer = nested(true, true, true);
        answer.budget = Some(budget);
        let stopped = answer.write().unwrap_err();
        assert!(
            matches!(stopped, Stopped::TooLarge(error) if error == TooLarge::Answer { budget })
        );
    }
}

#[test]
fn what_is_wrong_deep_in_a_row_of_plain_values_is_told_with_its_place() {
    let rows = [1, i64::MAX, 3].map(|number| (0, vec![Integer(number), Text("x")]));
    let check = |inner_nullable: bool, second: &str| {
        let mut answer = Answer::default();
        let level = answer.level(rows.to_vec());
        let number = answer.leaf(0, Leaf::Int);
        let fields = answer.fields(&[("number", number, false)]);
        let present = answer.column(1);
        let inner = answer.shape.add(Node::Joined { present, fields });
        let name = answer.leaf(1, Leaf::Text);
        let row = answer.object(&[("name", name, false), ("inner", inner, inner_nullable)]);
        let list = answer.list(level, row, true);
        answer.root(&[("rows", list, false)]);
        let row = |number| format!(r#"{{"name":"x","inner":{{"number":{number}}}}}"#);
        let error = "rows.1.inner.number: Int cannot represent a value beyond 32 bits: \
                     9223372036854775807";
        answer.check(&format!(r#"{{"rows":[{},{second},{}]}}"#, row(1), row(3)), &[error]);
    };
    check(false, "null");
    check(true, r#"{"name":"x","inner":null}"#);
}

#[test]
fn a_list_without_a_limit_has_no_more_rows_unless_it_gets_one() {
    let build = |is_limited: bool| {
        let mut answer = Answer::default();
        let rows = answer.level(artists());
        answer.levels[0].has_more = true;
        let next = answer.shape.add(Node::NoMore { rows });
        answer.root(&[("hasNextPage", next, false)]);
        answer.shape.limit(|own| is_limited && own == rows);
        answer
    };
    build(false).check(r#"{"hasNextPage":false}"#, &[]);
    build(true).check(r#"{"hasNextPage":true}"#, &[]);
}
