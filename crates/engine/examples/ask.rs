//! throwaway
use ::engine::*;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let rt = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let local = tokio::task::LocalSet::new();
    local.block_on(&rt, async move {
        let dialect = match args[2].as_str() {
            "phrag" => dialects::Dialect::Phrag(dialects::phrag::Options::default()),
            _ => dialects::Dialect::PostGraphile(dialects::postgraphile::Options {
                simple_collections: dialects::postgraphile::SimpleCollections::Both,
            }),
        };
        let ns = std::env::var("NS").unwrap_or("public".into());
        let e = Engine::open(
            &SourceAddress::parse(&args[1]).unwrap(),
            &Options {
                dialect,
                source: OpenOptions { namespaces: vec![ns], wide_integers: false },
                connections: 4,
            },
        )
        .await
        .unwrap_or_else(|e| panic!("{e}"));
        if args[3] == "sdl" {
            println!("{}", e.sdl());
            return;
        }
        let w = Worker::new(e);
        let mut json = String::from("{\"query\":");
        json.push_str(&serde_json::to_string(&args[3]).unwrap());
        if let Some(v) = args.get(4) {
            json.push_str(",\"variables\":");
            json.push_str(v);
        }
        json.push('}');
        let r = graphql::Request::from_json(json.as_bytes()).unwrap();
        if std::env::var("EXPLAIN").is_ok() {
            println!("{}", w.explain(&r, true).await.unwrap());
        }
        let a = w.execute(&r, Allowed::Queries).await;
        println!("{}", String::from_utf8_lossy(&a.body));
    });
}
