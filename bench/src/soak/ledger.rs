//! Requests, answers, errors and acknowledged changes of all clients.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::disturbances::Disturbance;
use super::site::ACCOUNTS;

/// More problems of one kind tell nothing new.
const PROBLEMS: usize = 50;

/// The kind of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Item,
    List,
    Account,
    Change,
    ReadBack,
    Note,
    Http2,
    Event,
    Abandoned,
}

/// Shared by all clients.
#[derive(Debug)]
pub(super) struct Ledger {
    accounts: Vec<Account>,
    notes: Mutex<Notes>,
    counts: Mutex<Counts>,
    /// True during a disturbance, and for some seconds after it: errors may be due to it.
    is_disturbed: AtomicBool,
}

/// The balance of an account only grows.
#[derive(Debug, Default)]
struct Account {
    acknowledged: AtomicU64,
    sent: AtomicU64,
}

#[derive(Debug, Default)]
struct Notes {
    acknowledged: HashSet<String>,
    sent: HashSet<String>,
}

#[derive(Debug, Default)]
struct Counts {
    answers: BTreeMap<Kind, u64>,
    /// Errors while something was disturbed, by the kind and the code.
    errors: BTreeMap<(Kind, String), u64>,
    disturbances: BTreeMap<Disturbance, u64>,
    problems: Vec<String>,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Item => "rows with a related row",
            Self::List => "lists, cached",
            Self::Account => "changing rows, cached",
            Self::Change => "changes of a row",
            Self::ReadBack => "reads of one's own change by its token",
            Self::Note => "new rows",
            Self::Http2 => "rows over HTTP/2",
            Self::Event => "events of subscriptions",
            Self::Abandoned => "abandoned requests",
        }
    }
}

impl Default for Ledger {
    fn default() -> Self {
        Self {
            accounts: (0..=ACCOUNTS).map(|_| Account::default()).collect(),
            notes: Mutex::default(),
            counts: Mutex::default(),
            is_disturbed: AtomicBool::new(false),
        }
    }
}

impl Ledger {
    pub(super) fn disturb(&self) {
        self.is_disturbed.store(true, Ordering::SeqCst);
    }

    pub(super) fn calm(&self) {
        self.is_disturbed.store(false, Ordering::SeqCst);
    }

    pub(super) fn is_disturbed(&self) -> bool {
        self.is_disturbed.load(Ordering::SeqCst)
    }

    pub(super) fn count(&self, kind: Kind) {
        *self.counts().answers.entry(kind).or_default() += 1;
    }

    pub(super) fn count_disturbance(&self, disturbance: Disturbance) {
        *self.counts().disturbances.entry(disturbance).or_default() += 1;
    }

    /// An error is a problem unless something was disturbed from the request to the response.
    pub(super) fn error(&self, kind: Kind, was_disturbed: bool, code: &str) {
        if was_disturbed || self.is_disturbed() {
            *self.counts().errors.entry((kind, code.to_owned())).or_default() += 1;
        } else {
            self.problem(format!("{}: error without a disturbance: {code}", kind.name()));
        }
    }

    pub(super) fn problem(&self, problem: String) {
        let mut counts = self.counts();
        if counts.problems.len() < PROBLEMS {
            counts.problems.push(problem);
        }
    }

    pub(super) fn problems(&self) -> Vec<String> {
        self.counts().problems.clone()
    }

    pub(super) fn answers(&self) -> Vec<(Kind, u64)> {
        self.counts().answers.iter().map(|(kind, number)| (*kind, *number)).collect()
    }

    pub(super) fn errors(&self) -> Vec<((Kind, String), u64)> {
        self.counts().errors.iter().map(|(place, number)| (place.clone(), *number)).collect()
    }

    pub(super) fn disturbances(&self) -> Vec<(Disturbance, u64)> {
        self.counts().disturbances.iter().map(|(kind, number)| (*kind, *number)).collect()
    }

