//! Reuse of earlier responses of the same operation, instead of fetching the same data again.

use graphql::schema::TypeId;
use response::BudgetExceeded;

use super::arena::{Arena, Cell, ObjectId};
use super::represent::{Owner, Representations, Texts};
use super::request::FetchInputs;
use crate::plan::{Entities, Fetch, FetchId, ItemTree, Plan, Provider, Reuse};
use supergraph::Supergraph;

/// State of a fetch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum FetchState {
    #[default]
    Waiting,
    Sent,
    Complete,
    /// Complete with errors; its data is not reused.
    Tainted,
}

/// Representations that earlier responses do not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remaining {
    /// The remaining ones are to be fetched; this many were reused.
    Some { reused: usize },
    /// A fetch in flight may answer some of them.
    InFlight,
}

/// State and inputs of all fetches.
#[derive(Clone, Copy, Debug)]
pub(super) struct EarlierFetches<'e> {
    pub(super) plan: &'e Plan,
    pub(super) states: &'e [FetchState],
    /// By fetch.
    pub(super) fetch_inputs: &'e [FetchInputs],
}

/// Answers representations of a list from earlier responses: copies the data to their objects and
/// removes them from the list.
pub(super) fn reuse_earlier(
    supergraph: &Supergraph,
    arena: &mut Arena,
    (fetch, list): (&Fetch, &Entities),
    representations: &mut Representations,
    earlier: EarlierFetches<'_>,
) -> Result<Remaining, BudgetExceeded> {
    if list.entries.iter().all(|entry| entry.reuse.is_empty()) {
        return Ok(Remaining::Some { reused: 0 });
    }
    let mut reuser = Reuser { supergraph, list, earlier, known: Vec::new(), last: None };
    let mut left = Vec::new();
    let mut found = Vec::new();
    let mut is_in_flight = false;
    for place in 0..representations.texts.len() {
        // The number was checked to fit 32 bits.
        let place = u32::try_from(place).unwrap_or(u32::MAX);
        let text = representations.texts.text(place);
        let owners = representations.owners(place);
        let before = found.len();
        reuser.last = None;
        found.extend(owners.iter().map_while(|owner| reuser.find(arena, *owner, text)));
        // A representation is fetched for all its objects, or for none.
        if found.len() - before < owners.len() {
            found.truncate(before);
            left.push(place);
            let mut owners = owners.iter();
            is_in_flight |= owners.any(|owner| reuser.is_in_flight(fetch, *owner, text));
        }
    }
    if is_in_flight {
        // Retried when that fetch is complete, which is sooner than a new one.
        return Ok(Remaining::InFlight);
    }
    copy_all(arena, &found)?;
    let reused = representations.texts.len() - left.len();
    representations.left = left;
    Ok(Remaining::Some { reused })
}

/// Values to copy from one object to another.
type Found<'t> = (Values<'t>, ObjectId, ObjectId);

/// Source and target items, in the same order.
#[derive(Clone, Copy, Debug)]
struct Values<'t> {
    from: &'t [ItemTree],
    to: &'t [ItemTree],
}

impl<'t> Values<'t> {
    fn iter(self) -> impl Iterator<Item = (&'t ItemTree, &'t ItemTree)> {
        self.from.iter().zip(self.to)
    }

    fn is_same(self, other: Self) -> bool {
        std::ptr::eq(self.from, other.from) && std::ptr::eq(self.to, other.to)
    }
}

