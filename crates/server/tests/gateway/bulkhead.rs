//! A subgraph that hangs holds its share of the requests, and the others are answered.

use std::sync::mpsc;
use std::thread;

use crate::gateway::site::Site;
use crate::gateway::stubs::Fault;

const REQUESTS: usize = 24;

/// How many of them may be under way at the subgraph at once.
const AT_ONCE: usize = 4;

#[test]
fn while_one_subgraph_hangs_requests_to_others_are_answered() {
    let check = |subgraphs: &str, options: &[&str]| {
        let site = Site::start_with(subgraphs, &[&["--max-requests", "8"], options].concat());
        site.stubs.fail("stock", Fault::Hangs);
        thread::scope(|scope| {
            let (tell, told) = mpsc::channel();
            for _ in 0..REQUESTS {
                let (tell, server) = (tell.clone(), &site.server);
                scope.spawn(move || tell.send(server.query("", "{ stores }").body).unwrap());
            }
            // All but those that the subgraph has are told so, however many there are.
            for _ in 0..REQUESTS - AT_ONCE {
                let body = told.recv().unwrap();
                assert!(body.contains(r#""code":"SUBGRAPH_OVERLOADED""#), "{body}");
            }
            for _ in 0..REQUESTS {
                let body = site.query("{ products { upc } }");
                assert_eq!(body, r#"{"data":{"products":[{"upc":"1"},{"upc":"2"}]}}"#);
            }
            let body = site.query("{ products { upc inStock } }");
            assert!(
                body.contains(r#""upc":"2""#) && body.contains("SUBGRAPH_OVERLOADED"),
                "{body}"
            );
            site.stubs.heal();
            for _ in 0..AT_ONCE {
                assert_eq!(told.recv().unwrap(), r#"{"data":{"stores":3}}"#);
            }
        });
        assert_eq!(site.query("{ stores }"), r#"{"data":{"stores":3}}"#);
    };
    check("", &[]);
    check("[subgraphs.stock]\nmax-requests = 4\n", &["--max-subgraph-requests", "100%"]);
    check("[all]\nmax-requests = \"50%\"\ndeduplicate = false\n", &[]);
}

#[test]
fn equal_requests_that_wait_for_one_answer_hold_places_too() {
    let eight = ["--threads", "8", "--max-requests", "8"];
    let site = Site::start(&[&eight[..], &["--deduplicate-subgraph-requests"]].concat());
    site.stubs.fail("stock", Fault::Hangs);
    thread::scope(|scope| {
        let (tell, told) = mpsc::channel();
        for _ in 0..REQUESTS {
            let (tell, server) = (tell.clone(), &site.server);
            scope.spawn(move || tell.send(server.query("", "{ stores }").body).unwrap());
        }
        for _ in 0..REQUESTS - AT_ONCE {
            assert!(told.recv().unwrap().contains("SUBGRAPH_OVERLOADED"));
        }
        assert!(site.query("{ products { upc } }").contains(r#""upc":"2""#));
        site.stubs.heal();
        for _ in 0..AT_ONCE {
            assert_eq!(told.recv().unwrap(), r#"{"data":{"stores":3}}"#);
        }
    });
    let asked = site.stubs.asked();
    let stock = asked.iter().filter(|asked| asked.path == "/stock").count();
    assert_eq!(stock, 1, "equal queries are one request, on whatever threads they come");
}
