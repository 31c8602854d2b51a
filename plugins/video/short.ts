/**
 * What `video.channel.shorts` gives out for each Short, and for the channel.
 *
 * @module
 */
import { Link, Nullable, type Static, Time, Type } from 'gleaner/plugin'

const Text = (description?: string) => Nullable(Type.String(description === undefined ? {} : { description }))
const Whole = (description?: string) =>
  Nullable(Type.Integer(description === undefined ? {} : { description }))

export const Short = Type.Object({
  video_id: Type.String(),
  url: Link(),
  title: Text(),
  view_count: Whole('Rounded, as the source shows it: 1600000 for "1.6M views".'),
  view_count_text: Text(),
  thumbnail_url: Nullable(Link()),
  thumbnails: Type.Array(Type.Object({ url: Link(), width: Whole(), height: Whole() })),
  duration_seconds: Whole('Few lists of the source tell it.'),
  published_text: Text('How long ago, where the source tells it: "2 months ago".'),
  published_at: Nullable(Time({ description: 'Always null: no list of the source tells a day.' })),
  channel_id: Type.String(),
  channel_title: Text(),
  position: Type.Integer({ description: 'From 0, over all pages.' }),
  page: Type.Integer({ description: 'On which page of the source, from 1.' }),
})

export const Channel = Type.Object({
  channel_id: Type.String(),
  title: Text(),
  handle: Text('With its @.'),
  url: Link({ description: 'By its id.' }),
  description: Text(),
  avatar_url: Nullable(Link()),
  subscriber_count_text: Text(),
  video_count_text: Text(),
})

export type Short = Static<typeof Short>
export type Channel = Static<typeof Channel>
/** A Short as a list has it: whose it is and where it stands is known elsewhere. */
export type Listed = Omit<Short, 'channel_id' | 'channel_title' | 'position' | 'page'>

export const SORTS = ['latest', 'popular', 'oldest'] as const
export type Sort = (typeof SORTS)[number]
