import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Client } from '../../service/access/client.ts';
import { startProcess } from '../../service/access/process.ts';
import type { ModeOptions, Verdict } from '../modes.ts';
import { OptionError } from '../options.ts';
import { type Latencies, measure, prepareTenant } from './latencies.ts';
import type { Place } from './requests.ts';
import { ATTACKS, type AttackName, prepare } from './workloads.ts';

/** The largest latencies of another tenant's requests during an attack, milliseconds. */
const MAX_P99_MS = 250;
const MAX_MS = 1000;

/** The duration of the measurement of each attack, and of the attack before the measurement. */
const MEASURED_MS = 5000;
const LEAD_MS = 1000;

async function placeOf(client: Client, namespace: string): Promise<Place> {
  await client.call('PUT', `/api/namespaces/${namespace}`);
  const json = { name: namespace, permission: 'write', namespaces: [namespace] };
  const { secret } = (await client.call('POST', '/api/keys', { json })).json();
  return { url: client.url, key: String(secret), namespace };
}

/** The columns of the table: a head, and its width. */
const COLUMNS = [
  ...([
    ['attack', 21],
    ['sent', 8],
    ['p50 before', 12],
    ['p99 before', 12],
  ] as const),
  ...([
    ['requests', 10],
    ['p50', 6],
    ['p99', 6],
    ['max', 6],
    ['slowest', 9],
    ['verdict', 7],
  ] as const),
] as const;

const rowOf = (cells: readonly string[]): string =>
  cells
    .map((cell, index) => cell.padEnd(COLUMNS[index]?.[1] ?? 0))
    .join(' ')
    .trimEnd();

function cellsOf(name: string, { before, during, requests }: Measured, isTooSlow: boolean): string[] {
  const { count, p50, p99, max, slowest } = during;
  const times = [p50, p99, max].map((ms) => ms.toFixed(0));
  const calm = [before.p50, before.p99].map((ms) => ms.toFixed(0));
  return [name, String(requests), ...calm, String(count), ...times, slowest, isTooSlow ? 'failed' : 'ok'];
}

/** Why the latencies during an attack are too long; undefined: they are not. */
function excessOf({ p99, max, failed }: Latencies): string | undefined {
  if (failed.length > 0) return `${failed.length} requests failed, the first: ${failed[0]}`;
  return p99 > MAX_P99_MS || max > MAX_MS
    ? `p99 ${p99.toFixed(0)} ms of ${MAX_P99_MS}, max ${max.toFixed(0)} ms of ${MAX_MS}`
    : undefined;
}

/** The latencies of a tenant without the attack and during it, and how many requests the attacker sent. */
interface Measured {
  readonly before: Latencies;
  readonly during: Latencies;
  readonly requests: number;
}

async function measureDuring(attacker: Place, tenant: Place, name: AttackName): Promise<Measured> {
  await prepare(attacker, ATTACKS[name]);
  await prepareTenant(tenant);
  // Compiles and starts everything that the first use needs.
  await measure(tenant, LEAD_MS);
  const before = await measure(tenant, LEAD_MS);
  const worker = new Worker(new URL('attacker.ts', import.meta.url), { workerData: { place: attacker, name } });
  const ended = once(worker, 'message') as Promise<[number]>;
  await measure(tenant, LEAD_MS);
  const during = await measure(tenant, MEASURED_MS);
  worker.postMessage('stop');
  const [requests] = await ended;
  await worker.terminate();
  return { before, during, requests };
}

/** Attacks a new service in one way, and measures the latencies of another tenant. */
export async function attack(name: AttackName): Promise<Measured> {
  const folder = await mkdtemp(join(tmpdir(), 'weft-attacks-'));
  const service = await startProcess(folder);
  try {
    const [attacker, tenant] = [await placeOf(service.client, 'attacker'), await placeOf(service.client, 'tenant')];
    return await measureDuring(attacker, tenant, name);
  } finally {
    await service.end('SIGKILL');
    await rm(folder, { recursive: true });
  }
}

/** The attacks of these names, or all. Throws OptionError for a name that no attack has. */
function attackNames(only: readonly string[] | undefined): readonly AttackName[] {
  const names = Object.keys(ATTACKS) as AttackName[];
  const unknown = only?.find((name) => !Object.hasOwn(ATTACKS, name));
  if (unknown !== undefined) throw new OptionError(`no attack is named '${unknown}'; there are ${names.join(', ')}`);
  return names.filter((name) => only?.includes(name) ?? true);
}

/** Attacks services in each way. A way in which the requests of another tenant take too long is a failure. */
export async function attacks({ print, only }: ModeOptions): Promise<Verdict> {
  const failures: string[] = [];
  const names = attackNames(only);
  print(`latency of another tenant in ms; goal: p99 up to ${MAX_P99_MS}, max up to ${MAX_MS}`);
  print(rowOf(COLUMNS.map(([head]) => head)));
  for (const name of names) {
    const measured = await attack(name);
    const excess = excessOf(measured.during);
    print(rowOf(cellsOf(name, measured, excess !== undefined)));
    if (excess !== undefined) failures.push(`${name} (${ATTACKS[name].about}): ${excess}`);
  }
  return { passed: names.length - failures.length, failures };
}
