import * as z from 'zod/mini';
import { isNodeName, isRefName, isVariableName } from '../../../lib/domain/names.ts';

/**
 * The files of an archive. The name of a node never begins with an underscore, so that the description of a node can be
 * beside its children:
 *
 *     namespace.json
 *     variables.json             variables/NAME
 *     tree/a/_directory.json
 *     tree/a/wf/_workflow.json   tree/a/wf/revisions/1.yaml   tree/a/wf/variables/NAME
 *     manifest.json              the last file: an archive without it is incomplete
 */
export const FORMAT = 'weft-namespace';
export const VERSION = 1;

export const MANIFEST = 'manifest.json';
export const NAMESPACE = 'namespace.json';
export const VARIABLES = 'variables.json';
const DIRECTORY = '_directory.json';
const WORKFLOW = '_workflow.json';

const below = (path: string, name: string): string => (path === '' ? `tree/${name}` : `tree/${path}/${name}`);

/** The file of a directory; the root has the empty path. */
export const directoryFile = (path: string): string => below(path, DIRECTORY);
/** The file of a workflow. */
export const workflowFile = (path: string): string => below(path, WORKFLOW);
/** The file of the n-th revision, counted from 1. */
export const revisionFile = (path: string, n: number): string => below(path, `revisions/${n}.yaml`);
/** The file of a variable of a workflow, or of the namespace. */
export const variableFile = (name: string, workflow?: string): string =>
  workflow === undefined ? `variables/${name}` : below(workflow, `variables/${name}`);

const text = z._default(z.string(), '');
const texts = z._default(z.array(z.string()), []);

const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const nodePath = z.string().check(z.refine((path) => path.split('/').every(isNodeName), { error: 'is no valid path' }));
const variableName = z.string().check(z.refine(isVariableName, { error: 'is no valid name of a variable' }));

const variable = z.object({ name: variableName, mimeType: text, size: z.int(), hash });

export const shapes = {
  manifest: z.object({
    format: z.literal(FORMAT),
    version: z.int(),
    namespace: z.string(),
    exportedAt: text,
    server: z.optional(z.object({ url: text, version: text })),
    notes: texts,
  }),
  /** A service is its name and its image. */
  namespace: z.object({ config: z.optional(z.unknown()), secrets: texts, registries: texts, services: texts }),
  variables: z.object({ variables: z.array(variable) }),
  directory: z.object({ path: z.union([z.literal(''), nodePath]), attributes: texts }),
  workflow: z.object({
    path: nodePath,
    live: z._default(z.boolean(), true),
    logger: text,
    attributes: texts,
    /** The first is `1.yaml`; the last is the latest. */
    revisions: z
      .array(z.object({ ids: texts, createdAt: text, hash, saved: z._default(z.boolean(), false) }))
      .check(z.minLength(1)),
    tags: z._default(z.record(z.string().check(z.refine(isRefName, { error: 'is no valid name of a tag' })), hash), {}),
    routes: z._default(z.array(z.object({ ref: z.string(), weight: z.int() })), []),
    variables: z._default(z.array(variable), []),
  }),
} as const;

export type Manifest = z.infer<(typeof shapes)['manifest']>;
export type NamespaceFile = z.infer<(typeof shapes)['namespace']>;
export type VariableEntry = z.infer<typeof variable>;
export type DirectoryFile = z.infer<(typeof shapes)['directory']>;
export type WorkflowFile = z.infer<(typeof shapes)['workflow']>;

const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;

/**
 * The reason why an entry must not be unpacked, if there is one: archives are not trusted, and a name may point outside of
 * the folder (`..`, an absolute path, a link).
 */
export function problemOfEntry(name: string, type: string): string | undefined {
  if (type !== 'file' && type !== 'directory') return `it is a ${type}`;
  const path = type === 'directory' ? name.replace(/\/$/, '') : name;
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'its path is absolute';
  const odd = path
    .replace(/^\.\//, '')
    .split('/')
    .find((segment) => !SEGMENT.test(segment));
  const isRoot = type === 'directory' && path === '.';
  return odd === undefined || isRoot ? undefined : `'${odd}' is not allowed in its path`;
}

/** The kind of node that a file of an archive describes; undefined for any other file. */
export function kindOf(name: string): 'directory' | 'workflow' | undefined {
  if (!name.startsWith('tree/')) return undefined;
  if (name.endsWith(`/${DIRECTORY}`)) return 'directory';
  return name.endsWith(`/${WORKFLOW}`) ? 'workflow' : undefined;
}
