//! Relations that are sorted on disk.

use super::Scene;

const TYPES: &str = "
    type Person { code: Int! @id name: String! @id email: String! @id friends: [Person] fans: [Person] }
";

#[test]
fn large_relations_are_sorted_on_disk_each_by_itself() {
    let scene = Scene::new(TYPES);
    let mut text = String::new();
    for number in 0..4_000 {
        text.push_str(&format!(
            "{{\"type\":\"Person\",\"code\":{number},\"name\":\"n{number}\",\"email\":\"e{number}\",\
             \"friends\":[{{\"code\":{}}},{{\"code\":{}}}],\"fans\":[{{\"code\":{}}}]}}\n",
            (number + 1) % 4_000,
            (number + 7) % 4_000,
            (number + 2_000) % 4_000,
        ));
    }
    let file = scene.write("persons.jsonl", text);
    let [whole, parts] = ["whole.db", "parts.db"].map(|name| scene.file(name));
    scene.import_all(&[&file], &whole, &[]);
    scene.import_all(&[&file], &parts, &["--sort-memory", "64KiB"]);
    assert_eq!(scene.export(&parts, "rdf"), scene.export(&whole, "rdf"));
}
