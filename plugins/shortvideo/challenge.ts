/**
 * Reads a hashtag, which the source calls a challenge, and its list of videos.
 *
 * @module
 */
import {
  at,
  from,
  integerOrNull,
  Link,
  linkOrNull,
  NotFound,
  Nullable,
  reader,
  SourceChanged,
  type Static,
  Type,
  textOrNull,
} from 'gleaner/plugin'
import type { Rows } from './collect.ts'
import { moreIn } from './feed.ts'
import { ORIGIN } from './site.ts'
import { appVideoOf, shareVideoOf, type Video, webVideoOf } from './video.ts'

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
 * The hashtag in a response or in a part of the page's state, in the form of the web or the app.
 *
 * @returns null when there is no hashtag and no status that states the reason
 * @throws {NotFound} when the source has no such hashtag
 */
export function hashtagOf(detail: unknown): Hashtag | null {
  checkStatus(detail)
  const [info, read] = at(detail, 'challengeInfo')
    ? [at(detail, 'challengeInfo'), webHashtag]
    : [at(detail, 'ch_info'), appHashtag]
  const { hashtag_id, name } = named(info)
  return hashtag_id === null || name === null ? null : read(info)
}

/** @throws {NotFound} for statuses that mean a missing hashtag @throws {SourceChanged} for other failures */
function checkStatus(json: unknown): void {
  const status = integerOrNull(at(json, 'statusCode')) ?? integerOrNull(at(json, 'status_code')) ?? 0
  const message = textOrNull(at(json, 'status_msg')) ?? textOrNull(at(json, 'statusMsg'))
  const words = message === null ? `status ${status}` : `status ${status}: ${message}`
  if (status >= 10200 && status < 10300) throw new NotFound(words)
  if (status !== 0) throw new SourceChanged(words)
}

const ID = ['challenge.id', 'cid']
const NAME = ['challenge.title', 'cha_name']
const named = reader(Type.Object({ hashtag_id: from.id(ID), name: from.text(NAME) }))
const identity = {
  hashtag_id: from.required(from.id(ID), 'a hashtag has no id'),
  name: from.required(from.text(NAME), 'a hashtag has no name'),
  url: from.value(Link(), (info) => tagUrl(named(info).name ?? '')),
}
const cover = (...ways: string[]) => from.text(ways, undefined, (value) => linkOrNull(value))

const PICTURES = [
  'coverLarger',
  'coverMedium',
  'coverThumb',
  'profileLarger',
  'profileMedium',
  'profileThumb',
]
const webHashtag = reader(Hashtag, {
  ...identity,
  description: from.text('challenge.desc'),
  video_count: largest('videoCount'),
  view_count: largest('viewCount'),
  is_commerce: from.flag('challenge.isCommerce'),
  cover_url: cover(...PICTURES.map((name) => `challenge.${name}`)),
})
const appHashtag = reader(Hashtag, {
  ...identity,
  description: from.text('desc'),
  view_count: from.integer('view_count'),
  is_commerce: from.flag('is_commerce'),
  cover_url: cover('hashtag_profile'),
})

/** The larger of the two values of a count. One of them is often 0. */
function largest(name: string) {
  return from.value(Nullable(Type.Integer()), (info) => {
    const counts = [at(info, 'statsV2', name), at(info, 'stats', name)]
      .map(integerOrNull)
      .filter((n) => n !== null)
    return counts.length > 0 ? Math.max(...counts) : null
  })
}

/**
 * Reads a response with a part of a hashtag's list, in the form of the web, the app or the old share pages.
 *
 * @throws {SourceChanged} for any other response
 * @throws {NotFound} when the source has no such hashtag
 */
export function videosOf(json: unknown): Rows<Video> {
  checkStatus(json)
  const next = moreIn(json) ? integerOrNull(at(json, 'cursor')) : null
  const [of, list] = listIn(json)
  return { rows: list.map((entry) => of(entry)), next }
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
  // An empty list is omitted, but the rest of the envelope is present.
  const isEnvelope = at(json, 'hasMore') !== undefined || at(json, 'has_more') !== undefined
  if (isEnvelope) return [webVideoOf, []]
  throw new SourceChanged('the response has no list of videos')
}
