//! Work-precision diagrams and performance profiles, with names at the ends of curves.

use std::collections::HashMap;

use mbsbench_experiment::Registry;
use mbsbench_judge::comparison::{Curve, MOST_RATIO, Profile, Profiled, Ranked, front, near};
use mbsbench_render::{Axis, Figure, Kind, Panel, Series, Style};

use crate::artefacts::style_of;
use crate::report::methods::Methods;

/// Styles of methods by their names, and links to their pages.
pub(super) struct Looks<'f> {
    styles: HashMap<&'f str, Style>,
    pub(super) methods: &'f Methods<'f>,
}

impl<'f> Looks<'f> {
    /// Returns the styles of all methods, each the same on all models.
    pub(super) fn of(fields: &[&Ranked<'f>], registry: &Registry, methods: &'f Methods<'f>) -> Self {
        Self { styles: styles_of(fields.iter().flat_map(|field| &field.curves), registry), methods }
    }

    /// The style of a method.
    fn style(&self, name: &str) -> Style {
        self.styles.get(name).copied().unwrap_or_else(Style::of_all)
    }
}

fn styles_of<'f: 'p, 'p>(curves: impl Iterator<Item = &'p Curve<'f>>, registry: &Registry) -> HashMap<&'f str, Style> {
    let mut runs: Vec<_> = Vec::new();
    for method in curves {
        let Some(point) = method.points.first() else { continue };
        if runs.iter().all(|&(name, _)| name != method.method) {
            runs.push((method.method, point.run));
        }
    }
    // Several parameters of one method have different names and the same style; they are distinguished by dashes.
    runs.sort_unstable_by_key(|&(name, _)| name);
    let mut styles: Vec<Style> = runs.iter().map(|(_, run)| style_of(run, registry)).collect();
    Style::distinguish(&mut styles, true);
    runs.into_iter().map(|(name, _)| name).zip(styles).collect()
}

/// Largest number of highlighted curves in a panel.
pub(super) const MOST: usize = 8;

/// Largest error that is drawn, in the unit of the ranking.
pub(super) const MOST_ERROR: f64 = 10.0;

/// The name of a family as shown to readers.
pub(super) fn family_name(family: &str) -> String {
    let word = |word: &str| match word {
        "bdf" | "esdirk" | "ndf" | "sundials" => word.to_uppercase(),
        "kutta" | "lie" | "rosenbrock" | "runge" | "verlet" => format!("{}{}", word[..1].to_uppercase(), &word[1..]),
        plain => plain.to_owned(),
    };
    let words: Vec<String> = family.split('-').map(word).collect();
    words.join(" ").replace("Runge Kutta", "Runge–Kutta")
}

/// Draws all runs in grey, and for each family its Pareto front; one panel for each requested kind of work.
pub(super) fn best_of_families(field: &Ranked<'_>, looks: &Looks<'_>, id: &str, works: &[usize]) -> Figure {
    let panel = |&work: &usize| {
        let mut series = vec![background(field.curves.iter(), work)];
        let families = field.families();
        let mut fronts: Vec<(&str, Vec<[f64; 2]>)> =
            families.iter().map(|&family| (family, front(of_family(field, family, work)))).collect();
        fronts.retain(|(_, points)| !points.is_empty());
        // The highlighted families are those with the most digits per decade of work.
        fronts.sort_by(|a, b| reach(&b.1).total_cmp(&reach(&a.1)));
        fronts.truncate(MOST - 1);
        let all = field.curves.iter().flat_map(|method| shown(method, work)).collect();
        let curve = |(family, points)| Series::new(Kind::Both, family_name(family), Style::of_family(family), points);
        series.extend(fronts.into_iter().map(curve));
        series.push(Series::new(Kind::Line, "best of all", Style::of_all(), front(all)));
        let contenders = field.curves.iter().filter(|method| method.is_contender);
        let contenders = contenders.map(|method| self::curve(method, looks.style(method.method), work));
        series.extend(contenders.filter(|series| !series.points.is_empty()));
        axes(field, work, format!("by {}", field.spec.work.0[work].0), series)
    };
    let title = format!("{}: work and precision, best of each family", field.spec.title);
    Figure { id: id.to_owned(), title, columns: 1, panels: works.iter().map(panel).collect() }
}

/// Draws a panel for each family of several methods, and one for all single methods: the methods by name, all others in
/// grey.
pub(super) fn by_family(field: &Ranked<'_>, looks: &Looks<'_>, id: &str, work: usize) -> Figure {
    let is_done = |method: &&Curve<'_>| !shown(method, work).is_empty();
    let of = |family: &str| field.curves.iter().filter(|method| method.family == family).filter(is_done).collect();
    let mut groups: Vec<(String, Vec<&Curve<'_>>)> =
        field.families().into_iter().map(|family| (family_name(family), of(family))).collect();
    let alone = groups.extract_if(.., |(_, methods)| methods.len() < 2).flat_map(|(_, methods)| methods).collect();
    groups.push(("single-method families".to_owned(), alone));
    let panels = groups.iter().flat_map(|(name, methods)| {
        let count = methods.len().div_ceil(MOST);
        methods.chunks(MOST).enumerate().map(move |(part, own)| {
            let others = field.curves.iter().filter(|method| !own.iter().any(|one| std::ptr::eq(*one, *method)));
            let mut series = vec![background(others, work)];
            series.extend(own.iter().map(|method| curve(method, looks.style(method.method), work)));
            let number = if count > 1 { format!(", {} of {count}", part + 1) } else { String::new() };
            axes(field, work, format!("{name}{number}"), series)
        })
    });
    let title = format!("{}: work and precision by family", field.spec.title);
    Figure { id: id.to_owned(), title, columns: 2, panels: panels.collect() }
}

/// Draws the best methods for each accuracy by name, all others in grey.
pub(crate) fn of_best(field: &Ranked<'_>, work: usize, registry: &Registry) -> Figure {
    let mut names: Vec<&str> = Vec::new();
    for place in field.places.iter().flat_map(|places| near(&places[work])) {
        if !names.contains(&place.method) && names.len() < MOST {
            names.push(place.method);
        }
    }
    let (named, others): (Vec<_>, Vec<_>) = field.curves.iter().partition(|curve| names.contains(&curve.method));
    let styles = styles_of(named.iter().copied(), registry);
    let mut series = vec![background(others.into_iter(), work)];
    series.extend(named.into_iter().map(|method| curve(method, styles[method.method], work)));
    let title = format!("{}: error over {}", field.spec.title, field.spec.work.0[work].0);
    Figure { id: format!("work-{work}"), title, columns: 1, panels: vec![axes(field, work, String::new(), series)] }
}

/// The Pareto front of a method's runs under its name, in bold if it is a contender.
fn curve(method: &Curve<'_>, style: Style, work: usize) -> Series {
    let points = front(shown(method, work));
    Series { bold: method.is_contender, ..Series::new(Kind::Both, method.method, style, points) }
}

/// Draws performance profiles, one panel each: the best methods by name, the rest in grey.
pub(super) fn profiles(profiles: &[Profile<'_>], looks: &Looks<'_>, id: &str, title: &str) -> Figure {
    let panel = |profile: &Profile<'_>| {
        let steps = |ratios: &[f64]| {
            let solved = |count: usize| count as f64 / profile.models as f64;
            let mut points = vec![[1.0, 0.0]];
            for (count, &ratio) in ratios.iter().enumerate() {
                points.extend([[ratio, solved(count)], [ratio, solved(count + 1)]]);
            }
            points.push([MOST_RATIO, solved(ratios.iter().filter(|&&ratio| ratio <= MOST_RATIO).count())]);
            points.retain(|[ratio, _]| *ratio <= MOST_RATIO);
            points
        };
        let named = profile.named(MOST);
        let is_named = |method: &Profiled<'_>| named.iter().any(|one| one.name == method.name);
        let rest = profile.methods.iter().filter(|method| !is_named(method));
        let grey = rest.map(|method| Series {
            published: true,
            ..Series::new(Kind::Line, "", Style::of_all(), steps(&method.ratios))
        });
        let named = named.iter().map(|method| Series {
            bold: method.is_contender,
            ..Series::new(Kind::Both, method.name, looks.style(method.name), steps(&method.ratios))
        });
        Panel {
            title: format!("error at most {:e}, {} models", profile.accuracy, profile.models),
            x: Axis::log(format!("{} relative to the cheapest", profile.work), "").between(1.0, MOST_RATIO),
            y: Axis::linear("share of models", "").between(0.0, 1.0),
            series: grey.chain(named).collect(),
            named_at_ends: true,
            ..Panel::default()
        }
    };
    Figure { id: id.to_owned(), title: title.to_owned(), columns: 1, panels: profiles.iter().map(panel).collect() }
}

/// The runs of a method that are drawn. Runs beyond [`MOST_ERROR`] have diverged and would determine the scale of all
/// others.
fn shown(method: &Curve<'_>, work: usize) -> Vec<[f64; 2]> {
    let mut points = method.measured(work);
    points.retain(|[_, error]| *error <= MOST_ERROR);
    points
}

/// The runs of some methods as grey dots.
fn background<'f, 'p: 'f>(methods: impl Iterator<Item = &'f Curve<'p>>, work: usize) -> Series {
    let points: Vec<[f64; 2]> = methods.flat_map(|method| shown(method, work)).collect();
    Series { published: true, ..Series::new(Kind::Dots, "", Style::of_all(), points) }
}

fn of_family(field: &Ranked<'_>, family: &str, work: usize) -> Vec<[f64; 2]> {
    field.curves.iter().filter(|method| method.family == family).flat_map(|method| shown(method, work)).collect()
}

/// The largest number of digits per decade of work on a front.
fn reach(front: &[[f64; 2]]) -> f64 {
    front.iter().map(|[work, error]| -error.log10() / work.log10().max(1.0)).fold(f64::MIN, f64::max)
}

fn axes(field: &Ranked<'_>, work: usize, title: String, series: Vec<Series>) -> Panel {
    let (x, y) = (Axis::log(field.spec.work.0[work].0.as_str(), ""), Axis::log("error with its bound", ""));
    Panel { title, x, y, series, named_at_ends: true, ..Panel::default() }
}

#[cfg(test)]
mod tests {
    use super::family_name;

    #[test]
    fn families_have_their_names_of_the_literature() {
        let named = ["explicit-runge-kutta", "ndf", "sundials", "extended-bdf", "low-order"].map(family_name);
        assert_eq!(named, ["explicit Runge–Kutta", "NDF", "SUNDIALS", "extended BDF", "low order"]);
    }
}
