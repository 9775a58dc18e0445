//! Native queries and logical models of metadata: the queries that a source makes functions of, and
//! the parts of the metadata that they come from.
//!
//! * `template`: the text of a query with its arguments

mod template;

use catalog::{
    Catalog, RowModel, RowModelField, StatementPart, WrittenArgument, WrittenPart, WrittenQueries,
    WrittenQuery,
};
use hasura_metadata::types::logical_model::{LogicalModelBase, LogicalModelField, ReturnedModel};
use hasura_metadata::types::name::is_graphql_name;
use hasura_metadata::types::native_query::NativeQuery;
use hasura_metadata::types::permission::SelectPermissionEntry;
use hasura_metadata::types::source::Source;
use hasura_metadata::{Location, Problem, ProblemKind};

/// The native queries of a source, with their parts in the metadata.
#[derive(Debug, Default)]
pub(crate) struct NativeQueries<'m> {
    pub(crate) written: WrittenQueries,
    /// By the index of a model.
    pub(crate) models: Vec<Model<'m>>,
    /// By the index of a query.
    pub(crate) queries: Vec<&'m NativeQuery>,
    pub(crate) problems: Vec<Problem>,
}

/// A logical model.
#[derive(Clone, Debug)]
pub(crate) struct Model<'m> {
    pub(crate) name: &'m str,
    pub(crate) place: &'m Location,
    /// Those that are columns.
    pub(crate) fields: Vec<&'m LogicalModelField>,
    /// Those that only name another model: relationships of a query stand for them.
    pub(crate) references: Vec<&'m LogicalModelField>,
    pub(crate) permissions: &'m [SelectPermissionEntry],
    /// False if it has no place in an API, nor have queries that return it.
    is_served: bool,
}

pub(crate) fn wrong(place: &Location, message: String) -> Problem {
    Problem { kind: ProblemKind::WrongValue, place: place.clone(), message }
}

impl<'m> NativeQueries<'m> {
    /// Reads the native queries of a source. What is wrong in itself is a problem, and left out.
    pub(crate) fn new(source: &'m Source) -> Self {
        let mut own = Self::default();
        for model in &source.logical_models {
            let (name, place) = (&*model.name.text, &model.place);
            own.model(
                (name, place),
                model.description.as_deref(),
                &model.fields,
                &model.select_permissions,
            );
        }
        let named = own.models.len();
        for query in &source.native_queries {
            let model = match &query.returns {
                ReturnedModel::Named(name) => own.models[..named]
                    .iter()
                    .position(|model| model.name == name.text)
                    .or_else(|| {
                        let message =
                            format!("The logical model `{}` is not in the metadata.", name.text);
                        own.problems.push(wrong(&name.place, message));
                        None
                    }),
                ReturnedModel::Inline(model) => Some(own.model(
                    (&query.root_field_name, &model.place),
                    None,
                    &model.fields,
                    &model.select_permissions,
                )),
            };
            let Some(model) = model.filter(|model| own.models[*model].is_served) else { continue };
            match written(query, model) {
                Ok(written) => {
                    own.written.queries.push(written);
                    own.queries.push(query);
                }
                Err(problem) => own.problems.push(problem),
            }
        }
        own
    }

    /// Adds a model; returns its index.
    fn model(
        &mut self,
        (name, place): (&'m str, &'m Location),
        description: Option<&str>,
        all: &'m [LogicalModelField],
        permissions: &'m [SelectPermissionEntry],
    ) -> usize {
        let is_name = is_graphql_name(name);
        if !is_name {
            self.problems.push(wrong(place, format!("{name:?} is no name of GraphQL.")));
        }
        let (mut fields, mut references) = (Vec::new(), Vec::new());
        let mut columns = Vec::new();
        for field in all {
            if !is_graphql_name(&field.name) {
                let message = format!("{:?} is no name of GraphQL.", field.name.text);
                self.problems.push(wrong(&field.name.place, message));
                continue;
            }
            let r#type = match &field.r#type.base {
                LogicalModelBase::Scalar(r#type) => r#type,
                LogicalModelBase::Model(_) => {
                    references.push(field);
                    continue;
                }
                LogicalModelBase::Array(of) => {
                    match &of.base {
                        LogicalModelBase::Model(_) => references.push(field),
                        LogicalModelBase::Scalar(_) | LogicalModelBase::Array(_) => {
                            let message = "Arrays of scalars and of arrays are not served: write \
                                           the array's own type as a scalar, such as `int[]`.";
                            self.problems.push(wrong(&field.r#type.place, message.into()));
                        }
                    }
                    continue;
                }
            };
            columns.push(RowModelField {
                name: field.name.text.as_str().into(),
                r#type: r#type.as_str().into(),
                nullable: field.r#type.nullable,
                description: field.description.as_deref().map(Box::from),
            });
            fields.push(field);
        }
        if columns.is_empty() {
            self.problems.push(wrong(place, format!("The logical model `{name}` has no column.")));
        }
        let is_served = is_name && !columns.is_empty();
        let description = description.map(Box::from);
        self.written.models.push(RowModel { name: name.into(), description, fields: columns });
        self.models.push(Model { name, place, fields, references, permissions, is_served });
        self.models.len() - 1
    }

    /// The place of a part in the metadata.
    pub(crate) fn place(&self, part: WrittenPart) -> Option<&'m Location> {
        match part {
            WrittenPart::Field { model, field } => {
                Some(&self.models.get(model)?.fields.get(field)?.r#type.place)
            }
            WrittenPart::Query(query) => Some(&self.queries.get(query)?.place),
            WrittenPart::Argument { query, argument } => {
                let argument = self.queries.get(query)?.arguments.values().nth(argument)?;
                Some(&argument.r#type.place)
            }
        }
    }

    /// The problems that the source found.
    pub(crate) fn problems_of(&self, catalog: &Catalog) -> Vec<Problem> {
        let problems = catalog.written_problems().iter();
        let problems = problems.filter_map(|problem| {
            let place = self.place(problem.part)?;
            Some(wrong(place, problem.message.clone().into()))
        });
        problems.collect()
    }
}

/// The query of a native query whose rows are of a model.
fn written(query: &NativeQuery, model: usize) -> Result<WrittenQuery, Problem> {
    let names: Vec<&str> = query.arguments.keys().map(String::as_str).collect();
    for (name, argument) in &query.arguments {
        if !is_graphql_name(name) {
            return Err(wrong(&argument.place, format!("{name:?} is no name of GraphQL.")));
        }
    }
    let find = |name: &str| {
        let place = names.iter().position(|known| *known == name)?;
        u16::try_from(place).ok()
    };
    let parts = template::parse(&query.code, find).map_err(|message| {
        wrong(&query.place, format!("The code of `{}`: {message}", &*query.root_field_name))
    })?;
    for (place, name) in (0_u16..).zip(&names) {
        if !parts.contains(&StatementPart::Argument(place)) {
            let message = format!(
                "The argument `{name}` of `{}` is not used in its code. Remove it, or write \
                 {{{{{name}}}}}.",
                &*query.root_field_name
            );
            let place = query.arguments.get(*name).map_or(&query.place, |own| &own.place);
            return Err(wrong(place, message));
        }
    }
    let arguments = query.arguments.iter().map(|(name, argument)| WrittenArgument {
        name: name.as_str().into(),
        r#type: argument.r#type.text.as_str().into(),
    });
    Ok(WrittenQuery {
        name: query.root_field_name.0.text.as_str().into(),
        description: query.description.as_deref().map(Box::from),
        model,
        arguments: arguments.collect(),
        parts,
    })
}
