import { isObject } from '../../language/json.ts';
import { omitUndefined } from '../../language/omit-undefined.ts';
import type { Ports } from '../../ports/ports.ts';
import { toTimestamp } from '../../time/timestamps.ts';
import { notFound, ServiceError } from '../errors.ts';
import { sentFrom } from '../runs/call-results.ts';
import { readSteps } from '../runs/record-steps.ts';
import { applyChange, entriesOf, isOmitted, type RecordedStep } from '../runs/records.ts';
import { inputData } from '../runs/run.ts';
import type { Run } from '../runs/runs.ts';
import { needOfRun } from '../tree/kept-sources.ts';
import { toRecord } from './instances.ts';
import { linesOfStep } from './step-lines.ts';

type Needs = Pick<Ports, 'table' | 'blobs'>;
type Data = Readonly<Record<string, unknown>>;

/** A recorded step, and the data of its run at its entry and at its end; undefined where it is not known. */
export interface StepData {
  readonly step: RecordedStep;
  readonly before: Data | undefined;
  readonly after: Data | undefined;
}

/** The data at the entry of the last state of a run that failed there: the failure added `error`. */
function beforeFailure({ data, status }: Run, { error }: RecordedStep): Data | undefined {
  if (status !== 'failed' || error === undefined) return undefined;
  const { error: _, ...before } = data;
  return before;
}

/** Returns the recorded steps of a run in their order, each with its data. */
export async function stepsWithData(ports: Needs, run: Run): Promise<readonly StepData[]> {
  const steps = await readSteps(ports, run);
  const entries = entriesOf(steps, inputData(run.input));
  return steps.map((step, index) => {
    const isNewest = step.n === run.step;
    const before = entries[index] ?? (isNewest ? beforeFailure(run, step) : undefined);
    const after = isNewest ? run.data : applyChange(before, step.change);
    return { step, before, after: step.left === undefined ? undefined : after };
  });
}

const PRIVATE = 'private';

const withoutPrivate = ({ [PRIVATE]: _, ...shown }: Data): Data => shown;

const pointerOf = (name: string): string => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

function toPatch(change: NonNullable<RecordedStep['change']>) {
  if (isOmitted(change)) return change;
  const { set = {}, removed = [] } = change as { set?: Data; removed?: readonly string[] };
  const added = Object.entries(withoutPrivate(set)).map(([name, value]) => ({
    op: 'add' as const,
    path: pointerOf(name),
    value,
  }));
  const gone = removed.filter((name) => name !== PRIVATE);
  return { patch: [...added, ...gone.map((name) => ({ op: 'remove' as const, path: pointerOf(name) }))] };
}

/** The failed calls of a step for which nothing waited. They are numbered after the calls that it waited for. */
function unawaitedOf({ unawaited = [] }: Run, { n, calls = [] }: RecordedStep) {
  return unawaited
    .filter((failed) => failed.n === n)
    .map(({ id, code, message }, index) => {
      return { call: calls.length + index, attempt: 0, instance: id, unawaited: true, error: { code, message } };
    });
}

/** The code of a workflow that a run executed; the source is undefined when its revision was deleted. */
interface Code {
  readonly file: string;
  readonly source: string | undefined;
}

async function findPlace(source: string, state: string, expression = '') {
  const { placeOf } = await import('../../language/yaml/places.ts');
  return placeOf(source, state, expression);
}

/** The error of a step with its place in the source of the workflow. */
async function toError(error: NonNullable<RecordedStep['error']>, state: string, { file, source }: Code) {
  const at = error.at ?? (source === undefined ? undefined : await findPlace(source, state, error.expression));
  return at === undefined ? error : { ...error, at: { file, ...at } };
}

/** The wire form of a step. */
async function toStep(run: Run, recorded: RecordedStep, code: Code) {
  const {
    entered,
    left,
    change,
    calls,
    error,
    base: _base,
    inLoop: _loop,
    origin: _origin,
    results: _results,
    ...step
  } = recorded;
  const unawaited = unawaitedOf(run, recorded);
  const all = calls ?? (unawaited.length === 0 ? undefined : []);
  return omitUndefined({
    ...step,
    callCount: all === undefined ? undefined : (step.callCount ?? 0) + unawaited.length,
    error: error === undefined ? undefined : await toError(error, step.state, code),
    entered: toTimestamp(entered),
    left: left === undefined ? undefined : toTimestamp(left),
    change: change === undefined ? undefined : toPatch(change),
    calls: all
      ?.toSorted((a, b) => a.i - b.i || a.k - b.k)
      .map(({ i, k, id, code, message = '', retryIn, queued, reused, sent }) =>
        omitUndefined({
          call: i,
          attempt: k,
          instance: id,
          ...(sent === undefined ? {} : sentFrom(sent)),
          error: code === undefined ? undefined : { code, message },
          retryInMs: retryIn,
          queuedMs: queued,
          reused,
        }),
      )
      .concat(unawaited),
  });
}

async function codeOf(ports: Needs, run: Run): Promise<Code> {
  try {
    return { file: run.path, source: (await needOfRun(ports, run)).source };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not-found') return { file: run.path, source: undefined };
    throw error;
  }
}

/**
 * The failure with which a run ended, with all that explains it; undefined for a run that did not fail, or whose record
 * lacks the failure.
 */
export async function toFailure(ports: Needs, run: Run) {
  if (run.status !== 'failed' && run.status !== 'crashed') return undefined;
  const isCause = ({ error }: RecordedStep) => error?.code === run.code;
  const step = run.record.steps.findLast(isCause) ?? (await readSteps(ports, run)).findLast(isCause);
  if (step?.error === undefined) return undefined;
  // The steps of a run note the place of a failure, but not that of the error of an error state.
  const code = step.error.at === undefined ? await codeOf(ports, run) : { file: run.path, source: undefined };
  return { state: step.state, ...(await toError(step.error, step.state, code)) };
}

/** The reply of GET timeline. */
export async function toTimeline(ports: Needs, run: Run) {
  const [steps, code] = await Promise.all([readSteps(ports, run), codeOf(ports, run)]);
  return omitUndefined({
    namespace: run.namespace,
    instance: toRecord(run),
    workflow: { path: run.path, revision: run.revision },
    record: run.settings.record ?? 'full',
    steps: await Promise.all(steps.map((step) => toStep(run, step, code))),
    elided: run.record.elided,
    rerunOf: run.rerunOf,
    reruns: run.reruns ?? [],
  });
}

/** The reply of GET steps/{n}. Throws `not-found` for a step that is not in the record. */
export async function toStepReply(ports: Needs, run: Run, number: string) {
  const found = (await stepsWithData(ports, run)).find(({ step }) => String(step.n) === number);
  if (found === undefined) throw notFound('step');
  const shown = (data: Data | undefined) => (isObject(data) ? withoutPrivate(data) : undefined);
  return omitUndefined({
    namespace: run.namespace,
    instance: toRecord(run),
    step: await toStep(run, found.step, await codeOf(ports, run)),
    in: shown(found.before),
    out: shown(found.after),
    log: await linesOfStep(ports, run, found.step),
  });
}
