//! The account that PostgreSQL runs as: it refuses to run as root.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::process::Command;

use super::server::StartError;

/// The accounts to try, in this order: Debian's package makes the first, every system has the
/// second.
const NAMES: [&str; 2] = ["postgres", "nobody"];

/// An account that is not root's, by its numbers in `/etc/passwd`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Account {
    pub(super) uid: u32,
    pub(super) gid: u32,
}

/// The account to change to, or `None` if this process is not root.
pub(super) fn unprivileged_account() -> Result<Option<Account>, StartError> {
    if !is_root() {
        return Ok(None);
    }
    let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
    match NAMES.iter().find_map(|name| find_account(&passwd, name)) {
        Some(account) => Ok(Some(account)),
        None => Err(StartError::NoAccount),
    }
}

/// Runs `command` as `account`; the standard library drops root's other groups with it.
pub(super) fn run_as(command: &mut Command, account: Option<Account>) {
    if let Some(Account { uid, gid }) = account {
        command.uid(uid).gid(gid);
    }
}

/// The folder of a process belongs to its effective user: no call into libc is needed.
fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|metadata| metadata.uid() == 0)
}

fn find_account(passwd: &str, name: &str) -> Option<Account> {
    let line = passwd.lines().find(|line| line.split(':').next() == Some(name))?;
    let mut numbers = line.split(':').skip(2);
    let uid = numbers.next()?.parse().ok()?;
    let gid = numbers.next()?.parse().ok()?;
    (uid != 0).then_some(Account { uid, gid })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSWD: &str = "\
root:x:0:0:root:/root:/bin/bash
nobody:x:65534:65533:nobody:/nonexistent:/usr/sbin/nologin
postgresql:x:7:7::/:
broken:x
";

    #[test]
    fn an_account_is_found_by_its_whole_name() {
        assert_eq!(find_account(PASSWD, "nobody"), Some(Account { uid: 65534, gid: 65533 }));
        assert_eq!(find_account(PASSWD, "postgres"), None);
    }

    #[test]
    fn root_and_broken_lines_are_no_accounts_to_run_as() {
        assert_eq!(find_account(PASSWD, "root"), None);
        assert_eq!(find_account(PASSWD, "broken"), None);
    }
}
