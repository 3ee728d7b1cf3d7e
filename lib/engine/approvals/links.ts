import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { sha256 } from '../../domain/storage/ids.ts';
import type { EnginePorts } from '../ports.ts';

/** The first segments of the paths of links, below `/api/hooks/`: no namespace has such a name. */
export const LINK_PREFIX = '-/approvals/';

/** A link: the run that waits, the choice of the link, and the proof that the run made the link. */
export interface Link {
  readonly run: string;
  readonly choice: string;
  readonly signature: string;
}

/** A new key for the signatures of links, hexadecimal. */
export const newKey = ({ clock }: Pick<EnginePorts, 'clock'>): string => sha256(`${clock.uuid()} ${clock.uuid()}`);

const signatureOf = (key: string, run: string, choice: string): string =>
  createHmac('sha256', Buffer.from(key, 'hex')).update(`${run}\n${choice}`).digest('base64url');

/** The links of an approval, by the names of the choices: URLs, or paths if the URL of the service is not known. */
export function linksOf(
  { settings }: Pick<EnginePorts, 'settings'>,
  { run, key }: { readonly run: string; readonly key: string },
  choices: readonly { readonly name: string }[],
): Record<string, string> {
  const base = `${(settings.url ?? '').replace(/\/$/, '')}/api/hooks/${LINK_PREFIX}${run}`;
  return Object.fromEntries(choices.map(({ name }) => [name, `${base}/${name}/${signatureOf(key, run, name)}`]));
}

/** Reads the path of a link below `/api/hooks/`; undefined for another path. */
export function readLink(path: string): Link | undefined {
  if (!path.startsWith(LINK_PREFIX)) return undefined;
  const [run = '', choice = '', signature = ''] = path.slice(LINK_PREFIX.length).split('/');
  return { run, choice, signature };
}

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Whether a link was signed with the key. Compares in constant time. */
export function isSigned({ run, choice, signature }: Link, key: string): boolean {
  return timingSafeEqual(digest(signature), digest(signatureOf(key, run, choice)));
}
