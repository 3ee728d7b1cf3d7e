import { computed, signal } from '@preact/signals';
import { type OwnKeyReply, operations } from '../../../clients/api/operations.ts';
import { place } from '../navigation/location.ts';

const STORED = 'weft.key';
const RENEWAL = 'weft.renewal';

/** The key of this session, which is deleted when the tab is closed. */
export const key = signal<string | undefined>(sessionStorage.getItem(STORED) ?? undefined);

/** The rights of the key; undefined until the service has replied. They stay while a refused key is replaced. */
export const rights = signal<OwnKeyReply | undefined>(undefined);

/** The message with which the service rejected the key of the session; empty while the key is valid. */
export const farewell = signal('');

/** What renews the token of the session at its issuer; undefined for a key. */
export const renewal = (): string | undefined => sessionStorage.getItem(RENEWAL) ?? undefined;

/** The issuer renews the token of the session no longer. */
export const forgetRenewal = (): void => sessionStorage.removeItem(RENEWAL);

/** Why the link or the issuer that opened the page did not sign in; undefined if it did, or if there was none. */
export const refusedLink = signal<string | undefined>(undefined);

/** The number of the session: values of one session are not shown in the next. */
export const session = signal(0);

/** The key was rejected; the page stays as it is until another key is entered. */
export const isLocked = computed(() => key.value === undefined && farewell.value !== '' && rights.value !== undefined);

const RANK: readonly string[] = ['none', 'worker', 'read', 'run', 'write', 'admin'];

const rankOf = (permission: string): number => RANK.indexOf(permission);

/** Whether the rights of a key include those of another one. */
function covers(next: OwnKeyReply, before: OwnKeyReply): boolean {
  if (rankOf(next.permission) < rankOf(before.permission)) return false;
  if (next.namespaces.length === 0) return true;
  return before.namespaces.length > 0 && before.namespaces.every((name) => next.namespaces.includes(name));
}

/** Begins a session with a key or a token and its rights, or continues the one whose key was rejected. */
export function signIn(secret: string, granted: OwnKeyReply, refreshToken?: string): void {
  sessionStorage.setItem(STORED, secret);
  if (refreshToken === undefined) forgetRenewal();
  else sessionStorage.setItem(RENEWAL, refreshToken);
  const before = rights.peek();
  if (before !== undefined && !covers(granted, before)) session.value += 1;
  farewell.value = '';
  rights.value = granted;
  key.value = secret;
}

/** Ends the session and deletes the key. */
export function signOut(): void {
  sessionStorage.removeItem(STORED);
  forgetRenewal();
  farewell.value = '';
  key.value = undefined;
  rights.value = undefined;
  session.value += 1;
}

/** Notes that the service rejected a key: the page asks for another one, with which the session continues. */
export function noteRefusal(secret: string | undefined, reason: string): void {
  // A key that is tried at the sign-in is not the key of a session yet.
  if (secret === undefined || secret !== key.peek()) return;
  sessionStorage.removeItem(STORED);
  farewell.value = reason;
  key.value = undefined;
}

/** Calls `act` when a key is set, at once if one is. Returns the function that removes the callback. */
export function onceSignedIn(act: () => void): () => void {
  let isOver = false;
  const stop = key.subscribe((secret) => {
    if (secret === undefined || isOver) return;
    isOver = true;
    act();
  });
  return () => {
    isOver = true;
    stop();
  };
}

type Rights = Pick<OwnKeyReply, 'permission' | 'namespaces'>;

/** Whether the key, or a group in the token, may call an operation on this page; if not, the console does not offer it. */
export const may = (operation: keyof typeof operations): boolean => {
  const row: { readonly permission: string; readonly path: string } = operations[operation];
  const isOfNamespace = row.path.includes('{namespace}');
  const { segments } = place.value;
  const here = segments[0] === 'n' ? segments[1] : undefined;
  const reaches = ({ namespaces }: Rights): boolean => {
    if (namespaces.length === 0) return true;
    return isOfNamespace ? here === undefined || namespaces.includes(here) : row.permission === 'read';
  };
  const { value: own } = rights;
  const grants: readonly Rights[] = own?.grants ?? (own === undefined ? [] : [own]);
  return grants.some((grant) => rankOf(grant.permission) >= rankOf(row.permission) && reaches(grant));
};

/** The key has the permission `admin` in all namespaces. */
export const isAdministrator = computed(
  () => rights.value?.permission === 'admin' && rights.value.namespaces.length === 0,
);
