//! The shared memory of files in WAL mode (`-shm`), which another program may cut short.
//!
//! SQLite maps that file. An access beyond its end raises SIGBUS, which ends the process. Here a
//! handler of the signal maps empty memory into the place and marks the index as lost; a layer over
//! SQLite's own VFS does the rest:
//!
//! * A connection whose transaction began before a loss may have read the empty memory. Until it
//!   has released all its locks, all its reads, writes and locks of the files fail, so nothing that
//!   follows from empty memory reaches an answer, the log or the file. The handler marks the loss
//!   before the memory can be read.
//! * The first connection that takes a lock afterwards repairs the index, under the locks under
//!   which SQLite recovers one: it has SQLite make the file long enough, maps it again and clears
//!   the head of the index. SQLite then recovers the index from the log, as after a crash. No
//!   connection is closed.
//!
//! An acknowledged commit is in the log then: the index contains only data that recovery reads from
//! the log.
//!
//! `index` is the memory and the handler. The alternatives: `PRAGMA locking_mode = EXCLUSIVE` needs
//! no shared memory, but admits no other connection, of this process neither. To begin the process
//! anew inside the handler (`execve`) is as sound, but ends every request and every connection to a
//! client. Jumping out of SQLite leaves its mutexes locked.
#![expect(unsafe_code, reason = "signal handlers, mappings and the VFS of SQLite are C's")]

mod index;

use std::ffi::{CStr, c_int, c_void};
use std::ptr::{self, null_mut};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use rusqlite::ffi::{self, sqlite3_file, sqlite3_io_methods, sqlite3_vfs};

use index::{HEAD, Index, PAGE_SIZE, REGION_SIZE, REGIONS, handle_bus_errors};

const NAME: &CStr = c"thalweg";

/// The locks of the writer and of the recovery of an index, a bit each.
const WRITER: u32 = 1;
const RECOVERER: u32 = 4;

/// The locks under which SQLite recovers an index: those of the writer, the checkpoint, the recovery.
const RECOVERY_LOCKS: (c_int, c_int) = (0, 3);

/// The bytes of a [`Connection`] behind SQLite's own part of a file.
const OWN: c_int = size_of::<Connection>() as c_int;

/// Further state of an index, under the lock of [`mapped`].
struct Mapped {
    index: Box<Index>,
    /// The start of each region and of a second mapping of the same part of the file, which is
    /// never accessed: so it stays whole, and can be mapped again in the place of the first.
    regions: Vec<(usize, usize)>,
    /// Connections that have it.
    /// One more than the number of its last region.
    count: c_int,
    users: usize,
    can_be_written: bool,
}

/// Data of this layer behind SQLite's own part of an open file.
struct Connection {
    /// SQLite's own methods of the file.
    base: *const sqlite3_io_methods,
    /// The database file's own, or of a log that of its database file.
    main: *mut sqlite3_file,
    /// Of the database file: null until it is mapped.
    index: *const Index,
    /// Losses when the oldest of its locks was taken.
    losses: u64,
    /// The locks of shared memory that it has, a bit each.
    locks: u32,
}

/// SQLite's own VFS, and this one.
struct Layer {
    base: *mut sqlite3_vfs,
    vfs: sqlite3_vfs,
    /// Methods of database files, and those of logs, which SQLite does not lock.
    databases: OnceLock<Methods>,
    logs: OnceLock<Methods>,
}

struct Methods {
    base: *const sqlite3_io_methods,
    own: sqlite3_io_methods,
}

// SAFETY: both structures are read only once they are registered, by SQLite's contract; the pointers
// lead to structures of SQLite that are never freed.
unsafe impl Sync for Layer {}
// SAFETY: as above.
unsafe impl Send for Layer {}
// SAFETY: as above.
unsafe impl Sync for Methods {}
// SAFETY: as above.
unsafe impl Send for Methods {}

static LAYER: OnceLock<Option<&'static Layer>> = OnceLock::new();

