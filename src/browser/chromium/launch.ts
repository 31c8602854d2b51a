/**
 * Starts Chromium, driven over a pipe. It exits when the pipe closes, and so ends with the process that started it.
 *
 * @module
 */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Browser, BrowserType } from 'rebrowser-playwright'
import { delay } from '../../async/delay.ts'
import { inherited } from '../../process/spawn.ts'
import { flagsFor, profileOf } from './flags.ts'

const WRAPPER = fileURLToPath(new URL('./chromium.sh', import.meta.url))

/** Time limit of a start, in milliseconds. */
const START_MS = 30_000
/** Attempts to remove a folder, and milliseconds between them. */
const REMOVALS = 100
const REMOVE_MS = 50

/**
 * Starts Chromium in a temporary folder, which is removed after it ends.
 *
 * @param executable from `findChromium`
 * @throws when it does not start
 */
export async function launchChromium(executable: string): Promise<Browser> {
  const agent = await userAgentOf(executable)
  // Loaded lazily, since it is large and most processes never need it.
  const { chromium } = await import('rebrowser-playwright')
  leaveNoTraces()
  const folder = mkdtempSync(join(tmpdir(), 'gleaner-chromium-'))
  try {
    const profile = join(profileOf(folder), 'Default')
    mkdirSync(profile, { recursive: true })
    writeFileSync(join(profile, 'Preferences'), JSON.stringify(PREFERENCES))
    const browser = await chromium.launch({
      executablePath: '/bin/sh',
      args: [WRAPPER, folder, executable, ...flagsFor(agent, folder)],
      ignoreDefaultArgs: true,
      env: { ...inherited(), TMPDIR: folder, XDG_CONFIG_HOME: folder },
      timeout: START_MS,
      // The owning process decides when the browser ends.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    })
    // Playwright kills the whole process group, including the wrapper, which then can't remove the folder.
    const removeNow = () => removeBeforeExit(folder)
    process.once('exit', removeNow)
    browser.once('disconnected', () => void remove(folder).then(() => process.off('exit', removeNow)))
    removeUnused(chromium, browser)
    return browser
  } catch (error) {
    await remove(folder)
    throw error
  }
}

/**
 * Restricts pages to the web. For other addresses Chromium would start a program of this machine, or ask about that in
 * a window that nobody sees and block the page until the question is answered. WebRTC would send datagrams to any
 * address, past the proxy; the name of the flag for this has changed between versions.
 */
const PREFERENCES = {
  webrtc: { ip_handling_policy: 'disable_non_proxied_udp' },
  policy: {
    url_blocklist: ['*'],
    url_allowlist: ['http://*', 'https://*', 'about:*', 'blob:*', 'data:*'],
  },
}

/** Tries to remove a folder. @returns whether it is gone */
function removed(folder: string): boolean {
  try {
    rmSync(folder, { recursive: true, force: true })
    return true
  } catch {
    // A process wrote into the folder during the removal.
    return false
  }
}

function removeBeforeExit(folder: string): void {
  const clock = new Int32Array(new SharedArrayBuffer(4))
  for (let tries = 0; tries < REMOVALS && !removed(folder); tries++) Atomics.wait(clock, 0, 0, REMOVE_MS)
}

/** Removes a folder, with retries: a killed browser may write for another moment. */
async function remove(folder: string): Promise<void> {
  for (let tries = 0; tries < REMOVALS && !removed(folder); tries++) await delay(REMOVE_MS)
}

/** Removes two unused folders of Playwright, which would remain if this process is killed. */
function removeUnused(chromium: BrowserType, browser: Browser): void {
  type Inner = { readonly options: { readonly artifactsDir: string }; readonly _userDataDirForTest: string }
  const { _connection } = chromium as unknown as { _connection: { toImpl(of: Browser): Inner } }
  const { options, _userDataDirForTest } = _connection.toImpl(browser)
  for (const path of [options.artifactsDir, _userDataDirForTest])
    rmSync(path, { recursive: true, force: true })
}

/**
 * Stops Playwright from adding globals to every document, by which sites detect it. They are not needed here: script.ts
 * evaluates expressions in another way.
 */
function leaveNoTraces(): void {
  const require = createRequire(import.meta.url)
  const core = createRequire(require.resolve('rebrowser-playwright')).resolve('playwright-core')
  const { Page } = require(join(dirname(core), 'lib', 'server', 'page.js')) as {
    readonly Page: { readonly prototype: { allInitScripts: () => unknown[] } }
  }
  Page.prototype.allInitScripts = () => []
}

/**
 * The user agent of this Chromium in headful mode. Its default one reveals that it is headless. Chrome names no other
 * processors than these two since version 107, on ARM too, and its `navigator.platform` says the same.
 */
async function userAgentOf(executable: string): Promise<string> {
  const { stdout } = await promisify(execFile)(executable, ['--version'], { timeout: START_MS })
  const major = /(\d+)\.\d+\.\d+\.\d+/.exec(stdout)?.[1]
  if (major === undefined) throw new Error(`${executable} reported no version of Chromium: ${stdout.trim()}`)
  const system = process.platform === 'darwin' ? 'Macintosh; Intel Mac OS X 10_15_7' : 'X11; Linux x86_64'
  return `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36`
}
