/**
 * Dependencies of pages.
 *
 * @module
 */
import type { Deps } from '../http/deps.ts'
import type { ProcessFigures } from '../metrics.ts'
import type { PeopleRoom } from '../people/open.ts'

export type ConsoleDeps = Deps &
  PeopleRoom & {
    /** The processes of plugins on this node; undefined without the role worker. */
    processes(): readonly ProcessFigures[] | undefined
  }
