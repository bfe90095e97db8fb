//! `gatepost bootstrap-graph`: the startup stages of `gatepost up`, from the code that runs them.

use crate::cli::prelude::*;
use gatepost_exec::stage::Stage;

const NOTE: &str = "TOOL-EXEC and the gate start in parallel, each in its own order. `gatepost up --log-level debug` logs \
                    when each stage of `up` and `exec` begins. The gate logs its own start once it is confined.";

#[derive(Serialize, JsonSchema)]
pub(super) struct Graph {
    stages_count: usize,
    stages: Vec<&'static str>,
    note: &'static str,
}

impl View for Graph {
    fn text(&self) -> String {
        let mut text = String::new();
        text.extend((1..).zip(&self.stages).map(|(number, stage)| format!("{number:>2}. {stage}\n")));
        text + &format!("\n{NOTE}\n")
    }
}

pub(super) fn run() -> Outcome {
    let stages: Vec<&str> = Stage::ALL.map(Stage::label).to_vec();
    Outcome::done(&Graph { stages_count: stages.len(), stages, note: NOTE })
}
