//! What can be said of a type from its tokens alone: enough for better messages, never relied on for more.

use syn::{GenericArgument, PathArguments, PathSegment, Type};

/// What kind of JSON value a well-known type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// With the range that its Rust type holds
    Integer {
        min: i128,
        max: i128,
    },
    Float,
    Boolean,
    Text,
    List,
    Map,
    /// A type that isn't one of the standard library's well-known ones
    Unknown,
}

/// The type without the parentheses and invisible groups around it.
pub(crate) fn peel(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => peel(&group.elem),
        Type::Paren(paren) => peel(&paren.elem),
        other => other,
    }
}

/// The last segment's name of a path type.
pub(crate) fn last_name(ty: &Type) -> Option<String> {
    last_segment(ty).map(|segment| segment.ident.to_string())
}

/// `T` of `Option<T>`.
pub(crate) fn option_of(ty: &Type) -> Option<&Type> {
    let segment = last_segment(ty).filter(|segment| segment.ident == "Option")?;
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return None };
    match arguments.args.first()? {
        GenericArgument::Type(inner) => Some(inner),
        _ => None,
    }
}

/// The kind of a type, seen through `Option`.
pub(crate) fn kind(ty: &Type) -> Kind {
    let ty = option_of(ty).unwrap_or(ty);
    macro_rules! integers {
        ($name:expr; $($ty:ident)*) => {
            match $name {
                $(stringify!($ty) => Some(Kind::Integer { min: $ty::MIN as i128, max: $ty::MAX as i128 }),)*
                _ => None,
            }
        };
    }
    let Some(segment) = last_segment(ty) else {
        return if matches!(peel(ty), Type::Array(_) | Type::Slice(_)) { Kind::List } else { Kind::Unknown };
    };
    let name = segment.ident.to_string();
    if !segment.arguments.is_none() {
        return match name.as_str() {
            "Vec" | "VecDeque" | "HashSet" | "BTreeSet" => Kind::List,
            "HashMap" | "BTreeMap" => Kind::Map,
            _ => Kind::Unknown,
        };
    }
    if let Some(integer) = integers!(name.as_str(); i8 i16 i32 i64 isize u8 u16 u32 u64 usize) {
        return integer;
    }
    match name.as_str() {
        "f32" | "f64" => Kind::Float,
        "bool" => Kind::Boolean,
        "String" | "char" | "PathBuf" => Kind::Text,
        _ => Kind::Unknown,
    }
}

fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match peel(ty) {
        Type::Path(path) if path.qself.is_none() => path.path.segments.last(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_kinds() {
        let of = |text: &str| kind(&syn::parse_str(text).expect("a type"));
        assert_eq!(of("u8"), Kind::Integer { min: 0, max: 255 });
        assert_eq!(of("Option<f64>"), Kind::Float);
        assert_eq!(of("std::string::String"), Kind::Text);
        assert_eq!(of("Vec<u8>"), Kind::List);
        assert_eq!(of("HashMap<String, u8>"), Kind::Map);
        assert_eq!(of("Size"), Kind::Unknown);
        assert_eq!(of("Id<u8>"), Kind::Unknown);
    }
}
