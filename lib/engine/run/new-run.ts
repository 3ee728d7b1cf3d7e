import type { Plan } from '../../compiler/plan/plan.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Namespace } from '../../domain/namespaces/namespaces.ts';
import { limitsInTable } from '../../domain/namespaces/start-limits.ts';
import { type NamespaceLimits, RUN_LIMITS } from '../../domain/run-limits.ts';
import { EMPTY_RECORD } from '../../domain/runs/records.ts';
import { inputData } from '../../domain/runs/run.ts';
import type * as runs from '../../domain/runs/runs.ts';
import type { SettingsSnapshot } from '../../domain/runs/waits.ts';
import { spreadId } from '../../domain/storage/ids.ts';
import { START_AFTER_READ_MS } from '../../domain/storage/spread.ts';
import type { Opened } from '../../domain/tree/workflows.ts';
import { numberProblem } from '../../language/json-numbers.ts';
import { dataProblem, sizeProblem } from '../evaluation/bounds.ts';
import type { EnginePorts } from '../ports.ts';
import { LogBuffer } from './commit/log-buffer.ts';

/**
 * The instance data of an input (rest-api reference, 6.1): an object as it is, any other value under the key `input`.
 * Throws `malformed` for an input that is too large, too deep, or has a number that is too large.
 */
function toData(input: Uint8Array): Record<string, unknown> {
  needNone(sizeProblem(input));
  needNumbers(input);
  const data = inputData(input);
  needNone(dataProblem(data));
  return data;
}

/** As `toData`, in turns: a large input is read three times, which takes tens of milliseconds each. */
async function toDataInTurns(input: Uint8Array, takeTurn: () => Promise<void>): Promise<Record<string, unknown>> {
  await takeTurn();
  needNone(sizeProblem(input));
  needNumbers(input);
  await takeTurn();
  const data = inputData(input);
  await takeTurn();
  needNone(dataProblem(data));
  return data;
}

/** An input of more bytes than this is read in turns. */
const LARGE_BYTES = 64 * 1024;

function needNone(problem: string | undefined): void {
  if (problem !== undefined) throw new ServiceError('malformed', `the input is ${problem}; send less of it`);
}

function needNumbers(input: Uint8Array): void {
  const problem = numberProblem(input);
  if (problem !== undefined) throw new ServiceError('malformed', `the input is ${problem}`);
}

/** The limits of a run: of two, the lower. */
function limitsOf({ limits }: Namespace, plan: Plan | undefined): Partial<NamespaceLimits> | undefined {
  if (plan?.limits === undefined) return limits;
  const entries = RUN_LIMITS.flatMap((name) => {
    const given = [limits?.[name], plan.limits?.[name]].filter((limit) => limit !== undefined);
    return given.length === 0 ? [] : [[name, Math.min(...given)] as const];
  });
  return { ...limits, ...Object.fromEntries(entries) };
}

/** A workflow to start, and when its namespace was read, milliseconds since 1970. */
export interface Startable extends Opened {
  readonly readAt: number;
}

/** The invoker of a run that an alert starts. */
export const BY_ALERT = 'alert';

function snapshotOf(
  { settings, clock }: Pick<EnginePorts, 'settings' | 'clock'>,
  { namespace, node, revision: { plan }, readAt }: Startable,
  invoker: string,
): SettingsSnapshot {
  const broadcasts = namespace.broadcasts.filter((key) => key.startsWith('instance.'));
  const mode = plan?.record ?? namespace.record;
  const record = mode === 'full' ? {} : { record: mode };
  const merged = limitsOf(namespace, plan);
  const limits = merged === undefined ? {} : { limits: merged };
  const { activeRuns } = limitsInTable(settings, namespace.limits);
  const counted = activeRuns === undefined ? {} : ({ isCounted: true } as const);
  const native = namespace.avoidsNative ? { avoidsNative: true } : {};
  const spread = namespace.spread === undefined ? {} : { spread: namespace.spread };
  const late = clock.now() - readAt <= START_AFTER_READ_MS ? {} : { readAt };
  const time = plan?.timeouts.handlers;
  const handlers = plan?.handlers && { handlers: { ...plan.handlers, ...(time === undefined ? {} : { time }) } };
  const alerts = namespace.alerts === undefined || invoker === BY_ALERT ? {} : ({ alerts: true } as const);
  const isReported = 'alerts' in alerts || broadcasts.includes('instance.late');
  const expected = isReported && plan?.expected !== undefined ? { expected: plan.expected.within } : {};
  const more = { ...record, ...limits, ...counted, ...native, ...spread, ...late, ...alerts, ...expected, ...handlers };
  return { lookback: namespace.lookback, broadcasts, logger: node.logger, ...more };
}

type Identity =
  | 'id'
  | 'namespaceId'
  | 'namespace'
  | 'workflowId'
  | 'path'
  | 'revision'
  | 'as'
  | 'invoker'
  | 'data'
  | 'input';

/** A run at its start, without its identity and its input. `now`: milliseconds since 1970. */
export function blankRun(now: number): Omit<runs.RunFields, Identity> {
  return {
    status: 'pending',
    code: '',
    message: '',
    created: now,
    updated: now,
    seq: 0,
    at: '',
    step: 0,
    flow: [],
    interrupted: false,
    metadata: '',
    tail: [],
    flushed: 0,
    lastLine: 0,
    machine: '',
    executions: 0,
    historyEvents: 0,
    express: false,
    entryWait: 0,
    executionBegan: now,
    waitCount: 0,
    processedEventIds: [],
    depth: 0,
    threads: {},
    outbox: {},
    settings: { lookback: 0, broadcasts: [], logger: '' },
    tally: [],
    record: EMPTY_RECORD,
  };
}

/** The beginning of a run: `input`, the data that it was read as, and the invoker that started the run. */
interface Beginning {
  readonly input: Uint8Array;
  readonly data: Record<string, unknown>;
  readonly invoker: string;
}

/**
 * A run of the workflow with its first log line, not stored yet. `invoker` names its cause, such as `api` or
 * `instance:<id>`. Throws `malformed` for an input that cannot be instance data.
 */
export const newRun = (ports: EnginePorts, opened: Startable, input: Uint8Array, invoker: string): runs.WorkflowRun =>
  runOf(ports, opened, { input, data: toData(input), invoker });

/** As `newRun`; a large input is read in turns of its own. */
export async function newRunInTurns(
  ports: EnginePorts,
  opened: Startable,
  input: Uint8Array,
  invoker: string,
): Promise<runs.WorkflowRun> {
  if (input.length <= LARGE_BYTES) return newRun(ports, opened, input, invoker);
  const data = await toDataInTurns(input, async () => ports.processor?.takeLargeTurn(opened.namespace.name));
  return runOf(ports, opened, { input, data, invoker });
}

function runOf(ports: EnginePorts, opened: Startable, { input, data, invoker }: Beginning): runs.WorkflowRun {
  const { namespace, node, revision } = opened;
  const run: runs.WorkflowRun = {
    ...blankRun(ports.clock.now()),
    kind: 'workflow',
    id: spreadId(ports.clock.uuid()),
    namespaceId: namespace.id,
    namespace: namespace.name,
    workflowId: node.id,
    path: node.path,
    revision: revision.id,
    as: node.path,
    invoker,
    at: revision.plan?.entry ?? '',
    data,
    input,
    settings: snapshotOf(ports, opened, invoker),
  };
  const log = new LogBuffer(ports.clock, run);
  log.add(`Preparing workflow triggered by ${invoker}.`, 'info', '');
  return { ...run, ...log.stored };
}
