import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWorkspace, type Workspace } from '../workspace.ts';

const REFUND = `
timeouts: {interrupt: P4D}
functions:
- {id: mail, type: mail, server: {host: mail.example.com}, from: a@example.com}
states:
- id: check
  type: delay
  duration: PT1H
  transition: sign-off
- id: sign-off
  type: approval
  subject: jq("Refund of \\(.amount)")
  choices: {approve: second, refuse: keep}
  form: {type: object, properties: {comment: {type: string}}, required: [comment]}
  notify: {function: mail, input: {to: b@example.com, subject: jq(.subject), text: jq(.links.approve)}}
  timeout: P2D
  transform: {amount: jq(.amount), first: jq(.return)}
- id: second
  type: approval
  subject: Again
  choices: {approve: null, refuse: keep}
  timeout: P1D
  transform: {first: jq(.first), second: jq(.return)}
- {id: keep, type: noop, transform: {refunded: false, why: jq(.first.form.comment)}}
`;

const MAIL = 'mocks: {mail: {return: {}, idempotent: true}}\n';

let workspace: Workspace;
beforeAll(async () => {
  workspace = await openWorkspace();
});
afterAll(() => workspace.clear());

let folders = 0;
async function weftTest(fields: string, args: readonly string[] = [], files: Readonly<Record<string, string>> = {}) {
  folders += 1;
  const folder = `case-${folders}`;
  const all = {
    'flow.yaml': REFUND,
    'flow.test.yaml': `workflow: flow.yaml\ncases:\n- name: it\n${fields.replace(/^/gm, '  ')}\n`,
    ...files,
  };
  await workspace.write(Object.fromEntries(Object.entries(all).map(([name, text]) => [`${folder}/${name}`, text])));
  return workspace.weft(['test', ...args], { cwd: folder });
}

const refused = (more = ''): string =>
  `input: {amount: 4}\n${MAIL}decisions: [{choice: refuse, form: {comment: too much}${more}}]\n`;

describe('a case with decisions', () => {
  test('decides an approval as soon as it waits', async () => {
    const { out } = await weftTest(
      `${refused()}expect: {output: {refunded: false, why: too much}, states: [check, sign-off, keep], took: PT1H}`,
    );
    expect(out).toContain('1 passed, 0 failed');
  });

  test('decides approvals in their order and at a time, with the name of the decider', async () => {
    const decisions = `decisions:
- {after: PT1H, state: sign-off, choice: approve, form: {comment: fine}, by: Ada}
- {after: PT3H, choice: approve}
`;
    const output =
      'first: {choice: approve, form: {comment: fine}, by: Ada}, second: {choice: approve, form: {}, by: test}';
    const { out } = await weftTest(`input: {amount: 4}\n${MAIL}${decisions}expect: {took: PT3H, output: {${output}}}`, [
      '--coverage',
    ]);
    expect(out).toContain('1 passed, 0 failed');
    const missed = out.split('\n').filter((line) => line.includes('not reached'));
    expect(missed.map((line) => line.trim())).toEqual([
      'not reached: state keep',
      'not reached: sign-off → keep',
      'not reached: second → keep',
      'not reached: keep → the end',
    ]);
  });

  test('decides once, with crashes and repeated requests', async () => {
    const decisions = 'decisions: [{choice: approve, form: {comment: fine}}, {choice: refuse, after: PT2H}]\n';
    const { code, out } = await weftTest(
      `input: {amount: 4}\n${MAIL}${decisions}expect: {output: {why: fine}, took: PT2H}`,
      ['--crash', 'every-step', '--events', 'dup,reorder'],
    );
    expect({ code, harm: out.includes('harm') }).toEqual({ code: 0, harm: false });
    expect(Number(/(\d+) crashes/.exec(out)?.[1])).toBeGreaterThan(5);
  });

  test('decides the approval of a subflow', async () => {
    const files = {
      'flow.yaml':
        'functions: [{id: sub, type: subflow, workflow: ask}]\nstates: [{id: call, type: action, action: {function: sub}}]',
      'ask.yaml': 'states: [{id: ask, type: approval, subject: s, choices: {ok: null}}]',
    };
    const { out } = await weftTest('decisions: [{state: ask#ask, choice: ok}]', [], files);
    expect(out).toContain('1 passed, 0 failed');
  });

  test.each([
    [
      refused(', after: PT30M'),
      "6:15: decisions[0]: no approval waited for 'refuse' PT30M after the start: the run is in 'check'; leave out 'after' to decide as soon as one waits",
    ],
    [
      refused().replace('}]', '}, {choice: approve}]'),
      "6:60: decisions[1]: no approval waited for 'approve' until the end of the case, PT1H after the start: the run is complete, at last in 'keep'",
    ],
    [
      `${MAIL}decisions: [{state: second, choice: approve}]\n`,
      "5:15: decisions[0]: no approval waited in 'second' for 'approve' until the end of the case, P2DT1H after the start: the run is failed, at last in 'sign-off'",
    ],
    [
      `${MAIL}decisions: [{choice: approve}]\n`,
      "5:15: decisions[0]: the form of 'sign-off' is not valid: (root): comment is required",
    ],
  ])('%s fails and says when and which', async (fields, message) => {
    const { code, out } = await weftTest(fields);
    expect(out).toContain(`flow.test.yaml:${message}`);
    expect(code).toBe(1);
  });

  test.each([
    ['decisions: [{choice: aprove}]', "4:15: no approval has the choice 'aprove' (hint: did you mean 'approve'?)"],
    [
      'decisions: [{state: sign-off, choice: no}]',
      "4:15: the approval 'sign-off' has no choice 'no' (hint: its choices: approve, refuse)",
    ],
    [
      'decisions: [{state: check, choice: approve}]',
      "4:15: the state 'check' is no approval (hint: its approvals: sign-off, second)",
    ],
    [
      'decisions: [{state: signoff, choice: approve}]',
      "4:15: the workflow 'flow' has no state 'signoff' (hint: did you mean",
    ],
    [
      'mocks: {sign-off: {return: {choice: approve}}}',
      "4:11: 'sign-off' of 'flow' is a state, not a function (hint: decide the approval by decisions: [{state: sign-off, choice: …}])",
    ],
  ])('%s is refused with its place', async (fields, message) => {
    const { out } = await weftTest(fields);
    const [, problem = '', , , hint = ''] = out.split('\n');
    expect(`${problem.trim()} (${hint.trim()})`).toContain(`flow.test.yaml:${message}`);
  });
});
