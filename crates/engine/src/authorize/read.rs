//! A request as far as rules let it read.
//!
//! Every set of rows gets the condition that its rows may be seen. A row at the end of a path that
//! may not be seen counts as absent wherever the path is used; a value that may be seen in some
//! rows only is null in the others, in filters and orders as in the answer, so that neither tells
//! what the answer hides. A relationship is followed only if the fields that it compares may be
//! seen. Conditions of rules themselves look at everything.

use std::collections::{BTreeSet, HashMap};

use catalog::{Catalog, EntityId, FieldId, FunctionId, FunctionResult, Scalar, Type};
use ir::{
    Aggregate, AggregateFunction, Call, Filter, From, Hop, HopDirection, OrderKey, Output,
    OutputId, OutputKind, Page, Place, Quantifier, Request, Rows, StepId, StepKind,
};

use super::denial::Denial;
use super::set::{Cell, PolicySet, Verb};

/// What a request is let to do: it is changed to that, or refused with everything that it is not.
pub(crate) fn authorize(
    catalog: &Catalog,
    set: &PolicySet,
    request: &mut Request,
) -> Result<(), BTreeSet<Denial>> {
    if set.all {
        return Ok(());
    }
    let walk = walk(catalog, set, request);
    match walk.denials.is_empty() {
        true => Ok(()),
        false => Err(walk.denials),
    }
}

/// Changes a request to what it is let to do, and notes what it asked for.
pub(super) fn walk<'a>(
    catalog: &'a Catalog,
    set: &'a PolicySet,
    request: &mut Request,
) -> Walk<'a> {
    let mut walk = Walk {
        catalog,
        set,
        denials: BTreeSet::new(),
        asked: BTreeSet::new(),
        outputs: request.outputs,
        changed: HashMap::new(),
    };
    for transaction in &mut request.transactions {
        for step in &mut transaction.steps {
            match &mut step.kind {
                StepKind::Read(rows) => walk.rows(rows, None),
                StepKind::Write(write) => walk.write(step.id, write),
                StepKind::Call(call) => walk.effect(step.id, call),
                StepKind::Require(require) => walk.require(require),
            }
        }
    }
    request.outputs = walk.outputs;
    walk
}

/// Something that rules let or do not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Asked {
    /// Rows of an entity, or a field of them.
    Rows(EntityId, Verb, Option<FieldId>),
    Function(FunctionId),
}

pub(super) struct Walk<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) set: &'a PolicySet,
    pub(super) denials: BTreeSet<Denial>,
    /// Everything that rules were asked about.
    pub(super) asked: BTreeSet<Asked>,
    /// How many outputs there are.
    outputs: u32,
    /// Whose rows a step gives, if it gives any.
    pub(super) changed: HashMap<StepId, Option<EntityId>>,
}

/// The rows within which places are looked up.
struct Within {
    entity: Option<EntityId>,
    /// What joins the rows to those around them.
    edge: Option<EntityId>,
    /// Those that may be seen.
    visible: Filter,
    /// The rows at the ends of paths, as far as not all of them may be seen. `None`: a condition on
    /// them would stand nowhere.
    paths: Option<Vec<(Vec<Hop>, Filter)>>,
}

impl Within {
    fn nothing() -> Self {
        Self { entity: None, edge: None, visible: Filter::all(), paths: None }
    }
}

