//! Limits of requests with files.

use crate::options::UploadOptions;

/// Limits of requests with files.
#[derive(Clone, Copy, Debug)]
pub(super) struct UploadSettings {
    pub(super) most_file_bytes: usize,
    pub(super) most_files: usize,
    pub(super) most_body_bytes: usize,
}

/// A limit that a request with files exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UploadLimit {
    File {
        most: usize,
    },
    Files {
        most: usize,
    },
    Body {
        most: usize,
    },
    /// The bytes of the files, each in all of its places.
    Uses {
        most: usize,
    },
}

impl UploadSettings {
    /// The settings of the options; `None` if they are off.
    pub(super) fn new(options: &UploadOptions) -> Option<Self> {
        options.uploads.then(|| Self {
            most_file_bytes: options.max_upload_size.length(),
            most_files: options.max_upload_files,
            most_body_bytes: options.max_upload_body_size.length(),
        })
    }
}

impl UploadLimit {
    pub(super) fn message(self) -> String {
        match self {
            Self::File { most } => format!(
                "A file of the request has more than {most} bytes; --max-upload-size allows more."
            ),
            Self::Files { most } => {
                format!("The request has more than {most} files; --max-upload-files allows more.")
            }
            Self::Body { most } => format!(
                "The request with its files has more than {most} bytes; --max-upload-body-size \
                 allows more."
            ),
            Self::Uses { most } => uploads::too_many_uses(most),
        }
    }
}
