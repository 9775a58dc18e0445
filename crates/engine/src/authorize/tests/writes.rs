//! What requests change.

use ir::{
    Assignment, From, Insert, InsertedRows, Isolation, Operand, Output, Request, State, StepId,
    StepKind, Update, Value, Write, WriteKind,
};
use serde_json_bytes::json;

use super::{Blog, anonymous, author, rows, steps};

fn change(kind: StepKind, entity_rows: Vec<Output>) -> Request {
    let returned = From::Returned { step: StepId(0), state: State::After };
    steps(Isolation::ReadCommitted, vec![kind, StepKind::Read(rows(0, returned, entity_rows))])
}

fn insert(blog: &Blog, names: &[&str]) -> Request {
    let fields = names.iter().map(|name| blog.field(name)).collect();
    let row = names.iter().map(|_| Operand::Constant(Value::Integer(1))).collect();
    let kind = WriteKind::Insert(Insert { fields, rows: InsertedRows::each(vec![row]) });
    let write = Write { entity: blog.entity("post"), kind, children: Vec::new() };
    change(StepKind::Write(write), blog.fields(&[(&[], "post.headline")]))
}

#[test]
fn what_is_preset_is_written_and_cannot_be_said() {
    let blog = Blog::new();
    let text = blog.let_of(&author(), insert(&blog, &["post.headline"]));
    assert!(text.contains("author_id") && text.contains("claim user"), "{text}");
    assert!(
        text.contains(
            "rows of step 0 after it, filter author_id = claim user or status = \"public\""
        ),
        "{text}"
    );
    blog.check(
        &author(),
        insert(&blog, &["post.headline", "post.author_id"]),
        "You may not insert `post.author_id`.",
    );
    blog.check(
        &anonymous(),
        insert(&blog, &["post.headline"]),
        "You may not insert rows of `post`.",
    );
    // Without the claim there is nothing to be written.
    let without = blog.let_of(&json!({ "role": "author" }), insert(&blog, &["post.headline"]));
    assert_eq!(without, "You may not insert rows of `post`.\n");
}

fn update(blog: &Blog, name: &str) -> Request {
    let one = Assignment::Set(Operand::Constant(Value::Integer(1)));
    let (filter, assignments) = (blog.equal("post.id"), vec![(blog.field(name), one)]);
    let kind = WriteKind::Update(Update { filter, assignments, at_most: None });
    let write = Write { entity: blog.entity("post"), kind, children: Vec::new() };
    change(StepKind::Write(write), Vec::new())
}

#[test]
fn what_one_rule_presets_is_not_written_to_rows_of_another() {
    const RULES: &str = r#"
roles.author = { rules = ["all", "public"] }
[rules]
all = { entity = "post", read = { columns = "*" }, update = { columns = ["headline"], rows = { ROWS } } }
public.entity = "post"
public.update = { rows = { status = { eq = "public" } }, columns = ["headline"], presets = { author_id = 7 } }"#;
    let check = |rows: &str, expected: &str| {
        let blog = Blog::under(&RULES.replace("ROWS", rows));
        let text = blog.let_of(&author(), update(&blog, "post.headline"));
        assert!(text.contains(expected), "{text}");
    };
    check("", "with these fields together");
    check(r#"status = { eq = "public" }"#, "author_id");
}

#[test]
fn rows_are_changed_that_may_be_changed_and_seen() {
    let blog = Blog::new();
    let text = blog.let_of(&author(), update(&blog, "post.headline"));
    let expected =
        "id = 1 and author_id = claim user and (author_id = claim user or status = \"public\")";
    assert!(text.contains(expected), "{text}");
    blog.check(&author(), update(&blog, "post.status"), "You may not update `post.status`.");
    let kind = WriteKind::Delete { filter: blog.equal("post.id"), at_most: None };
    let write = Write { entity: blog.entity("post"), kind, children: Vec::new() };
    let delete = || change(StepKind::Write(write.clone()), Vec::new());
    let text = blog.let_of(&author(), delete());
    assert!(text.contains("author_id = claim user") && text.contains("post_tag"), "{text}");
    blog.check(&anonymous(), delete(), "You may not delete rows of `post`.");
    // A bound on their number takes no rule away.
    let at_most = Some(Operand::Constant(Value::Integer(5)));
    let kind = WriteKind::Delete { filter: blog.equal("post.status"), at_most };
    let write = Write { entity: blog.entity("post"), kind, children: Vec::new() };
    let text = blog.let_of(&author(), change(StepKind::Write(write), Vec::new()));
    assert!(text.contains("author_id = claim user") && text.contains("at most 5"), "{text}");
}
