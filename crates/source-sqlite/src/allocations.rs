//! Memory of SQLite for the rows of an answer: a value of many megabytes, or a list that is sorted.
//!
//! SQLite allocates such memory while a statement runs, before its row can be read. Large
//! allocations of a run are therefore reserved in the memory budget of all answers first. Without
//! room SQLite gets no memory, which ends the statement; the error is that of any other answer
//! without room ([`was_refused`]). Small allocations, and those outside of a step, do not count:
//! pages and prepared statements outlive a run. Nor does memory that a run leaves allocated, such as
//! the first pages of a cache, which are large together, count after it.
#![expect(unsafe_code, reason = "the allocator of SQLite is a table of C functions")]

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};

use response::MemoryReservation;
use rusqlite::ffi::{self, sqlite3_mem_methods};

/// Allocations from this size on are reserved. Pages of a file are smaller.
const LARGE: c_int = 256 << 10;

/// The memory of the run on this thread.
#[derive(Debug)]
struct Run {
    number: u64,
    /// Empty; each allocation gets a reservation of the same budget.
    held: MemoryReservation,
    has_reserved: bool,
    is_refused: bool,
}

/// The reservation of an allocation, with the number of its run.
#[derive(Debug)]
struct Reserved {
    run: u64,
    _held: MemoryReservation,
}

/// Ends the run when it is dropped.
struct End;

thread_local! {
    static RUN: RefCell<Option<Run>> = const { RefCell::new(None) };
    static IS_STEPPING: Cell<bool> = const { Cell::new(false) };
}

/// SQLite's own functions; none if they could not be replaced.
static DEFAULT: OnceLock<Option<Methods>> = OnceLock::new();

/// Reservations of large allocations by their addresses.
static RESERVED: LazyLock<Mutex<HashMap<usize, Reserved>>> = LazyLock::new(Mutex::default);

/// The number of runs.
static RUNS: AtomicU64 = AtomicU64::new(0);

#[derive(Clone, Copy)]
struct Methods(sqlite3_mem_methods);

// SAFETY: the table is never changed, and its functions may be called from any thread.
unsafe impl Sync for Methods {}
// SAFETY: as above.
unsafe impl Send for Methods {}

/// Replaces the allocator of SQLite. It has no effect after the first connection of the process was
/// opened by other means: then only copies of values are counted.
pub fn install() {
    DEFAULT.get_or_init(|| {
        // SAFETY: all fields may be null, and SQLite fills them.
        let mut default: sqlite3_mem_methods = unsafe { std::mem::zeroed() };
        // SAFETY: SQLite writes its table to the place, and refuses if it is in use already.
        let code = unsafe { ffi::sqlite3_config(ffi::SQLITE_CONFIG_GETMALLOC, &raw mut default) };
        let is_complete = default.xMalloc.is_some()
            && default.xFree.is_some()
            && default.xRealloc.is_some()
            && default.xSize.is_some();
        (code == ffi::SQLITE_OK && is_complete).then_some(Methods(default))
    });
    static IS_REPLACED: OnceLock<()> = OnceLock::new();
    IS_REPLACED.get_or_init(|| {
        give_back_large();
        if let Some(Some(Methods(default))) = DEFAULT.get() {
            let own = sqlite3_mem_methods {
                xMalloc: Some(allocate),
                xFree: Some(free),
                xRealloc: Some(reallocate),
                ..*default
            };
            // SAFETY: SQLite copies the table, whose functions live as long as the process.
            let code = unsafe { ffi::sqlite3_config(ffi::SQLITE_CONFIG_MALLOC, &raw const own) };
            if code != ffi::SQLITE_OK {
                tracing::debug!(code, "memory of SQLite itself is not counted");
            }
        }
    });
}

/// Configures the C library to return each large allocation to the system when it is freed. It would
/// raise the size from which it does so by itself with the first one, and keep up to twice as much
/// for each thread.
fn give_back_large() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function may be called at any time.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
    }
}

