//! Rules of `@link`: addresses, versions, names and imports.
//! <https://specs.apollo.dev/link/v1.0/>

use graphql::definitions::{DirectiveArgument, Literal};

use super::Report;
use crate::composition::Code;
use crate::composition::links::Feature;
use crate::composition::schema::{Applied, At, all};
use crate::composition::specifications::{
    FEDERATION, FEDERATION_1, FEDERATION_TYPES, Meaning, NEWEST_FEDERATION, OTHERS, SPECIFICATIONS,
    Version,
};

const USAGE: Code = Code::InvalidLinkDirectiveUsage;

pub(super) fn check(report: &mut Report<'_>) {
    let subgraph = report.subgraph;
    for link in all(&subgraph.applied, Meaning::Link) {
        check_url(report, link);
        if let Some(imports) = find_argument(link, "import") {
            check_imports(report, imports, link.at());
        }
    }
    let features = &subgraph.links.features;
    // A schema with one of these links is of Federation 2, or wants to be.
    let is_linking =
        features.iter().any(|one| matches!(own_name(one), Some("federation" | "link")));
    for (index, feature) in features.iter().enumerate() {
        if let Some(name @ ("tag" | "inaccessible")) = own_name(feature).filter(|_| is_linking) {
            let message = format!("`@{name}` is linked by a specification of its own.");
            let remedy = format!("Import `@{name}` by the link of Federation.");
            report.add(USAGE, "@link", feature.at, &message, &remedy);
        }
        check_version(report, feature);
        check_name(report, feature, &features[..index]);
        check_imported(report, feature, &features[..index]);
        check_purpose(report, feature);
    }
}

fn find_argument<'l>(link: &'l Applied, name: &str) -> Option<&'l DirectiveArgument> {
    link.directive.arguments.iter().find(|argument| &*argument.name == name)
}

/// The URL ends with a version.
fn check_url(report: &mut Report<'_>, link: &Applied) {
    let Some(url) = link.text("url") else {
        let message = "a `@link` has no URL.";
        let remedy = "Add `url: \"https://…/NAME/v1.0\"`, the address of the specification.";
        return report.add(USAGE, "@link", link.at(), message, remedy);
    };
    let address = url.split_once("://").map(|(_, rest)| rest.trim_end_matches('/'));
    let problem = match address.map(|rest| rest.rsplit_once('/')) {
        None => "is no URL",
        Some(None) => "has no version",
        Some(Some((rest, last))) => match Version::parse(last) {
            Some(_) if !rest.contains('/') => "has no name of a specification",
            Some(_) => return,
            None => "does not end with a version of the form `v1.2`",
        },
    };
    let message = format!("the address `{url}` of a `@link` {problem}.");
    let remedy = "Write the address as `https://example.com/NAME/v1.0`.";
    report.add(Code::InvalidLinkIdentifier, "@link", link.at(), &message, remedy);
}

/// The specifications whose versions are known.
fn check_version(report: &mut Report<'_>, feature: &Feature) {
    let Some(version) = feature.version else { return };
    let (code, known) = match own_name(feature) {
        Some("federation") => {
            let is_known = version.major == 2 && version <= NEWEST_FEDERATION;
            (Code::UnknownFederationLinkVersion, is_known)
        }
        Some("link") => (Code::UnknownLinkVersion, version == FEDERATION_1),
        _ => return,
    };
    if !known {
        let message = format!("the version {version} of `{}` is unknown.", feature.name);
        let newest = match code {
            Code::UnknownLinkVersion => FEDERATION_1,
            _ => NEWEST_FEDERATION,
        };
        let remedy = format!("Link a version up to {newest}.");
        report.add(code, "@link", feature.at, &message, &remedy);
    }
}

/// Returns the name of a specification of Federation's authors.
fn own_name(feature: &Feature) -> Option<&str> {
    feature.identity.strip_prefix(SPECIFICATIONS)?.strip_prefix('/')
}

/// Two features have different addresses and names.
fn check_name(report: &mut Report<'_>, feature: &Feature, former: &[Feature]) {
    let Feature { identity, called, at, .. } = feature;
    if let Some(other) = former.iter().find(|other| other.identity == *identity) {
        let message = format!("`{identity}` is linked twice.");
        report.add(USAGE, "@link", *at, &message, "Unite both links, with the imports of both.");
        return report.also_at(other.at);
    }
    if let Some(other) = former.iter().find(|other| other.called == *called) {
        let message =
            format!("`{identity}` and `{}` are both linked as `{called}`.", other.identity);
        report.add(USAGE, "@link", *at, &message, "Give one of them another name: `as: \"NAME\"`.");
        report.also_at(other.at);
    }
    // A link without a name is a finding of its address.
    let has_name = identity.split_once("://").is_some_and(|(_, rest)| rest.contains('/'));
    if let Some(problem) = name_problem(called).filter(|_| has_name) {
        let message = format!("`{identity}` is linked as `{called}`, {problem}.");
        report.add(USAGE, "@link", *at, &message, "Give it another name: `as: \"NAME\"`.");
    }
}

