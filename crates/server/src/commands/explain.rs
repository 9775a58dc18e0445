//! `thalweg explain`: what an operation becomes.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use engine::{Limits, Worker};
use graphql::Request;

use crate::commands::{block_on, open, print};
use crate::failure::{Failure, OperationError};
use crate::options::ExplainOptions;

pub(crate) fn run(options: &ExplainOptions) -> Result<(), Failure> {
    let request = Request {
        query: read(&options.file)?,
        operation_name: options.operation.clone(),
        variables: options.variables.clone().unwrap_or_default(),
        ..Request::default()
    };
    let explanation = block_on(async {
        let limits = Limits { cost: options.cost.limits(), ..Limits::default() };
        let worker = Worker::new(open(&options.api, limits).await?);
        worker.explain(&request, options.analyze).await.map_err(|errors| {
            Failure::Operation(OperationError { file: options.file.clone(), errors })
        })
    })?;
    print(&explanation)
}

fn read(file: &Path) -> Result<String, Failure> {
    let text = match file == Path::new("-") {
        true => {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text).map(|_| text)
        }
        false => fs::read_to_string(file),
    };
    text.map_err(|error| Failure::Document { file: file.to_owned(), error })
}
