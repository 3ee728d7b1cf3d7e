import { setTimeout } from 'node:timers/promises';
import { type Api, bytesOf, jsonOf } from './api.ts';
import { type Ledger, type Slot, textOf } from './ledger.ts';
import { sourceOf } from './workflows.ts';

/** The damage of a service after a crash. */
export interface Damage {
  /** Acknowledged writes that are missing or have another value. */
  readonly lost: string[];
  /** Changes that are there in part. */
  readonly partial: string[];
  /** Effects that happened twice. */
  readonly doubled: string[];
  /** Accepted runs that did not end as complete. */
  readonly crashed: string[];
  /** Runs that are stored and make no progress. */
  readonly stalled: string[];
}

/** Every kind of damage, with the word for it in reports. */
export const DAMAGES = {
  stalled: 'stuck',
  lost: 'lost',
  partial: 'partial',
  doubled: 'doubled',
  crashed: 'crashed',
} as const satisfies Record<keyof Damage, string>;

/** Every kind of damage, in the order of reports. */
export const DAMAGE_KINDS = Object.keys(DAMAGES) as readonly (keyof Damage)[];

/** No damage so far. */
export const noDamage = (): Damage => ({ lost: [], partial: [], doubled: [], crashed: [], stalled: [] });

/** A figure for each kind of damage: `0 stuck, 0 lost, …`. */
export const damageText = (damage: Damage): string =>
  DAMAGE_KINDS.map((kind) => `${damage[kind].length} ${DAMAGES[kind]}`).join(', ');

/** A line for each thing that is damaged, with its kind. */
export const damageLines = (damage: Damage): string[] =>
  DAMAGE_KINDS.flatMap((kind) => damage[kind].map((what) => `${DAMAGES[kind]}: ${what}`));

interface Listed {
  readonly id: string;
  readonly status: string;
}

interface Output {
  readonly id?: string;
  readonly n?: number;
  readonly count?: number;
  readonly rounds?: number;
}

const PAGE = 200;
const POLL_MS = 25;
/** Runs that a crash interrupted are stalled when none of them ends for this long. */
const PATIENCE_MS = 60_000;

async function runsIn(api: Api): Promise<Listed[]> {
  const runs: Listed[] = [];
  for (;;) {
    const reply = await api.call('GET', `/instances?limit=${PAGE}&offset=${runs.length}`);
    const { instances } = jsonOf<{ instances: { results: Listed[] } }>(reply, 'the list of instances');
    runs.push(...instances.results);
    if (instances.results.length < PAGE) return runs;
  }
}

const fromBase64 = (data: string): unknown => JSON.parse(Buffer.from(data, 'base64').toString());

async function partOf(api: Api, { id }: Listed, part: 'input' | 'output'): Promise<unknown> {
  const { data } = jsonOf<{ data: string }>(await api.call('GET', `/instances/${id}/${part}`), `the ${part} of ${id}`);
  return fromBase64(data);
}

/** Runs by the ids in their inputs. */
interface Found {
  readonly ended: ReadonlyMap<string, Output>;
  readonly stalled: ReadonlySet<string>;
}

async function inputIdOf(api: Api, run: Listed): Promise<string> {
  const { id, durable } = (await partOf(api, run, 'input')) as { id?: string; durable?: { data: { id: string } } };
  return id ?? durable?.data.id ?? '';
}

