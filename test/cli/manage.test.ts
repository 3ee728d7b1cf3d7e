import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, openClient, rowsOf } from '../service/access/client.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

let client: Client;
let workspace: Workspace;

const DEMO = '/api/namespaces/demo';
const NOOP = 'states:\n- id: a\n  type: noop\n';
const WAITING = `start:
  type: event
  event: { type: never }
${NOOP}`;
const SLEEPING = 'states:\n- id: a\n  type: delay\n  duration: PT10M\n';

beforeAll(async () => {
  client = await openClient();
  workspace = await openWorkspace(client, 'demo');
  await client.call('PUT', DEMO);
  for (const [name, body] of Object.entries({ noop: NOOP, waiting: WAITING, sleeping: SLEEPING })) {
    await client.call('PUT', `${DEMO}/tree/${name}?op=create-workflow`, { body });
  }
});

afterAll(async () => {
  await workspace.clear();
  await client.close();
});

describe('weft namespaces', () => {
  test('creates, lists and deletes namespaces', async () => {
    expect(await workspace.weft(['namespaces', 'create', 'other'])).toMatchObject({ code: 0, out: 'created other\n' });
    const listed = await workspace.weft(['namespaces', 'list']);
    expect(listed.out).toMatch(/^NAME +CREATED\ndemo +\S+Z\nother +\S+Z\n$/);
    const rows = rowsOf((await workspace.weft(['namespaces', 'list', '--json'])).json());
    expect(rows.map(({ name }) => name)).toEqual(['demo', 'other']);
    expect(await workspace.weft(['namespaces', 'delete', 'other'])).toMatchObject({ code: 0, out: 'deleted other\n' });
    expect((await client.call('GET', '/api/namespaces/other/tree')).status).toBe(404);
  });

  test('deletes a namespace with contents only with --recursive', async () => {
    await workspace.weft(['namespaces', 'create', 'full']);
    await client.call('PUT', '/api/namespaces/full/tree/a?op=create-directory');
    const refused = await workspace.weft(['namespaces', 'delete', 'full']);
    expect(refused).toMatchObject({
      code: 1,
      err: "weft: namespace 'full' is not empty; delete it with everything in it by --recursive\n",
    });
    expect((await workspace.weft(['namespaces', 'delete', 'full', '--recursive'])).code).toBe(0);
  });

  test('prints the error of the service', async () => {
    expect(await workspace.weft(['namespaces', 'create', 'demo'])).toMatchObject({
      code: 1,
      out: '',
      err: "weft: there is a namespace 'demo' already\n",
    });
  });
});

describe('weft vars', () => {
  test('sets, lists, prints and deletes variables of a namespace, byte for byte', async () => {
    const bytes = Uint8Array.from([0, 255, 10, 13, 128]);
    await workspace.write({ 'value.bin': bytes });
    const set = await workspace.weft(['vars', 'set', 'raw', 'value.bin', '--type', 'application/x-raw']);
    expect(set).toMatchObject({ code: 0, out: 'set raw (5 bytes, application/x-raw)\n' });
    expect((await workspace.weft(['vars', 'set', 'text', '-'], { input: 'from the input\n' })).code).toBe(0);
    expect((await workspace.weft(['vars', 'set', 'inline', '--value', '{"a":1}'])).out).toContain('application/json');
    expect((await workspace.weft(['vars', 'list'])).out).toMatch(
      /^NAME +SIZE +TYPE +UPDATED\ninline +7 .*\nraw +5 +application\/x-raw .*\ntext +15 .*\n$/,
    );
    expect((await workspace.weft(['vars', 'get', 'raw', '--output', 'copy.bin'])).code).toBe(0);
    expect(new Uint8Array(await readFile(join(workspace.folder, 'copy.bin')))).toEqual(bytes);
    expect((await workspace.weft(['vars', 'get', 'text'])).out).toBe('from the input\n');
    expect((await workspace.weft(['vars', 'get', 'raw', '--json'])).json()).toEqual({
      name: 'raw',
      mimeType: 'application/x-raw',
      data: 'AP8KDYA=',
    });
    expect(await workspace.weft(['vars', 'delete', 'raw'])).toMatchObject({ code: 0, out: 'deleted raw\n' });
    expect(await workspace.weft(['vars', 'get', 'raw'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^weft: no variable '.+' in '.+'\n$/),
    });
  });

  test('are those of a workflow or of a run if one is given', async () => {
    expect((await workspace.weft(['vars', 'set', 'w', '--value', '1', '--workflow', 'noop'])).code).toBe(0);
    expect((await workspace.weft(['vars', 'get', 'w', '-w', '/noop'])).out).toBe('1');
    const id = (await workspace.weft(['exec', 'noop', '--no-wait'])).out.trim();
    expect((await workspace.weft(['vars', 'set', 'i', '--value', '2', '--instance', id])).code).toBe(0);
    expect(rowsOf((await workspace.weft(['vars', 'list', '-i', id, '--json'])).json())).toMatchObject([{ name: 'i' }]);
    expect((await workspace.weft(['vars', 'list', '-w', 'noop', '-i', id])).err).toBe(
      "weft: give either a workflow or an instance, not both (see 'weft help vars')\n",
    );
  });

  test('need exactly one value', async () => {
    const message =
      "weft: give either a file with the value (- for the standard input) or --value (see 'weft help vars')\n";
    expect(await workspace.weft(['vars', 'set', 'x'])).toMatchObject({ code: 2, err: message });
    expect(await workspace.weft(['vars', 'set', 'x', 'f', '--value', '1'])).toMatchObject({ code: 2, err: message });
  });
});

