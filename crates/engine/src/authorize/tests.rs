//! Policies read from texts, in a catalog made by hand, on requests made by hand.

#![allow(clippy::unwrap_used, reason = "a test ends where it cannot go on")]

use catalog::builder::{NewField, NewRelationship};
use catalog::{Builder, Capabilities, Catalog, EntityId, EntityKind, FieldId, Scalar, Type};
use ir::{
    Assignment, Comparison, Direction, Filter, Form, From, Hop, HopDirection, Insert, InsertedRows,
    Isolation, Nulls, Operand, OrderKey, OrderTerm, Output, OutputId, OutputKind, Page, Place,
    Quantifier, Request, Rows, RowsId, State, Step, StepId, StepKind, Transaction, Update, Value,
    Write, WriteKind,
};
use serde_json_bytes::{Value as Json, json};
use sources::Claims;

use super::denial::Refusal;
use super::read::authorize;
use super::{Policies, PolicyFile};

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
    policies: Policies,
}

impl Blog {
    fn new() -> Self {
        Self::under(POLICIES)
    }

    fn under(policies: &str) -> Self {
        let catalog = blog();
        let policies = Policies::new(&PolicyFile::parse(policies).unwrap(), &catalog).unwrap();
        Self { catalog, policies }
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
            place: Place::field(self.field(name)),
            comparison: Comparison::Equal,
            operand: Operand::Constant(Value::Integer(1)),
        }
    }

    /// The request as it is let, or what is refused of it.
    fn let_of(&self, claims: &Json, mut request: Request) -> String {
        let claims = Claims::new(claims.clone());
        let set = match self.policies.of(Some(&claims)) {
            Ok(set) => set,
            Err(refusal) => return format!("{refusal:?}\n"),
        };
        match authorize(&self.catalog, &set, &mut request) {
            Ok(()) => ir::print(&request, &self.catalog),
            Err(denials) => {
                denials.iter().map(|denial| denial.message(&self.catalog) + "\n").collect()
            }
        }
    }

    fn check(&self, claims: &Json, request: Request, expected: &str) {
        let lines =
            |text: &str| text.lines().map(|line| [line.trim(), "\n"].concat()).collect::<String>();
        assert_eq!(lines(&self.let_of(claims, request)), lines(expected));
    }

    fn fields(&self, names: &[(&[Hop], &str)]) -> Vec<Output> {
        let kinds = names.iter().map(|(path, name)| {
            let (path, field) = (path.to_vec(), self.field(name));
            OutputKind::Field { path, field, form: Form::Stored }
        });
        outputs(kinds)
    }
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
        shown: true,
        outputs,
    }
}

fn steps(isolation: Isolation, kinds: Vec<StepKind>) -> Request {
    let step = |(id, kind)| Step { id: StepId(id), root: 0, kind };
    let steps = (0..).zip(kinds).map(step).collect();
    Request { transactions: vec![Transaction { isolation, steps }], outputs: 9, rows: 9 }
}

fn read(rows: Rows) -> Request {
    steps(Isolation::Snapshot, vec![StepKind::Read(rows)])
}

fn ordered(place: Place) -> OrderTerm {
    let (key, direction, nulls) = (OrderKey::Place(place), Direction::Ascending, Nulls::Last);
    OrderTerm { key, direction, nulls }
}

fn author() -> Json {
    json!({ "role": "author", "user": 7 })
}

fn anonymous() -> Json {
    json!({})
}

#[test]
fn what_no_rule_lets_is_refused() {
    let blog = Blog::new();
    let people = |name| {
        let from = From::Entity(blog.entity("person"));
        read(rows(0, from, blog.fields(&[(&[], "person.id"), (&[], name)])))
    };
    blog.check(
        &anonymous(),
        people("person.name"),
        "transaction, snapshot
          step 0 of root 0: read rows 0: entity person
            #0 field id
            #1 field name",
    );
    blog.check(&anonymous(), people("person.mail"), "You may not read `person.mail`.");
    blog.check(
        &json!({ "role": "nobody" }),
        people("person.name"),
        "You may not read rows of `person`.
         You may not read `person.id`.
         You may not read `person.name`.",
    );
    blog.check(&json!({ "role": "other" }), people("person.name"), "UnknownRole");
    blog.check(&json!({ "role": ["admin"] }), people("person.name"), "UnknownRole");
    blog.check(
        &json!({ "role": "admin" }),
        people("person.mail"),
        "transaction, snapshot
          step 0 of root 0: read rows 0: entity person
            #0 field id
            #1 field mail",
    );
}

