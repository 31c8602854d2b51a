/**
 * Runs a task on the answers of a cassette, with the parser as it is now.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import type { CatalogueTask } from '../../src/catalogue/catalogue.ts'
import { replay } from '../../src/plugin/testing/exchanges.ts'
import { type Cassette, type Exchange, NoExchange, runTask } from '../../src/plugin/testing.ts'
import { recordedAt } from '../../src/recording/cassette.ts'

export type Item = Readonly<Record<string, unknown>>

/** How a run on a cassette ended. */
export type Replayed = {
  /** items before the end, as JSON values */
  readonly items: readonly Item[]
  /** the other fields of the result */
  readonly rest: Item
  /** the files of the run: name and SHA-256 of the content */
  readonly files: readonly string[]
  /**
   * null when the run succeeded; the code of a failed run, `output-invalid`, `defect`, `bad-input` for an input that is
   * not valid today, or `no-answer` when the cassette lacks the answer to a request
   */
  readonly code: string | null
  /** what the source or the runtime said about the failure; empty when the run succeeded */
  readonly detail: string
  /** the route that answered, for tasks with several; null when none did */
  readonly route: string | null
  /** the exchanges of the cassette that answered a request */
  readonly used: ReadonlySet<Exchange>
}

const OUTPUT_INVALID = /^(?:an item|the result of \S+) does not match/

/**
 * Runs the task. Nothing leaves the process, and nothing is thrown for what the plugin does wrong.
 *
 * @param at the time of the run, in milliseconds since 1970
 * @param options `incomplete`: the answers are those of a run that broke, so a list may end after them
 */
export async function replayed(
  { source, declaration }: CatalogueTask,
  { input, signedIn, exchanges }: Cassette,
  at: number,
  { incomplete = false }: { readonly incomplete?: boolean } = {},
): Promise<Replayed> {
  const used = new Set<Exchange>()
  const failed = (code: string, detail: string): Replayed => ({
    items: [],
    rest: {},
    files: [],
    code,
    detail,
    route: null,
    used,
  })
  try {
    const { issues, items, rest, files, error, route } = await runTask(declaration, input, {
      source,
      fetch: replay(exchanges, source.origin, (exchange) => used.add(exchange)),
      incomplete,
      now: () => at,
      ...(signedIn === undefined ? {} : { signedIn }),
    })
    const [issue] = issues
    if (issue) return failed('bad-input', `${issue.pointer} ${issue.detail}`)
    return {
      items: plain(items) as Item[],
      rest: plain(rest) as Item,
      files: files.map(({ name, bytes }) => `${name} ${sha256(bytes)}`),
      code: error?.code ?? null,
      detail: error?.message ?? '',
      route,
      used,
    }
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    if (error instanceof NoExchange)
      return failed('no-answer', detail.replace(/: add one with its answer .*/s, ''))
    return failed(OUTPUT_INVALID.test(detail) ? 'output-invalid' : 'defect', detail)
  }
}

/** As hex. */
export const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex')

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

const DAY = /\b\d{4}-\d\d-\d\d\b/
const FOUR_WEEKS_MS = 28 * 24 * 3_600_000

/**
 * The time at which a cassette's run makes sense, in milliseconds since 1970: the day of its recording, or four weeks
 * before the first day in its input, or now.
 */
export function timeOf(cassette: Cassette, now: number): number {
  const recorded = recordedAt(cassette)
  if (recorded !== null) return recorded
  const day = Date.parse(DAY.exec(JSON.stringify(cassette.input))?.[0] ?? '')
  return day < now || day > now + FOUR_WEEKS_MS ? day - FOUR_WEEKS_MS : now
}
