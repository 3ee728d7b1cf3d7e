import type { RegistriesReply } from '../../../clients/api/operations.ts';
import { call } from '../api/client.ts';
import { may } from '../api/session.ts';

/** The credentials of container registries: of a namespace, of all, or of services for all namespaces alone. */
export interface RegistrySource {
  /** The namespace, or a word for all. */
  readonly scope: string;
  readonly mayWrite: boolean;
  list(): Promise<RegistriesReply>;
  create(url: string, user: string, password: string): Promise<undefined>;
  remove(url: string): Promise<undefined>;
}

const dataOf = (user: string, password: string): string => `${user}:${password}`;

/** Those of a namespace. */
export const namespaceRegistries = (namespace: string): RegistrySource => ({
  scope: `namespace ${namespace}`,
  mayWrite: may('createNamespaceRegistry'),
  list: () => call('listNamespaceRegistries', { namespace }),
  create: (reg, user, password) =>
    call('createNamespaceRegistry', { namespace }, { body: { reg, data: dataOf(user, password) } }),
  remove: (reg) => call('deleteNamespaceRegistry', { namespace }, { body: { reg } }),
});

/** Those for services of all namespaces. */
export const globalRegistries = (): RegistrySource => ({
  scope: 'global',
  mayWrite: may('createGlobalRegistry'),
  list: () => call('listGlobalRegistries', {}),
  create: (reg, user, password) => call('createGlobalRegistry', {}, { body: { reg, data: dataOf(user, password) } }),
  remove: (reg) => call('deleteGlobalRegistry', {}, { body: { reg } }),
});

/** Those for global services alone. */
export const privateRegistries = (): RegistrySource => ({
  scope: 'private',
  mayWrite: may('createPrivateRegistry'),
  list: () => call('listPrivateRegistries', {}),
  create: (reg, user, password) => call('createPrivateRegistry', {}, { body: { reg, data: dataOf(user, password) } }),
  remove: (reg) => call('deletePrivateRegistry', {}, { body: { reg } }),
});
