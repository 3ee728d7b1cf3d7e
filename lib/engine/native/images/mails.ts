import { TLS_PORT } from '../../../compiler/plan/mails.ts';
import { isObject } from '../../../language/json.ts';
import { ownMember } from '../../../language/own-members.ts';
import type { Attachment, Mail, MailServer } from '../../../ports/callees/web.ts';
import { deliverWithin, destinationOf } from '../../mails/delivering.ts';
import { type Fields, type ImageCall, ImageError, rejected, textOf } from './call.ts';

/** How long a delivery takes at most, milliseconds. */
const MAX_MS = 120_000;

/** A mail of an input, before it has an id. */
export type Draft = Omit<Mail, 'id'>;

/** Sends mails. Their ids are the same for every repetition of the call. Throws UnreachableError and MailRefusedError. */
export function deliverMails(
  { context, note }: ImageCall,
  server: MailServer,
  drafts: readonly Draft[],
): Promise<void> {
  note({ kind: 'mail', to: destinationOf(server) });
  const mails = drafts.map((draft, index) => ({ ...draft, id: `<${context.key}.${index}@weft>` }));
  return deliverWithin(context, { server, mails, ms: MAX_MS });
}

/** The server of an input. Throws ImageError for a port that is none. */
export function serverOf(
  given: { readonly host: string; readonly port: number; readonly user: string; readonly password: string },
  options: { readonly isInsecure: boolean; readonly requiresTls?: boolean },
): MailServer {
  const { host, port, user, password } = given;
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw rejected('the port in the input must be 1 to 65535');
  const { isInsecure, requiresTls = false } = options;
  const started = requiresTls ? 'required' : 'offered';
  const tls = port === TLS_PORT ? 'implicit' : started;
  return { host, port, tls, isInsecure, ...(password === '' ? {} : { login: { user, password } }) };
}

/** Texts that are not empty: a list, or one text. Throws ImageError for anything else. */
export function textsOf(fields: Fields, name: string): readonly string[] {
  const list = [ownMember(fields, name) ?? []].flat();
  return list.map((text) => textOf({ [name]: text }, name, '')).filter((text) => text.trim() !== '');
}

/** A file by its name. */
export type Files = ReadonlyMap<string, Uint8Array>;

/** The files of the action by their names. Throws ImageError for an archive. */
export async function filesOfAction({ context }: ImageCall, failureCode: string): Promise<Files> {
  const files = await context.readFiles();
  return new Map(
    files.map(({ name, type, bytes }) => {
      if (type === 'plain') return [name, bytes];
      if (type === 'base64') return [name, Buffer.from(Buffer.from(bytes).toString(), 'base64')];
      throw new ImageError(
        failureCode,
        `the file '${name}' of the action must have the type plain or base64 for a mail`,
      );
    }),
  );
}

/** The file of a name. Throws ImageError if there is none. */
export function needFile(files: Files, name: string, failureCode: string): Attachment {
  const bytes = files.get(name);
  if (bytes !== undefined) return { name, bytes };
  throw new ImageError(failureCode, `no file '${name}' in the input or in 'files' of the action`);
}

/** The objects of a list. Throws ImageError for anything else. */
export function objectsOf(fields: Fields, name: string): readonly Fields[] {
  const list = ownMember(fields, name) ?? [];
  if (Array.isArray(list) && list.every(isObject)) return list;
  throw rejected(`'${name}' in the input must be a list of objects`);
}
