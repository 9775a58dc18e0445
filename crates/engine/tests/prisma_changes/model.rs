//! A datamodel with relations of every kind: columns, tables, of a type with itself, required ends,
//! cascades.

pub(super) const DATAMODEL: &str = r#"
type User {
  id: ID! @id(strategy: NONE)
  name: String @unique
  age: Int
  marks: [Int!]! @scalarList(strategy: RELATION)
  posts: [Post] @relation(name: "Writes", onDelete: CASCADE)
  edited: [Post] @relation(name: "Edits")
  profile: Profile @relation(name: "Has")
  seat: Seat @relation(name: "Sits", link: TABLE)
  follows: [User] @relation(name: "Follows", link: TABLE)
  followers: [User] @relation(name: "Follows")
  boss: User @relation(name: "Leads", link: INLINE)
  team: [User] @relation(name: "Leads")
}
type Post {
  id: ID! @id(strategy: NONE)
  name: String @unique
  age: Int
  marks: [Int!]! @scalarList(strategy: RELATION)
  author: User! @relation(name: "Writes", link: INLINE)
  editor: User @relation(name: "Edits", link: INLINE)
  topics: [Topic] @relation(name: "About", link: TABLE)
  notes: [Note] @relation(name: "Holds", link: TABLE, onDelete: CASCADE)
}
type Topic {
  id: ID! @id(strategy: NONE)
  name: String @unique
  age: Int
  marks: [Int!]! @scalarList(strategy: RELATION)
  posts: [Post] @relation(name: "About")
}
type Profile {
  id: ID! @id(strategy: NONE)
  name: String @unique
  age: Int
  marks: [Int!]! @scalarList(strategy: RELATION)
  user: User! @relation(name: "Has", link: INLINE)
}
type Seat {
  id: ID! @id(strategy: NONE)
  name: String @unique
  age: Int
  marks: [Int!]! @scalarList(strategy: RELATION)
  user: User @relation(name: "Sits")
}
type Note {
  id: ID! @id(strategy: NONE)
  name: String @unique
  age: Int
  marks: [Int!]! @scalarList(strategy: RELATION)
  post: Post @relation(name: "Holds")
  next: Note @relation(name: "Next", link: INLINE)
  previous: Note @relation(name: "Next")
}
"#;

pub(super) const TYPES: [&str; 6] = ["User", "Post", "Topic", "Profile", "Seat", "Note"];

/// One end of a relation: what a row of a type has of the rows at the other end.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub r#type: usize,
    pub field: &'static str,
    pub is_list: bool,
    pub is_required: bool,
    /// The related rows are deleted with the row.
    pub cascades: bool,
    /// The row has the column of the relation.
    pub has_column: bool,
}

const fn one(r#type: usize, field: &'static str) -> End {
    End { r#type, field, is_list: false, is_required: false, cascades: false, has_column: false }
}

const fn many(r#type: usize, field: &'static str) -> End {
    End { is_list: true, ..one(r#type, field) }
}

const fn column(r#type: usize, field: &'static str) -> End {
    End { has_column: true, ..one(r#type, field) }
}

const fn required(end: End) -> End {
    End { is_required: true, ..end }
}

const fn cascading(end: End) -> End {
    End { cascades: true, ..end }
}

const USER: usize = 0;
const POST: usize = 1;
const TOPIC: usize = 2;
const PROFILE: usize = 3;
const SEAT: usize = 4;
const NOTE: usize = 5;

/// The two ends of each relation.
pub(super) static RELATIONS: [[End; 2]; 9] = [
    [cascading(many(USER, "posts")), required(column(POST, "author"))],
    [many(USER, "edited"), column(POST, "editor")],
    [one(USER, "profile"), required(column(PROFILE, "user"))],
    [one(USER, "seat"), one(SEAT, "user")],
    [many(USER, "follows"), many(USER, "followers")],
    [column(USER, "boss"), many(USER, "team")],
    [many(POST, "topics"), many(TOPIC, "posts")],
    [cascading(many(POST, "notes")), one(NOTE, "post")],
    // The end whose name is last in the alphabet has the column, as in Prisma.
    [one(NOTE, "next"), column(NOTE, "previous")],
];

/// A relation as a field of one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub relation: usize,
    /// The end that has the field.
    pub end: usize,
}

impl Field {
    pub(super) fn near(self) -> &'static End {
        &RELATIONS[self.relation][self.end]
    }

    pub(super) fn far(self) -> &'static End {
        &RELATIONS[self.relation][1 - self.end]
    }

    pub(super) fn opposite(self) -> Self {
        Self { end: 1 - self.end, ..self }
    }
}

/// The fields of a type, in the order of the datamodel.
pub(super) fn fields(r#type: usize) -> Vec<Field> {
    let ends = (0..RELATIONS.len()).flat_map(|relation| [0, 1].map(|end| Field { relation, end }));
    ends.filter(|field| field.near().r#type == r#type).collect()
}
