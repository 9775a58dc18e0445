//! Several addresses, Unix sockets.

use std::fs;
use std::net::{Ipv6Addr, SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;

use crate::network::site::{Site, ask, assert_lives, connect, connect_by_path, path};
use crate::program::{Folder, outcome, post, run};

#[test]
fn all_addresses_are_served() {
    let folder = Folder::new();
    let socket = folder.file("a.sock");
    let listen = format!("127.0.0.1:0,unix:{},127.0.0.2:0", socket.display());
    let site = Site::start(folder, &listen, &["--threads", "2", "--listen", "127.0.0.3:0"]);
    assert_eq!(site.places.len(), 4, "{:?}", site.places);
    assert!(site.places[3].starts_with("127.0.0.3:"), "{:?}", site.places);
    // More often than there are threads.
    for _ in 0..5 {
        for place in [&site.places[0], &site.places[2], &site.places[3]] {
            assert_lives(connect(place.parse().unwrap()));
        }
        assert_lives(connect_by_path(&path(&site.places[1])));
    }
    let query = post("application/json", "", r#"{"query":"{ artistById(id: 127) { id } }"}"#);
    let answer = ask(connect_by_path(&socket), query.as_bytes());
    assert_eq!(answer.body, r#"{"data":{"artistById":{"id":127}}}"#);
    // None of these addresses is reached from another machine.
    assert!(!site.log().contains("everybody who reaches"), "{}", site.log());
}

#[test]
fn a_name_is_served_at_each_of_its_addresses() {
    let site = Site::start(Folder::new(), "localhost:0", &[]);
    let addresses: Vec<SocketAddr> =
        site.places.iter().map(|place| place.parse().unwrap()).collect();
    let ports: Vec<u16> = addresses.iter().map(SocketAddr::port).collect();
    assert!(ports.iter().all(|port| *port == ports[0]), "{addresses:?}");
    for address in addresses {
        assert!(address.ip().is_loopback(), "{address}");
        assert_lives(connect(address));
    }
}

#[test]
fn all_of_version_6_leaves_version_4_to_its_own_address() {
    if TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_err() {
        return;
    }
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let listen = format!("[::]:{free},127.0.0.1:{free}");
    let site = Site::start(Folder::new(), &listen, &[]);
    assert_lives(connect(SocketAddr::from((Ipv6Addr::LOCALHOST, free))));
    assert_lives(connect(SocketAddr::from(([127, 0, 0, 1], free))));
    let warnings = site.lines("everybody who reaches");
    assert_eq!(warnings.len(), 1, "{}", site.log());
}

#[test]
fn a_socket_has_its_mode_and_is_removed_in_the_end() {
    let folder = Folder::new();
    let socket = folder.file("a.sock");
    let listen = format!("unix:{}", socket.display());
    let mut site = Site::start(folder, &listen, &["--unix-socket-mode", "600"]);
    assert_eq!(fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
    assert_lives(connect_by_path(&socket));
    site.signal("TERM");
    assert!(site.wait().success(), "{}", site.log());
    assert!(!socket.exists());
}

#[test]
fn a_socket_that_nobody_listens_at_is_replaced_and_no_other_file_is() {
    let folder = Folder::new();
    let stale = folder.file("stale.sock");
    // Dropping the listener leaves the file behind.
    drop(UnixListener::bind(&stale).unwrap());
    let listen = format!("unix:{}", stale.display());
    let site = Site::start(folder, &listen, &[]);
    assert_lives(connect_by_path(&stale));

    let file = site.folder.file("shop.db");
    let serve = |address: &str| {
        outcome(&run(&["demo", "--file", file.to_str().unwrap(), "--listen", address]))
    };
    let (code, _, error) = serve(&listen);
    let in_use = "already; choose another address with --listen";
    assert_eq!(error, format!("error: another program uses {listen} {in_use}\n"));
    assert_eq!(code, Some(1));
    assert_lives(connect_by_path(&stale));

    let text = site.folder.file("text");
    fs::write(&text, "something of somebody").unwrap();
    let address = format!("unix:{}", text.display());
    let (code, _, error) = serve(&address);
    assert_eq!(
        error,
        format!(
            "error: cannot listen at {address}: the file is not a socket; choose another path\n"
        )
    );
    assert_eq!(code, Some(1));
    assert_eq!(fs::read_to_string(&text).unwrap(), "something of somebody");
}

#[test]
fn the_socket_of_a_successor_is_left_alone() {
    let folder = Folder::new();
    let socket = folder.file("a.sock");
    let mut site = Site::start(folder, &format!("unix:{}", socket.display()), &[]);
    fs::remove_file(&socket).unwrap();
    let successor = UnixListener::bind(&socket).unwrap();
    site.signal("TERM");
    assert!(site.wait().success());
    assert!(socket.exists());
    drop(successor);
}

#[test]
fn addresses_that_cannot_be_listened_at_are_named() {
    let folder = Folder::new();
    let nowhere = format!("unix:{}", folder.file("no/folder/a.sock").display());
    let file = folder.file("shop.db");
    let serve = |address: &str| {
        outcome(&run(&["demo", "--file", file.to_str().unwrap(), "--listen", address]))
    };
    let (code, _, error) = serve(&nowhere);
    assert!(error.starts_with(&format!("error: cannot listen at {nowhere}: ")), "{error}");
    assert_eq!(code, Some(1));
    // The second of two; the file of the first goes again.
    let first = folder.file("first.sock");
    let (code, _, error) = serve(&format!("unix:{},192.0.2.1:0", first.display()));
    assert!(error.starts_with("error: cannot listen at 192.0.2.1:0: "), "{error}");
    assert_eq!(code, Some(1));
    assert!(!first.exists());
    for wrong in ["unix:", "", "127.0.0.1:0,", "127.0.0.1:99999"] {
        assert_eq!(serve(wrong).0, Some(2), "{wrong:?}");
    }
}
