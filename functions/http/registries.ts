import type { Endpoints } from '../../lib/api/http/endpoints.ts';
import * as registries from '../../lib/domain/credentials/registries.ts';
import { trial } from '../../lib/domain/credentials/registry-trial.ts';
import * as namespaces from '../../lib/domain/namespaces/namespaces.ts';

export const endpoints: Endpoints<'registries'> = {
  listGlobalRegistries: async (ports) => ({ registries: await registries.list(ports, 'global') }),
  createGlobalRegistry: (ports, { input: { reg, data } }) => registries.set(ports, 'global', reg, data),
  deleteGlobalRegistry: (ports, { input: { reg } }) => registries.remove(ports, 'global', reg),

  listPrivateRegistries: async (ports) => ({ registries: await registries.list(ports, 'private') }),
  createPrivateRegistry: (ports, { input: { reg, data } }) => registries.set(ports, 'private', reg, data),
  deletePrivateRegistry: (ports, { input: { reg } }) => registries.remove(ports, 'private', reg),

  listNamespaceRegistries: async (ports, { path }) => ({
    registries: await registries.list(ports, await namespaces.need(ports, path.namespace)),
  }),
  createNamespaceRegistry: async (ports, { path, input: { reg, data } }) =>
    registries.set(ports, await namespaces.need(ports, path.namespace), reg, data),
  deleteNamespaceRegistry: async (ports, { path, input: { reg } }) =>
    registries.remove(ports, await namespaces.need(ports, path.namespace), reg),

  testRegistry: async (ports, { input }) => {
    await trial(ports, input);
    return {};
  },
};
