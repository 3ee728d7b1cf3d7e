import { omitUndefined } from '../../language/omit-undefined.ts';
import { addDuration, parseDuration } from '../../time/durations.ts';
import { DAY_MS } from '../../time/units.ts';
import { ServiceError } from '../errors.ts';
import { isSecretName } from '../names.ts';

/** Where the alerts of a namespace go: to a workflow or to a URL. */
export interface AlertSettings {
  /** The path of a workflow of the namespace, which is started with each alert. */
  readonly workflow?: string;
  /** A URL, to which each alert is sent by POST. */
  readonly url?: string;
  /** The name of a secret of the namespace, by which each request to the URL is signed. */
  readonly secret?: string;
  /** An ISO 8601 duration: of a workflow there is at most one alert in this time; absent: one for each run. */
  readonly within?: string;
}

/** As `AlertSettings`; an empty text is as an absent one. */
export interface AlertChanges {
  readonly workflow?: string | null | undefined;
  readonly url?: string | null | undefined;
  readonly secret?: string | null | undefined;
  readonly within?: string | null | undefined;
}

const MAX_URL_LENGTH = 2000;

const invalid = (text: string): ServiceError => new ServiceError('invalid', text);

const shown = (text: string): string => text.slice(0, 60).toWellFormed();

function needUrl(text: string): string {
  const url = URL.parse(text);
  const isOfWeb = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (isOfWeb && text.length <= MAX_URL_LENGTH) return text;
  throw invalid(
    `alerts.url: write a URL such as https://hooks.example.com/alerts, of at most ${MAX_URL_LENGTH} characters, without a user`,
  );
}

function needWithin(text: string): string {
  const duration = parseDuration(text);
  if (duration === undefined)
    throw invalid(`alerts.within: '${shown(text)}' is not an ISO 8601 duration such as PT10M`);
  const ms = addDuration(0, duration);
  if (ms > 0 && ms <= DAY_MS) return text;
  throw invalid(`alerts.within: '${shown(text)}' is not in PT1S to P1D`);
}

/** Checks where alerts shall go; undefined: nowhere. Throws `invalid`, also for two targets and for a time without one. */
export function needAlertSettings({ workflow, url, secret, within }: AlertChanges): AlertSettings | undefined {
  const given = {
    workflow: workflow || undefined,
    url: url || undefined,
    secret: secret || undefined,
    within: within || undefined,
  };
  const targets = [given.workflow, given.url].filter((target) => target !== undefined);
  if (targets.length > 1)
    throw invalid(`alerts: write 'workflow' or 'url', not both: the workflow can send requests itself`);
  if (targets.length === 0 && given.within !== undefined)
    throw invalid(`alerts: 'within' needs a 'workflow' or a 'url'`);
  if (given.secret !== undefined && given.url === undefined)
    throw invalid(`alerts: 'secret' signs the requests to a 'url', which is missing`);
  if (given.secret !== undefined && !isSecretName(given.secret))
    throw invalid(`alerts.secret: '${shown(given.secret)}' is not the name of a secret such as ALERT_SECRET`);
  if (targets.length === 0) return undefined;
  return omitUndefined({
    workflow: given.workflow,
    url: given.url === undefined ? undefined : needUrl(given.url),
    secret: given.secret,
    within: given.within === undefined ? undefined : needWithin(given.within),
  });
}

/** The time in which a workflow has at most one alert, milliseconds; 0: each run has one. */
export function windowOf({ within }: AlertSettings): number {
  const duration = within === undefined ? undefined : parseDuration(within);
  return duration === undefined ? 0 : addDuration(0, duration);
}

/** The path of the workflow that alerts start, with a leading slash; undefined: they start none. */
export const alertWorkflowOf = ({ workflow }: AlertSettings): string | undefined =>
  workflow === undefined ? undefined : `/${workflow.replace(/^\//, '')}`;
