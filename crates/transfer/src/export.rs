//! Rows → files.
