import { hrefOf } from './location.ts';

type Query = Readonly<Record<string, string | undefined>>;

const ofNamespace = (namespace: string, ...rest: readonly string[]): readonly string[] => ['n', namespace, ...rest];
const parts = (path: string): string[] => path.split('/').filter((part) => part !== '');

/** The addresses of all pages. */
export const addresses = {
  home: () => hrefOf([]),
  keys: () => hrefOf(['keys']),
  audit: (query: Query = {}) => hrefOf(['audit'], query),
  server: (query: Query = {}) => hrefOf(['server'], query),
  globalService: (name: string) => hrefOf(['server', 'services', name]),
  playground: (query: Query = {}) => hrefOf(['playground'], query),
  namespace: (namespace: string) => hrefOf(ofNamespace(namespace)),
  tree: (namespace: string, path = '/', query: Query = {}) =>
    hrefOf(ofNamespace(namespace, 'tree', ...parts(path)), query),
  runs: (namespace: string, query: Query = {}) => hrefOf(ofNamespace(namespace, 'runs'), query),
  run: (namespace: string, id: string, query: Query = {}) => hrefOf(ofNamespace(namespace, 'runs', id), query),
  events: (namespace: string, query: Query = {}) => hrefOf(ofNamespace(namespace, 'events'), query),
  event: (namespace: string, id: string, query: Query = {}) => hrefOf(ofNamespace(namespace, 'events', id), query),
  approvals: (namespace: string, query: Query = {}) => hrefOf(ofNamespace(namespace, 'approvals'), query),
  workers: (namespace: string, query: Query = {}) => hrefOf(ofNamespace(namespace, 'workers'), query),
  webhooks: (namespace: string, query: Query = {}) => hrefOf(ofNamespace(namespace, 'webhooks'), query),
  variables: (namespace: string, query: Query = {}) => hrefOf(ofNamespace(namespace, 'variables'), query),
  secrets: (namespace: string, query: Query = {}) => hrefOf(ofNamespace(namespace, 'secrets'), query),
  registries: (namespace: string) => hrefOf(ofNamespace(namespace, 'registries')),
  services: (namespace: string, query: Query = {}) => hrefOf(ofNamespace(namespace, 'services'), query),
  service: (namespace: string, name: string, query: Query = {}) =>
    hrefOf(ofNamespace(namespace, 'services', name), query),
  metrics: (namespace: string, query: Query = {}) => hrefOf(ofNamespace(namespace, 'metrics'), query),
  queue: (namespace: string) => hrefOf(ofNamespace(namespace, 'queue')),
  schedules: (namespace: string) => hrefOf(ofNamespace(namespace, 'schedules')),
  failures: (namespace: string, query: Query = {}) => hrefOf(ofNamespace(namespace, 'failures'), query),
  log: (namespace: string, query: Query = {}) => hrefOf(ofNamespace(namespace, 'log'), query),
  settings: (namespace: string) => hrefOf(ofNamespace(namespace, 'settings')),
} as const;
