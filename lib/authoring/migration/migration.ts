import { indentFlow } from '../../language/yaml/indentation.ts';
import { applyMends, type Finding, lint } from '../../lint/lint.ts';
import { applyReplacements, readOldWorkflow } from './old-workflow.ts';
import { SCRIPT } from './queries.ts';
import type { Names } from './references.ts';
import { REWRITES } from './rewrites.ts';

/** A change of a text. */
export interface Change {
  /** The line in the text before this change; earlier changes may have moved it. */
  readonly line: number;
  readonly note: string;
}

/** A text after the migration. */
export interface Migrated {
  readonly text: string;
  readonly changes: readonly Change[];
  /** The remaining findings of the linter. With an error, the text cannot be stored. */
  readonly findings: readonly Finding[];
}

/** Rounds of corrections: a correction may reveal the next mistake. */
const MAX_ROUNDS = 20;

/** Rules whose corrections are no guess here, because the texts were accepted by an older version or by its documents. */
const ACCEPTED_RULES: readonly string[] = ['yaml', 'unknown-field', 'unknown-type', 'wrong-type'];

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

interface Draft {
  readonly text: string;
  readonly changes: readonly Change[];
}

/** Applies the corrections of the linter that certainly keep the meaning, until there are none. */
function correct(draft: Draft, isWanted: (finding: Finding) => boolean): Draft {
  let { text } = draft;
  const changes = [...draft.changes];
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const wanted = lint(text).filter((finding) => finding.mend !== undefined && isWanted(finding));
    const [first] = wanted;
    if (first === undefined) break;
    // A correction of the YAML moves everything behind it; the others are independent.
    const made = first.rule === 'yaml' ? [first] : wanted.filter(({ rule }) => rule !== 'yaml');
    const applied = applyMends(
      text,
      made.flatMap(({ mend }) => mend ?? []),
    );
    if (applied.text === text) break;
    text = applied.text;
    changes.push(...made.map(({ line, message, mend }) => ({ line, note: `${mend?.title}: ${message}` })));
  }
  return { text, changes };
}

/** Indents a bracket that is closed below its key, which the original accepts and YAML 1.2 does not. */
function indent(draft: Draft): Draft {
  if (readOldWorkflow(draft.text) !== undefined) return draft;
  const { text, added } = indentFlow(draft.text);
  if (readOldWorkflow(text) === undefined) return draft;
  const note = 'indented deeper than its key, as YAML 1.2 requires';
  return { text, changes: [...draft.changes, ...[...added.keys()].map((line) => ({ line, note }))] };
}

function rewrite(draft: Draft, names: Names): Draft {
  let { text } = draft;
  const changes = [...draft.changes];
  for (const find of REWRITES) {
    const old = readOldWorkflow(text);
    if (old === undefined) break;
    const found = find(old, names);
    changes.push(...found.map(({ at, note }) => ({ line: lineAt(text, at), note })));
    text = applyReplacements(
      text,
      found.flatMap(({ replacements }) => replacements),
    );
  }
  return { text, changes };
}

/**
 * Rewrites a workflow text of Direktiv v0.5 to v0.8 in the language of this service. A construct that cannot be
 * rewritten stays, and is in the findings.
 */
export function migrate(source: string, names: Names): Migrated {
  const readable = correct({ text: source, changes: [] }, ({ rule }) => rule === 'yaml' || rule === 'odd-space');
  const rewritten = rewrite(indent(readable), names);
  const hasScripts = SCRIPT.test(source);
  const isWanted = ({ rule, severity, message, mend }: Finding) =>
    mend?.isCertain === true ||
    (severity === 'error' && ACCEPTED_RULES.includes(rule)) ||
    // `{{ .name }}` was the notation before jq(...).
    (rule === 'query-without-script' && !hasScripts && message.startsWith("'{{"));
  // A field with a corrected name may have another construct of older versions.
  const { text, changes } = correct(rewrite(correct(rewritten, isWanted), names), isWanted);
  return { text, changes, findings: lint(text) };
}
