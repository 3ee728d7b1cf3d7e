import { isBroken } from '../../domain/runs/container-calls.ts';
import type { Run } from '../../domain/runs/runs.ts';
import type { CallKey, Parent, Retries } from '../../domain/runs/waits.ts';
import { matchesCode } from '../../language/patterns.ts';
import type { Answer } from '../../ports/executions.ts';
import type { EnginePorts } from '../ports.ts';

/**
 * Who waits in this process for a run to end. It only saves time: whoever waits also looks at the run itself, since
 * the step that ends it may be in another process.
 */
const waiting = new Map<string, Set<() => void>>();

function announce(instance: string): void {
  for (const wake of waiting.get(instance) ?? []) wake();
}

/** Resolves when the run's end is announced here, or after `ms`. */
export function heard(instance: string, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      const others = waiting.get(instance);
      others?.delete(wake);
      if (others?.size === 0) waiting.delete(instance);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    const all = waiting.get(instance) ?? new Set();
    waiting.set(instance, all.add(wake));
  });
}

/** How a failed attempt is taken: tried again after so many milliseconds, given up, or not ours to repeat. */
export type Verdict = { readonly again: number } | 'exceeded' | 'final';

/** Whether an attempt that ended with the code is made again (workflow-language reference, 7.5). */
export function verdictOf(
  retries: Retries | undefined,
  { k }: Pick<CallKey, 'k'>,
  code: string,
  brand: string,
): Verdict {
  if (retries === undefined || !retries.codes.some((pattern) => matchesCode(pattern, code, brand))) return 'final';
  return k < retries.most ? { again: retries.delay * retries.multiplier ** k } : 'exceeded';
}

/** The same of a child that ended otherwise than well. A container that broke down is not called again. */
export function verdictOn(child: Run, retries: Retries | undefined, call: Pick<CallKey, 'k'>, brand: string): Verdict {
  return isBroken(child) ? 'final' : verdictOf(retries, call, child.code, brand);
}

/** The longest that a machine can wait, seconds. */
const LONGEST_WAIT = 99_999_999;

/** A machine waits in whole seconds. */
export const toSeconds = (ms: number): number => Math.min(Math.max(Math.ceil(ms / 1000), 0), LONGEST_WAIT);

type Needs = Pick<EnginePorts, 'executions' | 'settings' | 'clock'>;

const decided = (error: 'Weft.Won' | 'Weft.Failed', call: object): Answer => ({ error, cause: JSON.stringify(call) });

function failedAnswer({ settings, clock }: Needs, run: Run, parent: Parent): Answer {
  const { i, k, mode, retries, until } = parent;
  const verdict = verdictOn(run, retries, parent, settings.brand);
  if (typeof verdict === 'object') {
    const seconds = Math.max(toSeconds(until - clock.now() - verdict.again), 1);
    return { output: { i, k: k + 1, again: toSeconds(verdict.again), seconds } };
  }
  const exceeded = verdict === 'exceeded' ? { exceeded: true } : {};
  return mode === 'or'
    ? { output: { i, k, failed: true, ...exceeded } }
    : decided('Weft.Failed', { i, k, ...exceeded });
}

function answerOf(needs: Needs, run: Run, parent: Parent): Answer {
  const { i, k, mode } = parent;
  if (run.status !== 'complete') return failedAnswer(needs, run, parent);
  return mode === 'or' ? decided('Weft.Won', { i, k }) : { output: { i, k } };
}

/**
 * Tells everybody who waits for a run that it is over: this process, and the task of its caller. Safe to repeat; the
 * first answer to a task counts.
 */
export async function conclude(ports: Needs, run: Run): Promise<Run> {
  announce(run.id);
  const { parent } = run;
  if (parent !== undefined && parent.token !== '') {
    await ports.executions.answer(parent.token, answerOf(ports, run, parent));
  }
  return run;
}
