/**
 * Finds Chromium on this machine.
 *
 * @module
 */
import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { delay } from '../../async/delay.ts'
import { isAlive } from '../../process/pid.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Names of Chromium and its derivatives on the PATH. */
const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
/** Paths inside a build downloaded by Playwright, for each system. */
const IN_BUILD = [
  join('chrome-linux', 'chrome'),
  join('chrome-mac', 'Chromium.app', 'Contents', 'MacOS', 'Chromium'),
]
const CACHE = process.platform === 'darwin' ? join('Library', 'Caches') : '.cache'

/** Instructions for a machine without Chromium, for the doctor and for logs. */
export const HOW_TO_INSTALL =
  'install it ("apt-get install chromium", or with your system\'s package manager), or set CHROMIUM_PATH'

/**
 * Finds Chromium: from CHROMIUM_PATH, else on the PATH, else the newest build in Playwright's folder.
 *
 * @param named CHROMIUM_PATH; returned unchecked, without any further search
 * @param env for PATH and PLAYWRIGHT_BROWSERS_PATH
 * @returns undefined when none is found
 */
export function findChromium(named: string | null, env: Env = process.env): string | undefined {
  if (named !== null) return named
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const onPath = PROGRAMS.flatMap((program) => folders.map((folder) => join(folder, program)))
  return [...onPath, ...playwrightBuilds(env)].find(isProgram)
}

/** Interval of checks whether an installation has ended, in milliseconds. */
const LOOK_MS = 200

/** The pid of the process that is installing Chromium, as passed by `npm start`; null when none is running. */
export function installerOf(env: Env = process.env): number | null {
  const pid = Number(env.CHROMIUM_INSTALLER)
  return Number.isInteger(pid) && pid > 0 && isAlive(pid) ? pid : null
}

/**
 * Finds Chromium like {@link findChromium}, after waiting for an installation under way: before its end the program may
 * exist without its dependencies.
 *
 * @param installer from {@link installerOf}
 * @param signal ends the wait
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

/** Whether a path is an executable file. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
