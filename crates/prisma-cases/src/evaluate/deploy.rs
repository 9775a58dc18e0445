//! Deployments of datamodels, and their validation.
//!
//! Prisma's server has its own texts for what it refuses, and a form of JSON; Thalweg's migrations
//! are a command. So what is compared is whether a datamodel is refused, loses data or is applied.
//! Texts that differ are noted as other errors.

use std::rc::Rc;

use serde_json::Value as Json;

use super::calls::Arguments;
use super::data_models::data_model;
use super::methods::strip_margin;
use super::{Evaluated, Program, Stop, host};
use crate::service::Losses;
use crate::value::{Deployment, Host, Matcher, Place, Project, Value, errors_of};

/// What a test expects of a deployment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    Success,
    /// Data is lost: it is applied only by force.
    Warning,
    Error,
}

impl Program<'_> {
    /// `setupProject(datamodel)`: a project with a new database, and its migration.
    pub(super) fn deploy_first(&self, arguments: &Arguments) -> Evaluated {
        let Some(Value::Text(data_model)) = arguments.get("schema", 0) else {
            return Err(Self::not_understood("a datamodel that is no text"));
        };
        let place = match self.with_service(|service| Ok(service.next_deployed()))? {
            Some(number) => Place::Deployed(number),
            None => Place::Own,
        };
        let project = self.project(&data_model, place);
        self.set_up(&project)?;
        Ok(Value::Tuple(Rc::new(vec![Value::Project(project), host(Host::Accepted)])))
    }

    pub(super) fn deploy_method(&self, name: &str, arguments: &Arguments) -> Evaluated {
        let expected = match name {
            "deploySchema" | "deploySchemaThatMustSucceed" => Expected::Success,
            "deploySchemaThatMustWarn" | "deploySchemaThatMustWarnAndReturnProject" => {
                Expected::Warning
            }
            "deploySchemaThatMustError"
            | "deploySchemaThatMustErrorWithCode"
            | "deploySchemaThatMustFailAndWarn" => Expected::Error,
            _ => return Err(Self::not_understood(format!("deployServer.{name}"))),
        };
        let (Some(Value::Project(project)), Some(Value::Text(data_model))) =
            (arguments.get("project", 0), arguments.get("schema", 1))
        else {
            return Err(Self::not_understood(format!("the arguments of deployServer.{name}")));
        };
        // `deploySchemaThatMustSucceed` has a number of a revision before.
        let place = if name == "deploySchemaThatMustSucceed" { 3 } else { 2 };
        let is_forced = matches!(arguments.get("force", place), Some(Value::Bool(true)));
        let project = self.project(&data_model, project.place);
        let returns_project = name == "deploySchema" || name.ends_with("ReturnProject");
        let deployed = self.deploy(&project, expected, is_forced)?;
        Ok(match deployed {
            _ if returns_project => Value::Project(project),
            Some(deployment) => host(Host::Deployment(Rc::new(deployment))),
            None => Value::Anything,
        })
    }

    fn deploy(
        &self,
        project: &Project,
        expected: Expected,
        is_forced: bool,
    ) -> Result<Option<Deployment>, Stop> {
        let losses = if is_forced { Losses::Allowed } else { Losses::Refused };
        let deployed = self.with_service(|service| service.deploy(project, losses))?;
        let Some(deployment) = deployed else { return Ok(None) };
        let must_apply = match expected {
            Expected::Success => true,
            Expected::Warning => is_forced,
            Expected::Error => false,
        };
        self.assert(deployment.is_applied == must_apply, || {
            let word = |is_applied: bool| if is_applied { "applied" } else { "refused" };
            format!(
                "  expected that it is {}\n  but it is {}: {}\n{}",
                word(must_apply),
                word(deployment.is_applied),
                deployment.text,
                project.data_model
            )
        })?;
        Ok(Some(deployment))
    }

    /// `validate(datamodel)` and `validateThatMustError(datamodel)`, for some capabilities.
    pub(super) fn validate(&self, name: &str, arguments: &Arguments) -> Evaluated {
        let Some(Value::Text(text)) = arguments.get("dataModel", 0) else {
            return Err(Self::not_understood("a datamodel that is no text"));
        };
        if let Some(capabilities) = arguments.get("capabilities", 1) {
            self.require_capabilities(&capabilities)?;
        }
        let refused = self.with_service(|service| Ok(service.refusal(&text)))?;
        match (name, refused) {
            ("validate", None) => {
                Ok(data_model(&strip_margin(&text)).unwrap_or_else(|| host(Host::Accepted)))
            }
            (_, None) => Ok(Value::Anything),
            ("validate", Some(None)) => {
                self.assert(true, String::new)?;
                data_model(&strip_margin(&text))
                    .ok_or_else(|| self.failed("the datamodel is not read as it was".into()))
            }
            ("validate", Some(Some(refusal))) => Err(Stop::Failed(refusal)),
            (_, Some(Some(refusal))) => {
                self.assert(true, String::new)?;
                Ok(host(Host::Refusal(refusal.into())))
            }
            (_, Some(None)) => {
                Err(Stop::Failed(format!("the datamodel had to be refused\n{text}")))
            }
        }
    }

    /// An assertion about what was deployed, refused or accepted.
    pub(super) fn assert_deployed(&self, of: &Host, matcher: &Matcher) -> Evaluated {
        match (of, matcher) {
            (Host::Accepted, _) => {
                self.left_out.borrow_mut().push("what Prisma knows of the datamodel".into());
            }
            // Thalweg tells all mistakes, and what stands in the way of more of them once.
            (Host::Refusal(text), Matcher::Size(size)) => {
                let own = errors_of(text);
                if i64::try_from(own) != Ok(*size) {
                    self.other_error(format!("  expected {size} errors\n  received {own}: {text}"));
                }
            }
            (Host::RefusalPart(text), Matcher::Equal(expected)) => {
                let expected = match expected {
                    Value::Option(None) => return Ok(Value::Unit),
                    Value::Option(Some(inner)) => inner.to_text(),
                    other => other.to_text(),
                };
                if !text.contains(&*expected) {
                    self.other_error(format!("  expected {expected}\n  received {text}"));
                }
            }
            (Host::RefusalPart(text), Matcher::Include(expected)) => {
                if !text.contains(&**expected) {
                    self.other_error(format!("  expected {expected}\n  received {text}"));
                }
            }
            (Host::Deployment(deployment), Matcher::Include(expected)) => {
                let received = &deployment.text;
                if !received.contains(&**expected) {
                    self.other_error(format!("  expected {expected}\n  received {received}"));
                }
            }
            (Host::Deployment(deployment), Matcher::Equal(Value::Text(expected))) => {
                let expected = self.parse_json(expected)?;
                let deploy = &expected["data"]["deploy"];
                let is_applied = !deploy["migration"].is_null();
                self.assert(is_applied == deployment.is_applied, || {
                    format!("  expected {expected}\n  received {}", deployment.text)
                })?;
                let said = ["errors", "warnings"].into_iter().flat_map(|key| {
                    deploy[key].as_array().into_iter().flatten().filter_map(description)
                });
                let missing = said.filter(|text| !deployment.text.contains(*text));
                if let Some(missing) = missing.into_iter().next() {
                    let received = &deployment.text;
                    self.other_error(format!("  expected {missing}\n  received {received}"));
                }
            }
            _ => return Err(Self::not_understood("an assertion about a deployment")),
        }
        Ok(Value::Unit)
    }
}

fn description(problem: &Json) -> Option<&str> {
    problem["description"].as_str()
}