describe('weft secrets', () => {
  test('sets a secret from the input or a hidden question, and never prints it', async () => {
    const first = await workspace.weft(['secrets', 'set', 'pw', '-'], { input: 'hunter2\n' });
    expect({ ...first, json: null }).toEqual({ code: 0, out: 'set pw\n', err: '', asked: [], json: null });
    const again = await workspace.weft(['secrets', 'set', 'pw'], { answers: ['hunter3'] });
    expect(again).toMatchObject({ code: 0, out: 'set pw\n', asked: ['hidden:Value of pw: '] });
    const listed = await workspace.weft(['secrets', 'list']);
    expect(listed.out).toBe('NAME  SET  REFERENCE\npw    yes\n');
    expect(rowsOf((await workspace.weft(['secrets', 'list', '--json'])).json())).toEqual([
      { name: 'pw', initialized: true },
    ]);
    expect(await workspace.weft(['secrets', 'delete', 'pw'])).toMatchObject({ code: 0, out: 'deleted pw\n' });
    expect((await workspace.weft(['secrets', 'list'])).out).toBe('NAME  SET  REFERENCE\n');
  });

  test('reads a pipe without being told, and refuses an empty value', async () => {
    const { code, out, err } = await workspace.weft(['secrets', 'set', 'piped'], { input: 'hunter4\n' });
    expect({ code, out, err }).toEqual({ code: 0, out: 'set piped\n', err: '' });
    expect((await workspace.weft(['secrets', 'list'])).out).toContain('piped  yes');
    const empty = {
      code: 2,
      err: "weft: the value is empty: write it to the standard input, or name a file (see 'weft help secrets')\n",
    };
    expect(await workspace.weft(['secrets', 'set', 'pw'])).toMatchObject(empty);
    expect(await workspace.weft(['secrets', 'set', 'pw', '-'], { input: '\n' })).toMatchObject(empty);
    expect(await workspace.weft(['secrets', 'delete', 'piped'])).toMatchObject({ code: 0 });
  });
});

describe('weft secrets set --reference', () => {
  test('sends the reference, which the operator must allow', async () => {
    const command = ['secrets', 'set', 'pw', '--reference', 'aws-sm:prod/db#key', '--cache', 'PT1M'];
    const { code, err } = await workspace.weft(command);
    expect(code).toBe(3);
    expect(err).toContain('may not use aws-sm:prod/db; it may use no references: ask the operator');
    expect(rowsOf((await workspace.weft(['secrets', 'list', '--json'])).json())).toEqual([]);
  });

  test.each([
    [['pw', 'file', '--reference', 'env:A'], 'a secret has a value or a --reference: leave the file out'],
    [['pw', '--cache', 'PT1M'], '--cache is for --reference'],
  ])('is refused with %s', async (rest, message) => {
    expect(await workspace.weft(['secrets', 'set', ...rest])).toMatchObject({
      code: 2,
      err: `weft: ${message} (see 'weft help secrets')\n`,
    });
  });
});

