import { setImmediate } from 'node:timers/promises';
import type {
  Branch,
  Catcher as CatcherSource,
  ChoiceRule,
  Effects,
  Retrier,
  State,
  StateMachine,
} from '../../../../compiler/emit/asl.ts';
import { parseJson } from '../../../../language/json-numbers.ts';
import { FairQueue } from '../../../../language/sandbox/fair-queue.ts';
import type { Tier } from '../../../../ports/executions.ts';
import { check, type Report } from './check.ts';
import { MAX_DEFINITION_BYTES, type StateType } from './grammar.ts';
import { type Compile, compileTemplate, isExpression, type Template } from './template.ts';

/** The fields of states that may contain expressions. */
export const TEMPLATE_FIELDS = [
  'Arguments',
  'Assign',
  'Cause',
  'Error',
  'HeartbeatSeconds',
  'ItemSelector',
  'Items',
  'MaxConcurrency',
  'Output',
  'Seconds',
  'TimeoutSeconds',
  'Timestamp',
] as const;

/** The name of a field that may contain expressions. */
export type Field = (typeof TEMPLATE_FIELDS)[number];

/** The compiled fields of a state, of a rule or of a catcher. */
export type Templates = Readonly<Partial<Record<Field, Template>>>;

/** A rule of a Choice. */
export interface Rule {
  readonly condition: Template;
  readonly templates: Templates;
  readonly next: string;
}

/** A rule of Catch. */
export interface Catcher {
  readonly errors: readonly string[];
  readonly templates: Templates;
  readonly next: string;
}

/** A state that is ready to run. The fields that its type does not have are empty. */
export interface CompiledState {
  readonly name: string;
  readonly type: StateType;
  readonly templates: Templates;
  /** Undefined: the branch ends with this state. */
  readonly next: string | undefined;
  /** The Default of a Choice. */
  readonly defaultNext: string | undefined;
  readonly rules: readonly Rule[];
  readonly retry: readonly Retrier[];
  readonly catch: readonly Catcher[];
  /** The branches of a Parallel, or the one item processor of a Map. */
  readonly branches: readonly Program[];
  readonly resource: string | undefined;
}

/** The compiled states of a machine, or of one of its branches. */
export interface Program {
  readonly start: string;
  readonly states: ReadonlyMap<string, CompiledState>;
}

/** A state machine that is ready to run. */
export interface CompiledMachine {
  readonly program: Program;
  /** Seconds after which an execution times out. */
  readonly timeout: number | undefined;
}

/** The interpreter cannot run the definition; the message names every problem. */
export class InvalidDefinitionError extends Error {
  override readonly name = 'InvalidDefinitionError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.problems = problems;
  }
}

/** Makes a program of a definition in JSON text. Throws InvalidDefinition with all the problems found. */
export function compileMachine(definition: string, tier: Tier, compile: Compile): CompiledMachine {
  const parts = compileParts(definition, tier, compile);
  let next = parts.next();
  while (next.done !== true) next = parts.next();
  return next.value;
}

/** Reading and checking a large definition take a turn each, before its states. */
const FIRST_PARTS = 3;

/** States and rules that are compiled in one turn. */
const PARTS_PER_TURN = 25;

/** One definition is compiled at a time: each has a part of a turn of the event loop. */
const compiling = new FairQueue({ total: 1, perTenant: 1 });

/** As `compileMachine`, in turns of the thread: a machine may have thousands of states. */
export const compileInTurns = (definition: string, tier: Tier, compile: Compile): Promise<CompiledMachine> =>
  compiling.run('', async () => {
    const parts = compileParts(definition, tier, compile);
    let next = parts.next();
    for (let count = 1; next.done !== true; count += 1) {
      if (count <= FIRST_PARTS || count % PARTS_PER_TURN === 0) await setImmediate();
      next = parts.next();
    }
    return next.value;
  });

