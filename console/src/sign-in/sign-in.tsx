import './sign-in.css';
import type { InvitationEnd } from '@worktrack/contracts/keys/invitations';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { ServiceError } from '../api/service-error.ts';
import { Button } from '../parts/button.tsx';
import { Heading } from '../parts/page/heading.tsx';
import { Loading, Refused, said } from '../parts/page/states.tsx';
import { tell } from '../parts/popup/toasts.tsx';
import { codeHere, hasCode, identity, signIn } from '../session.ts';
import { words } from './messages.ts';

/** Once read, it is removed from the address, the history and anything that copies them. */
function takeCode(): string | null {
  const code = codeHere();
  if (code) history.replaceState(null, '', location.pathname + location.search);
  return code;
}

/** With the code in a link, without a click, unless somebody is signed in: a stranger's link would have them work for the stranger. Else with an API key that is pasted. */
export function SignIn({ ended }: { readonly ended: boolean }) {
  const [code] = useState(takeCode);
  const [instead, setInstead] = useState(code && identity.peek()?.user.name);
  const [refusal, setRefusal] = useState<string>();
  const [fault, setFault] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  // What had the focus is gone.
  useEffect(() => {
    if (ended) field.current?.focus();
  }, [ended]);
  useEffect(() => {
    if (!code || instead) return;
    signIn({ code })
      // Nobody has asked for a stranger's account.
      .then(() => {
        const { user, organization } = identity.peek() ?? {};
        if (user && organization) tell(words.signedInAs({ name: user.name, organization: organization.name }));
      })
      .catch((error) => {
        const why = refusalOf(error);
        setRefusal(why);
        if (identity.peek()) tell(why);
      })
      .finally(() => {
        hasCode.value = false;
      });
  }, [code, instead]);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const apiKey = field.current?.value.trim();
    if (!apiKey || isBusy) return field.current?.focus();
    setBusy(true);
    try {
      await signIn({ apiKey });
    } catch (error) {
      setFault(error);
      field.current?.select();
    } finally {
      setBusy(false);
    }
  };

  if (instead) {
    return (
      <main class="sign-in panel stack">
        <Heading title={words.title} />
        <p>{words.instead({ name: instead })}</p>
        <Button look="main" text={words.title} onClick={() => setInstead(undefined)} />
        <Button
          text={words.stay}
          onClick={() => {
            hasCode.value = false;
          }}
        />
      </main>
    );
  }
  if (code && !refusal) {
    return (
      <main class="sign-in">
        <Heading title={words.title} />
        <Loading what={words.byCode} />
      </main>
    );
  }
  return (
    <main class="sign-in panel">
      <Heading title={words.title} />
      {ended && (
        <p id={`${id}-ended`} role="status">
          {words.ended}
        </p>
      )}
      {refusal && (
        <p role="alert" class="field-error">
          {refusal}
        </p>
      )}
      {!refusal && <p class="quiet">{words.byLink}</p>}
      <form class="stack" onSubmit={submit}>
        <div class="field">
          <label for={id}>{words.key}</label>
          <input
            ref={field}
            id={id}
            class="input"
            type="password"
            name="apiKey"
            autocomplete="off"
            spellcheck={false}
            aria-invalid={fault !== undefined}
            aria-describedby={`${id}-ended ${id}-help ${id}-fault`}
          />
          <p id={`${id}-help`} class="field-help">
            {words.keyHelp}
          </p>
          <p id={`${id}-fault`} class="field-error" role="alert">
            {fault !== undefined && (
              <>
                {words.keyRefused} <Refused {...said(fault)} />
              </>
            )}
          </p>
        </div>
        <button type="submit" class="button button-main" aria-disabled={isBusy}>
          {words.title}
        </button>
      </form>
    </main>
  );
}

/** What has become of the link, in the language of the page, and what to do about it. */
function refusalOf(error: unknown): string {
  if (!(error instanceof ServiceError) || error.code !== 'API_KEY_INVALID') return said(error).text;
  const end = error.details.find(({ path }) => path === 'invitation')?.message as InvitationEnd | undefined;
  return end ? `${words[end]} ${words.askAnother}` : `${words.codeRefused} ${words.anotherLink}`;
}
