//! The checks of every method, on the registered models.

use mbsbench_experiment::registry::MethodKind;
use mbsbench_experiment::{Choice, Registry};
pub use mbsbench_integrators::conformance::{CHECKS, Tested, order_of_the_root};

/// Returns a method with the first registered model that it suits. If it needs constraints, this is a mechanism without
/// stiffness. Returns `None` if it suits none.
pub fn tested(choice: &Choice<MethodKind>, registry: &Registry) -> Option<Tested> {
    let (kind, others): (Vec<_>, Vec<_>) =
        registry.models().iter().partition(|model| ["pendulum", "slider-crank"].contains(&model.name));
    let models = kind.into_iter().chain(others);
    Tested::new(choice.object.method(), models.map(|entry| (entry.name, entry.default_choice().object.model())))
}