#[test]
fn rules_add_up_in_rows_and_not_in_fields() {
    let blog = Blog::new();
    let mut people =
        rows(0, From::Entity(blog.entity("person")), blog.fields(&[(&[], "person.mail")]));
    people.filter = blog.equal("person.mail");
    people.order = vec![ordered(Place::field(blog.field("person.mail")))];
    blog.check(
        &author(),
        read(people),
        "transaction, snapshot
          step 0 of root 0: read rows 0: entity person, filter (mail if id = claim user) = 1, \
          order (mail if id = claim user) asc nulls last
            #0 field mail if id = claim user",
    );
}

#[test]
fn a_claim_that_is_missing_lets_nothing() {
    let blog = Blog::new();
    let posts =
        || read(rows(0, From::Entity(blog.entity("post")), blog.fields(&[(&[], "post.headline")])));
    let expected = "transaction, snapshot
          step 0 of root 0: read rows 0: entity post, filter none or status = \"public\"
            #0 field headline";
    blog.check(&json!({ "role": "author" }), posts(), expected);
    blog.check(&json!({ "role": "author", "user": null }), posts(), expected);
    blog.check(
        &author(),
        posts(),
        "transaction, snapshot
          step 0 of root 0: read rows 0: entity post, filter author_id = claim user or status = \"public\"
            #0 field headline",
    );
}

#[test]
fn rows_that_may_not_be_seen_are_absent_on_every_way_to_them() {
    let blog = Blog::new();
    let of_post = blog.forward("post_tag.post_id");
    let mut tagging = rows(
        0,
        From::Entity(blog.entity("post_tag")),
        blog.fields(&[(&[of_post], "post.headline"), (&[], "post_tag.tag_id")]),
    );
    tagging.order =
        vec![ordered(Place::Field { path: vec![of_post], field: blog.field("post.status") })];
    blog.check(
        &anonymous(),
        read(tagging),
        "transaction, snapshot
          step 0 of root 0: read rows 0: entity post_tag, filter post_id > 0, order ->post[post_id].status asc nulls last
            #0 field ->post[post_id].headline
            #1 field tag_id
            #9 present ->post[post_id] if status = \"public\"",
    );
}

#[test]
fn conditions_on_related_rows_look_at_those_that_may_be_seen() {
    let blog = Blog::new();
    let people = |quantifier| {
        let mut people =
            rows(0, From::Entity(blog.entity("person")), blog.fields(&[(&[], "person.id")]));
        people.filter = Filter::Relation {
            hop: blog.backward("post.author_id"),
            quantifier,
            filter: Box::new(blog.equal("post.headline")),
        };
        read(people)
    };
    let let_of = |quantifier| blog.let_of(&anonymous(), people(quantifier));
    let some = let_of(Quantifier::Some);
    assert!(some.contains("headline = 1 and status = \"public\""), "{some}");
    let every = let_of(Quantifier::Every);
    assert!(every.contains("no <-post") && every.contains("not (headline = 1)"), "{every}");
    assert!(every.contains("status = \"public\""), "{every}");
}

#[test]
fn joining_rows_have_their_own_condition() {
    let blog = Blog::new();
    let (near, far) = (blog.backward("post_tag.post_id"), blog.forward("post_tag.tag_id"));
    let through = From::Through { near, joining: Filter::all(), far };
    let tags = rows(1, through, blog.fields(&[(&[], "tag.word")]));
    let related = OutputKind::Related { path: Vec::new(), rows: Box::new(tags) };
    let posts =
        rows(0, From::Entity(blog.entity("post")), vec![Output { id: OutputId(3), kind: related }]);
    let text = blog.let_of(&anonymous(), read(posts));
    assert!(text.contains("with post_id > 0"), "{text}");
}

