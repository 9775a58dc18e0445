//! Values of PostGIS in the Hasura dialect, where PostgreSQL has the extension, in a schema of its
//! own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use dialects::Dialect;
use dialects::hasura::metadata::{MetadataSetting, ServedSource, read_text};
use dialects::hasura::permissions::ROLE;
use engine::{
    Allowed, Claims, Delivery, Engine, OpenOptions, Options, Report, Session, SourceAddress, Worker,
};
use expect_test::{Expect, expect};
use serde_json::{Value, json};
use testkit::postgres::{Server, required_installations, shared};

const TABLES: &str = "
    CREATE TABLE shape (id SERIAL PRIMARY KEY, name TEXT, geo gis.geometry, path gis.geometry[]);
    INSERT INTO shape (name, geo) VALUES
        ('point', gis.ST_GeomFromEWKT('SRID=4326;POINT(1 2)')),
        ('line', gis.ST_GeomFromEWKT('SRID=4326;LINESTRING(0 0, 0.5 1, 1 2, 1.5 3)')),
        ('square', gis.ST_GeomFromEWKT('SRID=4326;POLYGON((2 0, 2 1, 3 1, 3 0, 2 0))')),
        ('far', gis.ST_GeomFromEWKT('SRID=4326;POINT(40 50)')),
        ('nowhere', NULL);
    CREATE TABLE city (name TEXT PRIMARY KEY, place gis.geography);
    INSERT INTO city VALUES
        ('London', gis.ST_GeogFromText('POINT(0.1278 51.5074)')),
        ('Moscow', gis.ST_GeogFromText('POINT(37.6173 55.7558)'));
    CREATE TABLE picture (id INTEGER PRIMARY KEY, rast gis.raster);
    INSERT INTO picture VALUES (1, gis.ST_AsRaster(gis.ST_Buffer(
        gis.ST_GeomFromEWKT('SRID=4326;POINT(1 2)'), 2), 5, 5));
    CREATE FUNCTION shape_around(shape_row shape) RETURNS gis.geometry LANGUAGE sql STABLE AS
        'SELECT gis.ST_Envelope(shape_row.geo)';
    CREATE FUNCTION shape_near(place gis.geometry) RETURNS SETOF shape LANGUAGE sql STABLE AS
        'SELECT * FROM shape WHERE gis.ST_DWithin(geo, place, 1)';
    CREATE FUNCTION shape_words(prefix text, shape_row shape) RETURNS text LANGUAGE sql STABLE AS
        'SELECT prefix || shape_row.name';
    CREATE FUNCTION shape_alike(prefix text, shape_row shape) RETURNS SETOF shape LANGUAGE sql STABLE
        AS 'SELECT * FROM shape WHERE starts_with(name, prefix) AND id <> shape_row.id';";

/// Each PostgreSQL that has PostGIS, with a database of the name.
#[expect(clippy::print_stderr, reason = "whoever runs the tests must see what they left out")]
fn servers(database: &str, is_in_path: bool) -> Vec<&'static Server> {
    let installations = required_installations().unwrap().into_iter();
    let servers = installations.filter_map(|installation| {
        // A server lives as long as the process.
        let server: &Server = shared(Box::leak(Box::new(installation))).unwrap();
        server.create_database(database).unwrap();
        let sql = "CREATE SCHEMA gis; CREATE EXTENSION postgis SCHEMA gis; \
                   CREATE EXTENSION postgis_raster SCHEMA gis;";
        if let Err(error) = server.execute(database, sql) {
            eprintln!("not run: a PostgreSQL has not the extension postgis: {error}");
            return None;
        }
        // Functions of rasters look for a table of the extension in the search path.
        let path = match is_in_path {
            true => format!("ALTER DATABASE {database} SET search_path = public, gis;"),
            false => String::new(),
        };
        let tables = [&path, "SET search_path = public, gis;", TABLES].concat();
        server.execute(database, &tables).unwrap();
        Some(server)
    });
    servers.collect()
}

