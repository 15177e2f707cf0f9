use std::time::Duration;

use super::Handled;

/// What the description of a tool says that creates handles.
pub fn sentence<T: Handled>() -> String {
    let id = format!("The id that it returns ({}_…)", T::PREFIX);
    match (T::LIFETIME.total(), T::LIFETIME.idle()) {
        (None, None) => format!("{id} does not expire."),
        (Some(total), None) => format!("{id} expires {} after its creation.", span(total)),
        (None, Some(idle)) => format!("{id} expires {} after its last use.", span(idle)),
        (Some(total), Some(idle)) => {
            format!(
                "{id} expires {} after its last use, and {} after its creation at the latest.",
                span(idle),
                span(total)
            )
        }
    }
}

/// A duration in the largest unit that it is a whole number of.
fn span(duration: Duration) -> String {
    let seconds = duration.as_secs();
    if seconds == 0 {
        return format!("{} ms", duration.as_millis());
    }
    let units = [(86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second")];
    // One day is a day; 36 hours are no days.
    let (length, unit) = units.into_iter().find(|(length, _)| seconds.is_multiple_of(*length)).unwrap_or((1, "second"));
    let count = seconds / length;
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_read_well() {
        let text = |seconds| span(Duration::from_secs(seconds));
        assert_eq!([text(1), text(90), text(60), text(7_200)], ["1 second", "90 seconds", "1 minute", "2 hours"]);
        assert_eq!([text(86_400), text(129_600)], ["1 day", "36 hours"]);
        assert_eq!(span(Duration::from_millis(250)), "250 ms");
    }
}
