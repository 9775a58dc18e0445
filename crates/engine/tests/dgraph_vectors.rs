//! Similarity queries with indexes of vectors, where PostgreSQL has the extension pgvector.

use dialects::dgraph;
use engine::{SourceAddress, Timeouts, Worker};
use expect_test::expect;
use serde_json::{Value, json};
use source::MigrationAccess;
use sources::migrate::{Migrator, PUBLIC};
use testkit::postgres::{required_installations, shared};

use crate::dgraph_rules::{Local, ask, open};

const TYPES: &str = "
    type Song @auth(query: { or: [
      { rule: \"{$ROLE: {eq: \\\"ADMIN\\\"}}\" }
      { rule: \"query { querySong(filter: { isPublic: true }) { id } }\" }
    ] }) {
      id: ID!
      title: String! @id
      isPublic: Boolean @search
      mood: [Float!] @embedding @search(by: [\"hnsw(metric: euclidean)\"])
      tone: [Float!] @embedding @search(by: [\"hnsw(metric: cosine)\"])
      beat: [Float!] @embedding @search(by: [\"hnsw(metric: dotproduct)\"])
    }
";

/// Songs with points of a spiral, and some with vectors of another length or without any.
const ROWS: &str = "
    insert into \"Song\" (title, \"isPublic\", mood, tone, beat)
    select 's' || i, i % 2 = 0, point, point, point
    from generate_series(1, 3000) as numbers (i)
    cross join lateral (select array[sin(i) * i, cos(i) * i, i / 10.0]::float8[] as point) as points;
    insert into \"Song\" (title, mood) values ('flat', array[1, 2]), ('none', null);
";

/// Creates the indexes of the definitions, now that vectors have lengths.
async fn migrate(address: &SourceAddress) {
    let timeouts = Timeouts::default();
    let mut migrator =
        Migrator::begin(address, PUBLIC, MigrationAccess::Write, timeouts).await.unwrap();
    let model = dgraph::definitions::read(TYPES).unwrap();
    let model = dgraph::stored::stored(&model).model;
    assert!(migrator.plan(&model).await.unwrap().migration.is_empty());
    migrator.read_vector_lengths(&model).await.unwrap();
    let planned = migrator.plan(&model).await.unwrap();
    expect![[r#"
        -- create the extension vector
        CREATE EXTENSION IF NOT EXISTS "vector";
        -- create the index Song_mood_vectors
        CREATE INDEX "Song_mood_vectors" ON "public"."Song" USING hnsw (("mood"::vector(3)) vector_l2_ops) WHERE cardinality("mood") = 3;
        -- create the index Song_tone_vectors
        CREATE INDEX "Song_tone_vectors" ON "public"."Song" USING hnsw (("tone"::vector(3)) vector_cosine_ops) WHERE cardinality("tone") = 3;
        -- create the index Song_beat_vectors
        CREATE INDEX "Song_beat_vectors" ON "public"."Song" USING hnsw (("beat"::vector(3)) vector_ip_ops) WHERE cardinality("beat") = 3;
    "#]].assert_eq(&planned.script());
    migrator.apply(&planned, TYPES).await.unwrap();
    // They are those of the definitions, whatever the lengths are later.
    let migrator = Migrator::begin(address, PUBLIC, MigrationAccess::Read, timeouts).await.unwrap();
    assert!(migrator.plan(&model).await.unwrap().is_current());
}

const QUERY: &str = "{
    mood: querySimilarSongByEmbedding(by: mood, topK: 3, vector: [100, 100, 20]) { title vector_distance }
    tone: querySimilarSongByEmbedding(by: tone, topK: 3, vector: [1, 2, 3]) { title vector_distance }
    beat: querySimilarSongByEmbedding(by: beat, topK: 2, vector: [1, -1, 1]) { title vector_distance }
    byId: querySimilarSongById(title: \"s700\", by: mood, topK: 3) { title vector_distance }
    near: querySimilarSongByEmbedding(by: mood, topK: 9, vector: [0, 0, 0], distance_threshold: 2.5) { title }
    filtered: querySimilarSongByEmbedding(by: mood, topK: 3, vector: [100, 100, 20], filter: { title: { eq: \"s143\" } }) { title }
    other: querySimilarSongByEmbedding(by: mood, topK: 3, vector: [1, 2]) { title }
    many: querySimilarSongByEmbedding(by: mood, topK: 60, vector: [10, 20, 30]) { title vector_distance }
}";

#[test]
fn an_index_of_vectors_finds_what_the_exact_search_finds() {
    for installation in required_installations().unwrap() {
        let server = shared(&installation).unwrap();
        server.create_database("vectors").unwrap();
        if let Err(error) =
            server.execute("vectors", "create extension vector; drop extension vector")
        {
            eprintln!("not run: a PostgreSQL has not the extension pgvector: {error}");
            continue;
        }
        let address = SourceAddress::parse(&server.url("vectors")).unwrap();
        let local = Local::new();
        let answer = |has_rules: bool, claims: Option<&Value>| {
            local.block_on(async {
                let worker: Worker = open(&address, TYPES, has_rules).await.unwrap();
                ask(&worker, QUERY, claims).await
            })
        };
        let scans = || {
            // Figures of a closed connection come a moment later.
            let count = "select pg_sleep(1), (select sum(idx_scan) from pg_stat_user_indexes as own \
                         join pg_class as rel on rel.oid = own.indexrelid \
                         join pg_am as method on method.oid = rel.relam and amname = 'hnsw')";
            let rows = server.query("vectors", count).unwrap();
            rows[0][1].clone().and_then(|count| count.parse::<u64>().ok()).unwrap_or_default()
        };
        // Creates the tables.
        answer(false, None);
        server.execute("vectors", ROWS).unwrap();
        let exact = answer(false, None);
        let hidden = answer(true, Some(&json!({ "ROLE": "GUEST" })));
        assert_eq!(exact["errors"], Value::Null, "{exact}");
        local.block_on(migrate(&address));
        server.execute("vectors", "analyze").unwrap();
        assert_eq!(scans(), 0);
        assert_eq!(answer(false, None), exact);
        let by_index = scans();
        assert!(by_index >= 4, "{by_index} scans of the indexes");
        // With `ef` a search visits more vectors, so that it finds more.
        let ask_for = |arguments: &str| {
            let query = format!(
                "{{ querySimilarSongByEmbedding(by: mood, topK: 60, vector: [10, 20, 30]{arguments}) {{ title vector_distance }} }}"
            );
            local.block_on(async {
                let worker: Worker = open(&address, TYPES, false).await.unwrap();
                ask(&worker, &query, None).await
            })
        };
        let many = json!({ "data": { "querySimilarSongByEmbedding": exact["data"]["many"] } });
        assert_eq!(ask_for(", ef: 59"), many);
        assert_eq!(scans(), by_index);
        assert_eq!(ask_for(", ef: 200"), many);
        assert_eq!(ask_for(", ef: 2000000000"), many);
        let by_index = by_index + 2;
        assert_eq!(scans(), by_index);
        assert_eq!(ask_for(", ef: 0")["errors"][0]["message"], "ef must be positive");
        // The rows that a rule hides are left out before vectors are compared.
        assert_eq!(answer(true, Some(&json!({ "ROLE": "GUEST" }))), hidden);
        assert_eq!(scans(), by_index);
        assert_ne!(hidden, exact);
        assert_eq!(answer(true, Some(&json!({ "ROLE": "ADMIN" }))), exact);
        // So are those that a row security policy may hide.
        let by_index = scans();
        server.execute("vectors", "alter table \"Song\" enable row level security").unwrap();
        assert_eq!(answer(false, None), exact);
        assert_eq!(scans(), by_index);
        server.drop_database("vectors").unwrap();
    }
}
