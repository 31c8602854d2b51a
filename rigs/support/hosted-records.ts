/**
 * Parses the stream of a hosted page for tests: see src/signin/page/stream.ts.
 *
 * @module
 */

/** An event, or the header of a picture with its bytes. */
export type HostedRecord = { readonly kind: number; readonly content: Buffer }

/** Yields records as they arrive. Leaving the loop cancels the answer. */
export async function* recordsIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<HostedRecord> {
  let bytes = Buffer.alloc(0)
  for await (const chunk of body) {
    bytes = Buffer.concat([bytes, chunk])
    while (bytes.length >= 5 && bytes.length >= 4 + bytes.readUInt32BE(0)) {
      const end = 4 + bytes.readUInt32BE(0)
      yield { kind: bytes.readUInt8(4), content: bytes.subarray(5, end) }
      bytes = bytes.subarray(end)
    }
  }
}