/// The name of the VFS, which is registered and whose handler is installed. None where it is not
/// supported: a truncated file ends the process then.
pub(super) fn vfs() -> Option<&'static CStr> {
    LAYER.get_or_init(install).map(|_| NAME)
}

fn install() -> Option<&'static Layer> {
    // SAFETY: asks for the default VFS.
    let base = unsafe { ffi::sqlite3_vfs_find(null_mut()) };
    // SAFETY: asks for a constant of the system.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let page = usize::try_from(page).ok().filter(|page| *page <= 32_768)?;
    // SAFETY: SQLite's VFS lives as long as the process.
    let mut vfs = *unsafe { base.as_ref() }?;
    vfs.szOsFile += OWN;
    vfs.zName = NAME.as_ptr();
    vfs.pNext = null_mut();
    vfs.xOpen = Some(open);
    PAGE_SIZE.store(page, SeqCst);
    let layer =
        Box::leak(Box::new(Layer { base, vfs, databases: OnceLock::new(), logs: OnceLock::new() }));
    handle_bus_errors()?;
    // The default for all connections from now on: two layers must not have the same index. SAFETY:
    // it lives as long as the process, and there is no reference to it yet.
    let code = unsafe { ffi::sqlite3_vfs_register(&raw mut layer.vfs, 1) };
    (code == ffi::SQLITE_OK).then_some(&*layer)
}

fn layer() -> Option<&'static Layer> {
    LAYER.get().copied().flatten()
}

/// SQLite's own methods of a file.
// SAFETY: the file was opened by this layer; methods stay as long as the process.
unsafe fn base<'m>(file: *mut sqlite3_file) -> &'m sqlite3_io_methods {
    // SAFETY: as the caller promises.
    unsafe { &*(*connection(file)).base }
}

fn mapped() -> MutexGuard<'static, Vec<Mapped>> {
    static MAPPED: Mutex<Vec<Mapped>> = Mutex::new(Vec::new());
    MAPPED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens a file as SQLite's own VFS does, with methods of this layer for databases and logs.
// SAFETY: SQLite calls it with a file of `szOsFile` bytes, of which the last are ours.
unsafe extern "C" fn open(
    _: *mut sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    let Some(layer) = layer() else { return ffi::SQLITE_CANTOPEN };
    // SAFETY: the arguments are those of SQLite, and its own VFS exists.
    let code = unsafe {
        match (*layer.base).xOpen {
            Some(open) => open(layer.base, name, file, flags, out),
            None => ffi::SQLITE_CANTOPEN,
        }
    };
    let is_main = flags & ffi::SQLITE_OPEN_MAIN_DB != 0;
    if code != ffi::SQLITE_OK || !(is_main || flags & ffi::SQLITE_OPEN_WAL != 0) {
        return code;
    }
    // SAFETY: the file is open, so it has methods; a log is opened when its database is open.
    unsafe {
        let base = (*file).pMethods;
        let kept = if is_main { &layer.databases } else { &layer.logs };
        let methods = kept.get_or_init(|| {
            let mut own = *base;
            own.xRead = Some(read);
            own.xWrite = Some(write);
            own.xTruncate = Some(truncate);
            own.xSync = Some(sync);
            own.xShmMap = Some(map);
            own.xShmLock = Some(lock);
            own.xShmUnmap = Some(unmap);
            Methods { base, own }
        });
        let main = if is_main { file } else { ffi::sqlite3_database_file_object(name.cast()) };
        let is_ours = |own: &Methods| (*main).pMethods == &raw const own.own;
        // Other methods are those of other ways to lock, which share no memory.
        if methods.base != base || !is_main && !layer.databases.get().is_some_and(is_ours) {
            return code;
        }
        connection(file).write(Connection { base, main, index: ptr::null(), losses: 0, locks: 0 });
        (*file).pMethods = &raw const methods.own;
    }
    code
}

