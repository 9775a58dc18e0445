//! Conditions: the input objects that filter rows.
//!
//! `graph.rs`: those that only the API of a graph has.

mod declared;
mod graph;
mod several;

use catalog::{FieldId, FunctionId};
use graphql::operation::Location;
use graphql::schema::{InputId, TypeKind, TypeRef};
use ir::{AggregateFunction, Case, Comparison, Filter, GeoOperator, Hop, Place, Quantifier};

use super::input::{Input, Presence};
use super::order::of_row;
use super::variants::OfVariant;
use super::{Context, LowerError};
use crate::binding::{
    CompositePlace, DeclaredRole, InputBinding, InputRole, Meaning, Subject, VariantLink,
    VariantsId,
};
use declared::not_declared;

/// How deep conditions may stand within each other: whoever compiles them goes down as far.
const NESTED: usize = 64;

/// What the objects around an input say that it is about.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around<'b> {
    /// What operators compare.
    subject: Option<&'b Subject>,
    /// The relationship whose rows are quantified.
    hop: Option<Hop>,
    /// What is made of many rows together is made of this.
    made_of: Option<&'b Place>,
    /// The composite whose attributes are filtered.
    composite: Option<Parted<'b>>,
    /// The relationships whose rows, of several entities, are quantified.
    ways: Option<VariantsId>,
    /// Which of several entities the conditions are about.
    variant: Option<OfVariant<'b>>,
    /// Whether there is no other condition beside it.
    alone: bool,
    /// The relationship that led to the rows.
    along: Option<Hop>,
}

impl<'b> Around<'b> {
    pub(super) fn of_variant(variant: OfVariant<'b>) -> Self {
        Self { variant: Some(variant), along: variant.hop, ..Self::default() }
    }

    /// Rows that a relationship led to.
    pub(super) fn along(hop: Hop) -> Self {
        Self { along: Some(hop), ..Self::default() }
    }
}

/// A composite by its attributes.
#[derive(Clone, Copy, Debug)]
enum Parted<'b> {
    Value(&'b Place),
    /// A row whose fields they are.
    Row(&'b [FieldId]),
}

impl Parted<'_> {
    /// An attribute by its place.
    fn attribute(self, attribute: u16) -> Option<Place> {
        match self {
            Self::Value(of) => Some(Place::Attribute { of: Box::new(of.clone()), attribute }),
            Self::Row(fields) => fields.get(usize::from(attribute)).copied().map(Place::field),
        }
    }
}

/// A present value at an input position.
#[derive(Clone, Copy)]
struct Given<'c, 'o> {
    id: InputId,
    input: &'c Input<'o>,
    binding: &'c InputBinding,
    around: Around<'c>,
    location: Location,
}

