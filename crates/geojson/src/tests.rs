use serde_json::{Value, json};

use crate::{Geometry, check_raster};

fn text(value: &Value) -> String {
    match Geometry::read(value) {
        Ok(geometry) => geometry.to_string(),
        Err(error) => format!("error: {error}"),
    }
}

fn check(kind: &str, coordinates: &Value, expected: &str) {
    assert_eq!(text(&json!({ "type": kind, "coordinates": coordinates })), expected);
}

fn check_system(system: &Value, expected: &str) {
    assert_eq!(text(&json!({ "type": "Point", "coordinates": [1, 2], "crs": system })), expected);
}

#[test]
fn geometries_have_the_text_that_postgis_reads() {
    check("Point", &json!([43.75049, -11.03207]), "SRID=4326;POINT(43.75049 -11.03207)");
    check("Point", &json!([1e21, 1e-7]), "SRID=4326;POINT(1000000000000000000000 0.0000001)");
    check("Point", &json!([1, 2, 3, 4]), "SRID=4326;POINT Z(1 2 3)");
    check("MultiPoint", &json!([[1, 2], [3, 4]]), "SRID=4326;MULTIPOINT((1 2),(3 4))");
    check("MultiPoint", &json!([]), "SRID=4326;MULTIPOINT EMPTY");
    check("LineString", &json!([[1, 2], [3, 4, 5]]), "SRID=4326;LINESTRING Z(1 2 0,3 4 5)");
    check("MultiLineString", &json!([[[1, 2], [3, 4]]]), "SRID=4326;MULTILINESTRING((1 2,3 4))");
    let ring = json!([[0, 0], [0, 1], [1, 1], [0, 0]]);
    check("Polygon", &json!([ring]), "SRID=4326;POLYGON((0 0,0 1,1 1,0 0))");
    check("MultiPolygon", &json!([[ring]]), "SRID=4326;MULTIPOLYGON(((0 0,0 1,1 1,0 0)))");
}

#[test]
fn a_collection_has_the_default_system() {
    let point = json!({ "type": "Point", "coordinates": [1, 2] });
    let system = json!({ "type": "name", "properties": { "name": "EPSG:3857" } });
    let collection =
        json!({ "type": "GeometryCollection", "geometries": [point, point], "crs": system });
    assert_eq!(text(&collection), "SRID=4326;GEOMETRYCOLLECTION(POINT(1 2),POINT(1 2))");
}

#[test]
fn systems_are_found_by_their_numbers() {
    let named = |name: &str| json!({ "type": "name", "properties": { "name": name } });
    check_system(&Value::Null, "SRID=4326;POINT(1 2)");
    check_system(&named("EPSG:3857"), "SRID=3857;POINT(1 2)");
    check_system(&named("urn:ogc:def:crs:EPSG::27700"), "SRID=27700;POINT(1 2)");
    check_system(&named("urn:ogc:def:crs:OGC:1.3:CRS84"), "SRID=0;POINT(1 2)");
    check_system(&named("EPSG:4294967295"), "SRID=0;POINT(1 2)");
    let link = json!({ "type": "link", "properties": { "href": "http://example.com" } });
    check_system(&link, "SRID=4326;POINT(1 2)");
    check_system(&json!(1), "error: parsing CRS failed, expected Object, but encountered Number");
    check_system(&json!({ "type": "name" }), "error: key \"properties\" not found");
    let other = json!({ "type": "other", "properties": {} });
    check_system(&other, "error: parsing CRS failed, expected the tag \"name\" or \"link\"");
}

#[test]
fn incomplete_geometries_are_refused() {
    check("Point", &json!([1]), "error: A Position needs at least 2 elements");
    check("LineString", &json!([[1, 2]]), "error: A LineString needs at least 2 Positions");
    let few = json!([[[0, 0], [0, 1], [0, 0]]]);
    check("Polygon", &few, "error: A LinearRing needs at least 4 Positions");
    let open = json!([[[0, 0], [0, 1], [1, 1], [2, 2]]]);
    let error = "error: the first and last locations have to be equal for a LinearRing";
    check("Polygon", &open, error);
    check("MultiPolygon", &json!([open]), error);
    check("Random", &json!([]), "error: unexpected geometry type: Random");
    check(
        "Point",
        &json!(["1", 2]),
        "error: parsing Double failed, expected Number, but encountered String",
    );
    check(
        "Point",
        &json!({}),
        "error: parsing Position failed, expected Array, but encountered Object",
    );
    assert_eq!(text(&json!({})), "error: key \"type\" not found");
    assert_eq!(text(&json!({ "type": "Point" })), "error: key \"coordinates\" not found");
    assert_eq!(
        text(&json!([1])),
        "error: parsing Geometry failed, expected Object, but encountered Array"
    );
}

#[test]
fn a_raster_is_hexadecimal() {
    assert!(check_raster("01fF").is_ok());
    assert!(check_raster("01f").is_err());
    assert!(check_raster("this is no raster").is_err());
}
