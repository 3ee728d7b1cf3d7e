import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../bench/operations.ts';
import { priceTemplates } from '../../bin/cli/costs/template.ts';
import { compile } from '../../lib/compiler/compile.ts';
import { INLINE_LIMIT } from '../../lib/domain/storage/texts.ts';
import { plus, used } from '../../lib/pricing/paths.ts';
import { PRICED_ON, perMillion } from '../../lib/pricing/prices.ts';
import { priceRuns, type RunCost } from '../../lib/pricing/runs.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

const counted = JSON.parse(readFileSync(new URL('../../bench/calls.json', import.meta.url), 'utf8')) as Record<
  string,
  Record<'requests' | 'lambdas' | 'transitions' | 'express' | 'events' | 'timers' | 'perMillion', number>
>;

function costsOf(yaml: string, items = 10): RunCost[] {
  const compiled = compile(yaml);
  if ('problems' in compiled) throw new Error('no workflow');
  return priceRuns(compiled.plan, items);
}

const costOf = (yaml: string, op: RunCost['op'] = 'execute', items = 10): RunCost => {
  const found = costsOf(yaml, items).find((one) => one.op === op);
  if (found === undefined) throw new Error(`it has no op=${op}`);
  return found;
};

describe('the price of a workflow', () => {
  const measured = OPERATIONS.flatMap(({ name, workflows = [] }) => {
    const yaml = workflows.at(-1)?.[1];
    const isRun = /^(wait|execute) /.test(name) && !/that waits|a retry|a wait for|a long|refuses/.test(name);
    return yaml !== undefined && isRun ? [[name, yaml] as const] : [];
  });

  test.each(measured)('is equal to what was measured: %s', (name, yaml) => {
    const { least } = costOf(yaml, name.startsWith('wait') ? 'wait' : 'execute', 100);
    const { requests, lambdas, transitions, express, events, timers, perMillion: price = 0 } = counted[name] ?? {};
    expect(least).toMatchObject({ requests, lambdas, transitions, express, events, timers });
    expect(perMillion(least) / price).toBeGreaterThan(0.9);
    expect(perMillion(least) / price).toBeLessThan(1.1);
  });

  test.each([
    ['a run with the task of a worker', 'execute'],
    ['a run with an approval', 'execute'],
    ['a run with a wait for an event', 'execute'],
    ['a webhook that starts a run', 'webhook'],
    ['an event that starts a run', 'event'],
  ] as const)('is equal to what was measured from the start to the end: %s', (name, op) => {
    const [, yaml = ''] = OPERATIONS.find((one) => one.name === name)?.workflows?.at(-1) ?? [];
    const { least, most } = costOf(yaml, op);
    expect(least).toEqual(most);
    const { requests, lambdas, transitions, express, events, timers, perMillion: price = 0 } = counted[name] ?? {};
    expect(least).toMatchObject({ requests, lambdas, transitions, express, events, timers });
    expect(perMillion(least) / price).toBeGreaterThan(0.9);
    expect(perMillion(least) / price).toBeLessThan(1.1);
  });

  test.each(['execute a delay of 1 h', 'a run with a wait for an event'])(
    'is equal to what was measured where runs wait in the table: %s',
    (name) => {
      const yaml = OPERATIONS.find((one) => one.name === name)?.workflows?.at(-1)?.[1] ?? '';
      const compiled = compile(yaml);
      const [cost] = 'plan' in compiled ? priceRuns(compiled.plan, 10, 'table') : [];
      const { transitions, express, timers, lambdas, perMillion: price = 0 } = counted[`${name}, waits: table`] ?? {};
      expect(cost?.least).toMatchObject({ transitions, express, timers, lambdas });
      expect(perMillion(cost?.least ?? used()) / price).toBeGreaterThan(0.9);
      expect(perMillion(cost?.least ?? used()) / price).toBeLessThan(1.1);
    },
  );

  test('has a call refused at most, as was measured, where a limit of its function refuses calls', () => {
    const name = 'execute an HTTP call that a rate refuses';
    const yaml = OPERATIONS.find((one) => one.name === name)?.workflows?.at(-1)?.[1] ?? '';
    const [refusing, queueing] = [yaml, yaml.replace(', whenFull: refuse', '')].map((one) => costOf(one));
    const refused = plus(queueing?.most ?? used(), { readUnits: 3, writeUnits: 2 });
    expect(refusing).toMatchObject({ least: queueing?.least, most: refused });
    const atOnce = plus(queueing?.least ?? used(), { readUnits: 3, writeUnits: 2 });
    expect(perMillion(atOnce) / (counted[name]?.perMillion ?? 0)).toBeGreaterThan(0.9);
    expect(perMillion(atOnce) / (counted[name]?.perMillion ?? 0)).toBeLessThan(1.1);
  });

  test('is that of a run that does not wait where images are served within the step', () => {
    const calling = (image: string) =>
      costOf(`functions: [{id: f, type: knative-workflow, image: '${image}'}]
states: [{id: call, type: action, action: {function: f}}]
`);
    const { least, most } = calling('direktiv/mustache');
    expect([least.transitions, most.transitions]).toEqual([0, 0]);
    expect(calling('example/any').least.transitions).toBeGreaterThan(0);
  });

  test('includes each event of a start that needs several', () => {
    const starting = (events: string) =>
      costOf(
        `start: {type: eventsAnd, state: one, events: [${events}]}
states:
- {id: one, type: noop}
`,
        'event',
      );
    const both = starting('{type: a}, {type: b}').least;
    expect(both.events - starting('{type: a}').least.events).toBe(1);
  });

  test('includes at most the wait for a call, without the price of the called workflow', () => {
    const { most } = costOf(`functions: [{id: f, type: subflow, workflow: slow}]
states: [{id: call, type: action, action: {function: f}}]
`);
    const { transitions, lambdas = 0, express = 0 } = counted['execute an action on a subflow that waits'] ?? {};
    // The subflow waits once, after it was begun by the step of the call: one execution, one step.
    expect(most).toMatchObject({ transitions, lambdas: lambdas - 1, express: express - 1 });
  });

  test('includes the machine of a long invocation of Lambda, which always waits', () => {
    const [, yaml = ''] =
      OPERATIONS.find(({ name }) => name === 'execute a long Lambda function')?.workflows?.at(-1) ?? [];
    const { most } = costOf(yaml);
    const measured = counted['execute a long Lambda function'];
    const { requests, lambdas, transitions, express, perMillion: price = 0 } = measured ?? {};
    expect(most).toMatchObject({ requests, lambdas, transitions, express });
    expect(perMillion(most) / price).toBeGreaterThan(0.9);
    expect(perMillion(most) / price).toBeLessThan(1.1);
  });

  test('includes as many calls as a parallel state has actions', () => {
    const parallel = (actions: number) =>
      costOf(`functions: [{id: f, type: subflow, workflow: child}]
states: [{id: both, type: parallel, actions: [${Array.from({ length: actions }, () => '{function: f}').join(', ')}]}]
`);
    expect(parallel(3).most.transitions - parallel(2).most.transitions).toBe(1);
    expect(parallel(3).least.writeUnits - parallel(2).least.writeUnits).toBe(3);
  });

  test('is compared with enough measurements', () => {
    expect(measured.length).toBeGreaterThan(7);
  });

  test('has two bounds for a workflow with several paths', () => {
    const { least, most } = costOf(`states:
- {id: which, type: switch, conditions: [{condition: jq(.slow), transition: rest}]}
- {id: rest, type: delay, duration: PT1H}
`);
    expect([least.transitions, most.transitions]).toEqual([0, 1]);
  });

  test('counts each iteration of a loop once, and ends', () => {
    const { least, most } = costOf(`states:
- {id: look, type: noop, transition: rest}
- {id: rest, type: delay, duration: PT1M, transition: enough}
- {id: enough, type: switch, conditions: [{condition: jq(.done)}], defaultTransition: look}
`);
    expect(most.transitions).toBeGreaterThanOrEqual(least.transitions);
    expect(most.transitions).toBeLessThan(10);
  });

  test('grows with the items of a foreach', () => {
    const each = `functions: [{id: f, type: subflow, workflow: child}]
states: [{id: each, type: foreach, array: jq(.all), action: {function: f}}]
`;
    const [few, many] = [costOf(each, 'execute', 10), costOf(each, 'execute', 1000)];
    expect(many.least.writeUnits - few.least.writeUnits).toBe(3 * 990);
  });

  test('is computed for a thousand states in a row', () => {
    const states = Array.from({ length: 1000 }, (_, n) => `- {id: s${n}, type: noop, transition: s${n + 1}}`);
    const yaml = `states:\n${states.join('\n')}\n- {id: s1000, type: noop}\n`;
    expect(costOf(yaml, 'wait').least.lambdas).toBe(1);
  });
});

