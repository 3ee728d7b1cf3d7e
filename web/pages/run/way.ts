import type { InstanceReply } from '../../../clients/api/operations.ts';
import { isOver, statusOf } from '../../data/runs/status.ts';
import type { Graph } from '../../data/workflow/graph.ts';
import type { Way } from '../../parts/diagram/diagram.tsx';

function counted(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/**
 * The ways between the states that followed each other. Where no transition leads from one to the other, a handler took the
 * run over: then the way begins at its cause, if only one leads there.
 */
function stepsOf(
  flow: readonly string[],
  edges: Graph['edges'],
): readonly { readonly from: string; readonly to: string }[] {
  const known = new Set(edges.map(({ from, to }) => `${from}>${to}`));
  return flow.slice(1).map((to, index) => {
    const from = flow[index] ?? '';
    const causes = edges.filter((edge) => edge.kind === 'handler' && edge.to === to);
    const isHandled = !known.has(`${from}>${to}`) && causes.length === 1;
    return { from: isHandled ? (causes[0]?.from ?? from) : from, to };
  });
}

interface Ending {
  readonly isWaiting: boolean;
  /** The state in which the run is, or in which it came to its end. */
  readonly current: string | undefined;
}

/** The path of a run through a graph, from the states that it entered. */
export function wayOf({ flow, instance }: InstanceReply, edges: Graph['edges'], { isWaiting, current }: Ending): Way {
  const steps = stepsOf(flow, edges);
  const causes = steps.flatMap(({ from }, index) => (from === flow[index] ? [] : [from]));
  const status = statusOf(instance, isWaiting);
  const ended = status === 'complete' ? 'complete' : 'failed';
  return {
    visits: counted([...flow, ...causes]),
    taken: counted(steps.map(({ from, to }) => `${from}>${to}`)),
    current,
    mood: isOver(instance) ? ended : isWaiting ? 'waiting' : 'running',
  };
}
