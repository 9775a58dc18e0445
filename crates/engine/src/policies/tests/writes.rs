//! Tests of writing.

use ir::{
    Assignment, Conflict, Filter, From, Insert, InsertedRows, Isolation, Operand, Output, Request,
    State, StepId, StepKind, Update, Value, Write, WriteKind,
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
    let write =
        Write { entity: blog.entity("post"), kind, children: Vec::new(), check: Filter::all() };
    change(StepKind::Write(write), blog.fields(&[(&[], "post.headline")]))
}

#[test]
fn what_is_preset_is_written_and_cannot_be_said() {
    let blog = Blog::new();
    let text = blog.authorized(&author(), insert(&blog, &["post.headline"]));
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
    let without = blog.authorized(&json!({ "role": "author" }), insert(&blog, &["post.headline"]));
    assert_eq!(without, "You may not insert rows of `post`.\n");
}

fn update(blog: &Blog, name: &str) -> Request {
    let one = Assignment::Set(Operand::Constant(Value::Integer(1)));
    let (filter, assignments) = (blog.equal("post.id"), vec![(blog.field(name), one)]);
    let kind = WriteKind::Update(Update { filter, assignments, at_most: None });
    let write =
        Write { entity: blog.entity("post"), kind, children: Vec::new(), check: Filter::all() };
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
        let text = blog.authorized(&author(), update(&blog, "post.headline"));
        assert!(text.contains(expected), "{text}");
    };
    check("", "with these fields together");
    check(r#"status = { eq = "public" }"#, "author_id");
}

#[test]
fn rows_are_changed_that_may_be_changed_and_seen() {
    let blog = Blog::new();
    let text = blog.authorized(&author(), update(&blog, "post.headline"));
    let expected = "first (author_id = claim user and (author_id = claim user or status = \"public\")) \
         then (id = 1)";
    assert!(text.contains(expected), "{text}");
    blog.check(&author(), update(&blog, "post.status"), "You may not update `post.status`.");
    let kind = WriteKind::Delete { filter: blog.equal("post.id"), at_most: None };
    let write =
        Write { entity: blog.entity("post"), kind, children: Vec::new(), check: Filter::all() };
    let delete = || change(StepKind::Write(write.clone()), Vec::new());
    let text = blog.authorized(&author(), delete());
    assert!(text.contains("author_id = claim user") && text.contains("post_tag"), "{text}");
    blog.check(&anonymous(), delete(), "You may not delete rows of `post`.");
    // A limit of their number removes no rule.
    let at_most = Some(Operand::Constant(Value::Integer(5)));
    let kind = WriteKind::Delete { filter: blog.equal("post.status"), at_most };
    let write =
        Write { entity: blog.entity("post"), kind, children: Vec::new(), check: Filter::all() };
    let text = blog.authorized(&author(), change(StepKind::Write(write), Vec::new()));
    assert!(text.contains("author_id = claim user") && text.contains("at most 5"), "{text}");
}

const CHECKED: &str = r#"
[rules.own]
entity = "post"
read = { columns = "*" }
insert = { columns = ["headline"], presets = { author_id = { claim = "user" } }, check = { none = { post_tag = {} } } }
update = { rows = { author_id = { eq = { claim = "user" } } }, columns = ["headline", "author_id"] }
[rules.drafts]
entity = "post"
update = { rows = { status = { eq = "draft" } }, columns = ["headline", "status"], check = {} }
[rules.named]
entity = "post"
update = { rows = { headline = { is_null = false } }, columns = ["headline"], check = { status = { eq = { claim = "status" } } } }
[roles.author]
rules = ["own"]
[roles.editor]
inherits = ["author"]
rules = ["drafts"]
[roles.namer]
rules = ["own", "named"]
"#;

