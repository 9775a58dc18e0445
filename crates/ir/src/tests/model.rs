//! Catalogs from a few words, and short names for the parts of a request.

use catalog::builder::{NewField, NewFunction, NewRelationship};
use catalog::{
    Argument, ArgumentType, Builder, Capabilities, Catalog, EntityId, EntityKind, FieldId,
    FunctionId, FunctionResult, RelationshipId, Scalar, Type, Volatility,
};
use ir::{
    Comparison, Direction, Filter, Form, From, Hop, HopDirection, Isolation, Nulls, Operand,
    OrderKey, OrderTerm, Output, OutputId, OutputKind, Page, PathItem, Request, Rows, RowsId, Slot,
    Step, StepId, StepKind, Transaction, Value, ValueRef,
};

pub(crate) struct Model {
    pub(crate) catalog: Catalog,
}

impl Model {
    /// Reads lines like `post: id, author_id > person, headline`; `A -[NAME]-> B` is a graph's
    /// relationship, `name(argument)` a function; `_` is no name.
    pub(crate) fn new(text: &str) -> Self {
        let mut builder = Builder::new(Capabilities::default());
        let mut references = Vec::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if let Some((from, rest)) = line.split_once(" -[") {
                let (name, to) = rest.split_once("]-> ").expect("a relationship");
                references.push((from.to_owned(), None, to.to_owned(), name.to_owned()));
                continue;
            }
            if let Some((name, argument)) = line.split_once('(') {
                builder.function(new_function(name, argument.trim_end_matches(')')));
                continue;
            }
            let (entity, fields) = line.split_once(": ").expect("an entity");
            let id = builder.entity(None, entity.into(), EntityKind::Table, None);
            for field in fields.split(", ") {
                let (name, target) = match field.split_once(" > ") {
                    Some((name, target)) => (name, Some(target)),
                    None => (field, None),
                };
                let name_of_field = builder.field(id, new_field(name));
                if let Some(target) = target {
                    let from = entity.to_owned();
                    references.push((from, Some(name_of_field), target.to_owned(), name.into()));
                }
            }
        }
        for (from, field, to, name) in references {
            let find = |name: &str| {
                builder.catalog().find_entity(None, name).expect("an entity of the model").id
            };
            let (from, to) = (find(&from), find(&to));
            builder.relationship(NewRelationship {
                name: name.into(),
                from,
                from_fields: field.into_iter().collect(),
                to,
                to_fields: Vec::new(),
                description: None,
            });
        }
        Self { catalog: builder.finish() }
    }

    pub(crate) fn entity(&self, name: &str) -> EntityId {
        self.catalog.find_entity(None, name).expect("an entity of the model").id
    }

    /// By `entity.field`.
    pub(crate) fn field(&self, name: &str) -> FieldId {
        let (entity, field) = name.split_once('.').expect("entity.field");
        self.catalog.find_field(self.entity(entity), field).expect("a field of the model").id
    }

    pub(crate) fn function(&self, name: &str) -> FunctionId {
        let mut found = self.catalog.functions().filter(|function| &*function.name == name);
        found.next().expect("a function of the model").id
    }

    pub(crate) fn fields(&self, names: &[&str]) -> Vec<FieldId> {
        names.iter().map(|name| self.field(name)).collect()
    }

    pub(crate) fn forward(&self, name: &str) -> Hop {
        Hop { relationship: self.relationship(name), direction: HopDirection::Forward }
    }

    pub(crate) fn backward(&self, name: &str) -> Hop {
        Hop { relationship: self.relationship(name), direction: HopDirection::Backward }
    }

    /// By `entity.field` or `entity.NAME`.
    fn relationship(&self, name: &str) -> RelationshipId {
        let (entity, name) = name.split_once('.').expect("entity.relationship");
        let entity = self.entity(entity);
        let mut found = self
            .catalog
            .relationships()
            .filter(|relationship| relationship.from == entity && &*relationship.name == name);
        found.next().expect("a relationship of the model").id
    }

    pub(crate) fn output(&self, id: u32, field: &str) -> Output {
        self.along(id, &[], field)
    }

    pub(crate) fn along(&self, id: u32, path: &[Hop], field: &str) -> Output {
        let (path, field) = (path.to_vec(), self.field(field));
        output(id, OutputKind::Field { path, field, form: Form::Stored })
    }

    pub(crate) fn place(&self, field: &str) -> ValueRef {
        ValueRef::field(self.field(field))
    }

    pub(crate) fn compare(&self, field: &str, comparison: Comparison, operand: Operand) -> Filter {
        Filter::Compare { place: self.place(field), comparison, operand }
    }

    pub(crate) fn equal(&self, field: &str, operand: Operand) -> Filter {
        self.compare(field, Comparison::Equal, operand)
    }

    pub(crate) fn present(&self, field: &str) -> Filter {
        Filter::Not(Box::new(Filter::IsNull(self.place(field))))
    }

    pub(crate) fn ascending(&self, field: &str) -> OrderTerm {
        ascending(self.place(field))
    }

    pub(crate) fn check(&self, request: &Request) {
        let printed = ir::print(request, &self.catalog);
        let block = format!("```text\n{printed}```\n");
        let page = include_str!("../../../../docs/internals/paper-proof.md");
        assert!(page.contains(&block), "paper-proof.md does not show this:\n{block}");
    }
}

