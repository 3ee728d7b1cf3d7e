import { ATTACHMENT_FIELDS, type MailAddress, parseMailAddress } from '../../compiler/plan/mails.ts';
import type { ActionPlan } from '../../compiler/plan/plan.ts';
import { isObject } from '../../language/json.ts';
import { addDuration, parseDuration } from '../../time/durations.ts';
import { failure, type StateError } from '../evaluation/failures.ts';

/** The failure of a mail that cannot be sent as it is written. The text must not contain a value of the mail. */
export const invalidMail = (text: string): StateError => failure('mail.request', `the mail is invalid: ${text}`);

/** The most recipients of a mail. */
const MAX_RECIPIENTS = 1_000;
/** The most attachments of a mail. */
const MAX_ATTACHMENTS = 100;
const DEFAULT_MS = 30_000;
/** The longest time of one call: a Lambda function runs for 15 minutes. */
const MAX_MS = 14 * 60_000;

/** The text of an address for a header, whose name cannot be read as another address. */
function textOfAddress({ name, mailbox }: MailAddress): string {
  return name === '' ? mailbox : `"${name.replaceAll(/["\\]/g, '\\$&')}" <${mailbox}>`;
}

const LINE_BREAK = /[\r\n\0]/;

function addressOf(value: unknown, place: string): MailAddress {
  const address = parseMailAddress(value);
  if (address !== undefined) return address;
  if (typeof value !== 'string') throw invalidMail(`${place} is no text`);
  if (LINE_BREAK.test(value)) throw invalidMail(`${place} has a line break`);
  if (!value.includes('@')) throw invalidMail(`${place} has no '@'`);
  throw invalidMail(
    `${place} is not one address such as ada@example.com or Ada <ada@example.com>: write a list for several`,
  );
}

/** The sender. Throws `mail.request` for a value that is no address. */
export const senderOf = (value: unknown): MailAddress & { readonly text: string } => {
  if (value === undefined || value === null || value === '')
    throw invalidMail(
      "'from' is missing: write it in the function, in the input or in the setting 'mail' of the namespace",
    );
  const address = addressOf(value, "'from'");
  return { ...address, text: textOfAddress(address) };
};

/** The addresses of a field: a text, or a list of texts; null is none. Throws `mail.request` for anything else. */
export function addressesOf(value: unknown, field: string): readonly string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return [textOfAddress(addressOf(value, `'${field}'`))];
  if (value.length > MAX_RECIPIENTS) throw invalidMail(`'${field}' has more than ${MAX_RECIPIENTS} addresses`);
  return value.map((one, index) => textOfAddress(addressOf(one, `'${field}[${index}]'`)));
}

/** A text of a mail; undefined without it. Throws `mail.request` for a value that is no text. */
export function contentOf(value: unknown, field: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw invalidMail(`'${field}' is no text`);
}

/** The subject, which is one line. Throws `mail.request` for another value. */
export function subjectOf(value: unknown): string {
  const subject = contentOf(value, 'subject') ?? '';
  if (LINE_BREAK.test(subject)) throw invalidMail("'subject' has a line break");
  return subject;
}

type FilePlan = ActionPlan['files'][number];

/** The attachments as files of a call. Throws `mail.request` for a value that is no list of them. */
export function attachmentsOf(value: unknown): readonly FilePlan[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalidMail("'attachments' is no list");
  if (value.length > MAX_ATTACHMENTS) throw invalidMail(`'attachments' has more than ${MAX_ATTACHMENTS} variables`);
  const files = value.map(attachmentOf);
  const names = files.map(({ key, as }) => as ?? key);
  const twice = names.findIndex((name, index) => names.indexOf(name) !== index);
  if (twice >= 0) throw invalidMail(`'attachments[${twice}]' has the name of another one: set 'as'`);
  return files;
}

function attachmentOf(value: unknown, index: number): FilePlan {
  const place = `'attachments[${index}]'`;
  if (!isObject(value)) throw invalidMail(`${place} is no object with ${ATTACHMENT_FIELDS.join(', ')}`);
  const unknown = Object.keys(value).some((name) => !ATTACHMENT_FIELDS.some((known) => known === name));
  if (unknown) throw invalidMail(`${place} has an unknown field: it may have ${ATTACHMENT_FIELDS.join(', ')}`);
  const { name, scope, as } = value;
  if (typeof name !== 'string' || name === '') throw invalidMail(`${place} has no name of a variable`);
  for (const text of [scope, as])
    if (text !== undefined && text !== null && (typeof text !== 'string' || LINE_BREAK.test(text)))
      throw invalidMail(`'scope' and 'as' of ${place} are texts of one line`);
  return { key: name, scope: scope ?? undefined, as: as ?? undefined };
}

/** The time for a call, milliseconds. Throws `mail.request` for a value that is no duration. */
export function mailMsOf(value: unknown): number {
  if (value === undefined || value === null) return DEFAULT_MS;
  const duration = typeof value === 'string' ? parseDuration(value) : undefined;
  if (duration === undefined) throw invalidMail("'timeout' is no duration such as PT30S");
  return Math.min(Math.max(addDuration(0, duration), 1), MAX_MS);
}
