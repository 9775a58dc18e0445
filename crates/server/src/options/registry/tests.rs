//! Registries by their options and the variables of their own tools.

use clap::Parser;

use super::*;

#[derive(Debug, Parser)]
struct Line {
    #[command(flatten)]
    registry: RegistryOptions,
}

/// The supergraph that these words, options and variables name.
fn read(words: &[&str], variables: &[(&str, &str)]) -> Result<RemoteSupergraph, String> {
    let (text, options) = words.split_first().unwrap();
    let line = Line::try_parse_from([&["thalweg"], options].concat()).unwrap();
    let environment = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    line.registry.registry_in(text, &environment).map(|found| found.expect("it is a registry"))
}

fn refused(words: &[&str], variables: &[(&str, &str)], expected: &str) {
    let error = read(words, variables).expect_err("it is refused");
    assert!(error.contains(expected), "{words:?}: {error}");
    assert!(!error.contains("Zx7"), "{error}");
}

fn uris(urls: &[Uri]) -> Vec<String> {
    urls.iter().map(ToString::to_string).collect()
}

#[test]
fn a_graph_of_uplink_has_a_reference_a_key_and_addresses() {
    let check = |words: &[&str], variables: &[(&str, &str)], expected: (&str, &str, &[&str])| {
        let read = read(words, variables).unwrap();
        let RemoteSupergraph::Uplink(graph) = &read else { panic!("{read:?}") };
        let endpoints = uris(&graph.endpoints);
        assert_eq!((&*graph.graph_ref, graph.key.expose()), (expected.0, expected.1));
        assert_eq!(endpoints, expected.2, "{words:?}");
        assert_eq!(read.to_string(), format!("uplink:{}", expected.0));
        assert!(!format!("{read:?}").contains("Zx7"), "{read:?}");
    };
    let usual: &[&str] =
        &["https://uplink.api.apollographql.com/", "https://aws.uplink.api.apollographql.com/"];
    let key = ("APOLLO_KEY", "Zx7-of-variable\n");
    check(&["uplink:shop@prod"], &[key], ("shop@prod", "Zx7-of-variable", usual));
    check(&["uplink:shop"], &[key], ("shop", "Zx7-of-variable", usual));
    let option = ["uplink:shop@prod", "--uplink-key", "Zx7-of-option"];
    check(&option, &[key], ("shop@prod", "Zx7-of-option", usual));
    let variables = [key, ("APOLLO_GRAPH_REF", "a-b@c_d")];
    check(&["uplink:"], &variables, ("a-b@c_d", "Zx7-of-variable", usual));
    let others =
        [key, ("APOLLO_UPLINK_ENDPOINTS", "https://a.example/, https://b.example/graphql")];
    let expected: &[&str] = &["https://a.example/", "https://b.example/graphql"];
    check(&["uplink:shop@prod"], &others, ("shop@prod", "Zx7-of-variable", expected));
    let option = ["uplink:shop@prod", "--uplink-endpoints", "http://127.0.0.1:7000/"];
    check(&option, &others, ("shop@prod", "Zx7-of-variable", &["http://127.0.0.1:7000/"]));
}

#[test]
fn a_graph_of_uplink_is_refused_with_a_remedy() {
    let key = ("APOLLO_KEY", "Zx7");
    refused(&["uplink:"], &[key], "the environment variable `APOLLO_GRAPH_REF`");
    refused(
        &["uplink:shop@prod"],
        &[],
        "set the environment variable `APOLLO_KEY`, or `--uplink-key`",
    );
    refused(&["uplink:shop@prod", "--uplink-key", ""], &[], "`APOLLO_KEY`");
    for wrong in ["uplink:shop@", "uplink:@prod", "uplink:a b@c", "uplink:a@b@c", "uplink://a@b"] {
        refused(&[wrong], &[key], "is no graph reference: `GRAPH@VARIANT` is wanted");
    }
    let endpoint = |url: &'static str| ["uplink:a@b", "--uplink-endpoints", url];
    refused(&endpoint("http://a.example/"), &[key], "`--uplink-endpoints`: the address");
    refused(&endpoint("http://a.example/"), &[key], "only for addresses of this machine");
    refused(&endpoint("https://u:Zx7@a.example/"), &[key], "has a user");
    let variable = ("APOLLO_UPLINK_ENDPOINTS", "ftp://a.example/");
    refused(&["uplink:a@b"], &[key, variable], "`APOLLO_UPLINK_ENDPOINTS`: the address");
}

#[test]
fn the_interval_of_uplink_is_that_of_its_variable() {
    let of = |value: Option<&str>| uplink::poll(&|_| value.map(str::to_owned));
    assert_eq!(of(None), Ok(None));
    assert_eq!(of(Some("30s")), Ok(Some(Duration::from_secs(30))));
    let error = of(Some("30")).unwrap_err();
    assert!(error.starts_with("the environment variable `APOLLO_UPLINK_POLL_INTERVAL`: a time is"));
}

