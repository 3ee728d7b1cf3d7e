import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadedSize } from '../deployed/bundles.ts';
import { deployedBundles } from '../deployed/function-bundles.ts';
import { IS_FULL } from '../effort.ts';
import { DeployedSpace, requestOf } from '../functions/deployed-space.ts';
import { UnavailableError } from './python-packages.ts';
import { type Answer, installRuntimeClient, RunningFunction } from './runtime-client.ts';

const MAX_MS = 900_000;
const MB = 1_000_000;

const [NAMESPACES, TREE, STEPS] = ['lambdas/namespaces', 'lambdas/tree', 'triggers/steps'];
const NAP = 'states: [{id: nap, type: delay, duration: PT1M}]\n';

/** Separates status and headers from the body in a streamed answer (AWS: "Lambda response streaming"). */
const SEPARATOR = Buffer.alloc(8);

function partsOf({ kind, headers, body, trailers }: Answer): { readonly prelude: string; readonly text: string } {
  expect([kind, trailers], body.toString()).toEqual(['response', {}]);
  expect(headers['lambda-runtime-function-response-mode']).toBe('streaming');
  expect(headers['content-type']).toBe('application/vnd.awslambda.http-integration-response');
  const end = body.indexOf(SEPARATOR);
  return { prelude: body.subarray(0, end).toString(), text: body.subarray(end + SEPARATOR.length).toString() };
}
const statusOf = (answer: Answer): number => (JSON.parse(partsOf(answer).prelude) as { statusCode: number }).statusCode;
const textOf = (answer: Answer): string => partsOf(answer).text;

const modulesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => /\.m?js$/.test(file))
    .sort();

/** The class of a number: the next multiple of a step above it. */
const classOf = (value: number, step: number): number => Math.ceil(value / step) * step;

/** AWS's own client of the Runtime API runs the bundles as Lambda does. It is compiled here, for CI alone: it takes minutes. */
describe.skipIf(!IS_FULL)('the runtime client of AWS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-bundles-'));
  let program = '';
  let reason = '';
  let bundles: ReadonlyMap<string, string>;
  let space: DeployedSpace;
  beforeAll(async () => {
    program = await installRuntimeClient().catch((error: unknown) => {
      if (!(error instanceof UnavailableError)) throw error;
      reason = error.message;
      return '';
    });
    bundles = deployedBundles(folder);
    space = await DeployedSpace.open({ WEFT_STREAMING: 'true' });
  }, MAX_MS);
  afterAll(async () => {
    await space?.close();
    rmSync(folder, { recursive: true });
  });

  test('loads every bundle, and each within a class of size and memory', { timeout: MAX_MS }, async ({ skip }) => {
    if (program === '') skip(reason);
    const found: Record<string, object> = {};
    const times: string[] = [];
    for (const [file, bundle] of [...bundles].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const running = await RunningFunction.start(program, bundle);
      const { cpuMs, memory } = running.coldStart;
      await running.close();
      const bytes = modulesIn(bundle).reduce((sum, name) => sum + statSync(join(bundle, name)).size, 0);
      found[file] = {
        modules: modulesIn(bundle).filter((name) => !name.startsWith('part-')),
        loadsAtMostMB: classOf(loadedSize(bundle), 0.1 * MB) / MB,
        atMostMB: classOf(bytes, 0.5 * MB) / MB,
        atMostMemoryMB: classOf(memory, 150 * MB) / MB,
      };
      times.push(`${file}: ${(bytes / MB).toFixed(2)} MB, ${cpuMs} ms, ${Math.round(memory / MB)} MB resident`);
    }
    console.log(`cold starts: bundle, processor time of the start, memory\n${times.join('\n')}`);
    await expect(`${JSON.stringify(found, undefined, 2)}\n`).toMatchFileSnapshot('./cold-starts.json');
  });

  /** Calls a function in a process of its own. */
  async function callOnce(file: string, event: object, more?: Readonly<Record<string, string>>): Promise<Answer> {
    const running = await RunningFunction.start(program, bundles.get(file) ?? file, more);
    return running.call(event).finally(running.close);
  }

  test('answers a buffered request, a streamed one and a task of a state machine', { timeout: MAX_MS }, async ({
    skip,
  }) => {
    if (program === '') skip(reason);
    const created = await callOnce(NAMESPACES, requestOf('PUT', '/api/namespaces/demo'), { WEFT_STREAMING: 'false' });
    expect(created.kind, created.body.toString()).toBe('response');
    expect(created.headers['lambda-runtime-function-response-mode']).toBeUndefined();
    expect(JSON.parse(created.body.toString())).toMatchObject({
      statusCode: 200,
      body: expect.stringContaining('"name":"demo"'),
    });

    const tree = await RunningFunction.start(program, bundles.get(TREE) ?? TREE);
    const path = '/api/namespaces/demo/tree/nap';
    const stored = await tree.call(requestOf('PUT', path, NAP, { op: 'create-workflow' }));
    expect(statusOf(stored)).toBe(200);
    const started = await tree.call(requestOf('POST', path, '{"a":1}', { op: 'execute' }));
    const noop = '/api/namespaces/demo/tree/noop';
    await tree.call(requestOf('PUT', noop, 'states: [{id: a, type: noop}]', { op: 'create-workflow' }));
    const waited = await tree.call(requestOf('POST', noop, '{"a":1}', { op: 'wait' }));
    expect([statusOf(waited), JSON.parse(textOf(waited))]).toEqual([200, { a: 1 }]);
    const missing = await tree.call(requestOf('GET', '/api/namespaces/demo/tree/none'));
    expect(statusOf(missing)).toBe(404);
    await tree.close();

    const { instance } = JSON.parse(textOf(started)) as { readonly instance: string };
    const task = await callOnce(STEPS, { run: instance });
    expect(task.kind, task.body.toString()).toBe('response');
    expect(JSON.parse(task.body.toString())).toEqual(expect.any(Object));
  });
});
