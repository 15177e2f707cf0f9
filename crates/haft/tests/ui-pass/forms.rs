//! Every kind of field, every key, and shapes that aren't everyday.

#![deny(warnings)]
#![allow(dead_code, unreachable_pub)]

use haft::{Form, FormField};

#[derive(Form)]
pub struct Everything {
    /// Described here
    #[form(title = "Name", length(1..=80), default = "Ada", rename = "full-name")]
    name: String,
    #[form(format = "email", description = "Described there")]
    email: Option<String>,
    #[form(range(1..10), default = 2)]
    small: u8,
    #[form(range(..=-1))]
    large: Option<i64>,
    #[form(range(0..=1), default = 0.5)]
    share: f64,
    #[form(default = false)]
    agreed: bool,
    #[form(default = Speed::Fast)]
    speed: Speed,
    #[form(length(1..), default = vec![Extra::Gift])]
    extras: Vec<Extra>,
    r#type: Option<Extra>,
    #[form(default = Size::Large)]
    size: Size,
    sizes: Vec<Size>,
}

#[derive(Form, Debug)]
#[form(enum_names)]
pub enum Size {
    #[form(rename = "s", title = "Small")]
    Small,
    Large,
}

#[derive(Form, Debug)]
pub enum Speed {
    #[form(rename = "slow", title = "Three days")]
    Slow,
    /// Tomorrow
    Fast,
}

#[derive(Form, Debug)]
enum Extra {
    Gift,
    Insurance,
}

mod shadowed {
    #![allow(non_camel_case_types)]

    struct Option;
    struct String;
    trait Form {}

    #[derive(haft::Form)]
    struct Inner {
        some: bool,
        text: std::string::String,
    }
}

mod renamed {
    mod dependencies {
        pub(crate) use haft as tools;
    }

    #[derive(dependencies::tools::Form)]
    #[form(crate = "self::dependencies::tools")]
    struct Inner {
        number: u8,
    }

    #[derive(dependencies::tools::Form)]
    #[form(crate = "self::dependencies::tools")]
    enum Choice {
        One,
    }
}

pub fn main() {
    fn form<T: Form>() {}
    fn field<T: FormField>() {}
    form::<Everything>();
    field::<Option<Speed>>();
    form::<Vec<Extra>>();
}
