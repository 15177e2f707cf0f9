//! Tools that make the lists change, as far as subscribers can tell.

use std::sync::{Arc, OnceLock};

use haft::ServerHandle;
use haft::prelude::*;

/// The server's handle, once there is a server.
#[derive(Clone, Default)]
pub(crate) struct Changes(Arc<OnceLock<ServerHandle>>);

impl Changes {
    pub(crate) fn attach(&self, handle: ServerHandle) {
        // Set once, right after the server was built.
        let _ = self.0.set(handle);
    }

    fn handle(&self) -> Result<&ServerHandle, ToolError> {
        self.0.get().ok_or_else(|| ToolError::new("The server is not up yet. Try again."))
    }
}

/// Use this to see the tools again.
#[tool(read_only, closed_world)]
pub(crate) async fn dummy_of_a_moment() -> &'static str {
    "Nobody calls this in time."
}

#[toolset]
impl Changes {
    /// Use this to have a tool come and go.
    #[tool(additive, closed_world)]
    async fn test_trigger_tool_change(&self) -> Result<&'static str, ToolError> {
        let handle = self.handle()?;
        handle.add_tool(dummy_of_a_moment::tool())?;
        handle.remove_tool("dummy_of_a_moment")?;
        Ok("The tools have changed, and changed back.")
    }

    /// Use this to have the prompts announced as changed.
    #[tool(additive, closed_world)]
    async fn test_trigger_prompt_change(&self) -> Result<&'static str, ToolError> {
        self.handle()?.prompts_changed();
        Ok("The prompts have changed.")
    }
}
