//! A VFS of SQLite that records what is written, truncated, synced and removed in a folder, and
//! does it with SQLite's own VFS.
#![expect(unsafe_code, reason = "the VFS of SQLite is C's")]

use std::ffi::{CStr, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use rusqlite::ffi::{self, sqlite3_file, sqlite3_io_methods, sqlite3_vfs};

/// A change of a file, by its name in the folder.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Create { name: String, role: Role },
    Write { name: String, at: usize, bytes: Vec<u8> },
    Truncate { name: String, size: usize },
    Sync { name: String },
    Remove { name: String, syncs_folder: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Database,
    /// A write-ahead log or a journal.
    Log,
}

/// A recording of a folder, until it is ended.
#[derive(Debug)]
pub(crate) struct Recording(());

/// The state of the recording.
#[derive(Debug, Default)]
struct State {
    folder: Option<PathBuf>,
    operations: Vec<Operation>,
    /// The names of recorded files, by the numbers that open files have. Those of earlier
    /// recordings have none.
    names: Vec<Option<String>>,
    /// Methods of files with those of SQLite's own VFS.
    methods: Vec<(usize, usize)>,
}

/// Data of this VFS behind SQLite's own part of a file.
struct Own {
    base: *const sqlite3_io_methods,
    /// The number of the name.
    number: usize,
}

/// SQLite's own VFS, and this one.
struct Layer {
    base: *mut sqlite3_vfs,
    vfs: sqlite3_vfs,
}

// SAFETY: both structures are read only once they are registered; the pointers lead to structures
// that are never freed.
unsafe impl Sync for Layer {}
// SAFETY: as above.
unsafe impl Send for Layer {}

static LAYER: OnceLock<&'static Layer> = OnceLock::new();

/// Makes the VFS the default of all connections.
pub(crate) fn install() {
    LAYER.get_or_init(|| {
        // SAFETY: reads the default VFS, which lives as long as the process.
        let base = unsafe { ffi::sqlite3_vfs_find(null_mut()) };
        // SAFETY: as above.
        let mut vfs = unsafe { *base };
        vfs.szOsFile += c_int::try_from(size_of::<Own>()).unwrap();
        vfs.zName = c"recording".as_ptr();
        vfs.pNext = null_mut();
        vfs.xOpen = Some(open);
        vfs.xDelete = Some(remove);
        let layer = Box::leak(Box::new(Layer { base, vfs }));
        // SAFETY: it lives as long as the process, and there is no other reference to it yet.
        let code = unsafe { ffi::sqlite3_vfs_register(&raw mut layer.vfs, 1) };
        assert_eq!(code, ffi::SQLITE_OK);
        layer
    });
}

impl Recording {
    pub(crate) fn begin(folder: &Path) -> Self {
        let mut state = state();
        assert!(state.folder.is_none());
        state.folder = Some(folder.into());
        state.operations.clear();
        state.names.iter_mut().for_each(|name| *name = None);
        Self(())
    }

    pub(crate) fn end(self) -> Vec<Operation> {
        let mut state = state();
        state.folder = None;
        std::mem::take(&mut state.operations)
    }
}

/// The number of operations so far.
pub(crate) fn position() -> usize {
    state().operations.len()
}

fn state() -> MutexGuard<'static, State> {
    static STATE: Mutex<State> = Mutex::new(State {
        folder: None,
        operations: Vec::new(),
        names: Vec::new(),
        methods: Vec::new(),
    });
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    /// The name of a file of the folder.
    fn name(&self, path: &Path) -> Option<String> {
        let name = path.strip_prefix(self.folder.as_ref()?).ok()?;
        (name.components().count() == 1).then(|| name.to_str().unwrap().to_owned())
    }

    /// Records an operation on an open file.
    fn record(&mut self, number: usize, operation: impl FnOnce(String) -> Operation) {
        if self.folder.is_some()
            && let Some(name) = &self.names[number]
        {
            self.operations.push(operation(name.clone()));
        }
    }

    /// The methods of this VFS over those of SQLite's own.
    fn methods(&mut self, base: *const sqlite3_io_methods) -> *const sqlite3_io_methods {
        if let Some((_, own)) = self.methods.iter().find(|(known, _)| *known == base as usize) {
            return *own as *const sqlite3_io_methods;
        }
        // SAFETY: methods of SQLite's VFS are never freed.
        let mut own = unsafe { *base };
        own.xWrite = Some(write);
        own.xTruncate = Some(truncate);
        own.xSync = Some(sync);
        let own: *const sqlite3_io_methods = Box::leak(Box::new(own));
        self.methods.push((base as usize, own as usize));
        own
    }
}

fn layer() -> &'static Layer {
    LAYER.get().unwrap()
}

