//! The files of the console: ES modules and a style sheet, which browsers read as they are.

use crate::http::page_file::{Content, File, SCRIPT, STYLE};

macro_rules! files {
    ($($name:literal $kind:ident),* $(,)?) => {
        pub(in crate::http) const FILES: &[File] = &[$(File {
            path: concat!("/console/", $name),
            content_type: $kind,
            content: Content::Own(include_str!(concat!("../../../console/", $name))),
        }),*];
    };
}

files! {
    "console.css" STYLE,
    "main.js" SCRIPT,
    "api.js" SCRIPT,
    "elements.js" SCRIPT,
    "headers.js" SCRIPT,
    "schema.js" SCRIPT,
    "diagram.js" SCRIPT,
    "layout.js" SCRIPT,
    "data.js" SCRIPT,
    "row-form.js" SCRIPT,
    "operations.js" SCRIPT,
    "operation-parts.js" SCRIPT,
    "operations-prisma.js" SCRIPT,
    "operations-dgraph.js" SCRIPT,
    "operations-neo4j.js" SCRIPT,
    "checks.js" SCRIPT,
    "metrics.js" SCRIPT,
    "openmetrics.js" SCRIPT,
    "running.js" SCRIPT,
    "plans.js" SCRIPT,
    "roles.js" SCRIPT,
    "supergraph.js" SCRIPT,
    "values.js" SCRIPT,
}
