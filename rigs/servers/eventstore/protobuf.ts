/**
 * Hand-written protocol buffers for the two messages of every append: an incoming and an outgoing event.
 * Other messages use the generated code, which is several times slower.
 *
 * @module
 */

const VARINT = 0
const BYTES = 2
const DOUBLE_WORD = 1
const WORD = 5
/** Bytes reserved for the length of a nested message, which is known only after it is built. */
const LENGTH_BYTES = 4

/**
 * Iterates over the fields of a message.
 *
 * @param see gets each field's number and its bytes
 * @param count gets the number and value of each numeric field; values above 2^53 are not exact
 */
export function eachField(
  message: Buffer,
  see: (field: number, bytes: Buffer) => void,
  count: (field: number, value: number) => void = () => {},
): void {
  let at = 0
  const varint = () => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = message[at++]!
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
    }
  }
  while (at < message.length) {
    const key = varint()
    const kind = key & 7
    if (kind === BYTES) {
      const length = varint()
      see(key >>> 3, message.subarray(at, at + length))
      at += length
    } else if (kind === VARINT) count(key >>> 3, varint())
    else if (kind === DOUBLE_WORD || kind === WORD) at += kind === WORD ? 4 : 8
    else throw new Error(`a field of kind ${kind}`)
  }
}

/** Builds one message after the other. The next message overwrites the returned bytes. */
export class ProtobufWriter {
  #bytes = Buffer.allocUnsafeSlow(64 * 1024)
  #at = 0

  /** Writes a message after a number of free bytes. */
  build(headroom: number, write: () => void): Buffer {
    this.#at = headroom
    write()
    return this.#bytes.subarray(0, this.#at)
  }

  /** Accepts a bigint for values that a number cannot hold exactly. */
  number(field: number, value: number | bigint): void {
    this.#reserve(20)
    this.#varint(field * 8 + VARINT)
    if (typeof value === 'number') {
      this.#varint(value)
      return
    }
    let rest = value
    for (; rest > 0x7fn; rest >>= 7n) this.#bytes[this.#at++] = Number(rest & 0x7fn) | 0x80
    this.#bytes[this.#at++] = Number(rest)
  }

  text(field: number, text: string): void {
    const length = Buffer.byteLength(text)
    this.#head(field, length)
    this.#at += this.#bytes.write(text, this.#at, length)
  }

  bytes(field: number, bytes: Uint8Array): void {
    this.#head(field, bytes.length)
    this.#bytes.set(bytes, this.#at)
    this.#at += bytes.length
  }

  /** A nested message. */
  message(field: number, write: () => void): void {
    this.#reserve(10)
    this.#varint(field * 8 + BYTES)
    const start = this.#at
    this.#at += LENGTH_BYTES
    write()
    let length = this.#at - start - LENGTH_BYTES
    for (let i = 0; i < LENGTH_BYTES - 1; i++) {
      this.#bytes[start + i] = (length & 0x7f) | 0x80
      length >>>= 7
    }
    this.#bytes[start + LENGTH_BYTES - 1] = length
  }

  #head(field: number, length: number): void {
    this.#reserve(length + 10)
    this.#varint(field * 8 + BYTES)
    this.#varint(length)
  }

  #varint(value: number): void {
    let rest = value
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) this.#bytes[this.#at++] = (rest % 128) | 0x80
    this.#bytes[this.#at++] = rest
  }

  #reserve(length: number): void {
    if (this.#at + length <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, this.#at + length))
    this.#bytes.copy(larger, 0, 0, this.#at)
    this.#bytes = larger
  }
}
