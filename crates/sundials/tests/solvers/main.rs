//! The methods with the library, and their failure without it.

#[cfg(sundials)]
mod accuracy;
#[cfg(sundials)]
#[path = "../../../integrators/tests/common/ball.rs"]
mod ball;
#[cfg(sundials)]
mod borders;
#[cfg(sundials)]
mod constrained;
#[cfg(sundials)]
mod events;
#[cfg(sundials)]
mod failures;
#[cfg(sundials)]
mod jacobians;
#[cfg(sundials)]
mod observation;
mod problems;
#[cfg(sundials)]
mod shared;
#[cfg(sundials)]
mod singular_mass;

use mbsbench_problem::{Failure, MethodDefinition, Silent, Status};
use mbsbench_sundials::{CvodeAdams, CvodeBdf, Ida, PACKAGE, version};
use problems::{Oscillator, methods, solve, tolerance};

#[test]
fn only_a_missing_library_is_unavailable() {
    for (name, method) in methods() {
        let solution = solve(&*method, &Oscillator, &[1.0, 0.0], 1.0, tolerance(1e-6), &mut Silent);
        if version().is_some() {
            assert_eq!(solution.failure, None, "{name}");
            continue;
        }
        let failure = solution.failure.expect("there is nothing to solve with");
        assert_eq!(failure, Failure::Unavailable { package: PACKAGE }, "{name}");
        assert_eq!(failure.status(), Status::Unavailable);
        assert_eq!(failure.to_string(), "unavailable: install libsundials-dev");
        assert_eq!((solution.t_reached, solution.state), (0.0, vec![1.0, 0.0]));
    }
}

#[test]
fn the_interface_of_the_found_version_is_declared() {
    if let Some(version) = version() {
        let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok());
        assert!(matches!(major, Some(6 | 7)), "{version}");
    }
}

#[test]
fn names_and_families_match_experiment_files() {
    assert_eq!([CvodeBdf::NAME, CvodeAdams::NAME, Ida::NAME], ["cvode-bdf", "cvode-adams", "ida"]);
    assert_eq!([CvodeBdf::FAMILY, CvodeAdams::FAMILY, Ida::FAMILY], ["sundials"; 3]);
}

#[test]
fn a_list_of_sizes_has_at_least_one() {
    use mbsbench_problem::Parameters;
    use mbsbench_sundials::Sizes;
    let bdf = CvodeBdf { absolute_scale: Sizes::Components(Vec::new()), ..CvodeBdf::default() };
    assert_eq!(bdf.check().expect_err("no sizes").field, "absolute-scale.components");
}
