//! Kinds of changes, with the names that GraphQL Inspector has made common.

/// The severity of a change for clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Criticality {
    /// Operations that were valid become invalid.
    Breaking,
    /// Operations stay valid, but their results may change in a way that clients do not expect.
    Dangerous,
    NonBreaking,
}

impl Criticality {
    /// Returns the name in reports for programs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Breaking => "BREAKING",
            Self::Dangerous => "DANGEROUS",
            Self::NonBreaking => "NON_BREAKING",
        }
    }
}

/// Declares [`ChangeKind`] with the text of each kind.
macro_rules! kinds {
    ($($kind:ident = $text:literal,)*) => {
        /// The kind of a change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ChangeKind {
            $($kind,)*
        }

        impl ChangeKind {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$kind,)*];

            /// Returns the name in reports.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$kind => $text,)*
                }
            }
        }
    };
}

kinds! {
    SchemaQueryTypeChanged = "SCHEMA_QUERY_TYPE_CHANGED",
    SchemaMutationTypeChanged = "SCHEMA_MUTATION_TYPE_CHANGED",
    SchemaSubscriptionTypeChanged = "SCHEMA_SUBSCRIPTION_TYPE_CHANGED",
    TypeRemoved = "TYPE_REMOVED",
    TypeAdded = "TYPE_ADDED",
    TypeKindChanged = "TYPE_KIND_CHANGED",
    TypeDescriptionChanged = "TYPE_DESCRIPTION_CHANGED",
    TypeDescriptionRemoved = "TYPE_DESCRIPTION_REMOVED",
    TypeDescriptionAdded = "TYPE_DESCRIPTION_ADDED",
    ObjectTypeInterfaceAdded = "OBJECT_TYPE_INTERFACE_ADDED",
    ObjectTypeInterfaceRemoved = "OBJECT_TYPE_INTERFACE_REMOVED",
    UnionMemberRemoved = "UNION_MEMBER_REMOVED",
    UnionMemberAdded = "UNION_MEMBER_ADDED",
    FieldRemoved = "FIELD_REMOVED",
    FieldAdded = "FIELD_ADDED",
    FieldTypeChanged = "FIELD_TYPE_CHANGED",
    FieldDescriptionChanged = "FIELD_DESCRIPTION_CHANGED",
    FieldDescriptionAdded = "FIELD_DESCRIPTION_ADDED",
    FieldDescriptionRemoved = "FIELD_DESCRIPTION_REMOVED",
    FieldDeprecationAdded = "FIELD_DEPRECATION_ADDED",
    FieldDeprecationRemoved = "FIELD_DEPRECATION_REMOVED",
    FieldDeprecationReasonChanged = "FIELD_DEPRECATION_REASON_CHANGED",
    FieldDeprecationReasonAdded = "FIELD_DEPRECATION_REASON_ADDED",
    FieldDeprecationReasonRemoved = "FIELD_DEPRECATION_REASON_REMOVED",
    FieldArgumentAdded = "FIELD_ARGUMENT_ADDED",
    FieldArgumentRemoved = "FIELD_ARGUMENT_REMOVED",
    FieldArgumentDescriptionChanged = "FIELD_ARGUMENT_DESCRIPTION_CHANGED",
    FieldArgumentDefaultChanged = "FIELD_ARGUMENT_DEFAULT_CHANGED",
    FieldArgumentTypeChanged = "FIELD_ARGUMENT_TYPE_CHANGED",
    InputFieldRemoved = "INPUT_FIELD_REMOVED",
    InputFieldAdded = "INPUT_FIELD_ADDED",
    InputFieldDescriptionAdded = "INPUT_FIELD_DESCRIPTION_ADDED",
    InputFieldDescriptionRemoved = "INPUT_FIELD_DESCRIPTION_REMOVED",
    InputFieldDescriptionChanged = "INPUT_FIELD_DESCRIPTION_CHANGED",
    InputFieldDefaultValueChanged = "INPUT_FIELD_DEFAULT_VALUE_CHANGED",
    InputFieldTypeChanged = "INPUT_FIELD_TYPE_CHANGED",
    EnumValueRemoved = "ENUM_VALUE_REMOVED",
    EnumValueAdded = "ENUM_VALUE_ADDED",
    EnumValueDescriptionChanged = "ENUM_VALUE_DESCRIPTION_CHANGED",
    EnumValueDeprecationReasonChanged = "ENUM_VALUE_DEPRECATION_REASON_CHANGED",
    EnumValueDeprecationReasonAdded = "ENUM_VALUE_DEPRECATION_REASON_ADDED",
    EnumValueDeprecationReasonRemoved = "ENUM_VALUE_DEPRECATION_REASON_REMOVED",
    DirectiveRemoved = "DIRECTIVE_REMOVED",
    DirectiveAdded = "DIRECTIVE_ADDED",
    DirectiveDescriptionChanged = "DIRECTIVE_DESCRIPTION_CHANGED",
    DirectiveLocationAdded = "DIRECTIVE_LOCATION_ADDED",
    DirectiveLocationRemoved = "DIRECTIVE_LOCATION_REMOVED",
    DirectiveRepeatableAdded = "DIRECTIVE_REPEATABLE_ADDED",
    DirectiveRepeatableRemoved = "DIRECTIVE_REPEATABLE_REMOVED",
    DirectiveArgumentAdded = "DIRECTIVE_ARGUMENT_ADDED",
    DirectiveArgumentRemoved = "DIRECTIVE_ARGUMENT_REMOVED",
    DirectiveArgumentDescriptionChanged = "DIRECTIVE_ARGUMENT_DESCRIPTION_CHANGED",
    DirectiveArgumentDefaultValueChanged = "DIRECTIVE_ARGUMENT_DEFAULT_VALUE_CHANGED",
    DirectiveArgumentTypeChanged = "DIRECTIVE_ARGUMENT_TYPE_CHANGED",
    DirectiveUsageSchemaAdded = "DIRECTIVE_USAGE_SCHEMA_ADDED",
    DirectiveUsageSchemaRemoved = "DIRECTIVE_USAGE_SCHEMA_REMOVED",
    DirectiveUsageScalarAdded = "DIRECTIVE_USAGE_SCALAR_ADDED",
    DirectiveUsageScalarRemoved = "DIRECTIVE_USAGE_SCALAR_REMOVED",
    DirectiveUsageObjectAdded = "DIRECTIVE_USAGE_OBJECT_ADDED",
    DirectiveUsageObjectRemoved = "DIRECTIVE_USAGE_OBJECT_REMOVED",
    DirectiveUsageInterfaceAdded = "DIRECTIVE_USAGE_INTERFACE_ADDED",
    DirectiveUsageInterfaceRemoved = "DIRECTIVE_USAGE_INTERFACE_REMOVED",
    DirectiveUsageUnionMemberAdded = "DIRECTIVE_USAGE_UNION_MEMBER_ADDED",
    DirectiveUsageUnionMemberRemoved = "DIRECTIVE_USAGE_UNION_MEMBER_REMOVED",
    DirectiveUsageEnumAdded = "DIRECTIVE_USAGE_ENUM_ADDED",
    DirectiveUsageEnumRemoved = "DIRECTIVE_USAGE_ENUM_REMOVED",
    DirectiveUsageEnumValueAdded = "DIRECTIVE_USAGE_ENUM_VALUE_ADDED",
    DirectiveUsageEnumValueRemoved = "DIRECTIVE_USAGE_ENUM_VALUE_REMOVED",
    DirectiveUsageInputObjectAdded = "DIRECTIVE_USAGE_INPUT_OBJECT_ADDED",
    DirectiveUsageInputObjectRemoved = "DIRECTIVE_USAGE_INPUT_OBJECT_REMOVED",
    DirectiveUsageFieldDefinitionAdded = "DIRECTIVE_USAGE_FIELD_DEFINITION_ADDED",
    DirectiveUsageFieldDefinitionRemoved = "DIRECTIVE_USAGE_FIELD_DEFINITION_REMOVED",
    DirectiveUsageArgumentDefinitionAdded = "DIRECTIVE_USAGE_ARGUMENT_DEFINITION_ADDED",
    DirectiveUsageArgumentDefinitionRemoved = "DIRECTIVE_USAGE_ARGUMENT_DEFINITION_REMOVED",
    DirectiveUsageInputFieldDefinitionAdded = "DIRECTIVE_USAGE_INPUT_FIELD_DEFINITION_ADDED",
    DirectiveUsageInputFieldDefinitionRemoved = "DIRECTIVE_USAGE_INPUT_FIELD_DEFINITION_REMOVED",
    DirectiveUsageArgumentAdded = "DIRECTIVE_USAGE_ARGUMENT_ADDED",
    DirectiveUsageArgumentRemoved = "DIRECTIVE_USAGE_ARGUMENT_REMOVED",
}

impl ChangeKind {
    /// Whether the change is one of a description.
    #[must_use]
    pub fn is_of_description(self) -> bool {
        matches!(
            self,
            Self::TypeDescriptionChanged
                | Self::TypeDescriptionRemoved
                | Self::TypeDescriptionAdded
                | Self::FieldDescriptionChanged
                | Self::FieldDescriptionAdded
                | Self::FieldDescriptionRemoved
                | Self::FieldArgumentDescriptionChanged
                | Self::InputFieldDescriptionAdded
                | Self::InputFieldDescriptionRemoved
                | Self::InputFieldDescriptionChanged
                | Self::EnumValueDescriptionChanged
                | Self::DirectiveDescriptionChanged
                | Self::DirectiveArgumentDescriptionChanged
        )
    }
}
