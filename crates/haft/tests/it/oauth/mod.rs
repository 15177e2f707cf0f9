//! A client's way from a refusal to a token, against a real MCP server and a real authorization server on this machine.

mod both;
mod flows;
mod grants;
mod hostile;
mod loopback;
mod quiet;
mod renewal;
mod stand;
mod stores;
mod world;
