//! Files that the page at `/` loads.

pub(super) const SCRIPT: &str = "text/javascript; charset=utf-8";
pub(super) const STYLE: &str = "text/css; charset=utf-8";

/// A file that the page loads.
#[derive(Debug)]
pub(super) struct File {
    pub(super) path: &'static str,
    pub(super) content_type: &'static str,
    pub(super) content: Content,
}

#[derive(Debug)]
pub(super) enum Content {
    /// A compressed file of another project; the path has its version, so it never changes.
    Published(&'static [u8]),
    Own(&'static str),
}
