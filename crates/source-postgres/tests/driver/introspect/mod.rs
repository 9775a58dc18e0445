//! The catalog of a real database, on every PostgreSQL that is installed.

#![expect(clippy::print_stdout, reason = "a reader must see which versions a test ran with")]

mod listing;
mod rights;

use std::cell::RefCell;

use catalog::{Catalog, NoteKind};
use expect_test::{Expect, expect, expect_file};
use source_postgres::introspect::{IntrospectError, Introspected, introspect};
use source_postgres::{Extensions, Rights};
use testkit::postgres::{Installation, Server, required_installations, shared};
use tokio_postgres::{Client, NoTls};

use listing::listing;

const ODD: &str = "Odd \"Names\" é";

/// A database of its own on one installation.
struct Database {
    server: &'static Server,
    name: &'static str,
}

impl Database {
    fn execute(&self, sql: &str) {
        self.server.execute(self.name, sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    fn major(&self) -> u16 {
        self.server.installation().version.major
    }

    /// Does something over a connection of its own.
    fn connected<T>(&self, work: impl AsyncFnOnce(&Client) -> T) -> T {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let url = self.server.url(self.name);
            let (client, connection) =
                tokio_postgres::connect(&url, NoTls).await.expect("a connection");
            tokio::spawn(connection);
            work(&client).await
        })
    }

    fn introspect(&self, namespaces: &[&str]) -> Introspected {
        let namespaces = owned(namespaces);
        self.connected(async |client| {
            introspect(client, &namespaces, Extensions::LeftOut, Rights::Ignored).await
        })
        .expect("a catalog")
    }

