//! The meaning of the names in files: types, predicates and fields, with their tables.
//!
//! A dialect fills it from its definitions. Indexes of tables are those of
//! [`Tables`], indexes of columns those of their table.

use rustc_hash::FxHashMap;
use storage::tables::{Side, StoredValue, Tables};

/// The meaning of all names.
#[derive(Clone, Debug, Default)]
pub struct Mapping {
    pub tables: Tables,
    pub objects: Vec<ObjectType>,
    /// Names of interfaces and unions.
    pub groups: Vec<GroupType>,
    pub relations: Vec<Relation>,
}

/// A type whose objects are rows of a table.
#[derive(Clone, Debug)]
pub struct ObjectType {
    /// The name that exports have.
    pub name: Box<str>,
    /// Other names by which files may call it.
    pub aliases: Vec<Box<str>>,
    /// Names of its interfaces, which exports have beside its own.
    pub interfaces: Vec<Box<str>>,
    pub table: usize,
    /// The column of its key.
    pub key: usize,
    pub members: Vec<Member>,
}

/// A member of an object.
#[derive(Clone, Debug)]
pub struct Member {
    /// The name of the field.
    pub field: Box<str>,
    /// The name in triples.
    pub predicate: Box<str>,
    pub is_list: bool,
    pub is_required: bool,
    pub holds: Holds,
}

/// The content of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// The id of the object.
    Key,
    Column(usize),
    /// Objects at the other end of a relation.
    Objects {
        relation: usize,
        side: Side,
        target: Target,
    },
}

/// The objects to which a member refers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Object(usize),
    Group(usize),
}

/// An interface or a union.
#[derive(Clone, Debug)]
pub struct GroupType {
    pub name: Box<str>,
    pub members: Vec<usize>,
    /// Fields whose values are unique among all members, with their column in the table of the
    /// group.
    pub keys: Vec<(Box<str>, usize)>,
    /// The table with the keys of all members, if there is one.
    pub table: Option<usize>,
}

/// A relation between objects.
#[derive(Clone, Debug)]
pub struct Relation {
    pub place: RelationStorage,
    pub near: End,
    pub far: End,
    /// True if it leads back from each object.
    pub is_symmetric: bool,
}

/// An end of a relation.
#[derive(Clone, Debug)]
pub struct End {
    /// The objects at this end.
    pub objects: Vec<usize>,
    /// The name of their field, for messages.
    pub field: Box<str>,
    /// True if their field holds at most one object.
    pub is_single: bool,
    pub is_required: bool,
}

/// The storage of a relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RelationStorage {
    /// A column of each table at one end.
    Columns { side: Side, columns: Vec<(usize, usize)> },
    /// A table of pairs, with the columns of both ends.
    Pairs { table: usize, near: usize, far: usize },
}

/// A type by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeName {
    Object(usize),
    /// An interface, which says nothing about the table.
    Group,
    /// A type of Dgraph's own.
    Internal,
    Unknown,
}

/// Finds parts of a mapping by their names.
#[derive(Debug, Default)]
pub struct Lookup {
    types: FxHashMap<Box<str>, TypeName>,
    by_field: Vec<FxHashMap<Box<str>, usize>>,
    by_predicate: Vec<FxHashMap<Box<str>, usize>>,
    /// An object with the predicate, and the member.
    predicates: FxHashMap<Box<str>, (usize, usize)>,
}

/// The beginning of the names of Dgraph's own types and predicates.
const INTERNAL: &str = "dgraph.";

impl ObjectType {
    /// Adds a member, unless there is one with the predicate.
    pub fn add(&mut self, member: Member) {
        if !self.members.iter().any(|known| known.predicate == member.predicate) {
            self.members.push(member);
        }
    }
}

impl Relation {
    #[must_use]
    pub fn end(&self, side: Side) -> &End {
        match side {
            Side::Near => &self.near,
            Side::Far => &self.far,
        }
    }
}

