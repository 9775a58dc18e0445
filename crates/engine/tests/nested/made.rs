//! A change of rows together, made up, and the changes of single rows that come to the same.

use crate::choices::Choices;

/// A change, and its parts in their order.
#[derive(Debug)]
pub(crate) struct Made {
    pub(crate) whole: String,
    /// Each fails with an error, or by changing no row.
    pub(crate) parts: Vec<String>,
}

/// A change while it is made.
struct Making<'c, 'n> {
    choices: &'c mut Choices<'n>,
    parts: Vec<String>,
    /// The last id of a new row. No two changes have the same.
    id: usize,
}

impl Made {
    pub(crate) fn new(number: u32, choices: &mut Choices<'_>) -> Self {
        let id = 1_000 * (usize::try_from(number).unwrap() + 1);
        let mut making = Making { choices, parts: Vec::new(), id };
        let whole = match making.choices.percent(50) {
            true => {
                let (_, row) = making.new_bed(3, None);
                format!(
                    "mutation {{ createBedNested(input: {{ bed: {row} }}) {{ bed {{ id }} }} }}"
                )
            }
            false => making.update(),
        };
        Self { whole, parts: making.parts }
    }
}

impl Making<'_, '_> {
    fn next(&mut self) -> usize {
        self.id += 1;
        self.id
    }

    /// A bed that is there, seldom one that is not.
    fn bed(&mut self) -> usize {
        if self.choices.percent(8) { 99 } else { self.choices.below(4) + 1 }
    }

    fn plant(&mut self) -> usize {
        if self.choices.percent(8) { 99 } else { self.choices.below(4) + 1 }
    }

    fn part(&mut self, field: &str, input: &str, shown: &str) {
        self.parts.push(format!("mutation {{ {field}(input: {{ {input} }}) {{ {shown} }} }}"));
    }

    fn set(&mut self, table: &str, id: usize, patch: &str) {
        let field = format!("update{table}ById");
        let patched = table.to_lowercase();
        let input = format!("id: {id}, {patched}Patch: {{ {patch} }}");
        self.part(&field, &input, "clientMutationId");
    }

    /// A new bed within another, if one is around it; its id and its input.
    fn new_bed(&mut self, depth: usize, within: Option<usize>) -> (usize, String) {
        let id = self.next();
        let mut said = format!("id: {id}, name: \"bed {id}\"");
        let mut columns = said.clone();
        if let Some(parent) = within {
            columns.push_str(&format!(", parentId: {parent}"));
        } else if depth > 0 && self.choices.percent(30) {
            let (parent, row) = self.new_bed(depth - 1, None);
            columns.push_str(&format!(", parentId: {parent}"));
            said.push_str(&format!(", bedByParentId: {{ create: {row} }}"));
        } else if self.choices.percent(30) {
            let parent = self.bed();
            columns.push_str(&format!(", parentId: {parent}"));
            said.push_str(&format!(", bedByParentId: {{ connect: {{ id: {parent} }} }}"));
        }
        if self.choices.percent(30) {
            said.push_str(&self.region(&mut columns));
        }
        self.part("createBed", &format!("bed: {{ {columns} }}"), "clientMutationId");
        said.push_str(&self.around(depth, id));
        (id, format!("{{ {said} }}"))
    }

    /// What a bed says of its region.
    fn region(&mut self, columns: &mut String) -> String {
        if self.choices.percent(50) {
            columns.push_str(", country: \"de\", regionCode: \"nw\"");
            let key = self.choices.pick(&["country: \"de\", code: \"nw\"", "name: \"Nordrhein\""]);
            return format!(", regionByCountryAndRegionCode: {{ connect: {{ {key} }} }}");
        }
        let row = format!("country: \"{0}\", code: \"x\", name: \"region {0}\"", self.next());
        self.part("createRegion", &format!("region: {{ {row} }}"), "clientMutationId");
        columns.push_str(&format!(", country: \"{}\", regionCode: \"x\"", self.id));
        format!(", regionByCountryAndRegionCode: {{ create: {{ {row} }} }}")
    }

