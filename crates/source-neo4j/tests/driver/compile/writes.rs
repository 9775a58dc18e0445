//! Requests that change something.

use catalog::FieldId;
use expect_test::expect;
use ir::{
    Assignment, ChildWrite, Conflict, Counter, ExistingLink, ExpectedLinks, Filter, From, Hop,
    Insert, InsertedRows, Isolation, NewId, Operand, Otherwise, OtherwiseKind, OutputKind, Request,
    Rows, State, StepId, StepKind, Update, Write, WriteKind,
};

use super::model::{Case, Movies, ascending, backward, operand, output, related, request, rows};

const STEP: StepId = StepId(0);

fn changed(id: u32, outputs: Vec<ir::Output>) -> Rows {
    rows(id, From::Returned { step: STEP, state: State::After }, outputs)
}

fn counted(id: u32, counters: &[(u32, Counter)]) -> Rows {
    let counter = |(id, counter): &(u32, Counter)| {
        output(*id, OutputKind::Counter { step: STEP, counter: *counter })
    };
    Rows { single: true, ..rows(id, From::Once, counters.iter().map(counter).collect()) }
}

fn change(write: Write, reads: Vec<Rows>) -> Request {
    let mut steps = vec![StepKind::Write(write)];
    steps.extend(reads.into_iter().map(StepKind::Read));
    request(steps, Isolation::ReadCommitted)
}

fn insert(movies: &Movies, names: &[&str], rows: Vec<Vec<Option<Operand>>>) -> WriteKind {
    let fields = names.iter().map(|name| movies.field(name)).collect();
    WriteKind::Insert(Insert { fields, rows: InsertedRows::Each(rows) })
}

fn update(filter: Filter, assignments: Vec<(FieldId, Assignment)>) -> WriteKind {
    WriteKind::Update(Update { filter, assignments, at_most: None })
}

fn child(hop: Hop, parents: &[u32], write: Write) -> ChildWrite {
    ChildWrite { hop, parents: parents.to_vec(), write, edge: Vec::new() }
}

