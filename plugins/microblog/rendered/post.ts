/**
 * Reads a post from a rendered page.
 *
 * @module
 */
import { linkOrNull, reader, timeOf } from 'gleaner/plugin'
import { Media } from '../items/media.ts'
import { type Post, Quoted } from '../items/post.ts'
import { Author } from '../items/user.ts'
import { postUrl } from '../site.ts'
import { countIn, shownTags, shownText, shownUrls } from './text.ts'
import { avatarOf, isVerified, linkTo, nameIn } from './user.ts'

/** Posts, authors and media with all other fields empty: fields that a page does not show are null. */
const { id, url, author } = Quoted.properties
const emptyPost = reader(Quoted, { id, url, author })
const emptyAuthor = reader(Author, {})
const emptyMedium = reader(Media, {})

/**
 * Reads an article. Fields that it does not show are null. For a repost, it shows the original post.
 *
 * @returns null for an advert, and for an article without a permalink
 */
export function renderedPost(article: Element): Post | null {
  const link = permalinkIn(article)
  if (!link || isAdvert(article)) return null
  const quote = quoteIn(article)
  const own = (selector: string): Element[] =>
    [...article.querySelectorAll(selector)].filter((element) => !quote?.contains(element))
  const repliedTo = repliedToIn(article, quote)
  return {
    ...quotedFields(link.id, link.name, own('[data-testid="User-Name"]')[0], own),
    created_at: timeOf(link.time),
    author: authorIn(article, link.name),
    ...countsIn(article),
    is_reply: repliedTo === null ? null : true,
    in_reply_to_screen_name: repliedTo,
    is_quote: quote !== null,
    is_retweet: isRepost(article),
    quoted: quote && quotedIn(quote),
  }
}

/** The permalink of the post: the first link around a time. */
function permalinkIn(article: Element): { id: string; name: string; time: string | null } | null {
  for (const link of article.querySelectorAll('a[href*="/status/"]')) {
    const time = link.querySelector('time')
    const [, name, id] =
      /^(?:https?:\/\/[^/]+)?\/(\w+)\/status\/(\d+)/.exec(link.getAttribute('href') ?? '') ?? []
    if (time && name !== undefined && id !== undefined)
      return { id, name, time: time.getAttribute('datetime') }
  }
  return null
}

/** Whether an article is an advert: it has a label beside its author, and no time. */
const isAdvert = (article: Element): boolean =>
  [...article.querySelectorAll('span')].some(
    (span) =>
      span.children.length === 0 &&
      /^(?:Ad|Promoted)$/.test(span.textContent ?? '') &&
      !span.closest('[data-testid="tweetText"], [data-testid="User-Name"], a'),
  )

/** The block of a quoted post, which contains a second author. */
function quoteIn(article: Element): Element | null {
  const [, second] = article.querySelectorAll('[data-testid="User-Name"]')
  return second?.closest('[role="link"]') ?? null
}

/** A quoted post; null unless a link to one of its images contains its id. */
function quotedIn(quote: Element): Quoted | null {
  const [, name, id] =
    [...quote.querySelectorAll('a[href*="/status/"]')]
      .map((link) => /^\/(\w+)\/status\/(\d+)/.exec(link.getAttribute('href') ?? ''))
      .find(Boolean) ?? []
  if (name === undefined || id === undefined) return null
  const all = (selector: string): Element[] => [...quote.querySelectorAll(selector)]
  return {
    ...quotedFields(id, name, all('[data-testid="User-Name"]')[0], all),
    created_at: timeOf(quote.querySelector('time')?.getAttribute('datetime')),
    author: { ...authorIn(quote, name), name: quotedName(quote) },
  }
}

/** The author's name in a quoted post, where names are not links. */
function quotedName(quote: Element): string | null {
  const names = quote.querySelector('[data-testid="User-Name"]')
  return shownText(names?.querySelector('[dir="ltr"]') ?? null)
}

/** The fields that posts and quoted posts show in the same way; all other fields are null. */
function quotedFields(
  id: string,
  name: string,
  header: Element | undefined,
  all: (selector: string) => Element[],
): Quoted {
  const [text] = all('[data-testid="tweetText"]')
  return {
    ...emptyPost({ rest_id: id }),
    url: postUrl(name, id),
    text: shownText(text),
    lang: text?.getAttribute('lang') || null,
    author: authorIn(header, name),
    hashtags: text ? shownTags(text, '#') : [],
    user_mentions: text ? shownTags(text, '@') : [],
    urls: text ? shownUrls(text) : [],
    media: mediaIn(all),
  }
}

