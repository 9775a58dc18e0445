//! Applied directives: defined, at an allowed location, once unless repeatable, with valid arguments.
//! <https://spec.graphql.org/draft/#sec-Type-System.Directives>

use graphql::definitions::{DirectiveArgument, DirectiveDefinition, InputDefinition};
use graphql::similar_names;
use rustc_hash::FxHashSet;

use super::specified::Specified;
use super::{Reference, Report, literals};
use crate::composition::schema::{Applied, Kind};
use crate::composition::specifications::{FEDERATION, FEDERATION_1, Meaning};

pub(super) fn check(report: &mut Report<'_>, specified: &Specified) {
    let subgraph = report.subgraph;
    let mut checker = Checker { report, specified };
    checker.check("schema", "SCHEMA", &subgraph.applied);
    for r#type in &subgraph.types {
        let name = &*r#type.name;
        let location = match &r#type.kind {
            Kind::Scalar => "SCALAR",
            Kind::Object(_) => "OBJECT",
            Kind::Interface(_) => "INTERFACE",
            Kind::Union(_) => "UNION",
            Kind::Enum(_) => "ENUM",
            Kind::Input(_) => "INPUT_OBJECT",
        };
        checker.check(name, location, &r#type.applied);
        for field in r#type.fields() {
            let coordinate = [name, ".", &field.name].concat();
            checker.check(&coordinate, "FIELD_DEFINITION", &field.applied);
            for argument in &field.arguments {
                let coordinate = format!("{coordinate}({}:)", argument.name);
                checker.check(&coordinate, "ARGUMENT_DEFINITION", &argument.applied);
            }
        }
        match &r#type.kind {
            Kind::Enum(values) => {
                for value in values {
                    let coordinate = [name, ".", &value.name].concat();
                    checker.check(&coordinate, "ENUM_VALUE", &value.applied);
                }
            }
            Kind::Input(inputs) => {
                for input in inputs {
                    let coordinate = [name, ".", &input.name].concat();
                    checker.check(&coordinate, "INPUT_FIELD_DEFINITION", &input.applied);
                }
            }
            Kind::Scalar | Kind::Object(_) | Kind::Interface(_) | Kind::Union(_) => {}
        }
    }
    for directive in &subgraph.directives {
        for argument in &directive.arguments {
            let coordinate = format!("@{}({}:)", directive.name, argument.name);
            let directives = argument.directives.iter().map(|directive| Applied {
                meaning: subgraph.links.meaning(&directive.name),
                directive: directive.clone(),
                is_in_extension: false,
            });
            let directives: Vec<_> = directives.collect();
            checker.check(&coordinate, "ARGUMENT_DEFINITION", &directives);
        }
    }
}

struct Checker<'c, 's> {
    report: &'c mut Report<'s>,
    specified: &'c Specified,
}

impl Checker<'_, '_> {
    /// Checks the directives of one element.
    fn check(&mut self, coordinate: &str, location: &str, all: &[Applied]) {
        let mut names = FxHashSet::default();
        let subgraph = self.report.subgraph;
        for applied in all {
            let name = &applied.directive.name;
            let is_new = names.insert(name);
            let definition = match applied.meaning {
                // Their rules are in `connectors`.
                Meaning::Connect | Meaning::Source => continue,
                Meaning::Custom => subgraph.directives.iter().find(|known| known.name == *name),
                meaning => match self.specified.get(&meaning) {
                    Some(definition) => Some(definition),
                    // The definition of the schema is invalid.
                    None => continue,
                },
            };
            let Some(definition) = definition else {
                self.unknown(coordinate, applied);
                continue;
            };
            if !definition.locations.contains(&location) {
                let allowed = definition.locations.join(", ");
                let message = format!(
                    "`@{name}` is applied to `{coordinate}`, but not allowed on {location}."
                );
                let remedy = format!("Remove it; its locations are {allowed}.");
                self.report.invalid(coordinate, applied.at(), &message, &remedy);
            }
            if !is_new && !definition.is_repeatable {
                let message = format!("`@{name}` is applied to `{coordinate}` several times.");
                let remedy = "Remove all but one: the directive is not repeatable.";
                self.report.invalid(coordinate, applied.at(), &message, remedy);
            }
            self.check_arguments(coordinate, applied, definition);
        }
    }

