//! Writes within writes.

mod children;
mod choose;
mod json;
mod keys;
mod links;
mod required;

use super::database::Database;

/// People with posts, posts with comments, and tags by a table that joins them.
pub(super) const BLOG: &str = "
    create table person (id {key}, name text not null unique, mail text);
    create table post (
        id {key}, title text not null default 'untitled', author_id integer references person
    );
    create table comment (id {key}, text text, post_id integer not null references post);
    create table tag (id {key}, name text not null unique);
    create table post_tag (
        post_id integer not null references post, tag_id integer not null references tag,
        primary key (post_id, tag_id)
    );
    insert into person (name) values ('Ada'), ('Ben');
    insert into post (title, author_id) values ('First', 1), ('Second', 1), ('Third', 2);
    insert into comment (text, post_id) values ('a', 1), ('b', 1), ('c', 2), ('d', 3);
    insert into tag (name) values ('red'), ('blue');
    insert into post_tag values (1, 1), (1, 2), (2, 1);";

/// All rows of the tables, in a line for each.
pub(super) fn all(database: &Database) -> String {
    let tables = [
        "select id || name || coalesce('<' || mail || '>', '') from person order by id",
        "select id || title || coalesce('@' || author_id, '') from post order by id",
        "select id || text || '@' || post_id from comment order by id",
        "select id || name from tag order by id",
        "select post_id || '-' || tag_id from post_tag order by post_id, tag_id",
    ];
    tables.map(|table| database.query(table)).join("\n")
}
