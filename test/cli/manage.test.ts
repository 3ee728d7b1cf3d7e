import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, openClient, rowsOf } from '../service/access/client.ts';
import { type Desk, openDesk } from './desk.ts';

let client: Client;
let desk: Desk;

const DEMO = '/api/namespaces/demo';
const NOOP = 'states:\n- id: a\n  type: noop\n';
const WAITING = `start:
  type: event
  event: { type: never }
${NOOP}`;
const SLEEPING = 'states:\n- id: a\n  type: delay\n  duration: PT10M\n';

beforeAll(async () => {
  client = await openClient();
  desk = await openDesk(client, 'demo');
  await client.call('PUT', DEMO);
  for (const [name, body] of Object.entries({ noop: NOOP, waiting: WAITING, sleeping: SLEEPING })) {
    await client.call('PUT', `${DEMO}/tree/${name}?op=create-workflow`, { body });
  }
});

afterAll(async () => {
  await desk.clear();
  await client.close();
});

describe('weft namespaces', () => {
  test('makes, lists and deletes namespaces', async () => {
    expect(await desk.weft(['namespaces', 'create', 'other'])).toMatchObject({ code: 0, out: 'created other\n' });
    const listed = await desk.weft(['namespaces', 'list']);
    expect(listed.out).toMatch(/^NAME +CREATED\ndemo +\S+Z\nother +\S+Z\n$/);
    const rows = rowsOf((await desk.weft(['namespaces', 'list', '--json'])).json());
    expect(rows.map(({ name }) => name)).toEqual(['demo', 'other']);
    expect(await desk.weft(['namespaces', 'delete', 'other'])).toMatchObject({ code: 0, out: 'deleted other\n' });
    expect((await client.call('GET', '/api/namespaces/other/tree')).status).toBe(404);
  });

  test('deletes what is in a namespace only when told to', async () => {
    await desk.weft(['namespaces', 'create', 'full']);
    await client.call('PUT', '/api/namespaces/full/tree/a?op=create-directory');
    const refused = await desk.weft(['namespaces', 'delete', 'full']);
    expect(refused).toMatchObject({
      code: 1,
      err: "weft: 'full' is not empty; delete it with all that is in it by --recursive\n",
    });
    expect((await desk.weft(['namespaces', 'delete', 'full', '--recursive'])).code).toBe(0);
  });

  test('tells what the service refuses', async () => {
    expect(await desk.weft(['namespaces', 'create', 'demo'])).toMatchObject({
      code: 1,
      out: '',
      err: 'weft: 409: resource already exists\n',
    });
  });
});

