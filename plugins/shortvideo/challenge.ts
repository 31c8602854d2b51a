/**
 * A hashtag, which the source calls a challenge, and its list of videos.
 *
 * @module
 */
import {
  at,
  flagOrNull,
  idOrNull,
  integerOrNull,
  Link,
  linkOrNull,
  NotFound,
  Nullable,
  SourceChanged,
  type Static,
  Type,
  textOrNull,
} from 'gleaner/plugin'
import { appVideoOf } from './app-video.ts'
import type { Rows } from './collect.ts'
import { shareVideoOf } from './share-video.ts'
import { ORIGIN } from './site.ts'
import type { Video } from './video.ts'
import { webVideoOf } from './web-video.ts'

export const Hashtag = Type.Object({
  hashtag_id: Type.String(),
  name: Type.String(),
  description: Nullable(Type.String()),
  video_count: Nullable(Type.Integer()),
  view_count: Nullable(Type.Integer()),
  is_commerce: Nullable(Type.Boolean()),
  cover_url: Nullable(Type.String({ description: 'Signed: it expires.' })),
  url: Link(),
})
export type Hashtag = Static<typeof Hashtag>

export const tagUrl = (name: string): string => `${ORIGIN}/tag/${encodeURIComponent(name.toLowerCase())}`

/**
 * The hashtag that an answer or a part of the page's state tells of, as the web or the app writes it.
 *
 * @returns null when it tells of none, and does not say why
 * @throws {NotFound} when the source knows no such hashtag
 */
export function hashtagOf(detail: unknown): Hashtag | null {
  checkStatus(detail)
  const info = at(detail, 'challengeInfo')
  return info === undefined ? appHashtagOf(at(detail, 'ch_info')) : webHashtagOf(info)
}

/** @throws {NotFound} for the statuses of a hashtag that is not there, {SourceChanged} for other failures */
function checkStatus(json: unknown): void {
  const status = integerOrNull(at(json, 'statusCode')) ?? integerOrNull(at(json, 'status_code')) ?? 0
  const message = textOrNull(at(json, 'status_msg')) ?? textOrNull(at(json, 'statusMsg'))
  const words = message === null ? `status ${status}` : `status ${status}: ${message}`
  if (status >= 10200 && status < 10300) throw new NotFound(words)
  if (status !== 0) throw new SourceChanged(words)
}

function webHashtagOf(info: unknown): Hashtag | null {
  const challenge = at(info, 'challenge')
  const hashtag_id = idOrNull(at(challenge, 'id'))
  const name = textOrNull(at(challenge, 'title'))
  if (hashtag_id === null || name === null) return null
  const pictures = [
    'coverLarger',
    'coverMedium',
    'coverThumb',
    'profileLarger',
    'profileMedium',
    'profileThumb',
  ]
  return {
    hashtag_id,
    name,
    description: textOrNull(at(challenge, 'desc')),
    video_count: largest(info, 'videoCount'),
    view_count: largest(info, 'viewCount'),
    is_commerce: flagOrNull(at(challenge, 'isCommerce')),
    cover_url:
      pictures.map((picture) => linkOrNull(at(challenge, picture))).find((url) => url !== null) ?? null,
    url: tagUrl(name),
  }
}

/** One of the two ways in which a count is written is often 0. */
function largest(info: unknown, name: string): number | null {
  const counts = [at(info, 'statsV2', name), at(info, 'stats', name)]
    .map(integerOrNull)
    .filter((n) => n !== null)
  return counts.length > 0 ? Math.max(...counts) : null
}

function appHashtagOf(info: unknown): Hashtag | null {
  const hashtag_id = idOrNull(at(info, 'cid'))
  const name = textOrNull(at(info, 'cha_name'))
  if (hashtag_id === null || name === null) return null
  return {
    hashtag_id,
    name,
    description: textOrNull(at(info, 'desc')),
    video_count: null,
    view_count: integerOrNull(at(info, 'view_count')),
    is_commerce: flagOrNull(at(info, 'is_commerce')),
    cover_url: linkOrNull(at(info, 'hashtag_profile')),
    url: tagUrl(name),
  }
}

/**
 * One answer of a hashtag's list, as the web, the app or the old share pages write it.
 *
 * @throws {SourceChanged} when it is none of them
 * @throws {NotFound} when the source knows no such hashtag
 */
export function videosOf(json: unknown): Rows<Video> {
  checkStatus(json)
  const more = [at(json, 'hasMore'), at(json, 'has_more')].some((value) => value === true || value === 1)
  const next = more ? integerOrNull(at(json, 'cursor')) : null
  const [of, list] = listIn(json)
  return { rows: list.map(of), next }
}

function listIn(json: unknown): readonly [(entry: unknown) => Video, readonly unknown[]] {
  const ways = [
    ['itemList', webVideoOf],
    ['aweme_list', appVideoOf],
    ['itemListData', shareVideoOf],
  ] as const
  for (const [name, of] of ways) {
    const list = at(json, name)
    if (Array.isArray(list)) return [of, list]
  }
  // It is left out when it is empty; then the rest of the envelope is there.
  const isEnvelope = at(json, 'hasMore') !== undefined || at(json, 'has_more') !== undefined
  if (isEnvelope) return [webVideoOf, []]
  throw new SourceChanged('the answer has no list of videos')
}
