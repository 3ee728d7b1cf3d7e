import type { Command } from '../shell/command.ts';

/** A command is loaded when it is used: the program starts with one of them. */
const LOADERS: Readonly<Record<string, () => Promise<Command>>> = {
  init: async () => (await import('./init.ts')).init,
  dev: async () => (await import('./dev.ts')).dev,
  start: async () => (await import('./start.ts')).start,
  login: async () => (await import('./login.ts')).login,
  profiles: async () => (await import('./login.ts')).profileCommand,
  validate: async () => (await import('./validate.ts')).validate,
  lsp: async () => (await import('./lsp.ts')).lsp,
  mcp: async () => (await import('./mcp.ts')).mcp,
  test: async () => (await import('./test.ts')).test,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  cost: async () => (await import('./cost.ts')).cost,
  push: async () => (await import('./push.ts')).pushCommand,
  sync: async () => (await import('./sync.ts')).sync,
  workflows: async () => (await import('./workflows.ts')).workflows,
  graph: async () => (await import('./graph.ts')).graph,
  diff: async () => (await import('./promote.ts')).diff,
  promote: async () => (await import('./promote.ts')).promote,
  exec: async () => (await import('./exec.ts')).exec,
  logs: async () => (await import('./logs.ts')).logs,
  cancel: async () => (await import('./cancel.ts')).cancel,
  instances: async () => (await import('./instances.ts')).instances,
  jobs: async () => (await import('./jobs.ts')).jobs,
  replay: async () => (await import('./replay.ts')).replay,
  events: async () => (await import('./events.ts')).events,
  webhooks: async () => (await import('./webhooks.ts')).webhooks,
  approvals: async () => (await import('./approvals.ts')).approvals,
  schedules: async () => (await import('./schedules.ts')).schedules,
  usage: async () => (await import('./usage.ts')).usage,
  deliveries: async () => (await import('./deliveries.ts')).deliveries,
  workers: async () => (await import('./workers.ts')).workers,
  vars: async () => (await import('./vars.ts')).vars,
  secrets: async () => (await import('./secrets.ts')).secrets,
  namespaces: async () => (await import('./namespaces.ts')).namespaces,
  keys: async () => (await import('./keys.ts')).keys,
  audit: async () => (await import('./audit.ts')).audit,
  export: async () => (await import('./export.ts')).exportCommand,
  import: async () => (await import('./import.ts')).importCommand,
  backup: async () => (await import('./backup.ts')).backup,
  restore: async () => (await import('./restore.ts')).restore,
  doctor: async () => (await import('./doctor.ts')).doctor,
  version: async () => (await import('./version.ts')).version,
  completion: async () => (await import('./completion.ts')).completionOf(loadAll),
};

/** The names of all commands, in the order of the help. */
export const NAMES: readonly string[] = Object.keys(LOADERS);

/** Loads a command; undefined if there is none with the name. */
export async function loadCommand(name: string): Promise<Command | undefined> {
  return Object.hasOwn(LOADERS, name) ? LOADERS[name]?.() : undefined;
}

/** Loads all commands by their names, in the order of the help. */
export async function loadAll(): Promise<Readonly<Record<string, Command>>> {
  const entries = Object.entries(LOADERS).map(async ([name, load]) => [name, await load()] as const);
  return Object.fromEntries(await Promise.all(entries));
}
