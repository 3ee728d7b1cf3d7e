import type { Position } from '../language/position.ts';
import { addProblem, MAX_PROBLEMS, type Problem } from '../language/problem.ts';
import type { Entry, MapNode, Node } from '../language/yaml/parser.ts';
import { FUNCTIONS, TOLD_FUNCTIONS } from './parts/functions.ts';
import { STARTS, type StartPlan } from './parts/starts.ts';
import type { FunctionPlan, Plan, StatePlan } from './plan/plan.ts';
import { given } from './read/given.ts';
import { type Kind, readKind } from './read/kind.ts';
import { beginReading, MOST_SCHEMA_PARTS, problemsOf, type Reading, type Wording } from './read/reading.ts';
import { readFields, record } from './read/record.ts';
import { duration, query, text } from './read/shape.ts';
import { STATES, TOLD_STATES } from './states/index.ts';

/** One of the document's states or functions, read. */
export interface Part<Lowered> extends Position {
  /** As far as it can be read; other parts may name it even when the rest of it is wrong. */
  readonly id?: string;
  readonly reading: Reading;
  /** To be called only when the document has no problems. */
  readonly lower?: (() => Lowered) | undefined;
}

/** A document, read: its parts, and what is wrong within each of them. */
export interface Document {
  readonly start?: Part<StartPlan>;
  readonly states: readonly Part<StatePlan>[];
  readonly functions: readonly Part<FunctionPlan>[];
  readonly timeouts: Plan['timeouts'];
  /** Problems of parts, in the order in which the original looks for them. */
  readonly problems: readonly Problem[];
  /** The original looks at these last. */
  readonly late: readonly Problem[];
}

const TOP: Wording = { misread: 'failed to decode workflow: ', broken: '', unknown: '', refuse: '' };
const START: Wording = {
  misread: 'failed to decode start: ',
  broken: 'bad start: ',
  unknown: 'start: ',
  refuse: 'start invalid: ',
};

function wordingOf(part: string): Wording {
  return { misread: `failed to decode ${part}: `, broken: `${part}: `, unknown: `${part}: `, refuse: `${part}: ` };
}

type Begin = (wording: Wording) => Reading;

/** A list of parts: what one is called, and its types. */
interface Sort<Lowered> {
  readonly what: 'state' | 'function';
  readonly kinds: ReadonlyMap<string, Kind<Lowered>>;
  /** The types that the original names when it refuses one. */
  readonly told: readonly string[];
}

const STATE: Sort<StatePlan> = { what: 'state', kinds: STATES, told: TOLD_STATES };
const FUNCTION: Sort<FunctionPlan> = { what: 'function', kinds: FUNCTIONS, told: TOLD_FUNCTIONS };

/** These are read by hand, for they have messages of their own; here their names are only known. */
const elsewhere = query;

const timeouts = record({ interrupt: duration, kill: duration });
const FIELDS = {
  direktiv_api: text,
  description: text,
  url: text,
  timeouts,
  start: elsewhere,
  functions: elsewhere,
  states: elsewhere,
};

/** Reads a document, part by part; never throws. A document without content has no states. */
export function readDocument(root: Node): Document {
  if (root.kind !== 'map') return { states: [], functions: [], timeouts: {}, problems: [noStates(root)], late: [] };
  const allowance = { schemaParts: MOST_SCHEMA_PARTS };
  const begin: Begin = (wording) => beginReading(wording, allowance);
  const top = begin(TOP);
  const { timeouts: written } = readFields(root, FIELDS, top);
  const startEntry = entryOf(root, 'start');
  const start = startEntry && readStart(startEntry.node, begin(START));
  const broken: Problem[] = [];
  const states = readList(root, STATE, begin, broken);
  const functions = readList(root, FUNCTION, begin, broken);
  const begun = start ? problemsOf(start.reading) : [];
  const parts = [...states, ...functions].flatMap(({ reading }) => problemsOf(reading));
  return {
    ...(start === undefined ? {} : { start }),
    states,
    functions,
    timeouts: given({ ...written }),
    problems: [...begun, ...broken, ...top.misread, ...parts].slice(0, MAX_PROBLEMS),
    late: top.refused,
  };
}

function noStates({ line, column }: Position): Problem {
  return { message: 'workflow has no defined states', line, column, hint: FIRST_STATE };
}

const FIRST_STATE = 'the smallest workflow is `states: [{id: first, type: noop}]`';

function entryOf(root: MapNode, name: string): Entry | undefined {
  return [...root.entries.values()].find((entry) => entry.key.toLowerCase() === name);
}

function readStart(node: Node, reading: Reading): Part<StartPlan> {
  return { ...at(node), reading, lower: readKind(node, STARTS, [...STARTS.keys()], reading) };
}

function at({ line, column }: Position): Position {
  return { line, column };
}

/** States must be there and functions may be; neither may be anything but a list (workflow-language 1.3). */
function readList<Lowered>(root: MapNode, sort: Sort<Lowered>, begin: Begin, broken: Problem[]): Part<Lowered>[] {
  const { what } = sort;
  const entry = entryOf(root, `${what}s`);
  if (entry === undefined) {
    if (what === 'state') addProblem(broken, root, 'states required', () => FIRST_STATE);
    return [];
  }
  if (entry.node.kind !== 'list') {
    addProblem(broken, entry, `invalid type for ${what}s`, () => `write a list: each ${what} begins with '- '`);
    return [];
  }
  if (entry.node.items.length === 0 && what === 'state') broken.push(noStates(entry));
  return entry.node.items.map((node, index) => readPart(node, sort, begin(wordingOf(`${what}[${index}]`))));
}

function readPart<Lowered>(node: Node, { kinds, told }: Sort<Lowered>, reading: Reading): Part<Lowered> {
  const lower = readKind(node, kinds, told, reading);
  const id = node.kind === 'map' ? entryOf(node, 'id')?.node : undefined;
  if (typeof id?.value !== 'string') return { ...at(node), reading, lower };
  return { ...at(id), id: id.value, reading, lower };
}
