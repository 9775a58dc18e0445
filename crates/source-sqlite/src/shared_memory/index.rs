//! The index of a log as it lies in memory, and the handler that puts memory where it is gone.

use std::ffi::{c_int, c_void};
use std::ptr::{self, null_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering::SeqCst, fence};

/// Most regions that the handler knows at once: an index of 128 MiB, for a log of 64 GiB.
pub(super) const MOST_REGIONS: usize = 4_096;

/// The two copies of the head of an index, in words:
/// <https://sqlite.org/walformat.html#the_wal_index_header>.
pub(super) const HEAD: usize = 24;

/// The unused words of both; any value in them makes a head invalid and unlike any other.
const UNUSED: [usize; 2] = [1, 13];

/// The words of a copy that hold the version of the format, and a number that grows with each change.
const VERSION: usize = 0;
const CHANGE: usize = 2;

/// Changes of the file between two of these numbers in the head.
const CHANGES: u64 = 1 << 20;

/// A mapped region, as the handler sees it.
pub(super) struct Region {
    /// 0 where there is none.
    pub(super) start: AtomicUsize,
    pub(super) index: AtomicPtr<Index>,
}

pub(super) static REGIONS: [Region; MOST_REGIONS] =
    [const { Region { start: AtomicUsize::new(0), index: AtomicPtr::new(null_mut()) } };
        MOST_REGIONS];

pub(super) static REGION_SIZE: AtomicUsize = AtomicUsize::new(0);
pub(super) static PAGE_SIZE: AtomicUsize = AtomicUsize::new(0);

/// The index of one log, which all connections of this process share.
pub(super) struct Index {
    /// Number of losses of its memory.
    pub(super) losses: AtomicU64,
    /// Number of repaired losses.
    pub(super) mended: AtomicU64,
    /// Number of heads that no connection has seen.
    pub(super) renewed: AtomicU64,
    /// Number of threads in the handler for it.
    pub(super) handling: AtomicUsize,
    /// The start of its first region.
    pub(super) first: usize,
    /// The last byte of its last region: where the file was cut short, it is not there.
    pub(super) last: AtomicUsize,
    /// Its head when a connection of this process became the writer. SQLite rolls the log back to
    /// it; with a head of zeros it would begin at the first frame, whose region the connection may
    /// not have mapped.
    pub(super) head: [AtomicU32; HEAD],
}

impl Index {
    /// Registers a truncated file for the handler.
    // SAFETY: the caller has a connection that has mapped the first region.
    pub(super) unsafe fn touch(&self) {
        let last = self.last.load(SeqCst) as *const u8;
        if !last.is_null() {
            // SAFETY: the region is mapped, or the handler puts memory there.
            unsafe { last.read_volatile() };
        }
    }

    /// Keeps the present head.
    // SAFETY: the caller has a connection that has mapped the first region.
    pub(super) unsafe fn keep_head(&self) {
        let first = self.first as *const u32;
        for (offset, kept) in self.head.iter().enumerate() {
            // SAFETY: the region is mapped, longer, and aligned as a page is.
            kept.store(unsafe { first.add(offset).read_volatile() }, SeqCst);
        }
    }

    /// Gives a head that SQLite has recovered a unique number. Pages that a connection rolled back
    /// during a loss may be in its cache still, and it keeps them as long as the head equals the
    /// one it knows; SQLite begins to count at 0 with each recovery.
    // SAFETY: the caller has a connection that has mapped the first region, and the lock of the writer.
    pub(super) unsafe fn renew(&self) {
        let mended = self.mended.load(SeqCst);
        if self.renewed.load(SeqCst) == mended {
            return;
        }
        let first = self.first as *mut u32;
        let mut copies = [[0_u32; HEAD / 2]; 2];
        for (offset, word) in copies.as_flattened_mut().iter_mut().enumerate() {
            // SAFETY: the region is mapped, longer, and aligned as a page is.
            *word = unsafe { first.add(offset).read_volatile() };
        }
        let [mut head, other] = copies;
        let [.., one, two] = head;
        if head != other || checksum(&head) != [one, two] || head[VERSION] == 0 {
            // The next reader recovers it.
            return;
        }
        head[CHANGE] = (mended.wrapping_mul(CHANGES) & u64::from(u32::MAX)) as u32;
        let [one, two] = checksum(&head);
        (head[HEAD / 2 - 2], head[HEAD / 2 - 1]) = (one, two);
        // In SQLite's order: the second copy, a barrier, the first.
        for start in [HEAD / 2, 0] {
            for (offset, word) in head.iter().enumerate() {
                // SAFETY: as above.
                unsafe { first.add(start + offset).write_volatile(*word) };
            }
            fence(SeqCst);
        }
        self.renewed.store(mended, SeqCst);
    }