/// Returns the memory that closed connections have freed to the system. The C library keeps it
/// otherwise, for each thread, and a connection has the whole schema: 8 MB for 5,000 tables.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function may be called at any time on any thread; it moves no used memory.
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Runs something whose steps reserve memory in the budget of `held`.
pub(super) fn reserving<T>(held: MemoryReservation, run: impl FnOnce() -> T) -> T {
    let number = RUNS.fetch_add(1, Ordering::Relaxed);
    RUN.set(Some(Run { number, held, has_reserved: false, is_refused: false }));
    let _end = End;
    run()
}

/// A step of a statement, in which memory is reserved.
pub(super) fn step<T>(step: impl FnOnce() -> T) -> T {
    IS_STEPPING.set(true);
    let done = step();
    IS_STEPPING.set(false);
    done
}

/// Returns true if the budget had no room for an allocation of SQLite in the run on this thread.
pub(super) fn was_refused() -> bool {
    RUN.with_borrow(|run| run.as_ref().is_some_and(|run| run.is_refused))
}

impl Drop for End {
    fn drop(&mut self) {
        let Some(run) = RUN.take().filter(|run| run.has_reserved) else { return };
        let mut reserved = RESERVED.lock().unwrap_or_else(PoisonError::into_inner);
        reserved.retain(|_, reserved| reserved.run != run.number);
    }
}

/// Reserves the memory of an allocation if it counts; `Err` without room.
fn reserve(bytes: c_int) -> Result<Option<Reserved>, ()> {
    if bytes < LARGE || !IS_STEPPING.try_with(Cell::get).unwrap_or(false) {
        return Ok(None);
    }
    let reserved = RUN.try_with(|run| {
        let mut run = run.borrow_mut();
        let Some(run) = run.as_mut().filter(|run| run.held.is_counted()) else { return Ok(None) };
        let mut held = run.held.another();
        let grown = held.grow_to(u64::from(bytes.unsigned_abs()));
        run.is_refused |= grown.is_err();
        run.has_reserved |= grown.is_ok();
        grown.map(|()| Some(Reserved { run: run.number, _held: held })).map_err(|_| ())
    });
    reserved.unwrap_or(Ok(None))
}

fn remember(address: *mut c_void, reserved: Option<Reserved>) {
    if let (Some(reserved), false) = (reserved, address.is_null()) {
        RESERVED.lock().unwrap_or_else(PoisonError::into_inner).insert(address.addr(), reserved);
    }
}

/// Takes the reservation of an allocation, if it has one.
fn take(address: *mut c_void, size: c_int) -> Option<Reserved> {
    if size < LARGE {
        return None;
    }
    RESERVED.lock().unwrap_or_else(PoisonError::into_inner).remove(&address.addr())
}

/// SQLite's own table. The functions below are only called if it is there.
fn default() -> Option<&'static sqlite3_mem_methods> {
    DEFAULT.get()?.as_ref().map(|Methods(default)| default)
}

/// The size of an allocation.
// SAFETY: the address is that of an allocation of SQLite, or null.
unsafe fn size(default: &sqlite3_mem_methods, address: *mut c_void) -> c_int {
    match default.xSize {
        // SAFETY: as above.
        Some(size) if !address.is_null() => unsafe { size(address) },
        Some(_) | None => 0,
    }
}

// SAFETY: SQLite calls it as its own function, which may be called with any size.
unsafe extern "C" fn allocate(bytes: c_int) -> *mut c_void {
    let Some(malloc) = default().and_then(|default| default.xMalloc) else { return null_mut() };
    let Ok(reserved) = reserve(bytes) else { return null_mut() };
    // SAFETY: SQLite's own function, called as SQLite does.
    let address = unsafe { malloc(bytes) };
    remember(address, reserved);
    address
}

// SAFETY: SQLite calls it with one of its allocations, once.
unsafe extern "C" fn free(address: *mut c_void) {
    let Some(default) = default() else { return };
    let Some(free) = default.xFree else { return };
    // SAFETY: SQLite frees its own allocations. The address may be another's from then on, so the
    // reservation is taken before.
    let reserved = unsafe { take(address, size(default, address)) };
    // SAFETY: as above.
    unsafe { free(address) };
    drop(reserved);
}

