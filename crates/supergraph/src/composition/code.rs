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
    UnsupportedFeature = "UNSUPPORTED_FEATURE",
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

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
