import type { Problem } from '../../language/problem.ts';
import type { Workflow } from '../document/workflow.ts';
import type { Mend } from '../reports/finding.ts';

/** The word at a position, without quotes around it. */
export function wordAt({ source }: Workflow, { line, column }: Problem): string {
  const rest = source.text.slice(source.offsetOf({ line, column }));
  return (
    /^(?:"([^"\n]*)"|'([^'\n]*)'|([^\s:,[\]{}#][^\n:,[\]{}#]*))/
      .exec(rest)
      ?.slice(1)
      .find((one) => one !== undefined)
      ?.trimEnd() ?? ''
  );
}

/** Makes the correction of a problem of the compiler; undefined if it is not known. */
export type MakeMend = (workflow: Workflow, problem: Problem) => Mend | undefined;
