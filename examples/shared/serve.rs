//! Where the examples are served: on stdin and stdout, or with `--http ADDR` at `http://ADDR/mcp`.

use haft::{HttpOptions, HttpServer, ServeError, Server};

/// Serves as the command line says. `--allow-host NAME` adds a name that the server is called by over HTTP.
pub(crate) async fn serve(server: Server) -> Result<(), ServeError> {
    let (mut address, mut options) = (None, HttpOptions::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), arguments.next()) {
            ("--http", Some(value)) => address = Some(value),
            ("--allow-host", Some(name)) => options = options.allow_host(name),
            _ => {
                eprintln!("usage: [--http ADDR [--allow-host NAME]...]");
                std::process::exit(2);
            }
        }
    }
    let Some(address) = address else { return server.serve_stdio().await };
    let http = HttpServer::bind(server, address, options).await?;
    eprintln!("listening on http://{}/mcp", http.local_addr());
    http.serve().await
}
