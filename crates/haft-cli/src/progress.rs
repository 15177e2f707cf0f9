//! How far a call is, where somebody sits at a terminal.

use haft::{CallOptions, ProgressParams};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::show::cut;

/// Parts of the bar: what servers count is any number.
const WHOLE: u64 = 1_000;
/// Characters of what the server says.
const SAID: usize = 120;

/// The bar of one call. It is there from the first progress on, and gone with this.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// On stderr; nothing at all if that is no terminal.
    pub(crate) fn new() -> Self {
        Self(ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()))
    }

    /// Options of a call that asks for progress where there is somebody to see it.
    pub(crate) fn options(&self) -> CallOptions {
        let options = CallOptions::default();
        if self.0.is_hidden() {
            return options;
        }
        let bar = self.0.clone();
        options.on_progress(move |progress| {
            match share(&progress) {
                Some(share) => {
                    bar.set_length(WHOLE);
                    bar.set_style(style("{wide_bar} {percent} % {msg}"));
                    bar.set_position(share);
                }
                None => bar.set_style(style("{spinner} {msg}")),
            }
            bar.set_message(said(&progress));
            bar.tick();
        })
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// How many of [`WHOLE`] parts are done, if the server says of how much.
fn share(progress: &ProgressParams) -> Option<u64> {
    let total = progress.total.filter(|total| total.is_finite() && *total > 0.0)?;
    // The cast of a float saturates at both ends.
    Some(((progress.progress / total).clamp(0.0, 1.0) * WHOLE as f64) as u64)
}

/// What the server says, or else how much it has done.
fn said(progress: &ProgressParams) -> String {
    match &progress.message {
        Some(message) => haft_check::printable_line(&cut(message, SAID)),
        None => progress.progress.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(json: serde_json::Value) -> ProgressParams {
        serde_json::from_value(json).expect("progress")
    }

    #[test]
    fn odd_numbers_and_words_do_no_harm() {
        for (done, total, expected) in [
            (1.0, 4.0, Some(250)),
            (9.0, 4.0, Some(1_000)),
            (-1.0, 4.0, Some(0)),
            (1e300, 1e-300, Some(1_000)),
            (1.0, 0.0, None),
            (1.0, -4.0, None),
        ] {
            let progress = progress(serde_json::json!({"progressToken": 1, "progress": done, "total": total}));
            assert_eq!(share(&progress), expected, "{done} of {total}");
        }
        let message = format!("\u{1b}[2J\r\u{202e}{}", "x".repeat(1_000));
        let said = said(&progress(serde_json::json!({"progressToken": 1, "progress": 1, "message": message})));
        assert!(said.starts_with("\\u{1b}[2J\\u{d}\\u{202e}xx") && said.chars().count() < 150, "{said}");
    }
}
