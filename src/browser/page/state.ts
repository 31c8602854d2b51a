/**
 * The signed-in state of a context as text: cookies, local storage and IndexedDB of every origin that it visited.
 *
 * @module
 */
import type { BrowserContext } from 'rebrowser-playwright'
import { withTimeout } from '../../async/delay.ts'
import { Unavailable } from '../../plugin/errors.ts'
import { BrowserFailed } from '../failure.ts'
import { tooLarge } from './arrived.ts'

/** The longest state, in characters. */
export const MOST_STATE_CHARS = 4 * 1024 * 1024
/** Time limit for reading the state, in milliseconds. Each origin is visited, without network requests. */
const STATE_MS = 30_000

/**
 * Reads the state. Databases are omitted when they contain values that can't be serialized (non-extractable keys) or
 * make the state too long: they are mostly caches, and most sites identify a visitor by cookies.
 *
 * @returns JSON text, for a context's `storageState`
 * @throws {SourceError} `response-too-large`
 * @throws {Unavailable} when the browser does not return it in time
 */
export async function stateOf(context: BrowserContext): Promise<string> {
  const whole = await read(context, true).catch((error) => {
    if (/IndexedDB/.test(String(error))) return undefined
    throw error
  })
  if (whole !== undefined && whole.length <= MOST_STATE_CHARS) return whole
  const rest = await read(context, false)
  if (rest.length > MOST_STATE_CHARS) throw tooLarge('the signed-in state')
  return rest
}

/** A state in Playwright's format, as far as its databases go: its type declarations omit them. */
type Databases = {
  readonly origins?: readonly {
    readonly indexedDB?: readonly { readonly stores: readonly { readonly records: readonly unknown[] }[] }[]
  }[]
}

/**
 * Checks that a new context has the databases of the state it was created with. Playwright closes the page in which it
 * restores them without waiting for their transactions to commit, so records may be lost on a busy machine.
 *
 * @throws {BrowserFailed} when records are missing
 */
export async function checkRestored(context: BrowserContext, state: object): Promise<void> {
  const records = recordsIn(state)
  if (records > 0 && recordsIn(JSON.parse(await read(context, true))) < records)
    throw new BrowserFailed('the browser did not restore the databases of the signed-in state')
}

const recordsIn = ({ origins = [] }: Databases): number =>
  origins
    .flatMap(({ indexedDB = [] }) => indexedDB)
    .flatMap(({ stores }) => stores)
    .reduce((sum, { records }) => sum + records.length, 0)

async function read(context: BrowserContext, indexedDB: boolean): Promise<string> {
  const late = () => new Unavailable('the browser did not return the signed-in state in time')
  return JSON.stringify(await withTimeout(STATE_MS, context.storageState({ indexedDB }), late))
}