describe('weft schedules and weft usage', () => {
  test('list the workflows that the clock starts, with their next starts, and the quotas', async () => {
    const nightly = "start: {type: scheduled, cron: '0 2 * * *'}\nstates: [{id: a, type: noop}]\n";
    await workspace.write({ 'nightly.yaml': nightly, 'rare.yaml': nightly.replace('0 2 *', '0 2 31') });
    await workspace.weft(['push', 'nightly.yaml']);
    await workspace.weft(['push', 'rare.yaml']);
    const [head, first, second] = (await workspace.weft(['schedules'])).out.split('\n');
    expect(head).toMatch(/^WORKFLOW +NEXT +CRON$/);
    expect(first).toMatch(/^\/nightly +\d{4}-\d\d-\d\dT02:00:00Z +0 2 \* \* \*$/);
    expect(second).toMatch(/^\/rare +\d{4}-\d\d-31T02:00:00Z +0 2 31 \* \*$/);
    const next = await workspace.weft(['schedules', 'next', '--limit', '3', '--json']);
    const starts = rowsOf(next.json());
    expect(starts.map(({ at }) => String(at))).toEqual(starts.map(({ at }) => String(at)).toSorted());
    expect(starts).toHaveLength(3);
    expect(starts[0]).toMatchObject({ workflow: '/nightly' });
    expect((await workspace.weft(['schedules', 'next', '--limit', 'x'])).code).toBe(2);
    const usage = (await workspace.weft(['usage'])).out.split('\n');
    expect(usage[0]).toMatch(/^QUOTA +USED +MOST +SHARE$/);
    expect(usage.find((line) => line.startsWith('schedules'))).toMatch(/^schedules +2 +1000 +0 %$/);
    expect(await workspace.weft(['workflows', 'delete', 'nightly', 'rare', '--yes'])).toMatchObject({ code: 0 });
  });
});

