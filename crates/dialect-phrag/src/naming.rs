//! Phrag's names.
//!
//! Phrag inflects with the Clojure library `inflections` and changes case with
//! `camel-snake-kebab`. Case changes here as it does there; words are inflected by the crate
//! `pluralizer`, which differs where `inflections` treats a plural as a singular (`people` →
//! `peoples`, `data` → `datas`), knows a word as uncountable (`history`, `money`, `time`), or does
//! not know one at all (`canvas`, `bonus`, `leaf`, `schema`).

use graphql::schema::is_name;
use pluralizer::pluralize;

/// The names that an entity's type and lists have.
#[derive(Clone, Debug)]
pub(super) struct EntityNames {
    /// `MeetupsMember`
    pub(super) object: String,
    /// `MeetupsMemberClauses`
    pub(super) clauses: String,
    /// `MeetupsMemberSort`
    pub(super) sort: String,
    /// Of the root field: `meetups_members`
    pub(super) list: String,
    /// Of aggregates of all rows: `MeetupsMemberAggregate`
    pub(super) aggregate: String,
    /// Of the values of one function: `MeetupsMemberFields`
    pub(super) fields: String,
}

impl EntityNames {
    /// The names of its types.
    pub(super) fn types(&self, aggregation: bool) -> impl Iterator<Item = &str> {
        let own = [&self.object, &self.clauses, &self.sort];
        let aggregates = [&self.aggregate, &self.fields].into_iter().filter(move |_| aggregation);
        own.into_iter().chain(aggregates).map(String::as_str)
    }
}

/// The names for an entity called `name` in the source.
pub(super) fn entity_names(name: &str) -> EntityNames {
    names_around(name, pascal_case(&singular(name)))
}

/// The names for an entity whose type a user has named.
pub(super) fn given_names(name: &str) -> EntityNames {
    names_around(name, name.into())
}

fn names_around(name: &str, object: String) -> EntityNames {
    EntityNames {
        clauses: format!("{object}Clauses"),
        sort: format!("{object}Sort"),
        list: snake_case(&plural(name)),
        aggregate: format!("{object}Aggregate"),
        fields: format!("{object}Fields"),
        object,
    }
}

/// The field from a row to the one it refers to by `column`.
pub(super) fn has_one(column: &str, target: &str) -> String {
    // Phrag removes each `_id`, not only the last one: `grid_idx_id` is `gridx`.
    let stem = column.replace("_id", "");
    if column.ends_with("_id") && !stem.is_empty() {
        stem
    } else {
        format!("{column}_{}", singular(target))
    }
}

/// The field from a row to the rows of `table` that refer to it by `column`.
/// `ambiguous`: the table refers to the same entity more than once.
pub(super) fn has_many(table: &str, column: &str, ambiguous: bool) -> String {
    let plain = plural(table);
    // Phrag keeps the case here, unlike at the root; names that are invalid in GraphQL get the
    // root's form.
    let lists = if is_name(&plain) { plain } else { snake_case(&plain) };
    if ambiguous { format!("{lists}_on_{column}") } else { lists }
}

/// The field of aggregates of all rows of a list.
pub(super) fn aggregate(list: &str) -> String {
    format!("{list}_aggregate")
}

fn singular(name: &str) -> String {
    let singular = pluralize(name, 1, false);
    // Of a table `s` nothing would be left.
    if singular.is_empty() { name.into() } else { singular }
}

fn plural(name: &str) -> String {
    pluralize(name, 2, false)
}

fn pascal_case(name: &str) -> String {
    let mut output = String::with_capacity(name.len());
    for word in words(name) {
        let mut characters = word.chars();
        output.extend(characters.next().into_iter().flat_map(char::to_uppercase));
        output.push_str(&characters.as_str().to_lowercase());
    }
    output
}

fn snake_case(name: &str) -> String {
    words(name).iter().map(|word| word.to_lowercase()).collect::<Vec<_>>().join("_")
}

/// Character classes for the borders of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Digit,
    Separator,
    Lower,
    Upper,
    Other,
}

fn classify(character: char) -> Class {
    match character {
        '0'..='9' => Class::Digit,
        '-' | '_' | ' ' | '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' => Class::Separator,
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        _ => Class::Other,
    }
}

