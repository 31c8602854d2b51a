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
  pace: { perSecond: 1, concurrent: 2 },
  interstitials: [
    { url: /^https:\/\/consent\.(?:google|youtube)\.[a-z.]+\//, ends: 'source-blocked' },
    { url: /^https:\/\/(?:[a-z0-9-]+\.)?google\.[a-z.]+\/sorry\//, ends: 'source-blocked' },
    { url: /^https:\/\/accounts\.google\.[a-z.]+\//, ends: 'source-login-required' },
  ],
  tasks: [search],
})