/// Data of this layer for a file.
// SAFETY: the file was opened by this layer, which made room behind it. SQLite aligns files to eight
// bytes, and the size of its own part is a multiple of that.
unsafe fn connection(file: *mut sqlite3_file) -> *mut Connection {
    // Of this layer's structure, which extends SQLite's.
    let size = layer().map_or(0, |layer| layer.vfs.szOsFile - OWN);
    // SAFETY: as the caller promises.
    unsafe { file.cast::<u8>().add(usize::try_from(size).unwrap_or_default()).cast() }
}

/// Whether the transaction of a connection may have read lost memory, or the end of a partly lost
/// page: the system fills that with zeros, without a signal.
// SAFETY: the file was opened by this layer, and one thread at a time uses its connection.
unsafe fn is_lost(file: *mut sqlite3_file) -> bool {
    // SAFETY: as the caller promises; the index lives as long as the connection has mapped it.
    unsafe {
        let main = connection((*connection(file)).main);
        let Some(index) = (*main).index.as_ref() else { return false };
        index.touch();
        index.losses.load(SeqCst) != (*main).losses
    }
}

// SAFETY: as SQLite calls it, on a file of this layer.
unsafe extern "C" fn read(
    file: *mut sqlite3_file,
    to: *mut c_void,
    bytes: c_int,
    at: i64,
) -> c_int {
    // SAFETY: the arguments are those of SQLite.
    unsafe {
        match base(file).xRead {
            Some(read) if !is_lost(file) => read(file, to, bytes, at),
            _ => ffi::SQLITE_IOERR_READ,
        }
    }
}

// SAFETY: as SQLite calls it, on a file of this layer.
unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    from: *const c_void,
    bytes: c_int,
    at: i64,
) -> c_int {
    // SAFETY: the arguments are those of SQLite.
    unsafe {
        match base(file).xWrite {
            Some(write) if !is_lost(file) => write(file, from, bytes, at),
            _ => ffi::SQLITE_IOERR_WRITE,
        }
    }
}

// SAFETY: as SQLite calls it, on a file of this layer.
unsafe extern "C" fn truncate(file: *mut sqlite3_file, size: i64) -> c_int {
    // SAFETY: the arguments are those of SQLite.
    unsafe {
        match base(file).xTruncate {
            Some(truncate) if !is_lost(file) => truncate(file, size),
            _ => ffi::SQLITE_IOERR_TRUNCATE,
        }
    }
}

// SAFETY: as SQLite calls it, on a file of this layer.
unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: the arguments are those of SQLite.
    unsafe {
        match base(file).xSync {
            Some(sync) if !is_lost(file) => sync(file, flags),
            _ => ffi::SQLITE_IOERR_FSYNC,
        }
    }
}

/// Maps a region, and registers it for the handler.
// SAFETY: as SQLite calls it, on a database file of this layer.
unsafe extern "C" fn map(
    file: *mut sqlite3_file,
    number: c_int,
    size: c_int,
    extend: c_int,
    out: *mut *mut c_void,
) -> c_int {
    let mut all = mapped();
    // SAFETY: the arguments are those of SQLite, and one thread at a time uses a connection.
    unsafe {
        let own = connection(file);
        // A truncated file would be filled with zeros without notice.
        if extend != 0 && is_lost(file) {
            *out = null_mut();
            return ffi::SQLITE_IOERR_SHMMAP;
        }
        let Some(map) = base(file).xShmMap else { return ffi::SQLITE_IOERR_SHMMAP };
        let code = map(file, number, size, extend, out);
        let (start, size) = (*out as usize, usize::try_from(size).unwrap_or_default());
        if start != 0 {
            REGION_SIZE.store(size, SeqCst);
            know(&mut all, &mut *own, number, start, code == ffi::SQLITE_OK);
        }
        code
    }
}

