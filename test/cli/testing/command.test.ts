import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWorkspace, type Workspace } from '../workspace.ts';

const REFUND = `
timeouts: {interrupt: P2D}
functions:
- {id: charge, type: knative-workflow, image: bank/charge:1}
states:
- id: charge
  type: action
  action:
    function: charge
    input: {amount: jq(.amount // 0)}
    retries: {max_attempts: 3, delay: PT1S, multiplier: 2, codes: [bank.busy]}
  transform: 'jq(.ok = .return.ok)'
  catch: [{error: bank.refused, transition: refuse}]
  transition: approval
- id: approval
  type: consumeEvent
  timeout: P1D
  event: {type: order.approved, context: {order: jq(.id)}}
  transform: {paid: jq(.ok)}
  transition: pay
- id: pay
  type: generateEvent
  event: {type: order.paid, source: refund, data: jq(.)}
- {id: refuse, type: noop, transform: {paid: false}}
`;

const TESTS = `
workflow: refund.yaml
cases:
- name: the bank is busy twice
  input: {id: o-1, amount: 40}
  mocks:
    charge: [{error: bank.busy}, {error: bank.busy}, {return: {ok: true}}]
  events: [{after: PT30M, type: order.approved, order: o-1}]
  expect:
    output: {paid: true}
    states: [charge, approval, pay]
    took: PT30M
    calls: {charge: [{amount: 40}, {amount: 40}, {amount: 40}]}
    events: [{type: order.paid, data: {paid: true}}]
- name: the bank refuses
  input: {id: o-2, amount: 50}
  mocks: {charge: {error: bank.refused, delay: PT5S}}
  expect: {output: {paid: false}, took: PT5S}
- name: nobody approves
  input: {id: o-3}
  mocks: {charge: {return: {ok: true}}}
  expect: {error: service.cancels.timeout.soft, took: P1D}
`;

/** Real times differ from run to run. */
const untimed = (text: string): string => text.replace(/\(\d+ ms\)/g, '(N ms)').replace(/time="[\d.]+"/g, 'time="T"');

let workspace: Workspace;
beforeAll(async () => {
  workspace = await openWorkspace();
  await workspace.write({ 'good/refund.yaml': REFUND, 'good/refund.test.yaml': TESTS });
});
afterAll(() => workspace.clear());

/** Runs one case of a workflow in a folder of its own. */
async function runCase(
  workflow: string,
  fields: string,
  args: readonly string[] = [],
  more: Record<string, string> = {},
) {
  cases += 1;
  const folder = `case-${cases}`;
  await workspace.write({
    [`${folder}/flow.yaml`]: workflow,
    [`${folder}/flow.test.yaml`]: `workflow: flow.yaml\ncases:\n- name: it\n${fields.replace(/^/gm, '  ')}\n`,
    ...Object.fromEntries(Object.entries(more).map(([name, text]) => [`${folder}/${name}`, text])),
  });
  return workspace.weft(['test', ...args], { cwd: folder });
}
let cases = 0;

