import { tableSchemas } from '../../../../lib/adapters/portable/schema.ts';
import { credentialsIn } from '../../client/aws-credentials.ts';
import { at, textAt } from '../../client/replies.ts';
import { CommandFailedError, UsageError } from '../../shell/command.ts';
import type { Terminal } from '../../shell/terminal.ts';
import type { Check } from '../checks.ts';
import { type Quota, quotasOf, type Use } from './quotas.ts';
import { type Account, AwsRefusalError, askAws } from './requests.ts';
import { type Counted, DAYS, readUsage, type Usage } from './usage.ts';

/** Which installation is checked. */
export interface Installation {
  /** The setting `name`. */
  readonly stack?: string | undefined;
  readonly region?: string | undefined;
  /** A profile of AWS. */
  readonly profile?: string | undefined;
}

/** From which part of a quota a raise is advised, and from which it is urgent. */
const LEVELS = { advised: 0.6, urgent: 0.9 } as const;

/** What an account has of a quota. */
interface Granted {
  readonly value: number;
  readonly isAdjustable: boolean;
  /** The metric that Service Quotas itself names. */
  readonly use: Use | undefined;
}

function matching(option: string, text: string, form: RegExp): string {
  if (form.test(text)) return text;
  throw new UsageError(`--${option} is '${text}', which is no name of AWS`);
}

async function accountOf({ region, profile }: Installation, terminal: Terminal): Promise<Account> {
  const env = profile === undefined ? terminal.env : { ...terminal.env, AWS_PROFILE: profile };
  const named = region ?? (env['AWS_REGION'] || env['AWS_DEFAULT_REGION']);
  if (!named) throw new CommandFailedError('the region is not known: name it by --region, or set AWS_REGION');
  return { region: matching('region', named, /^[a-z\d-]+$/), credentials: await credentialsIn(env), env };
}

/** Names of dimensions as AWS has them. */
function dimensionsOf(metric: unknown): Readonly<Record<string, string>> {
  const given = at(metric, 'MetricDimensions');
  return typeof given === 'object' && given !== null ? (given as Record<string, string>) : {};
}

function toGranted(quota: unknown): Granted {
  const metric = at(quota, 'UsageMetric');
  const [namespace, name] = [textAt(metric, 'MetricNamespace'), textAt(metric, 'MetricName')];
  const kind = textAt(metric, 'MetricStatisticRecommendation') === 'Sum' ? 'rate' : 'level';
  const use: Use = { kind, metrics: [{ namespace, name, dimensions: dimensionsOf(metric) }] };
  return {
    value: Number(at(quota, 'Value')),
    isAdjustable: at(quota, 'Adjustable') === true,
    use: name === '' ? undefined : use,
  };
}

/** What the account has of a quota: the value applied to it, else the default of AWS. Undefined: not known in the region. */
async function readQuota({ service, code }: Quota, account: Account): Promise<Granted | undefined> {
  for (const operation of ['GetServiceQuota', 'GetAWSDefaultServiceQuota']) {
    try {
      const reply = await askAws('quotas', operation, { ServiceCode: service, QuotaCode: code }, account);
      return toGranted(at(reply, 'Quota'));
    } catch (error) {
      if (!(error instanceof AwsRefusalError) || error.code !== 'NoSuchResourceException') throw error;
    }
  }
  return undefined;
}

const numberText = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 1 });

/** What to do about a quota that is too small. */
function raiseOf({ service, code }: Quota, { value, isAdjustable }: Granted, least: number, region: string): string {
  if (!isAdjustable) return 'AWS does not raise it by request: ask its support, and spread the load';
  const wanted = Math.ceil(Math.max(value * 2, least));
  const options = `--service-code ${service} --quota-code ${code} --desired-value ${wanted} --region ${region}`;
  return `aws service-quotas request-service-quota-increase ${options}`;
}

/** What was used of a value. No values of a metric say less than a zero: that is how AWS reports what never happened. */
function usedOf({ use }: Counted, value: number, usage: Usage | undefined): string {
  if (usage === undefined) return 'use not read';
  if (use === undefined) return 'use not counted by AWS';
  if (usage.peak === undefined) return 'no use reported';
  return `${numberText(usage.peak)} used, ${numberText((usage.peak / value) * 100)} %`;
}

function foundOf(counted: Counted, { value }: Granted, usage: Usage | undefined): string {
  const { throttled = 0 } = usage ?? {};
  const times = throttled === 0 ? '' : `, throttled ${numberText(throttled)} times`;
  return `${numberText(value)}, ${usedOf(counted, value, usage)}${times} (${counted.quota.usedBy})`;
}

/** The check of one quota. */
function toCheck(counted: Counted, granted: Granted | undefined, usage: Usage | undefined, region: string): Check {
  const { quota } = counted;
  const name = `${quota.service}: ${quota.name}`;
  if (granted === undefined) {
    const found = `Service Quotas has no quota ${quota.code} in ${region}; in us-east-1 it is ${numberText(quota.fallback)}`;
    return { name, state: 'note', found, mend: 'see the quotas in the console of AWS, and check --region' };
  }
  const found = foundOf(counted, granted, usage);
  const { peak, throttled = 0 } = usage ?? {};
  const part = peak === undefined ? 0 : peak / granted.value;
  const mend = raiseOf(quota, granted, quota.least ?? 0, region);
  if (throttled > 0 || part >= LEVELS.urgent) return { name, state: 'wrong', found, mend };
  if (part >= LEVELS.advised || granted.value < (quota.least ?? 0)) return { name, state: 'note', found, mend };
  return { name, state: 'ok', found };
}

/** What was used, and the check of that. Without the right to read it there is none of it. */
async function readWhereAllowed(counted: readonly Counted[], account: Account): Promise<[readonly Usage[], Check]> {
  const name = 'use';
  try {
    const usage = await readUsage(counted, Date.now(), account);
    return [usage, { name, state: 'ok', found: `the highest of the last ${DAYS} days, in the whole account` }];
  } catch (error) {
    if (!(error instanceof AwsRefusalError) || error.permission === undefined) throw error;
    const mend = `allow ${error.permission} for these credentials`;
    return [[], { name, state: 'wrong', found: error.message, mend }];
  }
}

/**
 * Checks the quotas of AWS that an installation can reach against what the account used in the last days. Throws
 * UsageError, and CommandFailedError without credentials, region or the right to read quotas.
 */
export async function checkQuotas(installation: Installation, terminal: Terminal): Promise<readonly Check[]> {
  const stack = matching('stack', installation.stack ?? 'weft', /^[\w-]+$/);
  const account = await accountOf(installation, terminal);
  const quotas = quotasOf(Object.keys(tableSchemas).map((table) => `${stack}-${table}`));
  const granted: (Granted | undefined)[] = [];
  try {
    // One after another: AWS accepts five a second.
    for (const quota of quotas) granted.push(await readQuota(quota, account));
    const counted = quotas.map((quota, index) => ({ quota, use: granted[index]?.use ?? quota.use }));
    const [usage, check] = await readWhereAllowed(counted, account);
    return [check, ...counted.map((one, index) => toCheck(one, granted[index], usage[index], account.region))];
  } catch (error) {
    if (!(error instanceof AwsRefusalError)) throw error;
    const mend = error.permission === undefined ? '' : `; allow ${error.permission} for these credentials`;
    throw new CommandFailedError(`${error.message}${mend}`);
  }
}
