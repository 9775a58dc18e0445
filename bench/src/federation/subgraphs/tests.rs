use bytes::Bytes;
use serde_json::{Value, json};

use super::canned::Canned;
use super::live::Live;
use super::shop::{Data, Subgraph};

const ENTITIES: &str = "query($r:[_Any!]!){_entities(representations:$r)";

fn body(document: &str, variables: &Value) -> Bytes {
    json!({ "query": document, "variables": variables }).to_string().into()
}

/// What both forms answer, the canned one twice.
fn answer(subgraph: Subgraph, document: &str, variables: &Value) -> Value {
    let body = body(document, variables);
    let live = Live::default().answer(subgraph, &body);
    let mut canned = Canned::default();
    for _ in 0..2 {
        assert_eq!(canned.answer(subgraph, &body), live, "canned is not live: {document}");
    }
    serde_json::from_slice(&live).unwrap()
}

fn check(subgraph: Subgraph, document: &str, variables: &Value, expected: &Value) {
    let told = answer(subgraph, document, variables);
    assert_eq!(told, json!({ "data": expected }), "{document}");
}

#[test]
fn roots_are_answered_in_every_form_of_a_document() {
    let user = json!({ "user": { "name": "Ravi Menons" } });
    check(Subgraph::Accounts, "{ user(id: \"5\") { name } }", &json!({}), &user);
    let document = "query Q($id: ID! = \"5\") { user(id: $id) { name } }";
    check(Subgraph::Accounts, document, &json!({}), &user);
    let other = json!({ "user": { "name": "Ines Okafor" } });
    check(Subgraph::Accounts, document, &json!({ "id": "2" }), &other);
    check(Subgraph::Accounts, document, &json!({ "id": "7" }), &json!({ "user": null }));
    let document = "query { a: me { ...U __typename } b: me { ... on User { id } ... { id } } } \
                    fragment U on User { id n: username }";
    let expected = json!({
        "a": { "id": "1", "n": "tovel", "__typename": "User" },
        "b": { "id": "1" },
    });
    check(Subgraph::Accounts, document, &json!({}), &expected);
    let products = json!({ "topProducts": [{ "upc": "1" }, { "upc": "2" }] });
    check(Subgraph::Products, "{ topProducts(first: 2) { upc } }", &json!({}), &products);
    let all = answer(Subgraph::Products, "{ topProducts { upc } }", &json!({}));
    assert_eq!(all["data"]["topProducts"].as_array().unwrap().len(), 5);
}

#[test]
fn selections_of_one_key_are_merged() {
    let document = "{ me { id } me { name } ...Q } fragment Q on Query { me { id birthday } }";
    let expected =
        json!({ "me": { "id": "1", "name": "Tove Lindqvist", "birthday": 1_234_567_890 } });
    check(Subgraph::Accounts, document, &json!({}), &expected);
}

#[test]
fn conditions_hold_by_the_variables_of_each_request() {
    let document = "query($a: Boolean!, $b: Boolean = true) \
                    { me { id @include(if: $a) ... @skip(if: $b) { name } username } }";
    let mut live = Live::default();
    let mut ask = |variables: Value| -> Value {
        let answer = live.answer(Subgraph::Accounts, &body(document, &variables));
        serde_json::from_slice::<Value>(&answer).unwrap()["data"]["me"].take()
    };
    assert_eq!(ask(json!({ "a": true })), json!({ "id": "1", "username": "tovel" }));
    assert_eq!(ask(json!({ "a": false })), json!({ "username": "tovel" }));
    let both = json!({ "name": "Tove Lindqvist", "username": "tovel" });
    assert_eq!(ask(json!({ "a": false, "b": false })), both);
}

#[test]
fn entities_are_answered_by_their_representations() {
    let document = format!(
        "{ENTITIES}{{__typename ...on Product{{inStock shippingEstimate price weight}}}}}}"
    );
    let representation = |upc: &str, price: i64| json!({ "__typename": "Product", "upc": upc, "price": price, "weight": 31 });
    let all = json!({ "r": [representation("1", 10), representation("1", 2000), { "__typename": "Product", "upc": "2" }, { "__typename": "Product", "upc": "77" }, { "__typename": "User", "id": "1" }] });
    let product = |in_stock: bool, estimate: Value, price: Value, weight: Value| json!({ "__typename": "Product", "inStock": in_stock, "shippingEstimate": estimate, "price": price, "weight": weight });
    let expected = json!({ "_entities": [
        product(true, json!(15), json!(10), json!(31)),
        product(true, json!(0), json!(2000), json!(31)),
        product(false, json!(null), json!(null), json!(null)),
        null,
        null,
    ] });
    check(Subgraph::Inventory, &document, &all, &expected);
    let literal = "{ _entities(representations: [{ __typename: \"Product\", upc: \"3\" }]) \
                   { ... on Product { name price weight } } }";
    let expected = json!({ "_entities": [{ "name": "Spoon", "price": 15, "weight": 20 }] });
    check(Subgraph::Products, literal, &json!({}), &expected);
}

