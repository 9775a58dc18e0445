//! Explanation of the access to one row, as text.

use std::fmt::Write as _;

use access::{Privilege, operand_claims};
use catalog::{Catalog, EntityId, FieldId};
use ir::{Claims, Filter, Operand, ValueRef};

use super::RoleGrants;
use super::row::RowName;
use super::truth::{Part, Read, Truth, Weighed, WeighedRule};

/// Printer of the explanation of one row.
struct RowPrinter<'t> {
    catalog: &'t Catalog,
    entity: EntityId,
    role: &'t RoleGrants<'t>,
    claims: Option<&'t Claims>,
    weighed: &'t Weighed<'t>,
    read: &'t Read,
    out: String,
}

/// Prints the permissions of a role on a row, with the rules that decide each.
pub(super) fn print(
    catalog: &Catalog,
    entity: EntityId,
    name: &RowName,
    role: &RoleGrants<'_>,
    claims: Option<&Claims>,
    weighed: &Weighed<'_>,
    read: &Read,
) -> String {
    let out = String::new();
    let mut printer = RowPrinter { catalog, entity, role, claims, weighed, read, out };
    printer.head(name);
    if role.is_superuser {
        printer.line(0, "everything is allowed");
        return printer.out;
    }
    printer.claims();
    let is_seen = printer.read();
    printer.change(Privilege::Update, is_seen);
    printer.change(Privilege::Delete, is_seen);
    printer.out
}

