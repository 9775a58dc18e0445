//! From the request tree to SQL statements: what all relational sources have in common.
//!
//! A request becomes [`Level`]s: a statement for the rows of each root field, and one for each
//! to-many relationship and each count below it. A to-one relationship is a join. The sources
//! differ in how a level finds the rows that belong to its parents ([`Strategy`]), and in what
//! the [`sql::Flavor`] says.
//!
//! * [`level`]: what a compiled request is
//! * [`compile`]: the walk over the tree
//! * `items`: the columns of a level
//! * [`aggregate`]: what is made of all rows of a set
//! * `row_set`: FROM, joins, filters and order of one set of rows
//! * [`parents`]: the parents of a level, said again or as arrays of keys
//! * `bounding`: pages whose size a database can plan for
//! * `implied`: levels whose parents need not be asked for
//! * `keyed`: rows by lists of keys
//! * `own_keys`: conditions on keys of rows that are referred to
//! * `apart`: to-one rows that are read by a statement of their own
//! * `joined`: levels that are read by the statement of the level above
//! * `variants`: rows of several entities in one list
//! * [`through`]: rows that another table joins to their parents
//! * [`keyset`]: rows beyond a cursor's position; `beside_row`: rows before or after another one
//! * `first`: distinct rows
//! * `distributed`: statements for databases of several servers
//! * [`function`]: calls of functions, as values and as rows
//! * [`filter`] for conditions, `barrier` for those that are evaluated after others
//! * [`search`]: words, stems and regular expressions; `searched`: conditions with them
//! * `located`: conditions on places of the earth
//! * `spatial`: values of PostGIS
//! * `nearest`: distances of vectors
//! * [`statement`]: parameters and aliases of one statement
//! * [`value`]: what kind of value a parameter is
//! * `object_list`: keys of objects that are resolved between statements
//! * `write`: statements that change rows, and what is read of them
//! * `predicate`: conditions of partial indexes
//! * `literal`: defaults of columns
//! * `unindexed`: foreign keys that no index serves

mod aggregate;
mod apart;
mod barrier;
mod beside_row;
mod bounding;
pub mod compile;
mod distributed;
mod filter;
mod first;
mod function;
mod held;
mod implied;
mod items;
mod joined;
mod key_types;
mod keyed;
mod keyset;
pub mod level;
pub mod literal;
mod located;
mod nearest;
mod object_list;
mod own_keys;
mod parents;
pub mod predicate;
mod row_set;
pub mod search;
mod searched;
mod spatial;
mod statement;
mod through;
mod unindexed;
pub mod value;
mod variants;
mod write;
mod written;

pub use apart::{FIRST_APART, ToOne, compile_apart, to_ones};
pub use barrier::is_leakproof;
pub use bounding::{BoundedPages, bounding_place};
pub use compile::{Strategy, compile};
pub use joined::MOST_REPEATED;
pub use level::{
    ApartColumn, Level, LevelKind, Link, Page, Parameter, ParameterSource, Parents, Program,
    Refusal, Repeats, Requirement, Test, Unit, When, WriteKind,
};
pub use object_list::{
    Creators, KeyResults, NewKey, ObjectList, ObjectPlace, ObjectSource, TableCreators,
};
pub use own_keys::with_own_keys;
pub use unindexed::note_unindexed;
pub use value::{Against, ParameterKind, ValueKind, escape_ends, like_pattern};
