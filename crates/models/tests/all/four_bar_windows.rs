//! Compares four-bar windows with the exact motion of one degree of freedom, and with published values.

use crate::common::solving::{Named, named, observed, solve};
use mbsbench_integrators::{Dop853, GeneralizedAlpha, Lms2, Radau5};
use mbsbench_models::{FourBarWindows, LinkageFormulation};
use mbsbench_problem::{Model, ModelDefinition, Settings, Solution};

/// Returns the solution, which must be complete.
fn solved(model: &dyn Model, method: &Named, t_end: f64, settings: Settings) -> Solution {
    let solution = solve(model, method, t_end, settings);
    assert_eq!(solution.failure, None, "{}", method.0);
    solution
}

/// Angles at 20 s by elliptic integrals, `F(φ/2 | −4 c) = t/2` to thirty digits.
#[test]
fn the_angle_matches_the_elliptic_integral() {
    for (windows, exact) in [(1, 64.689_640_422_695_99), (2, 63.828_669_393_146_12), (1000, 63.232_477_514_711_47)] {
        let model =
            FourBarWindows { formulation: LinkageFormulation::Minimal, windows, ..FourBarWindows::default() }.model();
        let solution = solved(&*model, &named(Dop853::default()), 20.0, Settings::tolerance(1e-13, 1e-13));
        assert!((solution.state[0] - exact).abs() < 1e-9, "{windows} windows: {}", solution.state[0]);
        let values = observed(&*model, 20.0, &solution.state);
        assert!(values[5].abs() < 1e-11 * values[4], "{windows} windows: energy changes by {:e} J", values[5]);
    }
}

/// All rods, with loops closed by constraints, follow the same motion before they lie on one line (0.73 s).
#[test]
fn rods_with_closed_loops_match_the_closed_form() {
    let t_end = 0.5;
    let minimal = FourBarWindows { formulation: LinkageFormulation::Minimal, windows: 9, ..FourBarWindows::default() };
    let exact = solved(&*minimal.model(), &named(Dop853::default()), t_end, Settings::tolerance(1e-13, 1e-13));
    let exact = observed(&*minimal.model(), t_end, &exact.state);
    let model = FourBarWindows { windows: 9, ..FourBarWindows::default() }.model();
    let error = |method: &Named, settings| {
        let values = observed(&*model, t_end, &solved(&*model, method, t_end, settings).state);
        (0..4).map(|i| (values[i] - exact[i]).abs()).fold(0.0, f64::max)
    };
    let explicit = error(&named(Dop853::default()), Settings::tolerance(1e-10, 1e-10));
    assert!(explicit < 1e-8, "accelerations: {explicit:e}");
    let index_3 = error(&named(Radau5::default()), Settings::tolerance(1e-8, 1e-8));
    assert!(index_3 < 1e-4, "RADAU5: {index_3:e}");
    let sharp = Lms2 { newton_tolerance: 1e-9, ..Lms2::default() };
    for method in [named(GeneralizedAlpha::default()), named(sharp)] {
        let [coarse, fine] = [2e-3, 1e-3].map(|step| error(&method, Settings::fixed(step)));
        let order = (coarse / fine).log2();
        assert!((order - 2.0).abs() < 0.1, "order {order}: {coarse:e} and {fine:e}");
    }
}
