/** A source whose runs end at once, for tests of places. */
import { listing } from '../../listing.ts'

export default listing('lamps')
