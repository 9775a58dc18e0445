//! Rows of the source that belong to objects of other servers: each object has a query of its own,
//! which is planned once for all of them, and has the permissions of the caller.

use std::collections::{BTreeMap, HashMap, HashSet};

use graphql::operation::Location;
use graphql::{ErrorCode, GraphQLError, PathSegment, Request};
use http_resolvers::Inputs;
use http_resolvers::answer::{Answer, Values};
use http_resolvers::complete::Incomplete;
use http_resolvers::related::{RelatedQuery, selection_of};
use http_resolvers::splice::{Fill, Placeholder, Placeholders, Position};
use response::{MemoryReservation, TooLarge};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::projections::Projections;
use super::{Data, PartContext};
use crate::report::Report;
use crate::resolvers::batch::Selected;
use crate::resolvers::map_error::{join_error, too_many_calls};
use crate::respond::our_bug;
use crate::worker::{Allowed, Delivery, Worker};

/// The response to a query for rows.
#[derive(Deserialize)]
struct Answered<'b> {
    #[serde(borrow, default)]
    data: Option<&'b RawValue>,
    #[serde(default)]
    errors: Vec<Reported<'b>>,
}

/// An error of it.
#[derive(Deserialize)]
struct Reported<'b> {
    message: String,
    #[serde(borrow, default)]
    extensions: Option<HashMap<&'b str, &'b RawValue>>,
}

/// The placeholders of a value, and the values that take their places.
struct SourceRows<'f, 'v> {
    found: &'f Placeholders<'f>,
    first: &'f [u8],
    values: &'v mut Vec<u8>,
}

/// The selected fields of other servers' values, of one part of an operation.
#[derive(Clone, Copy)]
pub(super) struct RelatedContext<'a> {
    pub(super) part: PartContext<'a>,
    pub(super) selected: Selected<'a>,
    pub(super) projections: &'a Projections<'a>,
}

impl RelatedContext<'_> {
    /// The places of related values: below those of the first placeholders.
    pub(super) fn positions(self, first: &Placeholders<'_>, depth: usize) -> Vec<Position> {
        let mut positions = Vec::new();
        let mut seen = HashSet::new();
        for placeholder in &first.list {
            if !seen.insert(placeholder.selection) {
                continue;
            }
            let Some(Ok(projection)) = self.projections.get(placeholder.selection) else {
                continue;
            };
            let children = projection.related_positions(depth);
            if !children.is_empty() {
                let path = first.path(placeholder);
                graft(&mut positions, &self.selected.plan.positions, &path, children);
            }
        }
        positions
    }
}

