import type { ReadVariable } from '../../../compiler/plan/plan.ts';
import { isVariableName } from '../../../domain/names.ts';
import * as runs from '../../../domain/runs/runs.ts';
import { toValue } from '../../../language/byte-values.ts';
import { toTimestamp } from '../../../time/timestamps.ts';
import { needBounded, needBoundedText } from '../../evaluation/bounds.ts';
import { evaluateText } from '../../evaluation/evaluation.ts';
import { internalFailure, invalidKey } from '../../evaluation/failures.ts';
import type { StepUnit } from '../../run/commit/step-unit.ts';
import { plannedTimeOf } from '../../run/planned-times.ts';
import { ownerOf } from '../../variables/owners.ts';
import * as treeFiles from '../../variables/tree-files.ts';
import type { Perform } from './work.ts';

/** The planned time for which a run was started, or the run that it repeats; null for another run. */
async function scheduledTime({ ports, run }: StepUnit): Promise<string | null> {
  for (let one: runs.Run | undefined = run; one !== undefined; ) {
    const planned = plannedTimeOf(one);
    if (planned !== undefined) return toTimestamp(planned);
    one = one.rerunOf === undefined ? undefined : await runs.find(ports, one.rerunOf);
  }
  return null;
}

/** The read-only virtual variables (workflow-language reference, 10.9). */
const SYSTEM: Readonly<Record<string, (unit: StepUnit) => unknown>> = {
  instance: (unit) => unit.run.id,
  uuid: (unit) => unit.ports.clock.uuid(),
  epoch: (unit) => Math.floor(unit.ports.clock.now() / 1000),
  scheduled: scheduledTime,
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
