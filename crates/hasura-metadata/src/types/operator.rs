//! Operators of the boolean expressions of permissions.

choice! {
    /// An operator between a column and an operand.
    Operator {
        Equal = "_eq",
        NotEqual = "_neq" | "_ne",
        Greater = "_gt",
        Less = "_lt",
        GreaterOrEqual = "_gte",
        LessOrEqual = "_lte",
        In = "_in",
        NotIn = "_nin",
        IsNull = "_is_null",
        Like = "_like",
        NotLike = "_nlike",
        ILike = "_ilike",
        NotILike = "_nilike",
        Similar = "_similar",
        NotSimilar = "_nsimilar",
        Regex = "_regex",
        IRegex = "_iregex",
        NotRegex = "_nregex",
        NotIRegex = "_niregex",
        ColumnEqual = "_ceq",
        ColumnNotEqual = "_cne" | "_cneq",
        ColumnGreater = "_cgt",
        ColumnLess = "_clt",
        ColumnGreaterOrEqual = "_cgte",
        ColumnLessOrEqual = "_clte",
        Contains = "_contains",
        ContainedIn = "_contained_in",
        HasKey = "_has_key",
        HasKeysAny = "_has_keys_any",
        HasKeysAll = "_has_keys_all",
        JsonPathExists = "_jsonb_path_exists",
        JsonPathMatch = "_jsonb_path_match",
        Cast = "_cast",
        StContains = "_st_contains",
        StCrosses = "_st_crosses",
        StEquals = "_st_equals",
        StIntersects = "_st_intersects",
        St3dIntersects = "_st_3d_intersects",
        StOverlaps = "_st_overlaps",
        StTouches = "_st_touches",
        StWithin = "_st_within",
        StDistanceWithin = "_st_d_within",
        St3dDistanceWithin = "_st_3d_d_within",
        StIntersectsRaster = "_st_intersects_rast",
        StIntersectsBandGeometry = "_st_intersects_nband_geom",
        StIntersectsGeometryBand = "_st_intersects_geom_nband",
        Ancestor = "_ancestor",
        AncestorAny = "_ancestor_any",
        Descendant = "_descendant",
        DescendantAny = "_descendant_any",
        Matches = "_matches",
        MatchesAny = "_matches_any",
        MatchesFulltext = "_matches_fulltext",
    }
}

/// What the operand of an operator is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandKind {
    /// A value, or a list of them; a text may be a session variable.
    Value,
    /// Another column.
    Column,
    /// Comparisons of the value in another type.
    Cast,
}

impl Operator {
    #[must_use]
    pub fn operand_kind(self) -> OperandKind {
        match self {
            Self::ColumnEqual
            | Self::ColumnNotEqual
            | Self::ColumnGreater
            | Self::ColumnLess
            | Self::ColumnGreaterOrEqual
            | Self::ColumnLessOrEqual => OperandKind::Column,
            Self::Cast => OperandKind::Cast,
            Self::Equal
            | Self::NotEqual
            | Self::Greater
            | Self::Less
            | Self::GreaterOrEqual
            | Self::LessOrEqual
            | Self::In
            | Self::NotIn
            | Self::IsNull
            | Self::Like
            | Self::NotLike
            | Self::ILike
            | Self::NotILike
            | Self::Similar
            | Self::NotSimilar
            | Self::Regex
            | Self::IRegex
            | Self::NotRegex
            | Self::NotIRegex
            | Self::Contains
            | Self::ContainedIn
            | Self::HasKey
            | Self::HasKeysAny
            | Self::HasKeysAll
            | Self::JsonPathExists
            | Self::JsonPathMatch
            | Self::StContains
            | Self::StCrosses
            | Self::StEquals
            | Self::StIntersects
            | Self::St3dIntersects
            | Self::StOverlaps
            | Self::StTouches
            | Self::StWithin
            | Self::StDistanceWithin
            | Self::St3dDistanceWithin
            | Self::StIntersectsRaster
            | Self::StIntersectsBandGeometry
            | Self::StIntersectsGeometryBand
            | Self::Ancestor
            | Self::AncestorAny
            | Self::Descendant
            | Self::DescendantAny
            | Self::Matches
            | Self::MatchesAny
            | Self::MatchesFulltext => OperandKind::Value,
        }
    }

    /// The operator of a key, which may begin with `$` instead of `_`.
    #[must_use]
    pub fn of_key(key: &str) -> Option<Self> {
        match key.strip_prefix('$') {
            Some(rest) => Self::find(&format!("_{rest}")),
            None => Self::find(key),
        }
    }
}
