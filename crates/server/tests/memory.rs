//! How the process takes memory.

#![cfg(target_os = "linux")]

use std::fs;

use crate::program::Server;

#[test]
fn memory_is_taken_in_small_pages() {
    let server = Server::sample();
    let status = fs::read_to_string(format!("/proc/{}/status", server.child.id())).unwrap();
    // Older systems do not say it.
    let line = status.lines().find_map(|line| line.strip_prefix("THP_enabled:"));
    assert!(line.is_none_or(|line| line.trim() == "0"), "{status}");
}
