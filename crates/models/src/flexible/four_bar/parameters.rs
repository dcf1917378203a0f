//! The four-bar mechanism as an experiment file names it.

use mbsbench_problem::{Model, ModelDefinition, OutOfRange, parameters};

use super::FourBar;
use crate::flexible::CrossSection;
use crate::flexible::model::{self, FlexibleModel};

parameters! {
    /// The length of the pieces of a bar whose inertia is lumped on its nodes.
    #[derive(Copy, Default, Eq)]
    pub enum Lumps {
        /// The distance of the nodes, so that the pieces add up to the bar.
        #[default]
        ByBar,
        /// The length of the bar over twice the number of elements of all three bars: a third of that, so that the
        /// mechanism has a third of the mass that follows from section and density. The authors' generator of input
        /// files has it so; with which mass the published runs were made is not printed.
        ByMechanism,
    }
}

parameters! {
    /// Three flexible bars that are hinged together and to the ground in a rectangle, driven at constant speed; no
    /// gravity.
    ///
    /// The drive has turned `A-B` by `−Ω t`, and the bars start without strain in the rectangle, moving as rigid ones
    /// would: a run has to begin at a multiple of `2π/Ω`. That of the paper begins at two turns before `t = 0`.
    ///
    /// zhang2022, section 5.2; Table 3 (not in the paper's text) as in the authors' input file: bars of 16 mm and 8 mm
    /// square with E = 207 GPa, ν = 0.3 and 7800 kg/m³.
    pub struct FlexibleFourBar where assembles {
        /// Beam elements in each bar, of three nodes.
        pub elements: usize [from 1, to 400] = 5,
        /// Inertia lumped on the nodes: `by-bar` or `by-mechanism`.
        pub lumps: Lumps = Lumps::ByBar,
        /// Length of A-B and C-D.
        pub arm_length: f64 [above 0.0, unit "m"] = 0.12,
        /// Length of B-C.
        pub coupler_length: f64 [above 0.0, unit "m"] = 0.24,
        /// Cross section of A-B and B-C; axis 3 is along the hinges.
        pub thick: CrossSection = CrossSection {
            axial: 5.299_20e7,
            shear: [1.688_03e7, 1.688_03e7],
            torsion: 733.488,
            bending: [1130.50, 1130.50],
            mass: 1.996_80,
            inertia: [8.519_68e-5, 4.259_84e-5, 4.259_84e-5],
        },
        /// Cross section of C-D.
        pub thin: CrossSection = CrossSection {
            axial: 1.324_80e7,
            shear: [4.220_08e6, 4.220_08e6],
            torsion: 45.8430,
            bending: [70.6560, 70.6560],
            mass: 0.499_200,
            inertia: [5.324_80e-6, 2.662_40e-6, 2.662_40e-6],
        },
        /// Angle about `y` by which the axis in C is tilted.
        pub misalignment: f64 [from -45.0, to 45.0, unit "deg"] = 5.0,
        /// Angular velocity Ω of A-B in A, about `−z`.
        pub angular_velocity: f64 [above 0.0, unit "rad/s"] = 0.6,
    }
}

impl FlexibleFourBar {
    fn assembles(&self) -> Result<(), OutOfRange> {
        model::assembles(&FourBar::new(self))
    }
}

impl ModelDefinition for FlexibleFourBar {
    const NAME: &'static str = "flexible-four-bar";
    const SUMMARY: &'static str = "flexible four-bar mechanism with a tilted axis, driven at constant speed";
    const SOURCE: &'static str = "zhang2022, section 5.2";

    fn model(&self) -> Box<dyn Model> {
        Box::new(FlexibleModel::new(FourBar::new(self)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flexible::testing::{Solid, assert_section};

    /// Table 3 from material and squares; the shear factor is the authors'.
    #[test]
    fn sections_are_those_of_the_material() {
        let FlexibleFourBar { thick, thin, .. } = FlexibleFourBar::default();
        for (section, side) in [(thick, 0.016), (thin, 0.008)] {
            let material = Solid { youngs_modulus: 207e9, poisson_ratio: 0.3, density: 7800.0 };
            assert_section(&section, &material.rectangle([side, side], [0.8282; 2]), 1e-4);
        }
    }
}
