/**
 * Completes a capture, which has the last answers of a run only, with answers to the requests before them.
 *
 * @module
 */
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { fitting } from '../../src/plugin/testing/exchanges.ts'
import type { Cassette, SentRequest } from '../../src/plugin/testing.ts'
import { type Replayed, replayed } from './replay.ts'

/** A cassette with the run on it. */
export type Completed = { readonly cassette: Cassette; readonly run: Replayed }

/**
 * Runs the task on a cassette. When it has no answer to a request, those of an old recording are added as far as the run
 * uses them, and its note says so. If they do not suffice either, the cassette stays as it is.
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
  if (run.code !== 'no-answer' || !old) return { cassette, run }
  const fits = (all: Cassette['exchanges']) => {
    const matchers = all.map((exchange) => fitting(exchange, task.source.origin))
    return ({ method, url, body }: SentRequest) =>
      matchers.some((fit) => fit({ method, url, body: body ?? '' }))
  }
  const isOwn = fits(cassette.exchanges)
  const spare = old.exchanges.map((exchange) => ({ ...exchange, repeats: true }))
  const whole = await replayed(task, { ...cassette, exchanges: [...cassette.exchanges, ...spare] }, at)
  if (whole.code === 'no-answer') return { cassette, run }
  const others = whole.requests.filter((request) => !isOwn(request))
  const used = spare.filter((exchange) => others.some(fits([exchange])))
  const note =
    `${cassette.note ?? ''} From an old recording: ${used.map(({ request }) => request).join(', ')}.`.trim()
  return { cassette: { ...cassette, note, exchanges: [...cassette.exchanges, ...used] }, run: whole }
}
