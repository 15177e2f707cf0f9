//! Values that JSON can say, and those that it can't.

use std::collections::{BTreeMap, HashMap};

use haft_wire::StrictErrorKind;
use haft_wire::strict::to_string;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

#[derive(Serialize)]
struct Reading {
    name: &'static str,
    temp: f64,
}

#[derive(Serialize)]
struct Flat {
    id: u8,
    #[serde(flatten)]
    reading: Reading,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Tagged {
    Point(Reading),
}

#[derive(Serialize)]
enum Variant {
    Unit,
    One(f64),
    Two(u8, f32),
    Named { deep: Option<Reading> },
}

#[derive(Serialize)]
struct Newtype(f64);

fn bad() -> Reading {
    Reading { name: "n", temp: f64::NAN }
}

#[track_caller]
fn fails(value: &impl Serialize, path: &str) {
    let error = to_string(value).unwrap_err();
    assert_eq!((error.path(), error.kind()), (path, &StrictErrorKind::NotFinite), "{error}");
}

#[test]
fn names_the_path_to_what_is_not_finite() {
    fails(&f64::NAN, "");
    fails(&f32::NEG_INFINITY, "");
    fails(&Some(f64::INFINITY), "");
    fails(&Newtype(f64::NAN), "");
    fails(&bad(), "/temp");
    fails(&vec![vec![], vec![0.0, f64::NAN]], "/1/1");
    fails(&("a", (1, f64::NAN)), "/1/1");
    fails(&BTreeMap::from([("readings", vec![Reading { name: "a", temp: 1.0 }, bad()])]), "/readings/1/temp");
    fails(&HashMap::from([(7_u8, f64::NAN)]), "/7");
    fails(&BTreeMap::from([(true, f64::NAN)]), "/true");
    fails(&BTreeMap::from([("a/b~c", f64::NAN)]), "/a~1b~0c");
    fails(&Flat { id: 1, reading: bad() }, "/temp");
    fails(&Tagged::Point(bad()), "/temp");
    fails(&Variant::One(f64::NAN), "/One");
    fails(&Variant::Two(0, f32::NAN), "/Two/1");
    fails(&[Variant::Named { deep: Some(bad()) }], "/0/Named/deep/temp");
}

#[test]
fn map_written_key_by_key_has_a_path_too() {
    struct Piecemeal;

    impl Serialize for Piecemeal {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            use serde::ser::SerializeMap;
            let mut map = serializer.serialize_map(None)?;
            map.serialize_key("fine")?;
            map.serialize_value(&1.0)?;
            map.serialize_key("wrong")?;
            map.serialize_value(&[f64::NAN])?;
            map.end()
        }
    }

    fails(&Piecemeal, "/wrong/0");
}

#[test]
fn a_swallowed_error_is_an_error_still() {
    struct Swallow;

    impl Serialize for Swallow {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            use serde::ser::SerializeSeq;
            let mut seq = serializer.serialize_seq(None)?;
            let _ = seq.serialize_element(&f64::NAN);
            seq.end()
        }
    }

    fails(&Swallow, "/0");
}

#[test]
fn keys_that_are_no_strings() {
    let error = to_string(&BTreeMap::from([("a", BTreeMap::from([((1, 2), 3)]))])).unwrap_err();
    assert_eq!(error.path(), "/a");
    assert!(
        matches!(error.kind(), StrictErrorKind::Unsupported(why) if why.contains("key must be a string")),
        "{error}"
    );

    struct Key(f64);
    impl Serialize for Key {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map([(self.0, 1)])
        }
    }
    assert_eq!(to_string(&Key(1.5)).unwrap(), r#"{"1.5":1}"#);
    assert_eq!(to_string(&[Key(f64::NAN)]).unwrap_err().path(), "/0");
}

#[test]
fn all_else_is_written_as_serde_json_writes_it() {
    #[track_caller]
    fn same(value: &impl Serialize) {
        assert_eq!(to_string(value).unwrap(), serde_json::to_string(value).unwrap());
    }
    same(&(1_u8, -1_i8, 2_u16, -2_i16, 3_u32, -3_i32, 4_u64, -4_i64));
    same(&(true, 'x', "a\n\"\u{1f600}", (), None::<u8>, Some("b")));
    same(&(1.0, 0.1_f32, 1e300, -0.0, f64::MIN_POSITIVE));
    same(&[Variant::Unit, Variant::One(1.5), Variant::Two(1, 2.0), Variant::Named { deep: None }]);
    same(&Flat { id: 1, reading: Reading { name: "n", temp: 1.0 } });
    same(&Tagged::Point(Reading { name: "n", temp: 1.0 }));
    same(&std::net::Ipv4Addr::LOCALHOST);
    same(&serde_json::json!({"a": [1, 2.5, null, {"b": "c"}]}));
    same(&serde_json::from_str::<Box<RawValue>>("{ \"a\" : 1.50 }").unwrap());
}

#[test]
fn integers_digit_for_digit() {
    assert_eq!(to_string(&u128::MAX).unwrap(), "340282366920938463463374607431768211455");
    assert_eq!(to_string(&[i128::MIN]).unwrap(), "[-170141183460469231731687303715884105728]");
    assert_eq!(to_string(&(u64::MAX, i64::MIN)).unwrap(), "[18446744073709551615,-9223372036854775808]");
    assert_eq!(
        to_string(&BTreeMap::from([(u128::MAX, 1)])).unwrap(),
        r#"{"340282366920938463463374607431768211455":1}"#
    );
}
