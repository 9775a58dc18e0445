//! Printing of the parts of a line.

use catalog::{EntityId, FieldId, RelationshipKind};

use super::Printer;
use super::field_set::print_field_set;
use super::objects::object_keys;
use crate::filter::{
    Candidates, Case, Comparison, Distance, Filter, GeoOperator, Metric, Nearest, OtherVector,
    Quantifier, SpatialRelation, TextMatch, TimeUnit, TreeComparison, ValueRef,
};
use crate::operand::{
    Codec, NewId, Operand, PasswordPart, PathItem, Representations, RepresentedKey,
    RepresentedPart, Value,
};
use crate::rows::{
    Aggregate, AggregateFunction, BesideRows, Call, Direction, Form, Hop, HopDirection, Keyset,
    KeysetValue, Nulls, OrderKey, OrderTerm, Page, Variant,
};
use crate::value_form::{GeometryForm, JsonTexts, Member, TextValue, ValueForm};
use crate::write::Counter;

impl Printer<'_> {
    pub(super) fn entity(&self, entity: EntityId) -> String {
        self.catalog.qualified_name(entity)
    }

    pub(super) fn field(&self, field: FieldId) -> &str {
        &self.catalog[field].name
    }

    pub(super) fn fields(&self, fields: &[FieldId]) -> String {
        let names: Vec<&str> = fields.iter().map(|field| self.field(*field)).collect();
        format!("[{}]", names.join(", "))
    }

    pub(super) fn hop(&self, hop: Hop) -> String {
        let relationship = &self.catalog[hop.relationship];
        // A graph's relationship has a name and no fields that refer.
        let way = match relationship.from_fields.as_slice() {
            [] => format!("[:{}]", relationship.name),
            fields => self.fields(fields),
        };
        let is_undirected = relationship.kind == RelationshipKind::Graph { undirected: true };
        let (arrow, end) = match hop.direction {
            HopDirection::Forward if is_undirected => ("--", relationship.to),
            HopDirection::Backward if is_undirected => ("--", relationship.from),
            HopDirection::Forward => ("->", relationship.to),
            HopDirection::Backward => ("<-", relationship.from),
        };
        format!("{arrow}{}{way}", self.entity(end))
    }

    pub(super) fn path(&self, path: &[Hop]) -> String {
        path.iter().map(|hop| self.hop(*hop)).collect::<Vec<_>>().join(".")
    }

    /// A field of the row at the end of the path.
    pub(super) fn end(&self, path: &[Hop], field: FieldId) -> String {
        let field = self.field(field);
        if path.is_empty() { field.to_owned() } else { format!("{}.{field}", self.path(path)) }
    }

    pub(super) fn place(&self, place: &ValueRef) -> String {
        match place {
            ValueRef::Field { path, field } => self.end(path, *field),
            ValueRef::Outer { levels, field } => format!("outer {levels} {}", self.field(*field)),
            ValueRef::Edge(field) => format!("edge {}", self.field(*field)),
            ValueRef::Computed(call) => self.call(call),
            ValueRef::Distance(distance) => self.distance(distance),
            ValueRef::Attribute { of, attribute } => format!("{} ({attribute})", self.place(of)),
            ValueRef::Aggregated { function, place } => self.term(*function, Some(place)),
            ValueRef::Truncated { place, unit } => {
                let unit = match unit {
                    TimeUnit::Hour => "hour",
                    TimeUnit::Day => "day",
                };
                format!("{unit} of {}", self.place(place))
            }
            ValueRef::Spatial { place, to } => format!("({} as {})", self.place(place), to.name()),
            ValueRef::Counted { distinct: false } => "count".to_owned(),
            ValueRef::Counted { distinct: true } => "distinct count".to_owned(),
            ValueRef::Common(place) => format!("common {place}"),
            ValueRef::Coalesce(places) => {
                let places = places.iter().map(|place| self.place(place));
                format!("first of ({})", places.collect::<Vec<_>>().join(", "))
            }
            ValueRef::Distinct(place) => format!("distinct {}", self.place(place)),
            ValueRef::Together(fields) => {
                let fields = fields.iter().map(|field| self.field(*field));
                format!("({})", fields.collect::<Vec<_>>().join(", "))
            }
            ValueRef::OrElse { place, value } => {
                format!("({} else {})", self.place(place), constant(value))
            }
            ValueRef::If { place, filter } => {
                format!("({} if {})", self.place(place), self.filter(filter))
            }
        }
    }

    pub(super) fn call(&self, call: &Call) -> String {
        let function = &self.catalog[call.function];
        let row = call.of_row.as_ref().map(|path| {
            if path.is_empty() { "row".to_owned() } else { format!("row {}", self.path(path)) }
        });
        let arguments = call.arguments.iter().map(|(place, operand)| {
            let argument = function.arguments.get(usize::from(*place));
            (argument.and_then(|argument| argument.name.as_deref()).unwrap_or_default(), operand)
        });
        format!("{}({})", function.name, self.arguments(row, arguments))
    }

    pub(super) fn arguments<'o>(
        &self,
        row: Option<String>,
        arguments: impl Iterator<Item = (&'o str, &'o Operand)>,
    ) -> String {
        let named = arguments.map(|(name, operand)| {
            let operand = self.operand(operand);
            if name.is_empty() { operand } else { format!("{name}: {operand}") }
        });
        row.into_iter().chain(named).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn operands(&self, operands: &[Operand]) -> String {
        operands.iter().map(|operand| self.operand(operand)).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn operand(&self, operand: &Operand) -> String {
        match operand {
            Operand::Variable { slot, path } => {
                let path = path.iter().map(|item| match item {
                    PathItem::Key(key) => format!(".{key}"),
                    PathItem::Index(index) => format!("[{index}]"),
                });
                format!("${}{}", slot.0, path.collect::<String>())
            }
            Operand::List(operands) => format!("[{}]", self.operands(operands)),
            Operand::Object(members) => {
                let members = members.iter();
                object(members.map(|(name, operand)| (&**name, self.operand(operand))))
            }
            Operand::Formed { operand, form } => {
                format!("{} as {}", self.operand(operand), value_form(form))
            }
            Operand::Sum(operands) => format!("the sum of {}", self.operands(operands)),
            Operand::Negated(operand) => format!("minus {}", self.operand(operand)),
            Operand::AtMost { operand, most } => match operand {
                Some(operand) => format!("{}, at most {most}", self.operand(operand)),
                None => format!("at most {most}"),
            },
            Operand::RowsBefore { row, offset, limit } => {
                let bound = |name: &str, operand: &Option<Box<Operand>>| match operand {
                    Some(operand) => format!(", {name} {}", self.operand(operand)),
                    None => String::new(),
                };
                let (offset, limit) = (bound("offset", offset), bound("limit", limit));
                format!("the rows before {}{offset}{limit}", self.operand(row))
            }
            Operand::Constant(value) => constant(value),
            Operand::Claim(name) => format!("claim {name}"),
            Operand::Claims => "all claims".to_owned(),
            Operand::Result { step, output } => format!("#{} of step {}", output.0, step.0),
            Operand::Results { step, output } => format!("all #{} of step {}", output.0, step.0),
            Operand::Objects(keys) => object_keys(keys),
            Operand::Password { number, part: PasswordPart::Given } => format!("password {number}"),
            Operand::Password { number, part: PasswordPart::Hash } => {
                format!("hash of password {number}")
            }
            Operand::Password { number, part: PasswordPart::Hashes } => {
                format!("matching hashes of password {number}")
            }
            Operand::Now => "now".to_owned(),
            Operand::NewId(NewId::Uuid) => "new uuid".to_owned(),
            Operand::NewId(NewId::Cuid) => "new cuid".to_owned(),
            Operand::NewId(NewId::Sequence) => "new sequence number".to_owned(),
            Operand::Decoded { slot, codec, part } => {
                let codec = match codec {
                    Codec::Base64JsonMembers => "members",
                    Codec::Base64JsonArray => "array",
                    Codec::Base64JsonArrayTail => "array's tail",
                    Codec::ArrayConnection => "arrayconnection",
                    Codec::GlobalId => "global id",
                };
                format!("part {part} of {codec} {}", self.operand(slot))
            }
            Operand::Representations(representations) => self.representations(representations),
            Operand::External(number) => format!("told {number}"),
        }
    }

    fn representations(&self, representations: &Representations) -> String {
        let Representations { list, of, key, part } = representations;
        let named = |key: &RepresentedKey| {
            let id = key.id.as_ref().map(|id| id.name.to_string());
            let said = key.paths.iter().map(|said| print_field_set(said));
            said.chain(id).collect::<Vec<_>>().join(" ")
        };
        let keys: Vec<String> = of.keys.iter().map(named).collect();
        let (list, typename) = (self.operand(list), &of.typename);
        let part = match part {
            RepresentedPart::Key(field) => format!("field {field}"),
            RepresentedPart::Input(input) => {
                let input = of.inputs.get(usize::from(*input));
                input.map_or_else(|| "nothing".to_owned(), |input| format!("{:?}", input.name))
            }
        };
        format!("{part} of key {key} of {typename} ({}) in {list}", keys.join("; "))
    }

    pub(super) fn filter(&self, filter: &Filter) -> String {
        match filter {
            Filter::And(filters) => self.junction(filters, " and ", "all"),
            Filter::Or(filters) => self.junction(filters, " or ", "none"),
            Filter::Not(filter) => format!("not ({})", self.filter(filter)),
            Filter::Except(filter) => format!("except ({})", self.filter(filter)),
            Filter::Required(filter) => format!("required ({})", self.filter(filter)),
            Filter::Barrier { first, then } if then.is_all() => self.filter(first),
            Filter::Barrier { first, then } => {
                format!("first ({}) then ({})", self.filter(first), self.filter(then))
            }
            Filter::Compare { place, comparison, operand } => {
                let (place, operand) = (self.place(place), self.operand(operand));
                format!("{place} {} {operand}", comparison_text(*comparison))
            }
            Filter::CompareText { place, comparison, case, operand } => {
                let (place, operand) = (self.place(place), self.operand(operand));
                format!("{place} {}{} {operand}", comparison_text(*comparison), case_text(*case))
            }
            Filter::AnyElement { place, comparison, operand } => {
                let (place, operand) = (self.place(place), self.operand(operand));
                format!("any of {place} {} {operand}", comparison_text(*comparison))
            }
            Filter::ElementBetween { place, least, most } => {
                let (least, most) = (self.operand(least), self.operand(most));
                format!("any of {} between {least} and {most}", self.place(place))
            }
            Filter::CompareValues { left, comparison, right } => {
                let (left, right) = (self.place(left), self.place(right));
                format!("{left} {} {right}", comparison_text(*comparison))
            }
            Filter::IsNull(place) => format!("{} is null", self.place(place)),
            Filter::Exists { entity, filter } => {
                format!("exists {} ({})", self.entity(*entity), self.filter(filter))
            }
            Filter::FunctionRows { call, filter } => {
                format!("some of {} ({})", self.call(call), self.filter(filter))
            }
            Filter::Relation { hop, quantifier, filter } => {
                let quantifier = match quantifier {
                    Quantifier::Some => "some",
                    Quantifier::Every => "every",
                    Quantifier::None => "no",
                    Quantifier::Single => "one",
                };
                format!("{quantifier} {} ({})", self.hop(*hop), self.filter(filter))
            }
            Filter::RelatedGroup { hop, filter, having, once } => {
                let (filter, having) = (self.filter(filter), self.filter(having));
                let once = if *once { ", each once" } else { "" };
                format!("all {} ({filter}{once}) together ({having})", self.hop(*hop))
            }
            Filter::VariantGroup { variants, having, once } => {
                let ways: Vec<String> = variants.iter().map(|way| self.way(way)).collect();
                let once = if *once { ", each once" } else { "" };
                format!("all of ({}{once}) together ({})", ways.join(", "), self.filter(having))
            }
            Filter::Text { place, r#match, case, operand } => {
                let (place, operand) = (self.place(place), self.operand(operand));
                format!("{place} {}{} {operand}", match_text(*r#match), case_text(*case))
            }
            Filter::Nearest(nearest) => {
                let Nearest { key, among, most, count, visited } = &**nearest;
                let visited = visited.as_ref().map(|least| format!(", of {}", self.operand(least)));
                let visited = visited.unwrap_or_default();
                let most = most.as_ref().map(|most| format!(", at most {}", self.operand(most)));
                let (most, count) = (most.unwrap_or_default(), self.operand(count));
                let each = among.iter().map(|Candidates { key: _, distance, filter }| {
                    format!("{}{most} of [{}]", self.distance(distance), self.filter(filter))
                });
                let each = each.collect::<Vec<_>>().join(" and ");
                format!("{} of the {count} nearest{visited} by {each}", self.field(*key))
            }
            Filter::Geo { place, operator, operand } => {
                let (place, operand) = (self.place(place), self.operand(operand));
                match operator {
                    GeoOperator::Distance(comparison) => {
                        let comparison = comparison_text(*comparison);
                        format!("distance of {place} {comparison} {operand}")
                    }
                    GeoOperator::Near => format!("{place} is near {operand}"),
                    GeoOperator::Within => format!("{place} is within {operand}"),
                    GeoOperator::Contains => format!("{place} has within {operand}"),
                    GeoOperator::Intersects => format!("{place} intersects {operand}"),
                    GeoOperator::Spatial(relation) => {
                        format!("{place} {} {operand}", spatial_text(*relation))
                    }
                }
            }
        }
    }

    fn distance(&self, distance: &Distance) -> String {
        let metric = match distance.metric {
            Metric::Euclidean => "euclidean",
            Metric::Cosine => "cosine",
            Metric::DotProduct => "dot product",
        };
        let to = match &distance.to {
            OtherVector::Given(operand) => self.operand(operand),
            OtherVector::OfRow(rows) => {
                let each = rows.iter().map(|row| self.filter(&row.filter));
                format!("that of the row with {}", each.collect::<Vec<_>>().join(" or else "))
            }
        };
        format!("{metric} distance of {} from {to}", self.place(&distance.vector))
    }

    /// A hop to the rows of one entity of several.
    fn way(&self, variant: &Variant) -> String {
        let way = variant.hop.map_or_else(|| self.entity(variant.entity), |hop| self.hop(hop));
        let way = match variant.through {
            Some(near) => format!("{} then {way}", self.hop(near)),
            None => way,
        };
        let filter = self.filter(&variant.filter);
        match variant.common.is_empty() {
            true => format!("{way} ({filter})"),
            false => format!("{way} ({filter}) common {}", self.fields(&variant.common)),
        }
    }

    fn junction(&self, filters: &[Filter], joint: &str, empty: &str) -> String {
        if filters.is_empty() {
            return empty.to_owned();
        }
        filters.iter().map(|filter| self.part(filter)).collect::<Vec<_>>().join(joint)
    }

    /// A filter as a part of another.
    fn part(&self, filter: &Filter) -> String {
        match filter {
            Filter::Barrier { first, then } if then.is_all() => self.part(first),
            Filter::And(inner) | Filter::Or(inner) if !inner.is_empty() => {
                format!("({})", self.filter(filter))
            }
            other => self.filter(other),
        }
    }

    /// An aggregate of related rows, in filters and orders.
    fn related(&self, hop: Hop, filter: &Filter, aggregate: &Aggregate) -> String {
        self.aggregated(&self.hop(hop), filter, aggregate)
    }

    /// Aggregates of these rows.
    fn aggregated(&self, of: &str, filter: &Filter, aggregate: &Aggregate) -> String {
        let terms =
            aggregate.terms.iter().map(|term| self.term(term.function, term.place.as_ref()));
        let terms = terms.collect::<Vec<_>>().join(", ");
        let groups = self.groups(aggregate);
        format!("{terms} of {of} ({}){groups}", self.filter(filter))
    }

    pub(super) fn groups(&self, aggregate: &Aggregate) -> String {
        let mut text = String::new();
        if !aggregate.group_by.is_empty() {
            let places: Vec<String> =
                aggregate.group_by.iter().map(|place| self.place(place)).collect();
            text.push_str(&format!(", grouped by {}", places.join(", ")));
        }
        if let Some(having) = &aggregate.having {
            text.push_str(&format!(", having {}", self.filter(having)));
        }
        text
    }

    pub(super) fn term(&self, function: AggregateFunction, place: Option<&ValueRef>) -> String {
        let name = match function {
            AggregateFunction::GroupKey => "group key",
            AggregateFunction::Count => "count",
            AggregateFunction::DistinctCount => "distinct count",
            AggregateFunction::Sum => "sum",
            AggregateFunction::Total => "total",
            AggregateFunction::Average => "average",
            AggregateFunction::Minimum => "minimum",
            AggregateFunction::Maximum => "maximum",
            AggregateFunction::All => "all",
            AggregateFunction::Any => "any",
            AggregateFunction::StandardDeviationSample => "sample standard deviation",
            AggregateFunction::StandardDeviationPopulation => "population standard deviation",
            AggregateFunction::VarianceSample => "sample variance",
            AggregateFunction::VariancePopulation => "population variance",
            AggregateFunction::Correlation => "correlation",
            AggregateFunction::CovarianceSample => "sample covariance",
            AggregateFunction::ShortestText => "shortest",
            AggregateFunction::LongestText => "longest",
            AggregateFunction::ShortestLength => "shortest length",
            AggregateFunction::LongestLength => "longest length",
            AggregateFunction::AverageLength => "average length",
            AggregateFunction::Values => "values of",
            AggregateFunction::Lengths => "lengths of",
        };
        match place {
            Some(place) => format!("{name} {}", self.place(place)),
            None => name.to_owned(),
        }
    }

    pub(super) fn order_key(&self, key: &OrderKey) -> String {
        match key {
            OrderKey::Value(place) => self.place(place),
            OrderKey::Relation { path, hop, filter, aggregate } => {
                let related = self.related(*hop, filter, aggregate);
                if path.is_empty() { related } else { format!("{}.{related}", self.path(path)) }
            }
            OrderKey::Call(call) => self.call(call),
            OrderKey::FunctionRows { call, filter, aggregate } => {
                self.aggregated(&self.call(call), filter, aggregate)
            }
        }
    }

    pub(super) fn order(&self, order: &[OrderTerm]) -> String {
        let term = |term: &OrderTerm| {
            let key = self.order_key(&term.key);
            let direction = match term.direction {
                Direction::Ascending => "asc",
                Direction::Descending => "desc",
            };
            let nulls = match term.nulls {
                Nulls::First => "first",
                Nulls::Last => "last",
            };
            format!("{key} {direction} nulls {nulls}")
        };
        order.iter().map(term).collect::<Vec<_>>().join(", ")
    }

    pub(super) fn page(&self, page: &Page) -> String {
        let mut parts = Vec::new();
        let mut bound = |name: &str, operand: &Option<Operand>| {
            if let Some(operand) = operand {
                parts.push(format!("{name} {}", self.operand(operand)));
            }
        };
        match page {
            Page::All => parts.push("all".to_owned()),
            Page::Offset { limit, offset, look_ahead } => {
                bound("limit", limit);
                bound("offset", offset);
                parts.extend(look_ahead.then(|| "+ look-ahead".to_owned()));
            }
            Page::Keyset(Keyset { after, before, limit, offset, from_end, look_ahead }) => {
                bound("limit", limit);
                bound("offset", offset);
                let positions = [("after", after), ("before", before)];
                parts.extend(positions.into_iter().filter_map(|(name, position)| {
                    position.as_ref().map(|values| format!("{name} ({})", self.position(values)))
                }));
                parts.extend(from_end.then(|| "from the end".to_owned()));
                parts.extend(look_ahead.then(|| "+ look-ahead".to_owned()));
            }
            Page::BesideRows(beside) => {
                let BesideRows { after, before, limit, offset, from_end, look_ahead } = &**beside;
                bound("limit", limit);
                bound("offset", offset);
                for (name, key) in [("after", after), ("before", before)] {
                    let Some(key) = key else { continue };
                    let key = key.iter().map(|(field, operand)| {
                        format!("{} = {}", self.field(*field), self.operand(operand))
                    });
                    let key = key.collect::<Vec<_>>().join(", ");
                    parts.push(format!("{name} the row ({key})"));
                }
                parts.extend(from_end.then(|| "from the end".to_owned()));
                parts.extend(look_ahead.then(|| "+ look-ahead".to_owned()));
            }
        }
        parts.join(" ")
    }

    fn position(&self, values: &[KeysetValue]) -> String {
        let value = |value: &KeysetValue| match value {
            KeysetValue::Null => "null".to_owned(),
            KeysetValue::Value(operand) => self.operand(operand),
        };
        values.iter().map(value).collect::<Vec<_>>().join(", ")
    }
}

/// Text with a space after it, if there is any.
pub(super) fn spaced(mut text: String) -> String {
    if !text.is_empty() {
        text.push(' ');
    }
    text
}

pub(super) fn form(form: Form) -> &'static str {
    match form {
        Form::Stored => "",
        Form::Number => " as a number",
        Form::Text => " as text",
        Form::OrEmpty => " or an empty list",
        Form::Numbers => " as numbers",
        Form::Texts => " as texts",
        Form::GeoJson => " as GeoJSON",
        Form::Json => " as JSON",
    }
}

pub(super) fn counter(counter: Counter) -> &'static str {
    match counter {
        Counter::RowsInserted => "rows inserted",
        Counter::RowsUpdated => "rows updated",
        Counter::RowsDeleted => "rows deleted",
        Counter::LinksCreated => "links created",
        Counter::LinksDeleted => "links deleted",
        Counter::RowsAffected => "rows affected",
        Counter::Bookmark => "bookmark",
    }
}

fn constant(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => format!("{text:?}"),
        Value::List(values) => {
            let values: Vec<String> = values.iter().map(constant).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Object(members) => {
            object(members.iter().map(|(name, value)| (&**name, constant(value))))
        }
        Value::Json(json) => format!("json {json}"),
    }
}

fn object<'n>(members: impl Iterator<Item = (&'n str, String)>) -> String {
    let members = members.map(|(name, text)| format!("{name}: {text}"));
    format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
}

