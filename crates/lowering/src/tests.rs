//! Every role at every position that does not read it: lowering a request that gives the input is an
//! error. Nothing that a request says is dropped.

use ::api;
use graphql::variables::{Steering, Variables};
use graphql::{DocumentLimits, Validator};

use self::api::check::{Position, misbound};
use self::places::{Place, places};
use self::roles::{Sample, samples};
use crate::{Introspection, LowerError, lower};

// The tests of the check have them, which refuses the same APIs.
#[path = "../../api/src/check/tests/places.rs"]
mod places;
#[path = "../../api/src/check/tests/roles.rs"]
mod roles;

/// The request that gives the input of a place.
fn request(place: &Place) -> String {
    let mut value = "1".to_owned();
    for depth in (0..place.objects.len()).rev() {
        let name = if depth + 1 == place.objects.len() { "input" } else { "object" };
        value = format!("{{ {name}: {value} }}");
    }
    let mut request = format!("{{ field(argument: {value}) {{ __typename }} }}");
    for _ in 1..place.fields.len() {
        request = format!("{{ field {request} }}");
    }
    match place.is_mutation() {
        true => format!("mutation {request}"),
        false => request,
    }
}

/// The error of lowering the request, if there is one.
fn error(place: &Place, api: &api::Api) -> Option<LowerError> {
    let validator = Validator::new(&api.schema);
    let limits = DocumentLimits::default();
    let operation = validator.operation(&api.schema, &request(place), None, &limits);
    let operation = operation.expect("a valid operation");
    let variables = Variables::default();
    let steering = Steering::new(&variables);
    lower(api, &operation, steering, &Introspection::new(), 1_000).err()
}

#[test]
fn a_role_at_a_position_that_does_not_read_it_is_an_error_never_ignored() {
    let mut tried = 0;
    let mut ignored = Vec::new();
    for place in places() {
        // The value goes to the source whole: the roles of its members are not read, and none of
        // them can be dropped.
        if place.position == Position::Value {
            continue;
        }
        for sample in samples() {
            let api = place.api(sample.role.clone());
            if misbound(&api).is_empty() {
                continue;
            }
            tried += 1;
            match error(&place, &api) {
                Some(LowerError::Misplaced { .. }) => {}
                other => {
                    let Sample { family, variant, detail, .. } = sample;
                    let pair = format!("{:?} with {family} {variant} {detail}", place.position);
                    ignored.push(format!("{pair}: {other:?}"));
                }
            }
        }
    }
    assert_eq!(ignored, Vec::<String>::new());
    assert!(tried > 3_000, "only {tried} pairs");
}