describe('weft vars', () => {
  test('sets, lists, shows and deletes variables of a namespace, byte for byte', async () => {
    const bytes = Uint8Array.from([0, 255, 10, 13, 128]);
    await desk.write({ 'value.bin': bytes });
    const set = await desk.weft(['vars', 'set', 'raw', 'value.bin', '--type', 'application/x-raw']);
    expect(set).toMatchObject({ code: 0, out: 'set raw (5 bytes, application/x-raw)\n' });
    expect((await desk.weft(['vars', 'set', 'text', '-'], { input: 'from the input\n' })).code).toBe(0);
    expect((await desk.weft(['vars', 'set', 'inline', '--value', '{"a":1}'])).out).toContain('application/json');
    expect((await desk.weft(['vars', 'list'])).out).toMatch(
      /^NAME +SIZE +TYPE +UPDATED\ninline +7 .*\nraw +5 +application\/x-raw .*\ntext +15 .*\n$/,
    );
    expect((await desk.weft(['vars', 'get', 'raw', '--output', 'copy.bin'])).code).toBe(0);
    expect(new Uint8Array(await readFile(join(desk.folder, 'copy.bin')))).toEqual(bytes);
    expect((await desk.weft(['vars', 'get', 'text'])).out).toBe('from the input\n');
    expect((await desk.weft(['vars', 'get', 'raw', '--json'])).json()).toEqual({
      name: 'raw',
      mimeType: 'application/x-raw',
      data: 'AP8KDYA=',
    });
    expect(await desk.weft(['vars', 'delete', 'raw'])).toMatchObject({ code: 0, out: 'deleted raw\n' });
    expect(await desk.weft(['vars', 'get', 'raw'])).toMatchObject({ code: 1, err: 'weft: 404: var_ref not found\n' });
  });

  test('are those of a workflow or of a run if one is named', async () => {
    expect((await desk.weft(['vars', 'set', 'w', '--value', '1', '--workflow', 'noop'])).code).toBe(0);
    expect((await desk.weft(['vars', 'get', 'w', '-w', '/noop'])).out).toBe('1');
    const id = (await desk.weft(['exec', 'noop', '--no-wait'])).out.trim();
    expect((await desk.weft(['vars', 'set', 'i', '--value', '2', '--instance', id])).code).toBe(0);
    expect(rowsOf((await desk.weft(['vars', 'list', '-i', id, '--json'])).json())).toMatchObject([{ name: 'i' }]);
    expect((await desk.weft(['vars', 'list', '-w', 'noop', '-i', id])).err).toBe(
      "weft: name a workflow or an instance, not both (see 'weft help vars')\n",
    );
  });

  test('want one value', async () => {
    const message =
      "weft: name a file with the value (- for the standard input), or give --value (see 'weft help vars')\n";
    expect(await desk.weft(['vars', 'set', 'x'])).toMatchObject({ code: 2, err: message });
    expect(await desk.weft(['vars', 'set', 'x', 'f', '--value', '1'])).toMatchObject({ code: 2, err: message });
  });
});

describe('weft secrets', () => {
  test('sets a secret from the input or by a hidden question, and never shows it', async () => {
    const first = await desk.weft(['secrets', 'set', 'pw', '-'], { input: 'hunter2\n' });
    expect({ ...first, json: null }).toEqual({ code: 0, out: 'set pw\n', err: '', asked: [], json: null });
    const again = await desk.weft(['secrets', 'set', 'pw'], { answers: ['hunter3'] });
    expect(again).toMatchObject({ code: 0, out: 'set pw\n', asked: ['hidden:Value of pw: '] });
    const listed = await desk.weft(['secrets', 'list']);
    expect(listed.out).toBe('NAME  SET\npw    yes\n');
    expect(rowsOf((await desk.weft(['secrets', 'list', '--json'])).json())).toEqual([
      { name: 'pw', initialized: true },
    ]);
    expect(await desk.weft(['secrets', 'delete', 'pw'])).toMatchObject({ code: 0, out: 'deleted pw\n' });
    expect((await desk.weft(['secrets', 'list'])).out).toBe('NAME  SET\n');
  });

  test('does not wait for an input that nobody named', async () => {
    expect(await desk.weft(['secrets', 'set', 'pw'])).toMatchObject({
      code: 2,
      err: "weft: name a file with the value, or - for the standard input (see 'weft help secrets')\n",
    });
    expect((await desk.weft(['secrets', 'set', 'pw', '-'], { input: '\n' })).code).toBe(2);
  });
});