/// Adds the position at a path of the known ones, with these children.
fn graft(
    positions: &mut Vec<Position>,
    known: &[Position],
    path: &[PathSegment],
    children: Vec<Position>,
) {
    let mut path = path.iter().filter_map(|segment| match segment {
        PathSegment::Field(name) => Some(&**name),
        PathSegment::Index(_) => None,
    });
    let (mut positions, mut known) = (positions, known);
    let mut last = None;
    for name in &mut path {
        let Some(found) = known.iter().find(|position| *position.response_name == *name) else {
            return;
        };
        known = &found.children;
        let place = positions.iter().position(|position| *position.response_name == *name);
        let place = place.unwrap_or_else(|| {
            let (response_name, r#type) = (found.response_name.clone(), found.r#type);
            let children = Vec::new();
            positions.push(Position { response_name, r#type, is_resolved: false, children });
            positions.len() - 1
        });
        last = Some(place);
        positions = &mut positions[place].children;
    }
    if last.is_some() {
        positions.extend(children);
    }
}

impl Worker {
    /// Adds the answer of a part with the rows in the places of their placeholders. Rows of another
    /// source may have related rows themselves.
    pub(super) async fn add_related(
        &self,
        context: RelatedContext<'_>,
        found: &Placeholders<'_>,
        first: Vec<u8>,
        calls_left: &mut usize,
        data: &mut Data,
    ) -> Result<(), TooLarge> {
        let mut value = first;
        for depth in 0.. {
            let positions = context.positions(found, depth);
            if positions.is_empty() {
                break;
            }
            let left = &mut *calls_left;
            let Some(filled) = self.fill_related(context, &positions, &value, left, data).await?
            else {
                return Ok(());
            };
            value = filled;
        }
        data.add(value.len(), |output| output.extend_from_slice(&value))
    }

    /// A value with the rows in the places of their placeholders; `None` if it cannot be read.
    async fn fill_related(
        &self,
        context: RelatedContext<'_>,
        positions: &[Position],
        first: &[u8],
        calls_left: &mut usize,
        data: &mut Data,
    ) -> Result<Option<Vec<u8>>, TooLarge> {
        let Ok(found) = Placeholders::find(first, positions) else {
            data.errors.push(our_bug("values of other servers cannot be read"));
            data.is_null = true;
            return Ok(None);
        };
        let mut held = MemoryReservation::of(&self.memory);
        let (mut values, mut fills) = (Vec::new(), Vec::with_capacity(found.list.len()));
        let mut known: HashMap<(usize, &[u8]), Fill> = HashMap::new();
        let sources = SourceRows { found: &found, first, values: &mut values };
        self.rows_of_sources(context, sources, &mut known, calls_left, data).await?;
        for placeholder in &found.list {
            let bytes = first.get(placeholder.bytes.clone()).unwrap_or_default();
            let key = (placeholder.selection, bytes);
            let fill = match known.get(&key) {
                Some(fill) => fill.clone(),
                None => {
                    let rows = self.related(context, placeholder, bytes, calls_left).await;
                    let start = values.len();
                    let (rows, errors) = rows;
                    for error in errors {
                        let location = location(context.selected, placeholder);
                        data.errors.push(error.at(location).with_path(found.path(placeholder)));
                    }
                    let fill = match rows {
                        Some(rows) => {
                            values.extend_from_slice(&rows);
                            Fill::Bytes(start..values.len())
                        }
                        None => Fill::Null,
                    };
                    known.insert(key, fill.clone());
                    fill
                }
            };
            held.grow_to(values.capacity() as u64)?;
            if values.len() as u64 > data.most {
                return Err(TooLarge::Answer { budget: data.most });
            }
            fills.push(fill);
        }
        // Equal objects share their rows.
        let shared: usize = fills
            .iter()
            .map(|fill| match fill {
                Fill::Bytes(range) => range.len(),
                Fill::Null => 0,
            })
            .sum();
        let length = first.len().saturating_add(shared);
        if length as u64 > data.most {
            return Err(TooLarge::Answer { budget: data.most });
        }
        held.grow_to((values.capacity() + length) as u64)?;
        let mut filled = Vec::with_capacity(length);
        found.fill(first, &fills, &values, &mut filled);
        Ok(Some(filled))
    }

    /// Adds the rows of other sources, which are asked once for all objects of a selection.
    async fn rows_of_sources<'f>(
        &self,
        context: RelatedContext<'_>,
        sources: SourceRows<'f, '_>,
        known: &mut HashMap<(usize, &'f [u8]), Fill>,
        calls_left: &mut usize,
        data: &mut Data,
    ) -> Result<(), TooLarge> {
        let SourceRows { found, first, values } = sources;
        let mut groups: BTreeMap<usize, Vec<(&'f Placeholder, &'f [u8])>> = BTreeMap::new();
        let mut seen: HashSet<(usize, &[u8])> = HashSet::new();
        for placeholder in &found.list {
            let bytes = first.get(placeholder.bytes.clone()).unwrap_or_default();
            if seen.insert((placeholder.selection, bytes)) {
                groups.entry(placeholder.selection).or_default().push((placeholder, bytes));
            }
        }
        for (number, objects) in groups {
            let projection = context.projections.get(selection_of(number));
            let selection = projection.and_then(|made| made.as_ref().ok()?.find_related(number));
            let Some(selection) = selection.and_then(|selection| selection.of_source()) else {
                continue;
            };
            let name = selection.path().source().unwrap_or_default();
            let inputs: Vec<Inputs> =
                objects.iter().map(|(_, bytes)| selection.inputs(bytes)).collect();
            let PartContext { caller, deadline, .. } = context.part;
            let answered = match calls_left.checked_sub(1) {
                Some(left) => {
                    *calls_left = left;
                    self.further_answer(name, &selection.body(&inputs), caller, deadline).await
                }
                None => {
                    let most = self.engine.resolvers.as_ref().map_or(0, |own| own.most_calls);
                    Err(too_many_calls(most))
                }
            };
            let place = objects.first().map(|(placeholder, _)| *placeholder);
            let report = |error: GraphQLError| match place {
                Some(placeholder) => {
                    let location = location(context.selected, placeholder);
                    error.at(location).with_path(found.path(placeholder))
                }
                None => error,
            };
            let answered = match answered {
                Ok(answered) => answered,
                Err(error) => {
                    data.errors.push(report(error));
                    known.extend(objects.iter().map(|(_, bytes)| ((number, *bytes), Fill::Null)));
                    continue;
                }
            };
            let (response, _held) = answered;
            let count = Some(inputs.len());
            let answer =
                Answer::read_path(selection.path(), response.status, &response.body, count);
            if !answer.errors.is_empty() {
                let text = answer.errors_text.map(RawValue::get);
                data.errors.push(report(join_error(text.unwrap_or("[]"))));
            }
            let rows = match &answer.value {
                Ok(Values::Batch(rows)) => rows.as_slice(),
                Ok(Values::One(_)) | Err(_) => &[],
            };
            let completion = selection.completion(usize::try_from(data.most).unwrap_or(usize::MAX));
            for (place, (placeholder, bytes)) in objects.iter().enumerate() {
                let start = values.len();
                let mut errors = Vec::new();
                let written = completion.write(rows.get(place).copied(), values, &mut errors);
                for error in errors {
                    let mut path = found.path(placeholder);
                    path.extend(error.path);
                    let error =
                        GraphQLError::new(ErrorCode::ResolverResponseInvalid, error.message);
                    let error = error.at(location(context.selected, placeholder));
                    data.errors.push(error.with_path(path));
                }
                let fill = match written {
                    Ok(()) => Fill::Bytes(start..values.len()),
                    Err(Incomplete::Null) => {
                        values.truncate(start);
                        Fill::Null
                    }
                    Err(Incomplete::TooLong) => {
                        return Err(TooLarge::Answer { budget: data.most });
                    }
                };
                known.insert((number, *bytes), fill);
            }
        }
        Ok(())
    }

    /// The rows of one object as JSON, with errors of their query.
    async fn related(
        &self,
        context: RelatedContext<'_>,
        placeholder: &Placeholder,
        bytes: &[u8],
        calls_left: &mut usize,
    ) -> (Option<Vec<u8>>, Vec<GraphQLError>) {
        let RelatedContext { part, projections, .. } = context;
        let projection = projections.get(selection_of(placeholder.selection));
        let selection = match projection {
            Some(Ok(projection)) => projection.find_related(placeholder.selection),
            Some(Err(_)) | None => None,
        };
        let Some(selection) = selection else {
            return (None, vec![our_bug("a selection of related rows is missing")]);
        };
        let none = || (selection.absent(), Vec::new());
        let Some(RelatedQuery { document, variables, numbers }) = selection.query(bytes) else {
            return none();
        };
        let Some(left) = calls_left.checked_sub(1) else {
            let most = self.engine.resolvers.as_ref().map_or(0, |known| known.most_calls);
            return (None, vec![too_many_calls(most)]);
        };
        *calls_left = left;
        let Ok(serde_json_bytes::Value::Object(variables)) = serde_json_bytes::to_value(&variables)
        else {
            return (None, vec![our_bug("keys of related rows are no values")]);
        };
        let request = Request { query: document, variables, numbers, ..Request::default() };
        let form = (Delivery::Whole, None);
        let mut report = Report::default();
        let ran =
            Box::pin(self.run(&request, part.caller, Allowed::Queries, form, &mut report)).await;
        let response = match ran {
            Ok(response) => response,
            Err(errors) => return (None, errors.into_iter().map(bare).collect()),
        };
        let Ok(answered) = serde_json::from_slice::<Answered<'_>>(&response.body) else {
            return (None, vec![our_bug("a response of related rows cannot be read")]);
        };
        let errors = answered.errors.into_iter().map(Reported::error).collect();
        let rows = answered.data.and_then(|data| selection.value(data.get()));
        (rows, errors)
    }
}

impl Reported<'_> {
    /// The error with its code.
    fn error(self) -> GraphQLError {
        let extensions = self.extensions.unwrap_or_default();
        let mut extensions: Vec<_> =
            extensions.iter().map(|(key, value)| ((*key).into(), value.get().into())).collect();
        extensions.sort_unstable();
        let mut error = GraphQLError::new(ErrorCode::SourceError, self.message);
        error.extensions = extensions;
        error
    }
}

/// An error without places in a document that the client does not know.
fn bare(error: GraphQLError) -> GraphQLError {
    GraphQLError { locations: Vec::new(), path: Vec::new(), ..error }
}

fn location(selected: Selected<'_>, placeholder: &Placeholder) -> Location {
    let selection = selected.plan.selections.get(selection_of(placeholder.selection));
    selection.map(|selection| selection.location).unwrap_or_default()
}
