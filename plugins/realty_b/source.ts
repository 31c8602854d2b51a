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
  pace: {
    perSecond: 0.4,
    concurrent: 1,
    together: true,
    // Its firewall, and the network in front of it, mark their refusals.
    rest: (headers) =>
      headers.has('x-amzn-waf-action') || headers.get('x-cache') === 'Error from cloudfront'
        ? 15_000
        : undefined,
  },
  tasks: [search],
})
