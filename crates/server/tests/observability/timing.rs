//! What an answer tells of its stages.

use crate::program::Server;

#[test]
fn stages_are_told_where_everybody_is_trusted() {
    let server = Server::sample();
    let answer = server.query("", "{ artistById(id: 127) { id } }");
    let timing = answer.header("server-timing").unwrap();
    let (names, times): (Vec<&str>, Vec<&str>) =
        timing.split(", ").map(|metric| metric.split_once(";dur=").unwrap()).unzip();
    assert_eq!(names, ["document", "plan", "execute", "total"]);
    let times: Vec<f64> = times.iter().map(|time| time.parse().unwrap()).collect();
    assert!(times[3] > 0.0 && times[3] >= times[0] + times[1] + times[2] - 0.01, "{timing}");
    let refused = server.query("", "{ noSuchField }");
    let timing = refused.header("server-timing").unwrap();
    assert!(timing.starts_with("document;dur=") && !timing.contains("execute"), "{timing}");
    assert_eq!(server.get("/health/live", "").header("server-timing"), None);
}

#[test]
fn an_option_says_otherwise() {
    let folder = crate::program::Folder::new();
    let file = folder.file("shop.db");
    let file = file.to_str().unwrap();
    for (listen, option, is_told) in [
        ("127.0.0.1:0", "--server-timing=off", false),
        ("0.0.0.0:0", "--server-timing=on", true),
        ("0.0.0.0:0", "--log=info", false),
    ] {
        let mut server = Server::start(&["demo", "--listen", listen, "--file", file, option]);
        server.address.set_ip([127, 0, 0, 1].into());
        let answer = server.query("", "{ __typename }");
        assert_eq!(answer.header("server-timing").is_some(), is_told, "{listen} {option}");
    }
}
