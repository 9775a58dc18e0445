//! Every option of `thalweg serve` over every source and dialect.

use clap::{Arg, CommandFactory, FromArgMatches};
use expect_test::{Expect, expect};

use super::*;
use crate::options::{Arguments, Command as Subcommand, ServeOptions};

/// A source, its address and a dialect, with further options.
const TARGETS: [(&str, &str, &str); 5] = [
    ("SQLite, postgraphile", "shop.db", "postgraphile"),
    ("SQLite, phrag", "shop.db", "phrag"),
    ("PostgreSQL, postgraphile", "postgres://localhost/shop", "postgraphile"),
    ("PostgreSQL, phrag", "postgres://localhost/shop", "phrag"),
    ("Neo4j", "neo4j://localhost", "neo4j"),
];

/// The options of `thalweg serve` that have a long name, but those that clap itself adds.
fn options() -> Vec<Arg> {
    let command = Arguments::command();
    let serve = command.find_subcommand("serve").expect("there is a command to serve");
    let all = command.get_arguments().filter(|arg| arg.is_global_set());
    let all = all.chain(serve.get_arguments()).filter(|arg| arg.get_long().is_some());
    all.filter(|arg| !matches!(arg.get_id().as_str(), "help" | "version")).cloned().collect()
}

/// A value that the option takes.
fn value(arg: &Arg) -> Option<String> {
    if !arg.get_action().takes_values() {
        return None;
    }
    if let Some(word) = arg.get_possible_values().first() {
        return Some(word.get_name().to_owned());
    }
    if let Some(default) = arg.get_default_values().first() {
        return default.to_str().map(str::to_owned);
    }
    let text = match arg.get_long().unwrap_or_default() {
        "unix-socket-mode" => "600",
        "drain-delay" | "jwt-max-age" | "jwt-verify-clock-tolerance" => "1s",
        "metrics-listen" => "127.0.0.1:0",
        "jwt-jwks" => "https://issuer.example/keys",
        "jwt-verify-algorithms" => "HS256",
        "jwt-token-identifier" => "app.token",
        "connection-filter-operator-names" => "equalTo:eq",
        "error-message" => "name=text",
        "pg-setting" => "app.name=value",
        "pg-setting-header" => "X-Name=app.name",
        "neo4j-filters" => "String.MATCHES",
        "cors-origins" | "allowed-origins" => "https://app.example",
        "tls-certificate" | "tls-key" | "tls-client-ca" | "log" => "error",
        _ => "1",
    };
    Some(text.to_owned())
}

fn serve(words: &[String]) -> ServeOptions {
    let words = [&["thalweg".to_owned(), "serve".to_owned()], words].concat();
    let mut command = Arguments::command();
    // Each option is looked at by itself: options that it needs beside it are left out.
    command = command.ignore_errors(true);
    command = command.mut_subcommand("serve", |serve| serve.ignore_errors(true));
    let matches = command.clone().get_matches_from(&words);
    let mut arguments = Arguments::from_arg_matches(&matches).expect("the words are right");
    let (name, matches) = matches.subcommand().expect("there is a command");
    let leaf = command.find_subcommand(name).expect("there is the command");
    arguments.command.set_given(&GivenOptions::of(leaf, matches));
    match arguments.command {
        Subcommand::Serve(options) => *options,
        _ => unreachable!("the words say `serve`"),
    }
}

/// The options that are refused for each target, with the word that says why.
fn refused(more: &[&str]) -> String {
    let mut lines = String::new();
    for (name, address, dialect) in TARGETS {
        let mut refused = Vec::new();
        for arg in options() {
            let long = arg.get_long().unwrap_or_default();
            if long == "dialect" || more.contains(&format!("--{long}").as_str()) {
                continue;
            }
            let option = match value(&arg) {
                Some(value) => format!("--{long}={value}"),
                None => format!("--{long}"),
            };
            let words = [address, "--dialect", dialect].map(str::to_owned).into_iter();
            let words: Vec<_> =
                words.chain(more.iter().map(|word| (*word).to_owned())).chain([option]).collect();
            let refusals = serve(&words).api.out_of_scope().expect("the source is right");
            let own = refusals.iter().find(|refusal| refusal.starts_with(&format!("`--{long}` ")));
            if let Some(refusal) = own {
                let says_what_to_do = refusal.contains(" needs ") || refusal.contains(": ");
                assert!(says_what_to_do, "{refusal}");
                refused.push(long.to_owned());
            }
        }
        lines.push_str(&format!("{name}: {}\n", refused.join(" ")));
    }
    lines
}

