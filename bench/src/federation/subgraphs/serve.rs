//! One process, one thread, four paths.

use std::cell::RefCell;
use std::convert::Infallible;
use std::io;
use std::net::Ipv4Addr;
use std::rc::Rc;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::task::LocalSet;

use super::canned::Canned;
use super::counts::Counts;
use super::delay::Delay;
use super::live::Live;
use super::shop::Subgraph;
use super::{COUNTS, Form, Options};

/// The path at which whoever starts servers sees that one is up.
const READY: &str = "graphql";

/// State that all connections share.
#[derive(Debug)]
struct State {
    answers: RefCell<Answers>,
    counts: RefCell<Counts>,
    delay: Option<Delay>,
}

#[derive(Debug)]
enum Answers {
    Live(Live),
    Canned(Canned),
}

/// Serves until the process is ended.
pub(crate) fn serve(options: &Options) -> io::Result<Infallible> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let answers = match options.form {
        Form::Live => Answers::Live(Live::new(options.data)),
        Form::Canned => Answers::Canned(Canned::new(options.data)),
    };
    let state = Rc::new(State {
        answers: RefCell::new(answers),
        counts: RefCell::default(),
        delay: Delay::new(options.delay)?,
    });
    LocalSet::new().block_on(&runtime, accept(options.port, state))
}

async fn accept(port: u16, state: Rc<State>) -> io::Result<Infallible> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    println!("subgraphs: http://{}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let state = Rc::clone(&state);
        tokio::task::spawn_local(async move {
            let service = service_fn(|request| answer(Rc::clone(&state), request));
            let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), service);
            // A gateway that ends its connection has nothing to be told.
            drop(connection.await);
        });
    }
}

async fn answer(
    state: Rc<State>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, hyper::Error> {
    let path = request.uri().path().trim_start_matches('/').to_owned();
    if path == COUNTS {
        let counts = state.counts.borrow().to_json();
        return Ok(json(counts.into()));
    }
    if path == READY {
        return Ok(json(r#"{"data":{"__typename":"Query"}}"#.into()));
    }
    let Some(subgraph) = Subgraph::ALL.into_iter().find(|one| one.name() == path) else {
        let mut response = Response::new(Full::default());
        *response.status_mut() = StatusCode::NOT_FOUND;
        return Ok(response);
    };
    let body = request.into_body().collect().await?.to_bytes();
    if let Some(delay) = &state.delay {
        delay.wait().await;
    }
    let answer = match &mut *state.answers.borrow_mut() {
        Answers::Live(live) => live.answer(subgraph, &body).into(),
        Answers::Canned(canned) => canned.answer(subgraph, &body),
    };
    state.counts.borrow_mut().add(subgraph, body.len(), answer.len());
    Ok(json(answer))
}

fn json(body: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    let value = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, value);
    response
}
