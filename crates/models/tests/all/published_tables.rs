//! All 36 cells of tables 3.1–3.3 of compere2001: variation of the energy, `max E − min E` over the ends of the steps
//! and the initial state.
//!
//! If the truncation error of the formula dominates, both printed digits must agree. If roundoff of the same size is
//! added, a factor of 1.5 is allowed; if roundoff dominates, a factor of 3. Perturbing the initial state by a few
//! units in the last place changes those cells by as much.

use crate::common::{pendulum, run_with, sliding, spheres};
use mbsbench_integrators::{Rk3, Rk5, Rk8};
use mbsbench_problem::Formulation;
use mbsbench_problem::ModelDefinition;

/// The dominant error of a cell.
#[derive(Debug, Clone, Copy)]
enum Decides {
    Truncation,
    Both,
    Roundoff,
}
use Decides::{Both as M, Roundoff as R, Truncation as T};

const STEPS: [f64; 4] = [0.05, 0.01, 0.005, 0.001];
type Row = [(f64, Decides); 4];

fn check(model: &impl ModelDefinition, t_end: f64, steps_made: [usize; 4], table: [Row; 3]) {
    let mut wrong = Vec::new();
    for (k, &step) in STEPS.iter().enumerate() {
        let records = [
            run_with::<Rk3>(model, step, t_end),
            run_with::<Rk5>(model, step, t_end),
            run_with::<Rk8>(model, step, t_end),
        ];
        for (record, (method, row)) in records.iter().zip(["RK-3", "RK-5", "RK-8"].iter().zip(table)) {
            assert_eq!(record.times.len(), steps_made[k] + 1);
            let (printed, decides) = row[k];
            let found = record.variation("energy");
            let holds = match decides {
                T => format!("{found:.1e}") == format!("{printed:.1e}"),
                M => (printed / 1.5..=printed * 1.5).contains(&found),
                R => (printed / 3.0..=printed * 3.0).contains(&found),
            };
            if !holds {
                wrong.push(format!("{method} h = {step}: {found:e}, printed {printed:e} ({decides:?})"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn table_3_1() {
    let table = [
        [(1.8e-1, T), (1.4e-3, T), (1.8e-4, T), (1.4e-6, T)],
        [(1.4e-4, T), (4.5e-8, T), (1.4e-9, T), (5.1e-13, M)],
        [(5.3e-11, T), (5.7e-14, R), (5.7e-14, R), (1.4e-13, R)],
    ];
    check(&pendulum(Formulation::Minimal), 5.0, [101, 501, 1001, 5000], table);
}

#[test]
fn table_3_2() {
    let table = [
        [(2.0e-1, T), (1.8e-3, T), (2.3e-4, T), (1.8e-6, T)],
        [(2.8e-4, T), (8.9e-8, T), (2.8e-9, T), (9.7e-13, M)],
        [(4.4e-8, T), (1.7e-13, M), (8.5e-14, R), (1.4e-13, R)],
    ];
    check(&pendulum(sliding(|_| ())), 5.0, [101, 501, 1001, 5000], table);
}

#[test]
fn table_3_3() {
    let table = [
        [(6.0e-7, T), (4.6e-9, T), (5.7e-10, T), (4.6e-12, T)],
        [(3.3e-10, T), (9.2e-14, T), (2.8e-15, T), (6.2e-17, R)],
        [(2.3e-14, T), (2.4e-17, R), (2.3e-17, R), (6.6e-17, R)],
    ];
    check(&spheres(sliding(|_| ())), 8.0, [161, 801, 1601, 8000], table);
}

/// The roundoff-level cells are multiples of the spacing of doubles between 128 and 256, which shows at which
/// position the dissertation's energy is zero.
#[test]
fn energy_is_counted_from_the_pivot() {
    for formulation in [Formulation::Minimal, sliding(|_| ())] {
        let record = run_with::<Rk8>(&pendulum(formulation), 0.01, 5.0);
        let initial = record.column("energy").next().unwrap();
        assert_eq!(format!("{initial:.2}"), "-159.93");
        let units = record.variation("energy") / 2f64.powi(-45);
        assert_eq!(units, units.round());
        assert!(units > 0.0);
    }
}
