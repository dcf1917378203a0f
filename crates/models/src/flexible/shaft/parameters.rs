//! The shaft as an experiment file names it.

use mbsbench_problem::{Model, ModelDefinition, OutOfRange, parameters};

use super::Shaft;
use crate::flexible::CrossSection;
use crate::flexible::model::{self, FlexibleModel};

parameters! {
    /// A rigid disk at mid-span.
    #[derive(Copy)]
    pub struct Disk {
        /// Mass.
        pub mass: f64 [above 0.0, unit "kg"],
        /// Distance of its centre of mass from the shaft along `z`.
        pub offset: f64 [unit "m"],
        /// Moments of inertia about its centre of mass: about the axis of the shaft, and about `y` and `z`.
        pub inertia: [f64; 3] [above 0.0, unit "kg m²"],
    }
}

parameters! {
    /// A flexible shaft with an unbalanced disk at mid-span. At rest and straight at `t = −1 s`, where a run has to
    /// begin, it is loaded with gravity, settles by a damper, and is run up from `t = 0` on.
    ///
    /// zhang2022, section 5.4; Table 5 (not in the paper's text), gravity and damper as in the authors' input file: a
    /// tube of radii 45 and 50 mm with E = 210 GPa, ν = 0.3 and 7800 kg/m³. The transverse inertia of the disk is that
    /// of the input, with its thickness; the paper prints 1.0163 without it, in g m².
    pub struct RotatingShaft where times_rise, assembles {
        /// Beam elements, of three nodes.
        pub elements: usize [from 1, to 400] = 16,
        /// Length.
        pub length: f64 [above 0.0, unit "m"] = 6.0,
        /// Cross section.
        pub section: CrossSection = CrossSection {
            axial: 313.4e6,
            shear: [60.5e6, 60.5e6],
            torsion: 272.7e3,
            bending: [354.5e3, 354.5e3],
            mass: 11.6396,
            inertia: [0.026_334_5, 0.013_167_3, 0.013_167_3],
        },
        /// The disk.
        pub disk: Disk = Disk { mass: 70.573, offset: 0.05, inertia: [2.032_50, 1.030_95, 1.030_95] },
        /// Speed ω that the speeds of the shaft are given in.
        pub speed: f64 [unit "rad/s"] = 60.0,
        /// Factors `A₁` and `A₂` of the first and the second speed (Eq. 25).
        pub amplitudes: [f64; 2] [unit "1"] = [0.8, 1.2],
        /// Times `T₁`, `T₂` and `T₃` at which the first rise ends, the second begins and ends (Eq. 25).
        pub times: [f64; 3] [above 0.0, unit "s"] = [0.5, 1.0, 1.25],
        /// Acceleration of gravity along `−z`; it is switched on from −1 to −0.5 s.
        pub gravity: f64 [unit "m/s²"] = 9.81,
        /// Viscous damping between mid-span and the ground until −0.25 s.
        pub damping: f64 [from 0.0, unit "N s/m"] = 1e4,
    }
}

impl RotatingShaft {
    fn times_rise(&self) -> Result<(), OutOfRange> {
        let [first, second, third] = self.times;
        if first <= second && second < third {
            return Ok(());
        }
        let found = format!("{:?}", self.times);
        Err(OutOfRange::new("times", found, "three finite times in order, the first above zero"))
    }
}

impl Disk {
    /// Radius and half the thickness of the homogeneous disk with these moments of inertia, m; for drawings.
    pub(super) fn half_sizes(&self) -> [f64; 2] {
        let [axial, transverse] = [self.inertia[0], self.inertia[1]].map(|inertia| inertia / self.mass);
        [(2.0 * axial).sqrt(), (3.0 * (transverse - 0.5 * axial).max(0.0)).sqrt()]
    }
}

impl RotatingShaft {
    fn assembles(&self) -> Result<(), OutOfRange> {
        model::assembles(&Shaft::new(self))
    }
}

impl ModelDefinition for RotatingShaft {
    const NAME: &'static str = "rotating-shaft";
    const SUMMARY: &'static str = "flexible shaft with an unbalanced disk, run up through its critical speed";
    const SOURCE: &'static str = "zhang2022, section 5.4";

    fn model(&self) -> Box<dyn Model> {
        Box::new(FlexibleModel::new(Shaft::new(self)))
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use approx::assert_relative_eq;

    use super::*;
    use crate::flexible::testing::{Solid, assert_section};

    /// Table 5 from material and tube; the shear factor is the authors'.
    #[test]
    fn the_section_is_that_of_the_material() {
        let material = Solid { youngs_modulus: 210e9, poisson_ratio: 0.3, density: 7800.0 };
        assert_section(&RotatingShaft::default().section, &material.tube(0.045, 0.050, 0.502), 1e-4);
    }

    /// A disk of steel of radius 0.24 m and thickness 0.05 m has the mass and the moments of inertia, in kg m².
    #[test]
    fn the_disk_is_one_of_steel() {
        let Disk { mass, inertia, .. } = RotatingShaft::default().disk;
        let (r, thickness): (f64, f64) = (0.24, 0.05);
        assert_relative_eq!(mass, 7800.0 * PI * r * r * thickness, max_relative = 1e-5);
        assert_relative_eq!(inertia[0], 0.5 * mass * r * r, max_relative = 1e-5);
        for transverse in &inertia[1..] {
            assert_relative_eq!(*transverse, mass * (r * r / 4.0 + thickness * thickness / 12.0), max_relative = 1e-4);
        }
        let [radius, half_thickness] = RotatingShaft::default().disk.half_sizes();
        assert_relative_eq!(radius, r, max_relative = 1e-4);
        assert_relative_eq!(half_thickness, 0.5 * thickness, max_relative = 1e-2);
    }
}
