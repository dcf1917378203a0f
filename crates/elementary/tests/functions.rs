//! Programs that link this crate get correctly rounded results from `f64::sin` and its like.

use std::hint::black_box;

use mbsbench_elementary as _;

/// Function, arguments and the correctly rounded result, each as its bits.
const TABLE: &str = include_str!("functions.csv");

#[test]
fn functions_of_the_standard_library_are_correctly_rounded() {
    let mut seen = std::collections::BTreeMap::new();
    for line in TABLE.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |k: usize| f64::from_bits(u64::from_str_radix(cells[k], 16).unwrap());
        let (x, y) = (black_box(number(1)), black_box(number(2)));
        let found = match cells[0] {
            "acos" => x.acos(),
            "acosh" => continue,
            "asin" => x.asin(),
            "atan" => x.atan(),
            "atan2" => x.atan2(y),
            "cbrt" => x.cbrt(),
            "cos" => x.cos(),
            "cosh" => x.cosh(),
            "exp" => x.exp(),
            "exp2" => x.exp2(),
            "expm1" => x.exp_m1(),
            "hypot" => x.hypot(y),
            "ln" => x.ln(),
            "ln_1p" => x.ln_1p(),
            "log10" => x.log10(),
            "log2" => x.log2(),
            "powf" => x.powf(y),
            "sin" => x.sin(),
            "sinh" => x.sinh(),
            "tan" => x.tan(),
            "tanh" => x.tanh(),
            other => panic!("{other}"),
        };
        assert_eq!(found.to_bits(), number(3).to_bits(), "{line}: {found:e}");
        if ["sin", "cos"].contains(&cells[0]) {
            let (sine, cosine) = x.sin_cos();
            assert_eq!(if cells[0] == "sin" { sine } else { cosine }, found, "{line}");
        }
        *seen.entry(cells[0]).or_insert(0) += 1;
    }
    assert!(seen.len() == 20 && seen.values().all(|&count| count >= 200), "{seen:?}");
}

/// Functions of constants are evaluated at run time, by the functions of this crate, and not by the compiler.
#[test]
fn constant_and_runtime_results_are_equal() {
    macro_rules! same {
        ($($x:literal.$function:ident($($y:literal)?);)+) => {
            $(assert_eq!(
                ($x as f64).$function($($y as f64)?).to_bits(),
                black_box($x as f64).$function($(black_box($y as f64))?).to_bits(),
                stringify!($x.$function)
            );)+
        };
    }
    // glibc rounds all of these but the last one the other way.
    same! {
        0.259.sin(); 1.622.sin(); 0.473.cos(); 1.31.cos(); 0.08.tan(); 1.49.tan(); 2.467.exp(); 5.66.exp();
        0.691.ln(); 1.366.ln(); 0.054.log10(); 0.094.log10(); 0.86.log2(); 1.022.log2(); 0.004.sinh(); 0.008.sinh();
        0.106.cosh(); 0.159.cosh(); 0.007.tanh(); 0.012.tanh(); 0.058.asin(); 0.433.asin(); 0.07.acos();
        0.128.atan(); 2.851.atan(); 0.002.cbrt(); 0.005.cbrt(); 0.091.exp_m1(); 0.113.exp_m1(); 0.093.ln_1p();
        8.704.exp2(); 9.704.exp2(); 5.4.powf(0.8); 13.3.powf(2.1); 0.4.atan2(3.7); 0.7.atan2(3.4); 3.1.hypot(0.3);
    }
}

/// Powers with an integer exponent are products in the order of the binary digits, from the lowest to the highest.
#[test]
fn integer_powers_are_products_in_a_fixed_order() {
    let by_products = |x: f64, n: i32| {
        let (mut result, mut square, mut left) = (1.0, x, n.unsigned_abs());
        while left > 0 {
            if left % 2 == 1 {
                result *= square;
            }
            square *= square;
            left /= 2;
        }
        if n < 0 { 1.0 / result } else { result }
    };
    for k in 1..400 {
        let x = black_box(0.3 + f64::from(k) / 137.0);
        for n in -40..=40 {
            assert_eq!(x.powi(black_box(n)).to_bits(), by_products(x, n).to_bits(), "{x}^{n}");
        }
        macro_rules! constant {
            ($($n:literal)+) => {
                $(assert_eq!(x.powi($n).to_bits(), by_products(x, $n).to_bits(), "{x}^{}", $n);)+
            };
        }
        constant! { -7 -5 -3 -2 -1 0 1 2 3 4 5 6 7 8 9 10 11 12 13 15 17 21 23 31 40 }
    }
}
