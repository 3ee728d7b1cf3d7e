import { mostMetrics } from '../../../lib/adapters/aws/measures.ts';
import { families } from '../../../lib/api/registry/families.ts';
import { MONTHLY } from './prices.ts';

/** A template of CloudFormation, as far as it is looked at. */
export interface Template {
  readonly Resources?: Readonly<Record<string, Resource>>;
}

interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** What is paid for a resource each month, whether it is used or not. */
export interface FixedPrice {
  readonly id: string;
  readonly type: string;
  /** USD. */
  readonly monthly: number;
}

export interface TemplatePrice {
  /** USD, of what has a price. */
  readonly monthly: number;
  readonly paid: readonly FixedPrice[];
  /** Metrics that its functions write, at most so many; each is paid for by the hours in which it is used. */
  readonly metrics: { readonly most: number; readonly monthly: number };
  /** What this table does not know, as `id type`. */
  readonly unknown: readonly string[];
  readonly count: number;
}

type Properties = Readonly<Record<string, unknown>>;

const NOT_KNOWN = Number.NaN;
const free = (): number => 0;

/** Resources that are paid for by use alone, or not at all, however they are set. */
const FREE = [
  'AWS::ApiGateway::Account',
  'AWS::ApiGateway::BasePathMapping',
  'AWS::ApiGateway::Deployment',
  'AWS::ApiGateway::DomainName',
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::Resource',
  'AWS::ApiGateway::RestApi',
  'AWS::CDK::Metadata',
  'AWS::ECR::Repository',
  'AWS::Events::EventBus',
  'AWS::Events::Rule',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::KMS::Alias',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::Function',
  'AWS::Lambda::Permission',
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
  // What our own functions make: parameters of the standard kind.
  'Custom::AdminKey',
  'Custom::MadeWhileRunning',
  'Custom::RootKey',
  'Custom::TablesLed',
];

/** Metrics that an alarm looks at: those of its formula, else the one. */
function metricsOf({ Metrics }: Properties): number {
  return Array.isArray(Metrics) ? Metrics.filter((metric) => 'MetricStat' in metric).length : 1;
}

/** USD a month by type; a price that depends on more than is here is not known. */
const PRICE_OF: Readonly<Record<string, (properties: Properties) => number>> = {
  ...Object.fromEntries(FREE.map((type) => [type, free])),
  'AWS::ApiGateway::Stage': ({ CacheClusterEnabled }) => (CacheClusterEnabled === true ? NOT_KNOWN : 0),
  'AWS::CloudWatch::Alarm': (properties) => MONTHLY.alarmMetric * metricsOf(properties),
  'AWS::CloudWatch::Dashboard': () => MONTHLY.dashboard,
  'AWS::DynamoDB::Table': ({ BillingMode }) => (BillingMode === 'PAY_PER_REQUEST' ? 0 : NOT_KNOWN),
  'AWS::KMS::Key': () => MONTHLY.key,
  'AWS::Logs::MetricFilter': () => MONTHLY.ownMetric,
};

/** What several resources have in common, and pay for once: filters that count into the same metric. */
const SHARED: Readonly<Record<string, (properties: Properties) => string>> = {
  'AWS::Logs::MetricFilter': ({ MetricTransformations }) => {
    const [{ MetricNamespace, MetricName } = {}] = (MetricTransformations ?? []) as Properties[];
    return JSON.stringify([MetricNamespace, MetricName]);
  },
};

/** Requests that belong to no route are counted as those of a family more. */
const MOST_METRICS = mostMetrics(Object.keys(families).length + 1);

function isCounting({ Type, Properties = {} }: Resource): boolean {
  const { Variables = {} } = (Properties['Environment'] ?? {}) as { readonly Variables?: object };
  return Type === 'AWS::Lambda::Function' && 'WEFT_METRICS' in Variables;
}

const toCents = (amount: number): number => Math.round(amount * 100) / 100;

/** What templates cost by the month before anything is done with what they make. */
export function priceTemplates(templates: readonly Template[]): TemplatePrice {
  const resources = templates.flatMap(({ Resources = {} }) => Object.entries(Resources));
  const paidFor = new Set<string>();
  const priced = resources.map(([id, { Type, Properties = {} }]) => {
    const priceOf = Object.hasOwn(PRICE_OF, Type) ? PRICE_OF[Type] : undefined;
    const shared = SHARED[Type]?.(Properties);
    if (shared !== undefined && paidFor.has(shared)) return { id, type: Type, monthly: 0 };
    if (shared !== undefined) paidFor.add(shared);
    return { id, type: Type, monthly: priceOf === undefined ? NOT_KNOWN : priceOf(Properties) };
  });
  const paid = priced.filter(({ monthly }) => monthly > 0);
  const unknown = priced.filter(({ monthly }) => Number.isNaN(monthly)).map(({ id, type }) => `${id} ${type}`);
  const sum = paid.reduce((total, { monthly }) => total + monthly, 0);
  const most = resources.some(([, resource]) => isCounting(resource)) ? MOST_METRICS : 0;
  const metrics = { most, monthly: toCents(most * MONTHLY.ownMetric) };
  return { monthly: toCents(sum), paid, metrics, unknown, count: resources.length };
}
