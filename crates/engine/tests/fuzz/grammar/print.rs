//! Documents as text, in forms that mean the same.

use graphql::Request;
use graphql::schema::{Schema, TypeRef, Wrapper};

use super::{Directive, Document, Literal, Selection, Typed};
use testkit::fuzz::Choices;

/// Where the values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// In the document.
    Inline,
    /// Each argument is a variable.
    Variables,
    /// Arguments or parts of them are variables.
    Parts,
    /// Each argument is a variable without a value, and the value is its default.
    Defaults,
}

/// A request of the document; its body is made as text, so that keys keep their order.
pub(crate) fn request(
    schema: &Schema,
    document: &Document,
    form: Form,
    choices: &mut Choices<'_>,
) -> Result<Request, String> {
    let mut printer = Printer {
        schema,
        form,
        choices,
        text: String::new(),
        definitions: String::new(),
        json: String::new(),
        variables: 0,
    };
    printer.selections(&document.selections);
    for fragment in &document.fragments {
        printer.text.push_str(&format!(" fragment {} on {}", fragment.name, fragment.on));
        printer.selections(&fragment.selections);
    }
    let name = document.operation_name.as_deref().unwrap_or("");
    let definitions = match printer.definitions.as_str() {
        "" => String::new(),
        definitions => format!("({definitions})"),
    };
    let query = match (name, definitions.as_str()) {
        ("", "") => printer.text,
        _ => format!("query {name}{definitions}{}", printer.text),
    };
    let query = serde_json::Value::from(query).to_string();
    let body = format!("{{\"query\":{query},\"variables\":{{{}}}}}", printer.json);
    Request::from_json(body.as_bytes()).map_err(|error| format!("{}: {body}", error.message))
}

struct Printer<'p, 't> {
    schema: &'p Schema,
    form: Form,
    choices: &'p mut Choices<'t>,
    text: String,
    definitions: String,
    json: String,
    variables: usize,
}

impl Printer<'_, '_> {
    fn selections(&mut self, selections: &[Selection]) {
        self.text.push('{');
        for selection in selections {
            match selection {
                Selection::Field(field) => {
                    if let Some(alias) = &field.alias {
                        self.text.push_str(alias);
                        self.text.push(':');
                    }
                    self.text.push_str(&field.name);
                    for (index, (name, value)) in field.arguments.iter().enumerate() {
                        self.text.push(if index == 0 { '(' } else { ',' });
                        self.text.push_str(name);
                        self.text.push(':');
                        self.value(value);
                    }
                    if !field.arguments.is_empty() {
                        self.text.push(')');
                    }
                    self.directives(&field.directives);
                    if !field.selections.is_empty() {
                        self.selections(&field.selections);
                    }
                }
                Selection::Inline { on, directives, selections } => {
                    self.text.push_str("...");
                    if let Some(on) = on {
                        self.text.push_str(" on ");
                        self.text.push_str(on);
                    }
                    self.directives(directives);
                    self.selections(selections);
                }
                Selection::Spread { name, directives } => {
                    self.text.push_str("...");
                    self.text.push_str(name);
                    self.directives(directives);
                }
            }
            self.text.push(' ');
        }
        self.text.push('}');
    }

    fn directives(&mut self, directives: &[Directive]) {
        for directive in directives {
            self.text.push_str(&format!("@{}(if:", directive.name));
            self.value(&directive.condition);
            self.text.push(')');
        }
    }

    fn value(&mut self, value: &Typed) {
        let whole = match self.form {
            Form::Inline => false,
            Form::Variables | Form::Defaults => true,
            Form::Parts => self.choices.chance(35),
        };
        if whole {
            return self.variable(value);
        }
        match &value.literal {
            Literal::List(items) => {
                self.text.push('[');
                for item in items {
                    self.value(item);
                    self.text.push(',');
                }
                self.text.push(']');
            }
            Literal::Object(entries) => {
                self.text.push('{');
                for (name, entry) in entries {
                    self.text.push_str(name);
                    self.text.push(':');
                    self.value(entry);
                    self.text.push(',');
                }
                self.text.push('}');
            }
            leaf => write_leaf(leaf, Syntax::GraphQL, &mut self.text),
        }
    }

    fn variable(&mut self, value: &Typed) {
        let name = format!("v{}", self.variables);
        self.variables += 1;
        self.text.push('$');
        self.text.push_str(&name);
        self.definitions.push_str(&format!("${name}:"));
        write_type(self.schema, value.r#type, &mut self.definitions);
        if self.form == Form::Defaults {
            self.definitions.push('=');
            write(&value.literal, Syntax::GraphQL, &mut self.definitions);
        } else {
            let separator = if self.json.is_empty() { "" } else { "," };
            self.json.push_str(&format!("{separator}\"{name}\":"));
            write(&value.literal, Syntax::Json, &mut self.json);
        }
        self.definitions.push(' ');
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Syntax {
    GraphQL,
    Json,
}

fn write(literal: &Literal, syntax: Syntax, out: &mut String) {
    match literal {
        Literal::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write(&item.literal, syntax, out);
            }
            out.push(']');
        }
        Literal::Object(entries) => {
            out.push('{');
            for (index, (name, entry)) in entries.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                match syntax {
                    Syntax::GraphQL => out.push_str(name),
                    Syntax::Json => write_leaf(&Literal::Text(name.clone()), syntax, out),
                }
                out.push(':');
                write(&entry.literal, syntax, out);
            }
            out.push('}');
        }
        leaf => write_leaf(leaf, syntax, out),
    }
}

fn write_leaf(literal: &Literal, syntax: Syntax, out: &mut String) {
    match literal {
        Literal::Null | Literal::List(_) | Literal::Object(_) => out.push_str("null"),
        Literal::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
        Literal::Number(text) => out.push_str(text),
        // The escapes of JSON are among those of GraphQL.
        Literal::Text(text) => out.push_str(&serde_json::Value::from(text.as_str()).to_string()),
        Literal::Enum(name) if syntax == Syntax::GraphQL => out.push_str(name),
        Literal::Enum(name) => out.push_str(&serde_json::Value::from(name.as_str()).to_string()),
    }
}

fn write_type(schema: &Schema, r#type: TypeRef, out: &mut String) {
    let lists = r#type.wrappers().filter(|wrapper| *wrapper == Wrapper::List).count();
    out.push_str(&"[".repeat(lists));
    out.push_str(&schema[r#type.base].name);
    for wrapper in r#type.wrappers() {
        out.push(match wrapper {
            Wrapper::NonNull => '!',
            Wrapper::List => ']',
        });
    }
}
