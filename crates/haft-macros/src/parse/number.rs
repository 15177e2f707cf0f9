//! Number literals in `range(...)` and `length(...)`.

use std::cmp::Ordering;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Expr, ExprLit, ExprUnary, Lit, UnOp};

/// A number as the user typed it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    /// Within `i64::MIN..=u64::MAX`
    Integer(i128),
    /// Finite
    Float(f64),
}

impl Number {
    /// A literal, with or without a minus sign.
    pub(crate) fn parse(expr: &Expr) -> Result<Number, String> {
        match expr {
            Expr::Group(group) => Number::parse(&group.expr),
            Expr::Paren(paren) => Number::parse(&paren.expr),
            Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => match Number::literal(expr)? {
                Number::Integer(value) => in_64_bits(-value),
                Number::Float(value) => Ok(Number::Float(-value)),
            },
            other => match Number::literal(other)? {
                Number::Integer(value) => in_64_bits(value),
                float => Ok(float),
            },
        }
    }

    fn literal(expr: &Expr) -> Result<Number, String> {
        match expr {
            Expr::Group(group) => Number::literal(&group.expr),
            Expr::Lit(ExprLit { lit: Lit::Int(int), .. }) => match int.suffix() {
                "f32" | "f64" => finite(int.base10_digits()),
                _ => int.base10_parse::<i128>().map(Number::Integer).map_err(|_| TOO_WIDE.to_owned()),
            },
            Expr::Lit(ExprLit { lit: Lit::Float(float), .. }) => finite(float.base10_digits()),
            _ => Err("bounds are number literals such as `1`, `-40` or `0.5`: the schema is written at compile time"
                .to_owned()),
        }
    }

    /// The value's text in messages.
    pub(crate) fn text(self) -> String {
        match self {
            Number::Integer(value) => value.to_string(),
            Number::Float(value) => value.to_string(),
        }
    }

    fn as_f64(self) -> f64 {
        match self {
            #[allow(clippy::cast_precision_loss)]
            Number::Integer(value) => value as f64,
            Number::Float(value) => value,
        }
    }
}

const TOO_WIDE: &str = "bounds must fit into 64 bits";

fn in_64_bits(value: i128) -> Result<Number, String> {
    if value < i128::from(i64::MIN) || value > i128::from(u64::MAX) {
        return Err(TOO_WIDE.to_owned());
    }
    Ok(Number::Integer(value))
}

fn finite(digits: &str) -> Result<Number, String> {
    match digits.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Number::Float(value)),
        _ => Err("bounds must be finite".to_owned()),
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        match (self, other) {
            (Number::Integer(a), Number::Integer(b)) => a.partial_cmp(b),
            (a, b) => a.as_f64().partial_cmp(&b.as_f64()),
        }
    }
}

impl ToTokens for Number {
    /// A literal of type `i64`, `u64` or `f64`, whichever holds it.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match *self {
            Number::Integer(value) => match (i64::try_from(value), u64::try_from(value)) {
                (Ok(value), _) => quote!(#value),
                (_, Ok(value)) => quote!(#value),
                _ => quote!(0i64),
            },
            Number::Float(value) => quote!(#value),
        }
        .to_tokens(tokens);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Result<Number, String> {
        Number::parse(&syn::parse_str(text).expect("an expression"))
    }

    #[test]
    fn reads_literals() {
        assert_eq!(number("7"), Ok(Number::Integer(7)));
        assert_eq!(number("-40i8"), Ok(Number::Integer(-40)));
        assert_eq!(number("0xff"), Ok(Number::Integer(255)));
        assert_eq!(number("-0.5"), Ok(Number::Float(-0.5)));
        assert_eq!(number("1f64"), Ok(Number::Float(1.0)));
        assert_eq!(number("18446744073709551615"), Ok(Number::Integer(i128::from(u64::MAX))));
        assert_eq!(number("-9223372036854775808"), Ok(Number::Integer(i128::from(i64::MIN))));
    }

    #[test]
    fn refuses_the_rest() {
        for bad in ["MAX", "1 + 1", "\"1\"", "18446744073709551616", "-9223372036854775809", "1e999", "'a'"] {
            assert!(number(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn writes_the_narrowest_literal() {
        let text = |n: Number| n.to_token_stream().to_string().replace(' ', "");
        assert_eq!(text(Number::Integer(-3)), "-3i64");
        assert_eq!(text(Number::Integer(i128::from(u64::MAX))), "18446744073709551615u64");
        assert_eq!(text(Number::Float(0.5)), "0.5f64");
    }
}
