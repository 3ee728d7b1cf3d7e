import { INPUT_FIELDS } from '../../../compiler/plan/input-fields.ts';
import { toJson } from '../../../language/json.ts';
import { type Fields, type ImageCall, ImageError, imageFunction, needKnown, textOf } from './call.ts';
import { basicOf, type Sent, sendForBody } from './requests.ts';

const FAILED = 'com.twilio.error';

/** A request to an API of Twilio. */
interface Message extends Pick<Sent, 'body' | 'authorization'> {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

function toSms(fields: Fields): Message {
  const [sid, token] = [textOf(fields, 'sid'), textOf(fields, 'token')];
  const [to, from] = [textOf(fields, 'to'), textOf(fields, 'from')];
  const form = new URLSearchParams({ Body: textOf(fields, 'message', ''), From: from, To: to });
  return {
    url: `https://api.twilio.com/2010-04-01/Accounts/${encodeURIComponent(sid)}/Messages.json`,
    headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
    body: Buffer.from(form.toString()),
    authorization: basicOf(sid, token),
  };
}

function toEmail(fields: Fields): Message {
  const parts = [
    { type: 'text/plain', value: textOf(fields, 'message', '') },
    { type: 'text/html', value: textOf(fields, 'htmlMessage', '') },
  ];
  const mail = {
    from: { email: textOf(fields, 'from') },
    subject: textOf(fields, 'subject', ''),
    personalizations: [{ to: [{ email: textOf(fields, 'to') }] }],
    content: parts.filter(({ value }) => value !== ''),
  };
  return {
    url: 'https://api.sendgrid.com/v3/mail/send',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    authorization: `Bearer ${textOf(fields, 'token')}`,
    body: Buffer.from(toJson(mail)),
  };
}

const MESSAGES: ReadonlyMap<string, (fields: Fields) => Message> = new Map([
  ['sms', toSms],
  ['email', toEmail],
]);

function messageOf({ fields }: ImageCall): Message {
  needKnown(fields, INPUT_FIELDS.twilio, FAILED);
  const type = textOf(fields, 'typeof', '');
  const toMessage = MESSAGES.get(type);
  if (toMessage !== undefined) return toMessage(fields);
  throw new ImageError(FAILED, `'${type}' is not a valid type to use the twilio application`);
}

/** `direktiv/twilio` sends a text message by Twilio, or a mail by SendGrid (docs/native-images.md). */
export const twilio = imageFunction(FAILED, async (call) => {
  const { url, headers, ...sent } = messageOf(call);
  return sendForBody({ ...call, fields: { url, headers } }, { method: 'POST', ...sent, isInsecure: false }, FAILED);
});
