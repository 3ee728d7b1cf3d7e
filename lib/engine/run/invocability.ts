import type { Opened } from '../../domain/tree/workflows.ts';

/** The start types that only events may start. */
const EVENT_STARTS: ReadonlySet<string> = new Set(['event', 'eventsXor', 'eventsAnd']);

/** Why a workflow cannot be invoked: its source does not compile, or its start or its switch forbids it. */
export interface InvocationProblem {
  readonly kind: 'invalid' | 'forbidden';
  readonly message: string;
}

/** Why a request or another workflow cannot invoke a workflow; undefined when it can. */
export function invocationProblem({
  node,
  revision,
}: Pick<Opened, 'node' | 'revision'>): InvocationProblem | undefined {
  const { plan } = revision;
  if (plan === undefined) return { kind: 'invalid', message: `cannot parse workflow '${node.path}'` };
  if (EVENT_STARTS.has(plan.start.type)) {
    return { kind: 'forbidden', message: 'cannot manually invoke event-based workflow' };
  }
  return node.live ? undefined : { kind: 'forbidden', message: 'cannot execute disabled workflow' };
}
