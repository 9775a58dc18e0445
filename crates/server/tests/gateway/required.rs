//! A source in the gateway's process that computes fields of what another subgraph has.

use std::fs;

use rusqlite::Connection;
use testkit::postgres::{Server as Postgres, required_installations, shared};

use crate::gateway::site::refused;
use crate::program::{Folder, Server};

const HEAD: &str = include_str!("shop.graphql");

/// What things weigh is in one database, and what it costs to send them is computed in another one.
const TYPES: &str = r#"
enum join__Graph {
  THINGS @join__graph(name: "things", url: "")
  FREIGHT @join__graph(name: "freight", url: "")
}

type Query @join__type(graph: THINGS) @join__type(graph: FREIGHT) {
  allThingsList: [Thing!] @join__field(graph: THINGS)
  allRatesList: [Rate!] @join__field(graph: FREIGHT)
}

type Thing @join__type(graph: THINGS, key: "id") @join__type(graph: FREIGHT, key: "id") {
  id: Int!
  weight: Float @join__field(graph: THINGS) @join__field(graph: FREIGHT, external: true)
  fragile: String @join__field(graph: THINGS) @join__field(graph: FREIGHT, external: true)
  boxByBoxId: Box @join__field(graph: THINGS) @join__field(graph: FREIGHT, external: true)
  zone: Int @join__field(graph: FREIGHT)
  costs(express: Boolean): BigFloat @join__field(graph: FREIGHT, requires: "weight fragile")
  label: String @join__field(graph: FREIGHT, requires: "boxByBoxId { width color }")
}

type Box @join__type(graph: THINGS, key: "id") @join__type(graph: FREIGHT) {
  id: Int! @join__field(graph: THINGS)
  width: Int @join__field(graph: THINGS) @join__field(graph: FREIGHT, external: true)
  color: String @join__field(graph: THINGS) @join__field(graph: FREIGHT, external: true)
}

type Rate @join__type(graph: FREIGHT) {
  zone: Int!
  thingsByZoneList: [Thing!]!
}

scalar BigFloat @join__type(graph: FREIGHT)
"#;

const EXTENSION: &str = r#"
extend type Thing {
  costs(express: Boolean): BigFloat @requires(fields: "weight fragile")
  label: String @requires(fields: "boxByBoxId { width color }")
  weight: Float @external
  fragile: String @external
  boxByBoxId: Box @external
}
type Box @external { width: Int color: String }
"#;

const THINGS: &str = "
    CREATE TABLE box (id INTEGER PRIMARY KEY, width INTEGER, color TEXT);
    INSERT INTO box VALUES (1, 30, 'red \"x\"');
    CREATE TABLE thing (
        id INTEGER PRIMARY KEY, weight REAL, fragile TEXT, box_id INTEGER REFERENCES box);
    INSERT INTO thing VALUES
        (1, 2.5, 'no', 1), (2, 10, 'very', NULL), (3, NULL, NULL, 1), (4, 1, 'no', 1);";

const FREIGHT: &str = "
    CREATE SCHEMA freight;
    CREATE TABLE freight.rate (zone int PRIMARY KEY, price numeric NOT NULL);
    CREATE TABLE freight.thing (id int PRIMARY KEY, zone int REFERENCES freight.rate);
    CREATE INDEX ON freight.thing (zone);
    CREATE FUNCTION freight.thing_costs(
            thing freight.thing, weight float8, fragile text, express boolean)
        RETURNS numeric LANGUAGE sql STABLE AS $$
            SELECT price * weight::numeric * CASE fragile WHEN 'very' THEN 2 ELSE 1 END
                + CASE WHEN express THEN 100 ELSE 0 END
            FROM freight.rate WHERE rate.zone = thing.zone
        $$;
    CREATE FUNCTION freight.thing_label(thing freight.thing, box_by_box_id jsonb)
        RETURNS text LANGUAGE sql STABLE AS $$
            SELECT concat(thing.id, ': ', box_by_box_id ->> 'width', ' ', box_by_box_id ->> 'color')
        $$;
    INSERT INTO freight.rate VALUES (7, 0.5);
    INSERT INTO freight.thing VALUES (1, 7), (2, 7), (3, 7);";

