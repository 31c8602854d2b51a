/** Posts: every field, and posts that are not visible. */
import { describe, expect, test } from 'bun:test'
import { SourceError } from 'gleaner/plugin'
import { post } from '../fixtures/sample.ts'
import { isBare, postOf } from './post.ts'

const codeOf = (read: () => unknown) => {
  try {
    read()
    return 'none'
  } catch (error) {
    if (error instanceof SourceError) return error.code
    throw error
  }
}

describe('a post', () => {
  test.each<[string, unknown]>([
    ['a tombstone', { __typename: 'TweetTombstone', tombstone: {} }],
    ['an unavailable post', { __typename: 'TweetUnavailable' }],
    ['undefined', undefined],
    ['an empty result', {}],
    [
      'a wrapper around a tombstone',
      { __typename: 'TweetWithVisibilityResults', tweet: { __typename: 'TweetTombstone' } },
    ],
  ])('that is not visible is read as null: %s', (_, result) => {
    expect(postOf(result)).toBeNull()
  })

  test('for subscribers only is not visible', () => {
    const preview = { __typename: 'TweetPreviewDisplay', tweet: { rest_id: '1', text: 'For subscribers' } }
    expect([postOf(preview), isBare(preview)]).toEqual([null, false])
  })

  test('without an id throws source-changed', () => {
    expect(codeOf(() => postOf({ __typename: 'Tweet', legacy: { full_text: 'x' } }))).toBe('source-changed')
  })

  test.each<[string, object]>([
    ['nothing', {}],
    ['an empty legacy block', { legacy: {} }],
    ['counts only', { details: {}, counts: { reply_count: 1 } }],
  ])('whose content is missing is not visible, and recognized: %s', (_, parts) => {
    const result = { __typename: 'Tweet', rest_id: '1', ...parts }
    expect([postOf(result), isBare(result)]).toEqual([null, true])
    expect(isBare(post(1))).toBe(false)
    const quoting = post(2, { is_quote_status: true }, { quoted_status_result: { result } })
    expect(postOf(quoting)).toMatchObject({ id: '2', is_quote: true, quoted: null })
  })

  test('whose original is null is no repost', () => {
    expect(postOf(post(1, { retweeted_status_result: null }))?.is_retweet).toBe(false)
  })

  test('that reposts nothing is a repost without an original', () => {
    expect(postOf(post(1, { retweeted_status_result: {} }))).toMatchObject({
      text: 'Lamp 1',
      is_retweet: true,
      retweeted: null,
    })
  })

  test('that was edited has its newest id', () => {
    const edit_control = { edit_control_initial: { edit_tweet_ids: ['6', '7'] } }
    expect(postOf(post(7, {}, { edit_control }))?.id).toBe('7')
  })

  test('without a type in a wrapper is recognized by its id', () => {
    const { __typename: _, ...tweet } = post(1)
    expect(postOf({ __typename: 'TweetWithVisibilityResults', tweet })?.id).toBe('1')
  })

  test.each([
    ['Fish &amp; chips &lt;b&gt;', 'Fish & chips <b>'],
    ['&amp;lt; is &lt;', '&lt; is <'],
    ['a <b>bold</b> word', 'a <b>bold</b> word'],
    ['line\n\nline', 'line\n\nline'],
    ['   ', null],
  ])('has its text decoded once: %j', (full_text, text) => {
    expect(postOf(post(1, { full_text }))?.text ?? null).toBe(text)
  })

  test('has its full long text and the entities of that text', () => {
    const long = 'The whole story of a lamp & its cord https://t.co/photo'
    const note_tweet = {
      note_tweet_results: {
        result: {
          text: long,
          entity_set: {
            hashtags: [{ text: 'cord' }],
            user_mentions: [{ screen_name: 'ben' }],
            urls: [{ expanded_url: 'https://lamps.example/cord' }],
          },
        },
      },
    }
    const media = [
      { type: 'photo', url: 'https://t.co/photo', media_url_https: 'https://pbs.twimg.com/1.jpg' },
    ]
    const legacy = { full_text: 'The whole story of…', entities: { media }, extended_entities: { media } }
    expect(postOf(post(1, legacy, { note_tweet }))).toMatchObject({
      text: 'The whole story of a lamp & its cord',
      hashtags: ['cord'],
      user_mentions: ['ben'],
      urls: ['https://lamps.example/cord'],
      media: [{ type: 'photo', url: 'https://pbs.twimg.com/1.jpg', width: null, alt_text: null }],
    })
  })

  test('with only media has no text', () => {
    const media = [{ type: 'photo', url: 'https://t.co/p', media_url_https: 'https://pbs.twimg.com/1.jpg' }]
    const item = postOf(post(1, { full_text: 'https://t.co/p', extended_entities: { media } }))
    expect([item?.text, item?.media.length]).toEqual([null, 1])
  })

  test('has the MP4 of the highest bit rate, whatever the order', () => {
    const mp4 = (bitrate: number) => ({
      bitrate,
      content_type: 'video/mp4',
      url: `https://v.example/${bitrate}`,
    })
    const hls = { content_type: 'application/x-mpegURL', url: 'https://v.example/hls' }
    const video_info = { duration_millis: 7000, variants: [mp4(300), hls, mp4(900), mp4(600)] }
    const media = [
      { type: 'video', url: 'https://t.co/v', media_url_https: 'https://p.example/1.jpg', video_info },
    ]
    expect(postOf(post(1, { extended_entities: { media } }))?.media).toEqual([
      {
        type: 'video',
        url: 'https://v.example/900',
        width: null,
        height: null,
        alt_text: null,
        duration_ms: 7000,
      },
    ])
  })

  test.each([
    [{ count: '77', state: 'EnabledWithCount' }, 77],
    [{ state: 'Enabled' }, null],
    [undefined, null],
  ])('has a view count if the site sends one: %j', (views, count) => {
    expect(postOf(post(1, {}, { views }))?.view_count ?? null).toBe(count)
  })

  test('that replies to a deleted post is a reply', () => {
    expect(postOf(post(1, { in_reply_to_screen_name: 'ann' }))).toMatchObject({
      is_reply: true,
      in_reply_to_status_id: null,
      in_reply_to_screen_name: 'ann',
    })
  })

  test('includes quotes one level deep, also inside a wrapper', () => {
    const inner = post(3, { full_text: 'inner' })
    const quote = post(2, { is_quote_status: true }, { quoted_status_result: { result: inner } })
    const wrapper = { __typename: 'TweetWithVisibilityResults', tweet: quote }
    const item = postOf(post(1, { is_quote_status: true }, { quoted_status_result: { result: wrapper } }))
    expect(item?.quoted).toMatchObject({ id: '2', is_quote: true, quoted: null, retweeted: null })
  })

  test.each<[string, object]>([
    ['is a tombstone', { quoted_status_result: { result: { __typename: 'TweetTombstone' } } }],
    ['is empty', { quoted_status_result: {} }],
    ['is missing', {}],
  ])('whose quote %s has is_quote true and a null quote', (_, parts) => {
    expect(postOf(post(1, { is_quote_status: true }, { ...parts }))).toMatchObject({
      is_quote: true,
      quoted: null,
    })
  })

  test('that reposts a quoting post has the quote inside the repost', () => {
    const quoting = post(2, { is_quote_status: true }, { quoted_status_result: { result: post(3) } })
    const item = postOf(
      post(1, { full_text: 'RT @maker_2: La…', retweeted_status_result: { result: quoting } }),
    )
    expect(item).toMatchObject({
      text: 'RT @maker_2: Lamp 2',
      is_retweet: true,
      quoted: null,
      retweeted: { id: '2', quoted: { id: '3' } },
    })
  })

  test('that reposts an invisible post keeps its own text', () => {
    const tombstone = { __typename: 'TweetTombstone' }
    const item = postOf(
      post(1, { full_text: 'RT @ann: cut…', retweeted_status_result: { result: tombstone } }),
    )
    expect(item).toMatchObject({ text: 'RT @ann: cut…', is_retweet: true, retweeted: null })
  })

  test('of a deleted account has only the id of its author', () => {
    const missingUser = { user_results: { result: { __typename: 'UserUnavailable' } } }
    expect(postOf(post(1, {}, { core: missingUser }))).toMatchObject({
      url: 'https://x.com/i/status/1',
      author: { id: '9001', screen_name: null, name: null, verified: null },
    })
  })

  test('has a poll as its card', () => {
    const values = {
      choice1_label: 'Desk',
      choice1_count: '12',
      choice2_label: 'Floor',
      card_url: 'card://1',
    }
    const binding_values = Object.entries(values).map(([key, string_value]) => ({
      key,
      value: { string_value },
    }))
    const card = { legacy: { name: '3691233323:poll2choice_text_only', url: 'card://1', binding_values } }
    expect(postOf(post(1, {}, { card }))?.card).toEqual({
      name: 'poll2choice_text_only',
      title: null,
      description: null,
      domain: null,
      url: null,
      image_url: null,
      choices: [
        { label: 'Desk', votes: 12 },
        { label: 'Floor', votes: null },
      ],
    })
  })

  test('has the image of a poll', () => {
    const value = { image_value: { url: 'https://pbs.twimg.com/card_img/2/poll' } }
    const binding_values = [
      { key: 'choice1_label', value: { string_value: 'Desk' } },
      { key: 'image_original', value },
    ]
    const card = { legacy: { name: 'poll2choice_image', binding_values } }
    expect(postOf(post(1, {}, { card }))?.card).toMatchObject({
      name: 'poll2choice_image',
      image_url: 'https://pbs.twimg.com/card_img/2/poll',
      choices: [{ label: 'Desk', votes: null }],
    })
  })

  test('with an article has it as its card, and the link to it as its text', () => {
    const article = {
      article_results: {
        result: {
          rest_id: '55',
          title: 'On cords',
          preview_text: 'A cord is…',
          cover_media: { media_info: { original_img_url: 'https://pbs.twimg.com/media/cord.jpg' } },
        },
      },
    }
    const urls = [{ url: 'https://t.co/a', expanded_url: 'https://x.com/i/article/55' }]
    const legacy = { full_text: 'https://t.co/a', entities: { urls } }
    expect(postOf(post(1, legacy, { article }))).toMatchObject({
      text: 'https://t.co/a',
      urls: ['https://x.com/i/article/55'],
      card: {
        name: 'article',
        title: 'On cords',
        description: 'A cord is…',
        domain: null,
        url: 'https://x.com/i/article/55',
        image_url: 'https://pbs.twimg.com/media/cord.jpg',
        choices: [],
      },
    })
    expect(postOf(post(1, {}, { article: { article_results: {} } }))?.card).toBeNull()
  })

  test('without entities has no hashtags, mentions and URLs', () => {
    expect(postOf(post(1, { entities: {} }))).toMatchObject({ hashtags: [], user_mentions: [], urls: [] })
  })
})

