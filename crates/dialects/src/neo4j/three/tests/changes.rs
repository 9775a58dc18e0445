use expect_test::expect;

use super::check;

#[test]
fn changes_are_refused_until_they_are_what_they_are_there() {
    check(
        "mutation { deleteMovies { nodesDeleted } }",
        &expect![[r#"
        refused A change through the API of version 3 is not served yet.
    "#]],
    );
}
