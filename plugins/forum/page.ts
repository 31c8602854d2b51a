/**
 * Reads listings of posts from pages, in two styles. Elements of the old style have classes and, since 2016, data
 * attributes. Elements of the new style have attributes only. Fields that a page does not show are null.
 *
 * @module
 */
import { type Context, integerOrNull, reader, SourceChanged, textOrNull, timeOf } from 'gleaner/plugin'
import type { ListingPage } from './listing.ts'
import { mediaOf } from './media.ts'
import { Post } from './post.ts'
import { authorOf, identityOf, linkOf, permalinkOf, prefixOf } from './texts.ts'

/** The longest page that is parsed, in characters. A page of 25 posts has fewer than 100,000. */
const LONGEST = 2_000_000
/** The maximum number of posts on a page. The site shows at most 100, plus pinned posts. */
const MOST_POSTS = 250

/** Reads a post that has only a fullname. */
const unseen = reader(Post, identityOf('t3'))

/** Reads a page of the old style; undefined for any other page. */
export function oldListing(context: Context, html: string): ListingPage<Post> | undefined {
  if (html.length > LONGEST || !html.includes('siteTable')) return undefined
  const document = context.parse(html)
  const table = document.querySelector('#siteTable')
  const things = [...(table?.children ?? [])].filter(
    (child) => child.classList.contains('thing') && child.getAttribute('data-promoted') !== 'true',
  )
  // An empty listing says so. A page without posts that does not say so is not a listing.
  if (!table || things.length > MOST_POSTS || (things.length === 0 && !table.querySelector('#noresults')))
    return undefined
  const next = linkOf(document.querySelector('a[rel~=next]')?.getAttribute('href'), context.origin)
  return {
    items: things.map((thing) => oldPost(thing, context.origin)),
    after: next === null ? null : new URL(next).searchParams.get('after'),
    before: null,
  }
}

function oldPost(thing: Element, origin: string): Post {
  const data = (name: string) => thing.getAttribute(`data-${name}`)
  const text = (selector: string) => textOrNull(thing.querySelector(selector)?.textContent)
  const href = (selector: string) => thing.querySelector(selector)?.getAttribute('href')
  const marked = (name: string, className: string) =>
    data(name) === 'true' || thing.classList.contains(className)
  const fullname = fullnameOf(data('fullname'))
  const permalink = permalinkOf(data('permalink') ?? href('a.comments'), origin)
  const community = textOrNull(data('subreddit')) ?? communityIn(permalink)
  const domain = textOrNull(data('domain')) ?? text('.domain a')
  const url = linkOf(data('url') ?? href('a.title'), origin)
  return {
    ...unseen({ name: fullname }),
    title: text('a.title'),
    author: authorOf(data('author') ?? text('a.author')),
    author_id: textOrNull(data('author-fullname')) ?? accountIn(thing.querySelector('a.author')),
    ...communityFields(community, data('subreddit-prefixed')),
    url,
    permalink,
    domain,
    score: integerOrNull(data('score') ?? text('.score.unvoted')),
    num_comments: integerOrNull(data('comments-count')) ?? countIn(text('a.comments')),
    num_crossposts: integerOrNull(data('num-crossposts')),
    created_at:
      timeOf(data('timestamp'), 'ms') ?? timeOf(thing.querySelector('time')?.getAttribute('datetime')),
    flair: text('.linkflairlabel'),
    is_self: domain?.startsWith('self.') ?? false,
    is_video: domain === 'v.redd.it',
    is_gallery: data('is-gallery') === 'true',
    over_18: marked('nsfw', 'over18'),
    spoiler: marked('spoiler', 'spoiler'),
    stickied: thing.classList.contains('stickied'),
    thumbnail: linkOf(thing.querySelector('.thumbnail img')?.getAttribute('src'), origin),
    media: mediaOf({ url }, origin),
  }
}

/** Reads a page of the new style, which shows only the first posts; undefined for any other page. */
export function newListing(context: Context, html: string): ListingPage<Post> | undefined {
  if (html.length > LONGEST || !html.includes('<shreddit-post')) return undefined
  const document = context.parse(html)
  const posts = [...document.querySelectorAll('shreddit-post')]
  if (posts.length === 0 || posts.length > MOST_POSTS) return undefined
  const items = posts.map((post) => newPost(post, context.origin))
  // The page names its next part by a position in another form. It corresponds to the position of the last post.
  const more = document.querySelector('faceplate-partial[src*="after="]')
  return { items, after: more && (items.at(-1)?.fullname ?? null), before: null }
}

function newPost(element: Element, origin: string): Post {
  const attribute = (name: string) => textOrNull(element.getAttribute(name))
  const fullname = fullnameOf(attribute('id'))
  const kind = attribute('post-type')
  const url = linkOf(attribute('content-href'), origin)
  return {
    ...unseen({ name: fullname }),
    title: attribute('post-title'),
    author: authorOf(attribute('author')),
    author_id: attribute('author-id'),
    ...communityFields(attribute('subreddit-name'), attribute('subreddit-prefixed-name')),
    url,
    permalink: permalinkOf(attribute('permalink'), origin),
    domain: attribute('domain'),
    score: integerOrNull(attribute('score')),
    num_comments: integerOrNull(attribute('comment-count')),
    created_at: timeOf(attribute('created-timestamp')),
    flair: textOrNull(element.querySelector('.flair-content')?.textContent),
    is_self: kind === 'text',
    is_video: kind === 'video',
    is_gallery: kind === 'gallery',
    media: mediaOf({ url }, origin),
  }
}

/** The fullname of a post on a page. @throws {SourceChanged} when it is missing: the other fields may be wrong too */
function fullnameOf(value: string | null): string {
  if (value === null || !/^t3_[a-z0-9]+$/.test(value))
    throw new SourceChanged('a post of a page has no fullname')
  return value
}

const communityFields = (community: string | null, named: string | null) => ({
  community,
  community_prefixed: textOrNull(named) ?? prefixOf(community),
})

const communityIn = (permalink: string | null): string | null =>
  /\/r\/([^/]+)\/comments\//.exec(permalink ?? '')?.[1] ?? null

/** The account's fullname, which the old style writes as a class of the author element: `id-t2_abc`. */
const accountIn = (author: Element | null): string | null =>
  /(?:^|\s)id-(t2_[a-z0-9]+)/.exec(author?.getAttribute('class') ?? '')?.[1] ?? null

/** The number in `1,234 comments`; 0 for a bare `comment`, which means that there are none yet. */
function countIn(words: string | null): number | null {
  const [, number, word] = /^(?:([\d,]+) )?(comment)s?$/.exec(words ?? '') ?? []
  return number === undefined ? (word ? 0 : null) : integerOrNull(number.replaceAll(',', ''))
}
