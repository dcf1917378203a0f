//! Bars drawn to scale.

use super::bar::{CrossSection, Mesh};
use super::model::Snapshot;

/// The outline of a bar as it is bent, seen in the plane of two coordinates of the ground: along the nodes at half the width
/// of its section on one side, and back on the other. `across` is the number, 1 or 2, of the bar's own axis from 0 that
/// lies in the plane.
pub(super) fn outline(
    now: &Snapshot<'_>,
    mesh: &Mesh,
    section: &CrossSection,
    [x, y]: [usize; 2],
    across: usize,
) -> Vec<[f64; 2]> {
    let half_width = section.half_widths()[across - 1];
    let edge = |node: usize, sign: f64| {
        let at = now.position(node) + now.rotation(node).column(across) * (sign * half_width);
        [at[x], at[y]]
    };
    let nodes = mesh.nodes.clone();
    nodes.clone().map(|node| edge(node, 1.0)).chain(nodes.rev().map(|node| edge(node, -1.0))).collect()
}
