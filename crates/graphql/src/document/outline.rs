//! A document's selections, reduced to the data for counting them.

use std::collections::HashMap;

use apollo_compiler::{Name, Node, ast};

use super::field_index::FieldIndex;
use super::limits::{DocumentLimits, Limit};
use crate::error::GraphQLError;
use crate::schema::{FieldId, TypeId, TypeKind};
use crate::visibility::View;

/// Every selection set of a document, those of fragments once.
#[derive(Debug, Default)]
pub(super) struct Outline<'d> {
    pub(super) sets: Vec<Set<'d>>,
    pub(super) operations: Vec<Part>,
    pub(super) fragments: Vec<Part>,
}

/// An operation or a fragment.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) root: SetId,
    /// The number of variables that it defines.
    pub(super) variables: usize,
    /// The number of uses of variables.
    pub(super) uses: usize,
    /// Its fields, spreads and inline fragments.
    pub(super) selections: usize,
    /// The cost of visiting each of its nodes once.
    pub(super) weight: usize,
    /// The fragments that it spreads, each once.
    pub(super) spreads: Vec<usize>,
}

/// The index of a set in [`Outline::sets`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SetId(usize);

#[derive(Debug)]
pub(super) struct Set<'d> {
    pub(super) parent: Parent,
    pub(super) items: Vec<Item<'d>>,
}

/// The parent type of a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Parent {
    /// A type of introspection, which are objects, or an unknown one.
    Unknown,
    Object(TypeId),
    Abstract(TypeId),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Item<'d> {
    Field(Selected<'d>),
    Inline(SetId),
    /// The index of a fragment in [`Outline::fragments`].
    Spread(usize),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Selected<'d> {
    pub(super) response_name: &'d str,
    pub(super) is_alias: bool,
    /// The cost of visiting it and everything in it, fragments not followed.
    pub(super) weight: usize,
    pub(super) below: Option<SetId>,
}

impl<'d> Outline<'d> {
    /// Fragments must not be cyclic.
    pub(super) fn new(
        schema: View<'d>,
        index: &'d FieldIndex,
        document: &'d ast::Document,
        limits: &'d DocumentLimits,
    ) -> Result<Self, GraphQLError> {
        let mut names = HashMap::new();
        for definition in &document.definitions {
            if let ast::Definition::FragmentDefinition(fragment) = definition {
                // Validation reports the duplicate.
                let next = names.len();
                names.entry(fragment.name.as_str()).or_insert((next, fragment));
            }
        }
        let mut fragments: Vec<_> = names.values().copied().collect();
        fragments.sort_unstable_by_key(|(place, _)| *place);
        let names = names.into_iter().map(|(name, (place, _))| (name, place)).collect();
        let mut drawer = Drawer {
            schema,
            index,
            limits,
            names,
            outline: Self::default(),
            part: Part::default(),
            written: fragments.len(),
        };
        for (_, fragment) in fragments {
            drawer.directives(&fragment.directives)?;
            let parent = drawer.named(&fragment.type_condition);
            let part = drawer.part(parent, &fragment.selection_set, 0)?;
            drawer.outline.fragments.push(part);
        }
        for definition in &document.definitions {
            if let ast::Definition::OperationDefinition(operation) = definition {
                let part = drawer.operation(operation)?;
                drawer.outline.operations.push(part);
            }
        }
        limits.check(Limit::Fragments, drawer.written)?;
        limits.check(Limit::Operations, drawer.outline.operations.len())?;
        Ok(drawer.outline)
    }

    pub(super) fn set(&self, id: SetId) -> &Set<'d> {
        &self.sets[id.0]
    }
}

/// Recursion is bounded by the parser's limit: spreads are not followed.
struct Drawer<'d> {
    schema: View<'d>,
    index: &'d FieldIndex,
    limits: &'d DocumentLimits,
    /// The indices of fragments by their names.
    names: HashMap<&'d str, usize>,
    outline: Outline<'d>,
    part: Part,
    /// Definitions of fragments, their spreads, and inline fragments.
    written: usize,
}

/// A field's share of the weight, and that of each argument that its definition has.
const FIELD: usize = 4;
const ARGUMENT: usize = 2;

impl<'d> Drawer<'d> {
    fn operation(&mut self, operation: &'d ast::OperationDefinition) -> Result<Part, GraphQLError> {
        self.limits.check(Limit::Variables, operation.variables.len())?;
        self.directives(&operation.directives)?;
        for variable in &operation.variables {
            self.directives(&variable.directives)?;
        }
        let root = match operation.operation_type {
            ast::OperationType::Query => self.schema.query(),
            ast::OperationType::Mutation => self.schema.mutation(),
            ast::OperationType::Subscription => self.schema.subscription(),
        };
        let parent = root.map_or(Parent::Unknown, |id| self.parent(id));
        self.part(parent, &operation.selection_set, operation.variables.len())
    }

