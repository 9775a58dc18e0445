//! Directives: which there are in a version, where they may stand, what they may say, and which of
//! them are served.
//!
//! To serve one of those that are [`Service::NotYet`] its line in the table becomes
//! [`Service::Served`], and who reads the types or fields asks for it.

mod arguments;
mod combinations;
mod elsewhere;
mod spec;
mod v3;
mod v7;

use graphql::definitions::Directive;

use super::problem::{At, Problems};
use crate::model::ApiVersion;
pub(super) use arguments::Arguments;
pub(super) use spec::{Known, Place, UPDATE};
use spec::{Service, Spec};

/// The directives of one place that are served, each checked.
#[derive(Clone, Debug, Default)]
pub(super) struct Said<'d>(Vec<(Known, &'d Directive)>);

impl<'d> Said<'d> {
    pub(super) fn has(&self, known: Known) -> bool {
        self.find(known).is_some()
    }

    pub(super) fn find(&self, known: Known) -> Option<Arguments<'d>> {
        let mut all = self.0.iter();
        all.find(|(one, _)| *one == known).map(|(_, directive)| Arguments::new(directive))
    }
}

/// Reports what is wrong with the directives of a place, and those that are not served.
pub(super) fn check<'d>(
    version: ApiVersion,
    place: Place,
    at: At<'_>,
    directives: &[&'d Directive],
    problems: &mut Problems,
) -> Said<'d> {
    let mut said = Said::default();
    let mut all = Vec::new();
    for &directive in directives {
        let at = at.on_line(directive.line);
        let Some(spec) = find(version, &directive.name) else {
            problems.wrong(at, elsewhere::unknown(version, &directive.name));
            continue;
        };
        if !spec.places.contains(&place) {
            let places: Vec<&str> = spec.places.iter().map(|place| place.name()).collect();
            let message = format!(
                "`@{}` belongs to {}, not to {}",
                spec.name,
                places.join(" or "),
                place.name()
            );
            problems.wrong(at, message);
            continue;
        }
        all.push((spec.directive, directive));
        let is_right = arguments::check(spec, at, directive, problems);
        let subject = format!("`@{}`", spec.name);
        match spec.service {
            Service::Served if !is_right => {}
            Service::Served => said.0.push((spec.directive, directive)),
            Service::NotYet(why) => problems.not_served(at, subject, why),
            Service::JavaScript(instead) => problems.needs_javascript(at, subject, instead),
        }
    }
    combinations::check(version, place, at, &all, problems);
    said
}

fn find(version: ApiVersion, name: &str) -> Option<&'static Spec> {
    let table = match version {
        ApiVersion::V3 => v3::DIRECTIVES,
        ApiVersion::V7 => v7::DIRECTIVES,
    };
    table.iter().find(|spec| spec.name == name)
}

/// Whether a directive is one of a federated graph.
pub(super) fn is_of_federation(version: ApiVersion, name: &str) -> bool {
    find(version, name).is_some_and(|spec| spec.directive == Known::Federation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_directive_stands_somewhere_and_no_name_is_there_twice() {
        for table in [v3::DIRECTIVES, v7::DIRECTIVES] {
            for (place, spec) in table.iter().enumerate() {
                assert!(!spec.places.is_empty(), "{}", spec.name);
                let twice = table.iter().skip(place + 1).find(|other| other.name == spec.name);
                assert!(twice.is_none(), "{}", spec.name);
            }
        }
    }

    #[test]
    fn a_directive_that_is_another_forms_has_a_hint() {
        for (mine, others, version) in [
            (v3::DIRECTIVES, v7::DIRECTIVES, ApiVersion::V3),
            (v7::DIRECTIVES, v3::DIRECTIVES, ApiVersion::V7),
        ] {
            for spec in others {
                if !mine.iter().any(|one| one.name == spec.name) {
                    let said = elsewhere::unknown(version, spec.name);
                    assert!(said.contains("in form "), "{version:?} {}: {said}", spec.name);
                }
            }
        }
    }
}
