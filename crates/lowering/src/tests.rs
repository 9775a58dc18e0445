//! Inputs, enum values and fields that lowering must not drop: roles at positions that do not read
//! them, and what an API refuses.

use std::collections::BTreeSet;

use ::api;
use graphql::schema::{FieldDefinition, InputDefinition, TypeDefinition, TypeKind, TypeRef};
use graphql::variables::{Steering, Variables};
use graphql::{DocumentLimits, Validator};

use self::api::ApiBuilder;
use self::api::binding::{
    ArgumentRole, FieldBinding, FilterRole, InputBinding, InputRole, Meaning, RowsBinding,
    RowsForm, RowsFrom, ValueBinding,
};
use self::api::check::{Position, misbound};
use self::places::{Place, places, refused_fields};
use self::roles::{Sample, samples};
use crate::{Introspection, LowerError, Lowered, lower};

// The tests of the check have them, which refuses the same APIs.
#[path = "../../api/src/check/tests/places.rs"]
mod places;
#[path = "../../api/src/check/tests/roles.rs"]
mod roles;

/// The request that gives the input of a place.
fn request(place: &Place, value: &str) -> String {
    let mut value = value.to_owned();
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

fn lowered(request: &str, api: &api::Api) -> Result<Lowered, LowerError> {
    let validator = Validator::new(&api.schema);
    let limits = DocumentLimits::default();
    let operation = validator.operation(&api.schema, request, None, &limits);
    let operation = operation.expect("a valid operation");
    let variables = Variables::default();
    let steering = Steering::new(&variables);
    lower(api, &operation, steering, &Introspection::new(), 1_000)
}

/// The text by which refused parts of an API reject requests.
const REFUSAL: &str = "not served here";

/// True if a request is rejected by the text: the whole of it, or one of its fields.
fn is_refused(lowered: &Result<Lowered, LowerError>) -> bool {
    match lowered {
        Ok(lowered) => format!("{:?}", lowered.shape).contains(&format!("Refused({REFUSAL:?})")),
        Err(LowerError::Refused { message, .. } | LowerError::RefusedWithin { message, .. }) => {
            &**message == REFUSAL
        }
        Err(_) => false,
    }
}

#[test]
fn a_refused_input_is_an_error_at_every_position_that_it_can_have() {
    let mut tried = 0;
    for place in places() {
        let api = place.api(InputRole::Refused(REFUSAL.into()));
        if misbound(&api).is_empty() {
            tried += 1;
            let lowered = lowered(&request(&place, "true"), &api);
            assert!(is_refused(&lowered), "{place:?}: {lowered:?}");
        }
    }
    assert!(tried > 25, "only {tried} positions");
}

#[test]
fn a_refused_enum_value_is_an_error_of_every_input_that_reads_enum_values() {
    let mut tried = BTreeSet::new();
    for place in places() {
        for sample in samples() {
            let value = ValueBinding::Refused(REFUSAL.into());
            let api = place.api_of_enum(sample.role.clone(), value);
            // The input itself is ignored or refused, whatever its value is.
            let is_read = !matches!(sample.role, InputRole::Ignored | InputRole::Refused(_));
            if !is_read || !misbound(&api).is_empty() {
                continue;
            }
            tried.insert(sample.variant);
            let lowered = lowered(&request(&place, "VALUE"), &api);
            assert!(is_refused(&lowered), "{place:?} with {sample:?}: {lowered:?}");
        }
    }
    let roles = [
        "AggregatedColumns",
        "AllPresent",
        "Common",
        "Computed",
        "CountedColumns",
        "Directed",
        "DistinctOn",
        "Edge",
        "Field",
        "GroupBy",
        "Nearest",
        "OfVariants",
        "OrderBy",
        "RelatedCount",
        "StreamDirection",
        "Tree",
    ];
    assert_eq!(Vec::from_iter(tried), roles);
}

#[test]
fn a_refused_field_is_an_error_in_every_object() {
    for place in refused_fields(REFUSAL) {
        let api = place.api(InputRole::Ignored);
        assert_eq!(misbound(&api), [], "{place:?}");
        let lowered = lowered(&request(&place, "1"), &api);
        assert!(is_refused(&lowered), "{place:?}: {lowered:?}");
    }
}

/// An API with one field that has these arguments.
fn api_of(binding: FieldBinding, arguments: Vec<(&str, InputBinding)>) -> api::Api {
    let mut build = ApiBuilder::default();
    let mut add = |name: &str, kind| {
        let definition = TypeDefinition { name: name.into(), description: None, kind };
        build.add_type(definition).expect("a name that is free")
    };
    let value = add("Value", TypeKind::Scalar);
    let root = add("Root", TypeKind::Object { fields: Vec::new(), interfaces: Default::default() });
    build.schema_mut().query = Some(root);
    let field = build.add_field(root, FieldDefinition::new("field", TypeRef::named(root)), binding);
    for (name, binding) in arguments {
        build.add_argument(field, InputDefinition::new(name, TypeRef::named(value)), binding);
    }
    build.finish()
}

#[test]
fn a_refused_argument_beside_the_id_of_the_root_is_an_error() {
    let refused = InputBinding::lenient(InputRole::Refused(REFUSAL.into()));
    let id = InputBinding::lenient(ArgumentRole::NodeId);
    let api =
        api_of(FieldBinding::Lookup { root: Some("query") }, vec![("id", id), ("other", refused)]);
    assert_eq!(misbound(&api), []);
    let request = |other: &str| format!("{{ field(id: \"query\"{other}) {{ __typename }} }}");
    assert!(lowered(&request(""), &api).is_ok_and(|lowered| !is_refused(&Ok(lowered))));
    assert!(is_refused(&lowered(&request(", other: 1"), &api)));
}

#[test]
fn a_null_that_is_an_unsupported_condition_is_an_error() {
    let null = |null| {
        let role = FilterRole::Equal(roles::field());
        let role =
            FilterRole::Unsupported { role: Box::new(role), otherwise: Box::new(REFUSAL.into()) };
        let binding = InputBinding { role: role.into(), null, empty: Meaning::Ignore };
        let rows = RowsBinding {
            from: RowsFrom::Entity,
            entity: roles::entity(),
            form: RowsForm::List,
            default_limit: None,
        };
        let api = api_of(FieldBinding::Rows(rows), vec![("filter", binding)]);
        is_refused(&lowered("{ field(filter: null) { __typename } }", &api))
    };
    let conditions = [Meaning::IsNull, Meaning::IsNotNull, Meaning::False, Meaning::Unrelated];
    assert_eq!(conditions.map(null), [true; 4]);
    assert_eq!([Meaning::Ignore, Meaning::True].map(null), [false; 2]);
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
            match lowered(&request(&place, "1"), &api).err() {
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
