//! Presets: defaults of several options, below the command line, the environment and the file.

use std::fs;

use crate::databases::File;
use crate::program::{Folder, Server, outcome, thalweg};

/// The sample in a file, made by a demo that has ended.
fn sample(folder: &Folder) -> String {
    let file = folder.file("shop.db");
    drop(Server::demo(&file));
    file.to_str().unwrap().to_owned()
}

struct Layers<'a> {
    words: &'a [&'a str],
    environment: &'a [(&'a str, &'a str)],
    file: &'a str,
}

const NONE: Layers<'_> = Layers { words: &[], environment: &[], file: "" };

/// The exit code, the schema and the error by these layers.
fn printed(folder: &Folder, database: &str, layers: &Layers<'_>) -> (Option<i32>, String, String) {
    let file = folder.file("thalweg.toml");
    fs::write(&file, layers.file).unwrap();
    let words = ["schema", database, "--config", file.to_str().unwrap()];
    let mut command = thalweg(&[&words, layers.words].concat());
    outcome(&command.envs(layers.environment.iter().copied()).output().unwrap())
}

fn schema(folder: &Folder, database: &str, layers: &Layers<'_>) -> String {
    let (code, schema, error) = printed(folder, database, layers);
    assert_eq!((code, error.as_str()), (Some(0), ""));
    schema
}

/// Parts of the schema, each with the option of the preset that makes it.
const PARTS: [(&str, &str); 8] = [
    ("simplified-names", "\n  artists("),
    ("simple-collections", "\n  artistsList("),
    ("connection-filter", "input ArtistFilter "),
    ("connection-filter-relations", "input ArtistToManyAlbumFilter "),
    ("aggregates", "type AlbumAggregates "),
    ("many-to-many", "ManyToManyConnection "),
    ("upsert-mutations", "\n  upsertArtistById("),
    ("nested-mutations", "input AlbumArtistNestedInput "),
];

#[test]
fn the_preset_modern_sets_its_options_on_each_layer() {
    let folder = Folder::new();
    let database = sample(&folder);
    let without = schema(&folder, &database, &NONE);
    let on_each = [
        Layers { words: &["--preset", "modern"], ..NONE },
        Layers { environment: &[("THALWEG_PRESET", "modern")], ..NONE },
        Layers { file: "preset = 'modern'", ..NONE },
    ];
    let all: Vec<String> =
        on_each.iter().map(|layers| schema(&folder, &database, layers)).collect();
    for (option, part) in PARTS {
        let has = |schema: &String| schema.contains(part);
        assert!(!has(&without), "{option}: {part} is there without the preset");
        assert!(all.iter().all(has), "{option}: {part} is missing:\n{}", all[0]);
    }
    assert!(all.iter().all(|one| *one == all[0]));
}

#[test]
fn an_option_wins_over_the_preset_whichever_layers_have_them() {
    let folder = Folder::new();
    let database = sample(&folder);
    let has_aggregates = |layers: &Layers<'_>| {
        let schema = schema(&folder, &database, layers);
        assert!(schema.contains("input ArtistFilter "), "the preset is not used: {schema}");
        schema.contains("type AlbumAggregates ")
    };
    let words: [&[&str]; 3] = [&[], &["--preset", "modern"], &["--aggregates=false"]];
    let environment: [&[(&str, &str)]; 3] =
        [&[], &[("THALWEG_PRESET", "modern")], &[("THALWEG_AGGREGATES", "false")]];
    let file = ["", "preset = 'modern'", "aggregates = false"];
    for preset in 0..3 {
        for option in (0..3).filter(|option| *option != preset) {
            let index = |layer: usize| match layer {
                _ if layer == preset => 1,
                _ if layer == option => 2,
                _ => 0,
            };
            let layers = Layers {
                words: words[index(0)],
                environment: environment[index(1)],
                file: file[index(2)],
            };
            assert!(!has_aggregates(&layers), "the preset {preset}, the option {option}");
        }
    }
    // A higher layer turns it on again.
    let again = Layers {
        words: &["--preset", "modern", "--aggregates"],
        environment: &[],
        file: "aggregates = false",
    };
    assert!(has_aggregates(&again));
}

#[test]
fn a_preset_leaves_out_what_other_options_exclude() {
    let folder = Folder::new();
    let database = sample(&folder);
    let of = |words: &[&str]| {
        let words = [&["--preset", "modern"], words].concat();
        schema(&folder, &database, &Layers { words: &words, ..NONE })
    };
    let schema = of(&["--disable-default-mutations"]);
    assert!(!schema.contains("upsertArtist"), "{schema}");
    let schema = of(&["--connection-filter=false"]);
    assert!(!schema.contains("ArtistFilter"), "{schema}");
    // Options that need one of the preset's.
    let schema = of(&["--no-short-pk", "--max-bulk-rows", "5"]);
    assert!(schema.contains("\n  artistById("), "{schema}");
}

#[test]
fn presets_are_for_postgraphile_and_have_names() {
    let folder = Folder::new();
    let database = sample(&folder);
    let of = |words: &[&str]| printed(&folder, &database, &Layers { words, ..NONE });
    let (code, _, error) = of(&["--preset", "modern", "--dialect", "phrag"]);
    let expected =
        "error: `--preset` needs `--dialect postgraphile`; `--help-all` lists the options\n";
    assert_eq!((code, error.as_str()), (Some(2), expected));
    let (code, _, error) = of(&["--preset", "modren"]);
    assert_eq!(code, Some(2));
    assert!(error.contains("[possible values: modern, postgraphile5]"), "{error}");
    assert!(error.contains("a similar value exists: 'modern'"), "{error}");
}

#[test]
fn the_preset_postgraphile5_has_the_names_of_version_5() {
    let file = File::new(
        "CREATE TABLE artist (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
         CREATE TABLE song (id INTEGER PRIMARY KEY, artist_id INTEGER REFERENCES artist, title TEXT,
            code TEXT UNIQUE);
         CREATE VIEW hit AS SELECT id, title FROM song;",
    );
    let layers = Layers { words: &["--preset", "postgraphile5"], ..NONE };
    let schema = schema(&Folder::new(), file.source(), &layers);
    for part in [
        "type SongConnection {",
        "  edges: [SongEdge]!",
        "  rowId: Int!",
        "  id: ID!",
        "enum SongOrderBy {\n  NATURAL\n  ROW_ID_ASC\n  ROW_ID_DESC\n  CODE_ASC\n  CODE_DESC\n",
        "  orderBy: [SongOrderBy!]! = [PRIMARY_KEY_ASC]",
        "Get a single `Song`.",
        "  artistByArtistId: Artist",
        "input HitCondition {\n  \"\"\"Checks for equality with the object’s `rowId` field.\"\"\"",
        "`title` field.",
    ] {
        assert!(schema.contains(part), "{part} is missing:\n{schema}");
    }
    // No index has the columns.
    for part in ["songsByArtistId", "ARTIST_ID_ASC", "SongsConnection", "nodeId"] {
        assert!(!schema.contains(part), "{part} is there:\n{schema}");
    }
    let payload = schema.split("type CreateSongPayload {").nth(1).unwrap().split("\n}").next();
    assert!(!payload.unwrap().contains("artistByArtistId"), "{payload:?}");
}
