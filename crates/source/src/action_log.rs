//! The log of asynchronous actions: calls of webhooks whose answers clients read later. All values are
//! texts of JSON.

/// A new call.
#[derive(Clone, Copy, Debug)]
pub struct NewAction<'a> {
    pub name: &'a str,
    pub input: &'a str,
    /// Headers of the client that the webhook receives.
    pub headers: &'a str,
    pub session: &'a str,
}

/// A call that a client reads.
#[derive(Clone, Copy, Debug)]
pub struct ActionRecord<'a> {
    /// A UUID.
    pub id: &'a str,
    pub name: &'a str,
    /// The session whose call it has to be; `None` for calls of all sessions.
    pub session: Option<&'a str>,
}

/// The state of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedAnswer {
    pub created_at: String,
    /// Absent until the webhook has answered.
    pub output: Option<String>,
    pub errors: Option<String>,
}

/// A call that this server delivers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedAction {
    pub id: String,
    pub name: String,
    pub input: String,
    pub headers: String,
    pub session: String,
}

/// The end of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActionResult {
    Output(String),
    Failed(String),
}
