import type { WriteVariable } from '../../compiler/plan/plan.ts';
import { isVariableName } from '../../domain/names.ts';
import { toJson } from '../../language/json.ts';
import { detectMediaType } from '../../language/media/detection.ts';
import { evaluate, evaluateText } from '../evaluation/evaluation.ts';
import { internalFailure, invalidKey } from '../evaluation/failures.ts';
import type { Draft } from '../run/unit-of-work.ts';
import { ownerOf } from '../run/variable-owners.ts';
import type { Perform } from '../run/work.ts';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const asText = (value: unknown): Uint8Array => Buffer.from(typeof value === 'string' ? value : toJson(value));
const asJson = (value: unknown): Uint8Array => Buffer.from(toJson(value));

function asBytes(value: unknown): Uint8Array {
  if (typeof value !== 'string') return asJson(value);
  const text = value.replace(/[\r\n]/g, '');
  if (!BASE64.test(text)) throw internalFailure('the value of an application/octet-stream variable is not base64');
  return Buffer.from(text, 'base64');
}

/** How the type, as written, makes bytes of a value (workflow-language reference, 10.10). */
const ENCODERS: Record<string, (value: unknown) => Uint8Array> = {
  'application/octet-stream': asBytes,
  'text/plain': asText,
  'text/plain; charset=utf-8': asText,
};

/** JSON texts that delete a variable instead of setting it. */
const NOTHINGS = new Set(['{}', '[]', '0', '""', 'null']);

function isDeletion(bytes: Uint8Array, isJson: boolean): boolean {
  if (bytes.length === 0) return true;
  return isJson && bytes.length <= 4 && NOTHINGS.has(Buffer.from(bytes).toString());
}

async function mimeTypeOf(draft: Draft, variable: WriteVariable, bytes: Uint8Array, known?: string): Promise<string> {
  if (variable.mimeType === undefined) return known ?? detectMediaType(bytes);
  if (variable.mimeType === '') return 'application/json';
  return evaluateText(variable.mimeType, draft.data);
}

async function writeOne(draft: Draft, variable: WriteVariable): Promise<void> {
  const name = await evaluateText(variable.key, draft.data);
  if (!isVariableName(name)) throw invalidKey(name);
  const value = await evaluate(variable.value, draft.data);
  const encode = ENCODERS[variable.mimeType ?? ''] ?? asJson;
  const bytes = encode(value);
  const owner = ownerOf(draft, variable.scope, name);
  const old = await draft.readVariable(owner, name);
  if (isDeletion(bytes, encode === asJson)) return draft.deleteVariable(owner, name);
  const now = draft.ports.clock.now();
  const mimeType = await mimeTypeOf(draft, variable, bytes, old?.mimeType);
  return draft.writeVariable(owner, { name, bytes, mimeType, created: old?.created ?? now, updated: now });
}

/** Sets variables, all of a state with the step's one commit; an empty value deletes. */
export const write: Perform<'write'> = async (draft, work) => {
  for (const variable of work.variables) await writeOne(draft, variable);
  return undefined;
};
