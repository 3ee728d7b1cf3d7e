import { setMember } from '../../language/json.ts';
import { isScalar } from '../../language/json-numbers.ts';
import { type Labels, labelValueProblem } from '../../language/labels.ts';
import { textOf } from '../../language/own-members.ts';
import { evaluate } from '../evaluation/evaluation.ts';
import { StateError } from '../evaluation/failures.ts';
import type { StepUnit } from '../run/commit/step-unit.ts';

type Evaluated = { readonly value: string } | { readonly problem: string };

/** The value of a label; the text of a problem where it has none. */
async function labelValueOf(unit: StepUnit, name: string, query: unknown): Promise<Evaluated> {
  try {
    const result = await evaluate(query, unit.data);
    if (!isScalar(result)) return { problem: `the value of the label '${name}' is no text, number or boolean` };
    const value = textOf(result);
    const problem = labelValueProblem(name, value);
    return problem === undefined ? { value } : { problem };
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    return { problem: `the label '${name}' ${error.message}` };
  }
}

/**
 * Sets the labels that the workflow has for a run, before its first state. Labels of the start request win. One without a
 * value is logged, and the run goes on without it.
 */
export async function setLabels(unit: StepUnit): Promise<void> {
  const { labels: queries } = unit.tools.plan;
  if (unit.step > 0 || queries === undefined) return;
  const labels: Record<string, string> = {};
  for (const [name, query] of Object.entries(queries)) {
    const found = await labelValueOf(unit, name, query);
    if ('value' in found) setMember(labels, name, found.value);
    else unit.log(`Unable to set a label: ${found.problem}`, 'error', '');
  }
  unit.labels = { ...labels, ...unit.run.labels } satisfies Labels;
}
