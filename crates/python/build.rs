//! Asks the linker that the package calls its own elementary functions and not those of the process that loads it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic-functions");
    }
}
