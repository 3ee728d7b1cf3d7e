import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mountSmallDisk, type SmallDisk } from '../../adapters/local/database/small-disk.ts';
import { rowsOf } from '../access/client.ts';
import { type ServiceProcess, spawnService, startProcess } from '../access/process.ts';

const trial = mountSmallDisk(1);
if (typeof trial !== 'string') trial.remove();

const NAMESPACE = '/api/namespaces/disk';

/** Waits a second, and then keeps its input in a variable. */
const WORKFLOW = `
states:
- id: pause
  type: delay
  duration: PT1S
  transition: keep
- id: keep
  type: setter
  variables: [{key: kept, scope: instance, value: jq(.), mimeType: application/json}]
`;

const LONG = `
states:
- id: pause
  type: delay
  duration: PT1M
`;

describe.skipIf(typeof trial === 'string')('a service on a disk that becomes full', () => {
  let disk: SmallDisk;
  let data: string;
  let service: ServiceProcess;
  beforeEach(async () => {
    disk = mountSmallDisk(48) as SmallDisk;
    data = join(disk.folder, 'data');
    mkdirSync(data);
    service = await startProcess(data);
    await service.client.call('PUT', NAMESPACE);
    await service.client.call('PUT', `${NAMESPACE}/tree/w?op=create-workflow`, { body: WORKFLOW });
  });
  afterEach(async () => {
    await service.end('SIGTERM');
    disk.remove();
  });

  const textOf = (number: number): string => `${number} ${'x'.repeat(30_000)}`;
  const set = (number: number) => service.client.call('PUT', `${NAMESPACE}/vars/v-${number}`, { body: textOf(number) });

  /** Sets variables until one is not acknowledged; returns its number and the reply. */
  async function setUntilRefused() {
    for (let number = 0; number < 2000; number += 1) {
      const answer = await set(number);
      if (answer.status !== 200) return { number, answer };
    }
    throw new Error('the disk did not become full');
  }

  async function expectAllBefore(number: number): Promise<void> {
    for (let one = 0; one < number; one += 1) {
      expect((await service.client.call('GET', `${NAMESPACE}/vars/v-${one}`)).text).toBe(textOf(one));
    }
  }

  async function pollUntil(signal: AbortSignal, isWanted: () => Promise<boolean>): Promise<void> {
    while (!(await isWanted())) await setTimeout(100, undefined, { signal });
  }

  const statusOf = async (run: string) =>
    (await service.client.call('GET', `${NAMESPACE}/instances/${run}`)).json()['instance']?.['status'];

  test('refuses writes with the reason, loses nothing, and continues by itself when there is room', async ({
    signal,
  }) => {
    const started = await service.client.call('POST', `${NAMESPACE}/tree/w?op=execute`, { json: { n: 1 } });
    expect(started.status).toBe(200);
    disk.fill(500_000);
    const { number, answer } = await setUntilRefused();
    expect(number).toBeGreaterThan(1);
    const message = `nothing can be stored in ${join(data, 'weft.db')}: the disk is full; try again later`;
    expect(answer.json()).toMatchObject({ code: 503, message });
    expect(answer.headers.get('retry-after')).toBe('5');
    await expectAllBefore(number);
    disk.free();
    await pollUntil(signal, async () => (await set(number)).status === 200);
    await expectAllBefore(number + 1);
    await pollUntil(signal, async () => {
      const list = (await service.client.call('GET', `${NAMESPACE}/instances`)).json();
      return rowsOf(list['instances']?.['results']).every(({ status }) => String(status) === 'complete');
    });
  });

  /** Reads, cancels a run and deletes a variable: what a full disk allows. */
  async function expectFrugal(run: string): Promise<void> {
    expect((await service.client.call('GET', `${NAMESPACE}/vars/v-0`)).text).toBe(textOf(0));
    expect(await statusOf(run)).toBe('pending');
    expect((await service.client.call('POST', `${NAMESPACE}/instances/${run}/cancel`)).status).toBe(200);
    expect(await statusOf(run)).toBe('failed');
    expect((await service.client.call('DELETE', `${NAMESPACE}/vars/v-0`)).status).toBe(200);
    expect((await service.client.call('GET', `${NAMESPACE}/vars/v-0`)).status).toBe(404);
    const refused = await service.client.call('POST', `${NAMESPACE}/tree/w?op=execute`, { json: {} });
    expect(refused.status).toBe(503);
  }

  /** Starts a run that waits for a minute, and returns its id. */
  async function startWaiting(): Promise<string> {
    await service.client.call('PUT', `${NAMESPACE}/tree/long?op=create-workflow`, { body: LONG });
    const started = await service.client.call('POST', `${NAMESPACE}/tree/long?op=execute`);
    return String(started.json()['instance']);
  }

  test('serves reads, cancellations and deletions meanwhile', async () => {
    const run = await startWaiting();
    disk.fill(500_000);
    await setUntilRefused();
    await expectFrugal(run);
  });

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'starts while it is full, after %s, and serves the same',
    async (signal) => {
      const run = await startWaiting();
      await set(0);
      await service.end(signal);
      disk.fillUp();
      service = await startProcess(data);
      await expectFrugal(run);
      await service.end('SIGKILL');
      disk.free();
      service = await startProcess(data);
      expect(await statusOf(run)).toBe('failed');
      expect((await set(1)).status).toBe(200);
    },
  );

  test('has room again after its own data was deleted', async ({ signal }) => {
    await setUntilRefused();
    expect((await service.client.call('DELETE', `${NAMESPACE}?recursive=true`)).status).toBe(200);
    await pollUntil(signal, async () => (await service.client.call('PUT', NAMESPACE)).status === 200);
    expect((await set(0)).status).toBe(200);
  });

  test('that is killed meanwhile has everything that it acknowledged', async () => {
    disk.fill(500_000);
    const { number } = await setUntilRefused();
    await service.end('SIGKILL');
    disk.free();
    service = await startProcess(data);
    await expectAllBefore(number);
    expect((await set(number)).status).toBe(200);
  });

  test('does not start on a disk that is read-only, and prints the reason', async () => {
    await service.end('SIGTERM');
    disk.freeze();
    const child = spawnService(data);
    const lines: string[] = [];
    createInterface(child.stderr).on('line', (line) => lines.push(line));
    const [code] = await once(child, 'close');
    expect(code).toBe(1);
    expect(lines.join('\n')).toMatch(/^Weft could not start: the data folder .* cannot be used: EROFS: read-only/m);
    disk.thaw();
    service = await startProcess(data);
  });
});

test.runIf(typeof trial === 'string')(`a full disk is not tried: ${trial}`, () => {
  expect(process.getuid?.()).not.toBe(0);
});
