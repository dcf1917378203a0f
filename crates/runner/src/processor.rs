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
    /// Whether this processor has it. `is_x86_feature_detected!` says yes of what is compiled for, without asking the processor.
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

/// The registers in which a processor says what it has, by the arguments of the instruction CPUID.
#[cfg(target_arch = "x86_64")]
mod cpuid {
    use std::arch::x86_64::{__cpuid, __cpuid_count};

    pub(super) fn leaf_1_ecx() -> u32 {
        __cpuid(1).ecx
    }

    pub(super) fn leaf_7_ebx() -> u32 {
        if __cpuid(0).eax < 7 { 0 } else { __cpuid_count(7, 0).ebx }
    }

    pub(super) fn leaf_7_ecx() -> u32 {
        if __cpuid(0).eax < 7 { 0 } else { __cpuid_count(7, 0).ecx }
    }

    pub(super) fn extended_1_ecx() -> u32 {
        if __cpuid(0x8000_0000).eax < 0x8000_0001 { 0 } else { __cpuid(0x8000_0001).ecx }
    }
}

#[cfg(target_arch = "x86_64")]
macro_rules! features {
    ($($register:ident [$($name:tt $bit:literal)*])*) => {
        &[$($(Feature {
            name: $name,
            is_compiled: cfg!(target_feature = $name),
            is_present: || cpuid::$register() >> $bit & 1 == 1,
        }),*),*]
    };
}

/// What `target-cpu` of x86-64-v2 to v4 and of most processors asks for, with the bits of Intel's manual (volume 2A, CPUID).
#[cfg(target_arch = "x86_64")]
static FEATURES: &[Feature] = features! {
    leaf_1_ecx ["sse3" 0 "pclmulqdq" 1 "ssse3" 9 "fma" 12 "cmpxchg16b" 13 "sse4.1" 19 "sse4.2" 20 "movbe" 22 "popcnt" 23 "aes" 25 "xsave" 26
        "avx" 28 "f16c" 29 "rdrand" 30]
    leaf_7_ebx ["bmi1" 3 "avx2" 5 "bmi2" 8 "avx512f" 16 "avx512dq" 17 "rdseed" 18 "adx" 19 "avx512ifma" 21 "avx512cd" 28 "sha" 29
        "avx512bw" 30 "avx512vl" 31]
    leaf_7_ecx ["avx512vbmi" 1 "avx512vbmi2" 6 "gfni" 8 "vaes" 9 "vpclmulqdq" 10 "avx512vnni" 11 "avx512bitalg" 12 "avx512vpopcntdq" 14]
    extended_1_ecx ["lzcnt" 5]
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
        for feature in FEATURES {
            assert!((feature.is_present)() || !feature.is_compiled, "{}", feature.name);
        }
    }
}
