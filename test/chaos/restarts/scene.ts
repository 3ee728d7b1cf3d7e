import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { apiOf } from '../../durability/api.ts';
import { auditOf } from '../../durability/audit.ts';
import { type Ledger, newLedger } from '../../durability/ledger.ts';
import { prepare, sendLoad } from '../../durability/load.ts';
import { type Running, startProcess } from '../../durability/process.ts';
import type { Random } from '../../durability/random.ts';
import { damageLines, verify } from '../../durability/verification.ts';
import { PatientApi } from '../patient-api.ts';

const PRELOAD = new URL('../faults.mjs', import.meta.url).pathname;
const WEFT = new URL('../../../bin/weft.ts', import.meta.url).pathname;
const CLIENTS = 4;
const [SHORTEST_MS, LONGEST_MS] = [300, 1200];

/** How a process ends. */
export type Signal = 'SIGTERM' | 'SIGKILL';

/** A process of the command line. */
export interface Command {
  readonly kill: () => void;
  /** Resolves with its exit code, null after a signal, and what it printed. */
  readonly ended: Promise<{ readonly code: number | null; readonly text: string }>;
}

/** The service of a round, which is started again and again on folders in one folder. */
export class Scene {
  readonly random: Random;
  readonly #folder: string;
  /** How many writes were acknowledged so far. */
  acknowledged = 0;
  #kill: (() => Promise<void>) | undefined;
  #exited: Promise<number | null> = Promise.resolve(null);

  constructor(folder: string, random: Random) {
    this.#folder = folder;
    this.random = random;
  }

  at(name: string): string {
    return join(this.#folder, name);
  }

  /** What all processes have printed as errors. */
  get log(): string {
    return existsSync(this.at('log')) ? readFileSync(this.at('log'), 'utf8') : '';
  }

  /** Starts the service on a folder, with its clock ahead by `clock` ms. Rejects when it ends before it listens. */
  async start(data = this.at('data'), clock = 0): Promise<Running> {
    writeFileSync(this.at('fault'), JSON.stringify({ clock }));
    const preload = { file: PRELOAD, env: { CHAOS_FAULT: this.at('fault') } };
    const started = startProcess({ data, record: this.at('record'), log: this.at('log'), sync: 'full', preload });
    [this.#kill, this.#exited] = [started.kill, started.exited];
    return started.ready;
  }

  /** Resolves with the exit code of the service, or with a text if it goes on for that long. */
  async exitCode(milliseconds: number): Promise<number | string | null> {
    return Promise.race([this.#exited, setTimeout(milliseconds, 'it goes on', { ref: false })]);
  }

  /** Sends requests to a namespace for a random time, and then calls `end`, after which they get no more replies. */
  async load(running: Running, namespace: string, end?: () => unknown): Promise<Ledger> {
    const ledger = newLedger(namespace, CLIENTS);
    const patient = new PatientApi(apiOf(running, namespace));
    await prepare(patient);
    const loaded = sendLoad(patient, ledger, this.random);
    await setTimeout(this.random.between(SHORTEST_MS, LONGEST_MS));
    await end?.();
    patient.end();
    await loaded;
    return ledger;
  }

  /** Ends the service. */
  async stop(running: Running, signal: Signal): Promise<void> {
    running.signal(signal);
    await this.#exited;
    await this.end();
  }

  /** Kills the service if it runs. */
  async end(): Promise<void> {
    await this.#kill?.();
    this.#kill = undefined;
  }

  /** The damage of a namespace, as lines. */
  async damage(running: Running, ledger: Ledger): Promise<string[]> {
    return damageLines(await verify(apiOf(running, ledger.namespace), ledger));
  }

  /** The violations in the rows of a folder that no process uses. */
  audit(data = this.at('data')): string[] {
    return auditOf(data);
  }

  /** Starts a command of the command line. */
  weft(...args: readonly string[]): Command {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', WEFT, ...args]);
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += String(part)));
    const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, text }));
    return { kill: () => void child.kill('SIGKILL'), ended };
  }
}

/** Disturbs the service of a scene, and returns a sentence for each broken promise. */
export type Trouble = (scene: Scene) => Promise<string[]>;
