//! Bars of an experiment: a column of `runs.csv` for each value of an axis, beside the published values.

use mbsbench_experiment::{Label, PanelSpec, Published};
use mbsbench_render::{Dash, Kind, Point, Series, Style};
use mbsbench_runs::ResultSet;

use super::figures::{Drawn, Look, failed, unresolved};

impl Look {
    /// The bars of a panel, published ones before ours. Ours are multiplied by `scale`; published ones are already in
    /// the unit shown.
    pub(super) fn bars(
        &self,
        spec: &PanelSpec,
        results: &ResultSet,
        names: &[Label],
        published: Option<&Published>,
        scale: f64,
    ) -> Vec<Series> {
        let drawn = self.drawn(spec, results);
        let is_alone = spec.series.is_none() && drawn.len() == 1;
        let style =
            |index: usize, each: &Drawn<'_>| self.style(spec, each.label.map(|label| label.text.as_str()), index);
        let mut styles: Vec<Style> = drawn.iter().enumerate().map(|(index, each)| style(index, each)).collect();
        // Styles that distinguish lines also distinguish hatches.
        Style::distinguish(&mut styles, false);
        let mut series = Vec::new();
        for (each, style) in drawn.iter().zip(styles) {
            if let Some(points) = published.and_then(|table| printed(table, each, is_alone, names)) {
                let whose = spec.published_label.as_deref().unwrap_or("published");
                let label = if is_alone { whose.to_owned() } else { format!("{}, {whose}", each.text) };
                series.push(Series { published: true, ..Series::new(Kind::Bars, label, style, points) });
            }
            let label = if is_alone { "measured".to_owned() } else { each.text.clone() };
            let mut own = Series::new(Kind::Bars, label, style, []);
            for row in &each.rows {
                let Some(label) = results.label(row, &spec.x) else { continue };
                let Some(place) = names.iter().position(|name| name.same(label)) else { continue };
                let x = place as f64;
                match results.number(row, each.column).filter(|_| row.is_ok()) {
                    Some(y) => {
                        own.points.push(Point { x, y: y * scale, hollow: unresolved(results, row, each.column, y) })
                    }
                    None => own.failures.extend(failed(row, x)),
                }
            }
            if is_alone && spec.x == "method" {
                // These bars are distinguished by the names below the axis.
                let look = |name: &Label| self.style_of_method(&name.text).unwrap_or(style);
                let style = |name: &Label| Style { dash: Dash::Solid, ..look(name) };
                own.bar_styles = names.iter().map(style).collect();
            }
            series.push(own);
        }
        series
    }
}

/// Returns the published values of a series; `None` if the table has no column for it.
fn printed(table: &Published, drawn: &Drawn<'_>, is_alone: bool, names: &[Label]) -> Option<Vec<[f64; 2]>> {
    let column = if is_alone { Some(0) } else { table.columns.iter().position(|head| drawn.is(head)) }?;
    let value = |(head, cells): &(String, Vec<String>)| {
        let place = names.iter().position(|name| name.is(head))?;
        // Any cell that is not a number is empty; this was checked with the plan.
        Some([place as f64, cells.get(column)?.parse().ok()?])
    };
    Some(table.rows.iter().filter_map(value).collect())
}
