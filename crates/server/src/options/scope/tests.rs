//! Every option of `thalweg serve`, `thalweg gateway` and `thalweg explain` over every source and
//! dialect, and over gateways.

use std::cell::RefCell;

use clap::{Arg, Command, CommandFactory, FromArgMatches};
use expect_test::{Expect, expect};

use super::*;
use crate::options::{Arguments, Command as Subcommand, ServeOptions};

/// A name, the words that say the source, and a dialect.
const TARGETS: [(&str, &str, &str); 10] = [
    ("SQLite, postgraphile", "shop.db", "postgraphile"),
    ("SQLite, phrag", "shop.db", "phrag"),
    ("PostgreSQL, postgraphile", "postgres://localhost/shop", "postgraphile"),
    ("PostgreSQL, phrag", "postgres://localhost/shop", "phrag"),
    ("Neo4j", "neo4j://localhost", "neo4j"),
    ("SQLite, dgraph", "schema.graphql --data shop.db", "dgraph"),
    ("PostgreSQL, dgraph", "schema.graphql --data postgres://localhost/shop", "dgraph"),
    ("PostgreSQL, hasura", "postgres://localhost/shop", "hasura"),
    ("SQLite, prisma", "datamodel.prisma --data shop.db", "prisma"),
    ("PostgreSQL, prisma", "postgres://localhost/shop", "prisma"),
];

/// The words that say the source and the dialect.
fn words_of(source: &str, dialect: &str) -> Vec<String> {
    source.split(' ').chain(["--dialect", dialect]).map(str::to_owned).collect()
}

/// The commands whose options have scopes.
const COMMANDS: [&str; 3] = ["serve", "gateway", "explain"];

/// The options of a command that have a long name, but those that clap itself adds.
fn options_of(name: &str) -> Vec<Arg> {
    let command = Arguments::command();
    let named = command.find_subcommand(name).expect("there is the command");
    let all = command.get_arguments().filter(|arg| arg.is_global_set());
    let all = all.chain(named.get_arguments()).filter(|arg| arg.get_long().is_some());
    all.filter(|arg| !matches!(arg.get_id().as_str(), "help" | "version")).cloned().collect()
}

fn options() -> Vec<Arg> {
    options_of("serve")
}

/// A valid value of the option.
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
        "auth-hook-cache" => "1s",
        "service" => "blog/dev",
        "jwt-verify-algorithms" => "HS256",
        "jwt-token-identifier" => "app.token",
        "connection-filter-operator-names" => "equalTo:eq",
        "error-message" => "name=text",
        "pg-setting" => "app.name=value",
        "pg-setting-header" => "X-Name=app.name",
        "jwt-claims-setting" => "app.claims",
        "neo4j-filters" => "String.MATCHES",
        "cors-origins" | "allowed-origins" => "https://app.example",
        "tls-certificate" | "tls-key" | "tls-client-ca" | "log" => "error",
        _ => "1",
    };
    Some(text.to_owned())
}

thread_local! {
    /// The commands, made once: without optimization that takes longer than reading a line. Each option
    /// is checked alone, without the options that it needs.
    static LINE: RefCell<Command> = {
        let mut command = Arguments::command().ignore_errors(true);
        command = command.mut_subcommand("serve", |serve| serve.ignore_errors(true));
        command.build();
        command.into()
    };
}

fn serve(words: &[String]) -> ServeOptions {
    let words = [&["thalweg".to_owned(), "serve".to_owned()], words].concat();
    LINE.with_borrow_mut(|line| {
        let matches = line.try_get_matches_from_mut(&words).expect("errors are ignored");
        let mut arguments = Arguments::from_arg_matches(&matches).expect("the words are right");
        let (name, matches) = matches.subcommand().expect("there is a command");
        let leaf = line.find_subcommand(name).expect("there is the command");
        arguments.command.set_given(&GivenOptions::of(leaf, matches));
        match arguments.command {
            Subcommand::Serve(options) => *options,
            _ => unreachable!("the words say `serve`"),
        }
    })
}

