/**
 * Tasks for the tests of the HTTP interface. No worker runs them: the tests end the runs themselves.
 *
 * @module
 */
import { defineSource, defineTask, Limit, Nullable, Query, Type } from 'gleaner/plugin'

const Item = Type.Object({
  id: Type.String(),
  title: Nullable(Type.String()),
  tags: Type.Array(Type.String()),
  price: Nullable(Type.Number()),
})

/** Has more columns than fit on a screen. */
const Picture = Type.Object({
  id: Type.String(),
  picture_url: Nullable(Type.String()),
  description_of_the_picture: Nullable(Type.String()),
  name_of_the_photographer: Nullable(Type.String()),
  place_where_it_was_taken: Nullable(Type.String()),
  number_of_visitors_a_day: Nullable(Type.Number()),
  camera_and_its_settings: Nullable(Type.String()),
  licence_of_the_picture: Nullable(Type.String()),
})

async function* nothing(): AsyncGenerator<never, { next_cursor: null }, void> {
  yield* []
  return { next_cursor: null }
}

/** Costs one credit, and has a second path. */
const search = defineTask({
  key: 'sample.search',
  path: '/v1/sample/search',
  aliases: ['/v1/sample_alt/search'],
  title: 'Search',
  description: 'Things by words.',
  price: 1,
  input: Type.Object({ query: Query(), limit: Limit(500, 20) }),
  summary({ query = '', limit }) {
    if (query === 'no summary') throw new RangeError(query)
    return limit === undefined ? query : `${query}, ${limit} at most`
  },
  item: Item,
  example: { query: 'otter' },
  run: nothing,
})

/** Has a field in its path, and no required field in its body. */
const shelf = defineTask({
  key: 'sample.shelf',
  path: '/v1/sample/c/:shelf/top',
  title: 'Shelf',
  description: 'What stands on a shelf.',
  price: 2,
  input: Type.Object({ shelf: Type.String({ minLength: 1, maxLength: 20 }), limit: Limit(100, 20) }),
  item: Item,
  example: { shelf: 'otters' },
  run: nothing,
})

/** Its price depends on its input. */
const album = defineTask({
  key: 'sample.album',
  path: '/v1/sample/album',
  title: 'Album',
  description: 'Pictures in a ZIP file.',
  price: {
    from: 40,
    words: '40 credits, and 5 more for each started 1,000 after the first',
    of: ({ pictures }) => 40 + 5 * (Math.ceil(pictures / 1000) - 1),
  },
  input: Type.Object({ pictures: Type.Integer({ minimum: 1, maximum: 1_000_000 }) }),
  item: Picture,
  example: { pictures: 1000 },
  run: nothing,
})

/** Refuses days in the past. */
const visit = defineTask({
  key: 'sample.visit',
  path: '/v1/sample/visit',
  title: 'Visit',
  description: 'What is on that day.',
  price: 1,
  input: Type.Object({ day: Type.String({ minLength: 10, maxLength: 10 }) }),
  refine: ({ day = '' }, now) =>
    Date.parse(day) < now ? [{ pointer: '/day', code: 'past', detail: 'has passed' }] : [],
  item: Item,
  example: { day: '2030-01-01' },
  run: nothing,
})

export default defineSource({
  name: 'sample',
  title: 'Sample',
  origin: 'https://sample.example',
  tasks: [search, shelf, album, visit],
})
