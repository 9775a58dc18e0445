//! The view in a terminal, refreshed each second until a key or a signal ends it.

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread;
use std::time::Duration;

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::sleep;

use super::draw;
use super::fetch::Fetcher;
use super::snapshot::Snapshot;
use super::sort::Sort;
use super::view::View;
use crate::failure::Failure;

/// Time between two snapshots.
const INTERVAL: Duration = Duration::from_secs(1);

/// Time between two looks for snapshots.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// The number of remembered rates, one a second.
const MOST_RATES: usize = 600;

/// A message of the thread that reads snapshots.
#[derive(Debug)]
enum Update {
    Snapshot(Box<Snapshot>),
    /// The server does not answer now.
    Failure(String),
    /// A signal to end.
    End,
}

/// The state of the screen.
#[derive(Debug, Default)]
pub(super) struct Screen {
    pub(super) address: String,
    pub(super) view: Option<View>,
    pub(super) failure: Option<String>,
    /// Requests a second, the newest first.
    pub(super) rates: VecDeque<u64>,
    pub(super) sort: Sort,
    pub(super) shows_help: bool,
    last: Option<Box<Snapshot>>,
}

/// The meaning of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Quit,
    Sort,
    Help,
}

pub(super) fn run(fetcher: Fetcher) -> Result<(), Failure> {
    let address = fetcher.url.to_string();
    // An address without metrics is an error, not a screen.
    let first = fetcher.fetch()?;
    let (updates, received) = channel();
    thread::Builder::new()
        .name("top-fetch".into())
        .spawn(move || follow(&fetcher, &updates))
        .map_err(Failure::Runtime)?;
    let mut screen = Screen { address, ..Screen::default() };
    screen.take(Box::new(first));
    // Restores the terminal after a panic, too.
    let mut terminal = ratatui::try_init().map_err(Failure::Output)?;
    let shown = show(&mut terminal, &mut screen, &received);
    let restored = ratatui::try_restore();
    shown.and(restored).map_err(Failure::Output)
}

/// Reads snapshots until a signal comes or the screen is gone.
fn follow(fetcher: &Fetcher, updates: &Sender<Update>) {
    fetcher.runtime.block_on(async {
        let kinds = [SignalKind::terminate(), SignalKind::hangup(), SignalKind::interrupt()];
        let [Ok(mut terminate), Ok(mut hangup), Ok(mut interrupt)] = kinds.map(signal) else {
            let message = "signals cannot be received".to_owned();
            let _ = updates.send(Update::Failure(message));
            return;
        };
        loop {
            let read = async {
                sleep(INTERVAL).await;
                fetcher.read().await
            };
            let update = tokio::select! {
                read = read => match read {
                    Ok(snapshot) => Update::Snapshot(Box::new(snapshot)),
                    Err(error) => Update::Failure(error.to_string()),
                },
                _ = terminate.recv() => Update::End,
                _ = hangup.recv() => Update::End,
                _ = interrupt.recv() => Update::End,
            };
            let is_end = matches!(update, Update::End);
            if updates.send(update).is_err() || is_end {
                return;
            }
        }
    });
}

fn show(
    terminal: &mut DefaultTerminal,
    screen: &mut Screen,
    updates: &Receiver<Update>,
) -> io::Result<()> {
    loop {
        terminal.draw(|frame| draw::draw(screen, frame))?;
        // Draws again after an update, a key or a new size of the terminal.
        loop {
            match updates.try_recv() {
                Ok(Update::Snapshot(snapshot)) => {
                    screen.take(snapshot);
                    break;
                }
                Ok(Update::Failure(failure)) => {
                    screen.failure = Some(failure);
                    break;
                }
                Ok(Update::End) => return Ok(()),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => {}
            }
            if event::poll(LOOK_INTERVAL)? {
                if let Event::Key(key) = event::read()?
                    && key.kind == KeyEventKind::Press
                {
                    match action(key) {
                        Some(Action::Quit) => return Ok(()),
                        Some(Action::Sort) => screen.sort = screen.sort.next(),
                        Some(Action::Help) => screen.shows_help = !screen.shows_help,
                        None => screen.shows_help = false,
                    }
                }
                break;
            }
        }
    }
}

fn action(key: KeyEvent) -> Option<Action> {
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('c') if is_control => Some(Action::Quit),
        KeyCode::Char('q') | KeyCode::Esc => Some(Action::Quit),
        KeyCode::Char('s') => Some(Action::Sort),
        KeyCode::Char('h' | '?') => Some(Action::Help),
        _ => None,
    }
}

impl Screen {
    fn take(&mut self, snapshot: Box<Snapshot>) {
        let view = View::between(self.last.as_deref(), &snapshot);
        if !view.is_since_start {
            self.rates.push_front(view.requests_per_second.round() as u64);
            self.rates.truncate(MOST_RATES);
        }
        self.view = Some(view);
        self.failure = None;
        self.last = Some(snapshot);
    }
}
