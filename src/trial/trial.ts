/**
 * One run of a task in this process, without a server: through the door, at the source's pace, checked and limited as
 * in a worker's child process, but for its memory.
 *
 * @module
 */
import { Browsers } from '../browser/browsers.ts'
import { ServedPages } from '../browser/served.ts'
import type { CatalogueTask } from '../catalogue/catalogue.ts'
import { createContext } from '../worker/child/context.ts'
import { execute, NO_FETCH, type Sink } from '../worker/child/execution.ts'
import { Filling } from '../worker/child/filling.ts'
import type { Witness } from '../worker/door/witness.ts'
import type { End, Job, Setup } from '../worker/protocol.ts'
import { type File, Parent, type Told } from './parent.ts'

export type TrialOptions = {
  readonly task: CatalogueTask
  /** valid, as canonical JSON */
  readonly input: string
  readonly setup: Pick<Setup, 'userAgent' | 'origins'>
  readonly proxyUrl: string | null
  /** from `findChromium` */
  readonly chromium: string | undefined
  /** where its files are written */
  readonly folder: string
  /** ends it early; what it has brought is kept */
  readonly signal: AbortSignal
  readonly witness: Witness
  /** hears how it goes on */
  readonly hear: (told: Told) => void
}

export type Tried = {
  readonly end: End | { readonly status: 'expired' }
  /** each as JSON */
  readonly items: readonly string[]
  readonly files: readonly File[]
  /** how many further blocks of the price a service would have charged */
  readonly blocks: number
  readonly ms: number
}

/** A plugin that does not heed its signal is given up so long after it, in milliseconds. */
const GRACE_MS = 1000

/** Runs a task to its end. Never throws: whatever the plugin does is an end. */
export async function tryTask(options: TrialOptions): Promise<Tried> {
  const { task, input, setup, proxyUrl, chromium, folder, witness, hear } = options
  const began = Date.now()
  const until = began + task.runLimitS * 1000
  const job: Job = { runId: 'run_trial', module: task.module, taskKey: task.key, input, until, folder }
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), until - began)
  const signal = AbortSignal.any([options.signal, limit.signal])
  const items: string[] = []
  const browsers = new Browsers({
    executable: chromium,
    origins: setup.origins,
    proxyUrl,
    most: 1,
    onFailure: (error) => hear({ type: 'log', message: `the browser failed: ${error}`, fields: {} }),
  })
  const pages = new ServedPages(browsers, task.source, { witness })
  const parent: Parent = new Parent(task.source, until, pages, (answer) => served.receive(answer), hear)
  const served = createContext({
    job,
    loaded: task,
    setup: { type: 'setup', watchParent: false, proxied: proxyUrl !== null, ...setup },
    signal,
    send: (said) => parent.receive(said),
    witness,
  })
  const again = (reason: string) => hear({ type: 'again', reason })
  const patience = patienceAfter(signal)
  const { fetch } = globalThis
  globalThis.fetch = NO_FETCH
  try {
    const run = execute({
      job,
      loaded: task,
      context: served.context,
      items: sinkOf(items),
      filling: new Filling(task.columns),
      again,
    })
    const end = served.told(await Promise.race([run, patience.over]))
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
    patience.end()
    served.close()
    await parent.stop()
    await browsers.stop()
  }
}

/** Items stay here; those of a try before are dropped. */
const sinkOf = (items: string[]): Sink => ({
  add(text) {
    items.push(text)
    return undefined
  },
  flush: async () => {},
  take: () => ({ text: '', count: items.splice(0).length }),
})

/** Over a while after the signal. */
function patienceAfter(signal: AbortSignal): { readonly over: Promise<End>; end(): void } {
  const { promise, resolve } = Promise.withResolvers<End>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const begin = () => {
    timer = setTimeout(() => resolve({ status: 'stopped' }), GRACE_MS)
  }
  if (signal.aborted) begin()
  else signal.addEventListener('abort', begin, { once: true })
  return {
    over: promise,
    end() {
      clearTimeout(timer)
      signal.removeEventListener('abort', begin)
    },
  }
}
