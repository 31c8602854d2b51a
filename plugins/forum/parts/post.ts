/**
 * A post in a feed: an element whose attributes state most of its fields.
 *
 * @module
 */
import {
  at,
  entriesAt,
  integerOrNull,
  jsonIn,
  numberOrNull,
  reader,
  SourceChanged,
  textOrNull,
  timeOf,
} from 'gleaner/plugin'
import type { Media } from '../json/media.ts'
import { Post } from '../json/post.ts'
import { authorOf, identityOf, linkOf, permalinkOf, prefixOf } from '../json/values.ts'
import { ownIn } from './part.ts'
import { labelOf, markdownIn } from './text.ts'

/** Reads a post that has only a fullname. */
export const unseenPost = reader(Post, identityOf('t3'))

/** The fullname of a row. @throws {SourceChanged} when it is missing: the other fields may be wrong too */
export function fullnameOf(kind: 't1' | 't3', value: unknown): string {
  const fullname = textOrNull(value)
  if (fullname === null || !new RegExp(`^${kind}_[a-z0-9]{1,13}$`).test(fullname))
    throw new SourceChanged('a post or comment of a part has no fullname')
  return fullname
}

/** @throws {SourceChanged} when the post has no fullname */
export function postOfElement(element: Element, origin: string): Post {
  const attribute = (name: string) => textOrNull(element.getAttribute(name))
  const isMarked = (name: string) => element.hasAttribute(name) && attribute(name) !== 'false'
  const own = (selector: string) => ownIn(element, selector)
  const type = attribute('post-type')
  const isType = (...types: string[]) => (type === null ? null : types.includes(type))
  const community = attribute('subreddit-name')
  const permalink = permalinkOf(attribute('permalink'), origin)
  const ratio = numberOrNull(attribute('upvote-ratio'))
  return {
    ...unseenPost({ name: fullnameOf('t3', attribute('id')) }),
    title: attribute('post-title'),
    author: authorOf(attribute('author')),
    author_id: attribute('author-id'),
    community,
    community_prefixed: attribute('subreddit-prefixed-name') ?? prefixOf(community),
    url: linkOf(attribute('content-href'), origin) ?? permalink,
    permalink,
    domain: attribute('domain'),
    selftext: markdownIn(own('[slot="text-body"]')),
    score: integerOrNull(attribute('score')),
    // As many digits as JSON has.
    upvote_ratio: ratio === null ? null : Math.round(ratio * 100) / 100,
    num_comments: integerOrNull(attribute('comment-count')),
    created_at: timeOf(attribute('created-timestamp')),
    flair: labelOf(own('shreddit-post-flair') ?? own('.flair-content')),
    is_self: isType('text', 'self'),
    is_video: isType('video'),
    is_gallery: isType('gallery'),
    over_18: isMarked('nsfw'),
    spoiler: isMarked('spoiler'),
    // Every post has this icon, mostly hidden.
    stickied: isMarked('stickied') || own('svg.stickied-status:not(.hidden)') !== undefined,
    locked: isMarked('locked'),
    archived: isMarked('archived'),
    thumbnail: linkOf(own('[slot="thumbnail"] img')?.getAttribute('src'), origin),
    media: mediaIn(element, type, origin),
  }
}

function mediaIn(element: Element, type: string | null, origin: string): Media[] {
  const mediumAt = (kind: Media['type'], address: unknown, more: object = {}): Media[] => {
    const url = linkOf(address, origin)
    return url === null ? [] : [{ type: kind, url, width: null, height: null, duration: null, ...more }]
  }
  if (type === 'image') return mediumAt('image', element.getAttribute('content-href'))
  if (type === 'gallery') {
    const pictures = [...element.querySelectorAll('gallery-carousel img')]
    const addresses = pictures.map((img) => img.getAttribute('src') ?? img.getAttribute('data-lazy-src'))
    return [...new Set(addresses)].flatMap((address) => mediumAt('image', address))
  }
  const player = type === 'video' ? ownIn(element, 'shreddit-player') : undefined
  const files = at(jsonIn(player?.getAttribute('packaged-media-json') ?? ''), 'playbackMp4s')
  const heightOf = (file: unknown) => integerOrNull(at(file, 'dimensions', 'height'))
  const [tallest] = entriesAt(files, 'permutations')
    .map((each) => at(each, 'source'))
    .sort((a, b) => (heightOf(b) ?? 0) - (heightOf(a) ?? 0))
  const measures = {
    width: integerOrNull(at(tallest, 'dimensions', 'width')),
    height: heightOf(tallest),
    duration: numberOrNull(at(files, 'duration')),
  }
  const packaged = mediumAt('video', at(tallest, 'url'), measures)
  return packaged.length > 0 ? packaged : mediumAt('video', player?.getAttribute('src'))
}
