import type { ConfigReply } from '../../../clients/api/operations.ts';
import { call } from '../../data/api/client.ts';
import { useEdit } from '../../data/api/edit.ts';
import { may } from '../../data/api/session.ts';
import { into, useTask } from '../../data/api/task.ts';
import { SelectField, Switch, TextField } from '../../parts/field/field.tsx';
import { Form } from '../../parts/form/form.tsx';
import { Section } from '../../parts/head/head.tsx';
import { say } from '../../parts/toast/toast.tsx';
import type { PartProps } from './part.ts';

type Server = NonNullable<ConfigReply['mail']>;

/** The settings as the fields have them; an empty text is the default. */
interface Fields extends Readonly<Record<Field, string>> {
  readonly tls: NonNullable<Server['tls']> | '';
  readonly insecure: boolean;
}

type Field = 'host' | 'port' | 'user' | 'password' | 'from';

const FIELDS = {
  host: { label: 'Host', hint: 'Its name or address. Empty: no server' },
  port: { label: 'Port', hint: 'Empty: 587', type: 'number' },
  user: { label: 'Secret with the user', hint: 'The name of a secret. Empty: no login' },
  password: { label: 'Secret with the password', hint: 'The name of a secret' },
  from: { label: 'Sender', hint: 'Of mails that have none, such as Shop <shop@example.com>' },
} as const;

const TLS = [
  { value: '', label: 'by the port and the server' },
  { value: 'starttls', label: 'STARTTLS' },
  { value: 'implicit', label: 'from the start' },
] as const;

function fieldsOf(server: Partial<Server> = {}): Fields {
  const { host = '', port = '', tls = '', user = '', password = '', from = '', insecure = false } = server;
  return { host, port: String(port), user, password, from, tls, insecure };
}

const changesOf = ({ port, tls, insecure, ...texts }: Fields) => ({
  ...texts,
  port: port === '' ? null : Number(port),
  tls: tls === '' ? null : tls,
  insecure: insecure ? true : null,
});

interface FieldProps {
  readonly values: Fields;
  readonly set: (change: Partial<Fields>) => void;
}

const OneField = ({ name, values, set }: FieldProps & { readonly name: Field }) => (
  <TextField isCode value={values[name]} onInput={(text) => set({ [name]: text })} {...FIELDS[name]} />
);

/** The fields of a server that has a host. */
function ServerFields({ values, set }: FieldProps) {
  const chooseTls = (tls: string) => set({ tls: tls as Fields['tls'] });
  return (
    <>
      <OneField name="port" {...{ values, set }} />
      <SelectField label="TLS" value={values.tls} choices={TLS} onChange={chooseTls} />
      <OneField name="user" {...{ values, set }} />
      <OneField name="password" {...{ values, set }} />
      <OneField name="from" {...{ values, set }} />
      <div class="field">
        <Switch
          label="Accept any certificate, and a login without TLS"
          isOn={values.insecure}
          onChange={(insecure) => set({ insecure })}
        />
      </div>
    </>
  );
}

/** The server that sends the mails of functions without a server of their own. */
export function Mail({ namespace, config }: PartProps) {
  const settings = config.value.value;
  const edit = useEdit(fieldsOf(settings?.mail), settings);
  const values = edit.value.value;
  const task = useTask();
  const set = (change: Partial<Fields>) => into(edit.value)({ ...edit.value.peek(), ...change });
  const isOn = values.host !== '';
  const store = async (mail: Fields) => {
    await call('setConfig', { namespace }, { body: { mail: isOn ? changesOf(mail) : {} } });
    say(isOn ? 'Stored' : 'Removed');
    config.reload();
  };
  return (
    <Section title="Mail server">
      <p class="settings-words">Sends the mails of functions of the type mail that have no server of their own.</p>
      <Form
        task={task}
        look="bar-form"
        work={() => edit.store(store)}
        act={isOn || settings?.mail === undefined ? 'Store' : 'Remove'}
        kind="plain"
        isOffered={may('setConfig')}
        isDisabled={!edit.isChanged.value}
        failure="Nothing was changed"
      >
        <OneField name="host" {...{ values, set }} />
        {isOn && <ServerFields {...{ values, set }} />}
      </Form>
    </Section>
  );
}
