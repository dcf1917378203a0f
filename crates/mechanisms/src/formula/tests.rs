//! Reads and evaluates formulas.

use super::*;

fn value(text: &str) -> f64 {
    let known = |name: &str| ["x", "crank.tip.x", "rod_3.angle"].contains(&name).then_some(Tree::Variable(()));
    let tree = Formula::Text(text.to_owned()).read().and_then(|tree| tree.resolve(&mut { known }));
    tree.unwrap_or_else(|error| panic!("{text}: {error}")).evaluate(&mut |()| 3.0)
}

#[test]
fn powers_bind_before_signs_and_signs_before_products() {
    assert_eq!(value("-x^2"), -9.0);
    assert_eq!(value("2^-1"), 0.5);
    assert_eq!(value("2^3^2"), 512.0);
    assert_eq!(value("1 - 2 - 3"), -4.0);
    assert_eq!(value("2*-3 + 8/4/2"), -5.0);
    assert_eq!(value("( 1+ x )*2"), 8.0);
    assert_eq!(value("sin(pi/2) + atan2( 0, 1 ) + max(x, 2)*1e-1"), 1.0 + 0.3);
    assert_eq!(value("crank.tip.x*rod_3.angle"), 9.0);
    assert_eq!(value("abs(-x) + sign(-x) + sqrt(4^0.5*2)"), 4.0);
    assert_eq!(value("x-1"), 2.0);
    assert_eq!(value("sum(i, 1, 3, i^2) + sum(i, 2, 1, 1/0)"), 14.0);
    assert_eq!(value("sum(i, 1, 2, sum(j, i, 2*i, i*j))"), 3.0 + 2.0 * 9.0);
}

#[test]
fn invalid_formulas_are_refused_with_their_position() {
    let refused = |text: &str| {
        let tree = Formula::Text(text.to_owned()).read();
        tree.and_then(|tree| tree.resolve(&mut |_| None::<Tree<()>>)).unwrap_err()
    };
    assert_eq!(refused("1 + y"), NoFormula::Unknown("y".to_owned()));
    assert_eq!(refused(""), NoFormula::Unfinished);
    assert_eq!(refused("2*(1 + 3*x"), NoFormula::Open);
    assert_eq!(refused("y[1+1]"), NoFormula::Unknown("y[2]".to_owned()));
    assert_eq!(refused("sum(i, 1, 2.5, i)"), NoFormula::NotWhole("i".to_owned()));
    assert_eq!(refused("sum(i, 1, 9e8, 1)"), NoFormula::TooManyParts);
    assert_eq!(refused("sinus(x)"), NoFormula::Unknown("sinus".to_owned()));
    assert_eq!(refused("34 deg"), NoFormula::Degrees("34*pi/180".to_owned()));
    for text in ["1 +", "2x", "sin(", "sin(1, 2)", "max(1)", "1 $ 2", "(1", "1)", "..", "x."] {
        let is_meant = matches!(refused(text), NoFormula::At(_) | NoFormula::Unfinished | NoFormula::Open);
        assert!(is_meant, "{text}: {:?}", refused(text));
    }
    for (text, name) in [("foo(1)", "foo"), ("1 + é(", "é"), ("sin(2*foo(1))", "foo")] {
        assert_eq!(refused(text), NoFormula::Unknown(name.to_owned()));
    }
    assert_eq!(refused("1 $ 2"), NoFormula::At(3));
}

#[test]
fn nesting_of_every_kind_has_one_limit_and_length_another() {
    let read = |text: &str| {
        Formula::Text(text.to_owned()).read().and_then(|tree| tree.resolve(&mut |_| Some(Tree::Variable(()))))
    };
    let kinds: [&dyn Fn(usize) -> String; 7] = [
        &|n| format!("{}1{}", "(".repeat(n), ")".repeat(n)),
        &|n| format!("{}1{}", "sin(".repeat(n), ")".repeat(n)),
        &|n| format!("{}1{}", "max(0,".repeat(n), ")".repeat(n)),
        &|n| "-".repeat(n) + "1",
        &|n| "+ ".repeat(n) + "1",
        &|n| format!("1{}", "^1".repeat(n)),
        &|n| format!("1{}", "^-1".repeat(n / 2)),
    ];
    for kind in kinds {
        assert!(read(&kind(50)).is_ok(), "{}", kind(50));
        assert_eq!(read(&kind(52)), Err(NoFormula::TooDeep), "{}", kind(52));
    }
    assert_eq!(read(&("-".repeat(3990) + "1")), Err(NoFormula::TooDeep));
    assert!(read("-1 - -2 - (-(3)) + -(4)*-x^-1").is_ok());
    let many = format!("1{}", "-1*-x^2".repeat(500));
    assert_eq!(read(&many).unwrap().evaluate(&mut |()| 1.0), 501.0);
    assert_eq!(read(&format!("1{}", "+1".repeat(2000))), Err(NoFormula::TooLong));
}