#[test]
fn what_is_not_understood_is_refused() {
    let blog = Blog::new();
    let keys = From::Keys { entity: blog.entity("tag"), keys: Vec::new() };
    let text = blog.let_of(&anonymous(), read(rows(0, keys, Vec::new())));
    assert!(text.contains("not known for rows by a list of keys"), "{text}");
    let variants = read(rows(0, From::Variants(Vec::new()), Vec::new()));
    assert!(blog.let_of(&anonymous(), variants).contains("several entities"));
    // Nobody would join the row whose condition it is.
    let mut tagging = rows(0, From::Entity(blog.entity("post")), Vec::new());
    let place = Place::Field {
        path: vec![blog.forward("post_tag.post_id")],
        field: blog.field("post.status"),
    };
    tagging.filter = Filter::Relation {
        hop: blog.backward("post_tag.post_id"),
        quantifier: Quantifier::Some,
        filter: Box::new(Filter::IsNull(place)),
    };
    let text = blog.let_of(&anonymous(), read(tagging));
    assert!(text.contains("a related row within a condition"), "{text}");
}

fn change(kind: StepKind, entity_rows: Vec<Output>) -> Request {
    let returned = From::Returned { step: StepId(0), state: State::After };
    steps(Isolation::ReadCommitted, vec![kind, StepKind::Read(rows(0, returned, entity_rows))])
}

fn insert(blog: &Blog, names: &[&str]) -> Request {
    let fields = names.iter().map(|name| blog.field(name)).collect();
    let row = names.iter().map(|_| Operand::Constant(Value::Integer(1))).collect();
    let kind = WriteKind::Insert(Insert { fields, rows: InsertedRows::each(vec![row]) });
    let write = Write { entity: blog.entity("post"), kind, children: Vec::new() };
    change(StepKind::Write(write), blog.fields(&[(&[], "post.headline")]))
}

#[test]
fn what_is_preset_is_written_and_cannot_be_said() {
    let blog = Blog::new();
    let text = blog.let_of(&author(), insert(&blog, &["post.headline"]));
    assert!(text.contains("author_id") && text.contains("claim user"), "{text}");
    assert!(
        text.contains(
            "rows of step 0 after it, filter author_id = claim user or status = \"public\""
        ),
        "{text}"
    );
    blog.check(
        &author(),
        insert(&blog, &["post.headline", "post.author_id"]),
        "You may not insert `post.author_id`.",
    );
    blog.check(
        &anonymous(),
        insert(&blog, &["post.headline"]),
        "You may not insert rows of `post`.",
    );
    // Without the claim there is nothing to be written.
    let without = blog.let_of(&json!({ "role": "author" }), insert(&blog, &["post.headline"]));
    assert_eq!(without, "You may not insert rows of `post`.\n");
}

fn update(blog: &Blog, name: &str) -> Request {
    let one = Assignment::Set(Operand::Constant(Value::Integer(1)));
    let (filter, assignments) = (blog.equal("post.id"), vec![(blog.field(name), one)]);
    let kind = WriteKind::Update(Update { filter, assignments, at_most: None });
    let write = Write { entity: blog.entity("post"), kind, children: Vec::new() };
    change(StepKind::Write(write), Vec::new())
}