fn metadata() -> Value {
    let select = |role: &str, filter: Value| {
        let permission = json!({ "columns": "*", "filter": filter });
        json!({ "role": role, "permission": permission })
    };
    let around = json!({ "type": "Polygon",
        "coordinates": [[[-1, -1], [-1, 4], [4, 4], [4, -1], [-1, -1]]] });
    let of_session = json!({ "distance": "X-Hasura-Distance", "from": "X-Hasura-Place" });
    let by_cast = json!({ "_cast": { "geometry": { "_st_within": around } } });
    let shape = json!({
        "table": "shape",
        "computed_fields": [
            { "name": "around", "definition": { "function": "shape_around" } },
            { "name": "words",
              "definition": { "function": "shape_words", "table_argument": "shape_row" } },
            { "name": "alike",
              "definition": { "function": "shape_alike", "table_argument": "shape_row" } },
        ],
        "select_permissions": [
            select("local", json!({ "geo": { "_st_within": around } })),
            select("near", json!({ "geo": { "_st_d_within": of_session } })),
            select("boxed", json!({ "around": { "_st_contains":
                { "type": "Point", "coordinates": [2.5, 0.5] } } })),
        ],
        "insert_permissions": [{ "role": "local", "permission": {
            "columns": ["name"], "check": { "geo": { "_st_within": around } },
            "set": { "geo": { "type": "Point", "coordinates": [1, 1] } } } }],
    });
    let city = json!({
        "table": "city",
        "select_permissions": [
            select("local", json!({ "place": by_cast })),
            select("near", json!({ "place": { "_st_d_within": {
                "distance": 300_000, "use_spheroid": false,
                "from": { "type": "Point", "coordinates": [1, 50] } } } })),
        ],
    });
    let picture = json!({
        "table": "picture",
        "select_permissions": [
            select("local", json!({ "rast": { "_st_intersects_geom_nband": {
                "geommin": { "type": "Point", "coordinates": [1, 2] } } } })),
            select("near", json!({ "rast": { "_st_intersects_nband_geom": {
                "nband": 1, "geommin": { "type": "Point", "coordinates": [30, 2] } } } })),
        ],
    });
    json!({ "version": 3, "sources": [{
        "name": "default", "kind": "postgres", "tables": [shape, city, picture],
        "functions": [{ "function": "shape_near" }, { "function": "shape_alike" }],
        "configuration": { "connection_info": { "database_url": "postgres://unused" } },
    }] })
}

async fn open(server: &Server, database: &str) -> Worker {
    let text = metadata().to_string();
    let served = ServedSource::choose(read_text("postgis.json", &text), None).unwrap();
    let dialect = Dialect::Hasura(dialects::hasura::Options {
        metadata: MetadataSetting::Read(served),
        ..Default::default()
    });
    let options = Options {
        source: OpenOptions { namespaces: vec!["public".into()], ..OpenOptions::default() },
        ..Options::new(dialect, engine::PoolLimits::unshared(2))
    };
    let address = SourceAddress::Postgres(server.url(database));
    Worker::new(Engine::open(&address, &options).await.unwrap())
}

