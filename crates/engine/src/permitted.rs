//! Whether permissions let a session execute an operation in full.

use graphql::operation::Operation;
use graphql::schema::{TypeKind, TypeRef};
use graphql::{Request, View, coerce_variable_values};
use serde_json_bytes::{ByteString, Map, Value as Json};
use source::Session;

use crate::worker::Worker;

/// How deep placeholders of inputs nest; required fields cannot lead in a circle.
const MAX_DEPTH: usize = 8;

impl Worker {
    /// Returns true if permissions refuse a part of an operation to a session, whatever the rows are.
    /// Required variables have placeholders; where a placeholder is no value of its type, nothing is
    /// refused before the operation is executed.
    #[must_use]
    pub fn refuses(&self, request: &Request, session: &Session) -> bool {
        if let Some(worker) = self.further_of(request, session) {
            return worker.refuses(request, session);
        }
        let engine = self.engine();
        let set = match engine.access_set(session) {
            Ok(Some(set)) => set,
            Ok(None) => return false,
            Err(_) => return true,
        };
        let (Ok(view), Ok(known)) =
            (engine.view(session), engine.document(request, session, &mut false))
        else {
            return true;
        };
        let document = &known.document;
        let given = placeholders(view.schema, &document.operation);
        let Ok(variables) = coerce_variable_values(view.schema, &document.operation, &given) else {
            return false;
        };
        let name = request.operation_name.as_deref();
        let Ok(mut lowered) = engine.lower(document, name, &variables, session) else {
            return false;
        };
        let authorized = access::authorize(&engine.catalog, &set, &mut lowered.request);
        !authorized.refused.all.is_empty()
    }
}

/// Values for the variables that an operation requires.
fn placeholders(view: View<'_>, operation: &Operation) -> Map<ByteString, Json> {
    let required = operation
        .variables
        .iter()
        .filter(|variable| variable.r#type.is_non_null() && variable.default.is_none());
    let value = |r#type| placeholder(view, r#type, 0);
    required.map(|one| (ByteString::from(&*one.name), value(one.r#type))).collect()
}

fn placeholder(view: View<'_>, r#type: TypeRef, depth: usize) -> Json {
    if r#type.is_list() || depth > MAX_DEPTH {
        return Json::Array(Vec::new());
    }
    let definition = &view[r#type.base];
    match &definition.kind {
        TypeKind::InputObject { fields } => {
            let required = view.inputs(fields).map(|field| &view.whole[field]);
            let required =
                required.filter(|field| field.r#type.is_non_null() && field.default.is_none());
            let members = required.map(|field| {
                let value = placeholder(view, field.r#type, depth + 1);
                (ByteString::from(&*field.name), value)
            });
            Json::Object(members.collect())
        }
        TypeKind::Enum { values } => {
            let first = view.values(values).next();
            first.map_or(Json::Null, |value| Json::from(&*view[value].name))
        }
        TypeKind::Scalar
        | TypeKind::Object { .. }
        | TypeKind::Interface { .. }
        | TypeKind::Union { .. } => match &*definition.name {
            "Int" | "Float" => Json::from(0),
            "Boolean" => Json::Bool(false),
            _ => Json::from(""),
        },
    }
}
