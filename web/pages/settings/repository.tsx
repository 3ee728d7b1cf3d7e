import { SERVICE_URL } from '../../data/api/client.ts';
import { useRead, useReloads } from '../../data/api/live.ts';
import { key } from '../../data/api/session.ts';
import { Section } from '../../parts/head/head.tsx';
import { Time } from '../../parts/value/value.tsx';

/** What is known of a repository that a namespace follows. */
interface Followed {
  readonly url: string;
  readonly branch: string | null;
  readonly folder: string | null;
  readonly commit: string | null;
  readonly subject: string | null;
  readonly syncedAt: string | null;
  readonly checkedAt: string | null;
  readonly error: string | null;
}

const SHORT = 12;

/** The repository that the namespace follows by a setting of the process; nothing if it follows none. */
export function Repository({ namespace }: { readonly namespace: string }) {
  const loaded = useRead(['sync', namespace], async (signal): Promise<Followed | undefined> => {
    const url = new URL(`sync/${encodeURIComponent(namespace)}`, SERVICE_URL);
    const headers = { 'Service-Api-Key': key.peek() ?? '' };
    const reply = await fetch(url, { headers, signal, cache: 'no-store' });
    return reply.ok ? ((await reply.json()) as Followed) : undefined;
  });
  useReloads(loaded);
  const followed = loaded.value.value;
  if (followed === undefined) return null;
  const { url, branch, folder, commit, subject, syncedAt, checkedAt, error } = followed;
  return (
    <Section title="Git repository">
      <p class="settings-words">
        This namespace follows <code>{url}</code>
        {branch !== null && ` (branch ${branch})`}
        {folder !== null && `, folder ${folder}`}. {commit === null && 'It has no commit of it yet. '}
        {syncedAt !== null && (
          <>
            It has the commit <code>{commit?.slice(0, SHORT)}</code> ({subject}), which came <Time at={syncedAt} />.{' '}
          </>
        )}
        {checkedAt !== null && (
          <>
            The repository was read <Time at={checkedAt} />.
          </>
        )}
      </p>
      {error !== null && <pre class="settings-words repository-error">{error}</pre>}
    </Section>
  );
}
