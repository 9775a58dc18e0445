use std::error::Error;
use std::time::Duration;

use thalweg::{Options, Request, Thalweg};

/// Prints the titles of two albums as JSON.
pub async fn print_albums(database: &str) -> Result<(), Box<dyn Error>> {
    let thalweg = Thalweg::open(Options::new(database, "postgraphile")?).await?;
    let body = br#"{ "query": "{ allAlbums(first: 2) { nodes { title } } }" }"#;
    let answer = thalweg.execute(Request::from_json(body)?, &thalweg.anonymous()).await;
    println!("{}", str::from_utf8(answer.body())?);
    thalweg.close(Duration::from_secs(10)).await;
    Ok(())
}
