//! Connections that are cut after every number of bytes: what was acknowledged is there, what was
//! refused is not, and nothing is there by half.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use ir::HopDirection;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use super::world::{BLOG, Steps, World, along, integer, own, text, world};

/// As many bytes as nobody sends.
const ENDLESS: i64 = i64::MAX;

/// How many bytes may still pass.
#[derive(Debug)]
struct Left {
    up: AtomicI64,
    down: AtomicI64,
}

impl Left {
    fn set(&self, up: i64, down: i64) {
        self.up.store(up, Ordering::SeqCst);
        self.down.store(down, Ordering::SeqCst);
    }
}

/// A way to the server that ends when its bytes are used up; its port.
async fn way(to: u16, left: Arc<Left>) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let server = TcpStream::connect(("127.0.0.1", to)).await.unwrap();
            let left = Arc::clone(&left);
            tokio::spawn(async move {
                let (from_client, to_client) = client.into_split();
                let (from_server, to_server) = server.into_split();
                tokio::select! {
                    () = pass(from_client, to_server, &left.up) => {}
                    () = pass(from_server, to_client, &left.down) => {}
                }
            });
        }
    });
    port
}

async fn pass(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, left: &AtomicI64) {
    let mut bytes = vec![0; 4096];
    while let Ok(count @ 1..) = from.read(&mut bytes).await {
        let before = left.fetch_sub(count as i64, Ordering::SeqCst);
        let passing = usize::try_from(before.clamp(0, count as i64)).unwrap();
        if to.write_all(&bytes[..passing]).await.is_err() || passing < count {
            return;
        }
    }
}

const AUDIT: &str = "
    create table audit (post int);
    create function audit() returns trigger language plpgsql as
    $$ begin insert into audit values (new.id); return new; end $$;
    create trigger audit after insert on post for each row execute function audit();";

/// Inserts with an answer that takes one round, or two.
fn insert(world: &World, with_author: bool) -> ir::Request {
    let mut steps = Steps::default();
    let values = [("author_id", integer(1)), ("headline", text("New"))];
    let step = steps.insert(world, 0, "post", &values);
    let mut outputs = vec![own(world.field("post.headline"))];
    if with_author {
        let author = world.hop("post.author_id", HopDirection::Forward);
        outputs.push(along(&[author], world.field("person.full_name")));
    }
    steps.returned(0, step, outputs);
    steps.request()
}

/// How often a change was done, refused, and left open.
#[derive(Debug, Default)]
struct Outcomes {
    done: usize,
    refused: usize,
    unknown: usize,
    unknown_and_done: usize,
}

async fn cut_at(
    world: &World,
    request: &ir::Request,
    left: &Left,
    up: i64,
    down: i64,
    outcomes: &mut Outcomes,
) {
    left.set(ENDLESS, ENDLESS);
    let before = "select count(*) from post";
    world.run(request).await;
    let count = || world.query(before).parse::<usize>().unwrap();
    let there = count();
    left.set(up, down);
    let answer = world.run(request).await;
    left.set(ENDLESS, ENDLESS);
    let is_done = !answer.contains("null");
    if !is_done {
        // The server may still be at it.
        let others = "select count(*) from pg_stat_activity
            where datname = current_database() and application_name = 'thalweg'";
        while world.query(others) != "0" {
            tokio::task::yield_now().await;
        }
    }
    let made = count() - there;
    assert_eq!(world.query("select count(*) from audit"), (count() - 3).to_string());
    if is_done {
        outcomes.done += 1;
        assert_eq!(made, 1, "{up} {down}: {answer}");
    } else if answer.contains("OutcomeUnknown") {
        outcomes.unknown += 1;
        outcomes.unknown_and_done += made;
    } else {
        outcomes.refused += 1;
        assert_eq!(made, 0, "{up} {down}: {answer}");
    }
}

#[tokio::test]
async fn nothing_is_acknowledged_and_lost_or_done_by_half() {
    let Some(world) = world(&[BLOG, AUDIT].concat()).await else { return };
    let left = Arc::new(Left { up: AtomicI64::new(ENDLESS), down: AtomicI64::new(ENDLESS) });
    let port = way(world.port(), Arc::clone(&left)).await;
    let world = world.by_way_of(port).await;
    for (with_author, step) in [(false, 5), (true, 9)] {
        let request = insert(&world, with_author);
        for is_up in [true, false] {
            let mut outcomes = Outcomes::default();
            let mut bytes = 0;
            // Once it goes through, it does with more bytes too.
            while outcomes.done == 0 {
                let (up, down) = if is_up { (bytes, ENDLESS) } else { (ENDLESS, bytes) };
                cut_at(&world, &request, &left, up, down, &mut outcomes).await;
                bytes += step;
            }
            println!("{with_author} {is_up}: {outcomes:?}");
            assert!(outcomes.unknown > 0);
            // What was sent to its end is done, whatever becomes of its answer.
            assert_eq!(outcomes.unknown_and_done > 0, !is_up, "{outcomes:?}");
            assert_eq!(outcomes.refused > 0, with_author, "{outcomes:?}");
        }
    }
}
