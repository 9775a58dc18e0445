//! Answers as tapes of values, for a gateway in the same process.

use std::sync::Arc;

use bytes::Bytes;
use gateway::execute::RecordedResponse;
use graphql::{GraphQLError, Request};
use response::{MemoryReservation, Written};
use source::{Freshness, Session};

use super::{Allowed, Ready, Worker, failed, refused};
use crate::caller::Caller;
use crate::report::{Report, Timed};
use crate::respond::{Response, error_list};

/// An answer, with the memory that it takes.
type Answered = (RecordedResponse, MemoryReservation);

impl Worker {
    /// Answers a request as a tape of values; or returns the response of its errors.
    pub(crate) async fn record(
        &self,
        request: &Request,
        session: &Session,
        report: &mut Report,
    ) -> Result<Answered, Response> {
        match self.try_record(request, session, report).await {
            Ok(recorded) => recorded,
            Err(errors) => {
                report.codes = errors.iter().map(|error| error.code).collect();
                Err(Response::request_error(&errors))
            }
        }
    }

    /// Like [`Worker::run`], with a tape as the output.
    async fn try_record(
        &self,
        request: &Request,
        session: &Session,
        report: &mut Report,
    ) -> Result<Result<Answered, Response>, Vec<GraphQLError>> {
        let engine = &*self.engine;
        let Some(ready) = self.ready(request, session, Allowed::All, report)? else {
            return Ok(Err(refused()));
        };
        if ready.prepared.has_resolved() {
            let caller = Caller { session: session.clone(), ..Caller::default() };
            let response = Box::pin(self.run_resolved(&ready, request, &caller, report)).await?;
            return Ok(Err(response));
        }
        let Ready { known, prepared, since, .. } = &ready;
        let timed = Timed::since(*since, &mut report.stages.execute);
        let echoes = prepared
            .echoes(ready.variables(session))
            .map_err(|error| vec![engine.map_error(&error)])?;
        let passwords = self.hashed(&ready, session).await?;
        let params = self.params(&ready, session, Freshness::Newest, (&echoes, &passwords));
        let tape =
            prepared.begin_tape(engine.limits.response_bytes, MemoryReservation::of(&self.memory));
        let (plan, observed) = (&prepared.plan, &mut report.observed);
        let answered = self.connections.answer(plan, params, tape, observed).await;
        drop(timed);
        report.stages.split_off_write(report.observed.write);
        engine.reweigh(known, request.operation_name.as_deref(), prepared);
        Ok(match answered {
            Ok(Written { data, held, errors }) => {
                prepared.end_tape(&data);
                let errors = error_list(engine, errors, &mut report.codes).map(Bytes::from);
                Ok((RecordedResponse { shape: Arc::clone(plan.shape()), data, errors }, held))
            }
            Err(error) => Err(failed(engine, error, report)),
        })
    }
}
