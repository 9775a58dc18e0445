//! Operators on values of PostGIS.

use api::binding::{FilterRole, InputBinding, Meaning, OperatorRole};
use catalog::SpatialKind;
use graphql::value::Const;
use ir::{GeoOperator, SpatialRelation};

use super::{
    Build, Operand, Operator, cast, cast_type, condition_member, equality, find_named, ordered,
};
use crate::draft::DraftInput;
use crate::values::Operators;

const WITHIN_DISTANCE: &str = "st_d_within_input";
const WITHIN_DISTANCE_ON_EARTH: &str = "st_d_within_geography_input";
const BAND_INTERSECTS: &str = "st_intersects_nband_geom_input";
const INTERSECTS_BAND: &str = "st_intersects_geom_nband_input";

const GEOMETRY: &str = "geometry";

/// The operators of a type.
pub(super) fn operators(kind: SpatialKind) -> Vec<Operator> {
    match kind {
        SpatialKind::Geometry => geometry(),
        SpatialKind::Geography => geography(),
        SpatialKind::Raster => raster(),
    }
}

/// Adds the types of operands that are not those of the values.
pub(super) fn add_operands(build: &mut Build<'_>, kind: SpatialKind) {
    build.draft.scalar(kind.name());
    let within = |name: &str| {
        let from = argument("from", &format!("{name}!"), 0);
        vec![argument("distance", "Float!", 1), from]
    };
    match kind {
        SpatialKind::Geometry => {
            add_cast(build, kind, SpatialKind::Geography);
            add(build, WITHIN_DISTANCE, within(GEOMETRY));
        }
        SpatialKind::Geography => {
            add_cast(build, kind, SpatialKind::Geometry);
            let mut members = within(kind.name());
            members.push(argument("use_spheroid", "Boolean", 2).or(Const::Boolean(true)));
            add(build, WITHIN_DISTANCE_ON_EARTH, members);
        }
        SpatialKind::Raster => {
            build.draft.scalar(GEOMETRY);
            let members = vec![argument("nband", "Int!", 0), argument("geommin", "geometry!", 1)];
            add(build, BAND_INTERSECTS, members);
            let members = vec![argument("geommin", "geometry!", 0), argument("nband", "Int", 1)];
            add(build, INTERSECTS_BAND, members);
        }
    }
}

fn add(build: &mut Build<'_>, name: &str, members: Vec<DraftInput>) {
    let name = build.shared_type(name);
    build.draft.input(&name, None, members);
}

/// The operators on a value as one of another type.
fn add_cast(build: &mut Build<'_>, from: SpatialKind, to: SpatialKind) {
    let name = cast_type(build, from.name());
    if build.draft.has(&name) {
        return;
    }
    let operators = build.shared_type(&format!("{}_comparison_exp", to.name()));
    let role = FilterRole::Operator(OperatorRole::AsSpatial(to));
    let member = condition_member::member(to.name(), operators, role, Meaning::True).verbatim();
    build.draft.input(&name, None, vec![member]);
    find_named(build, to.name(), Operators::Spatial(to));
}

/// A member of an object of arguments. Its name is the same under each convention.
fn argument(name: &str, r#type: &str, place: u16) -> DraftInput {
    let binding = InputBinding::lenient(FilterRole::SpatialArgument(place));
    DraftInput::new(name, r#type, binding).verbatim()
}

fn relates(
    name: &'static str,
    description: Option<&'static str>,
    relation: SpatialRelation,
) -> Operator {
    Operator {
        name,
        description,
        operand: Operand::Value,
        role: FilterRole::Operator(OperatorRole::Geo(GeoOperator::Spatial(relation))),
    }
}

fn relates_by(
    name: &'static str,
    description: Option<&'static str>,
    relation: SpatialRelation,
    object: &'static str,
) -> Operator {
    let role = FilterRole::Operator(OperatorRole::Spatial(relation));
    Operator { name, description, operand: Operand::Object(object), role }
}

fn geometry() -> Vec<Operator> {
    let mut operators = vec![cast()];
    operators.extend(ordered());
    operators.extend([
        relates(
            "_st_contains",
            Some("does the column contain the given geometry value"),
            SpatialRelation::Contains,
        ),
        relates(
            "_st_crosses",
            Some("does the column cross the given geometry value"),
            SpatialRelation::Crosses,
        ),
        relates(
            "_st_equals",
            Some("is the column equal to given geometry value (directionality is ignored)"),
            SpatialRelation::Equals,
        ),
        relates(
            "_st_overlaps",
            Some("does the column 'spatially overlap' (intersect but not completely contain) the given \
             geometry value"),
            SpatialRelation::Overlaps,
        ),
        relates(
            "_st_touches",
            Some("does the column have atleast one point in common with the given geometry value"),
            SpatialRelation::Touches,
        ),
        relates(
            "_st_within",
            Some("is the column contained in the given geometry value"),
            SpatialRelation::Within,
        ),
        relates(
            "_st_intersects",
            Some("does the column spatially intersect the given geometry value"),
            SpatialRelation::Intersects,
        ),
        relates(
            "_st_3d_intersects",
            Some("does the column spatially intersect the given geometry value in 3D"),
            SpatialRelation::Intersects3d,
        ),
        relates_by(
            "_st_d_within",
            Some("is the column within a given distance from the given geometry value"),
            SpatialRelation::WithinDistance,
            WITHIN_DISTANCE,
        ),
        relates_by(
            "_st_3d_d_within",
            Some("is the column within a given 3D distance from the given geometry value"),
            SpatialRelation::WithinDistance3d,
            WITHIN_DISTANCE,
        ),
    ]);
    operators
}

fn geography() -> Vec<Operator> {
    let mut operators = vec![cast()];
    operators.extend(ordered());
    operators.extend([
        relates(
            "_st_intersects",
            Some("does the column spatially intersect the given geography value"),
            SpatialRelation::Intersects,
        ),
        relates_by(
            "_st_d_within",
            Some("is the column within a given distance from the given geography value"),
            SpatialRelation::WithinDistance,
            WITHIN_DISTANCE_ON_EARTH,
        ),
    ]);
    operators
}

fn raster() -> Vec<Operator> {
    let mut operators: Vec<Operator> = equality().into();
    operators.extend([
        relates("_st_intersects_rast", None, SpatialRelation::Intersects),
        relates_by(
            "_st_intersects_nband_geom",
            None,
            SpatialRelation::BandIntersects,
            BAND_INTERSECTS,
        ),
        relates_by(
            "_st_intersects_geom_nband",
            None,
            SpatialRelation::IntersectsBand,
            INTERSECTS_BAND,
        ),
    ]);
    operators
}
