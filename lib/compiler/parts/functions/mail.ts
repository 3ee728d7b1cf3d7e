import { omitUndefined } from '../../../language/omit-undefined.ts';
import { isDuration } from '../../../time/durations.ts';
import { computed, isComputed } from '../../decoding/computed.ts';
import { reportInvalid } from '../../decoding/context.ts';
import { createDecoder, flag, integer, oneOf, required, text } from '../../decoding/decoders.ts';
import { type Decoded, object } from '../../decoding/object.ts';
import {
  ATTACHMENT_FIELDS,
  MAIL_FIELDS,
  type MailFunctionPlan,
  type MailServerPlan,
  mailServerProblem,
  parseMailAddress,
} from '../../plan/mails.ts';

const isAddress = (value: unknown): boolean => isComputed(value) || parseMailAddress(value) !== undefined;

const addresses = computed(
  (value) => [value].flat().every(isAddress),
  'must be an address, or a list of addresses',
  'for example ada@example.com, or [ada@example.com, "Bob <bob@example.com>"]',
);

const aText = computed((value) => typeof value === 'string', 'must be a text', 'put the value in quotes');

function isAttachment(value: unknown): boolean {
  if (isComputed(value)) return true;
  if (typeof value !== 'object' || value === null || !('name' in value)) return false;
  const fields = Object.entries(value);
  return fields.every(
    ([name, one]) => ATTACHMENT_FIELDS.some((known) => known === name) && typeof one === 'string' && one !== '',
  );
}

const serverFields = object({
  host: required(text),
  port: integer,
  tls: oneOf(['implicit', 'starttls']),
  insecure: flag,
  user: text,
  password: text,
});

/** The server of a function, checked as a whole. */
const server = createDecoder(serverFields.accepts, (node, field, context): MailServerPlan | undefined => {
  const before = context.undecodable.length;
  const values = serverFields(node, field, context);
  if (values?.host === undefined || context.undecodable.length > before) return undefined;
  const { host, ...others } = values;
  const plan: MailServerPlan = { host, ...omitUndefined(others) };
  const problem = mailServerProblem(plan);
  const hint = () => 'for example {host: smtp.example.com, port: 587, user: MAIL_USER, password: MAIL_PASSWORD}';
  if (problem !== undefined) reportInvalid(context, node ?? field, `${problem.field} ${problem.rule}`, hint);
  return plan;
});

/** The fields of a mail function. */
export const MAIL_FUNCTION_FIELDS = {
  server,
  from: computed(isAddress, 'must be an address', 'for example Shop <shop@example.com>'),
  replyTo: addresses,
  to: addresses,
  cc: addresses,
  bcc: addresses,
  subject: aText,
  text: aText,
  html: aText,
  attachments: computed(
    (value) => Array.isArray(value) && value.every(isAttachment),
    'must be a list of variables, each with name, scope and as',
    'for example [{name: invoice, scope: workflow, as: invoice.pdf}]',
  ),
  timeout: computed(
    (value) => typeof value === 'string' && isDuration(value),
    'is not a ISO8601 string',
    'write it like PT30S or PT2M',
  ),
};

/** The plan of a mail function (docs/mail.md). */
export function toMailPlan(fields: Decoded<typeof MAIL_FUNCTION_FIELDS>): MailFunctionPlan {
  const mail = Object.fromEntries(MAIL_FIELDS.map((name) => [name, fields[name]]));
  return { type: 'mail', mail: omitUndefined(mail), ...omitUndefined({ server: fields.server }) };
}
