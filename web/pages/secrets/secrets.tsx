import { useSignal } from '@preact/signals';
import type { SecretRecord } from '../../../clients/api/operations.ts';
import { call } from '../../data/api/client.ts';
import { useLive } from '../../data/api/live.ts';
import { may } from '../../data/api/session.ts';
import { into } from '../../data/api/task.ts';
import { addresses } from '../../data/navigation/addresses.ts';
import { place } from '../../data/navigation/location.ts';
import { Button } from '../../parts/button/button.tsx';
import { Confirm } from '../../parts/confirm/confirm.tsx';
import { Head } from '../../parts/head/head.tsx';
import { Inspector } from '../../parts/inspector/inspector.tsx';
import { Empty, ErrorNote, Skeleton } from '../../parts/note/note.tsx';
import { Pages } from '../../parts/pages/pages.tsx';
import { type Column, Table } from '../../parts/table/table.tsx';
import { say } from '../../parts/toast/toast.tsx';
import { SecretForm } from './form.tsx';

interface ListProps {
  readonly namespace: string;
  readonly onReplace: (name: string) => void;
}

const isFolder = ({ name }: SecretRecord): boolean => name.endsWith('/');

function stateOf(secret: SecretRecord): string {
  if (isFolder(secret)) return 'folder';
  if (secret.reference !== undefined) return secret.reference;
  return secret.initialized ? 'encrypted' : 'no value yet';
}

function Actions({ namespace, secret, onReplace }: { readonly secret: SecretRecord } & ListProps) {
  const { name } = secret;
  const remove = async () => {
    await call('deleteSecret', { namespace, secret: name });
    say(`Deleted ${name}`);
  };
  const what = isFolder(secret) ? 'the folder and every secret in it' : 'the secret';
  return (
    <span class="line">
      {!isFolder(secret) && (
        <Button kind="bare" icon="edit" label={`Set another value of ${name}`} onClick={() => onReplace(name)} />
      )}
      <Confirm label={`Delete ${name}`} icon="trash" kind="bare" isLone act="Delete" onConfirm={remove}>
        Deletes {what} <code>{name}</code>. Actions that use it fail. This cannot be undone: the value cannot be read.
      </Confirm>
    </span>
  );
}

function columnsFor(props: ListProps): readonly Column<SecretRecord>[] {
  return [
    { name: 'Name', width: 'minmax(160px, 2fr)', cell: ({ name }) => <code class="strong">{name}</code> },
    { name: 'Value', width: 'minmax(100px, 1fr)', cell: (secret) => <span class="quiet">{stateOf(secret)}</span> },
    {
      name: 'Actions',
      width: '88px',
      isRight: true,
      cell: (secret) => may('overwriteSecret') && <Actions {...props} secret={secret} />,
    },
  ];
}

function useSecrets(namespace: string, folder: string, query: { readonly offset: number }) {
  const all = useLive('listSecrets', folder === '' ? { namespace } : undefined, query);
  const inside = useLive('listSecretFolder', folder === '' ? undefined : { namespace, secret: folder }, query);
  return folder === '' ? all : inside;
}

/** The names of secrets; a prefix up to a slash is a folder. */
function List(props: ListProps & { readonly folder: string }) {
  const { namespace, folder } = props;
  const from = useSignal(0);
  const { value, error } = useSecrets(namespace, folder, { offset: from.value });
  const secrets = value.value?.secrets.results;
  if (error.value !== undefined) return <ErrorNote title="The secrets cannot be listed" error={error.value} />;
  if (secrets === undefined) return <Skeleton lines={4} />;
  if (secrets.length === 0) {
    return (
      <Empty icon="secrets" title="No secrets yet">
        <p>Passwords and tokens that actions of workflows use by name. Their values are encrypted and never shown.</p>
      </Empty>
    );
  }
  return (
    <>
      <Table
        label="Secrets"
        columns={columnsFor(props)}
        rows={secrets}
        keyOf={({ name }) => name}
        hrefOf={(secret) => (isFolder(secret) ? addresses.secrets(namespace, { folder: secret.name }) : undefined)}
        narrow={(secret) => (
          <span class="two-lines">
            <code>{secret.name}</code>
            <span>{stateOf(secret)}</span>
          </span>
        )}
      />
      <Pages info={value.value?.secrets.pageInfo} count={secrets.length} from={from} />
    </>
  );
}

function Folder({ namespace, folder }: { readonly namespace: string; readonly folder: string }) {
  return (
    <span>
      In <code>{folder}</code>{' '}
      <a class="link" href={addresses.secrets(namespace)}>
        All secrets
      </a>
    </span>
  );
}

/** The secrets of a namespace: their names. */
export function SecretsPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { namespace = '' } = params;
  const folder = place.value.query.get('folder') ?? '';
  const edited = useSignal<string | undefined>(undefined);
  const close = () => into(edited)(undefined);
  const title = edited.value === '' ? 'New secret' : `Another value of ${edited.value}`;
  return (
    <div class="page">
      <Head
        title="Secrets"
        name={`Secrets of ${namespace}`}
        detail={folder !== '' && <Folder namespace={namespace} folder={folder} />}
        actions={
          may('createSecret') && (
            <Button kind="primary" icon="plus" onClick={() => into(edited)('')}>
              New secret
            </Button>
          )
        }
      />
      <List key={folder} namespace={namespace} folder={folder} onReplace={into(edited)} />
      {edited.value !== undefined && (
        <Inspector key={edited.value} title={title} label={title} onClose={close}>
          <SecretForm namespace={namespace} folder={folder} secret={edited.value} onDone={close} />
        </Inspector>
      )}
    </div>
  );
}
