import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Json, rowsOf } from '../access/client.ts';
import { needShape, openServiceSpace, type ServiceSpace } from './service-space.ts';

let space: ServiceSpace;
let namespace: string;
let all: string;
const one = (name: string): string => `${all}/function/${name}`;
const revision = (name: string, generation = '00001') => `${one(name)}/revisions/${generation}`;

/** A revision becomes ready at the second poll, so the first event of a stream contains one that is not ready. */
beforeAll(async () => {
  space = await openServiceSpace({ polls: 1 });
});

afterAll(() => space.close());

beforeEach(async () => {
  namespace = await space.namespace();
  all = `/api/functions/namespaces/${namespace}`;
});

const create = (name: string, path = all) => space.good('POST', path, { name, image: `example/${name}` });

async function follow(path: string) {
  const stream = await space.follow(path);
  onTestFinished(() => stream.leave());
  expect(stream.status).toBe(200);
  return stream;
}

/** The next events, up to a number or up to one that satisfies a condition: the kind of each and its object. */
async function framesOf(
  path: string,
  last: number | ((frame: Json) => boolean),
  during: () => Promise<unknown> = async () => {},
) {
  const stream = await follow(path);
  const frames = [await stream.json()];
  await during();
  const isLast = typeof last === 'number' ? () => frames.length >= last : last;
  for (let frame = frames[0]; frame !== undefined && !isLast(frame); ) {
    frame = await stream.json();
    frames.push(frame);
  }
  return frames;
}

const isOf = (kind: string, rev?: string) => (frame: Json) =>
  String(frame['event']) === kind && (rev === undefined || String(frame['revision']?.['rev']) === rev);

const eventsOf = (frames: readonly object[], what: string, how = 'status') =>
  frames.map((frame) => {
    const { event, [what]: shown } = frame as Record<string, Record<string, unknown>>;
    return `${event} ${shown?.[how]}`;
  });

describe('a stream of services', () => {
  test('sends each existing service, its changes and its deletion', async () => {
    await create('a');
    const frames = await framesOf(all, isOf('DELETED'), async () => {
      await create('b');
      await space.good('DELETE', one('a'));
    });
    for (const frame of frames) needShape('serviceFrame', frame);
    const seen = frames.map(({ event, function: shown }) => `${event} ${shown?.['info']?.['name']}`);
    expect(seen[0]).toBe('ADDED a');
    expect(seen).toContain('ADDED b');
    expect(seen.at(-1)).toBe('DELETED a');
  });

  test('sends the change when a service becomes ready', async () => {
    await create('slow');
    const frames = await framesOf(one('slow'), 2);
    expect(eventsOf(frames, 'function')).toEqual(['ADDED Unknown', 'MODIFIED True']);
    expect(frames[0]?.['traffic']).toEqual([
      { revisionName: `namespace-${namespace}-slow-00001`, traffic: '100', generation: '1' },
    ]);
  });

  test('contains the division of the traffic', async () => {
    await create('shared');
    const stream = await follow(one('shared'));
    await space.good('POST', one('shared'), { image: 'example/b', trafficPercent: 25 });
    const frame = await stream.until(({ traffic }) => rowsOf(traffic).length === 2);
    expect(rowsOf(frame['traffic']).map((row) => row['traffic'])).toEqual(['25', '75']);
  });

  test('has no ids, and starts from the beginning for a client that reconnects', async () => {
    await create('again');
    for (let round = 0; round < 2; round += 1) {
      const stream = await follow(all);
      const event = await stream.next();
      expect(event).toMatchObject({ id: undefined, name: 'message' });
      expect(JSON.parse(String(event?.data))).toMatchObject({ event: 'ADDED' });
    }
  });

  test('of a deleted service ends after an event about the deletion', async () => {
    await create('ends');
    const stream = await follow(one('ends'));
    await space.good('DELETE', one('ends'));
    await stream.until(({ event }) => String(event) === 'DELETED');
    expect(await stream.next()).toMatchObject({ name: 'error', data: '{"Code":50,"Message":"EOF"}' });
    expect(await stream.next()).toBeUndefined();
  });

  test.each([
    ['a service', () => one('nobody')],
    ['the revisions of a service', () => `${one('nobody')}/revisions`],
    ['a revision', () => revision('nobody')],
    ['a namespace', () => '/api/functions/namespaces/nowhere'],
  ])('of %s that does not exist is rejected', async (_what, path) => {
    const stream = await space.follow(path());
    onTestFinished(() => stream.leave());
    expect(stream.status).toBe(404);
  });

  test('of a missing global service has an error as its first event', async () => {
    const stream = await follow('/api/functions/nobody');
    expect(await stream.next()).toMatchObject({ name: 'error', data: expect.stringContaining('"Code":5') });
  });
});