/// The options that are refused for each target.
fn refused(more: &[&str]) -> String {
    let mut lines = String::new();
    let options = options();
    for (name, address, dialect) in TARGETS {
        let mut refused = Vec::new();
        for arg in &options {
            let long = arg.get_long().unwrap_or_default();
            if long == "dialect" || long == "data" || more.contains(&format!("--{long}").as_str()) {
                continue;
            }
            let option = match value(arg) {
                Some(value) => format!("--{long}={value}"),
                None => format!("--{long}"),
            };
            let mut words = words_of(address, dialect);
            words.extend(more.iter().map(|word| (*word).to_owned()));
            words.push(option);
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
    let options: Vec<Arg> = COMMANDS.into_iter().flat_map(options_of).collect();
    for arg in &options {
        let long = arg.get_long().unwrap_or_default();
        let found = SCOPES.iter().filter(|(name, _)| name == long).count();
        assert_eq!(found, 1, "`--{long}` has {found} scopes");
    }
    let is_option = |name: &str| options.iter().any(|arg| arg.get_long() == Some(name));
    for (name, scope) in SCOPES.iter() {
        assert!(is_option(name), "there is no option `--{name}`");
        let is_on_postgres = matches!(scope, Scope::DialectOnPostgres(_));
        assert_eq!(is_on_postgres, ON_POSTGRES.contains(&name.as_str()), "{name}");
    }
    assert!(ON_POSTGRES.into_iter().all(is_option));
}

/// The options that are refused. Each refusal has a remedy.
fn refused_of(options: Vec<Arg>, refusals: impl Fn(&GivenOptions) -> Vec<String>) -> String {
    let mut refused = Vec::new();
    for arg in options {
        let long = arg.get_long().unwrap_or_default();
        for refusal in refusals(&GivenOptions::from([long])) {
            assert!(refusal.starts_with(&format!("`--{long}` ")), "{refusal}");
            assert!(refusal.contains(" needs ") || refusal.contains(": "), "{refusal}");
            refused.push(long.to_owned());
        }
    }
    listed(&refused)
}

fn listed(names: &[impl AsRef<str>]) -> String {
    let names: Vec<_> = names.iter().map(AsRef::as_ref).collect();
    if names.is_empty() { "nothing".into() } else { names.join(" ") }
}

#[test]
fn an_option_is_refused_for_a_gateway_without_such_a_source() {
    let none = LocalSources::default();
    let kinds = [
        ("servers only", none),
        ("SQLite", LocalSources { has_sqlite: true, ..none }),
        ("SQLite with policies", LocalSources { has_sqlite: true, has_policies: true, ..none }),
        ("PostgreSQL", LocalSources { has_postgres: true, ..none }),
        ("Neo4j", LocalSources { has_neo4j: true, ..none }),
        ("all", LocalSources { has_sqlite: true, has_postgres: true, has_neo4j: true, ..none }),
    ];
    let mut lines = String::new();
    for (name, sources) in kinds {
        let refused = refused_of(options_of("gateway"), |given| out_of_gateway(given, sources));
        lines.push_str(&format!("{name}: {refused}\n"));
    }
    let roles = ["role", "claims", "analyze"].map(|name| GivenOptions::from([name]));
    for (name, sources) in kinds {
        let refused = roles.iter().filter(|given| !out_of_gateway(given, sources).is_empty());
        let refused: Vec<_> = refused.flat_map(GivenOptions::iter).collect();
        lines.push_str(&format!("explain, {name}: {}\n", listed(&refused)));
    }
    expect![[r#"
        servers only: connections shared-connections connect-timeout acquire-timeout database-idle-timeout max-pattern-length max-pattern-wildcards uploads max-upload-size max-upload-files max-upload-body-size show-constraints show-database-errors extended-errors error-message cache cache-size cache-directive cache-store cache-store-timeout cache-http live-feed live-relay live-interval default-role jwt-role jwt-claims jwt-claims-setting pg-setting pg-setting-header allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service
        SQLite: shared-connections connect-timeout database-idle-timeout uploads max-upload-size max-upload-files max-upload-body-size cache-store cache-store-timeout live-feed live-relay default-role jwt-role jwt-claims jwt-claims-setting pg-setting pg-setting-header allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service
        SQLite with policies: shared-connections connect-timeout database-idle-timeout uploads max-upload-size max-upload-files max-upload-body-size cache-store cache-store-timeout live-feed live-relay default-role jwt-role jwt-claims jwt-claims-setting pg-setting pg-setting-header allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service
        PostgreSQL: uploads max-upload-size max-upload-files max-upload-body-size allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service
        Neo4j: shared-connections uploads max-upload-size max-upload-files max-upload-body-size cache-store cache-store-timeout live-feed live-relay default-role jwt-role jwt-claims jwt-claims-setting pg-setting pg-setting-header allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service
        all: uploads max-upload-size max-upload-files max-upload-body-size allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service
        explain, servers only: role
        explain, SQLite: role
        explain, SQLite with policies: nothing
        explain, PostgreSQL: nothing
        explain, Neo4j: role
        explain, all: nothing
    "#]].assert_eq(&lines);
}

#[test]
fn an_option_of_explain_is_refused_where_it_means_nothing() {
    let without = |options: Vec<Arg>, others: &[Arg]| -> Vec<Arg> {
        let is_other = |arg: &Arg| others.iter().any(|other| other.get_long() == arg.get_long());
        options.into_iter().filter(|arg| !is_other(arg)).collect()
    };
    let (of_servers, of_gateways) = (options_of("serve"), options_of("gateway"));
    let own = without(without(options_of("explain"), &of_servers), &of_gateways);
    let of_gateways = without(of_gateways, &of_servers);
    let mut lines = String::new();
    for (name, address, dialect) in TARGETS {
        for has_policies in [false, true] {
            let api = serve(&words_of(address, dialect)).api;
            let target = Target {
                source: SourceKind::of(&api.address().expect("the source is right")),
                dialect: api.dialect.expect("there is a dialect"),
                has_policies,
                has_rules: false,
                requires_token: false,
            };
            let refused = refused_of(of_gateways.clone(), |given| out_of_scope(given, target));
            assert_eq!(refused.split(' ').count(), of_gateways.len(), "{refused}");
            let refused = refused_of(own.clone(), |given| out_of_scope(given, target));
            let policies = if has_policies { ", policies" } else { "" };
            lines.push_str(&format!("{name}{policies}: {refused}\n"));
        }
    }
    expect![[r#"
        SQLite, postgraphile: row role claims analyze
        SQLite, postgraphile, policies: analyze
        SQLite, phrag: row role claims analyze
        SQLite, phrag, policies: analyze
        PostgreSQL, postgraphile: row
        PostgreSQL, postgraphile, policies: nothing
        PostgreSQL, phrag: row
        PostgreSQL, phrag, policies: nothing
        Neo4j: row role
        Neo4j, policies: row role
        SQLite, dgraph: row role claims analyze
        SQLite, dgraph, policies: analyze
        PostgreSQL, dgraph: row
        PostgreSQL, dgraph, policies: nothing
        PostgreSQL, hasura: row
        PostgreSQL, hasura, policies: nothing
        SQLite, prisma: row role claims analyze
        SQLite, prisma, policies: analyze
        PostgreSQL, prisma: row
        PostgreSQL, prisma, policies: nothing
    "#]]
    .assert_eq(&lines);
}

#[test]
fn an_option_is_refused_where_it_means_nothing() {
    check(
        &[],
        &expect![[r#"
            SQLite, postgraphile: schema no-ignore-rbac geometric-types include-extension-resources network-scalars jwt-token-identifier simple-subscriptions subscriptions-file subscription-authorization-function connection-filter-arrays connection-filter-computed-columns connection-filter-setof-functions types neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation nested-filters prisma-extensions max-nodes raw-access subscription-webhooks custom-hosts custom-networks custom-ca custom-timeout custom-connections max-custom-requests max-custom-calls max-custom-answer metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types direct-url read-url read-wait read-without-replica read-your-writes shared-connections connect-timeout database-idle-timeout cache-store cache-store-timeout live-feed live-relay default-role jwt-role jwt-claims jwt-claims-setting pg-setting jwt-secret jwt-public-key jwt-jwks jwt-jwks-max-stale jwt-verify-algorithms jwt-verify-audience jwt-verify-issuer jwt-verify-subject jwt-verify-id jwt-verify-clock-tolerance jwt-max-age jwt-require-claims jwt-cookie pg-setting-header allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service events events-concurrency events-interval
            SQLite, phrag: schema no-ignore-rbac preset aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations postgraphile-version network-scalars upload-scalar simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections simple-subscriptions subscriptions-file subscription-authorization-function connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors types neo4j-api exclude-deprecated-fields neo4j-filters limit-required nested-filters prisma-extensions max-nodes raw-access subscription-webhooks custom-hosts custom-networks custom-ca custom-timeout custom-connections max-custom-requests max-custom-calls max-custom-answer metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types direct-url read-url read-wait read-without-replica read-your-writes shared-connections connect-timeout database-idle-timeout cache-store cache-store-timeout live-feed live-relay default-role jwt-role jwt-claims jwt-claims-setting pg-setting jwt-secret jwt-public-key jwt-jwks jwt-jwks-max-stale jwt-verify-algorithms jwt-verify-audience jwt-verify-issuer jwt-verify-subject jwt-verify-id jwt-verify-clock-tolerance jwt-max-age jwt-require-claims jwt-cookie pg-setting-header allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service events events-concurrency events-interval
            PostgreSQL, postgraphile: bigint stored-as durability types neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation nested-filters prisma-extensions max-nodes raw-access subscription-webhooks custom-hosts custom-networks custom-ca custom-timeout custom-connections max-custom-requests max-custom-calls max-custom-answer metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service events events-concurrency events-interval
            PostgreSQL, phrag: stored-as durability preset aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations postgraphile-version network-scalars upload-scalar simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections simple-subscriptions subscriptions-file subscription-authorization-function connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors types neo4j-api exclude-deprecated-fields neo4j-filters limit-required nested-filters prisma-extensions max-nodes raw-access subscription-webhooks custom-hosts custom-networks custom-ca custom-timeout custom-connections max-custom-requests max-custom-calls max-custom-answer metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service events events-concurrency events-interval
            Neo4j: schema bigint stored-as durability mutation-transactions no-ignore-rbac policies preset aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations postgraphile-version network-scalars upload-scalar simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections simple-subscriptions subscriptions-file subscription-authorization-function connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors default-limit max-nest-level use-aggregation apply-migrations nested-filters prisma-extensions max-nodes raw-access subscription-webhooks custom-hosts custom-networks custom-ca custom-timeout custom-connections max-custom-requests max-custom-calls max-custom-answer metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types prisma direct-url read-url read-wait read-without-replica read-your-writes shared-connections uploads max-upload-size max-upload-files max-upload-body-size cache-store cache-store-timeout live-feed live-relay default-role jwt-role jwt-claims jwt-claims-setting pg-setting pg-setting-header allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service watch events events-concurrency events-interval
            SQLite, dgraph: schema mutation-transactions live no-ignore-rbac preset aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations postgraphile-version network-scalars upload-scalar simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections simple-subscriptions subscriptions-file subscription-authorization-function connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors types neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation prisma-extensions max-nodes raw-access subscription-webhooks metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types prisma direct-url read-url read-wait read-without-replica read-your-writes shared-connections connect-timeout database-idle-timeout uploads max-upload-size max-upload-files max-upload-body-size cache-store cache-store-timeout live-feed live-relay default-role jwt-role jwt-claims jwt-claims-setting pg-setting jwt-secret jwt-public-key jwt-jwks jwt-jwks-max-stale jwt-verify-algorithms jwt-verify-audience jwt-verify-issuer jwt-verify-subject jwt-verify-id jwt-verify-clock-tolerance jwt-max-age jwt-require-claims jwt-cookie pg-setting-header allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service events events-concurrency events-interval
            PostgreSQL, dgraph: bigint stored-as durability mutation-transactions live preset aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations postgraphile-version network-scalars upload-scalar simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections simple-subscriptions subscriptions-file subscription-authorization-function connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors types neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation prisma-extensions max-nodes raw-access subscription-webhooks metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types prisma uploads max-upload-size max-upload-files max-upload-body-size allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service events events-concurrency events-interval
            PostgreSQL, hasura: bigint stored-as durability live preset aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations postgraphile-version network-scalars upload-scalar simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections simple-subscriptions subscriptions-file subscription-authorization-function connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors types neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation nested-filters prisma-extensions max-nodes raw-access subscription-webhooks default-role jwt-role jwt-claims jwt-claims-setting require-token jwt-secret jwt-public-key jwt-jwks jwt-jwks-max-stale jwt-verify-algorithms jwt-verify-audience jwt-verify-issuer jwt-verify-subject jwt-verify-id jwt-verify-clock-tolerance jwt-max-age jwt-require-claims jwt-cookie service-secret service
            SQLite, prisma: schema mutation-transactions live no-ignore-rbac preset aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations postgraphile-version network-scalars upload-scalar simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections simple-subscriptions subscriptions-file subscription-authorization-function connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation nested-filters custom-hosts custom-networks custom-ca custom-timeout custom-connections max-custom-requests max-custom-calls max-custom-answer metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types direct-url read-url read-wait read-without-replica read-your-writes shared-connections connect-timeout database-idle-timeout uploads max-upload-size max-upload-files max-upload-body-size cache-store cache-store-timeout live-feed live-relay default-role jwt-role jwt-claims jwt-claims-setting pg-setting jwt-secret jwt-public-key jwt-jwks jwt-jwks-max-stale jwt-verify-algorithms jwt-verify-audience jwt-verify-issuer jwt-verify-subject jwt-verify-id jwt-verify-clock-tolerance jwt-max-age jwt-require-claims jwt-cookie pg-setting-header allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache
            PostgreSQL, prisma: bigint stored-as durability mutation-transactions live preset aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations postgraphile-version network-scalars upload-scalar simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections simple-subscriptions subscriptions-file subscription-authorization-function connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation nested-filters custom-hosts custom-networks custom-ca custom-timeout custom-connections max-custom-requests max-custom-calls max-custom-answer metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types uploads max-upload-size max-upload-files max-upload-body-size allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache
        "#]],
    );
}

#[test]
fn tokens_decide_where_there_are_policies_or_where_they_are_required() {
    check(
        &["--policies", "policies.toml"],
        &expect![[r#"
            SQLite, postgraphile: schema no-ignore-rbac geometric-types include-extension-resources network-scalars jwt-token-identifier simple-subscriptions subscriptions-file subscription-authorization-function connection-filter-arrays connection-filter-computed-columns connection-filter-setof-functions types neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation nested-filters prisma-extensions max-nodes raw-access subscription-webhooks custom-hosts custom-networks custom-ca custom-timeout custom-connections max-custom-requests max-custom-calls max-custom-answer metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types direct-url read-url read-wait read-without-replica read-your-writes shared-connections connect-timeout database-idle-timeout cache-store cache-store-timeout live-feed live-relay default-role jwt-role jwt-claims jwt-claims-setting pg-setting pg-setting-header allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service events events-concurrency events-interval
            SQLite, phrag: schema no-ignore-rbac preset aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations postgraphile-version network-scalars upload-scalar simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections simple-subscriptions subscriptions-file subscription-authorization-function connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors types neo4j-api exclude-deprecated-fields neo4j-filters limit-required nested-filters prisma-extensions max-nodes raw-access subscription-webhooks custom-hosts custom-networks custom-ca custom-timeout custom-connections max-custom-requests max-custom-calls max-custom-answer metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types direct-url read-url read-wait read-without-replica read-your-writes shared-connections connect-timeout database-idle-timeout cache-store cache-store-timeout live-feed live-relay default-role jwt-role jwt-claims jwt-claims-setting pg-setting pg-setting-header allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service events events-concurrency events-interval
            PostgreSQL, postgraphile: bigint stored-as durability types neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation nested-filters prisma-extensions max-nodes raw-access subscription-webhooks custom-hosts custom-networks custom-ca custom-timeout custom-connections max-custom-requests max-custom-calls max-custom-answer metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service events events-concurrency events-interval
            PostgreSQL, phrag: stored-as durability preset aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations postgraphile-version network-scalars upload-scalar simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections simple-subscriptions subscriptions-file subscription-authorization-function connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors types neo4j-api exclude-deprecated-fields neo4j-filters limit-required nested-filters prisma-extensions max-nodes raw-access subscription-webhooks custom-hosts custom-networks custom-ca custom-timeout custom-connections max-custom-requests max-custom-calls max-custom-answer metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service events events-concurrency events-interval
            Neo4j: schema bigint stored-as durability mutation-transactions no-ignore-rbac preset aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations postgraphile-version network-scalars upload-scalar simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections simple-subscriptions subscriptions-file subscription-authorization-function connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors default-limit max-nest-level use-aggregation apply-migrations nested-filters prisma-extensions max-nodes raw-access subscription-webhooks custom-hosts custom-networks custom-ca custom-timeout custom-connections max-custom-requests max-custom-calls max-custom-answer metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types prisma direct-url read-url read-wait read-without-replica read-your-writes shared-connections uploads max-upload-size max-upload-files max-upload-body-size cache-store cache-store-timeout live-feed live-relay default-role jwt-role jwt-claims jwt-claims-setting pg-setting pg-setting-header allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service watch events events-concurrency events-interval
            SQLite, dgraph: schema mutation-transactions live no-ignore-rbac preset aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations postgraphile-version network-scalars upload-scalar simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections simple-subscriptions subscriptions-file subscription-authorization-function connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors types neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation prisma-extensions max-nodes raw-access subscription-webhooks metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types prisma direct-url read-url read-wait read-without-replica read-your-writes shared-connections connect-timeout database-idle-timeout uploads max-upload-size max-upload-files max-upload-body-size cache-store cache-store-timeout live-feed live-relay default-role jwt-role jwt-claims jwt-claims-setting pg-setting pg-setting-header allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service events events-concurrency events-interval
            PostgreSQL, dgraph: bigint stored-as durability mutation-transactions live preset aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations postgraphile-version network-scalars upload-scalar simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections simple-subscriptions subscriptions-file subscription-authorization-function connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors types neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation prisma-extensions max-nodes raw-access subscription-webhooks metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types prisma uploads max-upload-size max-upload-files max-upload-body-size allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service events events-concurrency events-interval
            PostgreSQL, hasura: bigint stored-as durability live preset aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations postgraphile-version network-scalars upload-scalar simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections simple-subscriptions subscriptions-file subscription-authorization-function connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors types neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation nested-filters prisma-extensions max-nodes raw-access subscription-webhooks default-role jwt-role jwt-claims jwt-claims-setting require-token jwt-secret jwt-public-key jwt-jwks jwt-jwks-max-stale jwt-verify-algorithms jwt-verify-audience jwt-verify-issuer jwt-verify-subject jwt-verify-id jwt-verify-clock-tolerance jwt-max-age jwt-require-claims jwt-cookie service-secret service
            SQLite, prisma: schema mutation-transactions live no-ignore-rbac preset aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations postgraphile-version network-scalars upload-scalar simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections simple-subscriptions subscriptions-file subscription-authorization-function connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation nested-filters custom-hosts custom-networks custom-ca custom-timeout custom-connections max-custom-requests max-custom-calls max-custom-answer metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types direct-url read-url read-wait read-without-replica read-your-writes shared-connections connect-timeout database-idle-timeout uploads max-upload-size max-upload-files max-upload-body-size cache-store cache-store-timeout live-feed live-relay default-role jwt-role jwt-claims jwt-claims-setting pg-setting pg-setting-header allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache
            PostgreSQL, prisma: bigint stored-as durability mutation-transactions live preset aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations postgraphile-version network-scalars upload-scalar simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections simple-subscriptions subscriptions-file subscription-authorization-function connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation nested-filters custom-hosts custom-networks custom-ca custom-timeout custom-connections max-custom-requests max-custom-calls max-custom-answer metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types uploads max-upload-size max-upload-files max-upload-body-size allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache
        "#]],
    );
    check(
        &["--require-token"],
        &expect![[r#"
            SQLite, postgraphile: schema no-ignore-rbac geometric-types include-extension-resources network-scalars jwt-token-identifier simple-subscriptions subscriptions-file subscription-authorization-function connection-filter-arrays connection-filter-computed-columns connection-filter-setof-functions types neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation nested-filters prisma-extensions max-nodes raw-access subscription-webhooks custom-hosts custom-networks custom-ca custom-timeout custom-connections max-custom-requests max-custom-calls max-custom-answer metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types direct-url read-url read-wait read-without-replica read-your-writes shared-connections connect-timeout database-idle-timeout cache-store cache-store-timeout live-feed live-relay default-role jwt-role jwt-claims jwt-claims-setting pg-setting pg-setting-header allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service events events-concurrency events-interval
            SQLite, phrag: schema no-ignore-rbac preset aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations postgraphile-version network-scalars upload-scalar simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections simple-subscriptions subscriptions-file subscription-authorization-function connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors types neo4j-api exclude-deprecated-fields neo4j-filters limit-required nested-filters prisma-extensions max-nodes raw-access subscription-webhooks custom-hosts custom-networks custom-ca custom-timeout custom-connections max-custom-requests max-custom-calls max-custom-answer metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types direct-url read-url read-wait read-without-replica read-your-writes shared-connections connect-timeout database-idle-timeout cache-store cache-store-timeout live-feed live-relay default-role jwt-role jwt-claims jwt-claims-setting pg-setting pg-setting-header allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service events events-concurrency events-interval
            PostgreSQL, postgraphile: bigint stored-as durability types neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation nested-filters prisma-extensions max-nodes raw-access subscription-webhooks custom-hosts custom-networks custom-ca custom-timeout custom-connections max-custom-requests max-custom-calls max-custom-answer metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service events events-concurrency events-interval
            PostgreSQL, phrag: stored-as durability preset aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations postgraphile-version network-scalars upload-scalar simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections simple-subscriptions subscriptions-file subscription-authorization-function connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors types neo4j-api exclude-deprecated-fields neo4j-filters limit-required nested-filters prisma-extensions max-nodes raw-access subscription-webhooks custom-hosts custom-networks custom-ca custom-timeout custom-connections max-custom-requests max-custom-calls max-custom-answer metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service events events-concurrency events-interval
            Neo4j: schema bigint stored-as durability mutation-transactions no-ignore-rbac policies preset aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations postgraphile-version network-scalars upload-scalar simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections simple-subscriptions subscriptions-file subscription-authorization-function connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors default-limit max-nest-level use-aggregation apply-migrations nested-filters prisma-extensions max-nodes raw-access subscription-webhooks custom-hosts custom-networks custom-ca custom-timeout custom-connections max-custom-requests max-custom-calls max-custom-answer metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types prisma direct-url read-url read-wait read-without-replica read-your-writes shared-connections uploads max-upload-size max-upload-files max-upload-body-size cache-store cache-store-timeout live-feed live-relay default-role jwt-role jwt-claims jwt-claims-setting pg-setting pg-setting-header allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service watch events events-concurrency events-interval
            SQLite, dgraph: schema mutation-transactions live no-ignore-rbac preset aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations postgraphile-version network-scalars upload-scalar simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections simple-subscriptions subscriptions-file subscription-authorization-function connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors types neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation prisma-extensions max-nodes raw-access subscription-webhooks metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types prisma direct-url read-url read-wait read-without-replica read-your-writes shared-connections connect-timeout database-idle-timeout uploads max-upload-size max-upload-files max-upload-body-size cache-store cache-store-timeout live-feed live-relay default-role jwt-role jwt-claims jwt-claims-setting pg-setting pg-setting-header allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service events events-concurrency events-interval
            PostgreSQL, dgraph: bigint stored-as durability mutation-transactions live preset aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations postgraphile-version network-scalars upload-scalar simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections simple-subscriptions subscriptions-file subscription-authorization-function connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors types neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation prisma-extensions max-nodes raw-access subscription-webhooks metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types prisma uploads max-upload-size max-upload-files max-upload-body-size allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache service-secret service events events-concurrency events-interval
            PostgreSQL, hasura: bigint stored-as durability live preset aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations postgraphile-version network-scalars upload-scalar simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections simple-subscriptions subscriptions-file subscription-authorization-function connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors types neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation nested-filters prisma-extensions max-nodes raw-access subscription-webhooks default-role jwt-role jwt-claims jwt-claims-setting jwt-secret jwt-public-key jwt-jwks jwt-jwks-max-stale jwt-verify-algorithms jwt-verify-audience jwt-verify-issuer jwt-verify-subject jwt-verify-id jwt-verify-clock-tolerance jwt-max-age jwt-require-claims jwt-cookie service-secret service
            SQLite, prisma: schema mutation-transactions live no-ignore-rbac preset aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations postgraphile-version network-scalars upload-scalar simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections simple-subscriptions subscriptions-file subscription-authorization-function connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation nested-filters custom-hosts custom-networks custom-ca custom-timeout custom-connections max-custom-requests max-custom-calls max-custom-answer metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types direct-url read-url read-wait read-without-replica read-your-writes shared-connections connect-timeout database-idle-timeout uploads max-upload-size max-upload-files max-upload-body-size cache-store cache-store-timeout live-feed live-relay default-role jwt-role jwt-claims jwt-claims-setting pg-setting pg-setting-header allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache
            PostgreSQL, prisma: bigint stored-as durability mutation-transactions live preset aggregates bulk-mutations max-bulk-rows classic-ids disable-default-mutations dynamic-json geometric-types include-extension-resources legacy-relations no-ignore-indexes no-node-ids no-setof-functions-contain-nulls disable-aggregates-by-default many-to-many nested-mutations postgraphile-version network-scalars upload-scalar simplified-names no-short-pk no-simplify-all-rows no-simplify-multikey-relations omit-list-suffix jwt-token-identifier tags-file upsert-mutations view-unique-key simple-collections simple-subscriptions subscriptions-file subscription-authorization-function connection-filter connection-filter-allow-empty-object-input connection-filter-allow-null-input connection-filter-allowed-field-types connection-filter-allowed-operators connection-filter-arrays connection-filter-computed-columns connection-filter-logical-operators connection-filter-operator-names connection-filter-relations connection-filter-setof-functions connection-filter-use-list-inflectors neo4j-api exclude-deprecated-fields neo4j-filters limit-required default-limit max-nest-level use-aggregation nested-filters custom-hosts custom-networks custom-ca custom-timeout custom-connections max-custom-requests max-custom-calls max-custom-answer metadata metadata-source further-source inconsistent-metadata infer-function-permissions remote-schema-permissions naming-convention stringify-numeric-types uploads max-upload-size max-upload-files max-upload-body-size allow-list admin-secret jwt-config unauthorized-role auth-hook auth-hook-mode auth-hook-request-body auth-hook-timeout auth-hook-cache
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
        let expected = problem.map(|problem| format!("{problem}; `--help-all` lists the options"));
        assert_eq!(found, expected, "{words:?}");
    };
    check(&["--cors-max-age=5m"], Some("`--cors-max-age` needs `--cors-origins`"));
    check(&["--cors-max-age=5m", "--cors-origins=https://a.example"], None);
    check(&["--apq=false", "--apq-cache-size=1MiB"], Some("`--apq-cache-size` needs `--apq true`"));
    check(&["--apq-cache-size=1MiB"], None);
    check(&["--max-batch=3"], Some("`--max-batch` needs `--batching`"));
    check(&["--max-batch=3", "--batching"], None);
    check(
        &["--metrics-operations=3"],
        Some("`--metrics-operations` needs `--metrics-listen`, or metrics in `--otlp-signals`"),
    );
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
    let collector = "--otlp-endpoint=http://127.0.0.1:4318";
    check(&["--trace-ratio=0.5", collector], None);
    check(
        &["--trace-ratio=0.5", collector, "--otlp-signals=metrics,logs"],
        Some("`--trace-ratio` needs `--otlp-endpoint`, and traces in `--otlp-signals`"),
    );
    check(&["--metrics-operations=3", collector, "--otlp-signals=metrics"], None);
    check(
        &["--otlp-metrics-interval=5s", collector],
        Some("`--otlp-metrics-interval` needs `--otlp-endpoint`, and metrics in `--otlp-signals`"),
    );
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
