import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { apiOf } from '../durability/api.ts';
import { acknowledgedIn, newLedger } from '../durability/ledger.ts';
import { prepare, sendLoad } from '../durability/load.ts';
import { type Running, startProcess } from '../durability/process.ts';
import { type Random, randomFrom } from '../durability/random.ts';
import { DAMAGE_KINDS, damageLines, damageText, noDamage, verify } from '../durability/verification.ts';
import type { ModeOptions, Verdict } from './modes.ts';
import { PatientApi } from './patient-api.ts';

const PRELOAD = new URL('./faults.mjs', import.meta.url).pathname;
const [HOUR_MS, DAY_MS] = [3_600_000, 86_400_000];

type FaultName =
  | 'database stopped'
  | 'disk full'
  | 'bus unwritable'
  | 'clock -5 s'
  | 'clock +1 h and back'
  | 'clock +3 d and back';

interface Fault {
  /** The state of the service while the fault lasts, in the form that faults.mjs reads. */
  readonly state: object;
  /** A failure of storage lasts from 5 s to the option `--longest`; a clock is set back after at most 5 s. */
  readonly isOutage: boolean;
}

const FAULTS: Readonly<Record<FaultName, Fault>> = {
  'database stopped': { state: { commit: { code: 10, message: 'disk I/O error' } }, isOutage: true },
  'disk full': { state: { commit: { code: 13, message: 'database or disk is full' } }, isOutage: true },
  'bus unwritable': { state: { bus: { code: 10, message: 'disk I/O error' } }, isOutage: true },
  'clock -5 s': { state: { clock: -5000 }, isOutage: false },
  'clock +1 h and back': { state: { clock: HOUR_MS }, isOutage: false },
  'clock +3 d and back': { state: { clock: 3 * DAY_MS }, isOutage: false },
};
const NAMES = Object.keys(FAULTS) as FaultName[];

const CLIENTS = 4;
/** The load runs for this long before and after the fault, ms. */
const CALM_MS = 500;
const SHORTEST_MS = 500;
const OUTAGE_MS = 5000;

/** How long a fault lasts, ms. */
function durationOf({ isOutage }: Fault, longest: number, random: Random): number {
  const most = isOutage ? longest * 1000 : Math.min(longest * 1000, OUTAGE_MS);
  return random.between(most > OUTAGE_MS ? OUTAGE_MS : SHORTEST_MS, most);
}

/** A fault of a round: its name, and how long it lasts. */
interface Round {
  readonly fault: FaultName;
  readonly milliseconds: number;
  readonly random: Random;
}

/** Lets the service run into a fault under load, and verifies the namespace when all is well again. */
async function suffer(running: Running, file: string, { fault, milliseconds, random }: Round, name: string) {
  const ledger = newLedger(name, CLIENTS);
  const api = apiOf(running, ledger.namespace);
  const patient = new PatientApi(api);
  const set = (now: object): void => {
    writeFileSync(file, JSON.stringify(now));
    running.signal('SIGUSR2');
  };
  await prepare(patient);
  const loaded = sendLoad(patient, ledger, random);
  await setTimeout(CALM_MS);
  set(FAULTS[fault].state);
  await setTimeout(milliseconds);
  set({});
  await setTimeout(CALM_MS);
  patient.end();
  await loaded;
  const damage = await verify(api, ledger);
  const failures = damageLines(damage);
  return { damage, failures, acknowledged: acknowledgedIn(ledger), retried: patient.retried };
}

/** Each round has another fault, in one service: database stopped, disk full, bus unwritable, clock jumps. */
export async function faults({ rounds, seed, longest, print }: ModeOptions): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), 'weft-chaos-'));
  const at = (name: string): string => join(folder, name);
  const preload = { file: PRELOAD, env: { CHAOS_FAULT: at('fault') } };
  const { ready, kill } = startProcess({
    ...{ data: at('data'), record: at('record'), log: at('log'), sync: 'full', preload },
  });
  const random = randomFrom(seed);
  const failures: string[] = [];
  const all = noDamage();
  let passed = 0;
  try {
    const running = await ready;
    for (let round = 1; round <= rounds; round += 1) {
      const fault = NAMES[(round - 1) % NAMES.length] as FaultName;
      const milliseconds = durationOf(FAULTS[fault], longest, random);
      const found = await suffer(running, at('fault'), { fault, milliseconds, random }, `fault-${round}`);
      failures.push(...found.failures.map((failure) => `round ${round}, ${fault}: ${failure}`));
      if (found.failures.length === 0) passed += 1;
      for (const kind of DAMAGE_KINDS) all[kind].push(...found.damage[kind]);
      const figures = `${found.acknowledged} acknowledged, ${found.retried} requests repeated`;
      print(`${fault} for ${(milliseconds / 1000).toFixed(1)} s: ${figures}, ${found.failures.length} wrong`);
    }
    print(`${rounds} rounds: ${damageText(all)}`);
  } finally {
    await kill();
    // A folder with damage stays for its examination.
    if (failures.length === 0) rmSync(folder, { recursive: true, force: true });
    else print(`the data and the log of the service are kept in ${folder}`);
  }
  return { passed, failures };
}
