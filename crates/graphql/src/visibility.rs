//! Parts of a schema that some clients see, while others do not know that the rest exists.
//!
//! A schema with permissions by role would need a copy for each role. Instead all roles share one
//! schema, and a [`Visibility`] has a bit for each of its positions. Validation, coercion,
//! introspection and printing read a schema through a [`View`], which leaves out what is hidden: an
//! error for a hidden name is that for an unknown one.

mod position_index;

use std::ops::Index;

pub use position_index::PositionIndex;

use crate::schema::{
    DirectiveDefinition, EnumValueId, FieldId, InputId, Schema, TypeDefinition, TypeId, TypeKind,
    TypeRef,
};

/// A schema as one kind of client sees it.
#[derive(Clone, Copy, Debug)]
pub struct View<'s> {
    pub whole: &'s Schema,
    /// `None`: everything is visible.
    visibility: Option<&'s Visibility>,
}

/// The visible positions of a schema.
#[derive(Clone, Debug)]
pub struct Visibility {
    types: Bits,
    fields: Bits,
    inputs: Bits,
    values: Bits,
    /// Fields whose values may be null for these clients only.
    nullable: Bits,
}

/// A position that a rule of visibility decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Position {
    Field(FieldId),
    /// An argument, or a field of an input object type.
    Input(InputId),
    EnumValue(EnumValueId),
}

/// A set of ids of one arena. Ids beyond its size are in it: positions that were added to the schema
/// later, for everyone.
#[derive(Clone, Debug)]
struct Bits(Box<[u64]>);

impl Bits {
    fn new(size: usize) -> Self {
        let mut words = vec![0; size.div_ceil(64)];
        if let Some(last) = words.last_mut()
            && !size.is_multiple_of(64)
        {
            *last = u64::MAX << (size % 64);
        }
        Self(words.into())
    }

    fn has(&self, index: usize) -> bool {
        self.0.get(index / 64).is_none_or(|word| word & (1 << (index % 64)) != 0)
    }

    fn insert(&mut self, index: usize) {
        if let Some(word) = self.0.get_mut(index / 64) {
            *word |= 1 << (index % 64);
        }
    }

    fn remove(&mut self, index: usize) {
        if let Some(word) = self.0.get_mut(index / 64) {
            *word &= !(1 << (index % 64));
        }
    }
}

impl Visibility {
    /// The positions that are allowed and can be used.
    ///
    /// A position is hidden, too, if its type has no visible member, or if it has a required argument
    /// that is hidden and not `is_given` without the client; a type is hidden if no visible position
    /// leads to it. The type of queries stays, even without fields: a rule should leave it one.
    /// Defaults of inputs are not checked: none may name a position that is ever hidden.
    /// `is_nullable` names the fields that may be null although the schema says otherwise.
    #[must_use]
    pub fn new(
        schema: &Schema,
        is_allowed: impl Fn(Position) -> bool,
        is_nullable: impl Fn(FieldId) -> bool,
        is_given: impl Fn(InputId) -> bool,
    ) -> Self {
        PositionIndex::new(schema).visibility(is_allowed, is_nullable, is_given)
    }

    /// The bytes of the sets on the heap.
    #[must_use]
    pub fn heap_size(&self) -> usize {
        let Self { types, fields, inputs, values, nullable } = self;
        [types, fields, inputs, values, nullable].iter().map(|bits| size_of_val(&*bits.0)).sum()
    }

