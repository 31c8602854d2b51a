/**
 * Bodies of answers, limited in size as they are after decompression.
 *
 * @module
 */

import { SourceError } from '../plugin/errors.ts'
import { streamOf } from './transport.ts'

/** So much of a body is read before the plugin has the reply, so that most broken connections can be tried again. */
const HEAD_BYTES = 1024 * 1024
/** So much of a body that nobody reads is kept in memory. */
const MOST_KEPT_BYTES = 16 * 1024 * 1024

/**
 * A body with its beginning read. It ends once: at its end, by an error, or when it is cancelled.
 */
export class Body {
  private readonly head: Uint8Array[] = []
  private bytes = 0
  private ended = false
  private taken = false
  /** the rest, when it is read without being asked for; why that failed, when it did */
  private rest: Promise<unknown> | undefined
  private readonly reader: ReadableStreamDefaultReader<Uint8Array> | undefined

  /**
   * @param maxBytes the largest size, decompressed
   * @param onEnd called once, when nothing more will be read
   */
  constructor(
    received: ReadableStream<Uint8Array> | null,
    private readonly maxBytes: number,
    private readonly onEnd: (body: Body) => void,
  ) {
    this.reader = received?.getReader()
  }

  /** Whether nothing more comes. */
  get isEnded(): boolean {
    return this.ended
  }

  /**
   * Reads the first MiB, or all when there is less.
   *
   * @throws {SourceError} `response-too-large`
   * @throws what the connection throws
   */
  async begin(): Promise<void> {
    while (this.bytes < HEAD_BYTES) {
      const chunk = await this.read()
      if (!chunk) return
      this.head.push(chunk)
    }
  }

  /**
   * Reads all of it into memory, unless somebody reads it or it may be large: the run wants to make its next request, and
   * an answer that waits for the plugin must not keep the slot that this request waits for.
   */
  readOn(): void {
    if (!this.taken && this.maxBytes <= MOST_KEPT_BYTES) this.rest ??= this.readRest()
  }

  private async readRest(): Promise<unknown> {
    try {
      for (let chunk = await this.read(); chunk; chunk = await this.read()) this.head.push(chunk)
      return undefined
    } catch (error) {
      return error
    }
  }

  /**
   * All of it, from the part that was read already; to be asked for once.
   *
   * @param explain what an error means to the reader
   */
  stream(explain: (error: unknown) => unknown): ReadableStream<Uint8Array> {
    if (this.taken) throw new TypeError('the body has already been read')
    this.taken = true
    return streamOf({
      read: async () => {
        try {
          const failure = await this.rest
          const chunk = this.head.shift() ?? (await this.read())
          if (!chunk && failure) throw failure
          return chunk
        } catch (error) {
          throw explain(error)
        }
      },
      cancel: () => this.cancel(),
    })
  }

  /** Gives the connection back: nobody wants the rest. */
  cancel(): void {
    this.head.length = 0
    if (this.ended) return
    this.end()
    // It may have failed already: nobody reads it any more.
    void this.reader?.cancel().catch(() => {})
  }

  private async read(): Promise<Uint8Array | undefined> {
    if (this.ended) return undefined
    try {
      const chunk = (await this.reader?.read())?.value
      if (!chunk) {
        this.end()
        return undefined
      }
      this.bytes += chunk.length
      if (this.bytes > this.maxBytes)
        throw new SourceError('response-too-large', `the response is larger than ${this.maxBytes} bytes`)
      return chunk
    } catch (error) {
      this.cancel()
      throw error
    }
  }

  private end(): void {
    if (this.ended) return
    this.ended = true
    this.onEnd(this)
  }
}
