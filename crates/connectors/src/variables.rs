//! Variables of mappings.
//! <https://www.apollographql.com/docs/graphos/connectors/mapping/variables>

use serde_json::Value;

use crate::version::Version;

/// A variable beside `$` and `@`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variable {
    /// `$args`: an object of the field's arguments.
    Args,
    /// `$this`: an object of fields of the parent.
    This,
    /// `$batch`: a list of objects, the representations of a batch.
    Batch,
    /// `$config`: an object of the configuration of the source.
    Config,
    /// `$context`: an object of the context of the request.
    Context,
    /// `$env`: an object of environment variables.
    Env,
    /// `$request`: `{"headers": {"name-in-lower-case": ["value"]}}` of the client's request.
    Request,
    /// `$response`: the same of the response.
    Response,
    /// `$status`: the status code of the response, a number.
    Status,
}

impl Variable {
    pub const ALL: [Self; 9] = [
        Self::Args,
        Self::This,
        Self::Batch,
        Self::Config,
        Self::Context,
        Self::Env,
        Self::Request,
        Self::Response,
        Self::Status,
    ];

    /// The variable with this name, which is without `$`.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|variable| variable.name() == name)
    }

    /// The name without `$`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Args => "args",
            Self::This => "this",
            Self::Batch => "batch",
            Self::Config => "config",
            Self::Context => "context",
            Self::Env => "env",
            Self::Request => "request",
            Self::Response => "response",
            Self::Status => "status",
        }
    }

    /// The version that has brought it. Schemas of older versions may use it, too, as with the
    /// composition of others.
    #[must_use]
    pub const fn since(self) -> Version {
        match self {
            Self::Args | Self::This | Self::Config | Self::Context | Self::Status => Version::V0_1,
            Self::Batch | Self::Request | Self::Response => Version::V0_2,
            Self::Env => Version::V0_3,
        }
    }
}

/// Values of variables; one without a value is missing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Variables<'v> {
    values: [Option<&'v Value>; Variable::ALL.len()],
}

impl<'v> Variables<'v> {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The variables with this value of one more.
    #[must_use]
    pub fn with(mut self, variable: Variable, value: &'v Value) -> Self {
        self.values[variable as usize] = Some(value);
        self
    }

    #[must_use]
    pub fn get(&self, variable: Variable) -> Option<&'v Value> {
        self.values[variable as usize]
    }
}