fn spatial_text(relation: SpatialRelation) -> &'static str {
    match relation {
        SpatialRelation::Contains => "contains",
        SpatialRelation::Crosses => "crosses",
        SpatialRelation::Equals => "covers the same as",
        SpatialRelation::Intersects => "intersects",
        SpatialRelation::Intersects3d => "intersects in space",
        SpatialRelation::Overlaps => "overlaps",
        SpatialRelation::Touches => "touches",
        SpatialRelation::Within => "is within",
        SpatialRelation::WithinDistance => "has within a distance",
        SpatialRelation::WithinDistance3d => "has within a distance in space",
        SpatialRelation::BandIntersects => "intersects by band",
        SpatialRelation::IntersectsBand => "intersects, by band,",
    }
}

fn geometry_form(form: &GeometryForm) -> String {
    match form {
        GeometryForm::Point { longitude, latitude } => format!("place ({longitude}, {latitude})"),
        GeometryForm::Polygon { rings, points, point } => {
            format!("area ({rings}, {points}: {})", geometry_form(point))
        }
        GeometryForm::MultiPolygon { polygons, polygon } => {
            format!("areas ({polygons}: {})", geometry_form(polygon))
        }
        GeometryForm::Near { distance, name, point } => {
            format!("near ({distance}, {name}: {})", geometry_form(point))
        }
        GeometryForm::OneOf(members) => {
            let members = members.iter();
            let members = members.map(|(name, form)| format!("{name}: {}", geometry_form(form)));
            format!("one of ({})", members.collect::<Vec<_>>().join(", "))
        }
    }
}