    /// Memory for a page that is not there, in its place. Called in the handler.
    // SAFETY: the page is one of a region of the index.
    unsafe fn replace(&self, page: usize, size: usize) -> bool {
        let (prot, flags) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: memory in a place of its own, without other references; then it takes the place
        // of the page at once, so that no thread reads half of it.
        unsafe {
            let memory = libc::mmap(null_mut(), size, prot, flags, -1, 0);
            if memory == libc::MAP_FAILED {
                return false;
            }
            if page == self.first {
                for (offset, kept) in self.head.iter().enumerate() {
                    let is_unused = UNUSED.contains(&offset);
                    let word = if is_unused { 1 } else { kept.load(SeqCst) };
                    memory.cast::<u32>().add(offset).write(word);
                }
            }
            let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
            let moved = libc::mremap(memory, size, size, flags, page as *mut c_void);
            moved != libc::MAP_FAILED
        }
    }
}

/// SQLite's checksum of a head, in the order of bytes of the machine:
/// <https://sqlite.org/fileformat2.html#checksum_algorithm>.
fn checksum(head: &[u32; HEAD / 2]) -> [u32; 2] {
    let mut sums = [0_u32; 2];
    for pair in head[..HEAD / 2 - 2].chunks_exact(2) {
        let [one, two] = &mut sums;
        *one = one.wrapping_add(pair[0]).wrapping_add(*two);
        *two = two.wrapping_add(pair[1]).wrapping_add(*one);
    }
    sums
}

/// The previous handler of the signal.
static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

pub(super) fn handle_bus_errors() -> Option<()> {
    // SAFETY: an action of zeros is a valid one, the handler has the form that SA_SIGINFO requires,
    // and its data is set before it is installed.
    unsafe {
        let mut before: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(libc::SIGBUS, ptr::null(), &raw mut before) != 0 {
            return None;
        }
        BEFORE.set(before).ok()?;
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_bus_error as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigemptyset(&raw mut action.sa_mask);
        (libc::sigaction(libc::SIGBUS, &raw const action, null_mut()) == 0).then_some(())
    }
}

/// Handles the signal. Only async-signal-safe calls: atomics, `mmap`, and the previous handler.
// SAFETY: the system calls it with its own arguments.
unsafe extern "C" fn on_bus_error(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the system's own structure.
    let address = unsafe { (*info).si_addr() } as usize;
    // SAFETY: the thread's own error number, which is restored before it goes on.
    let error = unsafe { *libc::__errno_location() };
    let size = REGION_SIZE.load(SeqCst);
    let is_there = |region: &&Region| {
        let start = region.start.load(SeqCst);
        start != 0 && (start..start + size).contains(&address)
    };
    let index =
        REGIONS.iter().find(is_there).map_or(null_mut(), |region| region.index.load(SeqCst));
    // SAFETY: an index lives as long as its regions are known, and this thread uses one of these.
    let index = unsafe { index.as_ref() };
    let mut has_memory = false;
    if let Some(index) = index {
        index.handling.fetch_add(1, SeqCst);
        // The mark precedes the memory: a reader of the memory finds the mark.
        index.losses.fetch_add(1, SeqCst);
        let page = PAGE_SIZE.load(SeqCst);
        // SAFETY: the page lies in a region that SQLite has mapped.
        has_memory = unsafe { index.replace(address & !(page - 1), page) };
        index.handling.fetch_sub(1, SeqCst);
    }
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = error };
    if !has_memory {
        // SAFETY: the arguments are those of the system.
        unsafe { as_before(signal, info, context) };
    }
}

/// Calls the previous handler: mostly the process ends.
// SAFETY: called in a handler, with its arguments.
unsafe fn as_before(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let Some(before) = BEFORE.get() else { return };
    let handler = before.sa_sigaction;
    // SAFETY: the action was the process's own; its flags define the form of its handler. Without
    // one it is the system's, to which the repeated instruction leads.
    unsafe {
        if handler == libc::SIG_DFL || handler == libc::SIG_IGN {
            let mut default: libc::sigaction = std::mem::zeroed();
            default.sa_sigaction = libc::SIG_DFL;
            libc::sigaction(signal, &raw const default, null_mut());
        } else if before.sa_flags & libc::SA_SIGINFO != 0 {
            type Handler = extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void);
            let handler: Handler = std::mem::transmute(handler);
            handler(signal, info, context);
        } else {
            let handler: extern "C" fn(c_int) = std::mem::transmute(handler);
            handler(signal);
        }
    }
}
