//! The subscribers: a socket each, all on one thread.

use std::collections::BTreeMap;
use std::io;
use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::arrivals::Arrival;
use super::changes::Change;
use super::failure::LiveError;
use super::frame::{self, Kind};
use super::message::{self, Message};

/// Sockets that are opened at the same time.
const OPENING: usize = 64;
/// Longer than messages take on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(2);
/// Bytes of the handshake's response, and of most messages.
const BUFFER: usize = 512;
/// No message yet: no row has this balance.
const NONE: i64 = i64::MIN;

const HANDSHAKE: &[u8] = b"GET /graphql HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\n\
    Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\
    Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n";

/// Open sockets; dropping them closes all.
#[derive(Debug)]
pub(super) struct Sockets {
    received: Arc<Received>,
    wanted: Option<UnboundedSender<u32>>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

/// The verdict on an answer that equals the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EqualAnswers {
    Fault,
    Permitted,
}

/// Messages of all subscribers.
#[derive(Debug)]
struct Received {
    equal_answers: EqualAnswers,
    arrivals: Mutex<Vec<Arrival>>,
    /// The newest balance by the row, the first row first.
    newest: Vec<AtomicI64>,
    /// Sockets with a message.
    begun: AtomicU64,
    /// The first socket that has failed.
    failure: OnceLock<(u32, String)>,
}

impl Sockets {
    /// Prepares for so many sockets at most, and opens none yet.
    pub(super) fn open(port: u16, most: u32, equal_answers: EqualAnswers) -> Self {
        let received = Arc::new(Received {
            equal_answers,
            arrivals: Mutex::default(),
            newest: (0..most).map(|_| AtomicI64::new(NONE)).collect(),
            begun: AtomicU64::new(0),
            failure: OnceLock::new(),
        });
        let (wanted, numbers) = unbounded_channel();
        let own = Arc::clone(&received);
        let thread = thread::spawn(move || {
            let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(open_all(port, &own, numbers));
            Ok(())
        });
        Self { received, wanted: Some(wanted), thread: Some(thread) }
    }

    /// Opens sockets up to a number, and waits until each has a message. Returns the seconds.
    pub(super) fn grow(&self, number: u32) -> Result<f64, LiveError> {
        let started = Instant::now();
        let wanted = self.wanted.as_ref().ok_or(LiveError::Thread)?;
        wanted.send(number).map_err(|_| LiveError::Thread)?;
        self.wait_until(|received| {
            let begun = received.begun.load(Ordering::Acquire);
            usize::try_from(u64::from(number).saturating_sub(begun)).unwrap_or(usize::MAX)
        })?;
        Ok(started.elapsed().as_secs_f64())
    }

    /// Waits until the subscribers have messages with the changes, or newer ones.
    pub(super) fn wait_for(&self, changes: &[Change]) -> Result<(), LiveError> {
        let mut newest: BTreeMap<u32, i64> = BTreeMap::new();
        for change in changes {
            let balance = newest.entry(change.id).or_insert(change.balance);
            *balance = change.balance.max(*balance);
        }
        self.wait_until(|received| {
            newest.iter().filter(|(id, balance)| received.newest(**id) < **balance).count()
        })
    }

    /// Removes and returns the messages since the last call.
    pub(super) fn take(&self) -> Vec<Arrival> {
        std::mem::take(&mut *self.received.arrivals())
    }

    /// The first difference between the rows and the newest messages.
    pub(super) fn compare(&self, balances: &[i64]) -> Result<Option<String>, LiveError> {
        self.received.check()?;
        let differs = |(index, balance): (usize, &i64)| {
            let newest = self.received.newest.get(index)?.load(Ordering::Acquire);
            (newest != *balance)
                .then(|| format!("row {} has {balance}, and its message {newest}", index + 1))
        };
        Ok(balances.iter().enumerate().find_map(differs))
    }

    fn wait_until(&self, missing: impl Fn(&Received) -> usize) -> Result<(), LiveError> {
        let started = Instant::now();
        loop {
            self.received.check()?;
            match missing(&self.received) {
                0 => return Ok(()),
                missing if started.elapsed() > LIMIT => {
                    return Err(LiveError::Missing { missing, limit: LIMIT });
                }
                _ => thread::sleep(POLL),
            }
        }
    }
}

