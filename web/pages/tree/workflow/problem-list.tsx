import type { Problem } from '../../../data/api/errors.ts';

interface ProblemListProps {
  readonly problems: readonly Problem[];
  readonly onChoose: (problem: Problem) => void;
}

/** Every problem of the compiler, with its place and how to mend it; one leads into the text. */
export function ProblemList({ problems, onChoose }: ProblemListProps) {
  if (problems.length === 0) return null;
  return (
    <ul class="problems" aria-label="Problems">
      {problems.map((problem) => (
        <li key={`${problem.line} ${problem.column} ${problem.message}`}>
          <button type="button" class="problem" onClick={() => onChoose(problem)}>
            <code class="problem-place">
              {problem.line}:{problem.column}
            </code>
            <span class="grows">
              {problem.message}
              {problem.hint !== undefined && <span class="problem-hint">{problem.hint}</span>}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
