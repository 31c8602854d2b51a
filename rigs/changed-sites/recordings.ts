/**
 * Recorded runs of tasks: the cassettes of the project, and the recordings outside of it where they are.
 *
 * @module
 */

import type { Catalogue, CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { hasKinds } from '../../src/catalogue/fields.ts'
import { Filling, sharesOf } from '../../src/catalogue/filling.ts'
import { TryAgain } from '../../src/plugin/errors.ts'
import { replay } from '../../src/plugin/testing/exchanges.ts'
import { type Exchange, NoExchange, runTask } from '../../src/plugin/testing.ts'
import { readSources } from '../../test/sources/evidence.ts'
import { cassettesOf, needsLogin } from '../../tools/mock-sites/cassettes.ts'
import { exchangesOf } from '../recorded/recordings.ts'

export type Recording = {
  readonly task: CatalogueTask
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
  readonly exchanges: readonly Exchange[]
  readonly signedIn: boolean
  readonly now: () => number
}

/** The time of the cassettes: four weeks before their flights. */
const NOW = Date.parse('2030-04-16T12:00:00Z')
/** No recording needs so many. */
const MOST_REQUESTS = 300

/** The cassettes in the folders of the plugins. */
export const cassetteRecordings = (catalogue: Catalogue): Recording[] =>
  cassettesOf(catalogue).map((filed) => ({
    task: filed.task,
    name: filed.file.pathname.split('/').at(-1) ?? '',
    input: filed.cassette.input,
    exchanges: filed.cassette.exchanges,
    signedIn: needsLogin(filed),
    now: () => NOW,
  }))

/** The recordings outside of the project; none where they are missing. */
export async function outsideRecordings(catalogue: Catalogue): Promise<Recording[]> {
  return (await readSources()).flatMap(({ cases }) => {
    if (!cases?.recordings.there) return []
    return cases.cases.flatMap((one) => {
      const task = catalogue.get(one.task.key)
      if (!task || one.ends !== undefined) return []
      return {
        task,
        name: one.name ?? one.files.join(' '),
        input: one.input,
        exchanges: exchangesOf(cases.recordings, one),
        signedIn: one.signedIn ?? one.task.needs?.login === true,
        now: cases.now ?? Date.now,
      }
    })
  })
}

/** How a run ended: `code` is null when it succeeded. */
export type Ran = {
  readonly code: string | null
  readonly items: number
  /** thousandths by field; null for a field that no item could have */
  readonly shares: readonly (number | null)[]
}

/** Runs a recording's task on other answers. Routes that the recording did not need are closed. */
export async function ran(
  { task, input, signedIn, now }: Recording,
  exchanges: readonly Exchange[],
): Promise<Ran> {
  const { source, declaration } = task
  const send = replay(exchanges, source.origin)
  let requests = 0
  const fetch = async (request: Request): Promise<Response> => {
    if (++requests > MOST_REQUESTS) throw new Error(`more than ${MOST_REQUESTS} requests`)
    try {
      return await send(request)
    } catch (error) {
      if (error instanceof NoExchange) return new Response('<title>Access denied</title>', { status: 403 })
      throw error
    }
  }
  try {
    const { items, rest, error } = await runTask(declaration, input, { source, fetch, signedIn, now })
    if (error) return failed(error.code)
    const filling = new Filling(task.fields, hasKinds(declaration))
    const counted = task.columns.length > 0 ? (items as Record<string, unknown>[]) : [rest]
    for (const item of counted) filling.add(item)
    const { sums } = filling
    return { code: null, items: counted.length, shares: sums ? sharesOf(sums) : [] }
  } catch (error) {
    if (error instanceof TryAgain) return failed(error.code)
    if (/does not match its (?:schema|declaration)/.test(String(error))) return failed('output-invalid')
    return failed(`defect: ${error}`)
  }
}

const failed = (code: string): Ran => ({ code, items: 0, shares: [] })
