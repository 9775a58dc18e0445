//! The operations in each dialect: the usual kinds of reads.

use clap::ValueEnum;
use serde_json::{Value as Json, json};

use super::failure::SizeError;
use crate::http::Connection;

/// The dialect of a served API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Dialect {
    #[value(name = "postgraphile")]
    PostGraphile,
    Phrag,
    Hasura,
}

/// An operation that is sent many times.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    pub(crate) query: &'static str,
    pub(crate) variables: Json,
}

/// The place in a document where each request of the cold row says another name.
const MARK: &str = "MARK";

/// The introspection query of the usual clients, which reads the whole schema.
pub(crate) const INTROSPECTION: &str = include_str!("introspection.graphql");

impl Dialect {
    pub(crate) const ALL: [Self; 3] = [Self::PostGraphile, Self::Phrag, Self::Hasura];

    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::PostGraphile => "postgraphile",
            Self::Phrag => "phrag",
            Self::Hasura => "hasura",
        }
    }

    /// The operations that are sent again and again.
    pub(crate) fn warm(self) -> Vec<Operation> {
        let of = |name, query, variables| Operation { name, query, variables };
        match self {
            Self::PostGraphile => vec![
                of(
                    "a row by key",
                    "query ($id: Int!) { customerById(id: $id) { id name email discount createdAt } }",
                    json!({ "id": 17 }),
                ),
                of(
                    "a page with a relation",
                    "query ($n: Int!) { allPurchases(first: $n, orderBy: ID_DESC) {
                       nodes { id state total customerByCustomerId { name city } } } }",
                    json!({ "n": 20 }),
                ),
                of(
                    "a nested list",
                    "query ($n: Int!) { allCustomers(first: $n) { nodes { name
                       purchasesByCustomerId { nodes { placedAt
                         purchaseLinesByPurchaseId { nodes {
                           quantity productByProductId { name } } } } } } } }",
                    json!({ "n": 5 }),
                ),
                of(
                    "a filter",
                    "query ($c: Int!) { allProducts(condition: { categoryId: $c }, first: 10) {
                       totalCount nodes { id name price } } }",
                    json!({ "c": 3 }),
                ),
            ],
            Self::Phrag => vec![
                of(
                    "a row by key",
                    "query ($id: Int!) { customers(where: { id: { eq: $id } }) {
                       id name email discount created_at } }",
                    json!({ "id": 17 }),
                ),
                of(
                    "a page with a relation",
                    "query ($n: Int!) { purchases(limit: $n, sort: { id: desc }) {
                       id state total customer { name city } } }",
                    json!({ "n": 20 }),
                ),
                of(
                    "a nested list",
                    "query ($n: Int!) { customers(limit: $n, sort: { id: asc }) { name
                       purchases { placed_at purchase_lines { quantity product { name } } } } }",
                    json!({ "n": 5 }),
                ),
                of(
                    "a filter",
                    "query ($c: Int!) { products(where: { category_id: { eq: $c } }, limit: 10) {
                       id name price } }",
                    json!({ "c": 3 }),
                ),
            ],
            Self::Hasura => vec![
                of(
                    "a row by key",
                    "query ($id: Int!) { customer_by_pk(id: $id) {
                       id name email discount created_at } }",
                    json!({ "id": 17 }),
                ),
                of(
                    "a page with a relation",
                    "query ($n: Int!) { purchase(limit: $n, order_by: { id: desc }) {
                       id state total customer { name city } } }",
                    json!({ "n": 20 }),
                ),
                of(
                    "a nested list",
                    "query ($n: Int!) { customer(limit: $n, order_by: { id: asc }) { name
                       purchases { placed_at purchase_lines { quantity product { name } } } } }",
                    json!({ "n": 5 }),
                ),
                of(
                    "a filter",
                    "query ($c: Int!) { product(where: { category_id: { _eq: $c } }, limit: 10) {
                       id name price } }",
                    json!({ "c": 3 }),
                ),
            ],
        }
    }

    /// A document that no server has seen: it is parsed, validated, lowered and compiled. Its
    /// statements are those of the documents before it.
    pub(crate) fn cold(self, number: usize) -> String {
        let document = match self {
            Self::PostGraphile => {
                "query ($n: Int!) { MARK: allPurchases(first: $n) { nodes { id state
                   customerByCustomerId { name }
                   purchaseLinesByPurchaseId { nodes { quantity productByProductId { name } } }
                 } } }"
            }
            Self::Phrag => {
                "query ($n: Int!) { MARK: purchases(limit: $n) { id state customer { name }
                   purchase_lines { quantity product { name } } } }"
            }
            Self::Hasura => {
                "query ($n: Int!) { MARK: purchase(limit: $n) { id state customer { name }
                   purchase_lines { quantity product { name } } } }"
            }
        };
        body(&document.replace(MARK, &format!("cold{number:06}")), &json!({ "n": 1 }))
    }
}

impl Operation {
    pub(crate) fn body(&self) -> String {
        body(self.query, &self.variables)
    }
}

/// The body of a request.
pub(crate) fn body(query: &str, variables: &Json) -> String {
    json!({ "query": query, "variables": variables }).to_string()
}

/// Sends a request and gives the answer, which must be one without errors.
pub(crate) fn ask(connection: &mut Connection, body: &str) -> Result<Vec<u8>, SizeError> {
    without_errors(connection.post(body)?)
}

/// Sends a body as [`ask`] does, with further lines of the head.
pub(crate) fn ask_with(
    connection: &mut Connection,
    body: &str,
    head: &str,
) -> Result<Vec<u8>, SizeError> {
    without_errors(connection.post_with(body, head)?)
}

fn without_errors(answer: Vec<u8>) -> Result<Vec<u8>, SizeError> {
    // An answer says that there are errors before it says its data.
    if answer.starts_with(b"{\"data\":") {
        return Ok(answer);
    }
    let shown = answer.get(..answer.len().min(400)).unwrap_or_default();
    Err(SizeError::Refused(String::from_utf8_lossy(shown).into_owned()))
}
