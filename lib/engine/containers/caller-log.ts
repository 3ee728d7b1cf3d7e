import type { CallSite } from '../../domain/runs/calls.ts';
import { append, type UnwrittenLine } from '../../domain/runs/log-lines.ts';
import type { Level, Run } from '../../domain/runs/runs.ts';
import { waitForEnd } from '../delivery/end-waiters.ts';
import type { EnginePorts } from '../ports.ts';
import { truncateLine } from '../run/commit/log-buffer.ts';

/** Lines are written together, at most once in this time: each write is a commit of the caller. */
const INTERVAL_MS = 1_000;
/** The interval for a caller that has gone on: each write makes its step read the run again. */
const LONG_INTERVAL_MS = 10_000;
/** How many characters may wait in memory. */
const MAX_BUFFERED = 256 * 1024;

/** Writes the log lines of a running container into the log of the instance that called it. */
export class CallerLog {
  private readonly ports: EnginePorts;
  private readonly site: CallSite;
  private lines: UnwrittenLine[] = [];
  private size = 0;
  private interval: number;
  private lastWrite = Number.NEGATIVE_INFINITY;
  private timer: NodeJS.Timeout | undefined;
  private isCallerStored = true;
  private writing: Promise<unknown> = Promise.resolve();

  constructor(ports: EnginePorts, site: CallSite, isAwaited: boolean) {
    this.ports = ports;
    this.site = site;
    this.interval = isAwaited ? INTERVAL_MS : LONG_INTERVAL_MS;
  }

  /** Adds a line. Resolves when there is room for more, or the caller is not stored yet. */
  async add(text: string, level: Level = 'info', more: Pick<UnwrittenLine, 'unawaited'> = {}): Promise<void> {
    const line = truncateLine(text);
    this.lines.push({ at: this.ports.clock.now(), level, text: line, state: this.site.state, ...more });
    this.size += line.length;
    // A caller that is not stored yet is looked for at intervals, not for each line.
    if (this.size > MAX_BUFFERED && this.isCallerStored) await this.write();
    else this.writeLater();
  }

  /** Resolves when all lines are written. A caller that runs within a request may be stored only when it has ended. */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    if (await this.writeAll()) return;
    await waitForEnd(this.site.caller, LONG_INTERVAL_MS);
    await this.writeAll();
  }

  private async writeAll(): Promise<boolean> {
    while (this.lines.length > 0) if (!(await this.write())) return false;
    return true;
  }

  private writeLater(): void {
    if (this.timer !== undefined) return;
    const wait = Math.min(Math.max(this.lastWrite + this.interval - this.ports.clock.now(), 0), this.interval);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      // Lines that are not written stay in memory; the end of the call writes them.
      this.write().catch(() => undefined);
    }, wait);
    this.timer.unref();
  }

  /** One write at a time. False if the caller is not stored; the lines stay in memory. */
  private write(): Promise<boolean> {
    const written = this.writing.catch(() => undefined).then(() => this.writeNow());
    this.writing = written;
    return written;
  }

  private async writeNow(): Promise<boolean> {
    // Lines may be added while these are written.
    const lines = [...this.lines];
    if (lines.length === 0) return true;
    this.lastWrite = this.ports.clock.now();
    const step = await append(this.ports, this.site.caller, lines);
    this.isCallerStored = step !== undefined;
    if (step === undefined) return false;
    this.lines = this.lines.slice(lines.length);
    this.size = this.lines.reduce((sum, { text }) => sum + text.length, 0);
    if (step !== this.site.step) this.interval = LONG_INTERVAL_MS;
    return true;
  }
}

/** The longest message of a failure that its caller keeps, characters: each commit of that run writes it again. */
const MAX_MESSAGE_LENGTH = 500;

/** Notes the failure of a call for which nothing waits in its caller: without that and a log line it would leave no trace. */
export async function noteUnawaitedFailure(ports: EnginePorts, ended: Run): Promise<void> {
  if (ended.kind !== 'call' || ended.parent !== undefined) return;
  if (ended.status !== 'failed' && ended.status !== 'crashed') return;
  const log = new CallerLog(ports, ended.site, false);
  const { id, code, message } = ended;
  const unawaited = { n: ended.site.step, id, code, message: message.slice(0, MAX_MESSAGE_LENGTH) };
  const text = `Child '${id}' in fire-and-forget mode failed with error '${code}': ${message}`;
  await log.add(text, 'error', { unawaited });
  await log.close();
}
