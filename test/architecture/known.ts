import type { RuleName } from './rules.ts';

/**
 * Violations that are known since 2026-11-22 and wait for their repair. An entry that is no violation any longer fails
 * the test: delete it with the repair. Do not add entries.
 */
export const KNOWN: Readonly<Partial<Record<RuleName, readonly string[]>>> = {};

/** Violations that stay, each with its reason. */
export const EXCEPTIONS: Readonly<Partial<Record<RuleName, Readonly<Record<string, string>>>>> = {};
