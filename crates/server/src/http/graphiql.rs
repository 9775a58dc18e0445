//! GraphiQL, served from files of the program: the browser loads nothing from other servers.
//!
//! Its files are in the folder `graphiql` of this crate, whose README says where they come from.
//!
//! * [`default_query`]: the query that the page shows first

mod default_query;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Read;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use engine::ApiWorker;
use flate2::read::GzDecoder;
use hyper::header::{
    ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, IF_NONE_MATCH, REFERRER_POLICY,
};
use hyper::{Method, StatusCode};

use super::accept_encoding::{self, Readable};
use super::answer_body::AnswerBody;
use super::console;
use super::exchange::HttpRequest;
use super::media_type::MediaType;
use super::page_file::{Content, File, SCRIPT, STYLE};
use super::refusal::Refusal;
use super::respond::{Response, refuse};
use super::service::Service;
use crate::options::Coding;

/// Content security policy: the page may load from this server only. Its editors and dialogs write
/// style elements; its fonts and pictures are in its style sheet.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    font-src data:; img-src 'self' data:; connect-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

const PAGE: &str = include_str!("../../graphiql/page.html");

/// The state of reloads, which the page polls.
const RELOADS: &str = "/graphiql/reloads";

const FILES: [File; 7] = [
    File {
        path: "/graphiql/react-18.3.1.min.js",
        content_type: SCRIPT,
        content: Content::Published(include_bytes!("../../graphiql/vendor/react-18.3.1.min.js.gz")),
    },
    File {
        path: "/graphiql/react-dom-18.3.1.min.js",
        content_type: SCRIPT,
        content: Content::Published(include_bytes!(
            "../../graphiql/vendor/react-dom-18.3.1.min.js.gz"
        )),
    },
    File {
        path: "/graphiql/graphiql-4.1.2.min.js",
        content_type: SCRIPT,
        content: Content::Published(include_bytes!(
            "../../graphiql/vendor/graphiql-4.1.2.min.js.gz"
        )),
    },
    File {
        path: "/graphiql/graphiql-4.1.2.min.css",
        content_type: STYLE,
        content: Content::Published(include_bytes!(
            "../../graphiql/vendor/graphiql-4.1.2.min.css.gz"
        )),
    },
    File {
        path: "/graphiql/thalweg.js",
        content_type: SCRIPT,
        content: Content::Own(include_str!("../../graphiql/thalweg.js")),
    },
    File {
        path: "/graphiql/thalweg.css",
        content_type: STYLE,
        content: Content::Own(include_str!("../../graphiql/thalweg.css")),
    },
    File {
        path: "/graphiql/thalweg.svg",
        content_type: "image/svg+xml",
        content: Content::Own(include_str!("../../graphiql/thalweg.svg")),
    },
];

/// The page at `/` and at the path of a service of Prisma, or a file that it loads.
pub(super) fn answer(service: &Service, request: &HttpRequest) -> Response {
    let path = request.uri().path();
    if path == RELOADS && service.settings.development.follows_reloads {
        return answer_reloads(service, request);
    }
    let file = FILES.iter().chain(console::files::FILES).find(|file| file.path == path);
    let is_page = path == "/"
        || service.settings.prisma.as_ref().is_some_and(|prisma| prisma.is_of_service(path));
    if file.is_none() && !(is_page && reads_html(request.headers())) {
        return refuse(MediaType::Json, &Refusal::Path);
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return refuse(MediaType::Json, &Refusal::Method { allow: "GET, HEAD" });
    }
    match file {
        Some(file) => answer_file(file, request.headers()),
        None => answer_page(service),
    }
}

fn answer_page(service: &Service) -> Response {
    let settings = &service.settings.development;
    let configuration = serde_json::json!({
        "defaultQuery": default_query(&service.worker),
        "explain": settings.explain,
        "console": console::views(service),
        "followsReloads": settings.follows_reloads,
    });
    // Escaped, so that no text can end the script element.
    let configuration = configuration.to_string().replace('<', "\\u003c");
    let page = PAGE.replace("{configuration}", &configuration);
    let mut response = with_type(page.into(), "text/html; charset=utf-8");
    set(&mut response, CACHE_CONTROL, "no-cache");
    set(&mut response, CONTENT_SECURITY_POLICY, POLICY);
    set(&mut response, REFERRER_POLICY, "no-referrer");
    response
}

