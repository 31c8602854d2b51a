/**
 * Rightmove: homes for sale in the United Kingdom.
 *
 * @module
 */
import { BROWSER, defineSource } from 'gleaner/plugin'
import { search } from './search.ts'

export default defineSource({
  name: 'realty_a',
  title: 'Real estate A (Rightmove)',
  origin: 'https://www.rightmove.co.uk',
  // the look-up of places
  hosts: ['los.rightmove.co.uk'],
  imageHosts: ['media.rightmove.co.uk'],
  userAgent: BROWSER,
  pace: { perSecond: 1, concurrent: 2 },
  // A place that the site has dropped.
  interstitials: [{ url: /^[^?#]*page-not-found/, ends: 'not-found' }],
  tasks: [search],
})
