//! Clients and commands of Prisma 1 from npm, with the secret of a service.

use std::ffi::OsStr;
use std::path::Path;

use testkit::script::{Packages, run_with};

use super::{DATAMODEL, Service};
use crate::program::{Folder, outcome, run};

const SECRET: &str = "a secret of more than thirty-two bytes";

#[test]
fn clients_of_prisma_read_and_change_rows() {
    let folder = Folder::new();
    let [datamodel, data, schema] =
        ["datamodel.prisma", "shop.db", "schema.graphql"].map(|name| folder.file(name));
    std::fs::write(&datamodel, DATAMODEL).unwrap();
    let words = ["schema", datamodel.to_str().unwrap(), "--data", data.to_str().unwrap()];
    let (code, text, error) = outcome(&run(&words));
    assert_eq!(code, Some(0), "{error}");
    std::fs::write(&schema, text).unwrap();
    let service = Service::start(&["--service", "blog/dev", "--service-secret", SECRET]);
    let endpoint = format!("http://{}/blog/dev", service.server.address);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/prisma/clients/prisma.mjs");
    let arguments = [OsStr::new(&endpoint), OsStr::new(SECRET), schema.as_os_str()];
    let printed = run_with(Packages::PrismaClients, &script, &arguments);
    let Some(printed) = printed.unwrap_or_else(|error| panic!("{error}")) else { return };
    let clients = ["prisma-client-lib", "prisma-binding", "nexus-prisma"];
    // The link of prisma-binding prints errors, too.
    let named: Vec<_> = printed.lines().filter(|line| !line.starts_with('[')).collect();
    assert_eq!(named, clients, "{printed}");
}

#[test]
fn commands_of_prisma_find_the_service() {
    let folder = Folder::new();
    std::fs::write(folder.file("datamodel.prisma"), DATAMODEL).unwrap();
    // The commands keep a secret without white space.
    let secret: String = SECRET.split_whitespace().collect();
    let service = Service::start(&[
        "--service",
        "blog/dev",
        "--service-secret",
        &secret,
        "--introspection",
        "on",
    ]);
    let endpoint = format!("http://{}/blog/dev", service.server.address);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/prisma/commands/commands.mjs");
    let home = folder.file("");
    let arguments = [home.as_os_str(), OsStr::new(&endpoint), OsStr::new(&secret)];
    let printed = run_with(Packages::PrismaCommands, &script, &arguments);
    let Some(printed) = printed.unwrap_or_else(|error| panic!("{error}")) else { return };
    let commands = [
        "token",
        "info",
        "list",
        "deploy",
        "seed",
        "export",
        "reset",
        "import",
        "generate",
        "delete",
        "get-schema",
    ];
    assert_eq!(printed.lines().collect::<Vec<_>>(), commands, "{printed}");
}
