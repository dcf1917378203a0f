//! Links that fixed joints weld together.

use nalgebra::{Matrix3, Vector3};
use roxmltree::Node;
use serde_json::Value;

use super::xml::{Inertial, Origin};

/// A link with all links that are fixed to it.
pub(super) struct Lump<'a, 'i> {
    /// The link nearest to the root.
    pub(super) link: &'a str,
    pub(super) node: Node<'a, 'i>,
    /// Name of its body.
    pub(super) body: String,
    /// Pose of the link if all joints are at zero.
    pub(super) place: Origin,
    /// The other links with their frames.
    pub(super) merged: Vec<(&'a str, Node<'a, 'i>, Origin)>,
    /// Masses and moments of inertia of the links that have any, in the frame of the first link.
    pub(super) inertials: Vec<Inertial>,
    /// The first simple shape of its links.
    pub(super) shape: Option<(Value, Origin)>,
}

impl Lump<'_, '_> {
    /// Mass, centre of mass and moments of inertia about it of all links together.
    pub(super) fn inertial(&self) -> Inertial {
        if let [one] = &*self.inertials {
            return one.clone();
        }
        let mass = self.inertials.iter().map(|each| each.mass).sum();
        let moment: Vector3<f64> = self.inertials.iter().map(|each| each.centre * each.mass).sum();
        let centre = if mass > 0.0 { moment / mass } else { moment };
        let about_centre = |each: &Inertial| {
            let arm = each.centre - centre;
            each.inertia + (Matrix3::identity() * arm.norm_squared() - arm * arm.transpose()) * each.mass
        };
        Inertial { mass, centre, inertia: self.inertials.iter().map(about_centre).sum() }
    }
}