test('a post without rest_id is identified by its other id', () => {
  const { rest_id: _, ...rest } = post(7) as { rest_id: string }
  expect(postOf({ ...rest, __typename: 'Tweet' })).toMatchObject({
    id: '7',
    url: 'https://x.com/maker_7/status/7',
  })
})

describe('the form of the new client', () => {
  const { legacy, ...around } = post(8) as { legacy: object }
  const own = {
    ...around,
    details: {
      full_text: 'A lamp &amp; more https://t.co/l #lamps @ben https://t.co/m',
      created_at_ms: 1_783_547_950_000,
      hashtag_entities: [{ text: 'lamps' }],
    },
    counts: { reply_count: 3, retweet_count: 4, favorite_count: 5, quote_count: 2, bookmark_count: 1 },
    url_entities: [{ url: 'https://t.co/l', expanded_url: 'https://lamps.example/' }],
    mention_entities: [{ screen_name: 'ben' }],
    media_entities2: [
      { type: 'photo', url: 'https://t.co/m', media_url_https: 'https://pbs.twimg.com/8.jpg' },
    ],
    legacy: { lang: 'en', possibly_sensitive: false, retweeted_status_results: null },
    quoted_tweet_results: null,
    reply_to_results: null,
    reply_to_user_results: null,
    note_tweet: null,
    card: null,
    article: null,
  }

  test('gives the same item as the form of members, but for the conversation', () => {
    const members = post(8, {
      full_text: own.details.full_text,
      entities: {
        hashtags: own.details.hashtag_entities,
        urls: own.url_entities,
        user_mentions: own.mention_entities,
      },
      extended_entities: { media: own.media_entities2 },
    })
    expect(postOf(own)).toEqual({ ...postOf(members)!, conversation_id: null })
    expect(postOf(own)).toMatchObject({
      text: 'A lamp & more https://t.co/l #lamps @ben',
      created_at: '2026-07-08T21:59:10Z',
      urls: ['https://lamps.example/'],
    })
  })

  test('has replies, quotes and reposts in places of their own', () => {
    const reply = {
      ...own,
      reply_to_results: { rest_id: '7' },
      reply_to_user_results: { result: { core: { screen_name: 'ann' } } },
      quoted_tweet_results: { result: { ...own, rest_id: '9' } },
      legacy: { ...own.legacy, retweeted_status_results: { result: { ...own, rest_id: '10' } } },
    }
    expect(postOf(reply)).toMatchObject({
      is_reply: true,
      in_reply_to_status_id: '7',
      in_reply_to_screen_name: 'ann',
      is_quote: true,
      quoted: { id: '9', quoted: null },
      is_retweet: true,
      retweeted: { id: '10', is_retweet: false },
    })
  })

  test('has the whole text of a long post', () => {
    const note_tweet = { note_tweet_results: { result: { text: 'The whole story of a lamp' } } }
    expect(postOf({ ...own, note_tweet })?.text).toBe('The whole story of a lamp')
  })
})
