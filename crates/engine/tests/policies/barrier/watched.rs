//! Which values are looked at, told by functions of the test's own.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, Once};

use rusqlite::Connection;
use rusqlite::auto_extension::{init_auto_extension, register_auto_extension};
use rusqlite::ffi;
use rusqlite::functions::FunctionFlags;
use testkit::postgres::query;

use crate::policies::places::{Database, Place};

/// How often hidden values of SQLite were read, and which others. Databases are tried one after the
/// other.
static HIDDEN: AtomicUsize = AtomicUsize::new(0);
static SEEN: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// What functions of PostgreSQL leave where any connection sees it, even within transactions that
/// may write nothing: a lock whose number says whether a hidden value was looked at.
pub(super) const POSTGRES: &str = "
    CREATE FUNCTION watch(value text) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_try_advisory_lock_shared(7,
            CASE WHEN strpos(value, 'LOUD') + strpos(value, 'QUIET') > 0 THEN 1 ELSE 0 END);
        IF strpos(value, 'LOUD') > 0 THEN RAISE EXCEPTION 'a loud value'; END IF;
        RETURN true;
    END $$;
    CREATE FUNCTION watched_like(text, text) RETURNS bool LANGUAGE plpgsql STRICT COST 1 STABLE AS
        $$ BEGIN PERFORM public.watch($1); RETURN $1 OPERATOR(pg_catalog.~~) $2; END $$;
    CREATE FUNCTION watched_ilike(text, text) RETURNS bool LANGUAGE plpgsql STRICT COST 1 STABLE AS
        $$ BEGIN PERFORM public.watch($1); RETURN $1 OPERATOR(pg_catalog.~~*) $2; END $$;
    CREATE FUNCTION watched_contains(jsonb, jsonb) RETURNS bool LANGUAGE plpgsql STRICT COST 1 STABLE AS
        $$ BEGIN PERFORM public.watch($1::text); RETURN $1 OPERATOR(pg_catalog.@>) $2; END $$;
    CREATE OPERATOR public.~~ (LEFTARG = text, RIGHTARG = text, FUNCTION = watched_like);
    CREATE OPERATOR public.~~* (LEFTARG = text, RIGHTARG = text, FUNCTION = watched_ilike);
    CREATE OPERATOR public.@> (LEFTARG = jsonb, RIGHTARG = jsonb, FUNCTION = watched_contains);
    COMMENT ON FUNCTION watch IS '@omit';
    COMMENT ON FUNCTION watched_like IS '@omit';
    COMMENT ON FUNCTION watched_ilike IS '@omit';
    COMMENT ON FUNCTION watched_contains IS '@omit';
    CREATE FUNCTION author_probe(author author) RETURNS text LANGUAGE plpgsql COST 1 STABLE AS
        $$ BEGIN PERFORM watch(author.name); RETURN author.note; END $$;
    CREATE FUNCTION post_probe(post post) RETURNS text LANGUAGE plpgsql COST 1 STABLE AS
        $$ BEGIN PERFORM watch(post.title); RETURN post.title; END $$;
    CREATE FUNCTION post_inverse(post post) RETURNS int LANGUAGE sql STABLE AS
        $$ SELECT 1000 / post.rating $$;
    CREATE FUNCTION post_number(post post) RETURNS int LANGUAGE sql STABLE AS
        $$ SELECT post.digits::int $$;
    CREATE FUNCTION author_best(author author) RETURNS SETOF post LANGUAGE plpgsql ROWS 1 COST 1 STABLE AS
        $$ BEGIN PERFORM watch(author.name);
           RETURN QUERY SELECT * FROM post WHERE id % 12 + 1 = author.id ORDER BY id LIMIT 3; END $$;
    CREATE FUNCTION watched_text(text) RETURNS text LANGUAGE plpgsql COST 1 STABLE AS
        $$ BEGIN PERFORM watch($1); RETURN $1; END $$;
    COMMENT ON FUNCTION watched_text IS '@omit';
    CREATE VIEW shout AS SELECT id, shown, watched_text(title) AS title FROM post;
    COMMENT ON FUNCTION author_probe IS '@sortable';
    COMMENT ON FUNCTION post_probe IS '@sortable';
    COMMENT ON FUNCTION post_inverse IS '@sortable';
    COMMENT ON FUNCTION post_number IS '@sortable';
";

/// Counts what is looked at in one database, since it was made.
pub(super) enum Watcher {
    Sqlite,
    Postgres { url: String },
}

impl Watcher {
    pub(super) fn of(place: &Place, database: &Database) -> Self {
        match place {
            Place::Sqlite => {
                HIDDEN.store(0, Ordering::Relaxed);
                Self::Sqlite
            }
            Place::Postgres(_) => Self::Postgres { url: database.url() },
        }
    }

    /// How many hidden values were looked at, as far as that is counted.
    pub(super) fn hidden(&self) -> usize {
        match self {
            Self::Sqlite => HIDDEN.load(Ordering::Relaxed),
            Self::Postgres { url } => locks(url, 1),
        }
    }

    /// Whether other values were looked at.
    pub(super) fn saw(&self) -> bool {
        match self {
            Self::Sqlite => true,
            Self::Postgres { url } => locks(url, 0) > 0,
        }
    }

    /// The values that SQLite read since this was asked last, each once: a statement may be run
    /// again where it was given up. What PostgreSQL reads depends on how it joins, and that on how
    /// many rows there are.
    pub(super) fn read(&self) -> Option<BTreeSet<String>> {
        match self {
            Self::Sqlite => Some(std::mem::take(&mut *SEEN.lock().unwrap())),
            Self::Postgres { .. } => None,
        }
    }
}

fn locks(url: &str, number: u32) -> usize {
    let sql = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 7
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND objid = ";
    let rows = query(url, &(sql.to_owned() + &number.to_string())).unwrap();
    rows[0][0].as_deref().unwrap().parse().unwrap()
}

/// Every connection to SQLite of this process gets the function that columns are computed by.
pub(super) fn register() {
    static REGISTERED: Once = Once::new();
    #[allow(unsafe_code, reason = "SQLite's own interface for what all connections get")]
    REGISTERED.call_once(|| {
        // SAFETY: the extension defines a function; it opens and closes no database, and changes
        // nothing of the list of extensions.
        unsafe { register_auto_extension(extension).unwrap() };
    });
}

// SAFETY: only SQLite calls it, with a connection that is open and a place for an error's text.
#[allow(unsafe_code, reason = "SQLite's own interface for what all connections get")]
unsafe extern "C" fn extension(
    database: *mut ffi::sqlite3,
    error: *mut *mut std::ffi::c_char,
    _: *const ffi::sqlite3_api_routines,
) -> std::ffi::c_int {
    // SAFETY: SQLite calls it with a connection that is open, as the bridge wants it.
    unsafe { init_auto_extension(database, error, add) }
}

#[allow(clippy::needless_pass_by_value, reason = "the bridge wants it so")]
fn add(connection: Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function("watched", 1, flags, |arguments| {
        let value: String = arguments.get(0)?;
        match value.contains("LOUD") || value.contains("QUIET") {
            true => drop(HIDDEN.fetch_add(1, Ordering::Relaxed)),
            false => drop(SEEN.lock().unwrap().insert(value.clone())),
        }
        Ok(value)
    })
}