    pub(super) fn progress(&self) -> String {
        let counts = self.counts();
        let answers: u64 = counts.answers.values().sum();
        let errors: u64 = counts.errors.values().sum();
        let problems = counts.problems.len();
        format!("{answers} answers, {errors} errors of disturbances, {problems} problems")
    }

    /// The next balance of an account, which may be in the database from now on.
    pub(super) fn send_balance(&self, account: u32) -> u64 {
        self.account(account).map_or(0, |account| account.sent.fetch_add(1, Ordering::SeqCst) + 1)
    }

    pub(super) fn acknowledge_balance(&self, account: u32, balance: u64) {
        if let Some(account) = self.account(account) {
            account.acknowledged.fetch_max(balance, Ordering::SeqCst);
        }
    }

    /// The newest balance that must be in the database.
    pub(super) fn acknowledged(&self, account: u32) -> u64 {
        self.account(account).map_or(0, |account| account.acknowledged.load(Ordering::SeqCst))
    }

    /// The newest balance that may be in the database.
    pub(super) fn sent(&self, account: u32) -> u64 {
        self.account(account).map_or(0, |account| account.sent.load(Ordering::SeqCst))
    }

    pub(super) fn check_last(&self, account: u64, balance: u64) -> Option<String> {
        let number = u32::try_from(account).unwrap_or_default();
        let (least, most) = (self.acknowledged(number), self.sent(number));
        (!(least..=most).contains(&balance)).then(|| {
            format!("account {account} has {balance}, which should be from {least} to {most}")
        })
    }

    pub(super) fn send_note(&self, note: &str) {
        self.notes().sent.insert(note.to_owned());
    }

    pub(super) fn acknowledge_note(&self, note: &str) {
        self.notes().acknowledged.insert(note.to_owned());
    }

    pub(super) fn lost_notes(&self, found: &HashSet<&str>) -> Vec<String> {
        let notes = self.notes();
        let lost = notes.acknowledged.iter().filter(|note| !found.contains(note.as_str()));
        let lost = lost.map(|note| format!("the acknowledged note {note} is not in the database"));
        let strange = found.iter().filter(|note| !notes.sent.contains(**note));
        lost.chain(strange.map(|note| format!("nobody has sent the note {note}"))).collect()
    }

    fn account(&self, account: u32) -> Option<&Account> {
        self.accounts.get(usize::try_from(account).ok()?)
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_that_are_lost_or_strange_are_found() {
        let ledger = Ledger::default();
        for note in ["kept", "lost", "unknown"] {
            ledger.send_note(note);
        }
        ledger.acknowledge_note("kept");
        ledger.acknowledge_note("lost");
        let found = HashSet::from(["kept", "strange"]);
        assert_eq!(
            ledger.lost_notes(&found),
            [
                "the acknowledged note lost is not in the database",
                "nobody has sent the note strange"
            ]
        );
    }

    #[test]
    fn a_balance_is_from_the_acknowledged_one_to_the_sent_one() {
        let ledger = Ledger::default();
        for _ in 0..3 {
            ledger.send_balance(1);
        }
        ledger.acknowledge_balance(1, 2);
        assert_eq!(ledger.check_last(1, 2), None);
        assert_eq!(ledger.check_last(1, 3), None);
        assert!(ledger.check_last(1, 1).is_some());
        assert!(ledger.check_last(1, 4).is_some());
    }

    #[test]
    fn an_error_is_a_problem_only_without_a_disturbance() {
        let ledger = Ledger::default();
        ledger.disturb();
        ledger.error(Kind::Item, false, "DATABASE_UNAVAILABLE");
        ledger.calm();
        ledger.error(Kind::Item, true, "DATABASE_UNAVAILABLE");
        assert_eq!(ledger.problems(), [""; 0]);
        ledger.error(Kind::Item, false, "DATABASE_UNAVAILABLE");
        assert_eq!(ledger.problems().len(), 1);
    }
}
