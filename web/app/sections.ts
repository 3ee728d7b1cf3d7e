import { hasBeside, SERVICE_URL } from '../data/api/client.ts';
import { isAdministrator } from '../data/api/session.ts';
import { addresses } from '../data/navigation/addresses.ts';
import type { IconName } from '../parts/icon/icon.tsx';

/** A page that the bar links to. */
export interface Section {
  /** The segment of the address behind the namespace; empty for the overview. */
  readonly id: string;
  readonly label: string;
  readonly icon: IconName;
  readonly href: string;
  /** The second key behind `g`. */
  readonly key?: string;
  /** Begins a group. */
  readonly isFirst?: boolean;
  /** A page outside of the console. */
  readonly isOutside?: boolean;
}

/** The pages of a namespace, in the order of the bar. */
export function sectionsOf(namespace: string): readonly Section[] {
  return [
    { id: '', label: 'Overview', icon: 'overview', href: addresses.namespace(namespace), key: 'o' },
    { id: 'tree', label: 'Explorer', icon: 'tree', href: addresses.tree(namespace), key: 't' },
    { id: 'runs', label: 'Runs', icon: 'runs', href: addresses.runs(namespace), key: 'r' },
    { id: 'events', label: 'Events', icon: 'events', href: addresses.events(namespace), key: 'e' },
    { id: 'approvals', label: 'Approvals', icon: 'approvals', href: addresses.approvals(namespace), key: 'a' },
    { id: 'failures', label: 'Failures', icon: 'warning', href: addresses.failures(namespace), key: 'f' },
    { id: 'queue', label: 'Queue', icon: 'queue', href: addresses.queue(namespace), key: 'q' },
    { id: 'schedules', label: 'Schedules', icon: 'clock', href: addresses.schedules(namespace), key: 'c' },
    { id: 'metrics', label: 'Metrics', icon: 'metrics', href: addresses.metrics(namespace), key: 'm' },
    { id: 'log', label: 'Log', icon: 'log', href: addresses.log(namespace), key: 'l' },
    {
      id: 'variables',
      label: 'Variables',
      icon: 'variables',
      href: addresses.variables(namespace),
      key: 'v',
      isFirst: true,
    },
    { id: 'secrets', label: 'Secrets', icon: 'secrets', href: addresses.secrets(namespace), key: 's' },
    { id: 'workers', label: 'Workers', icon: 'workers', href: addresses.workers(namespace), key: 'w' },
    { id: 'webhooks', label: 'Webhooks', icon: 'webhooks', href: addresses.webhooks(namespace), key: 'h' },
    { id: 'services', label: 'Services', icon: 'services', href: addresses.services(namespace) },
    { id: 'registries', label: 'Registries', icon: 'registries', href: addresses.registries(namespace) },
    { id: 'settings', label: 'Settings', icon: 'settings', href: addresses.settings(namespace), isFirst: true },
  ];
}

/** The pages that belong to no namespace. */
export function globalSections(): readonly Section[] {
  const playground = { id: 'playground', label: 'jq', icon: 'playground', href: addresses.playground() } as const;
  const docs = { id: 'docs', label: 'Docs', icon: 'docs', href: `${SERVICE_URL}docs/`, isOutside: true } as const;
  const ofAll = hasBeside('docs') ? [playground, docs] : [playground];
  if (!isAdministrator.value) return ofAll;
  return [
    { id: 'keys', label: 'Keys', icon: 'keys', href: addresses.keys(), key: 'k' },
    { id: 'audit', label: 'Audit log', icon: 'audit', href: addresses.audit() },
    { id: 'server', label: 'Server', icon: 'server', href: addresses.server() },
    ...ofAll,
  ];
}

/** The label of a section in the path to a page. */
export function labelOf(id: string): string {
  return [...sectionsOf(''), ...globalSections()].find((section) => section.id === id)?.label ?? id;
}
