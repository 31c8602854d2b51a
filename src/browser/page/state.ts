/**
 * The signed-in state of a context as text: cookies, local storage and IndexedDB of every origin that it has been on.
 *
 * @module
 */
import type { BrowserContext } from 'rebrowser-playwright'
import { withTimeout } from '../../async/delay.ts'
import { Unavailable } from '../../plugin/errors.ts'
import { tooLarge } from './arrived.ts'

/** The longest state, in characters. */
export const MOST_STATE_CHARS = 4 * 1024 * 1024
/** How long it may take to read it, in milliseconds: each origin is visited, without a request. */
const STATE_MS = 30_000

/**
 * Reads it. Databases are left out where they hold what can't be written down (keys that can't be exported), or make it
 * too long: they mostly are caches, and most sites know a visitor by cookies.
 *
 * @returns JSON text, for a context's `storageState`
 * @throws {SourceError} `response-too-large`
 * @throws {Unavailable} when the browser does not give it in time
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
  const late = () => new Unavailable('the browser did not say in time what it has kept')
  return JSON.stringify(await withTimeout(STATE_MS, context.storageState({ indexedDB }), late))
}
