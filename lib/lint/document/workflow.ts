import { check } from '../../compiler/check.ts';
import { problemsOf, type Reference } from '../../compiler/decoding/context.ts';
import { type Document, decodeDocument } from '../../compiler/document.ts';
import { withFollowers } from '../../compiler/lower.ts';
import type { FunctionPlan, Start, StatePlan } from '../../compiler/plan/plan.ts';
import { findEntry, type Part } from '../../compiler/sections.ts';
import { createSourceText, type Position, type SourceText } from '../../language/position.ts';
import type { Problem } from '../../language/problem.ts';
import { type Node, parseYaml } from '../../language/yaml/parser.ts';
import { type QueryView, queriesOf, queriesOfInput } from './queries.ts';

/** A part of a workflow. Its plan is absent if the compiler rejects the part. */
interface PartView<Plan> extends Position {
  readonly id: string;
  readonly node: Node;
  readonly plan?: Plan;
}

/** A state of a workflow. */
export interface StateView extends PartView<StatePlan> {
  readonly index: number;
  /** The transitions of the state, those of its catch list included. */
  readonly targets: readonly Reference[];
  readonly queries: readonly QueryView[];
}

/** A function of a workflow. */
export type FunctionView = PartView<FunctionPlan>;

/** The other workflows of a folder or a namespace, by their paths in the tree, without a leading slash. */
export interface Folder {
  /** The path of the workflow itself. */
  readonly path: string;
  readonly workflows: ReadonlyMap<string, Workflow>;
}

/** A workflow text as the rules read it. It may have problems: then some of its parts have no plan. */
export interface Workflow {
  readonly source: SourceText;
  readonly root: Node;
  /** The problems of the compiler. */
  readonly problems: readonly Problem[];
  readonly start?: Start;
  /** The place of the start, or of the document without one. */
  readonly startNode?: Node;
  /** The id of the first state. */
  readonly entry?: string;
  readonly timeouts: { readonly interrupt?: string; readonly kill?: string };
  /** The JSON Schema of the data with which a run begins. */
  readonly input?: unknown;
  /** The queries over that data outside of the states. */
  readonly queries: readonly QueryView[];
  readonly states: readonly StateView[];
  readonly functions: readonly FunctionView[];
}

/** A workflow, or the problems of a text that is not YAML. */
export type ReadWorkflow = Workflow | { readonly problems: readonly Problem[] };

/** Reads a workflow text. */
export function readWorkflow(text: string): ReadWorkflow {
  const parsed = parseYaml(text);
  if ('problems' in parsed) return parsed;
  const { root } = parsed;
  const source = createSourceText(text);
  const document = decodeDocument(root);
  const startNode = root.kind === 'map' ? findEntry(root, 'start')?.node : undefined;
  const started = document.start === undefined ? undefined : planOf(document.start);
  const states = withHandlers(viewsOf(root, 'states', document.states), document).map((view, index) =>
    toState(view, index, source),
  );
  const entry = started?.state ?? (document.start !== undefined && started === undefined ? undefined : states[0]?.id);
  return {
    source,
    root,
    problems: check(document),
    ...(started !== undefined && { start: started.start }),
    ...(startNode !== undefined && { startNode }),
    ...(entry !== undefined && { entry }),
    timeouts: document.settings.timeouts,
    input: document.settings.input,
    queries: queriesOfInput(root, source),
    states,
    functions: viewsOf(root, 'functions', document.functions).map(({ targets: _, ...view }) => view),
  };
}

type StatePart = PartView<StatePlan> & Pick<StateView, 'targets'>;

/** Adds to each state the catches and handlers that the workflow has for every one. */
function withHandlers(views: readonly StatePart[], { settings, transitions }: Document): readonly StatePart[] {
  if (transitions.length === 0) return views;
  const planned = views.flatMap(({ id, plan }) => (plan === undefined ? [] : [[id, plan] as const]));
  const followed = new Map(Object.entries(withFollowers(Object.fromEntries(planned), settings)));
  return views.map((view) => {
    const plan = view.plan && (followed.get(view.id) ?? view.plan);
    return { ...view, targets: [...view.targets, ...transitions], ...(plan === undefined ? {} : { plan }) };
  });
}

function planOf<Plan>({ context, lower }: Part<Plan>): Plan | undefined {
  return problemsOf(context).length === 0 ? lower?.() : undefined;
}

function viewsOf<Plan>(root: Node, name: string, parts: readonly Part<Plan>[]) {
  const list = root.kind === 'map' ? findEntry(root, name)?.node : undefined;
  const items = list?.kind === 'list' ? list.items : [];
  return parts.flatMap((part, index) => {
    const node = items[index];
    if (node === undefined) return [];
    const { id = '', line, column, context } = part;
    const plan = planOf(part);
    return [{ id, line, column, node, targets: context.transitions, ...(plan !== undefined && { plan }) }];
  });
}

function toState(view: PartView<StatePlan> & Pick<StateView, 'targets'>, index: number, source: SourceText): StateView {
  const queries = view.plan === undefined ? [] : queriesOf(view.node, view.plan.work.do, source);
  return { ...view, index, queries };
}

/** Makes a function of all workflows of a folder that is computed once for each folder. */
export function once<T>(compute: (workflows: readonly Workflow[]) => T): (workflow: Workflow, folder?: Folder) => T {
  const known = new WeakMap<object, T>();
  return (workflow, folder) => {
    if (folder === undefined) return compute([workflow]);
    const before = known.get(folder.workflows);
    if (before !== undefined) return before;
    const result = compute([...folder.workflows.values()]);
    known.set(folder.workflows, result);
    return result;
  };
}
