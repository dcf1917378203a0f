//! Whether this processor has what the program was compiled for: else it would end with a signal, in the middle of its work.

/// What a processor may have, as the compiler calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Feature {
    name: &'static str,
    /// Whether the program was compiled for it.
    is_compiled: bool,
    /// Whether this processor has it.
    is_present: bool,
}

/// This processor lacks what the program was compiled for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the program was compiled for processors with {}, which this one does not have\nhelp: a release runs on every x86-64 processor; from \
     the sources, `RUSTFLAGS='-C target-cpu=native' cargo build --release` compiles for this one",
    .0.join(", ")
)]
pub struct LackingFeatures(Vec<&'static str>);

/// Compares what the program was compiled for with what the processor has.
///
/// # Errors
/// [`LackingFeatures`], which names what is missing.
pub fn check() -> Result<(), LackingFeatures> {
    compare(&features())
}

fn compare(features: &[Feature]) -> Result<(), LackingFeatures> {
    let is_lacking = |feature: &&Feature| feature.is_compiled && !feature.is_present;
    let lacking: Vec<&str> = features.iter().filter(is_lacking).map(|feature| feature.name).collect();
    if lacking.is_empty() { Ok(()) } else { Err(LackingFeatures(lacking)) }
}

/// All that programs for x86-64 can be compiled for without being asked for the single feature, by `target-cpu`.
#[cfg(target_arch = "x86_64")]
fn features() -> Vec<Feature> {
    macro_rules! features {
        ($($name:tt)*) => {
            vec![$(Feature {
                name: $name,
                is_compiled: cfg!(target_feature = $name),
                is_present: std::is_x86_feature_detected!($name),
            }),*]
        };
    }
    features! {
        "sse3" "ssse3" "sse4.1" "sse4.2" "popcnt" "cmpxchg16b"
        "avx" "avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "movbe" "xsave"
        "avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl"
        "avx512ifma" "avx512vbmi" "avx512vbmi2" "avx512vnni" "avx512bitalg" "avx512vpopcntdq" "avx512bf16" "avx512fp16"
        "aes" "pclmulqdq" "vaes" "vpclmulqdq" "gfni" "sha" "adx" "rdrand" "rdseed" "fxsr" "xsavec" "xsaveopt" "xsaves" "sse4a" "tbm"
    }
}

/// Others are compiled for what every one of them has.
#[cfg(not(target_arch = "x86_64"))]
fn features() -> Vec<Feature> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feature(name: &'static str, is_compiled: bool, is_present: bool) -> Feature {
        Feature { name, is_compiled, is_present }
    }

    #[test]
    fn what_is_compiled_and_not_present_is_named_and_nothing_else() {
        let old = [feature("sse3", true, true), feature("avx2", true, false), feature("fma", true, false)];
        assert_eq!(compare(&old), Err(LackingFeatures(vec!["avx2", "fma"])));
        let message = compare(&old).unwrap_err().to_string();
        assert!(message.contains("avx2, fma") && message.contains("target-cpu=native"), "{message}");

        let plain = [feature("sse3", false, true), feature("avx2", false, false), feature("fma", true, true)];
        assert_eq!(compare(&plain), Ok(()));
        assert_eq!(compare(&[]), Ok(()));
    }

    #[test]
    fn this_test_runs_where_it_was_compiled_for() {
        assert_eq!(check(), Ok(()));
        #[cfg(target_arch = "x86_64")]
        assert!(features().iter().any(|feature| feature.is_present));
    }
}
