import type { Mend, Problem } from '../../../data/api/errors.ts';
import { Button } from '../../../parts/button/button.tsx';

interface ProblemListProps {
  readonly problems: readonly Problem[];
  readonly onChoose: (problem: Problem) => void;
  /** Applies a correction; undefined if the text cannot be changed. */
  readonly onMend?: ((mend: Mend) => void) | undefined;
}

const WORDS = { error: '', warning: 'Warning: ', hint: 'Hint: ' } as const;

/** The findings of the linter with their corrections; a click selects the position in the text. */
export function ProblemList({ problems, onChoose, onMend }: ProblemListProps) {
  if (problems.length === 0) return null;
  return (
    <ul class="problems" aria-label="Problems">
      {problems.map((problem) => (
        <li
          class={`problem-row ${problem.severity ?? 'error'}`}
          key={`${problem.line} ${problem.column} ${problem.message}`}
        >
          <button type="button" class="problem" onClick={() => onChoose(problem)}>
            <code class="problem-place">
              {problem.line}:{problem.column}
            </code>
            <span class="grows">
              {WORDS[problem.severity ?? 'error']}
              {problem.message}
              {problem.hint !== undefined && <span class="problem-hint">{problem.hint}</span>}
            </span>
          </button>
          {problem.mend !== undefined && onMend !== undefined && (
            <Button onClick={() => problem.mend && onMend(problem.mend)}>{problem.mend.title}</Button>
          )}
        </li>
      ))}
    </ul>
  );
}
