//! Conditions: the input objects that filter rows.
//!
//! `graph.rs`: conditions of a graph's API; `aggregate.rs`: conditions on one aggregate of related
//! rows.

mod aggregate;
mod declared;
mod elements;
mod graph;
mod meaning;
mod related;
mod several;
mod spatial;

use catalog::{FieldId, FunctionId};
use graphql::operation::Location;
use graphql::schema::{InputId, TypeKind, TypeRef};
use ir::{AggregateFunction, Case, Comparison, Filter, GeoOperator, Hop, Quantifier, ValueRef};

use super::input::{Input, Presence};
use super::selection::misplaced;
use super::variants::{self, OfVariant};
use super::{Context, LowerError};
use api::binding::{
    ArgumentRole, BoundInput, CompositePlace, DeclaredRole, FilterRole, InputRole, Meaning, OneOf,
    OperatorRole, RowPart, RowsRole, Subject, ValueBinding, VariantLink, VariantsId,
};
use declared::not_declared;
use graph::all;
use meaning::is_condition;
pub(super) use meaning::meaning;

/// Limit of nested conditions: their compilers recurse as deep.
const NESTED: usize = 64;

/// Context of an input: the subject of its enclosing objects.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FilterContext<'b> {
    /// The left side of operators.
    subject: Option<&'b Subject>,
    /// True if the subject is a list whose elements operators compare.
    of_elements: bool,
    /// The rows that conditions are quantified over.
    rows: Option<RelatedRows>,
    /// The aggregated value of a group's rows.
    made_of: Option<&'b ValueRef>,
    /// The composite whose attributes are filtered.
    composite: Option<Parted<'b>>,
    /// The one of several entities that the conditions apply to.
    variant: Option<OfVariant<'b>>,
    /// True if there is no other condition beside it.
    alone: bool,
    /// Whether conditions beside it are on aggregates of a group.
    group: bool,
    /// The relationship that led to the rows.
    along: Option<Hop>,
}

impl<'b> FilterContext<'b> {
    pub(super) fn of_variant(variant: OfVariant<'b>) -> Self {
        Self { variant: Some(variant), along: variant.hop, ..Self::default() }
    }

    /// The rows at the end of a relationship.
    fn of_rows(rows: RelatedRows) -> Self {
        Self { rows: Some(rows), ..Self::default() }
    }

    /// Rows that a relationship led to.
    pub(super) fn along(hop: Hop) -> Self {
        Self { along: Some(hop), ..Self::default() }
    }
}

/// Rows at the end of a relationship.
#[derive(Clone, Copy, Debug)]
enum RelatedRows {
    One(Hop),
    /// Rows that joining rows lead to.
    Through {
        near: Hop,
        far: Hop,
    },
    /// Of several entities.
    Variants(VariantsId),
}

impl From<VariantLink> for RelatedRows {
    fn from(link: VariantLink) -> Self {
        match link {
            VariantLink::One(hop) => Self::One(hop),
            VariantLink::Through { near, far } => Self::Through { near, far },
            VariantLink::Several(variants) => Self::Variants(variants),
        }
    }
}

/// A composite by its attributes.
#[derive(Clone, Copy, Debug)]
enum Parted<'b> {
    Value(&'b ValueRef),
    /// A row whose fields they are.
    Row(&'b [FieldId]),
}

impl Parted<'_> {
    /// An attribute by its index.
    fn attribute(self, attribute: u16) -> Option<ValueRef> {
        match self {
            Self::Value(of) => Some(ValueRef::Attribute { of: Box::new(of.clone()), attribute }),
            Self::Row(fields) => fields.get(usize::from(attribute)).copied().map(ValueRef::field),
        }
    }
}

/// The error of operators on a list that only single values have.
const OF_ELEMENTS: &str = "This operator is not supported on lists yet.";

/// A present value at an input position.
#[derive(Clone, Copy)]
struct PresentInput<'c, 'o> {
    id: InputId,
    input: &'c Input<'o>,
    binding: &'c BoundInput,
    around: FilterContext<'c>,
    location: Location,
}

