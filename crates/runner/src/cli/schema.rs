//! `mbsbench schema`: the JSON Schema of experiment files, with all that the registry has, of ledgers, and of `paper.yaml`.

use mbsbench_experiment::registry::Registry;

use super::CommandError;
use super::args::Schemas;
use crate::output::Output;

pub(super) fn schema(registry: &Registry, what: Schemas, output: &mut Output<'_>) -> Result<(), CommandError> {
    let schema = match what {
        Schemas::Experiment => mbsbench_experiment::schema::schema(registry),
        Schemas::Paper => mbsbench_judge::publication::schema(),
        Schemas::Claims => mbsbench_judge::claims::schema::schema(),
    };
    Ok(output.line(format!("{schema:#}"))?)
}
