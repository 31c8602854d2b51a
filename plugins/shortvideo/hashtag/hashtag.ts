/**
 * Hashtags, which the source calls challenges.
 *
 * @module
 */
import {
  at,
  field,
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
import { ORIGIN } from '../site.ts'
import { listError } from '../statuses.ts'

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

/** The name of a hashtag: letters, digits, _ and emoji, with the joiners that some scripts and emoji contain. */
export const NAME = String.raw`[\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}_\u200c\u200d]+`

export const tagUrl = (name: string): string => `${ORIGIN}/tag/${encodeURIComponent(name.toLowerCase())}`

/** The details of a hashtag. */
export const DETAIL = '/api/challenge/detail/'
export const detailQuery = (name: string): Record<string, string> => ({
  aid: '1988',
  challengeName: name.toLowerCase(),
})

/** Statuses of an unknown hashtag. */
export const UNKNOWN = { 10202: NotFound, 10205: NotFound }

/**
 * The hashtag in a response with details.
 *
 * @throws {NotFound} when the source has no such hashtag: it then answers with a status, or with hollow details
 */
export function hashtagOf(detail: unknown): Hashtag {
  const error = listError(detail, UNKNOWN)
  if (error) throw error
  const tag = hashtagIn(detail)
  if (tag) return tag
  const isHollow = typeof at(detail, 'challengeInfo') === 'object'
  throw isHollow ? new NotFound('no such hashtag') : new SourceChanged('the response has no challengeInfo')
}

/** The hashtag in a part of a page's state; null when it has none. @throws {NotFound} for the status of an unknown one */
export function hashtagIn(state: unknown): Hashtag | null {
  const error = listError(state, UNKNOWN)
  if (error instanceof NotFound) throw error
  const info = at(state, 'challengeInfo')
  return at(info, 'challenge', 'id') ? webHashtag(info) : null
}

const required = (path: string) => ({
  hashtag_id: field.required(field.id(`${path}id`), 'a hashtag has no id'),
  name: field.required(field.text(`${path}title`), 'a hashtag has no name'),
  url: field.value(Link(), (info) => tagUrl(textOrNull(at(info, ...`${path}title`.split('.'))) ?? '')),
})
const cover = (...paths: string[]) => field.text(paths, undefined, (value) => linkOrNull(value))

const PICTURES = [
  'coverLarger',
  'coverMedium',
  'coverThumb',
  'profileLarger',
  'profileMedium',
  'profileThumb',
]
const webHashtag = reader(Hashtag, {
  ...required('challenge.'),
  description: field.text('challenge.desc'),
  video_count: largest('videoCount'),
  view_count: largest('viewCount'),
  is_commerce: field.flag('challenge.isCommerce'),
  cover_url: cover(...PICTURES.map((name) => `challenge.${name}`)),
})

/** Reads the hashtag of an embed page. */
export const embeddedHashtagOf = reader(Hashtag, {
  ...required(''),
  description: field.text('description'),
  video_count: field.integer('videoCount'),
  view_count: field.integer('viewCount'),
  cover_url: cover('coverUrl'),
})

/** Reads a hashtag of which only these are known. */
export const bareHashtag = (id: string, title: string): Hashtag =>
  reader(Hashtag, required(''))({ id, title })

/** The larger of the two values of a count. One of them is often 0. */
function largest(name: string) {
  return field.value(Nullable(Type.Integer()), (info) => {
    const counts = [at(info, 'statsV2', name), at(info, 'stats', name)]
      .map(integerOrNull)
      .filter((n) => n !== null)
    return counts.length > 0 ? Math.max(...counts) : null
  })
}