describe('weft events', () => {
  const shownOf = async (id: string) => {
    const rows = rowsOf((await client.call('GET', `${DEMO}/events`)).json()['events']?.['results']);
    const event = rows.find((row) => String(row['id']) === id);
    return JSON.parse(Buffer.from(String(event?.['cloudevent']), 'base64').toString()) as object;
  };

  test('sends the event of a file, and fills in its id', async () => {
    await desk.write({ 'event.json': '{"specversion":"1.0","type":"file.ev","source":"here","data":{"k":1}}' });
    const { code, out } = await desk.weft(['events', 'send', 'event.json']);
    expect({ code, start: out.slice(0, 5) }).toEqual({ code: 0, start: 'sent ' });
    expect(await shownOf(out.slice(5).trim())).toMatchObject({ type: 'file.ev', source: 'here', data: { k: 1 } });
  });

  test('sends an event made of options', async () => {
    const flags = ['--type', 'flag.ev', '--source', 'da kommt wäs', '--id', 'e-1', '--subject', 's'];
    const more = ['--extension', 'Order=o 1%', '--data', '{"a":[1]}', '--json'];
    expect((await desk.weft(['events', 'send', ...flags, ...more])).json()).toEqual({ sent: ['e-1'] });
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
    const { out } = await desk.weft(['events', 'send', '-'], { input: JSON.stringify(batch) });
    expect(out).toBe('sent b-1\nsent b-2\n');
  });

  test('tells what came, who listens, and what became of an event, and sends one again', async () => {
    await desk.weft(['events', 'send', '--type', 'told.ev', '--id', 'told-1']);
    const rows = rowsOf((await desk.weft(['events', 'list', '--type', 'told', '--json'])).json());
    expect(rows).toMatchObject([{ id: 'told-1', type: 'told.ev', source: 'weft' }]);
    expect((await desk.weft(['events', 'list', '--limit', '1'])).out.split('\n')).toHaveLength(3);
    expect((await desk.weft(['events', 'listeners'])).out).toMatch(/\/waiting +\w+ +never\n/);
    expect((await desk.weft(['events', 'explain', 'told-1'])).json()).toMatchObject({ event: { id: 'told-1' } });
    expect((await desk.weft(['events', 'replay', 'told-1'])).out).toBe('replayed told-1\n');
  });

  test.each([
    ['nothing', [], 'name a file with the event (- for the standard input), or its --type'],
    [
      'data that is no JSON',
      ['--type', 't', '--data', 'x'],
      'the data is no JSON; quote it, or name what it is by --content-type',
    ],
    [
      'an odd extension',
      ['--type', 't', '--extension', 'a b=1'],
      "'a b=1' is no extension; write it as name=value, of letters and digits",
    ],
  ])('ends with 2 for %s', async (_, args, message) => {
    const ended = await desk.weft(['events', 'send', ...args]);
    expect(ended).toMatchObject({ code: 2, err: `weft: ${message} (see 'weft help events')\n` });
  });
});

describe('weft instances and weft cancel', () => {
  test('list runs, show one with its input and output, and end one', async () => {
    const id = (await desk.weft(['exec', 'noop', 'x=1', '--no-wait'])).out.trim();
    expect((await desk.weft(['exec', 'noop', '-q'])).code).toBe(0);
    expect((await desk.weft(['instances', '--workflow', '/noop', '--limit', '50'])).out).toContain(id);
    expect((await desk.weft(['instances', 'list', '--workflow', 'sleeping'])).out).not.toContain(id);
    expect((await desk.weft(['instances', 'input', id])).json()).toEqual({ x: '1' });
    const sleeping = (await desk.weft(['exec', 'sleeping', '--no-wait', '--json'])).json()['instance'];
    const pending = rowsOf((await desk.weft(['instances', '--status', 'pending', '--json'])).json());
    expect(pending.map((row) => row['id'])).toEqual([sleeping]);
    expect((await desk.weft(['cancel', String(sleeping)])).out).toBe(`cancelled ${sleeping}\n`);
    const ended = await desk.weft(['logs', '-f', String(sleeping)]);
    expect({ code: ended.code, err: ended.err }).toEqual({ code: 1, err: '' });
    const shown = await desk.weft(['instances', 'get', String(sleeping)]);
    expect(shown.out).toMatch(/^status +failed$/m);
    expect(shown.out).toMatch(/^errorMessage +cancelled by api request$/m);
    expect(shown.out).toMatch(/^flow +a$/m);
  });

  test('want numbers and statuses that there are', async () => {
    expect((await desk.weft(['instances', '--limit', 'x'])).err).toMatch(/^weft: --limit is a number, and not 'x'/);
    expect((await desk.weft(['instances', '--status', 'done'])).err).toMatch(/is none of pending, complete/);
    expect(await desk.weft(['cancel'])).toMatchObject({ code: 2 });
  });
});
