import type { CatchPlan, StatePlan, WorkKind, WorkOf } from '../../compiler/plan/plan.ts';
import type { QueryView } from '../document/queries.ts';
import type { StateView, Workflow } from '../document/workflow.ts';
import { type OnAccess, shapeOfQuery, shapeOfTransform } from './query.ts';
import { shapeOfInput, shapeOfSchema } from './schema.ts';
import {
  ANY,
  ANY_OBJECT,
  arrayOf,
  closed,
  elementsOf,
  isSame,
  limited,
  NULL,
  type ObjectShape,
  type Shape,
  STRING,
  unionOf,
  withMember,
} from './shape.ts';

/** A state with its plan. */
type PlannedState = StateView & { readonly plan: StatePlan };

/** A way out of a state: the id of the next state, or undefined for the end, and the data that it gets. */
interface Way {
  readonly to: string | undefined;
  readonly data: Shape;
}

/** A CloudEvent as JSON; it may have extensions. */
const EVENT: ObjectShape = {
  ...closed({ specversion: STRING, id: STRING, source: STRING, type: STRING, data: ANY }),
  isOpen: true,
};

const isPlanned = (state: StateView): state is PlannedState => state.plan !== undefined;

const QUERIES = new WeakMap<StateView, ReadonlyMap<string, QueryView>>();

function queryAt(state: StateView, path: string): QueryView | undefined {
  const byPath = QUERIES.get(state) ?? new Map(state.queries.map((query) => [query.path, query]));
  QUERIES.set(state, byPath);
  return byPath.get(path);
}

/** The data with which a run begins: by its schema, or the events by their types (workflow-language 3). */
function inputOf({ start, input }: Workflow): Shape {
  if (start === undefined || !('events' in start)) return shapeOfInput(input);
  if (start.batch !== undefined) return closed({ events: arrayOf(EVENT) });
  const types = [...new Set(start.events.map(({ type }) => type))];
  const isOptional = start.type === 'eventsXor' && types.length > 1;
  return { kind: 'object', members: new Map(types.map((type) => [type, { shape: EVENT, isOptional }])), isOpen: false };
}

/** How the work of a state changes its data: the data after it, by way where it chooses one. */
type Effect<K extends WorkKind> = (
  state: PlannedState,
  work: WorkOf<K>,
  data: Shape,
  onAccess: OnAccess,
) => readonly Way[];

/** The one way of a state that does not choose its exit. */
function wayOut(state: PlannedState, data: Shape, onAccess: OnAccess): Way[] {
  const { transition } = state.plan.exit;
  return [{ to: transition || undefined, data: shapeOfTransform(queryAt(state, 'transform'), data, onAccess) }];
}

/** Evaluates the inputs and files of the actions of a state. */
function evaluateActions(state: PlannedState, data: Shape, onAccess: OnAccess): void {
  for (const query of state.queries) {
    const action = /^(action|actions\.\d+)\.(?:input|files)/.exec(query.path)?.[1];
    if (action === undefined) continue;
    // Which secrets an action lists is the subject of another rule.
    shapeOfQuery(query, withMember(data, ['secrets'], ANY), onAccess);
  }
}

const evaluateRoles = (state: PlannedState, roles: readonly string[], data: Shape, onAccess: OnAccess): void => {
  for (const query of state.queries) if (roles.includes(query.role)) shapeOfQuery(query, data, onAccess);
};

const unchanged =
  (...roles: readonly string[]) =>
  (state: PlannedState, _: unknown, data: Shape, onAccess: OnAccess): readonly Way[] => {
    evaluateRoles(state, roles, data, onAccess);
    return wayOut(state, data, onAccess);
  };

