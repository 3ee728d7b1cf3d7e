import type {
  Branch,
  Catcher as CatcherSource,
  ChoiceRule,
  Effects,
  Retrier,
  State,
  StateMachine,
} from '../../../../compiler/emit/asl.ts';
import type { Tier } from '../../../../ports/executions.ts';
import { check, type Report } from './check.ts';
import { LARGEST_DEFINITION, type StateType } from './grammar.ts';
import { type Compile, isExpression, type Template, template } from './template.ts';

/** The fields of states that may hold expressions. */
export const TEMPLATES = [
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

export type Field = (typeof TEMPLATES)[number];

export type Templates = Readonly<Partial<Record<Field, Template>>>;

export interface Rule {
  readonly condition: Template;
  readonly fields: Templates;
  readonly next: string;
}

export interface Catcher {
  readonly errors: readonly string[];
  readonly fields: Templates;
  readonly next: string;
}

/** A state, ready to run. What its type does not know is empty. */
export interface Step {
  readonly name: string;
  readonly type: StateType;
  readonly fields: Templates;
  /** Absent: the branch ends with this state. */
  readonly next: string | undefined;
  readonly fallback: string | undefined;
  readonly rules: readonly Rule[];
  readonly retry: readonly Retrier[];
  readonly catch: readonly Catcher[];
  /** The branches of a Parallel, or the one item processor of a Map. */
  readonly programs: readonly Program[];
  readonly resource: string | undefined;
}

export interface Program {
  readonly start: string;
  readonly steps: ReadonlyMap<string, Step>;
}

export interface CompiledMachine {
  readonly program: Program;
  /** Seconds after which an execution is timed out. */
  readonly timeout: number | undefined;
}

/** The definition is no machine the interpreter can run; the message names every problem. */
export class InvalidDefinition extends Error {
  override readonly name = 'InvalidDefinition';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.problems = problems;
  }
}

/** Makes a program of a definition in JSON text. Throws InvalidDefinition with all the problems found. */
export function compileMachine(definition: string, tier: Tier, compile: Compile): CompiledMachine {
  if (Buffer.byteLength(definition) > LARGEST_DEFINITION)
    throw new InvalidDefinition(['the definition is above 1 MiB']);
  const problems: string[] = [];
  const report: Report = (path, problem) => problems.push(path ? `${path}: ${problem}` : problem);
  const machine = parse(definition);
  check(machine, tier, report);
  if (problems.length > 0) throw new InvalidDefinition(problems);
  const program = programOf(machine as StateMachine, '', { compile, report });
  if (problems.length > 0) throw new InvalidDefinition(problems);
  return { program, timeout: (machine as StateMachine).TimeoutSeconds };
}

function parse(definition: string): unknown {
  try {
    return JSON.parse(definition);
  } catch (thrown) {
    throw new InvalidDefinition([`the definition is no JSON: ${(thrown as Error).message}`]);
  }
}

interface Workshop {
  readonly compile: Compile;
  readonly report: Report;
}

function programOf(branch: Branch, path: string, workshop: Workshop): Program {
  const steps = Object.entries(branch.States).map(
    ([name, state]) => [name, stepOf(name, state, `${path}States.${name}`, workshop)] as const,
  );
  return { start: branch.StartAt, steps: new Map(steps) };
}

/** Any state seen with all fields any state may have. */
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

function stepOf(name: string, state: State, at: string, workshop: Workshop): Step {
  const any: AnyState = state;
  return {
    name,
    type: state.Type,
    fields: templatesOf(any, at, workshop),
    next: any.Next,
    fallback: any.Default,
    rules: (any.Choices ?? []).map((rule) => ruleOf(rule, `${at}.Choices`, workshop)),
    retry: any.Retry ?? [],
    catch: (any.Catch ?? []).map((catcher) => catcherOf(catcher, `${at}.Catch`, workshop)),
    programs: [...(any.Branches ?? []), ...(any.ItemProcessor ? [any.ItemProcessor] : [])].map((branch) =>
      programOf(branch, `${at}.`, workshop),
    ),
    resource: any.Resource,
  };
}

function ruleOf(rule: ChoiceRule, at: string, workshop: Workshop): Rule {
  const condition = templateOf(rule.Condition, `${at}.Condition`, workshop);
  return { condition, fields: templatesOf(rule, at, workshop), next: rule.Next };
}

function catcherOf(catcher: CatcherSource, at: string, workshop: Workshop): Catcher {
  return { errors: catcher.ErrorEquals, fields: templatesOf(catcher, at, workshop), next: catcher.Next };
}

function templatesOf(holder: object, at: string, workshop: Workshop): Templates {
  const fields = holder as Readonly<Record<string, unknown>>;
  const present = TEMPLATES.filter((field) => field in fields);
  return Object.fromEntries(present.map((field) => [field, templateOf(fields[field], `${at}.${field}`, workshop)]));
}

function templateOf(value: unknown, at: string, { compile, report }: Workshop): Template {
  if (typeof value === 'string' && value.startsWith('{%') && !isExpression(value)) {
    report(at, 'the expression has no end');
  }
  try {
    return template(value, compile);
  } catch (thrown) {
    report(at, (thrown as Error).message);
    return { is: 'constant', value: null };
  }
}
