import { ExternalSecretError, type ExternalSecrets, type Reference } from '../../lib/ports/external-secrets.ts';

/** Secrets outside the service that a test sets, by the texts of their references. It records the reads. */
export class ProgrammedSecrets implements ExternalSecrets {
  readonly values = new Map<string, string | ExternalSecretError>();
  readonly reads: { readonly text: string; readonly maxAgeMs: number }[] = [];

  async read({ kind, name, field }: Reference, maxAgeMs: number): Promise<string> {
    const text = `${kind}:${name}${field === undefined ? '' : `#${field}`}`;
    this.reads.push({ text, maxAgeMs });
    const value = this.values.get(text) ?? new ExternalSecretError('missing', 'there is no such secret');
    if (typeof value === 'string') return value;
    throw value;
  }
}
