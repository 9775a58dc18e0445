//! The state of the API's construction.

use rustc_hash::FxHashMap;

use super::section::{Draft, Section};
use super::variants::VariantList;
use super::{base, clean, values, variants};
use crate::located::Located;
use crate::model::{
    Base, Custom, Elements, EnumIndex, Field, FieldType, Model, Scalar, Type, TypeIndex, UnionIndex,
};
use crate::resolvers::resolver;
use api::ApiBuilder;
use api::binding::{FieldBinding, ResolverId, VariantsId};
use api::draft::{DraftField, DraftInput, DraftKind, add_directive};
use http_resolvers::HttpResolver;

const DQL: &str = "Queries in DQL, Dgraph's own language, are not supported.";

/// The text at fields of remote types, which are read in answers of other servers only.
const REMOTE: &str = "Another server gives this.";

/// The model, its ids in the catalog, and the API so far.
#[derive(Debug)]
pub(super) struct Builder<'m> {
    pub(super) model: &'m Model,
    pub(super) located: &'m Located,
    pub(super) draft: Draft,
    pub(super) queries: Vec<DraftField>,
    pub(super) mutations: Vec<DraftField>,
    pub(super) subscriptions: Vec<DraftField>,
    /// True if conditions can be nested along relations.
    pub(super) nested_filters: bool,
    /// Lists of rows of several types, by their ids.
    pub(super) variants: Vec<VariantList>,
    /// The lists of the related rows of fields that conditions on interfaces follow.
    pub(super) linked: FxHashMap<(TypeIndex, usize), VariantsId>,
    /// Resolvers of custom fields, by their ids.
    resolvers: Vec<HttpResolver>,
    /// Fields of each type that other types `@provides`.
    provided: FxHashMap<TypeIndex, Vec<&'m str>>,
}

