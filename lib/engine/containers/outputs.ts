import { isVariableName } from '../../domain/names.ts';
import * as variables from '../../domain/namespaces/variables.ts';
import type { ServiceCall } from '../../domain/runs/waits.ts';
import { BROADCAST_DELAY_MS } from '../../events/broadcasts.ts';
import type { ContainerOutput } from '../../ports/containers.ts';
import { changeEvent, noteChange, setVariable } from '../changes/variables.ts';
import type { Draft } from '../run/unit-of-work.ts';
import type { CallerLog } from './caller-log.ts';
import { changeLine, holderOf } from './host.ts';

/** Each is up to three writes of a commit, which has a hundred at most. */
const MOST_IN_COMMIT = 25;

const LONGEST_SHOWN = 60;

/** What a container left under names that variables may have; the others are told in the log. */
export async function namedOutputs(outputs: readonly ContainerOutput[], log: CallerLog): Promise<ContainerOutput[]> {
  const named: ContainerOutput[] = [];
  for (const output of outputs) {
    const { scope, name } = output;
    if (isVariableName(name)) {
      named.push(output);
      continue;
    }
    const rule = 'a name begins with a letter, ends with a letter or a digit, and between them may have - _ . too';
    await log.add(`'out/${scope}/${name.slice(0, LONGEST_SHOWN)}' became no variable: ${rule}`, 'error');
  }
  return named;
}

/**
 * Puts what a container left into its caller's variables with the commit of the call; of very many, the first ones are
 * written at once. The log tells of those of the instance. Answers what is to be done after the commit.
 */
export async function addOutputs(
  draft: Draft,
  call: ServiceCall,
  outputs: readonly ContainerOutput[],
  log: CallerLog,
): Promise<() => Promise<void>> {
  const { ports, run } = draft;
  const notes: (() => Promise<void>)[] = [];
  const split = Math.max(outputs.length - MOST_IN_COMMIT, 0);
  for (const { scope, name, bytes } of outputs.slice(0, split)) {
    await setVariable(ports, await holderOf(ports, run, call, scope), name, { bytes, mimeType: undefined });
  }
  for (const { scope, name, bytes } of outputs.slice(split)) {
    const holder = await holderOf(ports, run, call, scope);
    const { variable, isNew } = await variables.make(ports, holder.owner, name, { bytes, mimeType: undefined });
    const change = isNew ? 'create' : 'update';
    draft.writeVariable(holder.owner, variable);
    draft.send(changeEvent(ports, holder, change, variable), ports.clock.now() + BROADCAST_DELAY_MS);
    if (scope === 'instance') await log.add(changeLine(isNew, name));
    notes.push(() => noteChange(ports, holder, change, name));
  }
  return async () => {
    for (const note of notes) await note();
  };
}
