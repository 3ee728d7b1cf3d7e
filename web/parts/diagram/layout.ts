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
  /** The label as it is drawn, and its middle; undefined: none. */
  readonly text: (Point & { readonly words: string }) | undefined;
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

const LABEL_CHARACTER = 6.7;
const LABEL_HEIGHT = 16;
const MOST_LABEL = 22;

/** A label on one line, cut to its length at most. */
function wordsOf(label: string): string {
  const line = label.replace(/\s+/g, ' ').trim();
  return line.length > MOST_LABEL ? `${line.slice(0, MOST_LABEL - 1)}…` : line;
}

const labelSize = (words: string) =>
  words === '' ? {} : { width: words.length * LABEL_CHARACTER + 8, height: LABEL_HEIGHT, labelpos: 'c' as const };

/** How a graph is placed. */
export interface Placing {
  readonly direction: Direction;
  readonly chains: ReadonlyMap<string, readonly string[]>;
  /** The labels of the edges are drawn, for which there must be room. */
  readonly hasLabels: boolean;
}

/** Places states in layers and routes the edges around them. */
export function place(graph: Graph, { direction, chains, hasLabels }: Placing): Layout {
  const dagre = new Dagre({ multigraph: true });
  dagre.setGraph({ rankdir: direction, nodesep: 18, ranksep: 34, edgesep: 12, marginx: MARGIN, marginy: MARGIN });
  dagre.setDefaultEdgeLabel(() => ({}));
  for (const { id } of graph.states) dagre.setNode(id, { width: widthOf(id), height: STATE_HEIGHT });
  const words = graph.edges.map(({ label }) => (hasLabels ? wordsOf(label) : ''));
  graph.edges.forEach((edge, index) => {
    // A transition by an error has less weight, so that the normal path is straighter.
    const weight = edge.kind === 'error' ? 1 : 4;
    dagre.setEdge(edge.from, edge.to, { weight, ...labelSize(words[index] ?? '') }, String(index));
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
      const routed = dagre.edge({ v: edge.from, w: edge.to, name: String(index) }) as Point & { points: Point[] };
      const { points, x, y } = routed;
      const text = words[index] ?? '';
      return { ...edge, points, text: text === '' ? undefined : { x, y, words: text } };
    }),
  };
}
