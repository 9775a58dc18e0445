//! Exports of Dgraph, which have one predicate in each record.

use super::{Scene, databases};

const TYPES: &str = "
    type Album { id: ID! title: String! tags: [String!]! years: [Int!]! artist: Artist }
    type Artist { id: ID! names: [String!]! }
";

const TRIPLES: &str = r#"<0x1> <Album.title> "One" .
<0x2> <Album.title> "Two" .
<0x1> <Album.tags> "a" .
<0x1> <Album.tags> "b" .
<0x2> <Album.years> "1990"^^<xs:int> .
<0x2> <Album.artist> <0x3> .
<0x1> <dgraph.type> "Album" .
<0x2> <dgraph.type> "Album" .
<0x3> <dgraph.type> "Artist" .
"#;

const RECORDS: &str = r#"[
  {"uid":"0x1","namespace":"0x0","Album.title":"One"},
  {"uid":"0x2","namespace":"0x0","Album.title":"Two"},
  {"uid":"0x1","namespace":"0x0","Album.tags":"a"},
  {"uid":"0x1","namespace":"0x0","Album.tags":"b"},
  {"uid":"0x2","namespace":"0x0","Album.years":1990},
  {"uid":"0x2","namespace":"0x0","Album.artist":[{"uid":"0x3"}]},
  {"uid":"0x1","namespace":"0x0","dgraph.type":["Album"]},
  {"uid":"0x2","namespace":"0x0","dgraph.type":"Album"},
  {"uid":"0x3","namespace":"0x0","dgraph.type":["Artist"]}
]"#;

#[test]
fn required_lists_without_elements_are_empty_in_both_formats_of_dgraph() {
    let scene = Scene::new(TYPES);
    let files = [scene.write("export.rdf", TRIPLES), scene.write("export.json", RECORDS)];
    for (file, name) in files.iter().zip(["triples", "records"]) {
        for data in databases(&scene, name) {
            scene.import_all(&[file], &data, &[]);
            expect_test::expect![[r#"
                {"uid":"0x1","dgraph.type":["Album"],"Album.title":"One","Album.tags":["a","b"],"Album.years":[]}
                {"uid":"0x2","dgraph.type":["Album"],"Album.title":"Two","Album.tags":[],"Album.years":[1990],"Album.artist":{"uid":"0x3"}}
                {"uid":"0x3","dgraph.type":["Artist"],"Artist.names":[]}
            "#]]
            .assert_eq(&scene.export(&data, "jsonl"));
        }
    }
}
