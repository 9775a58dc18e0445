//! Dgraph, Prisma, Hasura: nested writes and what they return.

use ir::{
    Aggregate, AggregateFunction, AggregateTerm, Assignment, ChildWrite, Comparison, Conflict,
    Counter, ExistingLink, Filter, From, Hop, Insert, InsertedRows, NewId, Operand, Otherwise,
    OtherwiseKind, OutputId, OutputKind, Quantifier, Require, Rows, State, StepId, StepKind,
    Update, Write, WriteKind,
};

use super::model::{
    Model, integer, limit, output, read_committed, related, rows, snapshot, text, variable,
};

fn authors() -> Model {
    Model::new(
        "author: id, name, bio
         post: id, title, score, author_id > author",
    )
}

fn child(hop: Hop, parents: &[u32], write: Write) -> ChildWrite {
    ChildWrite { hop, parents: parents.to_vec(), write, edge: vec![] }
}

fn returned(id: u32, step: u32, outputs: Vec<ir::Output>) -> Rows {
    rows(id, From::Returned { step: StepId(step), state: State::After }, outputs)
}

/// A step that asks for the one row with this key.
fn require(model: &Model, id: u32, field: &str, operand: Operand, message: &str) -> StepKind {
    let (entity, _) = field.split_once('.').expect("entity.field");
    let found = Rows {
        single: true,
        filter: model.equal(field, operand.clone()),
        ..rows(id, From::Entity(model.entity(entity)), vec![])
    };
    let otherwise =
        Otherwise { gaps: vec![operand], ..Otherwise::new(OtherwiseKind::Missing, message) };
    StepKind::Require(Require { rows: found, filter: Filter::all(), exists: true, otherwise })
}

#[test]
fn add_author() {
    let authors = authors();
    let posts = authors.backward("post.author_id");
    let post = authors.entity("post");
    let linked = variable(0, "0.posts.0.id");
    let link = Write {
        entity: post,
        kind: WriteKind::Link {
            filter: authors.compare("post.id", Comparison::In, Operand::List(vec![linked.clone()])),
            existing: ExistingLink::Link,
        },
        children: vec![],
        check: ir::Filter::all(),
    };
    let new_posts = Write {
        entity: post,
        kind: WriteKind::Insert(Insert {
            fields: authors.fields(&["post.title", "post.score"]),
            rows: InsertedRows::each(vec![
                vec![variable(0, "0.posts.1.title"), variable(0, "0.posts.1.score")],
                vec![variable(0, "1.posts.0.title"), variable(0, "1.posts.0.score")],
            ]),
        }),
        children: vec![],
        check: ir::Filter::all(),
    };
    let upsert = Write {
        entity: authors.entity("author"),
        kind: WriteKind::Upsert {
            insert: Insert {
                fields: authors.fields(&["author.name", "author.bio"]),
                rows: InsertedRows::each(vec![
                    vec![variable(0, "0.name"), variable(0, "0.bio")],
                    vec![variable(0, "1.name"), variable(0, "1.bio")],
                ]),
            },
            conflict: Conflict {
                key: authors.fields(&["author.name"]),
                assignments: vec![(authors.field("author.bio"), Assignment::Inserted)],
                filter: Filter::all(),
            },
        },
        check: ir::Filter::all(),
        children: vec![child(posts, &[0], link), child(posts, &[0, 1], new_posts)],
    };
    let titles = Rows {
        order: vec![authors.ascending("post.title")],
        ..rows(2, From::Relation(posts), vec![authors.output(2, "post.title")])
    };
    let author = Rows {
        order: vec![authors.ascending("author.id")],
        ..returned(1, 1, vec![authors.output(0, "author.name"), related(1, &[], titles)])
    };
    let counter = OutputKind::Counter { step: StepId(1), counter: Counter::RowsAffected };
    authors.check(&read_committed(vec![
        require(&authors, 0, "post.id", linked, "ID {} isn't a Post"),
        StepKind::Write(upsert),
        StepKind::Read(author),
        StepKind::Read(rows(3, From::Once, vec![output(3, counter)])),
    ]));
}

#[test]
fn cascade() {
    let authors = authors();
    let posts = authors.backward("post.author_id");
    let kept = || {
        Filter::and(vec![
            authors.compare("post.score", Comparison::GreaterOrEqual, integer(1)),
            authors.present("post.title"),
        ])
    };
    let some =
        Filter::Relation { hop: posts, quantifier: Quantifier::Some, filter: Box::new(kept()) };
    let children = Rows {
        filter: kept(),
        order: vec![authors.ascending("post.id")],
        ..rows(
            1,
            From::Relation(posts),
            vec![authors.output(3, "post.title"), authors.output(4, "post.score")],
        )
    };
    authors.check(&snapshot(Rows {
        filter: Filter::and(vec![authors.present("author.bio"), some]),
        order: vec![authors.ascending("author.id")],
        page: limit(integer(2)),
        ..rows(
            0,
            From::Entity(authors.entity("author")),
            vec![
                authors.output(0, "author.name"),
                authors.output(1, "author.bio"),
                related(2, &[], children),
            ],
        )
    }));
}