fn text_value(value: TextValue) -> &'static str {
    match value {
        TextValue::Boolean => "boolean",
        TextValue::Integer => "integer",
        TextValue::Number => "number",
        TextValue::Text => "text",
        TextValue::Json => "json",
    }
}

fn value_form(form: &ValueForm) -> String {
    let member = |member: &Member| match &*member.form {
        ValueForm::Plain => member.name.to_string(),
        form => format!("{}: {}", member.name, value_form(form)),
    };
    match form {
        ValueForm::Plain => "value".to_owned(),
        ValueForm::Name(_) => "name".to_owned(),
        ValueForm::Moment => "moment".to_owned(),
        ValueForm::PartialMoment => "partial moment".to_owned(),
        ValueForm::Integer64 => "64-bit integer".to_owned(),
        ValueForm::HexadecimalId => "hexadecimal id".to_owned(),
        ValueForm::Text(value) => format!("text of {}", text_value(*value)),
        ValueForm::TextArray(value) => format!("text of a list of {}", text_value(*value)),
        ValueForm::List(element) => format!("list of {}", value_form(element)),
        ValueForm::Composite(members) => {
            let members = members.iter().map(|own| own.as_ref().map_or("null".into(), member));
            format!("composite ({})", members.collect::<Vec<_>>().join(", "))
        }
        ValueForm::Range { start, end } => format!("range ({}, {})", member(start), member(end)),
        ValueForm::Bound { value, inclusive } => {
            format!("bound ({}, {inclusive})", member(value))
        }
        ValueForm::Interval(units) => {
            let units = units.iter().map(|(name, unit)| format!("{name}: {}", unit.name()));
            format!("interval ({})", units.collect::<Vec<_>>().join(", "))
        }
        ValueForm::Point { x, y } => format!("point ({x}, {y})"),
        ValueForm::Line { a, b } => format!("line ({}, {})", member(a), member(b)),
        ValueForm::Box { a, b } => format!("box ({}, {})", member(a), member(b)),
        ValueForm::Path { points, is_open: None } => format!("polygon ({})", member(points)),
        ValueForm::Path { points, is_open: Some(is_open) } => {
            format!("path ({}, {is_open})", member(points))
        }
        ValueForm::Circle { center, radius } => format!("circle ({}, {radius})", member(center)),
        ValueForm::Geometry(form) => geometry_form(form),
        ValueForm::Spatial(kind) => kind.name().to_owned(),
        ValueForm::KeyValue => "keys with values".to_owned(),
        ValueForm::Json(JsonTexts::Documents) => "json text".to_owned(),
        ValueForm::Json(JsonTexts::CheckedDocuments) => "checked json text".to_owned(),
        ValueForm::Json(JsonTexts::Strings) => "json".to_owned(),
    }
}

