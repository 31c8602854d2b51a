/**
 * Captions, with their hashtags and mentions.
 *
 * @module
 */

/** A caption exactly as written, white space included. */
export const captionOf = (text: unknown): string | null =>
  typeof text === 'string' && text.trim() !== '' ? text.toWellFormed() : null

/** A sign that follows a letter (an e-mail address) or `&` (an entity) does not count. */
export const HASHTAG = /(?<![\p{L}\p{N}_&/])#([\p{L}\p{M}\p{N}_]+)/gu
export const MENTION = /(?<![\p{L}\p{N}_.&/])@([A-Za-z0-9_](?:[A-Za-z0-9._]{0,28}[A-Za-z0-9_])?)/gu

/** Hashtags or mentions without their sign and without duplicates, in order. */
export function tagsIn(caption: string | null, sign: RegExp): string[] {
  const tags = new Map<string, string>()
  for (const [, tag = ''] of caption?.matchAll(sign) ?? []) {
    const key = tag.toLowerCase()
    if (!tags.has(key)) tags.set(key, tag)
  }
  return [...tags.values()]
}
