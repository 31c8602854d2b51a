/**
 * Text of the web: bytes whose charset is declared in several places, or nowhere.
 *
 * @module
 */

/** Text of a body: by its byte order mark, the header's charset, a `<meta>` near its beginning, else UTF-8. */
export function decode(bytes: Uint8Array, contentType: string | null): string {
  const named = charsetOf(contentType ?? '') ?? (isMarkup(contentType) ? metaCharset(bytes) : undefined)
  return decoderFor(markedCharset(bytes) ?? named ?? 'utf-8').decode(bytes)
}

const charsetOf = (text: string): string | undefined =>
  /charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(text)?.[1]?.toLowerCase()

const isMarkup = (contentType: string | null): boolean => !contentType || /html|xml/i.test(contentType)

function metaCharset(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 2048))
  const meta = /<meta[^>]+charset\s*=[^>]*>/i.exec(start)?.[0]
  const declared = /^\s*<\?xml[^>]+encoding\s*=\s*["']([\w:.-]+)/i.exec(start)?.[1]
  const name = (meta && charsetOf(meta)) ?? declared?.toLowerCase()
  // A page that can be read this far is not UTF-16, whatever it says (HTML standard, 13.2.3.2).
  return name?.startsWith('utf-16') ? 'utf-8' : name
}

function markedCharset(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : undefined
}

/** An unknown charset is read as UTF-8, as browsers do with one that they don't know. */
function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label as 'utf-8')
  } catch {
    return new TextDecoder()
  }
}