const EFFECTS: { readonly [K in WorkKind]: Effect<K> } = {
  nothing: unchanged(),
  sleep: unchanged(),
  write: unchanged('key', 'value', 'mimeType'),
  emit: unchanged('data', 'context'),
  raise: unchanged('message', 'argument'),
  choose: (state, { conditions, otherwise }, data, onAccess) => {
    evaluateRoles(state, ['condition'], data, onAccess);
    const wayOf = (path: string, transition: string | undefined): Way => ({
      to: transition || undefined,
      data: shapeOfTransform(queryAt(state, path), data, onAccess),
    });
    return [
      ...conditions.map(({ transition }, index) => wayOf(`conditions.${index}.transform`, transition)),
      wayOf('defaultTransform', otherwise.transition),
    ];
  },
  validate: (state, { schema, subject }, data, onAccess) => {
    evaluateRoles(state, ['subject'], data, onAccess);
    const isWhole = subject === undefined || (typeof subject === 'string' && /^\s*jq\(\s*\.?\s*\)\s*$/.test(subject));
    // The known shape of the data is kept: the schema can only add to it.
    const isUnknown = data.kind === 'object' && data.members.size === 0 && data.isOpen;
    const shape = shapeOfSchema(schema);
    return wayOut(state, isWhole && isUnknown && shape.kind === 'object' ? shape : data, onAccess);
  },
  read: (state, { variables }, data, onAccess) => {
    evaluateRoles(state, ['key'], data, onAccess);
    const names = variables.map(
      ({ key, as }) => as ?? (typeof key === 'string' && !/j[qs]\(/.test(key) ? key.trim() : undefined),
    );
    const members = names.flatMap((name) =>
      name === undefined ? [] : [[name, { shape: ANY, isOptional: false }] as const],
    );
    const shape: Shape = { kind: 'object', members: new Map(members), isOpen: members.length < names.length };
    return wayOut(state, withMember(data, ['var'], shape), onAccess);
  },
  call: (state, { async }, data, onAccess) => {
    evaluateActions(state, data, onAccess);
    return wayOut(state, async ? data : withMember(data, ['return'], ANY), onAccess);
  },
  each: (state, { collect }, data, onAccess) => {
    const array = shapeOfQuery(queryAt(state, 'array'), data, onAccess);
    evaluateActions(state, elementsOf(array), onAccess);
    if (collect !== undefined) return wayOut(state, withMember(data, ['return'], ANY), onAccess);
    // An empty list leaves the data as it was.
    const after = withMember(data, ['return'], arrayOf(ANY));
    return wayOut(state, unionOf([data, after]), onAccess);
  },
  approve: (state, { choices }, data, onAccess) => {
    evaluateRoles(state, ['message', 'argument'], data, onAccess);
    evaluateActions(state, withMember(withMember(data, ['links'], ANY), ['subject'], ANY), onAccess);
    const after = shapeOfTransform(queryAt(state, 'transform'), withMember(data, ['return'], ANY), onAccess);
    return choices.map(({ transition }) => ({ to: transition || undefined, data: after }));
  },
  all: (state, _, data, onAccess) => {
    evaluateActions(state, data, onAccess);
    return wayOut(state, withMember(data, ['return'], arrayOf(unionOf([ANY, NULL]))), onAccess);
  },
  listen: (state, { events }, data, onAccess) => {
    evaluateRoles(state, ['context'], data, onAccess);
    const types = events.map(({ type }) => type);
    const after = types.reduce((shape, type) => withMember(shape, [type], EVENT), data);
    const hasRepeated = new Set(types).size < types.length;
    return wayOut(state, hasRepeated ? opened(after) : after, onAccess);
  },
  'listen-any': (state, { events }, data, onAccess) => {
    evaluateRoles(state, ['context'], data, onAccess);
    return events.map(({ event, transition }, index) => {
      const after = withMember(data, [event.type], EVENT);
      const query = queryAt(state, `events.${index}.transform`);
      return { to: transition || undefined, data: shapeOfTransform(query, after, onAccess) };
    });
  },
};

const opened = (shape: Shape): Shape => (shape.kind === 'object' ? { ...shape, isOpen: true } : ANY_OBJECT);

/** The member that the work of a state may have added to the data before it failed. */
const ADDED: Readonly<Partial<Record<WorkKind, string>>> = {
  read: 'var',
  call: 'return',
  each: 'return',
  all: 'return',
};

function waysAfterFailure(state: PlannedState, data: Shape): Way[] {
  const { work } = state.plan;
  const added = ADDED[work.do];
  const isListening = work.do === 'listen' || work.do === 'listen-any';
  const withResult = added === undefined ? data : unionOf([data, withMember(data, [added], ANY)]);
  const base = isListening ? opened(data) : withResult;
  const failed = withMember(base, ['error'], closed({ code: STRING, msg: STRING }));
  const caught = state.plan.catch.map(({ transition }: CatchPlan) => ({ to: transition || undefined, data: failed }));
  // A handler follows a failure, and the last one also a success.
  const handled = withMember(opened(base), ['error'], closed({ code: STRING, msg: STRING, state: STRING }));
  const handlers = (state.plan.handlers ?? []).map((to) => ({ to, data: opened(unionOf([base, handled])) }));
  return [...caught, ...handlers];
}

/** The ways out of a state for data of a shape. */
function waysOf(state: PlannedState, data: Shape, onAccess: OnAccess): readonly Way[] {
  evaluateRoles(state, ['log', 'metadata'], data, onAccess);
  const effect = EFFECTS[state.plan.work.do] as Effect<WorkKind>;
  return [...effect(state, state.plan.work, data, onAccess), ...waysAfterFailure(state, data)];
}

/** The maximum number of visits of a state; after that its data may have any shape. */
const MAX_VISITS = 6;

const ignore = (): void => {};

/** Returns the shape of the data at each state that a run can enter, by the state's id. Undefined for a text with problems. */
function dataShapes(workflow: Workflow): ReadonlyMap<string, Shape> | undefined {
  const { states, entry } = workflow;
  if (entry === undefined || !states.every(isPlanned)) return undefined;
  const byId = new Map(states.filter(isPlanned).map((state) => [state.id, state]));
  const shapes = new Map<string, Shape>([[entry, inputOf(workflow)]]);
  const visits = new Map<string, number>();
  // A set: the exits of a state that lead to the same next state cause one visit of it.
  const open = new Set([entry]);
  for (const id of open) {
    open.delete(id);
    const state = byId.get(id);
    if (state === undefined) continue;
    const count = (visits.get(id) ?? 0) + 1;
    visits.set(id, count);
    for (const { to, data } of waysOf(state, shapes.get(id) ?? ANY_OBJECT, ignore)) {
      if (to === undefined || data.kind === 'never') continue;
      const before = shapes.get(to);
      const wide = (visits.get(to) ?? 0) >= MAX_VISITS ? ANY_OBJECT : limited(data);
      const after = before === undefined ? wide : unionOf([before, wide]);
      if (before !== undefined && isSame(before, after)) continue;
      shapes.set(to, after);
      open.add(to);
    }
  }
  return shapes;
}

/** Reports each access of the scripts of a workflow to members, with the shape of the value that has them. */
export function visitAccesses(workflow: Workflow, onAccess: OnAccess): void {
  for (const query of workflow.queries) shapeOfQuery(query, inputOf(workflow), onAccess);
  const shapes = dataShapes(workflow);
  if (shapes === undefined) return;
  for (const state of workflow.states.filter(isPlanned)) {
    const data = shapes.get(state.id);
    if (data !== undefined) waysOf(state, data, onAccess);
  }
}
