//! The requests: what a tenant reads and changes, and what asks all tenants.

use serde_json::{Value as Json, json};

/// The first number of rows that the benchmark inserts, above those of the tables.
pub(crate) const FIRST_NEW: u32 = 1_000_000;

/// Tenants.
pub(crate) const COMPANIES: u32 = 500;

/// An operation over one tenant, `$company`, or over all.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    query: &'static str,
}

impl Operation {
    /// The body of a request; each number is another tenant, and a new row of it.
    pub(crate) fn request(&self, number: u32) -> Json {
        let company = number % COMPANIES + 1;
        json!({ "query": self.query, "variables": { "company": company, "new": number } })
    }
}

pub(crate) const OPERATIONS: [Operation; 8] = [
    Operation {
        name: "a row by its key",
        query: "query ($company: Int!) {
            campaign_by_pk(company_id: $company, id: 3) { name budget company { name plan { name } } } }",
    },
    Operation {
        name: "a page of a tenant with nested pages",
        query: "query ($company: Int!) {
            campaign(where: {company_id: {_eq: $company}}, order_by: {budget: desc}, limit: 5) {
                name ads(order_by: [{clicks: desc}, {id: asc}], limit: 3) { title clicks } } }",
    },
    Operation {
        name: "an aggregate of a tenant",
        query: "query ($company: Int!) {
            ad_aggregate(where: {company_id: {_eq: $company}}) { aggregate { count sum { clicks } } } }",
    },
    Operation {
        name: "a page of all with nested pages",
        query: "query { company(order_by: {id: desc}, limit: 10) {
            name campaigns(order_by: [{budget: desc}], limit: 3) {
                name ads(order_by: [{clicks: desc}, {id: asc}], limit: 2) { title clicks } } } }",
    },
    Operation {
        name: "an aggregate of all",
        query: "query { ad_aggregate { aggregate { count sum { clicks } max { clicks } } } }",
    },
    Operation {
        name: "a reference table with rows of all",
        query: "query { plan(order_by: {id: asc}) {
            name companies(order_by: {id: asc}, limit: 3) { name } } }",
    },
    Operation {
        name: "an insert",
        query: "mutation ($company: Int!, $new: Int!) {
            insert_campaign_one(object: {company_id: $company, id: $new, name: \"new\", budget: \"1\"}) {
                id name company { name } } }",
    },
    Operation {
        name: "a nested insert",
        query: "mutation ($company: Int!, $new: Int!) {
            insert_campaign_one(object: {company_id: $company, id: $new, name: \"new\", budget: \"1\",
                ads: {data: [{id: $new, title: \"a\"}]}}) { id ads { id title } } }",
    },
];
