import { isVariableName } from '../../domain/names.ts';
import * as variables from '../../domain/namespaces/variables.ts';
import type { CallSite } from '../../domain/runs/calls.ts';
import { BROADCAST_DELAY_MS } from '../../events/broadcasts.ts';
import type { ContainerOutput } from '../../ports/containers.ts';
import { changeEvent, noteChange, setVariable } from '../changes/variables.ts';
import type { UnitOfWork } from '../run/commit/unit-of-work.ts';
import type { CallerLog } from './caller-log.ts';
import { changeLine, holderOf } from './host.ts';

/** Each output is up to three writes of a commit, which has a hundred at most. */
const MAX_IN_COMMIT = 25;

const MAX_SHOWN_LENGTH = 60;

/** The outputs whose names variables may have. The others are rejected with a line in the log. */
export async function namedOutputs(outputs: readonly ContainerOutput[], log: CallerLog): Promise<ContainerOutput[]> {
  const named: ContainerOutput[] = [];
  for (const output of outputs) {
    const { scope, name } = output;
    if (isVariableName(name)) {
      named.push(output);
      continue;
    }
    const rule = 'a name begins with a letter, ends with a letter or a digit, and between them may have - _ . too';
    await log.add(`'out/${scope}/${name.slice(0, MAX_SHOWN_LENGTH)}' became no variable: ${rule}`, 'error');
  }
  return named;
}

/**
 * Sets variables of the caller to the outputs of a container, with the commit of the call; if there are more than fit
 * into it, the first ones are set at once. The returned function logs the changes after the commit.
 */
export async function addOutputs(
  unit: UnitOfWork,
  site: CallSite,
  outputs: readonly ContainerOutput[],
  log: CallerLog,
): Promise<() => Promise<void>> {
  const { ports, run } = unit;
  const notes: (() => Promise<void>)[] = [];
  const split = Math.max(outputs.length - MAX_IN_COMMIT, 0);
  for (const { scope, name, bytes } of outputs.slice(0, split)) {
    await setVariable(ports, await holderOf(ports, run, site, scope), name, { bytes, mimeType: undefined });
  }
  for (const { scope, name, bytes } of outputs.slice(split)) {
    const holder = await holderOf(ports, run, site, scope);
    const made = await variables.make(ports, holder.owner, name, { bytes, mimeType: undefined });
    const { variable, replaces } = made;
    const change = replaces === undefined ? 'create' : 'update';
    await unit.variables.write(holder.owner, made);
    unit.send(changeEvent(ports, holder, change, variable), ports.clock.now() + BROADCAST_DELAY_MS);
    if (scope === 'instance') await log.add(changeLine(replaces === undefined, name));
    notes.push(() => noteChange(ports, holder, change, name));
  }
  return async () => {
    for (const note of notes) await note();
  };
}
