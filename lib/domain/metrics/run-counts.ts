import type { Item } from '../../ports/table.ts';
import { fromText, type StateTally } from '../runs/tallies.ts';
import * as keys from '../storage/keys.ts';
import type { Ledger, Post } from './ledgers.ts';
import type { Sums } from './sums.ts';

/** Sums by the hour are kept this long. */
export const HOURS_KEPT_DAYS = 90;
/** No list of instances looks further back than this. */
const DAYS_KEPT_DAYS = 70;
const SECONDS_OF_A_DAY = 86_400;

const HOUR = '2026-01-15T12'.length;
export const hourOf = (ms: number): string => new Date(ms).toISOString().slice(0, HOUR);
const expiry = (ms: number, days: number): number => Math.ceil(ms / 1000) + days * SECONDS_OF_A_DAY;

/** The accounts: what is counted under which name. */
export const accounts = {
  ofWorkflow: (workflowId: string): string => `workflow#${workflowId}`,
  ofDay: (day: string): string => `day#${day}`,
  /** A revision of a workflow since ever. */
  ofRevision: (workflowId: string, revision: string): string => `flow#${workflowId}#ever#${revision}`,
  ofHour: (workflowId: string, hour: string, revision: string): string => `flow#${workflowId}#${hour}#${revision}`,
};

/** Every run once, when it is first stored: by workflow, and by the day under which it is listed. */
export const begun: Ledger = {
  name: 'begun',
  index: 'by-namespace',
  order: 'order',
  bucketOf: keys.instancesOf,
  only: ['wf', 'order'],
  postsOf(row) {
    const ms = Number.parseInt(String(row['order']), 10);
    return [
      { account: accounts.ofWorkflow(String(row['wf'])), sums: { runs: 1 } },
      { account: accounts.ofDay(keys.dayOf(ms)), sums: { runs: 1 }, expires: expiry(ms, DAYS_KEPT_DAYS) },
    ];
  },
};

/** The state in which the run ended counts its end: executions are transitions and ends together. */
function statesOf(row: Item, tally: readonly StateTally[], isFailed: boolean): Sums {
  const last = String(row['at']);
  const end: Sums = isFailed ? { failed: 1, codes: { [String(row['code'])]: 1 } } : { done: 1 };
  const left = tally.map(([state, ms, retries, to]): [string, Sums] => {
    const ended = state === last ? end : {};
    return [state, { ms, retries, to: Object.fromEntries(to), ...ended }];
  });
  const isNoted = tally.some(([state]) => state === last);
  return Object.fromEntries(isNoted ? left : [...left, [last, { ms: 0, ...end }]]);
}

function flowOf(row: Item, whole: Sums, isFailed: boolean): Sums {
  const { tally: text } = row;
  const codes = isFailed ? { codes: { [String(row['code'])]: 1 } } : {};
  if (typeof text !== 'string') return { ...whole, ...codes };
  const tally = fromText(text);
  const entry = tally[0]?.[0] ?? String(row['at']);
  const states = statesOf(row, tally, isFailed);
  return { ...whole, ...codes, told: 1, start: { [entry]: 1 }, states };
}

/** Every run once, when it is over: by workflow, and by revision with what happened in its states. */
export const ended: Ledger = {
  name: 'ended',
  index: 'by-end',
  order: 'endOrder',
  bucketOf: keys.endsOf,
  only: ['wf', 'revision', 'status', 'code', 'at', 'created', 'updated', 'tally', 'endOrder'],
  postsOf(row): Post[] {
    const [workflow, revision] = [String(row['wf']), String(row['revision'])];
    const isFailed = row['status'] !== 'complete';
    const ms = Math.max(Number(row['updated']) - Number(row['created']), 0);
    const whole = { [isFailed ? 'failed' : 'done']: 1, ms };
    const flow = flowOf(row, whole, isFailed);
    const at = Number(row['updated']);
    return [
      { account: accounts.ofWorkflow(workflow), sums: whole },
      { account: accounts.ofRevision(workflow, revision), sums: flow },
      { account: accounts.ofHour(workflow, hourOf(at), revision), sums: flow, expires: expiry(at, HOURS_KEPT_DAYS) },
    ];
  },
};