#[test]
fn reviews_lead_to_users_and_products_and_back() {
    let document = format!(
        "{ENTITIES}{{...on User{{reviews{{id author{{id username}}product{{upc reviews{{id}}}}}}}}\
         ...on Product{{reviews{{id}}}}...on Review{{product{{upc}}}}}}}}"
    );
    let representations = json!({ "r": [
        { "__typename": "User", "id": "3" },
        { "__typename": "Product", "upc": "4" },
        { "__typename": "Product", "upc": "5" },
        { "__typename": "Review", "id": "11" },
    ] });
    let review = |id: &str| json!({ "id": id, "author": { "id": "1", "username": "tovel" }, "product": { "upc": "1", "reviews": [{ "id": "1" }, { "id": "2" }, { "id": "3" }, { "id": "4" }] } });
    let expected = json!({ "_entities": [
        { "reviews": [review("1"), review("2")] },
        { "reviews": [{ "id": "10" }, { "id": "11" }] },
        { "reviews": [] },
        { "product": { "upc": "4" } },
    ] });
    check(Subgraph::Reviews, &document, &representations, &expected);
}

#[test]
fn users_have_reviewed_a_sixth_product_where_that_is_wanted() {
    let document = "{ _entities(representations: [{ __typename: \"User\", id: \"2\" }, \
                    { __typename: \"Product\", upc: \"6\" }]) \
                    { ... on User { reviews { product { upc } } } ... on Product { reviews { id } } } }";
    let body = body(document, &json!({}));
    let check = |data, upcs: &[&str], reviews: &[&str]| {
        let upcs: Vec<_> = upcs.iter().map(|upc| json!({ "product": { "upc": upc } })).collect();
        let reviews: Vec<_> = reviews.iter().map(|id| json!({ "id": id })).collect();
        let told = Live::new(data).answer(Subgraph::Reviews, &body);
        let expected = json!([{ "reviews": upcs }, { "reviews": reviews }]);
        assert_eq!(
            serde_json::from_slice::<Value>(&told).unwrap(),
            json!({ "data": { "_entities": expected } })
        );
        assert_eq!(Canned::new(data).answer(Subgraph::Reviews, &body), told);
    };
    check(Data::Published, &["1", "1"], &[]);
    check(Data::Sixth, &["1", "1", "6"], &["12"]);
}

#[test]
fn hardly_anything_comes_twice_where_that_is_wanted() {
    let told = |subgraph, document: &str| {
        let told = Live::new(Data::Distinct).answer(subgraph, &body(document, &json!({})));
        serde_json::from_slice::<Value>(&told).unwrap()["data"].clone()
    };
    let users: Vec<_> =
        (1..=6).map(|id| format!("{{ __typename: \"User\", id: \"{id}\" }}")).collect();
    let document = format!(
        "{{ _entities(representations: [{}]) {{ ... on User {{ reviews {{ id product {{ upc reviews {{ id \
         product {{ upc }} author {{ id reviews {{ id author {{ id }} }} }} }} }} }} }} }} }}",
        users.join(",")
    );
    let all = told(Subgraph::Reviews, &document);
    let list = |value: &Value| value["reviews"].as_array().unwrap().clone();
    let reviews: Vec<_> = all["_entities"].as_array().unwrap().iter().flat_map(list).collect();
    let products: std::collections::BTreeSet<_> =
        reviews.iter().map(|review| review["product"]["upc"].to_string()).collect();
    assert_eq!((reviews.len(), products.len()), (12, 12));
    let below: Vec<_> = reviews.iter().flat_map(|review| list(&review["product"])).collect();
    let ids: std::collections::BTreeSet<_> =
        below.iter().map(|one| one["id"].to_string()).collect();
    assert_eq!((below.len(), ids.len()), (48, 48));
    // A product's reviews are of it, one of them is that which led to it, and authors have their own.
    for review in &reviews {
        let product = &review["product"];
        assert!(list(product).iter().all(|one| one["product"]["upc"] == product["upc"]));
        assert!(list(product).iter().any(|one| one["id"] == review["id"]));
    }
    for one in &below {
        assert!(list(&one["author"]).iter().any(|own| own["id"] == one["id"]));
        assert!(list(&one["author"]).iter().all(|own| own["author"]["id"] == one["author"]["id"]));
    }
    assert_eq!(told(Subgraph::Accounts, "{ user(id: \"384\") { id } }")["user"]["id"], "384");
    assert_eq!(told(Subgraph::Accounts, "{ user(id: \"385\") { id } }")["user"], Value::Null);
}

#[test]
fn the_sdl_is_served_as_it_stands_in_its_file() {
    for subgraph in Subgraph::ALL {
        let told = answer(subgraph, "{ _service { sdl } }", &json!({}));
        let sdl = told["data"]["_service"]["sdl"].as_str().unwrap().to_owned();
        let path = format!("federation/subgraphs/{}.graphql", subgraph.name());
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        assert_eq!(sdl, std::fs::read_to_string(path).unwrap());
    }
}

#[test]
fn what_a_subgraph_does_not_have_is_an_error() {
    let told = |subgraph, document: &str| {
        let told = answer(subgraph, document, &json!({}));
        told["errors"][0]["message"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(
        told(Subgraph::Reviews, "{ users { id } }"),
        "`Query` has no field `users` in `reviews`"
    );
    assert_eq!(told(Subgraph::Accounts, "{ me { ...U } }"), "there is no fragment `U`");
    assert_eq!(told(Subgraph::Accounts, "mutation { a }"), "only queries are answered");
    assert_eq!(told(Subgraph::Accounts, "{ me { id }"), "the document ends too early");
    assert_eq!(told(Subgraph::Accounts, "{ me ) }"), "`)` stands where something else is expected");
    assert_eq!(told(Subgraph::Accounts, "{ % }"), "`%` stands where nothing begins with it");
}
