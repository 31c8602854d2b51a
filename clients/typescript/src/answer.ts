import { GleanerError } from './errors.ts'

/** One try of a call: it ends when its caller aborts it, or when nothing is heard for too long. */
export class Try {
  readonly #controller = new AbortController()
  readonly #caller: AbortSignal | undefined
  readonly #service: string
  readonly #silenceMs: number
  readonly #abort = () => this.#controller.abort(this.#caller?.reason)

  /** @param service where it goes, for what is said when it fails */
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

  /** Waits for one thing to be heard. @throws {GleanerError} `connection-failed`; the caller's reason when that aborted */
  async hear<T>(next: Promise<T>): Promise<T> {
    const late = () => {
      const words = `nothing was heard for ${this.#silenceMs / 1000} s`
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

  /** Gives the connection up, if there still is one. */
  end(): void {
    this.#caller?.removeEventListener('abort', this.#abort)
    this.#controller.abort()
  }
}

/** What a failed fetch says is often only in its cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as {
    readonly message?: string
    readonly cause?: { readonly message?: string }
  }
  return [message, cause?.message].filter(Boolean).join(': ')
}

/** The answer to a call, of which the body is still to come. */
export class Answer {
  readonly response: Response
  readonly #try: Try

  constructor(response: Response, current: Try) {
    this.response = response
    this.#try = current
  }

  /** The body as it comes. Leaving the loop gives the connection up. */
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

  /** Gives the connection up, for an answer that is not read to its end. */
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
