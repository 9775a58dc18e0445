//! Exports: pages of nodes, lists or relations, from the answers of queries of the API.
//!
//! A client asks for the page behind a cursor until there is none. A page ends at a number of
//! characters, so it consists of several queries, each of which has a number of rows.

use serde_json::{Map, Value, json};

use super::{FIELD_NAME, ID, Malformed, Part, TYPE_NAME, key_field, lists, malformed};
use crate::model::{End, FieldKind, Model, Relation, RelationIndex, Type, TypeIndex};
use crate::plural::{lower_first, plural};
use crate::schema::relation_order;

/// Rows of a query, and related rows of a row. Fewer are asked for if the answer would be too large.
const ROWS: u64 = 1_000;

/// The most rows of a query that reads several related rows of each.
const ROWS_WITH_LISTS: u64 = 100;

/// The response name of rows, of their keys, and of what they have.
const ROWS_NAME: &str = "rows";
const KEY_NAME: &str = "_key";
const VALUE_NAME: &str = "_value";

/// A place in the data of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Cursor {
    /// The type, the list or the relation.
    table: usize,
    /// The row among those of the table.
    row: u64,
    /// The related row among those of the row.
    related: u64,
}

/// A table of an export: the rows of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Table {
    Nodes(TypeIndex),
    List(TypeIndex, usize),
    /// The relation, and the end whose rows are read with their related rows.
    Relation(RelationIndex, End),
}

/// A page of an export while it is made.
#[derive(Debug)]
pub struct Page<'m> {
    model: &'m Model,
    tables: Vec<Table>,
    /// Behind the last element.
    cursor: Cursor,
    /// Where the next query begins.
    next: Cursor,
    /// The most rows of a query, and of the next one.
    most_rows: u64,
    rows: u64,
    elements: Vec<Value>,
    /// Characters of the elements.
    size: usize,
    most: usize,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Going,
    /// The page has as many characters as it may.
    Full,
    /// All tables are read.
    Ended,
}

