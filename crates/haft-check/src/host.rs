//! The hosts whose rules are known.

use std::fmt;

/// An AI application, directory or interface that takes tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is a name; `Host::about` says what it is")]
pub enum Host {
    Portable,
    ClaudeDirectory,
    ClaudeApp,
    ClaudeApi,
    ClaudeCode,
    Chatgpt,
    OpenaiApi,
    Codex,
    GeminiCli,
    GeminiApi,
    Vscode,
    CopilotStudio,
    Cursor,
    Kiro,
    AmazonQ,
    Bedrock,
    Windsurf,
    Zed,
    Goose,
    Cline,
    Librechat,
    CopilotCli,
    Opencode,
    N8n,
    TypescriptSdk,
    PythonSdk,
    Glama,
}

/// Name on the command line, and what it is.
const HOSTS: [(Host, &str, &str); 27] = [
    (Host::Portable, "portable", "the subset that every host takes"),
    (Host::ClaudeDirectory, "claude-directory", "Anthropic's connector directory and its review"),
    (Host::ClaudeApp, "claude-app", "Claude.ai and Claude Desktop"),
    (Host::ClaudeApi, "claude-api", "the Claude API, by itself or behind another host"),
    (Host::ClaudeCode, "claude-code", "Claude Code"),
    (Host::Chatgpt, "chatgpt", "ChatGPT, its plugins and their review"),
    (Host::OpenaiApi, "openai-api", "the OpenAI API and Agents SDK"),
    (Host::Codex, "codex", "Codex"),
    (Host::GeminiCli, "gemini-cli", "Gemini CLI"),
    (Host::GeminiApi, "gemini-api", "the Gemini API and Vertex AI"),
    (Host::Vscode, "vscode", "VS Code with GitHub Copilot"),
    (Host::CopilotStudio, "copilot-studio", "Microsoft Copilot Studio"),
    (Host::Cursor, "cursor", "Cursor"),
    (Host::Kiro, "kiro", "Kiro"),
    (Host::AmazonQ, "amazon-q", "Amazon Q Developer CLI"),
    (Host::Bedrock, "bedrock", "Amazon Bedrock"),
    (Host::Windsurf, "windsurf", "Windsurf"),
    (Host::Zed, "zed", "Zed"),
    (Host::Goose, "goose", "Goose"),
    (Host::Cline, "cline", "Cline"),
    (Host::Librechat, "librechat", "LibreChat"),
    (Host::CopilotCli, "copilot-cli", "GitHub Copilot CLI"),
    (Host::Opencode, "opencode", "OpenCode and other hosts that validate with Ajv"),
    (Host::N8n, "n8n", "n8n and LangChain"),
    (Host::TypescriptSdk, "typescript-sdk", "clients on the TypeScript SDK, version 1"),
    (Host::PythonSdk, "python-sdk", "clients on the Python SDK, version 2"),
    (Host::Glama, "glama", "the Glama registry and its scores"),
];

impl Host {
    /// All of them, `portable` first.
    pub fn all() -> impl Iterator<Item = Self> {
        HOSTS.iter().map(|(host, ..)| *host)
    }

    /// As it is written on the command line and in reports, such as `claude-code`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// What it is, in a few words.
    #[must_use]
    pub fn about(self) -> &'static str {
        self.row().2
    }

    /// The host of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        HOSTS.iter().find(|(_, known, _)| *known == name).map(|(host, ..)| *host)
    }

    fn row(self) -> &'static (Self, &'static str, &'static str) {
        &HOSTS[self as usize]
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_stands_at_its_host() {
        for host in Host::all() {
            assert_eq!(host.row().0, host);
            assert_eq!(Host::named(host.name()), Some(host));
        }
    }
}
