/**
 * The doctor's checks of what Gleaner works with: browser, back ends, plugins.
 *
 * @module
 */
import { spawnSync } from 'node:child_process'
import { findChromium, HOW_TO_INSTALL } from '../browser/find.ts'
import { loadCatalogue, PLUGINS } from '../catalogue/load.ts'
import type { Config } from '../config.ts'
import { probesOf } from '../stores.ts'
import type { Finding } from './doctor.ts'

/** Chromium and its version; only some tasks need it. */
export function browser({ chromiumPath }: Config): Finding {
  const what = 'browser'
  const path = findChromium(chromiumPath)
  if (path === undefined) {
    return {
      level: 'warn',
      what,
      words: `no Chromium, so tasks that need a browser fail: ${HOW_TO_INSTALL}`,
    }
  }
  const { status, stdout, error } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 10_000 })
  if (status === 0) return { level: 'ok', what, words: `${stdout.trim()} (${path})` }
  return {
    level: 'fail',
    what,
    words: `${path} does not run: ${error?.message ?? `it ended with ${status}`}`,
  }
}

/** Whether each back end that is set does its work. */
export async function backEnds(config: Config): Promise<Finding[]> {
  const findings = [...probesOf(config)].map(async ([what, probe]): Promise<Finding> => {
    try {
      return { level: 'ok', what, words: await probe() }
    } catch (error) {
      return { level: 'fail', what, words: (error as Error).message }
    }
  })
  if (findings.length > 0) return Promise.all(findings)
  return [{ level: 'ok', what: 'back ends', words: 'embedded' }]
}

/** The tasks that plugins bring, and each plugin that could not be loaded. */
export async function catalogue(config: Config): Promise<Finding[]> {
  const { tasks, failures } = await loadCatalogue({ folders: [PLUGINS], config })
  const sources = new Set(tasks.map(({ source }) => source.name)).size
  const failed = failures.map(
    ({ folder, reason }): Finding => ({ level: 'fail', what: 'plugin', words: `${folder}: ${reason}` }),
  )
  return [
    {
      level: tasks.length > 0 ? 'ok' : 'fail',
      what: 'tasks',
      words: `${tasks.length} of ${sources} sources`,
    },
    ...failed,
  ]
}
