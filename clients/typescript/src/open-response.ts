import { GleanerError } from './errors.ts'

/** One attempt at a call. It ends when the caller aborts it, or when the service is silent for too long. */
export class Try {
  readonly #controller = new AbortController()
  readonly #caller: AbortSignal | undefined
  readonly #service: string
  readonly #silenceMs: number
  readonly #abort = () => this.#controller.abort(this.#caller?.reason)

  /** @param service the origin of the service, for error messages */
  constructor(service: string, caller: AbortSignal | undefined, silenceMs: number) {
    caller?.throwIfAborted()
    this.#service = service
    this.#caller = caller
    this.#silenceMs = silenceMs
    caller?.addEventListener('abort', this.#abort)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /**
   * Waits for `next`, until the service has been silent for too long.
   *
   * @throws {GleanerError} `connection-failed`; if the caller aborted, the reason of its signal
   */
  async hear<T>(next: Promise<T>): Promise<T> {
    const late = () => {
      const words = `no data received for ${this.#silenceMs / 1000} s`
      this.#controller.abort(new DOMException(words, 'TimeoutError'))
    }
    const timer = setTimeout(late, this.#silenceMs)
    try {
      return await next
    } catch (cause) {
      const reason = reasonOf(this.signal.reason ?? cause)
      this.end()
      this.#caller?.throwIfAborted()
      const detail = `${this.#service} could not be reached, or the connection broke: ${reason}.`
      throw new GleanerError({ code: 'connection-failed', detail }, { cause })
    } finally {
      clearTimeout(timer)
    }
  }

  /** Closes the connection, if it is still open. */
  end(): void {
    this.#caller?.removeEventListener('abort', this.#abort)
    this.#controller.abort()
  }
}

/** Includes the message of the `cause`: a failed fetch often explains itself only there. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as {
    readonly message?: string
    readonly cause?: { readonly message?: string }
  }
  return [message, cause?.message].filter(Boolean).join(': ')
}

/** The response to a call. Its body has not been read yet. */
export class OpenResponse {
  readonly response: Response
  readonly #try: Try

  constructor(response: Response, current: Try) {
    this.response = response
    this.#try = current
  }

  /** The body in chunks, as they arrive. Leaving the loop closes the connection. */
  async *bytes(): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    try {
      const reader = this.response.body?.getReader()
      while (reader) {
        const { value } = await this.#try.hear(reader.read())
        if (value === undefined) return
        yield value
      }
    } finally {
      this.#try.end()
    }
  }

  /** Closes the connection of a response that is not read to its end. */
  end(): void {
    this.#try.end()
  }

  async text(): Promise<string> {
    const decoder = new TextDecoder()
    let text = ''
    for await (const part of this.bytes()) text += decoder.decode(part, { stream: true })
    return text + decoder.decode()
  }
}
