/**
 * The Idempotency-Key of a call that was sent without one. Clients repeat a call if they get no answer; a repeat within
 * a minute gets the same run.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { KeyedMutex } from '../async/keyed-mutex.ts'
import { canonicalJson } from '../catalogue/input.ts'
import type { ToolCall } from './tool.ts'

/** How long after the run's creation the same call counts as a repeat, in milliseconds. */
const WINDOW_MS = 60_000
/** Serializes the admission of identical calls to this process. */
const mutex = new KeyedMutex()

/**
 * Admits the run of a call under an Idempotency-Key that is derived from the call.
 *
 * The key is derived from the API key, the request id, the tool, its arguments and the current minute. Every node
 * derives the same key, and no state is stored. The key of the previous minute is used if its run is less than 60
 * seconds old.
 *
 * @param admit called with the Idempotency-Key to use
 */
export function asRepeat<T>(call: ToolCall, admit: (idempotencyKey: string) => Promise<T>): Promise<T> {
  const { deps, key, rpcId, tool, args } = call
  const words = hash('sha256', canonicalJson([key.keyId, rpcId, tool, args]), 'hex')
  return mutex.run(`${key.accountId} ${words}`, async () => {
    const now = deps.now()
    const minute = Math.floor(now / WINDOW_MS)
    const before = `mcp:${words}:${minute - 1}`
    const earlier = await deps.admit.find(key.accountId, before)
    const isSame = earlier !== undefined && now - Date.parse(earlier.createdAt) < WINDOW_MS
    return admit(isSame ? before : `mcp:${words}:${minute}`)
  })
}
