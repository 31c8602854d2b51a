/**
 * A dry run: one run of a task in this process, without a server. It makes its requests through the HTTP client, at the
 * source's pace, and is checked and limited as in a worker's child process, except for its memory.
 *
 * @module
 */
import { once } from 'node:events'
import { delay } from '../../src/async/delay.ts'
import { Browsers } from '../../src/browser/host/browsers.ts'
import { ServedPages } from '../../src/browser/host/served-pages.ts'
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { hasKinds } from '../../src/catalogue/fields.ts'
import { Filling } from '../../src/catalogue/filling.ts'
import { type Config, credentialsOf } from '../../src/config.ts'
import { anyExit } from '../../src/net/exits/exits.ts'
import { paceSettingsOf } from '../../src/net/pace.ts'
import { RateLimiter } from '../../src/net/rate-limiter.ts'
import type { Observer } from '../../src/net/transport/observer.ts'
import { createMemory } from '../../src/plugin/run/memory.ts'
import { userAgentOf } from '../../src/version.ts'
import { createContext } from '../../src/worker/process/child/context.ts'
import { execute, NO_FETCH, type Sink } from '../../src/worker/process/child/execution.ts'
import type { TaskEnd } from '../../src/worker/process/from-child.ts'
import type { Job } from '../../src/worker/process/protocol.ts'
import { type File, Parent, type RunReport } from './parent.ts'

export type DryRunOptions = {
  readonly task: CatalogueTask
  /** valid, as canonical JSON */
  readonly input: string
  readonly config: Pick<Config, 'contact' | 'sourceOrigins' | 'sourceSettings' | 'ways' | 'sourceWays'>
  /** from `findChromium` */
  readonly chromium: string | undefined
  /** where the run's files are written */
  readonly folder: string
  /** stops the run early; its items so far are kept */
  readonly signal: AbortSignal
  readonly observer: Observer
  /** shared by runs that follow one another; default one for this run */
  readonly rateLimiter?: RateLimiter | undefined
  /** called with the run's progress */
  readonly hear: (report: RunReport) => void
}

export type DryRunResult = {
  readonly end: TaskEnd | { readonly status: 'expired' }
  /** each as JSON */
  readonly items: readonly string[]
  readonly files: readonly File[]
  /** how many further blocks of the price a service would charge */
  readonly blocks: number
  readonly ms: number
}

/** A plugin that ignores its signal is abandoned after this time, in milliseconds. */
const GRACE_MS = 1000

/** Runs a task to its end. Never throws: a plugin's failure is an end of the run. */
export async function dryRun(options: DryRunOptions): Promise<DryRunResult> {
  const { task, input, config, chromium, folder, observer, hear } = options
  const { rateLimiter = new RateLimiter(undefined, paceSettingsOf(config)) } = options
  const origins = Object.fromEntries(config.sourceOrigins)
  const exit = anyExit(config, task.source.name)
  const began = Date.now()
  const until = began + task.runLimitS * 1000
  const credentials = credentialsOf(config, task.source.name, task.source.credentials)
  const job: Job = {
    runId: 'run_dry_run',
    module: task.module,
    taskKey: task.key,
    input,
    until,
    folder,
    exit,
    ...(credentials && { credentials }),
  }
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), until - began)
  const signal = AbortSignal.any([options.signal, limit.signal])
  const items: string[] = []
  const browsers = new Browsers({
    executable: () => chromium,
    origins,
    most: 1,
    onFailure: (error) => hear({ type: 'log', message: `the browser failed: ${error}`, fields: {} }),
  })
  const pages = new ServedPages(browsers, task.source, { observer, exit })
  const parent: Parent = new Parent(
    task.source,
    folder,
    until,
    pages,
    (answer) => served.receive(answer),
    hear,
    rateLimiter,
  )
  const served = createContext({
    job,
    loaded: task,
    setup: { type: 'setup', watchParent: false, origins, userAgent: userAgentOf(config) },
    signal,
    send: (message) => parent.receive(message),
    // A recording of a run that profited from an earlier one would lack answers.
    memory: createMemory(Date.now),
    observer,
  })
  const { fetch } = globalThis
  globalThis.fetch = NO_FETCH
  try {
    const run = execute({
      job,
      loaded: task,
      context: served.context,
      items: sinkOf(items),
      filling: new Filling(task.fields, hasKinds(task.declaration)),
      again: served.again,
    })
    const { end } = served.ended(await Promise.race([run, graceAfter(signal)]))
    return {
      end: end.status === 'stopped' && limit.signal.aborted ? { status: 'expired' } : end,
      items,
      files: parent.files,
      blocks: parent.blocks.size,
      ms: Date.now() - began,
    }
  } finally {
    globalThis.fetch = fetch
    clearTimeout(timer)
    await pages.close()
    await browsers.stop()
  }
}

/** Collects the items in memory. Items of an earlier attempt are dropped. */
const sinkOf = (items: string[]): Sink => ({
  add(text) {
    items.push(text)
    return undefined
  },
  take: () => ({ text: '', count: items.splice(0).length }),
})

/** Resolves {@link GRACE_MS} after the signal. */
async function graceAfter(signal: AbortSignal): Promise<TaskEnd> {
  if (!signal.aborted) await once(signal, 'abort')
  await delay(GRACE_MS)
  return { status: 'stopped' }
}
