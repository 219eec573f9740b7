// What the official client makes of the stub: one JSON object on the last line, for the test to look at.
// Usage: node openai-client.mjs BASE_URL; the package is found beside this file. What came is written to check.ts as
// well, for a compiler that knows the package's types.
import * as buffer from 'node:buffer';
import * as fs from 'node:fs';

globalThis.File ??= buffer.File;
const { default: OpenAI, toFile } = await import('openai');

const client = new OpenAI({ apiKey: 'sk-stub', baseURL: process.argv[2], maxRetries: 0 });

async function until(done, ask) {
  for (let i = 0; i < 50; i++) {
    const it = await ask();
    if (done.includes(it.status)) {
      return it;
    }
  }
  throw new Error('It never ended');
}

async function refusal(call) {
  try {
    await call();
    return 'no error';
  } catch (error) {
    return `${error.constructor.name} ${error.status} ${error.code}`;
  }
}

const messages = [{ role: 'user', content: 'A letter' }];
const chat = await client.chat.completions.create({ model: 'tiny', messages });

const line = (id, content) =>
  JSON.stringify({
    custom_id: id,
    method: 'POST',
    url: '/v1/chat/completions',
    body: { model: 'tiny', messages: [{ role: 'user', content }] },
  });
const lines = [line('a', 'One letter'), line('b', '[[stub: 400 batch-polls=2]]'), line('c', 'Another letter ä')];
const file = await client.files.create({
  file: await toFile(Buffer.from(lines.join('\n')), 'in.jsonl'),
  purpose: 'batch',
});
const input = await (await client.files.content(file.id)).text();
const created = await client.batches.create({
  input_file_id: file.id,
  endpoint: '/v1/chat/completions',
  completion_window: '24h',
  metadata: { key: 'ours' },
});
const statuses = [];
const batch = await until(['completed'], async () => {
  const it = await client.batches.retrieve(created.id);
  statuses.push(it.status);
  return it;
});
const parsed = async (id) =>
  (await (await client.files.content(id)).text()).trim().split('\n').map((text) => JSON.parse(text));
const output = await parsed(batch.output_file_id);
const errors = await parsed(batch.error_file_id);
await client.batches.create({
  input_file_id: file.id,
  endpoint: '/v1/chat/completions',
  completion_window: '24h',
});
const listed = [];
for await (const it of client.batches.list({ limit: 1 })) {
  listed.push(it.id);
}
const files = [];
for await (const it of client.files.list()) {
  files.push(it.purpose);
}

const queued = await client.responses.create({ model: 'tiny', input: '[[stub: polls=2]] A letter', background: true });
const response = await until(['completed'], () => client.responses.retrieve(queued.id));
const waiting = await client.responses.create({ model: 'tiny', input: '[[stub: polls=9]] x', background: true });
const cancelled = await client.responses.cancel(waiting.id);
const deleted = await client.files.delete(file.id);

const typed = { 'OpenAI.ChatCompletion': chat, 'OpenAI.FileObject': file, 'OpenAI.Batch': batch,
  'OpenAI.Responses.Response': response };
const declarations = Object.entries(typed).map(([type, value], i) =>
  `export const it${i}: ${type} = ${JSON.stringify(value)};`);
fs.writeFileSync('check.ts', ["import OpenAI from 'openai';", ...declarations].join('\n'));

console.log(
  JSON.stringify({
    chat: chat.choices[0].message.content,
    file,
    input: input === lines.join('\n'),
    created,
    statuses,
    batch,
    output,
    errors,
    listed,
    newestFirst: listed.indexOf(created.id) === listed.length - 1,
    files,
    queued: queued.status,
    response,
    text: response.output_text,
    cancelled: cancelled.status,
    deleted: deleted.deleted,
    missing: await refusal(() => client.batches.retrieve('batch_none')),
    limited: await refusal(() =>
      client.responses.create({ model: 'tiny', input: '[[stub: 429]] x', background: true })),
  }),
);
