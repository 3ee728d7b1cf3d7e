import { MailRefusedError, type MailServer, UnreachableError } from '../../../ports/callees/web.ts';
import { type Fields, type ImageCall, ImageError, imageFunction, textOf } from './call.ts';
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

const CONNECT = 'com.smtp-bare.connect.error';
const SEND = 'com.smtp-bare.send.error';

/** An attachment: its `data` as `type` has it, a text or base64; without `data`, the file of its name of the action. */
function attachmentOf(fields: Fields, files: Files) {
  const name = textOf(fields, 'name');
  if (fields['data'] === undefined) return needFile(files, name, SEND);
  const data = textOf(fields, 'data');
  return { name, bytes: Buffer.from(data, fields['type'] === 'base64' ? 'base64' : 'utf8') };
}

/** Sends each mail by itself: one that the server refuses does not stop the others. */
async function sendEach(call: ImageCall, server: MailServer, drafts: readonly Draft[]): Promise<void> {
  for (const [index, draft] of drafts.entries()) {
    const context = { ...call.context, key: `${call.context.key}.${index}` };
    await deliverMails({ ...call, context }, server, [draft]).catch((error: unknown) => {
      if (!(error instanceof MailRefusedError)) throw error;
    });
  }
}

async function send(call: ImageCall): Promise<unknown> {
  const { fields } = call;
  const [to, bcc] = [textsOf(fields, 'to'), textsOf(fields, 'bcc')];
  if (to.length === 0 && bcc.length === 0) return {};
  const host = textOf(fields, 'host', '') || textOf(fields, 'address', '');
  if (host === '' || fields['port'] === undefined) throw new ImageError(CONNECT, 'host and port not set');
  const from = textOf(fields, 'from');
  const login = { user: textOf(fields, 'user', '') || from, password: textOf(fields, 'password', '') };
  const options = { isInsecure: fields['insecure'] === true, requiresTls: fields['tls'] === true };
  const server = serverOf({ host, port: Number(fields['port']), ...login }, options);
  const files = await filesOfAction(call, SEND);
  const draft: Draft = {
    from,
    to,
    cc: textsOf(fields, 'cc'),
    bcc,
    subject: textOf(fields, 'subject', ''),
    html: textOf(fields, 'body', ''),
    attachments: objectsOf(fields, 'attachments').map((one) => attachmentOf(one, files)),
  };
  if (fields['individual'] === true)
    await sendEach(
      call,
      server,
      to.map((one) => ({ ...draft, to: [one] })),
    );
  else await deliverMails(call, server, [draft]);
  return {};
}

/** `direktiv/smtp-bare` (docs/native-images.md). */
export const smtpBare = imageFunction(SEND, (call) =>
  send(call).catch((error: unknown) => {
    throw error instanceof UnreachableError ? new ImageError(CONNECT, error.message) : error;
  }),
);
