import { type MailServerPlan, mailServerProblem, parseMailAddress } from '../../compiler/plan/mails.ts';
import { omitUndefined } from '../../language/omit-undefined.ts';
import { ServiceError } from '../errors.ts';
import { isSecretName } from '../names.ts';

/** The mail server of a namespace, for the mail functions that name none (docs/mail.md). */
export interface MailSettings extends MailServerPlan {
  /** The sender of mails that have none. */
  readonly from?: string;
}

/** As `MailSettings`; null and an empty text are as an absent value. */
export type MailChanges = { readonly [K in keyof MailSettings]?: MailSettings[K] | null | undefined };

const invalid = (field: string, rule: string): ServiceError => new ServiceError('invalid', `mail.${field}: ${rule}`);

/** Checks the mail server of a namespace; undefined: it has none. Throws `invalid`. */
export function needMailSettings(changes: MailChanges): MailSettings | undefined {
  const given = Object.entries(changes).filter(([, value]) => value !== null && value !== undefined && value !== '');
  if (given.length === 0) return undefined;
  const { host = '', ...others } = Object.fromEntries(given) as Partial<MailSettings>;
  const settings: MailSettings = { host, ...omitUndefined(others) };
  const problem = mailServerProblem(settings);
  if (problem !== undefined) throw invalid(problem.field, problem.rule);
  for (const field of ['user', 'password'] as const) {
    const name = settings[field];
    if (name !== undefined && !isSecretName(name)) throw invalid(field, 'must be the name of a secret');
  }
  if (settings.from !== undefined && parseMailAddress(settings.from) === undefined)
    throw invalid('from', 'must be an address such as Shop <shop@example.com>');
  return settings;
}
