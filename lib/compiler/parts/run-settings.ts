import { labelNameProblem, MAX_LABELS } from '../../language/labels.ts';
import { reportInvalid } from '../decoding/context.ts';
import { createDecoder, dictionary, oneOf, positive } from '../decoding/decoders.ts';
import { object } from '../decoding/object.ts';
import type { Plan } from '../plan/plan.ts';
import { typedEvent } from './event-filters.ts';

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

/** The fields of a document about what its runs keep, and how they are found and cancelled. */
export const RUN_SETTINGS = {
  labels,
  record: oneOf(['full', 'flow', 'none']),
  cancelOn: typedEvent,
  limits: object({ transitions: positive, logBytes: positive }),
};
