import type { ReadVariable } from '../../../compiler/plan/plan.ts';
import { isVariableName } from '../../../domain/names.ts';
import { toValue } from '../../../language/byte-values.ts';
import { needBounded, needBoundedText } from '../../evaluation/bounds.ts';
import { evaluateText } from '../../evaluation/evaluation.ts';
import { internalFailure, invalidKey } from '../../evaluation/failures.ts';
import type { StepUnit } from '../../run/commit/step-unit.ts';
import { ownerOf } from '../../variables/owners.ts';
import * as treeFiles from '../../variables/tree-files.ts';
import type { Perform } from './work.ts';

/** The read-only virtual variables (workflow-language reference, 10.9). */
const SYSTEM: Readonly<Record<string, (unit: StepUnit) => unknown>> = {
  instance: (unit) => unit.run.id,
  uuid: (unit) => unit.ports.clock.uuid(),
  epoch: (unit) => Math.floor(unit.ports.clock.now() / 1000),
};

function readSystem(unit: StepUnit, key: string): unknown {
  if (!Object.hasOwn(SYSTEM, key)) {
    throw internalFailure(`unknown system variable '${key}': choose ${Object.keys(SYSTEM).join(', ')}`);
  }
  return SYSTEM[key]?.(unit);
}

async function readBytes(unit: StepUnit, scope: ReadVariable['scope'], key: string): Promise<Uint8Array | undefined> {
  if (scope === 'file') return treeFiles.find(unit.ports, unit.run, key);
  if (!isVariableName(key)) throw invalidKey(key);
  return (await unit.variables.read(ownerOf(unit, scope, key), key))?.bytes;
}

async function readOne(unit: StepUnit, { scope }: ReadVariable, key: string): Promise<unknown> {
  if (scope === 'system') return readSystem(unit, key);
  const bytes = await readBytes(unit, scope, key);
  if (bytes === undefined) return null;
  needBoundedText(bytes);
  return toValue(bytes);
}

/** Sets `var` in the data to an object of the variables, by name; a variable that does not exist is null. */
export const read: Perform<'read'> = async (unit, work) => {
  const values: Record<string, unknown> = {};
  for (const variable of work.variables) {
    const key = await evaluateText(variable.key, unit.data);
    Object.defineProperty(values, variable.as ?? key, {
      value: await readOne(unit, variable, key),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  unit.data = needBounded({ ...unit.data, var: values });
  return undefined;
};
