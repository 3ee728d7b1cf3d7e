import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TargetValues } from '../client/target.ts';
import { counted, type Outcome, toJson, UsageError } from '../shell/command.ts';
import type { Terminal } from '../shell/terminal.ts';
import { readOldArchive, writeArchive } from './archives.ts';
import { compareRuns } from './comparison.ts';
import { diagnose, isBroken, isChanged, summaryOf, textReport } from './report.ts';
import { type MigratedText, migrateAll, readOldFolder, writeFolder } from './sources.ts';

/** The options of a migration. */
interface Values extends TargetValues {
  readonly write?: boolean | undefined;
  readonly out?: string | undefined;
  readonly quiet?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly 'keep-extension'?: boolean | undefined;
  readonly compare?: string | undefined;
  readonly 'compare-key'?: string | undefined;
  readonly limit?: string | undefined;
  readonly yes?: boolean | undefined;
}

/** Texts that were migrated, and how they are stored. */
interface Job {
  readonly texts: readonly MigratedText[];
  readonly others: readonly string[];
  /** Writes the migrated texts, and returns a sentence about it; absent, there is nothing to write to. */
  readonly write?: () => Promise<string>;
}

async function openFolder(values: Values, name: string, terminal: Terminal): Promise<Job> {
  const keepsExtension = values['keep-extension'] === true;
  const folder = await readOldFolder(terminal.cwd, name, keepsExtension);
  const texts = migrateAll(folder.files, keepsExtension);
  const write = async () => `${counted(await writeFolder(folder, texts), 'file')} written`;
  return { texts, others: folder.others, write };
}

async function openArchive(values: Values, name: string, terminal: Terminal, place: string): Promise<Job> {
  const archive = await readOldArchive(resolve(terminal.cwd, name), place);
  const texts = migrateAll(archive.revisions, values['keep-extension'] === true);
  const { out } = values;
  if (out === undefined) return { texts, others: [] };
  const write = async () => {
    await writeArchive(archive, texts, resolve(terminal.cwd, out));
    return `${out} written; import it with 'weft import ${out}'`;
  };
  return { texts, others: [], write };
}

/** Whether the texts are written: by the options, or because the user agrees. */
async function isWritten({ write, out, json }: Values, { texts, ...job }: Job, terminal: Terminal): Promise<boolean> {
  const count = texts.filter(isChanged).length;
  if (job.write === undefined || (count === 0 && out === undefined)) return false;
  if (write === true || out !== undefined) return true;
  if (!terminal.isInteractive || json === true) {
    terminal.printStatus(
      `nothing was written: ${counted(count, 'text')} to change; --write writes ${count === 1 ? 'it' : 'them'}`,
    );
    return false;
  }
  return /^y(es)?$/i.test((await terminal.ask(`Write ${counted(count, 'text')}? [y/N] `)).trim());
}

async function report(values: Values, job: Job, terminal: Terminal): Promise<Outcome> {
  const { texts, others } = job;
  if (texts.length === 0 && others.length === 0) throw new UsageError('there are no workflows');
  const diagnosis = diagnose(texts, others);
  const isSuccess = !texts.some(isBroken);
  if (!values.json) {
    for (const one of texts.filter((text) => isChanged(text) || isBroken(text))) {
      await terminal.print(`${textReport(terminal, one, values.quiet !== true)}\n\n`);
    }
    await terminal.print(`${summaryOf(texts, diagnosis)}\n`);
  }
  const written = (await isWritten(values, job, terminal)) ? await job.write?.() : undefined;
  if (!values.json) return { text: written ?? '', isSuccess };
  const rows = texts.map(({ label, path, text, changes, findings, ...one }) => ({
    file: label,
    path,
    isChanged: isChanged({ label, path, text, changes, findings, ...one }),
    changes,
    findings,
    text,
  }));
  return { text: toJson({ texts: rows, ...diagnosis, isWritten: written !== undefined }), isSuccess };
}

/** Migrates texts, or compares runs, by the options. Throws UsageError, CommandFailedError, ServiceUnreachableError. */
export async function runMigration(values: Values, args: readonly string[], terminal: Terminal): Promise<Outcome> {
  if (values.compare !== undefined) return compareRuns({ ...values, compare: values.compare }, args, terminal);
  const [name, ...rest] = args;
  if (name === undefined || rest.length > 0) throw new UsageError('give one file, one folder or one archive');
  const isArchive = /\.t(?:ar\.)?gz$/.test(name);
  if (values.out !== undefined && !isArchive)
    throw new UsageError('--out is for an archive; a folder is written in place by --write');
  if (values.write === true && isArchive)
    throw new UsageError('an archive is not changed in place; use --out FILE.tar.gz');
  const place = await mkdtemp(join(tmpdir(), 'weft-migrate-'));
  try {
    const job = isArchive ? await openArchive(values, name, terminal, place) : await openFolder(values, name, terminal);
    return await report(values, job, terminal);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}
