/**
 * Redfin: homes for sale in the United States and Canada.
 *
 * @module
 */
import { BROWSER, defineSource } from 'gleaner/plugin'
import { search } from './search.ts'

export default defineSource({
  name: 'realty_b',
  title: 'Real estate B (Redfin)',
  origin: 'https://www.redfin.com',
  // Pages of Canadian homes redirect to this host.
  hosts: ['www.redfin.ca'],
  userAgent: BROWSER,
  pace: { perSecond: 2, concurrent: 2 },
  tasks: [search],
})
