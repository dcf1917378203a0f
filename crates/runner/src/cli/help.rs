//! The help pages: commands in groups, and examples for each of them.

use std::ffi::OsString;
use std::fmt::Write as _;

use clap::{CommandFactory, FromArgMatches};

use super::Arguments;

/// Commands under a heading of `--help`, in the order of their use.
struct Group {
    heading: &'static str,
    /// Names with examples.
    commands: &'static [(&'static str, &'static [&'static str])],
    /// The text of commands that share a line.
    about: Option<&'static str>,
}

const GROUPS: [Group; 3] = [
    Group {
        heading: "Everyday:",
        commands: &[
            (
                "reproduce",
                &[
                    "mbsbench reproduce gil2013                # a paper: runs, tables, figures, outcomes, report",
                    "mbsbench reproduce gil2013/eq35-global    # one experiment",
                ],
            ),
            (
                "run",
                &[
                    "mbsbench run experiments/compere2001/pendulum-dae.yaml",
                    "mbsbench run examples/mechanisms/experiments/crane-and-methods.yaml --out mine",
                ],
            ),
            ("check", &["mbsbench check experiments/gil2013/claims.yaml experiments/gil2013/eq35-global.yaml"]),
            ("list", &["mbsbench list methods", "mbsbench list statements --format json"]),
            (
                "describe",
                &[
                    "mbsbench describe pendulum",
                    "mbsbench describe method radau5",
                    "mbsbench describe examples/methods/cash-karp.yaml",
                ],
            ),
            (
                "rank",
                &[
                    "mbsbench rank dop853",
                    "mbsbench rank examples/methods/cash-karp.yaml comparison/pendulum --figures ranks",
                ],
            ),
            ("like", &["mbsbench like slider-crank", "mbsbench like examples/mechanisms/crane.yaml --span 2"]),
            (
                "examine",
                &["mbsbench examine hht-i3", "mbsbench examine examples/methods/tr-bdf2.yaml --html tr-bdf2.html"],
            ),
            ("explain", &["mbsbench explain gil2013/linear/exact"]),
            ("report", &["mbsbench report"]),
            (
                "animate",
                &[
                    "mbsbench animate zhang2022/squeezer-coarse",
                    "mbsbench animate examples/mechanisms/experiments/crane-and-methods.yaml --format svg",
                ],
            ),
            ("init", &["mbsbench init my-experiments"]),
        ],
        about: None,
    },
    Group {
        heading: "Papers:",
        commands: &[
            ("verify", &["mbsbench verify gil2013 --brief", "mbsbench verify gil2013 --recompute 5%"]),
            ("new", &["mbsbench new paper mine2026", "mbsbench new experiment mine2026/pendulum"]),
            ("lock", &["mbsbench lock gil2013"]),
            (
                "reconstruct",
                &["mbsbench reconstruct gil2013/stiff-pendulum", "mbsbench reconstruct gil2013 --budget 500"],
            ),
            ("reference", &["mbsbench reference zhang2022/shaft-convergence"]),
            (
                "export",
                &["mbsbench export gil2013/figure-6 --to pgfplots", "mbsbench export gil2013/linear/exact --to tex"],
            ),
            ("render", &["mbsbench render gil2013/linear-exactness --png --out pictures"]),
            ("diff", &["mbsbench diff results/gil2013 elsewhere/gil2013 --rel 1e-3"]),
            ("schema", &["mbsbench schema", "mbsbench schema claims > claims.schema.json"]),
        ],
        about: None,
    },
    Group {
        heading: "Single runs, on one or many machines:",
        commands: &[
            ("plan", &["mbsbench plan gil2013/linear-exactness", "mbsbench plan gil2013 --workers 1,8,64"]),
            ("cell", &["mbsbench cell KEY gil2013/linear-exactness    # KEY is shown by `mbsbench plan`"]),
            ("shard", &["mbsbench shard 1/8 gil2013 --cache part1"]),
            ("merge", &["mbsbench merge part1 part2 --cache all"]),
        ],
        about: Some("List runs, compute one or some of them, merge run caches"),
    },
];

/// Examples of the commands below `new`.
const TEMPLATES: [(&str, &[&str]); 3] = [
    ("paper", &["mbsbench new paper mine2026"]),
    ("experiment", &["mbsbench new experiment mine2026/pendulum"]),
    ("statement", &["mbsbench new statement mine2026/figure-3/work --experiment pendulum"]),
];

/// The end of the front page.
const CLOSING: &str = "`mbsbench COMMAND --help` shows the options of a command and examples.\n\
     Exit codes: 0 done; 1 not as expected; 2 bad input; 3 system or program failed; 130, 143 signal";

impl Arguments {
    /// Reads the words of a command line, the first of which is the name of the program.
    ///
    /// # Errors
    /// Words that no command accepts, and requests for help or the version, which are rendered as the answer.
    pub fn read(words: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> Result<Self, clap::Error> {
        let mut program = program();
        let matches = program.try_get_matches_from_mut(words)?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut program))
    }
}

/// The command line with all help texts.
fn program() -> clap::Command {
    let program = Arguments::command().mut_subcommands(|command| with_examples(command, all_commands()));
    let template =
        format!("{{about}}\n\n{{usage-heading}} {{usage}}\n\n{}Options:\n{{options}}{{after-help}}", grouped(&program));
    program.help_template(template).after_help(CLOSING)
}

fn all_commands() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    GROUPS.iter().flat_map(|group| group.commands.iter().copied())
}

/// A command with its examples, and with one line for each option: the text of an option names its values.
fn with_examples(
    command: clap::Command,
    mut examples: impl Iterator<Item = (&'static str, &'static [&'static str])>,
) -> clap::Command {
    let lines = examples.find(|(name, _)| *name == command.get_name()).map_or(&[][..], |(_, lines)| lines);
    let command = command.mut_args(|argument| argument.hide_possible_values(true));
    let command = command.mut_subcommands(|command| with_examples(command, TEMPLATES.into_iter()));
    command.after_help(format!("Examples:\n  {}", lines.join("\n  ")))
}

/// The commands of a program under the headings of their groups.
fn grouped(program: &clap::Command) -> String {
    let about = |name: &str| program.find_subcommand(name).and_then(clap::Command::get_about).map(ToString::to_string);
    let mut text = String::new();
    for Group { heading, commands, about: shared } in &GROUPS {
        let names: Vec<&str> = commands.iter().map(|(name, _)| *name).collect();
        let rows: Vec<(String, String)> = match shared {
            Some(shared) => vec![(names.join(", "), (*shared).to_owned())],
            None => names.iter().map(|name| ((*name).to_owned(), about(name).unwrap_or_default())).collect(),
        };
        let _ = writeln!(text, "{heading}");
        for (name, about) in rows {
            let _ = writeln!(text, "  {name:11}  {about}");
        }
        text.push('\n');
    }
    text
}
