import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ContainerRevision } from '../../../../lib/ports/containers.ts';
import { containersContract, GREETING } from '../../../contract/containers.ts';
import { openContainers, revisionOf, until } from './fixtures/caller.ts';
import { engineForTests, makeTestImage } from './fixtures/image.ts';

const engine = await engineForTests();
const missing = typeof engine === 'string' ? engine : undefined;

async function prepare() {
  const calling = openContainers({ folder: undefined, timeouts: { cancelMs: 500 } });
  const image = typeof engine === 'string' ? '' : await makeTestImage(engine);
  const revision = revisionOf(image, { environment: { GREETING } });
  await calling.prepared(revision);
  return { ...calling, revision };
}

describe('a call of a container', () => {
  containersContract(async () => {
    const { containers, call, revision } = await prepare();
    return {
      call: (input, given) => call(revision.id, input, given),
      cancel: (actionId) => containers.cancel(revision.id, actionId),
      folder: '/mnt/shared',
      close: () => containers.close(),
    };
  }, missing);
});

describe('containers on one machine', () => {
  let containers: Awaited<ReturnType<typeof prepare>>['containers'];
  let call: Awaited<ReturnType<typeof prepare>>['call'];
  let statusOf: Awaited<ReturnType<typeof prepare>>['statusOf'];
  let revision: ContainerRevision;

  beforeEach(({ skip }) => skip(missing !== undefined, missing));
  beforeAll(async () => {
    if (missing === undefined) ({ containers, call, statusOf, revision } = await prepare());
  });
  afterAll(() => containers?.close());

  test('serves many calls at once, ten of them in the container', async () => {
    const calls = Array.from({ length: 25 }, () => call(revision.id, { do: 'sleep', ms: 200 }));
    const answers = (await Promise.all(calls)).map(({ json }) => json());
    expect(new Set(answers.map(({ id }) => id)).size).toBe(25);
    expect(Math.max(...answers.map(({ calls: atOnce }) => atOnce))).toBeLessThanOrEqual(10);
  });

  test('rejects calls while a hundred are waiting', async () => {
    const calls = Array.from({ length: 115 }, () => call(revision.id, { do: 'sleep', ms: 20 }));
    const failures = (await Promise.all(calls)).flatMap(({ failure }) => failure ?? []);
    expect(failures.length).toBe(5);
    expect(failures[0]).toEqual({
      code: '',
      message: '100 calls are waiting for this service already; try again later',
    });
  });

  test('shows the pod and its output', async () => {
    await call(revision.id, { do: 'print', words: 'Grüße' });
    const [pod] = (await statusOf(revision.id)).pods;
    expect(pod?.status).toBe('Running');
    const read = (from: number) => containers.output(pod?.name ?? '', from);
    const all = await until(
      () => read(0),
      (output) => output?.text.includes('Grüße\n') ?? false,
    );
    expect(all?.text).toMatch(/^begun serve true\n/);
    expect((await read(all?.end ?? 0))?.text).toBe('');
    expect(await containers.output('unknown', 0)).toBeUndefined();
  });

  test('fails for a revision that was never prepared', async () => {
    const { failure } = await call('unknown-00001', { do: 'echo' });
    expect(failure?.message).toBe("the revision 'unknown-00001' was never prepared, or is removed");
    expect(await containers.status(['unknown-00001'])).toEqual([undefined]);
  });
});
