//! Rows to functions, with an entity for result rows that no table has.

use catalog::builder::{NewField, NewFunction};
use catalog::{
    Argument, ArgumentType, EntityId, EntityKind, FieldId, FunctionId, FunctionResult, Note,
    NoteKind,
};

use super::ArgumentOids;
use super::fill::Fill;
use super::rows::{ArgumentMode, Function, Parameter};

/// `void`: the function returns nothing.
const VOID: u32 = 2278;
/// `record`: the columns are the function's own output arguments.
const RECORD: u32 = 2249;

/// The reason why a function cannot be called, with a remedy.
struct Obstacle {
    message: String,
    remedy: String,
}

impl Obstacle {
    fn new(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { message: message.into(), remedy: remedy.into() }
    }
}

impl Fill<'_> {
    pub(super) fn functions(&mut self, functions: &[Function]) {
        for (place, function) in functions.iter().enumerate() {
            // They come sorted: functions of one name are neighbours, and one note is enough.
            let previous = place.checked_sub(1).and_then(|before| functions.get(before));
            if previous.is_some_and(|previous| {
                previous.namespace == function.namespace && previous.name == function.name
            }) {
                continue;
            }
            let namespace = self.namespace_names.get(&function.namespace).copied();
            let namespace = namespace.unwrap_or_default();
            let subject = format!("{namespace}.{}()", function.name);
            if let Err(Obstacle { message, remedy }) = self.function(namespace, &subject, function)
            {
                self.builder.note(Note {
                    kind: NoteKind::LeftOut,
                    subject: subject.into(),
                    message: message.into(),
                    remedy: remedy.into(),
                });
            }
        }
    }

    /// Adds the function that the server calls itself: no client can call it.
    pub(super) fn called(&mut self, called: Option<&(String, Function)>) {
        let Some((namespace, function)) = called else { return };
        // Its types have no obstacle.
        if let Ok(id) = self.function(namespace, &function.name, function) {
            self.builder.make_uncallable(id);
        }
    }

    fn function(
        &mut self,
        namespace: &str,
        subject: &str,
        function: &Function,
    ) -> Result<FunctionId, Obstacle> {
        if function.overloaded {
            return Err(Obstacle::new(
                "several functions of its schema have this name, so a field could not say which \
                 is meant.",
                "give each of them a name of its own.",
            ));
        }
        if function.variadic {
            return Err(Obstacle::new(
                "it takes a variable number of arguments.",
                "add a function that takes an array.",
            ));
        }
        if let Some(pseudo) = function.pseudo.first() {
            return Err(Obstacle::new(
                format!("{pseudo} stands for types that differ from call to call."),
                "add a function that names its types.",
            ));
        }
        let inputs: Vec<&Parameter> =
            function.parameters.iter().filter(|one| one.mode.is_input()).collect();
        let required = inputs.len().saturating_sub(function.defaults);
        let mut arguments = Vec::with_capacity(inputs.len());
        for (place, parameter) in inputs.iter().enumerate() {
            arguments.push(Argument {
                name: (!parameter.name.is_empty()).then(|| parameter.name.as_str().into()),
                r#type: self.argument_type(subject, parameter)?,
                has_default: place >= required,
            });
        }
        let result = self.result(namespace, subject, function)?;
        let mut outputs = function.parameters.iter().filter(|one| one.mode.is_output());
        let output_name = match (outputs.next(), outputs.next()) {
            (Some(output), None) if !output.name.is_empty() => Some(output.name.as_str().into()),
            _ => None,
        };
        let oids = inputs.iter().map(|parameter| ArgumentOids {
            oid: parameter.r#type,
            array_oid: self.types.array(parameter.r#type),
        });
        self.physical_arguments.push(oids.collect());
        let id = self.builder.function(NewFunction {
            namespace: Some(namespace.into()),
            name: function.name.as_str().into(),
            volatility: function.volatility,
            strict: function.strict,
            arguments,
            result,
            output_name,
            description: function.description.as_deref().map(Box::from),
        });
        if self.privileges.is_some_and(|privileges| !privileges.may_call(function.oid)) {
            self.builder.make_uncallable(id);
        }
        Ok(id)
    }

    fn argument_type(
        &mut self,
        subject: &str,
        parameter: &Parameter,
    ) -> Result<ArgumentType, Obstacle> {
        if parameter.row == 0 {
            let r#type = self.types.make_field(&mut self.builder, subject, parameter.r#type, -1);
            return Ok(ArgumentType::Value(r#type));
        }
        self.served(parameter.row, "takes").map(ArgumentType::Row)
    }

    fn result(
        &mut self,
        namespace: &str,
        subject: &str,
        function: &Function,
    ) -> Result<FunctionResult, Obstacle> {
        if function.result == VOID {
            return Ok(FunctionResult::Nothing);
        }
        if function.result == RECORD {
            let entity = self.record(namespace, subject, function)?;
            return Ok(rows_of(entity, function.set));
        }
        if function.result_row != 0 {
            let entity = self.served(function.result_row, "gives")?;
            return Ok(rows_of(entity, function.set));
        }
        if function.element_row != 0 {
            let entity = self.served(function.element_row, "gives")?;
            if function.set {
                return Err(Obstacle::new(
                    "it gives a set of arrays of rows.",
                    "let it give a set of rows.",
                ));
            }
            return Ok(FunctionResult::RowArray(entity));
        }
        let entity = self.own_entity(namespace, function, EntityKind::ValueSet);
        let field = self.own_field(entity, subject, &function.name, function.result);
        Ok(match function.set {
            true => FunctionResult::Values(field),
            false => FunctionResult::Value(field),
        })
    }

    /// The entity of result rows whose columns are the function's own.
    fn record(
        &mut self,
        namespace: &str,
        subject: &str,
        function: &Function,
    ) -> Result<EntityId, Obstacle> {
        let outputs: Vec<&Parameter> =
            function.parameters.iter().filter(|one| one.mode.is_output()).collect();
        if outputs.is_empty() {
            return Err(Obstacle::new(
                "it gives records, and does not say what their columns are.",
                "declare the columns: returns table (…), or arguments that are out.",
            ));
        }
        let entity = self.own_entity(namespace, function, EntityKind::Record);
        for (place, parameter) in (1..).zip(outputs) {
            // As PostgreSQL calls a column without a name.
            let unnamed = format!("column{place}");
            let name = if parameter.name.is_empty() { &unnamed } else { &parameter.name };
            self.own_field(entity, subject, name, parameter.r#type);
        }
        Ok(entity)
    }

    fn own_entity(&mut self, namespace: &str, function: &Function, kind: EntityKind) -> EntityId {
        let name = function.name.as_str().into();
        let entity = self.builder.entity(Some(namespace.into()), name, kind, None);
        self.physical_rows.push(0);
        entity
    }

    fn own_field(&mut self, entity: EntityId, subject: &str, name: &str, oid: u32) -> FieldId {
        let r#type = self.types.make_field(&mut self.builder, subject, oid, -1);
        // A function may give texts of any collation.
        self.physical.push(self.types.physical(oid, -1, false));
        self.builder.field(
            entity,
            NewField {
                name: name.into(),
                r#type,
                nullable: true,
                has_default: false,
                generated: None,
                description: None,
            },
        )
    }

    fn served(&self, relation: u32, verb: &str) -> Result<EntityId, Obstacle> {
        self.types.entities.get(&relation).copied().ok_or_else(|| {
            Obstacle::new(
                format!("it {verb} rows of a table that is not served here."),
                "serve the schema of the table, too.",
            )
        })
    }
}

fn rows_of(entity: EntityId, set: bool) -> FunctionResult {
    if set { FunctionResult::Rows(entity) } else { FunctionResult::Row(entity) }
}

impl ArgumentMode {
    fn is_input(self) -> bool {
        match self {
            Self::In | Self::InOut => true,
            Self::Out | Self::Table => false,
        }
    }

    fn is_output(self) -> bool {
        match self {
            Self::Out | Self::InOut | Self::Table => true,
            Self::In => false,
        }
    }
}
