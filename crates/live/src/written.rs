//! The entities that a mutation may change, known before it is executed.

use ahash::AHashSet;
use catalog::{
    Catalog, Entity, EntityId, EntityKind, Relationship, RelationshipId, RelationshipKind,
};
use ir::{
    Call, ChildWrite, From, Output, OutputKind, Request, Rows, StepKind, Variant, Write, WriteKind,
};

/// The entities that a mutation may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Written {
    /// It executes a statement of the schema's author.
    Anything,
    Entities(AHashSet<EntityId>),
}

impl Default for Written {
    fn default() -> Self {
        Self::Entities(AHashSet::new())
    }
}

impl Written {
    /// The entities that a request may change, and those whose nodes may be the same ones: a node has
    /// any number of labels.
    #[must_use]
    pub fn of(request: &Request, catalog: &Catalog) -> Self {
        let mut written = Self::default();
        for step in request.transactions.iter().flat_map(|transaction| &transaction.steps) {
            match &step.kind {
                StepKind::Write(write) => written.write(write, catalog),
                StepKind::Read(rows) if calls_change(rows, catalog) => written = Self::Anything,
                StepKind::Read(_) | StepKind::Require(_) => {}
                StepKind::Call(_) | StepKind::Objects(_) => written = Self::Anything,
            }
        }
        written.add_same_nodes(catalog);
        written
    }

    /// Adds other changes.
    pub fn add(&mut self, other: Self) {
        match (&mut *self, other) {
            (Self::Entities(entities), Self::Entities(others)) => entities.extend(others),
            (Self::Anything, _) | (_, Self::Anything) => *self = Self::Anything,
        }
    }

    /// Adds the entities whose rows a database may delete or change with those that a request deletes
    /// (`ON DELETE CASCADE`), if it deletes any.
    #[must_use]
    pub fn with_cascades(mut self, request: &Request, catalog: &Catalog) -> Self {
        let steps = request.transactions.iter().flat_map(|transaction| &transaction.steps);
        let mut writes = steps.filter_map(|step| match &step.kind {
            StepKind::Write(write) => Some(write),
            StepKind::Read(_) | StepKind::Require(_) | StepKind::Call(_) | StepKind::Objects(_) => {
                None
            }
        });
        if let Self::Entities(entities) = &mut self
            && writes.any(deletes)
        {
            let mut known = 0;
            while known < entities.len() {
                known = entities.len();
                for Relationship { kind, from, to, .. } in catalog.relationships() {
                    if *kind == RelationshipKind::ForeignKey && entities.contains(to) {
                        entities.insert(*from);
                    }
                }
            }
        }
        self
    }

    /// Returns true if nothing may be changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Entities(entities) if entities.is_empty())
    }

    #[must_use]
    pub fn contains(&self, entity: EntityId) -> bool {
        match self {
            Self::Anything => true,
            Self::Entities(entities) => entities.contains(&entity),
        }
    }

    fn entity(&mut self, entity: EntityId) {
        if let Self::Entities(entities) = self {
            entities.insert(entity);
        }
    }

    fn write(&mut self, write: &Write, catalog: &Catalog) {
        let Write { entity, kind, children, check: _ } = write;
        self.entity(*entity);
        for ChildWrite { hop, parents: _, write, edge: _ } in children {
            self.relationship(hop.relationship, catalog);
            self.write(write, catalog);
        }
        if let WriteKind::Choose { filter: _, found, missing } = kind {
            self.write(found, catalog);
            self.write(missing, catalog);
        }
    }

    /// Nodes have other relationships if they are linked.
    fn relationship(&mut self, relationship: RelationshipId, catalog: &Catalog) {
        let relationship = &catalog[relationship];
        self.entity(relationship.from);
        self.entity(relationship.to);
        if let Some(edge) = relationship.edge {
            self.entity(edge);
        }
    }

    fn add_same_nodes(&mut self, catalog: &Catalog) {
        let Self::Entities(entities) = self else { return };
        let is_node = |entity: &&Entity| entity.kind == EntityKind::Node;
        let written: Vec<&Entity> =
            catalog.entities().filter(|entity| entities.contains(&entity.id)).collect();
        let has_same = |entity: &&Entity| written.iter().any(|one| may_be_same(one, entity));
        let same: Vec<EntityId> =
            catalog.entities().filter(is_node).filter(has_same).map(|entity| entity.id).collect();
        entities.extend(same);
    }
}

/// True if a change deletes rows.
fn deletes(write: &Write) -> bool {
    let own = match &write.kind {
        WriteKind::Delete { .. } => true,
        WriteKind::Choose { filter: _, found, missing } => deletes(found) || deletes(missing),
        WriteKind::Insert(_)
        | WriteKind::Update(_)
        | WriteKind::Link { .. }
        | WriteKind::Unlink { .. }
        | WriteKind::SetLinks { .. }
        | WriteKind::Upsert { .. }
        | WriteKind::LinkOrInsert { .. }
        | WriteKind::Expect { .. } => false,
    };
    own || write.children.iter().any(|child| deletes(&child.write))
}

/// True if nodes of two entities have a label in common, which a claim may be.
fn may_be_same(one: &Entity, other: &Entity) -> bool {
    let has_claimed = |entity: &Entity| !entity.claimed_labels.is_empty();
    one.labels.iter().any(|label| other.labels.contains(label))
        || (has_claimed(one) && has_claimed(other))
}

/// True if a function that rows call may change something.
fn calls_change(rows: &Rows, catalog: &Catalog) -> bool {
    let changes = |call: &Call| !catalog[call.function].only_reads();
    let in_outputs = |outputs: &[Output]| {
        outputs.iter().any(|output| match &output.kind {
            OutputKind::Computed { call, .. } => changes(call),
            OutputKind::Related { rows, .. } => calls_change(rows, catalog),
            _ => false,
        })
    };
    let in_variants = |variants: &[Variant]| variants.iter().any(|own| in_outputs(&own.outputs));
    let in_origin = match &rows.from {
        From::Function(call) => changes(call),
        From::FunctionOfVariants { call, variants } => changes(call) || in_variants(variants),
        From::Variants(variants) => in_variants(variants),
        _ => false,
    };
    in_origin || in_outputs(&rows.outputs)
}