/// Copies the values found. Targets with one source object are adjacent.
fn copy_all(arena: &mut Arena, found: &[Found<'_>]) -> Result<(), BudgetExceeded> {
    let mut last: Option<(Values<'_>, ObjectId)> = None;
    // Values without objects by slot, which are equal for all targets.
    let mut plain: Vec<(u32, Cell)> = Vec::new();
    for (values, from, to) in found {
        if !last.is_some_and(|(known, of)| known.is_same(*values) && of == *from) {
            last = Some((*values, *from));
            let without = values.iter().filter(|(_, to)| arena.child_of(to.item).is_none());
            plain.clear();
            plain.extend(without.map(|(known, target)| {
                let cell = arena.cell_of(*from, known.item);
                (arena.slot(target.item), cell)
            }));
        }
        let begin = arena.index(*to, 0);
        for (slot, cell) in &plain {
            arena.set_at(begin + *slot as usize, *cell);
        }
        if plain.len() == values.to.len() {
            continue;
        }
        for (known, target) in values.iter() {
            if arena.child_of(target.item).is_some() {
                let cell = arena.cell_of(*from, known.item);
                let cell = copied_cell(arena, (known, target), cell, *to)?;
                arena.set(*to, arena.slot(target.item), cell);
            }
        }
    }
    Ok(())
}

struct Reuser<'t> {
    supergraph: &'t Supergraph,
    list: &'t Entities,
    earlier: EarlierFetches<'t>,
    /// Objects of earlier responses by their representations, indexed on demand.
    known: Vec<(&'t Provider, Texts, Vec<ObjectId>)>,
    /// Result for the last representation: the owners of an entry are adjacent.
    last: Option<(u32, Option<Source<'t>>)>,
}

/// An object of an earlier response that has all requested values.
#[derive(Clone, Copy, Debug)]
struct Source<'t> {
    values: Values<'t>,
    object: ObjectId,
}

impl<'t> Reuser<'t> {
    fn reuses(&self, owner: Owner) -> &'t [Reuse] {
        let list = self.list;
        list.entries.get(owner.entry as usize).map_or(&[], |entry| &entry.reuse)
    }

    /// Returns an object of an earlier response with the same representation and all requested
    /// values.
    fn find(&mut self, arena: &Arena, owner: Owner, text: &[u8]) -> Option<Found<'t>> {
        let source = match self.last {
            Some((entry, source)) if entry == owner.entry => source,
            Some(_) | None => {
                let source = self.source(arena, owner, text);
                self.last = Some((owner.entry, source));
                source
            }
        };
        let Source { values, object } = source?;
        is_free(arena, values.to, owner.object).then_some((values, object, owner.object))
    }

    fn source(&mut self, arena: &Arena, owner: Owner, text: &[u8]) -> Option<Source<'t>> {
        let plan = self.earlier.plan;
        self.reuses(owner).iter().find_map(|reuse| {
            plan.reusable.providers(reuse).find_map(|(r#type, provider)| {
                if self.state(provider.fetch) != FetchState::Complete {
                    return None;
                }
                let object = self.known(arena, r#type, provider, text)?;
                let values = Values { from: &provider.values, to: &reuse.values };
                is_known(arena, values, object).then_some(Source { values, object })
            })
        })
    }

    fn known(
        &mut self,
        arena: &Arena,
        r#type: TypeId,
        provider: &'t Provider,
        text: &[u8],
    ) -> Option<ObjectId> {
        let known = self.known.iter().position(|(of, ..)| std::ptr::eq(*of, provider));
        let place = match known {
            Some(place) => place,
            None => {
                let form = self.earlier.plan.reusable.form(provider)?;
                let all = arena.objects_at(provider.position).iter().copied();
                let objects = all.filter(|object| arena.object(*object).r#type == Some(r#type));
                let (texts, of) = Texts::of(self.supergraph, arena, form, r#type, objects);
                self.known.push((provider, texts, of));
                self.known.len() - 1
            }
        };
        let (_, texts, of) = self.known.get(place)?;
        of.get(texts.find(text)? as usize).copied()
    }

    fn state(&self, fetch: FetchId) -> FetchState {
        self.earlier.states.get(fetch.index()).copied().unwrap_or_default()
    }

    /// Whether the response of a fetch in flight may contain a representation's data. For fetches
    /// of entities it is known whether the representation is among them.
    fn is_in_flight(&self, fetch: &Fetch, owner: Owner, text: &[u8]) -> bool {
        let plan = self.earlier.plan;
        let mut providers =
            self.reuses(owner).iter().flat_map(|reuse| plan.reusable.providers(reuse));
        providers.any(|(_, own)| {
            if self.state(own.fetch) != FetchState::Sent {
                return false;
            }
            let (Some(provider), Some(fetch_inputs)) = (
                plan.fetches.get(own.fetch.index()),
                self.earlier.fetch_inputs.get(own.fetch.index()),
            ) else {
                return false;
            };
            let of_entities = provider
                .entities
                .iter()
                .position(|list| list.entries.iter().any(|entry| entry.position == own.position));
            let is_asked = of_entities
                .and_then(|list| fetch_inputs.without_contexts(list))
                .map(|fetch_inputs| fetch_inputs.texts.find(text).is_some());
            is_asked == Some(true) || provider.level < fetch.level && is_asked.is_none()
        })
    }
}

/// Whether an object has all values to copy.
fn is_known(arena: &Arena, values: Values<'_>, from: ObjectId) -> bool {
    values.iter().all(|(known, target)| {
        !matches!(arena.cell_of(from, known.item), Cell::Absent | Cell::Unknown | Cell::Failed(_))
            && is_known_below(arena, (known, target), from)
    })
}

/// Whether the target has no objects yet where objects are to be copied: merging them would lose
/// values.
fn is_free(arena: &Arena, target: &[ItemTree], to: ObjectId) -> bool {
    target.iter().all(|target| {
        arena.child_of(target.item).is_none() || arena.cell_of(to, target.item) == Cell::Absent
    })
}

/// Whether all objects below a value have the values to copy. Recursion is bounded by the depth of
/// the items.
fn is_known_below(
    arena: &Arena,
    (known, target): (&ItemTree, &ItemTree),
    object: ObjectId,
) -> bool {
    let below = Values { from: &known.below, to: &target.below };
    below.to.is_empty()
        || arena.all_objects(arena.cell_of(object, known.item), &|object| {
            is_known(arena, below, object)
        })
}

/// Recursion is bounded by the depth of the items.
fn copied_cell(
    arena: &mut Arena,
    (known, target): (&ItemTree, &ItemTree),
    cell: Cell,
    parent: ObjectId,
) -> Result<Cell, BudgetExceeded> {
    match cell {
        Cell::Absent | Cell::Null | Cell::Unknown | Cell::Failed(_) | Cell::Leaf { .. } => Ok(cell),
        // Leaves are immutable and can be shared. Objects may have no requested fields below them.
        Cell::List { .. } if arena.child_of(target.item).is_none() => Ok(cell),
        Cell::List { start, end } => {
            let begin = arena.open_list();
            for place in start..end {
                let cell = arena.list(place, place + 1).first().copied().unwrap_or(Cell::Absent);
                let copy = copied_cell(arena, (known, target), cell, parent)?;
                arena.push(copy)?;
            }
            arena.close_list(begin)
        }
        Cell::Object(object) => {
            let Some(position) = arena.child_of(target.item) else { return Ok(Cell::Absent) };
            let r#type = arena.object(object).r#type;
            let own = arena.add_object(position, r#type, Some(parent))?;
            for (known, target) in known.below.iter().zip(&target.below) {
                let cell = arena.cell_of(object, known.item);
                let cell = copied_cell(arena, (known, target), cell, own)?;
                arena.set(own, arena.slot(target.item), cell);
            }
            Ok(Cell::Object(own))
        }
    }
}
