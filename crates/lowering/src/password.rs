//! Passwords of an operation, which are hashed and compared before the source runs its statements.

use catalog::{EntityId, FieldId};
use graphql::operation::Location;
use ir::{
    Filter, From, Operand, Output, OutputId, OutputKind, Page, PasswordPart, Rows, RowsId, ValueRef,
};

use super::{Context, LowerError};

/// A password in the input of an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct StatedPassword {
    pub given: Operand,
    /// The read of the stored hash with which the password is compared: its only output is the
    /// hash. `None` for a new password.
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
        let rows = Rows {
            id: RowsId(0),
            from: From::Entity(entity),
            filter: Filter::and(filters.to_vec()),
            order: Vec::new(),
            page: Page::All,
            distinct: Vec::new(),
            single: true,
            once: false,
            shown: true,
            outputs: vec![Output { id: OutputId(0), kind }],
        };
        let step = ir::Step { id: ir::StepId(0), root: 0, kind: ir::StepKind::Read(rows) };
        let isolation = ir::Isolation::Snapshot;
        let stored = ir::Request {
            transactions: vec![ir::Transaction { isolation, steps: vec![step] }],
            outputs: 1,
            rows: 1,
            claimed_names: Vec::new(),
        };
        let stated = StatedPassword { given, stored: Some(stored), location };
        let number = self.state_password(stated)?;
        Ok(Filter::Compare {
            place: ValueRef::field(field),
            comparison: ir::Comparison::Equal,
            operand: Operand::Password { number, part: PasswordPart::Hash },
        })
    }

    fn state_password(&self, stated: StatedPassword) -> Result<u16, LowerError> {
        let mut passwords = self.passwords.borrow_mut();
        let number = u16::try_from(passwords.len()).map_err(|_| LowerError::TooManyValues)?;
        passwords.push(stated);
        Ok(number)
    }
}
