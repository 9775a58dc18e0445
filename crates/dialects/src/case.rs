//! Changing the case of names.
