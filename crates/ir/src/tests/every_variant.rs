//! Prints the variants that the paper proof does not use.

use std::sync::Arc;

use expect_test::{Expect, expect};
use ir::{
    Aggregate, AggregateFunction, AggregateTerm, Assignment, BesideRows, Call, Case, ChildWrite,
    Codec, Comparison, Conflict, Counter, Direction, ExistingLink, ExpectedLinks, Filter, Form,
    From, GeoOperator, Groups, Hop, Insert, InsertedRows, JsonTexts, Keyset, KeysetValue, Member,
    NewId, Nulls, Operand, OrderKey, OrderTerm, Otherwise, OtherwiseKind, OutputId, OutputKind,
    Page, PasswordPart, Quantifier, Request, Require, Rows, RowsId, State, StepId, StepKind,
    TextMatch, TimeUnit, TreeComparison, Unit, Update, Value, ValueForm, ValueRef, Variant, Write,
    WriteKind,
};

use super::model::{
    Model, integer, output, read_committed, related, rows, snapshot, text, variable,
};

fn music() -> Model {
    Model::new(
        "artist: id, name, place
         album: id, title, price, tags, artist_id > artist
         fan: since
         artist -[LIKES]-> album
         search(_)
         rank(by)
         short(row)
         notify(all)",
    )
}

fn check(model: &Model, request: &Request, expected: &Expect) {
    expected.assert_eq(&ir::print(request, &model.catalog));
}

fn call(model: &Model, function: &str, argument: Option<Operand>) -> Call {
    let arguments = argument.into_iter().map(|argument| (0, argument)).collect();
    Call { function: model.function(function), of_row: None, arguments }
}

fn of_row(path: Vec<Hop>, call: Call) -> Call {
    Call { of_row: Some(path), ..call }
}

fn terms(terms: Vec<(u32, AggregateFunction, Option<ValueRef>)>) -> Vec<AggregateTerm> {
    let form = Form::Number;
    let term = |(id, function, place)| AggregateTerm {
        id: OutputId(id),
        function,
        place,
        form,
        once: false,
    };
    terms.into_iter().map(term).collect()
}

/// A value with parts of every form.
fn formed() -> Operand {
    let member = |name: &str, form| Member { name: name.into(), form: Arc::new(form) };
    let bound = |name: &str| {
        let value = member("value", ValueForm::Plain);
        member(name, ValueForm::Bound { value, inclusive: "inclusive".into() })
    };
    let point = |name| member(name, ValueForm::Point { x: "x".into(), y: "y".into() });
    let points = || member("points", ValueForm::List(point("").form));
    let units = [Unit::Seconds, Unit::Minutes, Unit::Hours, Unit::Days, Unit::Months, Unit::Years];
    let units = units.map(|unit| (unit.name().get(..1).unwrap_or_default().into(), unit));
    let label = ValueForm::Name(vec![("A".into(), "a".into())]);
    let form = ValueForm::Composite(vec![
        Some(member("a", ValueForm::Plain)),
        None,
        Some(member("b", ValueForm::List(Arc::new(label)))),
        Some(member("c", ValueForm::Range { start: bound("start"), end: bound("end") })),
        Some(member("d", ValueForm::Interval(units.into()))),
        Some(member("e", ValueForm::Point { x: "x".into(), y: "y".into() })),
        Some(member("f", ValueForm::KeyValue)),
        Some(member("g", ValueForm::Json(JsonTexts::Documents))),
        Some(member("h", ValueForm::Json(JsonTexts::Strings))),
        Some(member("i", ValueForm::Json(JsonTexts::CheckedDocuments))),
        Some(member("i", ValueForm::Line { a: point("a"), b: point("b") })),
        Some(member("j", ValueForm::Box { a: point("a"), b: point("b") })),
        Some(member("k", ValueForm::Path { points: points(), is_open: Some("open".into()) })),
        Some(member("l", ValueForm::Path { points: points(), is_open: None })),
        Some(member("m", ValueForm::Circle { center: point("center"), radius: "radius".into() })),
        Some(member("n", ValueForm::Moment)),
    ]);
    let value = Value::Object(vec![("a".into(), Value::Integer(1))]);
    Operand::Formed { operand: Box::new(Operand::Constant(value)), form: Arc::new(form) }
}

