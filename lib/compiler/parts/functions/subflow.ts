import type { MapNode } from '../../../language/yaml/parser.ts';
import { isComputed } from '../../decoding/computed.ts';
import { type Context, reportInvalid } from '../../decoding/context.ts';
import { createDecoder, type Decoder, list, required, text } from '../../decoding/decoders.ts';
import { acceptedFields, type Decoded, decodeFields } from '../../decoding/object.ts';
import type { Variant } from '../../decoding/variants.ts';
import type { FunctionPlan } from '../../plan/plan.ts';

const isPattern = (path: string): boolean =>
  !isComputed(path) && path.split(/[/:]/).every((part) => part.split('*').length <= 2);

/** A path that a computed `workflow` may give. */
const allowedPath = createDecoder<string>({ kind: 'text' }, (node, field, context) => {
  const path = required(text)(node, field, context);
  if (typeof path === 'string' && !isPattern(path)) {
    const rule = `${field.name} must be a path, with at most one * in each of its parts`;
    reportInvalid(context, node ?? field, rule, () => 'for example tools/search, or tools/*');
  }
  return path;
});

const FIELDS = { workflow: required(text), allowed: list(allowedPath) };

/** Reports a computed path without its bounds, and bounds without a computed path. */
function checkBounds({ workflow, allowed }: Decoded<typeof FIELDS>, node: MapNode, context: Context): void {
  if (typeof workflow !== 'string') return;
  if (isComputed(workflow) && allowed.length === 0) {
    const hint = () => 'list the paths that the query may give, for example allowed: [tools/search, tools/*]';
    reportInvalid(context, node, "allowed required, because 'workflow' is computed", hint);
  }
  if (!isComputed(workflow) && allowed.length > 0) {
    const hint = () => "remove it, or compute the path, for example workflow: 'tools/jq(.tool)'";
    reportInvalid(context, node, "allowed is for a 'workflow' that is computed", hint);
  }
}

/** A function that calls another workflow (docs/states/action.md). `id` decodes its id. */
export function subflowFunction(id: Decoder<string>): Variant<FunctionPlan> {
  const fields = { type: text, id, ...FIELDS };
  return {
    names: ['subflow'],
    fields: acceptedFields({ id, ...FIELDS }),
    decode: (node, context) => {
      const values = decodeFields(node, fields, context);
      checkBounds(values, node, context);
      const { workflow, allowed } = values;
      return () => ({ type: 'subflow', workflow, ...(allowed.length === 0 ? {} : { allowed }) });
    },
  };
}
