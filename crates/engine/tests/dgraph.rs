//! The reads of Dgraph's API over tables that its definitions make, on SQLite and PostgreSQL.

use std::cell::RefCell;
use std::fs;
use std::process;
use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use clients::egress::EgressSettings;
use dialects::federation::Options as Federation;
use dialects::{Dialect, dgraph};
use engine::{
    Allowed, Engine, OpenOptions, Options, PoolLimits, ResolverOptions, SourceAddress, Worker,
};
use expect_test::{Expect, expect};
use graphql::Request;
use serde_json::{Value, json};
use source::{MigrationAccess, Timeouts};
use sources::Migrator;
use testkit::postgres::{Installation, required_installations, shared};

use crate::shop::block_on;

const TYPES: &str = r#"
    interface Being {
        id: ID!
        name: String! @search(by: [exact])
        friends: [Being]
        home: Place
        idol: Being
    }
    type Person implements Being @key(fields: "mail") {
        mail: String! @id
        born: DateTime @search
        moods: [Mood!] @search
        pets: [Pet] @hasInverse(field: keeper)
        likes: [Liked]
        best: Liked
        visits: [Place]
    }
    type Pet implements Being {
        weight: Float @search
        tags: [String] @search(by: [hash])
        keeper: Person
    }
    type Place @key(fields: "id") {
        id: ID!
        title: String! @search(by: [hash])
        size: Int64 @search
        open: Boolean @search
        beings: [Being] @hasInverse(field: home)
    }
    union Liked = Pet | Place
    enum Mood { calm wild }
"#;

const ROWS: &str = r#"
    INSERT INTO "Place" (id, title, size, open) VALUES
        (1, 'house', 9007199254740993, true), (2, 'barn', 20, false), (42, 'lake', NULL, NULL);
    INSERT INTO "Person" (id, name, mail, born, moods, home) VALUES
        (3, 'ann', 'a@x', '1990-05-06T07:08:09.5Z', {moods}, 1),
        (4, 'bob', 'b@x', NULL, NULL, 1);
    INSERT INTO "Pet" (id, name, weight, tags, keeper, home) VALUES
        (5, 'rex', 20.5, {tags}, 3, 2), (6, 'tom', 4, NULL, 3, 1), (7, 'kim', NULL, NULL, NULL, NULL);
    INSERT INTO "Being_friends" (being, friends) VALUES (3, 4), (3, 5), (5, 3), (6, 7);
    INSERT INTO "Person_likes" (person, likes) VALUES (3, 5), (3, 2), (4, 42);
    INSERT INTO "Person_visits" (person, visits) VALUES (3, 1), (3, 2), (4, 2);
    UPDATE "Person" SET idol = 5 WHERE id = 4;
    UPDATE "Pet" SET idol = 4 WHERE id = 7;
    UPDATE "Person" SET best = 42 WHERE id = 3;
    UPDATE "Person" SET best = 6 WHERE id = 4;
"#;

static DATABASES: AtomicUsize = AtomicUsize::new(0);

/// Runs a test on a new database of each kind.
pub(crate) fn on_each<F: Future<Output = ()>>(mut test: impl FnMut(SourceAddress) -> F) {
    let number = DATABASES.fetch_add(1, Ordering::Relaxed);
    let file = std::env::temp_dir().join(format!("thalweg-dgraph-{}-{number}.db", process::id()));
    block_on(test(SourceAddress::Sqlite(file.clone())));
    for ending in ["", "-wal", "-shm"] {
        let mut name = file.as_os_str().to_owned();
        name.push(ending);
        fs::remove_file(name).ok();
    }
    static INSTALLATIONS: LazyLock<Vec<Installation>> =
        LazyLock::new(|| required_installations().unwrap());
    if let Some(installation) = INSTALLATIONS.first() {
        let server = shared(installation).unwrap();
        let name = format!("dgraph{}_{number}", process::id());
        server.create_database(&name).unwrap();
        block_on(test(SourceAddress::Postgres(server.socket_url(&name))));
    }
}

