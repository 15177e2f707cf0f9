use proc_macro2::TokenStream;
use quote::quote;

/// The expansion as text without spaces, once it is known to be items.
fn text(tokens: TokenStream) -> String {
    syn::parse2::<syn::File>(tokens.clone()).expect("the expansion is a list of items");
    tokens.to_string().replace([' ', '\n'], "")
}

fn tool(attr: TokenStream, item: TokenStream) -> String {
    text(super::tool(attr, item))
}

fn toolset(attr: TokenStream, item: TokenStream) -> String {
    text(super::toolset(attr, item))
}

#[track_caller]
fn assert_has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(&part.replace([' ', '\n'], "")), "`{part}` is missing in\n{text}");
    }
}

fn errors(text: &str) -> usize {
    text.matches("::core::compile_error!").count()
}

#[test]
fn keeps_the_function_and_adds_a_type() {
    let text = tool(
        quote!(read_only, closed_world),
        quote! {
            /// Looks up an order.
            #[inline]
            pub(crate) async fn get_order(
                /// The ID
                #[arg(pattern = "^A")]
                #[allow(unused)]
                order_id: String,
            ) -> u8 { 1 }
        },
    );
    assert_has(
        &text,
        &[
            "#[inline] pub(crate) async fn get_order(#[allow(unused)] order_id: String,) -> u8 { 1 }",
            "pub(crate) struct get_order {}",
            "impl get_order",
            "#[must_use] pub(crate) fn tool() -> ::haft::Tool",
        ],
    );
    assert_eq!(errors(&text), 0);
}

#[test]
fn derives_the_definition() {
    let text = tool(
        quote!(read_only, closed_world),
        quote! {
            /// Looks up
            /// an order.
            async fn r#get_order() {}
        },
    );
    assert_has(
        &text,
        &[
            "name: \"get_order\"",
            "title: \"Get order\"",
            "description: \"Looks up an order.\"",
            "read_only: true, destructive: false, idempotent: true, open_world: false",
            "icons: &[]",
            "meta: ::std::vec![]",
            "Cancel::Drop",
            "::core::line!()",
        ],
    );
}

#[test]
fn takes_every_key() {
    let text = tool(
        quote! {
            name = "order_get", title = "T", additive, open_world, idempotent,
            icon(src = "data:,", mime = "image/png", sizes("any", "1x1"), theme = "light"),
            meta("com.example/a" = {"b": [null]}, "c" = 1 + 1),
            allow(recursion), needs(roots), logs, embeds_resources, crate = "::other::haft",
        },
        quote! {
            /// D
            async fn get_order() {}
        },
    );
    assert_has(
        &text,
        &[
            "name: \"order_get\"",
            "title: \"T\"",
            "read_only: false, destructive: false, idempotent: true, open_world: true",
            "IconSpec { src: \"data:,\", mime: ::core::option::Option::Some(\"image/png\"), sizes: &[\"any\", \"1x1\"], theme: ::core::option::Option::Some(\"light\") }",
            "(\"com.example/a\", ::other::haft::__private::json!({\"b\": [null]}))",
            "(\"c\", ::other::haft::__private::json!(1 + 1))",
            "allow: &[\"recursion\"]",
            "needs: &[::other::haft::__private::Capability::Roots]",
            "Cancel::Detach",
            "logs: true, embeds_resources: true",
            "-> ::other::haft::Tool",
        ],
    );
    assert!(!text.contains("::haft::__private") || text.contains("::other::haft::__private"), "{text}");
    assert_eq!(errors(&text), 0);
}

#[test]
fn destructive_tools_run_on_unless_they_say_otherwise() {
    let item = quote! {
        /// D
        fn drop_order() {}
    };
    let detached = tool(quote!(destructive, closed_world), item.clone());
    assert_has(&detached, &["destructive: true", "Cancel::Detach"]);
    assert_has(&tool(quote!(destructive, closed_world, cancel = "drop"), item), &["Cancel::Drop"]);
}

#[test]
fn writes_each_argument_in_order() {
    let text = tool(
        quote!(read_only, closed_world),
        quote! {
            /// D
            async fn get_order(
                #[arg(rename = "a", length(1..8), example = "x", example = {"y": 1}, header = "A", default = "d")]
                first: String,
                ctx: Context,
                #[arg(range(-1..=2), description = "B")] second: Option<i8>,
                #[extract] db: Db,
                #[arg(flatten)] third: Page,
                #[arg(range(0.5..2), secret)] fourth: f64,
            ) {}
        },
    );
    assert_has(
        &text,
        &[
            "Param::of::<String>(\"a\").min_length(1u64).max_length(7u64).example(::haft::__private::json!(\"x\"))",
            ".example(::haft::__private::json!({\"y\": 1}))",
            ".default_value(::haft::__private::default_value::<String>(::core::convert::From::from(\"d\"))).header(\"A\")",
            "Param::of::<Option<i8>>(\"second\").describe(\"B\").minimum(-1i64).maximum(2i64)",
            "Param::flatten::<Page>()",
            "Param::of::<f64>(\"fourth\").minimum(0.5f64).exclusive_maximum(2i64).secret()",
            "::haft::__private::assert_argument::<Option<i8>>();",
            "let __haft_argument_2 = __haft_call.argument::<Option<i8>>(1usize);",
            "let __haft_argument_4 = __haft_call.argument::<Page>(2usize);",
            "let __haft_argument_1: Context = ::haft::__private::Call::context(&__haft_call);",
            "::haft::__private::Call::extract::<Db>(&__haft_call).await",
            "get_order(__haft_argument_0, __haft_argument_1, __haft_argument_2, __haft_argument_3, __haft_argument_4, __haft_argument_5).await",
        ],
    );
    let refused = text.find("refuse()").expect("a refusal");
    let extracted = text.find("extract::<Db>").expect("an extraction");
    assert!(refused < extracted, "arguments are refused before extractors run");
}

