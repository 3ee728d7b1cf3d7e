import type { Plan, ReadVariable, StatePlan, WriteVariable } from '../../compiler/plan/plan.ts';
import { toValue } from '../../language/byte-values.ts';
import { isObject, setMember } from '../../language/json.ts';
import { ownMember } from '../../language/own-members.ts';
import type { Ports } from '../../ports/ports.ts';
import * as variables from '../namespaces/variables.ts';
import { type DataChange, isOmitted, type RecordedStep } from '../runs/records.ts';
import type { Run } from '../runs/runs.ts';

/** The variables that a run read before it wrote them, by scope and name; those that did not exist are absent. */
export interface BundledVariables {
  readonly namespace: Readonly<Record<string, unknown>>;
  readonly workflow: Readonly<Record<string, unknown>>;
}

type SharedScope = keyof BundledVariables;

const SCOPES: readonly SharedScope[] = ['namespace', 'workflow'];
const isShared = (scope: string): scope is SharedScope => SCOPES.some((one) => one === scope);

const HAS_SCRIPT = /\b(?:jq|js)\(/;
const isLiteral = (key: unknown): key is string => typeof key === 'string' && !HAS_SCRIPT.test(key);

type Accessed = ReadVariable | WriteVariable;

const accessesOf = (state: StatePlan | undefined, kind: 'read' | 'write'): readonly Accessed[] =>
  state?.work.do === kind ? state.work.variables : [];

/** The values that a getter without a transform put into the data; undefined if the record does not have it. */
function valuesIn(
  { change }: RecordedStep,
  state: StatePlan | undefined,
): Readonly<Record<string, unknown>> | undefined {
  if (state?.exit.transform !== undefined || change === undefined || isOmitted(change)) return undefined;
  const read = (change as DataChange).set?.['var'];
  return isObject(read) ? read : undefined;
}

/** Collects the variables of one run. */
class VariableCollector {
  readonly found: { readonly [S in SharedScope]: Record<string, unknown> } = { namespace: {}, workflow: {} };
  readonly notes: string[] = [];
  readonly #ports: Pick<Ports, 'table' | 'blobs'>;
  readonly #run: Run;
  readonly #done = new Set<string>();

  constructor(ports: Pick<Ports, 'table' | 'blobs'>, run: Run) {
    this.#ports = ports;
    this.#run = run;
  }

  async add(step: RecordedStep, state: StatePlan | undefined): Promise<void> {
    for (const { key, scope } of accessesOf(state, 'write')) if (isLiteral(key)) this.#done.add(`${scope} ${key}`);
    const values = valuesIn(step, state);
    for (const variable of accessesOf(state, 'read') as readonly ReadVariable[]) {
      const { key, scope, as } = variable;
      if (scope === 'file')
        this.notes.push(`the state '${step.state}' read a file of the tree, which the bundle lacks`);
      if (!isShared(scope)) continue;
      if (!isLiteral(key)) {
        this.notes.push(`the state '${step.state}' read a variable with a computed name, which the bundle lacks`);
        continue;
      }
      if (this.#done.has(`${scope} ${key}`)) continue;
      this.#done.add(`${scope} ${key}`);
      const value = values === undefined ? await this.#present(scope, key) : ownMember(values, as ?? key);
      if (value !== undefined && value !== null) setMember(this.found[scope], key, value);
    }
  }

  /** The present value, with a note if it is newer than the start of the run. */
  async #present(scope: SharedScope, key: string): Promise<unknown> {
    const owner = { scope, id: scope === 'namespace' ? this.#run.namespaceId : this.#run.workflowId };
    const variable = await variables.find(this.#ports, owner, key);
    if (variable === undefined) return undefined;
    if (variable.updated >= this.#run.created) {
      this.notes.push(
        `the ${scope} variable '${key}' was changed after the start of the run; this is its present value`,
      );
    }
    return toValue(variable.bytes);
  }
}

/** The variables of the namespace and of the workflow that a run read, and notes on the unknown ones, for the user. */
export async function recordedVariables(
  ports: Pick<Ports, 'table' | 'blobs'>,
  run: Run,
  steps: readonly RecordedStep[],
  plan: Plan,
): Promise<{ readonly variables: BundledVariables; readonly notes: readonly string[] }> {
  const collector = new VariableCollector(ports, run);
  for (const step of steps) await collector.add(step, ownMember(plan.states, step.state));
  return { variables: collector.found, notes: [...new Set(collector.notes)] };
}
