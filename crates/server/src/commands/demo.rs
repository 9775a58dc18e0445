//! `thalweg demo`: writes and serves the sample shop.
//!
//! * `federated`: the federated shop

mod federated;

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use engine::{OpenError, SourceAddress};

use crate::commands::prepare::prepare_demo;
use crate::commands::serving::open_and_serve;
use crate::commands::{block_on, print};
use crate::demo::{Written, postgres, sqlite};
use crate::failure::Failure;
use crate::http::{self, Listeners};
use crate::options::{DemoOptions, ServingOptions};

/// Example queries of the shop: nested lists, a page, a filter and an order.
const QUERIES: [(&str, &str); 3] = [
    (
        "The albums of an artist, with their tracks and genres:",
        "{ artistById(id: 127) { name albumsByArtistIdList { title \
         tracksByAlbumIdList { name milliseconds genreByGenreId { name } } } } }",
    ),
    (
        "The first three of all albums, and how the list goes on:",
        "{ allAlbums(first: 3) { totalCount nodes { title artistByArtistId { name } } \
         pageInfo { hasNextPage endCursor } } }",
    ),
    (
        "A customer with the latest invoices:",
        "{ customerByCustomerId(customerId: 7) { firstName lastName country \
         invoicesByCustomerIdList(first: 3, orderBy: INVOICE_DATE_DESC) { invoiceDate total } } }",
    ),
];

/// The name of the sample.
const SHOP: &str = "sample shop";

pub(crate) fn run(options: &DemoOptions) -> Result<(), Failure> {
    if options.gateway {
        return federated::serve(options);
    }
    if options.folder.is_some() {
        return Err(Failure::Usage("`--folder` needs `--gateway`".into()));
    }
    match &options.into {
        Some(address) => write_into_postgres(address),
        None => serve(options),
    }
}

fn write_into_postgres(address: &str) -> Result<(), Failure> {
    // The driver's message about a mistyped address could contain a part of its password.
    SourceAddress::parse(address).map_err(OpenError::from)?;
    report(SHOP, "PostgreSQL", || block_on(async { Ok(postgres::write(address).await?) }))?;
    let address = postgres::without_password(address);
    print(&["\nServe it:\n\n  thalweg serve --simple-collections both '", &address, "'\n"].concat())
}

fn serve(options: &DemoOptions) -> Result<(), Failure> {
    let serving = &options.serving;
    if std::env::var_os("THALWEG_SOURCE").is_some() {
        tracing::warn!(
            "THALWEG_SOURCE has no effect on `thalweg demo`, which serves its own sample: \
             `thalweg serve` serves that source"
        );
    }
    let prepared = prepare_demo(options)?;
    let listeners = http::bind(serving)?;
    prepare_file(&options.file)?;
    open_and_serve(
        || prepared.open(),
        serving,
        listeners,
        None,
        |listeners| print(&welcome(listeners, serving)),
    )
}

fn prepare_file(file: &Path) -> Result<(), Failure> {
    let place = file.to_string_lossy();
    // The user may have given an address with a password.
    let place = redact::address(&place);
    match sqlite::is_sample(file)? {
        true => print(&format!("Using the sample shop in {place}.\n")),
        false => report(SHOP, &place, || Ok(sqlite::write(file)?)),
    }
}

/// Prints the first part of a line before the work, and the rest after it.
fn report(
    shop: &str,
    place: &str,
    write: impl FnOnce() -> Result<Written, Failure>,
) -> Result<(), Failure> {
    print(&["Writing the ", shop, " into ", place, " ... "].concat())?;
    let started = Instant::now();
    let written = write();
    match written {
        Ok(Written { tables, rows }) => {
            let seconds = started.elapsed().as_secs_f32();
            print(&format!("{rows} rows in {tables} tables, {seconds:.1} s.\n"))
        }
        Err(failure) => {
            print("failed.\n")?;
            Err(failure)
        }
    }
}

/// The address of the API, and how to stop it.
fn place_of(listeners: &Listeners, serving: &ServingOptions) -> String {
    let (has_graphiql, is_private) = (serving.has_graphiql(), serving.is_private());
    let place = listeners.first();
    let mut text = format!("GraphQL is at {place}; Ctrl-C ends it.");
    match place.page() {
        Some(page) if has_graphiql => {
            text.push_str(&format!(" Open {page} in a browser to query it."));
        }
        Some(_) if !is_private => text
            .push_str(" GraphiQL is off, since others may reach this address; --dev enables it."),
        Some(_) | None => {}
    }
    text
}

fn welcome(listeners: &Listeners, serving: &ServingOptions) -> String {
    let curl = listeners.first().curl();
    let mut text = place_of(listeners, serving);
    text.push_str(" Three queries to try:\n");
    for (sentence, query) in QUERIES {
        let body = "{\"query\":\"".to_owned() + query + "\"}";
        // Writing to a string never fails.
        let written = write!(
            text,
            "\n# {sentence}\n{curl} -H 'content-type: application/json' -d '{body}'\n"
        );
        debug_assert!(written.is_ok(), "a query was not written");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queries_can_be_pasted_into_a_shell() {
        for (_, query) in QUERIES {
            let harmless = query.chars().all(|c| !matches!(c, '\'' | '"' | '\\' | '\n'));
            assert!(harmless, "{query} needs escapes");
        }
    }
}
