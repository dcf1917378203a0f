//! Matrix of methods and models: digits per decade of work, and failures.

use std::collections::BTreeSet;

use maud::{Markup, html};
use mbsbench_judge::comparison::Ranked;

use super::Looks;
use super::figures::family_name;
use crate::report::page::file_of_model;

/// Number of shades of cells, from the fewest digits to the most on a model.
const SHADES: f64 = 5.0;

/// Returns the table for one kind of work.
pub(super) fn table(fields: &[&Ranked<'_>], work: &str, looks: &Looks<'_>) -> Markup {
    let curves = fields.iter().flat_map(|field| &field.curves);
    let methods: BTreeSet<_> = curves.map(|method| (method.family, method.method, method.is_contender)).collect();
    let most: Vec<f64> = fields.iter().map(|field| best(field, work)).collect();
    html! {
        div.scroll {
            table.matrix {
                thead { tr {
                    th { "Method" }
                    @for field in fields { th { a href=(file_of_model(field.plan)) { span { (field.spec.title) } } } }
                } }
                tbody {
                    @for &(family, name, is_contender) in &methods {
                        tr data-family=(family) data-method=(name) {
                            th scope="row" {
                                (looks.methods.link(name, is_contender)) " " small { (family_name(family)) }
                            }
                            @for (field, most) in fields.iter().zip(&most) { (cell(field, name, work, *most)) }
                        }
                    }
                }
            }
        }
    }
}

/// The largest number of digits of any method on a model.
fn best(field: &Ranked<'_>, work: &str) -> f64 {
    let Some(work) = field.work(work) else { return 0.0 };
    field.curves.iter().filter_map(|method| method.digits(work)).map(|(digits, _)| digits).fold(0.0, f64::max)
}

/// The cell of a method on a model.
fn cell(field: &Ranked<'_>, name: &str, work: &str, most: f64) -> Markup {
    let method = field.curves.iter().find(|method| method.method == name);
    let Some((method, work)) = method.zip(field.work(work)) else {
        return html! { td.absent { "–" } };
    };
    match method.digits(work) {
        Some((digits, _)) => {
            let shade = (SHADES * digits / most).ceil().clamp(1.0, SHADES);
            html! { td.number.(format!("shade-{shade}")) { (format!("{digits:.2}")) } }
        }
        None if method.failed() == method.points.len() => html! { td.failed title="no run reached its end" { "✗" } },
        None => html! { td.failed title="no error is below one" { "0" } },
    }
}