/// Keeps a region that a connection has mapped.
fn know(
    all: &mut Vec<Mapped>,
    own: &mut Connection,
    number: c_int,
    start: usize,
    can_be_written: bool,
) {
    if own.index.is_null() {
        // The first region is mapped first, and stays in its place as long as any connection has it.
        if number != 0 {
            return;
        }
        if !all.iter().any(|known| known.index.first == start) {
            let index = Box::new(Index {
                losses: AtomicU64::new(0),
                mended: AtomicU64::new(0),
                renewed: AtomicU64::new(0),
                handling: AtomicUsize::new(0),
                first: start,
                last: AtomicUsize::new(0),
                head: [const { AtomicU32::new(0) }; HEAD],
            });
            all.push(Mapped { index, regions: Vec::new(), count: 0, users: 0, can_be_written });
        }
        let Some(known) = all.iter_mut().find(|known| known.index.first == start) else { return };
        known.users += 1;
        own.index = &raw const *known.index;
        let losses = known.index.losses.load(SeqCst);
        // The connection that takes the first lock repairs a loss: this one has to begin again.
        let is_whole = known.index.mended.load(SeqCst) == losses;
        own.losses = if is_whole { losses } else { u64::MAX };
    }
    let own = own.index;
    let Some(known) = all.iter_mut().find(|known| ptr::eq(&raw const *known.index, own)) else {
        return;
    };
    if known.regions.iter().any(|(at, _)| *at == start) {
        return;
    }
    let Some(free) = REGIONS.iter().find(|region| region.start.load(SeqCst) == 0) else { return };
    let size = REGION_SIZE.load(SeqCst);
    // SAFETY: the region is mapped from a file and shared: a length of 0 maps the same part again.
    let again = unsafe { libc::mremap(start as *mut c_void, 0, size, libc::MREMAP_MAYMOVE) };
    if again == libc::MAP_FAILED {
        // Without it nothing could be mended.
        return;
    }
    known.regions.push((start, again as usize));
    free.index.store((&raw const *known.index).cast_mut(), SeqCst);
    free.start.store(start, SeqCst);
    if number >= known.count {
        known.count = number.saturating_add(1);
        known.index.last.store(start + size - 1, SeqCst);
    }
}

/// Locks or unlocks. The first lock of a transaction repairs a loss.
// SAFETY: as SQLite calls it, on a database file of this layer.
unsafe extern "C" fn lock(
    file: *mut sqlite3_file,
    from: c_int,
    count: c_int,
    flags: c_int,
) -> c_int {
    // SAFETY: a file of this layer.
    let Some(lock) = (unsafe { base(file).xShmLock }) else { return ffi::SQLITE_IOERR_SHMLOCK };
    let mask = ((1_u32 << count) - 1) << from;
    // SAFETY: the arguments are those of SQLite, and one thread at a time uses a connection.
    unsafe {
        let own = connection(file);
        if flags & ffi::SQLITE_SHM_UNLOCK != 0 {
            // The recovery is over, and no other connection writes the head.
            if mask & RECOVERER != 0
                && (*own).locks & WRITER != 0
                && let Some(index) = (*own).index.as_ref()
            {
                index.renew();
            }
            let code = lock(file, from, count, flags);
            (*own).locks &= !mask;
            return code;
        }
        let index = (*own).index;
        if let Some(index) = index.as_ref() {
            if (*own).locks == 0 {
                index.touch();
                let losses = index.losses.load(SeqCst);
                if index.mended.load(SeqCst) != losses && !mend(file, index) {
                    return ffi::SQLITE_IOERR_SHMLOCK;
                }
                if index.renewed.load(SeqCst) != index.mended.load(SeqCst) && !renew(file, index) {
                    return ffi::SQLITE_IOERR_SHMLOCK;
                }
                (*own).losses = index.mended.load(SeqCst);
            }
            if is_lost(file) {
                return ffi::SQLITE_IOERR_SHMLOCK;
            }
        }
        let code = lock(file, from, count, flags);
        if code == ffi::SQLITE_OK {
            (*own).locks |= mask;
            if let Some(index) = index.as_ref()
                && mask & WRITER != 0
            {
                index.keep_head();
            }
        }
        code
    }
}

