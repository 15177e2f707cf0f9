//! What calls of a tool may take: limits that can't be meant.

use crate::errors::Errors;
use crate::model::Tool;
use crate::parse::{Count, LimitsAttr};
use crate::rules;

pub(crate) fn check(tool: &Tool, errors: &Errors) {
    let LimitsAttr { rate, concurrency, timeout, max_result } = &tool.attr.limits;
    if let Some(rate) = rate {
        count(&rate.per_second, "per_second", rules::RATE_MAX, errors);
    }
    if let Some(burst) = rate.as_ref().and_then(|rate| rate.burst.as_ref()) {
        count(burst, "burst", u64::from(u32::MAX), errors);
    }
    if let Some(calls) = concurrency {
        count(calls, "concurrency", u64::from(u32::MAX), errors);
    }
    if let Some(bytes) = max_result {
        count(bytes, "max_result", u64::from(u32::MAX), errors);
    }
    if let Some(time) = timeout.as_ref().filter(|time| time.milliseconds == 0) {
        errors.on(&time.literal, "no call ends in no time: write how long one may take, or leave `timeout` out");
    }
}

fn count(count: &Count, key: &str, most: u64, errors: &Errors) {
    if count.value == 0 {
        errors.on(&count.literal, format!("`{key} = 0` lets no call through: write at least 1, or leave it out"));
    } else if count.value > most {
        errors.on(&count.literal, format!("`{key}` can be at most {most}; leave it out for no limit"));
    }
}
