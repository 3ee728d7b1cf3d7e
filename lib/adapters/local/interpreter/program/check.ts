import { INVOKE_AND_WAIT } from '../../../../compiler/emit/asl.ts';
import type { Tier } from '../../../../ports/executions.ts';
import {
  ARGUMENT_FIELDS,
  BRANCH_FIELDS,
  CATCHER_FIELDS,
  GRAMMAR,
  MACHINE_FIELDS,
  MAX_NAME_LENGTH,
  RESOURCES,
  RETRIER_FIELDS,
  RULE_FIELDS,
  STATE_FIELDS,
  type StateGrammar,
  type StateType,
} from './grammar.ts';

type Node = Readonly<Record<string, unknown>>;
type Names = ReadonlySet<string>;

/** Receives a problem and its path in the definition. */
export type Report = (path: string, problem: string) => void;

/** The context that all checks of a machine share. */
interface MachineContext {
  readonly report: Report;
  readonly tier: Tier;
  /** Whether JSONata is the machine's query language; otherwise every state must declare it. */
  readonly jsonata: boolean;
}

/** The branch that a state is in. */
interface BranchContext extends MachineContext {
  readonly states: Node;
  /** The variables of the outer scopes, which may be read here and not assigned. */
  readonly outer: Names;
  /** The variables of this scope and of the outer ones. */
  readonly names: Names;
}

/** Reports every part of a definition that the interpreter would not run as Step Functions runs it. */
export function check(machine: unknown, tier: Tier, report: Report): void {
  if (!isNode(machine)) {
    report('', 'the definition must be an object');
    return;
  }
  known(machine, MACHINE_FIELDS, '', report);
  const timeout = machine.TimeoutSeconds;
  if (timeout !== undefined && !isWhole(timeout, 1, 99_999_999))
    report('TimeoutSeconds', 'must be a whole number above 0');
  checkBranch(machine, '', { report, tier, jsonata: machine.QueryLanguage === 'JSONata' });
}

function checkBranch(branch: Node, path: string, machine: MachineContext, outer: Names = new Set()): void {
  const { report } = machine;
  const { StartAt, States: states } = branch;
  if (!isNode(states) || Object.keys(states).length === 0) {
    report(`${path}States`, 'must hold a state');
    return;
  }
  if (typeof StartAt !== 'string' || !Object.hasOwn(states, StartAt)) report(`${path}StartAt`, 'names no state');
  const own = Object.values(states).flatMap((state) => (isNode(state) ? assigned(state) : []));
  const context: BranchContext = { ...machine, states, outer, names: new Set([...outer, ...own]) };
  for (const [name, state] of Object.entries(states)) {
    const at = `${path}States.${name}`;
    if (name.length > MAX_NAME_LENGTH) report(at, `the name is longer than ${MAX_NAME_LENGTH} characters`);
    if (!isNode(state)) report(at, 'must be an object');
    else checkState(state, at, context);
  }
  for (const name of unreachable(StartAt, states)) report(`${path}States.${name}`, 'is never reached');
}

function checkState(state: Node, at: string, context: BranchContext): void {
  const { report, states, outer, jsonata } = context;
  const { Type: type, QueryLanguage: language } = state;
  const grammar = isStateType(type) ? GRAMMAR[type] : undefined;
  if (!isStateType(type) || !grammar || (language === undefined ? !jsonata : language !== 'JSONata')) {
    report(at, grammar ? 'the query language must be JSONata' : `the type ${String(type)} is unknown`);
    return;
  }
  known(state, [...STATE_FIELDS, ...grammar.fields], at, report);
  for (const field of grammar.required) if (!(field in state)) report(at, `${field} is missing`);
  checkOnward(state, grammar, at, report);
  for (const target of targets(state)) {
    if (typeof target !== 'string' || !Object.hasOwn(states, target)) report(at, `there is no state ${String(target)}`);
  }
  for (const name of assigned(state)) checkVariable(name, at, outer, report);
  CHECKS[type]?.(state, at, context);
}

function isStateType(type: unknown): type is StateType {
  return typeof type === 'string' && Object.hasOwn(GRAMMAR, type);
}

function checkOnward(state: Node, grammar: StateGrammar, at: string, report: Report): void {
  if (!grammar.onward) return;
  if ('Next' in state === 'End' in state) report(at, 'needs either Next or End');
  if ('End' in state && state.End !== true) report(at, 'End must be true');
}

function checkVariable(name: string, at: string, outer: Names, report: Report): void {
  if (!/^[\p{L}_][\p{L}\p{N}_]{0,79}$/u.test(name)) report(at, `the variable ${name} has no usable name`);
  if (name === 'states') report(at, 'the variable states is reserved');
  if (outer.has(name)) report(at, `the variable ${name} belongs to the enclosing scope`);
}

type StateCheck = (state: Node, at: string, context: BranchContext) => void;

