import type { Graph } from './model.ts';

/** Quotes a label: Mermaid reads HTML entities in it. */
const quoted = (text: string): string => `"${text.replace(/[&"<>#]/g, (char) => `#${char.charCodeAt(0)};`)}"`;

/** The diagram as Mermaid, which GitHub draws in comments. */
export function toMermaid({ states, edges }: Graph): string {
  const nameOf = new Map(states.map(({ id }, index) => [id, `s${index}`]));
  const nodes = states.map(({ id, type }) => `  ${nameOf.get(id)}[${quoted(`${id} (${type})`)}]`);
  const lines = edges.map(({ from, to, kind, label }) => {
    const arrow = kind === 'error' || kind === 'handler' ? '-.->' : '-->';
    const text = label === '' ? '' : `|${quoted(label)}|`;
    return `  ${nameOf.get(from)} ${arrow}${text} ${nameOf.get(to) ?? 'done'}`;
  });
  const first = states.filter(({ isFirst }) => isFirst).map(({ id }) => `  start((start)) --> ${nameOf.get(id)}`);
  const entered = states.filter(({ isEntered }) => isEntered).map(({ id }) => nameOf.get(id));
  const ends = edges.some(({ to }) => to === '') ? ['  done((end))'] : [];
  const taken = edges.flatMap(({ isTaken }, index) => (isTaken ? [index + first.length] : []));
  return [
    'flowchart TD',
    ...nodes,
    ...ends,
    ...first,
    ...lines,
    ...(entered.length === 0
      ? []
      : ['  classDef entered fill:#d9f2df,stroke:#1a7f37', `  class ${entered.join(',')} entered`]),
    ...(taken.length === 0 ? [] : [`  linkStyle ${taken.join(',')} stroke:#1a7f37,stroke-width:3px`]),
  ].join('\n');
}
