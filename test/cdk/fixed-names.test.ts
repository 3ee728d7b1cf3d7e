import { expect, test } from 'vitest';
import { EVERY_OPTION, OTHER_OPTIONS } from './options.ts';
import { makeApp, type Resource, resourcesIn } from './stack.ts';

/**
 * The properties whose change replaces a resource, by the types of the resources whose names are fixed (from AWS's
 * reference of CloudFormation: "Update requires: Replacement").
 */
const REPLACING: Readonly<Record<string, readonly string[]>> = {
  'AWS::DynamoDB::Table': ['TableName', 'KeySchema', 'LocalSecondaryIndexes', 'ImportSourceSpecification'],
  'AWS::S3::Bucket': ['BucketName', 'ObjectLockEnabled'],
  'AWS::KMS::Alias': ['AliasName'],
  'AWS::Lambda::Function': ['FunctionName', 'PackageType'],
  'AWS::StepFunctions::StateMachine': ['StateMachineName', 'StateMachineType'],
  'AWS::Events::EventBus': ['Name'],
  'AWS::Scheduler::ScheduleGroup': ['Name'],
  'AWS::Logs::LogGroup': ['LogGroupName'],
  'AWS::ECR::Repository': ['RepositoryName', 'EncryptionConfiguration'],
  'AWS::ApiGateway::DomainName': ['DomainName'],
  'AWS::Budgets::Budget': ['BudgetName'],
  'AWS::CloudWatch::Alarm': ['AlarmName'],
  'AWS::CloudWatch::Dashboard': ['DashboardName'],
};

const NAME = /^((?!Metric|Display|Stage)\w*Name|Name)$/;
const isText = (value: unknown): boolean => typeof value === 'string' || JSON.stringify(value).includes('"Fn::Join"');

function resourcesOf(settings: object): Record<string, Resource> {
  const { data, stack } = makeApp(settings as Record<string, string>);
  return { ...resourcesIn(data), ...resourcesIn(stack) };
}

/** The resources that have a name of their own. */
const named = (all: Record<string, Resource>): [string, Resource][] =>
  Object.entries(all).filter(
    ([, { Type, Properties = {} }]) =>
      /^AWS::(?!IAM|Events::Rule|ApiGateway::(Method|Stage|RestApi)|Lambda::(Permission|Alias|Version|EventInvokeConfig)|CodeDeploy)/.test(
        Type,
      ) && Object.entries(Properties).some(([name, value]) => NAME.test(name) && isText(value)),
  );

// Those exclude each other.
const { domain: _domain, certificate: _certificate, ...others } = EVERY_OPTION;
const everything = resourcesOf({ ...others, ...OTHER_OPTIONS, kms: 'false' });
const usual = resourcesOf({});

test('the types of resources with fixed names are known, with the properties that replace them', () => {
  const types = new Set(named({ ...resourcesOf(EVERY_OPTION), ...usual }).map(([, { Type }]) => Type));
  expect([...types].filter((type) => !Object.hasOwn(REPLACING, type))).toEqual([]);
});

test('no setting but `name` changes a property that would replace a resource with a fixed name', () => {
  const compared = named(usual).filter(([id]) => Object.hasOwn(everything, id));
  expect(compared.length).toBeGreaterThan(12);
  for (const [id, { Type, Properties }] of compared) {
    const other = everything[id]?.Properties ?? {};
    for (const name of REPLACING[Type] ?? []) expect([id, name, other[name]]).toEqual([id, name, Properties[name]]);
  }
});