/// Words begin after separators, at capitals and at digits; the last of a run of capitals before a
/// lower-case letter begins a word: `HTTPServer2go` is `HTTP`, `Server`, `2go`.
fn words(name: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let mut characters = name.char_indices().peekable();
    while let Some((index, character)) = characters.next() {
        let end = index + character.len_utf8();
        let class = classify(character);
        if class == Class::Separator {
            words.push(&name[start..index]);
            start = end;
            continue;
        }
        let mut rest = name[end..].chars().map(classify);
        let begins = match (rest.next(), rest.next()) {
            (Some(Class::Upper), after) => class != Class::Upper || after == Some(Class::Lower),
            (Some(Class::Digit), _) => class != Class::Digit,
            _ => false,
        };
        if begins || characters.peek().is_none() {
            words.push(&name[start..end]);
            start = end;
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(rows: impl IntoIterator<Item = String>, expect: &Expect) {
        expect.assert_eq(&rows.into_iter().map(|row| row + "\n").collect::<String>());
    }

    #[test]
    fn entities_are_named_by_the_singular_in_pascal_case_and_the_plural_in_snake_case() {
        let tables = [
            "members",
            "member_follow",
            "meetups_members",
            "meetup_with_venue",
            "InvoiceLines",
            "HTTPLogs",
            "address2",
            "2fa_codes",
            "_hidden",
            "odd-table name",
            "companies",
            "people",
            "sales_people",
            "status",
            "statuses",
            "boxes",
            "addresses",
            "series",
            "news",
            "movies",
            "knives",
            "indices",
            "analyses",
            "quizzes",
            "data",
            "größen",
        ];
        check(
            tables.map(|table| {
                let names = entity_names(table);
                format!("{table}: {}, {}", names.object, names.list)
            }),
            &expect![[r#"
                members: Member, members
                member_follow: MemberFollow, member_follows
                meetups_members: MeetupsMember, meetups_members
                meetup_with_venue: MeetupWithVenue, meetup_with_venues
                InvoiceLines: InvoiceLine, invoice_lines
                HTTPLogs: HttpLog, http_logs
                address2: Address2, address_2s
                2fa_codes: 2faCode, 2fa_codes
                _hidden: Hidden, hiddens
                odd-table name: OddTableName, odd_table_names
                companies: Company, companies
                people: Person, people
                sales_people: SalesPerson, sales_people
                status: Status, statuses
                statuses: Status, statuses
                boxes: Box, boxes
                addresses: Address, addresses
                series: Series, series
                news: News, news
                movies: Movie, movies
                knives: Knife, knives
                indices: Index, indices
                analyses: Analysis, analyses
                quizzes: Quiz, quizzes
                data: Datum, data
                größen: Größen, größens
            "#]],
        );
    }

    #[test]
    fn a_has_one_field_is_its_column_without_id_or_the_column_and_its_target() {
        let keys = [
            ("venue_id", "venues"),
            ("created_by", "members"),
            ("parent_idea_id", "ideas"),
            ("_id", "members"),
            ("id", "members"),
            ("venueId", "venues"),
            ("VENUE_ID", "venues"),
        ];
        check(
            keys.map(|(column, target)| format!("{column}: {}", has_one(column, target))),
            &expect![[r#"
                venue_id: venue
                created_by: created_by_member
                parent_idea_id: parentea
                _id: _id_member
                id: id_member
                venueId: venueId_venue
                VENUE_ID: VENUE_ID_venue
            "#]],
        );
    }

    #[test]
    fn a_has_many_field_is_the_plural_and_its_column_where_the_plural_is_ambiguous() {
        let keys = [
            ("meetups_members", "member_id", false),
            ("member_follow", "created_by", true),
            ("InvoiceLine", "invoice", false),
            ("odd table", "member_id", true),
        ];
        check(
            keys.map(|(table, column, ambiguous)| {
                format!("{table} ({column}): {}", has_many(table, column, ambiguous))
            }),
            &expect![[r#"
                meetups_members (member_id): meetups_members
                member_follow (created_by): member_follows_on_created_by
                InvoiceLine (invoice): InvoiceLines
                odd table (member_id): odd_tables_on_member_id
            "#]],
        );
    }
}
