use catalog::builder::{NewField, NewRelationship};
use catalog::{
    Builder, Capabilities, Catalog, EntityId, EntityKind, FieldId, Key, KeyKind, Scalar, Type,
};
use expect_test::{Expect, expect};

use super::{Introspected, introspected, written};
use crate::definitions::read;

