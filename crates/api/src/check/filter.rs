//! Positions of conditions.

use super::{Position, Reading, Scope, ScopeRows};
use crate::binding::{
    CompositePlace, DeclaredRole, FilterRole, InputRole, OperatorRole, RowsRole, VariantRole,
};

/// Conditions on rows without a subject.
pub(super) const ON_ROWS: Reading = Reading::Members(Position::Condition(ROWS));

/// Operators on a subject.
pub(super) const ON_SUBJECT: Reading =
    Reading::Members(Position::Condition(Scope { subject: true, ..ROWS }));

const ROWS: Scope =
    Scope { subject: false, rows: None, composite: false, made_of: false, group: false };

/// The reading of a condition in a context; `None` if it is invalid.
pub(super) fn reading(scope: Scope, role: &InputRole) -> Option<Reading> {
    match role {
        InputRole::Filter(role) => of_filter(scope, role),
        InputRole::Variant(VariantRole::On) => {
            Some(Reading::Members(Position::Condition(Scope { group: false, ..scope })))
        }
        InputRole::Variant(VariantRole::Of(_) | VariantRole::Restrict(_)) => Some(ON_ROWS),
        InputRole::Argument(_)
        | InputRole::Order(_)
        | InputRole::Write(_)
        | InputRole::Member
        | InputRole::Representations
        | InputRole::Ignored
        | InputRole::Refused(_) => None,
    }
}

fn of_filter(scope: Scope, role: &FilterRole) -> Option<Reading> {
    let within = |scope| Some(Reading::Members(Position::Condition(scope)));
    match role {
        FilterRole::Conditions
        | FilterRole::OneOf(_)
        | FilterRole::And { .. }
        | FilterRole::Or { .. }
        | FilterRole::OrSiblings => within(Scope { group: false, ..scope }),
        FilterRole::GroupFilter => scope.group.then_some(ON_ROWS),
        FilterRole::Negated(role)
        | FilterRole::Complement(role)
        | FilterRole::Unsupported { role, .. } => of_filter(scope, role),
        FilterRole::Equal(_)
        | FilterRole::EqualComputed(_)
        | FilterRole::IsNull { .. }
        | FilterRole::IsGlobalId(_)
        | FilterRole::Exists(_)
        | FilterRole::AllPresent
        | FilterRole::OfVariants => Some(Reading::Value),
        FilterRole::Operator(operator) => scope.subject.then(|| of_operator(*operator)),
        FilterRole::On { operator, .. } => Some(of_operator(*operator)),
        FilterRole::Operators(_)
        | FilterRole::OperatorsOfElements(_)
        | FilterRole::OperatorsOfAny(_) => Some(ON_SUBJECT),
        FilterRole::Composite(CompositePlace::Attribute(_)) if !scope.composite => None,
        FilterRole::Composite(_) => within(Scope { composite: true, ..ROWS }),
        FilterRole::AttributeOperators { .. } => scope.composite.then_some(ON_SUBJECT),
        FilterRole::Related(_)
        | FilterRole::FunctionRows(_)
        | FilterRole::RelatedThrough { .. } => Some(ON_ROWS),
        FilterRole::RelatedMany(_) => within(Scope { rows: Some(ScopeRows::One), ..ROWS }),
        FilterRole::RelatedVariants(_) => within(Scope { rows: Some(ScopeRows::Variants), ..ROWS }),
        FilterRole::Declared(DeclaredRole::Many(_)) => {
            within(Scope { rows: Some(ScopeRows::Declared), ..ROWS })
        }
        FilterRole::RelatedBy { role, .. } => of_rows(role, ScopeRows::One),
        FilterRole::RelatedVariantsBy { role, .. } => of_rows(role, ScopeRows::Variants),
        FilterRole::Declared(DeclaredRole::By { role, .. }) => of_rows(role, ScopeRows::Declared),
        FilterRole::Rows(role) => of_rows(role, scope.rows?),
        FilterRole::RelatedEach { role, .. } => of_each_variant(role),
        FilterRole::Declared(DeclaredRole::Each { role, .. }) => of_each_variant(role),
        FilterRole::Declared(DeclaredRole::Edge(_)) => within(Scope { group: false, ..scope }),
        FilterRole::MadeOf(_) => within(Scope { made_of: true, ..ROWS }),
        FilterRole::OperatorsOfMade(_) => scope.made_of.then_some(ON_SUBJECT),
        FilterRole::OperatorsOfComputed { .. } => Some(Reading::Members(Position::OfComputed)),
        FilterRole::DistancePoint
        | FilterRole::DistanceIs(_)
        | FilterRole::SpatialArgument(_)
        | FilterRole::CallArguments
        | FilterRole::AggregatedColumns
        | FilterRole::AggregatedPair
        | FilterRole::AggregatesDistinct
        | FilterRole::AggregateIs => None,
    }
}

fn of_each_variant(role: &RowsRole) -> Option<Reading> {
    of_rows(role, ScopeRows::One).map(|_| Reading::Members(Position::EachVariant))
}

fn of_operator(operator: OperatorRole) -> Reading {
    match operator {
        OperatorRole::All | OperatorRole::AsText | OperatorRole::AsSpatial(_) => ON_SUBJECT,
        OperatorRole::Spatial(_) => Reading::Members(Position::Spatial),
        OperatorRole::DistanceFrom => Reading::Members(Position::Distance),
        OperatorRole::Compare(_)
        | OperatorRole::CompareAsWritten(_)
        | OperatorRole::CompareIgnoringCase(_)
        | OperatorRole::CompareElement(_)
        | OperatorRole::EqualsAny
        | OperatorRole::Match { .. }
        | OperatorRole::TestNull
        | OperatorRole::Geo(_)
        | OperatorRole::Distance(_) => Reading::Value,
    }
}

fn of_rows(role: &RowsRole, rows: ScopeRows) -> Option<Reading> {
    match role {
        RowsRole::Quantified(_) | RowsRole::All { .. } | RowsRole::Together { .. } => Some(ON_ROWS),
        RowsRole::Aggregate(_) => {
            (rows == ScopeRows::One).then_some(Reading::Members(Position::OfAggregate))
        }
        RowsRole::Group { .. } => {
            let group = Reading::Members(Position::Condition(Scope { group: true, ..ROWS }));
            (rows == ScopeRows::One).then_some(group)
        }
    }
}
