//! A weather server with one tool.
//!
//! `cargo run -q --example weather` serves it on stdin and stdout; with `-- --http 127.0.0.1:8080` it is at
//! <http://127.0.0.1:8080/mcp>.

use haft::prelude::*;

#[path = "shared/serve.rs"]
mod shared;

#[derive(Serialize, JsonSchema)]
struct WeatherReading {
    /// Celsius
    temperature: f64,
    conditions: String,
    humidity: f64,
}

/// Get current weather for a city. Returns Celsius temperature, conditions, and humidity.
#[tool(title = "Weather Data Retriever", read_only, open_world)]
async fn get_weather_data(
    /// City name or postal code
    location: String,
) -> Reply<WeatherReading> {
    // Stand-in for a real weather service: the same values for every location.
    let weather = WeatherReading { temperature: 18.5, conditions: "partly cloudy".to_owned(), humidity: 62.0 };
    let text =
        format!("{location}: {} °C, {}, humidity {:.0}%", weather.temperature, weather.conditions, weather.humidity);
    Reply::new(weather).text(text)
}

pub(crate) fn server() -> Result<Server, haft::BuildError> {
    Server::new("weather", "1.0.0").tool(get_weather_data::tool()).build()
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), haft::ServeError> {
    shared::serve(server()?).await
}
