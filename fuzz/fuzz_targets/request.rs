//! The inputs and properties of `cargo test -p engine --test cases -- fuzz::`, driven by libFuzzer: the first
//! byte chooses the API and the maker, the others are the maker's tape.

#![no_main]
// The test binary uses all of these modules; this program leaves some of it aside.
#![allow(dead_code)]

#[path = "../../crates/engine/tests/fuzz/bytes.rs"]
mod bytes;
#[path = "../../crates/engine/tests/fuzz/grammar/mod.rs"]
mod grammar;
#[path = "../../crates/engine/tests/fuzz/inputs.rs"]
mod inputs;
#[path = "../../crates/engine/tests/fuzz/properties.rs"]
mod properties;
#[path = "../../crates/engine/tests/fuzz/seeds.rs"]
mod seeds;
#[path = "../../crates/engine/tests/fuzz/statements.rs"]
mod statements;
#[path = "../../crates/engine/tests/fuzz/target.rs"]
mod target;
#[path = "../../crates/engine/tests/fuzz/tokens.rs"]
mod tokens;

use std::io;
use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use tokio::runtime::Runtime;

use inputs::{Maker, Material};
use properties::Attack;
use seeds::Seed;
use target::{Family, Opened, Target, Targets};

struct Attacked {
    attack: Attack,
    opened: Arc<Opened>,
    seeds: Vec<Seed>,
}

struct Program {
    runtime: Runtime,
    attacked: Vec<Attacked>,
    /// Removes the databases in the end.
    _targets: Targets,
}

thread_local! {
    static PROGRAM: Program = start().expect("the databases can be made");
}

fuzz_target!(|data: &[u8]| {
    let Some((first, tape)) = data.split_first() else { return };
    PROGRAM.with(|program| {
        let chosen = usize::from(*first);
        let maker = Maker::ALL[chosen % Maker::ALL.len()];
        let attacked = &program.attacked[chosen / Maker::ALL.len() % program.attacked.len()];
        let material = Material { opened: &attacked.opened, seeds: &attacked.seeds };
        let outcome = program.runtime.block_on(maker.run(&material, &attacked.attack, tape));
        if let Err(reason) = outcome {
            let request = attacked.attack.last.borrow();
            panic!("{reason}\n{}", String::from_utf8_lossy(&request));
        }
    });
});

/// One thread with everything that a request needs.
pub(crate) fn runtime() -> io::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

/// Opens every API over SQLite: a server would tell libFuzzer nothing of what it covers.
fn start() -> Result<Program, Box<dyn std::error::Error>> {
    let targets = Targets::new()?;
    let runtime = runtime()?;
    let mut attacked = Vec::new();
    let is_inside = |target: &Target| target.family == Family::Sqlite;
    for target in Targets::all()?.into_iter().filter(is_inside) {
        let opened = targets.open(target)?;
        let attack = runtime.block_on(Attack::on(&opened))?;
        attacked.push(Attacked { attack, opened, seeds: seeds::seeds(target.style)? });
    }
    Ok(Program { runtime, attacked, _targets: targets })
}
