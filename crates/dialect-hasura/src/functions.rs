//! Functions in the API: fields of the root types, and computed fields of rows.

use api::binding::{ArgumentBinding, CallBinding, OmittedArguments};
use catalog::{ArgumentType, Catalog, EntityId, Function, FunctionId};
use graphql::schema::is_name;
use hasura_metadata::{Location, Problem, ProblemKind};

use super::collision::Names;
use super::naming::{self, TableNames};
use super::relations::Scope;
use super::tracking::{
    ComputedResult, FunctionArgument, FunctionArguments, TrackedComputed, TrackedFunction, Tracking,
};
use super::values::{Values, values};

/// The errors of omitted arguments.
pub(super) const OMITTED: OmittedArguments = OmittedArguments {
    required: "Non default arguments cannot be omitted",
    before_unnamed: "Only last set of positional arguments can be omitted",
};

/// A function that is a field of the root types.
#[derive(Debug)]
pub(super) struct RootFunction {
    pub(super) name: String,
    pub(super) aggregate: String,
    pub(super) description: String,
    pub(super) call: Call,
    /// The index of the entity of its rows in the plan.
    pub(super) target: usize,
    pub(super) is_set: bool,
    /// True if it is a field of mutations.
    pub(super) is_mutation: bool,
}

/// A computed field of rows.
#[derive(Debug)]
pub(super) struct Computed {
    pub(super) name: String,
    pub(super) description: Option<String>,
    pub(super) call: Call,
    pub(super) form: ComputedForm,
}

/// The result of a computed field.
#[derive(Debug)]
pub(super) enum ComputedForm {
    Value(Values),
    /// Rows of the entity at the index in the plan.
    Rows(usize),
}

/// A call with the arguments of a request.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) function: FunctionId,
    /// Its name in descriptions.
    pub(super) described: String,
    /// Those that clients give.
    pub(super) arguments: Vec<Argument>,
    /// The index of the one that receives the session variables.
    pub(super) session: Option<u16>,
    /// The type of its arguments.
    pub(super) arguments_type: String,
}

/// An argument.
#[derive(Debug)]
pub(super) struct Argument {
    pub(super) name: String,
    pub(super) values: Values,
    pub(super) binding: ArgumentBinding,
}

impl Computed {
    /// The values that conditions and orders compare: those of fields without arguments.
    pub(super) fn find_operand(&self) -> Option<&Values> {
        match &self.form {
            ComputedForm::Value(values) if self.call.arguments.is_empty() => Some(values),
            ComputedForm::Value(_) | ComputedForm::Rows(_) => None,
        }
    }

    /// The entity of the rows, by its index in the plan, of a field without arguments.
    pub(super) fn rows_without_arguments(&self) -> Option<usize> {
        match self.form {
            ComputedForm::Rows(place) if self.call.arguments.is_empty() => Some(place),
            ComputedForm::Rows(_) | ComputedForm::Value(_) => None,
        }
    }
}

impl Call {
    fn new(catalog: &Catalog, id: FunctionId, own: &FunctionArguments, name: String) -> Self {
        let function = &catalog[id];
        let described = naming::described(function.namespace.as_deref(), &function.name);
        let given = own.given.iter();
        let arguments = given.filter_map(|one| argument(catalog, function, one)).collect();
        Self { function: id, described, arguments, session: own.session, arguments_type: name }
    }

    /// The binding of the call.
    pub(super) fn binding(&self) -> CallBinding {
        let session =
            self.session.map(|place| ArgumentBinding { place, optional: false, named: true });
        let arguments = self.arguments.iter().map(|argument| argument.binding);
        let mut arguments: Vec<_> = arguments.chain(session).collect();
        arguments.sort_by_key(|argument| argument.place);
        CallBinding { arguments, row: None, claims: self.session, omitted: Some(OMITTED) }
    }

    /// The call of a row, with the defaults of its arguments.
    pub(super) fn of_row(&self) -> ir::Call {
        let arguments = self.session.map(|place| (place, ir::Operand::Claims));
        ir::Call {
            function: self.function,
            of_row: Some(Vec::new()),
            arguments: arguments.into_iter().collect(),
        }
    }

    /// True if a client may omit all arguments.
    pub(super) fn is_optional(&self) -> bool {
        self.arguments.iter().all(|argument| argument.binding.optional)
    }
}

/// An argument of the function. A row is a text as PostgreSQL writes it, of a scalar of its table.
fn argument(catalog: &Catalog, function: &Function, one: &FunctionArgument) -> Option<Argument> {
    let argument = function.arguments.get(usize::from(one.place))?;
    let values = match &argument.r#type {
        ArgumentType::Value(r#type) => values(catalog, r#type),
        ArgumentType::Row(entity) => Values::of_row(&catalog[*entity].name),
    };
    let binding = ArgumentBinding {
        place: one.place,
        optional: argument.has_default,
        named: argument.name.is_some(),
    };
    Some(Argument { name: one.name.clone(), values, binding })
}

fn wrong(place: &Location, message: String) -> Problem {
    Problem { kind: ProblemKind::WrongValue, place: place.clone(), message }
}

