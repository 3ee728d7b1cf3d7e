import { isMap, isSeq, type YAMLMap } from 'yaml';
import { ownMember } from '../../language/own-members.ts';
import {
  actionsOf,
  addBefore,
  type Field,
  fieldOf,
  fieldsOf,
  inOneLine,
  mapsIn,
  type Replacement,
  rangeOf,
  removeField,
  textOf,
} from './old-workflow.ts';
import type { Rewrite, Rewriting } from './rewriting.ts';

/** The code that a state raises when its retries are exhausted; before v0.6 it was the code of the call. */
const EXCEEDED = 'service.retries.exceeded';

/** The names of the fields of a retry that were others. */
const POLICY_NAMES: Readonly<Record<string, string>> = { maxAttempts: 'max_attempts' };

/** An entry of a catch list that also said how the call is retried. */
interface RetryingCatch {
  readonly entry: YAMLMap;
  readonly retry: Field;
  readonly error: string;
  /** The fields of the retry as YAML, without codes. */
  readonly policy: string;
}

function retryingCatches(state: YAMLMap): readonly RetryingCatch[] {
  return mapsIn(fieldOf(state, 'catch')).flatMap((entry) => {
    const retry = fieldOf(entry, 'retry') ?? fieldOf(entry, 'retries');
    const [first] = isSeq(retry?.value) ? retry.value.items : [retry?.value];
    const error = textOf(entry, 'error');
    if (retry === undefined || !isMap(first) || error === undefined) return [];
    const fields = fieldsOf(first).filter(({ name }) => name !== 'codes' && name !== 'throw');
    const policy = fields
      .map(({ name, value }) => `${ownMember(POLICY_NAMES, name) ?? name}: ${inOneLine(value)}`)
      .join(', ');
    return [{ entry, retry, error, policy }];
  });
}

/** The pattern of codes for the pattern of a catch: `*` stands for all. */
const codeOf = (error: string): string => `'${(error === '*' ? '.*' : error).replaceAll("'", "''")}'`;

const catchesAll = (error: string): boolean => error === '*' || error === '.*';

/** Adds a catch with the same way out before an entry: the exhausted retries have a code of their own. */
function catchExceeded(text: string, state: YAMLMap, { entry, error }: RetryingCatch): Replacement[] {
  const known = mapsIn(fieldOf(state, 'catch')).map((one) => textOf(one, 'error') ?? '');
  if (catchesAll(error) || known.some((one) => one.includes('retries.exceeded'))) return [];
  const others = fieldsOf(entry).filter(({ name }) => !['error', 'retry', 'retries'].includes(name));
  const fields = [`error: ${EXCEEDED}`, ...others.map(({ name, value }) => `${name}: ${inOneLine(value)}`)].join(', ');
  const list = fieldOf(state, 'catch')?.value;
  const { from } = rangeOf(entry);
  if (isSeq(list) && list.flow === true) return [{ from, to: from, text: `{${fields}}, ` }];
  const dash = text.lastIndexOf('- ', from);
  const indent = ' '.repeat(dash - text.lastIndexOf('\n', dash - 1) - 1);
  return [{ from: dash, to: dash, text: `- {${fields}}\n${indent}` }];
}

function moved(text: string, state: YAMLMap): Rewriting[] {
  const catches = retryingCatches(state);
  const [first] = catches;
  // Retries that differ by the code of the error cannot be written any more: they stay, as findings.
  if (first === undefined || catches.some(({ policy }) => policy !== first.policy)) return [];
  const removed = catches.map(({ entry, retry }) => removeField(text, entry, retry));
  const actions = actionsOf(state).filter((action) => fieldOf(action, 'retries') === undefined);
  const codes = catches.map(({ error }) => codeOf(error)).join(', ');
  const added = actions.flatMap((action) => {
    const called = fieldOf(action, 'function');
    return called === undefined
      ? []
      : [addBefore(text, action, called, `retries: {${first.policy}, codes: [${codes}]}`)];
  });
  const at = first.retry.from;
  if (added.length === 0) {
    if (actionsOf(state).length > 0) return [];
    return [{ at, note: "removed 'retry' from 'catch': the state calls nothing", replacements: removed }];
  }
  const note = `moved 'retry' from 'catch' into the action, as 'retries'; ${EXCEEDED} is caught as the error was`;
  const caught = catches.flatMap((one) => catchExceeded(text, state, one)).slice(0, 1);
  return [{ at, note, replacements: [...removed, ...added, ...caught] }];
}

/** The retries of a call were in the catch of its error before v0.6; now they belong to the action. */
export const moveCatchRetries: Rewrite = ({ text, states }) => states.flatMap((state) => moved(text, state));
