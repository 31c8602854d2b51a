/**
 * For tests: made-up answers in the forms that the site has, and the made-up page of the fixtures, which asks for them.
 *
 * @module
 */
import type { Exchange } from 'gleaner/plugin/testing'
import { readCassette } from 'gleaner/plugin/testing'

type Fields = Readonly<Record<string, unknown>>

const read = (name: string) => readCassette(new URL(`./fixtures/${name}.json`, import.meta.url))
export const cassettes = {
  latest: read('search-latest'),
  people: read('search-people'),
  lists: read('search-lists'),
  media: read('search-media'),
  following: read('timeline-following'),
  forYou: read('timeline-for-you'),
}

/** The page of the fixtures at a path; `change` makes another one of its HTML. */
export function documentAt(path: string, change = (html: string): string => html): Exchange {
  const [document] = cassettes.latest.exchanges
  return { ...document, request: path, body: change(String(document?.body)) }
}

const asked = (operation: string, variables: object): string =>
  `/i/api/graphql/*/${operation}?variables=${encodeURIComponent(JSON.stringify(variables))}`

/** What the page asks for on a tab of the search for lamps. */
export const searchRequest = (product = 'Top', cursor?: string): string =>
  asked('SearchTimeline', { rawQuery: 'lamps', count: 20, querySource: 'typed_query', product, cursor })

/** What it asks for on a home timeline. */
export const homeRequest = (operation = 'HomeTimeline', cursor?: string): string =>
  asked(operation, {
    count: 20,
    includePromotedContent: true,
    latestControlAvailable: true,
    withCommunity: true,
    cursor,
  })

/** An account as the site wrote it until spring 2025. */
export const account = (n: number, legacy: Fields = {}): Fields => ({
  __typename: 'User',
  rest_id: `900${n}`,
  is_blue_verified: n % 2 === 0,
  legacy: {
    created_at: 'Thu Mar 04 09:10:11 +0000 2021',
    description: `Lamp maker number ${n}`,
    followers_count: 100 + n,
    friends_count: 10 + n,
    location: 'Lampville',
    name: `Maker ${n}`,
    profile_image_url_https: `https://pbs.twimg.com/profile_images/${n}/face_normal.jpg`,
    screen_name: `maker_${n}`,
    statuses_count: 1000 + n,
    verified: false,
    ...legacy,
  },
})

/** A post with the id `n`; what is given takes the place of its parts. */
export const post = (n: number, legacy: Fields = {}, parts: Fields = {}): Fields => ({
  __typename: 'Tweet',
  rest_id: String(n),
  core: { user_results: { result: account(n) } },
  views: { count: String(n * 10), state: 'EnabledWithCount' },
  source: '<a href="https://x.com" rel="nofollow">X Web App</a>',
  legacy: {
    bookmark_count: 1,
    conversation_id_str: String(n),
    created_at: 'Wed Jul 08 21:59:10 +0000 2026',
    entities: { hashtags: [], urls: [], user_mentions: [] },
    favorite_count: 5,
    full_text: `Lamp ${n}`,
    id_str: String(n),
    is_quote_status: false,
    lang: 'en',
    quote_count: 2,
    reply_count: 3,
    retweet_count: 4,
    user_id_str: `900${n}`,
    ...legacy,
  },
  ...parts,
})

/** The content of an entry that shows a post, or whatever stands in its place. */
export const shows = (result: unknown): Fields => ({
  itemType: 'TimelineTweet',
  tweet_results: result === undefined ? {} : { result },
})

export const entry = (entryId: string, itemContent: Fields): Fields => ({
  entryId,
  content: { entryType: 'TimelineTimelineItem', itemContent },
})

export const postEntry = (n: number, legacy: Fields = {}, parts: Fields = {}): Fields =>
  entry(`tweet-${n}`, shows(post(n, legacy, parts)))

export const userEntry = (n: number): Fields =>
  entry(`user-900${n}`, { itemType: 'TimelineUser', user_results: { result: account(n) } })

export const cursor = (type: 'Top' | 'Bottom', value: string): Fields => ({
  entryId: `cursor-${type.toLowerCase()}-1`,
  content: { entryType: 'TimelineTimelineCursor', cursorType: type, value },
})

export const module = (entryId: string, items: readonly Fields[], displayType = 'VerticalConversation') => ({
  entryId,
  content: {
    entryType: 'TimelineTimelineModule',
    displayType,
    items: items.map((itemContent, i) => ({ entryId: `${entryId}-tweet-${i}`, item: { itemContent } })),
  },
})

export const add = (...entries: readonly Fields[]): Fields => ({ type: 'TimelineAddEntries', entries })
/** Entries, and where they go on. */
export const page = (entries: readonly Fields[], next: string): Fields =>
  add(...entries, cursor('Top', `top-${next}`), cursor('Bottom', next))

export const searched = (...instructions: readonly Fields[]): Fields => ({
  data: { search_by_raw_query: { search_timeline: { timeline: { instructions } } } },
})

export const home = (type: string, ...instructions: readonly Fields[]): Fields => ({
  data: { home: { home_timeline_urt: { instructions, metadata: { scribeConfig: { page: type } } } } },
})
