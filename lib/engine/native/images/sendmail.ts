import { isObject } from '../../../language/json.ts';
import { COMMAND_ERROR, type Fields, type ImageCall, imageFunction, rejected, textOf } from './call.ts';
import {
  type Draft,
  deliverMails,
  type Files,
  filesOfAction,
  needFile,
  objectsOf,
  serverOf,
  textsOf,
} from './mails.ts';

/** The port of a server without one. */
const DEFAULT_PORT = 25;

const SERVER = /^(?:(smtps?):\/\/)?(\[[^\]]+\]|[^:/\s]+)(?::(\d{1,5}))?$/;

function serverOfInput({ smtp }: Fields) {
  if (!isObject(smtp)) throw rejected("'smtp' in the input is required");
  const [, scheme, host = '', port] = SERVER.exec(textOf(smtp, 'server')) ?? [];
  if (host === '') throw rejected("'smtp.server' in the input must be host:port");
  const implied = scheme === 'smtps' ? 465 : DEFAULT_PORT;
  const given = {
    host: host.replace(/^\[|\]$/g, ''),
    port: port === undefined ? implied : Number(port),
    user: textOf(smtp, 'user'),
    password: textOf(smtp, 'password'),
  };
  return serverOf(given, { isInsecure: smtp['insecure'] === true });
}

/** The file that `message` of a mail is: `{name, data}`, or its text alone. */
function messageFileOf({ message }: Fields): readonly [name: string, bytes: Uint8Array] | undefined {
  if (message === undefined || message === null) return undefined;
  if (typeof message === 'string') return ['message', Buffer.from(message)];
  if (!isObject(message)) throw rejected("'message' in the input must be an object");
  return [textOf(message, 'name', 'message'), Buffer.from(textOf(message, 'data', ''))];
}

function draftOf(fields: Fields, files: Files): Draft {
  const own = messageFileOf(fields);
  const body = Buffer.from(own?.[1] ?? needFile(files, 'message', COMMAND_ERROR).bytes).toString('utf8');
  const known = own === undefined ? files : new Map([...files, own]);
  const to = textsOf(fields, 'to');
  if (to.length === 0) throw rejected("'to' of a mail in the input is required");
  return {
    from: textOf(fields, 'from'),
    to,
    cc: textsOf(fields, 'cc'),
    bcc: textsOf(fields, 'bcc'),
    subject: textOf(fields, 'subject', ''),
    ...(fields['contentType'] === 'text/html' ? { html: body } : { text: body }),
    attachments: textsOf(fields, 'attachments').map((name) => needFile(known, name, COMMAND_ERROR)),
  };
}

/** Every mail is made before the first is sent: a mistake in one sends none. */
async function send(call: ImageCall): Promise<unknown> {
  const server = serverOfInput(call.fields);
  const emails = objectsOf(call.fields, 'emails');
  const messages = emails.map(messageFileOf).filter((file) => file !== undefined);
  const files = new Map([...(await filesOfAction(call, COMMAND_ERROR)), ...messages]);
  const drafts = emails.map((email) => draftOf(email, files));
  if (drafts.length > 0) await deliverMails(call, server, drafts);
  return { sendmail: drafts.map(() => ({ result: '', success: true })) };
}

/** `direktiv/functions/sendmail` (docs/native-images.md). */
export const sendmail = imageFunction(COMMAND_ERROR, send);
