//! What a server publishes and answers is the same, byte for byte, whatever serde_json features a user's tree turns on.
//!
//! `snapshots/same_bytes.txt` holds it; CI runs this test with and without the feature `odd-json`. After a wanted change,
//! `HAFT_BLESS=1 cargo test -p conformance --test same_bytes` writes the file anew: read the difference.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use haft::prelude::*;
use serde_json::json;

/// How a parcel travels.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Service {
    /// Within two days.
    Express,
    /// Within a week.
    Standard,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Parcel {
    zone: u8,
    /// In kilograms.
    weight: f64,
    labels: BTreeMap<String, i64>,
    note: Option<String>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Drop {
    Locker { number: u64 },
    Door { bell: Option<String> },
}

#[derive(Serialize, JsonSchema)]
struct Receipt {
    id: u64,
    price: f64,
    parcels: Vec<Parcel>,
    drop: Option<Drop>,
}

/// Use this to price a shipment before it is sent.
#[tool(read_only, closed_world)]
async fn price_shipment(
    /// Where it goes.
    #[arg(pattern = "^[A-Z]{2}$", example = "SE")]
    country: String,
    #[arg(range(0.5..=1e3), default = 1.0)] factor: f64,
    #[arg(range(1..=9_007_199_254_740_991))] reference: i64,
    #[arg(length(1..=3))] parcels: Vec<Parcel>,
    service: Service,
    #[arg(rename = "drop")] place: Option<Drop>,
) -> Receipt {
    let _ = (country, service);
    Receipt { id: u64::MAX, price: factor, parcels, drop: place.filter(|_| reference > 0) }
}

/// Use this to add numbers.
#[tool(additive, closed_world, allow(portable_output))]
async fn add_numbers(a: i64, b: u64, c: f32) -> Vec<f64> {
    vec![a as f64, b as f64, f64::from(c)]
}

async fn observe() -> Result<String, Box<dyn std::error::Error>> {
    let server = Server::new("bytes", "1.0.0").tool(price_shipment::tool()).tool(add_numbers::tool()).build()?;
    let client = haft::Client::in_memory(&server);
    let mut seen = String::new();
    for tool in client.list_tools().await? {
        writeln!(seen, "{}", serde_json::to_string(&tool)?)?;
    }
    let parcel = json!({"zone": 3.0, "weight": 2, "labels": {"z": 1, "a": 1e3}, "note": null});
    let good = json!({"reference": 1e3, "parcels": [parcel], "service": "express", "country": "SE", "drop": {"kind": "locker", "number": u64::MAX}});
    let mut many = good.clone();
    many["country"] = json!("Sweden");
    many["factor"] = json!(1.5e21);
    many["reference"] = json!(0.5);
    many["service"] = json!("expres");
    many["drop"] = json!({"kind": "locker", "bell": "x"});
    many["parcels"][0]["zone"] = json!(300);
    many["parcels"][0]["labels"]["z"] = json!(18_446_744_073_709_551_615_u64);
    many["wieght"] = json!({"b": [1.0, 1e-7, -0.0], "a": 12_345_678_901_234_567_890_u64});
    let calls = [
        ("price_shipment", good),
        ("price_shipment", many),
        ("price_shipment", json!({})),
        ("add_numbers", json!({"a": i64::MIN, "b": u64::MAX, "c": 1.0})),
        ("add_numbers", json!({"a": 1.5, "b": -1, "c": "1"})),
        ("add_numbers", serde_json::from_str(r#"{"a":18446744073709551616,"b":1E2,"c":1e-0}"#)?),
    ];
    for (name, arguments) in calls {
        writeln!(seen, "\n{name}\n{}", serde_json::to_string(&client.call(name, arguments).await?.result)?)?;
    }
    Ok(seen)
}

#[tokio::test]
async fn definitions_and_answers_are_the_same_bytes() -> Result<(), Box<dyn std::error::Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots/same_bytes.txt");
    let seen = observe().await?;
    if std::env::var_os("HAFT_BLESS").is_some() {
        std::fs::write(&path, &seen)?;
    }
    let wanted = std::fs::read_to_string(&path)?;
    for (seen, wanted) in seen.lines().zip(wanted.lines()) {
        assert_eq!(seen, wanted, "differs from {}", path.display());
    }
    assert_eq!(seen, wanted, "differs from {}", path.display());
    Ok(())
}

/// Else the second round in CI would prove nothing.
#[test]
fn the_feature_reaches_serde_json() -> Result<(), serde_json::Error> {
    let odd = cfg!(feature = "odd-json");
    let value: serde_json::Value = serde_json::from_str(r#"{"z":1e3,"a":2}"#)?;
    assert_eq!(value.to_string().starts_with(r#"{"z":1e"#), odd, "{value}");
    Ok(())
}
