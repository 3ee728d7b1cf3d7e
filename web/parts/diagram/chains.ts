import type { Graph, GraphEdge } from '../../data/workflow/graph.ts';

/** In a graph with more states, each straight chain is drawn as one box. */
const MOST_STATES = 60;
const SHORTEST_CHAIN = 3;

export interface Folded {
  readonly graph: Graph;
  /** The states of each box that represents several, by the id of the box. */
  readonly chains: ReadonlyMap<string, readonly string[]>;
}

interface Ways {
  readonly into: ReadonlyMap<string, readonly GraphEdge[]>;
  readonly out: ReadonlyMap<string, readonly GraphEdge[]>;
}

function waysOf({ edges }: Graph): Ways {
  const into = new Map<string, GraphEdge[]>();
  const out = new Map<string, GraphEdge[]>();
  for (const edge of edges) {
    into.set(edge.to, [...(into.get(edge.to) ?? []), edge]);
    out.set(edge.from, [...(out.get(edge.from) ?? []), edge]);
  }
  return { into, out };
}

/** The next state of a chain: the only transition leads there, and no other transition does. */
function nextOf({ into, out }: Ways, id: string): string | undefined {
  const [only, second] = out.get(id) ?? [];
  if (only === undefined || second !== undefined || only.kind !== 'next' || only.to === id) return undefined;
  return (into.get(only.to) ?? []).length === 1 ? only.to : undefined;
}

function chainsOf(graph: Graph, ways: Ways): string[][] {
  const used = new Set<string>();
  const hasChainBefore = (id: string): boolean => {
    const [before] = ways.into.get(id) ?? [];
    return before !== undefined && nextOf(ways, before.from) === id;
  };
  return graph.states.flatMap(({ id }) => {
    if (used.has(id) || hasChainBefore(id)) return [];
    const chain = [id];
    for (let next = nextOf(ways, id); next !== undefined && !chain.includes(next); next = nextOf(ways, next)) {
      chain.push(next);
    }
    for (const one of chain) used.add(one);
    return chain.length < SHORTEST_CHAIN ? [] : [chain];
  });
}

/** Replaces each straight chain of a large graph by one box, except opened chains. */
export function foldChains(graph: Graph, opened: ReadonlySet<string>): Folded {
  if (graph.states.length <= MOST_STATES) return { graph, chains: new Map() };
  const found = chainsOf(graph, waysOf(graph)).filter(([first = '']) => !opened.has(first));
  const nameOf = (chain: readonly string[]): string => `${chain[0]} … ${chain.at(-1)}`;
  const boxOf = new Map(found.flatMap((chain) => chain.map((id) => [id, nameOf(chain)] as const)));
  const chains = new Map(found.map((chain) => [nameOf(chain), chain] as const));
  const typeOf = new Map(graph.states.map((state) => [state.id, state] as const));
  const kept = graph.states.filter(({ id }) => !boxOf.has(id));
  const boxes = [...chains].map(([id, chain]) => ({
    id,
    type: `${chain.length} states`,
    isEnd: typeOf.get(chain.at(-1) ?? '')?.isEnd === true,
  }));
  const edges = graph.edges
    .map((edge) => ({ ...edge, from: boxOf.get(edge.from) ?? edge.from, to: boxOf.get(edge.to) ?? edge.to }))
    .filter(({ from, to }) => from !== to || !chains.has(from));
  const entry = graph.entry === undefined ? undefined : (boxOf.get(graph.entry) ?? graph.entry);
  return { graph: { states: [...kept, ...boxes], edges, entry }, chains };
}
