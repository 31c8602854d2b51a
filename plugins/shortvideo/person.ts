/**
 * Parts that comments and videos share: who made them, and the site's way with addresses.
 *
 * @module
 */
import { at, idOrNull, Nullable, Type, textOrNull } from 'gleaner/plugin'

export const AuthorFields = {
  id: Nullable(Type.String()),
  username: Nullable(Type.String()),
  nickname: Nullable(Type.String()),
  sec_uid: Nullable(Type.String()),
  avatar_url: Nullable(Type.String({ description: 'Signed: it expires.' })),
}

export type Author = {
  id: string | null
  username: string | null
  nickname: string | null
  sec_uid: string | null
  avatar_url: string | null
}

/** An account as comments and the app's answers write it. */
export const appAuthorOf = (user: unknown): Author => ({
  id: idOrNull(at(user, 'uid')),
  username: textOrNull(at(user, 'unique_id')),
  nickname: textOrNull(at(user, 'nickname')),
  sec_uid: textOrNull(at(user, 'sec_uid')),
  avatar_url: addressOf(at(user, 'avatar_thumb', 'url_list', 0)),
})

/** An address; null for what is none. */
export function addressOf(value: unknown): string | null {
  const text = textOrNull(value)
  return text !== null && /^https?:\/\//.test(text) ? text : null
}

/** A list where there is one; the source leaves out, or sends null for, what is empty. */
export const some = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
