//! Numbers of outputs and rows of a request, as in the IR.

/// The number of an output of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OutputId(pub u32);

/// The number of a set of rows of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowsId(pub u32);
