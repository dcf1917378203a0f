//! Methods defined by their coefficients: the same numbers give the same bits as the registered methods, orders are
//! computed, and inconsistent coefficients are refused at their place in the file.

use crate::common::conformance::{run, spans_are_kept};
use crate::common::{Cubic, solve};
use mbsbench_integrators::implicit::LinearMultistep;
use mbsbench_integrators::low_order::GeneralizedAlphaWeights;
use mbsbench_integrators::{Bs32, Esdirk324l2sa, GeneralizedAlpha, Lms2, MethodFromFile, Rk4, tableaux};
use mbsbench_problem::{DoubleDouble, Method, MethodDefinition, OutOfRange, Parameters, Settings};
use serde_json::{Value, json};

fn written(coefficients: Value) -> MethodFromFile {
    let written: MethodFromFile = serde_json::from_value(coefficients).unwrap();
    assert_eq!(written.check(), Ok(()));
    written
}

fn refused(coefficients: Value) -> OutOfRange {
    serde_json::from_value::<MethodFromFile>(coefficients).unwrap().check().unwrap_err()
}

fn rk4() -> Value {
    json!({ "runge-kutta": {
        "rows": [[], ["1/2"], [0, "1/2"], [0, 0, 1]],
        "weights": ["1/6", "1/3", "1/3", "1/6"],
    } })
}

fn bs32() -> Value {
    json!({ "runge-kutta": {
        "nodes": [0, "1/2", "3/4", 1],
        "rows": [[], ["1/2"], [0, "3/4"], ["2/9", "1/3", "4/9"]],
        "weights": ["2/9", "1/3", "4/9", 0],
        "embedded": ["7/24", "1/4", "1/3", "1/8"],
    } })
}

#[test]
fn explicit_formulas_match_the_registry_bitwise() {
    let [own, theirs]: [Box<dyn Method>; 2] = [written(rk4()).method(), Rk4::default().method()];
    let [own, theirs] = [own, theirs].map(|method| solve::<f64>(&Cubic, &*method, 3.0, Settings::fixed(0.01)));
    assert_eq!((own.state, own.statistics), (theirs.state, theirs.statistics));

    let precise = [written(rk4()).precise(), Rk4::default().precise()].map(Option::unwrap);
    let [own, theirs] = precise.map(|method| solve::<DoubleDouble>(&Cubic, &*method, 3.0, Settings::fixed(0.01)));
    assert_eq!(own.state, theirs.state);

    let [own, theirs]: [Box<dyn Method>; 2] = [written(bs32()).method(), Bs32::default().method()];
    assert!(own.properties().adapts && own.order() == 3);
    let [own, theirs] =
        [own, theirs].map(|method| solve::<f64>(&Cubic, &*method, 3.0, Settings::tolerance(1e-7, 1e-9)));
    assert_eq!((own.state, own.statistics), (theirs.state, theirs.statistics));
    assert!(own.statistics.steps_rejected > 0 || own.statistics.steps_accepted > 20);
}

#[test]
fn implicit_formulas_match_the_registry_bitwise() {
    let esdirk = tableaux::ESDIRK324L2SA.formula.rounded::<f64>();
    let dirk = json!({ "runge-kutta": { "rows": esdirk.rows, "weights": esdirk.weights, "nodes": esdirk.nodes } });
    let LinearMultistep { alpha, beta } = LinearMultistep::lms2(0.0);
    let multistep = json!({ "multistep": { "alpha": alpha, "beta": beta } });
    let GeneralizedAlphaWeights { alpha_m, alpha_f, beta, gamma } = GeneralizedAlphaWeights::with_spectral_radius(0.8);
    let set = json!({ "generalized-alpha": { "alpha-m": alpha_m, "alpha-f": alpha_f, "beta": beta, "gamma": gamma } });
    let theirs = [
        Esdirk324l2sa::default().method(),
        Lms2 { rho_inf: 0.0, ..Lms2::default() }.method(),
        GeneralizedAlpha { rho_inf: 0.8, ..GeneralizedAlpha::default() }.method(),
    ];
    for (coefficients, theirs) in [dirk, multistep, set].into_iter().zip(theirs) {
        let own = written(coefficients.clone()).method();
        assert_eq!(own.order(), theirs.order(), "{coefficients}");
        let [own, theirs] = [own, theirs].map(|method| run(&*method, [0.0, 1.0], Settings::fixed(0.01)));
        assert_eq!(own.failure, None);
        assert_eq!((own.state, own.statistics), (theirs.state, theirs.statistics), "{coefficients}");
    }
}

#[test]
fn methods_from_files_end_at_the_span() {
    for coefficients in [rk4(), bs32()] {
        let method = written(coefficients).method();
        spans_are_kept("tableau", &*method);
    }
}