describe('a stream of revisions', () => {
  test('sends each revision, whatever media type the client accepts', async () => {
    await create('rev');
    const path = `${one('rev')}/revisions`;
    const frames = await framesOf(path, isOf('ADDED', '00002'), () =>
      space.good('POST', one('rev'), { image: 'example/new', trafficPercent: 100, size: 1 }),
    );
    for (const frame of frames) needShape('revisionFrame', frame);
    expect(frames[0]?.['revision']).toMatchObject({ rev: '00001', generation: '1', desiredReplicas: '0' });
    const added = frames.filter(({ event }) => String(event) === 'ADDED');
    expect(eventsOf(added, 'revision', 'rev')).toEqual(['ADDED 00001', 'ADDED 00002']);
    const plain = await fetch(`${space.client.url}${path}`, { headers: { KEY: space.client.key } });
    expect(plain.headers.get('content-type')).toBe('text/event-stream');
    await plain.body?.cancel();
  });

  test('can be limited to one revision, and contains its pods', async () => {
    await create('rev');
    await space.good('POST', one('rev'), { image: 'example/new', trafficPercent: 0 });
    const stream = await follow(revision('rev', '00002'));
    const frame = await stream.until(({ revision: shown }) => String(shown?.['status']) === 'True');
    expect(frame['revision']).toMatchObject({ rev: '00002', actualReplicas: '1' });
    await space.good('DELETE', revision('rev', '00002'));
    expect(eventsOf([await stream.until(({ event }) => String(event) === 'DELETED')], 'revision', 'rev')).toEqual([
      'DELETED 00002',
    ]);
  });
});

describe('a stream of pods', () => {
  test('sends each pod when it starts', async () => {
    await create('pods');
    const frames = await framesOf(`${revision('pods')}/pods`, 1);
    needShape('podFrame', frames[0]);
    expect(eventsOf(frames, 'pod')).toEqual(['ADDED Running']);
  });
});

describe('a stream of the output of a pod', () => {
  const podOf = async (name: string): Promise<string> => {
    await space.good('GET', all);
    const [pod] = rowsOf((await space.good('GET', `${revision(name)}/pods`))['pods']);
    return String(pod?.['name']);
  };
  const write = (pod: string, text: string) => space.containers.write(pod.replace(/-pod$/, ''), text);

  test('sends the present output and then the new output, in parts', async () => {
    await create('talks');
    const pod = await podOf('talks');
    write(pod, `${'ä'.repeat(1500)}\n`);
    const stream = await follow(`/api/functions/logs/pod/${pod}`);
    expect(await stream.json()).toEqual({ data: 'ä'.repeat(1000) });
    expect(await stream.json()).toEqual({ data: `${'ä'.repeat(500)}\n` });
    write(pod, 'more\n');
    expect(await stream.json()).toEqual({ data: 'more\n' });
  });

  test('is denied to keys of other namespaces', async () => {
    await create('secretive');
    const pod = await podOf('secretive');
    write(pod, 'hello\n');
    const path = `/api/functions/logs/pod/${pod}`;
    const other = await space.namespace();
    for (const [visible, code] of [
      [namespace, 'hello'],
      [other, 'not found: no pod'],
    ] as const) {
      const body = { name: `reads ${visible}`, permission: 'read', namespaces: [visible] };
      const made = await space.good('POST', '/api/keys', body);
      const stream = await space.follow(path, String(made['secret']));
      onTestFinished(() => stream.leave());
      expect((await stream.next())?.data).toContain(code);
    }
  });

  test('of a missing pod ends with an error', async () => {
    const stream = await follow('/api/functions/logs/pod/nobody');
    expect(await stream.next()).toMatchObject({ name: 'error', data: expect.stringContaining("no pod 'nobody'") });
  });
});
