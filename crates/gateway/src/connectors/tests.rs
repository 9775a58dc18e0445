//! Tests of fetches from connectors.
