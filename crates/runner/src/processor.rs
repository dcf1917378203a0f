//! Whether this processor has what the program was compiled for: else it would end with a signal, in the middle of its work.
//!
//! What is here runs on every processor as long as it stays plain: constants, calls and branches. A vector or an array that is made here may be
//! cleared by an instruction that an old processor does not have.

use std::error::Error;
use std::fmt;

/// What a processor may have, as the compiler calls it.
#[derive(Debug, Clone, Copy)]
struct Feature {
    name: &'static str,
    /// Whether the program was compiled for it.
    is_compiled: bool,
    /// Whether this processor has it.
    is_present: fn() -> bool,
}

impl Feature {
    fn is_lacking(&self) -> bool {
        self.is_compiled && !(self.is_present)()
    }
}

/// This processor lacks some of what the program was compiled for.
#[derive(Debug, Clone, Copy)]
pub struct LackingFeatures(&'static [Feature]);

impl fmt::Display for LackingFeatures {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("the program was compiled for processors with")?;
        for feature in self.0.iter().filter(|feature| feature.is_lacking()) {
            text.write_str(" ")?;
            text.write_str(feature.name)?;
        }
        text.write_str(
            ", which this one does not have\nhelp: a release runs on every x86-64 processor; from the sources, ",
        )?;
        text.write_str("`RUSTFLAGS='-C target-cpu=native' cargo build --release` compiles for this one")
    }
}

impl Error for LackingFeatures {}

/// Compares what the program was compiled for with what the processor has.
///
/// # Errors
/// [`LackingFeatures`], which names what is missing.
#[inline(never)]
pub fn check() -> Result<(), LackingFeatures> {
    compare(FEATURES)
}

fn compare(features: &'static [Feature]) -> Result<(), LackingFeatures> {
    if features.iter().any(Feature::is_lacking) { Err(LackingFeatures(features)) } else { Ok(()) }
}

#[cfg(target_arch = "x86_64")]
macro_rules! features {
    ($($name:tt)*) => {
        &[$(Feature {
            name: $name,
            is_compiled: cfg!(target_feature = $name),
            is_present: || std::is_x86_feature_detected!($name),
        }),*]
    };
}

/// All that programs for x86-64 can be compiled for without being asked for the single feature, by `target-cpu`.
#[cfg(target_arch = "x86_64")]
static FEATURES: &[Feature] = features! {
    "sse3" "ssse3" "sse4.1" "sse4.2" "popcnt" "cmpxchg16b"
    "avx" "avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "movbe" "xsave"
    "avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl"
    "avx512ifma" "avx512vbmi" "avx512vbmi2" "avx512vnni" "avx512bitalg" "avx512vpopcntdq" "avx512bf16" "avx512fp16"
    "aes" "pclmulqdq" "vaes" "vpclmulqdq" "gfni" "sha" "adx" "rdrand" "rdseed" "fxsr" "xsavec" "xsaveopt" "xsaves" "sse4a" "tbm"
};

/// Others are compiled for what every one of them has.
#[cfg(not(target_arch = "x86_64"))]
static FEATURES: &[Feature] = &[];

#[cfg(test)]
mod tests {
    use super::*;

    const fn feature(name: &'static str, is_compiled: bool, is_present: fn() -> bool) -> Feature {
        Feature { name, is_compiled, is_present }
    }

    #[test]
    fn what_is_compiled_and_not_present_is_named_and_nothing_else() {
        static OLD: [Feature; 3] =
            [feature("sse3", true, || true), feature("avx2", true, || false), feature("fma", true, || false)];
        let message = compare(&OLD).unwrap_err().to_string();
        assert!(message.contains("with avx2 fma,") && message.contains("target-cpu=native"), "{message}");

        static PLAIN: [Feature; 3] =
            [feature("sse3", false, || true), feature("avx2", false, || false), feature("fma", true, || true)];
        assert!(compare(&PLAIN).is_ok() && compare(&[]).is_ok());
    }

    #[test]
    fn this_test_runs_where_it_was_compiled_for() {
        assert!(check().is_ok());
        #[cfg(target_arch = "x86_64")]
        assert!(FEATURES.iter().any(|feature| (feature.is_present)()));
    }
}
