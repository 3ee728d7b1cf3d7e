import { Graph as Dagre, layout } from '@dagrejs/dagre';
import { ownMember } from '../../../lib/language/own-members.ts';
import type { Graph } from './model.ts';

const CHARACTER = 7.6;
const HEIGHT = 40;
const PADDING = 28;
const MARGIN = 20;
const END = 'end of the run';

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (char) => ownMember(ENTITIES, char) ?? char);
const widthOf = (text: string): number => Math.round(text.length * CHARACTER + PADDING);

const STYLE = `text{font:13px ui-monospace,Menlo,Consolas,monospace;fill:#1f2328;text-anchor:middle}
.type{font-size:11px;fill:#59636e}.label{font-size:11px;fill:#59636e}
rect{fill:#fff;stroke:#8c959f;rx:6}.entered{fill:#d9f2df;stroke:#1a7f37;stroke-width:2}
path{fill:none;stroke:#8c959f}.error,.handler{stroke-dasharray:4 3}.taken{stroke:#1a7f37;stroke-width:3}`;

function placed(graph: Graph): Dagre {
  const dagre = new Dagre({ multigraph: true });
  dagre.setGraph({ rankdir: 'TB', nodesep: 24, ranksep: 40, marginx: MARGIN, marginy: MARGIN });
  dagre.setDefaultEdgeLabel(() => ({}));
  for (const { id, type } of graph.states) {
    dagre.setNode(id, { width: Math.max(widthOf(id), widthOf(type)), height: HEIGHT });
  }
  if (graph.edges.some(({ to }) => to === '')) dagre.setNode(END, { width: 60, height: 26 });
  graph.edges.forEach(({ from, to, label }, index) => {
    dagre.setEdge(from, to === '' ? END : to, { width: widthOf(label) - PADDING, height: 14 }, String(index));
  });
  layout(dagre);
  return dagre;
}

/** The diagram as an SVG document. */
export function toSvg(graph: Graph): string {
  const dagre = placed(graph);
  const { width = 0, height = 0 } = dagre.graph() as { width?: number; height?: number };
  const boxes = graph.states.map(({ id, type, isEntered }) => {
    const { x, y, width: own, height: tall } = dagre.node(id) as Box;
    const rect = `<rect class="${isEntered ? 'entered' : ''}" x="${x - own / 2}" y="${y - tall / 2}" width="${own}" height="${tall}"/>`;
    return `${rect}<text x="${x}" y="${y - 2}">${escaped(id)}</text><text class="type" x="${x}" y="${y + 13}">${type}</text>`;
  });
  const ways = graph.edges.map(({ from, to, kind, label, isTaken }, index) => {
    const edge = dagre.edge({ v: from, w: to === '' ? END : to, name: String(index) }) as {
      points: { x: number; y: number }[];
      x?: number;
      y?: number;
    };
    const line = edge.points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x.toFixed(1)},${y.toFixed(1)}`).join(' ');
    const text =
      label === '' ? '' : `<text class="label" x="${edge.x ?? 0}" y="${edge.y ?? 0}">${escaped(label)}</text>`;
    return `<path class="${kind}${isTaken ? ' taken' : ''}" d="${line}" marker-end="url(#tip)"/>${text}`;
  });
  const end = dagre.hasNode(END) ? (dagre.node(END) as Box) : undefined;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.ceil(width)} ${Math.ceil(height)}" width="${Math.ceil(width)}">`,
    `<style>${STYLE}</style>`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8" fill="none" stroke="#8c959f"/></marker></defs>',
    ...ways,
    ...boxes,
    ...(end === undefined ? [] : [`<text x="${end.x}" y="${end.y + 4}">end</text>`]),
    '</svg>',
  ].join('\n');
}