describe('weft test', () => {
  test('runs the cases of a folder, prints each, and succeeds', async () => {
    const { code, out, err } = await workspace.weft(['test', 'good']);
    expect({ code, err, lines: untimed(out).split('\n') }).toEqual({
      code: 0,
      err: '',
      lines: [
        'good/refund.test.yaml',
        '  ✓ the bank is busy twice (N ms)',
        '  ✓ the bank refuses (N ms)',
        '  ✓ nobody approves (N ms)',
        '3 passed, 0 failed',
        '',
      ],
    });
  });

  test('runs the example of docs/testing.md', async () => {
    const page = await readFile(new URL('../../../docs/testing.md', import.meta.url), 'utf8');
    for (const [, name = '', text = ''] of page.matchAll(/```yaml\n# (\S+)\n([\s\S]*?)```/g)) {
      await workspace.write({ [`docs/${name}`]: text });
    }
    const { out } = await workspace.weft(['test', 'docs']);
    expect(out).toContain('\n3 passed, 0 failed\n');
  });

  test('says where a state failed, in the lines of its file, beside mocked functions', async () => {
    const flow =
      "functions:\n- {id: h, type: http, url: 'http://h'}\nstates:\n- id: a\n  type: noop\n  transform: {x: jq(.y)}\n";
    const { out } = await runCase(flow, 'expect: {}');
    expect(out).toContain("Where: /flow:6:18, state 'a'");
  });

  test('takes the current folder, a file of tests, or a workflow with tests beside it', async () => {
    for (const args of [[], ['refund.test.yaml'], ['refund.yaml'], ['refund.yaml', '.']]) {
      const { code, out } = await workspace.weft(['test', ...args], { cwd: 'good' });
      expect([code, out.split('\n').at(-2)]).toEqual([0, '3 passed, 0 failed']);
    }
  });

  test('--coverage counts the ends before handlers and those of handlers', async () => {
    const flow = `
onFailure: undo
finally: note
functions: [{id: f, type: http, url: 'http://f'}]
states:
- {id: a, type: action, action: {function: f}, transition: b}
- id: b
  type: switch
  conditions: [{condition: jq(.bad), transition: c}]
- {id: c, type: error, error: my.error, message: bad}
- {id: undo, type: noop}
- {id: note, type: noop}
`;
    const failing = await runCase(flow, 'mocks: {f: {error: e}}\nexpect: {error: e}', ['--coverage']);
    const missed = (out: string): string[] => [...out.matchAll(/not reached: (.*)/g)].map(([, one = '']) => one);
    expect(missed(failing.out)).toEqual(['state b', 'state c', 'a → b', 'b → c', 'b → the end', 'c → the end']);
    const bad = 'input: {bad: true}\nmocks: {f: {return: {}}}\nexpect: {error: my.error}';
    expect(missed((await runCase(flow, bad, ['--coverage'])).out)).toEqual(['b → the end']);
    const good = 'input: {bad: false}\nmocks: {f: {return: {}}}';
    expect(missed((await runCase(flow, good, ['--coverage'])).out)).toEqual([
      'state c',
      'state undo',
      'b → c',
      'c → the end',
      'undo → the end',
    ]);
  });

  test('prints each expectation that does not hold with its place, and the end of the log', async () => {
    const { code, out } = await runCase(
      REFUND,
      'mocks: {charge: {error: bank.refused}}\nexpect: {output: {paid: true}, took: PT1S, states: [charge]}',
    );
    expect(code).toBe(1);
    expect(untimed(out)).toContain(
      [
        '  ✗ it (N ms)',
        '      flow.test.yaml:5:12: output.paid: expected true, found false',
        '      flow.test.yaml:5:46: states: expected charge; found charge → refuse',
        '      flow.test.yaml:5:34: took: expected PT1S, found PT0S',
        '      the end of the log:',
        '        Preparing workflow triggered by api.',
      ].join('\n'),
    );
    expect(out).toContain('Error caught by error definition 0: bank.refused\n');
    expect(out).toContain('\n0 passed, 1 failed\n');
  });

  test('demands a mock for a function that is called and has none', async () => {
    const { code, out } = await runCase(REFUND, 'input: {}');
    expect(code).toBe(1);
    expect(out).toContain("a test cannot call the function 'charge' of 'flow': add a mock,");
  });

  test('runs only the cases that match --filter, and fails if there are none', async () => {
    const { out } = await workspace.weft(['test', 'good', '--filter', 'bank']);
    expect(out).toContain('2 passed, 0 failed');
    const none = await workspace.weft(['test', 'good', '--filter', 'nothing']);
    expect([none.code, none.err]).toEqual([2, "weft: no case matches --filter nothing (see 'weft help test')\n"]);
  });

  test('rejects arguments that name no tests', async () => {
    const rejected = async (...args: string[]) => (await workspace.weft(['test', ...args])).err;
    expect(await rejected('none')).toContain('none cannot be read: there is no such file or folder');
    expect(await rejected('good', '--format', 'xml')).toContain('--format is one of text, json, junit');
    expect(await rejected('good', '--events', 'lose')).toContain("--events is 'lose'; it is a list of dup, reorder");
    expect(await rejected('good', '--crash', 'now')).toContain("--crash is 'now'; it is every-step");
    expect(await rejected('good', '--seed', 'x')).toContain("--seed is 'x'; it is a number");
    expect(await rejected('good', '--timeout', '0')).toContain("--timeout is '0'; it is a number of seconds");
    expect(await rejected('good', '--filter', '(')).toContain('--filter is no regular expression');
    await workspace.write({ 'empty/flow.yaml': REFUND });
    expect(await rejected('empty')).toContain('there are no tests here; their files end in .test.yaml');
    expect(await rejected('empty/flow.yaml')).toContain('empty/flow.yaml is no file of tests');
  });

  test('reports the mistakes of a file of tests and of its workflow with their places, and runs the other files', async () => {
    await workspace.write({
      'bad/a.test.yaml': 'workflow: a.yaml\ncases: [{nme: x}]\n',
      'bad/b.test.yaml': 'workflow: broken.yaml\ncases: [{name: x}, {name: y, workflow: none.yaml}]\n',
      'bad/broken.yaml': 'states: [{id: a, type: nop}]\n',
      'bad/c.test.yaml':
        'workflow: c.yaml\ncases: [{name: x, mocks: {f: {return: 1}}, expect: {states: [aa], calls: {g: 1}}}]\n',
      'bad/c.yaml': 'states: [{id: a, type: noop}]\n',
      'bad/d.test.yaml': 'workflow: c.yaml\ncases: [{name: x}]\n',
    });
    const { code, out } = await workspace.weft(['test', 'bad']);
    expect(code).toBe(1);
    const lines = out.split('\n').filter((line) => /^ {2}(\S+:\d|[✓✗])/.test(line));
    expect(lines.map(untimed)).toEqual([
      '  bad/a.test.yaml:2:9: name required',
      '  bad/a.test.yaml:2:10: unknown field "nme"',
      expect.stringContaining('  bad/broken.yaml:1:24: '),
      "  bad/b.test.yaml:2:20: there is no workflow file 'none.yaml'",
      "  bad/c.test.yaml:2:27: the workflow 'c' has no function 'f'",
      "  bad/c.test.yaml:2:53: the workflow 'c' has no state 'aa'",
      "  bad/c.test.yaml:2:67: the workflow 'c' has no function 'g'",
      '  ✓ x (N ms)',
    ]);
    expect(out).toContain('\n1 passed, 3 failed\n');
  });

  test('skips a case that gives a reason', async () => {
    const { code, out } = await runCase(REFUND, 'skip: the bank is closed');
    expect([code, out]).toEqual([0, 'flow.test.yaml\n  - it: the bank is closed\n1 skipped, 0 passed, 0 failed\n']);
  });

  test('prints JSON, and the XML of JUnit', async () => {
    const json = (await workspace.weft(['test', 'good', '--format', 'json'])).json();
    expect(json).toMatchObject({ passed: 3, failed: 0, skipped: 0, suites: [{ file: 'good/refund.test.yaml' }] });
    const { out } = await runCase(REFUND, 'mocks: {charge: {error: {code: bank.broken, message: "<&>"}}}', [
      '--format',
      'junit',
    ]);
    expect(untimed(out)).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n' +
        '<testsuites name="weft test" tests="1" failures="1" skipped="0" errors="0">' +
        '<testsuite name="flow.test.yaml" tests="1" failures="1" skipped="0" errors="0" time="T">' +
        '<testcase name="it" classname="flow.test.yaml" file="flow.test.yaml" line="3" time="T">' +
        '<failure type="expectation" message="status: expected complete, found failed: bank.broken: &lt;&amp;&gt;">' +
        'status: expected complete, found failed: bank.broken: &lt;&amp;&gt;</failure>' +
        '</testcase></testsuite></testsuites>\n',
    );
  });

  test('prints what no case reaches with --coverage', async () => {
    const { out } = await runCase(REFUND, 'mocks: {charge: {error: bank.refused}}', ['--coverage']);
    expect(out).toContain(
      [
        'coverage',
        '  flow.yaml: states 2/4, transitions 1/4, catches 1/1',
        '    not reached: state approval',
        '    not reached: state pay',
        '    not reached: charge → approval',
        '    not reached: approval → pay',
        '    not reached: pay → the end',
      ].join('\n'),
    );
  });

  test('runs again after a change with --watch, until it is interrupted', async () => {
    await workspace.write({
      'watch/flow.yaml': REFUND,
      'watch/flow.test.yaml': TESTS.replace('refund.yaml', 'flow.yaml'),
    });
    const interrupt = new AbortController();
    const reports: string[] = [];
    const { code } = await workspace.weft(['test', '--watch'], {
      cwd: 'watch',
      signal: interrupt.signal,
      onOutput: (text) => {
        if (text.includes('passed')) reports.push(text.split('\n').at(-2) ?? '');
        if (text.startsWith('watching') && reports.length === 1) {
          void workspace.write({ 'watch/flow.test.yaml': 'workflow: flow.yaml\ncases: [{name: a}]\n' });
        }
        if (text.startsWith('watching') && reports.length === 2) interrupt.abort();
      },
    });
    expect({ code, reports }).toEqual({ code: 130, reports: ['3 passed, 0 failed', '0 passed, 1 failed'] });
  });
});

