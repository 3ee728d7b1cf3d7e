import { createHash } from 'node:crypto';
import type { Span } from '../../ports/telemetry/traces.ts';
import type { RecordedStep } from './records.ts';
import type { Run } from './run.ts';

const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;
const SAMPLED = 1;

/** Whether a text is a `traceparent` of the W3C, version 00. */
export const isTraceparent = (text: string): boolean => TRACEPARENT.test(text);

const hexOf = (uuid: string): string => uuid.replaceAll('-', '');

/** The values that place a run in a trace. */
interface Place {
  readonly id: string;
  readonly root?: string | undefined;
  readonly trace?: string | undefined;
}

/** The trace of a run: that of the request that started it or its callers, else the id of the run at the top. */
export function traceIdOf({ id, root, trace = '' }: Place): string {
  return TRACEPARENT.exec(trace)?.[1] ?? hexOf(root ?? id);
}

/** Whether the trace of a run is exported: its request may have decided against it. */
export function isSampled({ trace = '' }: Pick<Place, 'trace'>): boolean {
  const flags = TRACEPARENT.exec(trace)?.[3];
  return flags === undefined || (Number.parseInt(flags, 16) & SAMPLED) !== 0;
}

/** The span of a call, also the parent that its callee gets in `traceparent`. */
const callSpanId = (childId: string): string => hexOf(childId).slice(16);

/** The `traceparent` of a callee: the trace of its caller, and the span of the call, whose id is that of the child. */
export function callTraceparent(caller: Place, childId: string): string {
  return `00-${traceIdOf(caller)}-${callSpanId(childId)}-${isSampled(caller) ? '01' : '00'}`;
}

/** The span of a run (`n` 0), or of its step with the number `n`. The same for every export. */
const spanIdOf = (id: string, n: number): string =>
  createHash('sha256').update(`${id}/${n}`).digest('hex').slice(0, 16);

/** The parent of a run's span: the call of its caller, or the span of the request that started it. */
function parentOf({ id, root, trace = '' }: Run): Pick<Span, 'parentSpanId'> {
  const parent = root === undefined ? TRACEPARENT.exec(trace)?.[2] : callSpanId(id);
  return parent === undefined ? {} : { parentSpanId: parent };
}

function runSpan(run: Run): Span {
  return {
    traceId: traceIdOf(run),
    spanId: spanIdOf(run.id, 0),
    ...parentOf(run),
    name: run.path,
    kind: 'server',
    start: run.created,
    end: run.updated,
    attributes: {
      'weft.namespace': run.namespace,
      'weft.instance': run.id,
      'weft.workflow': run.path,
      'weft.revision': run.revision,
      'weft.invoker': run.invoker,
      'weft.status': run.status,
      ...(run.rerunOf === undefined ? {} : { 'weft.rerun_of': run.rerunOf }),
      ...Object.fromEntries(Object.entries(run.labels ?? {}).map(([name, value]) => [`weft.label.${name}`, value])),
    },
    ...(run.status === 'complete' ? {} : { error: { code: run.code, message: run.message } }),
  };
}

function stepSpan(run: Run, { n, state, type, entered, left, to, because, error }: RecordedStep): Span {
  return {
    traceId: traceIdOf(run),
    spanId: spanIdOf(run.id, n),
    parentSpanId: spanIdOf(run.id, 0),
    name: state,
    kind: 'internal',
    start: entered,
    end: left ?? run.updated,
    attributes: {
      'weft.state': state,
      'weft.state.type': type,
      'weft.step': n,
      ...(to === undefined ? {} : { 'weft.transition': to }),
      ...(because === undefined ? {} : { 'weft.because': because }),
    },
    ...(error === undefined ? {} : { error: { code: error.code, message: error.message } }),
  };
}

/** The record has no times of calls: each span has those of its state. */
function callSpans(run: Run, { n, state, entered, left, calls = [] }: RecordedStep): Span[] {
  return calls.map(({ i, k, id, code, message = '' }) => ({
    traceId: traceIdOf(run),
    spanId: callSpanId(id),
    parentSpanId: spanIdOf(run.id, n),
    name: `${state} call ${i}`,
    kind: 'client',
    start: entered,
    end: left ?? run.updated,
    attributes: { 'weft.call': i, 'weft.attempt': k, 'weft.callee': id },
    ...(code === undefined ? {} : { error: { code, message } }),
  }));
}

/** The spans of a run that has ended: itself, its recorded states, and their calls. They hold no data of the run. */
export function spansOf(run: Run, steps: readonly RecordedStep[]): readonly Span[] {
  return [runSpan(run), ...steps.flatMap((step) => [stepSpan(run, step), ...callSpans(run, step)])];
}

/** Whether the spans of a run are exported now: it has ended. A call of a container is a span of its caller. */
export const isTraced = (run: Run): boolean => run.status !== 'pending' && run.kind === 'workflow' && isSampled(run);

/** A run without the members that its spans do not need, so that the queue of the export keeps no large data. */
export const withoutData = (run: Run): Run => ({ ...run, data: {}, input: new Uint8Array(), metadata: '', tail: [] });
