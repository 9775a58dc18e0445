//! Options of file uploads.

use clap::Args;

use super::quantity::Size;

#[derive(Debug, Args)]
#[command(next_help_heading = "File uploads")]
pub(crate) struct UploadOptions {
    /// Accept files as values of binary columns: requests of the media type `multipart/form-data`
    #[arg(long, env = "THALWEG_UPLOADS")]
    pub(crate) uploads: bool,
    /// The maximum size of an uploaded file
    #[arg(long, env = "THALWEG_MAX_UPLOAD_SIZE", value_name = "SIZE", default_value = "10MiB")]
    pub(crate) max_upload_size: Size,
    /// The maximum number of files of a request
    #[arg(long, env = "THALWEG_MAX_UPLOAD_FILES", value_name = "NUMBER", default_value = "10")]
    pub(crate) max_upload_files: usize,
    /// The maximum size of a request with files, instead of --max-body-size, which its JSON keeps
    #[arg(
        long,
        env = "THALWEG_MAX_UPLOAD_BODY_SIZE",
        value_name = "SIZE",
        default_value = "32MiB"
    )]
    pub(crate) max_upload_body_size: Size,
}