describe('the price of a template', () => {
  const template = (...resources: object[]) =>
    priceTemplates([{ Resources: Object.fromEntries(resources.map((one, n) => [`r${n}`, one as { Type: string }])) }]);

  test('is the monthly price of its resources', () => {
    const metrics = [{ MetricStat: {} }, { MetricStat: {} }, { Expression: 'a + b' }];
    expect(
      template(
        { Type: 'AWS::KMS::Key' },
        { Type: 'AWS::CloudWatch::Alarm' },
        { Type: 'AWS::CloudWatch::Alarm', Properties: { Metrics: metrics } },
        { Type: 'AWS::CloudWatch::Dashboard' },
        { Type: 'AWS::Lambda::Function' },
      ),
    ).toMatchObject({ monthly: 4.3, unknown: [], count: 5 });
  });

  test('has an upper bound for the metrics that functions write', () => {
    const counting = {
      Type: 'AWS::Lambda::Function',
      Properties: { Environment: { Variables: { WEFT_METRICS: 'x' } } },
    };
    expect(template(counting, counting)).toMatchObject({ monthly: 0, metrics: { most: 59, monthly: 17.7 } });
    expect(template({ ...counting, Properties: {} })).toMatchObject({ metrics: { most: 0, monthly: 0 } });
  });

  test.each([
    ['a resource that is not in the table', { Type: 'AWS::EC2::NatGateway' }],
    ['a provisioned table', { Type: 'AWS::DynamoDB::Table', Properties: { BillingMode: 'PROVISIONED' } }],
    ['a cache', { Type: 'AWS::ApiGateway::Stage', Properties: { CacheClusterEnabled: true } }],
    ['a type with the name of an inherited property', { Type: 'constructor' }],
  ])('is unknown for %s', (_, resource) => {
    expect(template(resource).unknown).toEqual([`r0 ${resource.Type}`]);
  });
});

