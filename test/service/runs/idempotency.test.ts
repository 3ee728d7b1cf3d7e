import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reserveRunId } from '../../../lib/domain/instances/idempotency-keys.ts';
import { MemoryPorts } from '../../engine/world/memory-ports.ts';
import { type Client, openClient } from '../access/client.ts';
import { EventSpace } from '../events/space.ts';

const HOUR = 3_600_000;

let client: Client;
let space: EventSpace;

beforeAll(async () => {
  client = await openClient();
  space = await EventSpace.open(client, 'idempotency');
  await space.store('quick', 'states:\n- {id: a, type: noop}\n');
  await space.store('slow', 'states:\n- id: a\n  type: delay\n  duration: PT1S\n');
  await space.store('other', 'states:\n- {id: a, type: noop}\n');
});

afterAll(() => client.close());

const execute = (path: string, key: string, body = '{}') =>
  space.call('POST', `/tree/${path}?op=execute`, { body, headers: { 'Idempotency-Key': key } });
const wait = (path: string, key: string, body = '{}') =>
  space.call('POST', `/tree/${path}?op=wait`, { body, headers: { 'Idempotency-Key': key } });

describe('an Idempotency-Key', () => {
  test('returns the first instance when an execute request is repeated, with a header about it', async () => {
    const first = await execute('quick', 'e-1', '{"n":1}');
    const again = await execute('quick', 'e-1', '{"n":2}');
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.json()).toEqual(first.json());
    expect([first.headers.get('existing'), again.headers.get('existing')]).toEqual([null, 'true']);
    expect((await space.ended(String(first.json()['instance']))).output).toEqual({ n: 1 });
    expect(await space.instances('quick')).toHaveLength(1);
  });

  test.each(['quick', 'slow'])('returns the first output when a wait request on a %s one is repeated', async (path) => {
    const first = await wait(path, `w-${path}`, '{"n":1}');
    const again = await wait(path, `w-${path}`, '{"n":2}');
    expect([first.json(), again.json()]).toEqual([{ n: 1 }, { n: 1 }]);
    const idOf = ({ headers }: typeof first) => headers.get('service-instance-id');
    expect(idOf(again)).toBe(idOf(first));
    expect([first.headers.get('existing'), again.headers.get('existing')]).toEqual([null, 'true']);
  });

  test.each(['quick', 'slow'])('starts a %s one once for many concurrent requests', async (path) => {
    const before = (await space.instances(path)).length;
    const answers = await Promise.all(Array.from({ length: 8 }, () => execute(path, `raced-${path}`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map((answer) => String(answer.json()['instance']))).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.get('existing') === null)).toHaveLength(1);
    expect(await space.instances(path)).toHaveLength(before + 1);
  });

  test('is valid for both execute and wait', async () => {
    const started = await execute('slow', 'both');
    const waited = await wait('slow', 'both');
    expect(waited.headers.get('service-instance-id')).toBe(String(started.json()['instance']));
    expect(waited.headers.get('existing')).toBe('true');
  });

  test('is separate for each workflow', async () => {
    const [one, other] = [await execute('quick', 'shared'), await execute('other', 'shared')];
    expect(one.json()['instance']).not.toBe(other.json()['instance']);
    expect(other.headers.get('existing')).toBeNull();
  });

  test('has at most 255 characters', async () => {
    expect((await execute('quick', 'k'.repeat(255))).status).toBe(200);
    const answer = await execute('quick', 'k'.repeat(256));
    expect([answer.status, answer.json()['message']]).toEqual([
      400,
      expect.stringMatching(/^the Idempotency-Key has \d+ characters; it has at most 255$/),
    ]);
  });

  test('that is empty is ignored', async () => {
    const [one, two] = [await execute('other', ''), await execute('other', '')];
    expect(one.json()['instance']).not.toBe(two.json()['instance']);
  });
});

describe('an idempotency key', () => {
  test('is valid for 24 hours from its first use, and then again from the next', async () => {
    const quiet = new MemoryPorts();
    const reserve = (id: string) => reserveRunId(quiet.ports, 'workflow', 'key', id);
    expect(await reserve('first')).toBe('first');
    quiet.now += 24 * HOUR - 1;
    expect(await reserve('second')).toBe('first');
    quiet.now += 1;
    expect(await reserve('third')).toBe('third');
    expect(await reserve('fourth')).toBe('third');
  });

  test('is accepted from one of many concurrent requests, also after it has expired', async () => {
    const quiet = new MemoryPorts();
    const race = (round: string) =>
      Promise.all([1, 2, 3, 4].map((n) => reserveRunId(quiet.ports, 'workflow', 'key', `${round}-${n}`)));
    expect(new Set(await race('a')).size).toBe(1);
    quiet.now += 25 * HOUR;
    const again = new Set(await race('b'));
    expect([again.size, [...again].every((id) => id.startsWith('b-'))]).toEqual([1, true]);
  });
});