/// BDF of order one to six are zero-stable and have these orders; BDF of order seven is not zero-stable.
#[test]
fn orders_and_zero_stability_of_bdf_are_found() {
    for steps in 1..=7u32 {
        let (alpha, beta) = bdf(steps);
        let coefficients = json!({ "multistep": { "alpha": alpha, "beta": beta } });
        if steps == 7 {
            assert!(refused(coefficients).message().contains("not zero-stable"));
        } else {
            assert_eq!(written(coefficients).method().order(), steps);
        }
    }
}

/// `Σ_{j=1}^{k} 1/j ∇ʲ y = h y′`, solved for `y_k`.
fn bdf(steps: u32) -> (Vec<f64>, Vec<f64>) {
    let mut sums = vec![0.0; steps as usize + 1];
    for j in 1..=steps {
        let mut binomial = 1.0;
        for i in 0..=j {
            sums[i as usize] += binomial * if i % 2 == 0 { 1.0 } else { -1.0 } / f64::from(j);
            binomial *= f64::from(j - i) / f64::from(i + 1);
        }
    }
    let alpha = sums[1..].iter().map(|sum| -sum / sums[0]).collect();
    let beta = (0..=steps).map(|j| if j == 0 { 1.0 / sums[0] } else { 0.0 }).collect();
    (alpha, beta)
}

#[test]
fn inconsistent_tableaux_are_refused_with_their_position() {
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut coefficients = bs32();
        change(&mut coefficients["runge-kutta"]);
        refused(coefficients)
    };
    type Change<'c> = &'c dyn Fn(&mut Value);
    let cases: [(Change<'_>, &str, &str); 8] = [
        (&|rk| rk["weights"] = json!(["1/2", "1/2"]), "runge-kutta.rows", "since there are 2 weights"),
        (&|rk| rk["nodes"] = json!([0, "1/2", "1/4", 1]), "runge-kutta.rows.2", "sums to its node"),
        (&|rk| rk["weights"][0] = json!("1/9"), "runge-kutta.weights", "sum to 1"),
        (&|rk| rk["embedded"] = rk["weights"].clone(), "runge-kutta.embedded", "differ"),
        (
            &|rk| {
                rk["weights"] = json!(["1/3", "1/3", "1/3", 0]);
                rk["order"] = json!(3);
            },
            "runge-kutta.order",
            "Σ b c is 0.41666",
        ),
        (&|rk| rk["order"] = json!(4), "runge-kutta.order", "3 by the order conditions"),
        (&|rk| rk["rows"][0] = json!([0, 0, 0.5]), "runge-kutta.rows.0.2", "right of the diagonal"),
        (&|rk| rk["rows"][1] = json!(["1/4", "1/4"]), "runge-kutta.rows.1.1", "above zero in row 3 too"),
    ];
    for (change, field, accepted) in cases {
        let error = changed(change);
        assert_eq!(error.field, field, "{error}");
        assert!(error.accepted.contains(accepted), "{error}");
    }
    let error = refused(json!({ "runge-kutta": rk4()["runge-kutta"], "newton-tolerance": 1e-9 }));
    assert_eq!((error.field.as_str(), error.accepted.as_str()), ("newton-tolerance", "`advance`, `control`"));
    let three = json!({ "alpha": [1, 0, 0], "beta": [1, 0, 0, 0], "rho-inf": 1.0 });
    assert_eq!(refused(json!({ "multistep": three })).field, "multistep.rho-inf");
    let error = refused(json!({ "multistep": { "alpha": [1], "beta": [1] } }));
    assert_eq!(error.message(), "`multistep.beta` is a list of length 1");
    let error = refused(json!({ "multistep": { "alpha": [1], "beta": [0, 1] } }));
    assert_eq!(error.field, "multistep.beta.0");
    let error = refused(json!({ "multistep": { "alpha": ["9/10"], "beta": [1, 0] } }));
    assert!(error.message().contains("order -1"), "{error}");
    let error = refused(json!({ "generalized-alpha": { "alpha-m": 0, "alpha-f": 0, "beta": "1/4", "gamma": 0 } }));
    assert_eq!(error.field, "generalized-alpha.gamma");
    let two = json!({ "multistep": { "alpha": [1], "beta": [1, 0] }, "runge-kutta": rk4()["runge-kutta"] });
    assert!(refused(two).to_string().contains("both `runge-kutta` and `multistep` are given"));
    assert!(refused(json!({ "source": "nobody" })).message().contains("has no coefficients"));
}

/// Missing lists and numbers with too many digits are reported when the file is read.
#[test]
fn numbers_of_many_digits_and_missing_lists_are_errors() {
    let read =
        |value: Value| serde_json::from_value::<MethodFromFile>(value).map_err(|error| error.to_string()).unwrap_err();
    let long = "0.33333333333333333333333333333333333";
    assert!(read(json!({ "runge-kutta": { "rows": [[]], "weights": [long] } })).contains("35 digits"));
    assert!(read(json!({ "runge-kutta": { "rows": [[]] } })).contains("weights"));
}
