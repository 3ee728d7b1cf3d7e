import type { Item } from '../../ports/table.ts';
import { toTtl } from '../../time/expiry.ts';
import { DAY_MS, HOUR_MS } from '../../time/units.ts';
import { fromText, type StateTally } from '../runs/tallies.ts';
import * as keys from '../storage/keys.ts';
import type { Aggregate } from './aggregates.ts';
import type { Increment, Sums } from './sums.ts';

/** How long counters by the hour are kept, days. */
export const HOURS_KEPT_DAYS = 90;
/** How long counters by the day are kept, days: longer than any list of instances looks back. */
const DAYS_KEPT_DAYS = 70;

const HOURS_OF_A_DAY = DAY_MS / HOUR_MS;

/** The hour of a time in UTC, `2026-01-15T12`. */
export function hourOf(ms: number): string {
  const hour = Math.floor(ms / HOUR_MS) % HOURS_OF_A_DAY;
  return `${keys.dateOf(ms)}T${String(hour).padStart(2, '0')}`;
}

/** The names of the counters. */
export const counterNames = {
  ofWorkflow: (workflowId: string): string => `workflow#${workflowId}`,
  ofDay: (day: string): string => `day#${day}`,
  /** All runs of a revision. */
  ofRevision: (workflowId: string, revision: string): string => `flow#${workflowId}#ever#${revision}`,
  ofHour: (workflowId: string, hour: string, revision: string): string => `flow#${workflowId}#${hour}#${revision}`,
  /** The common prefix of the counters by revision and by hour. */
  ofFlows: (workflowId: string): string => `flow#${workflowId}#`,
};

/** Counts each run once, when it is first stored: by workflow, and by the day of its beginning. */
export const begun: Aggregate = {
  name: 'begun',
  partitionsOf: keys.runsBegun,
  order: 'order',
  only: ['wf', 'order'],
  perDay: { prefix: counterNames.ofDay(''), sum: 'runs' },
  incrementsOf(row) {
    const ms = Number.parseInt(String(row['order']), 10);
    return [
      { counter: counterNames.ofWorkflow(String(row['wf'])), sums: { runs: 1 } },
      { counter: counterNames.ofDay(keys.dateOf(ms)), sums: { runs: 1 }, ttl: toTtl(ms + DAYS_KEPT_DAYS * DAY_MS) },
    ];
  },
};

/** Counts the executions of each state. The end of the run is an execution of the state in which it ended. */
function statesOf(row: Item, tally: readonly StateTally[], isFailed: boolean): Sums {
  const last = String(row['at']);
  const end: Sums = isFailed ? { failed: 1, codes: { [String(row['code'] ?? '')]: 1 } } : { done: 1 };
  const visited = tally.map(([state, ms, retries, to]): [string, Sums] => {
    const ended = state === last ? end : {};
    return [state, { ms, retries, to: Object.fromEntries(to), ...ended }];
  });
  const isVisited = tally.some(([state]) => state === last);
  return Object.fromEntries(isVisited ? visited : [...visited, [last, { ms: 0, ...end }]]);
}

function flowOf(row: Item, whole: Sums, isFailed: boolean): Sums {
  const { tally: text } = row;
  const codes = isFailed ? { codes: { [String(row['code'] ?? '')]: 1 } } : {};
  if (typeof text !== 'string') return { ...whole, ...codes };
  const tally = fromText(text);
  const entry = tally[0]?.[0] ?? String(row['at']);
  const states = statesOf(row, tally, isFailed);
  // The stored member `told` is the number of runs whose states are known.
  return { ...whole, ...codes, told: 1, start: { [entry]: 1 }, states };
}

/** Counts each run once, when it ended: by workflow, and by revision with the executions of its states. */
export const ended: Aggregate = {
  name: 'ended',
  partitionsOf: keys.runsEnded,
  order: 'endOrder',
  only: ['wf', 'revision', 'status', 'code', 'at', 'created', 'updated', 'tally', 'endOrder'],
  incrementsOf(row): Increment[] {
    const [workflow, revision] = [String(row['wf']), String(row['revision'])];
    const isFailed = row['status'] !== 'complete';
    const end = Number(row['updated']);
    const ms = Math.max(end - Number(row['created']), 0);
    const whole = { [isFailed ? 'failed' : 'done']: 1, ms };
    const flow = flowOf(row, whole, isFailed);
    const ttl = toTtl(end + HOURS_KEPT_DAYS * DAY_MS);
    return [
      { counter: counterNames.ofWorkflow(workflow), sums: whole },
      { counter: counterNames.ofRevision(workflow, revision), sums: flow },
      { counter: counterNames.ofHour(workflow, hourOf(end), revision), sums: flow, ttl },
    ];
  },
};
