/** Sends inputs to the service, in order. */
import { hasEnded, notice } from './display.js'

export const base = location.pathname.replace(/\/+$/, '')

/** The timeout of a call. */
const ANSWER_MS = 15_000
const TOGETHER = 100
const FARTHEST = 10_000
const PAUSE_MS = 500
/** The minimum time between two calls: a moving mouse makes an input for each frame of the screen. */
const PACE_MS = 25

const rest = (ms) => new Promise((go) => setTimeout(go, ms))

/** Makes one call. @throws if there is no response */
export const post = (name, body) =>
  fetch(`${base}/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body ?? {}),
    signal: AbortSignal.timeout(ANSWER_MS),
  })

const waiting = []
let isSending = false

/** Sends an input. Inputs that arrive during a call are sent together in the next one. */
export function send(input) {
  if (hasEnded) return
  const last = waiting.at(-1)
  const both = last && joined(last, input)
  if (both) waiting[waiting.length - 1] = both
  else waiting.push(input)
  if (!isSending) void flush()
}

/** Combines two pointer moves, or two turns of a wheel, into one input; undefined if they cannot be combined. */
function joined(last, next) {
  if (last.type !== 'pointer' || last.action !== next.action || last.modifiers !== next.modifiers) return
  const within = (way) => Math.min(FARTHEST, Math.max(-FARTHEST, way))
  if (next.action === 'wheel')
    return { ...next, dx: within(last.dx + next.dx), dy: within(last.dy + next.dy) }
  const isSame = last.pointerId === next.pointerId && last.buttons === next.buttons
  if (next.action === 'move' && isSame) return next
}

async function flush() {
  isSending = true
  while (waiting.length > 0 && !hasEnded) {
    const paced = rest(PACE_MS)
    const status = await post('input', { inputs: waiting.splice(0, TOGETHER) }).then(
      (reply) => reply.status,
      () => 0,
    )
    if (status === 429) {
      notice('The remote page is busy: some of your input was dropped.')
      await rest(PAUSE_MS)
    } else if (status === 422) notice('The remote page did not accept your last input.')
    else if (status === 0 || status >= 500) {
      // It is unknown which inputs arrived. They are not sent again, so nothing is typed twice. The waiting inputs are
      // dropped: they make no sense without the earlier ones.
      waiting.length = 0
      notice('The connection was lost. Some of your last input may be missing: check before you continue.')
    }
    await paced
  }
  isSending = false
}
