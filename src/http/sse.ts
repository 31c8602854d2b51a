/**
 * Server-Sent Events: messages are made only as fast as the client reads them, and a comment shows that the
 * connection lives.
 *
 * @module
 */

/**
 * One message, `data` in one line; or how far the stream is though it brings nothing. A client that connects again then
 * names that `id`: by the specification a block without data sets it and is no event.
 */
export type SseMessage =
  | { readonly id: string; readonly event: string; readonly data: string }
  | { readonly id: string }

/** The contract promises a comment every 8 seconds; this leaves room for a slow network. */
const COMMENT_EVERY_MS = 5000

const encoder = new TextEncoder()
/** Milliseconds after which a client connects again. */
const HELLO = encoder.encode('retry: 2000\n\n')
const COMMENT = encoder.encode(': \n\n')
const QUIET = Symbol('quiet')

export type SseOptions = {
  /** ends the stream when it aborts: the process is about to stop */
  readonly closing: AbortSignal
  /** told when making messages failed; the stream breaks off and the client comes back */
  readonly failed: (error: unknown) => void
  /** milliseconds of silence before a comment; 5000 by default */
  readonly commentEveryMs?: number
}

/**
 * Answers with a stream of messages.
 *
 * @param produce makes the messages, and stops waiting when `signal` aborts: the client has gone, or the process is
 *   about to stop
 */
export function sseResponse(
  produce: (signal: AbortSignal) => AsyncIterable<SseMessage>,
  options: SseOptions,
): Response {
  const { closing, failed, commentEveryMs = COMMENT_EVERY_MS } = options
  const ended = new AbortController()
  const end = () => {
    closing.removeEventListener('abort', end)
    ended.abort()
  }
  const messages = produce(ended.signal)[Symbol.asyncIterator]()
  let next: Promise<IteratorResult<SseMessage>> | undefined
  let begun = false
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (!begun) {
          begun = true
          closing.addEventListener('abort', end)
          if (closing.aborted) end()
          // Sends the headers at once, too.
          return controller.enqueue(HELLO)
        }
        try {
          next ??= messages.next()
          const result = await orQuiet(next, commentEveryMs)
          if (result === QUIET) return controller.enqueue(COMMENT)
          next = undefined
          if (!result.done) return controller.enqueue(encoder.encode(frame(result.value)))
          end()
          controller.close()
        } catch (error) {
          if (!ended.signal.aborted) failed(error)
          end()
          controller.error(error)
        }
      },
      async cancel() {
        end()
        // What it still waits for ends by the signal; that it failed then is of no interest to anyone.
        next?.catch(() => undefined)
        await messages.return?.()
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    },
  })
}

const frame = (message: SseMessage): string =>
  'data' in message
    ? `id: ${message.id}\nevent: ${message.event}\ndata: ${message.data}\n\n`
    : `: \nid: ${message.id}\n\n`

async function orQuiet<T>(promise: Promise<T>, ms: number): Promise<T | typeof QUIET> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const quiet = new Promise<typeof QUIET>((go) => {
    timer = setTimeout(go, ms, QUIET)
  })
  try {
    return await Promise.race([promise, quiet])
  } finally {
    clearTimeout(timer)
  }
}
