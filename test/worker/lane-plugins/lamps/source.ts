/** A source whose runs end at once, for tests of lanes. */
import { listing } from '../../listing.ts'

export default listing('lamps')
