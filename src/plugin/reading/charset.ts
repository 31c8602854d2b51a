/**
 * Decodes the text of web responses, whose charset may be declared in several places or not at all.
 *
 * @module
 */

/** Decodes a body by its byte order mark, else the header's charset, else a `<meta>` near its start, else as UTF-8. */
export function decode(bytes: Uint8Array, contentType: string | null): string {
  const name = charsetOf(contentType ?? '') ?? (isMarkup(contentType) ? metaCharset(bytes) : undefined)
  return decoderFor(markedCharset(bytes) ?? name ?? 'utf-8').decode(bytes)
}

const charsetOf = (text: string): string | undefined =>
  /charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(text)?.[1]?.toLowerCase()

const isMarkup = (contentType: string | null): boolean => !contentType || /html|xml/i.test(contentType)

function metaCharset(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 2048))
  const meta = /<meta[^>]+charset\s*=[^>]*>/i.exec(start)?.[0]
  const declared = /^\s*<\?xml[^>]+encoding\s*=\s*["']([\w:.-]+)/i.exec(start)?.[1]
  const name = (meta && charsetOf(meta)) ?? declared?.toLowerCase()
  // A page whose `<meta>` is readable as ASCII is not UTF-16, even if it says so (HTML standard, 13.2.3.2).
  return name?.startsWith('utf-16') ? 'utf-8' : name
}

function markedCharset(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : undefined
}

/** Falls back to UTF-8 for an unknown charset, as browsers do. */
function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label as 'utf-8')
  } catch {
    return new TextDecoder()
  }
}
