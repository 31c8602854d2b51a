/**
 * An export in the environment of a worker's child process, but without the worker.
 *
 * @module
 */
import { join } from 'node:path'
import { Filling } from '../../../src/catalogue/filling.ts'
import { createContext } from '../../../src/worker/process/child/context.ts'
import { execute, loadTask } from '../../../src/worker/process/child/execution.ts'
import type { OfRun, TaskEnd } from '../../../src/worker/process/from-child.ts'
import type { Job } from '../../../src/worker/process/protocol.ts'

export type Exported = { readonly end: TaskEnd; readonly file: string | undefined }

/**
 * Exports the profile of a site.
 *
 * @param folder of the archive, which does not exist yet
 * @param hear receives all messages of the child
 */
export async function exportOf(
  origin: string,
  folder: string,
  signal: AbortSignal,
  hear: (said: OfRun) => void = () => undefined,
): Promise<Exported> {
  const job: Job = {
    runId: 'run_1',
    module: new URL('../../../plugins/photo/source.ts', import.meta.url).href,
    taskKey: 'photo.profile-download',
    input: JSON.stringify({ profile: 'robin' }),
    until: Date.now() + 3_600_000,
    exit: null,
    folder,
  }
  const loaded = await loadTask(job)
  const setup = {
    type: 'setup',
    userAgent: 'test',
    origins: { photo: origin },
    proxyUrl: null,
    watchParent: false,
  } as const
  let file: string | undefined
  const send = (said: OfRun) => {
    if (said.type === 'acquire')
      queueMicrotask(() => served.receive({ type: 'acquired', id: said.id, paused: false }))
    if (said.type === 'file') {
      file = join(folder, String(said.id))
      queueMicrotask(() => served.receive({ type: 'filed', id: said.id, error: null }))
    }
    hear(said)
  }
  const served = createContext({ job, loaded, setup, signal, send } as Parameters<typeof createContext>[0])
  const items = { add: () => undefined, take: () => ({ text: '', count: 0 }) }
  const filling = new Filling(loaded.fields)
  const done = await execute({ job, loaded, context: served.context, items, filling, again: () => undefined })
  const { end } = served.ended(done)
  return { end, file }
}
