/**
 * The items of `video.channel.shorts`, and its channel.
 *
 * @module
 */
import { Link, Nullable, type Static, Time, Type } from 'gleaner/plugin'

const Text = (description?: string) => Nullable(Type.String(description === undefined ? {} : { description }))
const Whole = (description?: string) =>
  Nullable(Type.Integer(description === undefined ? {} : { description }))

/** A Short, from a row of a list. The row contains neither the channel nor the position. */
export const ListedShort = Type.Object({
  video_id: Type.String(),
  url: Link(),
  title: Text(),
  view_count: Whole('Rounded, as the source shows it: 1600000 for "1.6M views".'),
  view_count_text: Text(),
  thumbnail_url: Nullable(Link()),
  thumbnails: Type.Array(Type.Object({ url: Link(), width: Whole(), height: Whole() })),
  duration_seconds: Whole('Null in most lists of the source.'),
  published_text: Text('The age, if the source shows it: "2 months ago".'),
  published_at: Nullable(Time({ description: 'Always null: no list of the source gives a date.' })),
})
export type ListedShort = Static<typeof ListedShort>

export const Short = Type.Object({
  ...ListedShort.properties,
  channel_id: Type.String(),
  channel_title: Text(),
  position: Type.Integer({ description: 'From 0, over all pages.' }),
  page: Type.Integer({ description: 'The page of the source, from 1.' }),
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
export type Channel = Static<typeof Channel>

export const SORTS = ['latest', 'popular', 'oldest'] as const
export type Sort = (typeof SORTS)[number]
