//! Directives of Apollo Federation on types and fields of the definitions.

use std::sync::Arc;

use api::federation::AppliedDirectives;
use graphql::definitions::{Directive, DirectiveArgument, Literal};

use crate::model::{Field, Model, Type};

/// Returns the directives of all types that are found by a key.
///
/// Fields with `@requires` need nothing of other subgraphs: the database stores them. So they have
/// no directive, and routers send no values for them.
pub(crate) fn directives(model: &Model) -> Vec<AppliedDirectives> {
    let keyed = model.types.iter().filter(|known| !known.is_remote);
    let keyed = keyed.filter_map(|known| Some((known, known.federation.key.as_deref()?)));
    keyed.flat_map(|(known, key)| of_type(known, key)).collect()
}

fn of_type(known: &Type, key: &str) -> Vec<AppliedDirectives> {
    let r#type: Arc<str> = (&*known.name).into();
    let own = directive("key", Some(key), known.line);
    let mut applied =
        vec![AppliedDirectives { r#type: r#type.clone(), member: None, directives: vec![own] }];
    for field in &known.fields {
        let directives = of_field(field);
        if !directives.is_empty() {
            let member = Some((&*field.name).into());
            applied.push(AppliedDirectives { r#type: r#type.clone(), member, directives });
        }
    }
    applied
}

fn of_field(field: &Field) -> Vec<Directive> {
    let external = field.federation.is_external.then(|| directive("external", None, field.line));
    let provides = field.federation.provides.as_deref();
    let provides = provides.map(|fields| directive("provides", Some(fields), field.line));
    external.into_iter().chain(provides).collect()
}

fn directive(name: &str, fields: Option<&str>, line: usize) -> Directive {
    let argument = |fields: &str| DirectiveArgument {
        name: "fields".into(),
        line,
        column: 1,
        value: Literal::String(fields.into()),
        strings: Vec::new(),
    };
    Directive {
        name: name.into(),
        line,
        column: 1,
        arguments: fields.map(argument).into_iter().collect(),
    }
}
