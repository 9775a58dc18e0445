//! The tree as text: a line for each set of rows, step or write, with its parts below, indented by
//! two spaces. Equal trees print alike.
//!
//! A relationship prints as `->artist[artist_id]` along the reference and as `<-album[artist_id]`
//! against it: the far entity, and the fields that refer. Outputs print as `#3`, a parameter that a
//! variable fills as `$0`.
//!
//! * `phrase`: parts of a line: operands, compared values, filters, orders, pages
//! * `write`: writes and their children

mod field_set;
mod objects;
mod phrase;
mod write;

use catalog::Catalog;

use crate::event::EventKind;
use crate::filter::Filter;
use crate::request::{
    Isolation, Otherwise, OtherwiseKind, Request, Require, Step, StepCondition, StepKind,
};
use crate::rows::{Aggregate, AggregateTerm, From, Output, OutputKind, Page, Rows, State, Variant};
pub use field_set::print_field_set;

/// The request as text, its fields, entities and relationships by their names in `catalog`.
#[must_use]
pub fn print(request: &Request, catalog: &Catalog) -> String {
    let mut printer = Printer { catalog, text: String::new(), depth: 0 };
    for (claim, name) in &request.claimed_names {
        printer.line(format!("name {name:?} of claim {claim}"));
    }
    for transaction in &request.transactions {
        printer.line(match transaction.isolation {
            Isolation::Snapshot => "transaction, snapshot",
            Isolation::ReadCommitted => "transaction, read committed",
        });
        printer.indented(|printer| {
            for step in &transaction.steps {
                printer.step(step);
            }
        });
    }
    printer.text
}

/// A condition on rows as text.
#[must_use]
pub fn print_filter(filter: &Filter, catalog: &Catalog) -> String {
    Printer { catalog, text: String::new(), depth: 0 }.filter(filter)
}

