/**
 * The doctor's checks of browser, back ends and plugins.
 *
 * @module
 */
import { withTimeout } from '../../async/delay.ts'
import { findChromium, HOW_TO_INSTALL } from '../../browser/chromium/find.ts'
import { launchChromium } from '../../browser/chromium/launch.ts'
import type { Catalogue, CatalogueTask } from '../../catalogue/catalogue.ts'
import { loginNeed } from '../../catalogue/login-need.ts'
import type { Config } from '../../config.ts'
import { probesOf } from '../../stores.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

/** How long Chromium may take to start and to load a page, in milliseconds. */
const BROWSER_MS = 30_000

/** Whether Chromium starts and loads a page; only some tasks need it. */
export async function browser({ chromiumPath }: Config): Promise<Finding> {
  const what = 'browser'
  const path = findChromium(chromiumPath)
  if (path === undefined)
    return warn(what, `no Chromium, so tasks that need a browser fail: ${HOW_TO_INSTALL}`)
  try {
    const late = () => new Error(`no page was loaded within ${BROWSER_MS / 1000} s`)
    const version = await withTimeout(BROWSER_MS, loadPage(path), late)
    return ok(what, `Chromium ${version} loads pages (${path})`)
  } catch (error) {
    return fail(what, `${path} ${whyNot((error as Error).message)}`)
  }
}

/** @returns the browser's version */
async function loadPage(path: string): Promise<string> {
  const chromium = await launchChromium(path)
  try {
    const page = await chromium.newPage()
    await page.goto('data:text/html,<p>here</p>')
    return chromium.version()
  } finally {
    await chromium.close()
  }
}

/** Explains a failed start of Chromium. A failed sandbox is recognized in its output and gets its own advice. */
const whyNot = (message: string): string =>
  /no usable sandbox|failed to move to new namespace|setuid sandbox/i.test(message)
    ? 'does not start: it cannot create a sandbox. In a container, use seccomp.json of this project (docs/operations.md, Containers); elsewhere, the system must allow this user to create user namespaces'
    : `does not work: ${message.split('\n').slice(0, 3).join(' ')}`

/** Whether each configured back end works. */
export async function backEnds(config: Config): Promise<Finding[]> {
  const findings = [...probesOf(config)].map(([what, probe]) =>
    probe().then(
      (words) => ok(what, words),
      (error: Error) => fail(what, error.message),
    ),
  )
  return findings.length > 0 ? Promise.all(findings) : [ok('back ends', 'embedded')]
}

/** The tasks of all plugins, and each plugin that could not be loaded. */
export function catalogue({ tasks, failures }: Catalogue): Finding[] {
  const sources = new Set(tasks.map(({ source }) => source.name)).size
  const failed = failures.map(({ folder, reason }) => fail('plugin', `${folder}: ${reason}`))
  return [(tasks.length > 0 ? ok : fail)('tasks', `${tasks.length} of ${sources} sources`), ...failed]
}

/** Whether tasks are tried each day, and which of them only with a login of the account `canary`. */
export function canary(config: Config, tasks: readonly CatalogueTask[]): Finding {
  const what = 'canary'
  if (config.canary === 'off')
    return warn(what, 'off: a source that breaks is noticed only when a run of somebody fails (CANARY=daily)')
  const keys = tasks.filter((task) => loginNeed(config, task) === 'needed').map(({ key }) => key)
  const words = `daily, ${tasks.length} tasks`
  return ok(
    what,
    keys.length > 0 ? `${words}; only with a login of the account canary: ${keys.join(', ')}` : words,
  )
}
