import { isObject } from '../../language/json.ts';
import { labelNameProblem, MAX_LABELS } from '../../language/labels.ts';
import { omitUndefined } from '../../language/omit-undefined.ts';
import { defaultProblem } from '../../language/schemas/violations.ts';
import { computed } from '../decoding/computed.ts';
import { reportInvalid } from '../decoding/context.ts';
import {
  createDecoder,
  dictionary,
  duration,
  oneOf,
  positive,
  query,
  required,
  text,
  transition,
  transitionsOf,
} from '../decoding/decoders.ts';
import { type Decoded, object } from '../decoding/object.ts';
import { limit, optionalPeriod, period } from '../decoding/periods.ts';
import { WHEN_FULL, WHEN_OVER } from '../plan/concurrency.ts';
import type { Handlers } from '../plan/handlers.ts';
import type { ActionPlan, CatchPlan, Plan } from '../plan/plan.ts';
import { MAX_PRIORITY } from '../plan/worker-tasks.ts';
import { retries, toRetries } from './actions.ts';
import { toFilter } from './event-filters.ts';
import { schema } from './schemas.ts';
import { catchersOf } from './state.ts';

/** Names and queries; undefined where there is none. */
const labels = createDecoder<Plan['labels']>({ kind: 'map' }, (node, field, context) => {
  if (node === undefined) return undefined;
  const values = dictionary(node, field, context);
  const names = Object.keys(values);
  const problem = names.map(labelNameProblem).find((text) => text !== undefined);
  if (problem !== undefined) reportInvalid(context, node, `${field.name}: ${problem}`);
  if (names.length > MAX_LABELS) reportInvalid(context, node, `${field.name}: a run has at most ${MAX_LABELS} labels`);
  return values;
});

/** The schema of the data of a run, which is an object. */
const dataSchema = createDecoder<unknown>({ kind: 'schema' }, (node, field, context) => {
  if (node === undefined) return undefined;
  const decoded = schema(node, field, context);
  const types = isObject(decoded) ? [decoded['type'] ?? 'object'].flat() : ['object'];
  const hint = () => "an input that is no object is the member 'input' of the data";
  if (!types.includes('object')) reportInvalid(context, node, `${field.name}: the data of a run is an object`, hint);
  const problem = context.budget.schemaParts < 0 ? undefined : defaultProblem(decoded);
  if (problem !== undefined) reportInvalid(context, node, `${field.name}: ${problem}`);
  return decoded;
});

/** How many runs may be at work; undefined: any number. */
const concurrency = object({ limit, key: query, whenFull: oneOf(WHEN_FULL) });

/** How many runs may begin within a period; undefined: any number. */
const rate = object({ limit, per: period, key: query, whenFull: oneOf(WHEN_OVER) });

/** Starts that follow each other make one run; undefined: each makes its own. */
const debounce = object({ for: period, key: query, atMost: optionalPeriod });

const isPriority = (value: unknown): boolean => Number.isInteger(value) && Math.abs(Number(value)) <= MAX_PRIORITY;

/** The fields of a document about what its runs keep, how they are found and cancelled, and how they end. */
export const RUN_SETTINGS = {
  timeouts: object({ interrupt: duration, kill: duration, handlers: duration }),
  expected: object({ within: period }),
  labels,
  input: dataSchema,
  output: dataSchema,
  record: oneOf(['full', 'flow', 'none']),
  cancelOn: transitionsOf('cancelOn', object({ type: required(text), context: dictionary, transition })),
  catch: catchersOf('catch'),
  retries,
  onFailure: transition,
  finally: transition,
  limits: object({ transitions: positive, logBytes: positive }),
  concurrency,
  rate,
  debounce,
  priority: computed(
    isPriority,
    `must be a whole number from -${MAX_PRIORITY} to ${MAX_PRIORITY}`,
    'queued runs with a higher number begin first; the default is 0',
  ),
};

/** What a document says about its runs, as the plan has it. */
export interface RunSettings
  extends Pick<
    Plan,
    | 'timeouts'
    | 'expected'
    | 'labels'
    | 'input'
    | 'output'
    | 'record'
    | 'limits'
    | 'cancelOn'
    | 'handlers'
    | 'concurrency'
    | 'rate'
    | 'debounce'
    | 'priority'
  > {
  /** The catches of every state, after its own. */
  readonly catch: readonly CatchPlan[];
  /** The retries of every action without its own. */
  readonly retries?: ActionPlan['retries'];
}

/** Returns the settings in the plan. */
export function toSettings(decoded: Decoded<typeof RUN_SETTINGS>): RunSettings {
  const {
    timeouts,
    expected,
    labels: named,
    input,
    output,
    record,
    limits,
    cancelOn,
    onFailure,
    concurrency: places,
    rate: starts,
    debounce: merged,
    priority,
    retries: repeated,
  } = decoded;
  const handlers: Handlers = omitUndefined({ onFailure, onCancel: cancelOn?.transition, finally: decoded.finally });
  return {
    timeouts: omitUndefined({ ...timeouts }),
    catch: decoded.catch.map(omitUndefined),
    ...omitUndefined({
      expected,
      labels: named,
      input,
      output,
      record,
      limits: limits && omitUndefined(limits),
      cancelOn: cancelOn && toFilter(cancelOn),
      concurrency: places && omitUndefined({ ...places, whenFull: places.whenFull ?? ('queue' as const) }),
      rate: starts && omitUndefined({ ...starts, whenFull: starts.whenFull ?? ('queue' as const) }),
      debounce: merged && omitUndefined(merged),
      priority,
      retries: repeated && toRetries(repeated),
      handlers: Object.keys(handlers).length === 0 ? undefined : handlers,
    }),
  };
}