describe('weft schedules backfill', () => {
  const hourly = (type: string) =>
    `start: {type: ${type}}\nstates: [{id: a, type: getter, variables: [{key: scheduled, scope: system}], transform: 'jq({at: .var.scheduled, input})'}]\n`;
  const backfill = (...args: string[]) => workspace.weft(['schedules', 'backfill', ...args]);
  const period = ['--from', '2026-01-01T07:30:00Z', '--to', '2026-01-01T10:00:00Z'];
  const times = ['2026-01-01T08:00:00Z', '2026-01-01T09:00:00Z', '2026-01-01T10:00:00Z'];

  beforeAll(async () => {
    await workspace.write({ 'hourly.yaml': hourly("scheduled, cron: '@hourly'"), 'asked.yaml': hourly('default') });
    for (const file of ['hourly.yaml', 'asked.yaml']) await workspace.weft(['push', file]);
  });
  afterAll(() => workspace.weft(['workflows', 'delete', 'hourly', 'asked', '--yes']));

  test('lists the planned times of a period, both ends included, and starts nothing', async () => {
    const out = [...times, '3 starts; nothing was started, --yes starts them', ''].join('\n');
    expect(await backfill('hourly', ...period)).toMatchObject({ code: 0, out });
    expect((await backfill('/hourly', ...period, '--json')).json()).toEqual({ starts: times });
    expect(rowsOf((await workspace.weft(['instances', '--json', '-w', 'hourly'])).json())).toEqual([]);
    const none = await backfill('hourly', '--from', '2026-01-01T07:30:00Z', '--to', '2026-01-01T07:40:00Z');
    expect(none.out).toBe('0 starts; nothing was started\n');
  });

  test('starts each of them once, as the clock does, also if it is repeated', async () => {
    const first = (await backfill('hourly', ...period, '--yes', '--rate', '100', '--json')).json();
    expect(first).toMatchObject({ started: 3, existing: 0, starts: times.map((at) => ({ at, existing: false })) });
    const again = await backfill('hourly', ...period, '--yes', '--rate', '100');
    expect(again.out).toMatch(/^2026-01-01T08:00:00Z {2}\S+ {2}existed\n/);
    expect(again.out).toMatch(/\nstarted 0 runs; 3 existed\n$/);
    const runs = rowsOf((await workspace.weft(['instances', '--json', '-w', 'hourly'])).json());
    expect(runs.map(({ invoker }) => invoker)).toEqual(['cron', 'cron', 'cron']);
    const id = String(rowsOf(first['starts'])[1]?.['instance']);
    expect((await workspace.weft(['instances', 'output', id])).json()).toEqual({ at: times[1], input: '' });
  });

  test('gives each run the input of a file', async () => {
    await workspace.write({ 'input.json': '{"input": 7}' });
    const period = ['--from', '2026-01-02T00:00:00Z', '--to', '2026-01-02T00:00:00Z'];
    const reply = (await backfill('hourly', ...period, '--input', 'input.json', '--yes', '--json')).json();
    const id = String(rowsOf(reply['starts'])[0]?.['instance']);
    expect((await workspace.weft(['instances', 'output', id])).json()).toEqual({
      at: '2026-01-02T00:00:00Z',
      input: 7,
    });
  });

  const none = "the clock starts no workflow '/asked' in 'demo'; 'weft schedules' lists those that it starts";
  test.each([
    [['hourly', '--to', '2026-01-01T00:00:00Z'], 2, '--from is missing; write it like --from 2026-01-31T08:00:00Z'],
    [['hourly', ...period.slice(0, 2), '--to', 'noon'], 2, "--to is 'noon'; write it like --to 2026-01-31T08:00:00Z"],
    [['hourly', '--from', times[1], '--to', times[0]], 2, '--to is before --from; the earlier time is --from'],
    [['hourly', ...period.slice(0, 2), '--to', '9999-01-01'], 2, '--to is in the future'],
    [['hourly', '--from', '2025-01-01', '--to', times[0]], 2, '--to 2025-02-11T15:00:00Z is the most for one call'],
    [['hourly', ...period, '--rate', '0'], 2, '--rate is '],
    [['asked', ...period], 1, none],
    [['hourle', ...period], 1, "the clock starts no workflow '/hourle' in 'demo'; did you mean '/hourly'?"],
    [[...period], 2, "'backfill' takes WORKFLOW"],
  ])('%j is rejected', async (args, code, problem) => {
    const ended = await backfill(...(args as string[]));
    expect(ended).toMatchObject({ code, out: '' });
    expect(ended.err).toContain(problem);
  });

  test.each([
    ['hourly', times[0], 200, ''],
    [
      'hourly',
      '2026-01-01T08:30:00Z',
      400,
      "'/hourly' has no start at 2026-01-01T08:30:00Z by its cron '@hourly'; the next one is",
    ],
    ['hourly', '2999-01-01T00:00:00Z', 400, '2999-01-01T00:00:00Z is in the future'],
    ['hourly', 'noon', 400, "scheduled is 'noon', which is not an RFC 3339 time"],
    ['asked', times[0], 400, "the clock does not start '/asked': its start has the type 'default', not 'scheduled'"],
  ])('a request for %s at %s is answered with %d', async (name, at, status, problem) => {
    const reply = await client.call('POST', `${DEMO}/tree/${name}?op=execute&scheduled=${at}`);
    expect(reply.status, reply.text).toBe(status);
    expect(reply.text).toContain(problem);
  });
});

