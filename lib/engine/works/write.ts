import type { WriteVariable } from '../../compiler/plan/plan.ts';
import { isVariableName } from '../../domain/names.ts';
import { toJson } from '../../language/json.ts';
import { detectMediaType } from '../../language/media/detection.ts';
import { evaluate, evaluateText } from '../evaluation/evaluation.ts';
import { internalFailure, invalidKey } from '../evaluation/failures.ts';
import type { StepUnit } from '../run/step-unit.ts';
import { ownerOf } from '../variables/owners.ts';
import type { Perform } from './work.ts';

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const asText = (value: unknown): Uint8Array => Buffer.from(typeof value === 'string' ? value : toJson(value));
const asJson = (value: unknown): Uint8Array => Buffer.from(toJson(value));

function asBytes(value: unknown): Uint8Array {
  if (typeof value !== 'string') return asJson(value);
  const text = value.replace(/[\r\n]/g, '');
  if (!BASE64.test(text)) throw internalFailure('the value of an application/octet-stream variable is not base64');
  return Buffer.from(text, 'base64');
}

/** The encodings of values by type as written; any other type is JSON (workflow-language reference, 10.10). */
const ENCODERS: Readonly<Record<string, (value: unknown) => Uint8Array>> = {
  'application/octet-stream': asBytes,
  'text/plain': asText,
  'text/plain; charset=utf-8': asText,
};

/** JSON texts that delete a variable. */
const EMPTY_VALUES = new Set(['{}', '[]', '0', '""', 'null']);

function isDeletion(bytes: Uint8Array, isJson: boolean): boolean {
  if (bytes.length === 0) return true;
  return isJson && bytes.length <= 4 && EMPTY_VALUES.has(Buffer.from(bytes).toString());
}

async function mimeTypeOf(unit: StepUnit, variable: WriteVariable, bytes: Uint8Array, known?: string): Promise<string> {
  if (variable.mimeType === undefined) return known ?? detectMediaType(bytes);
  if (variable.mimeType === '') return 'application/json';
  return evaluateText(variable.mimeType, unit.data);
}

async function writeOne(unit: StepUnit, variable: WriteVariable): Promise<void> {
  const name = await evaluateText(variable.key, unit.data);
  if (!isVariableName(name)) throw invalidKey(name);
  const value = await evaluate(variable.value, unit.data);
  const encode = ENCODERS[variable.mimeType ?? ''] ?? asJson;
  const bytes = encode(value);
  const owner = ownerOf(unit, variable.scope, name);
  const old = await unit.variables.read(owner, name);
  if (isDeletion(bytes, encode === asJson)) return unit.variables.delete(owner, name);
  const now = unit.ports.clock.now();
  const mimeType = await mimeTypeOf(unit, variable, bytes, old?.mimeType);
  return unit.variables.write(owner, { name, bytes, mimeType, created: old?.created ?? now, updated: now });
}

/** Sets variables with the batch's commit; an empty value deletes. */
export const write: Perform<'write'> = async (unit, work) => {
  for (const variable of work.variables) await writeOne(unit, variable);
  return undefined;
};
