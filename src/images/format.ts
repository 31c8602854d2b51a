/**
 * The formats of images that browsers may get from a source. SVG is none of them: it can hold scripts.
 *
 * @module
 */

const DECLARED = /^image\/(?:jpe?g|pjpeg|png|gif|webp|avif)\s*(?:;|$)/i

/**
 * The media type of an image.
 *
 * @param declared the `Content-Type` of its response
 * @param bytes its first bytes, at least 16 of them
 * @returns undefined unless both say that it is an image
 */
export function imageType(declared: string | null, bytes: Uint8Array): string | undefined {
  return DECLARED.test(declared ?? '') ? typeOf(bytes) : undefined
}

function typeOf(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1')
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (/^GIF8[79]a/.test(start)) return 'image/gif'
  if (/^RIFF[\s\S]{4}WEBP/.test(start)) return 'image/webp'
  return /^[\s\S]{4}ftypavi[fs]/.test(start) ? 'image/avif' : undefined
}
