import { PEERS, type Peer } from './systems.ts';

/** The peers after `--peers` in the arguments; undefined without it. Throws if a name is missing or unknown. */
export function peersIn(args: readonly string[]): readonly Peer[] | undefined {
  const index = args.indexOf('--peers');
  if (index < 0) return undefined;
  const names = (args[index + 1] ?? '').split(',');
  const unknown = names.filter((name) => !(PEERS as readonly string[]).includes(name));
  if (unknown.length > 0) {
    throw new Error(`--peers needs names of ${PEERS.join(', ')}, separated by commas, not '${unknown.join(',')}'`);
  }
  return PEERS.filter((peer) => names.includes(peer));
}
