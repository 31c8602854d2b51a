/**
 * The Idempotency-Key of a call that brings none: repeated within a minute, as programs do that hear no answer, it is the
 * same run.
 *
 * @module
 */
import { hash } from 'node:crypto'
import { KeyedMutex } from '../async/keyed-mutex.ts'
import { canonicalJson } from '../catalogue/input.ts'
import type { ToolCall } from './tool.ts'

/** For how long a repeat is taken for one, from the run's creation, in milliseconds. */
const WINDOW_MS = 60_000
/** Of the same calls to this process one is admitted after the other. */
const mutex = new KeyedMutex()

/**
 * Admits the run of a call under the Idempotency-Key that follows from it.
 *
 * The key is derived from the API key, the request's id, the tool, its arguments and the minute of the clock, so that
 * every node derives the same, and nothing is kept anywhere. A run that the minute before made less than 60 seconds ago
 * counts too.
 *
 * @param admit given the Idempotency-Key to use
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