/// Names of directives begin with the name of their specification and two underscores.
fn name_problem(name: &str) -> Option<&'static str> {
    // Hyphens and dots are allowed: names of imported elements do not contain them.
    let is_part = |c: char| matches!(c, '_' | '-' | '.') || c.is_ascii_alphanumeric();
    match name {
        _ if name.contains("__") => Some("which has two underscores in a row"),
        _ if name.ends_with('_') => Some("which ends with an underscore"),
        _ if name.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic())
            && name.chars().all(is_part) =>
        {
            None
        }
        _ => Some("which is no name of GraphQL"),
    }
}

/// The imports have the form of names, or of objects with a `name` and an `as`.
fn check_imports(report: &mut Report<'_>, imports: &DirectiveArgument, at: At) {
    let items = match &imports.value {
        Literal::List(items) => items.as_slice(),
        Literal::Null => &[],
        single => std::slice::from_ref(single),
    };
    for item in items {
        if let Some(problem) = import_problem(item) {
            let message = format!("an import of `@link` {problem}.");
            let remedy = "Write imports as `\"@name\"` or `{ name: \"@name\", as: \"@other\" }`.";
            report.add(USAGE, "@link", at, &message, remedy);
        }
    }
}

fn import_problem(item: &Literal) -> Option<String> {
    let members = match item {
        Literal::String(_) => return None,
        Literal::Object(members) => members,
        _ => return Some("is neither a name nor an object".to_owned()),
    };
    let mut names = [None, None];
    for (key, value) in members {
        let location = match &**key {
            "name" => &mut names[0],
            "as" => &mut names[1],
            _ => return Some(format!("has a field `{key}`")),
        };
        match value {
            Literal::String(text) => *location = Some(text),
            _ => return Some(format!("has a field `{key}` that is no string")),
        }
    }
    match names {
        [None, _] => Some("has no `name`".to_owned()),
        [Some(name), Some(called)] if name.starts_with('@') != called.starts_with('@') => Some(
            format!("renames `{name}` to `{called}`, but only names of directives begin with `@`"),
        ),
        [Some(_), _] => None,
    }
}

/// Imported elements exist in their specification, and have names of their own.
fn check_imported(report: &mut Report<'_>, feature: &Feature, former: &[Feature]) {
    let links = &report.subgraph.links;
    let is_federation = own_name(feature) == Some("federation")
        && feature
            .version
            .is_some_and(|version| version.major == 2 && version <= NEWEST_FEDERATION);
    for (index, import) in feature.imports.iter().enumerate() {
        if is_federation && !exists(&import.name, links.federation) {
            let message = format!(
                "`{}` is imported, which Federation {} does not have.",
                import.name, links.federation
            );
            let remedy = remedy_of_unknown(&import.name);
            report.add(USAGE, &import.name, feature.at, &message, &remedy);
        }
        let same = |other: &&crate::composition::links::Import| other.called == import.called;
        let own = feature.imports[..index].iter().find(same);
        let other = former.iter().find_map(|other| other.imports.iter().find(same));
        if own.or(other).is_some_and(|other| own.is_none() || other.name != import.name) {
            let message = format!("two imported elements are called `{}`.", import.called);
            let remedy = "Rename one of them: `{ name: \"@name\", as: \"@other\" }`.";
            report.add(USAGE, &import.called, feature.at, &message, remedy);
        }
    }
}

/// Whether a version of Federation has a directive or type.
fn exists(name: &str, version: Version) -> bool {
    match name.strip_prefix('@') {
        Some("link") => true,
        Some(directive) => {
            FEDERATION.iter().any(|(known, _, since)| *known == directive && *since <= version)
        }
        None => FEDERATION_TYPES.contains(&name),
    }
}

fn remedy_of_unknown(name: &str) -> String {
    let directive = name.strip_prefix('@').unwrap_or(name);
    match FEDERATION.iter().find(|(known, ..)| *known == directive) {
        Some(_) if !name.starts_with('@') => format!("Write `\"@{name}\"`."),
        Some((.., since)) => format!("Link Federation {since} or newer."),
        None => "Remove the import, or correct its name.".to_owned(),
    }
}

/// A specification that is needed for security is one that a gateway enforces.
fn check_purpose(report: &mut Report<'_>, feature: &Feature) {
    if let Some(purpose) = feature.purpose.as_deref()
        && !matches!(purpose, "SECURITY" | "EXECUTION")
    {
        let message = format!("the purpose `{purpose}` of a `@link` is unknown.");
        report.invalid("@link", feature.at, &message, "Write `SECURITY` or `EXECUTION`.");
    }
    let is_known = own_name(feature).is_some_and(|name| {
        matches!(name, "federation" | "join" | "core") || OTHERS.iter().any(|(own, _)| *own == name)
    });
    if feature.purpose.as_deref() == Some("SECURITY") && !is_known {
        let message = format!(
            "`{}` is linked for security, but gateways do not enforce it.",
            feature.identity
        );
        let remedy = "Remove `for: SECURITY`, if the subgraph enforces it by itself.";
        report.add(Code::UnsupportedLinkedFeature, "@link", feature.at, &message, remedy);
    }
}