pub(crate) fn cases(movies: &Movies) -> Vec<Case> {
    let of_movie =
        |kind, children| Write { entity: movies.movie, kind, children, check: ir::Filter::all() };
    let of_person =
        |kind, children| Write { entity: movies.person, kind, children, check: ir::Filter::all() };
    let id = || Some(Operand::NewId(NewId::Uuid));
    let given = |slot| Some(operand(slot));
    let title = |id| movies.output(id, "Movie.title");
    let role = |slot| {
        let field = movies.field("ActedIn.role");
        vec![(field, Assignment::Set(operand(slot)))]
    };
    let one = || insert(movies, &["Movie.id", "Movie.title"], vec![vec![id(), given(0)]]);
    let two = || {
        let names = ["Movie.id", "Movie.title", "Movie.made"];
        let rows =
            vec![vec![id(), given(0), Some(Operand::Now)], vec![id(), None, Some(Operand::Now)]];
        insert(movies, &names, rows)
    };
    let person =
        |slot| of_person(insert(movies, &["Person.name"], vec![vec![given(slot)]]), Vec::new());
    let named = |slot| movies.equal("Person.name", slot);
    let counters = || counted(1, &[(1, Counter::RowsInserted), (2, Counter::LinksCreated)]);
    let actors = || {
        let names = vec![movies.output(3, "Person.name")];
        related(4, Rows { once: true, ..rows(2, From::Relation(movies.actors()), names) })
    };
    let nested = {
        let with_role = |mut child: ChildWrite, slot| {
            child.edge = role(slot);
            child
        };
        let known = child(backward(movies.knows), &[], person(6));
        let friend = Write { children: vec![known], ..person(5) };
        let connect = of_person(
            WriteKind::Link { filter: named(7), existing: ExistingLink::Link },
            Vec::new(),
        );
        of_movie(
            two(),
            vec![
                with_role(child(movies.actors(), &[0], person(1)), 2),
                with_role(child(movies.actors(), &[1], person(3)), 4),
                child(backward(movies.directed), &[1], friend),
                with_role(child(movies.actors(), &[0], connect), 8),
            ],
        )
    };
    let assign = |name, assignment| (movies.field(name), assignment);
    let assignments = || {
        vec![
            assign("Movie.title", Assignment::Set(operand(0))),
            assign("Movie.released", Assignment::Add(operand(1))),
            assign("Movie.rating", Assignment::Divide(operand(2))),
            assign("Movie.tags", Assignment::Push(operand(3))),
            assign("Movie.tags", Assignment::Pop(operand(4))),
        ]
    };
    let along = {
        let hop = movies.actors();
        let renamed = vec![assign("Person.name", Assignment::Set(operand(1)))];
        let mut change = child(hop, &[], of_person(update(named(0), renamed), Vec::new()));
        change.edge = role(2);
        let of_friends = child(
            backward(movies.knows),
            &[],
            of_person(WriteKind::Unlink { filter: Filter::all() }, Vec::new()),
        );
        let disconnect = of_person(WriteKind::Unlink { filter: named(3) }, vec![of_friends]);
        let mut connect = child(
            hop,
            &[],
            of_person(
                WriteKind::Link { filter: named(4), existing: ExistingLink::Link },
                Vec::new(),
            ),
        );
        connect.edge = role(5);
        let delete = of_person(WriteKind::Delete { filter: named(6), at_most: None }, Vec::new());
        of_movie(
            update(movies.equal("Movie.id", 7), Vec::new()),
            vec![
                change,
                child(hop, &[], disconnect),
                connect,
                child(hop, &[], person(8)),
                child(hop, &[], delete),
            ],
        )
    };
    let once = {
        let hop = movies.actors();
        let no = |message: &str| Otherwise::new(OtherwiseKind::Invalid, message);
        let person_by = |kind, children| child(hop, &[], of_person(kind, children));
        let link = |slot, existing| WriteKind::Link { filter: named(slot), existing };
        let expect = |links| {
            let kind = WriteKind::Expect { links, otherwise: no("one") };
            child(backward(movies.directed), &[], of_person(kind, Vec::new()))
        };
        let mut keep = person_by(link(0, ExistingLink::Keep), Vec::new());
        keep.edge = role(1);
        let plain = person_by(link(0, ExistingLink::Keep), Vec::new());
        let mut refuse = person_by(link(2, ExistingLink::Refuse(no("again"))), Vec::new());
        refuse.edge = role(3);
        let fields = ["Person.name", "Person.name", "Person.born"].map(|name| movies.field(name));
        let insert = Insert {
            fields: fields.to_vec(),
            rows: InsertedRows::each(vec![vec![operand(4), operand(5), operand(6)]]),
        };
        let key = vec![movies.field("Person.name")];
        let conflict = Conflict { key, assignments: Vec::new(), filter: Filter::all() };
        let mut create = person_by(WriteKind::LinkOrInsert { insert, conflict }, Vec::new());
        create.edge = role(7);
        of_movie(
            update(Filter::all(), Vec::new()),
            vec![
                keep,
                plain,
                refuse,
                create,
                expect(ExpectedLinks::One),
                expect(ExpectedLinks::OneOrNone),
                expect(ExpectedLinks::None),
            ],
        )
    };
    let deletion = {
        let films = child(
            movies.movies(),
            &[],
            of_movie(WriteKind::Delete { filter: Filter::all(), at_most: None }, Vec::new()),
        );
        let people = of_person(WriteKind::Delete { filter: named(1), at_most: None }, vec![films]);
        let filter = movies.equal("Movie.id", 0);
        of_movie(
            WriteKind::Delete { filter, at_most: None },
            vec![child(movies.actors(), &[], people)],
        )
    };
    let delete_all =
        || of_movie(WriteKind::Delete { filter: Filter::all(), at_most: None }, Vec::new());
    let gone = || counted(0, &[(0, Counter::RowsDeleted), (1, Counter::LinksDeleted)]);
    let case = |name, request, expect| Case { name, request, expect };
    vec![
        case(
            "one",
            change(
                of_movie(one(), Vec::new()),
                vec![counters(), changed(0, vec![title(0), actors()])],
            ),
            expect![[r#"
                CREATE (t0:`Movie` {`id`: randomUUID(), `title`: $p0}) WITH t0 CALL (t0) { MATCH (t0)<-[:`ACTED_IN`]-(t1:`Person`) WITH DISTINCT t1 RETURN collect([t1.`name`]) AS c0 } RETURN t0.`title` AS c1, c0
                p0: $0 Text
                level 0: Summary { statement: 0 }, 2 wide
                level 1: Records { statement: 0 }, 2 wide
                level 2: InRow { column: 1 }, 1 wide
                rows 0: level 1
                rows 1: level 0
                rows 2: level 2
                #0 column 0, #1 column 0, #2 column 1, #3 column 0
            "#]],
        ),
        case(
            "several",
            change(of_movie(two(), Vec::new()), vec![changed(0, vec![title(0)])]),
            expect![[r#"
                UNWIND $p0 AS x0 CREATE (t0:`Movie` {`id`: randomUUID(), `title`: x0.`v1`, `made`: datetime()}) WITH t0 RETURN t0.`title` AS c0
                p0: [{v1: $0}, {}] List(Row([("v1", Text)]))
                level 0: Records { statement: 0 }, 1 wide
                rows 0: level 0
                #0 column 0
            "#]],
        ),
        case(
            "read twice, sorted once",
            change(
                of_movie(two(), Vec::new()),
                vec![
                    changed(0, vec![title(0)]),
                    Rows {
                        order: vec![ascending(movies.place("Movie.title"))],
                        ..changed(3, vec![movies.output(5, "Movie.id")])
                    },
                ],
            ),
            expect![[r#"
                UNWIND $p0 AS x0 CREATE (t0:`Movie` {`id`: randomUUID(), `title`: x0.`v1`, `made`: datetime()}) WITH collect(t0) AS c0 CALL (c0) { UNWIND c0 AS t1 RETURN collect([t1.`title`]) AS c1 } CALL (c0) { UNWIND c0 AS t2 WITH t2 ORDER BY t2.`title` RETURN collect([t2.`id`]) AS c2 } RETURN c1, c2
                p0: [{v1: $0}, {}] List(Row([("v1", Text)]))
                level 0: InRecord { statement: 0, column: 0 }, 1 wide
                level 1: InRecord { statement: 0, column: 1 }, 1 wide
                rows 0: level 0
                rows 3: level 1
                #0 column 0, #5 column 0
            "#]],
        ),
        case(
            "with others",
            change(nested, vec![counters(), changed(0, vec![title(0), actors()])]),
            expect![[r#"
                UNWIND $p0 AS x0 CREATE (t0:`Movie` {`id`: randomUUID(), `title`: x0.`v1`, `made`: datetime()}) WITH collect(t0) AS c0 CALL (c0) { UNWIND $p1 AS x1 WITH x1, c0[x1.`v2`] AS t1 CREATE (t1)<-[:`ACTED_IN` {`role`: x1.`v1`}]-(t2:`Person` {`name`: x1.`v0`}) } CALL (c0) { WITH c0[$p3] AS t3 CREATE (t3)<-[:`DIRECTED`]-(t4:`Person` {`name`: $p2}) RETURN collect(t4) AS c1 } CALL (c1) { UNWIND c1 AS t5 CREATE (t5)-[:`KNOWS`]->(t6:`Person` {`name`: $p4}) } CALL (c0) { UNWIND $p5 AS x2 WITH c0[x2] AS t7 MATCH (t8:`Person`) WHERE t8.`name` = $p6 CREATE (t7)<-[:`ACTED_IN` {`role`: $p7}]-(t8) } UNWIND c0 AS t9 CALL (t9) { MATCH (t9)<-[:`ACTED_IN`]-(t10:`Person`) WITH DISTINCT t10 RETURN collect([t10.`name`]) AS c2 } RETURN t9.`title` AS c3, c2
                p0: [{v1: $0}, {}] List(Row([("v1", Text)]))
                p1: [{v0: $1, v1: $2, v2: 0}, {v0: $3, v1: $4, v2: 1}] List(Row([("v0", Text), ("v1", Text), ("v2", Integer)]))
                p2: $5 Text
                p3: 1 Integer
                p4: $6 Text
                p5: Constant(List([Integer(0)])) List(Integer)
                p6: $7 Text
                p7: $8 Text
                level 0: Summary { statement: 0 }, 2 wide
                level 1: Records { statement: 0 }, 2 wide
                level 2: InRow { column: 1 }, 1 wide
                rows 0: level 1
                rows 1: level 0
                rows 2: level 2
                #0 column 0, #1 column 0, #2 column 1, #3 column 0
            "#]],
        ),
        case(
            "update",
            change(
                of_movie(update(Filter::all(), assignments()), Vec::new()),
                vec![changed(0, vec![title(0)])],
            ),
            expect![[r#"
                MATCH (t0:`Movie`) SET t0.`title` = $p0, t0.`released` = CASE WHEN t0.`released` IS NULL THEN datetime($p2) WHEN NOT (t0.`released` + $p1 >= 0 - 2147483648 AND t0.`released` + $p1 <= 2147483647) THEN datetime($p3) ELSE t0.`released` + $p1 END, t0.`rating` = CASE WHEN $p4 = 0 THEN datetime($p5) WHEN t0.`rating` IS NULL THEN datetime($p2) WHEN NOT (t0.`rating` / $p4 >= 0 - $p6 AND t0.`rating` / $p4 <= $p6) THEN datetime($p3) ELSE t0.`rating` / $p4 END, t0.`tags` = CASE WHEN t0.`tags` IS NULL THEN datetime($p8) ELSE t0.`tags` + $p7 END, t0.`tags` = CASE WHEN t0.`tags` IS NULL THEN datetime($p8) ELSE t0.`tags`[0..0 - $p9] END WITH t0 RETURN t0.`title` AS c0
                p0: $0 Text
                p1: $1 Integer
                p2: Constant(Text("thalweg:invalid:A property that a node does not have cannot be computed with: the result is NaN.")) Text
                p3: Constant(Text("thalweg:invalid:Overflow: a result is out of the range of its type.")) Text
                p4: $2 Float
                p5: Constant(Text("thalweg:invalid:Division by zero is not supported.")) Text
                p6: Constant(Number("1.7976931348623157e308")) Float
                p7: $3 List(Text)
                p8: Constant(Text("thalweg:invalid:Properties tags, tags cannot be NULL")) Text
                p9: $4 Integer
                level 0: Records { statement: 0 }, 1 wide
                rows 0: level 0
                #0 column 0
            "#]],
        ),
        case(
            "update of nothing",
            change(of_movie(update(Filter::all(), Vec::new()), Vec::new()), vec![counters()]),
            expect![[r#"
                MATCH (t0:`Movie`) RETURN count(*) AS c0
                level 0: Summary { statement: 0 }, 2 wide
                rows 1: level 0
                #1 column 0, #2 column 1
            "#]],
        ),
        case(
            "update along relationships",
            change(along, vec![counters(), changed(0, vec![title(0)])]),
            expect![[r#"
                MATCH (t0:`Movie`) WHERE t0.`id` = $p0 WITH collect(t0) AS c0 CALL (c0) { UNWIND c0 AS t1 MATCH (t1)<-[t2:`ACTED_IN`]-(t3:`Person`) WHERE t3.`name` = $p1 SET t3.`name` = $p2, t2.`role` = $p3 } CALL (c0) { UNWIND c0 AS t4 MATCH (t4)<-[t5:`ACTED_IN`]-(t6:`Person`) WHERE t6.`name` = $p4 DELETE t5 RETURN collect(DISTINCT t6) AS c1 } CALL (c1) { UNWIND c1 AS t7 MATCH (t7)-[t8:`KNOWS`]-(t9:`Person`) DELETE t8 } CALL (c0) { UNWIND c0 AS t10 MATCH (t11:`Person`) WHERE t11.`name` = $p5 CREATE (t10)<-[:`ACTED_IN` {`role`: $p6}]-(t11) } CALL (c0) { UNWIND c0 AS t12 CREATE (t12)<-[:`ACTED_IN`]-(t13:`Person` {`name`: $p7}) } CALL (c0) { UNWIND c0 AS t14 MATCH (t14)<-[t15:`ACTED_IN`]-(t16:`Person`) WHERE t16.`name` = $p8 RETURN collect(DISTINCT t16) AS c2 } CALL (c2) { UNWIND c2 AS t17 DETACH DELETE t17 } UNWIND c0 AS t18 RETURN t18.`title` AS c3
                p0: $7 Text
                p1: $0 Text
                p2: $1 Text
                p3: $2 Text
                p4: $3 Text
                p5: $4 Text
                p6: $5 Text
                p7: $8 Text
                p8: $6 Text
                level 0: Summary { statement: 0 }, 2 wide
                level 1: Records { statement: 0 }, 1 wide
                rows 0: level 1
                rows 1: level 0
                #0 column 0, #1 column 0, #2 column 1
            "#]],
        ),
        case(
            "relationships once",
            change(once, vec![counters()]),
            expect![[r#"
                MATCH (t0:`Movie`) WITH collect(t0) AS c0 CALL (c0) { UNWIND c0 AS t1 MATCH (t2:`Person`) WHERE t2.`name` = $p0 MERGE (t1)<-[t3:`ACTED_IN`]-(t2) SET t3.`role` = $p1 } CALL (c0) { UNWIND c0 AS t4 MATCH (t5:`Person`) WHERE t5.`name` = $p0 MERGE (t4)<-[:`ACTED_IN`]-(t5) } CALL (c0) { UNWIND c0 AS t7 MATCH (t8:`Person`) WHERE t8.`name` = $p2 WITH t7, t8, CASE WHEN EXISTS { MATCH (t7)<-[:`ACTED_IN`]-(t8) } THEN datetime($p3) IS NULL ELSE true END AS c1 WHERE c1 CREATE (t7)<-[:`ACTED_IN` {`role`: $p4}]-(t8) } CALL (c0) { UNWIND c0 AS t9 MERGE (t10:`Person` {`name`: $p5}) ON CREATE SET t10.`name` = $p6, t10.`born` = $p7 MERGE (t9)<-[t11:`ACTED_IN`]-(t10) ON CREATE SET t11.`role` = $p8 } CALL (c0) { UNWIND c0 AS t12 WITH t12 WHERE CASE WHEN COUNT { MATCH (t12)<-[:`DIRECTED`]-(t13:`Person`) } <> 1 THEN datetime($p9) IS NULL ELSE true END RETURN count(*) AS c2 } CALL (c0) { UNWIND c0 AS t14 WITH t14 WHERE CASE WHEN COUNT { MATCH (t14)<-[:`DIRECTED`]-(t15:`Person`) } > 1 THEN datetime($p9) IS NULL ELSE true END RETURN count(*) AS c3 } CALL (c0) { UNWIND c0 AS t16 WITH t16 WHERE CASE WHEN COUNT { MATCH (t16)<-[:`DIRECTED`]-(t17:`Person`) } > 0 THEN datetime($p9) IS NULL ELSE true END RETURN count(*) AS c4 } RETURN size(c0) AS c5
                p0: $0 Text
                p1: $1 Text
                p2: $2 Text
                p3: Constant(Text("thalweg:invalid:again")) Text
                p4: $3 Text
                p5: $4 Text
                p6: $5 Text
                p7: $6 Date
                p8: $7 Text
                p9: Constant(Text("thalweg:invalid:one")) Text
                level 0: Summary { statement: 0 }, 2 wide
                rows 1: level 0
                #1 column 0, #2 column 1
            "#]],
        ),
        case(
            "delete",
            change(delete_all(), vec![gone()]),
            expect![[r#"
            MATCH (t0:`Movie`) DETACH DELETE t0
            level 0: Summary { statement: 0 }, 2 wide
            rows 0: level 0
            #0 column 0, #1 column 1
        "#]],
        ),
        case(
            "delete with others",
            change(deletion, vec![gone()]),
            expect![[r#"
            MATCH (t0:`Movie`) WHERE t0.`id` = $p0 WITH collect(t0) AS c0 CALL (c0) { UNWIND c0 AS t1 MATCH (t1)<-[t2:`ACTED_IN`]-(t3:`Person`) WHERE t3.`name` = $p1 RETURN collect(DISTINCT t3) AS c1 } CALL (c1) { UNWIND c1 AS t4 MATCH (t4)-[t5:`ACTED_IN`]->(t6:`Movie`) RETURN collect(DISTINCT t6) AS c2 } CALL (c2) { UNWIND c2 AS t7 DETACH DELETE t7 } CALL (c1) { UNWIND c1 AS t8 DETACH DELETE t8 } CALL (c0) { UNWIND c0 AS t9 DETACH DELETE t9 } RETURN size(c0) AS c3
            p0: $0 Text
            p1: $1 Text
            level 0: Summary { statement: 0 }, 2 wide
            rows 0: level 0
            #0 column 0, #1 column 1
        "#]],
        ),
    ]
}

#[test]
fn writes_are_compiled() {
    let movies = Movies::new();
    for case in cases(&movies) {
        movies.check(&case);
    }
}