    /// What is connected with a bed that is there.
    fn around(&mut self, depth: usize, id: usize) -> String {
        let mut said = String::new();
        if depth > 0 && self.choices.percent(40) {
            said.push_str(&format!(", bedsByParentId: {{ {} }}", self.beds(depth, id)));
        }
        if self.choices.percent(30) {
            let label = self.next();
            let row = format!("id: {label}, words: \"label {label}\"");
            self.part(
                "createLabel",
                &format!("label: {{ {row}, bedId: {id} }}"),
                "clientMutationId",
            );
            said.push_str(&format!(", labelByBedId: {{ create: {{ {row} }} }}"));
        } else if self.choices.percent(20) {
            let label = self.choices.below(2) + 1;
            self.set("Label", label, &format!("bedId: {id}"));
            said.push_str(&format!(", labelByBedId: {{ connect: {{ id: {label} }} }}"));
        }
        if self.choices.percent(40) {
            let mut rows = Vec::new();
            for _ in 0..=self.choices.below(3) {
                let plant = self.next();
                // Rows that say different columns.
                let kind = self.choices.pick(&["", ", kind: \"herb\"", ", movedTo: 2"]);
                let row = format!("id: {plant}, name: \"plant {plant}\"{kind}");
                let input = format!("plant: {{ {row}, sownIn: {id} }}");
                self.part("createPlant", &input, "clientMutationId");
                rows.push(format!("{{ {row} }}"));
            }
            said.push_str(&format!(", plantsBySownIn: {{ create: [{}] }}", rows.join(", ")));
        }
        if self.choices.percent(30) {
            let (plant, other) = (self.plant(), self.plant());
            self.set("Plant", plant, &format!("movedTo: {id}"));
            self.set("Plant", other, &format!("movedTo: {id}"));
            let rows = format!("[{{ id: {plant} }}, {{ id: {other} }}]");
            said.push_str(&format!(", plantsByMovedTo: {{ connect: {rows} }}"));
        }
        said
    }

    /// Beds that come to be within one that is there.
    fn beds(&mut self, depth: usize, id: usize) -> String {
        let mut verbs = Vec::new();
        if self.choices.percent(50) {
            let bed = self.bed();
            self.set("Bed", bed, &format!("parentId: {id}"));
            verbs.push(format!("connect: {{ id: {bed} }}"));
        }
        if self.choices.percent(60) {
            let count = self.choices.below(2) + 1;
            let rows: Vec<String> =
                (0..count).map(|_| self.new_bed(depth - 1, Some(id)).1).collect();
            verbs.push(format!("create: [{}]", rows.join(", ")));
        }
        verbs.join(", ")
    }

    /// A change of a bed that is there, as far as it is.
    fn update(&mut self) -> String {
        let id = self.bed();
        let (mut said, mut columns) = (Vec::new(), Vec::new());
        if self.choices.percent(30) {
            let name = format!("name: \"bed {id} at {}\"", self.next());
            said.push(name.clone());
            columns.push(name);
        }
        match self.choices.below(4) {
            0 => {
                let (parent, row) = self.new_bed(1, None);
                columns.push(format!("parentId: {parent}"));
                said.push(format!("bedByParentId: {{ create: {row} }}"));
            }
            1 => {
                columns.push("parentId: null".into());
                said.push("bedByParentId: { disconnect: true }".into());
            }
            2 => {
                let mut region = String::new();
                said.push(self.region(&mut region).trim_start_matches(", ").into());
                columns.push(region.trim_start_matches(", ").into());
            }
            _ => {}
        }
        // Without a word it is looked whether it is there.
        columns.push(format!("id: {id}"));
        self.set("Bed", id, &columns.join(", "));
        let mut verbs = Vec::new();
        let let_go = |which: &str, at_most: usize| {
            format!(
                "condition: {{ {which}parentId: {id} }}, bedPatch: {{ parentId: null }}, atMost: {at_most}"
            )
        };
        if self.choices.percent(25) {
            let bed = self.choices.below(2) + 2;
            self.part("updateBeds", &let_go(&format!("id: {bed}, "), 1), "affectedCount");
            verbs.push(format!("disconnect: {{ id: {bed} }}"));
        }
        if self.choices.percent(40) {
            self.part("updateBeds", &let_go("", 1000), "clientMutationId");
            let beds: Vec<usize> = (0..self.choices.below(3)).map(|_| self.bed()).collect();
            for bed in &beds {
                self.set("Bed", *bed, &format!("parentId: {id}"));
            }
            let beds: Vec<String> = beds.iter().map(|bed| format!("{{ id: {bed} }}")).collect();
            verbs.push(format!("set: [{}]", beds.join(", ")));
        }
        let more = self.beds(2, id);
        said.push(format!("bedsByParentId: {{ {} {more} }}", verbs.join(", ")));
        if self.choices.percent(40) {
            self.part(
                "updateLabels",
                &format!("condition: {{ bedId: {id} }}, labelPatch: {{ bedId: null }}, atMost: 1"),
                "affectedCount",
            );
            self.set("Label", 2, &format!("bedId: {id}"));
            said.push("labelByBedId: { disconnect: true, connect: { words: \"Spare\" } }".into());
        }
        let input = format!("id: {id}, bedPatch: {{ {} }}", said.join(", "));
        format!("mutation {{ updateBedByIdNested(input: {{ {input} }}) {{ bed {{ id }} }} }}")
    }
}
