//! Options of the Model Context Protocol (MCP): tools for agents.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::development::DevelopmentOptions;
use super::persisted::PersistedOptions;
use crate::failure::Failure;

#[derive(Debug, Args)]
#[command(next_help_heading = "Tools for agents (MCP)")]
pub(crate) struct McpOptions {
    /// Serve the Model Context Protocol at `/mcp`: operations as tools for agents
    #[arg(long, env = "THALWEG_MCP")]
    pub(crate) mcp: bool,
    /// The tools: `trusted` for trusted documents, `schema` to search the schema and to execute any operation; separated by commas
    #[arg(
        long,
        env = "THALWEG_MCP_TOOLS",
        value_name = "KINDS",
        value_delimiter = ',',
        default_value = "trusted"
    )]
    mcp_tools: Vec<ToolKind>,
    /// A manifest of the documents that are tools, in Relay's or Apollo's format [default: that of --trusted-documents]
    #[arg(long, env = "THALWEG_MCP_DOCUMENTS", value_name = "FILE")]
    mcp_documents: Option<PathBuf>,
    /// Let agents execute mutations
    #[arg(long, env = "THALWEG_MCP_MUTATIONS")]
    pub(crate) mcp_mutations: bool,
}

/// A kind of tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ToolKind {
    Trusted,
    Schema,
}

impl McpOptions {
    pub(crate) fn has_schema(&self) -> bool {
        self.mcp_tools.contains(&ToolKind::Schema)
    }

    /// The manifest of the documents that are tools; none if none are.
    pub(crate) fn documents<'o>(&'o self, persisted: &'o PersistedOptions) -> Option<&'o Path> {
        let own = self.mcp_documents.as_ref().or(persisted.trusted_documents.as_ref());
        own.filter(|_| self.mcp_tools.contains(&ToolKind::Trusted)).map(PathBuf::as_path)
    }

    /// Refuses contradictory options.
    pub(crate) fn check(
        &self,
        persisted: &PersistedOptions,
        development: &DevelopmentOptions,
    ) -> Result<(), Failure> {
        if !self.mcp {
            return Ok(());
        }
        let is_trusted = self.mcp_tools.contains(&ToolKind::Trusted);
        let problem = if self.mcp_documents.is_some() && !is_trusted {
            "`--mcp-documents` needs `trusted` in `--mcp-tools`"
        } else if is_trusted && self.documents(persisted).is_none() {
            "`--mcp` has no tools: name documents by `--trusted-documents` or `--mcp-documents`, or \
             use `--mcp-tools schema`"
        } else if self.has_schema() && persisted.only_trusted {
            "`--mcp-tools schema` executes any operation, which `--only-trusted` forbids: leave out \
             one of them"
        } else if self.has_schema() && development.refuses_introspection() {
            "`--mcp-tools schema` shows the schema, which `--introspection off` forbids: leave out \
             one of them"
        } else {
            return Ok(());
        };
        Err(Failure::Usage(problem.into()))
    }
}
