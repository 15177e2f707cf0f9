// What the clients of both TypeScript SDKs do, and what they must see.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const expected = JSON.parse(readFileSync(new URL('expected.json', import.meta.url), 'utf8'));

export const PATIENCE = 60_000;

// What a client answers when it is asked.
export const answers = (name) => ({
  elicit({ params }) {
    assert.deepEqual(Object.keys(params.requestedSchema.properties).sort(), ['email', 'username']);
    return { action: 'accept', content: { username: name, email: `${name}@example.com` } };
  },
  sample({ params }) {
    const content = [params.messages.at(-1).content].flat()[0];
    return { role: 'assistant', model: 'none', content: { type: 'text', text: `${name} was asked: ${content.text}` } };
  },
});

// The progress that came over a transport which is not connected yet. The SDKs tell the caller a little later, and no longer
// once the answer is there: what is read together with the answer is lost (seen with 2.4.0 and 1.32.2 on stdio).
export function progressOver(transport) {
  const came = [];
  transport.onmessage = ({ method, params }) => {
    if (method === 'notifications/progress') came.push([params.progress, params.total]);
  };
  return came;
}

// `call` makes a call with a tool's name, arguments and options; `logs` are the messages
// that were logged so far, `came` is the progress.
export async function calls(name, client, call, logs, came) {
  const text = async (tool, args = {}, options = {}, isError = false) => {
    const result = await call(tool, args, options);
    assert.equal(Boolean(result.isError), isError, tool);
    assert.equal(result.content.length, 1, tool);
    return result.content[0].text;
  };
  const named = (text) => text.replaceAll('NAME', name);

  assert.equal(client.getServerVersion().name, expected.server);
  const tools = (await client.listTools()).tools.map((tool) => tool.name);
  assert.equal(tools[0], 'test_simple_text');
  assert.equal(new Set(tools).size, tools.length);
  assert.equal(await text('test_simple_text'), expected.simple);
  assert.equal(await text('test_error_handling', {}, {}, true), expected.error);

  const told = [];
  const onprogress = ({ progress, total }) => told.push([progress, total]);
  assert.equal(await text('test_tool_with_progress', {}, { onprogress }), expected.progressed);
  assert.deepEqual(came, expected.progress);
  assert.deepEqual(told, expected.progress.slice(0, told.length));

  assert.equal(await text('test_tool_with_logging'), expected.logged);
  assert.deepEqual(logs, expected.logs);

  assert.equal(await text('test_elicitation', { message: `Who is ${name}?` }), named(expected.elicited));
  assert.equal(await text('test_sampling', { prompt: 'What is it?' }), named(expected.sampled));
}

export async function change(call) {
  const result = await call('test_trigger_prompt_change', {}, {});
  assert.equal(result.content[0].text, expected.changed);
}

// Plays all rounds that the command line asks for; a round that hangs fails.
export async function main(play) {
  const [name, rounds, target] = process.argv.slice(2);
  for (let round = 0; round < Number(rounds); round += 1) {
    const late = setTimeout(() => {
      console.error('a round takes too long');
      process.exit(1);
    }, PATIENCE);
    await play(name, target);
    clearTimeout(late);
  }
}
