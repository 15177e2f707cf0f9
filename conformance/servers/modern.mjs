// The depot with the official TypeScript SDK of revision 2026-07-28 (`@modelcontextprotocol/server` 2.4.0).
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import { createMcpHandler, inputRequired, isLegacyRequest, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import { announce, question, stock } from './depot.mjs';

function build({ era }) {
  const server = new McpServer({ name: 'depot', version: '1.0.0' });
  return stock(server, {
    shape: (fields) => z.object(fields),
    token: (context) => context.mcpReq._meta?.progressToken,
    notify: (context, notification) => context.mcpReq.notify(notification),
    ask(context, what) {
      if (era === 'legacy') return context.mcpReq.elicitInput(question(what));
      const answer = context.mcpReq.inputResponses?.sure;
      return answer ?? { required: inputRequired({ inputRequests: { sure: inputRequired.elicit(question(what)) } }) };
    },
    revision: () => server.server.getNegotiatedProtocolVersion?.() ?? era,
  });
}

if (process.argv.includes('--http')) {
  // Questions to a client with a session need one, which the handler of both eras doesn't keep.
  const modern = toNodeHandler(createMcpHandler(build, { legacy: 'reject' }));
  const sessions = new Map();
  const legacy = async (request, response, body) => {
    const id = request.headers['mcp-session-id'];
    let transport = sessions.get(id);
    if (!transport && !id) {
      transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void sessions.set(id, transport),
        onsessionclosed: (id) => void sessions.delete(id),
      });
      await build({ era: 'legacy' }).connect(transport);
    }
    if (transport) await transport.handleRequest(request, response, body);
    else response.writeHead(404).end();
  };
  announce(
    createServer(async (request, response) => {
      const seen = await toWebRequest(request);
      const old = await isLegacyRequest(seen);
      const body = request.method === 'POST' ? await seen.json().catch(() => undefined) : undefined;
      await (old ? legacy : modern)(request, response, body);
    }),
  );
} else {
  serveStdio(build);
}
