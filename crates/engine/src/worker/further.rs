//! Documents of further sources: one with fields of a single source is executed by its engine as it
//! is, so pages, streams and transactions are those of that engine.

use std::time::Instant;

use bytes::Bytes;
use clients::egress::EgressResponse;
use dialects::Api;
use graphql::operation::{FieldRef, Operation, OperationKind, Selection, SelectionSetId};
use graphql::schema::FieldId;
use graphql::{ErrorCode, GraphQLError, Request};
use http::HeaderMap;
use http_resolvers::projection::Keys as _;
use response::MemoryReservation;
use source::Session;
use tokio::time::timeout_at;

use super::{Allowed, Delivery, Worker};
use crate::answer_cache::CacheUse;
use crate::caller::Caller;
use crate::documents::Owner;
use crate::engine::Engine;
use crate::live::{Begun, Driver, Responses, Work};
use crate::report::Report;
use crate::respond::{Kind, Response, our_bug};

impl Engine {
    /// The source of an operation.
    fn owner(&self, operation: &Operation) -> Owner {
        let mut found = None;
        if !self.root_owner(operation, operation.root, &mut found) {
            return Owner::Several;
        }
        let owner = found.unwrap_or(Owner::First);
        // Relationships to other sources are fields of this API only.
        match owner {
            Owner::Further(_) if crosses_sources(&self.api, operation) => Owner::Several,
            owner => owner,
        }
    }

    /// Adds the owners of the root fields of a selection set; false if there are several. Fragments are
    /// finite, as validation has checked.
    fn root_owner(
        &self,
        operation: &Operation,
        set: SelectionSetId,
        found: &mut Option<Owner>,
    ) -> bool {
        operation.selection_set(set).selections.iter().all(|selection| match selection {
            Selection::Fragment { selection_set, .. } => {
                self.root_owner(operation, *selection_set, found)
            }
            Selection::Field(field) => {
                let owner = match field.field {
                    FieldRef::Typename => return true,
                    FieldRef::Introspection => Owner::First,
                    FieldRef::Field(id) => self.field_owner(id),
                };
                *found.get_or_insert(owner) == owner
            }
        })
    }

    fn field_owner(&self, field: FieldId) -> Owner {
        let resolver = self.api.resolver_of(field);
        let path = resolver.and_then(|resolver| resolver.definition.remote());
        let Some(name) = path.and_then(|path| path.source()) else { return Owner::First };
        let number = self.further.iter().position(|further| *further.name == *name);
        match number.and_then(|number| u16::try_from(number).ok()) {
            Some(number) => Owner::Further(number),
            None => Owner::First,
        }
    }
}

/// True if a field below the roots is one of this API only.
fn crosses_sources(api: &Api, operation: &Operation) -> bool {
    let sets = operation.selection_sets.iter();
    let fields = sets.flat_map(|set| &set.selections).filter_map(|selection| match selection {
        Selection::Field(field) => match field.field {
            FieldRef::Field(id) => Some(id),
            FieldRef::Typename | FieldRef::Introspection => None,
        },
        Selection::Fragment { .. } => None,
    });
    fields.into_iter().any(|id| api.answer_keys().find_related(id).is_some())
}

impl Worker {
    /// The source of a request; the first one if the request is invalid.
    fn owner(&self, request: &Request, session: &Session) -> Owner {
        if self.further.is_empty() {
            return Owner::First;
        }
        let Ok(known) = self.engine.document(request, session, &mut false) else {
            return Owner::First;
        };
        let document = &known.document;
        *document.owner.get_or_init(|| self.engine.owner(&document.operation))
    }

    /// The worker of the further source that has all fields of a request.
    pub(crate) fn further_of(&self, request: &Request, session: &Session) -> Option<&Self> {
        match self.owner(request, session) {
            Owner::Further(number) => self.further.get(usize::from(number)),
            Owner::First | Owner::Several => None,
        }
    }

    /// Begins a subscription to a further source; `None` if the request is none.
    pub(super) fn subscribe_further(
        &self,
        request: &Request,
        caller: &Caller,
    ) -> Option<Result<Begun, Response>> {
        let number = self.further_number(request, caller)?;
        let worker = self.further.get(number)?;
        Some(worker.subscribe(request, caller).map(|Begun { responses, driver }| {
            let driver = driver.map(|driver| of_further(number, driver));
            Begun { responses, driver }
        }))
    }

    /// Continues a subscription to a further source; `None` if the request is none.
    pub(super) fn resume_further(
        &self,
        responses: &mut Responses,
        request: &Request,
        caller: &Caller,
    ) -> Option<Result<Option<Driver>, Response>> {
        let number = self.further_number(request, caller)?;
        let resumed = self.further.get(number)?.resume(responses, request, caller);
        Some(resumed.map(|driver| driver.map(|driver| of_further(number, driver))))
    }

    fn further_number(&self, request: &Request, caller: &Caller) -> Option<usize> {
        match self.owner(request, &caller.session) {
            Owner::Further(number) => Some(usize::from(number)),
            Owner::First | Owner::Several => None,
        }
    }

    /// Refuses a subscription to several sources: nothing tells when to execute it.
    pub(super) fn check_sources(
        &self,
        request: &Request,
        caller: &Caller,
        kind: OperationKind,
    ) -> Result<(), GraphQLError> {
        let is_several = kind == OperationKind::Subscription
            && self.owner(request, &caller.session) == Owner::Several;
        match is_several {
            false => Ok(()),
            true => Err(GraphQLError::new(
                ErrorCode::BadUserInput,
                "A subscription reads one source: send one for each of them.",
            )),
        }
    }

    /// The answer of a further source to a request for one field, or for the rows of a relationship.
    pub(super) async fn further_answer(
        &self,
        name: &str,
        body: &[u8],
        caller: &Caller,
        deadline: Option<Instant>,
    ) -> Result<(EgressResponse, MemoryReservation), GraphQLError> {
        let number = self.engine.further.iter().position(|further| *further.name == *name);
        let worker = number.and_then(|number| self.further.get(number));
        let worker = worker.ok_or_else(|| our_bug("a source is missing"))?;
        let request = Request::from_json(body).map_err(|error| our_bug(&error.message))?;
        let mut report = Report::default();
        let form = (Delivery::Whole, None);
        // Several engines may serve one database, and changes by one of them invalidate only its own
        // cached answers at once. So parts of documents are not cached.
        let caller = &Caller { cache: CacheUse::Bypass, ..caller.clone() };
        let answering = worker.deliver(&request, caller, Allowed::All, form, &mut report);
        let answering = Box::pin(answering);
        let response = match deadline {
            None => answering.await,
            Some(deadline) => timeout_at(deadline.into(), answering).await.map_err(|_| {
                let message = format!("The source {name} did not answer in time.");
                GraphQLError::new(ErrorCode::ResolverTimeout, message)
            })?,
        };
        if let (Kind::Overloaded, true) = (&response.kind, response.body.is_empty()) {
            return Err(our_bug("a source gives no answer"));
        }
        let body = Bytes::copy_from_slice(&response.body);
        Ok((EgressResponse { status: 200, headers: HeaderMap::new(), body }, response.held))
    }
}

fn of_further(number: usize, driver: Driver) -> Driver {
    Driver(Work::Further { number, driver: Box::new(driver) })
}