impl Walk<'_> {
    pub(super) fn deny(&mut self, denial: Denial) {
        self.denials.insert(denial);
    }

    pub(super) fn ask(&mut self, entity: EntityId, verb: Verb, field: Option<FieldId>) {
        if self.catalog[entity].kind.is_stored() {
            self.asked.insert(Asked::Rows(entity, verb, field));
        }
    }

    /// The rows of an entity that may be seen.
    pub(super) fn visible(&mut self, entity: EntityId) -> Filter {
        self.ask(entity, Verb::Read, None);
        self.set.visible(self.catalog, entity).unwrap_or_else(|| {
            self.deny(Denial::Entity(entity, Verb::Read));
            Filter::none()
        })
    }

    /// A field whose value is used in a way that a mask would not fit.
    pub(super) fn plain(&mut self, field: FieldId) {
        self.ask(self.catalog[field].entity, Verb::Read, Some(field));
        match self.set.cell(self.catalog, field) {
            Cell::Plain => {}
            Cell::Masked(_) => self.deny(Denial::Hidden(field)),
            Cell::Denied => self.deny(Denial::Field(field, Verb::Read)),
        }
    }

    /// Follows a relationship: to which entity, and which of its rows may be seen.
    fn hop(&mut self, hop: Hop, near: Option<EntityId>) -> (EntityId, Filter) {
        let relationship = &self.catalog[hop.relationship];
        if relationship.edge.is_some() {
            self.deny(Denial::NotUnderstood("a relationship with properties"));
        }
        for field in relationship.from_fields.iter().chain(&relationship.to_fields) {
            self.plain(*field);
        }
        let (from, to) = match hop.direction {
            HopDirection::Forward => (relationship.from, relationship.to),
            HopDirection::Backward => (relationship.to, relationship.from),
        };
        if near.is_some_and(|near| near != from && self.catalog[near].kind.is_stored()) {
            self.deny(Denial::NotUnderstood("a relationship of other rows"));
        }
        (to, self.visible(to))
    }

    pub(super) fn rows(&mut self, rows: &mut Rows, outer: Option<EntityId>) {
        let mut within = self.from(&mut rows.from, outer);
        within.paths = Some(Vec::new());
        self.filter(&mut rows.filter, &mut within);
        for field in &rows.distinct {
            self.plain(*field);
        }
        for term in &mut rows.order {
            self.order_key(&mut term.key, &mut within);
        }
        if let Page::AfterRow { key, .. } = &rows.page {
            for (field, _) in key {
                self.plain(*field);
            }
        }
        for output in &mut rows.outputs {
            self.output(output, &mut within);
        }
        for (path, filter) in within.paths.unwrap_or_default() {
            self.present_if(rows, path, filter);
        }
        let filter = std::mem::replace(&mut rows.filter, Filter::all());
        rows.filter = both(filter, within.visible);
    }

    /// The rows at the end of a path count as absent where they may not be seen.
    fn present_if(&mut self, rows: &mut Rows, path: Vec<Hop>, filter: Filter) {
        let mut outputs = rows.outputs.iter_mut();
        let known = outputs.find(
            |output| matches!(&output.kind, OutputKind::Present { path: own } if *own == path),
        );
        let kind = OutputKind::PresentIf { path, filter };
        match known {
            Some(output) => output.kind = kind,
            None => {
                let id = OutputId(self.outputs);
                self.outputs += 1;
                rows.outputs.push(Output { id, kind });
            }
        }
    }

    /// Where rows come from.
    fn from(&mut self, from: &mut From, outer: Option<EntityId>) -> Within {
        let (entity, visible, edge) = match from {
            From::Entity(entity) => (Some(*entity), self.visible(*entity), None),
            From::Relation(hop) => {
                let (entity, visible) = self.hop(*hop, outer);
                (Some(entity), visible, None)
            }
            From::Through { near, joining, far } => {
                let (edge, may_join) = self.hop(*near, outer);
                let (entity, visible) = self.hop(*far, Some(edge));
                if !joining.is_all() {
                    self.deny(Denial::NotUnderstood("joining rows with a condition"));
                }
                *joining = may_join;
                (Some(entity), visible, Some(edge))
            }
            From::Joining { near, far } => {
                let (edge, visible) = self.hop(*near, None);
                self.hop(*far, Some(edge));
                (Some(edge), visible, None)
            }
            From::Function(call) => {
                if call.of_row.as_ref().is_some_and(|path| !path.is_empty()) {
                    self.deny(Denial::NotUnderstood("rows of a function of a related row"));
                }
                self.may_call(call);
                match self.catalog[call.function].result {
                    FunctionResult::Row(entity)
                    | FunctionResult::Rows(entity)
                    | FunctionResult::RowArray(entity) => {
                        (Some(entity), self.visible(entity), None)
                    }
                    FunctionResult::Values(field) | FunctionResult::Value(field) => {
                        (Some(self.catalog[field].entity), Filter::all(), None)
                    }
                    FunctionResult::Nothing => return Within::nothing(),
                }
            }
            From::Value(field) => {
                self.plain(*field);
                let r#type = match &self.catalog[*field].r#type {
                    Type::List(element) => element,
                    own => own,
                };
                match r#type {
                    Type::Row(entity) => (Some(*entity), self.visible(*entity), None),
                    _ => {
                        self.deny(Denial::NotUnderstood("rows within a value"));
                        return Within::nothing();
                    }
                }
            }
            From::Once => return Within::nothing(),
            From::Returned { step, .. } => return self.returned(*step),
            From::Variants(_) => return self.unknown("rows of several entities"),
            From::Native { .. } => return self.unknown("a statement of its own"),
            From::Keys { .. } => return self.unknown("rows by a list of keys"),
        };
        Within { entity, edge, visible, paths: None }
    }

    fn unknown(&mut self, what: &'static str) -> Within {
        self.deny(Denial::NotUnderstood(what));
        Within::nothing()
    }

    /// The rows that a step changed, or those that it gave, as far as they may be seen.
    fn returned(&mut self, step: StepId) -> Within {
        match self.changed.get(&step) {
            Some(Some(entity)) => {
                let entity = *entity;
                let visible = self.visible(entity);
                Within { entity: Some(entity), edge: None, visible, paths: None }
            }
            Some(None) | None => self.unknown("rows of a step that gives none"),
        }
    }

    fn output(&mut self, output: &mut Output, within: &mut Within) {
        match &mut output.kind {
            OutputKind::Field { path, field, form } => {
                if let Some(filter) = self.cell(path, *field, within) {
                    let (path, field, form) = (std::mem::take(path), *field, *form);
                    output.kind = OutputKind::FieldIf { path, field, form, filter };
                }
            }
            OutputKind::Present { path } => {
                self.path(path, within);
            }
            OutputKind::FieldIf { .. } | OutputKind::PresentIf { .. } => {
                self.deny(Denial::NotUnderstood("a value with a condition"));
            }
            OutputKind::Edge { field, .. } => self.edge(*field, within),
            OutputKind::Related { path, rows } => {
                let outer = self.path(path, within);
                self.rows(rows, outer);
            }
            OutputKind::Aggregate(aggregate) => self.aggregate(aggregate, within),
            OutputKind::Computed { call, .. } => self.call(call, within),
            OutputKind::OrderValue(key) => self.order_key(key, within),
            // Of the rows that may be seen; of what a step did within what it might.
            OutputKind::Count | OutputKind::Counter { .. } => {}
            OutputKind::Common { .. } | OutputKind::Variant => {
                self.deny(Denial::NotUnderstood("rows of several entities"));
            }
            OutputKind::Ordinal => self.deny(Denial::NotUnderstood("rows by a list of keys")),
        }
    }

    /// The entity at the end of a path, whose rows there may be seen.
    fn path(&mut self, path: &[Hop], within: &mut Within) -> Option<EntityId> {
        let mut entity = within.entity;
        for (place, hop) in path.iter().enumerate() {
            let (target, visible) = self.hop(*hop, entity);
            entity = Some(target);
            if visible.is_all() {
                continue;
            }
            let path = path.get(..=place).unwrap_or_default();
            match &mut within.paths {
                Some(paths) if paths.iter().any(|(known, _)| known == path) => {}
                Some(paths) => paths.push((path.to_vec(), visible)),
                None => self.deny(Denial::NotUnderstood("a related row within a condition")),
            }
        }
        entity
    }

    /// The condition under which the value of a field may be seen, if not always.
    fn cell(&mut self, path: &[Hop], field: FieldId, within: &mut Within) -> Option<Filter> {
        let entity = self.path(path, within);
        if entity.is_none_or(|entity| entity != self.catalog[field].entity) {
            self.deny(Denial::NotUnderstood("a field of other rows"));
        }
        self.ask(self.catalog[field].entity, Verb::Read, Some(field));
        // A value does not know which parts of it may be seen.
        if self.hides(&self.catalog[field].r#type) {
            self.deny(Denial::NotUnderstood("a value that is a row"));
        }
        match self.set.cell(self.catalog, field) {
            Cell::Plain => None,
            Cell::Masked(filter) => Some(filter),
            Cell::Denied => {
                self.deny(Denial::Field(field, Verb::Read));
                None
            }
        }
    }

    /// Whether a value of the type holds rows of which not everything may be seen. No composite
    /// holds itself.
    fn hides(&self, r#type: &Type) -> bool {
        match self.catalog.base_type(r#type) {
            Type::Row(entity) => {
                let all = self.set.visible(self.catalog, *entity);
                let mut fields = self.catalog[*entity].fields.iter();
                let is_plain = |field: &FieldId| self.set.cell(self.catalog, *field) == Cell::Plain;
                !all.is_some_and(|rows| rows.is_all()) || !fields.all(is_plain)
            }
            Type::List(element) => self.hides(element),
            Type::Composite(composite) => {
                let mut attributes = self.catalog[*composite].attributes.iter();
                attributes.any(|attribute| self.hides(&attribute.r#type))
            }
            // A row that stands deeper in a value is known by the name of its type only, which is
            // that of its table.
            Type::Scalar(Scalar::Other(name)) => self.catalog.entities().any(|entity| {
                entity.kind.is_stored() && entity.name == *name && self.hides(&Type::Row(entity.id))
            }),
            Type::Scalar(_) | Type::Enum(_) | Type::Range(_) | Type::Domain(_) => false,
        }
    }

    fn edge(&mut self, field: FieldId, within: &Within) {
        match within.edge == Some(self.catalog[field].entity) {
            true => self.plain(field),
            false => self.deny(Denial::NotUnderstood("a property of a relationship")),
        }
    }

    pub(super) fn may_call(&mut self, call: &Call) {
        self.asked.insert(Asked::Function(call.function));
        if !self.set.may_call(call.function) {
            self.deny(Denial::Function(call.function));
        }
    }

    fn call(&mut self, call: &Call, within: &mut Within) {
        self.may_call(call);
        // A value does not know which parts of it may be seen.
        let hides = match self.catalog[call.function].result {
            FunctionResult::Value(field) | FunctionResult::Values(field) => {
                self.hides(&self.catalog[field].r#type)
            }
            FunctionResult::Row(entity)
            | FunctionResult::Rows(entity)
            | FunctionResult::RowArray(entity) => self.hides(&Type::Row(entity)),
            FunctionResult::Nothing => false,
        };
        if hides {
            self.deny(Denial::NotUnderstood("a value that is a row"));
        }
        if let Some(path) = &call.of_row {
            self.path(path, within);
        }
    }

    fn aggregate(&mut self, aggregate: &mut Aggregate, within: &mut Within) {
        for place in &mut aggregate.group_by {
            self.grouped(place, within);
        }
        for term in &mut aggregate.terms {
            if let Some(place) = &mut term.place {
                match term.function {
                    AggregateFunction::GroupKey => self.grouped(place, within),
                    _ => self.place(place, within),
                }
            }
        }
        if let Some(having) = &mut aggregate.having {
            self.filter(having, within);
        }
    }

    /// Groups are made of values that may all be seen.
    fn grouped(&mut self, place: &mut Place, within: &mut Within) {
        match place {
            Place::Field { path, field } => {
                self.path(path, within);
                self.plain(*field);
            }
            Place::Truncated { place, .. } | Place::Attribute { of: place, .. } => {
                self.grouped(place, within);
            }
            Place::Edge(_) | Place::Computed(_) | Place::Aggregated { .. } => {
                self.place(place, within);
            }
            Place::Common(_) | Place::If { .. } => {
                self.deny(Denial::NotUnderstood("groups of such values"));
            }
        }
    }

    fn order_key(&mut self, key: &mut OrderKey, within: &mut Within) {
        match key {
            OrderKey::Place(place) => self.place(place, within),
            OrderKey::Relation { hop, filter, aggregate } => {
                let mut below = self.along(*hop, within);
                self.filter(filter, &mut below);
                self.aggregate(aggregate, &mut below);
                let own = std::mem::replace(filter, Filter::all());
                *filter = both(own, below.visible);
            }
            OrderKey::Call(call) => self.call(call, within),
        }
    }

    /// The rows that a relationship leads to, within a condition.
    fn along(&mut self, hop: Hop, within: &Within) -> Within {
        let (entity, visible) = self.hop(hop, within.entity);
        Within { entity: Some(entity), edge: None, visible, paths: None }
    }

    fn place(&mut self, place: &mut Place, within: &mut Within) {
        match place {
            Place::Field { path, field } => {
                if let Some(filter) = self.cell(path, *field, within) {
                    let hidden = std::mem::replace(place, Place::Common(0));
                    *place = Place::If { place: Box::new(hidden), filter: Box::new(filter) };
                }
            }
            Place::Edge(field) => self.edge(*field, within),
            Place::Computed(call) => self.call(call, within),
            Place::Attribute { of: place, .. }
            | Place::Truncated { place, .. }
            | Place::Aggregated { place, .. } => self.place(place, within),
            Place::Common(_) => self.deny(Denial::NotUnderstood("rows of several entities")),
            Place::If { .. } => self.deny(Denial::NotUnderstood("a value with a condition")),
        }
    }

    /// A condition that the request says.
    fn filter(&mut self, filter: &mut Filter, within: &mut Within) {
        match filter {
            Filter::And(filters) | Filter::Or(filters) => {
                filters.iter_mut().for_each(|filter| self.filter(filter, within));
            }
            Filter::Not(filter) | Filter::Except(filter) => self.filter(filter, within),
            Filter::Compare { place, .. }
            | Filter::CompareText { place, .. }
            | Filter::IsNull(place)
            | Filter::AnyElement { place, .. }
            | Filter::Text { place, .. }
            | Filter::Geo { place, .. } => self.place(place, within),
            Filter::Relation { hop, quantifier, filter } => {
                let mut below = self.along(*hop, within);
                self.filter(filter, &mut below);
                if below.visible.is_all() {
                    return;
                }
                let own = std::mem::replace(&mut **filter, Filter::all());
                **filter = match quantifier {
                    Quantifier::Some | Quantifier::None | Quantifier::Single => {
                        both(own, below.visible)
                    }
                    // No row that may be seen fails.
                    Quantifier::Every => {
                        *quantifier = Quantifier::None;
                        both(Filter::Not(Box::new(own)), below.visible)
                    }
                };
            }
            Filter::RelatedGroup { hop, filter, having } => {
                let mut below = self.along(*hop, within);
                self.filter(filter, &mut below);
                self.filter(having, &mut below);
                let own = std::mem::replace(&mut **filter, Filter::all());
                **filter = both(own, below.visible);
            }
        }
    }

    /// A condition on rows that are changed.
    pub(super) fn filter_of(&mut self, filter: &mut Filter, entity: EntityId) {
        let mut within =
            Within { entity: Some(entity), edge: None, visible: Filter::all(), paths: None };
        self.filter(filter, &mut within);
    }
}

/// The conjunction; what the request says comes first.
pub(super) fn both(one: Filter, other: Filter) -> Filter {
    match (one, other) {
        (Filter::And(mut all), other) => {
            all.push(other);
            Filter::and(all)
        }
        (one, other) => Filter::and(vec![one, other]),
    }
}
