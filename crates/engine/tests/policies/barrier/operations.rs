//! What clients ask: conditions, orders, pages and changes by what could fail or be watched.

use crate::choices::Choices;
use crate::policies::places::Place;

/// Patterns that match visible rows, hidden ones, both or none; some end in their escape.
const PATTERNS: [&str; 8] = ["%", "LOUD%", "QUIET%", "%3", "n%\\\\", "LOUD\\\\", "title1", "_i%"];
const TEXTS: [&str; 5] = ["LOUD", "QUIET", "t", "name1", "3"];
const MATCHES: [&str; 6] =
    ["like", "likeInsensitive", "startsWith", "includesInsensitive", "endsWith", "notIncludes"];

struct Maker<'c, 'n> {
    choices: &'c mut Choices<'n>,
    is_postgres: bool,
}

impl Maker<'_, '_> {
    fn text(&mut self, column: &str) -> String {
        let operator = self.choices.pick(&MATCHES);
        let value = match operator.starts_with("like") {
            true => self.choices.pick(&PATTERNS),
            false => self.choices.pick(&TEXTS),
        };
        match self.choices.below(8) {
            0 => format!("{column}: {{equalTo: \"{value}\"}}"),
            1 => format!("{column}: {{in: [\"LOUD1\", \"QUIET2\", \"title2\"]}}"),
            2 => format!("{column}: {{equalToInsensitive: \"{value}\"}}"),
            _ => format!("{column}: {{{operator}: \"{value}\"}}"),
        }
    }

    fn author(&mut self, depth: usize) -> String {
        let end = if depth == 0 { 4 } else { 9 };
        match self.choices.below(end) {
            0 | 1 => self.text("name"),
            2 => self.text("note"),
            3 if self.is_postgres => self.text("probe"),
            3 => "team: {greaterThan: 0}".to_owned(),
            4 => format!("postsByAuthorId: {{some: {{{}}}}}", self.post(depth - 1)),
            5 => format!("postsByAuthorId: {{every: {{{}}}}}", self.post(depth - 1)),
            6 => format!("postsByAuthorId: {{none: {{{}}}}}", self.post(depth - 1)),
            7 => format!(
                "postsByAuthorId: {{aggregates: {{filter: {{{}}}, max: {{rating: {{lessThan: 9}}}}}}}}",
                self.post(depth - 1)
            ),
            _ => format!(
                "or: [{{{}}}, {{not: {{{}}}}}]",
                self.author(depth - 1),
                self.author(depth - 1)
            ),
        }
    }

    fn post(&mut self, depth: usize) -> String {
        let end = if depth == 0 { 7 } else { 10 };
        match self.choices.below(end) {
            0 | 1 => self.text("title"),
            2 => self.text("body"),
            3 if self.is_postgres => self.text("probe"),
            3 => "data: {contains: \"{\\\"key\\\": \\\"LOUD\\\"}\"}".to_owned(),
            4 if self.is_postgres => "inverse: {greaterThan: 200}".to_owned(),
            4 => self.text("digits"),
            5 if self.is_postgres => match self.choices.percent(50) {
                true => "number: {lessThan: 30}".to_owned(),
                false => "data: {contains: \"{\\\"key\\\": 3}\"}".to_owned(),
            },
            5 | 6 => "rating: {greaterThan: 1}".to_owned(),
            7 => format!("authorByAuthorId: {{{}}}", self.author(depth - 1)),
            8 => format!("and: [{{{}}}, {{{}}}]", self.post(depth - 1), self.post(depth - 1)),
            _ => {
                format!("or: [{{{}}}, {{not: {{{}}}}}]", self.post(depth - 1), self.post(depth - 1))
            }
        }
    }

    fn post_order(&mut self) -> &'static str {
        match self.choices.below(if self.is_postgres { 7 } else { 4 }) {
            0 => "ID_ASC",
            1 => "TITLE_DESC, ID_ASC",
            2 => "RATING_ASC, TITLE_ASC, ID_DESC",
            3 => "BODY_ASC, ID_ASC",
            4 => "PROBE_ASC, ID_ASC",
            5 => "INVERSE_DESC, ID_ASC",
            _ => "NUMBER_ASC, ID_ASC",
        }
    }

    /// Fields of a post, computed ones among it.
    fn post_fields(&mut self) -> &'static str {
        match self.is_postgres && self.choices.percent(50) {
            true => "id title body probe inverse authorByAuthorId { name probe }",
            false => "id title body authorByAuthorId { name note }",
        }
    }
}

