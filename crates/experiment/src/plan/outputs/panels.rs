//! Checks that the contents of panels exist and can be drawn as required.

use mbsbench_input::Problem;
use mbsbench_measures::stepwise::drawable;
use mbsbench_problem::Observable;

use super::{Outputs, is_trajectory};
use crate::lists::unique_by;
use crate::plan::{Plan, RunSpec};
use crate::spec::{Derived, PanelKind, PanelSpec, Scale};
use crate::{Label, Published, read_trajectory};

impl Outputs<'_> {
    pub(super) fn panel(&mut self, panel: &PanelSpec) {
        let series = panel.series.as_ref().map(|series| self.axis("series", series));
        let filtered = self.filter(&panel.filter);
        for key in ["x_range", "y_range"] {
            let range = if key == "x_range" { panel.x_range } else { panel.y_range };
            if let Some([low, high]) = range.filter(|[low, high]| low >= high) {
                self.refuse(key, format!("the range from {low} to {high} is empty"), "accepted: `[lowest, highest]`");
            }
        }
        if !filtered || series == Some(None) {
            return;
        }
        let plan = self.plan;
        let runs: Vec<&RunSpec> = plan.runs.iter().filter(|run| plan.is_meant(run, &panel.filter)).collect();
        let Some(first) = runs.first() else {
            self.refuse("where", "no run has all of these values", "accepted: a combination that is not excluded");
            return;
        };
        if panel.published_label.is_some() && panel.published.is_none() {
            let help = "accepted: `published_label` only together with `published`";
            self.refuse("published_label", "`published_label` has no effect without `published`", help);
        }
        let place = self.place("y");
        if is_trajectory(panel, self.observables.at(first)) {
            self.columns_only(panel);
            if let Some(file) = &panel.published {
                self.published_trajectory(panel, file, first);
            }
            for run in &runs {
                for name in panel.y.iter() {
                    self.problems.keep(self.observables.require(run, name, place));
                }
                if panel.x != "t" {
                    self.problems.keep(self.observables.require(run, &panel.x, self.place("x")));
                }
            }
            return;
        }
        if panel.every.is_some() {
            self.refuse("every", "`every` does not apply to an axis or a column", "accepted: only with `x: t`");
        }
        for name in panel.y.iter() {
            self.column("y", name);
        }
        if panel.kind == PanelKind::Bars {
            self.bars(panel, series.flatten());
        } else {
            if panel.kind == PanelKind::Dots {
                let message = "dots cannot be drawn over an axis or a column";
                self.refuse("kind", message, "accepted: only with an observable for `x`");
            }
            self.number_axis(panel, self.observables.at(first));
            self.slopes(panel);
            if let Some(file) = &panel.published {
                self.published_points(panel, file, series.flatten());
            }
        }
    }

    /// Refuses keys that have no meaning for observables over time or over each other.
    fn columns_only(&mut self, panel: &PanelSpec) {
        let given = [
            ("kind: bars", panel.kind == PanelKind::Bars),
            ("slopes", panel.slopes.is_some()),
            ("derive", panel.derive.is_some()),
        ];
        for (key, _) in given.into_iter().filter(|(_, given)| *given) {
            let message = format!("`{key}` does not apply to observables over `{}`", panel.x);
            let key = key.split(':').next().unwrap_or(key);
            self.refuse(key, message, "accepted: only with an axis or a column for `x`");
        }
        if let Some(every) = panel.every.filter(|&every| !(every > 0.0 && every.is_finite())) {
            self.refuse("every", format!("`every` is {every:?} s"), "accepted: a number above zero, s");
        }
        if panel.kind == PanelKind::Dots && panel.x == "t" {
            self.refuse("kind", "dots cannot be drawn over time", "accepted: only with an observable for `x`");
        }
    }

    /// Checks that slopes are shown on logarithmic axes only.
    fn slopes(&mut self, panel: &PanelSpec) {
        if panel.slopes.is_some() && panel.scale != Scale::LogLog {
            let message = "`slopes` requires two logarithmic axes";
            self.refuse("slopes", message, "accepted: `slopes` with `scale: log-log`");
        } else if let Some(count @ 0..2) = panel.slopes {
            let message = format!("a slope cannot be fitted through {count} points");
            self.refuse("slopes", message, "accepted: a whole number from 2");
        }
        if panel.derive == Some(Derived::Slope) {
            if panel.scale != Scale::LogX {
                let message = "local slopes require a logarithmic x axis and a linear y axis";
                self.refuse("derive", message, "accepted: `derive: slope` with `scale: log-x`");
            } else if panel.y_unit.is_some() {
                self.refuse("y_unit", "a slope has no unit", "leave `y_unit` out");
            }
        }
        if let Some(unit) = panel.x_unit.as_deref().filter(|&unit| unit != "1" || panel.x_label.is_none()) {
            let message = format!("`x_unit` is `{unit}`");
            self.refuse("x_unit", message, "accepted: `x_unit: 1` with an `x_label` that describes the number");
        }
        if panel.published.is_some() && panel.derive.is_some() {
            let help = "accepted: `published` without `derive`, with `kind: bars`, or in a table";
            self.refuse("published", "published values cannot be shown in a panel of slopes", help);
        }
    }

    /// Checks a panel of bars, which are drawn over an axis and start at zero, one run each.
    fn bars(&mut self, panel: &PanelSpec, series: Option<usize>) {
        let curves_only = [
            ("slopes", panel.slopes.is_some(), "have no slope"),
            ("derive", panel.derive.is_some(), "have no slope"),
            ("x_range", panel.x_range.is_some(), "are drawn over names, which have no range"),
            ("scale", panel.scale != Scale::Linear, "start at zero, which a logarithmic axis does not have"),
        ];
        for (key, _, why) in curves_only.into_iter().filter(|(_, given, _)| *given) {
            self.refuse(key, format!("bars {why}"), format!("remove `{key}` or `kind: bars`"));
        }
        if let Some([low, high]) = panel.y_range.filter(|[low, high]| !(*low..=*high).contains(&0.0) && low < high) {
            let message = format!("bars start at zero, which is outside the range from {low} to {high}");
            self.refuse("y_range", message, format!("accepted: `[0, {high}]`"));
        }
        let Some(axis) = self.axis("x", &panel.x) else { return };
        if series == Some(axis) {
            let message = format!("bars and series are both `{}`", panel.x);
            self.refuse("series", message, "accepted: two different axes, or no `series`");
            return;
        }
        self.one_run_a_place("bar", &panel.filter, &[&panel.x], series);
        if let Some(file) = &panel.published {
            self.published_bars(panel, file, series);
        }
    }

    /// Checks that a published trajectory has the observables that the panel draws.
    fn published_trajectory(&mut self, panel: &PanelSpec, file: &str, run: &RunSpec) {
        let path = self.plan.experiment.document.source.folder().join(file);
        let heads = self.plan.heads_over_time(panel, run);
        match read_trajectory(&path, &heads) {
            Err(error) => {
                let help = "accepted: a CSV file beside the experiment file, with columns `t [s]`, `x [m]`, …";
                self.refuse("published", format!("`{}` {error}", path.display()), help);
            }
            Ok(found) => {
                let has = |name: &str| found.column(name).is_some();
                let series = &heads[heads.len() - self.plan.series_over_time(panel).len()..];
                if !has(&panel.x) || !(panel.y.iter().any(has) || series.iter().any(|series| has(&series.name))) {
                    let names: Vec<_> = found.heads.iter().map(|(name, _)| format!("`{name}`")).collect();
                    let lacks = if has(&panel.x) { "no observable of `y`" } else { "no column for `x`" };
                    let message = format!("`{file}` has {}, but {lacks}", names.join(", "));
                    self.refuse("published", message, "accepted: columns for `x` and for an observable of `y`");
                }
            }
        }
    }

    /// Checks that the first column of published points is numeric and that the others are series of the panel.
    fn published_points(&mut self, panel: &PanelSpec, file: &str, series: Option<usize>) {
        let Some(table) = self.published_numbers(file, &format!("values of `{}`, which are numbers", panel.x)) else {
            return;
        };
        let is_number = |head: &str| head.parse().is_ok_and(f64::is_finite);
        if let Some((head, _)) = table.rows.iter().find(|(head, _)| !is_number(head)) {
            let message = format!("`{head}` in `{file}` is a value of `{}` and must be a number", panel.x);
            self.refuse("published", message, "accepted: numbers in the first column");
            return;
        }
        self.published_series(panel, file, series, &table);
    }

    /// Checks that the headings of published values are those of the bars and that the values are numbers.
    fn published_bars(&mut self, panel: &PanelSpec, file: &str, series: Option<usize>) {
        let Some(table) = self.published_numbers(file, &format!("values of `{}`", panel.x)) else { return };
        // With `--quick` values of the axes may be missing.
        if let Some(axis) = self.plan.axis(&panel.x).filter(|_| !self.plan.experiment.quick) {
            let (place, values) = (self.place("published"), self.plan.values_shown(panel, axis));
            let kind = format!("value of `{}` in", panel.x);
            let heads = table.rows.iter().map(|(head, _)| head);
            self.heads_are_known(place, (file, &table.lines), heads, &values, &kind);
        }
        self.published_series(panel, file, series, &table);
    }

    /// Reads a file of published numbers; `first` describes its first column.
    fn published_numbers(&mut self, file: &str, first: &str) -> Option<Published> {
        let table = self.published_file(file, first)?;
        for (head, cells) in &table.rows {
            let is_number = |cell: &&String| cell.parse().is_ok_and(f64::is_finite);
            if let Some(cell) = cells.iter().find(|cell| !cell.is_empty() && !is_number(cell)) {
                let message = format!("`{cell}` in the row `{head}` of `{file}` is not a number");
                self.refuse("published", message, "accepted: a number, or an empty cell if the paper has none");
                return None;
            }
        }
        Some(table)
    }

    /// Checks that the columns of published values are the series of the panel.
    fn published_series(&mut self, panel: &PanelSpec, file: &str, series: Option<usize>, table: &Published) {
        if self.plan.experiment.quick {
            return;
        }
        let columns: Vec<&str> = panel.y.iter().collect();
        if series.is_none() && columns.len() == 1 {
            if table.columns.len() != 1 {
                let message = format!("`{file}` has {} columns of values for one series", table.columns.len());
                self.refuse("published", message, "accepted: two columns, the values of x and those of y");
            }
            return;
        }
        let named = |text: String| Label { text, number: None };
        let labels: Vec<Label> = match series.map(|axis| self.plan.values_shown(panel, axis)) {
            None => columns.iter().map(|&column| named(column.to_owned())).collect(),
            Some(labels) if columns.len() == 1 => labels,
            Some(labels) => {
                let of = |label: &Label| columns.iter().map(|column| format!("{label}, {column}")).collect::<Vec<_>>();
                labels.iter().flat_map(of).map(named).collect()
            }
        };
        let place = self.place("published");
        self.heads_are_known(place, (file, &[]), table.columns.iter(), &labels, "series of");
    }

    /// Checks x of a panel of columns: an axis with numbers, or a measure.
    fn number_axis(&mut self, panel: &PanelSpec, observables: &[String]) {
        let plan = self.plan;
        if let Some(axis) = plan.axis(&panel.x) {
            if let Some(label) = plan.values(axis).into_iter().find(|label| label.number.is_none()) {
                let message = format!("the axis `{}` has the value `{label}`, which is not a number", panel.x);
                self.refuse("x", message, "accepted: `t`, an axis of numbers, a measure or an observable");
            }
        } else if !plan.columns.contains(&panel.x) && !self.others().contains(&panel.x.as_str()) {
            let named = plan.axes.iter().chain(&plan.columns).chain(observables).map(String::as_str);
            let known = ["t"].into_iter().chain(named).chain(self.others());
            self.problems.add(Problem::unknown(self.place("x"), "axis, column or observable", &panel.x, known));
        }
    }
}

