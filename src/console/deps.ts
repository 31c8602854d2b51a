/**
 * Dependencies of pages.
 *
 * @module
 */
import type { Deps } from '../http/deps.ts'
import type { PeopleRoom } from '../people/open.ts'

export type ConsoleDeps = Deps & PeopleRoom