    fn listing(&self, namespaces: &[&str]) -> String {
        listing(&self.introspect(namespaces))
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn each_database(name: &'static str, check: impl Fn(&Database)) {
    for installation in required_installations().expect("every required PostgreSQL") {
        println!("with {installation}");
        check(&database(&installation, name));
    }
}

fn database(installation: &Installation, name: &'static str) -> Database {
    let server = shared(installation).unwrap_or_else(|error| panic!("{installation}: {error}"));
    server.create_database(name).expect("a database");
    Database { server, name }
}

/// The catalog of what `sql` makes in `namespaces`, which is the same on each version from
/// `oldest` on; `None` where there is no such version.
fn listing_on_each(
    name: &'static str,
    oldest: u16,
    sql: &[&str],
    namespaces: &[&str],
) -> Option<String> {
    let agreed = RefCell::new(None);
    each_database(name, |database| {
        if database.major() < oldest {
            println!("not run: needs PostgreSQL {oldest}");
            return;
        }
        for sql in sql {
            database.execute(sql);
        }
        let listing = database.listing(namespaces);
        if let Some(other) = agreed.replace(Some(listing.clone())) {
            assert_eq!(listing, other, "{} differs", database.server.installation());
        }
    });
    agreed.into_inner()
}

/// Compares what `sql` makes in the schema `public`, on each version from `oldest` on.
fn check(name: &'static str, oldest: u16, sql: &str, expected: &Expect) {
    if let Some(listing) = listing_on_each(name, oldest, &[sql], &["public"]) {
        expected.assert_eq(&listing);
    }
}

#[test]
fn everything_in_the_given_schemas_is_listed() {
    let sql = include_str!("everything.sql");
    if let Some(listing) = listing_on_each("everything", 13, &[sql], &["shop", ODD, "shop"]) {
        expect_file!["everything.txt"].assert_eq(&listing);
    }
}

#[test]
fn entities_follow_the_order_of_the_given_schemas() {
    each_database("order", |database| {
        database.execute("create schema a; create table a.t (); create table a.s ()");
        database.execute("create schema b; create table b.r ()");
        let order = |namespaces: &[&str]| {
            let found = database.introspect(namespaces);
            let names = found.catalog.entities();
            names.map(|entity| found.catalog.qualified_name(entity.id)).collect::<Vec<_>>()
        };
        assert_eq!(order(&["b", "a"]), ["b.r", "a.s", "a.t"]);
        assert_eq!(order(&["a", "b"]), ["a.s", "a.t", "b.r"]);
        assert_eq!(order(&[]), [""; 0]);
    });
}

#[test]
fn an_unknown_schema_is_answered_with_those_that_exist() {
    each_database("unknown", |database| {
        database.execute("create schema shop");
        database.connected(async |client| {
            let wrong = owned(&["shpo", "public", "PUBLIC"]);
            let error = introspect(client, &wrong, Extensions::LeftOut, Rights::Ignored)
                .await
                .expect_err("unknown");
            assert_eq!(
                error.to_string(),
                "there is no schema shpo, PUBLIC; this database has the schemas public, shop"
            );
            let again =
                introspect(client, &owned(&["public"]), Extensions::LeftOut, Rights::Ignored).await;
            assert_eq!(listing(&again.expect("a catalog")), "");
        });
    });
}

#[test]
fn the_version_is_that_of_the_server() {
    each_database("version", |database| {
        let version = database.server.installation().version;
        let found = database.introspect(&["public"]).server_version;
        assert_eq!(found, u32::from(version.major) * 10_000 + u32::from(version.minor));
    });
}

#[test]
fn an_old_version_is_refused_by_name() {
    let error = IntrospectError::TooOld { found: 120_022 };
    assert_eq!(error.to_string(), "PostgreSQL 12 is too old; 13 or newer is needed");
}

#[test]
fn physical_types_are_those_that_the_protocol_names() {
    each_database("physical", |database| {
        database.execute(
            "create type mood as enum ('ok'); create domain email as text;
             create table t (a int, b mood, c email, d int[], e numeric(4, 2))",
        );
        let found = database.introspect(&["public"]);
        let entity = found.catalog.find_entity(Some("public"), "t").expect("the table");
        let types: Vec<Vec<Option<String>>> = entity
            .fields
            .iter()
            .map(|field| found.types.of(*field))
            .map(|of| vec![Some(of.oid.to_string()), Some(of.array_oid.to_string())])
            .collect();
        let expected = "select att.atttypid, typ.typarray from pg_attribute as att
             join pg_type as typ on typ.oid = att.atttypid
             where att.attrelid = 't'::regclass and att.attnum > 0 order by att.attnum";
        let expected = database.server.query(database.name, expected).expect("rows");
        assert_eq!(types, expected);
    });
}

#[test]
fn objects_of_extensions_are_listed_if_asked_for() {
    each_database("extensions_listed", |database| {
        database.execute("create extension pg_stat_statements; create table t (a int)");
        let namespaces = owned(&["public"]);
        let names = |extensions| {
            let found = database
                .connected(async |client| {
                    introspect(client, &namespaces, extensions, Rights::Ignored).await
                })
                .expect("a catalog");
            let names = found.catalog.entities().map(|entity| String::from(&*entity.name));
            names.filter(|name| !name.ends_with("_info")).collect::<Vec<_>>()
        };
        assert_eq!(names(Extensions::LeftOut), ["t"]);
        let listed = names(Extensions::Listed);
        assert_eq!(listed.first().map(String::as_str), Some("pg_stat_statements"));
        assert!(listed.contains(&"t".into()), "{listed:?}");
    });
}

#[test]
fn objects_of_extensions_are_left_out_and_their_types_are_known() {
    let sql = "create extension hstore; create extension citext; create extension ltree;
               create extension pg_stat_statements;
               create domain mail as citext;
               create table t (a hstore, b citext, c ltree, d mail, e lquery, f citext[])";
    check(
        "extensions",
        13,
        sql,
        &expect![[r#"
        Table public.t
            a: KeyValue
            b: CaseInsensitiveText
            c: Other(ltree)
            d: domain mail
            e: Other(lquery)
            f: [CaseInsensitiveText]
        Domain public.mail = CaseInsensitiveText
        unmapped type: public.t.e: the type public.lquery is known by its name only and served as text. Remedy: serve a view that casts it to a type with a representation.
    "#]],
    );
}

#[test]
fn a_type_is_known_by_its_extension_not_by_its_name() {
    let sql = "create domain hstore as text; create type citext as (a int);
               create table t (a hstore, b citext)";
    check(
        "impostors",
        13,
        sql,
        &expect![[r#"
        Table public.t
          = a: domain hstore
            b: composite citext
        Domain public.hstore = Text
        Composite public.citext (a: Int32)
    "#]],
    );
}

#[test]
fn text_of_a_collation_that_is_not_deterministic_is_not_its_identity() {
    let sql = "create collation loose (provider = icu, locale = 'und', deterministic = false);
               create domain loose_text as text collate loose;
               create table t (a text, b text collate loose, c loose_text,
                               d varchar(3) collate loose, e char(3) collate loose,
                               f loose_text collate \"C\")";
    check(
        "collation",
        13,
        sql,
        &expect![[r#"
        Table public.t
          = a: Text
            b: Text
            c: domain loose_text
            d: Text
            e: Character(3)
          = f: domain loose_text
        Domain public.loose_text = Text
    "#]],
    );
}

#[test]
fn multiranges_are_text_without_a_note() {
    check(
        "multiranges",
        14,
        "create type float_range as range (subtype = float8);
         create table t (a int4multirange, b float_multirange)",
        &expect![[r#"
            Table public.t
                a: Other(int4multirange)
                b: Other(float_multirange)
        "#]],
    );
}

#[test]
fn negative_scales_have_no_fraction() {
    check(
        "scales",
        15,
        "create table t (a numeric(3, -2), b numeric(2, 5))",
        &expect![[r#"
        Table public.t
            a: Decimal(3, 0)
            b: Decimal(2, 5)
    "#]],
    );
}

#[test]
fn unique_keys_without_distinct_nulls_are_keys() {
    check(
        "nulls",
        15,
        "create table t (a int, unique nulls not distinct (a))",
        &expect![[r#"
        Table public.t
          = a: Int32
          unique t_a_key (a)
    "#]],
    );
}

#[test]
fn keys_say_whether_they_are_deferrable() {
    check(
        "deferrable",
        15,
        "create table t (
           a int primary key deferrable, b int unique deferrable initially deferred, c int unique
         )",
        &expect![[r#"
        Table public.t
          = a: Int32!
          = b: Int32
          = c: Int32
          primary key t_pkey (a) deferrable
          unique t_b_key (b) deferrable
          unique t_c_key (c)
    "#]],
    );
}

#[test]
fn indexes_say_what_they_cover_and_whether_they_are_unique() {
    check(
        "covering",
        13,
        "create table p (id int primary key);
         create table t (
           id int primary key, a int references p, b int references p, c int references p,
           d text, e text, f text
         );
         create index on t (a) where a is not null;
         create index on t (b) where b is not null and d = 'x';
         create unique index on t (c) where c is not null;
         create unique index on t (d);
         create unique index on t (e) include (f);
         create unique index on t (f collate \"C\");
         create unique index on t (d, lower(e));",
        &expect![[r#"
            Table public.p
              = id: Int32!
              primary key p_pkey (id)
              <- t_a_fkey from public.t
              <- t_b_fkey from public.t
              <- t_c_fkey from public.t
            Table public.t
              = id: Int32!
              = a: Int32
              = b: Int32
              = c: Int32
              = d: Text
              = e: Text
              = f: Text
              primary key t_pkey (id)
              index t_a_idx (a) not null
              index t_b_idx (b) partial
              index t_c_idx (c) unique not null
              index t_d_idx (d) unique
              index t_d_lower_idx (d)
              index t_e_f_idx (e)
              index t_f_idx (f)
              -> t_a_fkey (a) = public.p (id) indexed
              -> t_b_fkey (b) = public.p (id)
              -> t_c_fkey (c) = public.p (id) indexed
            unindexed foreign key: public.t (b): the foreign key t_b_fkey has no index on its own side, so each step back along it reads the whole table. Remedy: CREATE INDEX CONCURRENTLY ON "public"."t" ("b");
        "#]],
    );
}

#[test]
fn foreign_keys_of_all_partitions_are_relationships() {
    check(
        "partitions",
        13,
        include_str!("../../../../../fixtures/databases/partitions/postgres.sql"),
        &expect![[r#"
            Table public.clerk
              = id: Int32!
              primary key clerk_pkey (id)
            Table public.customer
              = id: Int32!
              = name: Text!
              primary key customer_pkey (id)
              <- payment_2024_customer from public.payment
            Table public.payment
              = id: Int32!
              = made: Date!
              = customer_id: Int32!
              = clerk_id: Int32
              primary key payment_pkey (made, id)
              -> payment_2024_customer (customer_id) = public.customer (id) not always found
            partitioned table: public.payment: it is served as one table, with the rows of all partitions (3), which are not served by themselves. Remedy: where one partition is wanted, create a view over it.
            partitioned table: public.payment payment_2024_customer: the foreign key payment_2024_customer stands on each partition and not on the table; it is served as a relation, though the next partition may be without. Remedy: ALTER TABLE "public"."payment" ADD FOREIGN KEY ("customer_id") REFERENCES "public"."customer" ("id");
            partitioned table: public.payment payment_2024_clerk: the foreign key payment_2024_clerk stands on 2 of its 3 partitions only: there is no relation. Remedy: ALTER TABLE "public"."payment" ADD FOREIGN KEY ("clerk_id") REFERENCES "public"."clerk" ("id");
        "#]],
    );
}

/// Of tables whose names have to be quoted, and of partitioned ones.
#[test]
fn the_statements_of_notes_make_the_indexes() {
    let schema = "create table p (id int primary key);
        create table \"a \"\"b\" (id int primary key, \"P\" int references p);
        create table part (id int, p int references p) partition by list (id);
        create table part1 partition of part for values in (1);";
    each_database("remedies", |database| {
        database.execute(schema);
        let unindexed = |catalog: &Catalog| -> Vec<String> {
            let notes = catalog.notes().iter();
            let notes = notes.filter(|note| note.kind == NoteKind::UnindexedRelationship);
            notes.map(|note| note.remedy.to_string()).collect()
        };
        let found = unindexed(&database.introspect(&["public"]).catalog);
        assert_eq!(found.len(), 2, "{found:?}");
        for statement in &found {
            // Each by itself: some cannot be in a transaction with others.
            database.execute(statement);
        }
        assert_eq!(unindexed(&database.introspect(&["public"]).catalog), [""; 0]);
    });
}

/// Citus describes tables by one table of its own, which stands for it here.
#[test]
fn distributed_tables_are_told_apart_by_the_catalog_of_citus() {
    let schema = "create table plan (id int primary key);
        create table company (id int primary key, gone int, plan int references plan);
        alter table company drop column gone;
        create table campaign (id int, company int references company, primary key (company, id));
        create table own (id int primary key);
        create table single (id int primary key);
        create view names as select id from company;
        set allow_system_table_mods = on;
        create table pg_catalog.pg_dist_partition (
          logicalrelid regclass, partmethod \"char\", partkey text, colocationid int4, repmodel \"char\"
        );
        insert into pg_catalog.pg_dist_partition values
          ('plan', 'n', null, 1, 't'), ('own', 'n', null, 0, 's'), ('single', 'n', null, 4, 's'),
          ('company', 'h', '{VAR :varno 1 :varattno 1 :vartype 23}', 2, 's'),
          ('campaign', 'h', '{VAR :varno 1 :varattno 2 :vartype 23}', 2, 's')";
    each_database("distributed", |database| {
        database.execute(schema);
        let catalog = database.introspect(&["public"]).catalog;
        assert!(catalog.is_distributed());
        let mut found: Vec<String> = Vec::new();
        for entity in catalog.entities() {
            let by = entity.distribution.distribution_field();
            let by = by.map(|by| format!(" by {}", catalog[by].name)).unwrap_or_default();
            let kind = match entity.distribution {
                catalog::Distribution::Local => "local",
                catalog::Distribution::Reference => "reference",
                catalog::Distribution::Distributed { .. } => "distributed",
                catalog::Distribution::Single { .. } => "single",
                catalog::Distribution::Unknown => "unknown",
            };
            found.push(format!("{}: {kind}{by}", entity.name));
        }
        assert_eq!(
            found,
            [
                "campaign: distributed by company",
                "company: distributed by id",
                "names: unknown",
                "own: local",
                "plan: reference",
                "single: single",
            ]
        );
        // A row cannot move to another server.
        let company = catalog.entities().find(|entity| &*entity.name == "campaign");
        let fields = company.map(|entity| entity.fields.clone()).unwrap_or_default();
        let updated = fields.iter().map(|field| catalog[*field].access.update);
        assert_eq!(updated.collect::<Vec<_>>(), [true, false]);
        let notes = catalog.notes().iter();
        let notes = notes.filter(|note| note.kind == NoteKind::Distributed);
        let notes: Vec<&str> = notes.map(|note| &*note.subject).collect();
        assert_eq!(notes, ["public.company (plan)"]);
    });
}

#[test]
fn virtual_columns_periods_and_constraints_not_yet_valid() {
    check(
        "eighteen",
        18,
        "create table t (
           a int4range, b int4range, c int default 1, d int generated always as (c + 1) virtual,
           e int, f int not null, primary key (a, b without overlaps)
         );
         alter table t add constraint e_not_null not null e not valid;
         create table u (
           a int4range, b int4range, foreign key (a, period b) references t (a, period b)
         )",
        &expect![[r#"
            Table public.t
                a: range int4range!
                b: range int4range!
              = c: Int32 default
              = d: Int32 default generated
              = e: Int32
              = f: Int32!
              primary key t_pkey (a, b)
            Table public.u
                a: range int4range
                b: range int4range
            Range pg_catalog.int4range of Int32
            left out: public.u u_a_b_fkey: the foreign key u_a_b_fkey compares periods, not values. Remedy: add a foreign key over values for the way that is wanted.
        "#]],
    );
}

#[test]
fn the_connection_keeps_its_settings_and_temporary_tables_hide_no_catalog() {
    each_database("temporary", |database| {
        database.execute("create table t (a int)");
        database.connected(async |client| {
            let shadow = "create temporary table pg_class (oid oid);
                          set search_path to pg_temp, public, pg_catalog";
            client.batch_execute(shadow).await.expect("shadowed");
            let found =
                introspect(client, &owned(&["public"]), Extensions::LeftOut, Rights::Ignored)
                    .await
                    .expect("a catalog");
            let path = client.query_one("show search_path", &[]).await.expect("a row");
            assert_eq!(path.get::<_, &str>(0), "pg_temp, public, pg_catalog");
            assert_eq!(listing(&found), "Table public.t\n  = a: Int32\n");
        });
    });
}