impl Context<'_> {
    /// The condition that one input position states; `None` if it states none.
    pub(super) fn condition(
        &self,
        id: InputId,
        input: &Input<'_>,
        around: Around<'_>,
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
                let given = Given { id, input, binding, around, location };
                let stated = self.stated(&binding.role, given);
                self.inputs_around.borrow_mut().pop();
                self.nested.set(nested);
                stated
            }
        }
    }

    /// The condition that null states.
    // Its frame would stand in those of all conditions around it.
    #[inline(never)]
    fn null(
        &self,
        binding: &InputBinding,
        around: Around<'_>,
        location: Location,
    ) -> Result<Option<Filter>, LowerError> {
        let equal = match &binding.role {
            InputRole::Equal(field) | InputRole::IsNull { field, .. } => Some(Place::field(*field)),
            InputRole::EqualComputed(function) => Some(Place::Computed(of_row(*function))),
            _ => None,
        };
        let Around { subject, hop, ways, variant, .. } = around;
        let (hop, ways) = match &binding.role {
            InputRole::RelatedBy { hop, .. } => (Some(*hop), None),
            InputRole::RelatedVariantsBy { variants, .. } => (None, Some(*variants)),
            InputRole::Declared(DeclaredRole::By { place, .. }) => {
                match variant.and_then(|own| own.link(*place)) {
                    Some(VariantLink::One(hop)) => (Some(hop), None),
                    Some(VariantLink::Several(ways)) => (None, Some(ways)),
                    None => return Err(not_declared(location)),
                }
            }
            _ => (hop, ways),
        };
        let quantifier = match &binding.null {
            Meaning::Related => Quantifier::Some,
            Meaning::Unrelated => Quantifier::None,
            null => {
                let own = subject_of(&binding.role).map(|own| self.subject(variant, own));
                let own = own.as_ref().map(|subject| &subject.place);
                let around = subject.map(|subject| &subject.place);
                return meaning(null, own.or(equal.as_ref()).or(around), location);
            }
        };
        match (hop, ways) {
            (Some(hop), _) => Ok(Some(exists(hop, quantifier))),
            (None, Some(ways)) => {
                self.related_variants(ways, quantifier, |_| Ok(Some(Filter::all())))
            }
            (None, None) => Ok(None),
        }
    }

    fn stated(&self, role: &InputRole, given: Given<'_, '_>) -> Result<Option<Filter>, LowerError> {
        let Given { id, input, around, .. } = given;
        let r#type = self.api.schema[id].r#type;
        // What is compared needs a subject; a position of the schema always has one.
        match (role, around.subject) {
            (InputRole::Negated(role), _) => {
                Ok(self.stated(role, given)?.map(|filter| Filter::Not(Box::new(filter))))
            }
            // What states nothing asks nothing of the source.
            (InputRole::Refused { role, otherwise }, _) => match self.stated(role, given)? {
                None => Ok(None),
                Some(_) => {
                    let (message, location) = (otherwise.clone(), given.location);
                    Err(LowerError::Refused { message, location })
                }
            },
            (InputRole::Equal(field), _) => Ok(Some(Filter::Compare {
                place: Place::field(*field),
                comparison: Comparison::Equal,
                operand: self.operand(input, r#type),
            })),
            (InputRole::EqualComputed(function), _) => Ok(Some(Filter::Compare {
                place: Place::Computed(of_row(*function)),
                comparison: Comparison::Equal,
                operand: self.operand(input, r#type),
            })),
            (InputRole::IsNull { otherwise, .. }, _) => {
                Err(LowerError::Refused { message: otherwise.clone(), location: given.location })
            }
            (InputRole::Compare(_) | InputRole::CompareElement(_), Some(subject))
                if self.is_empty_object(input, r#type)? =>
            {
                meaning(&given.binding.empty, Some(&subject.place), given.location)
            }
            (InputRole::Compare(comparison), Some(subject)) => {
                let operand = self.operand(input, r#type);
                Ok(Some(compare(subject, *comparison, subject.plain, operand)))
            }
            (InputRole::CompareIgnoringCase(comparison), Some(subject)) => {
                let operand = self.operand(input, r#type);
                Ok(Some(compare(subject, *comparison, subject.ignoring, operand)))
            }
            (InputRole::Match { r#match, ignore_case }, Some(subject)) => {
                let operand = self.operand(input, r#type);
                self.state_pattern(*r#match, &operand, given.location);
                Ok(Some(Filter::Text {
                    place: subject.place.clone(),
                    r#match: *r#match,
                    case: if *ignore_case { subject.ignoring } else { subject.plain },
                    operand,
                }))
            }
            (InputRole::CompareElement(comparison), Some(subject)) => {
                Ok(Some(Filter::AnyElement {
                    place: subject.place.clone(),
                    comparison: *comparison,
                    operand: self.operand(input, r#type),
                }))
            }
            (InputRole::Composite(composite), _) => {
                let place = match composite {
                    CompositePlace::Field(field) => Some(Place::field(*field)),
                    CompositePlace::Attribute(attribute) => {
                        around.composite.and_then(|of| of.attribute(*attribute))
                    }
                    CompositePlace::Row(_) => None,
                };
                let composite = match (composite, &place) {
                    (CompositePlace::Row(fields), _) => Parted::Row(fields),
                    (_, Some(place)) => Parted::Value(place),
                    (_, None) => return Ok(None),
                };
                self.object(given, Around { composite: Some(composite), ..Around::default() })
            }
            (InputRole::AttributeOperators { attribute, plain, ignoring }, _) => {
                let place = around.composite.and_then(|of| of.attribute(*attribute));
                let Some(place) = place else { return Ok(None) };
                let subject = Subject { place, plain: *plain, ignoring: *ignoring };
                self.object(given, Around { subject: Some(&subject), ..Around::default() })
            }
            (InputRole::TestNull, Some(subject)) => {
                let is_null = Filter::IsNull(subject.place.stored().clone());
                Ok(Some(match self.is_true(input) {
                    true => is_null,
                    false => Filter::Not(Box::new(is_null)),
                }))
            }
            (InputRole::Filter | InputRole::GroupFilter, _) => self.object(given, around),
            (InputRole::OperatorsOfComputed { aggregate, computed }, _) => {
                self.of_computed(given, *aggregate, *computed)
            }
            (InputRole::Operators(subject), _) => self.operators(given, subject),
            (
                InputRole::On { .. }
                | InputRole::RelatedBy { .. }
                | InputRole::All { .. }
                | InputRole::RelatedVariants(_)
                | InputRole::RelatedVariantsBy { .. }
                | InputRole::RelatedEach { .. }
                | InputRole::Declared(_)
                | InputRole::OfVariants
                | InputRole::OnVariant
                | InputRole::OfVariant(_)
                | InputRole::IsGlobalId(_)
                | InputRole::Together { .. }
                | InputRole::MadeOf(_)
                | InputRole::OperatorsOfMade(_),
                _,
            ) => self.stated_of_graph(role, given),
            (InputRole::And { item }, _) => {
                let filters = self.listed(given, item)?;
                listed_meaning(given, filters, Filter::and)
            }
            (InputRole::Or { item }, _) => {
                let filters = self.listed(given, item)?;
                listed_meaning(given, filters, Filter::Or)
            }
            (InputRole::Related(hop), _) => self.related(given, *hop, Quantifier::Some),
            (InputRole::RelatedMany(hop), _) => {
                self.object(given, Around { hop: Some(*hop), ..Around::default() })
            }
            (InputRole::Quantified(quantifier), _) => match (around.hop, around.ways) {
                (Some(hop), _) => self.related(given, hop, *quantifier),
                (None, Some(ways)) => self.quantified(given, ways, *quantifier),
                (None, None) => Ok(None),
            },
            (InputRole::RelatedGroup { nothing }, _) => match around.hop {
                Some(hop) => self.related_group(given, hop, nothing),
                None => Ok(None),
            },
            (InputRole::Distance(comparison), Some(subject)) => {
                let operand = self.operand(input, r#type);
                Ok(Some(distance(&subject.place, *comparison, operand)))
            }
            (InputRole::DistanceFrom, Some(subject)) => self.distances(given, &subject.place),
            (InputRole::Exists(hop), _) => {
                let quantifier = match self.is_true(input) {
                    true => Quantifier::Some,
                    false => Quantifier::None,
                };
                Ok(Some(exists(*hop, quantifier)))
            }
            (
                InputRole::Compare(_)
                | InputRole::CompareIgnoringCase(_)
                | InputRole::CompareElement(_)
                | InputRole::Match { .. }
                | InputRole::TestNull
                | InputRole::Distance(_)
                | InputRole::DistanceFrom,
                None,
            )
            | (
                InputRole::Member
                | InputRole::Inputs
                | InputRole::Rows
                | InputRole::AtMost
                | InputRole::Stored(_)
                | InputRole::Nested(_)
                | InputRole::NestedIn(_)
                | InputRole::Representations
                | InputRole::ClientMutationId
                | InputRole::NodeId
                | InputRole::GlobalId
                | InputRole::Argument(_)
                | InputRole::CallArguments
                | InputRole::Limit
                | InputRole::LimitAtMost(_)
                | InputRole::Last
                | InputRole::After
                | InputRole::Before
                | InputRole::Searched
                | InputRole::SearchBy(_)
                | InputRole::Offset
                | InputRole::OrderBy
                | InputRole::GroupBy
                | InputRole::GroupFields
                | InputRole::GroupField(_)
                | InputRole::Along(_)
                | InputRole::AlongBy { .. }
                | InputRole::AlongNode
                | InputRole::AlongEdge
                | InputRole::AlongKey
                | InputRole::Overwrite { .. }
                | InputRole::Several(_)
                | InputRole::Further
                | InputRole::Assign { .. }
                | InputRole::Assigns { .. }
                | InputRole::AssignBy(_)
                | InputRole::AfterOffset
                | InputRole::LimitUnlessZero
                | InputRole::Options
                | InputRole::Directed { .. }
                | InputRole::DirectedVariants { .. }
                | InputRole::DistancePoint
                | InputRole::DistanceIs(_)
                | InputRole::Sort
                | InputRole::SortField(_)
                | InputRole::SortEdge(_)
                | InputRole::SortCommon(_)
                | InputRole::SortComputed(_),
                _,
            ) => Ok(None),
        }
    }

    /// Rows by aggregates of the rows that they are related to.
    fn related_group(
        &self,
        given: Given<'_, '_>,
        hop: Hop,
        nothing: &str,
    ) -> Result<Option<Filter>, LowerError> {
        let entries = self.entries(given.input, self.api.schema[given.id].r#type.base)?;
        if entries.is_empty() {
            return meaning(&given.binding.empty, None, given.location);
        }
        let is_filter =
            |(id, _): &&(InputId, Input<'_>)| self.api.input(*id).role == InputRole::GroupFilter;
        let (filters, conditions): (Vec<_>, Vec<_>) = entries.iter().partition(is_filter);
        if conditions.is_empty() {
            return Err(LowerError::refused(nothing, given.location));
        }
        let mut having = Vec::with_capacity(conditions.len());
        for (id, input) in conditions {
            having.extend(self.condition(*id, input, Around::default(), given.location)?);
        }
        let mut filter = Vec::with_capacity(filters.len());
        for (id, input) in filters {
            filter.extend(self.condition(*id, input, Around::default(), given.location)?);
        }
        let filter = Box::new(Filter::and(filter));
        Ok(match having.is_empty() {
            true => None,
            false => {
                let having = Box::new(Filter::and(having));
                Some(Filter::RelatedGroup { hop, filter, having, once: false })
            }
        })
    }

    /// Rows by rows that they are related to.
    fn related(
        &self,
        given: Given<'_, '_>,
        hop: Hop,
        quantifier: Quantifier,
    ) -> Result<Option<Filter>, LowerError> {
        let filter = self.object(given, Around::along(hop))?;
        Ok(filter.map(|filter| Filter::Relation { hop, quantifier, filter: Box::new(filter) }))
    }

    /// A condition on what an aggregate makes of what a function computes of each row.
    fn of_computed(
        &self,
        given: Given<'_, '_>,
        function: AggregateFunction,
        computed: FunctionId,
    ) -> Result<Option<Filter>, LowerError> {
        let mut arguments = Vec::new();
        let mut operators = None;
        for (id, input) in self.entries(given.input, self.api.schema[given.id].r#type.base)? {
            if self.presence(&input) != Presence::Present {
                continue;
            }
            if self.api.input(id).role != InputRole::CallArguments {
                operators = Some((id, input));
                continue;
            }
            for (id, input) in self.entries(&input, self.api.schema[id].r#type.base)? {
                if let InputRole::Argument(argument) = &self.api.input(id).role {
                    let r#type = self.api.schema[id].r#type;
                    arguments.extend(self.given(*argument, &input, r#type));
                }
            }
        }
        let Some((id, input)) = operators else { return Ok(None) };
        let call = self.call(computed, Some(Vec::new()), arguments)?;
        let place = Box::new(Place::Computed(call));
        let subject = Subject::new(Place::Aggregated { function, place });
        let around = Around { subject: Some(&subject), ..Around::default() };
        self.condition(id, &input, around, given.location)
    }

    /// Whether the value is an object of an input type, without fields.
    fn is_empty_object(&self, input: &Input<'_>, r#type: TypeRef) -> Result<bool, LowerError> {
        let is_object = r#type.item().is_none()
            && matches!(self.api.schema[r#type.base].kind, TypeKind::InputObject { .. });
        Ok(is_object && self.entries(input, r#type.base)?.is_empty())
    }

    /// The conjunction that an object states; `None` if none of its fields states anything.
    fn object(
        &self,
        given: Given<'_, '_>,
        around: Around<'_>,
    ) -> Result<Option<Filter>, LowerError> {
        let entries = self.entries(given.input, self.api.schema[given.id].r#type.base)?;
        if entries.is_empty() {
            let place = around.subject.map(|subject| &subject.place);
            return meaning(&given.binding.empty, place, given.location);
        }
        self.conjunction(&entries, around, given.location)
    }

    /// What the items of a list state, each by itself.
    fn listed(&self, given: Given<'_, '_>, empty: &Meaning) -> Result<Vec<Filter>, LowerError> {
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
                // It has fields, which state nothing; only one without fields is refused.
                (None, Meaning::Refuse(_)) if !entries.is_empty() => None,
                (None, empty) => meaning(empty, None, given.location)?,
            });
        }
        Ok(filters)
    }

    pub(super) fn conjunction(
        &self,
        entries: &[(InputId, Input<'_>)],
        around: Around<'_>,
        location: Location,
    ) -> Result<Option<Filter>, LowerError> {
        let around = Around { alone: entries.len() == 1, ..around };
        let mut filters = Vec::with_capacity(entries.len());
        let overridden = match around.variant {
            Some(own) => self.overridden(entries, own)?,
            None => Vec::new(),
        };
        for (id, input) in entries {
            if !overridden.contains(&self.api.schema[*id].name) {
                filters.extend(self.condition(*id, input, around, location)?);
            }
        }
        if let Some(own) = around.variant
            && self.is_of_others(entries, own.number)
        {
            return Ok(Some(Filter::none()));
        }
        Ok(if filters.is_empty() { None } else { Some(Filter::and(filters)) })
    }
}

/// Whether a relationship leads to any row.
fn exists(hop: Hop, quantifier: Quantifier) -> Filter {
    Filter::Relation { hop, quantifier, filter: Box::new(Filter::all()) }
}

fn distance(place: &Place, comparison: Comparison, operand: ir::Operand) -> Filter {
    let operator = GeoOperator::Distance(comparison);
    Filter::Geo { place: place.clone(), operator, operand }
}

/// What a role is about that says it.
fn subject_of(role: &InputRole) -> Option<&Subject> {
    match role {
        InputRole::Operators(subject) | InputRole::On { subject, .. } => Some(subject),
        InputRole::Negated(role) => subject_of(role),
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

/// What a list states by the statements of its items.
fn listed_meaning(
    given: Given<'_, '_>,
    filters: Vec<Filter>,
    connect: fn(Vec<Filter>) -> Filter,
) -> Result<Option<Filter>, LowerError> {
    match filters.is_empty() {
        true => {
            let place = given.around.subject.map(|subject| &subject.place);
            meaning(&given.binding.empty, place, given.location)
        }
        false => Ok(Some(connect(filters))),
    }
}

/// What a null or an empty value states.
pub(super) fn meaning(
    meaning: &Meaning,
    place: Option<&Place>,
    location: Location,
) -> Result<Option<Filter>, LowerError> {
    match meaning {
        Meaning::Ignore => Ok(None),
        Meaning::True => Ok(Some(Filter::all())),
        Meaning::False => Ok(Some(Filter::none())),
        Meaning::IsNull => Ok(place.map(|place| Filter::IsNull(place.stored().clone()))),
        Meaning::IsNotNull => {
            let is_null = |place: &Place| Box::new(Filter::IsNull(place.stored().clone()));
            Ok(place.map(|place| Filter::Not(is_null(place))))
        }
        Meaning::Related | Meaning::Unrelated => Ok(None),
        Meaning::Refuse(text) => Err(LowerError::Refused { message: text.clone(), location }),
    }
}
