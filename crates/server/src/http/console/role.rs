//! What a role sees and may do, by the policies, and why not more.
//!
//! Nothing is read, except the row of an explanation. Since that row is read as the source's own user,
//! it is for superusers.

use std::sync::Arc;

use engine::{Caller, Claims, Session, TableAccess, Worker};
use graphql::JsonLimits;
use serde_json::{Value, json};
use serde_json_bytes::Value as Json;

use super::{NoData, catalog};
use crate::http::exchange::Exchange;
use crate::http::execution_limits::run_limited;
use crate::http::explain::as_json;
use crate::http::service::Service;
use crate::options::{self, Variables};

/// The role to look at.
#[derive(Debug, Default)]
struct Chosen {
    /// The name of the role; without one, that of unauthenticated requests.
    role: Option<String>,
    /// Further claims.
    claims: Variables,
    /// A row, as `thalweg explain --row` names it.
    row: Option<String>,
}

impl Chosen {
    /// Reads `{"role": "author", "claims": {"sub": 1}, "row": "post:id=3"}`.
    fn read(body: &[u8], limits: JsonLimits) -> Result<Self, NoData> {
        let members = match graphql::parse_json(body, "The body", limits) {
            Ok(Json::Object(members)) => members,
            Ok(_) => return Err(NoData::wrong("The body has to be an object.")),
            Err(error) => return Err(vec![error].into()),
        };
        let mut chosen = Self::default();
        for (name, value) in members {
            match (name.as_str(), value) {
                ("role" | "row", Json::Null) => {}
                ("role", Json::String(role)) => chosen.role = Some(role.as_str().to_owned()),
                ("row", Json::String(row)) => chosen.row = Some(row.as_str().to_owned()),
                ("claims", Json::Object(claims)) => chosen.claims = claims,
                ("role" | "row", _) => {
                    return Err(NoData::wrong(&format!("`{}` has to be a text.", name.as_str())));
                }
                ("claims", _) => return Err(NoData::wrong("`claims` has to be an object.")),
                (name, _) => {
                    let message =
                        format!("`{name}` is unknown: the body has `role`, `claims` and `row`.");
                    return Err(NoData::wrong(&message));
                }
            }
        }
        Ok(chosen)
    }
}

pub(super) async fn role(
    service: &Service,
    worker: &Worker,
    caller: &Caller,
    body: &[u8],
    exchange: &mut Exchange,
) -> Result<Value, NoData> {
    let chosen = Chosen::read(body, service.settings.body.json)?;
    let session = session(worker, chosen.role, chosen.claims)?;
    let row = match &chosen.row {
        Some(text) => {
            if !worker.engine().is_superuser(&caller.session) {
                return Err(NoData::forbidden(
                    "only a superuser sees which conditions are true of a row: send the credentials \
                     of one, under Headers, or use `thalweg explain --policies FILE --row ROW`",
                ));
            }
            let name = options::row(text).map_err(|message| NoData::wrong(&message))?;
            let explained =
                run_limited(service, exchange.started, worker.explain_row(&name, &session)).await?;
            Some(explained.map_err(|error| NoData::wrong(&error.to_string()))?)
        }
        None => None,
    };
    let roles = worker.engine().known_roles();
    let explained = worker.explain_tables(&session);
    let (access, seen) = match explained.and_then(|one| Ok((one, worker.describe(&session)?))) {
        Ok(explained) => explained,
        // Such as for want of a default role: the names of the roles let a person choose another one.
        Err(errors) => return Ok(json!({ "roles": roles, "errors": as_json(&errors) })),
    };
    Ok(json!({
        "roles": roles,
        "catalog": catalog::as_json(&seen),
        "access": access.map(|tables| tables.iter().map(access_json).collect::<Vec<_>>()),
        "row": row,
    }))
}

/// The session of a token with these claims.
fn session(
    worker: &Worker,
    role: Option<String>,
    mut claims: Variables,
) -> Result<Session, NoData> {
    let Some(claim) = worker.engine().claim_role() else {
        return Err(NoData::wrong("there are no policies, so every role may do the same"));
    };
    if let Some(role) = role {
        claims.insert(claim, role.as_str().into());
    }
    let claims = (!claims.is_empty()).then(|| Arc::new(Claims::new(Json::Object(claims))));
    Ok(Session { claims, ..Session::default() })
}

fn access_json(table: &TableAccess) -> Value {
    let privileges = table.privileges.iter().map(|one| {
        let columns = one
            .columns
            .iter()
            .map(|column| json!({ "name": column.name, "masked": column.masked }));
        json!({
            "privilege": one.privilege.to_string(),
            "refused": one.is_refused,
            "rules": one.rules,
            "columns": columns.collect::<Vec<_>>(),
        })
    });
    json!({
        "schema": table.namespace,
        "name": table.name,
        "privileges": privileges.collect::<Vec<_>>(),
    })
}