impl Plan {
    /// Returns the values of an axis that a panel shows.
    fn values_shown(&self, panel: &PanelSpec, axis: usize) -> Vec<Label> {
        let labels = self.meant(&panel.filter).filter_map(|(_, run)| run.cells[axis].as_deref());
        unique_by(labels, |one, other| one.same(other)).into_iter().cloned().collect()
    }

    /// Returns the names of the curves of a panel over time that shows one observable of several runs.
    fn series_over_time(&self, panel: &PanelSpec) -> Vec<Label> {
        let axis = panel.series.as_ref().filter(|_| panel.y.iter().count() == 1).and_then(|axis| self.axis(axis));
        axis.map(|axis| self.values_shown(panel, axis)).unwrap_or_default()
    }

    /// Returns the headings that a file of published values for a panel over time may have: the observables of the run
    /// and, if the panel shows one observable of several runs, the names of its curves, in the unit of the observable.
    pub fn heads_over_time(&self, panel: &PanelSpec, run: &RunSpec) -> Vec<Observable> {
        let mut heads = drawable(&*run.model.object.model());
        let unit = panel.y.iter().next().and_then(|y| heads.iter().find(|head| head.name == y)).map_or("", |y| y.unit);
        let series = self.series_over_time(panel);
        heads.extend(series.into_iter().map(|label| Observable::new(label.text, unit, "the observable in that run")));
        heads
    }
}
