/**
 * Completes a capture, which has the last answers of a run only, so that the run can be repeated from its start.
 *
 * @module
 */
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { fitting } from '../../src/plugin/testing/exchanges.ts'
import type { Cassette, Exchange, SentRequest } from '../../src/plugin/testing.ts'
import { type Replayed, replayed } from './replay.ts'

/** A cassette with the run on it. */
export type Completed = { readonly cassette: Cassette; readonly run: Replayed }

/**
 * Runs the task on a cassette. When it has no answer to a request, those of an old recording are added as far as the run
 * uses them. When these do not suffice, because the old run had another input, the answers serve any query and body of
 * their addresses. The cassette's note says what was done; if nothing helps, the cassette stays as it is.
 *
 * @param at the time of the run, in milliseconds since 1970
 */
export async function completed(
  task: CatalogueTask,
  cassette: Cassette,
  old: Cassette | undefined,
  at: number,
): Promise<Completed> {
  const run = await replayed(task, cassette, at)
  if (run.code !== 'no-answer') return { cassette, run }
  for (const change of [(exchange: Exchange) => exchange, withoutQuery]) {
    const own = cassette.exchanges.map(change)
    const spare = (old?.exchanges ?? []).map(change)
    const whole = await replayed(task, { ...cassette, exchanges: [...own, ...spare] }, at)
    if (!TELLING.has(whole.code)) continue
    const { origin } = task.source
    const others = whole.requests.filter((request) => !isAnswered(request, own, origin))
    const used = spare.filter((exchange) => others.some((request) => isAnswered(request, [exchange], origin)))
    const note = [
      cassette.note,
      used.length > 0 && `From an old recording: ${used.map(({ request }) => request).join(', ')}.`,
      change === withoutQuery && 'The answers serve any query and body of their addresses.',
    ]
    const exchanges = [...own, ...used]
    return { cassette: { ...cassette, note: note.filter(Boolean).join(' '), exchanges }, run: whole }
  }
  return { cassette, run }
}

/** Ends that say how the parser reads the answers; others may come from answers that do not belong together. */
const TELLING: ReadonlySet<string | null> = new Set([null, 'source-changed', 'output-invalid'])

/** An exchange for any request to its address. */
const withoutQuery = ({ sent: _, ...exchange }: Exchange): Exchange => ({
  ...exchange,
  request: exchange.request.replace(/\?.*/, ''),
})

const isAnswered = (
  { method, url, body }: SentRequest,
  exchanges: readonly Exchange[],
  origin: string,
): boolean => exchanges.some((exchange) => fitting(exchange, origin)({ method, url, body: body ?? '' }))
