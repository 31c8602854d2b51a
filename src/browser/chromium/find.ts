/**
 * Where Chromium is on this machine.
 *
 * @module
 */
import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { delay } from '../../async/delay.ts'
import { isAlive } from '../../process/pid.ts'

type Env = Readonly<Record<string, string | undefined>>

/** The names that Chromium and what is made of it have on the PATH. */
const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
/** Inside a build that Playwright has downloaded, by system. */
const IN_BUILD = [
  join('chrome-linux', 'chrome'),
  join('chrome-mac', 'Chromium.app', 'Contents', 'MacOS', 'Chromium'),
]
const CACHE = process.platform === 'darwin' ? join('Library', 'Caches') : '.cache'

/** What to do where there is none; for the doctor and for logs. */
export const HOW_TO_INSTALL =
  'install it ("apt-get install chromium", or your system\'s way), or set CHROMIUM_PATH'

/**
 * Finds Chromium: the one that CHROMIUM_PATH names, else one on the PATH, else the newest in Playwright's folder.
 *
 * @param named CHROMIUM_PATH; it is taken as it is, and no other is looked for
 * @param env for PATH and PLAYWRIGHT_BROWSERS_PATH
 * @returns undefined when there is none
 */
export function findChromium(named: string | null, env: Env = process.env): string | undefined {
  if (named !== null) return named
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const onPath = PROGRAMS.flatMap((program) => folders.map((folder) => join(folder, program)))
  return [...onPath, ...playwrightBuilds(env)].find(isProgram)
}

/** How often it is looked whether an installation has ended, in milliseconds. */
const LOOK_MS = 200

/** The process that installs Chromium beside this one, which `npm start` names; null when none does. */
export function installerOf(env: Env = process.env): number | null {
  const pid = Number(env.CHROMIUM_INSTALLER)
  return Number.isInteger(pid) && pid > 0 && isAlive(pid) ? pid : null
}

/**
 * Finds Chromium, as {@link findChromium} does. An installation that is under way is waited for: until its end the
 * program may be there without what it needs.
 *
 * @param installer from {@link installerOf}
 * @param signal it is not waited for any more
 */
export async function chromiumWhenInstalled(
  named: string | null,
  installer: number | null,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (named === null && installer !== null)
    while (isAlive(installer) && !signal.aborted) await delay(LOOK_MS, signal)
  return findChromium(named)
}

function playwrightBuilds(env: Env): string[] {
  const folder = env.PLAYWRIGHT_BROWSERS_PATH || join(homedir(), CACHE, 'ms-playwright')
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return []
  const builds = readdirSync(folder).filter((name) => /^chromium-\d+$/.test(name))
  builds.sort((a, b) => Number(b.slice(9)) - Number(a.slice(9)))
  return builds.flatMap((build) => IN_BUILD.map((path) => join(folder, build, path)))
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