#[test]
fn what_is_written_is_checked_after_the_last_write() {
    let blog = Blog::under(CHECKED);
    let claims = |role: &str| json!({ "role": role, "user": 7, "status": "new" });
    let text = blog.authorized(&claims("author"), insert(&blog, &["post.headline"]));
    let check = "require no row, otherwise refused \"You may not insert rows of `post` with these values.\"";
    assert!(text.contains(check), "{text}");
    assert!(text.contains("step 0 after it, filter except (no <-post_tag"), "{text}");
    let (write, check, read) =
        (text.find("insert post"), text.find("require"), text.find("read rows"));
    assert!(write < check && check < read, "{text}");
    // The column of the condition is not written, so the row fulfils the condition still.
    let same = blog.authorized(&claims("author"), update(&blog, "post.headline"));
    assert!(!same.contains("require"), "{same}");
    let moved = blog.authorized(&claims("author"), update(&blog, "post.author_id"));
    assert!(moved.contains("except (author_id = claim user)"), "{moved}");
    // One of the rules has no condition on the written values.
    let any = blog.authorized(&claims("editor"), update(&blog, "post.headline"));
    assert!(any.contains("status = \"draft\" or author_id = claim user"), "{any}");
    assert!(!any.contains("require"), "{any}");
    let named = blog.authorized(&claims("namer"), update(&blog, "post.headline"));
    let check = "except (status = claim status or author_id = claim user)";
    assert!(named.contains(check), "{named}");
    // A comparison with a missing claim permits nothing.
    let without = json!({ "role": "namer", "user": 7 });
    let named = blog.authorized(&without, update(&blog, "post.headline"));
    assert!(named.contains("except (none or author_id = claim user)"), "{named}");
}

fn upsert(blog: &Blog, names: &[&str], assigned: &[&str]) -> Request {
    let mut request = insert(blog, names);
    for step in &mut request.transactions[0].steps {
        let StepKind::Write(write) = &mut step.kind else { continue };
        let WriteKind::Insert(insert) = &write.kind else { continue };
        let inserted = |name: &&str| (blog.field(name), Assignment::Inserted);
        let conflict = Conflict {
            key: vec![blog.field("post.id")],
            assignments: assigned.iter().map(inserted).collect(),
            filter: Filter::all(),
        };
        write.kind = WriteKind::Upsert { insert: insert.clone(), conflict };
    }
    request
}

#[test]
fn an_upsert_needs_what_an_insert_and_an_update_need() {
    let blog = Blog::new();
    let one = |names: &[&str], assigned: &[&str]| {
        blog.authorized(&author(), upsert(&blog, names, assigned))
    };
    let text = one(&["post.headline"], &["post.headline"]);
    let parts = [
        "upsert post [headline, author_id], same if equal in [id]",
        "row 1, claim user",
        "the same row is updated if author_id = claim user and \
         (author_id = claim user or status = \"public\")",
        "require a row, otherwise refused \"You may not update the row of `post` that has this key.\"",
    ];
    for part in parts {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let both = one(&["post.headline", "post.id"], &["post.headline", "post.status"]);
    assert_eq!(both, "You may not insert `post.id`.\nYou may not update `post.status`.\n");
    let blog = Blog::under(CHECKED);
    let text = blog.authorized(
        &json!({ "role": "author", "user": 7 }),
        upsert(&blog, &["post.headline"], &["post.headline"]),
    );
    assert!(text.contains("You may not upsert rows of `post` with these values."), "{text}");
}

#[test]
fn rows_that_were_deleted_are_shown_as_they_were_seen() {
    const RULES: &str = r#"
[rules.ids]
entity = "post"
read = { rows = { none = { post_tag = {} } }, columns = ["id", "headline"] }
delete = {}
[rules.status]
entity = "post"
read = { rows = { some = { post_tag = {} } }, columns = ["id", "status"] }
[roles.deleter]
rules = ["ids"]
[roles.author]
rules = ["ids", "status"]
"#;
    let blog = Blog::under(RULES);
    let delete = |shown: &str| {
        let kind = WriteKind::Delete { filter: blog.equal("post.id"), at_most: None };
        let write =
            Write { entity: blog.entity("post"), kind, children: Vec::new(), check: Filter::all() };
        change(StepKind::Write(write), blog.fields(&[(&[], shown)]))
    };
    let claims = |role: &str| json!({ "role": role });
    let text = blog.authorized(&claims("deleter"), delete("post.headline"));
    assert!(text.contains("delete post, filter first (no <-post_tag"), "{text}");
    // The rows that decided are not checked after their change.
    assert!(text.contains("read rows 0: rows of step 0 after it\n"), "{text}");
    let text = blog.authorized(&claims("author"), delete("post.status"));
    assert_eq!(text, "You may see `post.status` in some rows only, and cannot use it here.\n");
}
