//! Explanation of the access to one row, as text.

use std::fmt::Write as _;

use access::{Privilege, preset_claim};
use catalog::{Catalog, EntityId, FieldId};
use ir::{Claims, Filter, Operand, ValueRef};

use super::RoleGrants;
use super::row::RowName;
use super::truth::{Part, Read, Truth, Weighed, WeighedRule};

/// What is told of one row.
struct Telling<'t> {
    catalog: &'t Catalog,
    entity: EntityId,
    role: &'t RoleGrants<'t>,
    claims: Option<&'t Claims>,
    weighed: &'t Weighed<'t>,
    read: &'t Read,
    out: String,
}

/// Everything that is let of a row, and what refuses the rest.
pub(super) fn tell(
    catalog: &Catalog,
    entity: EntityId,
    name: &RowName,
    role: &RoleGrants<'_>,
    claims: Option<&Claims>,
    weighed: &Weighed<'_>,
    read: &Read,
) -> String {
    let out = String::new();
    let mut telling = Telling { catalog, entity, role, claims, weighed, read, out };
    telling.head(name);
    if role.is_superuser {
        telling.line(0, "everything is let");
        return telling.out;
    }
    telling.claims();
    let is_seen = telling.read();
    telling.change(Privilege::Update, is_seen);
    telling.change(Privilege::Delete, is_seen);
    telling.out
}

impl Telling<'_> {
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
        let names = rules.map(|rule| &*rule.name).collect::<Vec<_>>().join(", ");
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

    /// Whether the row is seen, and which of its columns.
    fn read(&mut self) -> bool {
        let is_seen = self.is_let(Privilege::Read);
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

    /// What is seen of a column, or why not; nothing where the row alone is the reason.
    fn column(&self, field: FieldId, is_seen: bool) -> Option<String> {
        let naming: Vec<&WeighedRule<'_>> = self
            .weighed
            .rules(Privilege::Read)
            .filter(|rule| rule.permission.fields.contains(&field))
            .collect();
        let names = |rules: &[&WeighedRule<'_>]| {
            rules.iter().map(|rule| &**rule.name).collect::<Vec<_>>().join(", ")
        };
        let letting: Vec<&WeighedRule<'_>> =
            naming.iter().copied().filter(|rule| self.lets(rule)).collect();
        let text = match (naming.is_empty(), is_seen, letting.is_empty()) {
            (true, _, _) => "refused, no rule names it to read".to_owned(),
            (false, false, _) => return None,
            (false, true, false) => format!("seen, by {}", names(&letting)),
            (false, true, true) => format!("null, not let in this row by {}", names(&naming)),
        };
        Some(format!("{}: {text}", self.catalog[field].name))
    }

    /// Whether the row may be changed so, and what of it.
    fn change(&mut self, privilege: Privilege, is_seen: bool) {
        let is_let = self.is_let(privilege);
        let text = match (is_let, is_seen) {
            (true, true) => "let".to_owned(),
            (true, false) => "refused, since the row is not seen".to_owned(),
            (false, _) => "refused".to_owned(),
        };
        self.line(0, &format!("{privilege}: {text}"));
        self.rules(privilege);
    }

    /// Each rule, and what its condition says of the row.
    fn rules(&mut self, privilege: Privilege) {
        let weighed = self.weighed;
        if weighed.rules(privilege).next().is_none() {
            self.line(1, "no rule lets it");
        }
        for rule in weighed.rules(privilege) {
            let word = if self.lets(rule) { "lets" } else { "does not let" };
            let mut text = format!("{} {word} it", rule.name);
            if self.lets(rule) && privilege == Privilege::Update {
                text += &self.written(rule);
            }
            self.line(1, &text);
            match &rule.part {
                Part::All(parts) if parts.is_empty() => self.line(2, "true: all rows"),
                Part::All(parts) => parts.iter().for_each(|part| self.part(part, 2)),
                part => self.part(part, 2),
            }
            for (field, operand) in &rule.permission.presets {
                let Some(claim) = self.missing_claim(operand) else { continue };
                let name = &self.catalog[*field].name;
                let text =
                    format!("unknown: what it writes into {name} (claim {claim} is missing)");
                self.line(2, &text);
            }
        }
    }

    /// What an update by a rule may say, and what it writes besides.
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

    /// What the column holds that a test looks at.
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

    fn lets(&self, rule: &WeighedRule<'_>) -> bool {
        // A rule whose preset has no value permits no writes.
        let presets = &rule.permission.presets;
        rule.part.truth(self.read) == Truth::True
            && !presets.iter().any(|(_, operand)| self.missing_claim(operand).is_some())
    }

    /// The missing claim that a preset would write.
    fn missing_claim(&self, operand: &Operand) -> Option<Box<str>> {
        preset_claim(operand).filter(|claim| self.role.is_missing(claim))
    }

    fn is_let(&self, privilege: Privilege) -> bool {
        self.weighed.rules(privilege).any(|rule| self.lets(rule))
    }
}
