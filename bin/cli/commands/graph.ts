import { stat, writeFile } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { compile } from '../../../lib/compiler/compile.ts';
import { ownMember } from '../../../lib/language/own-members.ts';
import { bytesAt, textAt, textsAt } from '../client/replies.ts';
import { namespacePath, openNamespace, treePath } from '../client/service.ts';
import { NAMESPACE_OPTION, TARGET_OPTIONS } from '../client/target.ts';
import { type Graph, graphOf } from '../graph/model.ts';
import { defineCommand, needArguments, success, UsageError, type ValuesOf } from '../shell/command.ts';
import { readText } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';
import { shownPath } from '../workflows/listing.ts';

type Format = 'text' | 'mermaid' | 'svg';

/** The libraries of a format are loaded when it is used. */
const RENDER: Readonly<Record<Format, (graph: Graph, terminal: Terminal) => Promise<string>>> = {
  text: async (graph, terminal) => (await import('../graph/text.ts')).toText(terminal, graph),
  mermaid: async (graph) => (await import('../graph/mermaid.ts')).toMermaid(graph),
  svg: async (graph) => (await import('../graph/svg.ts')).toSvg(graph),
};

const EXTENSIONS: Readonly<Record<string, Format>> = { '.svg': 'svg', '.mmd': 'mermaid', '.txt': 'text' };

const OPTIONS = {
  format: {
    type: 'string',
    value: 'FORMAT',
    help: 'text (default), mermaid or svg; the end of --output selects it too',
  },
  output: { type: 'string', short: 'o', value: 'FILE', help: 'write the diagram to a file' },
  run: { type: 'string', value: 'INSTANCE', help: 'mark the way that this run took' },
  ...NAMESPACE_OPTION,
  ...TARGET_OPTIONS,
} as const;

type Values = ValuesOf<typeof OPTIONS>;

function formatOf({ format, output = '' }: Values): Format {
  const chosen = format ?? ownMember(EXTENSIONS, extname(output)) ?? 'text';
  if (Object.hasOwn(RENDER, chosen)) return chosen as Format;
  throw new UsageError(`--format is '${chosen}'; it must be one of ${Object.keys(RENDER).join(', ')}`);
}

const isFile = async (cwd: string, name: string): Promise<boolean> =>
  name === '-' || (await stat(resolve(cwd, name)).catch(() => undefined))?.isFile() === true;

interface Drawn {
  readonly source: string;
  readonly flow: readonly string[];
}

/** The source, and the states that the run entered. A run has the source that it ran. */
async function read(values: Values, name: string | undefined, terminal: Terminal): Promise<Drawn> {
  const isLocal = name !== undefined && (await isFile(terminal.cwd, name));
  const local = isLocal ? await readText(terminal, name) : undefined;
  if (local !== undefined && values.run === undefined) return { source: local, flow: [] };
  const { service, namespace } = await openNamespace(values, terminal);
  if (values.run === undefined) {
    if (name === undefined) throw new UsageError('give a file, the path of a workflow, or --run INSTANCE');
    const reply = await service.call('GET', treePath(namespace, name));
    return { source: bytesAt(reply, 'revision', 'source').toString('utf8'), flow: [] };
  }
  const run = `${namespacePath(namespace)}/instances/${encodeURIComponent(values.run)}`;
  const reply = await service.call('GET', run);
  const flow = textsAt(reply, 'flow');
  const [ran = ''] = textAt(reply, 'instance', 'as').split(':');
  if (!isLocal && name !== undefined && shownPath(name) !== shownPath(ran)) {
    throw new UsageError(
      `the run is of the workflow '${shownPath(ran)}', not of '${shownPath(name)}'; leave out the path`,
    );
  }
  if (local !== undefined) return { source: local, flow };
  const pinned = await service.call('GET', `${run}?op=source`);
  return { source: bytesAt(pinned, 'revision', 'source').toString('utf8'), flow };
}

export const graph = defineCommand({
  about: 'Draws a workflow as text, Mermaid or SVG, with the way that a run took',
  usage: ['graph FILE|PATH [--format text|mermaid|svg] [--output FILE]', 'graph [FILE|PATH] --run INSTANCE'],
  options: OPTIONS,
  run: async (values, args, terminal) => {
    needArguments('graph', ['[FILE|PATH]'], args);
    const format = formatOf(values);
    const { source, flow } = await read(values, args[0], terminal);
    const compiled = compile(source);
    if ('problems' in compiled) {
      throw new UsageError(`${args[0] ?? values.run} is no valid workflow: ${compiled.problems[0]?.message}`);
    }
    const text = await RENDER[format](graphOf(compiled.plan, flow), terminal);
    if (values.output === undefined) return success(text);
    await writeFile(resolve(terminal.cwd, values.output), `${text}\n`);
    return success(`wrote ${values.output}`);
  },
});