fn count() -> Aggregate {
    let terms = terms(vec![(9, AggregateFunction::Count, None)]);
    Aggregate { paged: false, group_by: vec![], having: None, terms }
}

#[test]
fn filters() {
    let music = music();
    let albums = music.backward("album.artist_id");
    let compare = |comparison| music.compare("album.price", comparison, variable(0, ""));
    let matches = |r#match, case| Filter::Text {
        place: music.place("album.title"),
        r#match,
        case,
        operand: variable(1, "title.0"),
    };
    let cased = |comparison, case| Filter::CompareText {
        place: music.place("album.title"),
        comparison,
        case,
        operand: variable(1, "title.0"),
    };
    let related =
        |quantifier, filter| Filter::Relation { hop: albums, quantifier, filter: Box::new(filter) };
    let name = ValueRef::Field {
        path: vec![music.forward("album.artist_id")],
        field: music.field("artist.name"),
    };
    let filter = Filter::And(vec![
        Filter::Or(vec![
            compare(Comparison::Equal),
            compare(Comparison::NotEqual),
            compare(Comparison::DistinctFrom),
            compare(Comparison::NotDistinctFrom),
        ]),
        compare(Comparison::Less),
        compare(Comparison::LessOrEqual),
        compare(Comparison::Greater),
        compare(Comparison::GreaterOrEqual),
        compare(Comparison::In),
        compare(Comparison::NotIn),
        compare(Comparison::Contains),
        compare(Comparison::ContainedBy),
        compare(Comparison::Overlaps),
        compare(Comparison::ContainsMore),
        compare(Comparison::ContainedByMore),
        compare(Comparison::ContainsElement),
        compare(Comparison::LeftOf),
        compare(Comparison::RightOf),
        compare(Comparison::NotRightOf),
        compare(Comparison::NotLeftOf),
        compare(Comparison::Adjacent),
        compare(Comparison::HasKey),
        compare(Comparison::HasAnyKey),
        compare(Comparison::HasAllKeys),
        compare(Comparison::PathExists),
        compare(Comparison::PathIsTrue),
        compare(Comparison::Tree(TreeComparison::AncestorOf)),
        compare(Comparison::Tree(TreeComparison::AncestorOfAny)),
        compare(Comparison::Tree(TreeComparison::DescendantOf)),
        compare(Comparison::Tree(TreeComparison::DescendantOfAny)),
        compare(Comparison::Tree(TreeComparison::Matches)),
        compare(Comparison::Tree(TreeComparison::MatchesAny)),
        compare(Comparison::Tree(TreeComparison::MatchesText)),
        Filter::Not(Box::new(matches(TextMatch::Like, Case::Ignored))),
        Filter::Except(Box::new(matches(TextMatch::Includes, Case::Exact))),
        matches(TextMatch::StartsWith, Case::AsTyped),
        matches(TextMatch::EndsWith, Case::AsTyped),
        matches(TextMatch::Regex, Case::Ignored),
        matches(TextMatch::Similar, Case::AsTyped),
        matches(TextMatch::AllTerms, Case::AsTyped),
        matches(TextMatch::AnyTerm, Case::AsTyped),
        matches(TextMatch::Re2, Case::AsTyped),
        matches(TextMatch::AllStems, Case::AsTyped),
        matches(TextMatch::AnyStem, Case::AsTyped),
        matches(TextMatch::AnyStemSequence, Case::AsTyped),
        cased(Comparison::Equal, Case::Ignored),
        cased(Comparison::In, Case::Exact),
        Filter::AnyElement {
            place: ValueRef::Attribute { of: Box::new(music.place("album.tags")), attribute: 1 },
            comparison: Comparison::Less,
            operand: variable(0, ""),
        },
        Filter::ElementBetween {
            place: music.place("album.tags"),
            least: variable(0, ""),
            most: variable(1, ""),
        },
        Filter::barrier(compare(Comparison::Less), matches(TextMatch::Like, Case::AsTyped)),
        Filter::barrier(compare(Comparison::Less), Filter::all()),
        Filter::IsNull(name),
        Filter::IsNull(ValueRef::Aggregated {
            function: AggregateFunction::All,
            place: Box::new(ValueRef::Distinct(Box::new(music.place("album.price")))),
        }),
        Filter::IsNull(ValueRef::Aggregated {
            function: AggregateFunction::Any,
            place: Box::new(music.place("album.price")),
        }),
        Filter::IsNull(ValueRef::Computed(of_row(vec![], call(&music, "short", None)))),
        Filter::FunctionRows {
            call: of_row(vec![], call(&music, "search", Some(Operand::Claims))),
            filter: Box::new(compare(Comparison::Less)),
        },
        related(Quantifier::Every, Filter::all()),
        related(Quantifier::None, Filter::none()),
        related(Quantifier::Single, compare(Comparison::Less)),
        Filter::RelatedGroup {
            hop: albums,
            filter: Box::new(compare(Comparison::Greater)),
            having: Box::new(Filter::Compare {
                place: ValueRef::Aggregated {
                    function: AggregateFunction::Total,
                    place: Box::new(music.place("album.price")),
                },
                comparison: Comparison::GreaterOrEqual,
                operand: integer(3),
            }),
            once: false,
        },
        Filter::RelatedGroup {
            hop: albums,
            filter: Box::new(Filter::all()),
            having: Box::new(Filter::Compare {
                place: ValueRef::Aggregated {
                    function: AggregateFunction::DistinctCount,
                    place: Box::new(ValueRef::Together(vec![
                        music.field("album.title"),
                        music.field("album.price"),
                    ])),
                },
                comparison: Comparison::Equal,
                operand: integer(3),
            }),
            once: false,
        },
        Filter::VariantGroup {
            variants: vec![Variant {
                entity: music.entity("album"),
                hop: Some(albums),
                through: None,
                filter: compare(Comparison::Less),
                common: vec![music.field("album.title")],
                outputs: Vec::new(),
            }],
            having: Box::new(Filter::Compare {
                place: ValueRef::Counted { distinct: true },
                comparison: Comparison::Equal,
                operand: integer(3),
            }),
            once: true,
        },
        Filter::Geo {
            place: music.place("artist.place"),
            operator: GeoOperator::Distance(Comparison::Less),
            operand: variable(2, ""),
        },
    ]);
    let request = snapshot(Rows { filter, ..rows(0, From::Entity(music.entity("album")), vec![]) });
    check(
        &music,
        &request,
        &expect![[r#"
            transaction, snapshot
              step 0 of root 0: read rows 0: entity album, filter (price = $0 or price <> $0 or price is distinct from $0 or price is not distinct from $0) and price < $0 and price <= $0 and price > $0 and price >= $0 and price in $0 and price not in $0 and price contains $0 and price contained by $0 and price overlaps $0 and price contains more than $0 and price contained by more of $0 and price contains element $0 and price left of $0 and price right of $0 and price not right of $0 and price not left of $0 and price adjacent to $0 and price has key $0 and price has any key of $0 and price has all keys of $0 and price has path $0 and price satisfies path $0 and price ancestor of $0 and price ancestor of any of $0 and price descendant of $0 and price descendant of any of $0 and price matches path $0 and price matches any path of $0 and price matches labels $0 and not (title like ignoring case $1.title[0]) and except (title includes minding case $1.title[0]) and title starts with $1.title[0] and title ends with $1.title[0] and title matches ignoring case $1.title[0] and title is similar to $1.title[0] and title has all words of $1.title[0] and title has any word of $1.title[0] and title matches RE2 $1.title[0] and title has all stems of $1.title[0] and title has any stem of $1.title[0] and title has any sequence of stems of $1.title[0] and title = ignoring case $1.title[0] and title in minding case $1.title[0] and any of tags (1) < $0 and any of tags between $0 and $1 and first (price < $0) then (title like $1.title[0]) and price < $0 and ->artist[artist_id].name is null and all distinct price is null and any price is null and short(row) is null and some of search(row, all claims) (price < $0) and every <-album[artist_id] (all) and no <-album[artist_id] (none) and one <-album[artist_id] (price < $0) and all <-album[artist_id] (price > $0) together (total price >= 3) and all <-album[artist_id] (all) together (distinct count (title, price) = 3) and all of (<-album[artist_id] (price < $0) common [title], each once) together (distinct count = 3) and distance of place < $2
        "#]],
    );
}

#[test]
fn places_of_rows() {
    let music = music();
    let truncated = |field, unit| ValueRef::Truncated { place: Box::new(music.place(field)), unit };
    let album = music.forward("album.artist_id");
    let descending = |key| OrderTerm { key, direction: Direction::Descending, nulls: Nulls::First };
    let function = From::Function(call(&music, "search", Some(variable(0, ""))));
    let searched = Rows {
        distinct: music.fields(&["album.title"]),
        order: vec![
            descending(OrderKey::Call(of_row(
                vec![album],
                call(&music, "rank", Some(text("a\"b"))),
            ))),
            descending(OrderKey::Relation {
                path: Vec::new(),
                hop: music.backward("artist.LIKES"),
                filter: Filter::all(),
                aggregate: count(),
            }),
        ],
        page: Page::Keyset(Keyset {
            after: None,
            before: Some(vec![KeysetValue::Null, KeysetValue::Value(Operand::Now)]),
            limit: Some(integer(3)),
            offset: Some(integer(1)),
            from_end: true,
            look_ahead: true,
        }),
        shown: false,
        ..rows(
            0,
            function,
            vec![
                output(
                    0,
                    OutputKind::Field {
                        path: vec![],
                        field: music.field("album.price"),
                        form: Form::Number,
                    },
                ),
                output(
                    1,
                    OutputKind::PresentIf {
                        path: vec![album],
                        filter: music.equal("artist.name", Operand::Claim("name".into())),
                    },
                ),
                output(
                    7,
                    OutputKind::OrderValue(OrderKey::Relation {
                        path: Vec::new(),
                        hop: music.backward("artist.LIKES"),
                        filter: Filter::all(),
                        aggregate: count(),
                    }),
                ),
                output(
                    2,
                    OutputKind::Computed {
                        call: of_row(vec![], call(&music, "short", None)),
                        form: Form::Number,
                    },
                ),
                output(
                    3,
                    OutputKind::Aggregate(Aggregate {
                        paged: true,
                        group_by: vec![
                            music.place("album.title"),
                            truncated("album.price", TimeUnit::Hour),
                            truncated("album.price", TimeUnit::Day),
                        ],
                        having: Some(Box::new(Filter::Compare {
                            place: ValueRef::Aggregated {
                                function: AggregateFunction::Maximum,
                                place: Box::new(music.place("album.price")),
                            },
                            comparison: Comparison::Less,
                            operand: integer(3),
                        })),
                        terms: terms(vec![
                            (4, AggregateFunction::GroupKey, Some(music.place("album.title"))),
                            (
                                5,
                                AggregateFunction::StandardDeviationSample,
                                Some(music.place("album.price")),
                            ),
                        ]),
                    }),
                ),
                output(
                    8,
                    OutputKind::Groups(Groups {
                        by: vec![music.place("album.title"), music.place("album.price")],
                        rows: RowsId(9),
                        outputs: vec![music.output(9, "album.title")],
                    }),
                ),
                output(
                    10,
                    OutputKind::Groups(Groups { by: vec![], rows: RowsId(10), outputs: vec![] }),
                ),
                related(
                    6,
                    &[album],
                    Rows {
                        page: Page::Offset {
                            limit: None,
                            offset: Some(Operand::Decoded {
                                slot: Box::new(variable(1, "")),
                                codec: Codec::ArrayConnection,
                                part: 0,
                            }),
                            look_ahead: false,
                        },
                        ..rows(1, From::Relation(music.forward("artist.LIKES")), vec![])
                    },
                ),
            ],
        )
    };
    let (near, far) = (music.backward("artist.LIKES"), music.forward("artist.LIKES"));
    let joining = rows(3, From::Joining { near, far }, vec![]);
    let held = rows(4, From::Value(music.field("album.title")), vec![]);
    let below = vec![related(1, &[], joining), related(2, &[], held)];
    let through = rows(2, From::Through { near, joining: Filter::all(), far }, below);
    check(
        &music,
        &snapshot(rows(1, From::Once, vec![related(0, &[], through)])),
        &expect![[r#"
        transaction, snapshot
          step 0 of root 0: read rows 1: once
            #0 related rows 2: through <-artist[:LIKES] ->album[:LIKES]
              #1 related rows 3: joining <-artist[:LIKES] ->album[:LIKES]
              #2 related rows 4: value title
    "#]],
    );
    let variants = vec![Variant {
        entity: music.entity("album"),
        hop: Some(music.forward("artist.LIKES")),
        through: Some(music.backward("artist.LIKES")),
        filter: music.present("album.title"),
        common: vec![],
        outputs: vec![],
    }];
    let beside_rows = BesideRows {
        after: Some(vec![(music.field("album.id"), variable(0, ""))]),
        before: Some(vec![(music.field("album.id"), integer(9))]),
        limit: Some(integer(2)),
        offset: None,
        from_end: true,
        look_ahead: true,
    };
    let after_row = Page::BesideRows(Box::new(beside_rows));
    let constants = Operand::List(vec![
        Operand::Constant(Value::Null),
        Operand::Constant(Value::Boolean(true)),
        Operand::Constant(Value::Number("1.50".into())),
        Operand::Constant(Value::List(vec![Value::Integer(1), Value::Json("{}".into())])),
        Operand::Result { step: StepId(0), output: OutputId(0) },
        Operand::NewId(NewId::Uuid),
        Operand::NewId(NewId::Sequence),
        Operand::Negated(Box::new(integer(2))),
        Operand::AtMost { operand: Some(Box::new(integer(2))), most: 3 },
        Operand::AtMost { operand: None, most: 3 },
        Operand::RowsBefore {
            row: Box::new(integer(9)),
            offset: Some(Box::new(integer(1))),
            limit: Some(Box::new(integer(3))),
        },
        Operand::Object(vec![("a".into(), Operand::Now)]),
        Operand::Claims,
        Operand::Decoded {
            slot: Box::new(variable(0, "")),
            codec: Codec::Base64JsonMembers,
            part: 1,
        },
        Operand::Password { number: 0, part: PasswordPart::Given },
        Operand::Password { number: 1, part: PasswordPart::Hash },
        Operand::Password { number: 2, part: PasswordPart::Hashes },
        formed(),
    ]);
    let called = call(&music, "notify", Some(constants));
    let require = Require {
        rows: rows(3, From::Entity(music.entity("album")), vec![]),
        filter: music.present("album.title"),
        exists: false,
        otherwise: Otherwise::new(OtherwiseKind::Refused, "No."),
    };
    let request = read_committed(vec![
        StepKind::Read(searched),
        StepKind::Read(Rows { page: after_row, ..rows(2, From::Variants(variants), vec![]) }),
        StepKind::Call(called),
        StepKind::Require(require),
        StepKind::Read(rows(4, From::Returned { step: StepId(2), state: State::Before }, vec![])),
    ]);
    check(
        &music,
        &request,
        &expect![[r#"
            transaction, read committed
              step 0 of root 0: read rows 0: function search($0), not shown, distinct [title], order rank(row ->artist[artist_id], by: "a\"b") desc nulls first, count of <-artist[:LIKES] (all) desc nulls first, page limit 3 offset 1 before (null, now) from the end + look-ahead
                #0 field price as a number
                #1 present ->artist[artist_id] if name = claim name
                #7 order value count of <-artist[:LIKES] (all)
                #2 computed short(row) as a number
                #3 aggregate of page, grouped by title, hour of price, day of price, having maximum price < 3
                  #4 group key title as a number
                  #5 sample standard deviation price as a number
                #8 groups by title, price of rows 9
                  #9 field title
                #10 groups by nothing of rows 10
                #6 related ->artist[artist_id] rows 1: relation ->album[:LIKES], page offset part 0 of arrayconnection $1
              step 1 of root 0: read rows 2: variants, page limit 2 after the row (id = $0) before the row (id = 9) from the end + look-ahead
                variant ->album[:LIKES], filter not (title is null)
              step 2 of root 0: call notify(all: [null, true, 1.50, [1, json {}], #0 of step 0, new uuid, new sequence number, minus 2, 2, at most 3, at most 3, the rows before 9, offset 1, limit 3, {a: now}, all claims, part 1 of members $0, password 0, hash of password 1, matching hashes of password 2, {a: 1} as composite (a, null, b: list of name, c: range (start: bound (value, inclusive), end: bound (value, inclusive)), d: interval (s: seconds, m: minutes, h: hours, d: days, m: months, y: years), e: point (x, y), f: keys with values, g: json text, h: json, i: checked json text, i: line (a: point (x, y), b: point (x, y)), j: box (a: point (x, y), b: point (x, y)), k: path (points: list of point (x, y), open), l: polygon (points: list of point (x, y)), m: circle (center: point (x, y), radius), n: moment)])
              step 3 of root 0: require no row with not (title is null), otherwise refused "No."
                rows 3: entity album
              step 4 of root 0: read rows 4: rows of step 2 before it
        "#]],
    );
}

#[test]
fn writes() {
    let music = music();
    let (album, artist) = (music.entity("album"), music.entity("artist"));
    let likes = music.forward("artist.LIKES");
    let write = |entity, kind| Write { entity, kind, children: vec![], check: ir::Filter::all() };
    let set = |field, assignment| (music.field(field), assignment);
    let one = || integer(1);
    let update = WriteKind::Update(Update {
        filter: music.equal("album.id", variable(0, "")),
        assignments: vec![
            set("album.title", Assignment::Set(text("x"))),
            set("album.price", Assignment::Add(one())),
            set("album.price", Assignment::AddWithin(one())),
            set("album.price", Assignment::Subtract(one())),
            set("album.price", Assignment::Multiply(one())),
            set("album.price", Assignment::Divide(one())),
            set("album.tags", Assignment::Push(one())),
            set("album.tags", Assignment::Pop(one())),
            set("album.tags", Assignment::Merge(one())),
            set("album.tags", Assignment::Prepend(one())),
            set("album.tags", Assignment::DeleteKey(one())),
            set("album.tags", Assignment::DeleteElement(one())),
            set("album.tags", Assignment::DeletePath(one())),
        ],
        at_most: Some(integer(10)),
    });
    let conflict = Conflict {
        key: music.fields(&["album.title"]),
        assignments: vec![],
        filter: Filter::all(),
    };
    let insert = Insert {
        fields: music.fields(&["album.title"]),
        rows: InsertedRows::each(vec![vec![text("x")]]),
    };
    let updated = Conflict {
        assignments: vec![set("album.title", Assignment::Inserted)],
        filter: music.present("album.price"),
        ..conflict.clone()
    };
    let child =
        |kind, edge| ChildWrite { hop: likes, parents: vec![], write: write(album, kind), edge };
    let since = vec![set("fan.since", Assignment::Set(Operand::Now))];
    let no = || Otherwise::new(OtherwiseKind::Invalid, "No.");
    let parent = Write {
        children: vec![
            child(WriteKind::LinkOrInsert { insert: insert.clone(), conflict }, since),
            child(WriteKind::Unlink { filter: Filter::all() }, vec![]),
            child(WriteKind::Link { filter: Filter::all(), existing: ExistingLink::Keep }, vec![]),
            child(
                WriteKind::Link { filter: Filter::all(), existing: ExistingLink::Refuse(no()) },
                vec![],
            ),
            child(WriteKind::Expect { links: ExpectedLinks::One, otherwise: no() }, vec![]),
            child(WriteKind::Expect { links: ExpectedLinks::OneOrNone, otherwise: no() }, vec![]),
            child(WriteKind::Expect { links: ExpectedLinks::None, otherwise: no() }, vec![]),
        ],
        ..write(artist, WriteKind::Delete { filter: Filter::all(), at_most: Some(variable(1, "")) })
    };
    let counters = [
        Counter::RowsInserted,
        Counter::RowsUpdated,
        Counter::RowsDeleted,
        Counter::LinksCreated,
        Counter::LinksDeleted,
        Counter::Bookmark,
    ];
    let counters = (0..)
        .zip(counters)
        .map(|(id, counter)| output(id, OutputKind::Counter { step: StepId(0), counter }));
    let for_each = Insert {
        fields: music.fields(&["album.title", "album.price"]),
        rows: InsertedRows::ForEach {
            list: Operand::List(vec![text("x"), text("y")]),
            columns: vec![Operand::List(vec![integer(1)])],
        },
    };
    let request = read_committed(vec![
        StepKind::Write(write(album, update)),
        StepKind::Write(write(album, WriteKind::Insert(for_each))),
        StepKind::Write(write(album, WriteKind::Upsert { insert, conflict: updated })),
        StepKind::Write(parent),
        StepKind::Read(rows(0, From::Once, counters.collect())),
    ]);
    check(
        &music,
        &request,
        &expect![[r#"
            transaction, read committed
              step 0 of root 0: update album, filter id = $0, at most 10
                title = "x"
                price += 1
                price += within its type 1
                price -= 1
                price *= 1
                price /= 1
                tags push 1
                tags pop 1
                tags merge 1
                tags prepend 1
                tags delete key 1
                tags delete element 1
                tags delete path 1
              step 1 of root 0: insert album [title, price]
                for each of ["x", "y"]: columns [1]
              step 2 of root 0: upsert album [title], same if equal in [title]
                row "x"
                the same row is updated if not (price is null)
                  title = inserted
              step 3 of root 0: delete artist, at most $1
                along ->album[:LIKES]: link or insert album [title], same if equal in [title]
                  row "x"
                  the same row stays as it is
                  edge since = now
                along ->album[:LIKES]: unlink album
                along ->album[:LIKES]: link once album
                along ->album[:LIKES]: link new album
                  linked already, otherwise invalid "No."
                along ->album[:LIKES]: expect one album, otherwise invalid "No."
                along ->album[:LIKES]: expect one or no album, otherwise invalid "No."
                along ->album[:LIKES]: expect no album, otherwise invalid "No."
              step 4 of root 0: read rows 0: once
                #0 rows inserted of step 0
                #1 rows updated of step 0
                #2 rows deleted of step 0
                #3 links created of step 0
                #4 links deleted of step 0
                #5 bookmark of step 0
        "#]],
    );
}
