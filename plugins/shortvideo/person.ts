/**
 * Who made a comment or a video.
 *
 * @module
 */
import { at, idOrNull, linkOrNull, Nullable, Type, textOrNull } from 'gleaner/plugin'

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
  avatar_url: linkOrNull(at(user, 'avatar_thumb', 'url_list', 0)),
})