#[test]
fn a_long_sum_needs_no_stack() {
    use num_dual::{Dual, Dual64};
    let text = format!("0{}", "+x".repeat(1999));
    let small = std::thread::Builder::new().stack_size(128 * 1024).spawn(move || {
        let tree = Formula::Text(text).read().and_then(|tree| tree.resolve(&mut |_| Some(Tree::Variable(()))));
        let one = Dual::new(Dual64::from(1.0), Dual64::from(1.0));
        tree.unwrap().evaluate(&mut |()| one).eps.re
    });
    assert_eq!(small.unwrap().join().unwrap(), 1999.0);
}

#[test]
fn powers_with_constant_exponents_have_derivatives_below_zero() {
    use num_dual::Dual64;
    for (text, slope) in [("x^(1+1)", -4.0), ("x^(6/2)", 12.0), ("x^-(1-2)", 1.0), ("x^sqrt(4)", -4.0)] {
        let tree = Formula::Text(text.to_owned()).read().unwrap();
        let tree = tree.resolve(&mut |_| Some(Tree::Variable(()))).unwrap();
        assert_eq!(tree.evaluate(&mut |()| Dual64::new(-2.0, 1.0)).eps, slope, "{text}");
    }
    for text in ["x^(3/2)", "x^1.5", "max(0, x)^1.5", "max(0, x - 1)^0.5", "sqrt(max(0, x - 1))"] {
        let tree = Formula::Text(text.to_owned()).read().unwrap().resolve(&mut |_| Some(Tree::Variable(())));
        let found = tree.unwrap().evaluate(&mut |()| Dual64::new(0.0, 1.0));
        assert_eq!((found.re, found.eps), (0.0, 0.0), "{text}");
    }
}

/// Exponents and bases that are constant only at the place of the evaluation.
#[test]
fn powers_with_variable_exponents_match_closed_forms() {
    use num_dual::Dual64;
    // value and derivative in x
    for (text, x, value, slope) in [
        ("x^(2 + 0*x)", -2.0, 4.0, -4.0),
        ("x^(2 + 0*x)", 0.0, 0.0, 0.0),
        ("x^sign(x^2 + 1)", -2.0, -2.0, 1.0),
        ("x^sign(x^2 + 1)", 0.0, 0.0, 1.0),
        ("x^(3 + min(x^2, 0))", -2.0, -8.0, 12.0),
        ("x^(0*x)", 0.0, 1.0, 0.0),
        ("x^(0*x)", -3.0, 1.0, 0.0),
        ("0^(1 + x^2)", 0.5, 0.0, 0.0),
        ("max(0, x)^(1.5 + 0*x)", -1.0, 0.0, 0.0),
        ("max(0, x)^(0.5 + 0*x)", -1.0, 0.0, 0.0),
        ("x^-(1 + 0*x)", -2.0, -0.5, -0.25),
        ("x^x", 2.0, 4.0, 4.0 * (1.0 + 2.0f64.ln())),
        ("2^x", -1.0, 0.5, 0.5 * 2.0f64.ln()),
        ("x^(2 + 0*x)", 3.0, 9.0, 6.0),
    ] {
        let tree = Formula::Text(text.to_owned()).read().unwrap().resolve(&mut |_| Some(Tree::Variable(()))).unwrap();
        let found = tree.evaluate(&mut |()| Dual64::new(x, 1.0));
        assert!((found.re - value).abs() <= 1e-15 * value.abs(), "{text} at {x}: {found}");
        assert!((found.eps - slope).abs() <= 1e-15 * slope.abs(), "{text} at {x}: {found}");
        assert!((tree.evaluate(&mut |()| x) - value).abs() <= 1e-15 * value.abs(), "{text} at {x}");
    }
    let negative = Formula::Text("x^(0.5 + 0*x)".to_owned()).read().unwrap().resolve(&mut |_| Some(Tree::Variable(())));
    assert!(negative.unwrap().evaluate(&mut |()| Dual64::new(-1.0, 1.0)).re.is_nan());
}

#[test]
fn the_hyperbolic_tangent_has_derivatives_far_out() {
    use num_dual::Dual64;
    for x in [-1e4, -30.0, -1.5, -0.99, 0.0, 0.3, 1.0, 2.0, 800.0] {
        let found = tanh(Dual64::new(x, 1.0));
        assert!((found.re - x.tanh()).abs() < 1e-15, "{x}: {found}");
        assert!((found.eps - (1.0 - x.tanh().powi(2))).abs() < 1e-15, "{x}: {found}");
    }
}

#[test]
fn derivatives_match_the_formula() {
    use num_dual::Dual64;
    let tree = Formula::Text("x^3 + x^2.5 + 2^x + min(x, 9)".to_owned()).read().unwrap();
    let tree = tree.resolve(&mut |_| Some(Tree::Variable(()))).unwrap();
    let found = tree.evaluate(&mut |()| Dual64::new(3.0, 1.0)).eps;
    let exact = 27.0 + 2.5 * 3.0f64.powf(1.5) + 8.0 * 2.0f64.ln() + 1.0;
    assert!((found - exact).abs() < 1e-13, "{found} {exact}");
}
