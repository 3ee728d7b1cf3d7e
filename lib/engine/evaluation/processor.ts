import type { EnginePorts } from '../ports.ts';

type Clock = Pick<EnginePorts['clock'], 'now'>;

/** For how long the batches of this process compute, all together, before the event loop is polled, ms. */
const MAX_TURN_MS = 4;

/** How often the event loop is polled before the next batch computes: a request needs several turns of it. */
const POLLS = 4;

/** By tenant: its batches that wait for the processor, in FIFO order. The tenant whose turn comes last is last. */
const waiting = new Map<string, (() => void)[]>();
/** When a batch first computed since the last polls; undefined: none has. */
let began: number | undefined;
let polls = 0;
/** The tenants that have computed since the last of the batches that wait went on. */
const served = new Set<string>();
let isTurnEnding = false;
/** The tenant that computed last, and the last one before it that was another; when, milliseconds since 1970. */
let [newest, other] = [
  { tenant: '', at: Number.NEGATIVE_INFINITY },
  { tenant: '', at: Number.NEGATIVE_INFINITY },
];

/** For so long after it has computed, a tenant is one that does, ms. */
const ACTIVE_MS = 1_000;

function noteComputing(tenant: string, now: number): void {
  if (newest.tenant !== tenant) other = newest;
  newest = { tenant, at: now };
}

/** Whether a tenant other than this one has computed in the last second before `now`, milliseconds since 1970. */
export function isShared(tenant: string, now: number): boolean {
  const { at } = newest.tenant === tenant ? other : newest;
  return now - at <= ACTIVE_MS;
}

function endTurn(): void {
  isTurnEnding = false;
  polls += 1;
  if (waiting.size > 0 && polls < POLLS) endTurnSoon();
  else resumeNext();
}

function resumeNext(): void {
  polls = 0;
  began = undefined;
  served.clear();
  const [next] = waiting;
  if (next === undefined) return;
  const [tenant, batches] = next;
  const resume = batches.shift();
  waiting.delete(tenant);
  if (batches.length > 0) waiting.set(tenant, batches);
  endTurnSoon();
  resume?.();
}

function endTurnSoon(): void {
  if (isTurnEnding) return;
  isTurnEnding = true;
  setImmediate(endTurn);
}

/**
 * Whether a batch of the tenant may compute on before the event loop is polled again. After a turn that took long, during the
 * polls, a tenant that has not computed yet may for as long as if none had.
 */
export function mayCompute(clock: Clock, tenant: string): boolean {
  const now = clock.now();
  noteComputing(tenant, now);
  if (began === undefined || (polls > 0 && !served.has(tenant))) began = now;
  endTurnSoon();
  if (now - began >= MAX_TURN_MS) return false;
  served.add(tenant);
  return true;
}

function nextTurn(tenant: string): Promise<void> {
  return new Promise((resolve) => {
    const batches = waiting.get(tenant) ?? [];
    batches.push(resolve);
    waiting.set(tenant, batches);
    endTurnSoon();
  });
}

/**
 * Resolves when a batch of the tenant may compute, so that requests of the same process need not wait for runs that do:
 * at once if there is time left before the event loop is polled; else the tenants take turns, each with one of its batches.
 */
export async function takeTurn(clock: Clock, tenant: string): Promise<void> {
  if (mayCompute(clock, tenant)) return;
  await nextTurn(tenant);
  began = clock.now();
  served.add(tenant);
}
