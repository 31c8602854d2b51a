/**
 * Encyclopedias on MediaWiki; by default the English Wikipedia.
 *
 * @module
 */
import { defineSource } from 'gleaner/plugin'
import { search } from './search.ts'

export default defineSource({
  name: 'encyclopedia',
  title: 'Encyclopedia (MediaWiki)',
  origin: 'https://en.wikipedia.org',
  hosts: ['*.wikipedia.org'],
  pace: {
    // Wikimedia asks for one request at a time, and counts 200 a minute for each User-Agent over all its projects.
    perSecond: 1,
    concurrent: 1,
    together: true,
    // Clients that name no contact share a count of 10 a minute.
    withoutContact: { perSecond: 1 / 6, concurrent: 1 },
    replaced: { perSecond: 5, concurrent: 2 },
  },
  tasks: [search],
})
