import type { Retrier } from '../../../../compiler/emit/asl.ts';
import type { Move, Scene } from './evaluation-context.ts';
import { errorOutput, failureOf, isFinal, matches, type StateFailure } from './failure.ts';

/**
 * What the state does about its failure: tries again, goes where a Catch says, or nothing (undefined).
 * Throws StateFailure when the Catch itself fails.
 */
export async function recover(scene: Scene, work: string): Promise<Move | undefined> {
  const failure = failureOf(work);
  if (isFinal(failure)) return undefined;
  return retry(scene, failure) ?? caught(scene, failure);
}

// A matching rule that is used up hands over to Catch; later rules are not asked.
function retry(scene: Scene, failure: StateFailure): Move | undefined {
  const { retry: rules } = scene.step;
  const index = rules.findIndex((rule) => matches(rule.ErrorEquals, failure));
  const rule = rules[index];
  if (!rule) return undefined;
  const used = scene.thread.details.retries[index] ?? 0;
  if (used >= (rule.MaxAttempts ?? 3)) return undefined;
  const retries = rules.map((_, at) => (scene.thread.details.retries[at] ?? 0) + (at === index ? 1 : 0));
  return { move: 'retry', due: scene.clock.now() + pause(rule, used) * 1000, retries };
}

/** Seconds before the next try, after `used` tries by the same rule. */
function pause(rule: Retrier, used: number): number {
  const grown = (rule.IntervalSeconds ?? 1) * (rule.BackoffRate ?? 2) ** used;
  const seconds = Math.min(grown, rule.MaxDelaySeconds ?? Number.POSITIVE_INFINITY);
  return rule.JitterStrategy === 'FULL' ? Math.random() * seconds : seconds;
}

async function caught(scene: Scene, failure: StateFailure): Promise<Move | undefined> {
  const rule = scene.step.catch.find(({ errors }) => matches(errors, failure));
  if (!rule) return undefined;
  const output = errorOutput(failure);
  return scene.leave(rule.fields, rule.next, JSON.stringify(output), { errorOutput: output });
}