async fn ask(worker: &Worker, role: &str, query: &str, variables: Value) -> Value {
    let mut claims = json!({ ROLE: role });
    claims["x-hasura-distance"] = json!("1");
    claims["x-hasura-place"] = json!(r#"{"type":"Point","coordinates":[1,2.5]}"#);
    let claims = serde_json::from_value(claims).unwrap();
    let session = Session { claims: Some(Arc::new(Claims::new(claims))), ..Session::default() };
    let serde_json_bytes::Value::Object(variables) = variables.into() else { panic!("variables") };
    let request = graphql::Request { query: query.to_owned(), variables, ..Default::default() };
    let (delivery, mut report) = (Delivery::Whole, Report::default());
    let response =
        worker.deliver_reported(&request, &session, Allowed::All, delivery, &mut report).await;
    serde_json::from_slice(&response.body).unwrap()
}

async fn check(role: &str, requests: &[(&str, Value)], expected: &Expect) {
    check_in(true, role, requests, expected).await;
}

async fn check_in(is_in_path: bool, role: &str, requests: &[(&str, Value)], expected: &Expect) {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let database = format!("postgis_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    for server in servers(&database, is_in_path) {
        let worker = open(server, &database).await;
        let mut answers = String::new();
        for (query, variables) in requests {
            answers += &format!("{}\n", ask(&worker, role, query, variables.clone()).await);
        }
        expected.assert_eq(&answers);
    }
}

/// Each operator, with its value in the document and in a variable.
#[tokio::test]
async fn operators() {
    let point = json!({ "type": "Point", "coordinates": [1, 2] });
    let raster = "0100000100000000000000004000000000000000C0000000000000000000000000000008\
                  4000000000000000000000000000000000E610000001000100440001";
    let requests = [
        (
            "query ($point: geometry!, $same: geography!) {
              contains: shape(where: {geo: {_st_contains: $point}}, order_by: {id: asc}) { name }
              equals: shape(where: {geo: {_st_equals: $point}}) { name }
              same: shape(where: {geo: {_eq: $point}}) { name }
              cast: shape(where: {geo: {_cast: {geography: {_eq: $same}}}}) { name }
              other: shape(where: {geo: {_nin: [$point]}}, order_by: {id: asc}) { name }
              within: shape(where: {geo: {_st_within: {type: Polygon,
                coordinates: [[[-1, -1], [-1, 4], [4, 4], [4, -1], [-1, -1]]]}}}, order_by: {id: asc}) { name }
              crosses: shape(where: {geo: {_st_crosses: {type: LineString, coordinates: [[0, 1], [1, 1]]}}}) { name }
              overlaps: shape(where: {geo: {_st_overlaps: {type: Polygon,
                coordinates: [[[2.5, 0], [2.5, 3], [4, 3], [4, 0], [2.5, 0]]]}}}) { name }
              touches: shape(where: {geo: {_st_touches: {type: Point, coordinates: [2, 0]}}}) { name }
              intersects: shape(where: {geo: {_st_intersects: {type: Point, coordinates: [2, 0]}}}) { name }
              in_space: shape(where: {geo: {_st_3d_intersects: {type: Point, coordinates: [2, 0]}}}) { name }
              near: shape(where: {geo: {_st_d_within: {distance: 2, from: $point}}}, order_by: {id: asc}) { name }
              near_in_space: shape(where: {geo: {_st_3d_d_within: {distance: 0.5, from: $point}}}, order_by: {id: asc}) { name }
              as_geography: shape(where: {geo: {_cast: {geography: {_st_d_within: {distance: 120000, from: {type: Point, coordinates: [1, 1]}}}}}}, order_by: {id: asc}) { name }
              none: shape(where: {geo: {_is_null: true}}) { name }
            }",
            json!({ "point": point, "same": point }),
        ),
        (
            "query ($near: st_d_within_geography_input!) {
              near: city(where: {place: {_st_d_within: $near}}) { name place }
              intersects: city(where: {place: {_st_intersects: {type: Point, coordinates: [37.6173, 55.7558]}}}) { name }
              as_geometry: city(where: {place: {_cast: {geometry: {_st_within: {type: Polygon,
                coordinates: [[[0, 50], [0, 60], [1, 60], [1, 50], [0, 50]]]}}}}}) { name }
            }",
            json!({ "near": { "distance": 300_000, "from": { "type": "Point", "coordinates": [1, 50] },
                "use_spheroid": false } }),
        ),
        (
            "query ($rast: raster!) {
              rast: picture(where: {rast: {_st_intersects_rast: $rast}}) { id }
              geometry: picture(where: {rast: {_st_intersects_geom_nband: {geommin: {type: Point, coordinates: [1, 2]}}}}) { id }
              of_band: picture(where: {rast: {_st_intersects_geom_nband: {geommin: {type: Point, coordinates: [1, 2]}, nband: 1}}}) { id }
              band: picture(where: {rast: {_st_intersects_nband_geom: {nband: 1, geommin: {type: Point, coordinates: [30, 2]}}}}) { id }
            }",
            json!({ "rast": raster }),
        ),
        (
            "query ($point: geometry) {
              shape_near(args: {place: $point}, order_by: {id: asc}) { name around words(args: {prefix: \"a \"}) }
            }",
            json!({ "point": point }),
        ),
        (
            "{
              shape_alike(args: {prefix: \"p\", shape_row: \"(3,x,,)\"}) { name }
              shape(where: {name: {_eq: \"line\"}}) { alike(args: {prefix: \"s\"}) { name } }
            }",
            json!({}),
        ),
    ];
    check("admin", &requests, &expect![[r#"
        {"data":{"contains":[{"name":"point"},{"name":"line"}],"equals":[{"name":"point"}],"same":[{"name":"point"}],"cast":[{"name":"point"}],"other":[{"name":"line"},{"name":"square"},{"name":"far"}],"within":[{"name":"point"},{"name":"line"},{"name":"square"}],"crosses":[{"name":"line"}],"overlaps":[{"name":"square"}],"touches":[{"name":"square"}],"intersects":[{"name":"square"}],"in_space":[{"name":"square"}],"near":[{"name":"point"},{"name":"line"},{"name":"square"}],"near_in_space":[{"name":"point"},{"name":"line"}],"as_geography":[{"name":"point"},{"name":"line"},{"name":"square"}],"none":[{"name":"nowhere"}]}}
        {"data":{"near":[{"name":"London","place":{"type":"Point","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::4326"}},"coordinates":[0.1278,51.5074]}}],"intersects":[{"name":"Moscow"}],"as_geometry":[{"name":"London"}]}}
        {"data":{"rast":[{"id":1}],"geometry":[{"id":1}],"of_band":[{"id":1}],"band":[]}}
        {"data":{"shape_near":[{"name":"point","around":{"type":"Point","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::4326"}},"coordinates":[1,2]},"words":"a point"},{"name":"line","around":{"type":"Polygon","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::4326"}},"coordinates":[[[0,0],[0,3],[1.5,3],[1.5,0],[0,0]]]},"words":"a line"}]}}
        {"data":{"shape_alike":[{"name":"point"}],"shape":[{"alike":[{"name":"square"}]}]}}
    "#]]).await;
}

#[tokio::test]
async fn changes() {
    let requests = [
        (
            "mutation ($objects: [shape_insert_input!]!) {
              insert_shape(objects: $objects) { returning { name geo path } }
              update_shape(where: {name: {_eq: \"new\"}}, _set: {geo: {type: Point, coordinates: [5, 6, 7],
                crs: {type: \"name\", properties: {name: \"EPSG:3857\"}}}}) { returning { geo } }
              delete_shape(where: {name: {_in: [\"new\", \"second\"]}}) { affected_rows }
            }",
            json!({ "objects": [
                { "name": "new", "geo": { "type": "Point", "coordinates": [1.5, 2] },
                  "path": [{ "type": "Point", "coordinates": [0, 0] }] },
                { "name": "second", "geo": null },
            ] }),
        ),
    ];
    check("admin", &requests, &expect![[r#"
        {"data":{"insert_shape":{"returning":[{"name":"new","geo":{"type":"Point","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::4326"}},"coordinates":[1.5,2]},"path":["0101000020E610000000000000000000000000000000000000"]},{"name":"second","geo":null,"path":null}]},"update_shape":{"returning":[{"geo":{"type":"Point","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::3857"}},"coordinates":[5,6,7]}}]},"delete_shape":{"affected_rows":2}}}
    "#]]).await;
}

#[tokio::test]
async fn permissions_and_presets() {
    let query = "{ shape(order_by: {id: asc}) { name } city { name } picture { id } }";
    let insert = "mutation { insert_shape_one(object: {name: \"preset\"}) { geo } }";
    let local = [(query, json!({})), (insert, json!({}))];
    check("local", &local, &expect![[r#"
        {"data":{"shape":[{"name":"point"},{"name":"line"},{"name":"square"}],"city":[],"picture":[{"id":1}]}}
        {"data":{"insert_shape_one":{"geo":{"type":"Point","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::4326"}},"coordinates":[1,1]}}}}
    "#]]).await;
    check("near", &[(query, json!({}))], &expect![[r#"
        {"data":{"shape":[{"name":"point"},{"name":"line"}],"city":[{"name":"London"}],"picture":[]}}
    "#]]).await;
    check(
        "boxed",
        &[("{ shape { name } }", json!({}))],
        &expect![[r#"
        {"data":{"shape":[{"name":"square"}]}}
    "#]],
    )
    .await;
}

/// The code and path are those of the form of the dialect's errors, which the server gives.
#[tokio::test]
async fn malformed_values() {
    let of = |geometry: Value| {
        let query = "query ($value: geometry!) { shape(where: {geo: {_eq: $value}}) { id } }";
        (query, json!({ "value": geometry }))
    };
    let requests = [
        of(json!({ "type": "Point", "coordinates": [1] })),
        of(json!({ "type": "Round", "coordinates": [1, 2] })),
        of(json!([1, 2])),
        ("{ picture(where: {rast: {_eq: \"no raster\"}}) { id } }", json!({})),
        (
            "{ city(where: {place: {_eq: {type: Point, coordinates: [1, 2], crs: {type: \"name\", \
          properties: {name: \"EPSG:3857\"}}}}}) { name } }",
            json!({}),
        ),
    ];
    check("admin", &requests, &expect![[r#"
        {"errors":[{"message":"A Position needs at least 2 elements","extensions":{"code":"parse-failed","path":"$.selectionSet.shape.args.where.geo._eq"}}]}
        {"errors":[{"message":"unexpected geometry type: Round","extensions":{"code":"parse-failed","path":"$.selectionSet.shape.args.where.geo._eq"}}]}
        {"errors":[{"message":"parsing Geometry failed, expected Object, but encountered Array","extensions":{"code":"parse-failed","path":"$.selectionSet.shape.args.where.geo._eq"}}]}
        {"errors":[{"message":"invalid hexadecimal representation of raster well known binary format","extensions":{"code":"parse-failed","path":"$.selectionSet.picture.args.where.rast._eq"}}]}
        {"errors":[{"message":"Only lon/lat coordinate systems are supported in geography.","extensions":{"code":"data-exception","path":"$"}}]}
    "#]]).await;
}

/// Functions and types are found all the same; operators are not, which the database says.
#[tokio::test]
async fn the_schema_of_the_extension_is_not_in_the_search_path() {
    let requests = [
        (
            "query ($point: geometry!) {
              within: shape(where: {geo: {_st_d_within: {distance: 1, from: $point}}}, order_by: {id: asc}) { geo }
              cast: shape(where: {geo: {_cast: {geography: {_st_intersects: {type: Point, coordinates: [40, 50]}}}}}) { name }
            }",
            json!({ "point": { "type": "Point", "coordinates": [1, 2] } }),
        ),
        ("{ shape(where: {geo: {_eq: {type: Point, coordinates: [1, 2]}}}) { name } }", json!({})),
    ];
    check_in(false, "admin", &requests, &expect![[r#"
        {"data":{"within":[{"geo":{"type":"Point","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::4326"}},"coordinates":[1,2]}},{"geo":{"type":"LineString","crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:EPSG::4326"}},"coordinates":[[0,0],[0.5,1],[1,2],[1.5,3]]}}],"cast":[{"name":"far"}]}}
        {"errors":[{"message":"operator is not unique: gis.geometry = gis.geometry","extensions":{"code":"data-exception","path":"$"}}]}
    "#]]).await;
}
