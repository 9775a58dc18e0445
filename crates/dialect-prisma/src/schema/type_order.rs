//! The order of types in the fields of `Query`, `Mutation` and `Subscription`.
//!
//! It is that of the datamodel, but Prisma's server gives a type without a field back along a
//! relation a hidden one, and puts the type behind all others, one relation after the other. Its
//! relations are a set of Scala 2.12, so that their order depends on hashes.

use super::scala_hash::{enumerated, map_order, product, set_order, some, text};
use crate::model::{End, Model, OnDelete, Relation, RelationIndex, RelationStorage, TypeIndex};

/// The hash of `None`.
const NONE: &str = "None";

/// All types of a datamodel in the order of Prisma's server.
pub(super) fn type_order(model: &Model) -> Vec<TypeIndex> {
    let mut order: Vec<TypeIndex> = (0..model.types.len()).map(TypeIndex).collect();
    for RelationIndex(index) in relation_order(model) {
        let relation = &model.relations[index];
        let hidden = [&relation.a, &relation.b].into_iter().find(|end| end.field.is_none());
        if let Some(end) = hidden {
            order.retain(|index| *index != end.r#type);
            order.push(end.r#type);
        }
    }
    order
}

/// All relations of a datamodel in the order of Prisma's server.
pub(crate) fn relation_order(model: &Model) -> Vec<RelationIndex> {
    let relations = model.relations.iter().enumerate();
    let relations = relations.map(|(index, relation)| (index, relation, text(&relation.name)));
    let relations = set_order(map_order(relations.collect(), |own| own.2), |own| own.2);
    let relations = set_order(relations, |(_, relation, _)| hash(model, relation));
    relations.into_iter().map(|(index, ..)| RelationIndex(index)).collect()
}

/// The hash of Prisma's description of a relation.
fn hash(model: &Model, relation: &Relation) -> u32 {
    let name =
        |end: End| model.types.get(relation.end(end).r#type.0).map_or("", |r#type| &*r#type.name);
    let on_delete = |end: End| match relation.end(end).on_delete {
        OnDelete::SetNull => enumerated(0),
        OnDelete::Cascade => enumerated(1),
    };
    let storage = match &relation.storage {
        RelationStorage::Inline { end, column } => product(&[text(name(*end)), text(column)]),
        RelationStorage::Table { table, a_column, b_column, id_column } => {
            let id = id_column.as_deref().map_or_else(|| text(NONE), |id| some(text(id)));
            product(&[text(table), text(a_column), text(b_column), id])
        }
    };
    let own = [text(&relation.name), text(name(End::A)), text(name(End::B))];
    let [a, b] = [End::A, End::B].map(on_delete);
    product(&[own[0], own[1], own[2], a, b, some(storage)])
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::type_order;

    fn check(datamodel: &str, expected: &Expect) {
        let model = crate::definitions::read(datamodel).unwrap();
        let names = type_order(&model).into_iter().map(|index| &*model.types[index.0].name);
        expected.assert_eq(&names.collect::<Vec<_>>().join(" "));
    }

    #[test]
    fn types_with_hidden_fields_are_last() {
        check(
            "type A { id: ID! @id } type B { id: ID! @id a: [A] } type C { id: ID! @id }",
            &expect!["B C A"],
        );
        check(
            "type A { id: ID! @id b: [B] } type B { id: ID! @id a: A } type C { id: ID! @id }",
            &expect!["A B C"],
        );
    }

    #[test]
    fn several_are_in_the_order_of_hashes() {
        check(
            "type U { id: ID! @id posts: [Post] bill: [Bill] details: [Details] }
             type Post { id: ID! @id } type Bill { id: ID! @id } type Details { id: ID! @id }",
            &expect!["U Details Post Bill"],
        );
        check(
            "type U { id: ID! @id a: [A] b: [B] c: [C] d: [D] e: [E] f: [F] }
             type A { id: ID! @id } type B { id: ID! @id } type C { id: ID! @id }
             type D { id: ID! @id } type E { id: ID! @id } type F { id: ID! @id }",
            &expect!["U F B D A E C"],
        );
    }
}
