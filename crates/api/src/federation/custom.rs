//! Custom directives: an extension defines them, applies them to the API's types, and makes routers
//! keep them. The API itself does not serve them.
//!
//! <https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/directives#composedirective>

use graphql::definitions::{
    Directive, DirectiveArgument, DirectiveDefinition, Literal, SchemaDefinition,
};
use graphql::schema::Schema;

use super::FEDERATION;
use super::directives::{KNOWN, Place};

/// Directives that every schema has, or that the definitions of a subgraph define themselves.
const TAKEN: &[&str] =
    &["deprecated", "extends", "include", "link", "oneOf", "skip", "specifiedBy"];

/// Definitions of an extension beside types.
#[derive(Clone, Copy, Debug)]
pub(super) struct CustomDirectives<'d> {
    directives: &'d [DirectiveDefinition],
    schemas: &'d [SchemaDefinition],
}

impl<'d> CustomDirectives<'d> {
    pub(super) fn new(
        directives: &'d [DirectiveDefinition],
        schemas: &'d [SchemaDefinition],
    ) -> Self {
        Self { directives, schemas }
    }

    pub(super) fn find(self, name: &str) -> Option<&'d DirectiveDefinition> {
        self.directives.iter().find(|own| *own.name == *name)
    }

    /// Checks whether a definition is valid in a subgraph; returns the error.
    pub(super) fn check(
        self,
        definition: &DirectiveDefinition,
        schema: &Schema,
    ) -> Result<(), String> {
        let name = &*definition.name;
        let is_taken = TAKEN.contains(&name)
            || KNOWN.iter().any(|known| known.name == name)
            || schema.directives.iter().any(|known| *known.name == *name);
        if is_taken {
            return Err(format!("`@{name}` is another directive already."));
        }
        let first = self.find(name).map(|first| first.line);
        if first != Some(definition.line) {
            return Err(format!("`@{name}` is defined twice."));
        }
        let served = definition.locations.iter().find(|location| !is_of_definitions(location));
        match served {
            None => Ok(()),
            Some(location) => Err(format!(
                "`@{name}` may stand at `{location}`, which is a place in operations: directives \
                 of one's own are not served."
            )),
        }
    }

    /// Checks a directive of the schema.
    pub(super) fn check_schema(self, directive: &Directive) -> Result<(), String> {
        let arguments: &[&str] = match &*directive.name {
            "link" => &["url", "as", "import", "for"],
            "composeDirective" => &["name"],
            name => return Err(format!("`@{name}` cannot stand at the schema.")),
        };
        for argument in &directive.arguments {
            if !arguments.contains(&&*argument.name) {
                let name = &directive.name;
                return Err(format!("`@{name}` has no argument `{}`.", argument.name));
            }
        }
        match &*directive.name {
            "link" => check_link(directive),
            _ => self.check_composed(directive),
        }
    }

    /// A composer keeps directives of a specification: its link must import the directive.
    fn check_composed(self, directive: &Directive) -> Result<(), String> {
        let Some(said) = text(&directive.arguments, "name") else {
            return Err("`@composeDirective` needs its argument `name`, a text.".into());
        };
        let Some(name) = said.strip_prefix('@') else {
            return Err(format!("`{said}` is no name of a directive: it begins with `@`."));
        };
        if self.find(name).is_none() {
            return Err(format!("`@composeDirective` names `{said}`, which is not defined here."));
        }
        let directives = self.schemas.iter().flat_map(|schema| &schema.directives);
        let mut links = directives.filter(|directive| &*directive.name == "link");
        match links.any(|link| imports(link, said)) {
            true => Ok(()),
            false => Err(format!("`{said}` is composed, and no `@link` imports it.")),
        }
    }
}

/// Checks a custom directive at a location; `known` are there already.
pub(super) fn check_said(
    definition: &DirectiveDefinition,
    directive: &Directive,
    place: Place,
    known: &[Directive],
) -> Result<(), String> {
    let name = &*definition.name;
    if !definition.locations.contains(&place.location()) {
        return Err(format!("`@{name}` cannot stand here."));
    }
    if !definition.is_repeatable && known.iter().any(|known| *known.name == *name) {
        return Err(format!("`@{name}` stands here already."));
    }
    for argument in &directive.arguments {
        if !definition.arguments.iter().any(|own| own.name == argument.name) {
            return Err(format!("`@{name}` has no argument `{}`.", argument.name));
        }
    }
    for own in &definition.arguments {
        let is_given = directive.arguments.iter().any(|argument| argument.name == own.name);
        if own.r#type.is_required() && own.default.is_none() && !is_given {
            return Err(format!("`@{name}` needs its argument `{}`.", own.name));
        }
    }
    Ok(())
}

fn check_link(directive: &Directive) -> Result<(), String> {
    match text(&directive.arguments, "url") {
        None => Err("`@link` needs its argument `url`, a text.".into()),
        Some(url) if url.starts_with(FEDERATION) => {
            Err("The link to federation is made here.".into())
        }
        Some(_) => Ok(()),
    }
}

/// True if a link imports something under a name.
fn imports(link: &Directive, name: &str) -> bool {
    let import = link.arguments.iter().find(|argument| &*argument.name == "import");
    let Some(Literal::List(items)) = import.map(|import| &import.value) else { return false };
    items.iter().any(|item| match item {
        Literal::String(own) => **own == *name,
        Literal::Object(members) => {
            let member = |wanted: &str| {
                let found = members.iter().find(|(name, _)| **name == *wanted);
                found.map(|(_, value)| value)
            };
            let own = member("as").or_else(|| member("name"));
            matches!(own, Some(Literal::String(own)) if **own == *name)
        }
        _ => false,
    })
}

fn text<'a>(arguments: &'a [DirectiveArgument], name: &str) -> Option<&'a str> {
    let argument = arguments.iter().find(|argument| *argument.name == *name)?;
    match &argument.value {
        Literal::String(text) => Some(&**text),
        _ => None,
    }
}

fn is_of_definitions(location: &str) -> bool {
    matches!(
        location,
        "SCHEMA"
            | "SCALAR"
            | "OBJECT"
            | "FIELD_DEFINITION"
            | "ARGUMENT_DEFINITION"
            | "INTERFACE"
            | "UNION"
            | "ENUM"
            | "ENUM_VALUE"
            | "INPUT_OBJECT"
            | "INPUT_FIELD_DEFINITION"
    )
}