impl<'m> Builder<'m> {
    pub(super) fn new(model: &'m Model, located: &'m Located) -> Self {
        let mut provided: FxHashMap<TypeIndex, Vec<&'m str>> = FxHashMap::default();
        for r#type in model.types.iter().filter(|r#type| !r#type.is_remote) {
            for field in &r#type.fields {
                if let (Some(names), Base::Type(target)) =
                    (&field.federation.provides, field.r#type.base)
                {
                    provided.entry(target).or_default().extend(names.split_whitespace());
                }
            }
        }
        Self {
            model,
            located,
            draft: Draft::default(),
            queries: Vec::new(),
            mutations: Vec::new(),
            subscriptions: Vec::new(),
            nested_filters: false,
            variants: Vec::new(),
            linked: FxHashMap::default(),
            resolvers: Vec::new(),
            provided,
        }
    }

    /// The binding of a custom field. `parent` is the type of which it is one.
    pub(super) fn custom(&mut self, parent: &str, field: &Field) -> FieldBinding {
        let secrets = &self.model.settings.secrets;
        match &field.custom {
            Some(Custom::Http(http)) => match resolver(parent, field, http, secrets) {
                Ok(resolver) => {
                    let id = u32::try_from(self.resolvers.len()).unwrap_or(u32::MAX);
                    self.resolvers.push(resolver);
                    FieldBinding::Resolved(ResolverId(id))
                }
                Err(error) => FieldBinding::Refused(error.into()),
            },
            Some(Custom::Dql(_)) => FieldBinding::Refused(DQL.into()),
            Some(Custom::Lambda) | None => FieldBinding::Refused(REMOTE.into()),
        }
    }

    /// The types with rows.
    pub(super) fn stored_types(&self) -> Vec<TypeIndex> {
        let types = self.model.types.iter().enumerate();
        types.filter(|(_, known)| !known.is_remote).map(|(index, _)| TypeIndex(index)).collect()
    }

    pub(super) fn r#type(&self, index: TypeIndex) -> &'m Type {
        &self.model.types[index.0]
    }

    /// Fields of a type that other types `@provides`.
    pub(super) fn provided(&self, index: TypeIndex) -> Vec<&'m str> {
        self.provided.get(&index).cloned().unwrap_or_default()
    }

    /// The name of a type of the definitions.
    pub(super) fn name(&self, base: Base) -> &'m str {
        match base {
            Base::Scalar(scalar) => scalar_name(scalar),
            Base::Enum(EnumIndex(index)) => &self.model.enums[index].name,
            Base::Type(TypeIndex(index)) => &self.model.types[index].name,
            Base::Union(UnionIndex(index)) => &self.model.unions[index].name,
            Base::Input(index) => &self.model.inputs[index.0].name,
        }
    }

    /// A type of the definitions, as in a schema.
    pub(super) fn text(&self, r#type: FieldType) -> String {
        wrapped(self.name(r#type.base), r#type)
    }

    /// The same in an argument or an input: places have input types of their own.
    pub(super) fn input_text(&self, r#type: FieldType) -> String {
        match r#type.base {
            Base::Scalar(Scalar::Point | Scalar::Polygon | Scalar::MultiPolygon) => {
                wrapped(&format!("{}Ref", self.name(r#type.base)), r#type)
            }
            _ => self.text(r#type),
        }
    }

    pub(super) fn input(&mut self, name: &str, members: Vec<DraftInput>) {
        self.draft.add_plain(Section::Inputs, name, DraftKind::input(members));
    }

    pub(super) fn object(&mut self, name: &str, fields: Vec<DraftField>) {
        self.draft.add_plain(Section::Objects, name, DraftKind::object(fields));
    }

    /// Puts everything into an API.
    pub(super) fn finish(mut self, builder: &mut ApiBuilder) {
        clean::clean(&mut self.draft, &mut self.mutations, self.model);
        for (name, fields) in [
            ("Query", std::mem::take(&mut self.queries)),
            ("Mutation", std::mem::take(&mut self.mutations)),
            ("Subscription", std::mem::take(&mut self.subscriptions)),
        ] {
            if !fields.is_empty() {
                self.draft.add_plain(Section::Roots, name, DraftKind::object(fields));
            }
        }
        std::mem::take(&mut self.draft).finish(builder);
        for (name, argument, location) in base::DIRECTIVES {
            add_directive(builder, name, argument, location);
        }
        builder.bind_cascade(base::CASCADE);
        values::bind(builder, self.model, self.located);
        variants::finish(builder, &self);
        builder.bind_resolvers(std::mem::take(&mut self.resolvers));
        self.bind_remote_types(builder);
    }

    /// Binds the types and names that only other servers have.
    fn bind_remote_types(&self, builder: &mut ApiBuilder) {
        for r#type in self.model.types.iter().filter(|known| known.is_remote) {
            let Some(id) = builder.schema().find_type(&r#type.name) else { continue };
            builder.mark_remote(id);
            for field in &r#type.fields {
                let known = builder.schema().find_field(id, &field.name);
                if let (Some(known), Some(key)) = (known, &field.remote_name) {
                    builder.bind_answer_key(known, key);
                }
            }
        }
    }
}

/// The name of a type in the lists and requirements of another.
pub(super) fn wrapped(name: &str, r#type: FieldType) -> String {
    let required = if r#type.is_required { "!" } else { "" };
    match r#type.list {
        Some(Elements { are_required: true }) => format!("[{name}!]{required}"),
        Some(Elements { are_required: false }) => format!("[{name}]{required}"),
        None => format!("{name}{required}"),
    }
}

pub(super) fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Id => "ID",
        Scalar::Boolean => "Boolean",
        Scalar::Int => "Int",
        Scalar::Int64 => "Int64",
        Scalar::Float => "Float",
        Scalar::String => "String",
        Scalar::DateTime => "DateTime",
        Scalar::Point => "Point",
        Scalar::Polygon => "Polygon",
        Scalar::MultiPolygon => "MultiPolygon",
    }
}

/// The name with its first letter in lower case.
pub(super) fn lower_first(name: &str) -> String {
    let mut letters = name.chars();
    match letters.next() {
        Some(first) => first.to_ascii_lowercase().to_string() + letters.as_str(),
        None => String::new(),
    }
}