#[test]
fn a_target_of_hive_is_in_its_cdn_or_at_an_address() {
    let check = |words: &[&str], variables: &[(&str, &str)], name: &str, expected: &[&str]| {
        let variables = [&[("HIVE_CDN_KEY", "Zx7")], variables].concat();
        let read = read(words, &variables).unwrap();
        let RemoteSupergraph::Hive(target) = &read else { panic!("{read:?}") };
        assert_eq!((read.to_string().as_str(), target.key.as_bytes()), (name, &b"Zx7"[..]));
        assert_eq!(uris(&target.endpoints), expected, "{words:?}");
        assert!(!format!("{read:?}").contains("Zx7"), "{read:?}");
    };
    check(
        &["hive:1f2e/contracts/public"],
        &[],
        "hive:1f2e/contracts/public",
        &[
            "https://cdn.graphql-hive.com/artifacts/v1/1f2e/contracts/public/supergraph",
            "https://cdn-mirror.graphql-hive.com/artifacts/v1/1f2e/contracts/public/supergraph",
        ],
    );
    let url = "https://hive.example/artifacts/v1/1f2e";
    let document = "https://hive.example/artifacts/v1/1f2e/supergraph";
    for given in [url, &[url, "/"].concat(), document] {
        check(&["hive:"], &[("HIVE_CDN_ENDPOINT", given)], document, &[document]);
        check(&["hive:", "--hive-endpoints", given], &[], document, &[document]);
    }
    let both = [url, ",https://mirror.example/1f2e"].concat();
    let mirror = "https://mirror.example/1f2e/supergraph";
    check(&["hive:"], &[("HIVE_CDN_ENDPOINT", &both)], document, &[document, mirror]);
    let queried = "https://hive.example/v1?x=1";
    let expected = ["https://hive.example/v1/supergraph?x=1"];
    check(
        &["hive:", "--hive-endpoints", queried],
        &[],
        "https://hive.example/v1/supergraph?x=…",
        &expected,
    );
    // The variable is for no named target.
    let name = "hive:1f2e";
    let read = read(&[name, "--hive-key", "k"], &[("HIVE_CDN_ENDPOINT", url)]).unwrap();
    assert_eq!(read.to_string(), name);
}

#[test]
fn a_target_of_hive_is_refused_with_a_remedy() {
    let key = ("HIVE_CDN_KEY", "Zx7");
    refused(
        &["hive:"],
        &[key],
        "`--hive-endpoints` or the environment variable `HIVE_CDN_ENDPOINT`",
    );
    refused(&["hive:1f2e"], &[], "set the environment variable `HIVE_CDN_KEY`, or `--hive-key`");
    refused(&["hive:1f2e"], &[("HIVE_CDN_KEY", "Zx7\u{1}a")], "has characters that no key has");
    refused(&["hive:https://u:Zx7@a.example/"], &[key], "is for `--hive-endpoints`");
    let both = ["hive:1f2e", "--hive-endpoints", "https://a.example"];
    refused(&both, &[key], "write `hive:` with them");
}

#[test]
fn an_object_of_s3_has_an_address_a_region_and_credentials() {
    let check = |words: &[&str], variables: &[(&str, &str)], region: &str, url: &str| {
        let keys = [("AWS_ACCESS_KEY_ID", "Zx7-id"), ("AWS_SECRET_ACCESS_KEY", "Zx7-secret")];
        let read = read(words, &[&keys, variables].concat()).unwrap();
        let RemoteSupergraph::S3(object) = &read else { panic!("{read:?}") };
        assert_eq!((&*object.region, object.url.to_string().as_str()), (region, url), "{words:?}");
        assert_eq!(object.access_key_id.expose(), "Zx7-id");
        assert_eq!(read.to_string(), words[0]);
        assert!(!format!("{read:?}").contains("Zx7"), "{read:?}");
    };
    let region = ("AWS_REGION", "eu-central-1");
    let plain = "s3://schemas/shop/supergraph.graphql";
    let host = "https://schemas.s3.eu-central-1.amazonaws.com/shop/supergraph.graphql";
    check(&[plain], &[region], "eu-central-1", host);
    check(&[plain], &[("AWS_DEFAULT_REGION", "eu-central-1")], "eu-central-1", host);
    let path = "https://s3.eu-central-1.amazonaws.com/schemas/shop/supergraph.graphql";
    check(&[plain, "--s3-addressing", "path"], &[region], "eu-central-1", path);
    let dotted = "https://s3.cn-north-1.amazonaws.com.cn/a.b/k";
    check(&["s3://a.b/k", "--s3-region", "cn-north-1"], &[region], "cn-north-1", dotted);
    // Other storage.
    let own = "https://storage.example/schemas/shop/supergraph.graphql";
    let endpoint = ("AWS_ENDPOINT_URL", "https://storage.example/");
    check(&[plain], &[endpoint], "us-east-1", own);
    check(&[plain, "--s3-endpoint", "https://storage.example"], &[region], "eu-central-1", own);
    let local = "http://127.0.0.1:9000/schemas/shop/supergraph.graphql";
    let local_endpoint = ("AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9000");
    check(&[plain], &[endpoint, local_endpoint], "us-east-1", local);
    let host = "https://schemas.storage.example:9000/shop/supergraph.graphql";
    let options = ["--s3-endpoint", "https://storage.example:9000", "--s3-addressing", "host"];
    check(&[&[plain][..], &options].concat(), &[], "us-east-1", host);
    // A key is encoded once.
    let encoded = "https://storage.example/schemas/a%20b%2Bc/%25d%3F%23~_-.%C3%A9";
    check(&["s3://schemas/a b+c/%d?#~_-.é"], &[endpoint], "us-east-1", encoded);
}