fn prepare(postgres: &Postgres, name: &str, extension: &str) -> Folder {
    postgres.create_database(name).unwrap();
    postgres.execute(name, FREIGHT).unwrap();
    let folder = Folder::new();
    let (head, _) = HEAD.split_once("enum join__Graph").unwrap();
    let head = head.replace("  mutation: Mutation\n", "");
    fs::write(folder.file("supergraph.graphql"), [&head, TYPES].concat()).unwrap();
    fs::write(folder.file("freight.graphql"), extension).unwrap();
    let things = folder.file("things.db");
    Connection::open(&things).unwrap().execute_batch(THINGS).unwrap();
    let subgraphs = format!(
        "[subgraphs.things]\nsource = 'sqlite:{}'\ndialect = 'postgraphile'\n\
         [subgraphs.freight]\nsource = '{}'\nschema = ['freight']\nfederation-extend = '{}'\n",
        things.to_str().unwrap(),
        postgres.url(name),
        folder.file("freight.graphql").to_str().unwrap(),
    );
    fs::write(folder.file("subgraphs.toml"), subgraphs).unwrap();
    folder
}

fn arguments(folder: &Folder) -> [String; 6] {
    let path = |name: &str| folder.file(name).to_str().unwrap().to_owned();
    let (supergraph, subgraphs) = (path("supergraph.graphql"), path("subgraphs.toml"));
    ["gateway", &supergraph, "--listen", "127.0.0.1:0", "--subgraphs", &subgraphs].map(Into::into)
}

#[test]
fn what_a_field_requires_is_asked_first_and_told() {
    for installation in required_installations().unwrap() {
        let postgres = shared(&installation).unwrap();
        let folder = prepare(postgres, "gateway_required", EXTENSION);
        let arguments = arguments(&folder);
        let server = Server::start(&arguments.each_ref().map(String::as_str));
        let all =
            server.query("", "{ allThingsList { id costs fast: costs(express: true) } }").body;
        assert_eq!(
            all,
            r#"{"data":{"allThingsList":[{"id":1,"costs":"1.25","fast":"101.25"},{"id":2,"costs":"10.0","fast":"110.0"},{"id":3,"costs":null,"fast":null},{"id":4,"costs":null,"fast":null}]}}"#
        );
        let labels = "{ allThingsList { label } }";
        assert_eq!(
            server.query("", labels).body,
            r#"{"data":{"allThingsList":[{"label":"1: 30 red \"x\""},{"label":"2:  "},{"label":"3: 30 red \"x\""},{"label":null}]}}"#
        );
        // Where the source gave the row itself, it is asked again with what the other one says.
        let from_there = "{ allRatesList { zone thingsByZoneList { id weight costs } } }";
        assert_eq!(
            server.query("", from_there).body,
            r#"{"data":{"allRatesList":[{"zone":7,"thingsByZoneList":[{"id":1,"weight":2.5,"costs":"1.25"},{"id":2,"weight":10,"costs":"10.0"},{"id":3,"weight":null,"costs":null}]}]}}"#
        );
    }
}

#[test]
fn a_source_that_computes_it_of_something_else_is_refused() {
    let Some(installation) = required_installations().unwrap().into_iter().next_back() else {
        return;
    };
    let postgres = shared(&installation).unwrap();
    let other = EXTENSION.replace("fields: \"weight fragile\"", "fields: \"weight\"");
    for (name, extension, said) in [
        ("gateway_required_other", &*other, "requires `weight`, and"),
        ("gateway_required_none", "", "requires nothing of other subgraphs, and"),
    ] {
        let folder = prepare(postgres, name, extension);
        let error = refused(&arguments(&folder).each_ref().map(String::as_str));
        let told = format!("its `Thing.costs` {said} the supergraph says `weight fragile`");
        assert!(error.contains(&told), "{error}");
    }
}
