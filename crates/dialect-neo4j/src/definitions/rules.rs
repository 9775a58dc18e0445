//! `@authentication` and `@authorization`: who may see and change what.
//!
//! What is said here is never ignored: what cannot be read is refused.

use graphql::definitions::{Directive, Literal};

use super::directives::{Known, UPDATE};
use super::problem::{At, Problems};
use super::types::{Type, Types};
use super::{auth, claims};
use crate::model::rules::{ClaimNames, WrittenNode, WrittenPlace, WrittenRestriction};
use crate::model::{ApiVersion, FieldKind, Model, ModelField, NodeType};
use access::{Action, Authentication, Condition, Restriction, RootType, RowRule};
use ir::EventKind;

const AUTHENTICATION: &str = "authentication";
const AUTHORIZATION: &str = "authorization";
const EVENTS: &str = "subscriptionsAuthorization";

/// Whether a rule is a filter, whose operations are fewer, or a validation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Filter,
    Validation,
}

/// The rules of all types of nodes, of their fields, of the roots and of the schema. `model` has
/// everything else already.
pub(super) fn restrictions(
    types: &Types<'_>,
    model: &Model,
    problems: &mut Problems,
) -> Vec<WrittenRestriction> {
    if types.version == ApiVersion::V3 {
        return auth::guards(types, model, problems);
    }
    let mut reader = Reader { names: &model.claims, problems };
    let mut guards = Vec::new();
    if let Some(said) = types.schema().find(Known::Authentication) {
        let at = At::schema(said.line());
        let arguments = |name: &str| said.value(name);
        let authentication = Some(reader.authentication(at, &arguments));
        let place = WrittenPlace::Schema;
        guards.push(Restriction { place, authentication, ..nothing(place) });
    }
    for (place, r#type) in types.nodes.iter().enumerate() {
        if let Some(node) = model.nodes.get(place) {
            reader.node(place, r#type, node, &mut guards);
        }
    }
    for (root, r#type, fields) in [
        (RootType::Query, &types.query, &model.queries),
        (RootType::Mutation, &types.mutation, &model.mutations),
    ] {
        if let Some(r#type) = r#type {
            reader.root(root, r#type, fields, &mut guards);
        }
    }
    let others = types.interfaces.iter().chain(&types.properties).chain(&types.claims);
    let others = others.chain(&types.objects).chain(&types.inputs);
    others.for_each(|r#type| {
        refuse(r#type, &[AUTHENTICATION, AUTHORIZATION], "types with `@node`", problems);
    });
    let roots = types.query.iter().chain(&types.mutation);
    roots.for_each(|r#type| {
        refuse(r#type, &[AUTHORIZATION], "types with `@node`", problems);
    });
    let others = types.interfaces.iter().chain(&types.properties).chain(&types.nodes);
    let others = others.chain(&types.objects).chain(&types.inputs);
    others.for_each(|r#type| refuse(r#type, &["jwtClaim"], "a type with `@jwt`", problems));
    guards
}

/// Rules belong to what is stored, and claims to who asks.
pub(super) fn refuse(r#type: &Type<'_>, names: &[&str], where_to: &str, problems: &mut Problems) {
    let fields = r#type.fields().iter().map(|field| {
        let definition = field.definition;
        (r#type.at().member(definition.line, &definition.name), &field.directives)
    });
    let all = fields.chain([(r#type.at(), &r#type.written.directives)]);
    for (at, directives) in all {
        for directive in directives.iter().filter(|one| names.contains(&&*one.name)) {
            let message = format!("`@{}` belongs to {where_to} and its fields", directive.name);
            problems.wrong(at.on_line(directive.line), message);
        }
    }
}

/// A field with its place.
fn found<'f>(fields: &'f [ModelField], name: &str) -> Option<(usize, &'f ModelField)> {
    fields.iter().enumerate().find(|(_, field)| *field.name == *name)
}

fn nothing(place: WrittenPlace) -> WrittenRestriction {
    Restriction { place, authentication: None, filters: Vec::new(), validations: Vec::new() }
}

struct Reader<'r> {
    names: &'r ClaimNames,
    problems: &'r mut Problems,
}

impl Reader<'_> {
    /// What is said of a type of nodes and of its fields.
    fn node(
        &mut self,
        place: usize,
        r#type: &Type<'_>,
        node: &NodeType,
        guards: &mut Vec<WrittenRestriction>,
    ) {
        let at = r#type.at();
        let own = WrittenPlace::Node { node: place, line: at.line };
        guards.extend(self.guard(at, own, &r#type.written.directives));
        // Without events there is nothing to hide.
        if let Some(directive) = find_events(&r#type.written.directives)
            && node.events.are_some()
        {
            let filters = self.event_rules(at.on_line(directive.line), directive);
            guards.push(Restriction { filters, ..nothing(own) });
        }
        for written in r#type.fields() {
            let definition = written.definition;
            let at = at.member(definition.line, &definition.name);
            // What is wrong with a field that is not there was told.
            let Some((field, known)) = found(&node.fields, &definition.name) else { continue };
            let own = WrittenPlace::Field { node: place, field, line: definition.line };
            if let Some(directive) = find_events(&written.directives)
                && node.events.are_some()
            {
                let message = "`@subscriptionsAuthorization` belongs to the type: an event is received \
                               as a whole or not at all";
                self.problems.wrong(at.on_line(directive.line), message);
            }
            if let Some(guard) = self.guard(at, own, &written.directives) {
                if matches!(known.kind, FieldKind::Relationship(_)) {
                    let message = "rules belong to fields that hold values";
                    self.problems.wrong(at, message);
                }
                guards.push(guard);
            }
        }
    }

    /// What is said of a root and of the statements there. Rules on nodes are told elsewhere.
    fn root(
        &mut self,
        root: RootType,
        r#type: &Type<'_>,
        fields: &[ModelField],
        guards: &mut Vec<WrittenRestriction>,
    ) {
        let own = WrittenPlace::Root(root);
        guards.extend(self.guard(r#type.at(), own, &r#type.written.directives));
        for written in r#type.fields() {
            let definition = written.definition;
            let at = r#type.at().member(definition.line, &definition.name);
            let Some((field, _)) = found(fields, &definition.name) else { continue };
            let own = WrittenPlace::RootField { root, field };
            guards.extend(self.guard(at, own, &written.directives));
        }
    }

    /// What the directives of one place say.
    fn guard(
        &mut self,
        at: At<'_>,
        place: WrittenPlace,
        directives: &[&Directive],
    ) -> Option<WrittenRestriction> {
        let mut guard = nothing(place);
        let mut found = false;
        for (name, twice) in [(AUTHENTICATION, "authentication"), (AUTHORIZATION, "authorization")]
        {
            let mut said = directives.iter().filter(|directive| &*directive.name == name);
            let Some(directive) = said.next() else { continue };
            if let Some(other) = said.next() {
                let message = format!("`@{twice}` is said twice: which holds?");
                self.problems.wrong(at.on_line(other.line), message);
            }
            found = true;
            let at = at.on_line(directive.line);
            let argument = |name: &str| {
                let mut arguments = directive.arguments.iter();
                let argument = arguments.find(|argument| &*argument.name == name)?;
                (argument.value != Literal::Null).then_some(&argument.value)
            };
            if name == AUTHENTICATION {
                guard.authentication = Some(self.authentication(at, &argument));
                continue;
            }
            if directive.arguments.is_empty() {
                let message = "`@authorization` wants `filter:` or `validate:`, or both";
                self.problems.wrong(at, message);
            }
            if let Some(said) = argument("filter") {
                guard.filters = self.rules(at, Kind::Filter, said);
            }
            if let Some(said) = argument("validate") {
                guard.validations = self.rules(at, Kind::Validation, said);
            }
        }
        found.then_some(guard)
    }

    fn authentication<'l>(
        &mut self,
        at: At<'_>,
        argument: &dyn Fn(&str) -> Option<&'l Literal>,
    ) -> Authentication {
        let operations = match argument("operations") {
            Some(said) => self.operations(at, said, true),
            None => Action::ALL.to_vec(),
        };
        let claims = argument("jwt").map(|said| claims::condition(said, self.names));
        let claims = claims.and_then(|claims| match claims {
            Ok(claims) => Some(claims),
            Err(message) => {
                self.problems.wrong(at, format!("`@authentication(jwt:)`: {message}"));
                None
            }
        });
        Authentication { actions: operations, is_required: true, claims }
    }

    /// A list of rules, or one alone.
    fn rules(&mut self, at: At<'_>, kind: Kind, said: &Literal) -> Vec<RowRule<WrittenNode>> {
        let all = match said {
            Literal::List(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        if all.is_empty() {
            self.problems.wrong(at, "an empty list of rules says nothing: leave it out");
        }
        all.iter().filter_map(|said| self.rule(at, kind, said)).collect()
    }

    fn rule(&mut self, at: At<'_>, kind: Kind, said: &Literal) -> Option<RowRule<WrittenNode>> {
        let Literal::Object(members) = said else {
            self.problems.wrong(at, "a rule is an object: `{where: {…}}`");
            return None;
        };
        let mut operations: Vec<Action> = Action::ALL.to_vec();
        // Events have rules of their own.
        operations.retain(|operation| *operation != Action::Subscribe);
        if kind == Kind::Filter {
            operations.retain(|operation| *operation != Action::Create);
        }
        let (mut before, mut after) = (true, kind == Kind::Validation);
        let mut is_authenticated = true;
        let mut condition = None;
        for (name, value) in members {
            match (&**name, value) {
                ("operations" | "when" | "requireAuthentication", Literal::Null) => {}
                ("operations", said) => operations = self.operations(at, said, false),
                ("requireAuthentication", Literal::Boolean(said)) => is_authenticated = *said,
                ("where", said) => match where_condition(said, self.names, WrittenNode::Words) {
                    Ok(said) => condition = Some(said),
                    Err(message) => self.problems.wrong(at, format!("`where`: {message}")),
                },
                ("when", said) if kind == Kind::Validation => match stages(said) {
                    Some(said) => (before, after) = said,
                    None => self.problems.wrong(at, "`when` is a list of BEFORE and AFTER"),
                },
                (name, _) => {
                    let message = format!("a rule has no `{name}` of this kind");
                    self.problems.wrong(at, message);
                }
            }
        }
        if kind == Kind::Filter && operations.contains(&Action::Create) {
            let message = "a filter cannot be of CREATE, which finds nothing: use `validate`";
            self.problems.wrong(at, message);
        }
        if operations.is_empty() {
            self.problems.wrong(at, "a rule without operations says nothing: leave it out");
        }
        if !members.iter().any(|(name, _)| &**name == "where") {
            self.problems.wrong(at, "a rule wants `where:`");
        }
        let condition = condition?;
        if !is_authenticated && condition == Condition::All(Vec::new()) {
            let message = "a rule that asks for nothing would let everything: say `where:`, or \
                           leave `requireAuthentication: false` out";
            self.problems.wrong(at, message);
        }
        Some(RowRule {
            actions: operations,
            before,
            after,
            requires_authentication: is_authenticated,
            in_conditions: false,
            condition,
        })
    }

    /// The rules of `@subscriptionsAuthorization`.
    fn event_rules(&mut self, at: At<'_>, directive: &Directive) -> Vec<RowRule<WrittenNode>> {
        let mut arguments = directive.arguments.iter();
        let said = arguments.find(|argument| &*argument.name == "filter");
        let Some(said) = said else {
            self.problems.wrong(at, "`@subscriptionsAuthorization` wants `filter:`");
            return Vec::new();
        };
        let all = match &said.value {
            Literal::List(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        if all.is_empty() {
            self.problems.wrong(at, "an empty list of rules says nothing: leave it out");
        }
        all.iter().filter_map(|said| self.event_rule(at, said)).collect()
    }

    fn event_rule(&mut self, at: At<'_>, said: &Literal) -> Option<RowRule<WrittenNode>> {
        let Literal::Object(members) = said else {
            self.problems.wrong(at, "a rule is an object: `{where: {…}}`");
            return None;
        };
        let mut actions = EventKind::ALL.map(Action::Receive).to_vec();
        let mut requires_authentication = true;
        let mut condition = None;
        for (name, value) in members {
            match (&**name, value) {
                ("events" | "requireAuthentication", Literal::Null) => {}
                ("events", said) => actions = self.events(at, said),
                ("requireAuthentication", Literal::Boolean(said)) => {
                    requires_authentication = *said;
                }
                ("where", said) => match where_condition(said, self.names, WrittenNode::OfEvents) {
                    Ok(said) => condition = Some(said),
                    Err(message) => self.problems.wrong(at, format!("`where`: {message}")),
                },
                ("requireAuthentication", _) => {
                    self.problems.wrong(at, "`requireAuthentication` is `true` or `false`");
                }
                (name, _) => {
                    let message = format!(
                        "a rule has `events`, `requireAuthentication` and `where`, no `{name}`"
                    );
                    self.problems.wrong(at, message);
                }
            }
        }
        if !members.iter().any(|(name, _)| &**name == "where") {
            self.problems.wrong(at, "a rule wants `where:`");
        }
        let condition = condition?;
        if !requires_authentication && condition == Condition::All(Vec::new()) {
            let message = "a rule that asks for nothing would let everything: say `where:`, or \
                           leave `requireAuthentication: false` out";
            self.problems.wrong(at, message);
        }
        Some(RowRule {
            actions,
            before: true,
            after: false,
            requires_authentication,
            in_conditions: false,
            condition,
        })
    }

    fn events(&mut self, at: At<'_>, said: &Literal) -> Vec<Action> {
        let items = match said {
            Literal::List(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        let mut actions = Vec::new();
        for item in items {
            match item {
                Literal::Enum(word) if &**word == "CREATED" => {
                    actions.push(Action::Receive(EventKind::Created));
                }
                Literal::Enum(word) if &**word == "UPDATED" => {
                    actions.push(Action::Receive(EventKind::Updated));
                }
                Literal::Enum(word) if &**word == "DELETED" => {
                    actions.push(Action::Receive(EventKind::Deleted));
                }
                item => {
                    let message = format!("`events` has {item:?}, which is none");
                    self.problems.wrong(at, message);
                }
            }
        }
        actions
    }

    /// `subscribes`: subscribing is one of them.
    fn operations(&mut self, at: At<'_>, said: &Literal, subscribes: bool) -> Vec<Action> {
        let items = match said {
            Literal::List(items) => items.as_slice(),
            one => std::slice::from_ref(one),
        };
        let mut operations = Vec::new();
        for item in items {
            let word = match item {
                Literal::Enum(word) => &**word,
                _ => "",
            };
            match operation(word).filter(|one| subscribes || *one != Action::Subscribe) {
                Some(operation) => {
                    operations.push(operation);
                    if operation == Action::Read {
                        operations.push(Action::ReadChanged);
                    }
                }
                None => {
                    let message = format!("`operations` has {item:?}, which is none");
                    self.problems.wrong(at, message);
                }
            }
        }
        operations
    }
}

fn find_events<'d>(directives: &[&'d Directive]) -> Option<&'d Directive> {
    directives.iter().find(|directive| &*directive.name == EVENTS).copied()
}

fn operation(word: &str) -> Option<Action> {
    Some(match word {
        "READ" => Action::Read,
        "AGGREGATE" => Action::Aggregate,
        "CREATE" => Action::Create,
        UPDATE => Action::Update,
        "DELETE" => Action::Delete,
        "CREATE_RELATIONSHIP" => Action::CreateRelationship,
        "DELETE_RELATIONSHIP" => Action::DeleteRelationship,
        "SUBSCRIBE" => Action::Subscribe,
        _ => return None,
    })
}

/// Whether before, and whether after.
fn stages(said: &Literal) -> Option<(bool, bool)> {
    let items = match said {
        Literal::List(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    let (mut before, mut after) = (false, false);
    for item in items {
        match item {
            Literal::Enum(word) if &**word == "BEFORE" => before = true,
            Literal::Enum(word) if &**word == "AFTER" => after = true,
            _ => return None,
        }
    }
    (before || after).then_some((before, after))
}

/// A condition on nodes and claims. Recursion is bounded by the parser of the definitions.
fn where_condition(
    said: &Literal,
    names: &ClaimNames,
    node: fn(Literal) -> WrittenNode,
) -> Result<Condition<WrittenNode>, String> {
    let Literal::Object(members) = said else {
        return Err("it is no object".to_owned());
    };
    let list = |said: &Literal| -> Result<Vec<Condition<WrittenNode>>, String> {
        match said {
            Literal::List(items) => {
                items.iter().map(|said| where_condition(said, names, node)).collect()
            }
            one => Ok(vec![where_condition(one, names, node)?]),
        }
    };
    let mut all = Vec::with_capacity(members.len());
    for (name, value) in members {
        all.push(match &**name {
            "AND" => Condition::All(list(value)?),
            "OR" => match list(value)? {
                any if any.is_empty() => return Err("`OR` is empty".to_owned()),
                any => Condition::Any(any),
            },
            "NOT" => Condition::Not(Box::new(where_condition(value, names, node)?)),
            "node" => match value {
                Literal::Object(members) if !members.is_empty() => {
                    Condition::Row(node(value.clone()))
                }
                _ => return Err("`node` wants an object that says something".to_owned()),
            },
            "jwt" => Condition::Claims(claims::condition(value, names)?),
            name => return Err(format!("it has `node`, `jwt`, `AND`, `OR`, `NOT`, no `{name}`")),
        });
    }
    match (all.pop(), all.is_empty()) {
        (Some(only), true) => Ok(only),
        (last, _) => {
            all.extend(last);
            Ok(Condition::All(all))
        }
    }
}
