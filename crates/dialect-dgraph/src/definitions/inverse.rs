//! Relations with a field at both ends: `@hasInverse`, and reverse predicates.
//!
//! `@hasInverse` of one field holds for the other one, too, and for the copies of an interface's
//! field. The definitions are read in order, as in Dgraph: the first inverse of a field counts.

use graphql::definitions::Directive;
use graphql::definitions::problem::{At, Problems};
use rustc_hash::FxHashMap;

use super::declared::{DeclaredField, DeclaredType};
use super::directives::{Known, find_argument, text_or_name};
use super::predicate;
use super::types::{Types, is_interface};
use crate::model::{Inverse, TypeIndex};

/// A field: the index of its type, and its own among those of the type.
type FieldPosition = (usize, usize);

/// The inverse of each field that has one.
pub(super) fn read(
    types: &Types<'_>,
    read: &[DeclaredType<'_>],
    problems: &mut Problems,
) -> FxHashMap<FieldPosition, Inverse> {
    let mut links = Links { types, read, linked: FxHashMap::default(), problems };
    links.link_declared();
    let mut inverses = FxHashMap::default();
    for (place, name) in &links.linked {
        let field = &read[place.0].fields[place.1];
        let Some(target) = types.find_type(field.base()) else { continue };
        let Some(index) = find_field(&read[target.0], name) else { continue };
        let is_declared = field.applied.has(Known::HasInverse);
        inverses.insert(*place, Inverse { r#type: target, field: index, is_declared });
    }
    link_reverse_predicates(types, read, &mut inverses, problems);
    inverses
}

struct Links<'a, 'd> {
    types: &'a Types<'d>,
    read: &'a [DeclaredType<'d>],
    /// The name of the inverse of each field, in the type of the field.
    linked: FxHashMap<FieldPosition, &'d str>,
    problems: &'a mut Problems,
}

impl<'d> Links<'_, 'd> {
    fn link_declared(&mut self) {
        let places = || {
            let types = self.read.iter().enumerate();
            types.flat_map(|(idx, one)| (0..one.fields.len()).map(move |field| (idx, field)))
        };
        let places: Vec<FieldPosition> = places().collect();
        for place in &places {
            let applied = &self.read[place.0].fields[place.1].applied;
            let argument = applied
                .find(Known::HasInverse)
                .and_then(|directive| find_argument(directive, "field"))
                .and_then(text_or_name);
            if let Some(name) = argument {
                self.linked.insert(*place, name);
            }
        }
        for place in places {
            let field = &self.read[place.0].fields[place.1];
            // A mistake of an interface's field is reported once.
            let is_copy = field.expanded.inherited.is_some();
            if let (Some(directive), false) = (field.applied.find(Known::HasInverse), is_copy) {
                self.link(place, directive);
            }
        }
    }

    fn link(&mut self, place: FieldPosition, directive: &Directive) {
        let (read, types) = (self.read, self.types);
        let (r#type, field) = (&read[place.0], &read[place.0].fields[place.1]);
        let at = field.at(At::r#type(r#type.definition)).directive(directive);
        // A refused type has a mistake of its own.
        if field.field.is_none() {
            return;
        }
        let Some(target) = types.find_type(field.base()) else {
            let message = "`@hasInverse` applies to fields of types and interfaces: remove it";
            self.problems.refuse(at, message);
            return;
        };
        let Some(name) = self.linked.get(&place).copied() else {
            let message = "`@hasInverse` has no field: write `@hasInverse(field: \"name\")`";
            self.problems.refuse(at, message);
            return;
        };
        let other = &read[target.0];
        let Some(index) = find_field(other, name) else {
            let message = format!(
                "its inverse `{name}` is no field of `{}`: declare it there",
                other.definition.name
            );
            self.problems.refuse(at, message);
            return;
        };
        let inverse = &other.fields[index];
        let expected = self.expected_type(place);
        if inverse.base() != expected {
            let message = format!(
                "its inverse `{}.{name}` is of type {}: give it the type `{expected}`",
                other.definition.name, inverse.expanded.definition.r#type
            );
            self.problems.refuse(at, message);
            return;
        }
        match self.linked.get(&(target.0, index)) {
            Some(back) if *back != field.name() => {
                let message = format!(
                    "its inverse `{}.{name}` has the inverse `{back}` instead: let both name each \
                     other",
                    other.definition.name
                );
                self.problems.refuse(at, message);
            }
            Some(_) => {}
            None => self.link_back(target, index, field.name()),
        }
    }

    /// The type of the inverse: of a field that an interface declares with an inverse, the
    /// interface.
    fn expected_type(&self, place: FieldPosition) -> &'d str {
        let r#type = &self.read[place.0];
        let field = &r#type.fields[place.1];
        let interface = field.expanded.inherited.filter(|interface| {
            let index = find_field(&self.read[interface.0], field.name());
            index.is_some_and(|index| self.linked.contains_key(&(interface.0, index)))
        });
        match interface {
            Some(interface) => &self.read[interface.0].definition.name,
            None => &r#type.definition.name,
        }
    }

    fn link_back(&mut self, target: TypeIndex, index: usize, name: &'d str) {
        self.linked.insert((target.0, index), name);
        let field = self.read[target.0].fields[index].name();
        for place in copies(self.read, target, field) {
            self.linked.entry(place).or_insert(name);
        }
    }
}

/// The fields of types that are an interface's field.
fn copies(read: &[DeclaredType<'_>], interface: TypeIndex, name: &str) -> Vec<FieldPosition> {
    if !is_interface(read[interface.0].definition) {
        return Vec::new();
    }
    let implementing = read.iter().enumerate().filter_map(|(idx, one)| {
        let index = find_field(one, name)?;
        let is_copy = one.fields[index].expanded.inherited == Some(interface);
        is_copy.then_some((idx, index))
    });
    implementing.collect()
}

fn find_field(r#type: &DeclaredType<'_>, name: &str) -> Option<usize> {
    r#type.fields.iter().position(|field| field.name() == name)
}

fn link_reverse_predicates(
    types: &Types<'_>,
    read: &[DeclaredType<'_>],
    inverses: &mut FxHashMap<FieldPosition, Inverse>,
    problems: &mut Problems,
) {
    // Those of interfaces first: the inverse of a field with an interface's type is the interface's.
    let (interfaces, objects): (Vec<usize>, Vec<usize>) =
        (0..read.len()).partition(|idx| is_interface(read[*idx].definition));
    for idx in interfaces.into_iter().chain(objects) {
        let r#type = &read[idx];
        for (index, field) in r#type.fields.iter().enumerate() {
            let reverse = predicate::written(&field.applied);
            let Some(forward) = reverse.and_then(|predicate| predicate.strip_prefix('~')) else {
                continue;
            };
            let place = (idx, index);
            let found = match is_interface(r#type.definition) {
                // As in Dgraph, such a field may have its counterpart in the types only.
                true => find_forward(types, read, field, forward).filter(|(target, position)| {
                    read[target.0].fields[*position].base() == &*r#type.definition.name
                }),
                false => {
                    let context = (types, read, &*inverses);
                    check_reverse(context, place, forward, problems)
                }
            };
            let Some((target, position)) = found else { continue };
            let inverse = Inverse { r#type: target, field: position, is_declared: true };
            inverses.insert(place, inverse);
            let back = Inverse { r#type: TypeIndex(idx), field: index, is_declared: false };
            let name = read[target.0].fields[position].name();
            inverses.entry((target.0, position)).or_insert_with(|| back.clone());
            for copy in copies(read, target, name) {
                inverses.entry(copy).or_insert_with(|| back.clone());
            }
        }
    }
}

/// The field with the predicate in the type of a field with its reverse.
fn find_forward(
    types: &Types<'_>,
    read: &[DeclaredType<'_>],
    field: &DeclaredField<'_>,
    forward: &str,
) -> Option<(TypeIndex, usize)> {
    let target = types.find_type(field.base())?;
    let mut fields = read[target.0].fields.iter();
    let position = fields.position(|one| predicate::written(&one.applied) == Some(forward))?;
    Some((target, position))
}

type Context<'a, 'd> =
    (&'a Types<'d>, &'a [DeclaredType<'d>], &'a FxHashMap<FieldPosition, Inverse>);

fn check_reverse(
    (types, read, inverses): Context<'_, '_>,
    place: FieldPosition,
    forward: &str,
    problems: &mut Problems,
) -> Option<(TypeIndex, usize)> {
    let (r#type, field) = (&read[place.0], &read[place.0].fields[place.1]);
    let at = field.at(At::r#type(r#type.definition));
    let at = field.applied.find(Known::Dgraph).map_or(at, |directive| at.directive(directive));
    // A refused type has a mistake of its own.
    let read_field = field.field.as_ref()?;
    if inverses.contains_key(&place) {
        let message = format!(
            "`@hasInverse` does not apply with the reverse predicate `~{forward}`: remove one"
        );
        problems.refuse(at, message);
        return None;
    }
    let Some(target) = types.find_type(field.base()) else {
        let message = format!(
            "the reverse predicate `~{forward}` applies to fields of types and interfaces: remove `~`"
        );
        problems.refuse(at, message);
        return None;
    };
    if read_field.r#type.list.is_none() {
        let message = format!(
            "the reverse predicate `~{forward}` has many rows: give the field the type `[{}]`",
            field.base()
        );
        problems.refuse(at, message);
        return None;
    }
    let name = &read[target.0].definition.name;
    let Some((_, position)) = find_forward(types, read, field, forward) else {
        let message = format!(
            "`{name}` has no field with the predicate `{forward}`: add \
             `@dgraph(pred: \"{forward}\")` to one"
        );
        problems.refuse(at, message);
        return None;
    };
    let counterpart = &read[target.0].fields[position];
    let interfaces = r#type.implements.iter().map(|index| &*read[index.0].definition.name);
    let mut expected = interfaces.chain([&*r#type.definition.name]);
    if !expected.any(|name| name == counterpart.base()) {
        let message = format!(
            "its counterpart `{name}.{}` is of type {}: give it the type `{}`",
            counterpart.name(),
            counterpart.expanded.definition.r#type,
            r#type.definition.name
        );
        problems.refuse(at, message);
        return None;
    }
    if counterpart.applied.has(Known::HasInverse) {
        let message = format!(
            "its counterpart `{name}.{}` has `@hasInverse`: remove it there",
            counterpart.name()
        );
        problems.refuse(at, message);
        return None;
    }
    Some((target, position))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::tests::{check, refused};
    use crate::model::Model;

    /// Fields with their inverses, `<-` for those that have the directive themselves.
    fn inverses(model: &Model) -> Vec<String> {
        let types = model.types.iter();
        let fields = types.flat_map(|one| one.fields.iter().map(move |field| (one, field)));
        let inverses = fields.filter_map(|(one, field)| {
            let inverse = field.inverse.as_ref()?;
            let target = &model.types[inverse.r#type.0];
            let arrow = if inverse.is_declared { "->" } else { "<-" };
            let other = &target.fields[inverse.field].name;
            Some(format!("{}.{} {arrow} {}.{other}", one.name, field.name, target.name))
        });
        inverses.collect()
    }

    #[test]
    fn one_directive_serves_both_ends() {
        let text = "type A { b: B! @hasInverse(field: e) c: A @hasInverse(field: \"c\") }\n\
                    type B { e: [A!]! d: C }\ntype C { b: B @hasInverse(field: d) }";
        check(
            text,
            inverses,
            &expect![[r#"
            [
                "A.b -> B.e",
                "A.c -> A.c",
                "B.e <- A.b",
                "B.d <- C.b",
                "C.b -> B.d",
            ]
        "#]],
        );
    }

    #[test]
    fn inverses_of_interfaces_serve_their_types() {
        let text = "type Author { posts: [Post] @hasInverse(field: author) }\n\
                    interface Post { author: Author! }\ntype Question implements Post { a: Int }";
        check(
            text,
            inverses,
            &expect![[r#"
            [
                "Author.posts -> Post.author",
                "Post.author <- Author.posts",
                "Question.author <- Author.posts",
            ]
        "#]],
        );
        let text = "type Author { posts: [Post] }\n\
                    interface Post { author: Author! @hasInverse(field: posts) }\n\
                    type Question implements Post { a: Int }";
        check(
            text,
            inverses,
            &expect![[r#"
            [
                "Author.posts <- Post.author",
                "Post.author -> Author.posts",
                "Question.author -> Author.posts",
            ]
        "#]],
        );
    }

    #[test]
    fn inherited_fields_have_inverses_of_their_own() {
        let text = "type Author { questions: [Question] @hasInverse(field: author)\n\
                    answers: [Answer] @hasInverse(field: author) }\n\
                    interface Post { author: Author! }\ntype Question implements Post { a: Int }\n\
                    type Answer implements Post { b: Int }";
        check(
            text,
            inverses,
            &expect![[r#"
            [
                "Author.questions -> Question.author",
                "Author.answers -> Answer.author",
                "Question.author <- Author.questions",
                "Answer.author <- Author.answers",
            ]
        "#]],
        );
    }

    #[test]
    fn reverse_predicates_are_inverses() {
        let text = "type Movie { directors: [Director] @dgraph(pred: \"~directed\") }\n\
                    type Director { movies: [Movie] @dgraph(pred: \"directed\") }";
        check(
            text,
            inverses,
            &expect![[r#"
            [
                "Movie.directors -> Director.movies",
                "Director.movies <- Movie.directors",
            ]
        "#]],
        );
        let text = "type Thing { a: Int owner: Person @dgraph(pred: \"owner\") }\n\
                    type Boss implements Person { c: Int }\n\
                    interface Person { things: [Thing] @dgraph(pred: \"<~owner>\") }";
        check(
            text,
            inverses,
            &expect![[r#"
            [
                "Thing.owner <- Person.things",
                "Boss.things -> Thing.owner",
                "Person.things -> Thing.owner",
            ]
        "#]],
        );
        let text = "interface Movie { directors: [Director] @dgraph(pred: \"directed\") }\n\
                    type Film implements Movie { a: Int }\n\
                    type Director { films: [Film] @dgraph(pred: \"~directed\") }";
        check(
            text,
            inverses,
            &expect![[r#"
            [
                "Film.directors <- Director.films",
                "Director.films -> Film.directors",
            ]
        "#]],
        );
        let text = "interface Movie { directors: [Director] @dgraph(pred: \"~directed\") }\n\
                    type Film implements Movie { a: Int }\n\
                    type Director { films: [Film] @dgraph(pred: \"directed\") }";
        check(
            text,
            inverses,
            &expect![[r#"
            [
                "Film.directors -> Director.films",
                "Director.films <- Film.directors",
            ]
        "#]],
        );
    }

    #[test]
    fn inverses_name_each_other() {
        let text = "type A {\n b: String @hasInverse(field: c)\n d: A @hasInverse\n\
                    e: B @hasInverse(field: f)\n g: B @hasInverse(field: h)\n i: B @hasInverse(field: j)\n\
                    k: B @hasInverse(field: j)\n l: U @hasInverse(field: m)\n}\n\
                    type B { h: Int j: A }\nunion U = B";
        refused(
            text,
            &expect![[r#"
            line 2, column 13: A.b: `@hasInverse` applies to fields of types and interfaces: remove it
            line 3, column 8: A.d: `@hasInverse` has no field: write `@hasInverse(field: "name")`
            line 4, column 7: A.e: its inverse `f` is no field of `B`: declare it there
            line 5, column 8: A.g: its inverse `B.h` is of type Int: give it the type `A`
            line 7, column 7: A.k: its inverse `B.j` has the inverse `i` instead: let both name each other
            line 8, column 8: A.l: `@hasInverse` applies to fields of types and interfaces: remove it
        "#]],
        );
    }

    #[test]
    fn reverse_predicates_have_counterparts() {
        let text = "type A {\n b: String @dgraph(pred: \"~p\")\n c: B @dgraph(pred: \"~q\")\n\
                    d: [B] @dgraph(pred: \"~none\")\n e: [B] @dgraph(pred: \"~r\")\n\
                    f: [B] @dgraph(pred: \"~s\")\n g: [B] @dgraph(pred: \"~q\") @hasInverse(field: i)\n}\n\
                    type B { i: A @dgraph(pred: \"q\") j: B @dgraph(pred: \"r\")\n\
                    k: A @dgraph(pred: \"s\") @hasInverse(field: f) }";
        refused(
            text,
            &expect![[r#"
            line 2, column 13: A.b: the reverse predicate `~p` applies to fields of types and interfaces: remove `~`
            line 3, column 8: A.c: the reverse predicate `~q` has many rows: give the field the type `[B]`
            line 4, column 9: A.d: `B` has no field with the predicate `none`: add `@dgraph(pred: "none")` to one
            line 5, column 10: A.e: its counterpart `B.j` is of type B: give it the type `A`
            line 6, column 9: A.f: `@hasInverse` does not apply with the reverse predicate `~s`: remove one
            line 7, column 10: A.g: `@hasInverse` does not apply with the reverse predicate `~q`: remove one
        "#]],
        );
    }
}
