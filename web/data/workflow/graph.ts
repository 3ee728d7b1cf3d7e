import { isObject } from '../format/json.ts';

/** The states of a workflow and the transitions between them. */
export interface Graph {
  readonly states: readonly GraphState[];
  readonly edges: readonly GraphEdge[];
  /** The first state of a run. */
  readonly entry: string | undefined;
}

export interface GraphState {
  readonly id: string;
  readonly type: string;
  /** The run ends here, unless an error is caught. */
  readonly isEnd: boolean;
  /** No state, but a cause from which any state leads to a handler of the workflow. Its id has a space, so no state has it. */
  readonly isCause?: boolean;
}

/** The kind of a transition. */
export type EdgeKind = 'next' | 'condition' | 'default' | 'event' | 'error' | 'handler';

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: EdgeKind;
  /** The condition, the type of the event, or the code of the error. */
  readonly label: string;
}

type Json = Readonly<Record<string, unknown>>;

const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The value of a field; field names of the language are not case-sensitive. */
function field(object: Json, name: string): unknown {
  if (name in object) return object[name];
  const key = Object.keys(object).find((one) => one.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : object[key];
}

/** A query without the `jq(…)` around it. */
const queryIn = (text: string): string => /^\s*jq\((.*)\)\s*$/s.exec(text)?.[1] ?? text;

const typeIn = (event: unknown): string => (isObject(event) ? textOf(field(event, 'type')) : '');

const eventType = (entry: Json): string => typeIn(field(entry, 'event'));

/** A cause, and the handler to which it leads; the empty text: the run ends without one. */
interface Cause {
  readonly id: string;
  readonly to: string;
}

/** The causes from which any state leads to a handler (docs/failures.md). */
function causesOf(root: Json): readonly Cause[] {
  const caught = listOf(field(root, 'catch')).map((one) => ({
    id: `on error ${textOf(field(one, 'error'))}`,
    to: textOf(field(one, 'transition')),
  }));
  const cancelOn = field(root, 'cancelOn');
  const event = typeIn(cancelOn);
  const cancelled = {
    id: `cancelled by ${event}`,
    to: isObject(cancelOn) ? textOf(field(cancelOn, 'transition')) : '',
  };
  const handlers = [
    { id: 'on failure', to: textOf(field(root, 'onFailure')) },
    { id: 'finally, at any end', to: textOf(field(root, 'finally')) },
  ].filter(({ to }) => to !== '');
  return [...caught, ...(event === '' ? [] : [cancelled]), ...handlers];
}

interface Exit {
  readonly to: string;
  readonly kind: EdgeKind;
  readonly label: string;
}

/** The choices of an approval, by their names; one without a next state ends the run. */
function choicesOf(state: Json): readonly [string, unknown][] {
  const choices = field(state, 'choices');
  return isObject(choices) ? Object.entries(choices) : [];
}

function exitsOf(state: Json): Exit[] {
  const exits: Exit[] = [
    ...listOf(field(state, 'conditions')).map((one) => ({
      to: textOf(field(one, 'transition')),
      kind: 'condition' as const,
      label: queryIn(textOf(field(one, 'condition'))),
    })),
    ...listOf(field(state, 'events')).map((one) => ({
      to: textOf(field(one, 'transition')),
      kind: 'event' as const,
      label: eventType(one),
    })),
    ...choicesOf(state).map(([label, to]) => ({ to: textOf(to), kind: 'condition' as const, label })),
    { to: textOf(field(state, 'transition')), kind: 'next', label: '' },
    { to: textOf(field(state, 'defaultTransition')), kind: 'default', label: 'otherwise' },
    ...listOf(field(state, 'catch')).map((one) => ({
      to: textOf(field(one, 'transition')),
      kind: 'error' as const,
      label: textOf(field(one, 'error')),
    })),
  ];
  return exits.filter(({ to }) => to !== '');
}

const ENDLESS: ReadonlySet<string> = new Set<EdgeKind>(['error']);

/** The graph of a workflow's YAML document; invalid entries are left out. */
export function toGraph(document: unknown): Graph {
  const root = isObject(document) ? document : {};
  const found = listOf(field(root, 'states')).filter((state) => textOf(field(state, 'id')) !== '');
  const ids = new Set(found.map((state) => textOf(field(state, 'id'))));
  const edges = found.flatMap((state) => {
    const from = textOf(field(state, 'id'));
    return exitsOf(state)
      .filter(({ to }) => ids.has(to))
      .map((exit) => ({ from, ...exit }));
  });
  const states = found.map((state) => {
    const id = textOf(field(state, 'id'));
    return {
      id,
      type: textOf(field(state, 'type')),
      isEnd: !edges.some((edge) => edge.from === id && !ENDLESS.has(edge.kind)) || hasOpenEnd(state),
    };
  });
  const causes = causesOf(root);
  const boxes = causes.map(({ id, to }) => ({ id, type: 'cause', isEnd: !ids.has(to), isCause: true }));
  const handled = causes.filter(({ to }) => ids.has(to));
  const ways = handled.map(({ id, to }) => ({ from: id, to, kind: 'handler' as const, label: '' }));
  const start = field(root, 'start');
  const named = isObject(start) ? textOf(field(start, 'state')) : '';
  const entry = ids.has(named) ? named : states[0]?.id;
  return { states: [...states, ...boxes], edges: [...edges, ...ways], entry };
}

/** Whether a run may end in the state: in a switch without a default transition, or by a choice without a next state. */
function hasOpenEnd(state: Json): boolean {
  if (choicesOf(state).some(([, to]) => textOf(to) === '')) return true;
  return textOf(field(state, 'type')) === 'switch' && textOf(field(state, 'defaultTransition')) === '';
}