/// The number of reloads, and the error of the last one if it failed.
fn answer_reloads(service: &Service, request: &HttpRequest) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return refuse(MediaType::Json, &Refusal::Method { allow: "GET, HEAD" });
    }
    let reloads = &service.process.reloads;
    let body = serde_json::json!({
        "reloads": reloads.succeeded.load(Ordering::Relaxed),
        "error": reloads.error(),
    });
    let mut response = with_type(body.to_string().into(), "application/json");
    set(&mut response, CACHE_CONTROL, "no-store");
    response
}

/// The query that the page shows first. Without introspection it contains no name of the schema.
fn default_query(worker: &ApiWorker) -> String {
    let query = match worker.limits().introspection {
        true => default_query::default_query(worker.schema()),
        false => None,
    };
    let mut text =
        "# Ctrl-Enter (⌘-Enter) runs the query, Ctrl-Space completes names.\n\n".to_owned();
    text.push_str(query.as_deref().unwrap_or("{\n  __typename\n}\n"));
    text
}

fn answer_file(file: &File, headers: &HeaderMap) -> Response {
    match file.content {
        Content::Published(compressed) => {
            let gzip = accepts_gzip(headers);
            let body = match gzip {
                true => Bytes::from_static(compressed),
                false => decompress(compressed).into(),
            };
            let mut response = with_type(body, file.content_type);
            if gzip {
                set(&mut response, CONTENT_ENCODING, "gzip");
            }
            set(&mut response, CACHE_CONTROL, "public, max-age=31536000, immutable");
            response
        }
        Content::Own(text) => {
            let tag = entity_tag(text);
            let known = headers.get_all(IF_NONE_MATCH).iter().any(|header| *header == tag);
            let body = Bytes::from_static(if known { b"" } else { text.as_bytes() });
            let mut response = with_type(body, file.content_type);
            if known {
                *response.status_mut() = StatusCode::NOT_MODIFIED;
                response.headers_mut().remove(CONTENT_TYPE);
            }
            response.headers_mut().insert(ETAG, tag);
            set(&mut response, CACHE_CONTROL, "no-cache");
            response
        }
    }
}

fn with_type(body: Bytes, content_type: &'static str) -> Response {
    let mut response = Response::new(AnswerBody::Whole(body));
    set(&mut response, CONTENT_TYPE, content_type);
    response
}

fn set(response: &mut Response, name: HeaderName, value: &'static str) {
    response.headers_mut().insert(name, HeaderValue::from_static(value));
}

/// An entity tag that changes with the text.
fn entity_tag(text: &str) -> HeaderValue {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let tag = format!("\"{:016x}\"", hasher.finish());
    HeaderValue::try_from(tag).unwrap_or(HeaderValue::from_static("\"0\""))
}

fn decompress(compressed: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    let read = GzDecoder::new(compressed).read_to_end(&mut text);
    debug_assert!(read.is_ok(), "a file of the program's own is damaged");
    text
}

/// Whether the client is a browser: programs that accept JSON get a 404 instead of the page.
fn reads_html(headers: &HeaderMap) -> bool {
    let texts = headers.get_all(ACCEPT).into_iter().filter_map(|header| header.to_str().ok());
    let mut ranges = texts
        .flat_map(|text| text.split(','))
        .map(|range| range.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
        .filter(|range| !range.is_empty())
        .peekable();
    ranges.peek().is_none()
        || ranges.any(|range| matches!(range.as_str(), "text/html" | "text/*" | "*/*"))
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    let texts = headers.get_all(ACCEPT_ENCODING).into_iter();
    let texts = texts.filter_map(|header| header.to_str().ok());
    match accept_encoding::negotiate(texts, &[Coding::Gzip]) {
        Readable::Either(_) | Readable::Compressed(_) => true,
        Readable::Plain | Readable::Nothing => false,
    }
}
