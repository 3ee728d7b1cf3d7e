import type { Plan, StatePlan, Work } from '../../../lib/compiler/plan/plan.ts';
import { exitsOf } from '../../../lib/compiler/plan/traits.ts';

export type EdgeKind = 'next' | 'branch' | 'error' | 'handler';

export interface GraphEdge {
  readonly from: string;
  /** The id of a state; empty: the run ends. */
  readonly to: string;
  readonly kind: EdgeKind;
  /** The error pattern, the condition, the type of the event, or the name of the choice. */
  readonly label: string;
  /** The run went this way. */
  readonly isTaken: boolean;
}

/** A state, or a cause that leads from any state to a handler; the id of a cause has a space, so no state has it. */
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

/** A query as people write it, without the `jq(…)` around it. */
const queryText = (query: unknown): string => {
  const text = typeof query === 'string' ? query : JSON.stringify(query);
  return /^\s*jq\((.*)\)\s*$/s.exec(text)?.[1] ?? text;
};

/** The names of the exits that a work may choose, in their order. */
function labelsOf(work: Work): readonly string[] {
  if (work.do === 'choose') return [...work.conditions.map(({ condition }) => queryText(condition ?? true)), 'default'];
  if (work.do === 'listen-any') return work.events.map(({ event }) => event.type);
  return work.do === 'approve' ? work.choices.map(({ name }) => name) : [];
}

function edgesOf(state: StatePlan): Edge[] {
  const { id: from, work, exit } = state;
  const branches = exitsOf(work);
  const labels = labelsOf(work);
  const own: Edge[] =
    branches.length > 0
      ? branches.map(({ transition = '' }, index) => ({
          from,
          to: transition,
          kind: 'branch',
          label: labels[index] ?? String(index),
        }))
      : [{ from, to: exit.transition ?? '', kind: 'next', label: '' }];
  const errors = state.catch.map(
    ({ error, transition = '' }): Edge => ({ from, to: transition, kind: 'error', label: error }),
  );
  return [...own, ...errors];
}

/** The ways into the handlers of a workflow: each begins at its cause, because any state may lead there. */
function handlerEdges({ handlers = {}, cancelOn }: Plan): Edge[] {
  const causes = [
    ['on failure', handlers.onFailure],
    ...(cancelOn === undefined ? [] : [[`cancelled by ${cancelOn.type}`, handlers.onCancel ?? ''] as const]),
    ['finally, at any end', handlers.finally],
  ] as const;
  return causes.flatMap(([from, to]) => (to === undefined ? [] : [{ from, to, kind: 'handler', label: '' }]));
}

/** The pairs of states that followed each other in a run. */
const waysOf = (flow: readonly string[]): ReadonlySet<string> =>
  new Set(flow.map((id, index) => `${id}\n${flow[index + 1] ?? ''}`));

/**
 * The states and transitions of a workflow; with the states that a run entered, its way. A run entered a handler where no
 * transition leads from the state before to it.
 */
export function graphOf(plan: Plan, flow: readonly string[] = []): Graph {
  const ways = waysOf(flow);
  const states = Object.values(plan.states);
  const known = states.flatMap(edgesOf);
  const pairs = new Set(known.map(({ from, to }) => `${from}\n${to}`));
  const handled = new Set(flow.filter((to, index) => index > 0 && !pairs.has(`${flow[index - 1]}\n${to}`)));
  const causes = handlerEdges(plan).map((edge) => ({ ...edge, isTaken: handled.has(edge.to) }));
  return {
    states: [
      ...states.map(({ id, type }) => ({ id, type, isEntered: flow.includes(id), isFirst: id === plan.entry })),
      ...causes.map(({ from, isTaken }) => ({ id: from, type: 'handler', isEntered: isTaken, isFirst: false })),
    ],
    edges: [...known.map((edge) => ({ ...edge, isTaken: ways.has(`${edge.from}\n${edge.to}`) })), ...causes],
  };
}
