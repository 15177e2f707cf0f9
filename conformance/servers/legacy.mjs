// The depot with the official TypeScript SDK of the revisions before 2026-07-28 (`@modelcontextprotocol/sdk` 1.32).
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { announce, question, stock } from './depot.mjs';

// The SDK doesn't tell a tool which revision is spoken: it is read from what goes out.
function build(transport) {
  let spoken = 'none';
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    spoken = message.result?.protocolVersion ?? spoken;
    return send(message, options);
  };
  const server = new McpServer({ name: 'depot', version: '1.0.0' });
  stock(server, {
    shape: (fields) => fields,
    token: (context) => context._meta?.progressToken,
    notify: (context, notification) => context.sendNotification(notification),
    ask: (_, what) => server.server.elicitInput(question(what)),
    revision: () => spoken,
  });
  return server.connect(transport);
}

if (process.argv.includes('--http')) {
  const sessions = new Map();
  announce(
    createServer(async (request, response) => {
      const id = request.headers['mcp-session-id'];
      let transport = sessions.get(id);
      if (!transport && !id) {
        transport = new StreamableHTTPServerTransport({
          sessionIdGenerator: randomUUID,
          onsessioninitialized: (id) => void sessions.set(id, transport),
          onsessionclosed: (id) => void sessions.delete(id),
        });
        await build(transport);
      }
      if (transport) await transport.handleRequest(request, response);
      else response.writeHead(404).end();
    }),
  );
} else {
  await build(new StdioServerTransport());
}
