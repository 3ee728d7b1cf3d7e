import type { RegistriesReply } from '../../../clients/api/operations.ts';
import { call } from '../api/client.ts';
import { may } from '../api/session.ts';

/** Credentials of container registries: of a namespace, of all namespaces, or of global services. */
export interface RegistrySource {
  /** The namespace, or a word for all. */
  readonly scope: string;
  readonly mayWrite: boolean;
  list(): Promise<RegistriesReply>;
  create(url: string, user: string, password: string): Promise<undefined>;
  remove(url: string): Promise<undefined>;
}

const dataOf = (user: string, password: string): string => `${user}:${password}`;

/** The registries of a namespace. */
export const namespaceRegistries = (namespace: string): RegistrySource => ({
  scope: `namespace ${namespace}`,
  mayWrite: may('createNamespaceRegistry'),
  list: () => call('listNamespaceRegistries', { namespace }),
  create: (reg, user, password) =>
    call('createNamespaceRegistry', { namespace }, { body: { reg, data: dataOf(user, password) } }),
  remove: (reg) => call('deleteNamespaceRegistry', { namespace }, { body: { reg } }),
});

/** The registries for services of all namespaces. */
export const globalRegistries = (): RegistrySource => ({
  scope: 'global',
  mayWrite: may('createGlobalRegistry'),
  list: () => call('listGlobalRegistries', {}),
  create: (reg, user, password) => call('createGlobalRegistry', {}, { body: { reg, data: dataOf(user, password) } }),
  remove: (reg) => call('deleteGlobalRegistry', {}, { body: { reg } }),
});

/** The registries for global services only. */
export const privateRegistries = (): RegistrySource => ({
  scope: 'private',
  mayWrite: may('createPrivateRegistry'),
  list: () => call('listPrivateRegistries', {}),
  create: (reg, user, password) => call('createPrivateRegistry', {}, { body: { reg, data: dataOf(user, password) } }),
  remove: (reg) => call('deletePrivateRegistry', {}, { body: { reg } }),
});