impl Drop for Sockets {
    fn drop(&mut self) {
        // Ends the thread.
        drop(self.wanted.take());
        if let Some(thread) = self.thread.take() {
            // A panic has been printed.
            drop(thread.join());
        }
    }
}

impl Received {
    fn arrivals(&self) -> MutexGuard<'_, Vec<Arrival>> {
        self.arrivals.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn newest(&self, id: u32) -> i64 {
        let newest = self.newest.get(id as usize - 1);
        newest.map_or(NONE, |newest| newest.load(Ordering::Acquire))
    }

    /// Records a message. The balance of a row grows, or stays where equal answers are permitted.
    fn record(&self, id: u32, name: &str, balance: i64) -> Result<(), String> {
        let at = Instant::now();
        let newest = self.newest.get(id as usize - 1).ok_or("no such row")?;
        let before = newest.swap(balance, Ordering::AcqRel);
        let is_newer = match self.equal_answers {
            EqualAnswers::Fault => balance > before,
            EqualAnswers::Permitted => balance >= before,
        };
        if name != format!("Account {id}") || !is_newer {
            return Err(format!("the message has {name} and {balance}, after {before}"));
        }
        self.arrivals().push(Arrival { id, balance, at });
        if before == NONE {
            self.begun.fetch_add(1, Ordering::AcqRel);
        }
        Ok(())
    }

    fn check(&self) -> Result<(), LiveError> {
        match self.failure.get() {
            Some((id, problem)) => Err(LiveError::Socket { id: *id, problem: problem.clone() }),
            None => Ok(()),
        }
    }
}

/// Opens sockets up to each number that is received.
async fn open_all(port: u16, received: &Arc<Received>, mut numbers: UnboundedReceiver<u32>) {
    let slots = Arc::new(Semaphore::new(OPENING));
    let mut next = 1;
    while let Some(number) = numbers.recv().await {
        while next <= number {
            // The semaphore is never closed.
            let slot = Arc::clone(&slots).acquire_owned().await.ok();
            let (id, received) = (next, Arc::clone(received));
            tokio::spawn(async move {
                if let Err(problem) = serve(port, id, slot, &received).await {
                    // Only the first failure counts.
                    received.failure.get_or_init(|| (id, problem));
                }
            });
            next += 1;
        }
    }
}

/// Opens a socket and subscribes; the slot is free from the first message on.
async fn serve(
    port: u16,
    id: u32,
    mut slot: Option<OwnedSemaphorePermit>,
    received: &Received,
) -> Result<(), String> {
    let mut stream = connect(port).await.map_err(|error| error.to_string())?;
    let mut bytes = Vec::with_capacity(BUFFER);
    let head = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
        read(&mut stream, &mut bytes).await?;
    };
    if !bytes.starts_with(b"HTTP/1.1 101 ") {
        return Err(String::from_utf8_lossy(&bytes).into_owned());
    }
    bytes.drain(..head);
    write(&mut stream, &frame::text(message::INIT)).await?;
    loop {
        while let Some(frame) =
            frame::read(&bytes).map_err(|frame::Invalid| "a frame is invalid".to_owned())?
        {
            let payload = &bytes[frame.payload.clone()];
            match frame.kind {
                Kind::Text => match message::read(payload) {
                    Message::Acknowledged => {
                        write(&mut stream, &frame::text(&message::subscribe(id))).await?;
                    }
                    Message::Row { name, balance } => {
                        received.record(id, &name, balance)?;
                        drop(slot.take());
                    }
                    Message::Other => return Err(String::from_utf8_lossy(payload).into_owned()),
                },
                Kind::Ping => write(&mut stream, &frame::pong(payload)).await?,
                Kind::Pong => {}
                Kind::Close => return Err("the server has closed it".to_owned()),
            }
            bytes.drain(..frame.payload.end);
        }
        read(&mut stream, &mut bytes).await?;
    }
}

async fn connect(port: u16) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
    stream.set_nodelay(true)?;
    stream.write_all(HANDSHAKE).await?;
    Ok(stream)
}

async fn read(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Result<(), String> {
    match stream.read_buf(bytes).await {
        Ok(0) => Err("the connection has ended".to_owned()),
        Ok(_) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

async fn write(stream: &mut TcpStream, frame: &[u8]) -> Result<(), String> {
    stream.write_all(frame).await.map_err(|error| error.to_string())
}