/// Asks on each database; the answers must be equal.
fn check(requests: &[&str], expect: &Expect) {
    let answers: RefCell<Vec<String>> = RefCell::default();
    on_each(|address| {
        let answers = &answers;
        async move {
            let options = migrate(&address, TYPES).await;
            insert(&address).await;
            let answer = ask(&address, options, requests).await;
            answers.borrow_mut().push(answer);
        }
    });
    let answers = answers.into_inner();
    let (first, others) = answers.split_first().unwrap();
    expect.assert_eq(first);
    for other in others {
        assert_eq!(other, first);
    }
}

/// Adds the rows; only PostgreSQL has arrays.
async fn insert(address: &SourceAddress) {
    let rows = match address {
        SourceAddress::Sqlite(_) => {
            let rows = ROWS.replace("{moods}", r#"'["calm","wild"]'"#);
            rows.replace("{tags}", r#"'["dog","big"]'"#)
        }
        SourceAddress::Postgres(_) | SourceAddress::Neo4j(_) => {
            ROWS.replace("{moods}", "'{calm,wild}'").replace("{tags}", "'{dog,big}'")
        }
    };
    run_sql(address, &rows).await;
}

/// Runs statements over a connection of their own.
pub(crate) async fn run_sql(address: &SourceAddress, statements: &str) {
    match address {
        SourceAddress::Sqlite(file) => {
            rusqlite::Connection::open(file).unwrap().execute_batch(statements).unwrap();
        }
        SourceAddress::Postgres(url) => {
            let connected = tokio_postgres::connect(url, tokio_postgres::NoTls).await;
            let (client, connection) = connected.unwrap();
            let running = tokio::task::spawn_local(connection);
            client.batch_execute(statements).await.unwrap();
            drop(client);
            running.await.unwrap().unwrap();
        }
        SourceAddress::Neo4j(_) => panic!("a graph has no tables"),
    }
}

pub(crate) async fn migrate(address: &SourceAddress, definitions: &str) -> dgraph::Options {
    let model = dgraph::definitions::read(definitions).unwrap();
    let stored = dgraph::stored::stored(&model);
    let migrator = Migrator::begin(address, "public", MigrationAccess::Write, Timeouts::default())
        .await
        .unwrap();
    let planned = migrator.plan(&stored.model).await.unwrap();
    migrator.apply(&planned, definitions).await.unwrap();
    let places = Arc::new(planned.plan.places);
    dgraph::Options { model: Arc::new(model), places, ..dgraph::Options::default() }
}

pub(crate) fn options(dialect: dgraph::Options, federation: bool) -> Options {
    Options {
        source: OpenOptions { namespaces: vec!["public".into()], ..OpenOptions::default() },
        federation: federation.then(Federation::default),
        ..Options::new(Dialect::Dgraph(dialect), PoolLimits::unshared(1))
    }
}

async fn ask(address: &SourceAddress, mut dialect: dgraph::Options, requests: &[&str]) -> String {
    dialect.nested_filters = requests.iter().any(|request| request.contains("# nested"));
    let federation = requests.iter().any(|request| request.contains("_entities"));
    let mut options = options(dialect, federation);
    // Hosts of custom fields in the definitions of Dgraph's own tests; no request reads such a field.
    let hosts = ["mock", "my-api.com"].map(|host| host.parse().unwrap()).into();
    let egress = EgressSettings { hosts, ..EgressSettings::default() };
    options.resolvers = Some(ResolverOptions { egress, ..ResolverOptions::default() });
    let engine = Engine::open(address, &options).await.unwrap();
    let worker = Rc::new(Worker::new(engine));
    let mut text = String::new();
    for request in requests {
        let request = Request { query: (*request).to_owned(), ..Request::default() };
        let answered = worker.execute(&request, Allowed::Queries).await;
        let mut answer: Value = serde_json::from_slice(&answered.body).unwrap();
        if let Some(errors) = answer.get_mut("errors").and_then(Value::as_array_mut) {
            errors.iter_mut().for_each(|error| *error = error["message"].clone());
        }
        text.push_str(&answer.to_string());
        text.push('\n');
    }
    text
}

#[test]
fn reads_of_dgraph() {
    check(
        &[
            "{ getPlace(id: \"0x2a\") { id title size open } }",
            "{ getPlace(id: \"nothing\") { id } }",
            "{ getPerson(mail: \"a@x\") { id name mail born moods home { title size } } }",
            "{ getPerson(id: \"0x4\", mail: \"a@x\") { id } a: getPerson { id } }",
            "{ getBeing(id: \"0x5\") { __typename name ... on Pet { weight tags keeper { name } } } }",
            "{ queryPlace(filter: {title: {eq: \"barn\"}, or: {size: {gt: \"30\"}}}) { title } }",
            "{ queryPlace(filter: {not: {size: {ge: 21}}}) { title } }",
            "{ queryPlace(filter: {has: [size, open]}) { title } }",
            "{ queryPlace(filter: {size: {between: {min: 1, max: 30}}}) { title size } }",
            "{ queryPlace(order: {desc: size, then: {asc: title}}, first: 2, offset: 1) { title } }",
            "{ queryPlace(filter: {id: [\"0x1\", \"0x2a\"]}) { id } b: queryPlace(filter: {id: []}) { id } }",
            "{ queryPerson { name pets(filter: {weight: {lt: 10}}) { name keeper { name } } petsAggregate { count weightMax weightAvg } } }",
            "{ queryPerson { name home(filter: {title: {eq: \"barn\"}}) { title } } }",
            "{ queryPerson(filter: {has: pets}) { name } }",
            "{ queryPet(filter: {tags: {eq: \"big\"}}) { name } }",
            "{ queryPet(filter: {tags: {in: [\"x\", \"dog\"]}}) { name } a: queryPerson(filter: {moods: {eq: wild}}) { name } b: queryPerson(filter: {moods: {in: []}}) { name } c: queryPet(filter: {tags: {eq: null}}) { name } }",
            "{ queryBeing(filter: {has: name}) { name } }",
            "{ queryBeing(filter: {has: [friends, home]}) { name } a: queryBeing(filter: {not: {has: friends}}) { name } }",
            "{ queryPerson(filter: {born: {between: {min: \"1990-01-01T00:00:00Z\", max: \"1991-01-01T00:00:00+01:00\"}}}) { name } }",
            "{ queryPlace(filter: {or: [{open: true}, {title: {in: [\"lake\"]}}]}) { title } a: queryPlace(filter: {}) { id } }",
            "{ queryPlace(first: 0, offset: 1) { title } a: queryPlace(first: null) { title } }",
            "{ queryPlace(filter: {title: {eq: null}}) { title } a: queryPlace(filter: {size: {eq: null}}) { title } }",
            "{ aggregatePerson { count bornMin bornMax mailMin } }",
            "query ($ids: [ID!], $order: PlaceOrder) { queryPlace(filter: {id: $ids}, order: $order) { id } }",
            "{ queryBeing(order: {desc: name}, first: 3) { __typename id name } }",
            "{ queryBeing(filter: {name: {ge: \"k\"}, not: {id: \"0x7\"}}) { name home { title } } }",
            "{ queryBeing { name friends(order: {asc: name}) { __typename name } friendsAggregate { count nameMin } } }",
            "{ aggregateBeing(filter: {name: {lt: \"l\"}}) { count nameMin nameMax } }",
            "{ aggregatePlace { count sizeMin sizeMax sizeSum sizeAvg titleMin } }",
            "{ queryPlace { title beings { __typename name } beingsAggregate(filter: {name: {gt: \"b\"}}) { count nameMax } } }",
            "{ queryPerson { name likes { __typename ... on Pet { name } ... on Place { title } } best { ... on Pet { name } ... on Place { id } } } }",
            "{ queryPerson { likes(filter: {memberTypes: [Pet], petFilter: {name: {eq: \"rex\"}}}) { __typename } all: likes(filter: {petFilter: {name: {eq: \"x\"}}}) { __typename } } }",
            "{ queryPerson(filter: {has: [likes, born]}) { name } }",
            "{ queryBeing(filter: {has: idol}) { name idol { __typename name idol { name } } } }",
            "{ queryPerson(filter: {has: idol}) { name idol(filter: {name: {eq: \"x\"}}) { name } } }",
            "{ queryPerson { name visits(order: {desc: title}, first: 1) { title } visitsAggregate(filter: {size: {lt: 100}}) { count sizeSum titleMax } } }",
            "{ queryPerson(filter: {has: visits}) @cascade { visits(filter: {open: true}) { open } } }",
            "query { __type(name: \"PersonHasFilter\") { enumValues { name } } }",
        ],
        &expect![[r#"
            {"data":{"getPlace":{"id":"0x2a","title":"lake","size":null,"open":null}}}
            {"data":{"getPlace":null}}
            {"data":{"getPerson":{"id":"0x3","name":"ann","mail":"a@x","born":"1990-05-06T07:08:09.5Z","moods":["calm","wild"],"home":{"title":"house","size":9007199254740993}}}}
            {"data":{"getPerson":null,"a":null}}
            {"data":{"getBeing":{"__typename":"Pet","name":"rex","weight":20.5,"tags":["dog","big"],"keeper":{"name":"ann"}}}}
            {"data":{"queryPlace":[{"title":"house"},{"title":"barn"}]}}
            {"data":{"queryPlace":[{"title":"barn"},{"title":"lake"}]}}
            {"data":{"queryPlace":[{"title":"house"},{"title":"barn"}]}}
            {"data":{"queryPlace":[{"title":"barn","size":20}]}}
            {"data":{"queryPlace":[{"title":"barn"},{"title":"lake"}]}}
            {"data":{"queryPlace":[{"id":"0x1"},{"id":"0x2a"}],"b":[]}}
            {"data":{"queryPerson":[{"name":"ann","pets":[{"name":"tom","keeper":{"name":"ann"}}],"petsAggregate":{"count":2,"weightMax":20.5,"weightAvg":12.25}},{"name":"bob","pets":[],"petsAggregate":{"count":0,"weightMax":null,"weightAvg":null}}]}}
            {"data":{"queryPerson":[{"name":"ann","home":null},{"name":"bob","home":null}]}}
            {"data":{"queryPerson":[{"name":"ann"}]}}
            {"data":{"queryPet":[{"name":"rex"}]}}
            {"data":{"queryPet":[{"name":"rex"}],"a":[{"name":"ann"}],"b":[],"c":[{"name":"tom"},{"name":"kim"}]}}
            {"data":{"queryBeing":[{"name":"ann"},{"name":"bob"},{"name":"rex"},{"name":"tom"},{"name":"kim"}]}}
            {"data":{"queryBeing":[{"name":"ann"},{"name":"rex"},{"name":"tom"}],"a":[{"name":"bob"},{"name":"kim"}]}}
            {"data":{"queryPerson":[{"name":"ann"}]}}
            {"data":{"queryPlace":[{"title":"house"},{"title":"lake"}],"a":[{"id":"0x1"},{"id":"0x2"},{"id":"0x2a"}]}}
            {"data":{"queryPlace":[{"title":"barn"},{"title":"lake"}],"a":[{"title":"house"},{"title":"barn"},{"title":"lake"}]}}
            {"data":{"queryPlace":[],"a":[{"title":"lake"}]}}
            {"data":{"aggregatePerson":{"count":2,"bornMin":"1990-05-06T07:08:09.5Z","bornMax":"1990-05-06T07:08:09.5Z","mailMin":"a@x"}}}
            {"data":{"queryPlace":[{"id":"0x1"},{"id":"0x2"},{"id":"0x2a"}]}}
            {"data":{"queryBeing":[{"__typename":"Pet","id":"0x6","name":"tom"},{"__typename":"Pet","id":"0x5","name":"rex"},{"__typename":"Pet","id":"0x7","name":"kim"}]}}
            {"data":{"queryBeing":[{"name":"rex","home":{"title":"barn"}},{"name":"tom","home":{"title":"house"}}]}}
            {"data":{"queryBeing":[{"name":"ann","friends":[{"__typename":"Person","name":"bob"},{"__typename":"Pet","name":"rex"}],"friendsAggregate":{"count":2,"nameMin":"bob"}},{"name":"bob","friends":[],"friendsAggregate":{"count":0,"nameMin":null}},{"name":"rex","friends":[{"__typename":"Person","name":"ann"}],"friendsAggregate":{"count":1,"nameMin":"ann"}},{"name":"tom","friends":[{"__typename":"Pet","name":"kim"}],"friendsAggregate":{"count":1,"nameMin":"kim"}},{"name":"kim","friends":[],"friendsAggregate":{"count":0,"nameMin":null}}]}}
            {"data":{"aggregateBeing":{"count":3,"nameMin":"ann","nameMax":"kim"}}}
            {"data":{"aggregatePlace":{"count":3,"sizeMin":20,"sizeMax":9007199254740993,"sizeSum":9007199254741013,"sizeAvg":4503599627370506,"titleMin":"barn"}}}
            {"data":{"queryPlace":[{"title":"house","beings":[{"__typename":"Person","name":"ann"},{"__typename":"Person","name":"bob"},{"__typename":"Pet","name":"tom"}],"beingsAggregate":{"count":2,"nameMax":"tom"}},{"title":"barn","beings":[{"__typename":"Pet","name":"rex"}],"beingsAggregate":{"count":1,"nameMax":"rex"}},{"title":"lake","beings":[],"beingsAggregate":{"count":0,"nameMax":null}}]}}
            {"data":{"queryPerson":[{"name":"ann","likes":[{"__typename":"Place","title":"barn"},{"__typename":"Pet","name":"rex"}],"best":{"id":"0x2a"}},{"name":"bob","likes":[{"__typename":"Place","title":"lake"}],"best":{"name":"tom"}}]}}
            {"data":{"queryPerson":[{"likes":[{"__typename":"Pet"}],"all":[{"__typename":"Place"}]},{"likes":[],"all":[{"__typename":"Place"}]}]}}
            {"data":{"queryPerson":[{"name":"ann"}]}}
            {"data":{"queryBeing":[{"name":"bob","idol":{"__typename":"Pet","name":"rex","idol":null}},{"name":"kim","idol":{"__typename":"Person","name":"bob","idol":{"name":"rex"}}}]}}
            {"data":{"queryPerson":[{"name":"bob","idol":null}]}}
            {"data":{"queryPerson":[{"name":"ann","visits":[{"title":"house"}],"visitsAggregate":{"count":1,"sizeSum":20,"titleMax":"barn"}},{"name":"bob","visits":[{"title":"barn"}],"visitsAggregate":{"count":1,"sizeSum":20,"titleMax":"barn"}}]}}
            {"data":{"queryPerson":[{"visits":[{"open":true}]}]}}
            {"data":{"__type":{"enumValues":[{"name":"name"},{"name":"friends"},{"name":"home"},{"name":"idol"},{"name":"mail"},{"name":"born"},{"name":"moods"},{"name":"pets"},{"name":"likes"},{"name":"best"},{"name":"visits"}]}}}
        "#]],
    );
}

#[test]
fn cascades_of_dgraph() {
    check(
        &[
            "{ queryPlace @cascade { title size } }",
            "{ queryPlace(first: 1, offset: 1) @cascade { title size } }",
            "{ queryPerson @cascade { name pets { name weight } } }",
            "{ queryPerson @cascade { name born pets(filter: {name: {eq: \"x\"}}) { name } } }",
            "{ queryPerson @cascade(fields: [\"born\"]) { name born home { open } pets { keeper { name } weight } } }",
            "{ queryPet { name keeper @cascade { born } } a: queryPet @cascade(fields: \"name\") { name keeper { born } } }",
            "{ queryBeing @cascade { name friends { name home { size } } } }",
            "{ queryPerson { likes @cascade { ... on Place { size } ... on Pet { name } } } }",
            "{ queryPerson @cascade { name best { ... on Place { size } ... on Pet { weight } } petsAggregate { weightMin } } }",
            "{ getPlace(id: \"0x2a\") @cascade { size } a: getPlace(id: \"0x2a\") @cascade { title } }",
            "{ queryPlace @cascade(fields: [\"name\"]) { title } }",
        ],
        &expect![[r#"
            {"data":{"queryPlace":[{"title":"house","size":9007199254740993},{"title":"barn","size":20}]}}
            {"data":{"queryPlace":[{"title":"barn","size":20}]}}
            {"data":{"queryPerson":[{"name":"ann","pets":[{"name":"rex","weight":20.5},{"name":"tom","weight":4}]}]}}
            {"data":{"queryPerson":[]}}
            {"data":{"queryPerson":[{"name":"ann","born":"1990-05-06T07:08:09.5Z","home":{"open":true},"pets":[{"keeper":{"name":"ann"},"weight":20.5},{"keeper":{"name":"ann"},"weight":4}]}]}}
            {"data":{"queryPet":[{"name":"rex","keeper":{"born":"1990-05-06T07:08:09.5Z"}},{"name":"tom","keeper":{"born":"1990-05-06T07:08:09.5Z"}},{"name":"kim","keeper":null}],"a":[{"name":"rex","keeper":{"born":"1990-05-06T07:08:09.5Z"}},{"name":"tom","keeper":{"born":"1990-05-06T07:08:09.5Z"}},{"name":"kim","keeper":null}]}}
            {"data":{"queryBeing":[{"name":"ann","friends":[{"name":"bob","home":{"size":9007199254740993}},{"name":"rex","home":{"size":20}}]},{"name":"rex","friends":[{"name":"ann","home":{"size":9007199254740993}}]}]}}
            {"data":{"queryPerson":[{"likes":[{"size":20},{"name":"rex"}]},{"likes":[]}]}}
            {"data":{"queryPerson":[{"name":"bob","best":{"weight":4},"petsAggregate":{"weightMin":null}}]}}
            {"data":{"getPlace":null,"a":{"title":"lake"}}}
            {"data":{"queryPlace":null},"errors":["Field `name` is not present in type `Place`. You can only use fields in cascade which are in type `Place`"]}
        "#]],
    );
}

#[test]
fn entities_of_dgraph() {
    check(
        &[
            "{ _entities(representations: [{__typename: \"Place\", id: \"0x2a\"}, {__typename: \"Person\", mail: \"b@x\"}, {__typename: \"Place\", id: \"0x63\"}]) { ... on Place { id title } ... on Person { name } } }",
            "{ _entities(representations: [{__typename: \"Place\", id: \"x\"}]) { __typename } }",
        ],
        &expect![[r#"
            {"data":{"_entities":[{"id":"0x2a","title":"lake"},{"name":"bob"},null]}}
            {"data":{"_entities":[null]},"errors":["This is no value of `id` of `Place`."]}
        "#]],
    );
}

#[test]
fn nested_conditions_of_dgraph() {
    check(
        &[
            "{ queryPerson(filter: {pets: {weight: {gt: 10}}}) { name } } # nested",
            "{ queryPet(filter: {keeper: {home: {title: {eq: \"house\"}}}}) { name } }",
            "{ queryPerson(filter: {friends: {name: {eq: \"rex\"}}}) { name } }",
            "{ queryPerson(filter: {not: {friends: {has: name}}}) { name } }",
            "{ queryPerson(filter: {visits: {title: {eq: \"house\"}}}) { name } a: queryPerson(filter: {idol: {name: {eq: \"rex\"}}}) { name } }",
            "{ queryPerson(filter: {likes: {memberTypes: [Place], placeFilter: {has: size}}}) { name } }",
            "{ queryPerson(filter: {best: {petFilter: {name: {eq: \"tom\"}}, memberTypes: Pet}}) { name } }",
            "{ queryPlace(filter: {beings: {name: {eq: \"tom\"}}}) { title beings(filter: {name: {eq: \"ann\"}}) { name } } }",
            "{ queryBeing(filter: {home: {title: {eq: \"house\"}}}) { name } a: queryBeing(filter: {friends: {name: {eq: \"rex\"}}}) { name } b: queryBeing(filter: {idol: {home: {title: {eq: \"barn\"}}}}) { name } }",
            "{ queryBeing(filter: {idol: {friends: {name: {eq: \"rex\"}}}, or: {not: {idol: {has: name}}, name: {ge: \"k\"}}}) { name } }",
            "{ queryPlace(filter: {beings: {friends: {home: {has: title}}}}) { title } a: aggregateBeing(filter: {friends: {has: [idol]}}) { count } b: queryBeing(filter: {friends: {}}) { name } }",
        ],
        &expect![[r#"
            {"data":{"queryPerson":[{"name":"ann"}]}}
            {"data":{"queryPet":[{"name":"rex"},{"name":"tom"}]}}
            {"data":{"queryPerson":[{"name":"ann"}]}}
            {"data":{"queryPerson":[{"name":"bob"}]}}
            {"data":{"queryPerson":[{"name":"ann"}],"a":[{"name":"bob"}]}}
            {"data":{"queryPerson":[{"name":"ann"}]}}
            {"data":{"queryPerson":[{"name":"bob"}]}}
            {"data":{"queryPlace":[{"title":"house","beings":[{"name":"ann"}]}]}}
            {"data":{"queryBeing":[{"name":"ann"},{"name":"bob"},{"name":"tom"}],"a":[{"name":"ann"}],"b":[{"name":"bob"}]}}
            {"data":{"queryBeing":[{"name":"rex"},{"name":"tom"}]}}
            {"data":{"queryPlace":[{"title":"house"},{"title":"barn"}],"a":{"count":2},"b":[{"name":"ann"},{"name":"bob"},{"name":"rex"},{"name":"tom"},{"name":"kim"}]}}
        "#]],
    );
}

#[test]
fn definitions_of_dgraph_are_served() {
    let Some(folder) = testkit::dgraph::folder() else { return };
    let folder = folder.join("schema/testdata/schemagen/input");
    let mut served = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap().path();
        let text = fs::read_to_string(&entry).unwrap();
        let Ok(model) = dgraph::definitions::read(&text) else { continue };
        if model.types.iter().all(|known| known.is_remote) {
            continue;
        }
        let name = entry.file_stem().unwrap().display().to_string();
        on_each(|address| {
            let (name, text) = (&name, &text);
            async move {
                let dialect = migrate(&address, text).await;
                let is_queried = |known: &&dgraph::model::Type| {
                    !known.is_remote && known.generate.query && known.generate.aggregate
                };
                let queries = dialect.model.types.iter().filter(is_queried).map(|known| {
                    let name = &known.name;
                    format!("{{ query{name} {{ __typename }} aggregate{name} {{ count }} }}")
                });
                let queries: Vec<String> = queries.collect();
                let requests: Vec<&str> = queries.iter().map(|query| &**query).collect();
                let answers = ask(&address, dialect, &requests).await;
                assert!(!answers.contains("errors"), "{name}: {answers}");
            }
        });
        served += 1;
    }
    println!("{served} definitions served");
}

/// More objects than an operation can have conditions.
#[test]
fn thousands_of_objects_are_added_at_once() {
    on_each(|address| async move {
        let options = options(migrate(&address, TYPES).await, false);
        let worker = Worker::new(Engine::open(&address, &options).await.unwrap());
        let persons = (0..1_000).map(|person| {
            let pets = (0..5).map(|pet| json!({ "name": format!("{person}.{pet}") }));
            let pets: Vec<Value> = pets.collect();
            json!({ "name": "n", "mail": format!("{person}@x"), "pets": pets })
        });
        let persons: Vec<Value> = persons.collect();
        let body = json!({
            "query": "mutation ($all: [AddPersonInput!]!) { addPerson(input: $all) { numUids } }",
            "variables": { "all": persons },
        });
        let request = Request::from_json(body.to_string().as_bytes()).unwrap();
        let answered = worker.execute(&request, Allowed::All).await;
        let answer = String::from_utf8(answered.body.into()).unwrap();
        assert_eq!(answer, r#"{"data":{"addPerson":{"numUids":6000}}}"#);
        let query = "{ getPerson(mail: \"999@x\") { pets { name } petsAggregate { count } } \
                     aggregatePet { count } }";
        let request = Request { query: query.to_owned(), ..Request::default() };
        let answered = worker.execute(&request, Allowed::Queries).await;
        let answer: Value = serde_json::from_slice(&answered.body).unwrap();
        let names =
            ["999.0", "999.1", "999.2", "999.3", "999.4"].map(|name| json!({ "name": name }));
        assert_eq!(
            answer["data"],
            json!({
                "getPerson": { "pets": names, "petsAggregate": { "count": 5 } },
                "aggregatePet": { "count": 5_000 },
            })
        );
    });
}