describe('weft events', () => {
  const shownOf = async (id: string) => {
    const rows = rowsOf((await client.call('GET', `${DEMO}/events`)).json()['events']?.['results']);
    const event = rows.find((row) => String(row['id']) === id);
    return JSON.parse(Buffer.from(String(event?.['cloudevent']), 'base64').toString()) as object;
  };

  test('sends the event of a file, and adds its id', async () => {
    await workspace.write({ 'event.json': '{"specversion":"1.0","type":"file.ev","source":"here","data":{"k":1}}' });
    const { code, out } = await workspace.weft(['events', 'send', 'event.json']);
    expect({ code, start: out.slice(0, 5) }).toEqual({ code: 0, start: 'sent ' });
    expect(await shownOf(out.slice(5).trim())).toMatchObject({ type: 'file.ev', source: 'here', data: { k: 1 } });
  });

  test('sends an event from options', async () => {
    const flags = ['--type', 'flag.ev', '--source', 'da kommt wäs', '--id', 'e-1', '--subject', 's'];
    const more = ['--extension', 'Order=o 1%', '--data', '{"a":[1]}', '--json'];
    expect((await workspace.weft(['events', 'send', ...flags, ...more])).json()).toEqual({ sent: ['e-1'] });
    const wanted = {
      id: 'e-1',
      type: 'flag.ev',
      source: 'da kommt wäs',
      subject: 's',
      order: 'o 1%',
      data: { a: [1] },
    };
    expect(await shownOf('e-1')).toMatchObject(wanted);
  });

  test('sends a batch from the input', async () => {
    const batch = ['b-1', 'b-2'].map((id) => ({ specversion: '1.0', id, type: 'batch.ev', source: 'x' }));
    const { out } = await workspace.weft(['events', 'send', '-'], { input: JSON.stringify(batch) });
    expect(out).toBe('sent b-1\nsent b-2\n');
  });

  test('lists events and listeners, explains an event, and replays one', async () => {
    await workspace.weft(['events', 'send', '--type', 'sent.ev', '--id', 'sent-1']);
    const rows = rowsOf((await workspace.weft(['events', 'list', '--type', 'sent', '--json'])).json());
    expect(rows).toMatchObject([{ id: 'sent-1', type: 'sent.ev', source: 'weft' }]);
    expect((await workspace.weft(['events', 'list', '--limit', '1'])).out.split('\n')).toHaveLength(3);
    expect((await workspace.weft(['events', 'listeners'])).out).toMatch(/\/waiting +\w+ +never\n/);
    expect((await workspace.weft(['events', 'explain', 'sent-1', '--json'])).json()).toMatchObject({
      event: { id: 'sent-1' },
    });
    expect((await workspace.weft(['events', 'explain', 'sent-1'])).out).toMatch(
      /^event sent-1 of type 'sent.ev' from 'weft'/,
    );
    expect((await workspace.weft(['events', 'replay', 'sent-1'])).out).toBe('replayed sent-1\n');
  });

  test.each([
    ['nothing', [], 'give either a file with the event (- for the standard input) or its --type'],
    [
      'data that is no JSON',
      ['--type', 't', '--data', 'x'],
      'the data is no JSON; quote it, or give its type with --content-type',
    ],
    [
      'an invalid extension',
      ['--type', 't', '--extension', 'a b=1'],
      "'a b=1' is no extension; write it as NAME=VALUE, the name in letters and digits",
    ],
  ])('ends with 2 for %s', async (_, args, message) => {
    const ended = await workspace.weft(['events', 'send', ...args]);
    expect(ended).toMatchObject({ code: 2, err: `weft: ${message} (see 'weft help events')\n` });
  });
});

