import * as z from 'zod/mini';
import { paged } from './pages.ts';
import { base64, time } from './scalars.ts';

export const node = z.object({
  createdAt: time,
  updatedAt: time,
  name: z.string(),
  path: z.string(),
  parent: z.string(),
  type: z.enum(['directory', 'workflow']),
  attributes: z.array(z.string()),
  oid: z.string(),
  readOnly: z.boolean(),
  expandedType: z.enum(['directory', 'workflow', 'git']),
  mimeType: z.string(),
});

export const revision = z.object({ createdAt: time, hash: z.string(), source: base64, name: z.string() });

const ofNode = { namespace: z.string(), node };
const ofPath = { namespace: z.string(), path: z.string() };

export const namedNode = z.object(ofNode);
export const directory = z.object({ ...ofNode, children: z.object(paged(node)) });
export const workflow = z.object({ ...ofNode, revision, eventLogging: z.string(), oid: z.string() });
export const directoryOrWorkflow = z.union([directory, workflow]);

const position = z.object({ line: z.int(), column: z.int() });
const edit = z.object({ from: position, to: position, text: z.string() });
/** A correction; one that is certain has no other meaning than the author's. */
const mend = z.object({ title: z.string(), edits: z.array(edit), isCertain: z.boolean() });

/**
 * Something that a rule finds in a workflow text. Lines and columns count from 1; `text` is the problem with its source line
 * and a caret below the column; `docs` is the page of the rule.
 */
const finding = z.object({
  rule: z.string(),
  severity: z.enum(['error', 'warning', 'hint']),
  message: z.string(),
  line: z.int(),
  column: z.int(),
  end: z.optional(position),
  hint: z.optional(z.string()),
  mend: z.optional(mend),
  text: z.string(),
  docs: z.string(),
});
/** A text without an error can be stored. */
export const problems = z.object({ ...ofPath, problems: z.array(finding) });

export const nodeRevision = z.object({ ...ofNode, revision });
/** Warnings are about parts of the stored text that fail, or have another effect than expected; absent without any. */
export const storedRevision = z.object({ ...ofNode, revision, warnings: z.optional(z.array(finding)) });

export const refs = z.object({ ...ofNode, ...paged(z.object({ name: z.string() })) });

/** `saved`: the revision has a ref of its own. `next` is the `cursor` of the next page. */
export const history = z.object({
  ...ofNode,
  revisions: z.array(
    z.object({
      revision: z.string(),
      createdAt: time,
      hash: z.string(),
      latest: z.boolean(),
      saved: z.boolean(),
      tags: z.array(z.string()),
    }),
  ),
  next: z.optional(z.string()),
});

/** What was deleted, the newest first. `next` is the `cursor` of the next page. */
export const deletions = z.object({
  namespace: z.string(),
  deleted: z.array(z.object({ path: z.string(), revision: z.string(), deletedAt: time, restorableUntil: time })),
  next: z.optional(z.string()),
});

/** Paths of workflows. `next` is the `cursor` of the call that continues. */
export const restoration = z.object({
  namespace: z.string(),
  restored: z.array(z.string()),
  failed: z.array(z.object({ path: z.string(), message: z.string() })),
  next: z.optional(z.string()),
});

const weighted = z.object({ ref: z.string(), weight: z.int() });
export const router = z.object({ ...ofNode, live: z.boolean(), routes: z.array(weighted) });

export const routerVerdict = z.object({ ...ofPath, invalid: z.boolean(), reason: z.string() });
export const refVerdict = z.object({
  ...ofPath,
  ref: z.string(),
  invalid: z.boolean(),
  reason: z.string(),
  compiles: z.boolean(),
});

/** The state machine a revision was compiled to. */
export const machine = z.object({
  ...ofPath,
  revision: z.string(),
  tier: z.enum(['EXPRESS', 'STANDARD']),
  definition: z.record(z.string(), z.unknown()),
  /** The machine that continues runs with waits, if the first one cannot wait. */
  waits: z.optional(z.record(z.string(), z.unknown())),
  resumes: z.optional(z.record(z.string(), z.unknown())),
  plan: z.record(z.string(), z.unknown()),
});

const mirrorInfo = z.object({
  url: z.string(),
  ref: z.string(),
  cron: z.string(),
  publicKey: z.string(),
  commitId: z.string(),
  lastSync: z.nullable(time),
  privateKey: z.string(),
  passphrase: z.string(),
  insecure: z.boolean(),
});
const activity = z.object({
  id: z.string(),
  type: z.string(),
  status: z.string(),
  createdAt: time,
  updatedAt: time,
});
export const mirror = z.object({ namespace: z.string(), info: mirrorInfo, activities: z.object(paged(activity)) });