/** Reads the runs when all have ended and those that must be there are, or when none ends any more. */
async function findRuns(api: Api, wanted: readonly string[], damage: Damage): Promise<Found> {
  const seen = new Map<string, Output>();
  let changed = Date.now();
  for (;;) {
    const runs = await runsIn(api);
    const ended = runs.filter(({ id, status }) => status === 'complete' && !seen.has(id));
    for (const run of ended) seen.set(run.id, (await partOf(api, run, 'output')) as Output);
    if (ended.length > 0) changed = Date.now();
    const ids = new Set([...seen.values()].map(({ id }) => id));
    const isWhole = runs.length === seen.size && wanted.every((id) => ids.has(id));
    if (isWhole || Date.now() - changed > PATIENCE_MS) {
      const pending = runs.filter(({ status }) => status === 'pending');
      const failed = runs.filter(({ status }) => status !== 'pending' && status !== 'complete');
      damage.crashed.push(...failed.map(({ id, status }) => `the run ${id} has the status ${status}`));
      damage.stalled.push(...pending.map(({ id }) => `the run ${id}`));
      const stalled = new Set(await Promise.all(pending.map((run) => inputIdOf(api, run))));
      return { ended: byInputId(seen, damage), stalled };
    }
    await setTimeout(POLL_MS);
  }
}

function byInputId(seen: ReadonlyMap<string, Output>, damage: Damage): Map<string, Output> {
  const outputs = new Map<string, Output>();
  for (const [run, output] of seen) {
    const { id = '', n, count, rounds } = output;
    if (outputs.has(id)) damage.doubled.push(`${id} was started twice, the second time as ${run}`);
    if (n !== count || n !== rounds) damage.partial.push(`the run of ${id} has the output ${JSON.stringify(output)}`);
    outputs.set(id, output);
  }
  return outputs;
}

async function verifyRuns(api: Api, { runs, events }: Ledger, damage: Damage): Promise<void> {
  const wanted = [...runs.acknowledged, ...events.acknowledged];
  const { ended, stalled } = await findRuns(api, wanted, damage);
  for (const id of wanted) if (!ended.has(id) && !stalled.has(id)) damage.lost.push(`the run of ${id}`);
  for (const id of ended.keys()) {
    const isKnown = runs.sent.has(id) || events.sent.has(id) || events.sent.has(id.replace(/^sub-/, ''));
    if (!isKnown) damage.partial.push(`a run has the unknown id ${id}`);
    if (events.sent.has(id) && !ended.has(`sub-${id}`)) damage.lost.push(`the subflow of ${id}`);
  }
}

/** The number of the slot's value; -1 for a value that the slot cannot have. */
async function numberIn(api: Api, slot: Slot): Promise<number> {
  const reply = await api.call('GET', `/vars/${slot.name}`);
  const text = reply.status === 404 ? undefined : bytesOf(reply, `the variable ${slot.name}`).toString();
  for (let number = slot.sent; number >= slot.acknowledged; number -= 1) {
    if (textOf(slot, number) === text) return number;
  }
  return -1;
}

async function verifySlots(api: Api, { slots }: Ledger, damage: Damage): Promise<void> {
  for (const slot of slots) {
    const found = await numberIn(api, slot);
    if (found < 0) damage.lost.push(`the value ${slot.acknowledged} of ${slot.name}`);
  }
}

async function verifyWorkflows(api: Api, { workflows }: Ledger, damage: Damage): Promise<void> {
  for (const name of workflows.sent) {
    const reply = await api.call('GET', `/tree/${name}`);
    if (reply.status === 404) {
      if (workflows.acknowledged.has(name)) damage.lost.push(`the workflow ${name}`);
      continue;
    }
    const { revision } = jsonOf<{ revision: { source: string } }>(reply, `the workflow ${name}`);
    const isWhole = Buffer.from(revision.source, 'base64').toString() === sourceOf(name);
    if (!isWhole) damage.partial.push(`the workflow ${name} has another source`);
  }
}

/** Compares a namespace with its ledger, when everything that was interrupted has ended. */
export async function verify(api: Api, ledger: Ledger): Promise<Damage> {
  const damage = noDamage();
  if ((await api.call('GET', '/tree')).status === 404) {
    damage.lost.push('the whole namespace');
    return damage;
  }
  await verifySlots(api, ledger, damage);
  await verifyWorkflows(api, ledger, damage);
  await verifyRuns(api, ledger, damage);
  return damage;
}
