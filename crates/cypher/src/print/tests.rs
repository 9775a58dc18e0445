use expect_test::{Expect, expect};

use super::print;
use crate::flavor::Flavor;
use crate::tree::{
    Case, Clause, Comparison, Direction, Expression, Function, Labels, Match, Merge, Name,
    NodePattern, Operation, OrderItem, Parameter, Path, Projection, ProjectionItem, Query,
    RelationshipDirection, RelationshipPattern, Removal, Search, SearchIndex, Set, Statement,
    StatementPart, Step, Union, Variable,
};

fn name(name: &str) -> Name {
    Name(name.into())
}

fn node(number: u32, labels: &[&str]) -> NodePattern {
    let labels = match labels {
        [] => Labels::default(),
        _ => Labels::all(labels.iter().map(|label| name(label)).collect()),
    };
    NodePattern { variable: Some(Variable::Element(number)), labels, properties: Vec::new() }
}

fn relationship(number: u32, direction: RelationshipDirection) -> RelationshipPattern {
    let variable = Some(Variable::Element(number));
    RelationshipPattern { variable, r#type: name("ACTED_IN"), direction, properties: Vec::new() }
}

fn variable(number: u32) -> Expression {
    Expression::Variable(Variable::Element(number))
}

fn parameter(number: u16) -> Expression {
    Expression::Parameter(Parameter(number))
}

fn property(number: u32, name: &str) -> Expression {
    Expression::property(Variable::Element(number), name)
}

fn found(path: Path) -> Query {
    Query::of(vec![Match::of(path, None)])
}

fn check(clauses: Vec<Clause>, expect: &Expect) {
    let flavor = Flavor { says_version: false, ..Flavor::NEWEST };
    expect.assert_eq(&print(&Query::of(clauses), &flavor));
}

fn check_expression(expression: Expression, expect: &Expect) {
    let items = vec![ProjectionItem { expression, name: None }];
    check(vec![Clause::Return(Projection { items, ..Projection::default() })], expect);
}

#[test]
fn hostile_names_stay_names() {
    let hostile = ["a`b", "`) DETACH DELETE (n) //", "\\u0060", "\\", "\n", "", "a.b", "Ä $p0"];
    for hostile in hostile {
        let path = Path::node(node(0, &[hostile]));
        let clauses = vec![Match::of(path, Some(property(0, hostile)))];
        let text = print(&Query::of(clauses), &Flavor::NEWEST);
        // The text after the server's replacement of escapes, and the text between the quotes.
        let quoted = hostile.replace('`', "``");
        assert!(!text.contains("\\u0060"), "{text}");
        assert_eq!(
            text.replace("\\u005C", "\\"),
            format!("CYPHER 5 MATCH (t0:`{quoted}`) WHERE t0.`{quoted}`")
        );
    }
}

#[test]
fn patterns_have_labels_directions_and_properties() {
    let step = |number, direction, end| Step {
        relationship: relationship(number, direction),
        node: node(end, &["Person", "Actor"]),
    };
    let mut last = step(5, RelationshipDirection::Either, 6);
    last.relationship.variable = None;
    last.relationship.properties = vec![(name("role"), parameter(0))];
    last.node.labels = Labels(vec![vec![name("Film")], vec![name("A"), name("B")]]);
    let path = Path {
        start: NodePattern { variable: None, ..node(0, &["Movie"]) },
        steps: vec![
            step(1, RelationshipDirection::Left, 2),
            step(3, RelationshipDirection::Right, 4),
            last,
        ],
    };
    check(
        vec![Clause::Match(Match { optional: true, paths: vec![path], filter: None })],
        &expect![[
            r#"OPTIONAL MATCH (:`Movie`)<-[t1:`ACTED_IN`]-(t2:`Person`:`Actor`)-[t3:`ACTED_IN`]->(t4:`Person`:`Actor`)-[:`ACTED_IN` {`role`: $p0}]-(t6:`Film`|(`A`&`B`))"#
        ]],
    );
}

#[test]
fn a_projection_says_its_clauses_in_the_order_of_the_language() {
    let order = vec![
        OrderItem { expression: property(0, "title"), direction: Direction::Descending },
        OrderItem { expression: property(0, "id"), direction: Direction::Ascending },
    ];
    let with = Projection {
        distinct: true,
        items: vec![
            ProjectionItem::variable(Variable::Element(0)),
            ProjectionItem::named(Expression::CountRows, Variable::Column(0)),
        ],
        order,
        skip: Some(parameter(0)),
        limit: Some(parameter(1).compute(Operation::Add, Expression::Integer(1))),
        filter: Some(variable(0).compare(Comparison::Equal, Expression::Null)),
    };
    check(
        vec![Clause::With(with), Clause::Return(Projection::default())],
        &expect![[
            r#"WITH DISTINCT t0, count(*) AS c0 ORDER BY t0.`title` DESC, t0.`id` SKIP $p0 LIMIT $p1 + 1 WHERE t0 = NULL RETURN *"#
        ]],
    );
}

#[test]
fn subqueries_take_their_variables_as_the_server_knows_it() {
    let branch = |number| {
        let along = relationship(7, RelationshipDirection::Left);
        let path = Path::along(Variable::Element(0), along, node(number, &["Film"]));
        vec![Match::of(path, None), Clause::Return(Projection::of([Variable::Element(number)]))]
    };
    let query = Query { branches: vec![branch(1), branch(1)], union: Union::All };
    let scope = vec![Variable::Element(0), Variable::Column(1)];
    let call = |scope| Query::of(vec![Clause::Call { scope, query: query.clone() }]);
    let check = |flavor: (u16, u16), scope, expect: Expect| {
        expect.assert_eq(&print(&call(scope), &Flavor::of_version(flavor.0, flavor.1)));
    };
    check(
        (5, 26),
        scope.clone(),
        expect![[
            r#"CYPHER 5 CALL (t0, c1) { MATCH (t0)<-[t7:`ACTED_IN`]-(t1:`Film`) RETURN t1 UNION ALL MATCH (t0)<-[t7:`ACTED_IN`]-(t1:`Film`) RETURN t1 }"#
        ]],
    );
    check(
        (5, 22),
        scope,
        expect![[
            r#"CALL { WITH t0, c1 MATCH (t0)<-[t7:`ACTED_IN`]-(t1:`Film`) RETURN t1 UNION ALL WITH t0, c1 MATCH (t0)<-[t7:`ACTED_IN`]-(t1:`Film`) RETURN t1 }"#
        ]],
    );
    check(
        (4, 4),
        Vec::new(),
        expect![[
            r#"CALL { MATCH (t0)<-[t7:`ACTED_IN`]-(t1:`Film`) RETURN t1 UNION ALL MATCH (t0)<-[t7:`ACTED_IN`]-(t1:`Film`) RETURN t1 }"#
        ]],
    );
}

#[test]
fn changes_are_said() {
    let (t0, t1) = (Variable::Element(0), Variable::Element(1));
    let set = |of, property: &str, value| Set::Property { of, name: name(property), value };
    let along = relationship(2, RelationshipDirection::Right);
    let mut new = node(0, &["Movie"]);
    new.properties = vec![(name("title"), parameter(0)), (name("year"), parameter(1))];
    check(
        vec![
            Clause::Unwind { list: parameter(3), variable: Variable::Item(0) },
            Clause::Create(vec![Path::node(new)]),
            Clause::Merge(Merge {
                path: Path::along(t0, along, NodePattern::known(t1)),
                on_create: vec![set(t0, "a", parameter(2))],
                on_match: vec![set(t0, "b", Expression::Null)],
            }),
            Clause::Set(vec![
                set(t1, "c", Expression::Boolean(true)),
                Set::Labels { of: t1, labels: vec![name("X"), name("Y")] },
            ]),
            Clause::Remove(vec![
                Removal::Property { of: t1, name: name("c") },
                Removal::Labels { of: t1, labels: vec![name("X")] },
            ]),
            Clause::Delete { detach: false, elements: vec![Variable::Element(2)] },
            Clause::Delete { detach: true, elements: vec![t0, t1] },
        ],
        &expect![[
            r#"UNWIND $p3 AS x0 CREATE (t0:`Movie` {`title`: $p0, `year`: $p1}) MERGE (t0)-[t2:`ACTED_IN`]->(t1) ON CREATE SET t0.`a` = $p2 ON MATCH SET t0.`b` = NULL SET t1.`c` = true, t1:`X`:`Y` REMOVE t1.`c`, t1:`X` DELETE t2 DETACH DELETE t0, t1"#
        ]],
    );
}

#[test]
fn parentheses_stand_where_the_tree_needs_them() {
    let (a, b, c) = (|| variable(0), || variable(1), || variable(2));
    let not = |expression| Expression::Not(Box::new(expression));
    check_expression(
        Expression::And(vec![a(), Expression::Or(vec![b(), not(c())]), not(a())]),
        &expect!["RETURN t0 AND (t1 OR NOT t2) AND NOT t0"],
    );
    check_expression(
        Expression::Or(vec![Expression::And(vec![a(), b()]), Expression::Or(vec![b(), c()])]),
        &expect!["RETURN t0 AND t1 OR (t1 OR t2)"],
    );
    check_expression(
        not(Expression::And(vec![not(a()), a().compare(Comparison::Equal, b())])),
        &expect!["RETURN NOT (NOT t0 AND t0 = t1)"],
    );
    // A chain of comparisons would be a conjunction.
    check_expression(
        a().compare(Comparison::Equal, b()).compare(Comparison::Equal, Expression::Boolean(true)),
        &expect!["RETURN (t0 = t1) = true"],
    );
    check_expression(
        Expression::IsNull(Box::new(a().compare(Comparison::In, b())))
            .compare(Comparison::NotEqual, a().compare(Comparison::Less, c())),
        &expect!["RETURN (t0 IN t1) IS NULL <> (t0 < t2)"],
    );
    check_expression(
        a().compute(Operation::Subtract, b().compute(Operation::Subtract, c()))
            .compute(Operation::Multiply, a().compute(Operation::Divide, b())),
        &expect!["RETURN (t0 - (t1 - t2)) * (t0 / t1)"],
    );
    check_expression(
        a().compute(Operation::Add, b()).compare(Comparison::StartsWith, c()),
        &expect!["RETURN t0 + t1 STARTS WITH t2"],
    );
    check_expression(
        Expression::Property { of: Box::new(a().compute(Operation::Add, b())), name: name("x") },
        &expect!["RETURN (t0 + t1).`x`"],
    );
    check_expression(Expression::And(Vec::new()), &expect!["RETURN true"]);
    check_expression(
        not(Expression::Or(vec![Expression::Or(Vec::new())])),
        &expect!["RETURN NOT false"],
    );
    check_expression(
        not(Expression::And(vec![Expression::Or(vec![a(), b()])])),
        &expect!["RETURN NOT (t0 OR t1)"],
    );
}

#[test]
fn predicates_of_texts_and_values_are_said() {
    let compare = |comparison| variable(0).compare(comparison, parameter(0));
    check_expression(
        Expression::And(vec![
            compare(Comparison::StartsWith),
            compare(Comparison::EndsWith),
            compare(Comparison::Contains),
            compare(Comparison::Matches),
            compare(Comparison::LessOrEqual),
            compare(Comparison::Greater),
            compare(Comparison::GreaterOrEqual),
            Expression::IsNotNull(Box::new(variable(0))),
            Expression::HasLabels {
                node: Variable::Element(0),
                labels: Labels::all(vec![name("A"), name("B")]),
            },
        ]),
        &expect![[
            r#"RETURN t0 STARTS WITH $p0 AND t0 ENDS WITH $p0 AND t0 CONTAINS $p0 AND t0 =~ $p0 AND t0 <= $p0 AND t0 > $p0 AND t0 >= $p0 AND t0 IS NOT NULL AND t0:`A`:`B`"#
        ]],
    );
}

#[test]
fn lists_are_made_and_taken_apart() {
    let (x0, x1) = (Variable::Item(0), Variable::Item(1));
    let item = || Box::new(Expression::Variable(x0));
    let list = || Box::new(property(0, "tags"));
    let is_item = || Expression::Variable(x0).compare(Comparison::Equal, parameter(0));
    let longest =
        Case { branches: vec![(is_item(), Expression::Variable(x1))], otherwise: Some(item()) };
    check_expression(
        Expression::List(vec![
            Expression::Element { list: list(), place: Box::new(Expression::Integer(0)) },
            Expression::Head { list: list(), to: Box::new(parameter(1)) },
            Expression::ListComprehension {
                variable: x0,
                list: list(),
                filter: Some(Box::new(is_item())),
                value: Some(Box::new(Expression::call(Function::ToLower, vec![*item()]))),
            },
            Expression::PatternComprehension {
                path: Path::along(
                    Variable::Element(0),
                    relationship(1, RelationshipDirection::Left),
                    node(2, &["Person"]),
                ),
                filter: Some(Box::new(property(2, "born"))),
                value: Box::new(Expression::Map(vec![(name("a b"), property(2, "name"))])),
            },
            Expression::Any { variable: x0, list: list(), filter: Box::new(is_item()) },
            Expression::Reduce {
                accumulator: x1,
                initial: Box::new(Expression::Null),
                variable: x0,
                list: list(),
                value: Box::new(Expression::Case(longest)),
            },
        ]),
        &expect![[
            r#"RETURN [t0.`tags`[0], t0.`tags`[0..$p1], [x0 IN t0.`tags` WHERE x0 = $p0 | toLower(x0)], [(t0)<-[t1:`ACTED_IN`]-(t2:`Person`) WHERE t2.`born` | {`a b`: t2.`name`}], any(x0 IN t0.`tags` WHERE x0 = $p0), reduce(x1 = NULL, x0 IN t0.`tags` | CASE WHEN x0 = $p0 THEN x1 ELSE x0 END)]"#
        ]],
    );
}

#[test]
fn queries_are_expressions() {
    let path = || {
        let along = relationship(1, RelationshipDirection::Left);
        Path::along(Variable::Element(0), along, NodePattern::default())
    };
    let exists = Expression::Exists(Box::new(found(path())));
    let count = Expression::Count(Box::new(found(path())));
    let mut titles = found(path());
    let title = ProjectionItem::named(property(1, "title"), Variable::Column(0));
    let title = Projection { items: vec![title], ..Projection::default() };
    for branch in &mut titles.branches {
        branch.push(Clause::Return(title.clone()));
    }
    check_expression(
        Expression::And(vec![
            Expression::Not(Box::new(exists)),
            count.compare(Comparison::Equal, Expression::Integer(1)),
            Expression::Element {
                list: Box::new(Expression::Collect(Box::new(titles))),
                place: Box::new(Expression::Integer(0)),
            },
        ]),
        &expect![[
            r#"RETURN NOT EXISTS { MATCH (t0)<-[t1:`ACTED_IN`]-() } AND COUNT { MATCH (t0)<-[t1:`ACTED_IN`]-() } = 1 AND COLLECT { MATCH (t0)<-[t1:`ACTED_IN`]-() RETURN t1.`title` AS c0 }[0]"#
        ]],
    );
}

#[test]
fn functions_have_the_names_of_the_server() {
    let call = |function| Expression::call(function, vec![variable(0)]);
    let functions = [
        Function::Count,
        Function::Collect,
        Function::Sum,
        Function::Average,
        Function::Minimum,
        Function::Maximum,
        Function::Coalesce,
        Function::DateTime,
        Function::Distance,
        Function::RandomUuid,
        Function::Size,
        Function::Time,
        Function::ToLower,
    ];
    let mut list: Vec<Expression> = functions.into_iter().map(call).collect();
    let arguments = vec![variable(0)];
    list.push(Expression::Call { function: Function::Count, distinct: true, arguments });
    check_expression(
        Expression::List(list),
        &expect![[
            r#"RETURN [count(t0), collect(t0), sum(t0), avg(t0), min(t0), max(t0), coalesce(t0), datetime(t0), point.distance(t0), randomUUID(t0), size(t0), time(t0), toLower(t0), count(DISTINCT t0)]"#
        ]],
    );
}

#[test]
fn an_index_gives_nodes_and_their_scores() {
    let (node, score) = (Variable::Element(0), Variable::Element(1));
    let search =
        |index, arguments, filter| Clause::Search(Search { index, arguments, node, score, filter });
    let enough = variable(1).compare(Comparison::Greater, parameter(2));
    check(
        vec![search(SearchIndex::Fulltext, vec![parameter(0), parameter(1)], Some(enough))],
        &expect![
            "CALL db.index.fulltext.queryNodes($p0, $p1) YIELD node AS t0, score AS t1 WHERE t1 > $p2"
        ],
    );
    let arguments = vec![parameter(0), Expression::Integer(4), parameter(1)];
    check(
        vec![search(SearchIndex::Vector, arguments, None)],
        &expect!["CALL db.index.vector.queryNodes($p0, 4, $p1) YIELD node AS t0, score AS t1"],
    );
}

/// An author's statement of a row, and its result.
fn check_statement(text: &str, column: &str, expect: &Expect) {
    let statement = Statement {
        row: Some((Variable::Element(0), name("this"))),
        parts: vec![StatementPart::Text(text.into()), StatementPart::Value(parameter(0))],
        column: name(column),
        variable: Variable::Element(1),
        only_first: false,
    };
    let returned = Projection::of([Variable::Element(1)]);
    let found = Match::of(Path::node(node(0, &["Movie"])), None);
    check(vec![found, Clause::Statement(statement), Clause::Return(returned)], expect);
}

#[test]
fn statements_of_others_stand_in_scopes_of_their_own() {
    check_statement(
        "RETURN this.n AS n // ",
        "n",
        &expect![[r"
            MATCH (t0:`Movie`) CALL { WITH t0 WITH t0 AS `the row` CALL { WITH `the row` WITH `the row` AS `this` RETURN this.n AS n // $p0
            } RETURN `n` AS t1 } RETURN t1"]],
    );
    check_statement(
        "RETURN 1 AS `a`` b`, ",
        "a` b",
        &expect![[r"
            MATCH (t0:`Movie`) CALL { WITH t0 WITH t0 AS `the row` CALL { WITH `the row` WITH `the row` AS `this` RETURN 1 AS `a`` b`, $p0
            } RETURN `a`` b` AS t1 } RETURN t1"]],
    );
}

/// A statement without a row.
fn check_parts(parts: Vec<StatementPart>, only_first: bool, expect: &Expect) {
    let (column, variable) = (name("the value"), Variable::Element(0));
    let statement = Statement { row: None, parts, column, variable, only_first };
    let returned = Projection::of([Variable::Element(0)]);
    check(vec![Clause::Statement(statement), Clause::Return(returned)], expect);
}

#[test]
fn columns_of_others_get_the_names_that_they_lack() {
    let text = |text: &str| StatementPart::Text(text.into());
    check_parts(
        vec![text("RETURN 1"), StatementPart::Name(name("the value")), text(" LIMIT 2")],
        true,
        &expect![[r"
            CALL { CALL { RETURN 1 AS `the value` LIMIT 2
            } RETURN `the value` AS t0 LIMIT 1 } RETURN t0"]],
    );
    check_parts(
        vec![text("MATCH (n) DELETE n // all"), StatementPart::Nothing(name("the value"))],
        false,
        &expect![[r"
            CALL { CALL { MATCH (n) DELETE n // all
            WITH count(*) AS `the value` WHERE `the value` < 0 RETURN `the value`
            } RETURN `the value` AS t0 } RETURN t0"]],
    );
}

#[test]
fn each_part_of_a_union_finds_the_row_by_its_name() {
    check_statement(
        "RETURN 1 AS n union WITH this RETURN this.n AS n // ",
        "n",
        &expect![[r"
            MATCH (t0:`Movie`) CALL { WITH t0 WITH t0 AS `this` CALL { WITH `this` WITH `this` AS `this` RETURN 1 AS n union WITH this RETURN this.n AS n // $p0
            } RETURN `n` AS t1 } RETURN t1"]],
    );
}

#[test]
fn no_variable_has_a_name_of_somebody_elses() {
    check_statement(
        "MATCH (t0), (x_12) RETURN t__ AS t, ",
        "t",
        &expect![[r"
            MATCH (t__0:`Movie`) CALL { WITH t__0 WITH t__0 AS `the row` CALL { WITH `the row` WITH `the row` AS `this` MATCH (t0), (x_12) RETURN t__ AS t, $p0
            } RETURN `t` AS t__1 } RETURN t__1"]],
    );
    check_statement(
        "MATCH (at0), (t), (t0x) RETURN ",
        "c",
        &expect![[r"
            MATCH (t_0:`Movie`) CALL { WITH t_0 WITH t_0 AS `the row` CALL { WITH `the row` WITH `the row` AS `this` MATCH (at0), (t), (t0x) RETURN $p0
            } RETURN `c` AS t_1 } RETURN t_1"]],
    );
}
