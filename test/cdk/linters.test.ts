import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { IS_FULL } from '../effort.ts';
import { type InstalledPackage, installPackage, UnavailableError } from '../emulator/python-packages.ts';
import { EVERY_OPTION, OTHER_OPTIONS } from './options.ts';
import { makeApp, type Resource } from './stack.ts';

const SETTINGS = {
  'the default settings': {},
  'all options': EVERY_OPTION,
  'what can be switched off, and a root key of yours': OTHER_OPTIONS,
};

/** The templates of an installation, by the names of their stacks. */
function templatesOf(settings: Readonly<Record<string, string>>): Record<string, object> {
  const { stack, data } = makeApp(settings);
  return { service: Template.fromStack(stack).toJSON(), data: Template.fromStack(data).toJSON() };
}

/** Calls the main function of an installed package, and returns what it prints. Findings make it end with a status. */
function runPackage({ python, packages }: InstalledPackage, code: string, args: readonly string[]): Promise<string> {
  const env = { ...process.env, PYTHONPATH: packages };
  return new Promise((resolve, reject) => {
    execFile(python, ['-c', code, ...args], { env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (error !== null && stdout === '') reject(new Error(stderr || error.message));
      else resolve(stdout);
    });
  });
}

interface CfnLintFinding {
  readonly Rule: { readonly Id: string };
  readonly Message: string;
  readonly Filename: string;
  readonly Location: { readonly Path: readonly (string | number)[] };
}

/** Findings that are accepted, each with its reason. */
const ACCEPTED_BY_CFN_LINT: Readonly<Record<string, string>> = {
  W3005: 'The CDK names dependencies that references imply as well.',
};

const ARNS: Readonly<Record<string, string>> = {
  'AWS::ECR::Repository': 'ecr:eu-west-1:123456789012:repository/a',
  'AWS::Events::EventBus': 'events:eu-west-1:123456789012:event-bus/a',
  'AWS::IAM::Role': 'iam::123456789012:role/a',
  'AWS::KMS::Key': 'kms:eu-west-1:123456789012:key/a',
  'AWS::Lambda::Alias': 'lambda:eu-west-1:123456789012:function:a:live',
  'AWS::Lambda::Function': 'lambda:eu-west-1:123456789012:function:a',
  'AWS::Logs::LogGroup': 'logs:eu-west-1:123456789012:log-group:a:*',
  'AWS::S3::Bucket': 's3:::a',
  'AWS::SNS::Topic': 'sns:eu-west-1:123456789012:a',
  'AWS::SQS::Queue': 'sqs:eu-west-1:123456789012:a',
  'AWS::StepFunctions::StateMachine': 'states:eu-west-1:123456789012:stateMachine:a',
};
const REF_IS_ARN: ReadonlySet<string> = new Set([
  'AWS::Lambda::Alias',
  'AWS::SNS::Topic',
  'AWS::StepFunctions::StateMachine',
]);
const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws',
  'AWS::Region': 'eu-west-1',
  'AWS::AccountId': '123456789012',
  'AWS::URLSuffix': 'amazonaws.com',
};

type Resources = Readonly<Record<string, Resource>>;

/** A value of a template as it would be after a deployment. */
function deployed(value: unknown, resources: Resources): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => deployed(one, resources));
  const { Ref: ref, 'Fn::GetAtt': got, 'Fn::Join': joined } = value as Record<string, unknown>;
  if (typeof ref === 'string') {
    const type = resources[ref]?.Type ?? '';
    return PSEUDO[ref] ?? (REF_IS_ARN.has(type) ? `arn:aws:${ARNS[type]}` : 'a');
  }
  if (Array.isArray(got)) {
    const arn = ARNS[resources[String(got[0])]?.Type ?? ''];
    return arn === undefined || !String(got[1]).endsWith('Arn') ? 'a' : `arn:aws:${arn}`;
  }
  if (Array.isArray(joined)) {
    const [separator, parts] = joined as [string, unknown[]];
    return parts.map((part) => deployed(part, resources)).join(separator);
  }
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, deployed(one, resources)]));
}

/** All policies of roles, by the logical id of their resource. */
function policiesOf(template: object): [string, unknown][] {
  const { Resources: resources } = template as { readonly Resources: Resources };
  return Object.entries(resources).flatMap(([id, { Properties: properties = {} }]): [string, unknown][] => {
    const inline = (properties['Policies'] ?? []) as { readonly PolicyDocument: unknown }[];
    const documents = [properties['PolicyDocument'], ...inline.map(({ PolicyDocument }) => PolicyDocument)];
    const isOfRole = properties['Roles'] !== undefined || inline.length > 0;
    return isOfRole ? documents.filter(Boolean).map((one) => [id, deployed(one, resources)]) : [];
  });
}

