/**
 * Logs that behave in another way here and there.
 *
 * @module
 */
import type { EventLog } from '../../src/log/event-log.ts'

/** A log of which some calls go another way; all others go to `log`. */
export const alteredLog = (log: EventLog, other: Partial<EventLog>): EventLog => ({
  id: log.id,
  append: (...args) => log.append(...args),
  readStream: (...args) => log.readStream(...args),
  subscribe: (...args) => log.subscribe(...args),
  readAll: (...args) => log.readAll(...args),
  head: () => log.head(),
  knows: (position) => log.knows(position),
  close: () => log.close(),
  ...other,
})
