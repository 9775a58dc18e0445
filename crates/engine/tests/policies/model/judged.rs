//! Whether the rules let a change at all, whatever the rows are.

use super::Table;
use super::change::{Actor, Change, Let, Outcome, Shown, Which, assigned, names};
use super::rules::{Sight, Writing};

const DENIED: Outcome = Outcome::Denied;

impl Actor<'_> {
    /// The rules that let it be inserted and updated, or why it is not let at all.
    pub(super) fn judged(
        &self,
        change: &Change,
        shown: &Shown,
    ) -> Result<(Option<Let<'_>>, Option<Let<'_>>), Outcome> {
        let mut outcomes = vec![self.may_show(change, shown)];
        let (mut inserts, mut updates) = (None, None);
        match change {
            Change::Create(rows, _) => {
                let said: Vec<&str> = rows.iter().flat_map(names).collect();
                inserts = Some(self.candidates(false, &said));
            }
            Change::Update(which, values) => {
                outcomes.push(self.may_find(which));
                updates = Some(self.candidates(true, &names(values)));
            }
            Change::Delete(which) => {
                outcomes.push(self.may_find(which));
                if !self.rules.of(self.table).any(|rule| rule.delete.is_some()) {
                    outcomes.push(Err(DENIED));
                }
            }
            Change::Upsert(key, values) => {
                inserts = Some(self.candidates(false, &names(values)));
                updates = Some(self.candidates(true, &names(&assigned(key, values))));
            }
        }
        for lets in [&inserts, &updates].into_iter().flatten() {
            outcomes.push(lets.clone().map(|_| ()));
        }
        if outcomes.contains(&Err(Outcome::Unclear)) {
            return Err(Outcome::Unclear);
        }
        outcomes.into_iter().collect::<Result<(), Outcome>>()?;
        Ok((inserts.transpose()?, updates.transpose()?))
    }

    fn may_show(&self, change: &Change, shown: &Shown) -> Result<(), Outcome> {
        let (rules, table) = (self.rules, self.table);
        let may = |table, columns: &[&str]| {
            let is_let = |column: &&str| rules.sight(table, column) != Sight::Denied;
            match rules.may_read(table) && columns.iter().all(is_let) {
                true => Ok(()),
                false => Err(DENIED),
            }
        };
        // A column of deleted rows on which other rows decide is refused.
        let is_masked = |column: &&str| rules.sight(table, column) == Sight::Some;
        let mut reads = rules.of(table).filter_map(|rule| rule.read.as_ref());
        if matches!(change, Change::Delete(_))
            && shown.columns.iter().any(is_masked)
            && reads.any(|(rows, _)| rows.leads())
        {
            return Err(Outcome::Unclear);
        }
        if let Some(columns) = &shown.house {
            match rules.sight(Table::Guest, "house_id") {
                Sight::Plain => may(Table::House, columns)?,
                Sight::Some => return Err(Outcome::Unclear),
                Sight::Denied => return Err(DENIED),
            }
        }
        if let Some((table, columns)) = &shown.query {
            may(*table, columns)?;
        }
        may(table, &shown.columns)
    }

    fn may_find(&self, which: &Which) -> Result<(), Outcome> {
        let (Which::Key(column, _) | Which::All(column, ..)) = which;
        match self.rules.sight(self.table, column) {
            Sight::Denied => Err(DENIED),
            Sight::Plain | Sight::Some => Ok(()),
        }
    }

    fn candidates(&self, is_update: bool, said: &[&str]) -> Result<Let<'_>, Outcome> {
        let writings = self.rules.of(self.table).filter_map(|rule| match is_update {
            true => rule.update.as_ref(),
            false => rule.insert.as_ref(),
        });
        let has_presets = |writing: &&Writing| {
            writing.presets.iter().all(|(_, said)| said.value(self.claims).is_some())
        };
        let candidates: Vec<&Writing> =
            writings.filter(has_presets).filter(|writing| writing.lets(said)).collect();
        let most = candidates.iter().max_by_key(|writing| writing.presets.len()).copied();
        let Some(most) = most else { return Err(DENIED) };
        let within =
            |writing: &Writing| writing.presets.iter().all(|one| most.presets.contains(one));
        if !candidates.iter().all(|writing| within(writing)) {
            return Err(DENIED);
        }
        let (strict, others): (Vec<&Writing>, Vec<&Writing>) =
            candidates.into_iter().partition(|writing| writing.presets.len() == most.presets.len());
        if is_update && !strict.iter().any(|writing| writing.rows.is_everything()) {
            let mut both = strict.iter().chain(&others);
            if !others.is_empty() && both.any(|writing| writing.rows.lacks(self.claims)) {
                return Err(Outcome::Unclear);
            }
            let is_like = |other: &&Writing| strict.iter().any(|own| own.rows == other.rows);
            if !others.iter().all(is_like) {
                return Err(DENIED);
            }
        }
        Ok(strict)
    }
}
