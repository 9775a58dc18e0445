//! Tests of reading.

use ir::{Filter, From, Output, OutputId, OutputKind, Quantifier, ValueRef, Variant};
use serde_json_bytes::json;

use super::{Blog, anonymous, author, ordered, read, rows};

#[test]
fn what_no_rule_lets_is_refused() {
    let blog = Blog::new();
    let people = |name| {
        let from = From::Entity(blog.entity("person"));
        read(rows(0, from, blog.fields(&[(&[], "person.id"), (&[], name)])))
    };
    blog.check(
        &anonymous(),
        people("person.name"),
        "transaction, snapshot
          step 0 of root 0: read rows 0: entity person
            #0 field id
            #1 field name",
    );
    blog.check(&anonymous(), people("person.mail"), "You may not read `person.mail`.");
    blog.check(
        &json!({ "role": "nobody" }),
        people("person.name"),
        "You may not read rows of `person`.
         You may not read `person.id`.
         You may not read `person.name`.",
    );
    blog.check(&json!({ "role": "other" }), people("person.name"), "UnknownRole");
    blog.check(&json!({ "role": ["admin"] }), people("person.name"), "UnknownRole");
    blog.check(
        &json!({ "role": "admin" }),
        people("person.mail"),
        "transaction, snapshot
          step 0 of root 0: read rows 0: entity person
            #0 field id
            #1 field mail",
    );
}

#[test]
fn rules_add_up_in_rows_and_not_in_fields() {
    let blog = Blog::new();
    let mut people =
        rows(0, From::Entity(blog.entity("person")), blog.fields(&[(&[], "person.mail")]));
    people.filter = blog.equal("person.mail");
    people.order = vec![ordered(ValueRef::field(blog.field("person.mail")))];
    blog.check(
        &author(),
        read(people),
        "transaction, snapshot
          step 0 of root 0: read rows 0: entity person, filter (mail if id = claim user) = 1, \
          order (mail if id = claim user) asc nulls last
            #0 field mail if id = claim user",
    );
}

#[test]
fn a_claim_that_is_missing_lets_nothing() {
    let blog = Blog::new();
    let posts =
        || read(rows(0, From::Entity(blog.entity("post")), blog.fields(&[(&[], "post.headline")])));
    let expected = "transaction, snapshot
          step 0 of root 0: read rows 0: entity post, filter none or status = \"public\"
            #0 field headline";
    blog.check(&json!({ "role": "author" }), posts(), expected);
    blog.check(&json!({ "role": "author", "user": null }), posts(), expected);
    blog.check(
        &author(),
        posts(),
        "transaction, snapshot
          step 0 of root 0: read rows 0: entity post, filter author_id = claim user or status = \"public\"
            #0 field headline",
    );
}

#[test]
fn rows_that_may_not_be_seen_are_absent_on_every_way_to_them() {
    let blog = Blog::new();
    let of_post = blog.forward("post_tag.post_id");
    let mut tagging = rows(
        0,
        From::Entity(blog.entity("post_tag")),
        blog.fields(&[(&[of_post], "post.headline"), (&[], "post_tag.tag_id")]),
    );
    tagging.order =
        vec![ordered(ValueRef::Field { path: vec![of_post], field: blog.field("post.status") })];
    blog.check(
        &anonymous(),
        read(tagging),
        "transaction, snapshot
          step 0 of root 0: read rows 0: entity post_tag, filter post_id > 0, order ->post[post_id].status asc nulls last
            #0 field ->post[post_id].headline
            #1 field tag_id
            #9 present ->post[post_id] if status = \"public\"",
    );
}

#[test]
fn conditions_on_related_rows_look_at_those_that_may_be_seen() {
    let blog = Blog::new();
    let people = |quantifier| {
        let mut people =
            rows(0, From::Entity(blog.entity("person")), blog.fields(&[(&[], "person.id")]));
        people.filter = Filter::Relation {
            hop: blog.backward("post.author_id"),
            quantifier,
            filter: Box::new(blog.equal("post.headline")),
        };
        read(people)
    };
    let authorized = |quantifier| blog.authorized(&anonymous(), people(quantifier));
    let some = authorized(Quantifier::Some);
    assert!(some.contains("first (status = \"public\") then (headline = 1)"), "{some}");
    let every = authorized(Quantifier::Every);
    assert!(every.contains("no <-post") && every.contains("not (headline = 1)"), "{every}");
    assert!(every.contains("first (status = \"public\") then"), "{every}");
}

