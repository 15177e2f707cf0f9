//! Content blocks: made, written, read.

use haft_wire::{ContentBlock, Role};
use serde_json::json;

#[track_caller]
fn both_ways(block: &ContentBlock, text: &str) {
    assert_eq!(serde_json::to_string(block).unwrap(), text);
    assert_eq!(&serde_json::from_str::<ContentBlock>(text).unwrap(), block);
}

#[test]
fn bytes_of_each_kind() {
    both_ways(&ContentBlock::text("hi"), r#"{"type":"text","text":"hi"}"#);
    both_ways(
        &ContentBlock::image([0, 1, 255], "image/png"),
        r#"{"type":"image","data":"AAH/","mimeType":"image/png"}"#,
    );
    both_ways(&ContentBlock::audio("ab", "audio/wav"), r#"{"type":"audio","data":"YWI=","mimeType":"audio/wav"}"#);
    both_ways(&ContentBlock::resource_link("x:y", "y"), r#"{"type":"resource_link","uri":"x:y","name":"y"}"#);
    both_ways(
        &ContentBlock::resource_link("x:y", "y").title("Y").description("d").mime_type("text/plain").size(3),
        r#"{"type":"resource_link","uri":"x:y","name":"y","title":"Y","description":"d","mimeType":"text/plain","size":3}"#,
    );
    both_ways(
        &ContentBlock::resource_text("x:y", "text/plain", "t"),
        r#"{"type":"resource","resource":{"uri":"x:y","mimeType":"text/plain","text":"t"}}"#,
    );
    both_ways(
        &ContentBlock::resource_blob("x:y", "a/b", [1]),
        r#"{"type":"resource","resource":{"uri":"x:y","mimeType":"a/b","blob":"AQ=="}}"#,
    );
    both_ways(
        &ContentBlock::text("hi")
            .audience([Role::User, Role::Assistant])
            .priority(0.9)
            .last_modified("2026-01-01T00:00:00Z")
            .meta("com.example/z", json!({"b": 1, "a": 2}))
            .meta("com.example/a", true),
        concat!(
            r#"{"type":"text","text":"hi","annotations":{"audience":["user","assistant"],"priority":0.9,"#,
            r#""lastModified":"2026-01-01T00:00:00Z"},"_meta":{"com.example/a":true,"com.example/z":{"a":2,"b":1}}}"#
        ),
    );
}

#[test]
fn builders_keep_within_the_specification() {
    let priority =
        |priority| serde_json::to_value(ContentBlock::text("").priority(priority)).unwrap()["annotations"].clone();
    assert_eq!(priority(7.0), json!({"priority": 1}));
    assert_eq!(priority(f64::NEG_INFINITY), json!({"priority": 0}));
    assert_eq!(priority(f64::NAN), json!(null));
    assert_eq!(ContentBlock::text("a").audience([]), ContentBlock::text("a"));
    assert_eq!(ContentBlock::text("a").title("t").size(1).description("d").mime_type("m"), ContentBlock::text("a"));
    assert_eq!(ContentBlock::image("x", "a/b").mime_type("c/d"), ContentBlock::image("x", "c/d"));
}

#[test]
fn what_is_not_understood_stays_as_it_is() {
    for text in [
        r#"{"type":"video","data":"AA==","fps":29.970,"n":123456789012345678901234567890}"#,
        r#"{"type":"image","data":"AA=="}"#,
        r#"{"type":"resource","resource":{"uri":"x:y"}}"#,
        r#"{"type":"resource","resource":["x:y","a/b","text"]}"#,
        r#"["text","array"]"#,
        r#"{"type":7}"#,
        r#"{"text":"no type"}"#,
        r#""just text""#,
        "null",
    ] {
        let block: ContentBlock = serde_json::from_str(text).unwrap();
        let ContentBlock::Unknown(unknown) = &block else { panic!("{block:?}") };
        assert_eq!(unknown.raw().get(), text);
        assert_eq!(serde_json::to_string(&block).unwrap(), text);
        assert_eq!(block.clone().priority(1.0).meta("a", 1).title("t"), block);
    }
    let block: ContentBlock = serde_json::from_str(r#"{"type":"video"}"#).unwrap();
    let ContentBlock::Unknown(unknown) = block else { panic!("{block:?}") };
    assert_eq!(unknown.kind().as_deref(), Some("video"));
}

#[test]
fn odd_annotations_do_not_take_the_text_along() {
    for (annotations, expected) in [
        (r#"{"priority":"high","audience":["user","robot"]}"#, ContentBlock::text("t").audience([Role::User])),
        (r#"{"priority":1,"audience":"user"}"#, ContentBlock::text("t").priority(1.0)),
        (r#"{"audience":["robot"],"lastModified":7,"priority":0.5,"x":1}"#, ContentBlock::text("t").priority(0.5)),
        ("[]", ContentBlock::text("t")),
        ("null", ContentBlock::text("t")),
    ] {
        let text = format!(r#"{{"type":"text","text":"t","annotations":{annotations},"unknown":[1.5]}}"#);
        assert_eq!(serde_json::from_str::<ContentBlock>(&text).unwrap(), expected, "{annotations}");
    }
}

#[test]
fn reads_from_a_value_too() {
    let value = json!({"type": "text", "text": "t", "annotations": {"priority": 0.25}});
    assert_eq!(serde_json::from_value::<ContentBlock>(value).unwrap(), ContentBlock::text("t").priority(0.25));
}
