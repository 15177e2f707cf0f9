// A client of the revisions before 2026-07-28 with the official TypeScript SDK (`@modelcontextprotocol/sdk` 1.32).
//
// Usage: legacy.mjs NAME ROUNDS TARGET, where TARGET is a URL, or a program that serves stdio with `--stdio`.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { answers, calls, change, main, progressOver } from './round.mjs';

await main(async (name, target) => {
  const client = new Client({ name, version: '1.0.0' }, { capabilities: { elicitation: {}, sampling: {} } });
  const logs = [];
  const { elicit, sample } = answers(name);
  client.setRequestHandler(ElicitRequestSchema, elicit);
  client.setRequestHandler(CreateMessageRequestSchema, sample);
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logs.push(params.data));
  const changed = new Promise((resolve) => client.setNotificationHandler(PromptListChangedNotificationSchema, resolve));

  const http = target.startsWith('http');
  const transport = http
    ? new StreamableHTTPClientTransport(new URL(target))
    : new StdioClientTransport({ command: target, args: ['--stdio'] });
  const came = progressOver(transport);
  await client.connect(transport);
  await client.ping();
  await client.setLoggingLevel('info');

  const call = (tool, args, options) => client.callTool({ name: tool, arguments: args }, undefined, options);
  await calls(name, client, call, logs, came);
  await change(call);
  await changed;
  if (http) await transport.terminateSession();
  await client.close();
});
