//! Whether this processor has what the program was compiled for: else it would end with a signal, in the middle of its work.
//!
//! The check has to stay plain: a vector or an array that is made here may be cleared by an instruction that an old
//! processor does not have.

/// Compares what the program was compiled for with what the processor has: AVX2 and FMA stand for all of x86-64-v3.
/// `is_x86_feature_detected!` says yes of what is compiled for, without asking the processor.
///
/// # Errors
/// A message that says what is missing and what helps.
#[inline(never)]
pub fn check() -> Result<(), &'static str> {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    {
        use std::arch::x86_64::{__cpuid, __cpuid_count};
        let has_fma = (__cpuid(1).ecx >> 12) & 1 == 1;
        let has_avx2 = __cpuid(0).eax >= 7 && (__cpuid_count(7, 0).ebx >> 5) & 1 == 1;
        if !(has_fma && has_avx2) {
            return Err("the program was compiled for processors with AVX2 and FMA, which this one does not have\n\
                        help: a release runs on every x86-64 processor; from the sources, \
                        `RUSTFLAGS='-C target-cpu=native' cargo build --release` compiles for this one");
        }
    }
    Ok(())
}
