/**
 * Completes a capture, which has the last answers of a run only, so that the run can be repeated from its start.
 *
 * @module
 */
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import type { Cassette, Exchange } from '../../src/plugin/testing.ts'
import { type Replayed, replayed } from './replay.ts'

/** A cassette with the run on it. */
export type CompleteRun = {
  readonly cassette: Cassette
  readonly run: Replayed
  /** the last request of the capture, if the run succeeds without it: then it says nothing about the capture */
  readonly unasked: string | null
}

/**
 * Runs the task on a cassette. When it has no answer to a request, those of an old recording are added as far as the run
 * uses them. When these do not suffice, because the old run had another input, the answers serve any query and body of
 * their addresses. The cassette's note says what was done; if nothing helps, the cassette stays as it is.
 *
 * @param at the time of the run, in milliseconds since 1970
 */
export async function complete(
  task: CatalogueTask,
  cassette: Cassette,
  old: Cassette | undefined,
  at: number,
): Promise<CompleteRun> {
  const run = await replayed(task, cassette, at, INCOMPLETE)
  const last = cassette.exchanges.at(-1)
  const unasked = run.code !== null || last === undefined || run.used.has(last) ? null : last.request
  if (run.code !== 'no-answer') return { cassette, run, unasked }
  for (const change of [(exchange: Exchange) => exchange, withoutQuery]) {
    const own = cassette.exchanges.map(change)
    const spare = (old?.exchanges ?? []).map(change)
    const whole = await replayed(task, { ...cassette, exchanges: [...own, ...spare] }, at, INCOMPLETE)
    // Without the answer that broke the run, the old recording alone would be read, and show no fault.
    if (!TELLING.has(whole.code) || (whole.code === null && !whole.used.has(own.at(-1)!))) continue
    const used = spare.filter((exchange) => whole.used.has(exchange))
    const note = [
      cassette.note,
      used.length > 0 && `From an old recording: ${used.map(({ request }) => request).join(', ')}.`,
      change === withoutQuery && 'The answers serve any query and body of their addresses.',
    ]
    const exchanges = [...own, ...used]
    return {
      cassette: { ...cassette, note: note.filter(Boolean).join(' '), exchanges },
      run: whole,
      unasked: null,
    }
  }
  return { cassette, run, unasked: null }
}

/** The run of a capture broke, so nobody knows the answers after it. */
const INCOMPLETE = { incomplete: true } as const

/** Ends that say how the parser reads the answers; others may come from answers that do not belong together. */
const TELLING: ReadonlySet<string | null> = new Set([null, 'source-changed', 'output-invalid'])

/** An exchange for any request to its address. */
const withoutQuery = ({ sent: _, ...exchange }: Exchange): Exchange => ({
  ...exchange,
  request: exchange.request.replace(/\?.*/, ''),
})
