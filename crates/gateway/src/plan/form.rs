//! Representation forms: field sets, resolved to items of the tree.

use graphql::schema::TypeId;

use crate::outline::{Arguments, ItemId, ItemKind, PositionId, Tree};
use supergraph::{FieldSetId, SetSelection, Supergraph, TypeSet};

/// Form of the representation of one class of types.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    /// Whether it contains `__typename`.
    pub typename: bool,
    pub members: Vec<Member>,
}

/// A member of a representation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub name: Box<str>,
    /// Text before its value, as `,"name":`.
    pub prefix: Box<[u8]>,
    pub item: ItemId,
    /// Whether it is part of a key: if it is null there is no entity.
    pub is_key: bool,
    /// Whether it has a non-null type.
    pub is_non_null: bool,
    /// Forms of its objects by type; empty for leaf fields.
    pub below: Vec<(TypeSet, Form)>,
}

/// Returns the form for the objects of a class: the keys, then the required fields.
pub(crate) fn form(
    supergraph: &Supergraph,
    tree: &Tree,
    position: PositionId,
    object: TypeId,
    keys: &[FieldSetId],
    inputs: &[FieldSetId],
) -> Form {
    let mut form = Form::default();
    let forming = Forming { supergraph, tree };
    for (sets, is_key) in [(keys, true), (inputs, false)] {
        for set in sets {
            forming.add(&mut form, position, object, *set, is_key);
        }
    }
    form
}

struct Forming<'f> {
    supergraph: &'f Supergraph,
    tree: &'f Tree,
}

impl Forming<'_> {
    /// Recursion is bounded by the nesting of field sets.
    fn add(
        &self,
        form: &mut Form,
        position: PositionId,
        object: TypeId,
        set: FieldSetId,
        is_key: bool,
    ) {
        for selection in &self.supergraph.field_set(set).selections {
            match selection {
                SetSelection::Typename => form.typename = true,
                SetSelection::On(set) => {
                    // A field set with a type condition needs the runtime type.
                    form.typename = true;
                    let on = self.supergraph.field_set(*set).parent;
                    if self.supergraph.contains(self.supergraph.possible(on), object) {
                        self.add(form, position, object, *set, is_key);
                    }
                }
                SetSelection::Field { field, arguments, set } => {
                    let name = self.supergraph.schema[*field].name.clone();
                    let kind = ItemKind::Field { name: name.clone(), field: *field };
                    let arguments = Arguments::of_set(arguments);
                    let item = self.tree.find(self.supergraph, position, object, &kind, &arguments);
                    let Some(item) = item else { continue };
                    let place = form.members.iter().position(|known| known.item == item);
                    let place = place.unwrap_or_else(|| {
                        let prefix = [b",\"", name.as_bytes(), b"\":"].concat().into();
                        let (name, below) = ((&*name).into(), Vec::new());
                        let is_non_null = self.supergraph.schema[*field].r#type.is_non_null();
                        form.members.push(Member {
                            name,
                            prefix,
                            item,
                            is_key,
                            is_non_null,
                            below,
                        });
                        form.members.len() - 1
                    });
                    if let (Some(child), Some(set)) = (self.tree.item(item).child, *set) {
                        self.below(&mut form.members[place], child, set, is_key);
                    }
                }
            }
        }
    }

    fn below(&self, member: &mut Member, child: PositionId, set: FieldSetId, is_key: bool) {
        let position = self.tree.position(child);
        for class in &position.classes {
            let place = member.below.iter().position(|(types, _)| *types == class.types);
            let place = place.unwrap_or_else(|| {
                member.below.push((class.types.clone(), Form::default()));
                member.below.len() - 1
            });
            let form = &mut member.below[place].1;
            // Objects of an abstract type need it to be distinguished.
            form.typename |= !self.supergraph.is_object(position.r#type);
            self.add(form, child, class.representative, set, is_key);
        }
    }
}
