//! Authorization: unauthorized fields are not fetched, and are null with one error.

use super::*;
use crate::access::Access;
use crate::test_supergraph::{guarded, planned_for};

fn nobody() -> Access {
    Access::default()
}

fn somebody(scopes: &[&str], policies: &[&str]) -> Access {
    let all = |names: &[&str]| names.iter().map(|name| Box::from(*name)).collect();
    Access { is_authenticated: true, scopes: all(scopes), policies: all(policies) }
}

/// The requests sent, and the response with its errors.
#[track_caller]
fn check_for(access: &Access, text: &str, answers: &[(&str, &str)], expected: &Expect) {
    let planned = planned_for(guarded(), text, "{}", &Labels::default(), access).unwrap();
    let (answer, sent) = run(&planned, answers, Options::default());
    expected.assert_eq(&format!("{sent}{answer}"));
}

#[test]
fn nobody_is_asked_for_what_is_denied() {
    check_for(
        &nobody(),
        "{ me { name } version }",
        &[("blog", r#"{"data":{"version":"1"}}"#)],
        &expect![[r#"
            blog {"query":"{version}","variables":{}}
            {"me":null,"version":"1"}
            .me: Query.me is denied at 1:3"#]],
    );
    check_for(
        &nobody(),
        "{ me { name } }",
        &[],
        &expect![[r#"
        {"me":null}
        .me: Query.me is denied at 1:3"#]],
    );
    check_for(
        &somebody(&[], &[]),
        "{ me { name } }",
        &[("people", r#"{"data":{"me":{"name":"Ann"}}}"#)],
        &expect![[r#"
            people {"query":"{me{name}}","variables":{}}
            {"me":{"name":"Ann"}}"#]],
    );
}

#[test]
fn a_denied_field_is_told_once_at_its_first_place_whatever_it_is_called() {
    check_for(
        &somebody(&[], &[]),
        "{ users { name mail: email again: email } }",
        &[("people", r#"{"data":{"users":[{"name":"Ann"},{"name":"Bob"}]}}"#)],
        &expect![[r#"
            people {"query":"{users{name}}","variables":{}}
            {"users":[{"name":"Ann","mail":null,"again":null},{"name":"Bob","mail":null,"again":null}]}
            .users[0].mail: User.email is denied at 1:16
            .users[0].again: User.email is denied at 1:28"#]],
    );
    check_for(
        &somebody(&["read:email"], &[]),
        "{ users { mail: email } }",
        &[("people", r#"{"data":{"users":[{"email":"a@b"}]}}"#)],
        &expect![[r#"
            people {"query":"{users{email}}","variables":{}}
            {"users":[{"mail":"a@b"}]}"#]],
    );
    // Without unauthorized types nothing is denied.
    check_for(
        &somebody(&[], &[]),
        "{ users { name email } }",
        &[("people", r#"{"data":{"users":[]}}"#)],
        &expect![[r#"
            people {"query":"{users{name}}","variables":{}}
            {"users":[]}"#]],
    );
}

#[test]
fn a_denied_value_that_may_not_be_null_takes_its_object_with_it() {
    check_for(
        &somebody(&["the", "billing", "team"], &["the"]),
        "{ user(id: 1) { name card } version }",
        &[
            ("people", r#"{"data":{"user":{"name":"Ann"}}}"#),
            ("blog", r#"{"data":{"version":"1"}}"#),
        ],
        &expect![[r#"
            blog {"query":"{version}","variables":{}}
            people {"query":"{user(id:\"1\"){name}}","variables":{}}
            {"user":null,"version":"1"}
            .user.card: User.card is denied at 1:22"#]],
    );
    check_for(
        &somebody(&[], &["the billing team"]),
        "{ user(id: 1) { name card } }",
        &[("people", r#"{"data":{"user":{"name":"Ann","card":"12"}}}"#)],
        &expect![[r#"
            people {"query":"{user(id:\"1\"){name card}}","variables":{}}
            {"user":{"name":"Ann","card":"12"}}"#]],
    );
}

#[test]
fn scalars_and_enums_are_guarded_where_they_are_given() {
    check_for(
        &nobody(),
        "{ secret user(id: 1) { level id } }",
        &[("people", r#"{"data":{"user":{"id":"1"}}}"#)],
        &expect![[r#"
            people {"query":"{user(id:\"1\"){id}}","variables":{}}
            {"secret":null,"user":{"level":null,"id":"1"}}
            .secret: Query.secret is denied at 1:3
            .user.level: User.level is denied at 1:24"#]],
    );
}

#[test]
fn what_only_finds_something_else_is_asked_for_all_the_same() {
    check_for(
        &nobody(),
        "{ user(id: 1) { score email } }",
        &[
            ("people", r#"{"data":{"user":{"id":"1","email":"a@b"}}}"#),
            ("blog", r#"{"data":{"_entities":[{"score":3}]}}"#),
        ],
        &expect![[r#"
            people {"query":"{user(id:\"1\"){id email}}","variables":{}}
            blog {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on User{score}}}","variables":{"representations0":[{"__typename":"User","id":"1","email":"a@b"}]}}
            {"user":{"score":3,"email":null}}
            .user.email: User.email is denied at 1:23"#]],
    );
}

#[test]
fn of_an_interface_nothing_is_shown_if_one_of_its_types_is_guarded() {
    let posts = r#"{"data":{"posts":[{"__typename":"PublicPost","id":"1","title":"A"},{"__typename":"PrivatePost","id":"2","title":"B"}]}}"#;
    check_for(
        &nobody(),
        "{ posts { id title } }",
        &[("blog", posts)],
        &expect![[r#"
        {"posts":null}
        .posts: Query.posts is denied at 1:3"#]],
    );
    check_for(
        &somebody(&[], &[]),
        "{ posts { id title } }",
        &[("blog", posts)],
        &expect![[r#"
        blog {"query":"{posts{__typename id title}}","variables":{}}
        {"posts":[{"id":"1","title":"A"},{"id":"2","title":"B"}]}"#]],
    );
    // Also in a fragment.
    check_for(
        &nobody(),
        "{ posts { __typename ... on Post { title } } }",
        &[("blog", posts)],
        &expect![[r#"
            blog {"query":"{posts{__typename}}","variables":{}}
            {"posts":[{"__typename":"PublicPost","title":null},{"__typename":"PrivatePost","title":null}]}
            .posts[0].title: Post.title is denied at 1:36"#]],
    );
}

#[test]
fn types_that_are_asked_for_by_name_are_denied_one_by_one() {
    let posts = r#"{"data":{"posts":[{"__typename":"PublicPost","title":"A"},{"__typename":"PrivatePost"}]}}"#;
    check_for(
        &nobody(),
        "{ posts { ... on PublicPost { title } ... on PrivatePost { title reason } } }",
        &[("blog", posts)],
        &expect![[r#"
            blog {"query":"{posts{__typename...on PublicPost{title}}}","variables":{}}
            {"posts":[{"title":"A"},{"title":null,"reason":null}]}
            .posts[1].title: PrivatePost.title is denied at 1:60
            .posts[1].reason: PrivatePost.reason is denied at 1:66"#]],
    );
    let found = r#"{"data":{"found":[{"__typename":"PrivatePost"},{"__typename":"User","id":"1"},{"__typename":"PublicPost","id":"2"}]}}"#;
    check_for(
        &nobody(),
        "{ found { __typename ... on PrivatePost { id } ... on User { id } ... on PublicPost { id } } }",
        &[("blog", found)],
        &expect![[r#"
            blog {"query":"{found{__typename...on User{id}...on PublicPost{id}}}","variables":{}}
            {"found":null}
            .found[0].id: PrivatePost.id is denied at 1:43"#]],
    );
    check_for(
        &nobody(),
        "{ found { ... on Post { title } ... on User { id } } }",
        &[("blog", found)],
        &expect![[r#"
            blog {"query":"{found{__typename...on User{id}}}","variables":{}}
            {"found":[{"title":null},{"id":"1"},{"title":null}]}
            .found[0].title: Post.title is denied at 1:25"#]],
    );
}

#[test]
fn a_field_of_an_interface_is_denied_for_all_types_if_it_is_for_one() {
    let notes = r#"{"data":{"notes":[{"__typename":"Memo","text":"A","by":{"id":"1","_1_id":"1"}},{"__typename":"Letter"}]}}"#;
    check_for(
        &nobody(),
        "{ notes { text __typename } }",
        &[("blog", notes)],
        &expect![[r#"
        blog {"query":"{notes{__typename}}","variables":{}}
        {"notes":[{"text":null,"__typename":"Memo"},{"text":null,"__typename":"Letter"}]}
        .notes[0].text: Note.text is denied at 1:11"#]],
    );
    check_for(
        &nobody(),
        "{ notes { text by { id } ... on Memo { text by { id same: id } } } }",
        &[("blog", notes)],
        &expect![[r#"
            blog {"query":"{notes{__typename...on Memo{text by{id _1_id:id}}}}","variables":{}}
            {"notes":[{"text":"A","by":{"id":"1","same":"1"}},{"text":null,"by":null}]}
            .notes[1].text: Note.text is denied at 1:11
            .notes[1].by: Note.by is denied at 1:16"#]],
    );
}

#[test]
fn a_change_that_is_denied_is_not_made() {
    let forgotten = ("people", r#"{"data":{"forget":true}}"#);
    check_for(
        &somebody(&["write"], &[]),
        "mutation { remove(id: 1) forget(id: 1) }",
        &[forgotten],
        &expect![[r#"
            people {"query":"mutation{forget(id:\"1\")}","variables":{}}
            {"remove":null,"forget":true}
            .remove: Mutation.remove is denied at 1:12"#]],
    );
    for scopes in [&["posts", "write"][..], &["admin"]] {
        check_for(
            &somebody(scopes, &[]),
            "mutation { remove(id: 1) }",
            &[("blog", r#"{"data":{"remove":true}}"#)],
            &expect![[r#"
                blog {"query":"mutation{remove(id:\"1\")}","variables":{}}
                {"remove":true}"#]],
        );
    }
}

#[test]
fn the_schema_is_for_everybody() {
    let text = "{ __typename __schema { queryType { name } } me { id } }";
    let planned = planned_for(guarded(), text, "{}", &Labels::default(), &nobody()).unwrap();
    let (answer, sent) = run(&planned, &[], Options::default());
    expect![[r#"
        {"__typename":"Query","__schema":null,"me":null}
        .me: Query.me is denied at 1:46"#]]
    .assert_eq(&format!("{sent}{answer}"));
}

#[test]
fn what_is_skipped_is_not_denied() {
    check_for(
        &nobody(),
        "{ posts { id @skip(if: true) ... on PublicPost { title } } me @include(if: false) { id } }",
        &[("blog", r#"{"data":{"posts":[{"__typename":"PublicPost","title":"A"}]}}"#)],
        &expect![[r#"
            blog {"query":"{posts{__typename...on PublicPost{title}}}","variables":{}}
            {"posts":[{"title":"A"}]}"#]],
    );
}

#[test]
fn that_something_is_missing_is_told_of_the_types_that_have_it() {
    check_for(
        &nobody(),
        "{ readers { nick ... on Child { age } } }",
        &[
            ("blog", r#"{"data":{"readers":[{"nick":"A","id":"1"},{"nick":"B","id":"2"}]}}"#),
            ("people", r#"{"data":{"_entities":[{"__typename":"Adult"},{"__typename":"Child"}]}}"#),
        ],
        &expect![[r#"
            blog {"query":"{readers{nick id}}","variables":{}}
            people {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){__typename}}","variables":{"representations0":[{"__typename":"Reader","id":"1"},{"__typename":"Reader","id":"2"}]}}
            {"readers":[{"nick":"A"},{"nick":"B","age":null}]}
            .readers[1].age: Child.age is denied at 1:33"#]],
    );
}

#[test]
fn where_all_is_denied_it_is_only_asked_whether_there_is_an_object() {
    check_for(
        &nobody(),
        "{ user(id: 1) { level posts { title } email } }",
        &[("people", r#"{"data":{"user":{"__typename":"User"}}}"#)],
        &expect![[r#"
            people {"query":"{user(id:\"1\"){__typename}}","variables":{}}
            {"user":{"level":null,"posts":null,"email":null}}
            .user.level: User.level is denied at 1:17
            .user.posts: User.posts is denied at 1:23
            .user.email: User.email is denied at 1:39"#]],
    );
    check_for(
        &nobody(),
        "{ user(id: 1) { level email } }",
        &[("people", r#"{"data":{"user":null}}"#)],
        &expect![[r#"
            people {"query":"{user(id:\"1\"){__typename}}","variables":{}}
            {"user":null}"#]],
    );
}

#[test]
fn fragments_within_fragments_hide_nothing_from_the_guards() {
    let posts = r#"{"data":{"posts":[{"__typename":"PrivatePost","title":"X","author":{"id":"9"}},{"__typename":"PublicPost","title":"A","author":{"id":"7"}}]}}"#;
    for text in [
        "{ posts { ...A } } fragment A on Post { ...B } fragment B on Post { ... { title } }",
        "{ posts { ... on Found { ... on Post { title } } } }",
    ] {
        let planned = planned_for(guarded(), text, "{}", &Labels::default(), &nobody()).unwrap();
        let (answer, sent) = run(&planned, &[("blog", posts)], Options::default());
        assert_eq!(sent, "blog {\"query\":\"{posts{__typename}}\",\"variables\":{}}\n", "{text}");
        assert!(!answer.contains('X') && answer.contains("is denied"), "{answer}");
    }
    check_for(
        &nobody(),
        "{ posts { ... on PublicPost { title author { id } } ... on PrivatePost { author { id } title } } }",
        &[("blog", posts)],
        &expect![[r#"
            blog {"query":"{posts{__typename...on PublicPost{title author{id}}}}","variables":{}}
            {"posts":[{"author":null,"title":null},{"title":"A","author":{"id":"7"}}]}
            .posts[0].author: PrivatePost.author is denied at 1:74
            .posts[0].title: PrivatePost.title is denied at 1:88"#]],
    );
}

#[test]
fn what_a_change_gives_is_guarded_as_well() {
    check_for(
        &nobody(),
        "mutation { publish(id: 1) { author { email posts { title } name } } }",
        &[
            ("blog", r#"{"data":{"publish":{"author":{"id":"1"}}}}"#),
            ("people", r#"{"data":{"_entities":[{"name":"Ann"}]}}"#),
        ],
        &expect![[r#"
            blog {"query":"mutation{publish(id:\"1\"){author{id}}}","variables":{}}
            people {"query":"query($representations0:[_Any!]!){_entities(representations:$representations0){...on User{name}}}","variables":{"representations0":[{"__typename":"User","id":"1"}]}}
            {"publish":{"author":{"email":null,"posts":null,"name":"Ann"}}}
            .publish.author.email: User.email is denied at 1:38
            .publish.author.posts: User.posts is denied at 1:44"#]],
    );
}
