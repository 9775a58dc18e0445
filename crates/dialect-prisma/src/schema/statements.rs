//! Statements of SQL that clients send: `executeRaw`.

use api::ApiBuilder;
use api::binding::{FieldBinding, InputBinding, InputRole, ResolverId, ValueBinding};
use api::draft::{DraftField, DraftInput, DraftValue};
use http_resolvers::{HttpResolver, STATEMENT};

use super::builder::Builder;

const FIELD: &str = "executeRaw";

/// The databases of a server of Prisma, by their names; this one has one.
const DATABASES: &str = "PrismaDatabase";
const DATABASE: &str = "default";

/// The only resolver of the API.
const RESOLVER: ResolverId = ResolverId(0);

/// The field of mutations, with the type of its argument.
pub(super) fn field(build: &mut Builder<'_>) -> DraftField {
    let database = DraftValue::new(DATABASE, ValueBinding::Label(DATABASE.into()));
    build.values(DATABASES, vec![database]);
    // The resolver reads the arguments.
    let given = || InputBinding::lenient(InputRole::Ignored);
    let arguments = vec![
        DraftInput::new("database", DATABASES, given()),
        DraftInput::new(STATEMENT, "String!", given()),
    ];
    DraftField::new(FIELD, "Json!", FieldBinding::Resolved(RESOLVER)).with(arguments)
}

/// Makes the resolver known, now that the field is in the API.
pub(super) fn bind(builder: &mut ApiBuilder) {
    builder.bind_resolvers(vec![HttpResolver::of_statement("Mutation", FIELD)]);
}
