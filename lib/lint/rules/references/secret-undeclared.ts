import { type Ast, childrenOf, literalText } from '../../../language/jq/syntax/ast.ts';
import { JqSyntaxError } from '../../../language/jq/syntax/errors.ts';
import { closestName } from '../../../language/suggestions.ts';
import { type Node, scalarText } from '../../../language/yaml/node.ts';
import { select } from '../../document/queries.ts';
import type { Script } from '../../document/scripts.ts';
import type { StateView, Workflow } from '../../document/workflow.ts';
import { lineEdit } from '../../mends/fields.ts';
import type { Mend, Report } from '../../reports/finding.ts';
import { appendInside, type Rule, replaceInScript, scriptsOf } from '../../reports/rule.ts';

/** A use of a secret in a script. */
interface SecretUse {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

function isSecrets(ast: Ast): boolean {
  return ast.kind === 'access' && ast.base.kind === 'identity' && literalText(ast.key) === 'secrets';
}

function usesInJq(ast: Ast): SecretUse[] {
  const name = ast.kind === 'access' && isSecrets(ast.base) ? literalText(ast.key) : undefined;
  // In a definition or behind a pipe, the dot may be another value than the data.
  if (name !== undefined && ast.kind === 'access') return [{ name, from: ast.key.from, to: ast.key.to }];
  if (ast.kind === 'pipe') return usesInJq(ast.left);
  if (ast.kind === 'call' || ast.kind === 'def') return [];
  return childrenOf(ast).flatMap(usesInJq);
}

const IN_JS = /\bdata\.secrets\.([A-Za-z_]\w*)|\bdata\.secrets\[(["'])([^"']+)\2\]/g;

/** The secrets that a script uses. */
function secretUses({ kind, source, program }: Script): SecretUse[] {
  if (kind === 'jq') return program === undefined || program instanceof JqSyntaxError ? [] : usesInJq(program);
  return [...source.matchAll(IN_JS)].map((found) => {
    const name = found[1] ?? found[3] ?? '';
    const from = found.index + found[0].lastIndexOf(name);
    return { name, from, to: from + name.length };
  });
}

const DECLARED = new WeakMap<Node, ReadonlySet<string>>();

/** The secrets that the action around a query declares; undefined for a query outside an action. */
function declaredFor(state: StateView, path: string): ReadonlySet<string> | undefined {
  const action = /^(action|actions\.\d+)\./.exec(path)?.[1];
  if (action === undefined) return undefined;
  const [list] = select(state.node, `${action}.secrets`);
  if (list === undefined) return new Set();
  const names = DECLARED.get(list.node) ?? new Set(select(list.node, '*').map(({ node }) => scalarText(node)));
  DECLARED.set(list.node, names);
  return names;
}

/** A use with where it is. */
interface PlacedUse extends SecretUse {
  readonly script: Script;
  readonly state: StateView;
  readonly path: string;
}

/** Removes the log of a state, if it is one line of its own. */
function withoutLog({ source }: Workflow, { node }: StateView): Mend | undefined {
  const entry = node.kind === 'map' ? node.entries.get('log') : undefined;
  const written = source.lineAt(entry?.line ?? 0);
  if (entry === undefined || !/^\s*log: *[^\s|>].*$/.test(written) || entry.line !== entry.node.line) return undefined;
  return { title: 'remove the log line', edits: [lineEdit(entry.line)], isCertain: false };
}

function reportUse(workflow: Workflow, use: PlacedUse): Report {
  const { script, state, path } = use;
  const declared = declaredFor(state, path);
  const range = { at: script.at(use.from), end: script.at(use.to) };
  if (declared === undefined) {
    const hint = "secrets exist only in the 'input' and 'files' of an action that lists them";
    const mend = path === 'log' ? withoutLog(workflow, state) : undefined;
    return {
      ...range,
      message: `there is no secret '${use.name}' here`,
      hint,
      severity: 'hint',
      ...(mend && { mend }),
    };
  }
  const near = closestName(use.name, declared);
  const list = select(state.node, path.replace(/\.(?:input|files).*$/, '.secrets'))[0];
  const added =
    list === undefined ? undefined : appendInside(workflow, list.node, use.name, `add ${use.name} to the list`);
  const mend =
    near === undefined ? added : replaceInScript(workflow, script, { from: use.from, to: use.to, text: near });
  const hint =
    near === undefined
      ? `add it to the action: secrets: [${[...declared, use.name].join(', ')}]`
      : `did you mean '${near}'?`;
  return { ...range, message: `the action does not list the secret '${use.name}'`, hint, ...(mend && { mend }) };
}

/** True if the workflow itself may put a member `secrets` into its data. */
const hasOwnSecrets = ({ source }: Workflow): boolean =>
  /\bsecrets:\s*(?!\[|\n|$|-)\S|\.secrets\s*(\||\+|\/\/)?=[^=]/m.test(source.text);

export const secretUndeclared: Rule = {
  severity: 'warning',
  about:
    'A query uses `.secrets.NAME`, and the action does not list the name in its `secrets`; or the query is no `input` or `files` of an action, where secrets do not exist. The value is null.',
  wrong: `functions:
- {id: pay, type: subflow, workflow: pay}
states:
- id: charge
  type: action
  action:
    function: pay
    secrets: [PAYKEY]
    input: {key: jq(.secrets.PAY_KEY)}
`,
  right: `functions:
- {id: pay, type: subflow, workflow: pay}
states:
- id: charge
  type: action
  action:
    function: pay
    secrets: [PAYKEY]
    input: {key: jq(.secrets.PAYKEY)}
`,
  *check(workflow) {
    if (hasOwnSecrets(workflow)) return;
    for (const state of workflow.states) {
      for (const { script, query } of scriptsOf(state)) {
        const declared = declaredFor(state, query.path);
        const uses = secretUses(script).filter(({ name }) => declared?.has(name) !== true);
        for (const use of uses) yield reportUse(workflow, { ...use, script, state, path: query.path });
      }
    }
  },
};