    fn part(
        &mut self,
        parent: Parent,
        selections: &'d [ast::Selection],
        variables: usize,
    ) -> Result<Part, GraphQLError> {
        self.part = Part { variables, ..Part::default() };
        let (root, weight) = self.selections(parent, selections)?;
        let mut part = std::mem::take(&mut self.part);
        part.spreads.sort_unstable();
        part.spreads.dedup();
        Ok(Part { root, weight: weight + variables, ..part })
    }

    fn selections(
        &mut self,
        parent: Parent,
        selections: &'d [ast::Selection],
    ) -> Result<(SetId, usize), GraphQLError> {
        let mut items = Vec::with_capacity(selections.len());
        let mut sum = 0;
        for selection in selections {
            self.part.selections += 1;
            let (item, weight) = match selection {
                ast::Selection::Field(field) => {
                    let selected = self.field(parent, field)?;
                    (Some(Item::Field(selected)), selected.weight)
                }
                ast::Selection::InlineFragment(fragment) => {
                    self.written += 1;
                    let weight = self.directives(&fragment.directives)?;
                    let on = fragment.type_condition.as_ref();
                    let on = on.map_or(parent, |name| self.named(name));
                    let (set, below) = self.selections(on, &fragment.selection_set)?;
                    (Some(Item::Inline(set)), weight + below + self.overlap(parent))
                }
                ast::Selection::FragmentSpread(spread) => {
                    self.written += 1;
                    let weight = self.directives(&spread.directives)?;
                    let place = self.names.get(spread.fragment_name.as_str()).copied();
                    self.part.spreads.extend(place);
                    (place.map(Item::Spread), weight + self.overlap(parent))
                }
            };
            items.extend(item);
            sum += weight;
        }
        self.outline.sets.push(Set { parent, items });
        Ok((SetId(self.outline.sets.len() - 1), sum))
    }

    fn field(
        &mut self,
        parent: Parent,
        field: &'d Node<ast::Field>,
    ) -> Result<Selected<'d>, GraphQLError> {
        let mut weight = FIELD + self.arguments(&field.arguments);
        weight += self.directives(&field.directives)?;
        let mut of_below = Parent::Unknown;
        if let Some(id) = self.find(parent, &field.name) {
            let definition = &self.schema[id];
            weight += ARGUMENT * definition.arguments.len();
            of_below = self.parent(definition.r#type.base);
        }
        let mut below = None;
        if !field.selection_set.is_empty() {
            let (set, of_set) = self.selections(of_below, &field.selection_set)?;
            below = Some(set);
            weight += of_set;
        }
        let response_name = field.alias.as_ref().unwrap_or(&field.name);
        let is_alias = field.alias.is_some();
        Ok(Selected { response_name, is_alias, weight, below })
    }

    fn find(&self, parent: Parent, name: &str) -> Option<FieldId> {
        match parent {
            Parent::Object(id) | Parent::Abstract(id) => {
                self.index.find_field(self.schema, id, name)
            }
            Parent::Unknown => None,
        }
    }

    fn named(&self, name: &Name) -> Parent {
        self.schema.find_type(name).map_or(Parent::Unknown, |id| self.parent(id))
    }

    fn parent(&self, id: TypeId) -> Parent {
        match self.schema[id].kind {
            TypeKind::Interface { .. } | TypeKind::Union { .. } => Parent::Abstract(id),
            TypeKind::Scalar
            | TypeKind::Object { .. }
            | TypeKind::Enum { .. }
            | TypeKind::InputObject { .. } => Parent::Object(id),
        }
    }

    /// For a fragment on an abstract type, validation visits all its possible types that the
    /// document names: about as many as it has fragments.
    fn overlap(&self, parent: Parent) -> usize {
        match parent {
            Parent::Abstract(_) => FIELD + self.written,
            Parent::Object(_) | Parent::Unknown => FIELD,
        }
    }

    fn directives(&mut self, directives: &ast::DirectiveList) -> Result<usize, GraphQLError> {
        self.limits.check(Limit::DirectivesPerPlace, directives.len())?;
        Ok(directives.iter().map(|one| FIELD + self.arguments(&one.arguments)).sum())
    }

    fn arguments(&mut self, arguments: &[Node<ast::Argument>]) -> usize {
        arguments.iter().map(|argument| 1 + self.value(&argument.value)).sum()
    }

    fn value(&mut self, value: &ast::Value) -> usize {
        match value {
            ast::Value::List(items) => 1 + items.iter().map(|item| self.value(item)).sum::<usize>(),
            ast::Value::Object(fields) => {
                1 + fields.iter().map(|(_, value)| 1 + self.value(value)).sum::<usize>()
            }
            ast::Value::Variable(_) => {
                self.part.uses += 1;
                1
            }
            // Texts are hashed and compared byte by byte, but fast.
            ast::Value::String(text) => 1 + text.len() / 64,
            ast::Value::Null
            | ast::Value::Enum(_)
            | ast::Value::Float(_)
            | ast::Value::Int(_)
            | ast::Value::Boolean(_) => 1,
        }
    }
}
