/** Another source whose runs hang, for tests of places. */
import { listing, never } from '../../listing.ts'

export default listing('tarpit', never)
