//! Nothing in the user's scope changes what the expansion means.
#![deny(warnings)]
#![allow(dead_code, non_camel_case_types, unreachable_pub, unused_imports, unused_macros)]

mod shadows {
    pub struct Option;
    pub struct Result;
    pub struct Vec;
    pub struct Some;
    pub struct None;
    pub struct Ok;
    pub struct Err;
    pub struct Box;
    pub struct Arc;
    pub struct Send;
    pub struct Sync;
    pub struct From;
    pub struct Tool;
    pub struct Toolset;
    pub struct u32;
    pub struct bool;
    pub struct str;
    pub mod std {}
    pub mod core {}
    pub mod alloc {}
    pub mod serde_json {}
    pub mod haft {}
    #[allow(non_upper_case_globals)]
    pub const call: u8 = 0;
    #[allow(non_upper_case_globals)]
    pub const this: u8 = 0;
    macro_rules! vec {
        () => {
            compile_error!("not this one")
        };
    }
    macro_rules! json {
        () => {
            compile_error!("not this one")
        };
    }
    pub(crate) use {json, vec};
}

mod tools {
    use super::shadows::*;

    /// Uses none of them.
    #[::haft::tool(read_only, closed_world, icon(src = "data:image/png,", mime = "image/png"), meta("com.example/a" = 1))]
    pub async fn shadowed(
        /// A text
        #[arg(default = "x", example = "y")]
        text: ::std::string::String,
        #[arg(range(1..5))] number: i16,
        context: ::haft::Context,
    ) -> ::std::string::String {
        let _ = (number, context);
        text
    }

    pub struct Shelf;

    #[::haft::toolset]
    impl Shelf {
        /// Uses none of them.
        #[tool(read_only, closed_world)]
        fn shadowed_method(&self, text: ::std::string::String) -> ::std::string::String {
            text
        }
    }
}

pub(crate) fn main() {
    let _ = tools::shadowed::tool();
    let _ = haft::Toolset::tools(std::sync::Arc::new(tools::Shelf));
}
