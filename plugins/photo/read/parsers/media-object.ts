/**
 * Reads posts as media objects: the whole ones of members' lists and of visitors' post pages, and the parts of posts in
 * visitors' lists.
 *
 * @module
 */
import {
  at,
  entriesAt,
  field,
  integerOrNull,
  linkOrNull,
  numberOrNull,
  reader,
  Type,
  textOrNull,
} from 'gleaner/plugin'
import { carouselOf, type MediaFacts, type PostFacts } from './post.ts'
import type { Profile } from './profile.ts'
import { countOrNull, idIn, placeOf, usernamesIn } from './values.ts'

const VIDEO = 2
const CAROUSEL = 8
/** How much the aspect ratios of two renditions of one image may differ. */
const SAME_SHAPE = 0.02

const post = reader(
  Type.Object({
    product_type: field.text('product_type'),
    taken_at: field.time('taken_at'),
    like_count: field.integer('like_count', undefined, countOrNull),
    comment_count: field.integer('comment_count', undefined, countOrNull),
    view_count: field.integer(['view_count', 'play_count', 'ig_play_count'], undefined, countOrNull),
    accessibility_caption: field.text('accessibility_caption'),
  }),
)

/** Reads a media object. @param profile the profile whose list contains the object */
export function objectFacts(object: unknown, profile: Pick<Profile, 'id'>): PostFacts {
  const parts = entriesAt(object, 'carousel_media')
  const isCarousel = at(object, 'media_type') === CAROUSEL || parts.length > 0
  const own = mediaFacts(object)
  return {
    ...post(object),
    ...(at(object, 'like_and_view_counts_disabled') === true ? { like_count: null, view_count: null } : {}),
    id: idIn(object, 'pk', 'id'),
    code: at(object, 'code'),
    type: isCarousel ? 'carousel' : own.kind,
    caption: at(object, 'caption', 'text'),
    owner: {
      id: idIn(at(object, 'user'), 'pk'),
      username: textOrNull(at(object, 'user', 'username')),
    },
    coauthors: usernamesIn(at(object, 'coauthor_producers')),
    tagged_users: usernamesIn(at(object, 'usertags', 'in'), 'user'),
    location: placeOf(at(object, 'location'), 'pk', 'id'),
    is_pinned: entriesAt(object, 'timeline_pinned_user_ids').some((id) => String(id) === profile.id),
    ...(isCarousel ? carouselOf(parts.map(mediaFacts), own) : { media: [own] }),
  }
}

type Size = { readonly width: number | null; readonly height: number | null }
type Rendition = Size & { readonly url: string }

function mediaFacts(object: unknown): MediaFacts {
  const original = sizeOf(object, 'original_width', 'original_height')
  const image = largest(renditions(at(object, 'image_versions2', 'candidates')), original)
  const video = largest(renditions(at(object, 'video_versions')), original)
  const isVideo = at(object, 'media_type') === VIDEO || video !== undefined
  const medium = isVideo ? video : image
  return {
    kind: isVideo ? 'video' : 'image',
    source_id: idIn(object, 'pk', 'id'),
    width: medium?.width ?? original.width,
    height: medium?.height ?? original.height,
    duration_seconds: numberOrNull(at(object, 'video_duration')),
    image_url: image?.url ?? linkOrNull(at(object, 'display_uri')),
    video_url: video?.url ?? null,
  }
}

const renditions = (list: unknown): Rendition[] =>
  entriesAt(list).flatMap((entry) => {
    const url = linkOrNull(at(entry, 'url'))
    return url === null ? [] : [{ url, ...sizeOf(entry, 'width', 'height') }]
  })

const sizeOf = (json: unknown, width: string, height: string): Size => ({
  width: integerOrNull(at(json, width)),
  height: integerOrNull(at(json, height)),
})

/**
 * The widest rendition with the original's aspect ratio, since lists contain square crops too; else the widest one. The
 * first of those without sizes, which are sorted.
 */
function largest(list: readonly Rendition[], original: Size): Rendition | undefined {
  const whole = list.filter((one) => Math.abs(shapeOf(one) / shapeOf(original) - 1) <= SAME_SHAPE)
  const [first, ...others] = whole.length > 0 ? whole : list
  return first && others.reduce((best, one) => ((one.width ?? 0) > (best.width ?? 0) ? one : best), first)
}

const shapeOf = ({ width, height }: Size): number => (width ?? Number.NaN) / (height ?? Number.NaN)
