use graphql::{DocumentLimits, Validator};

use super::*;
use crate::test_supergraph::guarded;

fn denied(supergraph: &Supergraph, text: &str, access: &Access) -> AccessSet {
    let schema = &supergraph.api.schema;
    let validator = Validator::new(schema);
    let operation = validator.operation(schema, text, None, &DocumentLimits::default()).unwrap();
    access.denied(supergraph, &TouchedRequirements::new(supergraph, &operation))
}

fn with_scopes(scopes: &[&str]) -> Access {
    let scopes = scopes.iter().map(|scope| Box::from(*scope)).collect();
    Access { is_authenticated: true, scopes, policies: BTreeSet::new() }
}

#[test]
fn callers_share_what_no_requirement_of_the_operation_tells_apart() {
    let supergraph = guarded();
    let denied = |text, access: &Access| denied(&supergraph, text, access);
    let emails = "{ users { email } }";
    let (nobody, reader) = (Access::default(), with_scopes(&["read:email"]));
    assert_eq!(denied(emails, &nobody), denied(emails, &with_scopes(&["admin"])));
    assert_ne!(denied(emails, &nobody), denied(emails, &reader));
    assert_eq!(denied(emails, &reader), denied(emails, &with_scopes(&["read:email", "admin"])));
    assert!(denied(emails, &reader).is_empty());
    for text in ["{ users { name } }", "{ version }", "{ __schema { queryType { name } } }"] {
        assert_eq!(denied(text, &nobody), AccessSet::default(), "{text}");
    }
    // A field of an interface is a field of all its types.
    assert!(!denied("{ post(id: 1) { title } }", &nobody).is_empty());
    assert!(denied("{ post(id: 1) { ... on PublicPost { title } } }", &nobody).is_empty());
}

#[test]
fn all_of_one_list_are_enough_and_no_list_asks_for_nothing() {
    let requirement = |lists: &[&[&str]]| {
        let list = |names: &&[&str]| names.iter().map(|name| (*name).into()).collect();
        Requirement::Scopes(lists.iter().map(list).collect())
    };
    let either = requirement(&[&["a", "b"], &["c"]]);
    for (scopes, meets) in
        [(&["a"][..], false), (&["b", "a"], true), (&["c"], true), (&[], false), (&["ab"], false)]
    {
        assert_eq!(with_scopes(scopes).meets(&either), meets, "{scopes:?}");
    }
    for nothing in [requirement(&[]), requirement(&[&[]])] {
        assert!(Access::default().meets(&nothing), "{nothing:?}");
    }
}