#[test]
fn upsert_user() {
    let users = Model::new(
        "user: id, email, age
         post: id, title, author_id > user",
    );
    let posts = users.backward("post.author_id");
    let (user, post) = (users.entity("user"), users.entity("post"));
    let linked = || users.compare("post.id", Comparison::In, Operand::List(vec![variable(1, "")]));
    let email = || users.equal("user.email", variable(0, ""));
    let write = |entity, kind| Write { entity, kind, children: vec![], check: ir::Filter::all() };
    let found = Write {
        children: vec![child(posts, &[], write(post, WriteKind::SetLinks { filter: linked() }))],
        ..write(
            user,
            WriteKind::Update(Update {
                filter: email(),
                assignments: vec![(users.field("user.age"), Assignment::Set(integer(2)))],
                at_most: None,
            }),
        )
    };
    let new_post = Insert {
        fields: users.fields(&["post.id", "post.title"]),
        rows: InsertedRows::each(vec![vec![Operand::NewId(NewId::Cuid), text("a")]]),
    };
    let new_user = Insert {
        fields: users.fields(&["user.id", "user.email", "user.age"]),
        rows: InsertedRows::each(vec![vec![
            Operand::NewId(NewId::Cuid),
            variable(0, ""),
            integer(1),
        ]]),
    };
    let missing = Write {
        children: vec![
            child(posts, &[0], write(post, WriteKind::Insert(new_post))),
            child(
                posts,
                &[0],
                write(post, WriteKind::Link { filter: linked(), existing: ExistingLink::Link }),
            ),
        ],
        ..write(user, WriteKind::Insert(new_user))
    };
    let choose =
        WriteKind::Choose { filter: email(), found: Box::new(found), missing: Box::new(missing) };
    let children = Rows {
        order: vec![users.ascending("post.id")],
        ..rows(
            2,
            From::Relation(posts),
            vec![users.output(3, "post.id"), users.output(4, "post.title")],
        )
    };
    let payload = Rows {
        single: true,
        ..returned(
            1,
            1,
            vec![
                users.output(0, "user.id"),
                users.output(1, "user.age"),
                related(2, &[], children),
            ],
        )
    };
    let message = "No Node for the model Post with value {} for id found.";
    users.check(&read_committed(vec![
        require(&users, 0, "post.id", variable(1, ""), message),
        StepKind::Write(write(user, choose)),
        StepKind::Read(payload),
    ]));
}

#[test]
fn insert_artist() {
    let music = Model::new(
        "Artist: ArtistId, Name
         Album: AlbumId, Title, ArtistId > Artist",
    );
    let albums = music.backward("Album.ArtistId");
    let upsert = |entity: &str, fields: &[&str], row, key: &str, set: &str| Write {
        entity: music.entity(entity),
        kind: WriteKind::Upsert {
            insert: Insert { fields: music.fields(fields), rows: InsertedRows::each(vec![row]) },
            conflict: Conflict {
                key: music.fields(&[key]),
                assignments: vec![(music.field(set), Assignment::Inserted)],
                filter: Filter::all(),
            },
        },
        children: vec![],
        check: ir::Filter::all(),
    };
    let album = upsert(
        "Album",
        &["Album.AlbumId", "Album.Title"],
        vec![integer(900), text("A")],
        "Album.AlbumId",
        "Album.Title",
    );
    let artist = upsert(
        "Artist",
        &["Artist.ArtistId", "Artist.Name"],
        vec![integer(900), text("N")],
        "Artist.ArtistId",
        "Artist.Name",
    );
    let artist = Write { children: vec![child(albums, &[0], album)], ..artist };
    let (function, form) = (AggregateFunction::Count, ir::Form::Stored);
    let count = AggregateTerm { id: OutputId(4), function, place: None, form, once: false };
    let aggregate = OutputKind::Aggregate(Aggregate {
        paged: true,
        group_by: vec![],
        having: None,
        terms: vec![count],
    });
    let outputs = vec![music.output(2, "Album.Title"), output(3, aggregate)];
    let children = rows(1, From::Relation(albums), outputs);
    let counter = OutputKind::Counter { step: StepId(0), counter: Counter::RowsAffected };
    music.check(&read_committed(vec![
        StepKind::Write(artist),
        StepKind::Read(returned(
            0,
            0,
            vec![music.output(0, "Artist.Name"), related(1, &[], children)],
        )),
        StepKind::Read(rows(2, From::Once, vec![output(5, counter)])),
    ]));
}
