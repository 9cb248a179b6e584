import './connect.css';
import type { ConsentRequest } from '@worktrack/contracts/keys/connection';
import type { denyConnection, openConnection } from '@worktrack/contracts/keys/connections';
import type { createGrant } from '@worktrack/contracts/keys/grants';
import type { Output } from '@worktrack/contracts/operation';
import { useLayoutEffect, useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { useQuery } from '../api/query.ts';
import { isGone } from '../api/service-error.ts';
import { useSubmit } from '../parts/busy.ts';
import { Button } from '../parts/button.tsx';
import { FormFailed } from '../parts/form/form-failed.tsx';
import { ProjectChecks } from '../parts/form/project-checks.tsx';
import { SelectField } from '../parts/form/select.tsx';
import { Heading } from '../parts/page/heading.tsx';
import { Loaded } from '../parts/page/states.tsx';
import { useProjects } from '../parts/project.ts';
import type { ScreenProps } from '../screen-props.ts';
import { identity, may } from '../session.ts';
import { words } from './messages.ts';
import { PermissionSentences } from './permission-sentences.tsx';
import { problems } from './problems.ts';

const DAYS = [1, 7, 30, 90] as const;
const DEFAULT_DAYS = '30';
const YEAR_DAYS = '365';

/**
 * A press that comes so soon was meant for what was in front before. A malicious page asks for a double click, and by the second click it has opened this page,
 * or closed the window in front of it. Browsers protect their requests for permissions in the same way.
 */
const TOO_SOON_MS = 500;
let inFrontSince = 0;
const comesToFront = () => {
  inFrontSince = performance.now();
};
addEventListener('focus', comesToFront);

/** What an app asks for, and the person's answer. Nothing of it is ever decided by itself: an app that was allowed something asks again. */
export function Screen({ params: { id = '' } }: ScreenProps) {
  const opened = useQuery({
    key: ['connection', id],
    load: (signal) => call<typeof openConnection>('POST /api/connections/:id/open', { id }, { signal }),
  });
  return (
    <div class="sign-in consent panel">
      {isGone(opened.error) ? (
        <NothingToDecide />
      ) : (
        <Loaded query={opened}>
          {(answer) =>
            answer.request?.offered[0] ? <Consent request={answer.request} /> : <NothingToDecide {...answer} />
          }
        </Loaded>
      )}
    </div>
  );
}

function NothingToDecide({ request, problem, backTo }: Partial<Output<typeof openConnection>>) {
  return (
    <>
      <Heading title={words.cannot} />
      <p>{problem ? problems[problem.code] : request ? words.nothingToGive : words.isDecided}</p>
      {problem?.detail && <p class="quiet">{problem.detail}</p>}
      {backTo && (
        <div class="row">
          <a class="button" href={backTo} rel="noreferrer">
            {words.backToApp}
          </a>
        </div>
      )}
    </>
  );
}

function Consent({ request }: { readonly request: ConsentRequest }) {
  const { id, client, offered, given, missed, returnsTo } = request;
  // Reading at first; later what was decided before, and what the app has lacked since.
  const [chosen, setChosen] = useState(() =>
    offered.filter((each) => (given[0] ? [...given, ...missed].includes(each) : each.endsWith(':read'))),
  );
  const [projects, setProjects] = useState<readonly string[]>();
  const [days, setDays] = useState<string>(DEFAULT_DAYS);
  const [leavesTo, setLeavesTo] = useState<string | null>();
  const { isBusy, error, run } = useSubmit();
  useLayoutEffect(comesToFront, []);
  const isReady = !isBusy && chosen.length > 0 && projects?.length !== 0;

  const leave = ({ redirectTo }: { readonly redirectTo: string | null }) => {
    setLeavesTo(redirectTo);
    if (redirectTo) location.assign(redirectTo);
  };
  const allow = (event: Event) => {
    event.preventDefault();
    if (!isReady || event.timeStamp - inFrontSince < TOO_SOON_MS) return;
    void run(async () => {
      leave(
        await call<typeof createGrant>('POST /api/connections/:id/approve', {
          ...{ id, permissions: [...chosen], expiresInDays: Number(days) },
          ...(projects && { projects: [...projects] }),
        }),
      );
    });
  };
  const deny = () =>
    run(async () => leave(await call<typeof denyConnection>('POST /api/connections/:id/deny', { id })));

  const { name, domain, uri } = client;
  if (leavesTo !== undefined) {
    return (
      <>
        <Heading title={name} />
        <p role="status">{leavesTo === null ? words.lost : words.sentBack({ name })}</p>
      </>
    );
  }
  const { user, organization } = identity.value ?? {};
  return (
    <>
      <Heading title={words.title({ name })} />
      <div class="stack">
        <p class={domain ? undefined : 'consent-warning'}>
          {domain ? words.who({ name, domain }) : words.whoUnknown({ name })}
        </p>
        {uri && (
          <p class="quiet">
            {words.itsAddress} <code>{uri}</code>
          </p>
        )}
        <p>{words.grantor({ user: user?.name ?? '', organization: organization?.name ?? '' })}</p>
      </div>
      <form class="stack" onSubmit={allow}>
        <PermissionSentences offered={offered} chosen={chosen} missed={missed} onChoose={setChosen} />
        {may('projects:read') && <ProjectChoice chosen={projects} onChoose={setProjects} />}
        <SelectField
          label={words.ends}
          value={days}
          options={[...DAYS.map((n): [string, string] => [`${n}`, words.days({ n })]), [YEAR_DAYS, words.untilRevoked]]}
          onChoose={setDays}
        />
        <p class={returnsTo.kind === 'site' ? undefined : 'consent-warning'}>
          {words[returnsTo.kind]({ place: returnsTo.name })}
        </p>
        <FormFailed what={words.notDecided} error={error} />
        <div class="row">
          <button type="submit" class="button button-main" aria-disabled={!isReady}>
            {words.allow}
          </button>
          <Button text={words.deny} aria-disabled={isBusy} onClick={deny} />
        </div>
        <p class="quiet">{words.revocable}</p>
      </form>
    </>
  );
}

interface ProjectChoiceProps {
  /** Undefined: all. */
  readonly chosen: readonly string[] | undefined;
  readonly onChoose: (chosen: readonly string[] | undefined) => void;
}

function ProjectChoice({ chosen, onChoose }: ProjectChoiceProps) {
  const projects = useProjects().data ?? [];
  if (projects.length === 0) return null;
  return (
    <fieldset class="field">
      <legend class="label">{words.projects}</legend>
      {([undefined, []] as const).map((choice) => (
        <label key={`${choice}`} class="settings-check">
          <input
            type="radio"
            name="projects"
            checked={(chosen === undefined) === (choice === undefined)}
            onChange={() => onChoose(choice)}
          />
          {choice ? words.someProjects : words.everyProject}
        </label>
      ))}
      {chosen && <ProjectChecks chosen={chosen} onChoose={onChoose} />}
    </fieldset>
  );
}
