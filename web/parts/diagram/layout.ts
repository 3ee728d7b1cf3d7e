import { Graph as Dagre, layout } from '@dagrejs/dagre';
import type { Graph, GraphEdge, GraphState } from '../../data/workflow/graph.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PlacedState extends GraphState, Point {
  readonly width: number;
  readonly height: number;
  /** The states of a chain that is drawn as one. */
  readonly chain: readonly string[];
}

export interface PlacedEdge extends GraphEdge {
  readonly points: readonly Point[];
}

export interface Layout {
  readonly direction: Direction;
  readonly width: number;
  readonly height: number;
  readonly states: readonly PlacedState[];
  readonly edges: readonly PlacedEdge[];
}

/** `LR`: the run goes from left to right; `TB`: from top to bottom. */
export type Direction = 'LR' | 'TB';

const CHARACTER = 7.85;
const PADDING = 46;
export const STATE_HEIGHT = 32;
const MARGIN = 24;

const widthOf = (text: string): number => Math.round(Math.min(text.length, 34) * CHARACTER + PADDING);

/** Places states in layers and routes the edges around them. */
export function place(graph: Graph, direction: Direction, chains: ReadonlyMap<string, readonly string[]>): Layout {
  const dagre = new Dagre({ multigraph: true });
  dagre.setGraph({ rankdir: direction, nodesep: 18, ranksep: 34, edgesep: 12, marginx: MARGIN, marginy: MARGIN });
  dagre.setDefaultEdgeLabel(() => ({}));
  for (const { id } of graph.states) dagre.setNode(id, { width: widthOf(id), height: STATE_HEIGHT });
  graph.edges.forEach((edge, index) => {
    // A transition by an error has less weight, so that the normal path is straighter.
    dagre.setEdge(edge.from, edge.to, { weight: edge.kind === 'error' ? 1 : 4 }, String(index));
  });
  layout(dagre);
  const { width = 0, height = 0 } = dagre.graph() as { width?: number; height?: number };
  return {
    direction,
    width,
    height,
    states: graph.states.map((state) => {
      const { x, y, width: own, height: tall } = dagre.node(state.id) as PlacedState;
      return { ...state, x, y, width: own, height: tall, chain: chains.get(state.id) ?? [] };
    }),
    edges: graph.edges.map((edge, index) => {
      const { points } = dagre.edge({ v: edge.from, w: edge.to, name: String(index) }) as { points: Point[] };
      return { ...edge, points };
    }),
  };
}
