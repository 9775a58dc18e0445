//! Policies read from texts, in a catalog made by hand, on requests made by hand.

#![allow(clippy::unwrap_used, reason = "a test ends where it cannot go on")]

mod files;
mod limits;
mod reads;
mod writes;

use access::{AccessRules, authorize};
use catalog::builder::{NewField, NewRelationship};
use catalog::{Builder, Capabilities, Catalog, EntityId, EntityKind, FieldId, Scalar, Type};
use ir::{
    Claims, Comparison, Direction, Filter, Form, From, Hop, HopDirection, Isolation, Nulls,
    Operand, OrderKey, OrderTerm, Output, OutputId, OutputKind, Page, Request, Rows, RowsId, Step,
    StepId, StepKind, Transaction, Value, ValueRef,
};
use serde_json_bytes::{Value as Json, json};

use super::{PolicyFile, compile};

/// People, their posts, and tags that a third table joins to posts.
fn blog() -> Catalog {
    let mut builder = Builder::new(Capabilities::default());
    let mut entity = |name: &str, fields: &[&str]| {
        let entity = builder.entity(None, name.into(), EntityKind::Table, None);
        for name in fields {
            let r#type =
                Type::Scalar(if name.ends_with("id") { Scalar::Int32 } else { Scalar::Text });
            let (nullable, has_default) = (*name != "id", false);
            let (name, generated, description) = (Box::from(*name), None, None);
            let new = NewField { name, r#type, nullable, has_default, generated, description };
            builder.field(entity, new);
        }
        entity
    };
    let person = entity("person", &["id", "name", "mail", "manager_id"]);
    let post = entity("post", &["id", "author_id", "headline", "status"]);
    let tag = entity("tag", &["id", "word"]);
    let post_tag = entity("post_tag", &["post_id", "tag_id"]);
    let links = [
        (person, "manager_id", person),
        (post, "author_id", person),
        (post_tag, "post_id", post),
        (post_tag, "tag_id", tag),
    ];
    for (from, field, to) in links {
        let found = |entity, name| builder.catalog().find_field(entity, name).unwrap().id;
        let (from_fields, to_fields) = (vec![found(from, field)], vec![found(to, "id")]);
        let (name, description) = ("".into(), None);
        let new = NewRelationship { name, from, from_fields, to, to_fields, description };
        builder.relationship(new);
    }
    builder.finish()
}

const POLICIES: &str = r#"
default_role = "anonymous"
[rules.names]
entity = "person"
read = { columns = ["id", "name"] }
[rules.self]
entity = "person"
read = { rows = { id = { eq = { claim = "user" } } }, columns = "*" }
update = { rows = { id = { eq = { claim = "user" } } }, columns = ["name", "mail"] }
[rules.public_posts]
entity = "post"
read = { rows = { status = { eq = "public" } }, columns = "*" }
[rules.own_posts]
entity = "post"
read = { rows = { author_id = { eq = { claim = "user" } } }, columns = "*" }
insert = { columns = ["headline", "status"], presets = { author_id = { claim = "user" } } }
update = { rows = { author_id = { eq = { claim = "user" } } }, columns = ["headline"] }
delete = { rows = { author_id = { eq = { claim = "user" } }, none = { post_tag = {} } } }
[rules.tags]
entity = "tag"
read = { columns = "*" }
[rules.tagging]
entity = "post_tag"
read = { rows = { post_id = { gt = 0 } }, columns = "*" }
[roles.anonymous]
rules = ["names", "public_posts", "tags", "tagging"]
[roles.author]
inherits = ["anonymous"]
rules = ["self", "own_posts"]
[roles.nobody]
[roles.admin]
all = true
"#;

struct Blog {
    catalog: Catalog,
    rules: AccessRules,
}

impl Blog {
    fn new() -> Self {
        Self::under(POLICIES)
    }

    fn under(policies: &str) -> Self {
        let catalog = blog();
        let rules = rules(policies, &catalog);
        Self { catalog, rules }
    }

    fn entity(&self, name: &str) -> EntityId {
        self.catalog.find_entity(None, name).unwrap().id
    }

    /// A field of `entity.field`.
    fn field(&self, name: &str) -> FieldId {
        let (entity, field) = name.split_once('.').unwrap();
        self.catalog.find_field(self.entity(entity), field).unwrap().id
    }

    /// The way from the field that refers, or back to it.
    fn hop(&self, name: &str, direction: HopDirection) -> Hop {
        let field = self.field(name);
        let mut found = self.catalog.relationships();
        let found = found.find(|relationship| relationship.from_fields == [field]).unwrap();
        Hop { relationship: found.id, direction }
    }

    fn forward(&self, name: &str) -> Hop {
        self.hop(name, HopDirection::Forward)
    }

    fn backward(&self, name: &str) -> Hop {
        self.hop(name, HopDirection::Backward)
    }

    fn equal(&self, name: &str) -> Filter {
        Filter::Compare {
            place: ValueRef::field(self.field(name)),
            comparison: Comparison::Equal,
            operand: Operand::Constant(Value::Integer(1)),
        }
    }

    /// The authorized request, or its refusals.
    fn authorized(&self, claims: &Json, mut request: Request) -> String {
        let claims = Claims::new(claims.clone());
        let set = match self.rules.set(&self.catalog, Some(&claims)) {
            Ok(set) => set,
            Err(refusal) => return format!("{refusal:?}\n"),
        };
        let refused = authorize(&self.catalog, &set, &mut request).refused.all;
        match refused.is_empty() {
            true => ir::print(&request, &self.catalog),
            false => refused.iter().map(|denial| denial.message(&self.catalog) + "\n").collect(),
        }
    }

    fn check(&self, claims: &Json, request: Request, expected: &str) {
        let lines =
            |text: &str| text.lines().map(|line| [line.trim(), "\n"].concat()).collect::<String>();
        assert_eq!(lines(&self.authorized(claims, request)), lines(expected));
    }

    fn fields(&self, names: &[(&[Hop], &str)]) -> Vec<Output> {
        let kinds = names.iter().map(|(path, name)| {
            let (path, field) = (path.to_vec(), self.field(name));
            OutputKind::Field { path, field, form: Form::Stored }
        });
        outputs(kinds)
    }
}

/// The access rules of a policy file.
fn rules(policies: &str, catalog: &Catalog) -> AccessRules {
    let roles = compile(&PolicyFile::parse(policies).unwrap(), catalog).unwrap();
    AccessRules::new(catalog, Some(roles), Vec::new()).unwrap()
}

fn outputs(kinds: impl Iterator<Item = OutputKind>) -> Vec<Output> {
    (0..).zip(kinds).map(|(id, kind)| Output { id: OutputId(id), kind }).collect()
}

fn rows(id: u32, from: From, outputs: Vec<Output>) -> Rows {
    Rows {
        id: RowsId(id),
        from,
        filter: Filter::all(),
        order: Vec::new(),
        page: Page::All,
        distinct: Vec::new(),
        single: false,
        once: false,
        shown: true,
        outputs,
    }
}

fn steps(isolation: Isolation, kinds: Vec<StepKind>) -> Request {
    let step = |(id, kind)| Step::new(StepId(id), 0, kind);
    let steps = (0..).zip(kinds).map(step).collect();
    let transactions = vec![Transaction { isolation, steps }];
    Request { transactions, outputs: 9, rows: 9, claimed_names: Vec::new() }
}

fn read(rows: Rows) -> Request {
    steps(Isolation::Snapshot, vec![StepKind::Read(rows)])
}

fn ordered(place: ValueRef) -> OrderTerm {
    let (key, direction, nulls) = (OrderKey::Value(place), Direction::Ascending, Nulls::Last);
    OrderTerm { key, direction, nulls }
}

fn author() -> Json {
    json!({ "role": "author", "user": 7 })
}

fn anonymous() -> Json {
    json!({})
}
