/** Reading posts and accounts from rendered pages, without a browser. */
import { describe, expect, test } from 'bun:test'
import { type Context, defineTask, Type } from 'gleaner/plugin'
import { runTask } from 'gleaner/plugin/testing'
import { account, post } from '../fixtures/sample.ts'
import { postOf } from '../items/post.ts'
import { userOf } from '../items/user.ts'
import { POSTS } from '../kinds.ts'
import source from '../source.ts'
import { cellOf, renderedList } from './list.ts'
import { renderedPost } from './post.ts'
import { countIn, shownText } from './text.ts'
import { renderedUser } from './user.ts'

/** A context as tasks get it, with the service's parser. */
async function contextOf(): Promise<Context> {
  let taskContext: Context | undefined
  const task = defineTask({
    key: 'microblog.test',
    path: '/v1/microblog/test',
    title: 'Test',
    description: 'Keeps its context.',
    price: 0,
    input: Type.Object({}),
    item: Type.Null(),
    example: {},
    // biome-ignore lint/correctness/useYield: only the context is needed
    async *run(context) {
      taskContext = context
      return undefined
    },
  })
  await runTask(task, {}, { source, exchanges: [] })
  return taskContext!
}
const context = await contextOf()
const element = (html: string): Element => cellOf(context, html)

const HEADER =
  '<div data-testid="User-Name"><a href="/ann"><span>Ann</span></a><a href="/ann">@ann</a><a href="/ann/status/7"><time datetime="2026-07-08T21:59:10.000Z">8h</time></a></div>'
const article = (rest: string, header = HEADER): string =>
  `<article data-testid="tweet">${header}${rest}</article>`
const read = (rest: string, header?: string) => renderedPost(element(article(rest, header)))
const text = (html: string): string => `<div data-testid="tweetText" lang="en">${html}</div>`

