import { omitUndefined } from '../../../language/omit-undefined.ts';
import { closestName } from '../../../language/suggestions.ts';
import type { Script } from '../../document/scripts.ts';
import type { Workflow } from '../../document/workflow.ts';
import type { Report } from '../../reports/finding.ts';
import { MAX_FINDINGS, type Rule, replaceInScript } from '../../reports/rule.ts';
import type { Access } from '../../shapes/evaluation.ts';
import { visitAccesses } from '../../shapes/flow.ts';
import { describedWithout, knownMembers, memberOf, membersWithout } from '../../shapes/shape.ts';

/** Longer names are not compared: comparing two takes quadratic time. */
const MAX_COMPARED = 40;

/** A name that differs in one character, or in two that are exchanged, and not in a plural. */
function misspelt(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_COMPARED) return undefined;
  const isPlural = (one: string) => one === `${name}s` || name === `${one}s`;
  const isExchange = (one: string) =>
    one.length === name.length &&
    [...one].some(
      (letter, at) => letter !== name[at] && one.slice(0, at) + one[at + 1] + letter + one.slice(at + 2) === name,
    );
  const isOmission = (long: string, short: string) =>
    long.length === short.length + 1 && [...long].some((_, at) => long.slice(0, at) + long.slice(at + 1) === short);
  const isClose = (one: string) => isExchange(one) || isOmission(one, name) || isOmission(name, one);
  return name.length < 3 ? undefined : known.find((one) => one.length > 3 && isClose(one) && !isPlural(one));
}

/** The member that is probably meant. A member that may be missing must be very similar. */
function nearestMember({ key, shape, isGuarded }: Access, members: readonly string[] | undefined): string | undefined {
  if (members === undefined) return misspelt(key, knownMembers(shape, key));
  return misspelt(key, members) ?? (isGuarded || key.length < 3 ? undefined : closestName(key, members));
}

/** True if a text has these letters in this order, with any others between them. */
function isSubsequence(letters: string, text: string): boolean {
  let found = 0;
  for (const letter of text) if (letter === letters[found]) found += 1;
  return found === letters.length;
}

/** The member whose name is an abbreviation of the key, or which the key abbreviates: `msg` of `message`. */
function abbreviated(key: string, members: readonly string[]): string | undefined {
  const isShort = (short: string, long: string) =>
    /^\w{3,}$/.test(short) && short[0] === long[0] && isSubsequence(short, long);
  return members.find((one) => isShort(one, key) || isShort(key, one));
}

/** The member of a member that has the key, as a path, if there is exactly one. */
function nested({ key, shape }: Access, members: readonly string[]): string | undefined {
  const paths = members.filter((one) => {
    const inner = memberOf(shape, one);
    return inner.kind === 'object' && inner.members.has(key);
  });
  const [only] = paths;
  return paths.length === 1 && only !== undefined && /^[A-Za-z_]\w*$/.test(only) ? `${only}.${key}` : undefined;
}

const MAX_LISTED = 8;

function reportOf(workflow: Workflow, script: Script, access: Access): Report | undefined {
  const { key, from, to, shape, isGuarded } = access;
  // Secrets are the subject of another rule.
  if (key === 'secrets') return undefined;
  const members = membersWithout(shape, key) ?? (isGuarded ? undefined : describedWithout(shape, key));
  const near =
    nearestMember(access, members) ??
    (isGuarded || members === undefined ? undefined : (nested(access, members) ?? abbreviated(key, members)));
  if (near === undefined && (members === undefined || isGuarded)) return undefined;
  const isCertain = membersWithout(shape, key) !== undefined;
  const what = isCertain ? 'what exists here' : 'the schema has';
  const listed = (members ?? []).slice(0, MAX_LISTED).join(', ');
  const hint = near === undefined ? `${what}: ${listed || 'nothing'}` : `did you mean '.${near}'?`;
  const isQuoted = script.source[from] === '"';
  const mend = near === undefined || isQuoted ? undefined : replaceInScript(workflow, script, { from, to, text: near });
  const message = isCertain ? `'.${key}' never exists here` : `'.${key}' is not described in the schema`;
  return { at: script.at(from), end: script.at(to), message, ...omitUndefined({ hint, mend }) };
}

export const memberMissing: Rule = {
  severity: 'hint',
  about:
    'A query reads a member that the data never has at this state, on any way to it: the value is null. What the data has follows from the start, from transforms, events, variables and schemas; results of functions may be anything. A member that the schema of `input` does not describe is reported too.',
  wrong: `states:
- id: first
  type: noop
  transform:
    order: jq(.body)
  transition: second
- id: second
  type: noop
  log: jq(.ordr.id)
`,
  right: `states:
- id: first
  type: noop
  transform:
    order: jq(.body)
  transition: second
- id: second
  type: noop
  log: jq(.order.id)
`,
  check(workflow) {
    const reports: Report[] = [];
    visitAccesses(workflow, (script, access) => {
      const report = reports.length < MAX_FINDINGS ? reportOf(workflow, script, access) : undefined;
      if (report !== undefined) reports.push(report);
    });
    return reports;
  },
};
