//! Row limits of lists.

use access::{Authorized, authorize};
use ir::{Aggregate, AggregateFunction, AggregateTerm, BesideRows, Keyset};

use super::*;

const LIMITED: &str = r#"
default_role = "reader"
[rules.people]
entity = "person"
read = { columns = "*", limit = 7 }
[rules.posts]
entity = "post"
read = { columns = "*", limit = 5 }
[rules.own_posts]
entity = "post"
read = { rows = { author_id = { eq = { claim = "user" } } }, columns = "*", limit = 9 }
[rules.hers]
entity = "post"
read = { rows = { author_id = { eq = { claim = "her" } } }, columns = "*" }
[rules.tags]
entity = "tag"
read = { columns = "*" }
[rules.tagging]
entity = "post_tag"
read = { columns = "*", limit = 2 }
[roles.reader]
rules = ["people", "posts", "tags", "tagging"]
functions = "*"
[roles.author]
inherits = ["reader"]
rules = ["own_posts", "hers"]
[roles.admin]
all = true
"#;

fn posts(blog: &Blog, id: u32, outputs: Vec<Output>) -> Rows {
    rows(id, From::Entity(blog.entity("post")), outputs)
}

/// The first line of the authorized rows.
fn line(blog: &Blog, claims: &Json, rows: Rows) -> String {
    let text = blog.authorized(claims, read(rows));
    text.lines().nth(1).unwrap_or(&text).trim().to_owned()
}

fn offset(limit: Option<Operand>) -> Page {
    Page::Offset { limit, offset: None, look_ahead: false }
}

fn number(number: i64) -> Operand {
    Operand::Constant(Value::Integer(number))
}

#[test]
fn the_page_is_cut_to_the_limit_of_the_rule() {
    let blog = Blog::under(LIMITED);
    let check = |page: Page, expected: &str| {
        let mut rows = posts(&blog, 0, Vec::new());
        rows.page = page;
        let found = line(&blog, &json!({}), rows);
        assert_eq!(found, format!("step 0 of root 0: read rows 0: entity post, page {expected}"));
    };
    check(Page::All, "limit at most 5 + look-ahead");
    check(offset(Some(number(3))), "limit 3, at most 5");
    let keyset = |limit, from_end| {
        let (after, before, offset, look_ahead) = (None, None, None, false);
        Page::Keyset(Keyset { after, before, limit, offset, from_end, look_ahead })
    };
    check(keyset(Some(number(3)), true), "limit 3, at most 5 from the end");
    check(keyset(None, false), "limit at most 5 + look-ahead");
    let key = vec![(blog.field("post.id"), number(1))];
    let after = BesideRows { after: Some(key), ..BesideRows::default() };
    let after = Page::BesideRows(Box::new(after));
    check(after, "limit at most 5 after the row (id = 1) + look-ahead");
}

#[test]
fn of_several_rules_the_largest_limit_counts() {
    let blog = Blog::under(LIMITED);
    let page = |claims: Json| {
        let line = line(&blog, &claims, posts(&blog, 0, Vec::new()));
        line.split_once("page ").map(|(_, page)| page.to_owned())
    };
    let limit = |most: u8| Some(format!("limit at most {most} + look-ahead"));
    assert_eq!(page(json!({ "role": "reader" })), limit(5));
    assert_eq!(page(json!({ "role": "author", "user": 1 })), limit(9));
    // A rule that permits no row has no limit to give, and one without a limit lifts all.
    assert_eq!(page(json!({ "role": "author" })), limit(5));
    assert_eq!(page(json!({ "role": "author", "her": 1 })), None);
    assert_eq!(page(json!({ "role": "admin" })), None);
}

#[test]
fn related_rows_are_cut_for_each_row() {
    let blog = Blog::under(LIMITED);
    let related = |id, from, output| {
        let rows = Box::new(rows(id, from, Vec::new()));
        Output { id: OutputId(output), kind: OutputKind::Related { path: Vec::new(), rows } }
    };
    let (near, far) = (blog.backward("post_tag.post_id"), blog.forward("post_tag.tag_id"));
    let joining = Filter::all();
    let outputs = vec![
        related(1, From::Relation(near), 0),
        related(2, From::Through { near, joining, far }, 1),
        related(3, From::Joining { near, far }, 2),
    ];
    let text = blog.authorized(&json!({}), read(posts(&blog, 0, outputs)));
    let lines: Vec<&str> = text.lines().skip(2).map(str::trim).collect();
    expect_test::expect![[r#"
        #0 related rows 1: relation <-post_tag[post_id], page limit at most 2 + look-ahead
        #1 related rows 2: through <-post_tag[post_id] ->tag[tag_id]
        #2 related rows 3: joining <-post_tag[post_id] ->tag[tag_id], page limit at most 2 + look-ahead"#]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn rows_that_are_found_one_by_one_are_not_cut() {
    let blog = Blog::under(LIMITED);
    let check = |rows: Rows| {
        let line = line(&blog, &json!({}), rows);
        assert!(line.starts_with("step 0") && !line.contains("page"), "{line}");
    };
    check(Rows { single: true, ..posts(&blog, 0, Vec::new()) });
    let keys = vec![(blog.field("post.id"), Operand::List(vec![number(1), number(2)]))];
    let (entity, external) = (blog.entity("post"), Vec::new());
    check(rows(0, From::Keys { entity, keys, external }, Vec::new()));
}

/// Counts and aggregates are over all readable rows: those of a page are of the requested one.
#[test]
fn counts_and_aggregates_are_not_cut() {
    let blog = Blog::under(LIMITED);
    let term = AggregateTerm {
        id: OutputId(1),
        function: AggregateFunction::Count,
        place: None,
        form: Form::Stored,
        once: false,
    };
    let (group_by, having) = (Vec::new(), None);
    let aggregate = Aggregate { paged: true, group_by, having, terms: vec![term] };
    let outputs = outputs([OutputKind::Aggregate(aggregate), OutputKind::Count].into_iter());
    let mut counted = posts(&blog, 0, outputs);
    counted.page = offset(Some(number(8)));
    let mut hidden = counted.clone();
    hidden.shown = false;
    let found = line(&blog, &json!({}), hidden);
    assert!(found.ends_with("page limit 8"), "{found}");
    let set = blog.rules.set(&blog.catalog, None).unwrap();
    let mut request = read(counted);
    let Authorized { limited, .. } = authorize(&blog.catalog, &set, &mut request);
    // There is a limit of the request, which says whether there are more rows.
    assert!(limited.is_empty());
    let StepKind::Read(rows) = &request.transactions[0].steps[0].kind else { panic!() };
    assert_ne!(rows.page, offset(Some(number(8))));
    assert_eq!(rows.page.requested(), offset(Some(number(8))));
}

#[test]
fn a_list_without_a_limit_is_known_to_be_cut() {
    let blog = Blog::under(LIMITED);
    let set = blog.rules.set(&blog.catalog, None).unwrap();
    let limited = |rows: Rows| authorize(&blog.catalog, &set, &mut read(rows)).limited;
    assert_eq!(limited(posts(&blog, 3, Vec::new())).into_iter().collect::<Vec<_>>(), [RowsId(3)]);
    assert!(limited(rows(3, From::Entity(blog.entity("tag")), Vec::new())).is_empty());
}