/** Compiles a definition, one state or rule after the other. */
function* compileParts(definition: string, tier: Tier, compile: Compile): Generator<void, CompiledMachine> {
  if (Buffer.byteLength(definition) > MAX_DEFINITION_BYTES)
    throw new InvalidDefinitionError(['the definition is above 1 MiB']);
  const problems: string[] = [];
  const report: Report = (path, problem) => problems.push(path ? `${path}: ${problem}` : problem);
  yield;
  const machine = parse(definition);
  yield;
  check(machine, tier, report);
  if (problems.length > 0) throw new InvalidDefinitionError(problems);
  yield;
  const program = yield* compileBranch(machine as StateMachine, '', { compile, report });
  if (problems.length > 0) throw new InvalidDefinitionError(problems);
  return { program, timeout: (machine as StateMachine).TimeoutSeconds };
}

function parse(definition: string): unknown {
  try {
    return parseJson(definition);
  } catch (thrown) {
    throw new InvalidDefinitionError([`the definition is no JSON: ${(thrown as Error).message}`]);
  }
}

interface CompileContext {
  readonly compile: Compile;
  readonly report: Report;
}

function* compileBranch(branch: Branch, path: string, context: CompileContext): Generator<void, Program> {
  const states = new Map<string, CompiledState>();
  for (const [name, state] of Object.entries(branch.States)) {
    states.set(name, yield* compileState(name, state, `${path}States.${name}`, context));
    yield;
  }
  return { start: branch.StartAt, states };
}

/** A state with the fields of every type. */
type AnyState = Effects & {
  readonly [field in Field]?: unknown;
} & {
  readonly Next?: string;
  readonly Default?: string;
  readonly Resource?: string;
  readonly Choices?: readonly ChoiceRule[];
  readonly Retry?: readonly Retrier[];
  readonly Catch?: readonly CatcherSource[];
  readonly Branches?: readonly Branch[];
  readonly ItemProcessor?: Branch;
};

function* compileState(
  name: string,
  state: State,
  at: string,
  context: CompileContext,
): Generator<void, CompiledState> {
  const fields: AnyState = state;
  const rules: Rule[] = [];
  for (const rule of fields.Choices ?? []) {
    rules.push(compileRule(rule, `${at}.Choices`, context));
    yield;
  }
  const branches: Program[] = [];
  for (const branch of [...(fields.Branches ?? []), ...(fields.ItemProcessor ? [fields.ItemProcessor] : [])])
    branches.push(yield* compileBranch(branch, `${at}.`, context));
  return {
    name,
    type: state.Type,
    templates: compileTemplates(fields, at, context),
    next: fields.Next,
    defaultNext: fields.Default,
    rules,
    retry: fields.Retry ?? [],
    catch: (fields.Catch ?? []).map((catcher) => compileCatcher(catcher, `${at}.Catch`, context)),
    branches,
    resource: fields.Resource,
  };
}

function compileRule(rule: ChoiceRule, at: string, context: CompileContext): Rule {
  const condition = compileField(rule.Condition, `${at}.Condition`, context);
  return { condition, templates: compileTemplates(rule, at, context), next: rule.Next };
}

function compileCatcher(catcher: CatcherSource, at: string, context: CompileContext): Catcher {
  return { errors: catcher.ErrorEquals, templates: compileTemplates(catcher, at, context), next: catcher.Next };
}

function compileTemplates(holder: object, at: string, context: CompileContext): Templates {
  const fields = holder as Readonly<Record<string, unknown>>;
  const present = TEMPLATE_FIELDS.filter((field) => field in fields);
  return Object.fromEntries(present.map((field) => [field, compileField(fields[field], `${at}.${field}`, context)]));
}

function compileField(value: unknown, at: string, { compile, report }: CompileContext): Template {
  if (typeof value === 'string' && value.startsWith('{%') && !isExpression(value)) {
    report(at, 'the expression has no end');
  }
  try {
    return compileTemplate(value, compile);
  } catch (thrown) {
    report(at, (thrown as Error).message);
    return { is: 'constant', value: null };
  }
}
