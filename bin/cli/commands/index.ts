import type { Command } from '../shell/command.ts';
import { approvals } from './approvals.ts';
import { audit } from './audit.ts';
import { backup } from './backup.ts';
import { cancel } from './cancel.ts';
import { completionOf } from './completion.ts';
import { cost } from './cost.ts';
import { deliveries } from './deliveries.ts';
import { events } from './events.ts';
import { exec } from './exec.ts';
import { exportCommand } from './export.ts';
import { graph } from './graph.ts';
import { importCommand } from './import.ts';
import { instances } from './instances.ts';
import { keys } from './keys.ts';
import { login, profileCommand } from './login.ts';
import { logs } from './logs.ts';
import { lsp } from './lsp.ts';
import { mcp } from './mcp.ts';
import { migrateCommand } from './migrate.ts';
import { namespaces } from './namespaces.ts';
import { diff, promote } from './promote.ts';
import { pushCommand } from './push.ts';
import { replay } from './replay.ts';
import { restore } from './restore.ts';
import { secrets } from './secrets.ts';
import { start } from './start.ts';
import { test } from './test.ts';
import { validate } from './validate.ts';
import { vars } from './vars.ts';
import { version } from './version.ts';
import { webhooks } from './webhooks.ts';
import { workers } from './workers.ts';
import { workflows } from './workflows.ts';

/** All commands by their names, in the order of the help. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  start,
  login,
  profiles: profileCommand,
  validate,
  lsp,
  mcp,
  test,
  migrate: migrateCommand,
  cost,
  push: pushCommand,
  workflows,
  graph,
  diff,
  promote,
  exec,
  logs,
  cancel,
  instances,
  replay,
  events,
  webhooks,
  approvals,
  deliveries,
  workers,
  vars,
  secrets,
  namespaces,
  keys,
  audit,
  export: exportCommand,
  import: importCommand,
  backup,
  restore,
  version,
  completion: completionOf(() => COMMANDS),
};
