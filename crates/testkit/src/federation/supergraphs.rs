//! Supergraphs made of a tape of bytes: valid results of composition, so that there is a plan for
//! every operation.
//!
//! Each subgraph with an entity resolves it by its key; a field requires only fields before it;
//! values without keys have all their fields in every subgraph that has them.

use std::collections::BTreeSet;

use crate::fuzz::Choices;

const SUBGRAPHS: usize = 4;

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gives {
    Leaf(&'static str),
    Entity(usize),
    Interface,
    Union,
    Value,
}

struct Field {
    name: String,
    gives: Gives,
    is_list: bool,
    is_required: bool,
    has_argument: bool,
    /// The subgraphs that give it.
    owners: BTreeSet<usize>,
    /// A label by which the second owner takes it from the first.
    label: bool,
    /// The place of the field that it requires.
    requires: Option<usize>,
    /// The subgraphs that name it and do not give it.
    external: BTreeSet<usize>,
    /// `@provides`: the owner, and the name of a field of the entity.
    provides: Option<(usize, String)>,
}

struct Entity {
    /// The subgraphs that have it.
    known: BTreeSet<usize>,
    /// Subgraphs that find it by another key, too.
    by_code: BTreeSet<usize>,
    fields: Vec<Field>,
}

/// The text of a supergraph.
pub fn make(choices: &mut Choices<'_>) -> String {
    let subgraphs = 2 + choices.below(SUBGRAPHS - 1);
    let entities = (0..2 + choices.below(3)).map(|_| entity(subgraphs, choices)).collect();
    let mut making = Making { subgraphs, entities };
    for entity in 0..making.entities.len() {
        for number in 0..1 + choices.below(6) {
            let field = making.field(entity, number, choices);
            making.entities[entity].fields.push(field);
        }
    }
    for entity in 0..making.entities.len() {
        making.provide(entity, choices);
    }
    making.print(choices)
}

fn entity(subgraphs: usize, choices: &mut Choices<'_>) -> Entity {
    let mut known: BTreeSet<usize> = (0..subgraphs).filter(|_| choices.chance(65)).collect();
    known.insert(choices.below(subgraphs));
    let by_code = known.iter().copied().filter(|_| choices.chance(25)).collect();
    Entity { known, by_code, fields: Vec::new() }
}

struct Making {
    subgraphs: usize,
    entities: Vec<Entity>,
}

impl Making {
    /// The subgraphs that can give such values.
    fn givers(&self, gives: Gives) -> BTreeSet<usize> {
        match gives {
            Gives::Leaf(_) | Gives::Value => (0..self.subgraphs).collect(),
            Gives::Entity(place) => self.entities[place].known.clone(),
            // Some of the types at least.
            Gives::Interface | Gives::Union => {
                self.entities.iter().flat_map(|entity| entity.known.iter().copied()).collect()
            }
        }
    }

    fn field(&self, entity: usize, number: usize, choices: &mut Choices<'_>) -> Field {
        let own = &self.entities[entity];
        let mut gives = match choices.below(10) {
            0 => Gives::Leaf("Int"),
            1 => Gives::Leaf("Float"),
            2 => Gives::Leaf("Color"),
            3 | 4 => Gives::Leaf("String"),
            5 | 6 => Gives::Entity(choices.below(self.entities.len())),
            7 => Gives::Interface,
            8 => Gives::Union,
            _ => Gives::Value,
        };
        let mut able: Vec<usize> = own.known.intersection(&self.givers(gives)).copied().collect();
        if able.is_empty() {
            gives = Gives::Leaf("Boolean");
            able = own.known.iter().copied().collect();
        }
        let mut owners: BTreeSet<usize> =
            able.iter().copied().filter(|_| choices.chance(30)).collect();
        owners.extend(choices.pick(&able));
        let mut field = Field {
            name: format!("f{number}"),
            gives,
            is_list: choices.chance(35),
            is_required: choices.chance(35),
            has_argument: choices.chance(20),
            owners,
            label: false,
            requires: None,
            external: BTreeSet::new(),
            provides: None,
        };
        field.label = field.owners.len() == 2 && choices.chance(30);
        if !field.label && choices.chance(35) {
            let only = field.owners.iter().next().copied().unwrap_or_default();
            let others = (0..own.fields.len()).filter(|place| {
                let other = &own.fields[*place];
                !other.owners.contains(&only)
                    && !other.has_argument
                    && matches!(other.gives, Gives::Leaf(_) | Gives::Value)
            });
            let others: Vec<usize> = others.collect();
            if let Some(other) = choices.pick(&others) {
                field.owners = BTreeSet::from([only]);
                field.requires = Some(*other);
            }
        }
        field
    }

    /// Adds `@provides` to fields: fields of their objects that the subgraph does not resolve
    /// elsewhere.
    fn provide(&mut self, entity: usize, choices: &mut Choices<'_>) {
        for place in 0..self.entities[entity].fields.len() {
            let field = &self.entities[entity].fields[place];
            let Gives::Entity(target) = field.gives else { continue };
            if field.label || !choices.chance(40) {
                continue;
            }
            let Some(owner) = field.owners.iter().next().copied() else { continue };
            let leaf = self.entities[target].fields.iter().position(|other| {
                matches!(other.gives, Gives::Leaf(_))
                    && !other.owners.contains(&owner)
                    && other.requires.is_none()
                    && !other.label
            });
            let Some(leaf) = leaf else { continue };
            let name = self.entities[target].fields[leaf].name.clone();
            self.entities[target].fields[leaf].external.insert(owner);
            self.entities[entity].fields[place].provides = Some((owner, name));
        }
        // Required fields are named in the subgraph that requires them.
        for place in 0..self.entities[entity].fields.len() {
            let fields = &mut self.entities[entity].fields;
            if let (Some(required), Some(owner)) =
                (fields[place].requires, fields[place].owners.iter().next().copied())
            {
                fields[required].external.insert(owner);
            }
        }
    }

    fn print(&self, choices: &mut Choices<'_>) -> String {
        let mut text = String::from(
            "schema\n  @link(url: \"https://specs.apollo.dev/link/v1.0\")\n  \
             @link(url: \"https://specs.apollo.dev/join/v0.5\", for: EXECUTION) {\n  query: Query\n}\n\n\
             enum join__Graph {\n",
        );
        let all = || 0..self.subgraphs;
        for subgraph in all() {
            text += &format!("  S{subgraph} @join__graph(name: \"s{subgraph}\", url: \"\")\n");
        }
        text += "}\n\nenum Color";
        text += &types(all(), "");
        text += " { RED GREEN BLUE }\n\ntype Value";
        text += &types(all(), "");
        text += " { a: Int b: String! c: [Float!] }\n\n";
        let reached = |gives| self.givers(gives);
        let members = |text: &mut String, kind: &str| {
            for (place, entity) in self.entities.iter().enumerate() {
                for subgraph in &entity.known {
                    *text += &match kind {
                        "union" => {
                            format!(" @join__unionMember(graph: S{subgraph}, member: \"E{place}\")")
                        }
                        _ => String::new(),
                    };
                }
            }
        };
        text += "interface Node";
        text += &types(reached(Gives::Interface), "");
        text += " { id: ID! }\n\nunion Any";
        text += &types(reached(Gives::Union), "");
        members(&mut text, "union");
        let names: Vec<String> =
            (0..self.entities.len()).map(|place| format!("E{place}")).collect();
        text += &format!(" = {}\n\n", names.join(" | "));
        for (place, entity) in self.entities.iter().enumerate() {
            self.print_entity(place, entity, &mut text);
        }
        text += "type Query";
        text += &types(all(), "");
        text += " {\n";
        for place in 0..self.entities.len() {
            let known: Vec<usize> = self.entities[place].known.iter().copied().collect();
            let Some(owner) = choices.pick(&known) else { continue };
            text += &format!("  e{place}: E{place} @join__field(graph: S{owner})\n");
            let Some(owner) = choices.pick(&known) else { continue };
            text += &format!("  all{place}(n: Int): [E{place}] @join__field(graph: S{owner})\n");
            text += &format!("  any{place}: Any @join__field(graph: S{owner})\n");
            text += &format!("  nodes{place}: [Node!] @join__field(graph: S{owner})\n");
        }
        text + "  value: Value\n}\n"
    }

    fn print_entity(&self, place: usize, entity: &Entity, text: &mut String) {
        *text += &format!("type E{place} implements Node");
        for subgraph in &entity.known {
            *text += &format!(" @join__implements(graph: S{subgraph}, interface: \"Node\")");
        }
        *text += &types(entity.known.iter().copied(), "id");
        *text += &types(entity.by_code.iter().copied(), "code");
        *text += " {\n  id: ID!\n";
        if !entity.by_code.is_empty() {
            *text += "  code: String!";
            for subgraph in &entity.by_code {
                *text += &format!(" @join__field(graph: S{subgraph})");
            }
            *text += "\n";
        }
        for field in &entity.fields {
            let base = match field.gives {
                Gives::Leaf(name) => name.to_owned(),
                Gives::Entity(place) => format!("E{place}"),
                Gives::Interface => "Node".to_owned(),
                Gives::Union => "Any".to_owned(),
                Gives::Value => "Value".to_owned(),
            };
            let listed = if field.is_list { format!("[{base}]") } else { base };
            let mark = if field.is_required { "!" } else { "" };
            let argument = if field.has_argument { "(n: Int = 1)" } else { "" };
            *text += &format!("  {}{argument}: {listed}{mark}", field.name);
            for (number, owner) in field.owners.iter().enumerate() {
                *text += &format!(" @join__field(graph: S{owner}");
                if field.label {
                    let from = field.owners.iter().next().copied().unwrap_or_default();
                    if number == 1 {
                        *text += &format!(", override: \"s{from}\"");
                    }
                    *text += ", overrideLabel: \"moved\"";
                }
                if let Some(required) = field.requires {
                    let required = &entity.fields[required];
                    let below = if required.gives == Gives::Value { " { b a }" } else { "" };
                    *text += &format!(", requires: \"{}{below}\"", required.name);
                }
                if let Some((_, name)) = field.provides.as_ref().filter(|(of, _)| of == owner) {
                    *text += &format!(", provides: \"{name}\"");
                }
                *text += ")";
            }
            for owner in field.external.difference(&field.owners) {
                *text += &format!(" @join__field(graph: S{owner}, external: true)");
            }
            *text += "\n";
        }
        *text += "}\n\n";
    }
}

fn types(subgraphs: impl IntoIterator<Item = usize>, key: &str) -> String {
    let mut text = String::new();
    for subgraph in subgraphs {
        text += &format!(" @join__type(graph: S{subgraph}");
        if !key.is_empty() {
            text += &format!(", key: \"{key}\"");
        }
        text += ")";
    }
    text
}
