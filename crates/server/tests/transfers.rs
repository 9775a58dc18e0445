//! Imports, exports and moves of databases with the tables of type definitions.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use expect_test::{Expect, expect};
use testkit::postgres::{required_installations, shared};
use testkit::random::Random;

use crate::program::{Folder, outcome, run, thalweg};

mod filled;
mod predicates;
mod random;
mod rejected;
mod resumed;
mod sorted;
mod targets;

/// Fields of every kind.
const TYPES: &str = "
    interface Vehicle { id: ID! plate: String! @id(interface: true) built: Int @search
      keeper: Person @hasInverse(field: vehicles) }
    type Car implements Vehicle { doors: Int }
    type Truck implements Vehicle { load: Float }
    type Person {
      id: ID!
      email: String! @id
      name: String! @search(by: [term])
      born: DateTime
      big: Int64
      ok: Boolean
      mood: Mood @search
      tags: [String]
      scores: [Int]
      times: [DateTime]
      spot: Point
      friends: [Person] @hasInverse(field: friends)
      spouse: Person @hasInverse(field: spouse)
      boss: Person @hasInverse(field: staff)
      staff: [Person]
      vehicles: [Vehicle]
      pet: Pet
      likes: [Thing]
    }
    enum Mood { HAPPY SAD }
    type Pet { name: String! @id owner: Person! @hasInverse(field: pet) }
    type Toy { label: String! }
    union Thing = Pet | Toy | Car
";

/// An export of Dgraph, by predicates, with what cannot be stored.
const EXPORT: &str = r#"# from elsewhere
<0x1> <Person.email> "ann@x"^^<xs:string> <0x0> .
<0x2> <Person.email> "bob@x" .
<0x1> <Person.name> "Ann \"A\"\n\u00e9" .
<0x2> <Person.name> "Bob" .
<0x1> <Person.born> "1990-02-03T04:05:06.789Z"^^<xs:dateTime> .
<0x1> <Person.big> "9007199254740993"^^<xs:int> .
<0x1> <Person.ok> "true"^^<xs:boolean> .
<0x1> <Person.mood> "HAPPY" .
<0x1> <Person.tags> "b" (since=2006) .
<0x1> <Person.tags> "a" .
<0x1> <Person.scores> "3"^^<xs:int> .
<0x1> <Person.times> "2020"^^<xs:dateTime> .
<0x1> <Person.spot> "{'type':'Point','coordinates':[8.5,47.25]}"^^<geo:geojson> .
<0x1> <Person.friends> <0x2> .
<0x2> <Person.spouse> <0x1> .
<0x1> <Person.staff> <0x2> .
<0x2> <Person.boss> <0x1> .
<0x3> <Vehicle.plate> "U1" .
_:t <Vehicle.plate> "U2" .
<0x3> <Vehicle.keeper> <0x1> .
<0x1> <Person.vehicles> _:t .
_:t <Truck.load> "2.5"^^<xs:float> .
_:p <Pet.name> "Rex" .
_:q <Pet.name> "Rex" .
_:p <Pet.owner> <0x2> .
_:q <Pet.owner> <0x1> .
<0x1> <Person.likes> _:p .
<0x1> <Person.likes> <0x3> .
<0x1> <Person.likes> _:toy .
_:toy <Toy.label> "ball" .
<0x1> <dgraph.type> "Person" .
<0x2> <dgraph.type> "Person" .
<0x3> <dgraph.type> "Vehicle" .
<0x3> <dgraph.type> "Car" .
_:t <dgraph.type> "Truck" .
_:p <dgraph.type> "Pet" .
_:q <dgraph.type> "Pet" .
_:toy <dgraph.type> "Toy" .
_:k <dgraph.type> "Toy" .
_:g <dgraph.type> "dgraph.type.Group" .
_:g <dgraph.xid> "guardians" .
<0x1> <Person.shoe> "9" .
<0x2> <Person.scores> "x" .
<0x2> <Person.mood> "HUNGRY" .
<0x2> <Person.boss> <0x99> .
<0x9> <Person.name> "untyped" .
broken
<0x2> <Person.name> "Other" <0x1> .
"#;

