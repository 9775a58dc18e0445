//! The page in Chromium, without a network. Its pictures are in `target/report/pictures`.

use std::ffi::OsStr;
use std::path::Path;

use super::sample;

#[test]
fn a_person_reads_the_page_chooses_and_orders() {
    let Some(chromium) = testkit::script::chromium().unwrap() else { return };
    let folder = sample::write("page", &sample::run());
    let page = super::write(&folder).unwrap().page.canonicalize().unwrap();
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let script = crate_folder.join("src/race/report/report.mjs");
    let pictures = crate_folder.join("../target/report/pictures");
    let arguments: [&OsStr; 3] = [page.as_ref(), chromium.as_ref(), pictures.as_ref()];
    let printed = testkit::script::run(&script, &arguments);
    if let Some(printed) = printed.unwrap_or_else(|error| panic!("{error}")) {
        assert_eq!(printed, "seen\n");
    }
}
