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

  test('refuses requests with the reason, loses nothing, and continues by itself when there is room', async ({
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
    const read = await service.client.call('GET', `${NAMESPACE}/vars/v-0`);
    expect(read.json()).toMatchObject({ code: 503, message });
    disk.free();
    await pollUntil(signal, async () => (await set(number)).status === 200);
    await expectAllBefore(number + 1);
    await pollUntil(signal, async () => {
      const list = (await service.client.call('GET', `${NAMESPACE}/instances`)).json();
      return rowsOf(list['instances']?.['results']).every(({ status }) => String(status) === 'complete');
    });
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
