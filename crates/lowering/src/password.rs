//! Passwords of an operation, which are hashed and compared before the source runs its statements.

use catalog::{EntityId, FieldId};
use graphql::operation::Location;
use ir::{
    Filter, From, Operand, Output, OutputId, OutputKind, PasswordPart, Rows, RowsId, ValueRef,
    Variant,
};

use super::{Context, LowerError};

/// A password in the input of an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct StatedPassword {
    pub given: Operand,
    /// The read of the stored hashes with which the password is compared: its only output is the
    /// hash, of one row or of several. `None` for a new password.
    pub stored: Option<ir::Request>,
    /// The field that has the argument.
    pub location: Location,
}

impl Context<'_> {
    /// Records a new password.
    pub(super) fn new_password(
        &self,
        given: Operand,
        location: Location,
    ) -> Result<u16, LowerError> {
        self.state_password(StatedPassword { given, stored: None, location })
    }

    /// Records a new password of the objects of several entities, which has one number for all.
    pub(super) fn new_common_password(
        &self,
        given: Operand,
        location: Location,
    ) -> Result<u16, LowerError> {
        let stated = StatedPassword { given, stored: None, location };
        let known = self.passwords.borrow().iter().position(|known| *known == stated);
        match known {
            Some(known) => u16::try_from(known).map_err(|_| LowerError::TooManyValues),
            None => self.state_password(stated),
        }
    }

    /// The condition that the field of a row, which the filters find, has a hash of the password.
    ///
    /// The row is compared with the hash that matched, so a change of the password between the two
    /// reads finds no row.
    pub(super) fn has_password(
        &self,
        (entity, field): (EntityId, FieldId),
        given: Operand,
        filters: &[Filter],
        location: Location,
    ) -> Result<Filter, LowerError> {
        let kind = OutputKind::Field { path: Vec::new(), field, form: ir::Form::Stored };
        let filter = Filter::and(filters.to_vec());
        let rows = Rows { single: true, ..hashes(From::Entity(entity), filter, kind) };
        let stored = Some(read(rows));
        let number = self.state_password(StatedPassword { given, stored, location })?;
        Ok(Filter::Compare {
            place: ValueRef::field(field),
            comparison: ir::Comparison::Equal,
            operand: Operand::Password { number, part: PasswordPart::Hash },
        })
    }

    /// Adds the condition that they have a hash of the password to the rows of each of several
    /// entities: identifiers that are unique within one of them may find several rows.
    pub(super) fn have_password(
        &self,
        stored: &[FieldId],
        given: Operand,
        variants: &mut [Variant],
        location: Location,
    ) -> Result<(), LowerError> {
        if stored.len() != variants.len() {
            return Err(LowerError::Misplaced { what: "a password of other rows" });
        }
        let each = variants.iter().zip(stored).map(|(variant, field)| Variant {
            entity: variant.entity,
            hop: None,
            through: None,
            filter: variant.filter.clone(),
            common: vec![*field],
            outputs: Vec::new(),
        });
        let kind = OutputKind::Common { place: 0, form: ir::Form::Stored };
        let stored_hashes = hashes(From::Variants(each.collect()), Filter::all(), kind);
        let stated = StatedPassword { given, stored: Some(read(stored_hashes)), location };
        let number = self.state_password(stated)?;
        for (variant, field) in variants.iter_mut().zip(stored) {
            let own = std::mem::replace(&mut variant.filter, Filter::all());
            // Rules may hide any of the rows whose hashes match.
            let has_hash = Filter::Compare {
                place: ValueRef::field(*field),
                comparison: ir::Comparison::In,
                operand: Operand::Password { number, part: PasswordPart::Hashes },
            };
            variant.filter = Filter::and(vec![own, has_hash]);
        }
        Ok(())
    }

    fn state_password(&self, stated: StatedPassword) -> Result<u16, LowerError> {
        let mut passwords = self.passwords.borrow_mut();
        let number = u16::try_from(passwords.len()).map_err(|_| LowerError::TooManyValues)?;
        passwords.push(stated);
        Ok(number)
    }
}

/// Rows with their hashes as the only output.
fn hashes(from: From, filter: Filter, kind: OutputKind) -> Rows {
    Rows::unordered(RowsId(0), from, filter, vec![Output { id: OutputId(0), kind }])
}

/// The request of one read.
fn read(rows: Rows) -> ir::Request {
    let step = ir::Step::new(ir::StepId(0), 0, ir::StepKind::Read(rows));
    let isolation = ir::Isolation::Snapshot;
    ir::Request {
        transactions: vec![ir::Transaction { isolation, steps: vec![step] }],
        outputs: 1,
        rows: 1,
        claimed_names: Vec::new(),
    }
}
