//! The check in one line of a test.

use crate::check::check;
use crate::facts::ServerFacts;
use crate::options::Options;
use crate::rule::Severity;

/// Panics with the report unless the definitions are portable: no rule of the specification, of safety or of the portable
/// profile says that a host rejects or cuts them.
///
/// Takes what [`ServerFacts::from_definitions`] takes: `{"tools": [...]}`, a bare array, a whole `tools/list` result.
///
/// ```
/// haft_check::assert_portable(r#"{"tools": [{
///     "name": "get_order",
///     "title": "Look up an order",
///     "description": "Use this when the user asks where an order is. Returns its status.",
///     "inputSchema": {
///         "type": "object",
///         "properties": {"order_id": {"type": "string", "description": "Order ID, e.g. A-1001", "maxLength": 20}},
///         "required": ["order_id"]
///     },
///     "annotations": {
///         "title": "Look up an order", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
///         "openWorldHint": false
///     }
/// }]}"#);
/// ```
///
/// # Panics
/// With the report, when the definitions aren't portable or can't be read.
#[track_caller]
pub fn assert_portable(definitions: &str) {
    match ServerFacts::from_definitions("definitions", definitions) {
        Err(error) => panic!("{error}"),
        Ok(facts) => {
            let report = check(&facts, &Options::default());
            assert!(!report.fails(Severity::Truncates), "the tools are not portable\n\n{}", report.to_text(false));
        }
    }
}