fn check(more: &[&str], expected: &Expect) {
    expected.assert_eq(&refused(more));
}

#[test]
fn every_option_has_one_scope() {
    let rows = || OPTIONS.iter().flat_map(|(_, names)| names.iter());
    for arg in options() {
        let long = arg.get_long().unwrap_or_default();
        let found = rows().filter(|name| **name == long).count();
        assert_eq!(found, 1, "`--{long}` stands in {found} rows of `OPTIONS`");
    }
    let options = options();
    for name in rows() {
        let is_option = options.iter().any(|arg| arg.get_long() == Some(name));
        assert!(is_option, "there is no option `--{name}`");
    }
}

#[test]
fn an_option_is_refused_where_it_means_nothing() {
    check(
        &[],
        &expect![[r#"
            SQLite, postgraphile: schema no-ignore-rbac geometric-types include-extension-resources network-scalars jwt-token-identifier connection-filter-arrays connection-filter-computed-columns connection-filter-setof-functions types neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation shared-connections connect-timeout database-idle-timeout default-role jwt-secret jwt-public-key jwt-jwks jwt-jwks-max-stale jwt-verify-algorithms jwt-verify-audience jwt-verify-issuer jwt-verify-subject jwt-verify-id jwt-verify-clock-tolerance jwt-max-age jwt-require-claims jwt-role jwt-claims jwt-cookie pg-setting pg-setting-header
            SQLite, phrag: schema no-ignore-rbac aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations network-scalars simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors types neo4j-api exclude-deprecated-fields neo4j-filters limit-required shared-connections connect-timeout database-idle-timeout default-role jwt-secret jwt-public-key jwt-jwks jwt-jwks-max-stale jwt-verify-algorithms jwt-verify-audience jwt-verify-issuer jwt-verify-subject jwt-verify-id jwt-verify-clock-tolerance jwt-max-age jwt-require-claims jwt-role jwt-claims jwt-cookie pg-setting pg-setting-header
            PostgreSQL, postgraphile: bigint stored-as types neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation
            PostgreSQL, phrag: stored-as aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations network-scalars simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors types neo4j-api exclude-deprecated-fields neo4j-filters limit-required
            Neo4j: schema bigint stored-as mutation-transactions no-ignore-rbac policies aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations network-scalars simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors default-limit max-nest-level use-aggregation shared-connections default-role jwt-role jwt-claims pg-setting pg-setting-header watch
        "#]],
    );
}

#[test]
fn tokens_decide_where_there_are_policies_or_where_they_are_required() {
    check(
        &["--policies", "policies.toml"],
        &expect![[r#"
            SQLite, postgraphile: schema no-ignore-rbac geometric-types include-extension-resources network-scalars jwt-token-identifier connection-filter-arrays connection-filter-computed-columns connection-filter-setof-functions types neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation shared-connections connect-timeout database-idle-timeout default-role jwt-role jwt-claims pg-setting pg-setting-header
            SQLite, phrag: schema no-ignore-rbac aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations network-scalars simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors types neo4j-api exclude-deprecated-fields neo4j-filters limit-required shared-connections connect-timeout database-idle-timeout default-role jwt-role jwt-claims pg-setting pg-setting-header
            PostgreSQL, postgraphile: bigint stored-as types neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation
            PostgreSQL, phrag: stored-as aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations network-scalars simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors types neo4j-api exclude-deprecated-fields neo4j-filters limit-required
            Neo4j: schema bigint stored-as mutation-transactions no-ignore-rbac aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations network-scalars simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors default-limit max-nest-level use-aggregation shared-connections default-role jwt-role jwt-claims pg-setting pg-setting-header watch
        "#]],
    );
    check(
        &["--require-token"],
        &expect![[r#"
            SQLite, postgraphile: schema no-ignore-rbac geometric-types include-extension-resources network-scalars jwt-token-identifier connection-filter-arrays connection-filter-computed-columns connection-filter-setof-functions types neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation shared-connections connect-timeout database-idle-timeout default-role jwt-role jwt-claims pg-setting pg-setting-header
            SQLite, phrag: schema no-ignore-rbac aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations network-scalars simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors types neo4j-api exclude-deprecated-fields neo4j-filters limit-required shared-connections connect-timeout database-idle-timeout default-role jwt-role jwt-claims pg-setting pg-setting-header
            PostgreSQL, postgraphile: bigint stored-as types neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation
            PostgreSQL, phrag: stored-as aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations network-scalars simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors types neo4j-api exclude-deprecated-fields neo4j-filters limit-required
            Neo4j: schema bigint stored-as mutation-transactions no-ignore-rbac policies aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations network-scalars simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors default-limit max-nest-level use-aggregation shared-connections default-role jwt-role jwt-claims pg-setting pg-setting-header watch
        "#]],
    );
}

#[test]
fn an_option_is_refused_without_the_one_that_it_needs() {
    let serving = |words: &[&str]| {
        let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        serve(&[&["shop.db".to_owned()], &words[..]].concat()).serving
    };
    let check = |words: &[&str], problem: Option<&str>| {
        let found = serving(words).check_needs().err().map(|failure| failure.to_string());
        let expected = problem.map(|problem| format!("{problem}; `--help` lists the options"));
        assert_eq!(found, expected, "{words:?}");
    };
    check(&["--cors-max-age=5m"], Some("`--cors-max-age` needs `--cors-origins`"));
    check(&["--cors-max-age=5m", "--cors-origins=https://a.example"], None);
    check(&["--apq=false", "--apq-cache-size=1MiB"], Some("`--apq-cache-size` needs `--apq true`"));
    check(&["--apq-cache-size=1MiB"], None);
    check(&["--max-batch=3"], Some("`--max-batch` needs `--batching`"));
    check(&["--max-batch=3", "--batching"], None);
    check(&["--metrics-operations=3"], Some("`--metrics-operations` needs `--metrics-listen`"));
    check(&["--metrics-operations=3", "--metrics-listen=127.0.0.1:0"], None);
    check(
        &["--unix-socket-mode=600"],
        Some("`--unix-socket-mode` needs an address `unix:PATH` in `--listen`"),
    );
    check(&["--unix-socket-mode=600", "--listen=unix:/tmp/socket"], None);
    check(
        &["--jwt-secret=s", "--jwt-jwks-max-stale=5m"],
        Some("`--jwt-jwks-max-stale` needs `--jwt-jwks`"),
    );
    check(
        &["--compression=off", "--compression-min-size=5KiB"],
        Some("`--compression-min-size` needs a `--compression` other than `off`"),
    );
    check(&["--compression-min-size=5KiB"], None);
    check(&["--trace-ratio=0.5", "--otlp-endpoint=http://127.0.0.1:4318"], None);
}

#[test]
fn a_flag_that_is_given_as_false_asks_for_nothing() {
    let mut command = crate::configuration::tests_command();
    let words = ["thalweg", "serve", "shop.db", "--no-ignore-rbac=false", "--watch=true"];
    let matches = command.try_get_matches_from_mut(words).expect("the words are right");
    let leaf = command.find_subcommand("serve").expect("there is a command to serve");
    let given = GivenOptions::of(leaf, matches.subcommand_matches("serve").expect("it runs"));
    assert_eq!(given, GivenOptions::from(["watch"]));
}
