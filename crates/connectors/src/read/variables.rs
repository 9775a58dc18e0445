//! Whether there is what expressions read, and whether they make what their place needs.
//! <https://www.apollographql.com/docs/graphos/connectors/mapping/variables>

use serde_json::Value;

use super::Reader;
use super::arguments::Directive;
use super::connect::Position;
use crate::code::Code;
use crate::connector::{Connector, Errors, HeaderValueSource, Http, Source};
use crate::definitions::{InputDefinition, Kind, Type, TypeDefinition};
use crate::location::Location;
use crate::mapping::shape::Scalar;
use crate::mapping::{Mapping, Members, Shape};
use crate::variables::Variable;

/// Where an expression stands.
#[derive(Clone, Copy, Debug)]
struct Part<'p> {
    /// As in messages: `http.body`.
    name: &'p str,
    /// The code of an expression that does not belong there.
    code: Code,
    needs: Needs,
    /// Whether there is a response already.
    has_response: bool,
    /// Where its connector stands; `None` in a source.
    position: Option<Position<'p>>,
}

/// What an expression has to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    Anything,
    Scalar,
    List,
    Object,
    Boolean,
    String,
}

impl Reader<'_> {
    pub(super) fn check_source(&self, source: &Source, directive: &mut Directive) {
        self.check_http(&source.http, "baseURL", None, directive);
        self.check_response(&source.errors, source.is_success.as_ref(), None, directive);
    }

    pub(super) fn check_variables(
        &self,
        connector: &Connector,
        position: Position<'_>,
        directive: &mut Directive,
    ) {
        let position = Some(position);
        self.check_http(&connector.http, connector.method.as_str(), position, directive);
        if let Some(body) = &connector.body {
            let part = Part {
                name: "http.body",
                code: Code::InvalidBody,
                needs: Needs::Anything,
                has_response: false,
                position,
            };
            self.check(body, part, directive);
        }
        let part = Part {
            name: "selection",
            code: Code::InvalidSelection,
            needs: Needs::Anything,
            has_response: true,
            position,
        };
        self.check(&connector.selection, part, directive);
        self.check_response(&connector.errors, connector.is_success.as_ref(), position, directive);
    }

    fn check_http(
        &self,
        http: &Http,
        url: &str,
        position: Option<Position<'_>>,
        directive: &mut Directive,
    ) {
        let url = format!("http.{url}");
        let part = Part {
            name: &url,
            code: Code::InvalidUrl,
            needs: Needs::Scalar,
            has_response: false,
            position,
        };
        for expression in http.url.expressions() {
            self.check(expression, part, directive);
        }
        if let Some(path) = &http.path {
            self.check(path, Part { name: "http.path", needs: Needs::List, ..part }, directive);
        }
        if let Some(query) = &http.query_params {
            let part = Part { name: "http.queryParams", needs: Needs::Object, ..part };
            self.check(query, part, directive);
        }
        for header in &http.headers {
            let HeaderValueSource::Value(template) = &header.value else { continue };
            let name = format!("http.headers, {}", header.name);
            let part = Part { name: &name, code: Code::InvalidHeader, ..part };
            for expression in template.expressions() {
                self.check(expression, part, directive);
            }
        }
    }

    fn check_response(
        &self,
        errors: &Errors,
        is_success: Option<&Mapping>,
        position: Option<Position<'_>>,
        directive: &mut Directive,
    ) {
        let parts = [
            (errors.message.as_ref(), "errors.message", Needs::String),
            (errors.extensions.as_ref(), "errors.extensions", Needs::Object),
            (is_success, "isSuccess", Needs::Boolean),
        ];
        for (mapping, name, needs) in parts {
            let code = Code::InvalidSelection;
            let part = Part { name, code, needs, has_response: true, position };
            if let Some(mapping) = mapping {
                self.check(mapping, part, directive);
            }
        }
    }

    fn check(&self, mapping: &Mapping, part: Part<'_>, directive: &mut Directive) {
        let inputs = mapping.inputs();
        let error = |directive: &mut Directive, code: Code, place: Location, message: String| {
            directive.error(code, format_args!("`{}`, {place}: {message}", part.name));
        };
        if let Some(place) = inputs.response
            && !part.has_response
        {
            let message = "`$`, `@` and names without a variable are those of the response, which there \
                           is not yet: read a variable, such as `$args`";
            error(directive, part.code, place, message.into());
        }
        for (variable, members) in &inputs.variables {
            let missing = match variable {
                Variable::Args => self.check_arguments(members, part, directive),
                Variable::This | Variable::Batch => {
                    self.check_object(*variable, members, part, directive)
                }
                Variable::Request | Variable::Response => headers_only(*variable, members),
                Variable::Env => texts_only(members),
                Variable::Status | Variable::Config | Variable::Context => None,
            };
            let is_of_response = matches!(variable, Variable::Response | Variable::Status);
            let missing = if is_of_response && !part.has_response {
                Some((part.code, format!("there is no `${}` before the response", variable.name())))
            } else {
                missing
            };
            if let Some((code, message)) = missing {
                error(directive, code, members.place, message);
            }
        }
        if let Some(message) = self.misfit(mapping, part) {
            directive.error(part.code, format_args!("`{}`: {message}", part.name));
        }
    }

    /// Checks `$args`; returns what is wrong with the variable itself.
    fn check_arguments(
        &self,
        members: &Members,
        part: Part<'_>,
        directive: &mut Directive,
    ) -> Option<(Code, String)> {
        let Some(field) = part.position.and_then(|position| position.field) else {
            let place = if part.position.is_some() { "on a type" } else { "of a source" };
            return Some((Code::UndefinedArgument, format!("there is no `$args` {place}")));
        };
        if field.arguments.is_empty() {
            let message = format!("`{}` has no arguments", field.name);
            return Some((Code::UndefinedArgument, message));
        }
        self.check_inputs(members, &field.arguments, "$args", part, directive);
        None
    }

    fn check_inputs(
        &self,
        members: &Members,
        inputs: &[InputDefinition],
        path: &str,
        part: Part<'_>,
        directive: &mut Directive,
    ) {
        for (name, members) in &members.members {
            let place = members.place;
            let Some(input) = inputs.iter().find(|input| input.name == *name) else {
                let names: Vec<_> =
                    inputs.iter().map(|input| format!("`{}`", input.name)).collect();
                let names = names.join(", ");
                let message = format!(
                    "`{}`, {place}: there is no `{name}` in `{path}`: there are {names}",
                    part.name
                );
                directive.error(Code::UndefinedArgument, message);
                continue;
            };
            let path = format!("{path}.{name}");
            match self.definitions.find(input.r#type.name()).map(|definition| &definition.kind) {
                Some(Kind::InputObject(inputs)) => {
                    self.check_inputs(members, inputs, &path, part, directive);
                }
                // Whatever a scalar of the schema has.
                Some(Kind::Scalar) => {}
                _ if members.members.is_empty() => {}
                _ => {
                    let message = format!("`{}`, {place}: `{path}` has no members", part.name);
                    directive.error(Code::UndefinedArgument, message);
                }
            }
        }
    }

    /// Checks `$this` or `$batch`; returns what is wrong with the variable itself.
    fn check_object(
        &self,
        variable: Variable,
        members: &Members,
        part: Part<'_>,
        directive: &mut Directive,
    ) -> Option<(Code, String)> {
        let name = format!("${}", variable.name());
        let Some(position) = part.position else {
            return Some((Code::UndefinedField, format!("there is no `{name}` of a source")));
        };
        if variable == Variable::Batch && position.field.is_some() {
            let message = "there is no `$batch` on a field: write the connector on the type".into();
            return Some((part.code, message));
        }
        if self.definitions.is_root(&position.parent.name) {
            let message = format!("there is no `{name}` on a field of `{}`", position.parent.name);
            return Some((Code::UndefinedField, message));
        }
        if members.is_whole {
            let message = format!("name the fields that are needed, such as `{name} {{ id }}`");
            return Some((part.code, message));
        }
        if let Some(field) = position.field
            && members.find(&field.name).is_some()
        {
            let message = format!("the connector of `{}` needs the field itself", field.name);
            return Some((Code::CircularReference, message));
        }
        self.check_fields(members, position.parent, &name, part, directive);
        None
    }

    fn check_fields(
        &self,
        members: &Members,
        parent: &TypeDefinition,
        path: &str,
        part: Part<'_>,
        directive: &mut Directive,
    ) {
        for (name, members) in &members.members {
            let place = members.place;
            let at = format!("`{}`, {place}", part.name);
            let path = format!("{path}.{name}");
            if &**name == "__typename" {
                continue;
            }
            let Some(field) = parent.field(name) else {
                let message = format!("{at}: there is no field `{name}` in `{}`", parent.name);
                directive.error(Code::UndefinedField, message);
                continue;
            };
            let definition = self.definitions.find(field.r#type.name());
            match definition {
                Some(definition) if definition.is_abstract() => {
                    let message = format!(
                        "{at}: `{path}` is of the type `{}`: interfaces and unions have no members that \
                         are known",
                        definition.name
                    );
                    directive.error(Code::UnsupportedVariableType, message);
                }
                Some(definition @ TypeDefinition { kind: Kind::Object { .. }, .. }) => {
                    if members.is_whole {
                        let message = format!(
                            "{at}: name the fields that are needed, such as `{path} {{ id }}`"
                        );
                        directive.error(part.code, message);
                    }
                    self.check_fields(members, definition, &path, part, directive);
                }
                Some(TypeDefinition { kind: Kind::Scalar, .. }) => {}
                _ if members.members.is_empty() => {}
                _ => {
                    let message = format!("{at}: `{path}` has no members");
                    directive.error(Code::UndefinedField, message);
                }
            }
        }
    }

    /// Why an expression never makes what its place needs.
    fn misfit(&self, mapping: &Mapping, part: Part<'_>) -> Option<String> {
        if part.needs == Needs::Anything {
            return None;
        }
        if let Some((variable, names)) = mapping.variable_path() {
            return self.misfit_of_variable(variable, &names, part);
        }
        let mut misfit = None;
        let shape = mapping.shape();
        let is_list = matches!(shape, Shape::List(_));
        if part.needs == Needs::List && is_list {
            return None;
        }
        if is_list && part.needs != Needs::List {
            return Some(format!("it makes a list, and has to make {}", part.needs.text()));
        }
        shape.alternatives(&mut |shape| {
            let what = match shape {
                Shape::Any | Shape::Literal(Value::Null) => return,
                Shape::Literal(Value::Bool(_)) | Shape::Scalar(Scalar::Boolean)
                    if matches!(part.needs, Needs::Boolean | Needs::Scalar) =>
                {
                    return;
                }
                Shape::Literal(Value::String(_)) | Shape::Scalar(Scalar::String)
                    if matches!(part.needs, Needs::String | Needs::Scalar) =>
                {
                    return;
                }
                Shape::Literal(_) | Shape::Scalar(_) if part.needs == Needs::Scalar => return,
                Shape::Object(_) if part.needs == Needs::Object => return,
                Shape::Literal(_) | Shape::Scalar(_) => "another scalar",
                Shape::Object(_) => "an object",
                Shape::List(_) | Shape::OneOf(_) => return,
            };
            misfit = Some(format!("it makes {what}, and has to make {}", part.needs.text()));
        });
        misfit
    }

    fn misfit_of_variable(
        &self,
        variable: Variable,
        names: &[&str],
        part: Part<'_>,
    ) -> Option<String> {
        let path = std::iter::once(format!("${}", variable.name()))
            .chain(names.iter().map(|name| (*name).to_owned()))
            .collect::<Vec<_>>()
            .join(".");
        let misfit = |what: &str| {
            Some(format!(
                "`{path}` is {what}, and {} is needed{}",
                part.needs.text(),
                part.needs.remedy()
            ))
        };
        let r#type = match (variable, part.position) {
            (Variable::Status, _) => {
                return if part.needs == Needs::Scalar { None } else { misfit("a number") };
            }
            (Variable::Env | Variable::Config | Variable::Context, _)
                if names.is_empty() && part.needs != Needs::Object =>
            {
                return misfit("an object");
            }
            (Variable::Batch, _) if part.needs != Needs::List => return misfit("a list"),
            (Variable::Args, Some(Position { field: Some(field), .. })) => {
                let (first, rest) = match names.split_first() {
                    Some(split) => split,
                    None if part.needs == Needs::Object => return None,
                    None => return misfit("an object"),
                };
                let argument = field.arguments.iter().find(|argument| *argument.name == **first)?;
                self.input_type(&argument.r#type, rest)?
            }
            (Variable::This, Some(position)) => self.field_type(position.parent, names)?,
            _ => return None,
        };
        let is_object = self.definitions.find(r#type.name()).is_some_and(|definition| {
            matches!(definition.kind, Kind::InputObject(_) | Kind::Object { .. })
        });
        let is_custom = self
            .definitions
            .find(r#type.name())
            .is_some_and(|definition| matches!(definition.kind, Kind::Scalar));
        match part.needs {
            Needs::List if r#type.is_list() || is_custom => None,
            Needs::List => misfit(if is_object { "an object" } else { "no list" }),
            _ if r#type.is_list() => misfit("a list"),
            Needs::Object if is_object || is_custom => None,
            Needs::Object => misfit("a scalar"),
            _ if is_object => misfit("an object"),
            Needs::Anything | Needs::Scalar | Needs::Boolean | Needs::String => None,
        }
    }

    /// The type of a member of an argument; `None` if a list is between, or it is not known.
    fn input_type<'t>(&'t self, r#type: &'t Type, names: &[&str]) -> Option<&'t Type> {
        let Some((first, rest)) = names.split_first() else { return Some(r#type) };
        if r#type.is_list() {
            return None;
        }
        let Kind::InputObject(inputs) = &self.definitions.find(r#type.name())?.kind else {
            return None;
        };
        let input = inputs.iter().find(|input| *input.name == **first)?;
        self.input_type(&input.r#type, rest)
    }

    /// The type of a field of a field.
    fn field_type<'t>(&'t self, parent: &'t TypeDefinition, names: &[&str]) -> Option<&'t Type> {
        let (first, rest) = names.split_first()?;
        let r#type = &parent.field(first)?.r#type;
        if rest.is_empty() {
            return Some(r#type);
        }
        if r#type.is_list() {
            return None;
        }
        self.field_type(self.definitions.find(r#type.name())?, rest)
    }
}

/// `$request` and `$response` have headers only.
fn headers_only(variable: Variable, members: &Members) -> Option<(Code, String)> {
    let (other, _) = members.members.iter().find(|(name, _)| &**name != "headers")?;
    let name = variable.name();
    let message = format!("there is no `{other}` in `${name}`: it has `${name}.headers` only");
    Some((Code::UndefinedField, message))
}

/// Environment variables are texts.
fn texts_only(members: &Members) -> Option<(Code, String)> {
    let (name, _) = members.members.iter().find(|(_, members)| !members.members.is_empty())?;
    Some((Code::UndefinedField, format!("`$env.{name}` is a text and has no members")))
}

impl Needs {
    fn text(self) -> &'static str {
        match self {
            Self::Anything => "any value",
            Self::Scalar => "a scalar",
            Self::List => "a list of scalars",
            Self::Object => "an object",
            Self::Boolean => "true or false",
            Self::String => "a string",
        }
    }

    fn remedy(self) -> &'static str {
        match self {
            Self::Scalar => ": join a list by `->joinNotNull(\",\")`, or use `queryParams`",
            Self::String => ": `->toString` makes one",
            Self::Boolean => ": `->eq(…)` makes one",
            Self::Anything | Self::List | Self::Object => "",
        }
    }
}
