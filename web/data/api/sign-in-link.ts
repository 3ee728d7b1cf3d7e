import { clientWith } from './client.ts';
import { signIn } from './session.ts';

/** The code in the fragment of the address, which is removed there, so that it is in no history; undefined without one. */
function takeCode(): string | undefined {
  const { hash, pathname, search } = window.location;
  const code = new URLSearchParams(hash.slice(1)).get('code') ?? undefined;
  if (code !== undefined) history.replaceState(null, '', `${pathname}${search}`);
  return code;
}

/**
 * Signs in with the link of `weft dev`, if the page was opened by one: exchanges its code for the key. Returns why that
 * was not possible; undefined if it was, or without a code.
 */
export async function signInByLink(): Promise<string | undefined> {
  const code = takeCode();
  if (code === undefined) return undefined;
  try {
    const headers = { 'Sign-In-Code': code };
    const reply = await fetch(new URL('sign-in', document.baseURI), { method: 'POST', headers, cache: 'no-store' });
    if (!reply.headers.get('content-type')?.startsWith('application/json')) return 'this service has no such links';
    const { key = '', message } = (await reply.json()) as { readonly key?: string; readonly message?: string };
    if (!reply.ok) return message ?? `the service answered ${reply.status}`;
    signIn(key, await clientWith(key).call('getOwnKey'));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
