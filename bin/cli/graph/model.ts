import type { Plan, StatePlan } from '../../../lib/compiler/plan/plan.ts';
import { exitsOf } from '../../../lib/compiler/plan/traits.ts';

export type EdgeKind = 'next' | 'branch' | 'error';

export interface GraphEdge {
  readonly from: string;
  /** The id of a state; empty: the run ends. */
  readonly to: string;
  readonly kind: EdgeKind;
  /** The error pattern, or the condition. */
  readonly label: string;
  /** The run went this way. */
  readonly isTaken: boolean;
}

export interface GraphState {
  readonly id: string;
  readonly type: string;
  readonly isEntered: boolean;
  readonly isFirst: boolean;
}

export interface Graph {
  readonly states: readonly GraphState[];
  readonly edges: readonly GraphEdge[];
}

type Edge = Omit<GraphEdge, 'isTaken'>;

function edgesOf(state: StatePlan): Edge[] {
  const { id: from, work, exit } = state;
  const branches = exitsOf(work);
  const own: Edge[] =
    branches.length > 0
      ? branches.map(({ transition = '' }, index) => ({
          from,
          to: transition,
          kind: 'branch',
          label: index === branches.length - 1 && work.do === 'choose' ? 'default' : String(index),
        }))
      : [{ from, to: exit.transition ?? '', kind: 'next', label: '' }];
  const errors = state.catch.map(
    ({ error, transition = '' }): Edge => ({ from, to: transition, kind: 'error', label: error }),
  );
  return [...own, ...errors];
}

/** The pairs of states that followed each other in a run. */
const waysOf = (flow: readonly string[]): ReadonlySet<string> =>
  new Set(flow.map((id, index) => `${id}\n${flow[index + 1] ?? ''}`));

/** The states and transitions of a workflow; with the states that a run entered, its way. */
export function graphOf(plan: Plan, flow: readonly string[] = []): Graph {
  const ways = waysOf(flow);
  const states = Object.values(plan.states);
  return {
    states: states.map(({ id, type }) => ({ id, type, isEntered: flow.includes(id), isFirst: id === plan.entry })),
    edges: states.flatMap(edgesOf).map((edge) => ({ ...edge, isTaken: ways.has(`${edge.from}\n${edge.to}`) })),
  };
}
