import { computed, signal } from '@preact/signals';
import { type OwnKeyReply, operations } from '../../../clients/api/operations.ts';

const STORED = 'weft.key';

/** The key of this session: it is forgotten when the tab is closed. */
export const key = signal<string | undefined>(sessionStorage.getItem(STORED) ?? undefined);

/** The rights of the key; undefined until the service has replied. They stay while a refused key is replaced. */
export const rights = signal<OwnKeyReply | undefined>(undefined);

/** Why the service refuses the key of the session, in its words; empty while there is no such thing. */
export const farewell = signal('');

/** Counts the sessions: values that were read in one are not shown in the next. */
export const session = signal(0);

/** The key is refused, and the page stays as it is until another key is there. */
export const isLocked = computed(() => key.value === undefined && farewell.value !== '' && rights.value !== undefined);

const RANK: readonly string[] = ['none', 'worker', 'read', 'run', 'write', 'admin'];

const rankOf = (permission: string): number => RANK.indexOf(permission);

/** Whether a key may see and do all that another one may. */
function covers(next: OwnKeyReply, before: OwnKeyReply): boolean {
  if (rankOf(next.permission) < rankOf(before.permission)) return false;
  if (next.namespaces.length === 0) return true;
  return before.namespaces.length > 0 && before.namespaces.every((name) => next.namespaces.includes(name));
}

/** Begins a session with a key and its rights, or continues the one whose key is refused. */
export function signIn(secret: string, granted: OwnKeyReply): void {
  sessionStorage.setItem(STORED, secret);
  const before = rights.peek();
  if (before !== undefined && !covers(granted, before)) session.value += 1;
  farewell.value = '';
  rights.value = granted;
  key.value = secret;
}

/** Ends the session: the key is forgotten. */
export function signOut(): void {
  sessionStorage.removeItem(STORED);
  farewell.value = '';
  key.value = undefined;
  rights.value = undefined;
  session.value += 1;
}

/** Notes that the service refuses a key: another one is asked for, and the session goes on with it. */
export function noteRefusal(secret: string | undefined, reason: string): void {
  // A key that was tried at the sign-in is none yet.
  if (secret === undefined || secret !== key.peek()) return;
  sessionStorage.removeItem(STORED);
  farewell.value = reason;
  key.value = undefined;
}

/** Calls back when there is a key, at once if there is one. Returns the function that removes the callback. */
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

/** Whether the key may use an operation; where it may not, the console does not offer it. */
export const may = (operation: keyof typeof operations): boolean => {
  const { permission, namespaces } = rights.value ?? { permission: 'none', namespaces: [] };
  const row: { readonly permission: string; readonly path: string } = operations[operation];
  if (rankOf(permission) < rankOf(row.permission)) return false;
  return namespaces.length === 0 || row.permission === 'read' || row.path.includes('{namespace}');
};

/** The key is good for all namespaces and may do everything. */
export const isAdministrator = computed(
  () => rights.value?.permission === 'admin' && rights.value.namespaces.length === 0,
);
