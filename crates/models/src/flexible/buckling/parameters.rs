//! The buckling beam as an experiment file names it.

use mbsbench_problem::{Model, ModelDefinition, OutOfRange, parameters};

use super::Buckling;
use crate::flexible::CrossSection;
use crate::flexible::model::{self, FlexibleModel};

parameters! {
    /// A thin beam, clamped at one end, whose other end is moved by a link and a crank until the beam buckles sideways;
    /// no gravity. It starts at rest.
    ///
    /// zhang2022, section 5.3; Table 4 (not in the paper's text) as in the authors' input file: a beam of 10 mm by 100
    /// mm, rods of radius 12 mm and 24 mm, E = 73 GPa, ν = 0.3, 2680 kg/m³.
    pub struct LateralBuckling where assembles {
        /// Beam elements in the beam, of three nodes.
        pub elements: usize [from 1, to 400] = 5,
        /// Beam elements in the link.
        pub link_elements: usize [from 1, to 400] = 1,
        /// Beam elements in the crank.
        pub crank_elements: usize [from 1, to 400] = 1,
        /// Length of the beam.
        pub beam_length: f64 [above 0.0, unit "m"] = 1.0,
        /// Length of the link.
        pub link_length: f64 [above 0.0, unit "m"] = 0.25,
        /// Length of the crank.
        pub crank_length: f64 [above 0.0, unit "m"] = 0.05,
        /// Distance of link and crank from the plane of the beam along `y`: the imperfection.
        pub offset: f64 [unit "m"] = 1e-4,
        /// Cross section of the beam; axis 2 is along `y`, across it, axis 3 along `z`.
        pub beam: CrossSection = CrossSection {
            axial: 73e6,
            shear: [5.025e6, 23.40e6],
            torsion: 877.2,
            bending: [60_830.0, 608.3],
            mass: 2.68,
            inertia: [2255.33e-6, 2233e-6, 22.33e-6],
        },
        /// Cross section of the link.
        pub link: CrossSection = CrossSection {
            axial: 33.02e6,
            shear: [10.81e6, 10.81e6],
            torsion: 914.5,
            bending: [1189.0, 1189.0],
            mass: 1.212,
            inertia: [87.30e-6, 43.65e-6, 43.65e-6],
        },
        /// Cross section of the crank.
        pub crank: CrossSection = CrossSection {
            axial: 132.1e6,
            shear: [43.22e6, 43.22e6],
            torsion: 14_630.0,
            bending: [19_020.0, 19_020.0],
            mass: 4.85,
            inertia: [1396.6e-6, 698.3e-6, 698.3e-6],
        },
        /// Time `T` in which the crank makes half a turn (Eq. 24).
        pub turn_time: f64 [above 0.0, unit "s"] = 0.4,
    }
}

impl LateralBuckling {
    fn assembles(&self) -> Result<(), OutOfRange> {
        model::assembles(&Buckling::new(self))
    }
}

impl ModelDefinition for LateralBuckling {
    const NAME: &'static str = "lateral-buckling";
    const SUMMARY: &'static str = "thin beam that a crank and a link bend until it buckles sideways";
    const SOURCE: &'static str = "zhang2022, section 5.3";

    fn model(&self) -> Box<dyn Model> {
        Box::new(FlexibleModel::new(Buckling::new(self)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flexible::testing::{Solid, assert_section};

    /// Table 4 from material and dimensions; the shear factors are the authors', 5/6 along the height of the beam.
    #[test]
    fn sections_are_those_of_the_material() {
        let LateralBuckling { beam, link, crank, .. } = LateralBuckling::default();
        let material = Solid { youngs_modulus: 73e9, poisson_ratio: 0.3, density: 2680.0 };
        assert_section(&beam, &material.rectangle([0.01, 0.1], [0.179, 5.0 / 6.0]), 5e-4);
        for (section, radius) in [(link, 0.012), (crank, 0.024)] {
            assert_section(&section, &material.tube(0.0, radius, 0.8507), 5e-4);
        }
    }
}
