import { computed, signal } from '@preact/signals';
import type { OwnKeyReply } from './operations.ts';
import { operations } from './operations.ts';

const STORED = 'weft.key';

/** The key of this session: it is forgotten when the tab is closed. */
export const key = signal<string | undefined>(sessionStorage.getItem(STORED) ?? undefined);

/** What the key may do; undefined until the service has replied. */
export const rights = signal<OwnKeyReply | undefined>(undefined);

/** Why the last session ended, in the words of the service. */
export const farewell = signal('');

/** Begins a session with a key and what it may do. */
export function signIn(secret: string, granted: OwnKeyReply): void {
  sessionStorage.setItem(STORED, secret);
  farewell.value = '';
  rights.value = granted;
  key.value = secret;
}

/** Ends the session: the key is forgotten. */
export function signOut(reason = ''): void {
  sessionStorage.removeItem(STORED);
  farewell.value = reason;
  key.value = undefined;
  rights.value = undefined;
}

const RANK: readonly string[] = ['none', 'worker', 'read', 'run', 'write', 'admin'];

/** Whether the key may use an operation; where it may not, the console does not offer it. */
export const may = (operation: keyof typeof operations): boolean => {
  const { permission, namespaces } = rights.value ?? { permission: 'none', namespaces: [] };
  const row: { readonly permission: string; readonly path: string } = operations[operation];
  if (RANK.indexOf(permission) < RANK.indexOf(row.permission)) return false;
  return namespaces.length === 0 || row.permission === 'read' || row.path.includes('{namespace}');
};

/** The key is good for all namespaces and may do everything. */
export const isAdministrator = computed(
  () => rights.value?.permission === 'admin' && rights.value.namespaces.length === 0,
);
