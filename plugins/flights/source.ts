/**
 * Google Flights: itineraries from public result pages.
 *
 * @module
 */
import { BROWSER, defineSource } from 'gleaner/plugin'
import { search } from './search.ts'

export default defineSource({
  name: 'flights',
  title: 'Flights (Google Flights)',
  origin: 'https://www.google.com',
  // Other clients get the page without its data.
  userAgent: BROWSER,
  // Pages 2.5 seconds apart are served; 0.7 seconds apart they drew 429.
  pace: { perSecond: 0.4, concurrent: 2, replaced: { perSecond: 1, concurrent: 2 } },
  interstitials: [
    { url: /^https:\/\/consent\.(?:google|youtube)\.[a-z.]+\//, ends: 'source-blocked' },
    { url: /^https:\/\/(?:[a-z0-9-]+\.)?google\.[a-z.]+\/sorry\//, ends: 'source-blocked' },
    // The page is public: a sign-in page in its place is a wall.
    { url: /^https:\/\/accounts\.google\.[a-z.]+\//, ends: 'source-blocked' },
  ],
  tasks: [search],
})
