//! Tests of long answers: the sent pieces, their time, and the memory that they reserve.

use std::sync::Arc;

use response::{
    ColumnRef, GraphLeaf, Item, Layout, Leaf, LevelId, MemoryBudget, MemoryReservation, Node,
    OutputId, RowsId, SentPiece, Shape, ShapeField, Sink,
};
use source::Observed;
use source::operand::Variables;
use source::streamed::{Executed, Part, Sizes};
use source::{ExecuteError, Plan};
use tokio::sync::Semaphore;

use super::Read;
use crate::bind::bind;
use crate::program::{GraphLevel, GraphProgram, LevelPage, LevelRows};
use crate::wire::{Pack, Records};

/// Number of rows whose bytes make up half of the memory limit, each shown several times.
const ROWS: usize = 512;
const TEXT: usize = 1_000;
const SHOWN: usize = 8;

/// Enough for a piece on its way, and for nothing like the whole answer.
const MOST_MEMORY: u64 = 3 << 20;

const SIZES: Sizes = Sizes { whole: 64 << 10, rows: 8_192 };

fn plan() -> Arc<Plan<GraphProgram>> {
    let level = GraphLevel {
        rows: LevelRows::Records { statement: 0 },
        width: 1,
        page: LevelPage::default(),
        counters: Box::default(),
    };
    let mut layout = Layout::default();
    layout.rows.push(Some(LevelId(0)));
    layout.outputs.push(ColumnRef::Column(0));
    let program = GraphProgram { levels: vec![level], layout, ..GraphProgram::default() };
    let mut shape = Shape::default();
    let leaf = Node::Leaf { output: OutputId(0), leaf: Leaf::Graph(GraphLeaf::String) };
    let leaf = shape.add(leaf);
    let names: Vec<String> = (0..SHOWN).map(|number| format!("t{number}")).collect();
    let fields = shape.add_fields(names.iter().map(|name| ShapeField::new(name, leaf, false)));
    let node = shape.add(Node::Object(fields));
    let item = Item { node, nullable: false };
    let list = shape.add(Node::List { rows: RowsId(0), item });
    shape.root = Some(shape.add_fields([ShapeField::new("rows", list, false)]));
    Arc::new(Plan { program, shape: shape.into() })
}

fn read(plan: &Plan<GraphProgram>, rows: usize) -> Read {
    let mut pack = Pack::new();
    pack.list(1);
    pack.text(&"x".repeat(TEXT));
    let records: Vec<&[u8]> = std::iter::repeat_n(pack.as_bytes(), rows).collect();
    let program = &plan.program;
    let (bound, failures) = bind(program, Variables::of(&[]));
    Read { bound, failures, results: vec![Records::of_packed(&records)] }
}

fn expected(rows: usize) -> String {
    let fields: Vec<String> =
        (0..SHOWN).map(|number| format!("\"t{number}\":\"{}\"", "x".repeat(TEXT))).collect();
    let row = format!("{{{}}}", fields.join(","));
    format!("{{\"rows\":[{}]}}", vec![row; rows].join(","))
}

async fn stream(rows: usize, memory: &Arc<MemoryBudget>) -> Result<Executed, ExecuteError> {
    let (plan, places) = (plan(), Arc::new(Semaphore::new(1)));
    let place = places.try_acquire_owned().unwrap();
    let sink = Sink::new(Vec::new(), u64::MAX, MemoryReservation::of(memory));
    read(&plan, rows).stream(&plan, &[], sink, SIZES, place).await
}

#[tokio::test]
async fn a_long_answer_is_sent_while_it_is_written_and_never_there_as_a_whole() {
    let memory = MemoryBudget::new(MOST_MEMORY);
    let plan = plan();
    let own = read(&plan, ROWS);
    assert!(own.is_long(SIZES) && !own.is_long(Sizes { whole: 8 << 20, rows: 1 }));
    let sink = Sink::new(Vec::new(), u64::MAX, MemoryReservation::of(&memory));
    let program = &plan.program;
    let whole = own.write(&plan, program, &[], sink, &mut Observed::default()).await;
    assert!(matches!(whole, Err(ExecuteError::TooLarge(_))), "{whole:?}");
    assert_eq!(memory.held(), 0);

    let Ok(Executed::Streamed(streamed)) = stream(ROWS, &memory).await else { panic!() };
    let (SentPiece { bytes: mut text, held }, mut rest) = (streamed.first, streamed.rest);
    drop(held);
    assert!(text.len() < 2 * SIZES.whole, "{}", text.len());
    loop {
        assert!(memory.held() <= MOST_MEMORY);
        match std::future::poll_fn(|context| rest.poll_part(context)).await {
            Part::Piece(piece) => text.extend(piece.bytes),
            Part::End(end) => {
                let end = end.unwrap();
                assert!(end.errors.is_empty());
                text.extend(end.data);
                break;
            }
        }
    }
    assert!(text == expected(ROWS).into_bytes(), "{} bytes", text.len());
}

#[tokio::test]
async fn an_answer_that_proves_short_comes_as_a_whole() {
    let memory = MemoryBudget::new(MOST_MEMORY);
    let Ok(Executed::Whole(written)) = stream(3, &memory).await else { panic!() };
    assert_eq!(String::from_utf8(written.data).unwrap(), expected(3));
}

#[tokio::test]
async fn who_goes_away_ends_the_thread_that_writes() {
    let memory = MemoryBudget::new(MOST_MEMORY);
    let (plan, places) = (plan(), Arc::new(Semaphore::new(1)));
    let place = Arc::clone(&places).try_acquire_owned().unwrap();
    let sink = Sink::new(Vec::new(), u64::MAX, MemoryReservation::of(&memory));
    let executed = read(&plan, ROWS).stream(&plan, &[], sink, SIZES, place).await;
    let Ok(Executed::Streamed(streamed)) = executed else { panic!() };
    drop(streamed);
    // The thread releases its place when it ends.
    drop(places.acquire().await.unwrap());
}
