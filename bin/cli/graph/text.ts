import { paint, type Terminal } from '../shell/terminal.ts';
import type { Graph, GraphEdge } from './model.ts';

function edgeText(terminal: Terminal, { to, kind, label, isTaken }: GraphEdge): string {
  const target = to === '' ? 'end' : to;
  const prefix = kind === 'error' ? `on ${label} ` : kind === 'branch' ? `[${label}] ` : '';
  const text = `${prefix}-> ${target}`;
  if (isTaken) return paint(terminal, 'green', text);
  return kind === 'error' ? paint(terminal, 'yellow', text) : text;
}

/** The diagram for a terminal: a line for each state, with its transitions below. `*` marks states that a run entered. */
export function toText(terminal: Terminal, { states, edges }: Graph): string {
  const width = Math.max(0, ...states.map(({ id }) => id.length));
  return states
    .flatMap(({ id, type, isEntered, isFirst }) => {
      const mark = isEntered ? paint(terminal, 'green', '*') : ' ';
      const ways = edges.filter(({ from }) => from === id).map((edge) => `    ${edgeText(terminal, edge)}`);
      return [`${mark} ${id.padEnd(width)}  ${type}${isFirst ? '  (first)' : ''}`, ...ways];
    })
    .join('\n');
}
