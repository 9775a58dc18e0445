//! Codes of findings: the published codes of Federation's composition.
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/errors>
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/hints>

use std::fmt;

macro_rules! codes {
    ($($variant:ident = $text:literal,)+) => {
        /// Code of an error or a hint.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $text] $variant,)+
        }

        impl Code {
            /// All codes.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// Returns the published code.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }
    };
}

codes! {
    InvalidGraphql = "INVALID_GRAPHQL",
    DirectiveDefinitionInvalid = "DIRECTIVE_DEFINITION_INVALID",
    TypeDefinitionInvalid = "TYPE_DEFINITION_INVALID",
    UnsupportedLinkedFeature = "UNSUPPORTED_LINKED_FEATURE",
    UnknownFederationLinkVersion = "UNKNOWN_FEDERATION_LINK_VERSION",
    UnknownLinkVersion = "UNKNOWN_LINK_VERSION",
    KeyFieldsHasArgs = "KEY_FIELDS_HAS_ARGS",
    ProvidesFieldsHasArgs = "PROVIDES_FIELDS_HAS_ARGS",
    ProvidesFieldsMissingExternal = "PROVIDES_FIELDS_MISSING_EXTERNAL",
    RequiresFieldsMissingExternal = "REQUIRES_FIELDS_MISSING_EXTERNAL",
    KeyUnsupportedOnInterface = "KEY_UNSUPPORTED_ON_INTERFACE",
    ProvidesUnsupportedOnInterface = "PROVIDES_UNSUPPORTED_ON_INTERFACE",
    RequiresUnsupportedOnInterface = "REQUIRES_UNSUPPORTED_ON_INTERFACE",
    KeyDirectiveInFieldsArg = "KEY_DIRECTIVE_IN_FIELDS_ARG",
    ProvidesDirectiveInFieldsArg = "PROVIDES_DIRECTIVE_IN_FIELDS_ARG",
    RequiresDirectiveInFieldsArg = "REQUIRES_DIRECTIVE_IN_FIELDS_ARG",
    KeyInvalidFieldsType = "KEY_INVALID_FIELDS_TYPE",
    ProvidesInvalidFieldsType = "PROVIDES_INVALID_FIELDS_TYPE",
    RequiresInvalidFieldsType = "REQUIRES_INVALID_FIELDS_TYPE",
    KeyInvalidFields = "KEY_INVALID_FIELDS",
    ProvidesInvalidFields = "PROVIDES_INVALID_FIELDS",
    RequiresInvalidFields = "REQUIRES_INVALID_FIELDS",
    KeyFieldsSelectInvalidType = "KEY_FIELDS_SELECT_INVALID_TYPE",
    ProvidesOnNonObjectField = "PROVIDES_ON_NON_OBJECT_FIELD",
    ExternalUnused = "EXTERNAL_UNUSED",
    ExternalTypeMismatch = "EXTERNAL_TYPE_MISMATCH",
    ExternalCollisionWithAnotherDirective = "EXTERNAL_COLLISION_WITH_ANOTHER_DIRECTIVE",
    ExternalArgumentMissing = "EXTERNAL_ARGUMENT_MISSING",
    ExternalArgumentTypeMismatch = "EXTERNAL_ARGUMENT_TYPE_MISMATCH",
    ExternalArgumentDefaultMismatch = "EXTERNAL_ARGUMENT_DEFAULT_MISMATCH",
    ExternalOnInterface = "EXTERNAL_ON_INTERFACE",
    ExternalMissingOnBase = "EXTERNAL_MISSING_ON_BASE",
    TypeWithOnlyUnusedExternal = "TYPE_WITH_ONLY_UNUSED_EXTERNAL",
    MergedDirectiveApplicationOnExternal = "MERGED_DIRECTIVE_APPLICATION_ON_EXTERNAL",
    RootQueryUsed = "ROOT_QUERY_USED",
    RootMutationUsed = "ROOT_MUTATION_USED",
    RootSubscriptionUsed = "ROOT_SUBSCRIPTION_USED",
    InvalidSubgraphName = "INVALID_SUBGRAPH_NAME",
    NoQueries = "NO_QUERIES",
    InterfaceFieldNoImplem = "INTERFACE_FIELD_NO_IMPLEM",
    TypeKindMismatch = "TYPE_KIND_MISMATCH",
    FieldTypeMismatch = "FIELD_TYPE_MISMATCH",
    FieldArgumentTypeMismatch = "FIELD_ARGUMENT_TYPE_MISMATCH",
    FieldArgumentDefaultMismatch = "FIELD_ARGUMENT_DEFAULT_MISMATCH",
    InputFieldDefaultMismatch = "INPUT_FIELD_DEFAULT_MISMATCH",
    ExtensionWithNoBase = "EXTENSION_WITH_NO_BASE",
    InvalidFieldSharing = "INVALID_FIELD_SHARING",
    InvalidShareableUsage = "INVALID_SHAREABLE_USAGE",
    InvalidLinkDirectiveUsage = "INVALID_LINK_DIRECTIVE_USAGE",
    InvalidLinkIdentifier = "INVALID_LINK_IDENTIFIER",
    LinkImportNameMismatch = "LINK_IMPORT_NAME_MISMATCH",
    ReferencedInaccessible = "REFERENCED_INACCESSIBLE",
    RequiredInaccessible = "REQUIRED_INACCESSIBLE",
    ImplementedByInaccessible = "IMPLEMENTED_BY_INACCESSIBLE",
    DisallowedInaccessible = "DISALLOWED_INACCESSIBLE",
    QueryRootTypeInaccessible = "QUERY_ROOT_TYPE_INACCESSIBLE",
    DefaultValueUsesInaccessible = "DEFAULT_VALUE_USES_INACCESSIBLE",
    OnlyInaccessibleChildren = "ONLY_INACCESSIBLE_CHILDREN",
    RequiredInputFieldMissingInSomeSubgraph = "REQUIRED_INPUT_FIELD_MISSING_IN_SOME_SUBGRAPH",
    RequiredArgumentMissingInSomeSubgraph = "REQUIRED_ARGUMENT_MISSING_IN_SOME_SUBGRAPH",
    EmptyMergedInputType = "EMPTY_MERGED_INPUT_TYPE",
    EmptyMergedEnumType = "EMPTY_MERGED_ENUM_TYPE",
    EnumValueMismatch = "ENUM_VALUE_MISMATCH",
    ShareableHasMismatchedRuntimeTypes = "SHAREABLE_HAS_MISMATCHED_RUNTIME_TYPES",
    SatisfiabilityError = "SATISFIABILITY_ERROR",
    MaxValidationSubgraphPathsExceeded = "MAX_VALIDATION_SUBGRAPH_PATHS_EXCEEDED",
    OverrideFromSelfError = "OVERRIDE_FROM_SELF_ERROR",
    OverrideSourceHasOverride = "OVERRIDE_SOURCE_HAS_OVERRIDE",
    OverrideCollisionWithAnotherDirective = "OVERRIDE_COLLISION_WITH_ANOTHER_DIRECTIVE",
    OverrideOnInterface = "OVERRIDE_ON_INTERFACE",
    OverrideLabelInvalid = "OVERRIDE_LABEL_INVALID",
    DirectiveCompositionError = "DIRECTIVE_COMPOSITION_ERROR",
    InterfaceObjectUsageError = "INTERFACE_OBJECT_USAGE_ERROR",
    InterfaceKeyNotOnImplementation = "INTERFACE_KEY_NOT_ON_IMPLEMENTATION",
    InterfaceKeyMissingImplementationType = "INTERFACE_KEY_MISSING_IMPLEMENTATION_TYPE",
    ContextNotSet = "CONTEXT_NOT_SET",
    ContextInvalidSelection = "CONTEXT_INVALID_SELECTION",
    NoContextInSelection = "NO_CONTEXT_IN_SELECTION",
    ContextNoResolvableKey = "CONTEXT_NO_RESOLVABLE_KEY",
    ContextNameInvalid = "CONTEXT_NAME_INVALID",
    ContextualArgumentNotContextualInAllSubgraphs = "CONTEXTUAL_ARGUMENT_NOT_CONTEXTUAL_IN_ALL_SUBGRAPHS",
    CostAppliedToInterfaceField = "COST_APPLIED_TO_INTERFACE_FIELD",
    ListSizeAppliedToNonList = "LIST_SIZE_APPLIED_TO_NON_LIST",
    ListSizeInvalidAssumedSize = "LIST_SIZE_INVALID_ASSUMED_SIZE",
    ListSizeInvalidSlicingArgument = "LIST_SIZE_INVALID_SLICING_ARGUMENT",
    ListSizeInvalidSizedField = "LIST_SIZE_INVALID_SIZED_FIELD",
    AuthRequirementsAppliedOnInterface = "AUTH_REQUIREMENTS_APPLIED_ON_INTERFACE",
    MissingTransitiveAuthRequirements = "MISSING_TRANSITIVE_AUTH_REQUIREMENTS",
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
    InconsistentButCompatibleFieldType = "INCONSISTENT_BUT_COMPATIBLE_FIELD_TYPE",
    InconsistentButCompatibleArgumentType = "INCONSISTENT_BUT_COMPATIBLE_ARGUMENT_TYPE",
    InconsistentDefaultValuePresence = "INCONSISTENT_DEFAULT_VALUE_PRESENCE",
    InconsistentEntity = "INCONSISTENT_ENTITY",
    InconsistentObjectValueTypeField = "INCONSISTENT_OBJECT_VALUE_TYPE_FIELD",
    InconsistentInterfaceValueTypeField = "INCONSISTENT_INTERFACE_VALUE_TYPE_FIELD",
    InconsistentInputObjectField = "INCONSISTENT_INPUT_OBJECT_FIELD",
    InconsistentUnionMember = "INCONSISTENT_UNION_MEMBER",
    InconsistentEnumValueForInputEnum = "INCONSISTENT_ENUM_VALUE_FOR_INPUT_ENUM",
    InconsistentEnumValueForOutputEnum = "INCONSISTENT_ENUM_VALUE_FOR_OUTPUT_ENUM",
    InconsistentTypeSystemDirectiveRepeatable = "INCONSISTENT_TYPE_SYSTEM_DIRECTIVE_REPEATABLE",
    InconsistentTypeSystemDirectiveLocations = "INCONSISTENT_TYPE_SYSTEM_DIRECTIVE_LOCATIONS",
    InconsistentExecutableDirectivePresence = "INCONSISTENT_EXECUTABLE_DIRECTIVE_PRESENCE",
    InconsistentExecutableDirectiveRepeatable = "INCONSISTENT_EXECUTABLE_DIRECTIVE_REPEATABLE",
    InconsistentExecutableDirectiveLocations = "INCONSISTENT_EXECUTABLE_DIRECTIVE_LOCATIONS",
    InconsistentDescription = "INCONSISTENT_DESCRIPTION",
    InconsistentArgumentPresence = "INCONSISTENT_ARGUMENT_PRESENCE",
    InconsistentNonRepeatableDirectiveArguments = "INCONSISTENT_NON_REPEATABLE_DIRECTIVE_ARGUMENTS",
    InconsistentRuntimeTypesForShareableReturn = "INCONSISTENT_RUNTIME_TYPES_FOR_SHAREABLE_RETURN",
    NoExecutableDirectiveIntersection = "NO_EXECUTABLE_DIRECTIVE_INTERSECTION",
    MergedNonRepeatableDirectiveArguments = "MERGED_NON_REPEATABLE_DIRECTIVE_ARGUMENTS",
    FromSubgraphDoesNotExist = "FROM_SUBGRAPH_DOES_NOT_EXIST",
    OverriddenFieldCanBeRemoved = "OVERRIDDEN_FIELD_CAN_BE_REMOVED",
    OverrideDirectiveCanBeRemoved = "OVERRIDE_DIRECTIVE_CAN_BE_REMOVED",
    OverrideMigrationInProgress = "OVERRIDE_MIGRATION_IN_PROGRESS",
    UnusedEnumType = "UNUSED_ENUM_TYPE",
    DirectiveCompositionInfo = "DIRECTIVE_COMPOSITION_INFO",
    DirectiveCompositionWarn = "DIRECTIVE_COMPOSITION_WARN",
    ImplicitlyUpgradedFederationVersion = "IMPLICITLY_UPGRADED_FEDERATION_VERSION",
}

