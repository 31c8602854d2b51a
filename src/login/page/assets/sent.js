/** What goes to the service: inputs, in the order in which they were made. */
import { hasEnded, notice } from './told.js'

export const base = location.pathname.replace(/\/+$/, '')

/** A server that does not answer is not waited for any longer. */
const ANSWER_MS = 15_000
const TOGETHER = 100
const FARTHEST = 10_000
const PAUSE_MS = 500
/** Between two calls: a mouse that is moved makes an input for each picture of the screen. */
const PACE_MS = 25

const rest = (ms) => new Promise((go) => setTimeout(go, ms))

/** One call. @throws when there is no answer */
export const post = (name, body) =>
  fetch(`${base}/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body ?? {}),
    signal: AbortSignal.timeout(ANSWER_MS),
  })

const waiting = []
let isSending = false

/** Sends an input, together with others that come while some are on their way. */
export function send(input) {
  if (hasEnded) return
  const last = waiting.at(-1)
  const both = last && joined(last, input)
  if (both) waiting[waiting.length - 1] = both
  else waiting.push(input)
  if (!isSending) void flush()
}

/** One input that says what two moves of a pointer, or two turns of a wheel, say; undefined when there is none. */
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
      notice('The remote page is busy: some of what you did was left out.')
      await rest(PAUSE_MS)
    } else if (status === 422) notice('The remote page has not taken what you did last.')
    else if (status === 0 || status >= 500) {
      // It is not known what has arrived. Nothing is typed twice, and what follows makes no sense without it.
      waiting.length = 0
      notice('The connection was lost. See what has arrived of what you did last before you go on.')
    }
    await paced
  }
  isSending = false
}
