/**
 * Bodies of responses, limited in size as they are after decompression.
 *
 * @module
 */
import { SourceError } from '../plugin/errors.ts'

/** A body that ends once: at its end, by an error, or when it is cancelled. */
export class Body {
  private readonly reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  private bytes = 0
  private ended = false

  /**
   * @param maxBytes the largest size, decompressed
   * @param onEnd called once, when nothing more will be read
   */
  constructor(
    received: ReadableStream<Uint8Array> | null,
    readonly maxBytes: number,
    private readonly onEnd: () => void,
  ) {
    this.reader = received?.getReader()
  }

  /**
   * The next piece; undefined at the end.
   *
   * @throws {SourceError} `response-too-large`
   * @throws what the connection throws
   */
  async read(): Promise<Uint8Array | undefined> {
    if (this.ended) return undefined
    try {
      const chunk = (await this.reader?.read())?.value
      if (!chunk) this.end()
      this.bytes += chunk?.length ?? 0
      if (this.bytes > this.maxBytes)
        throw new SourceError('response-too-large', `the response is larger than ${this.maxBytes} bytes`)
      return chunk
    } catch (error) {
      this.cancel()
      throw error
    }
  }

  /** Gives the connection back: nobody wants the rest. */
  cancel(): void {
    if (this.ended) return
    this.end()
    // It may have failed already: nobody reads it any more.
    void this.reader?.cancel().catch(() => {})
  }

  private end(): void {
    this.ended = true
    this.onEnd()
  }
}
