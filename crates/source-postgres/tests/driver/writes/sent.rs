//! What a change costs on the wire: the messages that are sent once its statement is known.

use std::sync::{Arc, Mutex};

use ir::HopDirection;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::world::{BLOG, Steps, World, along, integer, own, text, world};

/// Everything that was sent to the server, by all connections.
type Sent = Arc<Mutex<Vec<u8>>>;

/// A way to the server that writes down what is sent by it; its port.
async fn way(to: u16, sent: Sent) -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let server = TcpStream::connect(("127.0.0.1", to)).await.unwrap();
            let sent = Arc::clone(&sent);
            tokio::spawn(async move {
                let (mut from_client, mut to_client) = client.into_split();
                let (mut from_server, mut to_server) = server.into_split();
                let up = async {
                    let mut bytes = vec![0; 4096];
                    while let Ok(count @ 1..) = from_client.read(&mut bytes).await {
                        sent.lock().unwrap().extend_from_slice(&bytes[..count]);
                        to_server.write_all(&bytes[..count]).await.unwrap();
                    }
                };
                tokio::select! {
                    () = up => {}
                    _ = tokio::io::copy(&mut from_server, &mut to_client) => {}
                }
            });
        }
    });
    port
}

/// The kinds of the messages, by the protocol's letters.
fn letters(mut sent: &[u8]) -> String {
    let mut letters = String::new();
    while let [letter, a, b, c, d, ..] = *sent {
        letters.push(char::from(letter));
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        sent = sent.get(1 + length..).unwrap_or_default();
    }
    letters
}

async fn check(world: &World, sent: &Sent, request: &ir::Request, expected: &str) {
    for _ in 0..3 {
        world.run(request).await;
    }
    sent.lock().unwrap().clear();
    let answer = world.run(request).await;
    assert!(answer.contains("New"), "{answer}");
    assert_eq!(letters(&sent.lock().unwrap()), expected);
}

#[tokio::test]
async fn a_new_row_is_one_write_and_one_read() {
    let Some(world) = world(BLOG).await else { return };
    let sent = Sent::default();
    let port = way(world.port(), Arc::clone(&sent)).await;
    let world = world.by_way_of(port).await;
    let insert = |with_author: bool| {
        let mut steps = Steps::default();
        let values = [("author_id", integer(1)), ("headline", text("New"))];
        let step = steps.insert(&world, 0, "post", &values);
        let mut outputs = vec![own(world.field("post.headline"))];
        if with_author {
            let author = world.hop("post.author_id", HopDirection::Forward);
            outputs.push(along(&[author], world.field("person.full_name")));
        }
        steps.returned(0, step, outputs);
        steps.request()
    };
    // Bind, Execute, Sync: no statement is prepared again, and no transaction begun by one.
    check(&world, &sent, &insert(false), "BES").await;
    // What is read of another row waits for the first answer: a Flush between.
    check(&world, &sent, &insert(true), "BEHBES").await;
}
