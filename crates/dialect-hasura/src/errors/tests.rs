use expect_test::expect;
use graphql::operation::Location;
use graphql::problem::{Expected, Located, Problem, Step, ValueKind};
use graphql::{ErrorCode, GraphQLError};

use super::{INPUT_RULES, Refused, form, refused_by_database};

fn json(error: &GraphQLError) -> String {
    let mut text = Vec::new();
    error.write_json(&mut text);
    String::from_utf8(text).unwrap() + "\n"
}

fn key(name: &str) -> Step {
    Step::Key(name.into())
}

#[test]
fn a_problem_has_its_text_code_and_path() {
    let error = GraphQLError::new(ErrorCode::ValidationFailed, "Cannot query field.")
        .at(Location { line: 1, column: 3 });
    let located = |path, problem| Located { problem: Some((path, problem)), nearest: Vec::new() };
    let field = located(
        vec![Step::SelectionSet, key("artist"), Step::SelectionSet, key("x")],
        Problem::UnknownField { name: "x".into(), r#type: "artist".into() },
    );
    let number = located(
        vec![
            Step::SelectionSet,
            key("insert_t"),
            Step::Arguments,
            key("objects"),
            Step::Index(0),
            key("a b"),
        ],
        Problem::NoInteger { number: "2147483648".into() },
    );
    let text = [field, number].map(|located| json(&form(&error, &located))).concat();
    expect![[r#"
        {"message":"field 'x' not found in type: 'artist'","extensions":{"code":"validation-failed","path":"$.selectionSet.artist.selectionSet.x"}}
        {"message":"The value 2.147483648e9 lies outside the bounds or is not an integer. Maybe it is a float, or is there integer overflow?","extensions":{"code":"parse-failed","path":"$.selectionSet.insert_t.args.objects[0]['a b']"}}
    "#]].assert_eq(&text);
}

#[test]
fn other_errors_have_the_nearest_path() {
    let nearest = vec![Step::SelectionSet, key("artist"), Step::Arguments, key("where")];
    let located = Located { problem: None, nearest };
    let codes = [
        ErrorCode::QueryTooDeep,
        ErrorCode::PermissionDenied,
        ErrorCode::NotSupported,
        ErrorCode::InternalServerError,
        ErrorCode::PersistedQueryNotFound,
        ErrorCode::ParseFailed,
        ErrorCode::IntrospectionDisabled,
    ];
    let text = codes.map(|code| {
        let error = GraphQLError::new(code, "Why.").with_extension("errorId", "1-2");
        json(&form(&error, &located))
    });
    expect![[r#"
        {"message":"Why.","extensions":{"code":"validation-failed","path":"$.selectionSet.artist.args.where","errorId":"1-2"}}
        {"message":"Why.","extensions":{"code":"permission-error","path":"$.selectionSet.artist.args.where","errorId":"1-2"}}
        {"message":"Why.","extensions":{"code":"not-supported","path":"$.selectionSet.artist.args.where","errorId":"1-2"}}
        {"message":"Why.","extensions":{"code":"unexpected","path":"$.selectionSet.artist.args.where","errorId":"1-2"}}
        {"message":"Why.","extensions":{"code":"PERSISTED_QUERY_NOT_FOUND","path":"$","errorId":"1-2"}}
        {"message":"not a valid graphql query","extensions":{"code":"validation-failed","path":"$.query","errorId":"1-2"}}
        {"message":"Why.","extensions":{"code":"not-supported","path":"$","errorId":"1-2"}}
    "#]].assert_eq(&text.concat());
}

#[test]
fn arguments_that_do_not_fit_together_have_the_path_of_all() {
    let error = GraphQLError::new(ErrorCode::BadUserInput, "Not both.");
    let nearest = vec![Step::SelectionSet, key("artist")];
    expect![[r#"
        {"message":"Not both.","extensions":{"code":"validation-failed","path":"$.selectionSet.artist.args"}}
    "#]].assert_eq(&json(&form(&error, &Located { problem: None, nearest })));
}

#[test]
fn a_value_that_hasura_would_not_have_sent_is_a_problem_of_the_request() {
    let error = GraphQLError::new(ErrorCode::BadUserInput, "LIMIT must not be negative")
        .with_extension("code", "data-exception");
    let path = vec![Step::SelectionSet, key("artist"), Step::Arguments, key("limit")];
    let problem = Problem::WrongValue {
        expected: Expected::Count,
        r#type: "Int".into(),
        found: ValueKind::Integer,
    };
    let located = Located { problem: Some((path, problem)), nearest: Vec::new() };
    expect![[r#"
        {"message":"expected a non-negative 32-bit integer for type 'Int', but found an integer","extensions":{"code":"validation-failed","path":"$.selectionSet.artist.args.limit"}}
    "#]].assert_eq(&json(&form(&error, &located)));
}

#[test]
fn what_the_database_refuses_has_the_path_of_inserts_only() {
    let error = |field: &str| {
        let error = GraphQLError::new(ErrorCode::UniqueViolation, "Uniqueness violation. x")
            .with_extension("code", "constraint-violation");
        let nearest = vec![Step::SelectionSet, key(field)];
        json(&form(&error, &Located { problem: None, nearest }))
    };
    let fields = ["insert_artist", "insert_artist_one", "insertArtistOne", "update_artist"];
    expect![[r#"
        {"message":"Uniqueness violation. x","extensions":{"code":"constraint-violation","path":"$.selectionSet.insert_artist.args.objects"}}
        {"message":"Uniqueness violation. x","extensions":{"code":"constraint-violation","path":"$.selectionSet.insert_artist_one.args.object"}}
        {"message":"Uniqueness violation. x","extensions":{"code":"constraint-violation","path":"$.selectionSet.insertArtistOne.args.object"}}
        {"message":"Uniqueness violation. x","extensions":{"code":"constraint-violation","path":"$"}}
    "#]].assert_eq(&fields.map(error).concat());
}

#[test]
fn refused_rows_have_the_message_of_postgresql() {
    let codes = [
        ErrorCode::UniqueViolation,
        ErrorCode::ForeignKeyViolation,
        ErrorCode::NotNullViolation,
        ErrorCode::CheckViolation,
        ErrorCode::ExclusionViolation,
        ErrorCode::BadUserInput,
        ErrorCode::Conflict,
        ErrorCode::Raised,
    ];
    let all = |message| {
        codes.map(|code| {
            let (constraint, table, column) = (Some("c"), Some("t"), Some("a"));
            let refused = Refused { code, message, constraint, table, column };
            match refused_by_database(refused) {
                Some((code, text)) => format!("{code}: {text}\n"),
                None => "none\n".into(),
            }
        })
    };
    expect![[r#"
        constraint-violation: Uniqueness violation. as it is
        constraint-violation: Foreign key violation. as it is
        constraint-violation: Not-NULL violation. as it is
        permission-error: Check constraint violation. as it is
        constraint-violation: Exclusion violation. as it is
        data-exception: as it is
        concurrent-update: serialization failure due to concurrent update
        none
        constraint-violation: Uniqueness violation. duplicate key value violates unique constraint "c"
        constraint-violation: Foreign key violation. insert or update on table "t" violates foreign key constraint "c"
        constraint-violation: Not-NULL violation. null value in column "a" of relation "t" violates not-null constraint
        permission-error: Check constraint violation. new row for relation "t" violates check constraint "c"
        constraint-violation: Exclusion violation. conflicting key value violates exclusion constraint "c"
        none
        concurrent-update: serialization failure due to concurrent update
        none
    "#]].assert_eq(&[all(Some("as it is")), all(None)].concat().concat());
}

#[test]
fn values_of_postgis_are_read() {
    let check = |scalar: &str, json: &str, expected: Option<&str>| {
        assert_eq!((INPUT_RULES.unreadable)(scalar, json).as_deref(), expected, "{scalar} {json}");
    };
    let short = r#"{"type":"Point","coordinates":[1]}"#;
    let position = Some("A Position needs at least 2 elements");
    check("geometry", r#"{"type":"Point","coordinates":[1,2]}"#, None);
    check("geometry", short, position);
    check("geography", short, position);
    check("own_geometry", short, position);
    check("isogeometry", short, None);
    check("jsonb", short, None);
    check("geometry", r#""POINT(1 2)""#, None);
    check("raster", r#""01fF""#, None);
    let raster = "invalid hexadecimal representation of raster well known binary format";
    check("raster", r#""no""#, Some(raster));
    check("raster", "1", Some("expecting String for raster"));
}
