use std::fmt;
use std::sync::{Arc, Weak};

use super::change::Recipe;
use super::problems::BuildError;
use super::registry::Entry;
use super::subscriptions::Topic;
use super::{Inner, Server};
use crate::tool::Tool;

/// The application's hold on a server that runs: changes its tools and tells its subscribers.
///
/// Cloning is cheap. A handle keeps nothing alive: once the server and its connections are gone, changes are refused
/// and news has no readers. A tool that runs has one of its own server: [`Context::server`](crate::Context::server).
///
/// ```
/// use haft::prelude::*;
///
/// /// Use this to greet somebody.
/// #[tool(read_only, closed_world)]
/// async fn greet(name: String) -> String {
///     format!("Hello, {name}!")
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = Server::new("greetings", "1.0.0").dynamic_tools().build()?;
/// let handle = server.handle();
///
/// handle.add_tool(greet::tool())?;
/// let result = server.call_tool("greet", serde_json::json!({"name": "Ada"})).await?;
/// assert_eq!(result.text(), "Hello, Ada!");
///
/// assert!(handle.remove_tool("greet")?);
/// assert!(server.call_tool("greet", serde_json::json!({"name": "Ada"})).await.is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ServerHandle {
    server: Weak<Inner>,
}

/// Why the tools of a server that runs stay as they are.
#[derive(Debug)]
#[non_exhaustive]
pub enum ChangeError {
    /// The server was built without [`dynamic_tools`](crate::ServerBuilder::dynamic_tools).
    Fixed,
    /// The server is no more.
    Gone,
    /// There is no tool of this name to replace.
    Unknown(String),
    /// `build` would have refused the tool. Every problem is named.
    Refused(BuildError),
}

impl fmt::Display for ChangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed => f.write_str("the tools of this server are fixed; build it with `dynamic_tools()`"),
            Self::Gone => f.write_str("the server is gone"),
            Self::Unknown(name) => write!(f, "there is no tool {name:?} to replace; add it instead"),
            Self::Refused(error) => error.write("the tools cannot be changed", f),
        }
    }
}

impl std::error::Error for ChangeError {}

impl From<BuildError> for ChangeError {
    fn from(error: BuildError) -> Self {
        Self::Refused(error)
    }
}

impl Server {
    /// A handle of this server, for the application to keep while the server runs.
    pub fn handle(&self) -> ServerHandle {
        ServerHandle { server: Arc::downgrade(&self.inner) }
    }
}

impl ServerHandle {
    /// Adds a tool at the end of the list, with all the checks, settings and layers of
    /// [`build`](crate::ServerBuilder::build). Calls see it, and subscribers are told, before this returns.
    ///
    /// # Errors
    /// [`ChangeError::Refused`] with every problem, a name that is taken included; [`ChangeError::Fixed`],
    /// [`ChangeError::Gone`].
    ///
    /// spec: `server/tools#list-changed-notification`
    pub fn add_tool(&self, tool: Tool) -> Result<(), ChangeError> {
        self.add_tools([tool])
    }

    /// Adds several tools as one change: all of them, or none. Subscribers are told once.
    ///
    /// # Errors
    /// Those of [`add_tool`](Self::add_tool), with every problem of every tool.
    pub fn add_tools(&self, tools: impl IntoIterator<Item = Tool>) -> Result<(), ChangeError> {
        let tools: Vec<Tool> = tools.into_iter().collect();
        self.change(|recipe, entries| {
            entries.extend(recipe.entries(&tools, entries)?);
            Ok(!tools.is_empty())
        })?;
        Ok(())
    }

    /// Puts a tool in the place of the one that has its name; its place in the list stays. Calls that run go on with
    /// the old one.
    ///
    /// # Errors
    /// Those of [`add_tool`](Self::add_tool), and [`ChangeError::Unknown`].
    pub fn replace_tool(&self, tool: Tool) -> Result<(), ChangeError> {
        self.change(|recipe, entries| {
            let place = entries.iter_mut().find(|entry| *entry.name == *tool.name);
            let place = place.ok_or_else(|| ChangeError::Unknown(tool.name.clone()))?;
            for entry in recipe.entries(std::slice::from_ref(&tool), &[])? {
                *place = entry;
            }
            Ok(true)
        })?;
        Ok(())
    }

    /// Removes a tool, and says whether there was one of this name. Calls that run go on.
    ///
    /// # Errors
    /// [`ChangeError::Fixed`], [`ChangeError::Gone`].
    pub fn remove_tool(&self, name: &str) -> Result<bool, ChangeError> {
        self.change(|_, entries| {
            let before = entries.len();
            entries.retain(|entry| *entry.name != *name);
            Ok(entries.len() < before)
        })
    }

    /// Tells whoever subscribed to this URI that the resource has changed. URIs are compared as they are written.
    ///
    /// A client that reads slowly is told once, however often a resource changes meanwhile.
    ///
    /// ```
    /// use haft::prelude::*;
    ///
    /// # fn main() -> Result<(), haft::BuildError> {
    /// let server = Server::new("project", "1.0.0").notify_resources().build()?;
    /// let handle = server.handle();
    /// // Somewhere else, while the server serves:
    /// handle.resource_updated("file:///project/config.json");
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Needs [`notify_resources`](crate::ServerBuilder::notify_resources); without it nobody can subscribe.
    ///
    /// spec: `server/resources#subscriptions`
    pub fn resource_updated(&self, uri: &str) {
        self.publish(&Topic::Resource(uri.into()));
    }

    /// Tells whoever wants to know that the list of resources has changed.
    ///
    /// Needs [`notify_resources`](crate::ServerBuilder::notify_resources); without it nobody can subscribe.
    ///
    /// spec: `server/resources#list-changed-notification`
    pub fn resources_changed(&self) {
        self.publish(&Topic::Resources);
    }

    /// Tells whoever wants to know that the list of prompts has changed.
    ///
    /// Needs [`notify_prompts`](crate::ServerBuilder::notify_prompts); without it nobody can subscribe.
    ///
    /// spec: `server/prompts#list-changed-notification`
    pub fn prompts_changed(&self) {
        self.publish(&Topic::Prompts);
    }

    /// Ends all subscriptions that are open, on every connection, as a server does that is about to stop: each client
    /// is told that its subscription has ended, and may open another. `HttpServer` does this when it stops; do it before
    /// a router of your own finishes what is in flight, which it would wait for.
    ///
    /// spec: `basic/patterns/subscriptions#graceful-closure`
    pub fn end_subscriptions(&self) {
        self.publish(&Topic::End);
    }

    fn publish(&self, topic: &Topic) {
        if let Some(server) = self.server.upgrade() {
            server.hub.publish(topic);
        }
    }

    /// Changes the list of tools and tells subscribers, where there is a change.
    fn change(
        &self,
        edit: impl FnOnce(&Recipe, &mut Vec<Arc<Entry>>) -> Result<bool, ChangeError>,
    ) -> Result<bool, ChangeError> {
        let server = self.server.upgrade().ok_or(ChangeError::Gone)?;
        let changed = server.registry.change(edit)?;
        if changed {
            server.hub.publish(&Topic::Tools);
        }
        Ok(changed)
    }
}

impl fmt::Debug for ServerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerHandle").finish_non_exhaustive()
    }
}
