/**
 * Bodies of answers, limited in size as they are after decompression.
 *
 * @module
 */
import { SourceError } from '../../plugin/errors.ts'

/** So much of a body is read before the plugin has the reply, so that most broken connections can be tried again. */
const HEAD_BYTES = 1024 * 1024

/**
 * A body with its beginning read. It ends once: at its end, by an error, or when it is cancelled.
 */
export class Body {
  private readonly head: Uint8Array[] = []
  private bytes = 0
  private ended = false
  private taken = false

  /**
   * @param maxBytes the largest size, decompressed
   * @param onEnd called once, when nothing more will be read
   * @param onChunk called with each piece as it is read
   */
  constructor(
    private readonly reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
    private readonly maxBytes: number,
    private readonly onEnd: () => void,
    private readonly onChunk?: (chunk: Uint8Array) => void,
  ) {
    if (!reader) this.end()
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
   * All of it, from the part that was read already; to be asked for once.
   *
   * @param explain what an error means to who reads
   */
  stream(explain: (error: unknown) => unknown): ReadableStream<Uint8Array> {
    if (this.taken) throw new TypeError('the body was read before')
    this.taken = true
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const chunk = this.head.shift() ?? (await this.read())
          if (chunk) controller.enqueue(chunk)
          else controller.close()
        } catch (error) {
          controller.error(explain(error))
        }
      },
      cancel: () => this.cancel(),
    })
  }

  /** Gives the connection back: nobody wants the rest. */
  async cancel(): Promise<void> {
    this.head.length = 0
    if (this.ended) return
    this.end()
    // A connection that breaks while it is given up has nothing more to tell.
    await this.reader?.cancel().catch(() => {})
  }

  private async read(): Promise<Uint8Array | undefined> {
    if (this.ended || !this.reader) return undefined
    try {
      const { done, value } = await this.reader.read()
      if (done) {
        this.end()
        return undefined
      }
      this.bytes += value.length
      this.onChunk?.(value)
      if (this.bytes > this.maxBytes)
        throw new SourceError('response-too-large', `over ${this.maxBytes} bytes`)
      return value
    } catch (error) {
      await this.cancel()
      throw error
    }
  }

  private end(): void {
    if (this.ended) return
    this.ended = true
    this.onEnd()
  }
}
