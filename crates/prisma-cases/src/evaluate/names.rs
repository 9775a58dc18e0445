//! Names of Scala's, ScalaTest's and Prisma's libraries.

use super::{Evaluated, Program, host};
use crate::service::Database;
use crate::value::{Binding, Host, Matcher, Scope, Value};

use std::rc::Rc;

/// Functions and objects that are called with arguments, or whose methods are.
const LIBRARY: &[&str] = &[
    "Vector",
    "List",
    "Seq",
    "Set",
    "Array",
    "Map",
    "Some",
    "Future",
    "Try",
    "Option",
    "Thread",
    "System",
    "sys",
    "Character",
    "UUID",
    "JsString",
    "JsArray",
    "JsObject",
    "be",
    "equal",
    "include",
    "startWith",
    "endWith",
    "have",
    "contain",
    "size",
    "length",
    "not",
    "it",
    "intercept",
    "assertThrows",
    "an",
    "a",
    "thrownBy",
    "mustBeEqual",
    "escapeString",
    "println",
    "print",
    "throw",
    "fail",
    "assert",
    "ifConnectorIsNotSQLite",
    "ifConnectorIsSQLite",
    "ifConnectorIsNotMongo",
    "ifConnectorIsActive",
    "ifIsNotPrisma2",
    "dataResolver",
    "Cursor",
    "ExportRequest",
    "setup",
    "deploy",
    "deployThatMustError",
    "setupProject",
    "validate",
    "validateThatMustError",
    "executeOnInternalDatabase",
    "ResultFormat",
    "JsonBundle",
    "ForeignKey",
    "ConnectorCapabilities",
    "DSL",
    "IdBehaviour",
    "ScalarListBehaviour",
    "Sequence",
    "StringGCValue",
    "EnumGCValue",
    "IntGCValue",
    "FloatGCValue",
    "BooleanGCValue",
    "StringUtil",
];

/// Words of the schema matchers.
const SCHEMA_MATCHERS: [&str; 7] = [
    "containQuery",
    "containMutation",
    "containSubscription",
    "containType",
    "containInputType",
    "containEnum",
    "theSameElementsAs",
];

impl Program<'_> {
    pub(super) fn library_name(&self, name: &str) -> Evaluated {
        let value = match name {
            "server" | "apiServer" => host(Host::Server),
            "database" => host(Host::Database),
            "deployServer" => host(Host::DeployServer),
            "capabilities" => host(Host::Capabilities),
            "testDependencies" => Value::named(name),
            "SchemaDsl" => host(Host::SchemaDsl),
            "SchemaRenderer" => host(Host::SchemaRenderer),
            "TypeIdentifier" | "DateTimeZone" | "com" | "SQLDialect" | "ParamType" | "Field"
            | "IdStrategy" | "OnDelete" | "RelationStrategy" | "ScalarListStrategy"
            | "CreatedAtBehaviour" | "UpdatedAtBehaviour" => Value::named(name),
            "inspect" => return self.inspect(),
            "isPostgres" => Value::Bool(self.database == Database::Postgres),
            "isMySql" => Value::Bool(false),
            "TestDataModels" => host(Host::TestDataModels),
            "Json" | "PlayJson" => host(Host::Json),
            "None" => Value::Option(None),
            "Nil" => Value::list(Vec::new()),
            "empty" => Value::Matcher(Rc::new(Matcher::Empty)),
            "basicTypesGql" => Value::text("type TestModel {\n  id: ID! @id\n}"),
            "JsNull" => Value::json(serde_json::Value::Null),
            "connectorTag" => Value::named(match self.database {
                Database::Postgres => "PostgresConnectorTag",
                Database::Sqlite => "SQLiteConnectorTag",
            }),
            // Links of lists and lists of scalars have tables of their own, as in all of Prisma's
            // relational connectors.
            "listInlineDirective" | "listInlineArgument" => Value::text(""),
            "scalarListDirective" => Value::text("@scalarList(strategy: RELATION)"),
            _ if LIBRARY.contains(&name) || SCHEMA_MATCHERS.contains(&name) => {
                host(Host::Library(name.into()))
            }
            _ if is_of_connectors(name) => Value::named(name),
            _ => match self.corpus.template(name) {
                Some(template) if template.kind == crate::scala::TemplateKind::Object => {
                    let scope = Scope::new(None);
                    scope.bind(name, Binding::Template(template.clone()));
                    return self.template_value(&template, &scope);
                }
                _ => return Err(Self::not_understood(format!("the name {name}"))),
            },
        };
        Ok(value)
    }
}

/// Names of capabilities, connectors, and tags of tests.
fn is_of_connectors(name: &str) -> bool {
    name.ends_with("Capability")
        || name.ends_with("ConnectorTag")
        || name.starts_with("Ignore")
        || name == "ConnectorCapability"
}