impl Context<'_> {
    /// The condition of one input position; `None` if it has none.
    pub(super) fn condition(
        &self,
        id: InputId,
        input: &Input<'_>,
        around: FilterContext<'_>,
        location: Location,
    ) -> Result<Option<Filter>, LowerError> {
        let binding = self.api.input(id);
        match self.presence(input) {
            Presence::Absent => Ok(None),
            Presence::Null => self.null(binding, around, location),
            Presence::Present => {
                let nested = self.nested.get();
                if nested >= NESTED {
                    return Err(LowerError::ConditionsTooDeep { most: NESTED });
                }
                self.nested.set(nested + 1);
                self.inputs_around.borrow_mut().push(id);
                let given = PresentInput { id, input, binding, around, location };
                let stated = self.stated(&binding.role, given);
                self.inputs_around.borrow_mut().pop();
                self.nested.set(nested);
                stated
            }
        }
    }

    /// The condition of an explicit null.
    // A function of its own: its stack frame would be part of all enclosing conditions.
    #[inline(never)]
    fn null(
        &self,
        binding: &BoundInput,
        around: FilterContext<'_>,
        location: Location,
    ) -> Result<Option<Filter>, LowerError> {
        let InputRole::Filter(role) = &binding.role else {
            return meaning(binding.null(), None, location);
        };
        if let (FilterRole::Unsupported { otherwise, .. }, true) =
            (role, is_condition(binding.null()))
        {
            return Err(LowerError::refused(otherwise, location));
        }
        let quantifier = match binding.null() {
            Meaning::Related => Quantifier::Some,
            Meaning::Unrelated => Quantifier::None,
            null => {
                let equal = match role {
                    FilterRole::Equal(field) | FilterRole::IsNull { field, .. } => {
                        Some(ValueRef::field(*field))
                    }
                    FilterRole::EqualComputed(function) => {
                        Some(ValueRef::Computed(self.of_row(*function)))
                    }
                    _ => None,
                };
                let FilterContext { subject, variant, .. } = around;
                let own = subject_of(role).map(|own| self.subject(variant, own));
                let own = own.as_ref().map(|subject| &subject.place);
                let around = subject.map(|subject| &subject.place);
                return meaning(null, own.or(equal.as_ref()).or(around), location);
            }
        };
        let rows = match role {
            FilterRole::RelatedBy { hop, .. } | FilterRole::RelatedThrough { near: hop, .. } => {
                RelatedRows::One(*hop)
            }
            FilterRole::RelatedVariantsBy { variants, .. } => RelatedRows::Variants(*variants),
            FilterRole::Declared(DeclaredRole::By { place, .. }) => {
                let link = around.variant.and_then(|own| own.link(*place));
                link.ok_or_else(|| not_declared(location))?.into()
            }
            _ => around.rows.ok_or_else(|| misplaced("a null of related rows"))?,
        };
        match rows {
            RelatedRows::One(hop) => Ok(Some(exists(hop, quantifier))),
            RelatedRows::Through { near, far } => {
                let far = exists(far, Quantifier::Some);
                Ok(Some(variants::related(near, quantifier, far)))
            }
            RelatedRows::Variants(variants) => {
                self.related_variants(variants, quantifier, |_| Ok(Some(Filter::all())))
            }
        }
    }

    /// The condition of a value by its role.
    fn stated(
        &self,
        role: &InputRole,
        given: PresentInput<'_, '_>,
    ) -> Result<Option<Filter>, LowerError> {
        match role {
            InputRole::Filter(role) => self.stated_by_filter(role, given),
            InputRole::Variant(role) => self.stated_of_variant(*role, given),
            InputRole::Refused(text) => Err(LowerError::refused(text, given.location)),
            InputRole::Argument(_)
            | InputRole::Order(_)
            | InputRole::Write(_)
            | InputRole::Member
            | InputRole::Representations
            | InputRole::Ignored => Err(misplaced("a condition")),
        }
    }

    fn stated_by_filter(
        &self,
        role: &FilterRole,
        given: PresentInput<'_, '_>,
    ) -> Result<Option<Filter>, LowerError> {
        let PresentInput { id, input, around, .. } = given;
        let r#type = self.api.schema[id].r#type;
        match role {
            FilterRole::Conditions => self.object(given, around),
            FilterRole::GroupFilter if around.group => self.object(given, FilterContext::default()),
            FilterRole::GroupFilter => Err(misplaced("a condition on the rows of a group")),
            FilterRole::And { item } => {
                let filters = self.listed(given, item)?;
                listed_meaning(given, filters, Filter::and)
            }
            FilterRole::Or { item } => {
                let filters = self.listed(given, item)?;
                listed_meaning(given, filters, Filter::Or)
            }
            // The enclosing object takes it together with its other members.
            FilterRole::OrSiblings => {
                let filters = self.listed(given, &Meaning::Ignore)?;
                Ok(if filters.is_empty() { None } else { Some(Filter::Or(filters)) })
            }
            FilterRole::Complement(role) => {
                let stated = self.stated_by_filter(role, given)?;
                Ok(stated.map(|filter| Filter::Except(Box::new(filter))))
            }
            FilterRole::OneOf(of) => self.one_of(given, of),
            FilterRole::AllPresent => self.all_present(given),
            FilterRole::Negated(role) => {
                let stated = self.stated_by_filter(role, given)?;
                Ok(stated.map(|filter| Filter::Not(Box::new(filter))))
            }
            FilterRole::Unsupported { role, otherwise } => {
                // A position without a condition requires nothing of the source.
                match self.stated_by_filter(role, given)? {
                    None => Ok(None),
                    Some(_) => Err(LowerError::refused(otherwise, given.location)),
                }
            }
            FilterRole::Operator(operator) => {
                let subject = around.subject.ok_or_else(|| misplaced("an operator"))?;
                self.compared(*operator, subject, given)
            }
            FilterRole::On { subject, operator } => {
                let subject = self.subject(around.variant, subject);
                let around = FilterContext { subject: Some(&subject), ..FilterContext::default() };
                self.compared(*operator, &subject, PresentInput { around, ..given })
            }
            FilterRole::Operators(subject) => self.operators(given, subject, false),
            FilterRole::OperatorsOfElements(subject) => self.operators(given, subject, true),
            FilterRole::OperatorsOfAny(subjects) => self.operators_of_any(given, subjects),
            FilterRole::Equal(field) => Ok(Some(Filter::Compare {
                place: ValueRef::field(*field),
                comparison: Comparison::Equal,
                operand: self.operand(input, r#type),
            })),
            FilterRole::EqualComputed(function) => Ok(Some(Filter::Compare {
                place: ValueRef::Computed(self.of_row(*function)),
                comparison: Comparison::Equal,
                operand: self.operand(input, r#type),
            })),
            FilterRole::IsNull { otherwise, .. } => {
                Err(LowerError::refused(otherwise, given.location))
            }
            FilterRole::Composite(composite) => self.of_composite(given, composite),
            FilterRole::AttributeOperators { attribute, plain, ignoring } => {
                let place = around.composite.and_then(|of| of.attribute(*attribute));
                let place = place.ok_or_else(|| misplaced("an attribute"))?;
                let subject = Subject { place, plain: *plain, ignoring: *ignoring };
                self.object(
                    given,
                    FilterContext { subject: Some(&subject), ..FilterContext::default() },
                )
            }
            FilterRole::Related(hop) => self.related(given, *hop, Quantifier::Some),
            FilterRole::FunctionRows(function) => {
                let filter = self.object(given, FilterContext::default())?;
                Ok(filter.map(|filter| Filter::FunctionRows {
                    call: self.of_row(*function),
                    filter: Box::new(filter),
                }))
            }
            FilterRole::RelatedThrough { near, far, quantifier } => {
                self.related_through(given, (*near, *far), *quantifier)
            }
            FilterRole::Exists(hop) => {
                let quantifier = match self.is_true(input) {
                    true => Quantifier::Some,
                    false => Quantifier::None,
                };
                Ok(Some(exists(*hop, quantifier)))
            }
            FilterRole::RelatedMany(hop) => {
                self.object(given, FilterContext::of_rows(RelatedRows::One(*hop)))
            }
            FilterRole::RelatedBy { hop, role } => {
                self.of_rows(given, role, RelatedRows::One(*hop))
            }
            FilterRole::Rows(role) => {
                let rows = around.rows.ok_or_else(|| misplaced("a condition on related rows"))?;
                self.of_rows(given, role, rows)
            }
            FilterRole::OperatorsOfComputed { aggregate, computed } => {
                self.of_computed(given, *aggregate, *computed)
            }
            FilterRole::IsGlobalId(_)
            | FilterRole::RelatedVariants(_)
            | FilterRole::RelatedVariantsBy { .. }
            | FilterRole::RelatedEach { .. }
            | FilterRole::Declared(_)
            | FilterRole::MadeOf(_)
            | FilterRole::OperatorsOfMade(_)
            | FilterRole::OfVariants => self.stated_of_graph(role, given),
            FilterRole::DistancePoint
            | FilterRole::DistanceIs(_)
            | FilterRole::SpatialArgument(_)
            | FilterRole::CallArguments
            | FilterRole::AggregatedColumns
            | FilterRole::AggregatedPair
            | FilterRole::AggregatesDistinct
            | FilterRole::AggregateIs => Err(misplaced("a part of a condition")),
        }
    }

    /// The comparison of a subject with a value.
    // A function of its own: its stack frame would be part of all enclosing conditions.
    #[inline(never)]
    fn compared(
        &self,
        operator: OperatorRole,
        subject: &Subject,
        given: PresentInput<'_, '_>,
    ) -> Result<Option<Filter>, LowerError> {
        let PresentInput { id, input, .. } = given;
        let r#type = self.api.schema[id].r#type;
        match operator {
            OperatorRole::Compare(_)
            | OperatorRole::CompareAsWritten(_)
            | OperatorRole::CompareElement(_)
                if self.is_empty_object(input, r#type)? =>
            {
                meaning(given.binding.empty(), Some(&subject.place), given.location)
            }
            OperatorRole::Compare(comparison) if given.around.of_elements => {
                let operand = self.operand(input, r#type);
                Ok(Some(compare_elements(subject, comparison, operand)))
            }
            OperatorRole::Match { r#match, .. }
                if given.around.of_elements && !r#match.is_of_elements() =>
            {
                Err(LowerError::refused(OF_ELEMENTS, given.location))
            }
            OperatorRole::EqualsAny => self.equals_any(given, subject).map(Some),
            OperatorRole::AsText => self.as_text(given, subject),
            OperatorRole::AsSpatial(to) => self.as_spatial(given, subject, to),
            OperatorRole::Spatial(relation) => self.spatial(given, subject, relation),
            OperatorRole::All if given.around.of_elements => {
                self.element_between(given, subject).map(Some)
            }
            OperatorRole::Compare(comparison) => {
                let operand = self.operand(input, r#type);
                Ok(Some(compare(subject, comparison, subject.plain, operand)))
            }
            OperatorRole::CompareAsWritten(comparison) => {
                let operand = self.plain_operand(input);
                Ok(Some(compare(subject, comparison, subject.plain, operand)))
            }
            OperatorRole::CompareIgnoringCase(comparison) => {
                let operand = self.operand(input, r#type);
                Ok(Some(compare(subject, comparison, subject.ignoring, operand)))
            }
            OperatorRole::CompareElement(comparison) => Ok(Some(Filter::AnyElement {
                place: subject.place.clone(),
                comparison,
                operand: self.operand(input, r#type),
            })),
            OperatorRole::All => {
                let around = FilterContext { subject: Some(subject), ..FilterContext::default() };
                self.object(given, around)
            }
            OperatorRole::Match { r#match, ignore_case } => {
                let operand = self.operand(input, r#type);
                self.state_pattern(r#match, &operand, given.location);
                Ok(Some(Filter::Text {
                    place: subject.place.clone(),
                    r#match,
                    case: if ignore_case { subject.ignoring } else { subject.plain },
                    operand,
                }))
            }
            OperatorRole::TestNull => {
                let is_null = Filter::IsNull(subject.place.stored().clone());
                Ok(Some(match self.is_true(input) {
                    true => is_null,
                    false => Filter::Not(Box::new(is_null)),
                }))
            }
            OperatorRole::Geo(_) if given.around.of_elements => {
                Err(LowerError::refused(OF_ELEMENTS, given.location))
            }
            OperatorRole::Geo(operator) => {
                let (place, operand) = (subject.place.clone(), self.operand(input, r#type));
                Ok(Some(Filter::Geo { place, operator, operand }))
            }
            OperatorRole::Distance(comparison) => {
                let operand = self.operand(input, r#type);
                Ok(Some(distance(&subject.place, comparison, operand)))
            }
            OperatorRole::DistanceFrom => self.distances(given, &subject.place),
        }
    }

    /// The condition on the attributes of a composite.
    fn of_composite(
        &self,
        given: PresentInput<'_, '_>,
        composite: &CompositePlace,
    ) -> Result<Option<Filter>, LowerError> {
        let place = match composite {
            CompositePlace::Field(field) => ValueRef::field(*field),
            CompositePlace::Attribute(attribute) => {
                let place = given.around.composite.and_then(|of| of.attribute(*attribute));
                place.ok_or_else(|| misplaced("an attribute"))?
            }
            CompositePlace::Row(fields) => {
                let composite = Some(Parted::Row(fields));
                return self.object(given, FilterContext { composite, ..FilterContext::default() });
            }
        };
        let composite = Some(Parted::Value(&place));
        self.object(given, FilterContext { composite, ..FilterContext::default() })
    }

    /// The condition on rows at the end of a relationship.
    fn of_rows(
        &self,
        given: PresentInput<'_, '_>,
        role: &RowsRole,
        rows: RelatedRows,
    ) -> Result<Option<Filter>, LowerError> {
        match (role, rows) {
            (RowsRole::Quantified(quantifier), RelatedRows::One(hop)) => {
                self.related(given, hop, *quantifier)
            }
            (RowsRole::Quantified(quantifier), RelatedRows::Through { near, far }) => {
                self.related_through(given, (near, far), *quantifier)
            }
            (_, RelatedRows::Through { .. }) => {
                Err(misplaced("a condition on the rows that others join"))
            }
            (RowsRole::Quantified(quantifier), RelatedRows::Variants(variants)) => {
                self.quantified(given, variants, *quantifier)
            }
            (RowsRole::All { .. }, RelatedRows::One(hop)) => {
                all(|quantifier| self.related(given, hop, quantifier))
            }
            (RowsRole::All { apart }, RelatedRows::Variants(variants)) => {
                self.all_of_variants(given, variants, *apart)
            }
            (RowsRole::Together { once }, RelatedRows::One(hop)) => {
                self.together(given, hop, *once)
            }
            (RowsRole::Together { once }, RelatedRows::Variants(variants)) => {
                self.variants_together(given, variants, *once)
            }
            (RowsRole::Aggregate(function), RelatedRows::One(hop)) => {
                self.related_aggregate(given, hop, *function)
            }
            (RowsRole::Aggregate(_), RelatedRows::Variants(_)) => {
                Err(misplaced("an aggregate of rows of several entities"))
            }
            (RowsRole::Group { nothing }, RelatedRows::One(hop)) => {
                self.related_group(given, hop, nothing)
            }
            (RowsRole::Group { .. }, RelatedRows::Variants(_)) => {
                Err(misplaced("aggregates of rows of several entities"))
            }
        }
    }

    /// The only condition that an object of conditions has.
    fn one_of(
        &self,
        given: PresentInput<'_, '_>,
        of: &OneOf,
    ) -> Result<Option<Filter>, LowerError> {
        let object = self.api.schema[given.id].r#type.base;
        match &self.members_present(given.input, object, given.location)?[..] {
            [(id, input)] => self.condition(*id, input, given.around, given.location),
            [] => Err(LowerError::refused(&of.none, given.location)),
            [_, _, ..] => Err(LowerError::refused(&of.several, given.location)),
        }
    }

    /// A condition on an aggregate of a function's values for each row.
    fn of_computed(
        &self,
        given: PresentInput<'_, '_>,
        function: AggregateFunction,
        computed: FunctionId,
    ) -> Result<Option<Filter>, LowerError> {
        let mut arguments = Vec::new();
        let mut operators = None;
        for (id, input) in self.entries(given.input, self.api.schema[given.id].r#type.base)? {
            if self.presence(&input) != Presence::Present {
                continue;
            }
            match &self.api.input(id).role {
                InputRole::Filter(FilterRole::CallArguments) => {}
                InputRole::Filter(FilterRole::Conditions) => {
                    operators = Some((id, input));
                    continue;
                }
                _ => return Err(misplaced("a condition on what a function computes")),
            }
            for (id, input) in self.entries(&input, self.api.schema[id].r#type.base)? {
                match &self.api.input(id).role {
                    InputRole::Argument(ArgumentRole::Call(argument)) => {
                        arguments.extend(self.given(*argument, &input, self.api.schema[id].r#type));
                    }
                    InputRole::Refused(text) => {
                        if self.presence(&input) == Presence::Present {
                            return Err(LowerError::refused(text, given.location));
                        }
                    }
                    _ => return Err(misplaced("an argument of a function")),
                }
            }
        }
        let Some((id, input)) = operators else { return Ok(None) };
        let call = self.call(computed, Some(Vec::new()), arguments, given.location)?;
        let place = Box::new(ValueRef::Computed(call));
        let subject = Subject::new(ValueRef::Aggregated { function, place });
        let around = FilterContext { subject: Some(&subject), ..FilterContext::default() };
        self.condition(id, &input, around, given.location)
    }

    /// True if the value is an object of an input type, without fields.
    fn is_empty_object(&self, input: &Input<'_>, r#type: TypeRef) -> Result<bool, LowerError> {
        let is_object = r#type.item().is_none()
            && matches!(self.api.schema[r#type.base].kind, TypeKind::InputObject { .. });
        Ok(is_object && self.entries(input, r#type.base)?.is_empty())
    }

    /// The conjunction of an object's fields; `None` if none has a condition.
    fn object(
        &self,
        given: PresentInput<'_, '_>,
        around: FilterContext<'_>,
    ) -> Result<Option<Filter>, LowerError> {
        let entries = self.entries(given.input, self.api.schema[given.id].r#type.base)?;
        if entries.is_empty() {
            let place = around.subject.map(|subject| &subject.place);
            return meaning(given.binding.empty(), place, given.location);
        }
        self.conjunction(&entries, around, given.location)
    }

    /// The conditions of a list's items, each by itself.
    fn listed(
        &self,
        given: PresentInput<'_, '_>,
        empty: &Meaning,
    ) -> Result<Vec<Filter>, LowerError> {
        let items = self.items(given.input)?;
        let mut filters = Vec::with_capacity(items.len());
        for item in &items {
            if self.presence(item) != Presence::Present {
                continue;
            }
            let entries = self.entries(item, self.api.schema[given.id].r#type.base)?;
            let stated = self.conjunction(&entries, given.around, given.location)?;
            filters.extend(match (stated, empty) {
                (Some(filter), _) => Some(filter),
                // It has fields without conditions; only one without fields is rejected.
                (None, Meaning::Refuse(_)) if !entries.is_empty() => None,
                (None, empty) => meaning(empty, None, given.location)?,
            });
        }
        Ok(filters)
    }

    /// The condition that parts of the row, which enum values name, are present.
    fn all_present(&self, given: PresentInput<'_, '_>) -> Result<Option<Filter>, LowerError> {
        let r#type = self.api.schema[given.id].r#type.base;
        let mut filters = Vec::new();
        for item in &self.items(given.input)? {
            let part = match self.enum_value(item, r#type, given.location)? {
                Some(ValueBinding::Present(part)) => part,
                Some(_) => return Err(misplaced("a part of a row")),
                None => continue,
            };
            let has_value = |place| Filter::Not(Box::new(Filter::IsNull(place)));
            filters.push(match part {
                RowPart::Field(field) => has_value(ValueRef::field(*field)),
                RowPart::AnyOf(subjects) => {
                    let own = |subject| self.subject(given.around.variant, subject).place.clone();
                    Filter::Or(subjects.iter().map(|subject| has_value(own(subject))).collect())
                }
                RowPart::Common(place) => {
                    let common = Subject::new(ValueRef::Common(*place));
                    has_value(self.subject(given.around.variant, &common).place.clone())
                }
                RowPart::Related(hop) => exists(*hop, Quantifier::Some),
                RowPart::RelatedThrough { near, far } => {
                    let far = exists(*far, Quantifier::Some);
                    variants::related(*near, Quantifier::Some, far)
                }
                RowPart::Link(place) => {
                    match given.around.variant.and_then(|own| own.link(*place)) {
                        Some(VariantLink::One(hop)) => exists(hop, Quantifier::Some),
                        Some(VariantLink::Through { near, far }) => {
                            let far = exists(far, Quantifier::Some);
                            variants::related(near, Quantifier::Some, far)
                        }
                        Some(VariantLink::Several(variants)) => {
                            let all = |_: FilterContext<'_>| Ok(Some(Filter::all()));
                            match self.related_variants(variants, Quantifier::Some, all)? {
                                Some(filter) => filter,
                                None => continue,
                            }
                        }
                        None => return Err(not_declared(given.location)),
                    }
                }
                RowPart::RelatedVariants(variants) => {
                    let all = |_: FilterContext<'_>| Ok(Some(Filter::all()));
                    match self.related_variants(*variants, Quantifier::Some, all)? {
                        Some(filter) => filter,
                        None => continue,
                    }
                }
            });
        }
        Ok(if filters.is_empty() { None } else { Some(Filter::and(filters)) })
    }

    pub(super) fn conjunction(
        &self,
        entries: &[(InputId, Input<'_>)],
        around: FilterContext<'_>,
        location: Location,
    ) -> Result<Option<Filter>, LowerError> {
        let around = FilterContext { alone: entries.len() == 1, ..around };
        let mut filters = Vec::with_capacity(entries.len());
        let mut others = Vec::new();
        let overridden = match around.variant {
            Some(own) => self.overridden(entries, own)?,
            None => Vec::new(),
        };
        for (id, input) in entries {
            if !overridden.contains(&self.api.schema[*id].name) {
                let stated = self.condition(*id, input, around, location)?;
                match self.api.input(*id).role == InputRole::Filter(FilterRole::OrSiblings) {
                    true => others.extend(stated),
                    false => filters.extend(stated),
                }
            }
        }
        if !others.is_empty() {
            if !filters.is_empty() {
                others.insert(0, Filter::and(filters));
            }
            filters = vec![Filter::Or(others)];
        }
        if let Some(own) = around.variant
            && self.is_of_others(entries, own.number)
        {
            return Ok(Some(Filter::none()));
        }
        Ok(if filters.is_empty() { None } else { Some(Filter::and(filters)) })
    }
}

/// The filter that a relationship leads to any row.
fn exists(hop: Hop, quantifier: Quantifier) -> Filter {
    Filter::Relation { hop, quantifier, filter: Box::new(Filter::all()) }
}

fn distance(place: &ValueRef, comparison: Comparison, operand: ir::Operand) -> Filter {
    let operator = GeoOperator::Distance(comparison);
    Filter::Geo { place: place.clone(), operator, operand }
}

/// The subject of a role that has one.
fn subject_of(role: &FilterRole) -> Option<&Subject> {
    match role {
        FilterRole::Operators(subject)
        | FilterRole::OperatorsOfElements(subject)
        | FilterRole::On { subject, .. } => Some(subject),
        FilterRole::Negated(role) => subject_of(role),
        _ => None,
    }
}

fn compare(subject: &Subject, comparison: Comparison, case: Case, operand: ir::Operand) -> Filter {
    let place = subject.place.clone();
    match case {
        Case::AsTyped => Filter::Compare { place, comparison, operand },
        Case::Exact | Case::Ignored => Filter::CompareText { place, comparison, case, operand },
    }
}

/// The condition that any element of a list compares so.
fn compare_elements(subject: &Subject, comparison: Comparison, operand: ir::Operand) -> Filter {
    let place = subject.place.clone();
    match comparison {
        Comparison::In => Filter::Compare { place, comparison: Comparison::Overlaps, operand },
        _ => Filter::AnyElement { place, comparison, operand },
    }
}

/// The meaning of a list by the conditions of its items.
fn listed_meaning(
    given: PresentInput<'_, '_>,
    filters: Vec<Filter>,
    connect: fn(Vec<Filter>) -> Filter,
) -> Result<Option<Filter>, LowerError> {
    match filters.is_empty() {
        true => {
            let place = given.around.subject.map(|subject| &subject.place);
            meaning(given.binding.empty(), place, given.location)
        }
        false => Ok(Some(connect(filters))),
    }
}
