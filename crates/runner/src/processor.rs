//! Checks that this processor has the instructions for which the program was compiled. Otherwise a signal would end the
//! program in the middle of its work.
//!
//! The check has to stay simple: clearing a vector or an array may already compile to an instruction that an old
//! processor does not have.

/// Compares the instructions for which the program was compiled with those of the processor: AVX2 and FMA represent
/// x86-64-v3. `is_x86_feature_detected!` cannot be used, because it returns true for compiled features without asking
/// the processor.
///
/// # Errors
/// Returns a message with the missing instructions and a remedy.
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
