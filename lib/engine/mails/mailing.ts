import { type Attachment, MAX_ATTACHED_BYTES, MailRefusedError } from '../../ports/callees/web.ts';
import { StateError } from '../evaluation/failures.ts';
import { mask } from '../http/masks.ts';
import type { NativeContext, NativeFunction, Outcome } from '../http/outcome.ts';
import { codeOfDelivery } from './causes.ts';
import { deliverWithin, destinationOf } from './delivering.ts';
import type { PreparedMail } from './prepared-mail.ts';

/** The id of the mail of a call: the same for every repetition and retry, so that receivers can drop what they have. */
const messageIdOf = (key: string, { sender }: PreparedMail): string => `<${key}@${sender.split('@').at(-1)}>`;

/** The bytes of the attached variables. Throws MailRefusedError for one that does not exist or is empty. */
async function attachmentsOf({ readFiles }: NativeContext): Promise<readonly Attachment[]> {
  const files = await readFiles(MAX_ATTACHED_BYTES).catch((error: unknown) => {
    const isTooMuch = error instanceof StateError && error.kind === 'plain';
    throw isTooMuch ? new MailRefusedError(`attachments: ${error.message}`, 'invalid') : error;
  });
  return files.map(({ name, bytes }, index) => {
    if (bytes.length > 0) return { name, bytes };
    throw new MailRefusedError(`'attachments[${index}]': the variable does not exist, or it is empty`, 'invalid');
  });
}

/**
 * Sends the mail of a call, by one session of SMTP. Returns `{messageId}`, or the failure with its code; never throws for a
 * fault of the server or the network. No message contains a secret of the mail.
 */
export const sendMail: NativeFunction = async (context, input): Promise<Outcome> => {
  const prepared = input as PreparedMail;
  const { server, mail, ms, secrets } = prepared;
  const sent = { kind: 'mail', to: mask(destinationOf(server), secrets) } as const;
  const messageId = messageIdOf(context.key, prepared);
  try {
    const attachments = await attachmentsOf(context);
    await deliverWithin(context, { server, mails: [{ ...mail, id: messageId, attachments }], ms });
    return { value: { messageId }, sent };
  } catch (error) {
    const code = error instanceof StateError ? error.code : codeOfDelivery(error);
    if (code === undefined) throw error;
    const message = mask(`the mail was not sent: ${(error as Error).message}`, secrets);
    return { failure: { code: `${context.ports.settings.brand}.${code}`, message }, sent };
  }
};