fn comparison_text(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "=",
        Comparison::NotEqual => "<>",
        Comparison::DistinctFrom => "is distinct from",
        Comparison::NotDistinctFrom => "is not distinct from",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
        Comparison::In => "in",
        Comparison::NotIn => "not in",
        Comparison::Contains => "contains",
        Comparison::ContainedBy => "contained by",
        Comparison::ContainsMore => "contains more than",
        Comparison::ContainedByMore => "contained by more of",
        Comparison::ContainsElement => "contains element",
        Comparison::Overlaps => "overlaps",
        Comparison::LeftOf => "left of",
        Comparison::RightOf => "right of",
        Comparison::NotRightOf => "not right of",
        Comparison::NotLeftOf => "not left of",
        Comparison::Adjacent => "adjacent to",
        Comparison::HasKey => "has key",
        Comparison::HasAnyKey => "has any key of",
        Comparison::HasAllKeys => "has all keys of",
        Comparison::PathExists => "has path",
        Comparison::PathIsTrue => "satisfies path",
        Comparison::Tree(tree) => match tree {
            TreeComparison::AncestorOf => "ancestor of",
            TreeComparison::AncestorOfAny => "ancestor of any of",
            TreeComparison::DescendantOf => "descendant of",
            TreeComparison::DescendantOfAny => "descendant of any of",
            TreeComparison::Matches => "matches path",
            TreeComparison::MatchesAny => "matches any path of",
            TreeComparison::MatchesText => "matches labels",
        },
    }
}

fn case_text(case: Case) -> &'static str {
    match case {
        Case::AsTyped => "",
        Case::Exact => " minding case",
        Case::Ignored => " ignoring case",
    }
}

fn match_text(r#match: TextMatch) -> &'static str {
    match r#match {
        TextMatch::Like => "like",
        TextMatch::Includes => "includes",
        TextMatch::StartsWith => "starts with",
        TextMatch::EndsWith => "ends with",
        TextMatch::Regex => "matches",
        TextMatch::Similar => "is similar to",
        TextMatch::AllTerms => "has all words of",
        TextMatch::AnyTerm => "has any word of",
        TextMatch::Re2 => "matches RE2",
        TextMatch::AllStems => "has all stems of",
        TextMatch::AnyStem => "has any stem of",
        TextMatch::AnyStemSequence => "has any sequence of stems of",
    }
}
