//! Thalweg for Node.js: the classes that `index.js` makes an API of.
//!
//! Arguments are JSON objects with known members: a misspelt one is an error, and not left out.
//!
//! * `call`: the arguments
//! * `execution`: a running operation, which can be cancelled
//! * `subscription`: a running subscription

#![allow(unsafe_code, reason = "the macros write the functions that Node.js calls")]

mod call;
mod execution;
mod subscription;

use std::time::Duration;

use napi::{Error, Result, Status};
use napi_derive::napi;
use serde_json::Value;

use call::{Call, OpenOptions, options};
use execution::Execution;
use subscription::Subscription;

/// A GraphQL API over a database.
#[napi]
pub struct Thalweg {
    api: thalweg::Thalweg,
}

#[napi]
impl Thalweg {
    /// Reads the schema of the database and makes the API.
    #[napi(factory)]
    pub async fn open(given: Value) -> Result<Self> {
        let given: OpenOptions = call::read(given, "open()")?;
        let api = thalweg::Thalweg::open(options(given)?).await;
        Ok(Self { api: api.map_err(fault)? })
    }

    /// Prepares an operation; `answer()` of the result executes it.
    #[napi]
    pub fn prepare(&self, given: Value) -> Result<Execution> {
        let call: Call = call::read(given, "execute()")?;
        let session = call.session(&self.api)?;
        Ok(Execution::new(self.api.clone(), call.request()?, session))
    }

    /// Begins a subscription.
    #[napi]
    pub async fn subscribe(&self, given: Value) -> Result<Subscription> {
        let call: Call = call::read(given, "subscribe()")?;
        let session = call.session(&self.api)?;
        match self.api.subscribe(call.request()?, &session).await {
            Ok(responses) => Ok(Subscription::new(responses)),
            Err(refused) => Err(fault(String::from_utf8_lossy(refused.body()))),
        }
    }

    /// The schema as SDL, perhaps as a role sees it; null without such a role.
    #[napi]
    pub fn schema(&self, role: Option<String>) -> Option<String> {
        match role {
            None => Some(self.api.schema()),
            Some(role) => self.api.schema_of_role(&role),
        }
    }

    /// Reads the schema of the database again.
    #[napi]
    pub async fn reload(&self) -> Result<()> {
        self.api.reload().await.map_err(fault)
    }

    /// Waits for operations in flight, for so many milliseconds, and closes the connections.
    #[napi]
    pub async fn close(&self, patience: u32) {
        self.api.close(Duration::from_millis(patience.into())).await;
    }
}

/// Shows no more than that it is one: it holds addresses with passwords.
impl std::fmt::Debug for Thalweg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Thalweg").finish_non_exhaustive()
    }
}

/// An error whose message is that of another.
fn fault(error: impl std::fmt::Display) -> Error {
    Error::new(Status::GenericFailure, error.to_string())
}

/// An error of an argument.
fn mistake(error: impl std::fmt::Display) -> Error {
    Error::new(Status::InvalidArg, error.to_string())
}