// SAFETY: SQLite calls it with one of its allocations, and uses no other address from then on than
// the returned one, or the same if it is null.
unsafe extern "C" fn reallocate(address: *mut c_void, bytes: c_int) -> *mut c_void {
    let Some(default) = default() else { return null_mut() };
    let Some(realloc) = default.xRealloc else { return null_mut() };
    // Both exist while one is copied to the other.
    let Ok(reserved) = reserve(bytes) else { return null_mut() };
    // SAFETY: SQLite passes its own allocation.
    let before = unsafe { take(address, size(default, address)) };
    // SAFETY: as above.
    let grown = unsafe { realloc(address, bytes) };
    match grown.is_null() {
        // The allocation stays as it was.
        true => remember(address, before),
        false => remember(grown, reserved),
    }
    grown
}

#[cfg(test)]
mod tests {
    use response::MemoryBudget;
    use rusqlite::Connection;
    use testkit::alone::alone;

    use super::*;

    const MEBIBYTE: u64 = 1 << 20;

    /// Reads a value of ten megabytes, with so much memory; the code, whether it was refused, and
    /// the most memory that was reserved.
    fn read(connection: &Connection, most: u64) -> (c_int, bool, u64) {
        let memory = MemoryBudget::new(most);
        let mut statement = connection.prepare("SELECT body FROM big").unwrap();
        let mut rows = statement.query([]).unwrap();
        let code = reserving(MemoryReservation::of(&memory), || {
            let stepped = step(|| rows.next().map(drop));
            let code = match stepped {
                Ok(()) => ffi::SQLITE_ROW,
                Err(error) => error.sqlite_error().unwrap().extended_code,
            };
            (code, was_refused())
        });
        drop(rows);
        assert_eq!(memory.held(), 0);
        (code.0, code.1, memory.most_held())
    }

    #[test]
    fn a_value_is_reserved_before_sqlite_allocates_it() {
        let name = "allocations::tests::a_value_is_reserved_before_sqlite_allocates_it";
        // Another test may have opened a connection before.
        alone(name, || {
            install();
            let connection = Connection::open_in_memory().unwrap();
            let table =
                "CREATE TABLE big (body text); INSERT INTO big VALUES (hex(zeroblob(5000000)))";
            connection.execute_batch(table).unwrap();
            let (code, is_refused, most) = read(&connection, u64::MAX);
            assert_eq!((code, is_refused), (ffi::SQLITE_ROW, false));
            assert!((10_000_000..10_000_000 + 2 * MEBIBYTE).contains(&most), "{most}");
            let (code, is_refused, _) = read(&connection, 9 * MEBIBYTE);
            assert_eq!((code, is_refused), (ffi::SQLITE_NOMEM, true));
            // The connection goes on.
            assert_eq!(read(&connection, u64::MAX).0, ffi::SQLITE_ROW);
            assert!(!was_refused());
        });
    }

    #[test]
    fn pages_that_stay_in_the_cache_are_not_reserved_after_a_run() {
        let name = "allocations::tests::pages_that_stay_in_the_cache_are_not_reserved_after_a_run";
        alone(name, || {
            install();
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("pages.db");
            let writer = Connection::open(&file).unwrap();
            let table = "CREATE TABLE small (number integer); INSERT INTO small VALUES (1)";
            writer.execute_batch(table).unwrap();
            let reader = Connection::open(&file).unwrap();
            let mut statement = reader.prepare("SELECT number FROM small").unwrap();
            // The next step makes another cache, of 20 pages at once.
            writer.execute_batch("PRAGMA page_size = 65536; VACUUM").unwrap();
            let memory = MemoryBudget::new(u64::MAX);
            let mut rows = statement.query([]).unwrap();
            let is_read = reserving(MemoryReservation::of(&memory), || {
                step(|| rows.next().map(|row| row.is_some()))
            });
            assert_eq!(is_read, Ok(true));
            assert!(memory.most_held() > MEBIBYTE, "{}", memory.most_held());
            assert_eq!(memory.held(), 0);
        });
    }
}