describe('weft cost', () => {
  let workspace: Workspace;
  beforeAll(async () => {
    workspace = await openWorkspace();
    await workspace.write({
      'hello.yaml': 'states:\n- {id: a, type: noop}\n',
      'wrong.yaml': 'states: 5\n',
      'cdk.out/Weft.template.json': '{"Resources": {"Key": {"Type": "AWS::KMS::Key"}}}',
      'cdk.out/WeftData.template.json': '{"Resources": {"Bucket": {"Type": "AWS::S3::Bucket"}}}',
      'counting.json':
        '{"Resources": {"Steps": {"Type": "AWS::Lambda::Function", "Properties": {"Environment": {"Variables": {"WEFT_METRICS": "x"}}}}}}',
      'unknown.json': '{"Resources": {"Gate": {"Type": "AWS::EC2::NatGateway"}}}',
      'empty/readme': '',
      'broken.json': '{',
    });
  });
  afterAll(() => workspace.clear());

  test('prints the resources of a run, the price of a million, and the date of the prices', async () => {
    const { code, out } = await workspace.weft(['cost', 'hello.yaml']);
    expect(code).toBe(0);
    expect(out).toContain('op=execute');
    expect(out).toMatch(/one million runs +\$5\.83/);
    expect(out).toMatch(/op=wait[^$]*\$5\.83/);
    expect(out).toContain(`us-east-1 as of ${PRICED_ON}`);
    await workspace.write({ 'nap.yaml': 'states: [{id: a, type: delay, duration: PT1H}]\n' });
    const waiting = await workspace.weft(['cost', 'nap.yaml', '--waits', 'table', '--json']);
    expect(waiting.json()).toMatchObject({
      waits: 'table',
      runs: expect.arrayContaining([expect.objectContaining({ least: expect.objectContaining({ transitions: 0 }) })]),
    });
    const json = (await workspace.weft(['cost', 'hello.yaml', '--json'])).json();
    expect(json).toMatchObject({
      runs: [{ op: 'execute', least: { express: 0 } }, { op: 'wait' }],
      region: 'us-east-1',
    });
  });

  test('names the prices of large data, waiting requests and open streams', async () => {
    const { out } = await workspace.weft(['cost', 'hello.yaml']);
    const text = out.replaceAll(/\s+/g, ' ');
    expect(INLINE_LIMIT).toBe(16 * 1024);
    expect(text).toContain('Data above 16 KB is in S3: $5.00 per million writes, $0.40 per million reads.');
    expect(text).toContain('event stream cost $0.048 for each hour that they are open, at 1 GB.');
  });

  test('prints the monthly price of the stacks in a folder', async () => {
    const { code, out } = await workspace.weft(['cost', '--template', 'cdk.out']);
    expect({ code, out }).toEqual({
      code: 0,
      out: `$1.00 per month without any use: 2 resources in 2 stacks (list prices of us-east-1 as of ${PRICED_ON}, without the free tier)\n$1.00  AWS::KMS::Key  Key\n`,
    });
    expect((await workspace.weft(['cost', '--template', 'cdk.out', '--json'])).json()).toMatchObject({ monthly: 1 });
  });

  test('prints the upper bound for metrics', async () => {
    const { code, out } = await workspace.weft(['cost', '--template', 'counting.json']);
    expect([code, out.split('\n')[1]]).toEqual([
      0,
      'up to $17.70 more for at most 59 metrics, for the hours in which they are used',
    ]);
  });

  test('ends with 1 for a resource with an unknown price', async () => {
    const { code, out } = await workspace.weft(['cost', '--template', 'unknown.json']);
    expect({ code, last: out.split('\n').at(-2) }).toEqual({
      code: 1,
      last: 'unknown price: Gate AWS::EC2::NatGateway',
    });
  });

  test.each([
    [['cost'], "'cost' takes FILE"],
    [['cost', 'hello.yaml', '--waits', 'never'], "--waits is 'never'; it must be machine or table"],
    [['cost', 'wrong.yaml'], "wrong.yaml is no valid workflow; see 'weft validate wrong.yaml'"],
    [['cost', 'hello.yaml', '--items', 'many'], "--items is 'many'; it must be a number from 1 to 100000"],
    [
      ['cost', '--template', 'nowhere'],
      "cannot be read: ENOENT; create the folder cdk.out with 'npm run cdk -- synth --quiet'",
    ],
    [['cost', '--template', 'empty'], 'contains no file *.template.json'],
    [['cost', '--template', 'broken.json'], 'is no template in JSON'],
    [['cost', '--template', 'cdk.out', 'hello.yaml'], 'takes no arguments'],
  ])('%j is rejected: %s', async (args, message) => {
    const { code, err } = await workspace.weft(args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});
