//! The syntax that a version of the server understands.

use cypher::Flavor;

use crate::wire::ServerVersion;

/// The Cypher flavor of a server. A version without a number is newer than all known ones.
pub(super) fn flavor(version: ServerVersion) -> Flavor {
    let part = |number: u32| u16::try_from(number).unwrap_or(u16::MAX);
    Flavor::of_version(part(version.major), part(version.minor))
}