describe('a case', () => {
  const passes = async (workflow: string, fields: string, more: Record<string, string> = {}) => {
    const { out } = await runCase(workflow, fields, [], more);
    expect(out).toContain('1 passed, 0 failed');
  };

  test('of a wait of 30 days takes that long in virtual time alone', () =>
    passes(
      'timeouts: {interrupt: P40D, kill: P41D}\nstates: [{id: nap, type: delay, duration: P30D}]',
      'expect: {took: P30D}',
    ));

  test('may be of a workflow that an event starts', () =>
    passes(
      'start: {type: event, event: {type: go, context: {to: "*"}}}\nstates: [{id: a, type: noop, transform: "jq({n: .go.data.n})"}]',
      'events: [{after: PT1H, type: go, to: x, data: {n: 1}}, {type: go, to: y, data: {n: 2}}]\nexpect: {output: {n: 1}, runs: 2}',
    ));

  test('has scripts that see the virtual time', () =>
    passes(
      'states: [{id: a, type: delay, duration: PT8M, transform: {jq: "jq(now | todate)", js: "js(return new Date())", ms: js(return Date.now())}}]',
      'now: 2026-03-01T08:00:00Z\nexpect: {output: {jq: "2026-03-01T08:08:00Z", js: "2026-03-01T08:08:00Z", ms: 1772352480000}}',
    ));

  test('may be of a workflow that the clock starts', () =>
    passes(
      "start: {type: scheduled, cron: '30 8 * * *'}\nstates: [{id: a, type: noop}]",
      'now: 2026-03-01T08:00:00Z\nexpect: {runs: 1, states: [a]}',
    ));

  test('starts a scheduled workflow itself if it has an input', () =>
    passes(
      "timeouts: {interrupt: P1D}\nstart: {type: scheduled, cron: '* * * * *'}\nstates: [{id: a, type: delay, duration: PT1H, transform: {n: jq(.n)}}]",
      'input: {n: 5}\nexpect: {runs: 1, output: {n: 5}, took: PT1H}',
    ));

  test('starts other workflows by the events that it sends', () =>
    passes(
      'states: [{id: a, type: generateEvent, event: {type: go, source: main, data: {n: 1}}}]',
      'others: [other.yaml]\nexpect: {variables: {namespace: {seen: 1}}, events: [{type: go}]}',
      {
        'other.yaml':
          'start: {type: event, event: {type: go}}\nstates: [{id: a, type: setter, variables: [{key: seen, scope: namespace, value: jq(.go.data.n)}]}]',
      },
    ));

  test('gives variables and secrets, and sees those that the mocks set', () =>
    passes(
      `
functions: [{id: f, type: reusable, image: i}]
states:
- id: read
  type: getter
  variables: [{key: n, scope: namespace}, {key: w, scope: workflow}]
  transition: call
- id: call
  type: action
  action: {function: f, secrets: [KEY], input: {key: jq(.secrets.KEY), sum: jq(.var.n + .var.w)}}
`,
      `variables: {namespace: {n: 1}, workflow: {w: 2}}
secrets: {KEY: s3cret}
mocks: {f: {return: {}, variables: {namespace: {done: true}}}}
expect: {calls: {f: [{key: s3cret, sum: 3}]}, variables: {namespace: {done: true, n: 1}}}`,
    ));

  test('mocks functions of its subflows, and subflows themselves', async () => {
    const flow =
      'functions: [{id: sub, type: subflow, workflow: lib/sub}]\nstates: [{id: a, type: action, action: {function: sub}, transform: {r: jq(.return.r)}}]';
    const sub =
      'functions: [{id: f, type: reusable, image: i}]\nstates: [{id: a, type: action, action: {function: f}, transform: {r: jq(.return)}}]';
    await passes(flow, "mocks: {'lib/sub#f': {return: 5}}\nexpect: {output: {r: 5}, calls: {'lib/sub#f': 1}}", {
      'lib/sub.yaml': sub,
    });
    await passes(flow, 'mocks: {sub: {return: {r: 6}}}\nexpect: {output: {r: 6}, calls: {sub: 1}}');
    const { out } = await runCase(flow, 'input: {}');
    expect(out).toContain(
      "no file has the subflow '/lib/sub', which 'sub' in flow.yaml calls; mock it, or add its folder to 'folders'",
    );
  });

  test('finds the workflows that a computed subflow may call', async () => {
    const flow =
      "functions: [{id: sub, type: subflow, workflow: 'lib/jq(.name)', allowed: [lib/one, 'lib/t*']}]\nstates: [{id: a, type: action, action: {function: sub}, transform: {r: jq(.return.r)}}]";
    const says = (r: string) => `states: [{id: a, type: noop, transform: {r: ${r}}}]`;
    const files = { 'lib/one.yaml': says('one'), 'lib/two.yaml': says('two'), 'other/two.yaml': says('none') };
    await passes(flow, 'input: {name: one}\nexpect: {output: {r: one}}', files);
    await passes(flow, 'input: {name: two}\nexpect: {output: {r: two}}', files);
    await passes(flow, 'input: {name: three}\nexpect: {error: service.subflow.notFound}', files);
    await passes(flow, 'input: {name: two}\nmocks: {sub: {return: {r: 6}}}\nexpect: {output: {r: 6}, calls: {sub: 1}}');
  });

  test('that loops without a wait is given up', async () => {
    const loop = 'states: [{id: a, type: noop, transition: b}, {id: b, type: noop, transition: a}]';
    const { code, out } = await runCase(loop, 'input: {}', ['--timeout', '1']);
    expect(code).toBe(1);
    expect(out).toContain('the case took too long: it loops without a wait, or a script does not end');
  });
});
