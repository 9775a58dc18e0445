//! Changes that return the nodes which they touch.

use cypher::Flavor;
use expect_test::{Expect, expect};

use super::model::Movies;
use super::writes;

fn check(name: &str, expect: &Expect) {
    let movies = Movies::new();
    let case = writes::cases(&movies).into_iter().find(|case| case.name == name).unwrap();
    let program = movies.compile_touched(&case.request, Flavor::NEWEST);
    let statements = program.statements().map(|statement| {
        let text = statement.text.strip_prefix("CYPHER 5 ").unwrap();
        format!("{text}\ncolumn {}\n", statement.touched.unwrap())
    });
    expect.assert_eq(&statements.collect::<String>());
}

#[test]
fn new_nodes_are_returned_beside_the_rows() {
    check(
        "one",
        &expect![[r#"
        CREATE (t0:`Movie` {`id`: randomUUID(), `title`: $p0}) WITH collect(t0) AS c0, collect({`i`: id(t0), `l`: labels(t0), `n`: t0}) AS c1 CALL (c0) { UNWIND c0 AS t1 CALL (t1) { MATCH (t1)<-[:`ACTED_IN`]-(t2:`Person`) WITH DISTINCT t2 RETURN collect([t2.`name`]) AS c2 } RETURN collect([t1.`title`, c2]) AS c3 } RETURN c3, [timestamp(), [x0 IN c1 | [x0.`i`, x0.`l`, x0.`b`, CASE WHEN x0.`n` IS NULL THEN NULL ELSE properties(x0.`n`) END]]] AS c4
        column 1
    "#]],
    );
}

#[test]
fn properties_are_read_before_they_are_set() {
    check(
        "update along relationships",
        &expect![[r#"
        MATCH (t0:`Movie`) WHERE t0.`id` = $p0 WITH collect(t0) AS c0 CALL (c0) { UNWIND c0 AS t1 MATCH (t1)<-[t2:`ACTED_IN`]-(t3:`Person`) WHERE t3.`name` = $p1 WITH t2, t3, properties(t3) AS c1 SET t3.`name` = $p2, t2.`role` = $p3 RETURN collect({`i`: id(t3), `l`: labels(t3), `n`: t3, `b`: c1}) AS c2 } CALL (c0) { UNWIND c0 AS t4 MATCH (t4)<-[t5:`ACTED_IN`]-(t6:`Person`) WHERE t6.`name` = $p4 DELETE t5 RETURN collect(DISTINCT t6) AS c3 } CALL (c3) { UNWIND c3 AS t7 MATCH (t7)-[t8:`KNOWS`]-(t9:`Person`) DELETE t8 } CALL (c0) { UNWIND c0 AS t10 MATCH (t11:`Person`) WHERE t11.`name` = $p5 CREATE (t10)<-[:`ACTED_IN` {`role`: $p6}]-(t11) } CALL (c0) { UNWIND c0 AS t12 CREATE (t12)<-[:`ACTED_IN`]-(t13:`Person` {`name`: $p7}) RETURN collect({`i`: id(t13), `l`: labels(t13), `n`: t13}) AS c4 } CALL (c0) { UNWIND c0 AS t14 MATCH (t14)<-[t15:`ACTED_IN`]-(t16:`Person`) WHERE t16.`name` = $p8 RETURN collect(DISTINCT t16) AS c5, collect({`i`: id(t16), `l`: labels(t16), `b`: properties(t16)}) AS c6 } CALL (c5) { UNWIND c5 AS t17 DETACH DELETE t17 } CALL (c0) { UNWIND c0 AS t18 RETURN collect([t18.`title`]) AS c7 } RETURN c7, [timestamp(), [x0 IN c2 + c4 + c6 | [x0.`i`, x0.`l`, x0.`b`, CASE WHEN x0.`n` IS NULL OR x0.`i` IN [x1 IN c6 | x1.`i`] THEN NULL ELSE properties(x0.`n`) END]]] AS c8
        column 1
    "#]],
    );
}

#[test]
fn a_node_of_a_merge_is_new_if_it_did_not_exist() {
    check(
        "relationships once",
        &expect![[r#"
        MATCH (t0:`Movie`) WITH collect(t0) AS c0 CALL (c0) { UNWIND c0 AS t1 MATCH (t2:`Person`) WHERE t2.`name` = $p0 MERGE (t1)<-[t3:`ACTED_IN`]-(t2) SET t3.`role` = $p1 } CALL (c0) { UNWIND c0 AS t4 MATCH (t5:`Person`) WHERE t5.`name` = $p0 MERGE (t4)<-[:`ACTED_IN`]-(t5) } CALL (c0) { UNWIND c0 AS t7 MATCH (t8:`Person`) WHERE t8.`name` = $p2 WITH t7, t8, CASE WHEN EXISTS { MATCH (t7)<-[:`ACTED_IN`]-(t8) } THEN datetime($p3) IS NULL ELSE true END AS c1 WHERE c1 CREATE (t7)<-[:`ACTED_IN` {`role`: $p4}]-(t8) } CALL (c0) { UNWIND c0 AS t9 WITH t9, EXISTS { MATCH (t11:`Person` {`name`: $p5}) } AS c2 MERGE (t10:`Person` {`name`: $p5}) ON CREATE SET t10.`name` = $p6, t10.`born` = $p7 MERGE (t9)<-[t12:`ACTED_IN`]-(t10) ON CREATE SET t12.`role` = $p8 RETURN collect(CASE WHEN c2 THEN NULL ELSE {`i`: id(t10), `l`: labels(t10), `n`: t10} END) AS c3 } CALL (c0) { UNWIND c0 AS t13 WITH t13 WHERE CASE WHEN COUNT { MATCH (t13)<-[:`DIRECTED`]-(t14:`Person`) } <> 1 THEN datetime($p9) IS NULL ELSE true END RETURN count(*) AS c4 } CALL (c0) { UNWIND c0 AS t15 WITH t15 WHERE CASE WHEN COUNT { MATCH (t15)<-[:`DIRECTED`]-(t16:`Person`) } > 1 THEN datetime($p9) IS NULL ELSE true END RETURN count(*) AS c5 } CALL (c0) { UNWIND c0 AS t17 WITH t17 WHERE CASE WHEN COUNT { MATCH (t17)<-[:`DIRECTED`]-(t18:`Person`) } > 0 THEN datetime($p9) IS NULL ELSE true END RETURN count(*) AS c6 } RETURN [timestamp(), [x0 IN c3 | [x0.`i`, x0.`l`, x0.`b`, CASE WHEN x0.`n` IS NULL THEN NULL ELSE properties(x0.`n`) END]]] AS c7
        column 0
    "#]],
    );
}

#[test]
fn deleted_nodes_are_read_before_they_are_deleted() {
    check(
        "delete with others",
        &expect![[r#"
        MATCH (t0:`Movie`) WHERE t0.`id` = $p0 WITH collect(t0) AS c0, collect({`i`: id(t0), `l`: labels(t0), `b`: properties(t0)}) AS c1 CALL (c0) { UNWIND c0 AS t1 MATCH (t1)<-[t2:`ACTED_IN`]-(t3:`Person`) WHERE t3.`name` = $p1 RETURN collect(DISTINCT t3) AS c2, collect({`i`: id(t3), `l`: labels(t3), `b`: properties(t3)}) AS c3 } CALL (c2) { UNWIND c2 AS t4 MATCH (t4)-[t5:`ACTED_IN`]->(t6:`Movie`) RETURN collect(DISTINCT t6) AS c4, collect({`i`: id(t6), `l`: labels(t6), `b`: properties(t6)}) AS c5 } CALL (c4) { UNWIND c4 AS t7 DETACH DELETE t7 } CALL (c2) { UNWIND c2 AS t8 DETACH DELETE t8 } CALL (c0) { UNWIND c0 AS t9 DETACH DELETE t9 } RETURN [timestamp(), [x0 IN c1 + c3 + c5 | [x0.`i`, x0.`l`, x0.`b`, CASE WHEN x0.`n` IS NULL THEN NULL ELSE properties(x0.`n`) END]]] AS c6
        column 0
    "#]],
    );
}