#[test]
fn joining_rows_have_their_own_condition() {
    let blog = Blog::new();
    let (near, far) = (blog.backward("post_tag.post_id"), blog.forward("post_tag.tag_id"));
    let through = From::Through { near, joining: Filter::all(), far };
    let tags = rows(1, through, blog.fields(&[(&[], "tag.word")]));
    let related = OutputKind::Related { path: Vec::new(), rows: Box::new(tags) };
    let posts =
        rows(0, From::Entity(blog.entity("post")), vec![Output { id: OutputId(3), kind: related }]);
    let text = blog.authorized(&anonymous(), read(posts));
    assert!(text.contains("with post_id > 0"), "{text}");
}

#[test]
fn of_several_entities_each_has_its_own_rule() {
    let blog = Blog::new();
    let variant = |name: &str, own: &str, common: &str| Variant {
        entity: blog.entity(name),
        hop: None,
        through: None,
        filter: blog.equal(own),
        common: vec![blog.field(common)],
        outputs: blog.fields(&[(&[], own)]),
    };
    let posts_and = |other: Variant| {
        let post = variant("post", "post.headline", "post.status");
        let mut both = rows(0, From::Variants(vec![post, other]), Vec::new());
        both.order = vec![ordered(ValueRef::Common(0))];
        both
    };
    let tags = || posts_and(variant("tag", "tag.word", "tag.id"));
    blog.check(
        &anonymous(),
        read(tags()),
        "transaction, snapshot
          step 0 of root 0: read rows 0: variants, order common 0 asc nulls last
            variant post, filter first (status = \"public\") then (headline = 1), common [status]
              #0 field headline
            variant tag, filter word = 1, common [id]
              #0 field word",
    );
    // A field that is visible in some rows only orders none.
    let people = posts_and(variant("person", "person.name", "person.mail"));
    blog.check(
        &author(),
        read(people),
        "You may see `person.mail` in some rows only, and cannot use it here.",
    );
    let joins = posts_and(variant("post_tag", "post_tag.tag_id", "post_tag.tag_id"));
    let mut joined = joins.clone();
    joined.from = From::Variants(vec![variant("post_tag", "post_tag.tag_id", "post_tag.tag_id")]);
    blog.check(&json!({ "role": "nobody" }), read(joins), "You may not read rows of `post`.");
    blog.check(&json!({ "role": "nobody" }), read(joined), "You may not read rows of `post_tag`.");
}

#[test]
fn an_entity_without_a_rule_has_no_rows_among_several() {
    let blog = Blog::under(
        "default_role = \"reader\"
        [rules.tags]
        entity = \"tag\"
        read = { columns = \"*\", limit = 4 }
        [roles.reader]
        rules = [\"tags\"]",
    );
    let variant = |name: &str, field: &str| Variant {
        entity: blog.entity(name),
        hop: None,
        through: None,
        filter: Filter::all(),
        common: Vec::new(),
        outputs: blog.fields(&[(&[], field)]),
    };
    let variants = vec![variant("post", "post.headline"), variant("tag", "tag.word")];
    blog.check(
        &json!({}),
        read(rows(0, From::Variants(variants), Vec::new())),
        "transaction, snapshot
          step 0 of root 0: read rows 0: variants, page limit at most 4 + look-ahead
            variant post, filter none
            variant tag
              #0 field word",
    );
}

#[test]
fn what_is_not_understood_is_refused() {
    let blog = Blog::new();
    let mut variants = rows(0, From::Variants(Vec::new()), Vec::new());
    variants.filter = blog.equal("post.id");
    assert!(blog.authorized(&anonymous(), read(variants)).contains("several entities"));
    // A join would be missing for the row of the condition.
    let mut tagging = rows(0, From::Entity(blog.entity("post")), Vec::new());
    let place = ValueRef::Field {
        path: vec![blog.forward("post_tag.post_id")],
        field: blog.field("post.status"),
    };
    tagging.filter = Filter::Relation {
        hop: blog.backward("post_tag.post_id"),
        quantifier: Quantifier::Some,
        filter: Box::new(Filter::IsNull(place)),
    };
    let text = blog.authorized(&anonymous(), read(tagging));
    assert!(text.contains("a related row within a condition"), "{text}");
}