/// Data of this VFS for a file.
// SAFETY: the file was opened by this VFS, which made room behind SQLite's own part.
unsafe fn own<'o>(file: *mut sqlite3_file) -> &'o mut Own {
    // SAFETY: the size is SQLite's own, as it was when this VFS was installed.
    let size = usize::try_from(unsafe { (*layer().base).szOsFile }).unwrap();
    // SAFETY: as the caller promises.
    unsafe { &mut *file.cast::<u8>().add(size).cast::<Own>() }
}

/// Opens a file, and records it if it is a new one of the folder.
// SAFETY: SQLite calls it with a file of `szOsFile` bytes, of which the last are ours.
unsafe extern "C" fn open(
    _: *mut sqlite3_vfs,
    path: ffi::sqlite3_filename,
    file: *mut sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    let base = layer().base;
    // SAFETY: SQLite passes no path, or one that ends with a zero.
    let path_of = (!path.is_null()).then(|| unsafe { path_from(path) });
    let was_there = path_of.as_ref().is_some_and(|path| path.exists());
    // SAFETY: the arguments are those of SQLite.
    let code = unsafe { (*base).xOpen.unwrap()(base, path, file, flags, out) };
    let mut state = state();
    let logs = ffi::SQLITE_OPEN_WAL | ffi::SQLITE_OPEN_MAIN_JOURNAL;
    let role = match flags {
        flags if flags & ffi::SQLITE_OPEN_MAIN_DB != 0 => Role::Database,
        flags if flags & logs != 0 => Role::Log,
        _ => return code,
    };
    let Some(name) = path_of.and_then(|path| state.name(&path)) else { return code };
    if code != ffi::SQLITE_OK {
        return code;
    }
    if !was_there {
        state.operations.push(Operation::Create { name: name.clone(), role });
    }
    state.names.push(Some(name));
    let number = state.names.len() - 1;
    // SAFETY: the file is open, so it has methods, and room for ours.
    unsafe {
        let base = (*file).pMethods;
        std::ptr::write(own(file), Own { base, number });
        (*file).pMethods = state.methods(base);
    }
    code
}

// SAFETY: the path ends with a zero.
unsafe fn path_from(path: ffi::sqlite3_filename) -> PathBuf {
    // SAFETY: as the caller promises.
    let path = unsafe { CStr::from_ptr(path) };
    PathBuf::from(path.to_str().unwrap())
}

// SAFETY: as SQLite calls it, on a file of this VFS.
unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    from: *const c_void,
    length: c_int,
    at: i64,
) -> c_int {
    // SAFETY: a file of this VFS.
    let Own { base, number } = unsafe { own(file) };
    let length_of = usize::try_from(length).unwrap();
    // SAFETY: SQLite passes so many bytes.
    let bytes = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), length_of) };
    let mut state = state();
    let at_byte = usize::try_from(at).unwrap();
    state.record(*number, |name| Operation::Write { name, at: at_byte, bytes: bytes.to_vec() });
    // SAFETY: the arguments are those of SQLite.
    unsafe { (**base).xWrite.unwrap()(file, from, length, at) }
}

// SAFETY: as SQLite calls it, on a file of this VFS.
unsafe extern "C" fn truncate(file: *mut sqlite3_file, size: i64) -> c_int {
    // SAFETY: a file of this VFS.
    let Own { base, number } = unsafe { own(file) };
    let mut state = state();
    let bytes = usize::try_from(size).unwrap();
    state.record(*number, |name| Operation::Truncate { name, size: bytes });
    // SAFETY: the arguments are those of SQLite.
    unsafe { (**base).xTruncate.unwrap()(file, size) }
}

// SAFETY: as SQLite calls it, on a file of this VFS.
unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    // SAFETY: a file of this VFS.
    let Own { base, number } = unsafe { own(file) };
    // SAFETY: the arguments are those of SQLite.
    let code = unsafe { (**base).xSync.unwrap()(file, flags) };
    state().record(*number, |name| Operation::Sync { name });
    code
}

/// Removes a file.
// SAFETY: as SQLite calls it, with a path that ends with a zero.
unsafe extern "C" fn remove(
    _: *mut sqlite3_vfs,
    path: *const std::ffi::c_char,
    syncs: c_int,
) -> c_int {
    let base = layer().base;
    let mut state = state();
    // SAFETY: the arguments are those of SQLite.
    let code = unsafe { (*base).xDelete.unwrap()(base, path, syncs) };
    // SAFETY: as the caller promises.
    let name = state.name(&unsafe { path_from(path) });
    if let Some(name) = name.filter(|_| code == ffi::SQLITE_OK) {
        state.operations.push(Operation::Remove { name, syncs_folder: syncs != 0 });
    }
    code
}