#[test]
fn what_one_rule_presets_is_not_written_to_rows_of_another() {
    const RULES: &str = r#"
roles.author = { rules = ["all", "public"] }
[rules]
all = { entity = "post", read = { columns = "*" }, update = { columns = ["headline"], rows = { ROWS } } }
public.entity = "post"
public.update = { rows = { status = { eq = "public" } }, columns = ["headline"], presets = { author_id = 7 } }"#;
    let check = |rows: &str, expected: &str| {
        let blog = Blog::under(&RULES.replace("ROWS", rows));
        let text = blog.let_of(&author(), update(&blog, "post.headline"));
        assert!(text.contains(expected), "{text}");
    };
    check("", "with these fields together");
    check(r#"status = { eq = "public" }"#, "author_id");
}

#[test]
fn rows_are_changed_that_may_be_changed_and_seen() {
    let blog = Blog::new();
    let text = blog.let_of(&author(), update(&blog, "post.headline"));
    let expected =
        "id = 1 and author_id = claim user and (author_id = claim user or status = \"public\")";
    assert!(text.contains(expected), "{text}");
    blog.check(&author(), update(&blog, "post.status"), "You may not update `post.status`.");
    let kind = WriteKind::Delete { filter: blog.equal("post.id"), at_most: None };
    let write = Write { entity: blog.entity("post"), kind, children: Vec::new() };
    let delete = || change(StepKind::Write(write.clone()), Vec::new());
    let text = blog.let_of(&author(), delete());
    assert!(text.contains("author_id = claim user") && text.contains("post_tag"), "{text}");
    blog.check(&anonymous(), delete(), "You may not delete rows of `post`.");
    // A bound on their number takes no rule away.
    let at_most = Some(Operand::Constant(Value::Integer(5)));
    let kind = WriteKind::Delete { filter: blog.equal("post.status"), at_most };
    let write = Write { entity: blog.entity("post"), kind, children: Vec::new() };
    let text = blog.let_of(&author(), change(StepKind::Write(write), Vec::new()));
    assert!(text.contains("author_id = claim user") && text.contains("at most 5"), "{text}");
}

#[test]
fn roles_with_the_same_rules_share_their_plans() {
    let blog = Blog::new();
    let id = |claims: Json| blog.policies.of(Some(&Claims::new(claims))).unwrap().id();
    assert_eq!(id(json!({})), id(json!({ "role": "anonymous", "user": 7 })));
    assert_eq!(id(json!({ "role": "author", "user": 7 })), id(author()));
    assert_ne!(id(json!({ "role": "author" })), id(author()));
    assert_ne!(id(json!({ "role": "nobody" })), id(json!({})));
    assert_eq!(blog.policies.of(None).unwrap().id(), id(json!({})));
}

#[test]
fn without_a_default_role_nothing_is_let() {
    let catalog = blog();
    let file = PolicyFile::parse("[roles.admin]\nall = true\n").unwrap();
    let policies = Policies::new(&file, &catalog).unwrap();
    assert_eq!(policies.of(None).unwrap_err(), Refusal::NoRole);
    let empty = Claims::new(json!({}));
    assert_eq!(policies.of(Some(&empty)).unwrap_err(), Refusal::NoRole);
}

#[test]
fn a_file_that_does_not_fit_is_refused_with_its_line() {
    let catalog = blog();
    let check = |text: &str, expected: &str| {
        let problem = match PolicyFile::parse(text) {
            Err(problem) => problem.to_string(),
            Ok(file) => Policies::new(&file, &catalog).unwrap_err().to_string(),
        };
        assert!(problem.contains(expected), "{problem}\n{text}");
    };
    let rule = |line: &str| format!("[rules.r]\nentity = \"post\"\n{line}\n");
    check("roles = 1", "line 1: a table is wanted, not a number");
    check("[rule.x]", "`rule` is nothing that the file has");
    check("[rules.r]\nread = {}", "a rule names its `entity`");
    check(&rule("reads = {}"), "line 3: `reads` is nothing that a rule has");
    check(&rule("read = { columns = \"id\" }"), "columns are a list of names, or");
    check(&rule("read = { columns = [\"nme\"] }"), "line 3: `post` has no column `nme`");
    check(&rule("read = { rows = { id = 1 } }"), "such as `{ eq = 1 }`");
    check(&rule("read = { rows = { id = { is = 1 } } }"), "`is` is nothing that a condition");
    check(&rule("read = { rows = { id = {} } }"), "a condition on a column is missing");
    check(&rule("read = { rows = { id = { eq = [1] } } }"), "one value is wanted, not a list");
    check(&rule("read = { rows = { some = {} } }"), "the related table is missing");
    check(&rule("read = { rows = { some = { tag = {} } } }"), "no relationship leads from `post`");
    check(&rule("update = { rows = { id = { eq = 1 } }, columns = \"*\" }"), "`id` decides which");
    check("[rules.r]\nentity = \"posts\"", "the source has no table or view `posts`");
    check("[roles.a]\nrules = [\"x\"]", "there is no rule `x`");
    check("[roles.a]\ninherits = [\"x\"]", "there is no role `x`");
    check("[roles.a]\ninherits = [\"b\"]\n[roles.b]\ninherits = [\"a\"]", "inherits from itself");
    check("[roles.a]\nfunctions = [\"x\"]", "the source has no function `x`");
    check("default_role = \"a\"", "there is no role `a`");
    let person = "[rules.r]\nentity = \"person\"\nread = { rows = { some = { person = {} } } }";
    check(person, "several relationships lead from `person` to `person`");
}

#[test]
fn a_relationship_to_the_table_itself_says_its_way() {
    let catalog = blog();
    let text = "[rules.r]\nentity = \"person\"\nread = { rows = { some = { \"<-person\" = {} } } }";
    assert!(Policies::new(&PolicyFile::parse(text).unwrap(), &catalog).is_ok());
}
