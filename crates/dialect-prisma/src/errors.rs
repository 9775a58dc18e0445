//! Errors as Prisma's clients expect them: its code is a member of the error, beside the message.
//!
//! <https://github.com/prisma/prisma1>, `Errors.scala` of the API connector.

use api::binding::{MostRows, key_cursors};
use graphql::{ErrorCode, GraphQLError};

/// The member with Prisma's code.
const CODE: &str = "code";

const NULL_OF_REQUIRED: &str = "You are trying to set a required field to null. If you are using \
     GraphQL arguments, make sure that you specify a value for all arguments. Fieldname if known: ";

/// The text of more rows than a page may have, before the number of rows and at its end.
const TOO_MANY: (&str, &str) = ("You requested ", " nodes per query.");

/// The beginnings and ends of messages of wrong inputs, with their codes.
const INPUTS: [(&str, &str, u16); 10] = [
    (SERVICE_EXISTS.0, SERVICE_EXISTS.1, 4005),
    ("Value for field ", " is too long.", 3007),
    (TOO_MANY.0, TOO_MANY.1, 2041),
    ("You provided an invalid argument for the where selector on", "", 3040),
    ("You provided more than one field for the unique selector on", "", 3045),
    ("The field '", " cannot be filtered by null.", 3033),
    ("The field '", " would violate that constraint", 3032),
    ("The input value null was not valid", "", 3036),
    (NULL_OF_REQUIRED, "", 3020),
    (key_cursors::FIRST_AND_LAST, "", 3014),
];

/// Arguments of pages, with the codes of their errors.
const PAGES: [(&str, u16); 3] = [("first", 3026), ("last", 3027), ("skip", 3028)];

/// The text of a token that is refused.
pub const TOKEN_REFUSED: &str = "Your token is invalid. It might have expired or you might be using \
                                 a token from a different project.";

/// The text of a token that is refused in the first message of a socket.
pub const SOCKET_TOKEN_REFUSED: &str = "Authentication token is invalid.";

/// The text of a first message of a socket without a token.
pub const NO_SOCKET_TOKEN: &str = "No Authorization field was provided in payload.";

/// The beginning of the text of another service.
const NO_SERVICE: &str = "Project not found: '";

/// The text of a path that names another service than the served one.
#[must_use]
pub fn service_not_found(id: &str) -> String {
    format!("{NO_SERVICE}{id}'")
}

/// The beginning of the text of the management API about another service.
const NO_SERVICE_NAMED: &str = "No service with name '";

/// The text of the management API about another service than the served one.
pub(crate) fn no_service_named(name: &str, stage: &str) -> String {
    format!("{NO_SERVICE_NAMED}{name}' and stage '{stage}' found")
}

/// The text of a service that is to be added, and is there.
pub(crate) fn service_exists(name: &str, stage: &str) -> String {
    format!("{}{name}' and stage '{stage}'{}", SERVICE_EXISTS.0, SERVICE_EXISTS.1)
}

/// The beginning and the end of that text.
const SERVICE_EXISTS: (&str, &str) = ("Service with name '", " already exists");

/// The text of the management API about a token that is refused.
#[must_use]
pub fn management_token_refused(reason: &str) -> String {
    format!("Authentication token is invalid: {reason}")
}

/// The text of a key without a field.
pub(crate) fn no_key(r#type: &str) -> String {
    format!(
        "You provided an invalid argument for the where selector on {type}. Please provide exactly \
         one unique field and value."
    )
}

/// The text of a key with several fields.
pub(crate) fn several_keys(r#type: &str) -> String {
    format!(
        "You provided more than one field for the unique selector on {type}. If you want that \
         behavior you can use the many query and combine fields with AND / OR."
    )
}

/// The text of a new row without a row that it must have.
pub(crate) fn relation_required(field: &str, r#type: &str) -> String {
    format!(
        "The field '{field}' on type '{type}' is required. Performing this mutation would violate \
         that constraint"
    )
}

/// The text of a null for a new row's required field that has a default.
pub(crate) fn null_refused(field: &str, r#type: &str) -> String {
    format!("The input value null was not valid for field {field} of type {type}.")
}

/// The text of a required field that is set to null.
pub(crate) fn null_of_required(field: &str) -> String {
    format!("{NULL_OF_REQUIRED}{field}")
}

/// The text of a value that is longer than its field.
pub(crate) fn too_long(field: &str) -> String {
    format!("Value for field {field} is too long.")
}

/// The text of a negative argument.
pub(crate) fn not_negative(argument: &str) -> String {
    format!("The '{argument}' argument must be non negative")
}

/// The limit of the rows that a page may ask for.
pub(crate) fn too_many_nodes(most: u32) -> MostRows {
    let (begin, end) = TOO_MANY;
    let end = format!(" nodes. We will only return up to {most}{end}");
    MostRows { rows: most, otherwise: (begin.into(), end.into()) }
}

/// An error with Prisma's code, if it has one for it.
#[must_use]
pub fn form(error: &GraphQLError) -> GraphQLError {
    let mut formed = error.clone();
    let code = match error.code {
        ErrorCode::UniqueViolation => Some(3010),
        ErrorCode::ForeignKeyViolation => Some(3011),
        ErrorCode::Unauthenticated => Some(3015),
        ErrorCode::NotNullViolation => Some(3020),
        ErrorCode::InvalidValue => Some(3038),
        ErrorCode::NotFound if error.message.starts_with(NO_SERVICE) => Some(3016),
        ErrorCode::NotFound if error.message.starts_with(NO_SERVICE_NAMED) => Some(4000),
        ErrorCode::NotFound => Some(3039),
        ErrorCode::NotRelated => Some(3041),
        ErrorCode::RequiredRelation => Some(3042),
        ErrorCode::Timeout => Some(1000),
        ErrorCode::Overloaded => Some(1004),
        ErrorCode::BadUserInput => {
            let is_of = |argument: &str| error.message == not_negative(argument);
            let page = PAGES.iter().find(|(argument, _)| is_of(argument));
            let page = page.map(|(_, code)| *code);
            let input = INPUTS.iter().find(|(begin, end, _)| {
                error.message.starts_with(begin) && error.message.ends_with(end)
            });
            page.or(input.map(|(_, _, code)| *code))
        }
        _ => None,
    };
    if let Some(code) = code {
        let mut members = Vec::from(formed.members);
        members.push((CODE.into(), code.to_string().into()));
        formed.members = members.into();
    }
    formed
}

/// The text of a row that the database refuses.
#[must_use]
pub fn refused_by_database(
    code: ErrorCode,
    table: Option<&str>,
    column: Option<&str>,
) -> Option<String> {
    match code {
        ErrorCode::UniqueViolation => Some(unique(table?, column?)),
        ErrorCode::ForeignKeyViolation => Some(
            "You are referencing a node that does not exist. Please check your mutation to make \
             sure you are only creating edges between existing nodes. Id if available: "
                .to_owned(),
        ),
        ErrorCode::NotNullViolation => Some(null_of_required(column.unwrap_or_default())),
        _ => None,
    }
}

/// The text of a row that has the same value of a unique field as another.
pub(crate) fn unique(r#type: &str, field: &str) -> String {
    format!("A unique constraint would be violated on {type}. Details: Field name = {field}")
}
