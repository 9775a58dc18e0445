use super::*;
use crate::support::ROWS;

#[test]
fn each_key_of_each_object_has_one_status() {
    let mut rows: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for row in ROWS {
        for key in row.keys {
            *rows.entry((row.object, key)).or_default() += 1;
        }
    }
    let mut wrong = Vec::new();
    for (object, keys) in objects() {
        for key in keys {
            match rows.remove(&(object, key)) {
                Some(1) => {}
                None => wrong.push(format!("{object}.{key} has no row")),
                Some(_) => wrong.push(format!("{object}.{key} has several rows")),
            }
        }
    }
    wrong.extend(rows.keys().map(|(object, key)| format!("{object}.{key} does not exist")));
    assert_eq!(wrong, Vec::<String>::new());
}