fn new_field(name: &str) -> NewField {
    NewField {
        name: name.into(),
        r#type: Type::Scalar(Scalar::Text),
        nullable: true,
        has_default: false,
        generated: None,
        description: None,
    }
}

fn new_function(name: &str, argument: &str) -> NewFunction {
    let argument = Argument {
        name: (argument != "_").then(|| argument.into()),
        r#type: ArgumentType::Value(Type::Scalar(Scalar::Text)),
        has_default: false,
    };
    NewFunction {
        namespace: None,
        name: name.into(),
        volatility: Volatility::Stable,
        strict: false,
        arguments: vec![argument],
        result: FunctionResult::Nothing,
        output_name: None,
        description: None,
    }
}

pub(crate) fn ascending(place: ValueRef) -> OrderTerm {
    let (direction, nulls) = (Direction::Ascending, Nulls::Last);
    OrderTerm { key: OrderKey::Value(place), direction, nulls }
}

pub(crate) fn output(id: u32, kind: OutputKind) -> Output {
    Output { id: OutputId(id), kind }
}

pub(crate) fn related(id: u32, path: &[Hop], rows: Rows) -> Output {
    output(id, OutputKind::Related { path: path.to_vec(), rows: Box::new(rows) })
}

pub(crate) fn rows(id: u32, from: From, outputs: Vec<Output>) -> Rows {
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

pub(crate) fn limit(limit: Operand) -> Page {
    Page::Offset { limit: Some(limit), offset: None, look_ahead: false }
}

/// `$0.post.title`, `$0[1].id`: by slot, keys and indexes.
pub(crate) fn variable(slot: u16, path: &str) -> Operand {
    let items = path
        .split('.')
        .filter(|item| !item.is_empty())
        .map(|item| item.parse().map_or_else(|_| PathItem::Key(item.into()), PathItem::Index));
    Operand::Variable { slot: Slot(slot), path: items.collect() }
}

pub(crate) fn integer(value: i64) -> Operand {
    Operand::Constant(Value::Integer(value))
}

pub(crate) fn text(value: &str) -> Operand {
    Operand::Constant(Value::Text(value.into()))
}

/// Steps of one root field in one transaction.
pub(crate) fn request(isolation: Isolation, kinds: Vec<StepKind>) -> Request {
    let step = |(id, kind)| Step::new(StepId(id), 0, kind);
    let steps = (0..).zip(kinds).map(step).collect();
    Request { transactions: vec![Transaction { isolation, steps }], ..Request::default() }
}

pub(crate) fn snapshot(rows: Rows) -> Request {
    request(Isolation::Snapshot, vec![StepKind::Read(rows)])
}

pub(crate) fn read_committed(kinds: Vec<StepKind>) -> Request {
    request(Isolation::ReadCommitted, kinds)
}
