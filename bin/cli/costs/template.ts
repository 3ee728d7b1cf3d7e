import { maxMetrics } from '../../../lib/adapters/aws/measures.ts';
import { families } from '../../../lib/api/registry/families.ts';
import { ownMember } from '../../../lib/language/own-members.ts';
import { MONTHLY } from '../../../lib/pricing/prices.ts';

/** The part of a CloudFormation template that is read. */
export interface Template {
  readonly Resources?: Readonly<Record<string, Resource>>;
}

interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** The monthly price of a resource that does not depend on its use. */
export interface FixedPrice {
  readonly id: string;
  readonly type: string;
  /** USD. */
  readonly monthly: number;
}

export interface TemplatePrice {
  /** The sum of the known prices, in USD. */
  readonly monthly: number;
  readonly paid: readonly FixedPrice[];
  /** The maximum number of metrics that its functions write; the price of each depends on the hours in which it is used. */
  readonly metrics: { readonly most: number; readonly monthly: number };
  /** Resources without a known price, as `id type`. */
  readonly unknown: readonly string[];
  readonly count: number;
}

type Properties = Readonly<Record<string, unknown>>;

const UNKNOWN = Number.NaN;
const free = (): number => 0;

/** Resources that are free, or whose price depends only on their use, whatever their properties. */
const FREE = [
  'AWS::ApiGateway::Account',
  'AWS::ApiGateway::BasePathMapping',
  'AWS::ApiGateway::Deployment',
  'AWS::ApiGateway::DomainName',
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::Resource',
  'AWS::ApiGateway::RestApi',
  // Without actions.
  'AWS::Budgets::Budget',
  'AWS::CDK::Metadata',
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
  'AWS::ECR::Repository',
  'AWS::Events::EventBus',
  'AWS::Events::Rule',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::KMS::Alias',
  'AWS::Lambda::Alias',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::Function',
  'AWS::Lambda::Permission',
  'AWS::Lambda::Version',
  'AWS::Logs::LogGroup',
  'AWS::S3::Bucket',
  'AWS::S3::BucketPolicy',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::Queue',
  'AWS::SQS::QueuePolicy',
  'AWS::Scheduler::ScheduleGroup',
  'AWS::StepFunctions::StateMachine',
  // The price of a web ACL is that of its own resource.
  'AWS::WAFv2::WebACLAssociation',
  // Our custom resources create standard parameters.
  'Custom::AdminKey',
  'Custom::MadeWhileRunning',
  'Custom::RootKey',
  'Custom::TablesMigrated',
];

/** The number of metrics of an alarm: those of its expression, else one. */
function metricsOf({ Metrics }: Properties): number {
  return Array.isArray(Metrics) ? Metrics.filter((metric) => 'MetricStat' in metric).length : 1;
}

/** USD per month by type. A price that depends on other properties is unknown. */
const PRICE_OF: Readonly<Record<string, (properties: Properties) => number>> = {
  ...Object.fromEntries(FREE.map((type) => [type, free])),
  'AWS::ApiGateway::Stage': ({ CacheClusterEnabled }) => (CacheClusterEnabled === true ? UNKNOWN : 0),
  'AWS::CloudWatch::Alarm': (properties) => MONTHLY.alarmMetric * metricsOf(properties),
  'AWS::CloudWatch::Dashboard': () => MONTHLY.dashboard,
  'AWS::DynamoDB::Table': ({ BillingMode }) => (BillingMode === 'PAY_PER_REQUEST' ? 0 : UNKNOWN),
  'AWS::KMS::Key': () => MONTHLY.key,
  'AWS::Logs::MetricFilter': () => MONTHLY.ownMetric,
};

/** Resources that share one price: metric filters with the same metric. */
const SHARED: Readonly<Record<string, (properties: Properties) => string>> = {
  'AWS::Logs::MetricFilter': ({ MetricTransformations }) => {
    const [{ MetricNamespace, MetricName } = {}] = (MetricTransformations ?? []) as Properties[];
    return JSON.stringify([MetricNamespace, MetricName]);
  },
};

/** Requests without a route are counted as one more family. */
const MAX_METRICS = maxMetrics(Object.keys(families).length + 1);

function writesMetrics({ Type, Properties = {} }: Resource): boolean {
  const { Variables = {} } = (Properties['Environment'] ?? {}) as { readonly Variables?: object };
  return Type === 'AWS::Lambda::Function' && 'WEFT_METRICS' in Variables;
}

const toCents = (amount: number): number => Math.round(amount * 100) / 100;

/** The monthly price of templates without any use. */
export function priceTemplates(templates: readonly Template[]): TemplatePrice {
  const resources = templates.flatMap(({ Resources = {} }) => Object.entries(Resources));
  const paidFor = new Set<string>();
  const priced = resources.map(([id, { Type, Properties = {} }]) => {
    const priceOf = ownMember(PRICE_OF, Type);
    const shared = ownMember(SHARED, Type)?.(Properties);
    if (shared !== undefined && paidFor.has(shared)) return { id, type: Type, monthly: 0 };
    if (shared !== undefined) paidFor.add(shared);
    return { id, type: Type, monthly: priceOf === undefined ? UNKNOWN : priceOf(Properties) };
  });
  const paid = priced.filter(({ monthly }) => monthly > 0);
  const unknown = priced.filter(({ monthly }) => Number.isNaN(monthly)).map(({ id, type }) => `${id} ${type}`);
  const sum = paid.reduce((total, { monthly }) => total + monthly, 0);
  const most = resources.some(([, resource]) => writesMetrics(resource)) ? MAX_METRICS : 0;
  const metrics = { most, monthly: toCents(most * MONTHLY.ownMetric) };
  return { monthly: toCents(sum), paid, metrics, unknown, count: resources.length };
}
