//! What can be watched of a linkage.

use mbsbench_problem::Observable;
use mbsbench_problem::model::Class;

use super::{Linkage, LinkageFormulation};

/// Names, units and meanings of the six coordinates that every linkage has.
fn coordinates(rod_at_pin: bool) -> [(&'static str, &'static str, &'static str); 6] {
    let (x, y) = if rod_at_pin {
        ("pin between crank and rod, along x", "pin between crank and rod, along y")
    } else {
        ("centre of the second body, along x", "centre of the second body, along y")
    };
    [
        ("x1", "m", "centre of the first body, along x"),
        ("y1", "m", "centre of the first body, along y"),
        ("theta1", "rad", "angle of the first body from the x axis"),
        ("x2", "m", x),
        ("y2", "m", y),
        ("theta2", "rad", "angle of the second body from the x axis"),
    ]
}

/// Coordinates, rates, slider, angle between the bodies, multipliers, energies, drift, and in the Cartesian formulation the constraints: the order
/// in which [`LinkageObservation`](super::observation::LinkageObservation) writes them.
pub(super) fn observables(linkage: &impl Linkage) -> Vec<Observable> {
    let coordinates = coordinates(linkage.pin_distances()[1] == 0.0);
    let mut list = Vec::new();
    for (name, unit, about) in coordinates {
        list.push(Observable::new(name, unit, about).of_class(Class::Position));
    }
    // Modal coordinates are of another size than the rigid ones, whose errors are the paper's: they have no class.
    for k in 1..=linkage.modes() {
        list.push(Observable::new(format!("e{k}"), "m", "amplitude of a bending mode of the rod"));
    }
    for (name, unit, _) in coordinates {
        let unit = if unit == "m" { "m/s" } else { "rad/s" };
        let rate = Observable::new(format!("{name}_rate"), unit, "rate of the coordinate of that name");
        list.push(rate.of_class(Class::Velocity));
    }
    for k in 1..=linkage.modes() {
        list.push(Observable::new(format!("e{k}_rate"), "m/s", "rate of the amplitude of a bending mode"));
    }
    if linkage.slider_distance().is_some() {
        list.push(Observable::new("slider_position", "m", "far end of the rod, along x"));
        list.push(Observable::new("slider_velocity", "m/s", "velocity of the far end of the rod, along x"));
    }
    if linkage.spring_frequency(&linkage.full_initial::<f64>()).is_some() {
        list.push(Observable::new("relative_angle", "rad", "angle of the second body less that of the first"));
        list.push(Observable::new("fast_frequency", "rad/s", "circular frequency of the spring between the bodies"));
    }
    for k in 1..=linkage.holonomic() {
        let multiplier = Observable::new(format!("multiplier_{k}"), "N", "multiplier λ in M v' = D + Jᵀ λ");
        list.push(multiplier.of_class(Class::Multiplier));
    }
    list.extend([
        Observable::new("energy", "J", "total energy, potential of gravity zero at the height of the origin"),
        Observable::new("energy_change", "J", "total energy less that of the initial state"),
        Observable::new("drift_x", "m/s³", "Φ_q q''' of the constraint that holds the pin along x"),
        Observable::new("drift_y", "m/s³", "Φ_q q''' of the constraint that holds the pin along y"),
    ]);
    if linkage.formulation() == LinkageFormulation::Cartesian {
        list.extend([
            Observable::new("constraint", "m", "largest magnitude among the constraints Φ"),
            Observable::new("velocity_constraint", "m/s", "largest magnitude among Φ_q v"),
            Observable::new("velocity_constraint_x", "m/s", "Φ_q v of the pin between first and second body, along x"),
            Observable::new("velocity_constraint_y", "m/s", "Φ_q v of the pin between first and second body, along y"),
        ]);
    }
    list
}
