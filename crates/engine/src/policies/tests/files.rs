//! Files and roles.

use access::SessionRefusal;
use expect_test::expect;
use ir::Claims;
use serde_json_bytes::{Value as Json, json};

use super::super::{PolicyFile, compile};
use super::{Blog, author, blog, rules};

#[test]
fn roles_with_the_same_rules_share_their_plans() {
    let blog = Blog::new();
    let id = |claims: Json| blog.rules.set(&blog.catalog, Some(&Claims::new(claims))).unwrap().id();
    assert_eq!(id(json!({})), id(json!({ "role": "anonymous", "user": 7 })));
    assert_eq!(id(json!({ "role": "author", "user": 7 })), id(author()));
    assert_ne!(id(json!({ "role": "author" })), id(author()));
    assert_ne!(id(json!({ "role": "nobody" })), id(json!({})));
    assert_eq!(blog.rules.set(&blog.catalog, None).unwrap().id(), id(json!({})));
}

#[test]
fn without_a_default_role_nothing_is_let() {
    let catalog = blog();
    let rules = rules("[roles.admin]\nall = true\n", &catalog);
    assert_eq!(rules.set(&catalog, None).unwrap_err(), SessionRefusal::NoRole);
    let empty = Claims::new(json!({}));
    assert_eq!(rules.set(&catalog, Some(&empty)).unwrap_err(), SessionRefusal::NoRole);
}

#[test]
fn a_file_that_does_not_fit_is_refused_with_its_line() {
    let catalog = blog();
    let check = |text: &str, expected: &str| {
        let problem = match PolicyFile::parse(text) {
            Err(problem) => problem.to_string(),
            Ok(file) => compile(&file, &catalog).unwrap_err().to_string(),
        };
        assert!(problem.contains(expected), "{problem}\n{text}");
    };
    let rule = |line: &str| format!("[rules.r]\nentity = \"post\"\n{line}\n");
    check("roles = 1", "line 1: a table is wanted, not a number");
    check("[rule.x]", "the file has no `rule`");
    check("[rules.r]\nread = {}", "a rule names its `entity`");
    check(&rule("reads = {}"), "line 3: a rule has no `reads`; did you mean `read`?");
    check(&rule("read = { columns = \"id\" }"), "columns are a list of names, or");
    check(&rule("read = { columns = [\"nme\"] }"), "line 3: `post` has no column `nme`");
    check(&rule("read = { rows = { id = 1 } }"), "such as `{ eq = 1 }`");
    check(&rule("read = { rows = { id = { is = 1 } } }"), "a condition on a column has no `is`");
    check(&rule("read = { rows = { id = {} } }"), "a condition on a column is missing");
    check(&rule("read = { rows = { id = { eq = [1] } } }"), "one value is wanted, not a list");
    let misfit =
        "line 3: `id` is compared with a value that it cannot have: an integer of its size";
    check(&rule("read = { rows = { id = { eq = \"abc\" } } }"), misfit);
    check(&rule("read = { rows = { id = { in = [1, \"2\", \"x\"] } } }"), misfit);
    check(&rule("read = { rows = { some = {} } }"), "the related table is missing");
    check(&rule("read = { rows = { some = { tag = {} } } }"), "no relationship leads from `post`");
    check(&rule("insert = { check = true }"), "line 3: a table is wanted");
    check(&rule("update = { check = { nme = { eq = 1 } } }"), "line 3: `post` has no column `nme`");
    check(&rule("read = { check = {} }"), "`read` has no `check`");
    for limit in ["0", "-1", "1.5", "\"1\"", "true"] {
        let line = format!("read = {{ limit = {limit} }}");
        check(&rule(&line), "line 3: a limit is a whole number of rows, 1 or more");
    }
    check(&rule("delete = { limit = 1 }"), "`delete` has no `limit`");
    check("[rules.r]\nentity = \"posts\"", "the source has no table or view `posts`");
    check("[roles.a]\nrules = [\"x\"]", "there is no rule `x`");
    check("[roles.a]\ninherits = [\"x\"]", "there is no role `x`");
    check("[roles.a]\ninherits = [\"b\"]\n[roles.b]\ninherits = [\"a\"]", "inherits from itself");
    check("[roles.a]\nfunctions = [\"x\"]", "the source has no function `x`");
    check("default_role = \"a\"", "there is no role `a`");
    let person = "[rules.r]\nentity = \"person\"\nread = { rows = { some = { person = {} } } }";
    check(person, "several relationships lead from `person` to `person`");
}

#[test]
fn everything_that_is_wrong_with_a_file_is_told_at_once() {
    let catalog = blog();
    let text = r#"
defualt_role = "a"
[rules.r]
entity = "post"
read = { colums = "*", rows = { id = { eqq = 1, lt = [2] } } }
delete = { rows = 1 }
[rules.s]
update = { columns = 1 }
[roles.a]
al = true
"#;
    let problems = PolicyFile::parse(text).unwrap_err();
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    expect![[r#"
        line 2: the file has no `defualt_role`; did you mean `default_role`?
        line 5: `read` has no `colums`; did you mean `columns`?
        line 5: a condition on a column has no `eqq`; did you mean `eq`?
        line 5: one value is wanted, not a list
        line 6: a table is wanted, not a number
        line 7: a rule names its `entity`: a table or a view of the source
        line 8: columns are a list of names, or `"*"`
        line 10: a role has no `al`; did you mean `all`?"#]]
    .assert_eq(&problems.join("\n"));
    let text = r#"
default_role = "b"
[rules.r]
entity = "post"
read = { columns = ["id", "hedline"], rows = { athor_id = { eq = 1 } } }
insert = { presets = { nobody = 1 } }
[rules.s]
entity = "persn"
[roles.a]
rules = ["r", "t"]
inherits = ["c"]
functions = ["f"]
"#;
    let problems = compile(&PolicyFile::parse(text).unwrap(), &catalog).unwrap_err();
    let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
    expect![[r#"
        line 1: `default_role`: there is no role `b` (did you mean `a`?)
        line 5: `post` has no column `athor_id` (did you mean `author_id`?)
        line 5: `post` has no column `hedline` (did you mean `headline`?)
        line 6: `post` has no column `nobody`
        line 7: the source has no table or view `persn` (did you mean `person`?)
        line 9: the source has no function `f`
        line 9: there is no role `c` to inherit from (did you mean `a`?)
        line 9: there is no rule `t` (did you mean `r`?)"#]]
    .assert_eq(&problems.join("\n"));
}

#[test]
fn a_relationship_to_the_table_itself_says_its_way() {
    let catalog = blog();
    let text = "[rules.r]\nentity = \"person\"\nread = { rows = { some = { \"<-person\" = {} } } }";
    assert!(compile(&PolicyFile::parse(text).unwrap(), &catalog).is_ok());
}