impl Code {
    /// Returns the code of a finding about connectors.
    pub(crate) fn of_connectors(code: connectors::Code) -> Self {
        use connectors::Code as Of;
        match code {
            Of::AbsoluteConnectUrlWithSource => Self::AbsoluteConnectUrlWithSource,
            Of::CircularReference => Self::CircularReference,
            Of::ConnectorsFieldWithArguments => Self::ConnectorsFieldWithArguments,
            Of::ConnectorsUnresolvedField => Self::ConnectorsUnresolvedField,
            Of::ConnectorsUnsupportedAbstractType => Self::ConnectorsUnsupportedAbstractType,
            Of::ConnectorsUnsupportedFederationDirective => {
                Self::ConnectorsUnsupportedFederationDirective
            }
            Of::DuplicateSourceName => Self::DuplicateSourceName,
            Of::EmptySourceName => Self::EmptySourceName,
            Of::EntityNotOnRootQuery => Self::EntityNotOnRootQuery,
            Of::EntityResolverArgumentMismatch => Self::EntityResolverArgumentMismatch,
            Of::EntityTypeInvalid => Self::EntityTypeInvalid,
            Of::GraphqlError => Self::GraphqlError,
            Of::GroupSelectionIsNotObject => Self::GroupSelectionIsNotObject,
            Of::GroupSelectionRequiredForObject => Self::GroupSelectionRequiredForObject,
            Of::HttpHeaderNameCollision => Self::HttpHeaderNameCollision,
            Of::InvalidBody => Self::InvalidBody,
            Of::InvalidHeader => Self::InvalidHeader,
            Of::InvalidSelection => Self::InvalidSelection,
            Of::InvalidSourceName => Self::InvalidSourceName,
            Of::InvalidUrl => Self::InvalidUrl,
            Of::InvalidUrlScheme => Self::InvalidUrlScheme,
            Of::MissingEntityConnector => Self::MissingEntityConnector,
            Of::MissingHttpMethod => Self::MissingHttpMethod,
            Of::MultipleHttpMethods => Self::MultipleHttpMethods,
            Of::MutationFieldMissingConnect => Self::MutationFieldMissingConnect,
            Of::NoSourceImport => Self::NoSourceImport,
            Of::NoSourcesDefined => Self::NoSourcesDefined,
            Of::QueryFieldMissingConnect => Self::QueryFieldMissingConnect,
            Of::RelativeConnectUrlWithoutSource => Self::RelativeConnectUrlWithoutSource,
            Of::SelectedFieldNotFound => Self::SelectedFieldNotFound,
            Of::SourceNameMismatch => Self::SourceNameMismatch,
            Of::SubscriptionInConnectors => Self::SubscriptionInConnectors,
            Of::UndefinedArgument => Self::UndefinedArgument,
            Of::UndefinedField => Self::UndefinedField,
            Of::UnknownConnectorsVersion => Self::UnknownConnectorsVersion,
            Of::UnsupportedVariableType => Self::UnsupportedVariableType,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