describe('a post', () => {
  test('that shows only its author and time has empty values for the rest', () => {
    expect(read('')).toEqual({
      id: '7',
      url: 'https://x.com/ann/status/7',
      text: null,
      lang: null,
      created_at: '2026-07-08T21:59:10Z',
      author: {
        id: null,
        screen_name: 'ann',
        name: 'Ann',
        verified: false,
        is_blue_verified: null,
        profile_image_url: null,
        followers_count: null,
      },
      reply_count: null,
      retweet_count: null,
      quote_count: null,
      favorite_count: null,
      bookmark_count: null,
      view_count: null,
      is_reply: null,
      in_reply_to_status_id: null,
      in_reply_to_screen_name: null,
      conversation_id: null,
      is_quote: false,
      is_retweet: false,
      hashtags: [],
      user_mentions: [],
      urls: [],
      media: [],
      card: null,
      possibly_sensitive: null,
      source: null,
      quoted: null,
      retweeted: null,
    })
  })

  test.each([
    ['Ad', '<div><span>Ad</span></div>'],
    ['Promoted', '<div><span>Promoted</span></div>'],
  ])('that says %s next to its author is an advert, and is left out', (_, mark) => {
    expect(read(mark)).toBeNull()
  })

  test('that mentions an ad in its text or author name is no advert', () => {
    expect(read(text('<span>Ad</span>'))?.id).toBe('7')
    const header = HEADER.replace('<span>Ann</span>', '<span>Ad</span>')
    expect(read('', header)?.author.name).toBe('Ad')
  })

  test('without a link around its time is left out', () => {
    expect(read('', HEADER.replace(/<time.*<\/time>/, '8h'))).toBeNull()
    expect(read('', '')).toBeNull()
  })

  test('has no count of 0 from a summary in another language', () => {
    const summary = '48 Antworten, 553 „Gefällt mir“-Angaben, 9 Lesezeichen, 30142 Mal angezeigt'
    const buttons = `<div role="group" aria-label="${summary}"><button data-testid="reply" aria-label="48 Antworten. Antworten"></button><button data-testid="bookmark" aria-label="Lesezeichen"></button></div>`
    expect(read(buttons)).toMatchObject({ reply_count: 48, retweet_count: null, bookmark_count: null })
  })

  test('has its counts from its buttons, in any language', () => {
    const buttons =
      '<div role="group" aria-label=""><button data-testid="reply" aria-label="1.204 Antworten. Antworten"></button><button data-testid="unretweet" aria-label="9 Reposts"></button><button data-testid="unlike" aria-label="12,345 likes"></button><button data-testid="removeBookmark" aria-label="3 Bookmarks"></button><a href="/ann/status/7/analytics" aria-label="67 890 Aufrufe"></a></div>'
    expect(read(buttons)).toMatchObject({
      reply_count: 1204,
      retweet_count: 9,
      favorite_count: 12_345,
      bookmark_count: 3,
      view_count: 67_890,
    })
  })

  test('has its counts from the summary label if the buttons have none: omitted counts are 0', () => {
    const sum = '1 reply, 99 reposts, Reposted, 894 likes, Liked, 116524 views'
    expect(read(`<div role="group" aria-label="${sum}"></div>`)).toMatchObject({
      reply_count: 1,
      retweet_count: 99,
      favorite_count: 894,
      bookmark_count: 0,
      view_count: 116_524,
    })
    expect(read('<div role="group" aria-label=""></div>')).toMatchObject({ reply_count: 0, view_count: null })
  })

  test('has emoji, line breaks, names and links in its text', () => {
    const item = read(
      text(
        'Look <img alt="💡">\n<a href="/ben">@ben</a> <a href="/hashtag/lamps">#lamps</a> <a href="https://t.co/x"><span>https://</span>lamps.example/a<span>bc</span><span>…</span></a><span data-testid="tweet-text-show-more-link">Show more</span>',
      ),
    )
    expect(item).toMatchObject({
      text: 'Look 💡\n@ben #lamps https://t.co/x',
      lang: 'en',
      hashtags: ['lamps'],
      user_mentions: ['ben'],
      urls: ['https://lamps.example/abc'],
    })
  })

  test.each([
    ['<span data-testid="socialContext">Ben reposted</span>', true],
    ['<span data-testid="socialContext">Pinned</span>', null],
    ['', false],
  ])('is a repost if the line above it says so: %s', (line, isRetweet) => {
    expect(read(line)?.is_retweet ?? null).toBe(isRetweet)
  })

  test('is a reply if it names its recipient, and not if only its quote does', () => {
    expect(read('<div>Replying to <a href="/ben">@ben</a></div>')).toMatchObject({
      is_reply: true,
      in_reply_to_screen_name: 'ben',
    })
    const quote =
      '<div role="link"><div data-testid="User-Name">Ben</div><div>Replying to @ann</div><div data-testid="tweetText">his</div></div>'
    expect(read(quote)).toMatchObject({ is_reply: null, is_quote: true, text: null, quoted: null })
  })

  test('has its own photos and videos, with their alt texts', () => {
    const photo = (alt: string, src: string) =>
      `<div data-testid="tweetPhoto"><img alt="${alt}" src="${src}"></div>`
    const quote = `<div role="link"><div data-testid="User-Name">Ben</div>${photo('', 'https://pbs.twimg.com/q.jpg')}</div>`
    const item = read(
      photo('Image', 'https://pbs.twimg.com/1.jpg') +
        photo('A lamp', 'https://pbs.twimg.com/2.jpg') +
        '<div data-testid="tweetPhoto"><div data-testid="videoPlayer"><img alt="x" src="https://pbs.twimg.com/v.jpg"></div></div>' +
        quote,
    )
    expect(item?.media.map(({ type, url, alt_text }) => [type, url, alt_text])).toEqual([
      ['photo', 'https://pbs.twimg.com/1.jpg', null],
      ['photo', 'https://pbs.twimg.com/2.jpg', 'A lamp'],
      ['video', null, null],
    ])
  })
})

describe('an account', () => {
  const cell = (button: string) =>
    element(
      `<div data-testid="UserCell"><a href="/ann"><span>Ann</span></a><a href="/ann">@ann</a>${button}<div dir="auto"><span>Lamps</span></div></div>`,
    )
  test.each(['7-follow', '7-unfollow', '7-cancel', '7-unblock'])('has its id from the button %s', (name) => {
    expect(renderedUser(cell(`<button data-testid="${name}"></button>`))).toMatchObject({
      id: '7',
      screen_name: 'ann',
      name: 'Ann',
      description: 'Lamps',
      protected: null,
    })
  })

  test('without an id is left out', () => {
    expect(renderedUser(cell(''))).toBeNull()
    expect(renderedUser(element('<div data-testid="UserCell"></div>'))).toBeNull()
  })
})

test.each([
  ['894 Likes. Like', 894],
  ['1,234,567 views', 1_234_567],
  ['12 345 vues', 12_345],
  ['Bookmark', null],
  ['', null],
  [null, null],
  ['3 replies, 4 reposts', 3],
])('the count at the beginning of %j', (label, count) => {
  expect(countIn(label)).toBe(count)
})

test('the text of null and of a blank element is null', () => {
  expect(shownText(null)).toBeNull()
  expect(shownText(element('<div> </div>'))).toBeNull()
})