impl RowPrinter<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.out, "{:1$}{text}", "", 2 * depth);
    }

    fn head(&mut self, name: &RowName) {
        let columns = name.columns.iter().map(|(column, value)| format!("{column} = {value}"));
        let columns = columns.collect::<Vec<_>>().join(", ");
        let entity = self.catalog.qualified_name(self.entity);
        self.line(0, &format!("row of {entity} with {columns}"));
        let rules = self.role.grants.iter().filter(|rule| rule.entity == self.entity);
        let names = rules.map(|rule| &**rule.name).collect::<Vec<_>>().join(", ");
        let role = match names.is_empty() {
            true => format!("role {}, without rules about it", self.role.name),
            false => format!("role {}, with the rules {names} about it", self.role.name),
        };
        self.line(0, &role);
    }

    /// The values of the claims that its rules about the entity name.
    fn claims(&mut self) {
        for claim in self.role.claims_about(self.entity) {
            let text = match self.claims.and_then(|claims| claims.get(&claim)) {
                Some(value) if !value.is_null() => format!("claim {claim} is {value}"),
                Some(_) | None => format!("claim {claim} is missing"),
            };
            self.line(0, &text);
        }
    }

    /// Prints whether the row can be read, and which of its columns; returns whether it can.
    fn read(&mut self) -> bool {
        let is_seen = self.is_permitted(Privilege::Read);
        self.line(0, if is_seen { "read: seen" } else { "read: not seen" });
        self.rules(Privilege::Read);
        if self.weighed.rules(Privilege::Read).next().is_none() {
            return false;
        }
        let columns = self.catalog[self.entity].fields.iter();
        let columns: Vec<String> =
            columns.filter_map(|field| self.column(*field, is_seen)).collect();
        if !columns.is_empty() {
            self.line(0, "columns");
        }
        columns.iter().for_each(|text| self.line(1, text));
        is_seen
    }

    /// The access to a column, with its rules; `None` where the row alone is the reason.
    fn column(&self, field: FieldId, is_seen: bool) -> Option<String> {
        let naming: Vec<&WeighedRule<'_>> = self
            .weighed
            .rules(Privilege::Read)
            .filter(|rule| rule.permission.fields.contains(&field))
            .collect();
        let names = |rules: &[&WeighedRule<'_>]| {
            rules.iter().map(|rule| rule.name).collect::<Vec<_>>().join(", ")
        };
        let permitting: Vec<&WeighedRule<'_>> =
            naming.iter().copied().filter(|rule| self.permits(rule)).collect();
        let text = match (naming.is_empty(), is_seen, permitting.is_empty()) {
            (true, _, _) => "refused, no rule names it to read".to_owned(),
            (false, false, _) => return None,
            (false, true, false) => format!("seen, by {}", names(&permitting)),
            (false, true, true) => format!("null, not let in this row by {}", names(&naming)),
        };
        Some(format!("{}: {text}", self.catalog[field].name))
    }

    /// Prints whether the row may be updated or deleted, and which columns.
    fn change(&mut self, privilege: Privilege, is_seen: bool) {
        let is_permitted = self.is_permitted(privilege);
        let text = match (is_permitted, is_seen) {
            (true, true) => "let".to_owned(),
            (true, false) => "refused, since the row is not seen".to_owned(),
            (false, _) => "refused".to_owned(),
        };
        self.line(0, &format!("{privilege}: {text}"));
        self.rules(privilege);
    }

    /// Prints each rule, and the truth of its condition for the row.
    fn rules(&mut self, privilege: Privilege) {
        let weighed = self.weighed;
        if weighed.rules(privilege).next().is_none() {
            self.line(1, "no rule lets it");
        }
        for rule in weighed.rules(privilege) {
            let word = if self.permits(rule) { "lets" } else { "does not let" };
            let mut text = format!("{} {word} it", rule.name);
            if self.permits(rule) && privilege == Privilege::Update {
                text += &self.written(rule);
            }
            self.line(1, &text);
            match &rule.part {
                Part::All(parts) if parts.is_empty() => self.line(2, "true: all rows"),
                Part::All(parts) => parts.iter().for_each(|part| self.part(part, 2)),
                part => self.part(part, 2),
            }
            for (field, operand) in rule.permission.presets.iter() {
                let Some(claim) = self.missing_claim(operand) else { continue };
                let name = &self.catalog[*field].name;
                let text =
                    format!("unknown: what it writes into {name} (claim {claim} is missing)");
                self.line(2, &text);
            }
        }
    }

    /// The columns that an update by a rule may set, and its presets.
    fn written(&self, rule: &WeighedRule<'_>) -> String {
        let name = |field: &FieldId| &*self.catalog[*field].name;
        let mut fields: Vec<FieldId> = rule.permission.fields.iter().copied().collect();
        fields.sort_unstable();
        let is_preset =
            |field: &FieldId| rule.permission.presets.iter().any(|(preset, _)| preset == field);
        let fields: Vec<&str> = fields.iter().filter(|field| !is_preset(field)).map(name).collect();
        let presets: Vec<&str> =
            rule.permission.presets.iter().map(|(field, _)| name(field)).collect();
        let columns = match fields.is_empty() {
            true => ", in no column".to_owned(),
            false => format!(", in {}", fields.join(", ")),
        };
        match presets.is_empty() {
            true => columns,
            false => format!("{columns}; it writes {} by itself", presets.join(", ")),
        }
    }

    fn part(&mut self, part: &Part, depth: usize) {
        let word = match part.truth(self.read) {
            Truth::True => "true",
            Truth::False => "false",
            Truth::Unknown => "unknown",
        };
        let weighed = self.weighed;
        match part {
            Part::All(parts) => self.parts("all", word, parts, depth),
            Part::Any(parts) => self.parts("any", word, parts, depth),
            Part::Not(part) => {
                self.parts("the contrary", word, std::slice::from_ref(&**part), depth)
            }
            Part::Test(place) => {
                let Some(filter) = weighed.tests().get(*place) else { return };
                let text = ir::print_filter(filter, self.catalog);
                let found = self.found(filter);
                self.line(depth, &format!("{word}: {text}{found}"));
            }
            Part::Missing { filter, claim } => {
                let text = ir::print_filter(filter, self.catalog);
                self.line(depth, &format!("{word}: {text} (claim {claim} is missing)"));
            }
        }
    }

    fn parts(&mut self, kind: &str, word: &str, parts: &[Part], depth: usize) {
        self.line(depth, &format!("{word}: {kind} of"));
        parts.iter().for_each(|part| self.part(part, depth + 1));
    }

    /// The value of the column that a test compares.
    fn found(&self, filter: &Filter) -> String {
        let place = match filter {
            Filter::Compare { place, .. } | Filter::Text { place, .. } | Filter::IsNull(place) => {
                place
            }
            _ => return String::new(),
        };
        let ValueRef::Field { field, .. } = place else { return String::new() };
        let value = self.read.values.iter().find(|(known, _)| known == field);
        let name = &self.catalog[*field].name;
        match value {
            Some((_, Some(value))) => format!(" ({name} is {value})"),
            Some((_, None)) => format!(" ({name} is null)"),
            None => String::new(),
        }
    }

    fn permits(&self, rule: &WeighedRule<'_>) -> bool {
        // A rule whose preset has no value permits no writes.
        let presets = &rule.permission.presets;
        rule.part.truth(self.read) == Truth::True
            && !presets.iter().any(|(_, operand)| self.missing_claim(operand).is_some())
    }

    /// The missing claim that a preset would write.
    fn missing_claim(&self, operand: &Operand) -> Option<Box<str>> {
        let mut missing = None;
        operand_claims(operand, &mut |claim| {
            if missing.is_none() && self.role.is_missing(claim) {
                missing = Some(claim.into());
            }
        });
        missing
    }

    fn is_permitted(&self, privilege: Privilege) -> bool {
        self.weighed.rules(privilege).any(|rule| self.permits(rule))
    }
}
