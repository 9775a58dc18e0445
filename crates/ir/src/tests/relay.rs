//! PostGraphile: payloads, node ids, cursors.

use ir::{
    Codec, From, Insert, InsertedRows, Keyset, KeysetValue, Operand, Otherwise, OtherwiseKind,
    OutputKind, Page, Require, Rows, State, StepId, StepKind, Write, WriteKind,
};

use super::model::{
    Model, integer, limit, output, read_committed, related, rows, snapshot, variable,
};

fn blog() -> Model {
    Model::new(
        "person: id, full_name
         post: id, author_id > person, headline",
    )
}

#[test]
fn create_post() {
    let blog = blog();
    let author = blog.forward("post.author_id");
    let insert = Insert {
        fields: blog.fields(&["post.author_id", "post.headline"]),
        rows: InsertedRows::each(vec![vec![variable(0, "authorId"), variable(0, "headline")]]),
    };
    let write = Write {
        entity: blog.entity("post"),
        kind: WriteKind::Insert(insert),
        children: vec![],
        check: ir::Filter::all(),
    };
    let posts = Rows {
        order: vec![blog.ascending("post.id")],
        page: limit(integer(2)),
        ..rows(
            1,
            From::Relation(blog.backward("post.author_id")),
            vec![blog.output(5, "post.headline")],
        )
    };
    let post = Rows {
        single: true,
        ..rows(
            0,
            From::Returned { step: StepId(0), state: State::After },
            vec![
                blog.output(0, "post.id"),
                blog.output(1, "post.headline"),
                output(2, OutputKind::Present { path: vec![author] }),
                blog.along(3, &[author], "person.full_name"),
                related(4, &[author], posts),
            ],
        )
    };
    let people = Rows {
        order: vec![blog.ascending("person.id")],
        page: limit(integer(1)),
        ..rows(2, From::Entity(blog.entity("person")), vec![blog.output(6, "person.full_name")])
    };
    blog.check(&read_committed(vec![
        StepKind::Write(write),
        StepKind::Read(post),
        StepKind::Read(people),
    ]));
}

#[test]
fn delete_person() {
    let blog = blog();
    let posts = Rows {
        order: vec![blog.ascending("post.id")],
        page: limit(integer(10)),
        ..rows(
            1,
            From::Relation(blog.backward("post.author_id")),
            vec![blog.output(3, "post.headline")],
        )
    };
    let kind =
        WriteKind::Delete { filter: blog.equal("person.id", variable(0, "")), at_most: None };
    let write =
        Write { entity: blog.entity("person"), kind, children: vec![], check: ir::Filter::all() };
    let person = Rows {
        single: true,
        ..rows(
            0,
            From::Returned { step: StepId(0), state: State::After },
            vec![
                blog.output(0, "person.id"),
                blog.output(1, "person.full_name"),
                related(2, &[], posts),
            ],
        )
    };
    let message = "No values were deleted in collection 'people' because no values you can \
                   delete were found matching these criteria.";
    let require = Require {
        rows: rows(2, From::Returned { step: StepId(0), state: State::After }, vec![]),
        filter: ir::Filter::all(),
        exists: true,
        otherwise: Otherwise::new(OtherwiseKind::Missing, message),
    };
    blog.check(&read_committed(vec![
        StepKind::Write(write),
        StepKind::Read(person),
        StepKind::Require(require),
    ]));
}

#[test]
fn node() {
    let blog = blog();
    let author = blog.forward("post.author_id");
    let id = Operand::Decoded {
        slot: Box::new(variable(0, "")),
        codec: Codec::Base64JsonArray,
        part: 1,
    };
    blog.check(&snapshot(Rows {
        single: true,
        filter: blog.equal("post.id", id),
        ..rows(
            0,
            From::Entity(blog.entity("post")),
            vec![
                blog.output(0, "post.id"),
                blog.output(1, "post.headline"),
                output(2, OutputKind::Present { path: vec![author] }),
                blog.along(3, &[author], "person.full_name"),
            ],
        )
    }));
}

#[test]
fn keyset_over_a_nullable_field() {
    let blog = blog();
    let part = |part| {
        KeysetValue::Value(Operand::Decoded {
            slot: Box::new(variable(0, "")),
            codec: Codec::Base64JsonArrayTail,
            part,
        })
    };
    let page = |after| {
        Page::Keyset(Keyset {
            after: Some(after),
            before: None,
            limit: Some(integer(2)),
            offset: None,
            from_end: false,
            look_ahead: true,
        })
    };
    for after in [vec![part(0), part(1)], vec![KeysetValue::Null, part(1)]] {
        blog.check(&snapshot(Rows {
            order: vec![blog.ascending("post.headline"), blog.ascending("post.id")],
            page: page(after),
            ..rows(
                0,
                From::Entity(blog.entity("post")),
                vec![
                    blog.output(0, "post.headline"),
                    blog.output(1, "post.id"),
                    output(2, OutputKind::Count),
                ],
            )
        }));
    }
}