    /// Hides types without visible members, then positions of hidden types, until nothing changes.
    fn hide_unusable(&mut self, index: &PositionIndex<'_>, is_given: &impl Fn(InputId) -> bool) {
        let schema = index.schema;
        loop {
            let mut changed = false;
            for (id, definition) in schema.types() {
                if self.types.has(id.index())
                    && schema.query != Some(id)
                    && !self.has_members(definition)
                {
                    self.types.remove(id.index());
                    changed = true;
                }
            }
            // The first pass is needed for members that were hidden by the rule, too.
            for (input, r#type) in index.input_types.iter().enumerate() {
                if self.inputs.has(input) && !self.types.has(r#type.index()) {
                    self.inputs.remove(input);
                    changed = true;
                }
            }
            for (field, r#type) in index.field_types.iter().enumerate() {
                if self.fields.has(field)
                    && !(self.types.has(r#type.index())
                        && self.has_required(index, field, is_given))
                {
                    self.fields.remove(field);
                    changed = true;
                }
            }
            for (id, required) in &index.demanding_types {
                let is_there = |id: &InputId| self.inputs.has(id.index()) || is_given(*id);
                if self.types.has(id.index()) && !required.iter().all(is_there) {
                    self.types.remove(id.index());
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn has_members(&self, definition: &TypeDefinition) -> bool {
        match &definition.kind {
            TypeKind::Scalar => true,
            TypeKind::Object { fields, .. } | TypeKind::Interface { fields, .. } => {
                fields.iter().any(|id| self.fields.has(id.index()))
            }
            TypeKind::Union { members } => members.iter().any(|id| self.types.has(id.index())),
            TypeKind::Enum { values } => values.iter().any(|id| self.values.has(id.index())),
            TypeKind::InputObject { fields } => fields.iter().any(|id| self.inputs.has(id.index())),
        }
    }

    /// True if every argument of a field that a client must give is visible.
    fn has_required(
        &self,
        index: &PositionIndex<'_>,
        field: usize,
        is_given: &impl Fn(InputId) -> bool,
    ) -> bool {
        if !index.with_required.has(field) {
            return true;
        }
        let mut arguments = index.schema[FieldId::new(field)].arguments.iter();
        arguments.all(|id| {
            !index.required.has(id.index()) || self.inputs.has(id.index()) || is_given(*id)
        })
    }

    /// Hides types that no visible position of a root leads to.
    fn hide_unreachable(&mut self, index: &PositionIndex<'_>) {
        let schema = index.schema;
        let mut reached = Bits::new(schema.types().count());
        let mut waiting: Vec<TypeId> = Vec::new();
        let roots = [schema.query, schema.mutation, schema.subscription].into_iter().flatten();
        let directives = schema.directives.iter().flat_map(|directive| &directive.arguments);
        let visible = |id: &&InputId| self.inputs.has(id.index());
        let of_directives = directives.filter(visible).map(|id| schema[*id].r#type.base);
        for id in roots.chain(of_directives).filter(|id| self.types.has(id.index())) {
            reach(&mut reached, &mut waiting, Some(id));
        }
        let base = |types: &[TypeId], index: usize| types.get(index).copied();
        let PositionIndex { field_types, input_types, implementers, .. } = index;
        while let Some(id) = waiting.pop() {
            match &schema[id].kind {
                TypeKind::Scalar | TypeKind::Enum { .. } => {}
                TypeKind::Object { fields, interfaces }
                | TypeKind::Interface { fields, interfaces } => {
                    for field in fields.iter().filter(|field| self.fields.has(field.index())) {
                        reach(&mut reached, &mut waiting, base(field_types, field.index()));
                        if !index.with_arguments.has(field.index()) {
                            continue;
                        }
                        for input in &schema[*field].arguments {
                            if self.inputs.has(input.index()) {
                                reach(&mut reached, &mut waiting, base(input_types, input.index()));
                            }
                        }
                    }
                    for interface in interfaces.iter().filter(|one| self.types.has(one.index())) {
                        reach(&mut reached, &mut waiting, Some(*interface));
                    }
                    let first = implementers.partition_point(|(interface, _)| *interface < id);
                    let of_this = implementers.iter().skip(first);
                    for (_, object) in of_this.take_while(|(interface, _)| *interface == id) {
                        if self.types.has(object.index()) {
                            reach(&mut reached, &mut waiting, Some(*object));
                        }
                    }
                }
                TypeKind::Union { members } => {
                    for member in members.iter().filter(|member| self.types.has(member.index())) {
                        reach(&mut reached, &mut waiting, Some(*member));
                    }
                }
                TypeKind::InputObject { fields } => {
                    for input in fields.iter().filter(|input| self.inputs.has(input.index())) {
                        reach(&mut reached, &mut waiting, base(input_types, input.index()));
                    }
                }
            }
        }
        // Variables of these types are always valid.
        for name in crate::BUILT_IN_SCALARS {
            if let Some(id) = schema.find_type(name) {
                reached.insert(id.index());
            }
        }
        for (visible, reached) in self.types.0.iter_mut().zip(&reached.0) {
            *visible &= reached;
        }
    }
}

fn reach(reached: &mut Bits, waiting: &mut Vec<TypeId>, id: Option<TypeId>) {
    if let Some(id) = id
        && !reached.has(id.index())
    {
        reached.insert(id.index());
        waiting.push(id);
    }
}

impl<'s> From<&'s Schema> for View<'s> {
    /// The whole schema.
    fn from(schema: &'s Schema) -> Self {
        Self { whole: schema, visibility: None }
    }
}

impl<'s> View<'s> {
    /// The part of a schema; `visibility` must have been made of this schema.
    #[must_use]
    pub fn new(schema: &'s Schema, visibility: Option<&'s Visibility>) -> Self {
        Self { whole: schema, visibility }
    }

    fn shows(self, is_visible: impl Fn(&Visibility) -> bool) -> bool {
        self.visibility.is_none_or(is_visible)
    }

    fn shows_type(self, id: TypeId) -> bool {
        self.shows(|visibility| visibility.types.has(id.index()))
    }

    /// The type of queries.
    #[must_use]
    pub fn query(self) -> Option<TypeId> {
        self.whole.query
    }

    /// The type of mutations, if any of them is visible.
    #[must_use]
    pub fn mutation(self) -> Option<TypeId> {
        self.whole.mutation.filter(|id| self.shows_type(*id))
    }

    /// The type of subscriptions, if any of them is visible.
    #[must_use]
    pub fn subscription(self) -> Option<TypeId> {
        self.whole.subscription.filter(|id| self.shows_type(*id))
    }

    /// True if the field is visible.
    #[must_use]
    pub fn shows_field(self, id: FieldId) -> bool {
        self.shows(|visibility| visibility.fields.has(id.index()))
    }

    fn shows_input(self, id: InputId) -> bool {
        self.shows(|visibility| visibility.inputs.has(id.index()))
    }

    fn shows_value(self, id: EnumValueId) -> bool {
        self.shows(|visibility| visibility.values.has(id.index()))
    }

    /// The type of a field, which may be nullable for these clients only.
    #[must_use]
    pub fn type_of(self, id: FieldId) -> TypeRef {
        let r#type = self.whole[id].r#type;
        let is_nullable =
            self.visibility.is_some_and(|visibility| visibility.nullable.has(id.index()));
        if is_nullable { r#type.nullable() } else { r#type }
    }

    /// Visible types with their ids, in the order of the schema.
    pub fn types(self) -> impl Iterator<Item = (TypeId, &'s TypeDefinition)> + use<'s> {
        self.whole.types().filter(move |(id, _)| self.shows_type(*id))
    }

    #[must_use]
    pub fn find_type(self, name: &str) -> Option<TypeId> {
        self.whole.find_type(name).filter(|id| self.shows_type(*id))
    }

    #[must_use]
    pub fn find_field(self, parent: TypeId, name: &str) -> Option<FieldId> {
        self.whole.find_field(parent, name).filter(|id| self.shows_field(*id))
    }

    #[must_use]
    pub fn find_argument(self, field: FieldId, name: &str) -> Option<InputId> {
        self.whole.find_argument(field, name).filter(|id| self.shows_input(*id))
    }

    #[must_use]
    pub fn find_input_field(self, parent: TypeId, name: &str) -> Option<InputId> {
        self.whole.find_input_field(parent, name).filter(|id| self.shows_input(*id))
    }

    #[must_use]
    pub fn find_enum_value(self, parent: TypeId, name: &str) -> Option<EnumValueId> {
        self.whole.find_enum_value(parent, name).filter(|id| self.shows_value(*id))
    }

    #[must_use]
    pub fn find_directive(self, name: &str) -> Option<&'s DirectiveDefinition> {
        self.whole.find_directive(name)
    }

    /// The visible ones of these fields.
    pub fn fields(self, fields: &'s [FieldId]) -> impl Iterator<Item = FieldId> + use<'s> {
        fields.iter().copied().filter(move |id| self.shows_field(*id))
    }

    /// The visible ones of these inputs.
    pub fn inputs(self, inputs: &'s [InputId]) -> impl Iterator<Item = InputId> + use<'s> {
        inputs.iter().copied().filter(move |id| self.shows_input(*id))
    }

    /// The visible ones of these enum values.
    pub fn values(self, values: &'s [EnumValueId]) -> impl Iterator<Item = EnumValueId> + use<'s> {
        values.iter().copied().filter(move |id| self.shows_value(*id))
    }

    /// The visible ones of these types.
    pub fn named(self, types: &'s [TypeId]) -> impl Iterator<Item = TypeId> + use<'s> {
        types.iter().copied().filter(move |id| self.shows_type(*id))
    }
}

impl<I> Index<I> for View<'_>
where
    Schema: Index<I>,
{
    type Output = <Schema as Index<I>>::Output;

    fn index(&self, id: I) -> &Self::Output {
        &self.whole[id]
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::test_schema::test_schema;
    use crate::{DocumentLimits, Validator, coerce_variable_values, print_schema};

    /// Everything but the positions of these names, each `Type.member` or `Type.field(argument)`.
    fn without(schema: &Schema, hidden: &[&str]) -> Visibility {
        Visibility::new(
            schema,
            |position| !hidden.iter().any(|name| find(schema, name) == Some(position)),
            |_| false,
            |_| false,
        )
    }

    fn find(schema: &Schema, name: &str) -> Option<Position> {
        let (owner, member) = name.split_once('.')?;
        let owner = schema.find_type(owner)?;
        if let Some((field, argument)) = member.split_once('(') {
            let field = schema.find_field(owner, field)?;
            let argument = schema.find_argument(field, argument.trim_end_matches(')'))?;
            return Some(Position::Input(argument));
        }
        let field = schema.find_field(owner, member).map(Position::Field);
        let input = || schema.find_input_field(owner, member).map(Position::Input);
        let value = || schema.find_enum_value(owner, member).map(Position::EnumValue);
        field.or_else(input).or_else(value)
    }

    #[test]
    fn hidden_positions_and_what_only_they_lead_to_are_not_printed() {
        let schema = test_schema();
        let visibility = without(
            &schema,
            &[
                "Album.artist",
                "Query.search",
                "Query.node",
                "Query.albums(first)",
                "AlbumFilter.order",
                "AlbumOrder.NATURAL",
                "RatingInput.stars",
            ],
        );
        // A rating has a required field that is hidden, and `rate` needs a rating.
        expect![[r#"
            """How long it takes is written down."""
            directive @traced(
              """What it is called."""
              label: String!
            ) repeatable on QUERY | FIELD | INLINE_FRAGMENT

            directive @cached(seconds: Int = 60, by: [AlbumOrder], where: AlbumFilter) on FIELD

            """A 64-bit integer."""
            scalar BigInt

            scalar JSON

            interface Node {
              id: ID!
            }

            type Artist implements Node {
              id: ID!
              name: String
              albums(first: Int, filter: AlbumFilter): [Album!]!
            }

            """
            A record.
            Of one artist.
            """
            type Album implements Node {
              id: ID!

              """As on the sleeve."""
              title: String!
              price: Float
              plays: BigInt @deprecated(reason: "Count \"listens\".")
            }

            enum AlbumOrder {
              TITLE_ASC
              TITLE_DESC @deprecated(reason: "Use \"sort\".")
            }

            input AlbumFilter {
              title: String
              ids: [Int!]
              year: Int! = 2000
              not: AlbumFilter
              extra: JSON
            }

            type Query {
              albums(
                orderBy: [AlbumOrder!] = [NATURAL]

                """Which."""
                filter: AlbumFilter
              ): [Album]
            }
        "#]]
        .assert_eq(&print_schema(View::new(&schema, Some(&visibility))));
    }

    #[test]
    fn everything_allowed_is_the_whole_schema() {
        let schema = test_schema();
        let visibility = without(&schema, &[]);
        let view = View::new(&schema, Some(&visibility));
        assert_eq!(print_schema(view), print_schema(&schema));
        let bytes = 8 * (1 + 1 + 1 + 1 + 1);
        assert_eq!(visibility.heap_size(), bytes);
    }

    /// The errors of a document, or of its variables.
    fn errors(view: View<'_>, text: &str, variables: &str) -> Vec<String> {
        let validator = Validator::new(view.whole);
        let operation = validator.operation(view, text, None, &DocumentLimits::default());
        let errors = operation.and_then(|operation| {
            let given = serde_json::from_str(variables).unwrap();
            let serde_json_bytes::Value::Object(given) = given else { panic!("no object") };
            coerce_variable_values(view, &operation, &given).map(|_| ())
        });
        errors.err().into_iter().flatten().map(|error| error.message).collect()
    }

    #[test]
    fn a_hidden_name_is_an_unknown_name() {
        let schema = test_schema();
        let hidden = [
            "Album.plays",
            "Artist.albums(first)",
            "AlbumFilter.title",
            "AlbumOrder.NATURAL",
            "RatingInput.public",
            "Query.search",
        ];
        let visibility = without(&schema, &hidden);
        let view = View::new(&schema, Some(&visibility));
        // Each has one name that is hidden, and in its place one that nothing has.
        let cases = [
            ("{ albums { plays } }", "plays", "{}"),
            ("{ search(text: \"\") { __typename } }", "search", "{}"),
            ("{ node(id: 1) { ... on Artist { albums(first: 1) { id } } } }", "first", "{}"),
            ("{ albums(filter: { title: \"\" }) { id } }", "title", "{}"),
            ("{ albums(orderBy: NATURAL) { id } }", "NATURAL", "{}"),
            ("{ node(id: 1) { ... on SearchHit { __typename } } }", "SearchHit", "{}"),
            (
                "query ($f: AlbumFilter) { albums(filter: $f) { id } }",
                "title",
                r#"{ "f": { "title": "" } }"#,
            ),
            (
                "query ($o: [AlbumOrder!]) { albums(orderBy: $o) { id } }",
                "NATURAL",
                r#"{ "o": ["NATURAL"] }"#,
            ),
            ("query ($s: SearchHit) { albums { id } }", "SearchHit", "{}"),
        ];
        for (text, name, variables) in cases {
            let other = "q".repeat(name.len());
            let unknown =
                errors(view, &text.replace(name, &other), &variables.replace(name, &other));
            // A union is no type of a variable for anyone.
            let is_valid = errors(View::from(&schema), text, variables).is_empty();
            assert_eq!(is_valid, !text.contains("$s"), "{text}");
            let told: Vec<String> =
                errors(view, text, variables).iter().map(|one| one.replace(name, &other)).collect();
            assert_eq!(told, unknown, "{text}");
            assert!(!told.is_empty(), "{text}");
        }
    }

    #[test]
    fn a_hidden_default_is_not_added() {
        let schema = test_schema();
        let visibility = without(&schema, &["AlbumFilter.year", "RatingInput.public"]);
        let view = View::new(&schema, Some(&visibility));
        let text = "query ($f: AlbumFilter) { albums(filter: $f) { id } }";
        let validator = Validator::new(&schema);
        let operation = validator.operation(view, text, None, &DocumentLimits::default()).unwrap();
        let given = serde_json::from_str(r#"{ "f": { "title": "" } }"#).unwrap();
        let serde_json_bytes::Value::Object(given) = given else { panic!("no object") };
        let variables = coerce_variable_values(view, &operation, &given).unwrap();
        let printed = format!("{:?}", variables.values);
        assert!(printed.contains("title") && !printed.contains("year"), "{printed}");
        let literal = "mutation { rate(id: 1, rating: { stars: 1 }) { id } }";
        let operation = |view: View<'_>| {
            validator.operation(view, literal, None, &DocumentLimits::default()).unwrap()
        };
        let (whole, part) = (operation(View::from(&schema)), operation(view));
        assert_ne!(format!("{whole:?}"), format!("{part:?}"));
    }

    #[test]
    fn nullable_for_some_is_nullable_in_print() {
        let schema = test_schema();
        let title = find(&schema, "Album.title");
        let visibility = Visibility::new(
            &schema,
            |_| true,
            |field| Some(Position::Field(field)) == title,
            |_| false,
        );
        let printed = print_schema(View::new(&schema, Some(&visibility)));
        assert!(printed.contains("  title: String\n"), "{printed}");
    }
}