impl<'m> Page<'m> {
    /// Begins the page that a request asks for, of at most so many characters unless it has one
    /// element. `max_nodes` is the limit of `first`.
    pub fn begin(
        model: &'m Model,
        request: &Value,
        most: usize,
        max_nodes: Option<u32>,
    ) -> Result<Self, Malformed> {
        let Some(part) = request["fileType"].as_str() else {
            return malformed("`fileType` is one of `nodes`, `lists` and `relations`");
        };
        let tables = match Part::find(part) {
            None => Vec::new(),
            Some(Part::Nodes) => {
                let types = (0..model.types.len()).map(TypeIndex);
                types.map(Table::Nodes).collect()
            }
            Some(Part::Lists) => {
                lists(model).into_iter().map(|(of, field)| Table::List(of, field)).collect()
            }
            Some(Part::Relations) => {
                let relations = relation_order(model).into_iter();
                let tables = relations.map(|index| {
                    Table::Relation(index, read_end(model, &model.relations[index.0]))
                });
                tables.collect()
            }
        };
        let member = |name: &str| {
            let member = &request["cursor"][name];
            match (name, member) {
                ("array", Value::Null) => Ok(0),
                _ => member.as_u64().ok_or_else(|| {
                    Malformed(format!("`cursor.{name}` is a number that is not negative"))
                }),
            }
        };
        let table = usize::try_from(member("table")?).unwrap_or(usize::MAX);
        let cursor = Cursor { table, row: member("row")?, related: member("array")? };
        let state = if tables.is_empty() { State::Ended } else { State::Going };
        if state == State::Going && table >= tables.len() {
            return malformed(format!("`cursor.table` is less than {}", tables.len()));
        }
        for table in &tables {
            let of = match *table {
                Table::Nodes(of) | Table::List(of, _) => [Some(of), None],
                Table::Relation(index, _) => {
                    let relation = &model.relations[index.0];
                    [Some(relation.a.r#type), Some(relation.b.r#type)]
                }
            };
            for own in of.into_iter().flatten().map(|of| &model.types[of.0]) {
                if key_field(own).is_none() {
                    return malformed(format!(
                        "the type {} has no field for its id, by which its rows are exported: add \
                         `id: ID! @unique`",
                        own.name
                    ));
                }
            }
        }
        let most_rows = max_nodes.map_or(ROWS, |most| ROWS.min(most.into()));
        Ok(Self {
            model,
            tables,
            cursor,
            next: cursor,
            most_rows,
            rows: most_rows,
            elements: Vec::new(),
            size: 0,
            most,
            state,
        })
    }

    /// The next query of the page; none if it is complete.
    #[must_use]
    pub fn query(&self) -> Option<String> {
        if self.state != State::Going {
            return None;
        }
        let Cursor { table, row, .. } = self.next;
        let table = *self.tables.get(table)?;
        let rows = self.asked(table);
        let (of, condition, selection) = self.selection(table)?;
        let condition = condition.map(|condition| format!("where: {condition}, "));
        let condition = condition.unwrap_or_default();
        let plural = plural(&of.name);
        let list = lower_first(&plural);
        Some(format!(
            "{{ {ROWS_NAME}: {list}({condition}skip: {row}, first: {rows}) {{ {selection} }} }}"
        ))
    }

    /// The number of rows that the next query asks for.
    fn asked(&self, table: Table) -> u64 {
        let has_lists = match table {
            Table::Nodes(_) | Table::List(..) => false,
            Table::Relation(index, end) => {
                let relation = self.model.relations.get(index.0);
                let end = relation.map(|relation| relation.end(end));
                let field =
                    end.and_then(|end| self.model.types.get(end.r#type.0)?.fields.get(end.field?));
                field.is_some_and(is_list)
            }
        };
        match has_lists {
            // The place among related rows is that of one row.
            true if self.next.related > 0 => 1,
            true => self.rows.min(ROWS_WITH_LISTS),
            false => self.rows,
        }
    }

    /// The type whose rows a table has, a condition on them, and what is read of them.
    fn selection(&self, table: Table) -> Option<(&'m Type, Option<String>, String)> {
        let key = |own: &'m Type| {
            let (field, _) = key_field(own)?;
            Some(format!("{KEY_NAME}: {}", field.name))
        };
        match table {
            Table::Nodes(of) => {
                let own = self.model.types.get(of.0)?;
                let scalars =
                    own.fields.iter().filter(|field| matches!(field.kind, FieldKind::Scalar(_)));
                let names = scalars.map(|field| format!(" {}", field.name));
                Some((own, None, names.fold(key(own)?, |all, name| all + &name)))
            }
            Table::List(of, field) => {
                let own = self.model.types.get(of.0)?;
                let name = &own.fields.get(field)?.name;
                Some((own, None, format!("{} {VALUE_NAME}: {name}", key(own)?)))
            }
            Table::Relation(index, end) => {
                let relation = self.model.relations.get(index.0)?;
                let own = self.model.types.get(relation.end(end).r#type.0)?;
                let other = self.model.types.get(relation.end(end.other()).r#type.0)?;
                let field = own.fields.get(relation.end(end).field?)?;
                let name = &field.name;
                let (condition, arguments) = match is_list(field) {
                    true => {
                        let (skip, rows) = (self.next.related, self.rows);
                        (
                            format!("{{ {name}_some: {{}} }}"),
                            format!("(skip: {skip}, first: {rows})"),
                        )
                    }
                    false => (format!("{{ NOT: [{{ {name}: null }}] }}"), String::new()),
                };
                let selection =
                    format!("{} {VALUE_NAME}: {name}{arguments} {{ {} }}", key(own)?, key(other)?);
                Some((own, Some(condition), selection))
            }
        }
    }

    /// Takes the data of the query's answer.
    pub fn take(&mut self, data: &Value) {
        let Some(table) = self.tables.get(self.next.table).copied() else { return };
        let rows = data[ROWS_NAME].as_array().map(Vec::as_slice).unwrap_or_default();
        let asked = self.asked(table);
        for row in rows {
            let related = match table {
                Table::Relation(index, end) => {
                    let Some(related) = self.relation(index, end, row) else { return };
                    related
                }
                Table::Nodes(_) | Table::List(..) => {
                    if let Some(element) = self.element(table, row)
                        && !self.push(element, Cursor { row: self.next.row + 1, ..self.next })
                    {
                        return;
                    }
                    None
                }
            };
            if let Some(related) = related {
                self.next.related = related;
                return;
            }
            self.next = Cursor { row: self.next.row + 1, related: 0, ..self.next };
        }
        if (rows.len() as u64) < asked {
            self.next = Cursor { table: self.next.table + 1, row: 0, related: 0 };
            self.cursor = self.next;
            self.rows = self.most_rows;
            if self.next.table >= self.tables.len() {
                self.state = State::Ended;
            }
        }
    }

    /// Asks for fewer rows after an answer that was too large. Returns false if it had one row.
    #[must_use]
    pub fn shrink(&mut self) -> bool {
        let shrinks = self.rows > 1;
        self.rows = (self.rows / 10).max(1);
        shrinks
    }

    /// The answer to the request.
    #[must_use]
    pub fn answer(self) -> Value {
        let cursor = match self.state {
            State::Ended => json!({ "table": -1, "row": -1, "field": -1, "array": -1 }),
            State::Going | State::Full => {
                let Cursor { table, row, related } = self.cursor;
                json!({ "table": table, "row": row, "field": 0, "array": related })
            }
        };
        json!({
            "out": { "jsonElements": self.elements, "size": self.size },
            "cursor": cursor,
            "isFull": self.state == State::Full,
        })
    }

    /// The element of a node, or of a list that is not empty.
    fn element(&self, table: Table, row: &Value) -> Option<Value> {
        match table {
            Table::Nodes(of) => {
                let own = self.model.types.get(of.0)?;
                let mut element = Map::new();
                element.insert(TYPE_NAME.into(), Value::from(&*own.name));
                element.insert(ID.into(), row[KEY_NAME].clone());
                for field in &own.fields {
                    let value = &row[&*field.name];
                    if matches!(field.kind, FieldKind::Scalar(_)) && !value.is_null() {
                        element.insert((*field.name).into(), value.clone());
                    }
                }
                Some(Value::Object(element))
            }
            Table::List(of, field) => {
                let own = self.model.types.get(of.0)?;
                let field = own.fields.get(field)?;
                let list = &row[VALUE_NAME];
                let is_empty = list.as_array().is_none_or(Vec::is_empty);
                (!is_empty).then(
                    || json!({ TYPE_NAME: &*own.name, ID: &row[KEY_NAME], &*field.name: list }),
                )
            }
            Table::Relation(..) => None,
        }
    }

    /// Adds the pairs of a row. Returns the place among its related rows if there may be more of them;
    /// `None` if the page is full.
    fn relation(&mut self, index: RelationIndex, end: End, row: &Value) -> Option<Option<u64>> {
        let model = self.model;
        let relation = model.relations.get(index.0)?;
        let related = match &row[VALUE_NAME] {
            Value::Array(related) => related.as_slice(),
            Value::Null => &[],
            one => std::slice::from_ref(one),
        };
        let is_list = row[VALUE_NAME].is_array();
        let most = self.rows;
        let mut place = self.next.related;
        for other in related {
            let (own_key, other_key) = (&row[KEY_NAME], &other[KEY_NAME]);
            let (a, b) = match end {
                End::A => (own_key, other_key),
                End::B => (other_key, own_key),
            };
            let element =
                json!([side(model, relation, End::B, b), side(model, relation, End::A, a)]);
            place += 1;
            let is_last = !is_list || (related.len() as u64) < most;
            let behind = match is_last && place - self.next.related == related.len() as u64 {
                true => Cursor { row: self.next.row + 1, related: 0, ..self.next },
                false => Cursor { related: place, ..self.next },
            };
            if !self.push(element, behind) {
                return None;
            }
        }
        Some((is_list && related.len() as u64 == most).then_some(place))
    }

    /// Adds an element, unless the page would have too many characters. Returns false if the page is
    /// full.
    fn push(&mut self, element: Value, behind: Cursor) -> bool {
        let size = self.size + element.to_string().encode_utf16().count();
        let is_too_large = size > self.most;
        if !is_too_large || self.elements.is_empty() {
            self.elements.push(element);
            self.size = size;
            self.cursor = behind;
        }
        if is_too_large {
            self.state = State::Full;
        }
        !is_too_large
    }
}

/// A side of a pair.
fn side(model: &Model, relation: &Relation, end: End, key: &Value) -> Value {
    let end = relation.end(end);
    let own = &model.types[end.r#type.0];
    let mut side = json!({ TYPE_NAME: &*own.name, ID: key });
    if let Some(field) = end.field.and_then(|field| own.fields.get(field)) {
        side[FIELD_NAME] = Value::from(&*field.name);
    }
    side
}

/// The end whose rows are read: one that has a field, and of two the one whose field has one row.
fn read_end(model: &Model, relation: &Relation) -> End {
    let field = |end: End| {
        let end = relation.end(end);
        let field = model.types.get(end.r#type.0)?.fields.get(end.field?)?;
        Some(is_list(field))
    };
    match (field(End::A), field(End::B)) {
        (Some(true), Some(false)) | (None, Some(_)) => End::B,
        (Some(_), _) | (None, None) => End::A,
    }
}

fn is_list(field: &crate::model::Field) -> bool {
    matches!(field.kind, FieldKind::Relation { is_list: true, .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions::read;

    const DATAMODEL: &str = "
        type User {
          key: ID! @id
          age: Int
          posts: [Post!]!
          friends: [User!]! @relation(name: \"Friends\", link: TABLE)
        }
        type Post {
          id: ID! @id
          tags: [String!]! @scalarList(strategy: RELATION)
          author: User @relation(link: INLINE)
        }
    ";

    /// The queries of a part, each with the data of its answer, and the answer to the request.
    fn check(part: &str, most: usize, steps: &[(&str, Value)], expected: &Value) {
        let model = read(DATAMODEL).unwrap();
        let request = json!({ "fileType": part, "cursor": { "table": 0, "row": 0 } });
        let mut page = Page::begin(&model, &request, most, None).unwrap();
        for (query, data) in steps {
            assert_eq!(page.query().as_deref(), Some(*query));
            page.take(&json!({ ROWS_NAME: data }));
        }
        assert_eq!(page.query(), None);
        assert_eq!(page.answer(), *expected);
    }

    #[test]
    fn nodes_are_rows_with_their_scalars() {
        let ends = json!({ "table": -1, "row": -1, "field": -1, "array": -1 });
        let elements = json!([{ "_typeName": "User", "id": "u", "key": "u", "age": 7 }]);
        let size = elements[0].to_string().len();
        check(
            "nodes",
            1_000,
            &[
                (
                    "{ rows: users(skip: 0, first: 1000) { _key: key key age } }",
                    json!([{ "_key": "u", "key": "u", "age": 7 }]),
                ),
                ("{ rows: posts(skip: 0, first: 1000) { _key: id id } }", json!([])),
            ],
            &json!({ "out": { "jsonElements": elements, "size": size }, "cursor": ends, "isFull": false }),
        );
    }

    #[test]
    fn a_page_ends_before_the_element_that_does_not_fit() {
        let rows = json!([{ "_key": "a", "key": "a" }, { "_key": "b", "key": "b" }]);
        let elements = json!([{ "_typeName": "User", "id": "a", "key": "a" }]);
        let size = elements[0].to_string().len();
        let cursor = json!({ "table": 0, "row": 1, "field": 0, "array": 0 });
        check(
            "nodes",
            size,
            &[("{ rows: users(skip: 0, first: 1000) { _key: key key age } }", rows)],
            &json!({ "out": { "jsonElements": elements, "size": size }, "cursor": cursor, "isFull": true }),
        );
    }

    #[test]
    fn queries_keep_to_the_limit_of_first() {
        let model = read(DATAMODEL).unwrap();
        let request = json!({ "fileType": "nodes", "cursor": { "table": 0, "row": 0 } });
        for (most, asked) in [(Some(10), "first: 10)"), (Some(5_000), "first: 1000)")] {
            let page = Page::begin(&model, &request, 1_000, most).unwrap();
            assert!(page.query().unwrap().contains(asked), "{most:?}");
        }
    }

    #[test]
    fn pairs_are_read_from_the_end_with_one_row_and_from_lists_by_parts() {
        let model = read(DATAMODEL).unwrap();
        let request = json!({ "fileType": "relations", "cursor": { "table": 0, "row": 0 } });
        let mut page = Page::begin(&model, &request, 1_000_000, None).unwrap();
        let mut queries = Vec::new();
        let many = |from: usize, rows: usize| -> Value {
            (from..from + rows).map(|id| json!({ "_key": id.to_string() })).collect()
        };
        while let Some(query) = page.query() {
            let data = match (query.contains("friends"), queries.len()) {
                (false, _) => json!([{ "_key": "p", "_value": { "_key": "u" } }]),
                // As many related rows as are asked for, and the rest of them.
                (true, 0) => json!([{ "_key": "u", "_value": many(0, 1_000) }]),
                (true, 1) => json!([{ "_key": "u", "_value": many(1_000, 5) }]),
                (true, _) => json!([]),
            };
            queries.push(query);
            page.take(&json!({ ROWS_NAME: data }));
        }
        let friends = |skip: u32, rows: u32, related: u32| {
            format!(
                "{{ rows: users(where: {{ friends_some: {{}} }}, skip: {skip}, first: {rows}) {{ \
                 _key: key _value: friends(skip: {related}, first: 1000) {{ _key: key }} }} }}"
            )
        };
        let posts = "{ rows: posts(where: { NOT: [{ author: null }] }, skip: 0, first: 1000) { _key: id \
                     _value: author { _key: key } } }";
        // Relations have the order of Prisma.
        let expected =
            [friends(0, 100, 0), friends(0, 1, 1_000), friends(1, 100, 0), posts.to_owned()];
        assert_eq!(queries, expected);
        let answer = page.answer();
        let elements = answer["out"]["jsonElements"].as_array().unwrap();
        assert_eq!(elements.len(), 1_006);
        let pair = json!([
            { "_typeName": "User", "id": "u", "fieldName": "posts" },
            { "_typeName": "Post", "id": "p", "fieldName": "author" },
        ]);
        assert_eq!(elements[1_005], pair);
        let pair = json!([
            { "_typeName": "User", "id": "1004" },
            { "_typeName": "User", "id": "u", "fieldName": "friends" },
        ]);
        assert_eq!(elements[1_004], pair);
    }
}
