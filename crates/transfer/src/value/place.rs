//! Places as GeoJSON, in one form: `{"type":"Point","coordinates":[8.5,47.4]}`.

use serde_json::Value as Json;
use storage::tables::ColumnType;

/// GeoJSON, or a place as GraphQL inputs have it, in one form. `None` if it is no place of the type.
pub(super) fn read(json: &Json, r#type: &ColumnType) -> Option<String> {
    let object = json.as_object()?;
    let name = match r#type {
        ColumnType::Point => "Point",
        ColumnType::Polygon => "Polygon",
        ColumnType::MultiPolygon => "MultiPolygon",
        _ => return None,
    };
    let coordinates = match object.get("type") {
        Some(found) => {
            if found.as_str()? != name {
                return None;
            }
            object.get("coordinates")?.clone()
        }
        None => inner(json, r#type)?,
    };
    let depth = match r#type {
        ColumnType::Point => 0,
        ColumnType::Polygon => 2,
        _ => 3,
    };
    let mut coordinates = coordinates;
    clear_signs_of_zero(&mut coordinates);
    is_of_depth(&coordinates, depth).then(|| {
        ["{\"type\":\"", name, "\",\"coordinates\":", &coordinates.to_string(), "}"].concat()
    })
}

/// The coordinates of `{longitude, latitude}`, `{coordinates: [{points: […]}]}` or `{polygons: […]}`.
fn inner(json: &Json, r#type: &ColumnType) -> Option<Json> {
    let list = |name: &str, inner: &dyn Fn(&Json) -> Option<Json>| {
        let items = json.get(name)?.as_array()?.iter().map(inner);
        items.collect::<Option<Vec<_>>>().map(Json::Array)
    };
    match r#type {
        ColumnType::Point => {
            let longitude = json.get("longitude").filter(|number| number.is_number())?;
            let latitude = json.get("latitude").filter(|number| number.is_number())?;
            Some(Json::Array(vec![longitude.clone(), latitude.clone()]))
        }
        ColumnType::Polygon => list("coordinates", &|ring| {
            let points = ring.get("points")?.as_array()?.iter();
            let points = points.map(|point| inner(point, &ColumnType::Point));
            points.collect::<Option<Vec<_>>>().map(Json::Array)
        }),
        ColumnType::MultiPolygon => {
            list("polygons", &|polygon| inner(polygon, &ColumnType::Polygon))
        }
        _ => None,
    }
}

/// Replaces negative zeros: PostgreSQL's JSON has none.
fn clear_signs_of_zero(json: &mut Json) {
    match json {
        Json::Array(items) => items.iter_mut().for_each(clear_signs_of_zero),
        Json::Number(number) if number.as_f64() == Some(0.0) && number.is_f64() => {
            *json = Json::from(0.0);
        }
        _ => {}
    }
}

/// Returns true if lists of lists have points at a depth.
fn is_of_depth(json: &Json, depth: usize) -> bool {
    let Some(items) = json.as_array() else { return false };
    match depth {
        0 => items.len() >= 2 && items.iter().all(Json::is_number),
        _ => items.iter().all(|item| is_of_depth(item, depth - 1)),
    }
}
