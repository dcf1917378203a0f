//! Checks of animations against the runs that they show.

use super::Outputs;
use crate::plan::RunSpec;
use crate::spec::{AnimationSpec, MOST_FRAMES, MOST_OVERLAID};
use mbsbench_input::Problem;

impl Outputs<'_> {
    pub(super) fn animation(&mut self, animation: &AnimationSpec) {
        self.unit_of_length(&animation.unit);
        if !(2..=MOST_FRAMES).contains(&animation.frames) {
            let help = format!("accepted: a whole number from 2 to {MOST_FRAMES}");
            self.refuse("frames", format!("`frames` is {}", animation.frames), help);
        }
        if let Some(speed) = animation.speed.filter(|speed| !(*speed > 0.0 && speed.is_finite())) {
            let accepted = "accepted: seconds of the model per second, above zero";
            self.refuse("speed", format!("`speed` is {speed}"), accepted);
        }
        if !self.filter(&animation.filter) {
            return;
        }
        let runs: Vec<&RunSpec> =
            self.plan.runs.iter().filter(|run| self.plan.is_meant(run, &animation.filter)).collect();
        match runs.len() {
            0 => self.refuse("where", "no run has all of these values", "accepted: a combination that is not excluded"),
            1..=MOST_OVERLAID => {}
            many => {
                let help = format!("accepted: 1 to {MOST_OVERLAID} runs; select them with `where: {{ … }}`");
                self.refuse("where", format!("{many} runs would be drawn over one another"), help);
            }
        }
        for run in runs.into_iter().take(MOST_OVERLAID) {
            if !self.shows(animation, run) {
                return;
            }
        }
    }

    /// True if a run has the view and the times; a problem is added otherwise.
    fn shows(&mut self, animation: &AnimationSpec, run: &RunSpec) -> bool {
        let [start, end] = run.span;
        let [first, last] = animation.span.unwrap_or(run.span);
        let views: Vec<&str> = run.views().iter().map(|view| view.name).collect();
        let is_view = |name: &String| views.contains(&name.as_str());
        if views.is_empty() {
            let message = format!("`{}` has no view", run.model.name());
            self.refuse("view", message, "accepted: a mechanism that can be drawn; plain equations have no picture");
        } else if let Some(name) = animation.view.as_ref().filter(|name| !is_view(name)) {
            self.problems.add(Problem::unknown(self.place("view"), "view", name, views));
        } else if self.plan.experiment.quick {
            // A shortened run may end before the times that are shown.
            return true;
        } else if !(start <= first && first < last && last <= end) {
            let message = format!("`span: [{first}, {last}]` is not within the run from {start} s to {end} s");
            self.refuse("span", message, "accepted: two times of the run in s, the earlier one first");
        } else if let Some(still) = animation.still.filter(|still| !(first..=last).contains(still)) {
            let message = format!("`still: {still}` is not within the animation from {first} s to {last} s");
            self.refuse("still", message, "accepted: a time of the animation, s");
        } else {
            return true;
        }
        false
    }
}
