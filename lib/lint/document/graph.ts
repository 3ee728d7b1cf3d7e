import { successors } from '../../compiler/plan/flow.ts';
import { exitsOf } from '../../compiler/plan/traits.ts';
import type { StateView, Workflow } from './workflow.ts';

/** The ids of the states that may follow a state, also if the compiler rejects it. */
export function nextOf({ plan, targets }: StateView): string[] {
  return plan === undefined ? targets.map(({ name }) => name) : successors(plan);
}

/** The exits of a state after a success: the id of the next state, or undefined for the end of the run. */
export function exitsAfterSuccess(state: StateView): (string | undefined)[] {
  const { plan } = state;
  if (plan === undefined) return [...nextOf(state), undefined];
  const own = exitsOf(plan.work);
  return (own.length > 0 ? own : [plan.exit]).map(({ transition }) => transition || undefined);
}

/** The states that a run can reach from these, themselves included. */
export function reachable({ states }: Workflow, from: readonly string[], next = nextOf): ReadonlySet<string> {
  const byId = new Map(states.map((state) => [state.id, state]));
  const seen = new Set<string>();
  const open = [...from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const state = byId.get(id);
    if (state === undefined || seen.has(id)) continue;
    seen.add(id);
    open.push(...next(state));
  }
  return seen;
}

/** The state of the search for cycles: Tarjan's algorithm. */
interface Search {
  readonly next: (id: string) => readonly string[];
  /** The number of a state in the order of discovery, and the least number that it can reach. */
  readonly found: Map<string, { readonly number: number; least: number }>;
  readonly stack: string[];
  readonly onStack: Set<string>;
  readonly groups: string[][];
}

/** Visits the states from one on, with an explicit stack: a workflow may have thousands of states. */
function visitFrom(search: Search, root: string): void {
  const { next, found, stack, onStack, groups } = search;
  const open = [{ id: root, rest: enter(search, root) }];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const own = found.get(top.id);
    const id = top.rest.pop();
    if (own === undefined) return;
    if (id !== undefined) {
      const seen = found.get(id);
      if (seen === undefined) open.push({ id, rest: enter(search, id) });
      else if (onStack.has(id)) own.least = Math.min(own.least, seen.number);
      continue;
    }
    open.pop();
    const above = found.get(open.at(-1)?.id ?? '');
    if (above !== undefined) above.least = Math.min(above.least, own.least);
    if (own.least !== own.number) continue;
    const group = stack.splice(stack.lastIndexOf(top.id));
    for (const id of group) onStack.delete(id);
    if (group.length > 1 || next(top.id).includes(top.id)) groups.push(group);
  }
}

function enter({ next, found, stack, onStack }: Search, id: string): string[] {
  found.set(id, { number: found.size, least: found.size });
  stack.push(id);
  onStack.add(id);
  return [...next(id)];
}

/** The groups of states that may repeat each other without a failure: each can reach the others and itself. */
export function cycles({ states }: Workflow): readonly (readonly StateView[])[] {
  const byId = new Map(states.map((state) => [state.id, state]));
  const edges = new Map(
    states.map((state) => [state.id, exitsAfterSuccess(state).filter((id) => id !== undefined && byId.has(id))]),
  );
  const next = (id: string) => (edges.get(id) ?? []).filter((one) => one !== undefined);
  const search: Search = { next, found: new Map(), stack: [], onStack: new Set(), groups: [] };
  for (const { id } of states) if (!search.found.has(id)) visitFrom(search, id);
  const groupOf = new Map(search.groups.flatMap((group, index) => group.map((id) => [id, index] as const)));
  const byGroup = Map.groupBy(states, ({ id }) => groupOf.get(id));
  return search.groups.map((_, index) => byGroup.get(index) ?? []);
}