/// The functions of the root; each claims its names.
pub(super) fn root_functions(
    scope: &mut Scope<'_, '_>,
    roots: &mut Names,
    types: &mut Names,
) -> Vec<RootFunction> {
    let (catalog, tracking) = (scope.catalog, scope.tracking);
    let mut functions = Vec::new();
    for tracked in &tracking.functions {
        let function = &catalog[tracked.function];
        // The note is that of the table.
        let Some(target) = scope.places.get(&tracked.entity).copied() else { continue };
        match root_function(catalog, tracking, tracked, target, (&*roots, &*types)) {
            Ok(made) => {
                let subject = format!("the function {}", catalog.function_name(function.id));
                roots.claim(&made.name, &subject);
                if !made.is_mutation {
                    roots.claim(&made.aggregate, &subject);
                }
                types.claim(&made.call.arguments_type, &subject);
                functions.push(made);
            }
            Err(problem) => scope.problems.push(problem),
        }
    }
    functions
}

fn root_function(
    catalog: &Catalog,
    tracking: &Tracking<'_>,
    tracked: &TrackedFunction<'_>,
    target: usize,
    (roots, types): (&Names, &Names),
) -> Result<RootFunction, Problem> {
    let function = &catalog[tracked.function];
    let (metadata, naming) = (tracked.tracked, tracking.naming);
    let base = naming::table(function.namespace.as_deref(), &function.name);
    let configuration = &metadata.configuration;
    let name = naming.function(&base, configuration);
    let aggregate = naming.function_aggregate(&base, configuration);
    let arguments_type = naming.function_arguments(&base, configuration);
    let place = &metadata.function.place;
    let call = Call::new(catalog, tracked.function, &tracked.arguments, arguments_type);
    let has_aggregate = !tracked.is_mutation;
    let fields = [Some(&name), has_aggregate.then_some(&aggregate)];
    for field in fields.into_iter().flatten() {
        if !is_name(field) {
            let message = format!("{field:?} is no name of GraphQL. Write a `custom_name`.");
            return Err(wrong(place, message));
        }
        if let Some(first) = roots.owner(field) {
            let message = format!(
                "The root field `{field}` belongs to {first}. Write another `custom_name`."
            );
            return Err(wrong(place, message));
        }
    }
    if let Some(first) = types.owner(&call.arguments_type)
        && !call.arguments.is_empty()
    {
        let message = format!(
            "The type `{}` of the arguments belongs to {first}. Write another `custom_name`.",
            call.arguments_type
        );
        return Err(wrong(place, message));
    }
    let table = &catalog[tracked.entity];
    let table = naming::described(table.namespace.as_deref(), &table.name);
    let verb = if tracked.is_mutation { "execute VOLATILE function" } else { "execute function" };
    let usual = || format!("{verb} \"{}\" which returns \"{table}\"", call.described);
    let description = metadata.comment.clone().or(function.description.as_deref().map(Into::into));
    let description = description.unwrap_or_else(usual);
    let (is_set, is_mutation) = (tracked.is_set, tracked.is_mutation);
    Ok(RootFunction { name, aggregate, description, call, target, is_set, is_mutation })
}

/// The computed fields of an entity; each claims its name.
pub(super) fn computed_fields(
    scope: &mut Scope<'_, '_>,
    (entity, table_names): (EntityId, &TableNames<'_>),
    names: &mut Names,
    types: &mut Names,
) -> Vec<Computed> {
    let catalog = scope.catalog;
    let Some(tracked) = scope.tracking.find(entity) else { return Vec::new() };
    let mut fields = Vec::new();
    for TrackedComputed { tracked, function, result, arguments } in &tracked.computed_fields {
        let (name, place) = (&tracked.name, &tracked.name.place);
        let table = catalog.qualified_name(entity);
        if !is_name(name) {
            let message =
                format!("{:?} is no name of GraphQL. Rename the computed field.", name.text);
            scope.problems.push(wrong(place, message));
            continue;
        }
        if let Some(first) = names.owner(name) {
            let message = format!(
                "The field `{}` of {table} belongs to {first}. Rename the computed field.",
                name.text
            );
            scope.problems.push(wrong(place, message));
            continue;
        }
        let form = match result {
            ComputedResult::Value(field) => {
                ComputedForm::Value(scope.tracking.values(catalog, &catalog[*field].r#type))
            }
            ComputedResult::Rows(entity) => match scope.places.get(entity) {
                Some(place) => ComputedForm::Rows(*place),
                // The note is that of the table.
                None => continue,
            },
        };
        let arguments_type = table_names.computed_arguments(name);
        let call = Call::new(catalog, *function, arguments, arguments_type);
        if !call.arguments.is_empty() {
            if let Some(first) = types.owner(&call.arguments_type) {
                let message = format!(
                    "The type `{}` of the arguments belongs to {first}. Rename the computed field.",
                    call.arguments_type
                );
                scope.problems.push(wrong(place, message));
                continue;
            }
            types.claim(&call.arguments_type, &format!("the computed field {table}.{}", name.text));
        }
        names.claim(name, &format!("the computed field {}", name.text));
        let usual = format!("A computed field, executes function \"{}\"", call.described);
        let description = match tracked.comment.as_deref() {
            None => catalog[*function].description.as_deref().map(Into::into).or(Some(usual)),
            Some("") => None,
            Some(comment) => Some(comment.to_owned()),
        };
        fields.push(Computed { name: name.text.clone(), description, call, form });
    }
    fields
}
