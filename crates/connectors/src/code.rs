//! Codes of findings: the published codes of composition that are about connectors.
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/errors>

use std::fmt;

macro_rules! codes {
    ($($variant:ident = $text:literal,)+) => {
        /// Code of a finding.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $text] $variant,)+
        }

        impl Code {
            /// All codes.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// Returns the published code.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }
    };
}

codes! {
    AbsoluteConnectUrlWithSource = "ABSOLUTE_CONNECT_URL_WITH_SOURCE",
    CircularReference = "CIRCULAR_REFERENCE",
    ConnectorsFieldWithArguments = "CONNECTORS_FIELD_WITH_ARGUMENTS",
    ConnectorsUnresolvedField = "CONNECTORS_UNRESOLVED_FIELD",
    ConnectorsUnsupportedAbstractType = "CONNECTORS_UNSUPPORTED_ABSTRACT_TYPE",
    ConnectorsUnsupportedFederationDirective = "CONNECTORS_UNSUPPORTED_FEDERATION_DIRECTIVE",
    DuplicateSourceName = "DUPLICATE_SOURCE_NAME",
    EmptySourceName = "EMPTY_SOURCE_NAME",
    EntityNotOnRootQuery = "ENTITY_NOT_ON_ROOT_QUERY",
    EntityResolverArgumentMismatch = "ENTITY_RESOLVER_ARGUMENT_MISMATCH",
    EntityTypeInvalid = "ENTITY_TYPE_INVALID",
    GraphqlError = "GRAPHQL_ERROR",
    GroupSelectionIsNotObject = "GROUP_SELECTION_IS_NOT_OBJECT",
    GroupSelectionRequiredForObject = "GROUP_SELECTION_REQUIRED_FOR_OBJECT",
    HttpHeaderNameCollision = "HTTP_HEADER_NAME_COLLISION",
    InvalidBody = "INVALID_BODY",
    InvalidHeader = "INVALID_HEADER",
    InvalidSelection = "INVALID_SELECTION",
    InvalidSourceName = "INVALID_SOURCE_NAME",
    InvalidUrl = "INVALID_URL",
    InvalidUrlScheme = "INVALID_URL_SCHEME",
    MissingEntityConnector = "MISSING_ENTITY_CONNECTOR",
    MissingHttpMethod = "MISSING_HTTP_METHOD",
    MultipleHttpMethods = "MULTIPLE_HTTP_METHODS",
    MutationFieldMissingConnect = "MUTATION_FIELD_MISSING_CONNECT",
    NoSourceImport = "NO_SOURCE_IMPORT",
    NoSourcesDefined = "NO_SOURCES_DEFINED",
    QueryFieldMissingConnect = "QUERY_FIELD_MISSING_CONNECT",
    RelativeConnectUrlWithoutSource = "RELATIVE_CONNECT_URL_WITHOUT_SOURCE",
    SelectedFieldNotFound = "SELECTED_FIELD_NOT_FOUND",
    SourceNameMismatch = "SOURCE_NAME_MISMATCH",
    SubscriptionInConnectors = "SUBSCRIPTION_IN_CONNECTORS",
    UndefinedArgument = "UNDEFINED_ARGUMENT",
    UndefinedField = "UNDEFINED_FIELD",
    UnknownConnectorsVersion = "UNKNOWN_CONNECTORS_VERSION",
    UnsupportedVariableType = "UNSUPPORTED_VARIABLE_TYPE",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
