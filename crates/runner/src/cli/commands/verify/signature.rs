//! `mbsbench verify --signers`: checks the signature of the manifest of all results.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use mbsbench_experiment::Plan;
use mbsbench_judge::folders::Folders;
use mbsbench_runs::{FileError, seal};

use crate::cli::{Exit, Result, several};
use crate::output::Output;

/// The keys that may sign.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Signature {
    /// Check the signature of the results by ssh's `allowed_signers`.
    #[arg(long, value_name = "FILE")]
    signers: Option<PathBuf>,
}

impl Signature {
    /// Checks the signature, if it is wanted, and that the signed manifest lists the results of these plans.
    pub(super) fn check(&self, plans: &[Plan], results: &dyn Folders, output: &mut Output<'_>) -> Result<Exit> {
        let manifest = results.root().join("manifest.json");
        let signature = results.root().join("manifest.json.sig");
        let Some(signers) = &self.signers else {
            if signature.exists() {
                output.println(format!("{}: not checked; use `--signers FILE`", signature.display()))?;
            }
            return Ok(Exit::Done);
        };
        let is_outside = |id: &&str| {
            let folder = results.of(id);
            folder.starts_with(results.root()) && folder.exists() && !seal::is_listed(&folder)
        };
        let outside: Vec<&str> = plans.iter().map(|plan| plan.experiment.id.as_str()).filter(is_outside).collect();
        let (said, exit) = match signed(&manifest, &signature, signers)? {
            Err(why) => (format!("the signature is not valid: {why}"), Exit::Differs),
            Ok(name) if outside.is_empty() => (format!("signed by {name}"), Exit::Done),
            Ok(name) => (format!("signed by {name}, without {}", several(&outside, "experiments")), Exit::Differs),
        };
        output.println(format!("{}: {said}", manifest.display()))?;
        Ok(exit)
    }
}

/// Returns the name of the signer, or the message of `ssh-keygen`.
fn signed(manifest: &Path, signature: &Path, signers: &Path) -> Result<Result<String, String>> {
    let keygen = |action: &str, more: &[&str]| {
        let mut command = Command::new("ssh-keygen");
        command.args(["-Y", action, "-n", "mbsbench"]).args(more).arg("-s").arg(signature).arg("-f").arg(signers);
        let ended = command.stdin(File::open(manifest).map_err(FileError::of(manifest))?).output();
        let ended = ended.map_err(FileError::of(Path::new("ssh-keygen")))?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
        Ok::<_, FileError>(if ended.status.success() { Ok(text(&ended.stdout)) } else { Err(text(&ended.stderr)) })
    };
    let name = match keygen("find-principals", &[])? {
        Ok(names) => names.lines().next().unwrap_or_default().to_owned(),
        Err(why) => return Ok(Err(why)),
    };
    Ok(keygen("verify", &["-I", &name])?.map(|_| name))
}