/** Prints the findings of policies, which are a JSON list in the file of the first argument. */
const PARLIAMENT = `
import json, sys
from parliament import analyze_policy_string, enhance_finding
for id, policy in json.load(open(sys.argv[1])):
    for finding in analyze_policy_string(json.dumps(policy)).findings:
        found = enhance_finding(finding)
        print(json.dumps([id, found.issue, found.severity, str(finding.detail)[:300]]))
print('[]')
`;

/** Findings of parliament that are accepted, by their text, each with its reason. */
const ACCEPTED_BY_PARLIAMENT: Readonly<Record<string, string>> = {
  "RESOURCE_STAR LOW ['ec2:AssignPrivateIpAddresses', 'ec2:CreateNetworkInterface', 'ec2:DeleteNetworkInterface', 'ec2:UnassignPrivateIpAddresses']":
    'Lambda refuses a function in a VPC whose role has these rights on fewer resources.',
  "{'action': 'states:SendTaskFailure', 'required_format': '*'}, {'action': 'states:SendTaskSuccess', 'required_format': '*'}":
    'AWS evaluates the right on the state machine of the token, although its reference names no resource.',
  "{'action': 'states:ListExecutions', 'required_format': 'arn:*:states:*:*:mapRun:*/*:*'}":
    'The reference of AWS names state machines as well.',
  "{'action': 'states:DescribeExecution', 'required_format': 'arn:*:states:*:*:express:*:*:*'}":
    'The reference of AWS names executions as well. Those of EXPRESS machines cannot be described, so no right on them is given.',
};

const MAX_MS = 300_000;

/** External linters read the templates. They are installed from PyPI, for CI alone: they take a minute. */
describe.skipIf(!IS_FULL)('linters', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weft-linters-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const tools = new Map<string, InstalledPackage | string>();
  beforeAll(async () => {
    for (const name of ['cfn-lint==1.58.0', 'parliament==1.6.4']) {
      const found = await installPackage(name).catch((error: unknown) => {
        if (error instanceof UnavailableError) return error.message;
        throw error;
      });
      tools.set(name.replace(/=.*/, ''), found);
    }
  }, MAX_MS);

  /** The tool; a test without it is skipped, with the reason. */
  const toolOf = (name: string, skip: (reason: string) => never): InstalledPackage => {
    const tool = tools.get(name) ?? 'not installed';
    return typeof tool === 'string' ? skip(tool) : tool;
  };

  // One process reads all templates: it loads the schemas of AWS once.
  test('cfn-lint finds nothing but what is accepted', { timeout: MAX_MS }, async ({ skip }) => {
    const tool = toolOf('cfn-lint', skip);
    const files = Object.entries(SETTINGS).flatMap(([name, settings]) =>
      Object.entries(templatesOf(settings)).map(([stack, template]) => {
        const file = join(folder, `${name.replaceAll(/\W+/g, '-')}-${stack}.json`);
        writeFileSync(file, JSON.stringify(template));
        return file;
      }),
    );
    const code = 'import sys; from cfnlint.runner import main; sys.argv[0] = "cfn-lint"; main()';
    const printed = await runPackage(tool, code, ['--format', 'json', '--regions', 'eu-west-1', '--', ...files]);
    const findings = JSON.parse(printed || '[]') as CfnLintFinding[];
    const open = findings.filter(({ Rule }) => !Object.hasOwn(ACCEPTED_BY_CFN_LINT, Rule.Id));
    const lineOf = ({ Rule, Message, Filename, Location }: CfnLintFinding): string =>
      `${basename(Filename)}: ${Rule.Id} ${Location.Path.join('.')}: ${Message}`;
    expect(files.length).toBe(6);
    expect(open.map(lineOf)).toEqual([]);
  });

  test.for(Object.entries(SETTINGS))(
    'parliament finds nothing but what is accepted, with %s',
    { timeout: MAX_MS },
    async ([name, settings], { skip }) => {
      const tool = toolOf('parliament', skip);
      const policies = Object.values(templatesOf(settings)).flatMap(policiesOf);
      expect(policies.length).toBeGreaterThan(4);
      const file = join(folder, `${name.replaceAll(/\W+/g, '-')}-policies.json`);
      writeFileSync(file, JSON.stringify(policies));
      const lines = (await runPackage(tool, PARLIAMENT, [file])).trim().split('\n');
      const found = lines.map((line) => (JSON.parse(line) as string[]).join(' ')).filter((line) => line !== '');
      const accepted = Object.keys(ACCEPTED_BY_PARLIAMENT);
      expect(found.filter((line) => !accepted.some((one) => line.includes(one)))).toEqual([]);
    },
  );
});
