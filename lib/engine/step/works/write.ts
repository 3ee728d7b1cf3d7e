import type { WriteVariable } from '../../../compiler/plan/plan.ts';
import { isVariableName, MAX_MIME_LENGTH } from '../../../domain/names.ts';
import { toJson } from '../../../language/json.ts';
import { detectMediaType } from '../../../language/media/detection.ts';
import { ownMember } from '../../../language/own-members.ts';
import { evaluate, evaluateText } from '../../evaluation/evaluation.ts';
import { internalFailure, invalidKey, plainFailure } from '../../evaluation/failures.ts';
import type { StepUnit } from '../../run/commit/step-unit.ts';
import { ownerOf } from '../../variables/owners.ts';
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

/** A variable as a state sets it, with everything evaluated. */
interface Evaluated {
  readonly name: string;
  readonly scope: WriteVariable['scope'];
  readonly bytes: Uint8Array;
  readonly isDeleted: boolean;
  /** Undefined: the type that the variable has, or the detected one. */
  readonly mimeType: string | undefined;
}

async function evaluateVariable(unit: StepUnit, variable: WriteVariable): Promise<Evaluated> {
  const { key, scope, mimeType: type } = variable;
  const name = await evaluateText(key, unit.data);
  if (!isVariableName(name)) throw invalidKey(name);
  const encode = ownMember(ENCODERS, type ?? '') ?? asJson;
  const bytes = encode(await evaluate(variable.value, unit.data));
  const isDeleted = isDeletion(bytes, encode === asJson);
  const mimeType = type === undefined || isDeleted ? undefined : await mimeTypeOf(unit, type);
  return { name, scope, bytes, isDeleted, mimeType };
}

async function mimeTypeOf(unit: StepUnit, type: string): Promise<string> {
  if (type === '') return 'application/json';
  const given = await evaluateText(type, unit.data);
  if (given.length <= MAX_MIME_LENGTH) return given;
  throw plainFailure(
    `the media type of a variable has at most ${MAX_MIME_LENGTH} characters, and this one ${given.length}`,
  );
}

async function store(unit: StepUnit, { name, scope, bytes, isDeleted, mimeType }: Evaluated): Promise<void> {
  const owner = ownerOf(unit, scope, name);
  if (isDeleted) return unit.variables.delete(owner, name);
  const old = await unit.variables.read(owner, name);
  const now = unit.ports.clock.now();
  const type = mimeType ?? old?.mimeType ?? detectMediaType(bytes);
  const variable = { name, bytes, mimeType: type, created: old?.created ?? now, updated: now };
  return unit.variables.write(owner, { variable, replaces: old?.bytes.length });
}

/**
 * Sets variables with the batch's commit; an empty value deletes. All of them are set or, if one cannot be evaluated, none
 * (workflow-language reference, 10.10).
 */
export const write: Perform<'write'> = async (unit, work) => {
  const evaluated: Evaluated[] = [];
  for (const variable of work.variables) evaluated.push(await evaluateVariable(unit, variable));
  for (const variable of evaluated) await store(unit, variable);
  return undefined;
};
