//! The command `hand-over`: several servers of one database share its stream of changes. The one that
//! reads it is killed again and again while rows change.

use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;

use super::arrivals::{Arrival, deliveries};
use super::changes::{Change, Writer};
use super::database::Database;
use super::failure::LiveError;
use super::load::{Concerned, Load};
use super::serve;
use super::sockets::{EqualAnswers, Sockets};
use crate::figure::number;
use crate::program::Program;
use crate::race;
use crate::server::Server;

const SERVERS: NonZeroU32 = NonZeroU32::MIN.saturating_add(2);
const KILLS: NonZeroU32 = NonZeroU32::MIN.saturating_add(19);
const RATE: NonZeroU32 = NonZeroU32::MIN.saturating_add(99);
/// Sockets of each server, with a row each.
const SOCKETS: u32 = 50;
/// Before a kill the others have had their streams for longer than the five seconds after which a
/// stream that is lost begins again without a pause.
const BETWEEN: u64 = 6;
/// Changes are committed for so long around each kill.
const SECONDS: u32 = 4;
/// The leader is killed after that, and a bit later each time.
const BEFORE_KILL: Duration = Duration::from_millis(500);
const STEP: Duration = Duration::from_millis(37);
const STEPS: u32 = 20;
const LEADER_LIMIT: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(20);

/// Options of `hand-over`.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub(crate) struct Options {
    /// Servers of the database, two or more [default: 3].
    #[arg(long, value_name = "NUMBER")]
    pub(crate) servers: Option<NonZeroU32>,
    /// Kills of the leader [default: 20].
    #[arg(long, value_name = "NUMBER")]
    pub(crate) kills: Option<NonZeroU32>,
    /// Seconds between the start of a server and the next changes [default: 6].
    #[arg(long, value_name = "SECONDS")]
    pub(crate) between: Option<u64>,
    /// Changes a second, of one row each [default: 100].
    #[arg(long, value_name = "NUMBER")]
    pub(crate) rate: Option<NonZeroU32>,
    #[command(flatten)]
    pub(crate) program: Program,
}

/// Starts servers, with one log file each.
struct Starter<'s> {
    program: PathBuf,
    folder: PathBuf,
    database: &'s Database,
    started: u32,
}

/// A server with its subscribers.
struct Member {
    /// The name of its sessions in the database.
    name: String,
    subscribers: Sockets,
    server: Server,
}

/// A figure of the servers that were not killed.
type OfServers = fn(&[HandOver]) -> Option<Duration>;

/// The waits after one kill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HandOver {
    /// From the kill to the first message with a change that was committed after it.
    next: Duration,
    /// The longest time from a commit to the message with its change, before the kill or after it.
    longest: Duration,
}

/// Kills and prints; an error if a change has not arrived or a message was wrong.
pub(crate) fn measure(workspace: &Path, options: &Options) -> Result<bool, LiveError> {
    let folder = workspace.join(race::RUNS).join("hand-over");
    fs::create_dir_all(&folder)?;
    let servers = options.servers.unwrap_or(SERVERS).get();
    if servers < 2 {
        return Err(LiveError::OneServer);
    }
    let (kills, rate) = (options.kills.unwrap_or(KILLS).get(), options.rate.unwrap_or(RATE).get());
    let between = Duration::from_secs(options.between.unwrap_or(BETWEEN));
    let load = Load { rate, concerned: Concerned::One };
    let database = Database::start(SOCKETS)?;
    let writer = Writer::open(&database.url())?;
    let program = options.program.or_release()?;
    let mut starter = Starter { program, folder: folder.clone(), database: &database, started: 0 };
    let mut members: Vec<Member> =
        (0..servers).map(|_| starter.start()).collect::<Result<_, _>>()?;
    let (mut of_each, mut changed) = (Vec::new(), 0);
    for kill in 0..kills {
        // The new server has found its part.
        thread::sleep(between);
        let place = leader(&database, &members)?;
        for member in &members {
            drop(member.subscribers.take());
        }
        let (changes, killed) = thread::scope(|scope| {
            let writing = scope.spawn(|| writer.change_rows(load, SOCKETS, SECONDS));
            thread::sleep(BEFORE_KILL + STEP * (kill % STEPS));
            let killed = Instant::now();
            // Dropping the server kills it; its sockets end after it.
            let Member { server, subscribers, .. } = members.swap_remove(place);
            drop(server);
            drop(subscribers);
            let (changes, _) = writing.join().map_err(|_| LiveError::Thread)??;
            Ok::<_, LiveError>((changes, killed))
        })?;
        changed += changes.len();
        let balances = database.balances()?;
        for member in &members {
            member.subscribers.wait_for(&changes)?;
            if let Some(difference) = member.subscribers.compare(&balances)? {
                return Err(LiveError::Different(difference));
            }
        }
        let hand_overs: Vec<HandOver> = members
            .iter()
            .filter_map(|member| hand_over(killed, &changes, &member.subscribers.take()))
            .collect();
        eprintln!("hand-over: kill {} of {kills}: {hand_overs:?}", kill + 1);
        of_each.push(hand_overs);
        members.push(starter.start()?);
    }
    let text = text(&of_each, servers, changed, rate);
    fs::write(folder.join("hand-over.md"), &text)?;
    print!("{text}");
    Ok(true)
}

