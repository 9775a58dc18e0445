//! Authorization: permissions of sessions to read and change rows and fields.
//!
//! Frontends compile their permissions to [`AccessRules`]: policy files to grants of roles, type
//! definitions of graphs to restrictions. A session has an [`AccessSet`] by its claims, and
//! [`authorize()`] restricts a request of the IR to that set. This crate knows no frontend, no
//! dialect, no source and no GraphQL.
//!
//! ```text
//! frontend ─► AccessRules ─┐
//! claims of a session ─────┴─► AccessSet ─┐
//! request ────────────────────────────────┴─► authorize ─► request, Refused
//! ```
//!
//! * [`grant`]: rules that open what is closed, by role
//! * [`restriction`]: rules that close what is open
//! * [`condition`]: conditions on claims and on rows
//! * `conventions`: decisions that frontends make differently
//! * [`rules`]: the rules of a source, with the claims that they name (`named_claims`)
//! * [`set`]: the permissions of one kind of session; `grant_set`, `granted`: its grants
//! * [`authorize`](mod@authorize): the authorizer
//! * [`refused`], [`denial`]: denied parts of a request

pub mod authorize;
mod claim;
mod claim_condition;
pub mod condition;
mod constant;
mod conventions;
pub mod denial;
mod field_set;
pub mod grant;
mod grant_set;
mod granted;
mod named_claims;
pub mod refused;
pub mod restriction;
pub mod rules;
mod session_refusal;
pub mod set;

pub use authorize::{Authorized, Checked, authorize};
pub use claim_condition::{ClaimCondition, ClaimTest, ClaimType, Pattern};
pub use condition::{Condition, claims_of, is_present, operand_claims};
pub use constant::Constant;
pub use conventions::{ChangedRows, Conventions, FollowedKeys, MissingClaims};
pub use denial::{Denial, field_name};
pub use field_set::FieldSet;
pub use grant::{
    Callable, Check, Elevation, Grant, GrantIndex, Permission, Presets, Privilege, Role, Roles,
};
pub use granted::Granted;
pub use refused::{Part, Refused};
pub use restriction::{Action, Authentication, Restriction, RootType, RowRule, Target};
pub use rules::{AccessRules, MOST_SETS};
pub use session_refusal::SessionRefusal;
pub use set::{AccessSet, AccessSetId, Cell};