const CHECKS: Readonly<Partial<Record<StateType, StateCheck>>> = {
  Task: (state, at, { report, tier }) => {
    const resource = state.Resource;
    if (!RESOURCES.includes(String(resource))) report(at, `the resource ${String(resource)} is not supported`);
    if (resource === INVOKE_AND_WAIT && tier === 'EXPRESS') report(at, 'an express machine cannot wait for a token');
    if (isNode(state.Arguments)) known(state.Arguments, ARGUMENT_FIELDS, `${at}.Arguments`, report);
    checkGuards(state, at, report);
  },
  Wait: (state, at, { report }) => {
    if ('Seconds' in state === 'Timestamp' in state) report(at, 'needs either Seconds or Timestamp');
  },
  Choice: (state, at, { report }) => {
    const rules = listOf(state.Choices);
    if (rules.length === 0) report(at, 'Choices must hold a rule');
    for (const rule of rules) {
      known(rule, RULE_FIELDS, `${at}.Choices`, report);
      if (!('Condition' in rule)) report(`${at}.Choices`, 'Condition is missing');
    }
  },
  Parallel: (state, at, context) => {
    const branches = listOf(state.Branches);
    if (branches.length === 0) context.report(at, 'Branches must hold a branch');
    for (const [index, branch] of branches.entries()) {
      known(branch, BRANCH_FIELDS, `${at}.Branches[${index}]`, context.report);
      checkBranch(branch, `${at}.Branches[${index}].`, context, context.names);
    }
    checkGuards(state, at, context.report);
  },
  Map: (state, at, context) => {
    const { report, names } = context;
    const processor = state.ItemProcessor;
    if (!isNode(processor)) {
      report(at, 'ItemProcessor must be an object');
      return;
    }
    known(processor, [...BRANCH_FIELDS, 'ProcessorConfig'], `${at}.ItemProcessor`, report);
    const { Mode: mode = 'INLINE' } = (processor.ProcessorConfig ?? {}) as Node;
    if (mode !== 'INLINE') report(at, `the mode ${String(mode)} is not supported`);
    checkBranch(processor, `${at}.ItemProcessor.`, context, names);
    checkGuards(state, at, report);
  },
};

function checkGuards(state: Node, at: string, report: Report): void {
  for (const [field, fields] of GUARDS) {
    const guards = listOf(state[field]);
    if (field in state && !isListOfNodes(state[field])) report(`${at}.${field}`, 'must be a list of objects');
    for (const [index, guard] of guards.entries()) {
      const path = `${at}.${field}[${index}]`;
      known(guard, fields, path, report);
      checkErrors(guard.ErrorEquals, index === guards.length - 1, path, report);
      for (const [name, isValid] of Object.entries(field === 'Retry' ? RETRIER_VALUES : {})) {
        if (name in guard && !isValid(guard[name])) report(path, `${name} has no fit value`);
      }
    }
  }
}

const GUARDS = [
  ['Retry', RETRIER_FIELDS],
  ['Catch', CATCHER_FIELDS],
] as const;

/** The valid values of a retrier's fields (Step Functions developer guide, "Handling errors"). */
const RETRIER_VALUES: Readonly<Record<string, (value: unknown) => boolean>> = {
  IntervalSeconds: (value) => isWhole(value, 1, 99_999_999),
  MaxAttempts: (value) => isWhole(value, 0, 99_999_999),
  MaxDelaySeconds: (value) => isWhole(value, 1, 31_622_400),
  BackoffRate: (value) => typeof value === 'number' && value >= 1,
  JitterStrategy: (value) => value === 'FULL' || value === 'NONE',
};

function checkErrors(errors: unknown, last: boolean, path: string, report: Report): void {
  if (!Array.isArray(errors) || errors.length === 0 || !errors.every((error) => typeof error === 'string')) {
    report(path, 'ErrorEquals must name an error');
  } else if (errors.includes('States.ALL') && (errors.length > 1 || !last)) {
    report(path, 'States.ALL must stand alone and last');
  }
}

function assigned(state: Node): string[] {
  const holders = [state, ...listOf(state.Choices), ...listOf(state.Catch)];
  return holders.flatMap(({ Assign }) => (isNode(Assign) ? Object.keys(Assign) : []));
}

function targets(state: Node): unknown[] {
  const own = ['Next', 'Default'].filter((field) => field in state).map((field) => state[field]);
  return [...own, ...[...listOf(state.Choices), ...listOf(state.Catch)].map(({ Next }) => Next)];
}

function unreachable(start: unknown, states: Node): string[] {
  const reached = new Set<unknown>([start]);
  for (const name of reached) {
    const state = typeof name === 'string' && Object.hasOwn(states, name) ? states[name] : undefined;
    for (const target of isNode(state) ? targets(state) : []) reached.add(target);
  }
  return Object.keys(states).filter((name) => !reached.has(name));
}

function known(node: Node, fields: readonly string[], at: string, report: Report): void {
  for (const field of Object.keys(node)) {
    if (!fields.includes(field)) report(at, `the field ${field} is not supported here`);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The objects of a list; empty for any other value. */
function listOf(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function isListOfNodes(value: unknown): boolean {
  return Array.isArray(value) && value.every(isNode);
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most;
}
