import type { ReadVariable } from '../../compiler/plan/plan.ts';
import { isVariableName } from '../../domain/names.ts';
import { needBounded } from '../evaluation/bounds.ts';
import { evaluateText } from '../evaluation/evaluation.ts';
import { internalFailure, invalidKey } from '../evaluation/failures.ts';
import { toValue } from '../run/stored-values.ts';
import * as treeFiles from '../run/tree-files.ts';
import type { Draft } from '../run/unit-of-work.ts';
import { ownerOf } from '../run/variable-owners.ts';
import type { Perform } from '../run/work.ts';

/** The read-only virtual variables (workflow-language reference, 10.9). */
const SYSTEM: Record<string, (draft: Draft) => unknown> = {
  instance: (draft) => draft.run.id,
  uuid: (draft) => draft.ports.clock.uuid(),
  epoch: (draft) => Math.floor(draft.ports.clock.now() / 1000),
};

function readSystem(draft: Draft, key: string): unknown {
  if (!Object.hasOwn(SYSTEM, key)) {
    throw internalFailure(`unknown system variable '${key}': choose ${Object.keys(SYSTEM).join(', ')}`);
  }
  return SYSTEM[key]?.(draft);
}

async function readBytes(draft: Draft, scope: ReadVariable['scope'], key: string): Promise<Uint8Array | undefined> {
  if (scope === 'file') return treeFiles.find(draft.ports, draft.run, key);
  if (!isVariableName(key)) throw invalidKey(key);
  return (await draft.readVariable(ownerOf(draft, scope, key), key))?.bytes;
}

async function readOne(draft: Draft, { scope }: ReadVariable, key: string): Promise<unknown> {
  if (scope === 'system') return readSystem(draft, key);
  const bytes = await readBytes(draft, scope, key);
  return bytes === undefined ? null : toValue(bytes);
}

/** Replaces `var` in the data by an object of the variables read; a missing one is null. */
export const read: Perform<'read'> = async (draft, work) => {
  const values: Record<string, unknown> = {};
  for (const variable of work.variables) {
    const key = await evaluateText(variable.key, draft.data);
    Object.defineProperty(values, variable.as ?? key, {
      value: await readOne(draft, variable, key),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  draft.data = needBounded({ ...draft.data, var: values });
  return undefined;
};