describe('a list', () => {
  const cellAt = (id: number) => article('', HEADER.replaceAll('/status/7', `/status/${id}`))
  /** A page that shows these windows one after the other as it is scrolled. */
  const pageOf = (windows: readonly (readonly number[])[]) => {
    let at = 0
    return {
      evaluate: async (script: string) =>
        script.startsWith('new Promise') ? true : (windows[at] ?? windows.at(-1)!).map(cellAt),
      scroll: async () => {
        at++
        return true
      },
    }
  }
  const read = (windows: readonly (readonly number[])[]) =>
    renderedList({ page: pageOf(windows), context, kind: POSTS })

  test('is read while it is scrolled, each post once, until no new post appears', async () => {
    const next = read([[1, 2], [2, 3], [2, 3], [3, 4], [4]])
    const parts = [await next(), await next(), await next(), await next()]
    expect(parts.map(({ rows }) => rows.map(({ id }) => id))).toEqual([['1', '2'], ['3'], ['4'], []])
    expect(parts.map((part) => part.next === null)).toEqual([false, false, false, true])
  })

  test('without shown posts is no empty list', async () => {
    const ends = await read([[]])().catch((error) => error)
    expect([ends.code, ends.message]).toEqual(['source-changed', 'the page shows no posts'])
  })
})

describe('a quoted post', () => {
  const quote = (inner: string) =>
    `<div role="link"><div data-testid="User-Name"><span dir="ltr">Ben Lux</span><span>@ben</span><time datetime="2026-07-01T08:00:00.000Z">Jul 1</time></div>${inner}</div>`

  test('is read if a link to one of its pictures contains its id', () => {
    const picture =
      '<a href="/ben/status/5/photo/1"><div data-testid="tweetPhoto"><img alt="Image" src="https://pbs.twimg.com/5.jpg"></div></a>'
    const text = '<div data-testid="tweetText" lang="en">Old lamps</div>'
    expect(read(quote(text + picture))?.quoted).toMatchObject({
      id: '5',
      url: 'https://x.com/ben/status/5',
      text: 'Old lamps',
      created_at: '2026-07-01T08:00:00Z',
      author: { name: 'Ben Lux', screen_name: 'ben' },
      media: [{ type: 'photo', url: 'https://pbs.twimg.com/5.jpg', alt_text: null }],
      quoted: null,
    })
  })

  test('is null if no link contains its id', () => {
    expect(read(quote(''))).toMatchObject({ is_quote: true, quoted: null })
  })
})

describe('has the same fields as in a response, as far as the page shows them', () => {
  const pick = (item: object, names: readonly string[]) =>
    Object.fromEntries(Object.entries(item).filter(([name]) => names.includes(name)))

  test('a post', () => {
    const names = [
      'id',
      'url',
      'text',
      'lang',
      'created_at',
      'hashtags',
      'user_mentions',
      'urls',
      'is_quote',
      'is_retweet',
    ]
    const counts = ['reply_count', 'retweet_count', 'favorite_count', 'bookmark_count', 'view_count']
    const entities = {
      hashtags: [{ text: 'lamps' }],
      user_mentions: [{ screen_name: 'ben' }],
      urls: [{ url: 'https://t.co/l', expanded_url: 'https://lamps.example/' }],
    }
    const fromAnswer = postOf(post(7, { full_text: 'Lamp 7 https://t.co/l #lamps @ben', entities }))!
    const header = HEADER.replaceAll('ann', 'maker_7')
    const link = '<a href="https://t.co/l">https://lamps.example/</a>'
    const tags = '<a href="/hashtag/lamps">#lamps</a> <a href="/ben">@ben</a>'
    const label = '3 replies, 4 reposts, 5 likes, 1 bookmark, 70 views'
    const fromPage = read(
      `${text(`Lamp 7 ${link} ${tags}`)}<div role="group" aria-label="${label}"></div>`,
      header,
    )!
    expect(pick(fromPage, [...names, ...counts])).toEqual(pick(fromAnswer, [...names, ...counts]))
    expect(fromPage.author.screen_name).toBe(fromAnswer.author.screen_name)
  })

  test('an account', () => {
    const names = ['id', 'screen_name', 'name', 'description', 'verified', 'profile_image_url']
    const fromAnswer = userOf(account(7))!
    const picture = `<div data-testid="UserAvatar-Container-x"><img src="${fromAnswer.profile_image_url}"></div>`
    const cell = `<div data-testid="UserCell">${picture}<a href="/maker_7">Maker 7</a><a href="/maker_7">@maker_7</a><button data-testid="9007-follow"></button><div dir="auto">Lamp maker number 7</div></div>`
    expect(pick(renderedUser(element(cell))!, names)).toEqual(pick(fromAnswer, names))
  })
})
