//! Requests to servers that definitions name, over TLS with authorities of their own.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use clients::connect::ConnectError;
use clients::egress::{Client, Egress, EgressError, EgressRequest, EgressResponse, EgressSettings};
use hyper::{HeaderMap, Method};

use super::subgraph::encrypted::{Authority, serve};
use super::subgraph::run;

fn egress(authorities: Option<PathBuf>) -> Result<Arc<Egress>, ConnectError> {
    let settings = EgressSettings {
        hosts: vec!["*".parse().unwrap()],
        networks: vec!["127.0.0.0/8".parse().unwrap()],
        authorities,
        ..EgressSettings::default()
    };
    Egress::new(settings, true)
}

async fn get(egress: &Arc<Egress>, host: &str, port: u16) -> Result<EgressResponse, EgressError> {
    let url = format!("https://{host}:{port}/a").parse().unwrap();
    let (headers, body) = (HeaderMap::new(), Bytes::new());
    let request = EgressRequest {
        method: Method::GET,
        url,
        headers,
        body,
        deadline: None,
        timeout: None,
        reserve: &|_| true,
    };
    Client::new(egress).send(request).await
}

#[test]
fn certificates_of_the_authorities_in_the_file_are_trusted_and_no_others() {
    run(async {
        let authority = Authority::new();
        let server = serve(authority.server("127.0.0.1", false, &[])).await;
        let trusting = egress(Some(authority.file())).unwrap();
        let answered = get(&trusting, "127.0.0.1", server.port).await.unwrap();
        assert_eq!((answered.status, &*answered.body), (200, &b"1"[..]));
        let refused = |egress: Arc<Egress>, host: &'static str| async move {
            match get(&egress, host, server.port).await {
                Err(EgressError::Unavailable(text)) => text.to_string(),
                other => panic!("{other:?}"),
            }
        };
        // Both authorities have the same name.
        let other = Authority::new();
        let error = refused(egress(Some(other.file())).unwrap(), "127.0.0.1").await;
        assert!(error.contains("BadSignature"), "{error}");
        let error = refused(trusting, "localhost").await;
        assert!(error.contains("not valid for name"), "{error}");
        // The system may trust no authority at all.
        if let Ok(system) = egress(None) {
            let error = refused(system, "127.0.0.1").await;
            assert!(error.contains("UnknownIssuer"), "{error}");
        }
    });
}

#[test]
fn a_file_without_authorities_is_an_error() {
    let check = |file: &Path, expected: &str| {
        let error = egress(Some(file.to_owned())).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    check(Path::new("/nowhere.pem"), "cannot read /nowhere.pem: No such file");
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.pem");
    std::fs::write(&empty, "").unwrap();
    check(&empty, "there is no certificate in ");
}