#[test]
fn temporary_credentials_have_a_token() {
    let keys = [("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "b"), ("AWS_REGION", "r")];
    let token = |words: &[&str], variables: &[(&str, &str)]| {
        let words = [&["s3://bucket/key"], words].concat();
        let read = read(&words, &[&keys, variables].concat()).unwrap();
        let RemoteSupergraph::S3(object) = read else { panic!("{read:?}") };
        object.session_token.map(|token| token.expose().to_owned())
    };
    assert_eq!(token(&[], &[]), None);
    let variable = [("AWS_SESSION_TOKEN", "of-variable")];
    assert_eq!(token(&[], &variable).as_deref(), Some("of-variable"));
    let option = ["--s3-session-token", "of-option"];
    assert_eq!(token(&option, &variable).as_deref(), Some("of-option"));
}

#[test]
fn an_object_of_s3_is_refused_with_a_remedy() {
    let id = ("AWS_ACCESS_KEY_ID", "Zx7-id");
    let keys = [id, ("AWS_SECRET_ACCESS_KEY", "Zx7-secret")];
    let region = ("AWS_REGION", "eu-central-1");
    for wrong in
        ["s3:", "s3:bucket/key", "s3://bucket", "s3://bucket/", "s3:///key", "s3://a b/key"]
    {
        refused(&[wrong], &[keys[0], keys[1], region], "a bucket and a key are wanted");
    }
    refused(
        &["s3://bucket/key"],
        &keys,
        "set the environment variable `AWS_REGION`, or `--s3-region`",
    );
    refused(&["s3://bucket/key"], &[region], "`AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`");
    refused(
        &["s3://bucket/key"],
        &[region, id],
        "a public object is read by its `https://` address",
    );
    let wrong = ("AWS_REGION", "eu/central");
    refused(&["s3://bucket/key"], &[keys[0], keys[1], wrong], "is no region of S3");
    let options = ["s3://bucket/key", "--s3-endpoint", "http://storage.example"];
    refused(&options, &keys, "`--s3-endpoint`: the address `http://storage.example`");
    let broken = ("AWS_SESSION_TOKEN", "Zx7 a");
    refused(
        &["s3://bucket/key"],
        &[keys[0], keys[1], region, broken],
        "the session token of S3 has",
    );
}

#[test]
fn options_of_another_registry_are_refused() {
    let check = |words: &[&str], expected: &str| refused(words, &[], expected);
    check(&["uplink:a@b", "--hive-key", "Zx7"], "`--hive-key` is for a supergraph of Hive's CDN");
    check(&["hive:", "--uplink-key", "Zx7"], "`--uplink-key` is for a supergraph of GraphOS");
    check(&["hive:", "--uplink-endpoints", "https://a.example"], "`--uplink-endpoints` is for");
    check(&["uplink:a@b", "--hive-endpoints", "https://a.example"], "`--hive-endpoints` is for");
    check(&["uplink:a@b", "--supergraph-header", "a=b"], "is for a supergraph at an address");
    for option in ["endpoint", "region", "access-key-id", "secret-access-key", "session-token"] {
        let option = ["--s3-", option].concat();
        let expected = format!("`{option}` is for a supergraph in S3-compatible storage");
        check(&["uplink:a@b", &option, "Zx7"], &expected);
    }
    check(&["hive:", "--s3-addressing", "path"], "`--s3-addressing` is for");
    let line = Line::try_parse_from(["thalweg", "--uplink-key", "Zx7"]).unwrap();
    for failure in [
        line.registry.url("https://a.example/s".parse().unwrap()).unwrap_err(),
        line.registry.refuse().unwrap_err(),
    ] {
        assert!(failure.to_string().starts_with("`--uplink-key` is for a supergraph of GraphOS"));
    }
}
