/**
 * Shortcodes, which name posts in URLs.
 *
 * @module
 */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** The shortcode of an id, which is the id in base 64. */
export function shortcodeOf(id: string): string {
  let code = ''
  for (let rest = BigInt(id); rest > 0n; rest /= 64n) code = `${ALPHABET[Number(rest % 64n)]}${code}`
  return code || 'A'
}

/** The id of a shortcode. The longer shortcode of a private post has a key after the id. */
export function idOf(shortcode: string): string {
  let id = 0n
  for (const character of shortcode.slice(0, 11)) id = id * 64n + BigInt(ALPHABET.indexOf(character))
  return String(id)
}