describe('weft instances and weft cancel', () => {
  test('list runs, print one with its input and output, and cancel one', async () => {
    const id = (await workspace.weft(['exec', 'noop', 'x=1', '--no-wait'])).out.trim();
    expect((await workspace.weft(['exec', 'noop', '-q'])).code).toBe(0);
    expect((await workspace.weft(['instances', '--workflow', '/noop', '--limit', '50'])).out).toContain(id);
    expect((await workspace.weft(['instances', 'list', '--workflow', 'sleeping'])).out).not.toContain(id);
    expect((await workspace.weft(['instances', 'input', id])).json()).toEqual({ x: '1' });
    const sleeping = (await workspace.weft(['exec', 'sleeping', '--no-wait', '--json'])).json()['instance'];
    const pending = rowsOf((await workspace.weft(['instances', '--status', 'pending', '--json'])).json());
    expect(pending.map((row) => row['id'])).toEqual([sleeping]);
    expect((await workspace.weft(['cancel', String(sleeping)])).out).toBe(`cancelled ${sleeping}\n`);
    const ended = await workspace.weft(['logs', '-f', String(sleeping)]);
    expect({ code: ended.code, err: ended.err }).toEqual({ code: 1, err: '' });
    // The API says `failed`; the command line and the console say the same.
    expect((await workspace.weft(['cancel', String(sleeping)])).out).toBe(`${sleeping} has already ended: cancelled\n`);
    expect((await workspace.weft(['instances', 'list'])).out).toMatch(new RegExp(`^${sleeping} +cancelled `, 'm'));
    expect((await workspace.weft(['instances', 'show', String(sleeping)])).out).toMatch(/^\S+ {2}cancelled {2}/);
    expect((await workspace.weft(['instances', 'waiting', String(sleeping)])).out).toBe(
      'the run has ended: cancelled\n',
    );
    expect((await workspace.weft(['instances', 'get', String(sleeping), '--json'])).json()).toMatchObject({
      instance: { status: 'failed', errorCode: 'service.cancels.api' },
    });
    expect(await workspace.weft(['cancel', 'nosuch'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^weft: no run 'nosuch' in '/),
    });
    expect((await workspace.weft(['instances', '--limit', '1'])).out).toMatch(
      /STARTED +DURATION[\s\S]*\.\d{3}Z +\d+\.\d{3} s/,
    );
    const hint = await workspace.weft(['exec', 'noop', '--input', '{"a":1}']);
    expect(hint).toMatchObject({ code: 2, err: expect.stringContaining('as in a:=1') });
    const shown = await workspace.weft(['instances', 'get', String(sleeping)]);
    expect(shown.out).toMatch(/^status +cancelled$/m);
    expect(shown.out).toMatch(/^errorMessage +cancelled by api request$/m);
    expect(shown.out).toMatch(/^flow +a$/m);
  });

  test('need numbers and known statuses', async () => {
    expect((await workspace.weft(['instances', '--limit', 'x'])).err).toMatch(
      /^weft: --limit is 'x'; it must be a number/,
    );
    expect((await workspace.weft(['instances', '--status', 'done'])).err).toMatch(
      /must be one of pending, queued, complete/,
    );
    expect(await workspace.weft(['cancel'])).toMatchObject({ code: 2 });
  });
});

describe('a value that is no text', () => {
  test('is printed to a terminal only after a question, and to anything else as it is', async () => {
    await workspace.write({ bytes: new Uint8Array([0, 1, 2, 255]) });
    await workspace.weft(['vars', 'set', 'binary', 'bytes']);
    await workspace.weft(['vars', 'set', 'text', '--value', 'a text with é\n']);
    const get = (name: string, answers?: readonly string[]) =>
      workspace.weft(['vars', 'get', name], { drawn: [], ...(answers === undefined ? {} : { answers }) });
    expect(await get('binary')).toMatchObject({
      code: 2,
      out: '',
      err: "weft: it is no text and was not printed; write it with --output FILE (see 'weft help vars')\n",
    });
    const asked = await get('binary', ['n']);
    expect(asked).toMatchObject({ code: 2, out: '' });
    expect(asked.asked).toEqual(['It is no text (4 B). Print it? [y/N] ']);
    expect((await get('binary', ['y'])).out).not.toBe('');
    expect((await get('text')).out).toBe('a text with é\n');
    expect((await workspace.weft(['vars', 'get', 'binary'])).out).not.toBe('');
  });
});

describe('weft approvals', () => {
  const ASKS = `states:
- id: ask
  type: approval
  subject: Pay it?
  choices: {approve: null, refuse: null}
  form: {type: object, required: [amount], properties: {amount: {type: integer}, note: {type: string}}}
`;

  test('lists open approvals, and decides one with the values of its form, once', async () => {
    await client.call('PUT', `${DEMO}/tree/asks?op=create-workflow`, { body: ASKS });
    const started = (await client.call('POST', `${DEMO}/tree/asks?op=execute`, { body: '{}' })).json();
    const instance = String(started['instance']);
    const listed = () => workspace.weft(['approvals', '--workflow', 'asks', '--json']);
    await expect.poll(async () => rowsOf((await listed()).json()).length, { timeout: 10_000 }).toBe(1);
    const decide = (...words: string[]) => workspace.weft(['approvals', 'decide', instance, ...words]);
    expect(await decide('approve', 'amount=3')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/form: amount: /),
    });
    expect(await decide('accept')).toMatchObject({
      code: 1,
      err: "weft: 400: the approval has no choice 'accept'; it has approve, refuse\n",
    });
    expect(await decide('approve', 'amount:=3', 'note=all right', '--by', 'Ann')).toMatchObject({
      code: 0,
      out: `decided 'approve' for ${instance} as Ann\n`,
    });
    const output = async () => {
      const { data } = (await client.call('GET', `${DEMO}/instances/${instance}/output`)).json();
      return JSON.parse(Buffer.from(String(data), 'base64').toString() || 'null') as object | null;
    };
    await expect.poll(output).toMatchObject({ return: { form: { amount: 3, note: 'all right' } } });
    expect((await decide('refuse')).code).toBe(1);
  });
});
