import { at, listAt, textAt } from '../client/replies.ts';
import type { Service } from '../client/service.ts';
import { counted, type Outcome, result, success, toTable, UsageError } from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';

/** A job that is to be created. */
export interface JobOrder {
  /** The path of the namespace. */
  readonly base: string;
  readonly action: 'cancel' | 'rerun';
  /** The filters of the list of runs. */
  readonly filters: readonly (readonly [string, string])[];
  /** How runs are repeated. */
  readonly how: Readonly<Record<string, string>>;
  readonly isConfirmed: boolean;
  readonly isJson: boolean;
}

const DOES = { cancel: ['Cancel', 'cancelled'], rerun: ['Repeat', 'repeated'] } as const;

/** `40 of 100 runs cancelled, 2 skipped; running`. */
function progressText(job: unknown): string {
  const [action, total, done, skipped, held, state] = ['action', 'total', 'done', 'skipped', 'held', 'state'].map(
    (name) => textAt(job, name),
  );
  const left = `${skipped === '0' ? '' : `, ${skipped} skipped`}${held === '' ? '' : `, ${held} held back`}`;
  const why = textAt(job, 'error');
  const runs = total === '' ? counted(Number(done), 'run') : `${done} of ${counted(Number(total), 'run')}`;
  return `${runs} ${DOES[action === 'cancel' ? 'cancel' : 'rerun'][1]}${left}; ${state}${why === '' ? '' : `: ${why}`}`;
}

/** The number of runs that the filters select; of a search, at least so many. */
async function countOf(service: Service, { base, action, filters }: JobOrder): Promise<number> {
  const query = new URLSearchParams({ limit: '1' });
  const hasStatus = filters.some(([, value]) => value === 'STATUS');
  const pending = [
    ['filter.field', 'STATUS'],
    ['filter.type', 'MATCH'],
    ['filter.val', 'pending'],
  ] as const;
  for (const [name, value] of [...filters, ...(action === 'cancel' && !hasStatus ? pending : [])])
    query.append(name, value);
  return Number(textAt(await service.call('GET', `${base}/instances?${query}`), 'instances', 'pageInfo', 'total'));
}

/** Creates a job of the service that cancels or repeats the selected runs, after it asked. Throws UsageError. */
export async function createJob(service: Service, order: JobOrder, terminal: Terminal): Promise<Outcome> {
  const { base, action, filters, how, isConfirmed, isJson } = order;
  const [act] = DOES[action];
  if (!isConfirmed) {
    const what = counted(await countOf(service, order), 'run');
    if (!terminal.isInteractive) throw new UsageError(`nothing was changed: ${what} selected; add --yes`);
    const answer = await terminal.ask(`${act} ${what}? [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) return success('nothing was changed');
  }
  const query = new URLSearchParams({ op: 'job' });
  for (const [name, value] of filters) query.append(name, value);
  const job = at(await service.call('POST', `${base}/instances?${query}`, { action, ...how }), 'job');
  return result({ json: isJson }, job, () => `job ${textAt(job, 'id')}: ${progressText(job)}`);
}

/** Lists the jobs of a namespace, the newest first. */
export async function listJobs(service: Service, base: string, isJson: boolean): Promise<Outcome> {
  const rows = listAt(await service.call('GET', `${base}/instances?op=jobs`), 'jobs');
  const cells = rows.map((job) => [
    textAt(job, 'id'),
    textAt(job, 'createdAt').replace(/\.\d+Z$/, 'Z'),
    textAt(job, 'createdBy'),
    progressText(job),
  ]);
  return result({ json: isJson }, rows, () =>
    cells.length === 0 ? 'no jobs' : toTable([['JOB', 'CREATED', 'BY', 'PROGRESS'], ...cells]),
  );
}

/** Stops a job; what it has done stays done. */
export async function stopJob(service: Service, base: string, id: string, isJson: boolean): Promise<Outcome> {
  const query = new URLSearchParams({ op: 'stop-job', job: id });
  const job = at(await service.call('POST', `${base}/instances?${query}`), 'job');
  return result({ json: isJson }, job, () => `job ${id}: ${progressText(job)}`);
}
