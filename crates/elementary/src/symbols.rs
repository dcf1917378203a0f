//! The functions under the names of the C library.
#![expect(unsafe_code, reason = "a function of the C library is replaced by one that defines its symbol")]

/// Defines functions of numbers under their names in the C library.
///
/// Each function has the signature and the meaning that the C standard gives it, which a definition of such a symbol
/// must ensure. `errno` and the exception flags are left unchanged; the standard allows that, and nothing here reads
/// them.
macro_rules! define {
    ($number:ty: $($name:ident($($x:ident),+) = $function:path;)+) => {
        $(
            // SAFETY: the symbol has the C library's signature and meaning; nothing else in the program defines it.
            #[unsafe(no_mangle)]
            extern "C" fn $name($($x: $number),+) -> $number {
                $function($($x),+)
            }
        )+
    };
}

define! { f64:
    acos(x) = pxfm::f_acos;
    acosh(x) = pxfm::f_acosh;
    asin(x) = pxfm::f_asin;
    asinh(x) = pxfm::f_asinh;
    atan(x) = pxfm::f_atan;
    atan2(y, x) = crate::atan2;
    atanh(x) = pxfm::f_atanh;
    cbrt(x) = pxfm::f_cbrt;
    cos(x) = pxfm::f_cos;
    cosh(x) = pxfm::f_cosh;
    exp(x) = pxfm::f_exp;
    exp10(x) = pxfm::f_exp10;
    exp2(x) = pxfm::f_exp2;
    expm1(x) = pxfm::f_expm1;
    hypot(x, y) = crate::hypot;
    log(x) = pxfm::f_log;
    log10(x) = pxfm::f_log10;
    log1p(x) = pxfm::f_log1p;
    log2(x) = pxfm::f_log2;
    pow(x, y) = pxfm::f_pow;
    sin(x) = pxfm::f_sin;
    sinh(x) = pxfm::f_sinh;
    tan(x) = pxfm::f_tan;
    tanh(x) = pxfm::f_tanh;
}

define! { f32:
    acosf(x) = pxfm::f_acosf;
    acoshf(x) = pxfm::f_acoshf;
    asinf(x) = pxfm::f_asinf;
    asinhf(x) = pxfm::f_asinhf;
    atanf(x) = pxfm::f_atanf;
    atan2f(y, x) = pxfm::f_atan2f;
    atanhf(x) = pxfm::f_atanhf;
    cbrtf(x) = pxfm::f_cbrtf;
    cosf(x) = pxfm::f_cosf;
    coshf(x) = pxfm::f_coshf;
    expf(x) = pxfm::f_expf;
    exp10f(x) = pxfm::f_exp10f;
    exp2f(x) = pxfm::f_exp2f;
    expm1f(x) = pxfm::f_expm1f;
    hypotf(x, y) = pxfm::f_hypotf;
    logf(x) = pxfm::f_logf;
    log10f(x) = pxfm::f_log10f;
    log1pf(x) = pxfm::f_log1pf;
    log2f(x) = pxfm::f_log2f;
    powf(x, y) = pxfm::f_powf;
    sinf(x) = pxfm::f_sinf;
    sinhf(x) = pxfm::f_sinhf;
    tanf(x) = pxfm::f_tanf;
    tanhf(x) = pxfm::f_tanhf;
}

/// Defines functions that write the sine and the cosine of one argument to two places. Compilers call these functions
/// when both values are needed.
macro_rules! define_both {
    ($($name:ident, $number:ty, $function:path;)+) => {
        $(
            // SAFETY: the symbol has the signature and the meaning that glibc documents.
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name(x: $number, sine: *mut $number, cosine: *mut $number) {
                let (s, c) = $function(x);
                // SAFETY: as for the C library's function, the caller passes two writable places.
                unsafe {
                    sine.write(s);
                    cosine.write(c);
                }
            }
        )+
    };
}

define_both! {
    sincos, f64, pxfm::f_sincos;
    sincosf, f32, pxfm::f_sincosf;
}
