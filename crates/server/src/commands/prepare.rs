//! What is served, and how: all that options and the files that they name say, before a database
//! or a socket is asked. A start, a reload and a check do the same here.

use std::sync::Arc;

use catalog::NoteKind;
use dialects::{Dialect, postgraphile};
use engine::session::Signer;
use engine::{Api, Engine, OpenError, SchemaWatch, SourceAddress};

use crate::commands::block_on;
use crate::failure::Failure;
use crate::http::{AuthProfile, ChangeWatch, Reloaded, Settings};
use crate::memory;
use crate::options::{DemoOptions, DialectName, ServeOptions, SourceKind, Target, out_of_scope};

/// What is served, and how.
#[derive(Debug)]
pub(crate) struct Prepared {
    source: SourceAddress,
    engine_options: engine::Options,
    settings: Settings,
    /// Whether changes of the schema are followed.
    watch: bool,
}

pub(crate) fn prepare(options: &ServeOptions) -> Result<Prepared, Failure> {
    let source = options.api.address()?;
    let profile = match source {
        SourceAddress::Neo4j(_) => AuthProfile::Neo4j,
        SourceAddress::Sqlite(_) | SourceAddress::Postgres(_) => AuthProfile::PostGraphile,
    };
    Ok(Prepared {
        source,
        engine_options: engine_options(options)?,
        settings: Settings::new(&options.serving, profile)?,
        watch: options.watch,
    })
}

/// Everything for which options cannot be prepared.
pub(crate) fn find_problems(options: &ServeOptions) -> Vec<Failure> {
    let mut problems = Vec::new();
    match options.api.address() {
        // Which options the engine takes depends on the source.
        Ok(_) => match options.api.out_of_scope() {
            Ok(refusals) if !refusals.is_empty() => {
                problems.extend(refusals.into_iter().map(Failure::Usage));
            }
            Ok(_) => problems.extend(engine_options(options).err()),
            Err(failure) => problems.push(failure),
        },
        Err(failure) => problems.push(failure),
    }
    // What is wrong is wrong by all profile.
    problems.extend(Settings::new(&options.serving, AuthProfile::PostGraphile).err());
    problems
}

fn engine_options(options: &ServeOptions) -> Result<engine::Options, Failure> {
    let serving = &options.serving;
    let mut asked = options.api.engine_options(
        serving.most_per_thread(),
        serving.database.timeouts(),
        serving.engine_limits(),
    )?;
    if let Dialect::PostGraphile(postgraphile::Options { token: Some(token), .. }) =
        &mut asked.dialect
    {
        let secret = serving.auth.jwt_secret.as_ref().ok_or_else(|| {
            Failure::Usage("`--jwt-token-identifier` needs `--jwt-secret` to sign with".into())
        })?;
        token.seal = Some(Arc::new(Signer::new(secret.as_bytes())));
    }
    Ok(engine::Options { errors: serving.errors.of_engine(), ..asked })
}

pub(crate) fn prepare_demo(options: &DemoOptions) -> Result<Prepared, Failure> {
    let serving = &options.serving;
    let target = Target {
        source: SourceKind::Sqlite,
        dialect: DialectName::Postgraphile,
        has_policies: false,
        requires_token: serving.auth.require_token,
    };
    match out_of_scope(&serving.given, target).as_slice() {
        [] => {}
        refusals => return Err(Failure::Usage(refusals.join("\nerror: "))),
    }
    Ok(Prepared {
        source: SourceAddress::Sqlite(options.file.clone()),
        engine_options: engine::Options {
            dialect: Dialect::PostGraphile(postgraphile::Options {
                simple_collections: postgraphile::SimpleCollections::Both,
                ..postgraphile::Options::default()
            }),
            source: engine::OpenOptions {
                timeouts: serving.database.timeouts(),
                ..engine::OpenOptions::default()
            },
            connections: serving.most_per_thread(),
            limits: serving.engine_limits(),
            errors: serving.errors.of_engine(),
            policies: None,
            federation: None,
        },
        settings: Settings::new(serving, AuthProfile::PostGraphile)?,
        // What is made here is not made again.
        watch: false,
    })
}

impl Prepared {
    /// Reads the source and makes its API. Where the schema is followed there may be nothing yet.
    pub(crate) fn open_or_wait(self) -> Result<Reloaded, Failure> {
        self.open_by(async |source, options, is_watched| {
            let error = match Engine::open(source, options).await {
                Err(error) if is_watched => error,
                opened => return opened,
            };
            // What policies and extensions name may not be there yet either.
            let alone = engine::Options { policies: None, federation: None, ..options.clone() };
            let Ok(engine) = Engine::inspect(source, &alone).await else { return Err(error) };
            if !engine.is_empty() {
                return Err(error);
            }
            let reason = error.to_string();
            tracing::warn!(
                reason,
                "waiting until the schema has something, since --watch is given"
            );
            Ok(engine)
        })
    }

    /// Reads the source and makes its API.
    pub(crate) fn open(self) -> Result<Reloaded, Failure> {
        self.open_by(async |source, options, _| Engine::open(source, options).await)
    }

    fn open_by(
        self,
        open: impl AsyncFnOnce(&SourceAddress, &engine::Options, bool) -> Result<Arc<Engine>, OpenError>,
    ) -> Result<Reloaded, Failure> {
        let Self { source, engine_options, watch, .. } = &self;
        let (engine, watch) = block_on(async {
            // Before the schema is read: what is changed meanwhile is a change.
            let watch = match watch {
                true => SchemaWatch::begin(source, &engine_options.source).await,
                false => None,
            };
            let engine = open(source, engine_options, watch.is_some()).await?;
            Ok((engine, watch))
        })?;
        // The catalog as the database told it is gone.
        memory::give_back();
        for note in engine.notes() {
            match note.kind {
                // Requests will fail that look like any other.
                NoteKind::UnknownName => tracing::warn!("{note}"),
                NoteKind::Collision
                | NoteKind::LeftOut
                | NoteKind::UnmappedType
                | NoteKind::Declaration
                | NoteKind::Partitioned
                | NoteKind::NodeId
                | NoteKind::UnindexedRelationship => tracing::debug!("{note}"),
            }
        }
        match engine.notes().count() {
            0 => {}
            notes => tracing::info!(notes, "`thalweg check` names what could be better"),
        }
        let is_empty = engine.is_empty();
        let api = Api::Source(engine);
        if !is_empty {
            self.settings.check(&api);
        }
        let watch = watch.map(ChangeWatch::Schema);
        Ok(Reloaded { api, settings: Arc::new(self.settings), watch })
    }
}