function authorIn(element: Element | undefined, screen_name: string): Author {
  const header = element?.querySelector('[data-testid="User-Name"]') ?? element
  return {
    ...emptyAuthor(null),
    screen_name,
    name: header ? shownText(linkTo(header, screen_name, (text) => !text.startsWith('@'))) : null,
    verified: header ? isVerified(header) : null,
    profile_image_url: element ? avatarOf(element) : null,
  }
}

function mediaIn(all: (selector: string) => Element[]): Media[] {
  const one = (type: string, url: string | null, alt_text: string | null): Media => ({
    ...emptyMedium(null),
    type,
    url,
    alt_text,
  })
  const photos = all('[data-testid="tweetPhoto"]').flatMap((photo) => {
    const image = photo.querySelector('img')
    // A video's placeholder image has the same test id. The `alt` of a photo without a description is "Image".
    if (!image || photo.querySelector('[data-testid="videoPlayer"], [data-testid="previewInterstitial"]'))
      return []
    const alt = image.getAttribute('alt')
    return one('photo', linkOrNull(image.getAttribute('src')), alt === 'Image' ? null : alt || null)
  })
  const videos = all('[data-testid="videoPlayer"], [data-testid="previewInterstitial"]').map(() =>
    one('video', null, null),
  )
  return [...photos, ...videos]
}

/** The parts of the label that summarizes a post's counts, and the label of a post without any. */
const KNOWN = /^$|^(?:Reposted|Retweeted|Liked|Bookmarked)$| (?:repl|repost|retweet|like|bookmark|view)/i

/** The counts below a post. The label that summarizes them omits counts of 0. */
function countsIn(
  article: Element,
): Pick<Quoted, 'reply_count' | 'retweet_count' | 'favorite_count' | 'bookmark_count' | 'view_count'> {
  const group = [...article.querySelectorAll('[role="group"][aria-label]')].at(-1)
  const parts = group?.getAttribute('aria-label')?.split(', ') ?? null
  // In a language that is not read here, a count that is not found may still be there.
  const none = parts?.every((part) => KNOWN.test(part)) ? 0 : null
  const countWith = (words: RegExp): number | null =>
    parts?.flatMap((part) => (words.test(part) ? (countIn(part) ?? []) : []))[0] ?? null
  const label = (selector: string): number | null =>
    countIn(article.querySelector(selector)?.getAttribute('aria-label'))
  return {
    reply_count: label('[data-testid="reply"]') ?? countWith(/ repl/) ?? none,
    retweet_count:
      label('[data-testid="retweet"], [data-testid="unretweet"]') ??
      countWith(/ (?:repost|retweet)/i) ??
      none,
    favorite_count: label('[data-testid="like"], [data-testid="unlike"]') ?? countWith(/ like/) ?? none,
    bookmark_count:
      label('[data-testid="bookmark"], [data-testid="removeBookmark"]') ?? countWith(/ bookmark/) ?? none,
    view_count: label('a[href$="/analytics"]') ?? countWith(/ view/),
  }
}

/**
 * Whether the line above a post says that it is a repost: false without a line, null when the line says something
 * else.
 */
function isRepost(article: Element): boolean | null {
  const line = article.querySelector('[data-testid="socialContext"]')
  if (!line) return false
  return /\b(?:reposted|retweeted)\b/i.test(line.textContent ?? '') ? true : null
}

/** The account that a post replies to, or null. The line that names it is not part of the post's text. */
function repliedToIn(article: Element, quote: Element | null): string | null {
  const lines = [...article.querySelectorAll('div')].filter(
    (line) =>
      /^Replying to\s*@/.test((line.textContent ?? '').trim()) &&
      !quote?.contains(line) &&
      !line.closest('[data-testid="tweetText"]'),
  )
  const line = lines.at(-1)
  return line ? (/@(\w+)/.exec(line.textContent ?? '')?.[1] ?? nameIn(line)) : null
}