/// A query that is made up.
pub(super) fn reads(place: &Place, choices: &mut Choices<'_>) -> String {
    let is_postgres = matches!(place, Place::Postgres(_));
    let mut maker = Maker { choices, is_postgres };
    let depth = maker.choices.below(3);
    match maker.choices.below(9) {
        0 | 1 => {
            let (filter, order) = (maker.post(depth), maker.post_order());
            let fields = maker.post_fields();
            format!("{{ allPostsList(filter: {{{filter}}}, orderBy: [{order}]) {{ {fields} }} }}")
        }
        2 => {
            let (filter, order) = (maker.post(depth), maker.post_order());
            let fields = maker.post_fields();
            format!(
                "{{ allPosts(filter: {{{filter}}}, orderBy: [{order}], first: 3, offset: 1) \
                 {{ totalCount pageInfo {{ hasNextPage }} nodes {{ {fields} }} }} }}"
            )
        }
        3 => format!(
            "{{ allPosts(filter: {{{}}}) {{ aggregates {{ sum {{ rating }} max {{ rating }} }} \
             groupedAggregates(groupBy: [AUTHOR_ID], having: {{sum: {{rating: {{greaterThan: 1}}}}}}) \
             {{ keys sum {{ rating }} }} }} }}",
            maker.post(depth)
        ),
        4 | 5 => {
            let (outer, inner, order) =
                (maker.author(depth), maker.post(depth), maker.post_order());
            let best = if is_postgres { "best { nodes { id } }" } else { "" };
            format!(
                "{{ allAuthorsList(filter: {{{outer}}}) {{ id name {best} \
                 postsByAuthorIdList(filter: {{{inner}}}, orderBy: [{order}], first: 2) {{ id title }} \
                 postsByAuthorId(filter: {{{inner}}}) {{ totalCount }} }} }}"
            )
        }
        6 => format!(
            "{{ allTagsList {{ word postsByTaggedTagIdAndPostId(filter: {{{}}}) \
             {{ nodes {{ id title authorByAuthorId {{ name }} }} }} }} }}",
            maker.post(depth)
        ),
        7 => format!(
            "{{ allAuthorsList(filter: {{{}}}, orderBy: [POSTS_BY_AUTHOR_ID_SUM_RATING_DESC, ID_ASC]) {{ id }} }}",
            maker.author(depth)
        ),
        _ => format!(
            "{{ allAuthorsList(filter: {{{}}}) {{ id {} }} }}",
            maker.author(depth),
            if is_postgres { "probe bestList { id title }" } else { "name" }
        ),
    }
}

/// A change that is made up.
pub(super) fn changes(place: &Place, choices: &mut Choices<'_>) -> String {
    let is_postgres = matches!(place, Place::Postgres(_));
    let mut maker = Maker { choices, is_postgres };
    let depth = maker.choices.below(2);
    let filter = maker.post(depth);
    match maker.choices.percent(75) {
        true => format!(
            "mutation {{ updatePosts(input: {{filter: {{{filter}}}, postPatch: {{digits: \"8\"}}, \
             atMost: 99}}) {{ affectedCount }} }}"
        ),
        false => format!(
            "mutation {{ deletePosts(input: {{filter: {{{filter}, id: {{greaterThan: 30}}}}, \
             atMost: 99}}) {{ affectedCount }} }}"
        ),
    }
}

/// What is seldom made up: pages from cursors in computed orders, and lists of functions.
pub(super) fn written(place: &Place) -> Vec<String> {
    let cursor = |names: &str, values: &str| base64_of(&format!("[{names},[{values}]]"));
    let mut queries = vec![format!(
        "{{ allPostsList: allPosts(orderBy: [TITLE_ASC, ID_ASC], first: 3, after: \"{}\") {{ nodes {{ id }} }} }}",
        cursor("\"title_asc\",\"id_asc\"", "\"title2\",4")
    )];
    if let Place::Postgres(_) = place {
        queries.push(format!(
            "{{ allPosts(orderBy: [PROBE_ASC, ID_ASC], first: 3, after: \"{}\") {{ nodes {{ id probe }} }} }}",
            cursor("\"probe_asc\",\"id_asc\"", "\"title2\",4")
        ));
        queries.push(format!(
            "{{ allPosts(orderBy: [RATING_ASC, INVERSE_ASC, ID_ASC], first: 3, after: \"{}\") {{ nodes {{ id }} }} }}",
            cursor("\"rating_asc\",\"inverse_asc\",\"id_asc\"", "2,500,4")
        ));
        queries.extend([
            "{ allAuthorsList { id best { nodes { id title } } bestList { id probe } } }"
                .to_owned(),
            "{ allPostsList { id authorByAuthorId { id bestList { id } } } }".to_owned(),
            "{ allShoutsList(filter: {title: {equalTo: \"LOUD1\"}}) { id title } }".to_owned(),
            "{ allShouts(orderBy: [TITLE_DESC], first: 2) { nodes { id title } totalCount } }"
                .to_owned(),
            "{ allPostsList(orderBy: [INVERSE_ASC, ID_ASC]) { id inverse number } }".to_owned(),
            "{ allTagsList { id postsByTaggedTagIdAndPostId(orderBy: [PROBE_ASC, ID_ASC]) \
             { nodes { id probe } } } }"
                .to_owned(),
        ]);
    }
    queries
}

/// The same in the other dialect, whose patterns need no option.
pub(super) fn phrag() -> [&'static str; 3] {
    [
        "{ authors(where: {name: {like: \"LOUD\\\\\"}}) { id } }",
        "{ posts(where: {title: {like: \"%3\"}}, sort: {title: desc}) { id author { name } } }",
        "{ authors { id posts(where: {or: [{title: {like: \"LOUD%\"}}, {body: {like: \"b%\"}}]}) { id } } }",
    ]
}

/// A text in base64.
fn base64_of(text: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut encoded = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let bits = chunk
            .iter()
            .enumerate()
            .fold(0_u32, |bits, (place, byte)| bits | u32::from(*byte) << (16 - 8 * place));
        for place in 0..4 {
            encoded.push(match place <= chunk.len() {
                true => char::from(LETTERS[(bits >> (18 - 6 * place)) as usize & 63]),
                false => '=',
            });
        }
    }
    encoded
}
