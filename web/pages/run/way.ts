import type { InstanceReply } from '../../../clients/api/operations.ts';
import { isOver, statusOf } from '../../data/runs/status.ts';
import type { Way } from '../../parts/diagram/diagram.tsx';

function counted(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** The path of a run, from the states that it entered. */
export function wayOf({ flow, instance }: InstanceReply, isWaiting: boolean): Way {
  const steps = flow.slice(1).map((state, index) => `${flow[index]}>${state}`);
  const status = statusOf(instance, isWaiting);
  const ended = status === 'complete' ? 'complete' : 'failed';
  return {
    visits: counted(flow),
    taken: counted(steps),
    current: flow.at(-1),
    mood: isOver(instance) ? ended : isWaiting ? 'waiting' : 'running',
  };
}