struct Printer<'c> {
    catalog: &'c Catalog,
    text: String,
    depth: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: impl AsRef<str>) {
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
        self.text.push_str(text.as_ref());
        self.text.push('\n');
    }

    fn indented(&mut self, print: impl FnOnce(&mut Self)) {
        self.depth += 1;
        print(self);
        self.depth -= 1;
    }

    fn step(&mut self, step: &Step) {
        let mut lead = format!("step {} of root {}", step.id.0, step.root);
        for (place, StepCondition { step, exists }) in step.when.iter().enumerate() {
            lead.push_str(if place == 0 { ", if " } else { " and " });
            let rows = if *exists { "a row" } else { "no row" };
            lead.push_str(&format!("step {} read {rows}", step.0));
        }
        lead.push_str(": ");
        match &step.kind {
            StepKind::Read(rows) => self.rows(&format!("{lead}read "), rows),
            StepKind::Write(write) => self.write(&lead, write),
            StepKind::Call(call) => self.line(format!("{lead}call {}", self.call(call))),
            StepKind::Require(require) => self.require(&lead, require),
            StepKind::Objects(change) => self.objects(&lead, change),
        }
    }

    fn require(&mut self, lead: &str, require: &Require) {
        let mut text = format!("{lead}require {} row", if require.exists { "a" } else { "no" });
        if !require.filter.is_all() {
            text.push_str(&format!(" with {}", self.filter(&require.filter)));
        }
        text.push_str(&self.otherwise(&require.otherwise));
        self.line(text);
        self.indented(|printer| printer.rows("", &require.rows));
    }

    /// The end of a line that states the requirement.
    fn otherwise(&self, otherwise: &Otherwise) -> String {
        let Otherwise { kind, message, gaps } = otherwise;
        let kind = match kind {
            OtherwiseKind::Missing => "missing",
            OtherwiseKind::TooMany => "too many",
            OtherwiseKind::Refused => "refused",
            OtherwiseKind::Invalid => "invalid",
            OtherwiseKind::Unrelated => "unrelated",
            OtherwiseKind::RequiredRelation => "required relation",
        };
        let mut text = format!(", otherwise {kind} {message:?}");
        if !gaps.is_empty() {
            text.push_str(&format!(" ({})", self.operands(gaps)));
        }
        text
    }

    fn rows(&mut self, lead: &str, rows: &Rows) {
        let mut text = format!("{lead}rows {}: {}", rows.id.0, self.from(&rows.from));
        if rows.single {
            text.push_str(", single");
        }
        if rows.once {
            text.push_str(", each once");
        }
        if !rows.shown {
            text.push_str(", not shown");
        }
        if !rows.filter.is_all() {
            text.push_str(&format!(", filter {}", self.filter(&rows.filter)));
        }
        if !rows.distinct.is_empty() {
            text.push_str(&format!(", distinct {}", self.fields(&rows.distinct)));
        }
        if !rows.order.is_empty() {
            text.push_str(&format!(", order {}", self.order(&rows.order)));
        }
        if rows.page != Page::All {
            text.push_str(&format!(", page {}", self.page(&rows.page)));
        }
        self.line(text);
        self.indented(|printer| {
            if let From::Variants(variants) | From::FunctionOfVariants { variants, .. } = &rows.from
            {
                for variant in variants {
                    printer.variant(variant);
                }
            }
            printer.outputs(&rows.outputs);
        });
    }

    fn from(&self, from: &From) -> String {
        match from {
            From::Entity(entity) => format!("entity {}", self.entity(*entity)),
            From::Variants(_) => "variants".to_owned(),
            From::Relation(hop) => format!("relation {}", self.hop(*hop)),
            From::Through { near, joining, far } if joining.is_all() => {
                format!("through {} {}", self.hop(*near), self.hop(*far))
            }
            From::Through { near, joining, far } => {
                let (near, joining) = (self.hop(*near), self.filter(joining));
                format!("through {near} with {joining} {}", self.hop(*far))
            }
            From::Joining { near, far } => {
                format!("joining {} {}", self.hop(*near), self.hop(*far))
            }
            From::Function(call) => format!("function {}", self.call(call)),
            From::FunctionOfVariants { call, .. } => {
                format!("variants by function {}", self.call(call))
            }
            From::Value(field) => format!("value {}", self.field(*field)),
            From::Search { search, operand } => {
                let search = &self.catalog[*search];
                let (index, entity) = (&search.name, self.entity(search.entity));
                format!("search of {entity} by {index:?} for {}", self.operand(operand))
            }
            From::List { list, .. } => format!("each of {}", self.operand(list)),
            From::Once => "once".to_owned(),
            From::Event(node) => {
                let kind = match node.kind {
                    Some(EventKind::Created) => "created",
                    Some(EventKind::Updated) => "updated",
                    Some(EventKind::Deleted) => "deleted",
                    None => "state of",
                };
                let properties = self.operand(&node.properties);
                format!("event {kind} {} {properties}", self.entity(node.entity))
            }
            From::Keys { entity, keys, external } => {
                let keys = keys.iter().map(|(field, operand)| {
                    format!("{} in {}", self.field(*field), self.operand(operand))
                });
                let external = external.iter().zip(0..).map(|(external, number)| {
                    format!("told {number} in {}", self.operand(&external.values))
                });
                let keys = keys.chain(external).collect::<Vec<_>>().join(", ");
                format!("keys of {} ({keys})", self.entity(*entity))
            }
            From::Returned { step, state } => match state {
                State::Before => format!("rows of step {} before it", step.0),
                State::After => format!("rows of step {} after it", step.0),
            },
        }
    }

    fn variant(&mut self, variant: &Variant) {
        let mut text = match variant.hop {
            Some(hop) => format!("variant {}", self.hop(hop)),
            None => format!("variant {}", self.entity(variant.entity)),
        };
        if !variant.filter.is_all() {
            text.push_str(&format!(", filter {}", self.filter(&variant.filter)));
        }
        if !variant.common.is_empty() {
            text.push_str(&format!(", common {}", self.fields(&variant.common)));
        }
        self.line(text);
        self.indented(|printer| printer.outputs(&variant.outputs));
    }

    fn outputs(&mut self, outputs: &[Output]) {
        for output in outputs {
            self.output(output);
        }
    }

    fn output(&mut self, output: &Output) {
        let id = output.id.0;
        match &output.kind {
            OutputKind::Field { path, field, form } => {
                let field = self.end(path, *field);
                self.line(format!("#{id} field {field}{}", phrase::form(*form)));
            }
            OutputKind::FieldIf { path, field, form, filter } => {
                let (field, form) = (self.end(path, *field), phrase::form(*form));
                self.line(format!("#{id} field {field}{form} if {}", self.filter(filter)));
            }
            OutputKind::Present { path } => {
                let path = if path.is_empty() { "row".to_owned() } else { self.path(path) };
                self.line(format!("#{id} present {path}"));
            }
            OutputKind::PresentIf { path, filter } => {
                let (path, filter) = (self.path(path), self.filter(filter));
                self.line(format!("#{id} present {path} if {filter}"));
            }
            OutputKind::Edge { field, form } => {
                let (field, form) = (self.field(*field), phrase::form(*form));
                self.line(format!("#{id} edge {field}{form}"));
            }
            OutputKind::Related { path, rows } => {
                self.rows(&format!("#{id} related {}", phrase::spaced(self.path(path))), rows);
            }
            OutputKind::Aggregate(aggregate) => self.aggregate(id, aggregate),
            OutputKind::Groups(groups) => {
                let by = groups.by.iter().map(|place| self.place(place));
                let by = by.collect::<Vec<_>>().join(", ");
                let by = if by.is_empty() { "nothing".to_owned() } else { by };
                self.line(format!("#{id} groups by {by} of rows {}", groups.rows.0));
                self.indented(|printer| printer.outputs(&groups.outputs));
            }
            OutputKind::OrderValue(key) => {
                self.line(format!("#{id} order value {}", self.order_key(key)));
            }
            OutputKind::Computed { call, form } => {
                let form = phrase::form(*form);
                self.line(format!("#{id} computed {}{form}", self.call(call)));
            }
            OutputKind::Count => self.line(format!("#{id} count")),
            OutputKind::Common { place, form } => {
                self.line(format!("#{id} common {place}{}", phrase::form(*form)));
            }
            OutputKind::Variant => self.line(format!("#{id} variant")),
            OutputKind::Ordinal => self.line(format!("#{id} ordinal")),
            OutputKind::Counter { step, counter } => {
                self.line(format!("#{id} {} of step {}", phrase::counter(*counter), step.0));
            }
        }
    }

    fn aggregate(&mut self, id: u32, aggregate: &Aggregate) {
        let extent = if aggregate.paged { "page" } else { "all" };
        self.line(format!("#{id} aggregate of {extent}{}", self.groups(aggregate)));
        self.indented(|printer| {
            for AggregateTerm { id, function, place, form, once } in &aggregate.terms {
                let term = printer.term(*function, place.as_ref());
                let once = if *once { ", each once" } else { "" };
                printer.line(format!("#{} {term}{}{once}", id.0, phrase::form(*form)));
            }
        });
    }
}
