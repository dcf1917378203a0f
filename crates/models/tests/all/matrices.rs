//! Choice of the storage of matrices of mechanisms.

use crate::common::solving::{Named, named, solve};
use mbsbench_integrators::{
    Bliedf, Dop853Projected, Dopri5, GeneralizedAlpha, GeneralizedAlphaI2, GeneralizedAlphaSi2, HalfImplicitEuler,
    Hedop5, Hem4, HhtAdd, HhtI3, HhtSi2, LieGeneralizedAlpha, Lms2, NstiffSi2, Ode15s, Ode23s, Radau5, Rattle,
};
use mbsbench_models::{LinkageFormulation, RodChain};
use mbsbench_problem::{Failure, Matrices, ModelDefinition, Settings};

/// The storage of matrices can be chosen for few bodies and for many, and changes solutions at roundoff level only.
#[test]
fn sparse_and_dense_matrices_give_equal_solutions() {
    let fixed = Settings::fixed(1e-3);
    let controlled = Settings::tolerance(1e-6, 1e-6);
    let methods: [(Named, Settings); 19] = [
        (named(HhtI3::default()), fixed),
        (named(GeneralizedAlpha::default()), fixed),
        (named(HhtAdd::default()), fixed),
        (named(HhtSi2::default()), fixed),
        (named(NstiffSi2::default()), fixed),
        (named(GeneralizedAlphaI2::default()), fixed),
        (named(GeneralizedAlphaSi2::default()), fixed),
        (named(Lms2 { newton_tolerance: 1e-9, ..Lms2::default() }), fixed),
        (named(Radau5::default()), controlled),
        (named(Dopri5::default()), controlled),
        (named(Ode15s::default()), controlled),
        (named(Ode23s::default()), controlled),
        (named(Rattle::default()), fixed),
        (named(Hem4::default()), fixed),
        (named(Hedop5::default()), controlled),
        (named(Dop853Projected::default()), controlled),
        (named(LieGeneralizedAlpha::default()), fixed),
        (named(Bliedf::default()), fixed),
        (named(HalfImplicitEuler::default()), fixed),
    ];
    for rods in [3, 12] {
        let model = RodChain { rods, damping: 1e-3, ..RodChain::default() }.model();
        for (method, settings) in &methods {
            let [dense, sparse] = [Matrices::Dense, Matrices::Sparse].map(|matrices| {
                let solution = solve(&*model, method, 0.05, Settings { matrices, ..*settings });
                assert_eq!(solution.failure, None, "{} with {matrices:?} on {rods} rods", method.0);
                solution
            });
            let difference = |(a, b): (&f64, &f64)| (a - b).abs();
            let largest = dense.state.iter().zip(&sparse.state).map(difference).fold(0.0, f64::max);
            // corrections end at 1e-10, steps of 1e-3 divide them, and error estimates influence the steps
            assert!(largest < 1e-6, "{} on {rods} rods: {largest:e}", method.0);
            assert!(dense.state != sparse.state, "{} on {rods} rods: the same to the bit", method.0);
        }
    }
}

#[test]
fn a_choice_of_matrices_is_refused_if_there_is_none() {
    let model = RodChain { formulation: LinkageFormulation::Minimal, rods: 3, ..RodChain::default() }.model();
    let settings = Settings { matrices: Matrices::Sparse, ..Settings::fixed(1e-3) };
    let solution = solve(&*model, &named(Dopri5::default()), 0.05, settings);
    let Some(Failure::NotApplicable { reason }) = solution.failure else { panic!("{:?}", solution.failure) };
    assert_eq!(reason, "the matrices of this problem can be stored in one way only; use `matrices: automatic`");
}
