//! L-stable formulas of Kennedy and Carpenter, with their embedded weights.
//!
//! C. A. Kennedy, M. H. Carpenter, Diagonally implicit Runge–Kutta methods for ordinary differential equations. A
//! review, NASA/TM–2016–219173 (2016); C. A. Kennedy, M. H. Carpenter, Diagonally implicit Runge–Kutta methods for
//! stiff ODEs, Appl. Numer. Math. 146 (2019) 221–244.

use mbsbench_problem::DoubleDouble;
use num_dual::DualNum;

use super::{newton, number, polynomial, slope, third_stage, with_row_sum};
use crate::implicit::Esdirk;
use crate::tableau::{Number, decimal, ratio};

const REPORT: &str = "C. A. Kennedy, M. H. Carpenter, NASA/TM–2016–219173; embedded weights as in SUNDIALS";

impl Esdirk {
    /// The formulas of C. A. Kennedy and M. H. Carpenter.
    pub const PRINTED: [fn() -> Self; 3] = [Self::esdirk324l2sa, Self::esdirk325l2sa, Self::esdirk436l2sa2];

    /// ESDIRK3(2)4L\[2\]SA of Kennedy and Carpenter: three implicit stages, order three, L-stable.
    ///
    /// L-stability determines `γ`: `6γ³ − 18γ² + 9γ − 1 = 0`.
    pub fn esdirk324l2sa() -> Self {
        let cubic = [-1.0, 9.0, -18.0, 6.0].map(number);
        let gamma = newton(0.435_866_5, |x| (polynomial(&cubic, x), slope(&cubic, x)));
        let (c_2, c_3) = (gamma * 2.0, exact(ratio(3, 5)));
        let b_2 = (c_3 * 3.0 - 2.0 + gamma * 6.0 * (-c_3 + 1.0)) / (gamma * 12.0 * (c_3 - c_2));
        let b_3 = (gamma * gamma * 6.0 - gamma * 6.0 + 1.0) / (c_3 * 3.0 * (c_3 - c_2));
        let embedded = [
            decimal("0.1088966176158644541561307380704"),
            decimal("-0.9153258118707127534816380978168"),
            decimal("1.271273597302152167844715894136"),
            decimal("0.5351555969526961314807914656107"),
        ];
        let nodes = vec![number(0.0), c_2, c_3, number(1.0)];
        let rows = vec![
            vec![number(0.0)],
            vec![gamma; 2],
            third_stage(gamma, c_3),
            with_row_sum(number(1.0), &[b_2, b_3, gamma]),
        ];
        Self::new("ESDIRK3(2)4L[2]SA", REPORT, 3, nodes, rows).with_embedded(2, &embedded.map(exact))
    }

    /// ESDIRK3(2)5L\[2\]SA of Kennedy and Carpenter: four implicit stages, order three, L-stable.
    ///
    /// `γ = 9/40`. zhang2022 also prints ESDIRK3(3)5L\[2\]SA.
    pub fn esdirk325l2sa() -> Self {
        let gamma = exact(ratio(9, 40));
        let w = number(2.0).sqrt();
        let c_3 = (w + 2.0) * 9.0 / 40.0;
        let third = (w + 1.0) * 9.0 / 80.0;
        let fourth = (w * 15.0 + 22.0) / ((w + 1.0) * 80.0);
        let b_1 = (w * 1205.0 + 2398.0) / ((w * 3.0 + 4.0) * 2835.0);
        let b_3 = (w * 2.0 + 1.0) * -2374.0 / ((w * 3.0 + 5.0) * 2835.0);
        let embedded_1 = (w * 5_547_709.0 - 4_800_247.0) / 16_519_545.0;
        let embedded = [
            embedded_1,
            embedded_1,
            (-w + 1.0) * 11_095_418.0 / 16_519_545.0,
            exact(ratio(30_698_249, 44_052_120)),
            exact(ratio(49_563, 233_080)),
        ];
        let nodes = vec![number(0.0), gamma * 2.0, c_3, exact(ratio(3, 5)), number(1.0)];
        let rows = vec![
            vec![number(0.0)],
            vec![gamma; 2],
            vec![third, third, gamma],
            vec![fourth, fourth, number(-7.0) / ((w + 1.0) * 40.0), gamma],
            vec![b_1, b_1, b_3, exact(ratio(5827, 7560)), gamma],
        ];
        Self::new("ESDIRK3(2)5L[2]SA", REPORT, 3, nodes, rows).with_embedded(2, &embedded)
    }

    /// ESDIRK4(3)6L\[2\]SA₂ of Kennedy and Carpenter: five implicit stages, order four, L-stable.
    ///
    /// `γ = 31/125`; the first two entries of a row are equal.
    pub fn esdirk436l2sa2() -> Self {
        const C: [Number; 6] = [
            ratio(0, 1),
            ratio(62, 125),
            ratio(486_119_545_908, 3_346_201_505_189),
            ratio(1043, 1706),
            ratio(1361, 1300),
            ratio(1, 1),
        ];
        // from the second column on; the first entry makes the row sum equal to its node
        const A: [&[Number]; 6] = [
            &[],
            &[ratio(31, 125)],
            &[ratio(-360_286_518_617, 7_014_585_480_527), ratio(31, 125)],
            &[ratio(-506_388_693_497, 5_937_754_990_171), ratio(7_149_918_333_491, 13_390_931_526_268), ratio(31, 125)],
            &[
                ratio(-7_628_305_438_933, 11_061_539_393_788),
                ratio(21_592_626_537_567, 14_352_247_503_901),
                ratio(11_630_056_083_252, 17_263_101_053_231),
                ratio(31, 125),
            ],
            &[
                ratio(-12_917_657_251, 5_222_094_901_039),
                ratio(5_602_338_284_630, 15_643_096_342_197),
                ratio(9_002_339_615_474, 18_125_249_312_447),
                ratio(-2_420_307_481_369, 24_731_958_684_496),
                ratio(31, 125),
            ],
        ];
        const EMBEDDED: [Number; 6] = [
            ratio(-1_007_911_106_287, 12_117_826_057_527),
            ratio(-1_007_911_106_287, 12_117_826_057_527),
            ratio(17_694_008_993_113, 35_931_961_998_873),
            ratio(5_816_803_040_497, 11_256_217_655_929),
            ratio(-538_664_890_905, 7_490_061_179_786),
            ratio(2_032_560_730_450, 8_872_919_773_257),
        ];
        let nodes = C.map(exact);
        let row = |(&node, row): (&DoubleDouble, &[Number])| {
            with_row_sum(node, &row.iter().map(|&entry| exact(entry)).collect::<Vec<_>>())
        };
        let rows = nodes.iter().zip(A).map(row).collect();
        let source = "C. A. Kennedy, M. H. Carpenter, Appl. Numer. Math. 146 (2019) 221–244, table 9";
        Self::new("ESDIRK4(3)6L[2]SA2", source, 4, nodes.to_vec(), rows).with_embedded(3, &EMBEDDED.map(exact))
    }
}

fn exact(number: Number) -> DoubleDouble {
    number.value()
}
