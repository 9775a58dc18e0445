//! Requests as programs, and the same requests once more as other forms of these.

use std::sync::Arc;

use catalog::{Catalog, EntityId, FieldId};
use ir::StepKind;
use relational::compile::{KeyTypes, Length};
use relational::{Program, Strategy, ToOne};
use source::CompileError;
use tokio_postgres::types::Type;

use super::execute::PostgresProgram;
use super::introspect::PhysicalTypes;

/// Types of keys, for a program that is not read level by level.
#[derive(Debug)]
struct TypesFor<'a> {
    types: &'a PhysicalTypes,
    strategy: ReadStrategy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadStrategy {
    /// The parents come in portions.
    InPortions,
    /// Lists may be read by the statement of the rows above.
    Joined,
}

impl KeyTypes for TypesFor<'_> {
    fn identity_is_text(&self, field: FieldId) -> bool {
        self.types.identity_is_text(field)
    }

    fn print_alike(&self, one: FieldId, other: FieldId) -> bool {
        self.types.print_alike(one, other)
    }

    fn has_array(&self, field: FieldId) -> bool {
        self.types.has_array(field)
    }

    fn inlines_parents(&self) -> bool {
        self.strategy != ReadStrategy::InPortions
    }

    fn sorts(&self, field: FieldId) -> bool {
        let oid = self.types.of(field).oid;
        self.strategy == ReadStrategy::InPortions
            && [Type::INT2, Type::INT4, Type::INT8].iter().any(|integer| integer.oid() == oid)
    }

    fn length(&self, field: FieldId) -> Length {
        let field = self.types.of(field);
        match field.most_characters {
            Some(most) => Length::AtMost(most),
            None if field.oid == Type::TEXT.oid() || field.oid == Type::VARCHAR.oid() => {
                Length::Any
            }
            None => Length::Long,
        }
    }

    fn repeats_rows(&self, entity: EntityId) -> bool {
        self.strategy == ReadStrategy::Joined && self.types.is_one_table(entity)
    }
}

/// Types of keys, for the members of batches.
#[derive(Debug)]
struct BatchTypes<'a>(&'a PhysicalTypes);

impl KeyTypes for BatchTypes<'_> {
    fn identity_is_text(&self, field: FieldId) -> bool {
        self.0.identity_is_text(field)
    }

    fn print_alike(&self, one: FieldId, other: FieldId) -> bool {
        self.0.print_alike(one, other)
    }

    fn has_array(&self, field: FieldId) -> bool {
        self.0.has_array(field)
    }

    fn is_batch(&self) -> bool {
        true
    }
}

impl KeyTypes for PhysicalTypes {
    fn identity_is_text(&self, field: FieldId) -> bool {
        self.of(field).identity_is_text
    }

    fn print_alike(&self, one: FieldId, other: FieldId) -> bool {
        let (one, other) = (self.of(one), self.of(other));
        // Texts of a fixed length are filled up to it, and each column has its own.
        let is_filled_up = one.oid == Type::BPCHAR.oid();
        one.oid == other.oid && one.identity_is_text && other.identity_is_text && !is_filled_up
    }

    fn has_array(&self, field: FieldId) -> bool {
        self.of(field).array_oid != 0
    }
}

/// Compiles other forms of a program from the request that it was compiled from.
#[derive(Debug)]
pub(super) struct Recompiler {
    pub(super) catalog: Arc<Catalog>,
    pub(super) request: Arc<ir::Request>,
    /// True if it is another request than that of the caller, with the same meaning.
    pub(super) is_changed: bool,
    pub(super) types: Arc<PhysicalTypes>,
}

impl Recompiler {
    /// Compiles the request for portions, if it can be read so, with the rows of these to-one
    /// relationships read by statements of their own.
    pub(super) fn in_portions(&self, chosen: &[ToOne]) -> Option<PostgresProgram> {
        let types = TypesFor { types: &self.types, strategy: ReadStrategy::InPortions };
        let program = self.apart(&types, chosen)?;
        program.is_in_portions().then_some(program)
    }

    /// The to-one relationships whose rows can be read by statements of their own (split joins).
    pub(super) fn to_ones(&self) -> Vec<ToOne> {
        relational::to_ones(&self.catalog, &self.request, &*self.types)
    }

    /// Compiles the request with the rows of these to-one relationships read by statements of their
    /// own.
    pub(super) fn split(&self, chosen: &[ToOne]) -> Option<PostgresProgram> {
        self.apart(&*self.types, chosen)
    }

    /// Compiles the request with the members of batches as its statements.
    pub(super) fn batch_members(&self) -> Option<Program> {
        // A batch joins each statement to the list of its members, row by row.
        if !self.types.product.joins_batches() {
            return None;
        }
        let strategy = Strategy::Levels(&BatchTypes(&self.types));
        relational::compile(&self.catalog, &self.request, self.types.product.flavor(), strategy)
            .ok()
    }

    fn apart(&self, types: &dyn KeyTypes, chosen: &[ToOne]) -> Option<PostgresProgram> {
        let (catalog, request) = (&self.catalog, &self.request);
        let flavor = self.types.product.flavor();
        let program = relational::compile_apart(catalog, request, flavor, types, chosen).ok()?;
        Some(PostgresProgram::new(program, &self.types))
    }
}

/// Compiles a request, with joined levels beside levels of their own where both are possible.
pub(super) fn compile(
    catalog: &Catalog,
    request: &ir::Request,
    types: &PhysicalTypes,
) -> Result<PostgresProgram, CompileError> {
    let flavor = types.product.flavor();
    let compile = |types: &dyn KeyTypes| {
        relational::compile(catalog, request, flavor, Strategy::Levels(types))
    };
    if is_change(request) {
        return Ok(PostgresProgram::new(compile(types)?, types));
    }
    match compile(&TypesFor { types, strategy: ReadStrategy::Joined }) {
        Ok(joined) if joined.joins_levels() => {
            let program = PostgresProgram::new(compile(types)?, types);
            Ok(program.or_joined(PostgresProgram::new(joined, types)))
        }
        Ok(program) => Ok(PostgresProgram::new(program, types)),
        // One statement may be too large where several are not.
        Err(_) => Ok(PostgresProgram::new(compile(types)?, types)),
    }
}

fn is_change(request: &ir::Request) -> bool {
    let mut steps = request.transactions.iter().flat_map(|transaction| &transaction.steps);
    steps.any(|step| matches!(step.kind, StepKind::Write(_) | StepKind::Call(_)))
}
