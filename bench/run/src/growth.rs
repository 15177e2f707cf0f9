//! How cost grows, as curves in an SVG.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use crate::loads::{self, Load};
use crate::once;
use crate::report::median;
use crate::servers::{PEERS, Peer, Way};
use crate::wire::Call;

#[derive(Serialize)]
pub struct Curve {
    pub plot: &'static str,
    /// What it should be.
    pub expected: &'static str,
    pub x: &'static str,
    pub y: &'static str,
    pub server: &'static str,
    pub points: Vec<(f64, f64)>,
}

/// The curves of haft, and of rmcp at its best.
pub fn measure(bench: &Path, rounds: usize, time: Duration) -> Vec<Curve> {
    let peers: Vec<&Peer> = PEERS.iter().filter(|peer| matches!(peer.name, "haft" | "rmcp")).collect();
    let mut curves = Vec::new();
    let mut grow = |plot, expected, x, loads: &mut dyn Iterator<Item = (f64, Load)>| {
        let mut of: Vec<Curve> = peers
            .iter()
            .map(|peer| Curve { plot, expected, x, y: "CPU µs a call", server: peer.name, points: Vec::new() })
            .collect();
        for (at, load) in loads {
            for figures in loads::run(&load, &peers, bench, rounds, time) {
                if let Some(curve) =
                    of.iter_mut().find(|curve| curve.server == figures.server && figures.missing.is_none())
                {
                    curve.points.push((at, median(&figures.cpu)));
                }
            }
        }
        curves.append(&mut of);
    };
    let tools = [4, 10, 100, 1000, 10_000];
    let call = |tools: usize| (tools as f64, Load::new("growth", Way::Stdio, Call::get_order(), 1).tools(tools));
    grow(
        "A call, by the server's tools",
        "constant: a tool is found by its name",
        "tools",
        &mut tools.into_iter().map(call),
    );
    let list = |tools: usize| (tools as f64, Load::new("growth", Way::Stdio, Call::list(), 1).tools(tools));
    grow(
        "tools/list, by the server's tools",
        "linear: as many bytes go out",
        "tools",
        &mut tools.into_iter().map(list),
    );
    let lines = [1, 4, 16, 64, 256, 1024];
    let argument = |lines: usize| (lines as f64, Load::new("growth", Way::Stdio, Call::place_order(lines), 1));
    grow(
        "A call, by the objects in its argument",
        "linear: each is checked",
        "objects of 220 bytes",
        &mut lines.into_iter().map(argument),
    );
    let in_flight = [1, 4, 16, 64, 256];
    let calls = |count: usize| (count as f64, Load::new("growth", Way::Stdio, Call::get_order(), count));
    grow(
        "A call, by the calls in flight",
        "constant or falling: system calls are shared",
        "calls in flight",
        &mut in_flight.into_iter().map(calls),
    );
    for peer in peers {
        match once::subscriptions(peer, bench, &[1, 10, 100, 1000, 3000]) {
            Ok(points) => curves.push(Curve {
                plot: "Memory, by open subscriptions",
                expected: "linear: so much for each",
                x: "subscriptions",
                y: "MiB",
                server: peer.name,
                points: points.into_iter().map(|(count, size)| (count as f64, size as f64 / 1024.0)).collect(),
            }),
            Err(why) => eprintln!("subscriptions, {}: {why}", peer.name),
        }
    }
    curves
}

const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 50.0;
const BOTTOM: f64 = 40.0;

/// All plots below each other, both axes logarithmic: there a straight line that rises by one is linear growth.
pub fn svg(curves: &[Curve]) -> String {
    let mut plots: Vec<&str> = Vec::new();
    for curve in curves {
        if !plots.contains(&curve.plot) {
            plots.push(curve.plot);
        }
    }
    let rows = plots.len().div_ceil(2) as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        2.0 * WIDTH,
        rows * HEIGHT
    );
    for (index, plot) in plots.iter().enumerate() {
        let of: Vec<&Curve> = curves.iter().filter(|curve| curve.plot == *plot).collect();
        let (x, y) = ((index % 2) as f64 * WIDTH, (index / 2) as f64 * HEIGHT);
        let _ = writeln!(out, "<g transform=\"translate({x} {y})\">");
        draw(&mut out, &of);
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

fn draw(out: &mut String, curves: &[&Curve]) {
    let Some(first) = curves.first() else { return };
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let range = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, 0.0_f64), |(least, most), value| (least.min(value), most.max(value)))
    };
    let (x, y) = (range(&mut points().map(|point| point.0)), range(&mut points().map(|point| point.1)));
    let (decades_y, least_y) = ((y.1.log10().ceil() - y.0.log10().floor()).max(1.0), y.0.log10().floor());
    let across = |value: f64| {
        let part = (value.log10() - x.0.log10()) / (x.1.log10() - x.0.log10()).max(0.01);
        LEFT + part * (WIDTH - LEFT - 80.0)
    };
    let up = |value: f64| HEIGHT - BOTTOM - (value.log10() - least_y) / decades_y * (HEIGHT - BOTTOM - 46.0);
    let _ = writeln!(out, "<text x=\"{LEFT}\" y=\"16\" font-weight=\"bold\">{}</text>", first.plot);
    let _ = writeln!(out, "<text x=\"{LEFT}\" y=\"30\" fill=\"#555\">should be {}</text>", first.expected);
    let _ = writeln!(
        out,
        "<text x=\"{LEFT}\" y=\"{}\" fill=\"#555\">{} ({} upwards)</text>",
        HEIGHT - 8.0,
        first.x,
        first.y
    );
    let mut decade = least_y;
    while decade <= least_y + decades_y {
        let (value, at) = (10_f64.powf(decade), up(10_f64.powf(decade)));
        let _ = writeln!(
            out,
            "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>",
            WIDTH - 80.0
        );
        let _ = writeln!(out, "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>", LEFT - 4.0, at + 4.0);
        decade += 1.0;
    }
    if let Some(longest) = curves.iter().max_by_key(|curve| curve.points.len()) {
        for (value, _) in &longest.points {
            let at = across(*value);
            let _ = writeln!(out, "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{value}</text>", HEIGHT - 24.0);
        }
    }
    for (curve, colour) in curves.iter().zip(["#0b6bcb", "#c2410c", "#15803d"]) {
        let line: Vec<String> = curve.points.iter().map(|(x, y)| format!("{:.1},{:.1}", across(*x), up(*y))).collect();
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            line.join(" ")
        );
        if let Some((x, y)) = curve.points.last() {
            let _ = writeln!(
                out,
                "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\">{}</text>",
                across(*x) + 6.0,
                up(*y) + 4.0,
                curve.server
            );
        }
    }
}
