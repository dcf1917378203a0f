//! The buckling beam as an experiment file names it.

use mbsbench_problem::{Model, ModelDefinition, OutOfRange, Parameters};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Buckling;
use crate::flexible::CrossSection;
use crate::flexible::bar::check_elements;
use crate::flexible::model::FlexibleModel;

/// A thin beam, clamped at one end, whose other end is moved by a link and a crank until the beam buckles sideways; no gravity.
/// It starts at rest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct LateralBuckling {
    /// Beam elements in the beam, of three nodes.
    pub elements: usize,
    /// Beam elements in the link.
    pub link_elements: usize,
    /// Beam elements in the crank.
    pub crank_elements: usize,
    /// Length of the beam, m.
    pub beam_length: f64,
    /// Length of the link, m.
    pub link_length: f64,
    /// Length of the crank, m.
    pub crank_length: f64,
    /// Distance of link and crank from the plane of the beam along `y`, m: the imperfection.
    pub offset: f64,
    /// Cross section of the beam; axis 2 is along `y`, across it, axis 3 along `z`.
    pub beam: CrossSection,
    /// Cross section of the link.
    pub link: CrossSection,
    /// Cross section of the crank.
    pub crank: CrossSection,
    /// Time `T` in which the crank makes half a turn (Eq. 24), s.
    pub turn_time: f64,
}

/// zhang2022, section 5.3; Table 4 (not in the paper's text) as in the authors' input file: a beam of 10 mm by 100 mm, rods of
/// radius 12 mm and 24 mm, E = 73 GPa, ν = 0.3, 2680 kg/m³.
impl Default for LateralBuckling {
    fn default() -> Self {
        Self {
            elements: 5,
            link_elements: 1,
            crank_elements: 1,
            beam_length: 1.0,
            link_length: 0.25,
            crank_length: 0.05,
            offset: 1e-4,
            beam: CrossSection {
                axial: 73e6,
                shear: [5.025e6, 23.40e6],
                torsion: 877.2,
                bending: [60_830.0, 608.3],
                mass: 2.68,
                inertia: [2255.33e-6, 2233e-6, 22.33e-6],
            },
            link: CrossSection {
                axial: 33.02e6,
                shear: [10.81e6, 10.81e6],
                torsion: 914.5,
                bending: [1189.0, 1189.0],
                mass: 1.212,
                inertia: [87.30e-6, 43.65e-6, 43.65e-6],
            },
            crank: CrossSection {
                axial: 132.1e6,
                shear: [43.22e6, 43.22e6],
                torsion: 14_630.0,
                bending: [19_020.0, 19_020.0],
                mass: 4.85,
                inertia: [1396.6e-6, 698.3e-6, 698.3e-6],
            },
            turn_time: 0.4,
        }
    }
}

impl Parameters for LateralBuckling {
    fn check(&self) -> Result<(), OutOfRange> {
        check_elements("elements", self.elements)?;
        check_elements("link-elements", self.link_elements)?;
        check_elements("crank-elements", self.crank_elements)?;
        OutOfRange::unless_positive("beam-length", self.beam_length)?;
        OutOfRange::unless_positive("link-length", self.link_length)?;
        OutOfRange::unless_positive("crank-length", self.crank_length)?;
        OutOfRange::unless_finite("offset", self.offset)?;
        for (name, section) in [("beam", &self.beam), ("link", &self.link), ("crank", &self.crank)] {
            section.check().map_err(|error| error.within(name))?;
        }
        OutOfRange::unless_positive("turn-time", self.turn_time)
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

    #[test]
    fn ranges_are_checked() {
        let check = |change: fn(&mut LateralBuckling)| {
            let mut parameters = LateralBuckling::default();
            change(&mut parameters);
            parameters.check().map_err(|error| error.field)
        };
        assert_eq!(check(|_| ()), Ok(()));
        assert_eq!(check(|p| p.offset = 0.0), Ok(()));
        assert_eq!(check(|p| p.elements = 0), Err("elements".into()));
        assert_eq!(check(|p| p.link_elements = 0), Err("link-elements".into()));
        assert_eq!(check(|p| p.crank_elements = 2000), Err("crank-elements".into()));
        assert_eq!(check(|p| p.beam_length = 0.0), Err("beam-length".into()));
        assert_eq!(check(|p| p.link_length = -0.1), Err("link-length".into()));
        assert_eq!(check(|p| p.crank_length = f64::NAN), Err("crank-length".into()));
        assert_eq!(check(|p| p.offset = f64::NAN), Err("offset".into()));
        assert_eq!(check(|p| p.beam.shear[0] = 0.0), Err("beam.shear".into()));
        assert_eq!(check(|p| p.link.mass = 0.0), Err("link.mass".into()));
        assert_eq!(check(|p| p.crank.torsion = 0.0), Err("crank.torsion".into()));
        assert_eq!(check(|p| p.turn_time = 0.0), Err("turn-time".into()));
    }
}
