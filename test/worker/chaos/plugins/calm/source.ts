/** A source whose runs end at once, to see whether the service still answers. */
import { listing } from '../../../listing.ts'

export default listing('calm')
