//! Initial positions.

use mbsbench_problem::{Scalar, parameters};

use super::MarbleJar;

parameters! {
    /// Initial positions of the marbles.
    #[derive(Copy)]
    pub enum Arrangement {
        /// One above the other on a spiral about the axis: marble `i` at angle 2.39996 i and radius `spread` (0.5 +
        /// 0.5 frac(0.618034 (i + seed))).
        Poured(Poured),
        /// A cubic lattice that fills the jar from the floor up, with each marble slightly displaced.
        Packed(Packed),
    }

    /// Marbles one above the other on a spiral.
    #[derive(Copy)]
    pub struct Poured {
        /// Height of the first marble's centre.
        pub height: f64 [above 0.0, unit "m"] = 0.175,
        /// Vertical distance between successive marbles.
        pub spacing: f64 [above 0.0, unit "m"] = 0.03,
        /// Largest distance from the axis.
        pub spread: f64 [from 0.0, unit "m"] = 0.02,
        /// Horizontal speed; its direction for marble `i` is 2.39996 i + 2π frac(0.618034 (i + seed)).
        pub speed: f64 [from 0.0, unit "m/s"] = 0.0,
    }

    /// A cubic lattice.
    #[derive(Copy)]
    pub struct Packed {
        /// Distance between neighbouring marbles in diameters; values below one press them together.
        pub spacing: f64 [above 0.0, unit "1"] = 1.05,
        /// Largest displacement of a marble from its lattice position along each horizontal axis, in diameters.
        pub displacement: f64 [from 0.0, unit "1"] = 0.02,
    }
}

/// Returns the initial state, computed in the scalar's own precision for poured marbles.
pub(super) fn state<S: Scalar>(parameters: &MarbleJar) -> Vec<S> {
    let n = parameters.count;
    let mut state = vec![S::zero(); 6 * n];
    let (x, rest) = state.split_at_mut(n);
    let (y, rest) = rest.split_at_mut(n);
    let (z, rest) = rest.split_at_mut(n);
    let (x_rate, rest) = rest.split_at_mut(n);
    let y_rate = &mut rest[..n];
    match parameters.arrangement {
        Arrangement::Poured(Poured { height, spacing, spread, speed }) => {
            for i in 0..n {
                let turns = S::from(0.618034) * (i as f64 + f64::from(parameters.seed));
                let part = turns - turns.value().floor();
                let radius = S::from(spread) * (part * 0.5 + 0.5);
                let (sin, cos) = (S::from(2.39996) * i as f64).sin_cos();
                x[i] = radius * cos;
                y[i] = radius * sin;
                z[i] = S::from(spacing) * i as f64 + height;
                if speed > 0.0 {
                    let (sin, cos) = (S::from(2.39996) * i as f64 + S::pi() * part * 2.0).sin_cos();
                    x_rate[i] = cos * speed;
                    y_rate[i] = sin * speed;
                }
            }
        }
        Arrangement::Packed(packed) => {
            for (i, position) in places(parameters, packed).take(n).enumerate() {
                (x[i], y[i], z[i]) = (position[0].into(), position[1].into(), position[2].into());
            }
        }
    }
    state
}

/// Positions of a lattice within the jar, layer by layer.
fn places(parameters: &MarbleJar, packed: Packed) -> impl Iterator<Item = [f64; 3]> {
    let diameter = 2.0 * parameters.radius;
    let (pitch, jitter) = (packed.spacing * diameter, packed.displacement * diameter);
    // At least the position on the axis
    let clearance = (parameters.jar_radius - parameters.radius - jitter * std::f64::consts::SQRT_2).max(0.0);
    let half = (clearance / pitch) as i64;
    let section: Vec<[f64; 2]> = (-half..=half)
        .flat_map(|row| (-half..=half).map(move |column| [column as f64 * pitch, row as f64 * pitch]))
        .filter(|[x, y]| x.hypot(*y) <= clearance)
        .collect();
    let mut random = Random(u64::from(parameters.seed));
    let floor = parameters.radius;
    (0_u64..)
        .flat_map(move |layer| section.clone().into_iter().map(move |[x, y]| [x, y, floor + layer as f64 * pitch]))
        .map(move |[x, y, z]| [x + jitter * random.next(), y + jitter * random.next(), z])
}

/// Random numbers in [−1, 1) by the generator SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), the same on every
/// machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mbsbench_problem::DoubleDouble;

    #[test]
    fn poured_marbles_are_in_the_jar_and_separate() {
        for seed in 0..50 {
            let parameters = MarbleJar { count: 40, seed, ..MarbleJar::default() };
            let s = state::<f64>(&parameters);
            for i in 0..40 {
                assert!(s[i].hypot(s[40 + i]) <= 0.02 + 1e-15);
                assert!((s[80 + i] - (0.175 + 0.03 * i as f64)).abs() < 1e-15);
            }
            assert!(s[120..].iter().all(|&v| v == 0.0));
        }
    }

    #[test]
    fn marbles_can_be_thrown_sideways() {
        let arrangement = Arrangement::Poured(Poured { speed: 0.3, ..Poured::default() });
        let thrown = state::<f64>(&MarbleJar { arrangement, ..MarbleJar::default() });
        assert_eq!(thrown[..30], state::<f64>(&MarbleJar::default())[..30]);
        for i in 0..10 {
            assert!((thrown[30 + i].hypot(thrown[40 + i]) - 0.3).abs() < 1e-15);
            assert_eq!(thrown[50 + i], 0.0);
        }
    }

    #[test]
    fn seeds_give_different_positions() {
        let first = state::<f64>(&MarbleJar::default());
        let second = state::<f64>(&MarbleJar { seed: 1, ..MarbleJar::default() });
        assert!((first[1] - second[1]).abs() > 1e-4);
        assert_eq!(first[20..30], second[20..30]);
    }

    #[test]
    fn both_precisions_agree() {
        let parameters = MarbleJar { seed: 3, ..MarbleJar::default() };
        for (double, precise) in state::<f64>(&parameters).into_iter().zip(state::<DoubleDouble>(&parameters)) {
            assert!((precise - DoubleDouble::from(double)).value().abs() < 1e-16);
        }
    }

    #[test]
    fn a_packing_fills_the_jar() {
        let packed = Packed::default();
        let parameters = MarbleJar {
            count: 500,
            jar_radius: 0.1,
            seed: 7,
            arrangement: Arrangement::Packed(packed),
            ..MarbleJar::default()
        };
        let s = state::<f64>(&parameters);
        let n = 500;
        for i in 0..n {
            assert!(s[i].hypot(s[n + i]) <= 0.09);
            for j in 0..i {
                let distance = (s[i] - s[j]).hypot(s[n + i] - s[n + j]).hypot(s[2 * n + i] - s[2 * n + j]);
                assert!(distance > 0.02, "{i} and {j}: {distance}");
            }
        }
        let top = s[2 * n..3 * n].iter().fold(0.0, |top: f64, &z| top.max(z));
        assert!(top < 0.3, "{top}");
    }
}