    fn unknown(&mut self, coordinate: &str, applied: &Applied) {
        let name = &applied.directive.name;
        let message =
            format!("`@{name}` is applied to `{coordinate}`, but neither defined nor imported.");
        let links = &self.report.subgraph.links;
        let of_federation = FEDERATION.iter().find(|(known, ..)| **known == **name);
        let remedy = match of_federation {
            Some((.., since)) if links.federation == FEDERATION_1 => format!(
                "Link Federation 2: `extend schema @link(url: \
                 \"https://specs.apollo.dev/federation/{since}\", import: [\"@{name}\"])`."
            ),
            Some((.., since)) if links.federation < *since => {
                format!("Link Federation {since} or newer, and import `@{name}`.")
            }
            Some(_) => format!("Add \"@{name}\" to the imports of Federation's link."),
            None => {
                let subgraph = self.report.subgraph;
                let custom = subgraph.directives.iter().map(|known| &*known.name);
                let known = FEDERATION.iter().map(|(known, ..)| *known).chain(custom);
                match similar_names(name, known).first() {
                    Some(similar) => format!("Is `@{similar}` meant? Otherwise define `@{name}`."),
                    None => format!("Define it: `directive @{name} on …`."),
                }
            }
        };
        self.report.invalid(coordinate, applied.at(), &message, &remedy);
    }

    fn check_arguments(
        &mut self,
        coordinate: &str,
        applied: &Applied,
        definition: &DirectiveDefinition,
    ) {
        let (directive, at) = (&applied.directive, applied.at());
        for (index, argument) in directive.arguments.iter().enumerate() {
            let name = &argument.name;
            let known = definition.arguments.iter().find(|known| known.name == *name);
            let problem = match known {
                None => "does not exist".to_owned(),
                Some(_) if directive.arguments[..index].iter().any(|one| one.name == *name) => {
                    "is given twice".to_owned()
                }
                Some(known) if !self.fits(applied.meaning, argument, known) => {
                    format!("is no value of its type `{}`", known.r#type)
                }
                Some(_) => continue,
            };
            let message = format!(
                "the argument `{name}` of `@{}` on `{coordinate}` {problem}.",
                directive.name
            );
            let arguments = definition.arguments.iter();
            let arguments = arguments.map(|known| format!("{}: {}", known.name, known.r#type));
            let arguments = arguments.collect::<Vec<_>>().join(", ");
            let remedy = format!("The arguments are ({arguments}).");
            self.report.invalid(coordinate, at, &message, &remedy);
        }
        for known in &definition.arguments {
            let is_given = directive.arguments.iter().any(|one| one.name == known.name);
            if known.r#type.is_required() && known.default.is_none() && !is_given {
                let message = format!(
                    "`@{}` on `{coordinate}` lacks its argument `{}`.",
                    directive.name, known.name
                );
                let remedy = format!("Add `{}` of type `{}`.", known.name, known.r#type);
                self.report.invalid(coordinate, at, &message, &remedy);
            }
        }
    }

    /// Whether an argument has its type. Field sets have rules of their own, unless the schema defines
    /// them with a type that has none.
    fn fits(
        &self,
        meaning: Meaning,
        argument: &DirectiveArgument,
        known: &InputDefinition,
    ) -> bool {
        let is_field_set = matches!(meaning, Meaning::Key | Meaning::Requires | Meaning::Provides)
            && &*argument.name == "fields"
            && self.is_text(known.r#type.base());
        is_field_set || literals::fits(self.report, &argument.value, &known.r#type)
    }

    fn is_text(&self, r#type: &str) -> bool {
        match self.report.reference(r#type) {
            Reference::Type(r#type) => matches!(r#type.kind, Kind::Scalar),
            Reference::Scalar => !matches!(r#type, "Int" | "Float" | "Boolean"),
            Reference::Unknown => true,
        }
    }
}