/// The types, and what is left of a test in a folder.
struct Scene {
    folder: Folder,
    types: String,
}

impl Scene {
    fn new(types: &str) -> Self {
        let folder = Folder::new();
        let file = folder.file("schema.graphql");
        fs::write(&file, types).unwrap();
        Self { types: path(&file), folder }
    }

    fn file(&self, name: &str) -> String {
        path(&self.folder.file(name))
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let file = self.folder.file(name);
        fs::write(&file, bytes).unwrap();
        path(&file)
    }

    fn import(
        &self,
        files: &[&str],
        data: &str,
        options: &[&str],
    ) -> (Option<i32>, String, String) {
        let words = ["--types", &self.types, "--data", data];
        let words = [&["import"], files, &words, options].concat();
        // Files of imports into PostgreSQL are in the current folder.
        outcome(&thalweg(&words).current_dir(self.folder.file("")).output().unwrap())
    }

    /// Imports without a rejected value.
    fn import_all(&self, files: &[&str], data: &str, options: &[&str]) -> String {
        let (code, output, error) = self.import(files, data, options);
        assert_eq!((code, &*error), (Some(0), ""), "{output}");
        output
    }

    fn export(&self, data: &str, format: &str) -> String {
        let words = ["export", "--types", &self.types, "--data", data, "--format", format];
        let (code, output, error) = outcome(&run(&words));
        assert_eq!((code, &*error), (Some(0), ""));
        output
    }

    fn check(&self, data: &str) {
        let (code, output, _) = outcome(&run(&["migrate", &self.types, "--data", data, "--check"]));
        assert_eq!(code, Some(0), "{output}");
    }
}

