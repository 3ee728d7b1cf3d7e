import type { OpenText, Range } from './open-text.ts';

/** A state or function in the outline of a text. */
export interface TextSymbol {
  readonly name: string;
  readonly kind: 'state' | 'function';
  /** Its type; empty if it has none that exists. */
  readonly detail: string;
  readonly range: Range;
}

/** The functions and states of a text, for an outline. */
export function symbolsIn(text: OpenText): readonly TextSymbol[] {
  const workflow = text.workflow();
  if (workflow === undefined) return [];
  const toSymbol =
    (kind: TextSymbol['kind']) =>
    ({ id, line, column, plan }: (typeof workflow.states)[number] | (typeof workflow.functions)[number]) => ({
      name: id === '' ? '?' : id,
      kind,
      detail: plan?.type ?? '',
      range: { from: { line, column }, to: { line, column: column + id.length } },
    });
  return [...workflow.functions.map(toSymbol('function')), ...workflow.states.map(toSymbol('state'))];
}
