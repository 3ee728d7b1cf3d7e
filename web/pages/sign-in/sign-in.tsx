import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { clientWith } from '../../data/api/client.ts';
import { findIssuer, type Issuer, leaveFor } from '../../data/api/issuer.ts';
import { farewell, refusedLink, signIn, signOut } from '../../data/api/session.ts';
import { into, useTask } from '../../data/api/task.ts';
import { Button } from '../../parts/button/button.tsx';
import { TextField } from '../../parts/field/field.tsx';
import { Logo } from '../../parts/icon/logo.tsx';
import { ErrorNote } from '../../parts/note/note.tsx';

const PRINTABLE = /^[\x21-\x7e]+$/;

/** The reason why a text cannot be a key; undefined if it can. */
function problemOf(text: string): string | undefined {
  if (text === '') return 'Paste a key first';
  return PRINTABLE.test(text) ? undefined : 'A key has only letters, digits and signs';
}

function Help() {
  return (
    <div class="sign-in-help">
      <p>
        <code>weft dev</code> prints a link that signs in, <code>npm start</code> the administrator’s key. A deployment
        prints the command that shows it, as the output <code>ShowKey</code>.
      </p>
      <p>The key stays in this tab and is forgotten when the tab is closed.</p>
    </div>
  );
}

/** Offers the sign-in at the issuer of the service, if it has one. */
function IssuerButton() {
  const issuer = useSignal<Issuer | undefined>(undefined);
  const finding = useTask();
  const leaving = useTask();
  useEffect(() => {
    void finding.run(async () => {
      issuer.value = await findIssuer();
    });
  }, [finding, issuer]);
  const { value: found } = issuer;
  const failure = leaving.error.value ?? finding.error.value;
  return (
    <>
      {failure !== undefined && <ErrorNote title="The sign-in at the issuer is not possible" error={failure} />}
      {found !== undefined && (
        <>
          <Button kind="primary" isBusy={leaving.isBusy.value} onClick={() => void leaving.run(() => leaveFor(found))}>
            Sign in with {new URL(found.issuer).host}
          </Button>
          <p class="sign-in-or">or with a key</p>
        </>
      )}
    </>
  );
}

/** Asks for a key or a sign-in at the issuer, and begins a session with it. */
export function SignInForm({ children }: { readonly children: ComponentChildren }) {
  const secret = useSignal('');
  const problem = useSignal<string | undefined>(undefined);
  const task = useTask();
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const text = secret.value.trim();
    problem.value = problemOf(text);
    if (problem.value === undefined) void task.run(async () => signIn(text, await clientWith(text).call('getOwnKey')));
  };
  return (
    <form class="sign-in-form" onSubmit={submit}>
      {children}
      {farewell.value !== '' && (
        <ErrorNote title="The session ended" error={{ message: farewell.value, status: 401 }} />
      )}
      {refusedLink.value !== undefined && (
        <ErrorNote title="The sign-in failed" error={{ message: refusedLink.value, status: 401 }} />
      )}
      <IssuerButton />
      <TextField
        label="Key"
        type="password"
        isCode
        hasFocus
        autocomplete="current-password"
        value={secret.value}
        error={problem.value ?? task.error.value?.message}
        onInput={into(secret)}
      />
      <Button kind="primary" type="submit" isBusy={task.isBusy.value}>
        Sign in
      </Button>
    </form>
  );
}

/** The sign-in with a key, which is stored in this tab. */
export function SignInPage() {
  useEffect(() => {
    document.title = 'Sign in · Weft';
  }, []);
  return (
    <main class="sign-in">
      <SignInForm>
        <div class="sign-in-brand">
          <Logo size={28} />
          <h1>Weft</h1>
        </div>
      </SignInForm>
      <Help />
    </main>
  );
}

/** The sign-in in front of a page whose key was rejected; the page is hidden, and typed texts stay. */
export function SignInAgain() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      class="sign-in-again"
      ref={dialog}
      aria-label="Sign in again"
      onCancel={(event) => event.preventDefault()}
      // Keys must not reach the page behind.
      onKeyDown={(event) => event.stopPropagation()}
    >
      <SignInForm>
        <h2>Sign in again</h2>
        <p>
          The page and what you have typed are kept: with another key they are shown again. A key that may do less than
          the one before begins anew.
        </p>
      </SignInForm>
      <Button kind="bare" icon="out" onClick={() => signOut()}>
        Leave the page
      </Button>
    </dialog>
  );
}
