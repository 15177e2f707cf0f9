// A client of revision 2026-07-28 with the official TypeScript SDK (`@modelcontextprotocol/client` 2.4.0).
//
// Usage: modern.mjs NAME ROUNDS TARGET, where TARGET is a URL, or a program that serves stdio with `--stdio`.
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { answers, calls, change, main, progressOver } from './round.mjs';

const VERSION = '2026-07-28';

await main(async (name, target) => {
  const client = new Client(
    { name, version: '1.0.0' },
    { capabilities: { elicitation: {}, sampling: {} }, versionNegotiation: { mode: { pin: VERSION } } },
  );
  const logs = [];
  const { elicit, sample } = answers(name);
  client.setRequestHandler('elicitation/create', elicit);
  client.setRequestHandler('sampling/createMessage', sample);
  client.setNotificationHandler('notifications/message', ({ params }) => void logs.push(params.data));
  const changed = new Promise((resolve) => client.setNotificationHandler('notifications/prompts/list_changed', resolve));

  const transport = target.startsWith('http')
    ? new StreamableHTTPClientTransport(new URL(target))
    : new StdioClientTransport({ command: target, args: ['--stdio'] });
  const came = progressOver(transport);
  await client.connect(transport);
  assert.equal(client.getNegotiatedProtocolVersion(), VERSION);

  const _meta = { 'io.modelcontextprotocol/logLevel': 'info' };
  const call = (tool, args, options) => client.callTool({ name: tool, arguments: args, _meta }, options);
  await calls(name, client, call, logs, came);
  const subscription = await client.listen({ promptsListChanged: true });
  await change(call);
  await changed;
  await subscription.close();
  await client.close();
});
