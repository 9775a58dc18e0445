//! Comparisons of a value in the expressions of permissions: those that a request can have, with the
//! same operators for each type.

use catalog::{Catalog, Field, Scalar, SpatialKind, SpatialType, Type};
use hasura_metadata::types::expression::{self, Operand, SessionVariable};
use hasura_metadata::types::operator::Operator;
use hasura_metadata::{Json, Location, Problem};
use ir::{
    Case, Comparison, Filter, GeoOperator, SpatialRelation, TextMatch, TreeComparison, ValueRef,
};

use super::operand::ValueType;
use super::tables::problem;
use crate::values::{Operators, TEXT, values};

/// A value that is compared.
#[derive(Debug)]
pub(super) struct Compared<'c> {
    catalog: &'c Catalog,
    /// Its name in problems.
    name: &'c str,
    value: ValueRef,
    r#type: Type,
    class: Operators,
    /// True for the text of a value of another type, which is compared letter by letter.
    is_text_of_other: bool,
}

impl<'c> Compared<'c> {
    /// A value of a field's type.
    pub(super) fn new(catalog: &'c Catalog, name: &'c str, value: ValueRef, field: &Field) -> Self {
        let r#type = catalog.base_type(&field.r#type).clone();
        let class = values(catalog, &r#type).operators;
        Self { catalog, name, value, r#type, class, is_text_of_other: false }
    }

    /// A value of a scalar type.
    pub(super) fn of(catalog: &'c Catalog, name: &'c str, value: ValueRef, scalar: Scalar) -> Self {
        let r#type = Type::Scalar(scalar);
        let class = values(catalog, &r#type).operators;
        Self { catalog, name, value, r#type, class, is_text_of_other: false }
    }

    /// The comparison of a value without an operator.
    pub(super) fn equals(&self, operand: &Operand, place: &Location) -> Result<Filter, Problem> {
        self.require_operator(Operator::Equal, place)?;
        let operand = self.r#type().value(operand, place)?;
        Ok(self.compare(Comparison::Equal, operand))
    }

    /// A comparison with another column.
    pub(super) fn columns(
        &self,
        comparison: &expression::Comparison,
    ) -> Result<Comparison, Problem> {
        let expression::Comparison { place, operator, .. } = comparison;
        self.require_operator(*operator, place)?;
        Ok(match operator {
            Operator::ColumnEqual => Comparison::Equal,
            Operator::ColumnNotEqual => Comparison::NotEqual,
            Operator::ColumnGreater => Comparison::Greater,
            Operator::ColumnLess => Comparison::Less,
            Operator::ColumnGreaterOrEqual => Comparison::GreaterOrEqual,
            Operator::ColumnLessOrEqual => Comparison::LessOrEqual,
            other => return Err(self.unserved(*other, place)),
        })
    }

    /// A comparison with anything but a column.
    pub(super) fn comparison(
        &self,
        comparison: &expression::Comparison,
    ) -> Result<Filter, Problem> {
        let expression::Comparison { place, operator, operand, .. } = comparison;
        self.require_operator(*operator, place)?;
        let own = self.r#type();
        let one = || own.value(operand, place);
        let many = || own.values(operand, place);
        let text = || own.text_type().value(operand, place);
        let texts = || own.text_type().values(operand, place);
        let spatial = |relation| {
            let operand = one()?;
            let (place, operator) = (self.value.clone(), GeoOperator::Spatial(relation));
            Ok(Filter::Geo { place, operator, operand })
        };
        let tree = |comparison, operand| Ok(self.compare(Comparison::Tree(comparison), operand));
        match operator {
            Operator::Equal => Ok(self.compare(Comparison::Equal, one()?)),
            Operator::NotEqual => Ok(self.compare(Comparison::NotEqual, one()?)),
            Operator::Greater => Ok(self.compare(Comparison::Greater, one()?)),
            Operator::Less => Ok(self.compare(Comparison::Less, one()?)),
            Operator::GreaterOrEqual => Ok(self.compare(Comparison::GreaterOrEqual, one()?)),
            Operator::LessOrEqual => Ok(self.compare(Comparison::LessOrEqual, one()?)),
            Operator::In => Ok(self.compare(Comparison::In, many()?)),
            Operator::NotIn => Ok(self.compare(Comparison::NotIn, many()?)),
            Operator::Contains => Ok(self.compare(Comparison::Contains, one()?)),
            Operator::ContainedIn => Ok(self.compare(Comparison::ContainedBy, one()?)),
            Operator::HasKey => Ok(self.compare(Comparison::HasKey, text()?)),
            Operator::HasKeysAny => Ok(self.compare(Comparison::HasAnyKey, texts()?)),
            Operator::HasKeysAll => Ok(self.compare(Comparison::HasAllKeys, texts()?)),
            Operator::JsonPathExists => Ok(self.compare(Comparison::PathExists, text()?)),
            Operator::JsonPathMatch => Ok(self.compare(Comparison::PathIsTrue, text()?)),
            Operator::IsNull => match operand {
                Operand::Literal(Json::Bool(is_null)) => {
                    let filter = Filter::IsNull(self.value.clone());
                    Ok(if *is_null { filter } else { Filter::Not(Box::new(filter)) })
                }
                _ => Err(problem(place, "`_is_null` is true or false.")),
            },
            Operator::Like => Ok(self.matched(TextMatch::Like, false, one()?)),
            Operator::NotLike => Ok(not(self.matched(TextMatch::Like, false, one()?))),
            Operator::ILike => Ok(self.matched(TextMatch::Like, true, one()?)),
            Operator::NotILike => Ok(not(self.matched(TextMatch::Like, true, one()?))),
            Operator::Similar => Ok(self.matched(TextMatch::Similar, false, one()?)),
            Operator::NotSimilar => Ok(not(self.matched(TextMatch::Similar, false, one()?))),
            Operator::Regex => Ok(self.matched(TextMatch::Regex, false, one()?)),
            Operator::NotRegex => Ok(not(self.matched(TextMatch::Regex, false, one()?))),
            Operator::IRegex => Ok(self.matched(TextMatch::Regex, true, one()?)),
            Operator::NotIRegex => Ok(not(self.matched(TextMatch::Regex, true, one()?))),
            Operator::Ancestor => tree(TreeComparison::AncestorOf, one()?),
            Operator::AncestorAny => tree(TreeComparison::AncestorOfAny, many()?),
            Operator::Descendant => tree(TreeComparison::DescendantOf, one()?),
            Operator::DescendantAny => tree(TreeComparison::DescendantOfAny, many()?),
            Operator::Matches => tree(TreeComparison::Matches, text()?),
            Operator::MatchesAny => tree(TreeComparison::MatchesAny, texts()?),
            Operator::MatchesFulltext => tree(TreeComparison::MatchesText, text()?),
            Operator::StContains => spatial(SpatialRelation::Contains),
            Operator::StCrosses => spatial(SpatialRelation::Crosses),
            Operator::StEquals => spatial(SpatialRelation::Equals),
            Operator::StIntersects | Operator::StIntersectsRaster => {
                spatial(SpatialRelation::Intersects)
            }
            Operator::St3dIntersects => spatial(SpatialRelation::Intersects3d),
            Operator::StOverlaps => spatial(SpatialRelation::Overlaps),
            Operator::StTouches => spatial(SpatialRelation::Touches),
            Operator::StWithin => spatial(SpatialRelation::Within),
            Operator::StDistanceWithin
            | Operator::St3dDistanceWithin
            | Operator::StIntersectsBandGeometry
            | Operator::StIntersectsGeometryBand => self.relation(*operator, operand, place),
            Operator::Cast => self.casts(operand, place),
            Operator::ColumnEqual
            | Operator::ColumnNotEqual
            | Operator::ColumnGreater
            | Operator::ColumnLess
            | Operator::ColumnGreaterOrEqual
            | Operator::ColumnLessOrEqual => Err(self.unserved(*operator, place)),
        }
    }

    fn r#type(&self) -> ValueType<'_> {
        ValueType::new(self.catalog, &self.r#type)
    }

    fn compare(&self, comparison: Comparison, operand: ir::Operand) -> Filter {
        let place = self.value.clone();
        match self.is_text_of_other {
            true => Filter::CompareText { place, comparison, case: Case::Exact, operand },
            false => Filter::Compare { place, comparison, operand },
        }
    }

    fn matched(&self, r#match: TextMatch, ignores_case: bool, operand: ir::Operand) -> Filter {
        let case = match (ignores_case, self.is_text_of_other) {
            (true, _) => Case::Ignored,
            (false, true) => Case::Exact,
            (false, false) => Case::AsTyped,
        };
        Filter::Text { place: self.value.clone(), r#match, case, operand }
    }

    /// A relation with an object of arguments.
    fn relation(
        &self,
        operator: Operator,
        operand: &Operand,
        place: &Location,
    ) -> Result<Filter, Problem> {
        let relation = match operator {
            Operator::StDistanceWithin => SpatialRelation::WithinDistance,
            Operator::St3dDistanceWithin => SpatialRelation::WithinDistance3d,
            Operator::StIntersectsBandGeometry => SpatialRelation::BandIntersects,
            Operator::StIntersectsGeometryBand => SpatialRelation::IntersectsBand,
            other => return Err(self.unserved(other, place)),
        };
        let geometry = self.spatial_type(SpatialKind::Geometry);
        let own = self.r#type.clone();
        let (float, integer) = (Type::Scalar(Scalar::Float64), Type::Scalar(Scalar::Int32));
        let boolean = Type::Scalar(Scalar::Boolean);
        // In the order of the function's arguments, with whether they are required.
        let members = match operator {
            Operator::StIntersectsBandGeometry => {
                vec![("nband", &integer, true), ("geommin", &geometry, true)]
            }
            Operator::StIntersectsGeometryBand => {
                vec![("geommin", &geometry, true), ("nband", &integer, false)]
            }
            _ => match self.class {
                Operators::Spatial(SpatialKind::Geography) => vec![
                    ("from", &own, true),
                    ("distance", &float, true),
                    ("use_spheroid", &boolean, false),
                ],
                _ => vec![("from", &own, true), ("distance", &float, true)],
            },
        };
        let Operand::Literal(Json::Object(given)) = operand else {
            return Err(problem(place, "An object is wanted."));
        };
        let names: Vec<_> = members.iter().map(|(name, ..)| *name).collect();
        let has = |name: &str| names.contains(&name);
        if let Some((other, _)) = given.iter().find(|(name, _)| !has(name)) {
            let names = names.join("`, `");
            return Err(problem(place, format!("There is no key `{other}` here, but `{names}`.")));
        }
        let mut operands = Vec::new();
        for (name, r#type, is_required) in members {
            match given.iter().find(|(own, _)| **own == *name).map(|(_, value)| value) {
                None | Some(Json::Null) if is_required => {
                    return Err(problem(place, format!("The key `{name}` is required.")));
                }
                None | Some(Json::Null) => {}
                Some(value) => {
                    let value = match value {
                        Json::String(text) if SessionVariable::is_name(text) => {
                            Operand::Session(SessionVariable { text: text.clone() })
                        }
                        value => Operand::Literal(value.clone()),
                    };
                    operands.push(ValueType::new(self.catalog, r#type).value(&value, place)?);
                }
            }
        }
        let (of, operator) = (self.value.clone(), GeoOperator::Spatial(relation));
        Ok(Filter::Geo { place: of, operator, operand: ir::Operand::List(operands) })
    }

    /// Comparisons of the value in other types.
    fn casts(&self, operand: &Operand, place: &Location) -> Result<Filter, Problem> {
        let Operand::Cast(casts) = operand else {
            return Err(problem(place, "An object with the name of a type is wanted."));
        };
        let mut all = Vec::new();
        for (name, comparisons) in casts {
            let value = self.cast(name).ok_or_else(|| {
                let message = format!(
                    "A value of the type of `{}` cannot be cast to the type `{name}`.",
                    self.name
                );
                problem(place, message)
            })?;
            for comparison in comparisons {
                all.push(value.comparison(comparison)?);
            }
        }
        Ok(Filter::and(all))
    }

    /// The value in another type; `None` if there is no such conversion.
    fn cast(&self, name: &str) -> Option<Self> {
        let (to, value, is_text_of_other) = match (self.class, name) {
            (Operators::Spatial(SpatialKind::Geometry), "geography") => {
                let to = SpatialKind::Geography;
                let place = Box::new(self.value.clone());
                (self.spatial_type(to), ValueRef::Spatial { place, to }, false)
            }
            (Operators::Spatial(SpatialKind::Geography), "geometry") => {
                let to = SpatialKind::Geometry;
                let place = Box::new(self.value.clone());
                (self.spatial_type(to), ValueRef::Spatial { place, to }, false)
            }
            (Operators::Json | Operators::JsonContent, "text" | TEXT) => {
                (Type::Scalar(Scalar::Text), self.value.clone(), true)
            }
            _ => return None,
        };
        let class = values(self.catalog, &to).operators;
        let (catalog, name) = (self.catalog, self.name);
        Some(Self { catalog, name, value, r#type: to, class, is_text_of_other })
    }

    /// A type of PostGIS.
    fn spatial_type(&self, kind: SpatialKind) -> Type {
        let namespace = match &self.r#type {
            Type::Scalar(Scalar::Spatial(own)) => own.namespace.clone(),
            _ => Box::default(),
        };
        Type::Scalar(Scalar::Spatial(SpatialType { kind, namespace }))
    }

    /// The type must have the operator.
    fn require_operator(&self, operator: Operator, place: &Location) -> Result<(), Problem> {
        if has(self.class, operator) {
            return Ok(());
        }
        let message = format!(
            "The type of `{}` has no operator `{}` in this database.",
            self.name,
            operator.as_str()
        );
        Err(problem(place, message))
    }

    fn unserved(&self, operator: Operator, place: &Location) -> Problem {
        let message = format!("`{}` has no operator `{}`.", self.name, operator.as_str());
        problem(place, message)
    }
}

fn not(filter: Filter) -> Filter {
    Filter::Not(Box::new(filter))
}

/// True if an operator of permissions applies to a class of types.
fn has(class: Operators, operator: Operator) -> bool {
    use Operators::{Enum, Json, JsonContent, List, Null, Ordered, Spatial, Text, Tree};
    match operator {
        Operator::IsNull => true,
        Operator::Equal
        | Operator::NotEqual
        | Operator::In
        | Operator::NotIn
        | Operator::ColumnEqual
        | Operator::ColumnNotEqual => match class {
            Ordered | Text | Json | List | Tree | Enum | Spatial(_) => true,
            Null | JsonContent => false,
        },
        Operator::Greater
        | Operator::Less
        | Operator::GreaterOrEqual
        | Operator::LessOrEqual
        | Operator::ColumnGreater
        | Operator::ColumnLess
        | Operator::ColumnGreaterOrEqual
        | Operator::ColumnLessOrEqual => match class {
            Spatial(kind) => kind != SpatialKind::Raster,
            Ordered | Text | Json | List | Tree | Enum => true,
            Null | JsonContent => false,
        },
        Operator::Like
        | Operator::NotLike
        | Operator::ILike
        | Operator::NotILike
        | Operator::Similar
        | Operator::NotSimilar
        | Operator::Regex
        | Operator::IRegex
        | Operator::NotRegex
        | Operator::NotIRegex => class == Text,
        Operator::Contains | Operator::ContainedIn => matches!(class, Json | JsonContent | List),
        Operator::HasKey | Operator::HasKeysAny | Operator::HasKeysAll => {
            matches!(class, Json | JsonContent)
        }
        Operator::JsonPathExists | Operator::JsonPathMatch => class == Json,
        Operator::Cast => matches!(
            class,
            Json | JsonContent | Spatial(SpatialKind::Geometry | SpatialKind::Geography)
        ),
        Operator::StIntersects | Operator::StDistanceWithin => {
            matches!(class, Spatial(SpatialKind::Geometry | SpatialKind::Geography))
        }
        Operator::StContains
        | Operator::StCrosses
        | Operator::StEquals
        | Operator::St3dIntersects
        | Operator::StOverlaps
        | Operator::StTouches
        | Operator::StWithin
        | Operator::St3dDistanceWithin => class == Spatial(SpatialKind::Geometry),
        Operator::StIntersectsRaster
        | Operator::StIntersectsBandGeometry
        | Operator::StIntersectsGeometryBand => class == Spatial(SpatialKind::Raster),
        Operator::Ancestor
        | Operator::AncestorAny
        | Operator::Descendant
        | Operator::DescendantAny
        | Operator::Matches
        | Operator::MatchesAny
        | Operator::MatchesFulltext => class == Tree,
    }
}