impl Starter<'_> {
    /// Starts a server, and waits until its subscribers have their first messages.
    fn start(&mut self) -> Result<Member, LiveError> {
        self.started += 1;
        let name = format!("server-{}", self.started);
        let url = self.database.named_url(&name);
        let server = serve(&self.program, &self.folder, &url, &name, SOCKETS, None)?;
        let subscribers = Sockets::open(server.port, SOCKETS, EqualAnswers::Fault);
        subscribers.grow(SOCKETS)?;
        Ok(Member { name, subscribers, server })
    }
}

/// The place of the server whose session leads, once there is one.
fn leader(database: &Database, members: &[Member]) -> Result<usize, LiveError> {
    let deadline = Instant::now() + LEADER_LIMIT;
    loop {
        let name = database.leader()?;
        let place = members.iter().position(|member| Some(&member.name) == name.as_ref());
        match place {
            Some(place) => return Ok(place),
            None if Instant::now() > deadline => return Err(LiveError::NoLeader(LEADER_LIMIT)),
            None => thread::sleep(POLL),
        }
    }
}

/// The waits at one of the other servers; none without a change after the kill.
fn hand_over(killed: Instant, changes: &[Change], arrivals: &[Arrival]) -> Option<HandOver> {
    let deliveries = deliveries(changes, arrivals);
    let after = deliveries.iter().filter(|(change, _)| change.committed >= killed);
    let next = after.map(|(_, at)| at.saturating_duration_since(killed)).min()?;
    let waits =
        deliveries.iter().map(|(change, at)| at.saturating_duration_since(change.committed));
    Some(HandOver { next, longest: waits.max()? })
}

fn text(of_each: &[Vec<HandOver>], servers: u32, changes: usize, rate: u32) -> String {
    let kills = of_each.len();
    let (rate, changes) = (number(rate.into()), number(changes as f64));
    let mut lines = vec![
        format!(
            "{servers} servers with {SOCKETS} subscriptions each, {rate} changes/s. The leader was killed \
             {kills} times."
        ),
        String::new(),
        "| wait | median, ms | longest, ms |".to_owned(),
        "|---|---|---|".to_owned(),
    ];
    let figures: [(&str, OfServers); 4] = [
        ("from the kill to the next change, first of the other servers", |all| {
            all.iter().map(|one| one.next).min()
        }),
        ("from the kill to the next change, last of the other servers", |all| {
            all.iter().map(|one| one.next).max()
        }),
        ("longest from a commit to its message, first of the other servers", |all| {
            all.iter().map(|one| one.longest).min()
        }),
        ("longest from a commit to its message, last of the other servers", |all| {
            all.iter().map(|one| one.longest).max()
        }),
    ];
    for (title, figure) in figures {
        let mut waits: Vec<Duration> = of_each.iter().filter_map(|all| figure(all)).collect();
        waits.sort_unstable();
        if let (Some(median), Some(longest)) = (waits.get(waits.len() / 2), waits.last()) {
            let milliseconds = |wait: &Duration| number(wait.as_secs_f64() * 1e3);
            lines.push(format!(
                "| {title} | {} | {} |",
                milliseconds(median),
                milliseconds(longest)
            ));
        }
    }
    lines.push(format!(
        "\nAll {changes} changes reached the subscribers of each other server; none was lost.\n"
    ));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_of_a_change_before_the_kill_counts_as_longest_only() {
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let change = |id, milliseconds| Change { id, balance: 1, committed: at(milliseconds) };
        let arrival = |id, milliseconds| Arrival { id, balance: 1, at: at(milliseconds) };
        let changes = [change(1, 0), change(2, 90), change(3, 110), change(4, 120)];
        let arrivals = [arrival(1, 1), arrival(2, 300), arrival(3, 310), arrival(4, 280)];
        let expected =
            HandOver { next: Duration::from_millis(180), longest: Duration::from_millis(210) };
        assert_eq!(hand_over(at(100), &changes, &arrivals), Some(expected));
        assert_eq!(hand_over(at(200), &changes, &arrivals), None);
    }
}
