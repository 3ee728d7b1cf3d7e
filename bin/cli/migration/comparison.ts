import { isDeepStrictEqual } from 'node:util';
import { parseJson } from '../../../lib/language/json-numbers.ts';
import { bytesAt, rowsAt, textAt } from '../client/replies.ts';
import {
  namespacePath,
  needNamespace,
  openService,
  type Service,
  serviceAt,
  toFailure,
  treePath,
} from '../client/service.ts';
import { waitForEnd } from '../client/streams.ts';
import { type TargetValues, toUrl } from '../client/target.ts';
import { CommandFailedError, type Outcome, toJson, toTable, UsageError } from '../shell/command.ts';
import { limitOf } from '../shell/limit.ts';
import type { Terminal } from '../shell/terminal.ts';

/** How a run ended: `failed` includes `crashed`, and the brand of a code is left out, because versions differ in both. */
interface Ending {
  readonly status: string;
  readonly code: string;
  /** The output as JSON; its text if it is not JSON. */
  readonly output: unknown;
}

/** A run of the other server. */
interface RecordedRun {
  readonly id: string;
  readonly workflow: string;
  readonly input: Buffer;
  readonly ending: Ending;
}

/** A run of the other server and its repetition here. */
interface Comparison {
  readonly workflow: string;
  /** The id of the run on the other server. */
  readonly old: string;
  /** The id of the run here; absent, it could not be started. */
  readonly now?: string;
  /** The differences; empty for the same outcome. */
  readonly differences: readonly string[];
}

const withoutBrand = (code: string): string => code.replace(/^(?:direktiv|service)\./, '');

function toValue(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

/** The input or the output at a path. Versions before v0.8 reply 500 for one that is no object, also for an empty one. */
async function dataAt(service: Service, path: string): Promise<Buffer> {
  const response = await service.send('GET', path);
  if (response.status >= 400 && response.status !== 500) throw await toFailure(response, service.signal);
  const reply: unknown = response.status === 500 ? undefined : await response.json();
  return bytesAt(reply, 'data');
}

/** How a run ended, from its record at the path. */
async function endingAt(service: Service, path: string, instance: unknown): Promise<Ending> {
  const status = textAt(instance, 'status').replace('crashed', 'failed');
  const output = status === 'complete' ? toValue(await dataAt(service, `${path}/output`)) : null;
  return { status, code: withoutBrand(textAt(instance, 'errorCode')), output };
}

/** The statuses of runs whose outcome does not depend on a user's cancellation. */
const ENDED: readonly string[] = ['complete', 'failed', 'crashed'];

/** The latest runs that requests have started, the newest first. */
async function* recordedRuns(
  old: Service,
  namespace: string,
  workflows: readonly string[],
): AsyncGenerator<RecordedRun> {
  const base = `${namespacePath(namespace)}/instances`;
  const wanted = workflows.map((one) => one.replace(/^\/+/, ''));
  const rows = rowsAt(await old.call('GET', `${base}?limit=500`), 'instances') ?? [];
  for (const row of rows) {
    const workflow = textAt(row, 'as').replace(/^\/+/, '').split(':')[0] ?? '';
    const isWanted = wanted.length === 0 || wanted.includes(workflow);
    const isComparable = textAt(row, 'invoker') === 'api' && ENDED.includes(textAt(row, 'status'));
    if (!isWanted || !isComparable || textAt(row, 'errorCode').endsWith('.cancels.api')) continue;
    const id = textAt(row, 'id');
    const path = `${base}/${encodeURIComponent(id)}`;
    const input = await dataAt(old, `${path}/input`);
    yield { id, workflow, input, ending: await endingAt(old, path, row) };
  }
}

const quoted = (value: unknown): string => {
  const text = JSON.stringify(value) ?? '';
  return text.length > 120 ? `${text.slice(0, 117)}...` : text;
};

function differencesOf(before: Ending, now: Ending): string[] {
  const fields = ['status', 'code', 'output'] as const;
  return fields
    .filter((field) => !isDeepStrictEqual(before[field], now[field]))
    .map((field) => `${field} was ${quoted(before[field])}, is ${quoted(now[field])}`);
}

/** Runs the input of a run here, and compares. */
async function repeat(service: Service, run: RecordedRun): Promise<Comparison> {
  const namespace = needNamespace(service);
  const { workflow, id: old, ending } = run;
  try {
    const url = `${treePath(namespace, workflow)}?op=execute`;
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': `migrate-${old}` };
    const reply = await service.upload('POST', url, { body: new Uint8Array(run.input), headers });
    const now = textAt(reply, 'instance');
    const path = `${namespacePath(namespace)}/instances/${encodeURIComponent(now)}`;
    const instance = await waitForEnd(service, path, service.signal);
    return { workflow, old, now, differences: differencesOf(ending, await endingAt(service, path, instance)) };
  } catch (error) {
    if (!(error instanceof CommandFailedError)) throw error;
    return { workflow, old, differences: [error.message] };
  }
}

/** The options of a comparison. */
interface ComparisonValues extends TargetValues {
  readonly compare: string;
  readonly 'compare-key'?: string | undefined;
  readonly limit?: string | undefined;
  readonly yes?: boolean | undefined;
  readonly json?: boolean | undefined;
}

async function requireConsent({ yes }: ComparisonValues, count: number, service: Service, terminal: Terminal) {
  if (yes === true) return;
  const where = `'${needNamespace(service)}' at ${service.url}`;
  if (!terminal.isInteractive) {
    throw new UsageError(
      `nothing was run: ${count} runs in ${where} need --yes; they have all effects of the workflows`,
    );
  }
  const answer = await terminal.ask(`Run ${count} inputs in ${where}, with all effects of the workflows? [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailedError('nothing was run');
}

/**
 * Runs the inputs of the latest runs of another server here, and compares the outcomes. The other server is only read.
 * Throws UsageError, CommandFailedError, ServiceUnreachableError.
 */
export async function compareRuns(
  values: ComparisonValues,
  workflows: readonly string[],
  terminal: Terminal,
): Promise<Outcome> {
  const service = await openService(values, terminal);
  const namespace = needNamespace(service);
  const old = serviceAt({ url: toUrl(values.compare), key: values['compare-key'] ?? '' }, terminal.signal);
  const runs: RecordedRun[] = [];
  for await (const run of recordedRuns(old, namespace, workflows)) {
    if (runs.push(run) >= Number(limitOf(values))) break;
  }
  if (runs.length === 0)
    throw new CommandFailedError(`${old.url} has no run in '${namespace}' that a request started and that ended`);
  await requireConsent(values, runs.length, service, terminal);
  const comparisons: Comparison[] = [];
  for (const run of runs) comparisons.push(await repeat(service, run));
  const same = comparisons.filter(({ differences }) => differences.length === 0).length;
  const isSuccess = same === comparisons.length;
  if (values.json === true) return { text: toJson({ comparisons, same }), isSuccess };
  const rows = comparisons.map(({ workflow, old: before, now = '', differences }) => [
    workflow,
    before,
    now,
    differences.length === 0 ? 'same' : differences.join('; '),
  ]);
  const table = toTable([['WORKFLOW', 'RUN THERE', 'RUN HERE', 'OUTCOME'], ...rows]);
  return { text: `${table}\n${same} of ${comparisons.length} runs have the same outcome`, isSuccess };
}
