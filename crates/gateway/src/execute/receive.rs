//! Subgraph responses of an execution: from the bytes to cells of the arena and causes of nulls.

use bytes::Bytes;
use response::Recorded;

use super::arena::{Arena, ObjectId};
use super::cause::{Cause, Origin, Scope};
use super::duplicates::Duplicates;
use super::errors::{ErrorKind, FetchError, InvalidResponse, Step};
use super::json::{InvalidUtf8, Json, Span};
use super::read::{Causes, Defects, ReadError, Reader};
use super::recorded::Tape;
use super::request::{Batch, FetchInputs};
use super::response_body;
use super::response_body::Envelope;
use super::reuse::FetchState;
use super::run::{Execution, FetchFailure};
use super::tokens::TokenReader;
use super::{FetchResponse, Inputs, RecordedResponse, ResponseBody};
use crate::outline::ItemId;
use crate::plan::{Fetch, FetchId};

impl Execution<'_> {
    /// Handles the response to a batch; returns whether it was the last of its fetch.
    pub(super) fn receive(
        &mut self,
        id: FetchId,
        batch: &Batch,
        response: Result<FetchResponse, FetchFailure>,
    ) -> bool {
        let errors = self.executed.errors.len();
        let bytes = response.as_ref().map_or(0, |response| response.body.length());
        let caching = response.as_ref().map(|response| response.caching).unwrap_or_default();
        if let Err(kind) = self.read(id, batch, response) {
            let cause = self.error_mapper(id, batch).fail(kind);
            self.failed.push((id, batch.clone(), cause));
        }
        let errors = self.executed.errors.len() - errors;
        self.statistics.receive(id.index(), bytes, errors, caching);
        let state = &mut self.states[id.index()];
        if errors > 0 {
            *state = FetchState::Tainted;
        }
        let pending = &mut self.pending[id.index()];
        *pending -= 1;
        if *pending == 0 && *state == FetchState::Sent {
            *state = FetchState::Complete;
        }
        *pending == 0
    }

    /// Reads a response, or returns the reason why it cannot be used.
    fn read(
        &mut self,
        id: FetchId,
        batch: &Batch,
        response: Result<FetchResponse, FetchFailure>,
    ) -> Result<(), ErrorKind> {
        let fetch = &self.inputs.plan.fetches[id.index()];
        let FetchResponse { body, held, .. } = response.map_err(|failure| failure.of(fetch))?;
        let length = body.length();
        match body {
            ResponseBody::Json(bytes) => {
                let invalid = |InvalidUtf8| self.invalid(id, InvalidResponse::InvalidUtf8);
                let json = Json::check(&bytes).map_err(invalid)?;
                let (envelope, defects) = self.read_into_arena(
                    id,
                    batch,
                    json,
                    (bytes.clone(), length),
                    response_body::read,
                )?;
                self.executed.held.join(held);
                let errors = envelope.errors.map(|errors| (&*bytes, errors));
                self.map_errors(id, batch, envelope, errors, defects)
            }
            ResponseBody::Recorded(recording) => {
                let RecordedResponse { shape, data: Recorded { tokens, texts, .. }, errors } =
                    *recording;
                let texts = Bytes::from(texts);
                let tape = || Tape::new(&tokens, &texts, &shape.fields);
                let has_errors = errors.is_some();
                let buffer = (texts.clone(), length);
                let (envelope, defects) = self.read_into_arena(
                    id,
                    batch,
                    tape(),
                    buffer,
                    |reader, fetch, fetch_inputs, batch| {
                        response_body::read_recorded(reader, fetch, fetch_inputs, batch, has_errors)
                    },
                )?;
                self.executed.held.join(held);
                let errors = errors.as_ref().map(|errors| (&**errors, (0, errors.len())));
                self.map_errors(id, batch, envelope, errors, defects)
            }
        }
    }

    fn invalid(&self, id: FetchId, why: InvalidResponse) -> ErrorKind {
        ErrorKind::InvalidResponse { subgraph: self.inputs.plan.fetches[id.index()].subgraph, why }
    }

    /// Reads a response into the arena, with leaves as ranges of `buffer`; rolls back if it is
    /// invalid.
    fn read_into_arena<'f, F: TokenReader<'f>>(
        &mut self,
        id: FetchId,
        batch: &Batch,
        tokens: F,
        (buffer, length): (Bytes, usize),
        read: impl Fn(&mut Reader<'_, F>, &Fetch, &FetchInputs, &Batch) -> Result<Envelope, ReadError>,
    ) -> Result<(Envelope, Defects), ErrorKind> {
        let Inputs { plan, supergraph, .. } = self.inputs;
        let fetch = &plan.fetches[id.index()];
        let (arena, fetch_inputs) = (&mut self.executed.arena, &self.fetch_inputs[id.index()]);
        let is_shared = self.options.reuse && arena.is_shared();
        let begin = |arena: &mut Arena| {
            arena.begin_response(length);
            arena.add_buffer(buffer.clone())
        };
        let buffer = begin(arena);
        let causes = Causes::next(&self.executed.errors);
        let mut reader = Reader::new(supergraph, &plan.tree, arena, tokens, (buffer, causes));
        let is_compared = is_shared && reader.tokens.comparable_bytes().is_some();
        reader.duplicates = is_compared.then(|| Duplicates::new(length));
        let mut envelope = read(&mut reader, fetch, fetch_inputs, batch);
        let has_found = reader.duplicates.take().is_some_and(|duplicates| duplicates.has_found());
        if has_found
            && envelope
                .is_ok_and(|envelope| envelope.errors.is_some() || !reader.defects.is_empty())
        {
            // Errors belong to one place, so duplicates are read again as separate objects.
            reader.arena.roll_back();
            begin(reader.arena);
            reader.defects = Defects::default();
            reader.tokens.go_to(0);
            envelope = read(&mut reader, fetch, fetch_inputs, batch);
        }
        let defects = std::mem::take(&mut reader.defects);
        match envelope {
            Ok(envelope) => {
                arena.commit_response();
                Ok((envelope, defects))
            }
            Err(why) => {
                arena.roll_back();
                Err(match why {
                    ReadError::InvalidJson => self.invalid(id, InvalidResponse::InvalidJson),
                    ReadError::DuplicateMember => {
                        self.invalid(id, InvalidResponse::DuplicateMember)
                    }
                    ReadError::Length { expected } => {
                        self.invalid(id, InvalidResponse::Length { expected })
                    }
                    ReadError::Mismatch => self.invalid(id, InvalidResponse::Mismatch),
                    ReadError::BudgetExceeded => {
                        FetchFailure::from(FetchError::MemoryExhausted).of(fetch)
                    }
                })
            }
        }
    }

    /// Maps the errors of a response, and the defects of its data, to missing values.
    fn map_errors(
        &mut self,
        id: FetchId,
        batch: &Batch,
        envelope: Envelope,
        errors: Option<(&[u8], Span)>,
        defects: Defects,
    ) -> Result<(), ErrorKind> {
        if !defects.is_empty() {
            self.add_defects(id, defects);
        }
        let mut error_mapper = self.error_mapper(id, batch);
        let first = match errors {
            // The text was validated before, or comes from a source in this process.
            Some((bytes, errors)) => error_mapper.map_errors(bytes, errors).unwrap_or(None),
            None => None,
        };
        match first {
            Some(cause) if envelope.data.is_none() || !envelope.is_whole => {
                error_mapper.fail_absent(cause)
            }
            None if envelope.data.is_none() => return Err(self.invalid(id, InvalidResponse::Empty)),
            Some(_) | None => {}
        }
        Ok(())
    }

    /// Adds the causes whose ids the reader has used.
    #[cold]
    fn add_defects(&mut self, id: FetchId, defects: Defects) {
        let Defects { values, entity, missing } = defects;
        let plan = self.inputs.plan;
        let invalid =
            |why| ErrorKind::InvalidResponse { subgraph: plan.fetches[id.index()].subgraph, why };
        let at = |object: ObjectId, item: Option<ItemId>| {
            let item = item.filter(|item| plan.tree.item(*item).is_visible);
            let steps = item.map(|item| Step::Key(plan.tree.item(item).key.clone()));
            let (items, steps) = (item.into_iter().collect(), steps.into_iter().collect());
            Origin { object, items, steps, is_null: true, is_hidden: false }
        };
        let missing = missing.map(|(object, item)| at(object, Some(item)));
        let errors = &mut self.executed.errors;
        // In the order of their ids; an unused cause has no origin and is not reported.
        errors.add(Cause::new(invalid(InvalidResponse::MissingMember), Scope::Omission, missing));
        let entity = entity.map(|object| at(object, None));
        errors.add(Cause::new(invalid(InvalidResponse::Entity), Scope::Request, entity));
        errors.count_wrong_values(values);
    }
}