#[test]
fn plain_functions_may_block() {
    let text = tool(
        quote!(read_only, closed_world),
        quote! {
            /// D
            fn get_order(id: u8) {}
        },
    );
    assert_has(&text, &["__haft_call.blocking(move || get_order(__haft_argument_0)).await"]);
}

#[test]
fn carries_cfgs_over() {
    let text = tool(
        quote!(read_only, closed_world),
        quote! {
            /// D
            #[cfg(unix)]
            fn get_order() {}
        },
    );
    assert_eq!(text.matches("#[cfg(unix)]").count(), 3, "{text}");
}

#[test]
fn keeps_the_function_when_the_attribute_is_wrong() {
    let text = tool(
        quote!(readonly, titel = "x"),
        quote!(
            pub fn get_order(#[arg(min = 1)] id: u8) -> u8 {
                id
            }
        ),
    );
    // Two keys of `#[tool]`, one of `#[arg]`, the world and the description.
    assert_eq!(errors(&text), 5, "{text}");
    assert_has(
        &text,
        &["pub fn get_order(id: u8) -> u8 { id }", "pub struct get_order {}", "{ ::core::unreachable!() }"],
    );
}

#[test]
fn keeps_what_is_no_function() {
    let text = tool(
        quote!(),
        quote!(
            struct Order;
        ),
    );
    assert_eq!(errors(&text), 1);
    assert_has(&text, &["struct Order;"]);
}

#[test]
fn adds_nothing_beside_a_method() {
    let tokens = super::tool(
        quote!(read_only, closed_world),
        quote!(
            fn get_order(&self) {}
        ),
    )
    .to_string();
    assert!(!tokens.contains("struct"), "{tokens}");
}

#[test]
fn toolsets_keep_their_block_and_implement_the_trait() {
    let text = toolset(
        quote!(),
        quote! {
            impl<S: Store> Orders<S> where S: Clone {
                const LIMIT: u8 = 1;
                /// D
                #[haft::tool(read_only, closed_world)]
                #[cfg(unix)]
                pub async fn get_order(&self, id: u8) -> u8 { id }
                /// D
                #[tool(read_only, closed_world)]
                fn count_orders() -> u8 { 1 }
                fn other(&mut self) { 1; }
            }
        },
    );
    assert_eq!(errors(&text), 0, "{text}");
    assert_has(
        &text,
        &[
            "impl<S: Store> Orders<S> where S: Clone {",
            "const LIMIT: u8 = 1;",
            "pub async fn get_order(&self, id: u8) -> u8 { id }",
            "fn other(&mut self) { 1; }",
            "impl<S: Store> ::haft::Toolset for Orders<S> where S: Clone, Orders<S>: ::core::marker::Send + ::core::marker::Sync + 'static",
            "fn tools(self: ::std::sync::Arc<Self>) -> ::std::vec::Vec<::haft::Tool>",
            "#[cfg(unix)] { let __haft_this = ::std::sync::Arc::clone(&self);",
            "Self::get_order(&__haft_this, __haft_argument_0).await",
            "__haft_call.blocking(move || Self::count_orders()).await",
        ],
    );
    assert!(!text.contains("haft::tool("), "the attribute is taken off: {text}");
}

#[test]
fn broken_toolsets_keep_their_block() {
    let text = toolset(
        quote!(),
        quote! {
            impl Orders {
                #[tool(destructive)]
                fn drop_order(&mut self, id: &str) { body }
            }
        },
    );
    // The world, the description, the receiver and the argument.
    assert_eq!(errors(&text), 4, "{text}");
    assert_has(
        &text,
        &[
            "fn drop_order(&mut self, id: &str) { body }",
            "impl ::haft::Toolset for Orders",
            "{ ::std::vec::Vec::new() }",
        ],
    );
}

#[test]
fn leaves_bodies_unread() {
    let item: TokenStream = "/// D\nfn get_order() { no Rust that syn knows }".parse().expect("tokens");
    let tokens = super::tool(quote!(read_only, closed_world), item).to_string();
    assert!(tokens.contains("fn get_order () { no Rust that syn knows }"), "{tokens}");
    assert!(!tokens.contains("compile_error"), "{tokens}");
}