/// Renews a head that another process has recovered. `false` if it cannot be done now.
// SAFETY: the file is a database file of this layer which has mapped the index and has no locks.
unsafe fn renew(file: *mut sqlite3_file, index: &Index) -> bool {
    // SAFETY: a file of this layer.
    let Some(lock) = (unsafe { base(file).xShmLock }) else { return false };
    let (from, count) = RECOVERY_LOCKS;
    let exclusive = ffi::SQLITE_SHM_EXCLUSIVE;
    // SAFETY: the file is open, has no locks, and has that of the writer in between.
    unsafe {
        if lock(file, from, count, ffi::SQLITE_SHM_LOCK | exclusive) != ffi::SQLITE_OK {
            return false;
        }
        index.renew();
        lock(file, from, count, ffi::SQLITE_SHM_UNLOCK | exclusive);
    }
    true
}

/// Makes the index one that SQLite recovers from the log. `false` if it cannot be done now.
// SAFETY: the file is a database file of this layer which has mapped the index and has no locks.
unsafe fn mend(file: *mut sqlite3_file, index: &Index) -> bool {
    let mut all = mapped();
    let losses = index.losses.load(SeqCst);
    if index.mended.load(SeqCst) == losses {
        return true;
    }
    let Some(known) = all.iter_mut().find(|known| ptr::eq(&raw const *known.index, index)) else {
        return false;
    };
    // A handler that has counted its loss has to be done with the memory.
    if index.handling.load(SeqCst) != 0 || !known.can_be_written {
        return false;
    }
    // SAFETY: a file of this layer.
    let base = unsafe { base(file) };
    let (Some(lock), Some(map)) = (base.xShmLock, base.xShmMap) else { return false };
    let (from, count) = RECOVERY_LOCKS;
    let exclusive = ffi::SQLITE_SHM_EXCLUSIVE;
    // SAFETY: the file is open and has no locks. Those taken here prevent that any process writes
    // the log, moves it into the file or recovers the index.
    if unsafe { lock(file, from, count, ffi::SQLITE_SHM_LOCK | exclusive) } != ffi::SQLITE_OK {
        return false;
    }
    let number = known.count;
    let size = REGION_SIZE.load(SeqCst);
    let mut start = null_mut();
    // One region more than there were makes the file at least as long as all of them.
    let bytes = c_int::try_from(size).unwrap_or_default();
    // SAFETY: as above; SQLite keeps the region for when it needs it.
    let code = unsafe { map(file, number, bytes, 1, &raw mut start) };
    let mut is_whole = code == ffi::SQLITE_OK && !start.is_null();
    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
    for (start, again) in &known.regions {
        let (again, to) = (*again as *mut c_void, *start as *mut c_void);
        // SAFETY: both are mappings of SQLite's that stay until its last connection is closed, and of
        // one size. Others that read the region meanwhile find its memory or that of the handler, and
        // have lost their transactions.
        let moved = unsafe { libc::mremap(again, 0, size, flags, to) };
        is_whole &= moved as usize == *start;
    }
    if is_whole && let Some((start, _)) = known.regions.first() {
        for offset in 0..HEAD {
            // SAFETY: the region is mapped, and longer. If the file is cut again, the handler helps.
            unsafe { (*start as *mut u32).add(offset).write_volatile(0) };
        }
        index.mended.store(losses, SeqCst);
        tracing::warn!(
            "the shared memory of a file (-shm) was cut short by another program; its index is read \
             from the log again"
        );
    }
    // SAFETY: the locks were taken above.
    unsafe { lock(file, from, count, ffi::SQLITE_SHM_UNLOCK | exclusive) };
    if !start.is_null() {
        // SAFETY: the file was opened by this layer.
        let own = unsafe { &mut *connection(file) };
        know(&mut all, own, number, start as usize, true);
    }
    is_whole && index.losses.load(SeqCst) == losses
}

