//! version 3's `@auth`: who may see and change what.
//!
//! A rule says several things at once: who asks, which nodes there are (`where`), what they have to
//! pass before something is done with them (`allow`) and afterwards (`bind`). Each becomes a rule of
//! its own, as version 7 says them apart. What is said here is never ignored: what cannot be read is
//! refused, also where the library takes it and asks for nothing.
//!
//! * `rule`: a rule as it is written
//! * `wanted`: its conditions on nodes
//! * `apart`: what rules ask of each operation

mod apart;
mod rule;
mod wanted;

use graphql::definitions::Directive;

use super::field::{Inherited, Owner};
use super::problem::{At, Problems};
use super::rules::refuse;
use super::types::{Meaning, Type, Types};
use crate::model::rules::{WrittenPlace, WrittenRestriction};
use crate::model::{FieldKind, Model};
use access::RootType;
use apart::Apart;
use rule::Reader;

const AUTH: &str = "auth";

/// The rules of all types of nodes, of their fields and of the roots' fields. `model` has everything
/// else already.
pub(super) fn guards(
    types: &Types<'_>,
    model: &Model,
    problems: &mut Problems,
) -> Vec<WrittenRestriction> {
    let (nodes, names) = (model.nodes.as_slice(), &model.claims);
    let mut guards = Vec::new();
    for (node, r#type) in types.nodes.iter().enumerate() {
        let mut reader = Reader { types, nodes, names, node, is_root: false, problems };
        if let Some(directive) = of_type(types, r#type, reader.problems) {
            let at = r#type.at().on_line(directive.line);
            let rules = reader.rules(at, directive);
            let place = WrittenPlace::Node { node, line: directive.line };
            guards.extend(Apart::new(place, names, &rules).of_node());
        }
        let fields = nodes.get(node).map_or(&[][..], |node| node.fields.as_slice());
        let inherited = Inherited::new(types, Owner::Node, r#type);
        for written in r#type.fields() {
            let definition = written.definition;
            let Some(directive) = find(&inherited.directives(written)) else { continue };
            let known = fields.iter().position(|field| field.name == definition.name);
            // What is wrong with a field that is not there was told.
            let Some((field, kind)) = known.and_then(|idx| Some((idx, &fields.get(idx)?.kind)))
            else {
                continue;
            };
            let at = r#type.at().member(directive.line, &definition.name);
            if matches!(kind, FieldKind::Relationship(_)) {
                reader.problems.wrong(at, "rules belong to fields that hold values");
            }
            let rules = reader.rules(at, directive);
            let place = WrittenPlace::Field { node, field, line: directive.line };
            guards.extend(Apart::new(place, names, &rules).of_field());
        }
    }
    for (root, r#type, fields) in [
        (RootType::Query, &types.query, &model.queries),
        (RootType::Mutation, &types.mutation, &model.mutations),
    ] {
        let Some(r#type) = r#type else { continue };
        let mut reader = Reader { types, nodes, names, node: 0, is_root: true, problems };
        if let Some(directive) = find(&r#type.written.directives) {
            let at = r#type.at().on_line(directive.line);
            reader.problems.wrong(at, "`@auth` belongs to its fields");
        }
        for written in r#type.fields() {
            let name = &written.definition.name;
            let field = fields.iter().position(|field| field.name == *name);
            let (Some(directive), Some(field)) = (find(&written.directives), field) else {
                continue;
            };
            let at = r#type.at().member(directive.line, name);
            let rules = reader.rules(at, directive);
            let place = WrittenPlace::RootField { root, field };
            guards.extend(Apart::new(place, names, &rules).of_root());
        }
    }
    let others = types.properties.iter().chain(&types.claims);
    let others = others.chain(&types.objects).chain(&types.inputs);
    others.for_each(|r#type| refuse(r#type, &[AUTH], "types of nodes", problems));
    let others = types.interfaces.iter().chain(&types.properties).chain(&types.nodes);
    others.for_each(|r#type| refuse(r#type, &["jwtClaim"], "a type with `@jwtPayload`", problems));
    guards
}

fn find<'d>(directives: &[&'d Directive]) -> Option<&'d Directive> {
    directives.iter().find(|one| &*one.name == AUTH).copied()
}

/// The rules of a type, or those of an interface that it implements.
fn of_type<'d>(
    types: &Types<'d>,
    r#type: &Type<'d>,
    problems: &mut Problems,
) -> Option<&'d Directive> {
    let mut inherited: Vec<(&str, &'d Directive)> = Vec::new();
    for named in r#type.interfaces() {
        let Some(Meaning::Interface(place)) = types.meaning(&named.name) else { continue };
        let interface = types.interfaces.get(place);
        let directive = interface.and_then(|one| find(&one.written.directives));
        inherited.extend(directive.map(|directive| (&*named.name, directive)));
    }
    if let [(first, _), (second, _), ..] = inherited.as_slice() {
        let at: At<'_> = r#type.at();
        let message =
            format!("`{first}` and `{second}` both have `@auth`: a type takes it from one at most");
        problems.wrong(at, message);
    }
    find(&r#type.written.directives).or_else(|| inherited.first().map(|(_, directive)| *directive))
}
