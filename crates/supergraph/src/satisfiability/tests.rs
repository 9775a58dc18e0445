use std::path::PathBuf;

use super::*;
use crate::read;

#[test]
fn scratch() {
    let folder = std::env::var("THALWEG_SUPERGRAPHS").unwrap_or_default();
    for folder in folder.split(':').filter(|folder| !folder.is_empty()) {
        let mut files = vec![PathBuf::from(folder)];
        while let Some(file) = files.pop() {
            if file.is_dir() {
                files.extend(std::fs::read_dir(&file).unwrap().map(|one| one.unwrap().path()));
                continue;
            }
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            if !text.contains("join__Graph") {
                continue;
            }
            let supergraph = match read(&text) {
                Ok(supergraph) => supergraph,
                Err(problems) => {
                    println!("=== {} {problems:?}", file.display());
                    continue;
                }
            };
            let started = std::time::Instant::now();
            let checked = check_within(&supergraph, Limits::default());
            println!(
                "=== {} {} states {} computations {:?}",
                file.display(),
                checked.states,
                checked.computations,
                started.elapsed()
            );
            for finding in checked.findings {
                println!("{finding}");
            }
        }
    }
}
