// The server of the benchmark, in the official TypeScript SDK. `server.mjs stdio|http [TOOLS]`
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const [transport, tools = '4'] = process.argv.slice(2);

const address = z.object({ name: z.string(), street: z.string(), city: z.string(), country: z.string() });
const line = z.object({
  sku: z.string(),
  quantity: z.number().int(),
  price: z.number(),
  note: z.string().optional(),
  ship_to: address,
});
const structured = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value });
const text = (value) => ({ content: [{ type: 'text', text: value }] });

function bench() {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  server.registerTool(
    'get_order',
    {
      description: 'Use this when the user asks where an order is. Returns its current status.',
      inputSchema: z.object({ order_id: z.string().regex(/^A-\d{4}$/) }),
      outputSchema: z.object({ order_id: z.string(), status: z.enum(['shipped']) }),
    },
    async ({ order_id }) => structured({ order_id, status: 'shipped' }),
  );
  server.registerTool(
    'place_order',
    {
      description: 'Place an order of many lines.',
      inputSchema: z.object({ lines: z.array(line) }),
      outputSchema: z.object({ lines: z.number().int(), pieces: z.number().int() }),
    },
    async ({ lines }) =>
      structured({ lines: lines.length, pieces: lines.reduce((pieces, { quantity }) => pieces + quantity, 0) }),
  );
  server.registerTool('report', { description: 'The report of the year, in one text.' }, async () =>
    text('x'.repeat(1 << 20)),
  );
  server.registerTool('track', { description: 'Follow a parcel in ten steps.' }, async (ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    for (let progress = 1; progress <= 10; progress++) {
      await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 10 } });
    }
    return text('arrived');
  });
  for (let number = 4; number < Number(tools); number++) {
    server.registerTool(
      `search_${String(number).padStart(5, '0')}`,
      {
        description: 'Use this to search one of the many places where something may be. Returns what was found.',
        inputSchema: z.object({ query: z.string(), limit: z.number().int().optional() }),
      },
      async () => text('found'),
    );
  }
  return server;
}

if (transport === 'http') {
  const handler = toNodeHandler(createMcpHandler(bench));
  const server = createServer((request, response) => void handler(request, response));
  server.listen(0, '127.0.0.1', () => console.error(`listening on http://127.0.0.1:${server.address().port}/mcp`));
} else {
  serveStdio(bench);
}
