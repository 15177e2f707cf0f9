// What the depots of both TypeScript SDKs have in common: `sdk` has what differs between them.
import { z } from 'zod';

export const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

const item = z.object({
  sku: z.string().describe('Number of the article'),
  quantity: z.number().int().min(1).max(99).describe('How many pieces'),
});
const order = {
  customer: z
    .object({
      name: z.string().describe('Full name'),
      address: z
        .object({
          city: z.string().describe('Name of the city'),
          lines: z.array(z.string()).max(4).describe('What comes above the city'),
        })
        .describe('Where to send it'),
    })
    .describe('Who gets it'),
  items: z.array(item).describe('What to send'),
  note: z.string().optional().describe('What the driver should know'),
};
const placed = {
  order_id: z.string(),
  city: z.string(),
  pieces: z.number().int(),
  items: z.array(item),
  note: z.string().nullable(),
};

// The question of `confirm`.
export const question = (what) => ({
  message: `May ${what} go?`,
  requestedSchema: {
    type: 'object',
    properties: {
      sure: { type: 'boolean', description: 'Whether it may go' },
      name: { type: 'string', description: 'Who says so' },
    },
    required: ['sure', 'name'],
  },
});

const text = (text) => ({ content: [{ type: 'text', text }] });

// `shape` makes an input or output schema of the SDK's kind; `token` reads a request's progress token and `notify` sends;
// `ask(context, what)` gives the answer, or `{ required }` where the client has to be asked by a result of its own.
export function stock(server, { shape, token, notify, ask, revision }) {
  const tool = (name, description, input, call, output) =>
    server.registerTool(
      name,
      { description, inputSchema: shape(input), ...(output && { outputSchema: shape(output) }) },
      call,
    );

  tool(
    'place_order',
    'Use this to place an order.',
    order,
    ({ customer, items, note }) => {
      const pieces = items.reduce((sum, { quantity }) => sum + quantity, 0);
      const structuredContent = { order_id: 'A-1', city: customer.address.city, pieces, items, note: note ?? null };
      return { ...text(JSON.stringify(structuredContent)), structuredContent };
    },
    placed,
  );
  tool('echo', 'Use this to read a text back.', { text: z.string() }, (given) => text(given.text));
  tool('fail', 'Use this to see a call fail.', {}, () => ({ ...text('The stock is empty.'), isError: true }));
  tool('count', 'Use this to count, with progress.', { to: z.number().int() }, async ({ to }, context) => {
    const progressToken = token(context);
    for (let progress = 1; progressToken !== undefined && progress <= to; progress += 1) {
      const params = { progressToken, progress, total: to, message: `number ${progress}` };
      await notify(context, { method: 'notifications/progress', params });
    }
    return text(`counted to ${to}`);
  });
  tool('picture', 'Use this to get a picture.', {}, () => ({
    content: [
      { type: 'text', text: 'one pixel' },
      { type: 'image', data: PICTURE, mimeType: 'image/png' },
    ],
  }));
  tool('confirm', 'Use this to have something confirmed.', { what: z.string() }, async ({ what }, context) => {
    const answer = await ask(context, what);
    if (answer.required) return answer.required;
    if (answer.action !== 'accept') return text(`${what}: ${answer.action}`);
    return text(`${what}: ${answer.content.sure ? 'yes' : 'no'}, says ${answer.content.name}`);
  });
  tool('revision', 'Use this to see which revision of the protocol is spoken.', {}, (_, context) =>
    text(revision(context)),
  );
  return server;
}

// Says on stderr where a server of `node:http` listens.
export function announce(http) {
  http.listen(0, '127.0.0.1', () => console.error(`listening on http://127.0.0.1:${http.address().port}/mcp`));
}
