import type { ActionPlan } from '../../compiler/plan/plan.ts';
import type { StepUnit } from '../run/commit/step-unit.ts';
import { endOfWait } from '../run/timeouts.ts';
import { NO_TASK } from './callees/callee.ts';
import { launch, storeChild } from './callees/children.ts';
import { openCallee } from './callees/index.ts';

/** A call whose result is not waited for. */
export interface AsyncCall {
  /** Its number within the state: a repeated step finds the child that it made before. */
  readonly i: number;
  /** The data over which its input is evaluated. */
  readonly data: unknown;
  /** An ISO 8601 duration. */
  readonly timeout?: string | undefined;
}

/** Starts the child of a call and goes on. Throws what opening the callee and evaluating the input throw. */
export async function startAsync(unit: StepUnit, action: ActionPlan, { i, data, timeout }: AsyncCall): Promise<void> {
  const { ports, tools, caller: run, origin, at: state } = unit;
  const callee = await openCallee(ports, run, tools.plan, action);
  const wake = endOfWait(ports.clock.now(), timeout);
  const caller = { run, origin, state, wake, mode: 'and', isLoop: false } as const;
  const input = await callee.prepare(data, tools.readSecrets);
  const { parent: _, ...child } = await callee.newChild(ports, { callee, caller, key: { i, k: 0 }, input });
  await launch(ports, await storeChild(ports, child), NO_TASK);
  unit.log(`Running child '${child.id}' in fire-and-forget mode (async).`);
}