/// Closes the shared memory of a connection; the last one unmaps it.
// SAFETY: as SQLite calls it, on a database file of this layer.
unsafe extern "C" fn unmap(file: *mut sqlite3_file, delete: c_int) -> c_int {
    let mut all = mapped();
    // SAFETY: the arguments are those of SQLite, and one thread at a time uses a connection.
    unsafe {
        let own = &mut *connection(file);
        let place = all.iter().position(|known| ptr::eq(&raw const *known.index, own.index));
        (own.index, own.locks) = (ptr::null(), 0);
        if let Some(place) = place
            && let Some(known) = all.get_mut(place)
        {
            known.users -= 1;
            if known.users == 0 {
                forget(&all.swap_remove(place));
            }
        }
        base(file).xShmUnmap.map_or(ffi::SQLITE_OK, |unmap| unmap(file, delete))
    }
}

/// Frees the regions, which have no readers.
fn forget(known: &Mapped) {
    let index = &raw const *known.index;
    for region in REGIONS.iter().filter(|region| ptr::eq(region.index.load(SeqCst), index)) {
        region.start.store(0, SeqCst);
        region.index.store(null_mut(), SeqCst);
    }
    for (_, again) in &known.regions {
        // SAFETY: it was mapped by this layer, with this size, and has no other references.
        unsafe { libc::munmap(*again as *mut c_void, REGION_SIZE.load(SeqCst)) };
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use rusqlite::{Connection, ErrorCode};

    use crate::Durability;
    use crate::connection::OpenFile;

    /// Room in the cache for a few pages only: the others are read and written when they are used.
    const SMALL: &str = "PRAGMA cache_size = 5";
    const ROWS: &str = "
        PRAGMA journal_mode = WAL;
        CREATE TABLE t (id integer PRIMARY KEY, body text);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
            INSERT INTO t SELECT i, hex(zeroblob(500)) FROM n;";
    const MORE: &str = "INSERT INTO t SELECT id + 1000, body FROM t WHERE id <= 300";
    const COUNT: &str = "SELECT count(*) || ' ' || sum(length(body)) FROM t";

    /// The rows at the beginning, and with those of [`MORE`].
    const BEFORE: &str = "400 400000";
    const AFTER: &str = "700 700000";

    /// Whole pages, and parts of them.
    const LENGTHS: [i64; 6] = [0, 100, 4_096, 16_384, 20_000, 28_672];

    struct Served {
        path: std::path::PathBuf,
        _folder: tempfile::TempDir,
        /// An idle connection.
        idle: OpenFile,
        reader: OpenFile,
        writer: OpenFile,
    }

    impl Served {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("test.db");
            // The layer is installed before any connection is opened.
            drop(Self::open(Path::new(":memory:")));
            let first = Connection::open(&path).unwrap();
            first.execute_batch(ROWS).unwrap();
            let [idle, reader, writer] = [(); 3].map(|()| Self::open(&path));
            let served = Self { path, _folder: folder, idle, reader, writer };
            assert_eq!(count(&served.idle).as_deref(), Ok(BEFORE));
            served
        }

        fn open(path: &Path) -> OpenFile {
            let file = OpenFile::open_for_changes(path, Duration::ZERO, Durability::Full);
            let file = file.unwrap();
            file.connection.execute_batch(SMALL).unwrap();
            file
        }

        /// Cuts the shared memory without opening it: closing it would give up the locks of SQLite.
        fn cut(&self, length: i64) {
            let path = format!("{}-shm\0", self.path.display());
            let path = std::ffi::CStr::from_bytes_with_nul(path.as_bytes()).unwrap();
            // SAFETY: the path ends with a zero.
            let code = unsafe { libc::truncate(path.as_ptr(), length) };
            assert_eq!(code, 0);
        }

        /// All of them, and one that comes later, find these rows.
        fn check(&self, expected: &str, length: i64) {
            for file in [&self.idle, &self.reader, &self.writer, &Self::open(&self.path)] {
                assert_eq!(count(file).as_deref(), Ok(expected), "{length}");
            }
            let check = "SELECT integrity_check FROM pragma_integrity_check";
            let read = |row: &rusqlite::Row<'_>| row.get::<_, String>(0);
            assert_eq!(self.idle.connection.query_row(check, (), read).as_deref(), Ok("ok"));
        }
    }

    fn count(file: &OpenFile) -> Result<String, ErrorCode> {
        let counted = file.connection.query_row(COUNT, (), |row| row.get(0));
        counted.map_err(|error| error.sqlite_error_code().unwrap())
    }

    fn run(file: &OpenFile, sql: &str) -> Result<(), ErrorCode> {
        file.connection.execute_batch(sql).map_err(|error| error.sqlite_error_code().unwrap())
    }

    #[test]
    fn a_cut_ends_the_transactions_that_had_begun_and_no_others() {
        for length in LENGTHS {
            let served = Served::new();
            let Served { reader, writer, .. } = &served;
            run(reader, "BEGIN").unwrap();
            assert_eq!(count(reader).as_deref(), Ok(BEFORE));
            run(writer, "BEGIN IMMEDIATE").unwrap();
            // More than the cache holds: some pages are in the log.
            run(writer, MORE).unwrap();
            served.cut(length);
            assert_eq!(count(reader), Err(ErrorCode::SystemIoFailure), "{length}");
            assert_eq!(run(writer, "COMMIT"), Err(ErrorCode::SystemIoFailure), "{length}");
            for file in [reader, writer] {
                if !file.connection.is_autocommit() {
                    run(file, "ROLLBACK").unwrap();
                }
            }
            served.check(BEFORE, length);
            run(writer, MORE).unwrap();
            served.check(AFTER, length);
        }
    }

    #[test]
    fn what_was_committed_before_a_cut_is_there_and_a_checkpoint_moves_all_of_it() {
        for length in LENGTHS {
            let served = Served::new();
            run(&served.writer, MORE).unwrap();
            served.cut(length);
            // It may fail, but not leave anything out.
            run(&served.idle, "PRAGMA wal_checkpoint(TRUNCATE)").unwrap_or_default();
            served.check(AFTER, length);
            run(&served.idle, "PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
            served.check(AFTER, length);
        }
    }

    #[test]
    fn nothing_that_was_rolled_back_without_an_index_stays_in_a_cache() {
        for length in LENGTHS {
            let served = Served::new();
            let writer = &served.writer;
            // More frames than the page of the head has numbers for.
            run(writer, "PRAGMA wal_autocheckpoint = 0").unwrap();
            for _ in 0..12 {
                run(writer, "UPDATE t SET body = body").unwrap();
            }
            // The index is recovered twice from the same log.
            served.cut(length);
            assert_eq!(count(writer).as_deref(), Ok(BEFORE));
            // Some pages of the log stay in the cache.
            run(writer, "PRAGMA cache_size = 30; BEGIN IMMEDIATE").unwrap();
            run(writer, MORE).unwrap();
            served.cut(length);
            // The other connection detects the loss, and the writer rolls back.
            assert_eq!(count(&served.reader), Err(ErrorCode::SystemIoFailure));
            if !writer.connection.is_autocommit() {
                run(writer, "ROLLBACK").unwrap_or_default();
            }
            served.check(BEFORE, length);
        }
    }

    #[test]
    fn a_file_can_be_cut_again_and_again() {
        let served = Served::new();
        for round in 0..10 {
            for length in LENGTHS {
                served.cut(length);
                served.check(BEFORE, length + round);
            }
        }
    }
}
