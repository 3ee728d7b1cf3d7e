import { AsyncLocalStorage } from 'node:async_hooks';
import type { Tenant } from '../../language/sandbox/sandbox.ts';

const current = new AsyncLocalStorage<Tenant>();

/** Every evaluation that the work makes, also later, is on the account of this tenant: tenants take turns in the sandbox. */
export function onAccountOf<T>(tenant: Tenant, work: () => Promise<T>): Promise<T> {
  return current.run(tenant, work);
}

/** On whose account the present work is; outside `onAccountOf`, the account of the service itself. */
export function presentTenant(): Tenant {
  return current.getStore() ?? { id: '' };
}
