/**
 * The signed-in state of a context as text: cookies, local storage and IndexedDB of every origin that it visited.
 *
 * @module
 */
import type { BrowserContext } from 'rebrowser-playwright'
import { withTimeout } from '../../async/delay.ts'
import { Unavailable } from '../../plugin/errors.ts'
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

async function read(context: BrowserContext, indexedDB: boolean): Promise<string> {
  const late = () => new Unavailable('the browser did not return the signed-in state in time')
  return JSON.stringify(await withTimeout(STATE_MS, context.storageState({ indexedDB }), late))
}