fn path(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// An empty database on each PostgreSQL, and a file that is not there.
fn databases(scene: &Scene, name: &str) -> Vec<String> {
    let mut all = vec![scene.file(&format!("{name}.db"))];
    for installation in required_installations().unwrap() {
        let server = shared(&installation).unwrap();
        server.create_database(&format!("transfers_{name}")).unwrap();
        all.push(server.url(&format!("transfers_{name}")));
    }
    all
}

#[test]
fn an_export_of_dgraph_is_imported_and_rejected_values_are_named() {
    let scene = Scene::new(TYPES);
    let file = scene.write("export.rdf", EXPORT);
    for data in databases(&scene, "rejected") {
        let (code, output, error) = scene.import(&[&file], &data, &[]);
        assert_eq!((code, &*error), (Some(3), ""));
        let (output, _) = output.split_once("rejected: see").unwrap();
        expect![[r#"
            Car: 1
            Truck: 1
            Person: 2
            Pet: 1
            Toy: 1
            49 values: 35 stored, 10 rejected, 4 skipped
            skipped facets: 1
            skipped of Dgraph's own types and predicates: 2
            skipped of other namespaces: 1
        "#]]
        .assert_eq(output);
        let rejected = fs::read_to_string(scene.file("export.rdf.rejected.jsonl")).unwrap();
        expect![[r#"
            25: another object has the name "Rex": _:q <Pet.name> "Rex" .
            27: its object is rejected: another object has the name "Rex": _:q <Pet.owner> <0x1> .
            38: another object has the name "Rex": _:q <dgraph.type> "Pet" .
            40: Toy.label is required, and has no value: _:k <dgraph.type> "Toy" .
            43: no field has the predicate `Person.shoe`: <0x1> <Person.shoe> "9" .
            44: scores: an integer is expected: <0x2> <Person.scores> "x" .
            45: mood: HAPPY or SAD is a value of the enum: <0x2> <Person.mood> "HUNGRY" .
            46: it refers to an object that is not there: <0x2> <Person.boss> <0x99> .
            47: the object has no type: no `dgraph.type` names one: <0x9> <Person.name> "untyped" .
            48: a subject is expected: broken
        "#]]
        .assert_eq(&shown(&rejected));
        scene.check(&data);
    }
}

/// The lines of a file of rejected values.
fn shown(rejected: &str) -> String {
    let mut shown = String::new();
    for line in rejected.lines() {
        let one: serde_json::Value = serde_json::from_str(line).unwrap();
        let [reason, text] = ["reason", "text"].map(|name| one[name].as_str().unwrap().to_owned());
        shown.push_str(&format!("{}: {reason}: {text}\n", one["line"]));
    }
    shown
}

#[test]
fn exports_are_read_back_equal_and_databases_move_with_their_ids() {
    let scene = Scene::new(TYPES);
    let file = scene.write("export.rdf", EXPORT);
    let all = databases(&scene, "equal");
    for data in &all {
        assert_eq!(scene.import(&[&file], data, &[]).0, Some(3));
    }
    for format in ["jsonl", "json", "rdf"] {
        let first = scene.export(&all[0], format);
        assert!(first.contains("Person.likes"), "{first}");
        let file = scene.write(&format!("again.{format}"), &first);
        for data in &all {
            assert_eq!(scene.export(data, format), first, "{data}");
        }
        for data in databases(&scene, &format!("equal_{format}")) {
            scene.import_all(&[&file], &data, &[]);
            assert_eq!(scene.export(&data, format), first, "{data}");
        }
    }
    let first = scene.export(&all[0], "json");
    let targets = databases(&scene, "moved");
    // Each target once: the file comes from the first server.
    let back = all.iter().skip(1).take(1).zip(&targets);
    for (from, to) in all.iter().zip(targets.iter().skip(1)).chain(back) {
        let words = ["import", "--from", from, "--data", to];
        let (code, output, error) = outcome(&run(&words));
        assert_eq!((code, &*error), (Some(0), ""), "{output}");
        assert!(output.ends_with("Both databases have the same rows.\n"), "{output}");
        assert_eq!(scene.export(to, "json"), first);
        scene.check(to);
        let (code, _, error) = outcome(&run(&words));
        assert_eq!(code, Some(2), "{error}");
        assert!(error.contains("the database has rows"), "{error}");
    }
}

#[test]
fn objects_whose_required_reference_was_deleted_are_read_back() {
    let scene = Scene::new(BLOG);
    let text = "{\"uid\":\"0x1\",\"dgraph.type\":[\"Post\"],\"Post.title\":\"SQL\"}\n";
    let file = scene.write("left.jsonl", text);
    let all = databases(&scene, "left");
    for data in &all {
        scene.import_all(&[&file], data, &[]);
        assert_eq!(scene.export(data, "jsonl"), text);
    }
    for format in ["jsonl", "json", "rdf"] {
        let first = scene.export(&all[0], format);
        let file = scene.write(&format!("again.{format}"), &first);
        for data in databases(&scene, &format!("left_{format}")) {
            scene.import_all(&[&file], &data, &[]);
            assert_eq!(scene.export(&data, format), first, "{data}");
        }
    }
    // A reference that leads nowhere is not one that was deleted.
    let triples = "<0x1> <dgraph.type> \"Post\" .\n<0x1> <Post.title> \"SQL\" .\n\
                   <0x1> <Post.author> <0x9> .\n";
    let file = scene.write("dangling.rdf", triples);
    let (code, output, _) = scene.import(&[&file], &scene.file("dangling.db"), &[]);
    assert_eq!(code, Some(3), "{output}");
    let rejected = fs::read_to_string(scene.file("dangling.rdf.rejected.jsonl")).unwrap();
    assert!(rejected.contains("Post.author is required, and refers to no object"), "{rejected}");
}

const BLOG: &str = "
    type Author { id: ID! name: String! @id born: DateTime posts: [Post] @hasInverse(field: author) }
    type Post { id: ID! title: String! @search(by: [term]) score: Int author: Author! tags: [Tag] }
    type Tag { name: String! @id }
";

#[test]
fn objects_come_from_json_lines_and_tables_and_refer_by_ids_and_unique_values() {
    let scene = Scene::new(BLOG);
    let authors =
        scene.write("Author.csv", "id,name,born\r\n1,Ann,1990\r\n2,\"B, ob\",\r\n3,,\r\n");
    let posts = scene.write(
        "posts.jsonl",
        "{\"type\":\"Post\",\"id\":\"1\",\"title\":\"SQL\",\"score\":7,\"author\":{\"name\":\"Ann\"},\"tags\":[{\"name\":\"data\"},{\"name\":\"new\"}]}\n\
         \n\
         {\"type\":\"Post\",\"title\":\"Graphs\",\"author\":\"2\",\"tags\":[{\"name\":\"data\"}]}\n\
         {\"type\":\"Post\",\"title\":\"No author\"}\n\
         {\"type\":\"Post\",\"title\":\"Wrong\",\"score\":\"x\",\"author\":{\"name\":\"Ann\"}}\n\
         {\"type\":\"Post\",\"title\":\"Added\",\"author\":{\"name\":\"Zoe\"}}\n\
         {oops\n",
    );
    for data in databases(&scene, "typed") {
        let files = [&*posts, &*authors];
        let (code, output, error) = scene.import(&files, &data, &["--ids", "new"]);
        assert_eq!((code, &*error), (Some(3), ""));
        let (output, _) = output.split_once("rejected: see").unwrap();
        expect![[r#"
            Author: 3
            Post: 3
            Tag: 2
            38 values: 30 stored, 8 rejected, 0 skipped
        "#]]
        .assert_eq(output);
        let rejected = fs::read_to_string(scene.file("posts.jsonl.rejected.jsonl")).unwrap();
        expect![[r#"
            4: Post.author is required, and refers to no object: {"type":"Post","title":"No author"}
            5: its object is rejected: score: an integer is expected: {"type":"Post","title":"Wrong","score":"x","author":{"name":"Ann"}}
            5: score: an integer is expected: {"type":"Post","title":"Wrong","score":"x","author":{"name":"Ann"}}
            7: this is not JSON: key must be a string at line 1 column 2: {oops
            4: Author.name is required, and has no value: 3,,
        "#]].assert_eq(&shown(&rejected));
        expect![[r#"
            {"uid":"0x8","dgraph.type":["Author"],"Author.name":"Zoe","Author.posts":[{"uid":"0x7"}]}
            {"uid":"0xa","dgraph.type":["Author"],"Author.name":"Ann","Author.born":"1990-01-01T00:00:00Z","Author.posts":[{"uid":"0xe"}]}
            {"uid":"0xb","dgraph.type":["Author"],"Author.name":"B, ob","Author.posts":[{"uid":"0x4"}]}
            {"uid":"0x4","dgraph.type":["Post"],"Post.title":"Graphs","Post.author":{"uid":"0xb"},"Post.tags":[{"uid":"0x2"}]}
            {"uid":"0x7","dgraph.type":["Post"],"Post.title":"Added","Post.author":{"uid":"0x8"}}
            {"uid":"0xe","dgraph.type":["Post"],"Post.title":"SQL","Post.score":7,"Post.author":{"uid":"0xa"},"Post.tags":[{"uid":"0x2"},{"uid":"0x3"}]}
            {"uid":"0x2","dgraph.type":["Tag"],"Tag.name":"data"}
            {"uid":"0x3","dgraph.type":["Tag"],"Tag.name":"new"}
        "#]].assert_eq(&scene.export(&data, "jsonl"));
        // Objects of the database are found by their unique values.
        let more =
            scene.write("Post.csv", "title,author.name,tags\nMore,Ann,data;old\nTaken,Eve,\n");
        let tags = scene.write("Tag.csv", "name\nold\nnew\n");
        let (code, output, _) = scene.import(&[&more, &tags], &data, &[]);
        assert_eq!(code, Some(3), "{output}");
        let rejected = fs::read_to_string(scene.file("Post.csv.rejected.jsonl")).unwrap();
        expect![[r#"
            3: no object has the name "Eve": Taken,Eve,
            3: an object of the database has the name "new": new
        "#]]
        .assert_eq(&shown(&rejected));
        expect![[r#"
            {"uid":"0x8","dgraph.type":["Author"],"Author.name":"Zoe","Author.posts":[{"uid":"0x7"}]}
            {"uid":"0xa","dgraph.type":["Author"],"Author.name":"Ann","Author.born":"1990-01-01T00:00:00Z","Author.posts":[{"uid":"0xe"},{"uid":"0xf"}]}
            {"uid":"0xb","dgraph.type":["Author"],"Author.name":"B, ob","Author.posts":[{"uid":"0x4"}]}
            {"uid":"0x4","dgraph.type":["Post"],"Post.title":"Graphs","Post.author":{"uid":"0xb"},"Post.tags":[{"uid":"0x2"}]}
            {"uid":"0x7","dgraph.type":["Post"],"Post.title":"Added","Post.author":{"uid":"0x8"}}
            {"uid":"0xe","dgraph.type":["Post"],"Post.title":"SQL","Post.score":7,"Post.author":{"uid":"0xa"},"Post.tags":[{"uid":"0x2"},{"uid":"0x3"}]}
            {"uid":"0xf","dgraph.type":["Post"],"Post.title":"More","Post.author":{"uid":"0xa"},"Post.tags":[{"uid":"0x2"},{"uid":"0x11"}]}
            {"uid":"0x2","dgraph.type":["Tag"],"Tag.name":"data"}
            {"uid":"0x3","dgraph.type":["Tag"],"Tag.name":"new"}
            {"uid":"0x11","dgraph.type":["Tag"],"Tag.name":"old"}
        "#]].assert_eq(&scene.export(&data, "jsonl"));
        scene.check(&data);
        // Ids that are taken.
        let taken =
            scene.write("taken.rdf", "<0x2> <dgraph.type> \"Tag\" .\n<0x2> <Tag.name> \"x\" .\n");
        let (code, _, error) = scene.import(&[&taken], &data, &["--ids", "keep"]);
        assert_eq!(code, Some(1));
        assert!(error.contains("the id 0x2 belongs to an object"), "{error}");
    }
}

#[test]
fn texts_keep_their_languages() {
    let scene = Scene::new(
        "type Film { code: String! @id title: String @search
           titleDe: String @dgraph(pred: \"Film.title@de\")
           titleFrIt: String @dgraph(pred: \"Film.title@fr:it\")
           titleAny: String @dgraph(pred: \"Film.title@.\") @search(by: [hash]) }",
    );
    let triples = scene.write(
        "films.rdf",
        r#"<0x1> <dgraph.type> "Film" .
<0x1> <Film.code> "f1" .
<0x1> <Film.title> "The wall" .
<0x1> <Film.title> "Die Mauer"@de <0x0> .
<0x1> <Film.title@fr> "Le mur" .
<0x1> <Film.title> "Muren"@sv .
"#,
    );
    let objects = scene.write(
        "films.jsonl",
        r#"{"uid":"0x2","dgraph.type":"Film","Film.code":"f2","Film.title@it":"Il muro"}
{"type":"Film","code":"f3","titleDe":"Steine","title@fr":"Pierres"}
"#,
    );
    for data in databases(&scene, "languages") {
        let (code, output, error) = scene.import(&[&triples, &objects], &data, &[]);
        assert_eq!((code, &*error), (Some(3), ""), "{output}");
        let rejected = fs::read_to_string(scene.file("films.rdf.rejected.jsonl")).unwrap();
        expect![[r#"
            6: no field has the predicate `Film.title@sv`: <0x1> <Film.title> "Muren"@sv .
        "#]]
        .assert_eq(&shown(&rejected));
        expect![[r#"
            <0x1> <dgraph.type> "Film"^^<xs:string> <0x0> .
            <0x1> <Film.code> "f1"^^<xs:string> <0x0> .
            <0x1> <Film.title> "The wall"^^<xs:string> <0x0> .
            <0x1> <Film.title> "Die Mauer"@de <0x0> .
            <0x1> <Film.title> "Le mur"@fr <0x0> .
            <0x2> <dgraph.type> "Film"^^<xs:string> <0x0> .
            <0x2> <Film.code> "f2"^^<xs:string> <0x0> .
            <0x2> <Film.title> "Il muro"@it <0x0> .
            <0x3> <dgraph.type> "Film"^^<xs:string> <0x0> .
            <0x3> <Film.code> "f3"^^<xs:string> <0x0> .
            <0x3> <Film.title> "Steine"@de <0x0> .
            <0x3> <Film.title> "Pierres"@fr <0x0> .
        "#]]
        .assert_eq(&scene.export(&data, "rdf"));
        expect![[r#"
            {"uid":"0x1","dgraph.type":["Film"],"Film.code":"f1","Film.title":"The wall","Film.title@de":"Die Mauer","Film.title@fr":"Le mur"}
            {"uid":"0x2","dgraph.type":["Film"],"Film.code":"f2","Film.title@it":"Il muro"}
            {"uid":"0x3","dgraph.type":["Film"],"Film.code":"f3","Film.title@de":"Steine","Film.title@fr":"Pierres"}
        "#]].assert_eq(&scene.export(&data, "jsonl"));
        scene.check(&data);
    }
    let first = scene.export(&scene.file("languages.db"), "rdf");
    let again = scene.write("again.rdf", &first);
    for data in databases(&scene, "languages_again") {
        scene.import_all(&[&again], &data, &[]);
        assert_eq!(scene.export(&data, "rdf"), first);
    }
}

#[test]
fn the_standard_input_and_compressed_files_are_imported() {
    let scene = Scene::new(BLOG);
    let (data, other) = (scene.file("input.db"), scene.file("other.db"));
    let words = ["import", "-", "--format", "jsonl", "--types", &scene.types, "--data", &data];
    let mut command = thalweg(&words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut program = command.spawn().unwrap();
    let mut input = program.stdin.take().unwrap();
    input.write_all(b"{\"uid\":\"_:a\",\"dgraph.type\":\"Tag\",\"Tag.name\":\"x\"}\n").unwrap();
    drop(input);
    let (code, output, error) = outcome(&program.wait_with_output().unwrap());
    assert_eq!((code, &*error), (Some(0), ""));
    assert!(output.ends_with("2 values: 2 stored, 0 rejected, 0 skipped\n"), "{output}");
    let file = scene.file("tags.rdf.gz");
    let words = ["export", "--types", &scene.types, "--data", &data, "--output", &file];
    assert_eq!(outcome(&run(&words)), (Some(0), String::new(), String::new()));
    scene.import_all(&[&file], &other, &[]);
    assert_eq!(scene.export(&data, "json"), scene.export(&other, "json"));
    // A file that ends early changes nothing.
    let mut bytes = fs::read(&file).unwrap();
    bytes.truncate(bytes.len() - 9);
    let cut = scene.write("cut.rdf.gz", bytes);
    let empty = scene.file("empty.db");
    let (code, _, error) = scene.import(&[&cut], &empty, &[]);
    assert_eq!(code, Some(1), "{error}");
    assert_eq!(scene.export(&empty, "jsonl"), "");
}

/// Posts of authors as triples, by predicates, with links from one end only.
fn many(posts: u32) -> String {
    let mut text = String::new();
    for post in 0..posts {
        text.push_str(&format!("_:p{post} <Post.title> \"Title {post} of many\" .\n"));
    }
    for post in 0..posts {
        text.push_str(&format!("_:p{post} <Post.author> _:a{} .\n", post % 97));
        text.push_str(&format!("_:p{post} <Post.tags> _:t{} .\n", post % 7));
        text.push_str(&format!("_:p{post} <dgraph.type> \"Post\" .\n"));
    }
    for author in 0..97 {
        text.push_str(&format!("_:a{author} <dgraph.type> \"Author\" .\n"));
        text.push_str(&format!("_:a{author} <Author.name> \"Author {author}\" .\n"));
    }
    for tag in 0..7 {
        text.push_str(&format!("_:t{tag} <dgraph.type> \"Tag\" .\n"));
        text.push_str(&format!("_:t{tag} <Tag.name> \"Tag {tag}\" .\n"));
    }
    text
}

#[test]
fn a_killed_import_goes_on_and_ends_equal() {
    let scene = Scene::new(BLOG);
    let file = scene.write("many.rdf", many(6_000));
    let whole = scene.file("whole.db");
    let expect = scene.import_all(&[&file], &whole, &[]);
    let whole = scene.export(&whole, "rdf");
    for data in databases(&scene, "killed") {
        let work = scene.file("work");
        let words = ["import", &file, "--types", &scene.types, "--data", &data];
        let words = [&words[..], &["--batch", "20", "--work", &work]].concat();
        let mut kills = 0;
        for round in 0_u64.. {
            let mut command = thalweg(&words);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut program = command.spawn().unwrap();
            thread::sleep(Duration::from_millis(30 + round * 30));
            if program.try_wait().unwrap().is_none() {
                program.kill().unwrap();
                kills += 1;
                let output = program.wait_with_output().unwrap();
                // It was about to end.
                if output.stdout == expect.as_bytes() && !Path::new(&work).exists() {
                    break;
                }
                continue;
            }
            let (code, output, error) = outcome(&program.wait_with_output().unwrap());
            // A killed client's session of PostgreSQL may be there for a moment.
            assert_eq!((code, &*error), (Some(0), ""), "{output}");
            assert_eq!(output, expect);
            break;
        }
        assert!(kills >= 3, "{kills} kills");
        assert_eq!(scene.export(&data, "rdf"), whole, "{data}");
        scene.check(&data);
        assert!(!Path::new(&work).exists());
    }
}

#[test]
fn no_bytes_end_an_import_but_by_an_error() {
    let scene = Scene::new(BLOG);
    let mut random = Random::new(11);
    let words: &[&[u8]] = &[
        b"<0x1>",
        b"_:a",
        b" ",
        b"\n",
        b"\"",
        b"{",
        b"}",
        b"[",
        b"]",
        b":",
        b",",
        b".",
        b"<Post.title>",
        b"\"Post.title\"",
        b"\"uid\"",
        b"\"type\"",
        b"\"Post\"",
        b"<dgraph.type>",
        b"\"tags\"",
        b"null",
        b"1e999",
        b"\\u12",
        b"\xff\xfe",
        b"\0",
        b"title,author\n",
        b"(a=",
        b"^^<xs:int>",
        b"@en",
    ];
    for (round, name) in
        ["a.rdf", "b.json", "c.jsonl", "Post.csv", "e.rdf.gz", "f.json"].iter().enumerate()
    {
        let mut bytes = if *name == "Post.csv" { b"title,author\n".to_vec() } else { Vec::new() };
        for _ in 0..4_000 {
            bytes.extend_from_slice(words[random.below(words.len())]);
        }
        let file = scene.write(name, bytes);
        let data = scene.file(&format!("random{round}.db"));
        let (code, output, error) = scene.import(&[&file], &data, &[]);
        assert!(matches!(code, Some(0..=3)), "{name} {code:?} {output} {error}");
        assert!(
            !error.contains("panicked") && !output.contains("add up"),
            "{name} {output} {error}"
        );
    }
}

#[test]
fn wrong_options_are_named() {
    let scene = Scene::new(BLOG);
    let data = scene.file("options.db");
    let check = |file: &str, options: &[&str], expect: &Expect| {
        let (code, output, error) = scene.import(&[file], &data, options);
        assert!(matches!(code, Some(1 | 2)), "{error}");
        assert_eq!(output, "");
        expect.assert_eq(&error.replace(&*scene.file(""), ""));
    };
    let unnamed = scene.write("data.txt", "");
    check(
        &unnamed,
        &[],
        &expect![[r#"
        error: the name of data.txt has no format: give `--format`; `--help-all` lists the options
    "#]],
    );
    let table = scene.write("Shoe.csv", "size\n9\n");
    check(
        &table,
        &[],
        &expect![[r#"
        error: Shoe.csv, line 1: `Shoe` is no type of objects: name the file like one, or set `--type`
    "#]],
    );
    let column = scene.write("Tag.csv", "name,size\nx,9\n");
    check(
        &column,
        &[],
        &expect![[r#"
        error: Tag.csv, line 1: no field has the name `size`
    "#]],
    );
    let many = scene.write("broken.rdf", "x\ny\n");
    check(
        &many,
        &["--max-rejected", "1"],
        &expect![[r#"
        error: more than 1 values are rejected
    "#]],
    );
    check(
        &many,
        &["--sort-memory", "1KiB"],
        &expect![[r#"
            error: invalid value '1KiB' for '--sort-memory <SIZE>': a size from 64.0 KiB to 1.0 GiB is wanted

            For more information, try '--help'.
        "#]],
    );
    check(
        &scene.file("missing.rdf"),
        &[],
        &expect![[r#"
        error: cannot read missing.rdf: No such file or directory (os error 2)
    "#]],
    );
}
