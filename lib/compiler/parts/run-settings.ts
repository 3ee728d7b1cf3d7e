import { isObject } from '../../language/json.ts';
import { labelNameProblem, MAX_LABELS } from '../../language/labels.ts';
import { omitUndefined } from '../../language/omit-undefined.ts';
import { reportInvalid } from '../decoding/context.ts';
import {
  createDecoder,
  dictionary,
  duration,
  oneOf,
  positive,
  required,
  text,
  transition,
} from '../decoding/decoders.ts';
import { type Decoded, object } from '../decoding/object.ts';
import type { Handlers } from '../plan/handlers.ts';
import type { CatchPlan, Plan } from '../plan/plan.ts';
import { toFilter } from './event-filters.ts';
import { schema } from './schemas.ts';
import { catchers } from './state.ts';

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
  return decoded;
});

/** The fields of a document about what its runs keep, how they are found and cancelled, and how they end. */
export const RUN_SETTINGS = {
  timeouts: object({ interrupt: duration, kill: duration, handlers: duration }),
  labels,
  input: dataSchema,
  output: dataSchema,
  record: oneOf(['full', 'flow', 'none']),
  cancelOn: object({ type: required(text), context: dictionary, transition }),
  catch: catchers,
  onFailure: transition,
  finally: transition,
  limits: object({ transitions: positive, logBytes: positive }),
};

/** What a document says about its runs, as the plan has it. */
export interface RunSettings
  extends Pick<Plan, 'timeouts' | 'labels' | 'input' | 'output' | 'record' | 'limits' | 'cancelOn' | 'handlers'> {
  /** The catches of every state, after its own. */
  readonly catch: readonly CatchPlan[];
}

/** Returns the settings in the plan. */
export function toSettings(decoded: Decoded<typeof RUN_SETTINGS>): RunSettings {
  const { timeouts, labels: named, input, output, record, limits, cancelOn, onFailure } = decoded;
  const handlers: Handlers = omitUndefined({ onFailure, onCancel: cancelOn?.transition, finally: decoded.finally });
  return {
    timeouts: omitUndefined({ ...timeouts }),
    catch: decoded.catch.map(omitUndefined),
    ...omitUndefined({
      labels: named,
      input,
      output,
      record,
      limits: limits && omitUndefined(limits),
      cancelOn: cancelOn && toFilter(cancelOn),
      handlers: Object.keys(handlers).length === 0 ? undefined : handlers,
    }),
  };
}
