import { findProgram } from '@worktrack/stack/processes/find-program';
import { Progress } from '@worktrack/stack/report/progress';
import { foundOrInstalled } from '@worktrack/stack/servers/apt';
import { type Browser, chromium } from 'playwright-core';

/** The headless shell first: the same engine without the rest of a browser. `npm test -- widget/test/accessible.test.ts` takes half the CPU with it. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
/** The font is for how the Japanese form looks on a screenshot. */
const PACKAGES = ['chromium-headless-shell', 'fonts-ipafont-gothic'];

const FLAGS = [
  '--headless=new',
  // Root has no sandbox; the pages are our own.
  '--no-sandbox',
  '--disable-gpu',
  // A mouse that hovers, as Playwright says by the same flag, of which the last one counts; and as on phones, a long press drags what can be dragged.
  `--blink-settings=${[
    ...['primaryHoverType=2', 'availableHoverTypes=2', 'primaryPointerType=4', 'availablePointerTypes=4'],
    ...['touchDragDropEnabled=true', 'touchDragEndContextMenu=true'],
  ]}`,
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A name that is neither localhost nor https: what browsers call an insecure context.
  '--host-resolver-rules=MAP *.test 127.0.0.1',
];

/** For tests, which leave a page before what a browser does for long visits pays: the start of one page takes 0.48 s of CPU instead of 0.59. */
const FOR_SHORT_VISITS = [
  // No compiling, which nearly doubles what a page costs at which axe looks four times, and no collecting of garbage before there are 16 MB of it.
  '--js-flags=--no-opt,--no-maglev,--min-semi-space-size=16',
  // A process less through which each frame goes.
  '--in-process-gpu',
];

export interface ChromiumOptions {
  /** For a measurement, or a page that computes for long. */
  readonly optimizes?: boolean;
}

/**
 * A real browser with an empty profile: CHROMIUM_PATH, else one on the PATH, else Debian's, installed by the same rule as the servers.
 * @param folder where whatever it writes beside its profile goes
 */
export async function launchChromiumIn(folder: string, { optimizes = false }: ChromiumOptions = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? (await needChromium()),
    args: optimizes ? FLAGS : [...FLAGS, ...FOR_SHORT_VISITS],
    env: { ...process.env, HOME: folder, TMPDIR: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder },
  });
}

function needChromium(): Promise<string> {
  return foundOrInstalled(
    () => NAMES.map(findProgram).find((path) => path !== undefined),
    PACKAGES,
    'Chromium',
    new Progress(process.stderr),
    'Otherwise set CHROMIUM_PATH to a Chromium or Chrome that is there already.',
  );
}
