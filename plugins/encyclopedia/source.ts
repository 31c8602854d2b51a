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
  // Wikimedia asks clients to make few concurrent requests.
  pace: { perSecond: 5, concurrent: 2 },
  tasks: [search],
})