impl Lookup {
    #[must_use]
    pub fn new(mapping: &Mapping) -> Self {
        let mut lookup = Self::default();
        for group in &mapping.groups {
            lookup.types.insert(group.name.clone(), TypeName::Group);
        }
        for (index, object) in mapping.objects.iter().enumerate() {
            for alias in &object.aliases {
                lookup.types.insert(alias.clone(), TypeName::Object(index));
            }
            let members = || object.members.iter().enumerate();
            let mut fields: FxHashMap<Box<str>, usize> = FxHashMap::default();
            for (place, member) in members() {
                fields.insert(member.field.clone(), place);
                // A field in a language has a second name: the field without one, with the tag.
                if let Some((predicate, tag)) = member.predicate.split_once('@')
                    && let Some(own) =
                        object.members.iter().find(|one| *one.predicate == *predicate)
                {
                    fields.entry(format!("{}@{tag}", own.field).into()).or_insert(place);
                }
            }
            lookup.by_field.push(fields);
            let predicates = members().map(|(place, member)| (member.predicate.clone(), place));
            lookup.by_predicate.push(predicates.collect());
            for (place, member) in members() {
                lookup.predicates.entry(member.predicate.clone()).or_insert((index, place));
            }
        }
        for (index, object) in mapping.objects.iter().enumerate() {
            lookup.types.insert(object.name.clone(), TypeName::Object(index));
        }
        lookup
    }

    #[must_use]
    pub fn r#type(&self, name: &str) -> TypeName {
        match self.types.get(name) {
            Some(found) => *found,
            None if is_internal(name) => TypeName::Internal,
            None => TypeName::Unknown,
        }
    }

    /// The member of an object by the name of its field.
    #[must_use]
    pub fn field(&self, object: usize, field: &str) -> Option<usize> {
        self.by_field.get(object)?.get(field).copied()
    }

    /// The member of an object by its predicate.
    #[must_use]
    pub fn predicate(&self, object: usize, predicate: &str) -> Option<usize> {
        self.by_predicate.get(object)?.get(predicate).copied()
    }

    /// A type that has the predicate, with its member.
    #[must_use]
    pub fn any_with(&self, predicate: &str) -> Option<(usize, usize)> {
        self.predicates.get(predicate).copied()
    }
}

impl Mapping {
    /// The columns of an object whose values are unique, in its own table or in that of a group,
    /// with their space among `spaces`.
    #[must_use]
    pub fn keys_of(&self, object: usize, spaces: &[(usize, usize)]) -> Vec<(usize, usize)> {
        let index = self.objects[object].table;
        let table = &self.tables.tables[index];
        let column = |name: &str| table.columns.iter().position(|own| *own.name == *name);
        let found = spaces.iter().enumerate().filter_map(|(space, (of, unique))| {
            if *of == index {
                return Some((space, *unique));
            }
            let group = &self.tables.tables[*of];
            let membership = table.groups.iter().find(|own| own.table == group.name)?;
            let unique = &group.columns[*unique].name;
            let (own, _) = membership.copies.iter().find(|(_, copy)| copy == unique)?;
            Some((space, column(own)?))
        });
        found.collect()
    }

    /// Columns whose values are unique among rows, each by itself: the table, and the column.
    #[must_use]
    pub fn key_spaces(&self) -> Vec<(usize, usize)> {
        let tables = self.tables.tables.iter().enumerate();
        let spaces = tables.flat_map(|(index, table)| {
            let columns = table.unique.iter().filter_map(|unique| match &*unique.columns {
                [column] => table.columns.iter().position(|own| own.name == *column),
                _ => None,
            });
            let fields = columns
                .filter(|column| matches!(table.columns[*column].stores, StoredValue::Field(_)));
            fields.map(move |column| (index, column)).collect::<Vec<_>>()
        });
        spaces.collect()
    }
}

/// Returns true if Dgraph keeps a name for itself.
#[must_use]
pub fn is_internal(name: &str) -> bool {
    name.starts_with(INTERNAL)
}
