//! Every number that a host has been seen to use, with its source: an update is a line.

/// The most that a host takes.
#[derive(Debug)]
pub(crate) struct Limit {
    pub(crate) value: usize,
    /// What is counted.
    pub(crate) unit: &'static str,
    pub(crate) source: &'static str,
    pub(crate) date: &'static str,
}

const fn limit(value: usize, unit: &'static str, source: &'static str, date: &'static str) -> Limit {
    Limit { value, unit, source, date }
}

#[rustfmt::skip]
mod table {
    use super::{Limit, limit};

    pub(crate) const SCHEMA_LEVELS: Limit = limit(100, "levels", "OpenAI Agents SDK, src/agents/strict_schema.py @7f7a44f8 (depth 100), as the strictest number known", "2026-08-22");
    pub(crate) const SCHEMA_SUBSCHEMAS: Limit = limit(10_000, "subschemas", "haft-schema, which refuses more; MCP 2026-07-28 asks for a cap and gives no number", "2026-11-30");
    pub(crate) const CLAUDE_DIRECTORY_NAME: Limit = limit(64, "characters", "Connector pre-submission checklist, https://claude.com/docs/connectors/building/review-criteria ; Anthropic Software Directory Policy, https://support.claude.com/en/articles/13145358-anthropic-software-directory-policy 5.C", "2026-10-07");
    pub(crate) const AMAZON_Q_NAME: Limit = limit(64, "characters", "aws/amazon-q-developer-cli crates/chat-cli/src/cli/chat/tool_manager.rs @15cc8f3c", "2026-04-23");
    pub(crate) const ZED_NAME: Limit = limit(64, "characters", "zed-industries/zed crates/agent thread.rs MAX_TOOL_NAME_LENGTH (stored version)", "2026-01-01");
    pub(crate) const CLINE_NAME: Limit = limit(64, "characters", "cline/cline sdk/packages/core/src/extensions/mcp/name-transform.ts @21cb8d2", "2026-08-22");
    pub(crate) const N8N_NAME: Limit = limit(64, "characters", "tadata-org/fastapi_mcp#161", "2025-06-06");
    pub(crate) const VSCODE_NAME: Limit = limit(46, "characters", "microsoft/vscode src/vs/workbench/contrib/mcp/common/mcpServer.ts @0052d689 McpToolName{MaxPrefixLen=18,MaxLength=64}; microsoft/vscode#243602", "2026-01-01");
    pub(crate) const CODEX_NAME: Limit = limit(64, "characters", "openai/codex codex-rs/codex-mcp/src/tools.rs @9b05dc91", "2026-06-01");
    pub(crate) const GEMINI_CLI_NAME: Limit = limit(63, "characters", "google-gemini/gemini-cli packages/core/src/tools/mcp-tool.ts @5411f113 generateValidName; docs/tools/mcp-server.md", "2026-08-21");
    pub(crate) const CURSOR_NAME: Limit = limit(59, "characters", "ComposioHQ/composio#2788 (60 fails); aashari/mcp-server-atlassian-confluence#16; executeautomation/mcp-playwright#145; PostHog/posthog PR 51483", "2026-03-18");
    pub(crate) const LIBRECHAT_NAME: Limit = limit(64, "characters", "danny-avila/LibreChat#7435, #11357, #12678, #14440", "2026-07-26");
    pub(crate) const KIRO_NAME: Limit = limit(64, "characters", "seed 000 quoting https://pournasserian.com/writing/what-ai-hosts-require-of-an-mcp-server", "2026-10-01");
    pub(crate) const CLAUDE_CODE_NAME: Limit = limit(64, "characters", "microsoft/wassette#56; modelcontextprotocol#1345; github/copilot-cli#1879; danny-avila/LibreChat#12678", "2026-04-15");
    pub(crate) const BEDROCK_GATEWAY_NAME: Limit = limit(64, "characters", "AWS devguide gateway-tool-naming (quoted in public code)", "2026-01-01");
    pub(crate) const OPENAI_NAME: Limit = limit(64, "characters", "Chat Completions reference quoted in schemaport/provider-openai rules.ts; openai/codex source comment; danny-avila/LibreChat#7435 (67>64)", "2026-08-20");
    pub(crate) const BEDROCK_NAME: Limit = limit(64, "characters", "aws-samples/sample-apj-sup-sa PR 137; kagent-dev/kagent PR 1730", "2026-07-10");
    pub(crate) const COPILOT_CLI_NAME: Limit = limit(128, "characters", "github/copilot-cli#1879", "2026-03-06");
    pub(crate) const GEMINI_NAME: Limit = limit(64, "characters", "FunctionDeclaration reference (several public copies); schemaport/provider-gemini constants (v1beta discovery rev 20260816 says 128)", "2026-08-20");
    pub(crate) const CLAUDE_CODE_DESCRIPTION: Limit = limit(2_048, "UTF-16 units", "Claude Code MCP docs, https://code.claude.com/docs/en/mcp ('2KB each'); measured on 2.1.234 in public test DescriptionBudgetCiTests (OutlookAI.McpServer)", "2026-08-18");
    pub(crate) const AMAZON_Q_DESCRIPTION: Limit = limit(10_004, "bytes", "aws/amazon-q-developer-cli crates/chat-cli/src/cli/chat/tool_manager.rs @15cc8f3c", "2026-04-23");
    pub(crate) const KIRO_DESCRIPTION: Limit = limit(1_024, "characters", "public Kiro proxies (opencodex-derived router; black-box probe report)", "2026-01-01");
    pub(crate) const COPILOT_DESCRIPTION: Limit = limit(1_024, "characters", "microsoft/vscode-copilot-chat src/extension/tools/common/toolSchemaNormalizer.ts @31acd00a", "2026-03-28");
    pub(crate) const CLAUDE_ARGUMENT: Limit = limit(64, "characters", "freee/freee-mcp#15; twilio-labs/mcp#56; ComposioHQ/composio#2330; IBM-Cloud/ibm-cloud-cli-release#226; decocms/studio#6874 (root keys only)", "2026-09-02");
    pub(crate) const GEMINI_ARGUMENT: Limit = limit(64, "characters", "@google/genai 2.17.1 typings via schemaport/provider-gemini", "2026-08-20");
    pub(crate) const CODEX_INPUT: Limit = limit(5_000, "bytes", "openai/codex codex-rs/tools/src/json_schema (mod.rs + compaction.rs, newest stored version)", "2026-06-01");
    pub(crate) const OPENAI_STRICT_LEVELS: Limit = limit(10, "levels", "OpenAI Structured Outputs guide via schemaport/provider-openai src/rules.ts", "2026-08-20");
    pub(crate) const CLAUDE_CODE_RESULT: Limit = limit(500_000, "characters", "Claude Code MCP docs, https://code.claude.com/docs/en/mcp", "2026-01-01");
    pub(crate) const CLAUDE_CODE_ALWAYS: Limit = limit(5, "tools", "Claude Code MCP docs say \"only on a few tools\" and give no number; 5 is this checker's", "2026-11-30");
    pub(crate) const CLAUDE_CODE_INSTRUCTIONS: Limit = limit(2_048, "UTF-16 units", "Claude Code MCP docs, https://code.claude.com/docs/en/mcp; same measurement", "2026-08-18");
    pub(crate) const CODEX_NAMESPACE: Limit = limit(4_096, "bytes", "openai/codex codex-rs/codex-mcp/src/tools.rs @9b05dc91", "2026-06-01");
    pub(crate) const OPENAI_TOOLS: Limit = limit(128, "tools", "OpenAI function-calling guide via microsoft/mcp-interviewer constraints/openai.py @8ad0064", "2025-12-01");
    pub(crate) const COPILOT_TOOLS: Limit = limit(128, "tools", "microsoft/vscode-copilot-chat configurationService.ts, chatMLFetcher.ts, virtualToolsConstants.ts @31acd00a", "2026-03-28");
    pub(crate) const CURSOR_TOOLS: Limit = limit(40, "tools", "easymanage MCP notes; mcptrove.com 2026-06-17", "2026-06-17");
    pub(crate) const WINDSURF_TOOLS: Limit = limit(100, "tools", "desplega.ai deep dive quoting the Cascade MCP docs", "2026-06-16");
    pub(crate) const KIRO_TOOLS: Limit = limit(48, "tools", "same Kiro router constants", "2026-10-01");
    pub(crate) const KIRO_CATALOGUE: Limit = limit(96_000, "bytes", "same Kiro router constants", "2026-10-01");
    pub(crate) const GOOD_COUNT: Limit = limit(20, "tools", "OpenAI function-calling guide (fewer than 20 at a time), via microsoft/mcp-interviewer @8ad0064", "2025-12-01");
    pub(crate) const CLAUDE_RESULT: Limit = limit(150_000, "characters", "Building custom connectors + Connectors FAQ, https://claude.com/docs/connectors/building , https://claude.com/docs/connectors/faq", "2026-04-27");
    pub(crate) const CLAUDE_CODE_TOKENS: Limit = limit(100_000, "characters", "Claude Code MCP docs, https://code.claude.com/docs/en/mcp : 25,000 tokens, of about four characters each", "2026-01-01");
    pub(crate) const GEMINI_RESULT: Limit = limit(40_000, "characters", "google-gemini/gemini-cli scheduler/tool-executor.ts and config.ts @5411f113", "2026-08-21");
    pub(crate) const GOOSE_RESULT: Limit = limit(200_000, "characters", "block/aaif-goose large_response_handler.rs, several stored versions", "2026-01-01");
    pub(crate) const CLAUDE_CALL: Limit = limit(300, "seconds", "Building custom connectors + Connectors FAQ, https://claude.com/docs/connectors/building , https://claude.com/docs/connectors/faq", "2026-01-01");
    pub(crate) const CLINE_CALL: Limit = limit(60, "seconds", "cline/cline sdk/packages/shared/src/mcp.ts @21cb8d2", "2026-08-22");
    pub(crate) const CODEX_START: Limit = limit(10, "seconds", "openai/codex connection manager constants, old stored version", "2026-01-01");
    pub(crate) const CODEX_CALL: Limit = limit(60, "seconds", "openai/codex connection manager constants, old stored version", "2026-01-01");
}
pub(crate) use table::*;
